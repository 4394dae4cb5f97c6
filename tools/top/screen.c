#include "tools/top/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tools/base/cell.h"
#include "tools/base/units.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"

#define NAME_MIN 12
#define NAME_MAX_WIDTH 30
/* Around the tables: the first line, losses, headings, empty lines between. */
#define ROWS_AROUND 7
#define ROWS_MIN 3

#define MODULE "INCLUDE PERFETTO MODULE orma.sched"

/* States cut to the time that is looked at: `d` of it. Those whose end is unknown are in neither.
 */
static const char states[] =
    "(SELECT utid, 'Running' AS state, ts, min(ts + dur, $to) - max(ts, $from) AS d FROM orma_run "
    "WHERE ts < $to AND ts + dur > $from UNION ALL "
    "SELECT utid, state, ts, min(ts + dur, $to) - max(ts, $from) FROM orma_state "
    "WHERE state != 'Running' AND ts < $to AND ts + dur > $from)";

/* $from and $to are those of the screen. */
static int prepare(const struct orma_live_screen *self, struct orma_processor *tp,
                   struct orma_buf *sql, struct orma_query **ret)
{
    static const char *const names[] = {"$from", "$to"};
    const uint64_t values[] = {self->from, self->to};

    if (sql->failed)
        return -ENOMEM;
    int r = orma_query_prepare(tp, orma_buf_cstr(sql), SIZE_MAX, ret, NULL);
    for (unsigned i = 0; r == 0 && i < ORMA_ARRAY_LEN(names); i++) {
        unsigned param = orma_query_parameter(*ret, names[i]);

        if (param)
            r = orma_query_bind_int64(*ret, param, (int64_t)values[i]);
    }
    return r;
}

static double share(const struct orma_live_screen *self, int64_t ns)
{
    return 100.0 * (double)ns / (double)(self->to - self->from);
}

static void put_text(struct orma_buf *out, const char *text, unsigned width)
{
    const struct orma_str s = orma_str_from(text ? text : "");
    const size_t begin = out->len;

    orma_cell_put(out, s, width);
    for (unsigned w =
             orma_cell_width((struct orma_str){(const char *)out->data + begin, out->len - begin});
         w < width; w++)
        orma_buf_put_byte(out, ' ');
}

static void put_line(const struct orma_live_screen *self, struct orma_buf *out,
                     struct orma_buf *line)
{
    orma_cell_put(out, orma_buf_str(line), self->columns);
    orma_buf_put_byte(out, '\n');
    orma_buf_clear(line);
}

static void put_heading(const struct orma_live_screen *self, struct orma_buf *out, unsigned name,
                        const char *what, const char *columns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};

    orma_buf_put_str(out, self->bold ? "\n\033[1m" : "\n");
    put_text(&line, what, name);
    orma_buf_put_str(&line, columns);
    put_line(self, out, &line);
    orma_buf_put_str(out, self->bold ? "\033[0m" : "");
}

static unsigned name_width(const struct orma_live_screen *self, unsigned others)
{
    const unsigned left = self->columns > others ? self->columns - others : 0;

    return ORMA_MAX((unsigned)NAME_MIN, ORMA_MIN(left, (unsigned)NAME_MAX_WIDTH));
}

/* Appends a row each; returns how many there are. */
static int put_threads(const struct orma_live_screen *self, struct orma_processor *tp,
                       unsigned most, struct orma_buf *out, unsigned *ret_num)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0}, line = {0};
    struct orma_query *q;
    const unsigned name = name_width(self, 56);

    orma_buf_printf(&sql,
                    "SELECT t.name, t.tid, p.name, CAST(total(d * (state = 'Running')) AS INT), "
                    "CAST(total(d * (state IN ('R', 'R+'))) AS INT), "
                    "CAST(total(d * (state GLOB 'D*')) AS INT), "
                    "sum(state = 'Running' AND ts >= $from) FROM %s AS s JOIN thread AS t "
                    "USING (utid) LEFT JOIN process AS p USING (upid) "
                    "GROUP BY utid HAVING total(d * (state NOT GLOB 'S*' AND state NOT GLOB 'I*')) "
                    "> 0 ORDER BY %s DESC, t.tid LIMIT %u",
                    states,
                    self->by_waits ? "total(d * (state IN ('R', 'R+') OR state GLOB 'D*'))" : "4",
                    most);
    int r = prepare(self, tp, &sql, &q);
    if (r != 0)
        return r;
    const double seconds = (double)(self->to - self->from) / 1e9;
    while ((r = orma_query_step(q)) > 0) {
        if (!(*ret_num)++)
            put_heading(self, out, name, "thread",
                        "     tid   cpu %  waits %  disk %   runs/s  process");
        put_text(&line, orma_query_text(q, 0), name);
        orma_buf_printf(&line, "%8" PRId64 "%8.1f%9.1f%8.1f%9.0f  ", orma_query_int64(q, 1),
                        share(self, orma_query_int64(q, 3)), share(self, orma_query_int64(q, 4)),
                        share(self, orma_query_int64(q, 5)), orma_query_double(q, 6) / seconds);
        const char *process = orma_query_text(q, 2), *base = process ? strrchr(process, '/') : NULL;
        orma_buf_put_str(&line, base && base[1] ? base + 1 : process ? process : "");
        put_line(self, out, &line);
    }
    orma_query_free(q);
    return r;
}

static void put_time(struct orma_buf *out, int64_t ns)
{
    char text[ORMA_UNITS_TEXT_MAX];

    orma_buf_printf(out, "%10s", orma_units_format_duration((uint64_t)ORMA_MAX(ns, 0), text));
}

