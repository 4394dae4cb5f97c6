#include "tools/report/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/quote.h"
#include "sdk/base/nearest.h"
#include "tools/base/cell.h"
#include "tools/base/units.h"
#include "tools/load/loss.h"
#include "tools/report/result.h"

/* ---- times ---- */

static int read_time(const struct orma_report_choice *self, const char *option, const char *text,
                     int64_t *ret)
{
    return text ? orma_units_read_trace_time(self->request->program, option, text, self->start_ts,
                                             self->end_ts, ret)
                : 0;
}

static int read_range(struct orma_report_choice *self, struct orma_processor *tp)
{
    self->start_ts = orma_load_number(tp, "SELECT trace_start()");
    self->end_ts = orma_load_number(tp, "SELECT trace_end()");
    self->from_ts = self->start_ts;
    self->to_ts = self->end_ts;
    int r = read_time(self, "from", self->request->from, &self->from_ts);
    if (r == 0)
        r = read_time(self, "to", self->request->to, &self->to_ts);
    if (r == 0 && (self->request->from || self->request->to) && self->from_ts >= self->to_ts) {
        fprintf(stderr,
                "%s: the range is empty: the trace is %.6f s long, and --to must be later "
                "than --from\n",
                self->request->program, (double)(self->end_ts - self->start_ts) / 1e9);
        r = -ERANGE;
    }
    return r;
}

/* ---- names ---- */

static void put_quoted(struct orma_buf *out, const char *before, struct orma_str text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf whole = {0};

    orma_buf_put_str(&whole, before);
    orma_buf_put(&whole, text.data, text.len);
    orma_sql_put_literal(out, orma_buf_str(&whole));
    out->failed |= whole.failed;
}

/*
 * `name` or `number` of the table `of` is what the user wrote; paths match by their last part. A
 * process is also called as its main thread: names of processes are paths, command lines, or those
 * of a script's interpreter. Labels as they are printed have the number behind the name.
 */
static void put_match(struct orma_buf *out, const char *of, const char *number, const char *pattern)
{
    int64_t num;

    orma_buf_printf(out, "(%s.name GLOB ", of);
    orma_sql_put_literal(out, orma_str_from(pattern));
    if (!strcmp(of, "process")) {
        orma_buf_put_str(out, " OR " ORMA_REPORT_LAST_PART("process.name") " GLOB ");
        orma_sql_put_literal(out, orma_str_from(pattern));
        orma_buf_put_str(out, " OR process.upid IN (SELECT m.upid FROM thread AS m WHERE "
                              "m.is_main_thread AND m.name GLOB ");
        orma_sql_put_literal(out, orma_str_from(pattern));
        orma_buf_put_byte(out, ')');
    }
    if (orma_str_to_i64(orma_str_from(pattern), &num))
        orma_buf_printf(out, " OR %s.%s = %" PRId64, of, number, num);
    const char *blank = strrchr(pattern, ' ');
    if (blank && blank > pattern && orma_str_to_i64(orma_str_from(blank + 1), &num)) {
        orma_buf_printf(out, " OR %s.%s = %" PRId64 " AND %s.name GLOB ", of, number, num, of);
        put_quoted(out, "*", (struct orma_str){pattern, (size_t)(blank - pattern)});
    }
    orma_buf_put_byte(out, ')');
}

static void print_no_match(struct orma_processor *tp, const char *program, const char *of,
                           const char *number, const char *pattern)
{
    struct orma_nearest near = {.wanted = orma_str_from(pattern)};
    char sql[128], best[ORMA_NEAREST_COMPARED_MAX * 4] = "";
    struct orma_query *q;
    int64_t num;

    if (orma_str_to_i64(orma_str_from(pattern), &num)) {
        fprintf(stderr,
                "%s: no %s of the trace has the %s %s, or that name; 'orma query TRACE \"SELECT "
                "%s, name FROM %s\"' lists them\n",
                program, of, number, pattern, number, of);
        return;
    }
    snprintf(sql, sizeof(sql),
             "SELECT DISTINCT name FROM %s WHERE name IS NOT NULL ORDER BY 1 LIMIT 100000", of);
    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL) == 0) {
        while (orma_query_step(q) == 1) {
            const char *name = orma_query_text(q, 0), *slash = strrchr(name, '/');

            name = !strcmp(of, "process") && slash && slash[1] ? slash + 1 : name;
            if (orma_nearest_consider(&near, name) && orma_nearest_get(&near))
                snprintf(best, sizeof(best), "%s", name);
            near.best = near.best ? best : NULL;
        }
        orma_query_free(q);
    }
    fprintf(stderr, "%s: the trace has no %s '%s'", program, of, pattern);
    if (!*best) {
        fprintf(stderr, "; patterns work as in the shell: '*%s*'\n", pattern);
        return;
    }
    fputs("; did you mean '", stderr);
    orma_cell_print(best, stderr);
    fputs("'?\n", stderr);
}

