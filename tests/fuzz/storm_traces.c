/*
 * Random valid traces, checked without any other implementation: against what their maker wrote
 * down (how many slices, values and switches), against rules that hold for any trace, and against
 * themselves, loaded in another way.
 *
 *     storm_traces [--runs N] [--seed S] [--only K] [--keep FILE]
 *
 * Run k of seed S is always the same. --only K repeats it and --keep writes its trace.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/processor.h"
#include "sdk/base/fd.h"
#include "tests/fuzz/made_trace.h"
#include "tests/support/account.h"
#include "tests/support/leaks.h"

#define TAR_BLOCK 512

struct storm {
    struct made_trace trace;
    uint64_t run;
    unsigned failures;
};

static void complain(struct storm *s, const char *what, const char *more)
{
    printf("run %llu: %s: %s\n", (unsigned long long)s->run, what, more);
    s->failures++;
}

/* ---- loading ---- */

enum way {
    WAY_WHOLE,
    WAY_AGAIN, /* the same once more */
    WAY_ONE_THREAD,
    WAY_FULL_SORT,
    WAY_CUT,   /* in pieces that end with a packet */
    WAY_BYTES, /* in pieces of any size */
    WAYS,
};

static int feed(struct storm *s, struct orma_processor *tp, enum way way, const struct orma_buf *b)
{
    int r = 0;

    for (size_t at = 0, end; at < b->len && r == 0; at = end) {
        end = b->len;
        if (way == WAY_CUT)
            end = s->trace.packets[made_trace_pick(&s->trace, s->trace.num)].end;
        else if (way == WAY_BYTES)
            end = at + 1 + made_trace_pick(&s->trace, 400);
        if (end <= at || end > b->len)
            end = b->len;
        uint8_t *exact = malloc(end - at); /* a sanitizer sees the first byte too far */

        memcpy(exact, b->data + at, end - at);
        r = orma_processor_feed(tp, exact, end - at);
        free(exact);
    }
    return r ? r : orma_processor_finish(tp);
}

static struct orma_processor *load(struct storm *s, enum way way, const struct orma_buf *bytes)
{
    struct orma_processor_config config = {
        .size = sizeof(config), .one_thread = way > WAY_AGAIN, .full_sort = way == WAY_FULL_SORT};
    struct orma_processor *tp = NULL;

    if (orma_processor_new(&config, &tp) < 0)
        abort();
    if (feed(s, tp, way, bytes) < 0)
        complain(s, "does not load", orma_processor_error(tp));
    return tp;
}

/* ---- rows ---- */

/* The rows of a query as lines of text. */
static void put_rows(struct storm *s, struct orma_processor *tp, const char *sql,
                     struct orma_buf *ret)
{
    struct orma_query *q = NULL;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL) < 0) {
        complain(s, sql, orma_processor_error(tp));
        return;
    }
    while (orma_query_step(q) == 1) {
        for (unsigned i = 0; i < orma_query_columns(q); i++)
            orma_buf_printf(ret, "%s|", orma_query_text(q, i) ? orma_query_text(q, i) : "-");
        orma_buf_put_byte(ret, '\n');
    }
    orma_query_free(q);
}

static void expect(struct storm *s, struct orma_processor *tp, const char *what, const char *sql,
                   const char *rows)
{
    struct orma_buf got = {0};

    put_rows(s, tp, sql, &got);
    if (strcmp(orma_buf_cstr(&got), rows) != 0) {
        printf("expected\n%sfound\n%.2000s", rows, orma_buf_cstr(&got));
        complain(s, what, sql);
    }
    orma_buf_fini(&got);
}