/* Slices that ended in this time. */
static int put_slices(const struct orma_live_screen *self, struct orma_processor *tp, unsigned most,
                      struct orma_buf *out, unsigned *ret_num)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0}, line = {0};
    struct orma_query *q;
    const unsigned name = name_width(self, 40);

    orma_buf_printf(&sql,
                    "SELECT name, count(*), CAST(percentile(dur, 50) AS INT), "
                    "CAST(percentile(dur, 99) AS INT), max(dur) FROM slice WHERE dur >= 0 AND ts + "
                    "dur > $from AND ts + dur <= $to GROUP BY name ORDER BY 2 DESC, name LIMIT %u",
                    most);
    int r = prepare(self, tp, &sql, &q);
    if (r != 0)
        return r;
    const double seconds = (double)(self->to - self->from) / 1e9;
    while ((r = orma_query_step(q)) > 0) {
        if (!(*ret_num)++)
            put_heading(self, out, name, "slice", "     per s       p50       p99       max");
        put_text(&line, orma_query_text(q, 0), name);
        orma_buf_printf(&line, "%10.1f", orma_query_double(q, 1) / seconds);
        for (unsigned col = 2; col < 5; col++)
            put_time(&line, orma_query_int64(q, col));
        put_line(self, out, &line);
    }
    orma_query_free(q);
    return r;
}

static int busy(const struct orma_live_screen *self, struct orma_processor *tp, double *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_query *q;

    orma_buf_put_str(&sql, MODULE);
    int r = prepare(self, tp, &sql, &q);
    if (r < 0)
        return r;
    orma_query_free(q);
    orma_buf_clear(&sql);
    orma_buf_printf(&sql, "SELECT CAST(total(d) AS INT) FROM %s WHERE state = 'Running'", states);
    r = prepare(self, tp, &sql, &q);
    if (r < 0)
        return r;
    r = orma_query_step(q);
    *ret = r > 0 ? share(self, orma_query_int64(q, 0)) : 0;
    orma_query_free(q);
    return r < 0 ? r : 0;
}

/* Of what a ring has overwritten nothing is known: then each CPU has to have been seen, or, without
 * the kernel's events, a slice. */
static uint64_t known_from(struct orma_processor *tp, bool overwritten)
{
    int64_t ret = orma_load_number(
        tp, !overwritten
                ? "SELECT coalesce((SELECT int_value FROM metadata WHERE name = "
                  "'tracing_started_ns'), start_ts) FROM trace_bounds"
                : "SELECT coalesce((SELECT max(a) FROM (SELECT min(ts) AS a FROM sched GROUP BY "
                  "ucpu)), (SELECT min(ts) FROM slice))");

    return ret > 0 ? (uint64_t)ret : 0;
}

static void put_first_line(const struct orma_live_screen *self, uint64_t asked_ns, double cpu,
                           bool has_threads, struct orma_buf *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    char text[ORMA_UNITS_TEXT_MAX];

    orma_buf_printf(&line, "%s, last %s", self->what,
                    orma_units_format_duration(self->to - self->from, text));
    if (self->to - self->from < asked_ns)
        orma_buf_printf(&line, " (the ring holds no more of the last %s)",
                        orma_units_format_duration(asked_ns, text));
    if (has_threads)
        orma_buf_printf(&line, ": %.0f %% of %u CPU%s", cpu, self->cpus,
                        self->cpus == 1 ? "" : "s");
    put_line(self, out, &line);
}

static int put_nothing(const struct orma_live_screen *self, struct orma_buf *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    char text[ORMA_UNITS_TEXT_MAX];

    orma_buf_printf(&line, "%s: the ring holds nothing of the last %s: make it larger (-b)",
                    self->what, orma_units_format_duration(self->to - self->from, text));
    put_line(self, out, &line);
    return out->failed ? -ENOMEM : 0;
}

int orma_live_screen_put(const struct orma_live_screen *asked, struct orma_processor *tp,
                         struct orma_buf *out)
{
    struct orma_live_screen screen = *asked, *const self = &screen;
    ORMA_AUTO(orma_buf_fini)
    struct orma_buf loss_line = {0}, slices = {0}, threads = {0};
    char lost[ORMA_LEDGER_TEXT_MAX];
    struct orma_ledger loss;
    unsigned slices_num = 0, threads_num = 0;
    double cpu = 0;
    const unsigned most =
        self->rows > ROWS_AROUND + 2 * ROWS_MIN ? self->rows - ROWS_AROUND : 2 * ROWS_MIN;

    orma_load_loss(tp, &loss);
    loss.ring = true;
    self->from = ORMA_MAX(self->from, known_from(tp, orma_ledger_aged_out(&loss)));
    if (self->from >= self->to)
        return put_nothing(asked, out);
    int r = busy(self, tp, &cpu);
    if (r == 0)
        r = put_slices(self, tp, most / 2, &slices, &slices_num);
    if (r == 0)
        r = put_threads(self, tp, most - ORMA_MIN(slices_num, most / 2), &threads, &threads_num);
    if (r < 0)
        return r;
    orma_ledger_format(&loss, lost, sizeof(lost));
    put_first_line(self, asked->to - asked->from, cpu, threads_num, out);
    orma_buf_put_str(&loss_line, lost);
    put_line(self, out, &loss_line);
    orma_buf_put(out, threads.data, threads.len);
    if (!threads_num)
        orma_buf_put_str(out, "no thread states: kernel events are not recorded\n");
    orma_buf_put(out, slices.data, slices.len);
    return out->failed || slices.failed || threads.failed ? -ENOMEM : 0;
}