/* -ENOENT: no row of the table matches, and it was said. */
static int check_match(struct orma_processor *tp, const char *program, const char *of,
                       const char *number, const char *pattern)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    if (!pattern)
        return 0;
    orma_buf_printf(&sql, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE ", of);
    put_match(&sql, of, number, pattern);
    orma_buf_put_str(&sql, " LIMIT 1)");
    if (orma_load_number(tp, orma_buf_cstr(&sql)))
        return 0;
    print_no_match(tp, program, of, number, pattern);
    return -ENOENT;
}

/* System calls have names of their own, which are printed without this. */
#define CALL "sys_"

static int check_slice(struct orma_report_choice *self, struct orma_processor *tp)
{
    const struct orma_report_request *r = self->request;
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    if (r->slice) {
        orma_buf_put_str(&sql, "SELECT NOT EXISTS (SELECT 1 FROM slice WHERE ");
        put_match(&sql, "slice", "id", r->slice);
        orma_buf_put_str(&sql, ") AND EXISTS (SELECT 1 FROM slice WHERE slice.name GLOB ");
        put_quoted(&sql, CALL, orma_str_from(r->slice));
        orma_buf_put_byte(&sql, ')');
        self->of_call = orma_load_number(tp, orma_buf_cstr(&sql)) == 1;
    }
    return self->of_call ? 0 : check_match(tp, r->program, "slice", "id", r->slice);
}

/* ---- conditions ---- */

/* `upid` is of a process that was chosen, or that one of these started, directly or not. */
static void put_tree(const struct orma_report_choice *self, const char *upid, struct orma_buf *out)
{
    if (self->command.len && self->request->of) {
        orma_buf_printf(out, "%s IN (%s)", upid, orma_buf_cstr((struct orma_buf *)&self->roots));
        return;
    }
    orma_buf_printf(out,
                    "%s IN (WITH RECURSIVE of_tree(upid) AS (%s UNION SELECT child.upid FROM "
                    "process AS child JOIN of_tree ON child.parent_upid = of_tree.upid) "
                    "SELECT upid FROM of_tree)",
                    upid, orma_buf_cstr((struct orma_buf *)&self->roots));
}

static void put_threads(struct orma_report_choice *self)
{
    const struct orma_report_request *r = self->request;
    const char *and = "";

    if (!r->thread && !r->process && !self->roots.len)
        return;
    orma_buf_printf(&self->threads, " AND utid IN (SELECT thread.utid FROM thread%s WHERE ",
                    r->process ? " JOIN process USING (upid)" : "");
    if (r->thread) {
        put_match(&self->threads, "thread", "tid", r->thread);
        and = " AND ";
    }
    if (r->process) {
        orma_buf_put_str(&self->threads, and);
        put_match(&self->threads, "process", "pid", r->process);
        and = " AND ";
    }
    if (self->roots.len) {
        orma_buf_put_str(&self->threads, and);
        put_tree(self, "thread.upid", &self->threads);
    }
    orma_buf_put_byte(&self->threads, ')');
}

static void put_processes(struct orma_report_choice *self)
{
    if (self->request->process) {
        orma_buf_put_str(&self->processes, " AND upid IN (SELECT upid FROM process WHERE ");
        put_match(&self->processes, "process", "pid", self->request->process);
        orma_buf_put_byte(&self->processes, ')');
    }
    if (self->roots.len) {
        orma_buf_put_str(&self->processes, " AND ");
        put_tree(self, "upid", &self->processes);
    }
}