/* What no trace may break. */
static const struct {
    const char *what, *sql; /* gives no row */
} laws[] = {
    {"slices nest",
     "SELECT s.id FROM slice s JOIN slice p ON p.id = s.parent_id WHERE s.depth != p.depth + 1 OR "
     "s.track_id != p.track_id OR s.ts < p.ts OR (p.dur >= 0 AND (s.dur < 0 OR s.ts + s.dur > p.ts "
     "+ p.dur))"},
    {"slices of a depth do not overlap",
     "SELECT * FROM (SELECT id, ts, dur, lead(ts) OVER (PARTITION BY track_id, depth ORDER BY ts, "
     "id) AS next FROM slice) WHERE ts + dur > next"},
    {"a parent is there for each depth",
     "SELECT id FROM slice WHERE (depth = 0) != (parent_id IS NULL)"},
    {"states of a thread do not overlap",
     "SELECT * FROM (SELECT id, ts, dur, lead(ts) OVER (PARTITION BY utid ORDER BY ts, id) AS next "
     "FROM thread_state) WHERE ts + dur > next"},
    {"a core runs one thread",
     "SELECT * FROM (SELECT id, ts, dur, lead(ts) OVER (PARTITION BY ucpu ORDER BY ts, id) AS next "
     "FROM sched_slice) WHERE ts + dur > next"},
    {"who runs has a state of it",
     "SELECT s.id FROM sched_slice s LEFT JOIN thread_state t ON t.utid = s.utid AND t.ts = s.ts "
     "AND "
     "t.state = 'Running' AND t.dur = s.dur WHERE t.id IS NULL AND NOT (SELECT is_idle FROM thread "
     "WHERE utid = s.utid)"},
    {"flows join slices",
     "SELECT id FROM flow WHERE slice_out NOT IN (SELECT id FROM slice) OR slice_in NOT IN (SELECT "
     "id FROM slice)"},
    {"flows go forward", "SELECT f.id FROM flow f JOIN slice a ON a.id = slice_out JOIN slice b ON "
                         "b.id = slice_in WHERE "
                         "a.ts > b.ts"},
    {"an arg stands once in its set",
     "SELECT arg_set_id, key FROM args GROUP BY 1, 2 HAVING count(*) > 1"},
    {"no two sets of args are equal",
     "SELECT group_concat(arg_set_id) FROM (SELECT arg_set_id, group_concat(quote(key) || "
     "quote(flat_key) || value_type || quote(int_value) || quote(string_value) || "
     "quote(real_value)) AS content FROM (SELECT * FROM args ORDER BY arg_set_id, id) GROUP BY "
     "arg_set_id) GROUP BY content HAVING count(*) > 1"},
    {"sets of args are there",
     "SELECT id FROM slice WHERE arg_set_id IS NOT NULL AND arg_set_id NOT IN (SELECT arg_set_id "
     "FROM args)"},
    {"tracks are there",
     "SELECT id FROM slice WHERE track_id NOT IN (SELECT id FROM track) UNION ALL SELECT id FROM "
     "counter WHERE track_id NOT IN (SELECT id FROM track)"},
    {"times lie within the bounds",
     "SELECT id FROM slice, trace_bounds WHERE ts < start_ts OR ts + max(dur, 0) > end_ts"},
    {"all that was read is accounted for", ACCOUNT_WRONG_SQL},
    {"nothing fails",
     "SELECT name, value FROM stats WHERE severity = 'error' AND value > 0 AND name != "
     "'slice_drop_overlapping_complete_event'"},
};

static const char *const tables[] = {
    "SELECT * FROM slice ORDER BY id",
    "SELECT * FROM counter ORDER BY id",
    "SELECT * FROM track ORDER BY id",
    "SELECT * FROM flow ORDER BY id",
    "SELECT * FROM state ORDER BY id",
    "SELECT * FROM args ORDER BY id",
    "SELECT * FROM thread ORDER BY utid",
    "SELECT * FROM process ORDER BY upid",
    "SELECT * FROM sched_slice ORDER BY id",
    "SELECT * FROM thread_state ORDER BY id",
    "SELECT * FROM ftrace_event ORDER BY id",
    "SELECT * FROM clock_snapshot ORDER BY id",
    "SELECT name, idx, value FROM stats WHERE name NOT GLOB '*duration_ns'",
};

static void put_tables(struct storm *s, struct orma_processor *tp, struct orma_buf *ret)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        orma_buf_printf(ret, "%s\n", tables[i]);
        put_rows(s, tp, tables[i], ret);
    }
}

/* The first line in which two texts differ. */
static void show_difference(const char *a, const char *b)
{
    const char *line = a;

    for (; *a && *a == *b; a++, b++)
        if (*a == '\n')
            line = a + 1;
    b -= a - line;
    printf("loaded whole:\n%.*s\nloaded otherwise:\n%.*s\n", (int)strcspn(line, "\n"), line,
           (int)strcspn(b, "\n"), b);
}

/* ---- parts in an archive ---- */

static void put_member(struct orma_buf *out, const char *name, const struct orma_buf *content)
{
    char head[TAR_BLOCK] = {0};
    unsigned sum = 0;

    (void)snprintf(head, 100, "%s", name);
    (void)snprintf(head + 100, 8, "0000644");
    (void)snprintf(head + 124, 12, "%011zo", content->len);
    (void)snprintf(head + 136, 12, "%011o", 0);
    head[156] = '0';
    memcpy(head + 257, "ustar\00000", 8);
    memset(head + 148, ' ', 8);
    for (size_t i = 0; i < sizeof(head); i++)
        sum += (uint8_t)head[i];
    (void)snprintf(head + 148, 8, "%06o", sum);
    orma_buf_put(out, head, sizeof(head));
    orma_buf_put(out, content->data, content->len);
    while (out->len % TAR_BLOCK)
        orma_buf_put_byte(out, 0);
}

