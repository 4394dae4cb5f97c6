/*
 * From raw pages to thread_state: a made-up scheduler, whose kernel records nothing while some of
 * its threads run. Both encodings must give the same rows, and no wait may hold a time at which
 * its thread ran.
 */
#include <inttypes.h>
#include <stdio.h>

#include "processor/processor.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/sched_pages.h"

#define CPUS 2
#define THREADS 12 /* tids 1 to 12; 0 is idle */
#define HIDDEN 4   /* the first so many are not recorded */
#define STEPS 30000
#define PAGES_MAX 800
#define RUNS_MAX 40000
#define START 5000000000u

enum state { SLEEPS, READY, RUNS };

struct run {
    uint32_t tid;
    uint64_t from, to;
};

static struct {
    uint32_t random;
    unsigned hidden; /* threads 1 to `hidden` */
    uint64_t now;
    enum state states[THREADS + 1];
    uint32_t running[CPUS];
    uint64_t since[CPUS], written[CPUS];
    struct page_builder pages[CPUS];
    uint8_t done[CPUS][PAGES_MAX][PAGE_BUILDER_SIZE];
    unsigned done_num[CPUS];
    struct run runs[RUNS_MAX]; /* what really was */
    unsigned runs_num;
    unsigned left_out;
} w;

static uint32_t random_below(uint32_t num)
{
    w.random ^= w.random << 13;
    w.random ^= w.random >> 17;
    w.random ^= w.random << 5;
    return w.random % num;
}

static void end_page(unsigned cpu)
{
    page_end(&w.pages[cpu]);
    cr_assert_lt(w.done_num[cpu], PAGES_MAX);
    memcpy(w.done[cpu][w.done_num[cpu]++], w.pages[cpu].page, PAGE_BUILDER_SIZE);
    w.pages[cpu].len = 0;
}

/* An event of the thread that runs on this cpu, unless the kernel says nothing of that one. */
static void emit(unsigned cpu, uint8_t *ev, size_t len)
{
    struct page_builder *page = &w.pages[cpu];

    memcpy(ev + 4, &w.running[cpu], 4);
    if (w.running[cpu] && w.running[cpu] <= w.hidden) {
        w.left_out++;
        return;
    }
    if (page->len && (page->len + 72 > PAGE_BUILDER_SIZE || w.now - w.written[cpu] >= 1u << 27))
        end_page(cpu);
    if (!page->len) {
        *page = page_begin(w.now);
        w.written[cpu] = w.now;
    }
    page_data(page, (uint32_t)(w.now - w.written[cpu]), ev, len);
    w.written[cpu] = w.now;
}

static void name(uint8_t *to, uint32_t tid)
{
    if (!tid)
        memcpy(to, "swapper", 8); /* as importers call it */
    else
        (void)snprintf((char *)to, 16, "t%" PRIu32, tid); /* fits */
}

static void do_switch(unsigned cpu, uint32_t next, enum state prev_state)
{
    uint32_t prev = w.running[cpu];
    uint64_t bits = prev_state == SLEEPS; /* S or R */
    uint8_t ev[64] = {10};

    name(ev + 8, prev);
    memcpy(ev + 24, &prev, 4);
    memcpy(ev + 32, &bits, 8);
    name(ev + 40, next);
    memcpy(ev + 56, &next, 4);
    memcpy(ev + 60, &(uint32_t){120}, 4);
    emit(cpu, ev, sizeof(ev));
    cr_assert_lt(w.runs_num, RUNS_MAX);
    w.runs[w.runs_num++] = (struct run){prev, w.since[cpu], w.now};
    if (prev)
        w.states[prev] = prev_state;
    if (next)
        w.states[next] = RUNS;
    w.running[cpu] = next;
    w.since[cpu] = w.now;
}