/* What has no process is nobody else's, where nothing was chosen. */
static void put_owners(struct orma_report_choice *self)
{
    const struct orma_buf *owners = self->request->thread ? &self->threads : &self->processes;

    if (!self->command.len) {
        orma_buf_put(&self->owners, owners->data, owners->len);
        return;
    }
    orma_buf_put_str(&self->owners, " AND (upid IS NULL OR ");
    put_tree(self, "upid", &self->owners);
    orma_buf_put_byte(&self->owners, ')');
}

static void put_slices(struct orma_report_choice *self)
{
    int64_t id;

    if (!self->request->slice)
        return;
    orma_buf_put_str(&self->slices, " AND (name GLOB ");
    put_quoted(&self->slices, self->of_call ? CALL : "", orma_str_from(self->request->slice));
    if (orma_str_to_i64(orma_str_from(self->request->slice), &id))
        orma_buf_printf(&self->slices, " OR id = %" PRId64, id);
    orma_buf_put_byte(&self->slices, ')');
}

/* Threads that come and go, as those of compilers, would fill a table that is cut. */
static const char *group_of(struct orma_processor *tp, const struct orma_report_request *request)
{
    if (request->group)
        return strcmp(request->group, "name") ? NULL : "name_utid";
    return request->top &&
                   orma_load_number(tp, "SELECT EXISTS (SELECT 1 FROM thread WHERE end_ts IS NOT "
                                        "NULL AND name != '' GROUP BY name HAVING count(*) >= 5)")
               ? "short_utid"
               : NULL;
}

/*
 * The process of the command that the trace was recorded for. Only where the kernel told of new
 * processes: elsewhere most of what the command started has no parent, and would be left out.
 */
static const char command_sql[] =
    "INCLUDE PERFETTO MODULE orma.command; SELECT upid, command FROM orma_command "
    "WHERE upid IS NOT NULL AND (SELECT count(*) FROM orma_command) = 1 "
    "AND EXISTS (SELECT 1 FROM ftrace_event WHERE name = 'task_newtask')";

static void find_command(struct orma_report_choice *self, struct orma_processor *tp)
{
    struct orma_report_result found;

    self->untold = orma_load_number(tp, "SELECT EXISTS (SELECT 1 FROM metadata WHERE name = "
                                        "'orma_command_pid')");
    if (!self->untold || orma_report_result_read(tp, command_sql, 1, &found) < 0)
        return;
    self->untold = found.rows != 1;
    if (found.rows == 1) {
        const char *command = orma_report_result_cell(&found, 0, 1)->text;

        orma_buf_printf(&self->roots, "SELECT %" PRId64 " AS upid",
                        orma_report_result_cell(&found, 0, 0)->num);
        orma_buf_put_str(&self->command, command ? command : "");
    }
    orma_report_result_fini(&found);
}

static int find_roots(struct orma_report_choice *self, struct orma_processor *tp)
{
    const struct orma_report_request *r = self->request;

    if (r->tree) {
        orma_buf_put_str(&self->roots, "SELECT upid FROM process WHERE ");
        put_match(&self->roots, "process", "pid", r->tree);
    } else if (!r->all && !r->process && !r->thread && !r->slice) {
        find_command(self, tp);
    }
    return check_match(tp, r->program, "process", "pid", r->tree);
}

void orma_report_choice_put_command(const struct orma_report_choice *self, struct orma_buf *out)
{
    orma_buf_put_byte(out, '\'');
    for (size_t i = 0; i < self->command.len; i++)
        orma_buf_put_byte(out, self->command.data[i] < ' ' ? '?' : self->command.data[i]);
    orma_buf_put_byte(out, '\'');
}

void orma_report_choice_put_scope(const struct orma_report_choice *self, struct orma_buf *out)
{
    if (!self->command.len)
        return;
    orma_buf_put_str(out, "Of ");
    orma_report_choice_put_command(self, out);
    orma_buf_put_str(out, self->request->of ? ": the trace was recorded for this command."
                                            : " and what it started: the trace was recorded for "
                                              "this command; --all shows the whole machine.");
}

