/*
 * Kernel events as the kernel's own `trace` file shows them. The lines come from the SQL function
 * to_ftrace(), so that queries and exports say the same.
 */
#include <errno.h>
#include <inttypes.h>

#include "processor/export/export.h"
#include "processor/export/export_impl.h"

static const char *const head[] = {
    "# tracer: nop",
    "#",
    "#                                          _-----=> irqs-off",
    "#                                         / _----=> need-resched",
    "#                                        | / _---=> hardirq/softirq",
    "#                                        || / _--=> preempt-depth",
    "#                                        ||| /     delay",
    "#           TASK-PID      TGID    CPU#  ||||   TIMESTAMP  FUNCTION",
    "#              | |         |       |    ||||      |         |",
};

static const char page_head[] = "<!DOCTYPE html>\n"
                                "<html>\n"
                                "<head><meta charset=\"utf-8\"><title>Trace</title></head>\n"
                                "<body>\n"
                                "<p>A trace of kernel events, as text. Viewers of systrace files, "
                                "such as https://ui.perfetto.dev, can open it.</p>\n"
                                "<!-- BEGIN TRACE -->\n"
                                "<script class=\"trace-data\" type=\"application/text\">\n";
static const char page_tail[] = "</script>\n<!-- END TRACE -->\n</body>\n</html>\n";

bool orma_export_check(struct orma_export_writer *self, const char *sql, const char *refusal)
{
    struct orma_export_rows r = orma_export_rows(self, sql);
    bool mixes = false;

    while (orma_export_next(&r))
        mixes |= orma_export_int(&r, 0) != 0;
    if (mixes && !self->err) {
        self->self->refused = refusal;
        self->err = -ENOTSUP;
    }
    return !self->err;
}

bool orma_export_one_kernel(struct orma_export_writer *self)
{
    return orma_export_check(
        self,
        "SELECT count(DISTINCT machine_id) > 1 FROM cpu "
        "WHERE ucpu IN (SELECT ucpu FROM ftrace_event)",
        "kernel events of several machines: the format has no machines, and would mix their CPUs; "
        "convert the traces one by one");
}

bool orma_export_has_ftrace(struct orma_export_writer *self)
{
    struct orma_export_rows r = orma_export_rows(self, "SELECT count(*) FROM ftrace_event");
    bool has = false;

    while (orma_export_next(&r))
        has = orma_export_int(&r, 0) > 0;
    return has;
}

/* How many rows to pass by, so that the last ones remain. */
static uint64_t rows_before(struct orma_export_writer *self)
{
    const struct orma_export *ex = self->self;
    uint64_t before = 0;

    if (!ex->kernel_events_max || !ex->kernel_events_last)
        return 0;
    struct orma_export_rows r = orma_export_rows(self, "SELECT count(*) FROM ftrace_event");
    while (orma_export_next(&r)) {
        uint64_t all = (uint64_t)orma_export_int(&r, 0);
        before = all > ex->kernel_events_max ? all - ex->kernel_events_max : 0;
    }
    return before;
}

void orma_export_ftrace_lines(struct orma_export_writer *self, const char *where,
                              void (*line)(void *ctx, struct orma_str line), void *ctx)
{
    uint64_t before = rows_before(self), max = self->self->kernel_events_max;
    struct orma_buf sql = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(head); i++)
        line(ctx, orma_str_from(head[i]));
    orma_buf_printf(&sql,
                    "SELECT to_ftrace(id) FROM (SELECT * FROM ftrace_event ORDER BY ts LIMIT %" PRId64
                    " OFFSET %" PRIu64 ")%s%s ORDER BY ts",
                    max ? (int64_t)max : INT64_C(-1), before, where ? " WHERE " : "",
                    where ? where : "");
    struct orma_export_rows r = orma_export_rows(self, orma_buf_cstr(&sql));
    while (orma_export_next(&r)) {
        if (orma_export_is_null(&r, 0))
            continue; /* an event of no kernel: it has no line */
        line(ctx, orma_export_text(&r, 0));
        self->self->kernel_events++;
        orma_export_flush(self, false);
    }
    orma_buf_fini(&sql);
}

/* Texts of programs may hold anything; a line must stay one line, and the page one page. */
static void put_line(void *ctx, struct orma_str line)
{
    struct orma_export_writer *w = ctx;

    for (size_t i = 0; i < line.len; i++) {
        char c = line.data[i];

        /* "</script>" would end the data, and "<!--<script>" hide their end. */
        if ((c == '/' || c == '!') && i && line.data[i - 1] == '<')
            orma_buf_put_byte(&w->out, '\\');
        orma_buf_put_byte(&w->out, (uint8_t)(c == '\n' || c == '\r' ? ' ' : c));
    }
    orma_buf_put_byte(&w->out, '\n');
}

int orma_export_ftrace(struct orma_export *self)
{
    struct orma_export_writer w = {.self = self};

    if (orma_export_one_kernel(&w))
        orma_export_ftrace_lines(&w, NULL, put_line, &w);
    orma_export_flush(&w, true);
    return orma_export_fini(&w);
}

int orma_export_systrace(struct orma_export *self)
{
    struct orma_export_writer w = {.self = self};

    if (!orma_export_one_kernel(&w))
        return orma_export_fini(&w);
    orma_buf_put_str(&w.out, page_head);
    orma_export_ftrace_lines(&w, NULL, put_line, &w);
    orma_buf_put_str(&w.out, page_tail);
    orma_export_flush(&w, true);
    return orma_export_fini(&w);
}