static void do_wake(unsigned cpu, uint32_t tid)
{
    uint8_t ev[36] = {11};

    name(ev + 8, tid);
    memcpy(ev + 24, &tid, 4);
    memcpy(ev + 28, &(uint32_t){120}, 4);
    emit(cpu, ev, sizeof(ev));
    w.states[tid] = READY;
}

/* A thread in this state, 0 if there is none. */
static uint32_t any_in(enum state state)
{
    uint32_t first = random_below(THREADS);

    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t tid = 1 + (first + i) % THREADS;

        if (w.states[tid] == state)
            return tid;
    }
    return 0;
}

static void step(void)
{
    unsigned cpu = random_below(CPUS);
    uint32_t woken = any_in(SLEEPS), next = any_in(READY);

    w.now += 1000 + random_below(random_below(20) ? 200000 : 40000000);
    if (woken && random_below(2))
        do_wake(cpu, woken);
    else if (w.running[cpu] && random_below(3))
        do_switch(cpu, next, SLEEPS);
    else if (next)
        do_switch(cpu, next, READY);
}

static void play(unsigned hidden, uint32_t seed)
{
    memset(&w, 0, sizeof(w));
    w.random = seed;
    w.hidden = hidden;
    w.now = START;
    w.since[0] = w.since[1] = START;
    for (unsigned i = 0; i < STEPS; i++)
        step();
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        end_page(cpu);
}

struct trace {
    struct orma_source_sink sink;
    struct orma_buf bytes;
};

static int trace_put(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct trace *self = ORMA_CONTAINER_OF(sink, struct trace, sink);
    size_t at = orma_pb_begin(&self->bytes, 1);

    orma_buf_put(&self->bytes, packet, len);
    orma_pb_put_u64(&self->bytes, 10, 1); /* trusted_packet_sequence_id */
    orma_pb_end(&self->bytes, at);
    return 0;
}

static void trace_flush(struct orma_source_sink *sink)
{
    (void)sink;
}

static struct orma_processor *load(bool compact)
{
    struct trace trace = {.sink = {trace_put, trace_flush}};
    struct orma_processor *ret;

    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        sched_translate(w.done[cpu], w.done_num[cpu], cpu, compact, &trace.sink);
    cr_assert_eq(orma_processor_new(NULL, &ret), 0);
    cr_assert_eq(orma_processor_feed(ret, trace.bytes.data, trace.bytes.len), 0);
    cr_assert_eq(orma_processor_finish(ret), 0);
    orma_buf_fini(&trace.bytes);
    return ret;
}

static struct orma_query *ask(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;

    cr_assert_eq(orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL), 0, "%s",
                 orma_processor_error(tp));
    return q;
}

/* All rows as text. */
static void dump(struct orma_processor *tp, const char *sql, struct orma_buf *ret)
{
    struct orma_query *q = ask(tp, sql);

    while (orma_query_step(q) == 1) {
        for (unsigned i = 0; i < orma_query_columns(q); i++) {
            const char *text = orma_query_text(q, i);

            orma_buf_printf(ret, "%s ", text ? text : "NULL");
        }
        orma_buf_printf(ret, "\n");
    }
    orma_query_free(q);
}

static void assert_same(struct orma_processor *a, struct orma_processor *b, const char *sql)
{
    struct orma_buf x = {0}, y = {0};

    dump(a, sql, &x);
    dump(b, sql, &y);
    cr_assert_gt(x.len, 1000);
    struct orma_str p = orma_buf_str(&x), q = orma_buf_str(&y), one = {"", 0}, other = {"", 0};
    for (bool more = true; more;) { /* not all at once: a difference would be megabytes long */
        more = orma_str_cut(&p, '\n', &one);
        cr_assert_eq(more, orma_str_cut(&q, '\n', &other));
        cr_assert(!more || orma_str_eq(one, other), "'%.*s' is not '%.*s'", ORMA_STR_ARG(one),
                  ORMA_STR_ARG(other));
    }
    orma_buf_fini(&x);
    orma_buf_fini(&y);
}