int orma_report_choice_init(struct orma_report_choice *self, struct orma_processor *tp,
                            const struct orma_report_request *request)
{
    *self = (struct orma_report_choice){.request = request};
    int r = read_range(self, tp);

    if (r == 0)
        r = check_match(tp, request->program, "process", "pid", request->process);
    if (r == 0)
        r = check_match(tp, request->program, "thread", "tid", request->thread);
    if (r == 0)
        r = check_slice(self, tp);
    if (r == 0)
        r = find_roots(self, tp);
    self->group = group_of(tp, request);
    put_threads(self);
    put_processes(self);
    put_slices(self);
    put_owners(self);
    return r;
}

void orma_report_choice_fini(struct orma_report_choice *self)
{
    orma_buf_fini(&self->threads);
    orma_buf_fini(&self->processes);
    orma_buf_fini(&self->owners);
    orma_buf_fini(&self->slices);
    orma_buf_fini(&self->roots);
    orma_buf_fini(&self->command);
}

bool orma_report_choice_fits(const struct orma_report_choice *self, const char *sql)
{
    const struct orma_report_request *r = self->request;
    bool threads = strstr(sql, "$threads") || strstr(sql, "$owners");

    return (!r->thread || threads) &&
           ((!r->process && !r->tree) || threads || strstr(sql, "$processes")) &&
           (!r->slice || strstr(sql, "$slices"));
}

/* ---- places ---- */

static void put_ts(struct orma_buf *out, int64_t ts, int64_t whole, const char *function)
{
    if (ts == whole)
        orma_buf_put_str(out, function);
    else
        orma_buf_printf(out, "%" PRId64, ts);
}

static void put_top(const struct orma_report_choice *self, bool probe, struct orma_buf *out)
{
    size_t top = self->request->top;

    orma_buf_printf(out, "%" PRId64, top ? (int64_t)top + probe : -1); /* SQL: -1 is no limit */
}

static void put_group(const struct orma_report_choice *self, struct orma_str name,
                      struct orma_buf *out)
{
    static const struct {
        const char *name, *by_thread, *before, *after; /* around the column of the group */
    } places[] = {
        {"who", "utid", "", ""},
        {"threads_num", "1", "count(DISTINCT utid)", NULL},
        {"grouped", "", " JOIN orma_thread_group USING (utid)", NULL},
        {"waker", "waker_utid", "waker", NULL},
        {"wakers_num", "1", "count(DISTINCT waker_utid)", NULL},
        {"wakers_grouped", "", " LEFT JOIN (SELECT utid AS waker_utid, ",
         " AS waker FROM orma_thread_group) USING (waker_utid)"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(places); i++) {
        if (!orma_str_eq_c(name, places[i].name))
            continue;
        if (self->group)
            orma_buf_printf(out, "%s%s%s", places[i].before, places[i].after ? self->group : "",
                            places[i].after ? places[i].after : "");
        else
            orma_buf_put_str(out, places[i].by_thread);
    }
}

static void put_place(const struct orma_report_choice *self, struct orma_str name, bool probe,
                      struct orma_buf *out)
{
    const struct {
        const char *name;
        const struct orma_buf *text;
    } texts[] = {{"threads", &self->threads},
                 {"processes", &self->processes},
                 {"owners", &self->owners},
                 {"slices", &self->slices}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (orma_str_eq_c(name, texts[i].name))
            orma_buf_put(out, texts[i].text->data, texts[i].text->len);
    }
    if (orma_str_eq_c(name, "from"))
        put_ts(out, self->from_ts, self->start_ts, "trace_start()");
    else if (orma_str_eq_c(name, "to"))
        put_ts(out, self->to_ts, self->end_ts, "trace_end()");
    else if (orma_str_eq_c(name, "end"))
        put_ts(out, self->to_ts, self->end_ts, "trace_end() + 1");
    else if (orma_str_eq_c(name, "top"))
        put_top(self, probe, out);
    else if (orma_str_eq_c(name, "shown"))
        put_top(self, false, out);
    else
        put_group(self, name, out);
}

void orma_report_choice_put(const struct orma_report_choice *self, const char *sql, bool probe,
                            struct orma_buf *out)
{
    while (*sql) {
        size_t len = strcspn(sql, "$");

        orma_buf_put(out, sql, len);
        sql += len;
        if (*sql != '$')
            return;
        len = strspn(++sql, "abcdefghijklmnopqrstuvwxyz_");
        put_place(self, (struct orma_str){sql, len}, probe, out);
        sql += len;
    }
}
