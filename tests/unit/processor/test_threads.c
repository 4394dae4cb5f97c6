/* With a second thread an import has the same rows as without. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "processor/processor.h"
#include "processor/read/pipe.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"

#define EVENTS 210000 /* so many that the thread is worth it */

/* ---- the pipe ---- */

static void count_to(struct orma_pipe *pipe, void *data)
{
    for (unsigned i = 0; i < *(unsigned *)data; i++) {
        unsigned *slot = orma_pipe_put(pipe);

        if (!slot)
            return;
        *slot = i;
    }
}

Test(processor_threads, a_pipe_keeps_order_over_many_batches)
{
    static const unsigned sizes[] = {0, 1, 511, 512, 513, 100000};

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned num = sizes[i], seen = 0;
        struct orma_pipe *pipe = orma_pipe_start(sizeof(unsigned), count_to, &num);

        cr_assert_not_null(pipe);
        for (const unsigned *got; (got = orma_pipe_get(pipe)); seen++)
            cr_assert_eq(*got, seen);
        cr_assert_eq(seen, num);
        orma_pipe_stop(pipe);
    }
    orma_assert_no_leaks();
}

Test(processor_threads, a_pipe_may_be_left_in_the_middle)
{
    unsigned num = 10000000;
    struct orma_pipe *pipe = orma_pipe_start(sizeof(unsigned), count_to, &num);

    for (unsigned i = 0; i < 700; i++)
        cr_assert_not_null(orma_pipe_get(pipe));
    orma_pipe_stop(pipe);
    orma_assert_no_leaks();
}

/* ---- an import ---- */

/* Instants of two sequences whose state is cleared now and then, and kernel events of two cpus. */
static void put_event(struct orma_buf *out, unsigned i)
{
    size_t packet = orma_pb_begin(out, 1);
    char name[32];

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5 + i % 2);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i * 10 + (orma_mix64(i) & 31));
    if (i % 1000 < 2) {
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
        size_t interned = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA);
        size_t entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_EVENT_NAMES);
        snprintf(name, sizeof(name), "name %u", i / 1000);
        orma_pb_put_u64(out, ORMA_PB_EVENT_NAME_IID, 1);
        orma_pb_put_cstr(out, ORMA_PB_EVENT_NAME_NAME, name);
        orma_pb_end(out, entry);
        orma_pb_end(out, interned);
    }
    size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 11 + i % 3);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_NAME_IID, 1);
    orma_pb_end(out, e);
    orma_pb_end(out, packet);
}

static void put_bundle(struct orma_buf *out, unsigned i)
{
    size_t packet = orma_pb_begin(out, 1);
    size_t bundle = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, i / 300 % 2);
    for (unsigned n = 0; n < 20; n++) {
        size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);

        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, 1000 + i * 10 + n * 7);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, 3 + n % 2);
        size_t inner = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_SCHED_SWITCH);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, 3 + n % 2);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, n % 3);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, 4 - n % 2);
        orma_pb_end(out, inner);
        orma_pb_end(out, event);
    }
    orma_pb_end(out, bundle);
    orma_pb_end(out, packet);
}

static void write_trace(char *path, size_t size)
{
    struct orma_buf out = {0};

    snprintf(path, size, "/tmp/orma-threads-XXXXXX");
    ORMA_AUTO(orma_fd_close) int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        put_event(&out, i);
        if (i % 300 == 50)
            put_bundle(&out, i);
    }
    cr_assert(!out.failed);
    cr_assert_geq(out.len, (size_t)1 << 20, "too little for a thread");
    cr_assert_eq(write(fd, out.data, out.len), (ssize_t)out.len);
    orma_buf_fini(&out);
}

/* All cells of a query in one number. */
static uint64_t hash_of(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    uint64_t h = 1;

    cr_assert_eq(orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL), 0, "%s",
                 orma_processor_error(tp));
    while (orma_query_step(q) == 1)
        for (unsigned c = 0; c < orma_query_columns(q); c++) {
            const char *text = orma_query_text(q, c);

            h = orma_mix64(h ^
                           orma_fnv1a(ORMA_FNV1A_BASIS, text ? text : "", orma_query_bytes(q, c)));
        }
    orma_query_free(q);
    return h;
}

static const char *const queries[] = {
    "SELECT * FROM slice",
    "SELECT * FROM sched",
    "SELECT * FROM thread_state",
    "SELECT * FROM ftrace_event",
    "SELECT * FROM args",
    "SELECT * FROM track",
    "SELECT * FROM thread",
    "SELECT name, idx, value FROM stats WHERE name NOT LIKE '%duration%'",
};
#define QUERIES (sizeof(queries) / sizeof(queries[0]))

static void load(const char *path, bool one_thread, uint64_t hashes[QUERIES])
{
    const struct orma_processor_config config = {.size = sizeof(config), .one_thread = one_thread};
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(&config, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), 0, "%s", orma_processor_error(tp));
    for (unsigned i = 0; i < QUERIES; i++)
        hashes[i] = hash_of(tp, queries[i]);
    orma_processor_free(tp);
}

Test(processor_threads, the_rows_are_the_same_with_and_without, .timeout = 240)
{
    uint64_t with[QUERIES], without[QUERIES];
    char path[64];

    write_trace(path, sizeof(path));
    load(path, true, without);
    load(path, false, with);
    (void)unlink(path);
    for (unsigned i = 0; i < QUERIES; i++)
        cr_assert_eq(with[i], without[i], "%s", queries[i]);
    orma_assert_no_leaks();
}

static int stop_at_once(void *data, uint64_t done, uint64_t total)
{
    (void)data;
    (void)done;
    (void)total;
    return 1;
}

Test(processor_threads, a_load_that_is_stopped_leaves_nothing_behind, .timeout = 240)
{
    struct orma_processor *tp;
    char path[64];

    write_trace(path, sizeof(path));
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, stop_at_once, NULL), -ECANCELED);
    orma_processor_free(tp);
    (void)unlink(path);
    orma_assert_no_leaks();
}