static bool ran_within(uint32_t tid, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < w.runs_num; i++) {
        if (w.runs[i].tid == tid && w.runs[i].from < to && w.runs[i].to > from)
            return true;
    }
    return false;
}

/* Returns how many waits were looked at. */
static unsigned assert_true_waits(struct orma_processor *tp, uint32_t first_tid)
{
    struct orma_query *q = ask(tp, "SELECT tid, ts, dur FROM thread_state JOIN thread USING (utid) "
                                   "WHERE state = 'R' AND dur >= 0");
    unsigned num = 0;

    while (orma_query_step(q) == 1) {
        uint32_t tid = (uint32_t)orma_query_int64(q, 0);
        uint64_t ts = (uint64_t)orma_query_int64(q, 1), dur = (uint64_t)orma_query_int64(q, 2);

        if (tid < first_tid)
            continue;
        cr_assert_not(ran_within(tid, ts, ts + dur),
                      "thread %" PRIu32 " ran while it waited at %" PRIu64 " for %" PRIu64, tid, ts,
                      dur);
        num++;
    }
    orma_query_free(q);
    return num;
}

static int64_t number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q = ask(tp, sql);

    cr_assert_eq(orma_query_step(q), 1);
    int64_t ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return ret;
}

static const char *const same_rows[] = {
    "SELECT ts, dur, ucpu, tid, end_state, priority FROM sched JOIN thread USING (utid) ORDER BY "
    "ts, ucpu",
    "SELECT s.ts, s.dur, s.ucpu, t.tid, s.state, waker.tid, w.ts FROM thread_state s "
    "JOIN thread t USING (utid) LEFT JOIN thread waker ON s.waker_utid = waker.utid "
    "LEFT JOIN thread_state w ON s.waker_id = w.id ORDER BY 1, 4, 5",
    "SELECT ts, ucpu, e.name, tid, extract_arg(e.arg_set_id, 'prev_pid') AS prev, "
    "extract_arg(e.arg_set_id, 'prev_comm') AS comm, extract_arg(e.arg_set_id, 'next_pid') AS "
    "next, "
    "extract_arg(e.arg_set_id, 'pid') AS woken FROM ftrace_event e JOIN thread USING (utid) ORDER "
    "BY "
    "ts, ucpu",
};

Test(waits, are_true_and_the_same_in_both_encodings)
{
    for (uint32_t seed = 1; seed <= 5; seed++) {
        play(HIDDEN, seed * 77777);
        cr_assert_gt(w.left_out, STEPS / 10);
        struct orma_processor *compact = load(true), *full = load(false);

        for (size_t i = 0; i < ORMA_ARRAY_LEN(same_rows); i++)
            assert_same(compact, full, same_rows[i]);
        cr_assert_gt(assert_true_waits(compact, 1), 1000);
        static const char gaps[] =
            "SELECT value FROM stats WHERE name = 'mismatched_sched_switch_tids'";
        cr_assert_gt(number(compact, gaps), 1000);
        cr_assert_eq(number(compact, gaps), number(full, gaps));
        orma_processor_free(compact);
        orma_processor_free(full);
    }
    orma_assert_no_leaks();
}

Test(waits, are_all_there_where_the_kernel_tells_everything)
{
    play(0, 4242);
    struct orma_processor *compact = load(true), *full = load(false);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(same_rows); i++)
        assert_same(compact, full, same_rows[i]);
    cr_assert_gt(assert_true_waits(compact, 1), 5000);
    cr_assert_eq(number(compact, "SELECT count(*) FROM stats WHERE severity = 'error' AND value"),
                 0);
    cr_assert_leq(number(compact, "SELECT count(*) FROM thread_state WHERE dur = -1"), THREADS);
    orma_processor_free(compact);
    orma_processor_free(full);
    orma_assert_no_leaks();
}
