/*
 * Chrome's JSON trace format, as chrome://tracing, Perfetto's UI and many other viewers read it.
 *
 *   processes and threads   M  process_name, thread_name
 *   slices of threads       X  (B while it has no end), i without duration; B and E inside of one
 *                           without an end that begins at the same time, since readers put X first
 *   slices of other tracks  b and e with an id of the track, n without duration
 *   flows between slices    s and f
 *   counters                C
 *   kernel events           systemTraceEvents, as ftrace text, but those that slices and counters
 *                           were made of: these stand above, and readers would make them again
 *
 * What the format has no place for is counted and said at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "processor/export/export.h"
#include "processor/export/export_impl.h"
#include "processor/sql/functions/json_args.h"
#include "protos/reflect/json.h"
#include "protos/reflect/number.h"
#include "sdk/base/map.h"
#include "sdk/base/replace.h"

/* Integers up to here are exact in readers whose numbers are all doubles. */
#define EXACT_MAX ((int64_t)1 << 53)

/* Where the events of a track go. */
struct place {
    enum { ON_NOTHING, ON_THREAD, ON_PROCESS, ON_MACHINE } kind;
    int64_t pid, tid;
};

struct writer {
    struct orma_export_writer base;
    struct orma_buf tracks; /* of struct place, by track id */
    struct orma_json_args args;
    struct orma_buf value;
    struct orma_map opened; /* by tid: when its last slice without an end began */
    bool any; /* an event stands before */
};

/* ---- pieces of events ---- */

/* Nanoseconds as microseconds, exactly. */
static void put_us(struct orma_buf *out, const char *key, int64_t ns)
{
    uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

    orma_buf_printf(out, ",\"%s\":%s%" PRIu64, key, ns < 0 ? "-" : "", abs / 1000);
    if (abs % 1000)
        orma_buf_printf(out, ".%03u", (unsigned)(abs % 1000));
}

static void put_text(struct orma_buf *out, const char *key, struct orma_str val)
{
    orma_buf_printf(out, ",\"%s\":", key);
    orma_json_quote(out, val);
}