/* What does not depend on the numbers of rows. */
static const char *const meanings[] = {
    "SELECT ts, dur, slice.name, depth, tid FROM slice JOIN thread_track tt ON tt.id = track_id "
    "JOIN "
    "thread "
    "USING (utid) ORDER BY 1, 2 DESC, 4, 3, 5",
    "SELECT ts, value, count(*) FROM counter GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT ts, dur, cpu, tid, end_state FROM sched_slice JOIN thread USING (utid) ORDER BY 1, 3",
    "SELECT ts, dur, state, tid FROM thread_state JOIN thread USING (utid) ORDER BY 1, 4, 3",
};

/* Half of the writers in a file of their own, both files in one archive. */
static void check_parts(struct storm *s, struct orma_processor *whole)
{
    struct orma_buf a = {0}, b = {0}, archive = {0}, want = {0}, got = {0};
    unsigned mask = 0;

    /* The threads of a process stay together: each half knows its processes alone. */
    for (unsigned i = 0; i < 3; i++)
        mask |= made_trace_pick(&s->trace, 2) ? 3u << (1 + 2 * i) : 0;
    made_trace_part(&s->trace, mask, &a);
    made_trace_part(&s->trace, ~mask, &b);
    put_member(&archive, "a.pftrace", &a);
    put_member(&archive, "b.pftrace", &b);
    for (unsigned i = 0; i < 2 * TAR_BLOCK; i++)
        orma_buf_put_byte(&archive, 0);
    struct orma_processor *tp = load(s, WAY_ONE_THREAD, &archive);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(meanings); i++) {
        put_rows(s, whole, meanings[i], &want);
        put_rows(s, tp, meanings[i], &got);
    }
    if (strcmp(orma_buf_cstr(&want), orma_buf_cstr(&got)) != 0) {
        show_difference(orma_buf_cstr(&want), orma_buf_cstr(&got));
        complain(s, "other rows", "as two files in an archive");
    }
    orma_processor_free(tp);
    orma_buf_fini(&a);
    orma_buf_fini(&b);
    orma_buf_fini(&archive);
    orma_buf_fini(&want);
    orma_buf_fini(&got);
}

/* ---- a run ---- */

static void check_counts(struct storm *s, struct orma_processor *tp)
{
    const struct made_trace *t = &s->trace;
    struct orma_buf rows = {0};

    orma_buf_printf(&rows, "%llu|%llu|%.10g|%llu|\n", (unsigned long long)t->slices,
                    (unsigned long long)t->counters, t->sum, (unsigned long long)t->switches);
    expect(s, tp, "what was written",
           "SELECT (SELECT count(*) FROM slice) + (SELECT value FROM stats WHERE name = "
           "'slice_drop_overlapping_complete_event'), (SELECT count(*) FROM counter), (SELECT "
           "printf('%.10g', total(value)) FROM counter), (SELECT count(*) FROM ftrace_event WHERE "
           "name = 'sched_switch')",
           orma_buf_cstr(&rows));
    orma_buf_fini(&rows);
}

static void run_once(struct storm *s, const char *keep)
{
    struct orma_buf want = {0}, got = {0};
    int fd = keep ? open(keep, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

    if (fd >= 0 && orma_fd_write_all(fd, s->trace.bytes.data, s->trace.bytes.len) < 0)
        complain(s, "cannot write", keep);
    orma_fd_close(&fd);
    struct orma_processor *whole = load(s, WAY_WHOLE, &s->trace.bytes);
    check_counts(s, whole);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(laws); i++)
        expect(s, whole, laws[i].what, laws[i].sql, "");
    put_tables(s, whole, &want);
    for (enum way way = WAY_AGAIN; way < WAYS; way++) {
        struct orma_processor *tp = load(s, way, &s->trace.bytes);

        orma_buf_clear(&got);
        put_tables(s, tp, &got);
        if (strcmp(orma_buf_cstr(&want), orma_buf_cstr(&got)) != 0) {
            show_difference(orma_buf_cstr(&want), orma_buf_cstr(&got));
            complain(s, "other rows", way == WAY_CUT ? "cut between packets" : "loaded again");
        }
        orma_processor_free(tp);
    }
    check_parts(s, whole);
    orma_processor_free(whole);
    orma_buf_fini(&want);
    orma_buf_fini(&got);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"runs", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"keep", required_argument, NULL, 'k'},
                                            {0}};
    uint64_t from = 0, to = 100, seed = 1;
    const char *keep = NULL;
    struct storm s = {0};

    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'n')
            to = strtoull(optarg, NULL, 10);
        else if (c == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (c == 'o')
            to = (from = strtoull(optarg, NULL, 10)) + 1;
        else if (c == 'k')
            keep = optarg;
        else
            return 2;
    }
    for (s.run = from; s.run < to && s.failures < 20; s.run++) {
        made_trace_init(&s.trace, seed * 1000003 + s.run);
        run_once(&s, keep);
        made_trace_fini(&s.trace);
    }
    printf("%llu traces, %u failures\n", (unsigned long long)(s.run - from), s.failures);
    return s.failures || orma_found_leaks();
}