static void put_number(struct orma_buf *out, double val)
{
    if (isfinite(val))
        orma_number_put_double(out, val);
    else
        orma_buf_put_str(out, isnan(val) ? "\"NaN\"" : val > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

/* Closed by end(). */
static struct orma_buf *begin(struct writer *w, char phase)
{
    orma_buf_printf(&w->base.out, "%s{\"ph\":\"%c\"", w->any ? ",\n" : "", phase);
    w->any = true;
    return &w->base.out;
}

static void end(struct writer *w)
{
    orma_buf_put_byte(&w->base.out, '}');
    orma_export_flush(&w->base, false);
}

static void put_pid_tid(struct orma_buf *out, const struct place *p)
{
    orma_buf_printf(out, ",\"pid\":%" PRId64, p->pid);
    if (p->kind == ON_THREAD)
        orma_buf_printf(out, ",\"tid\":%" PRId64, p->tid);
}

/* ---- tracks, processes, threads ---- */

static const struct place *place_of(const struct writer *w, int64_t track)
{
    static const struct place machine = {.kind = ON_MACHINE};
    const struct place *places = (const struct place *)w->tracks.data;
    size_t num = w->tracks.len / sizeof(*places);

    return track >= 0 && (uint64_t)track < num && places[track].kind ? &places[track] : &machine;
}

static void read_tracks(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(
        &w->base, "SELECT t.id, tt.utid, thread.tid, tp.pid, pt.upid, p.pid"
                  " FROM track t"
                  " LEFT JOIN (SELECT id, utid FROM thread_track UNION ALL"
                  "  SELECT id, utid FROM thread_counter_track) tt ON tt.id = t.id"
                  " LEFT JOIN thread ON thread.utid = tt.utid"
                  " LEFT JOIN process tp ON tp.upid = thread.upid"
                  " LEFT JOIN (SELECT id, upid FROM process_track UNION ALL"
                  "  SELECT id, upid FROM process_counter_track) pt ON pt.id = t.id"
                  " LEFT JOIN process p ON p.upid = pt.upid"
                  " ORDER BY t.id");

    while (orma_export_next(&r)) {
        struct place p = {.kind = ON_MACHINE};
        size_t id = (size_t)orma_export_int(&r, 0), have = w->tracks.len / sizeof(p);

        if (!orma_export_is_null(&r, 1))
            p = (struct place){ON_THREAD,
                               orma_export_is_null(&r, 3) ? orma_export_int(&r, 2)
                                                          : orma_export_int(&r, 3),
                               orma_export_int(&r, 2)};
        else if (!orma_export_is_null(&r, 4))
            p = (struct place){.kind = ON_PROCESS, .pid = orma_export_int(&r, 5)};
        for (; have < id; have++) /* ids are row numbers: no holes in practice */
            orma_buf_put(&w->tracks, &(struct place){0}, sizeof(p));
        orma_buf_put(&w->tracks, &p, sizeof(p));
    }
    if (w->tracks.failed)
        w->base.err = -ENOMEM;
}

static void put_names(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(
        &w->base, "SELECT pid, name FROM process WHERE name IS NOT NULL AND name != ''");

    while (orma_export_next(&r)) {
        struct orma_buf *out = begin(w, 'M');

        orma_buf_printf(out, ",\"name\":\"process_name\",\"pid\":%" PRId64 ",\"args\":{\"name\":",
                        orma_export_int(&r, 0));
        orma_json_quote(out, orma_export_text(&r, 1));
        orma_buf_put_byte(out, '}');
        end(w);
    }
    r = orma_export_rows(
        &w->base, "SELECT t.tid, p.pid, t.name FROM thread t LEFT JOIN process p USING (upid)"
                  " WHERE t.name IS NOT NULL AND t.name != ''");
    while (orma_export_next(&r)) {
        struct orma_buf *out = begin(w, 'M');

        orma_buf_printf(
            out,
            ",\"name\":\"thread_name\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"args\":{\"name\":",
            orma_export_is_null(&r, 1) ? orma_export_int(&r, 0) : orma_export_int(&r, 1),
            orma_export_int(&r, 0));
        orma_json_quote(out, orma_export_text(&r, 2));
        orma_buf_put_byte(out, '}');
        end(w);
    }
}

/* ---- slices ---- */

enum {
    S_ID,
    S_TS,
    S_DUR,
    S_TRACK,
    S_CAT,
    S_NAME,
    S_TTS,
    S_TDUR,
    S_KEY,
    S_TYPE,
    S_INT,
    S_STR,
    S_REAL
};

struct slice {
    int64_t id, ts, dur, track, tts, tdur;
    bool has_tts, has_tdur;
    struct orma_buf cat, name;
};

/* The prefixes that importers put before the arguments of an event; viewers do not want them. */
static struct orma_str without_prefix(struct orma_str key)
{
    static const struct orma_str prefixes[] = {{"debug.", 6}, {"args.", 5}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(prefixes); i++) {
        if (orma_str_starts(key, prefixes[i]))
            return (struct orma_str){key.data + prefixes[i].len, key.len - prefixes[i].len};
    }
    return key;
}

static void put_integer(struct orma_buf *out, int64_t val, bool is_unsigned)
{
    bool exact =
        is_unsigned ? (uint64_t)val <= (uint64_t)EXACT_MAX : val <= EXACT_MAX && val >= -EXACT_MAX;

    orma_buf_put_str(out, exact ? "" : "\"");
    if (is_unsigned)
        orma_number_put_u64(out, (uint64_t)val);
    else
        orma_number_put_i64(out, val);
    orma_buf_put_str(out, exact ? "" : "\"");
}

static void add_arg(struct writer *w, const struct orma_export_rows *r)
{
    struct orma_str type = orma_export_text(r, S_TYPE);
    struct orma_buf *out = &w->value;

    orma_buf_clear(out);
    if (!orma_export_is_null(r, S_STR))
        orma_json_quote(out, orma_export_text(r, S_STR));
    else if (!orma_export_is_null(r, S_REAL))
        put_number(out, orma_query_double(r->query, S_REAL));
    else if (orma_export_is_null(r, S_INT))
        orma_buf_put_str(out, "null");
    else if (orma_str_eq_c(type, "bool"))
        orma_buf_put_str(out, orma_export_int(r, S_INT) ? "true" : "false");
    else if (orma_str_eq_c(type, "pointer"))
        orma_buf_printf(out, "\"0x%" PRIx64 "\"", (uint64_t)orma_export_int(r, S_INT));
    else
        put_integer(out, orma_export_int(r, S_INT), orma_str_eq_c(type, "uint"));
    orma_json_args_add(&w->args, without_prefix(orma_export_text(r, S_KEY)), orma_buf_str(out));
}

static void read_slice(struct slice *s, const struct orma_export_rows *r)
{
    *s = (struct slice){.id = orma_export_int(r, S_ID),
                        .ts = orma_export_int(r, S_TS),
                        .dur = orma_export_int(r, S_DUR),
                        .track = orma_export_int(r, S_TRACK),
                        .tts = orma_export_int(r, S_TTS),
                        .tdur = orma_export_int(r, S_TDUR),
                        .has_tts = !orma_export_is_null(r, S_TTS),
                        .has_tdur = !orma_export_is_null(r, S_TDUR),
                        .cat = s->cat,
                        .name = s->name};
    orma_buf_clear(&s->cat);
    orma_buf_clear(&s->name);
    orma_buf_put(&s->cat, orma_export_text(r, S_CAT).data, orma_export_text(r, S_CAT).len);
    orma_buf_put(&s->name, orma_export_text(r, S_NAME).data, orma_export_text(r, S_NAME).len);
}

static struct orma_buf *begin_slice(struct writer *w, const struct slice *s, const struct place *p,
                                    char phase, int64_t ts)
{
    struct orma_buf *out = begin(w, phase);

    put_us(out, "ts", ts);
    put_pid_tid(out, p);
    put_text(out, "name", orma_buf_str(&s->name));
    put_text(out, "cat", orma_buf_str(&s->cat)); /* viewers want one, though it be empty */
    if (p->kind != ON_THREAD)
        orma_buf_printf(out, ",\"id2\":{\"%s\":\"0x%" PRIx64 "\"}",
                        p->kind == ON_PROCESS ? "local" : "global", (uint64_t)s->track);
    return out;
}

static void put_args(struct writer *w)
{
    if (!w->args.root)
        return;
    orma_buf_put_str(&w->base.out, ",\"args\":");
    orma_json_args_print(&w->args, &w->base.out);
    if (w->args.failed)
        w->base.err = -ENOMEM;
}

/* Without a name: what is innermost ends. */
static void put_end(struct writer *w, const struct slice *s, const struct place *p)
{
    struct orma_buf *out = begin(w, 'E');

    put_us(out, "ts", s->ts + s->dur);
    put_pid_tid(out, p);
    if (s->has_tts && s->has_tdur)
        put_us(out, "tts", s->tts + s->tdur);
    end(w);
}

static char phase_of(struct writer *w, const struct slice *s, const struct place *p)
{
    if (p->kind != ON_THREAD)
        return s->dur == 0 ? 'n' : 'b';
    if (s->dur == 0)
        return 'i';
    if (s->dur < 0 && orma_map_put(&w->opened, (uint64_t)p->tid, (uint64_t)s->ts) < 0)
        w->base.err = -ENOMEM;
    return orma_map_get(&w->opened, (uint64_t)p->tid) == (uint64_t)s->ts ? 'B' : 'X';
}

static void put_slice(struct writer *w, const struct slice *s)
{
    const struct place *p = place_of(w, s->track);
    const bool open = s->dur < 0;
    const char phase = phase_of(w, s, p);
    struct orma_buf *out = begin_slice(w, s, p, phase, s->ts);

    if (phase == 'X')
        put_us(out, "dur", s->dur);
    if (phase == 'i')
        orma_buf_put_str(out, ",\"s\":\"t\"");
    if (s->has_tts)
        put_us(out, "tts", s->tts);
    if (s->has_tdur && phase == 'X')
        put_us(out, "tdur", s->tdur);
    put_args(w);
    end(w);
    if (phase == 'B' && !open)
        put_end(w, s, p);
    if (phase == 'b' && !open) {
        begin_slice(w, s, p, 'e', s->ts + s->dur);
        end(w);
    }
    orma_json_args_clear(&w->args);
}

/* One row per slice, or per argument of a slice; the rows of a slice follow each other. */
static void put_slices(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(
        &w->base, w->base.self->no_args
                      ? "SELECT id, ts, dur, track_id, category, name, thread_ts, thread_dur,"
                        " NULL, NULL, NULL, NULL, NULL FROM slice"
                      : "SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.thread_ts,"
                        " s.thread_dur, a.key, a.value_type, a.int_value, a.string_value,"
                        " a.real_value FROM slice s LEFT JOIN args a"
                        " ON a.arg_set_id = s.arg_set_id");
    struct slice s = {.id = -1};

    while (orma_export_next(&r)) {
        if (orma_export_int(&r, S_ID) != s.id) {
            if (s.id >= 0)
                put_slice(w, &s);
            read_slice(&s, &r);
        }
        if (!orma_export_is_null(&r, S_KEY))
            add_arg(w, &r);
    }
    if (s.id >= 0 && !w->base.err)
        put_slice(w, &s);
    orma_buf_fini(&s.cat);
    orma_buf_fini(&s.name);
}

static void put_flow_end(struct writer *w, const struct orma_export_rows *r, char phase,
                         unsigned ts_col)
{
    struct orma_buf *out = begin(w, phase);

    put_us(out, "ts", orma_export_int(r, ts_col));
    put_pid_tid(out, place_of(w, orma_export_int(r, ts_col + 1)));
    orma_buf_printf(out, ",\"name\":\"flow\",\"cat\":\"flow\",\"id\":%" PRId64 "%s",
                    orma_export_int(r, 0), phase == 'f' ? ",\"bp\":\"e\"" : "");
    end(w);
}

/* The format binds the ends of a flow by thread and time. */
static void put_flows(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(
        &w->base, "SELECT f.id, o.ts, o.track_id, i.ts, i.track_id FROM flow f"
                  " JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in");

    while (orma_export_next(&r)) {
        if (place_of(w, orma_export_int(&r, 2))->kind != ON_THREAD ||
            place_of(w, orma_export_int(&r, 4))->kind != ON_THREAD) {
            w->base.self->flows_left_out++;
            continue;
        }
        put_flow_end(w, &r, 's', 1);
        put_flow_end(w, &r, 'f', 3);
    }
}

/* ---- counters ---- */

/*
 * Viewers take counters of one process that have the same name for one counter, also those of two
 * threads: where they are several, an id tells them apart.
 */
static void put_counters(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(
        &w->base,
        "WITH place AS (SELECT t.id, coalesce(t.name, '') AS name, cpu.cpu, thread.tid,"
        "  coalesce(tp.pid, thread.tid, p.pid, 0) AS pid FROM counter_track t"
        "  LEFT JOIN cpu_counter_track cpu ON cpu.id = t.id"
        "  LEFT JOIN thread_counter_track tc ON tc.id = t.id"
        "  LEFT JOIN thread ON thread.utid = tc.utid"
        "  LEFT JOIN process tp ON tp.upid = thread.upid"
        "  LEFT JOIN process_counter_track pc ON pc.id = t.id"
        "  LEFT JOIN process p ON p.upid = pc.upid"
        "  WHERE t.id IN (SELECT track_id FROM counter)),"
        " label AS (SELECT id, name, cpu,"
        "  count(*) OVER (PARTITION BY pid, name, cpu, tid) AS alike,"
        "  count(*) OVER (PARTITION BY pid, name) AS named, tid FROM place)"
        " SELECT c.ts, c.track_id, c.value, l.name,"
        "  nullif(concat_ws(' ', 'cpu ' || l.cpu,"
        "   iif(l.named > 1 AND l.alike = 1, 'thread ' || l.tid, NULL),"
        "   iif(l.alike > 1, 'track ' || l.id, NULL)), '')"
        " FROM counter c JOIN label l ON l.id = c.track_id");

    while (orma_export_next(&r)) {
        struct orma_buf *out = begin(w, 'C');

        put_us(out, "ts", orma_export_int(&r, 0));
        put_pid_tid(out, place_of(w, orma_export_int(&r, 1)));
        put_text(out, "name", orma_export_text(&r, 3));
        if (!orma_export_is_null(&r, 4))
            put_text(out, "id", orma_export_text(&r, 4));
        orma_buf_put_str(out, ",\"args\":{\"value\":");
        put_number(out, orma_query_double(r.query, 2));
        orma_buf_put_byte(out, '}');
        end(w);
    }
}

/* ---- the rest ---- */

static void put_metadata(struct writer *w)
{
    struct orma_export_rows r =
        orma_export_rows(&w->base, "SELECT name, int_value, str_value FROM metadata");
    const char *sep = "";

    orma_buf_put_str(&w->base.out, ",\n\"metadata\":{");
    while (orma_export_next(&r)) {
        orma_buf_put_str(&w->base.out, sep);
        orma_json_quote(&w->base.out, orma_export_text(&r, 0));
        orma_buf_put_byte(&w->base.out, ':');
        if (!orma_export_is_null(&r, 1))
            put_integer(&w->base.out, orma_export_int(&r, 1), false);
        else
            orma_json_quote(&w->base.out, orma_export_text(&r, 2));
        sep = ",";
    }
    orma_buf_put_byte(&w->base.out, '}');
}

static void put_line(void *ctx, struct orma_str line)
{
    struct writer *w = ctx;
    struct orma_buf *out = &w->base.out;

    orma_buf_clear(&w->value);
    orma_json_quote(&w->value, line);
    if (w->value.len < 2)
        return;
    orma_buf_put(out, w->value.data + 1, w->value.len - 2); /* the lines are one string */
    orma_buf_put_str(out, "\\n");
}

/* Events that readers of the text, ours and others, make slices, counters and flows of. */
#define MAKES_ROWS                                                                                 \
    "'print', 'tracing_mark_write', 'cpu_frequency', 'cpu_frequency_limits', 'cpu_idle', "         \
    "'clock_set_rate', 'clock_enable', 'clock_disable', 'thermal_temperature', 'cdev_update', "    \
    "'rss_stat', 'binder_transaction', 'binder_transaction_received', "                            \
    "'binder_transaction_alloc_buf', 'binder_command', 'binder_return', 'binder_lock', "           \
    "'binder_locked', 'binder_unlock', 'irq_handler_entry', 'irq_handler_exit', "                  \
    "'softirq_entry', 'softirq_exit', 'suspend_resume', 'workqueue_execute_start', "               \
    "'workqueue_execute_end'"

/* The kernel's events; the key is absent if there are none. */
static void put_kernel_events(struct writer *w)
{
    if (!orma_export_has_ftrace(&w->base))
        return;
    orma_buf_put_str(&w->base.out, ",\n\"systemTraceEvents\":\"");
    orma_export_ftrace_lines(&w->base, "name NOT IN (" MAKES_ROWS ")", put_line, w);
    orma_buf_put_byte(&w->base.out, '"');
}

/* Numbers of processes and threads that two machines have, both with slices or counters. */
#define MIXED_IDS                                                                                  \
    "WITH busy AS (SELECT DISTINCT track_id AS id FROM slice UNION SELECT DISTINCT track_id FROM " \
    "counter), ofthread AS (SELECT utid FROM thread_track JOIN busy USING (id) UNION "             \
    "SELECT utid FROM thread_counter_track JOIN busy USING (id)), "                                \
    "ofprocess AS (SELECT upid FROM process_track JOIN busy USING (id) UNION "                     \
    "SELECT upid FROM process_counter_track JOIN busy USING (id) UNION "                           \
    "SELECT upid FROM thread WHERE utid IN (SELECT utid FROM ofthread)) "                          \
    "SELECT EXISTS (SELECT 1 FROM process JOIN ofprocess USING (upid) GROUP BY pid "               \
    "HAVING count(DISTINCT machine_id) > 1) OR EXISTS (SELECT 1 FROM thread "                      \
    "JOIN ofthread USING (utid) GROUP BY tid HAVING count(DISTINCT machine_id) > 1)"

static bool is_of_one_machine(struct writer *w)
{
    return orma_export_one_kernel(&w->base) &&
           orma_export_check(&w->base, MIXED_IDS,
                             "processes of several machines have the same ids: the format has no "
                             "machines, and would mix them; convert the traces one by one");
}

int orma_export_json(struct orma_export *self)
{
    struct writer w = {.base = {.self = self}};

    if (!is_of_one_machine(&w))
        return orma_export_fini(&w.base);
    orma_buf_put_str(&w.base.out, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[\n");
    read_tracks(&w);
    put_names(&w);
    put_slices(&w);
    put_flows(&w);
    put_counters(&w);
    orma_buf_put_str(&w.base.out, "]");
    put_metadata(&w);
    put_kernel_events(&w);
    orma_buf_put_str(&w.base.out, "}\n");
    orma_export_flush(&w.base, true);
    orma_buf_fini(&w.tracks);
    orma_buf_fini(&w.value);
    orma_json_args_fini(&w.args);
    orma_map_fini(&w.opened);
    return orma_export_fini(&w.base);
}

int orma_export_json_file(void *processor, const char *path)
{
    struct orma_export ex = {.tp = processor};
    struct orma_whole out;
    int r = orma_whole_open(&out, path, false, 0666);

    if (r < 0)
        return r;
    ex.sink = orma_reflect_sink_fd(out.fd);
    r = orma_export_json(&ex);
    int end = orma_whole_close(&out, r >= 0);
    return r < 0 ? r : end;
}
