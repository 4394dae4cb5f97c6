/* Pieces of a trace while memory runs out, up to the last allocation: what is there is whole, or
 * nothing is, which is said once. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/alloc.h"
#include "tools/pieces/cut.h"
#include "tools/pieces/filter.h"
#include "tools/pieces/redact.h"

#define STEPS_MAX 3000
#define EVENT(name) ORMA_PB_TRACK_EVENT_##name
#define PACKET(name) ORMA_PB_TRACE_PACKET_##name
#define SCHED(name) ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_##name

static char folder[] = "/tmp/orma-test-pieces-XXXXXX";
static char trace[64], output[64], pieces[64];

/* ---- a trace ---- */

static size_t begin_packet(struct orma_buf *out, uint32_t seq, int64_t ts)
{
    const size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(out, PACKET(TIMESTAMP), (uint64_t)ts);
    orma_pb_put_u64(out, PACKET(TRUSTED_PACKET_SEQUENCE_ID), seq);
    orma_pb_put_u64(out, PACKET(SEQUENCE_FLAGS), 2);
    return begun;
}

static void put_track(struct orma_buf *out, uint64_t uuid, uint32_t tid)
{
    const size_t packet = begin_packet(out, 2, 1000);
    const size_t track = orma_pb_begin(out, PACKET(TRACK_DESCRIPTOR));

    orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_UUID, uuid);
    if (tid) {
        const size_t thread = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_THREAD);

        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_PID, 100);
        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_TID, tid);
        orma_pb_put_cstr(out, ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME, "main");
        orma_pb_end(out, thread);
    } else {
        const size_t counter = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_COUNTER);

        orma_pb_put_u64(out, ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1);
        orma_pb_end(out, counter);
    }
    orma_pb_end(out, track);
    orma_pb_end(out, packet);
}

/* Slices on tracks of one sequence and of two, with names of the first begin; `value`: a counter.
 */
static void put_event(struct orma_buf *out, uint32_t seq, int64_t ts, uint32_t type, uint64_t track)
{
    const size_t packet = begin_packet(out, seq, ts);
    const size_t event = orma_pb_begin(out, PACKET(TRACK_EVENT));

    orma_pb_put_u64(out, EVENT(TYPE), type);
    orma_pb_put_u64(out, EVENT(TRACK_UUID), track);
    if (type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER)
        orma_pb_put_i64(out, EVENT(COUNTER_VALUE), ts % 7);
    if (type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN) {
        orma_pb_put_cstr(out, EVENT(CATEGORIES), "app");
        orma_pb_put_u64(out, EVENT(NAME_IID), (uint64_t)ts);
    }
    orma_pb_end(out, event);
    if (type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN) {
        const size_t interned = orma_pb_begin(out, PACKET(INTERNED_DATA));
        const size_t name = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_EVENT_NAMES);

        orma_pb_put_u64(out, ORMA_PB_EVENT_NAME_IID, (uint64_t)ts);
        orma_pb_put_cstr(out, ORMA_PB_EVENT_NAME_NAME, "some work");
        orma_pb_end(out, name);
        orma_pb_end(out, interned);
    }
    orma_pb_end(out, packet);
}

static void put_bundle(struct orma_buf *out, uint32_t cpu, int64_t ts)
{
    static const uint32_t columns[] = {SCHED(SWITCH_TIMESTAMP), SCHED(SWITCH_NEXT_PID),
                                       SCHED(SWITCH_NEXT_PRIO), SCHED(SWITCH_NEXT_COMM_INDEX),
                                       SCHED(SWITCH_PREV_STATE)};
    const size_t packet = begin_packet(out, 50, ts);
    const size_t bundle = orma_pb_begin(out, PACKET(FTRACE_EVENTS));
    const size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, (uint64_t)ts);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, 101);
    orma_pb_end(out, event);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, cpu);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS, 1);
    const size_t compact = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
    orma_pb_put_cstr(out, SCHED(INTERN_TABLE), "task");
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(columns); i++) {
        const size_t column = orma_pb_begin(out, columns[i]);

        orma_pb_put_raw_varint(out, i == 0 ? (uint64_t)ts : i == 1 ? 7 : 0);
        orma_pb_put_raw_varint(out, i == 0 ? 5 : i == 1 ? 8 : 0);
        orma_pb_end(out, column);
    }
    orma_pb_end(out, compact);
    orma_pb_end(out, bundle);
    orma_pb_end(out, packet);
}

static void make(struct orma_buf *out)
{
    for (uint32_t seq = 2; seq < 5; seq++) {
        const size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

        orma_pb_put_u64(out, PACKET(TIMESTAMP), 1000);
        orma_pb_put_u64(out, PACKET(TRUSTED_PACKET_SEQUENCE_ID), seq);
        orma_pb_put_u64(out, PACKET(SEQUENCE_FLAGS), 1);
        orma_pb_end(out, packet);
    }
    put_track(out, 1, 101);
    for (int64_t i = 0; i < 24; i++) {
        const uint32_t seq = 2 + (uint32_t)i % 3;

        put_event(out, 2, 1010 + i * 10, ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN, 1);
        put_event(out, seq, 1011 + i * 10, ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN, 3);
        put_event(out, 2, 1012 + i * 10, ORMA_PB_TRACK_EVENT_TYPE_COUNTER, 2);
        if (i % 4 == 1)
            put_bundle(out, (uint32_t)i, 1013 + i * 10);
    }
    for (int64_t i = 0; i < 24; i++) { /* ends last: what crosses is known at the end */
        put_event(out, 2, 1300 + i * 10, ORMA_PB_TRACK_EVENT_TYPE_SLICE_END, 1);
        put_event(out, 4, 1301 + i * 10, ORMA_PB_TRACK_EVENT_TYPE_SLICE_END, 3);
    }
    put_bundle(out, 99, 1700);
    put_track(out, 2, 0); /* the last packet needs memory, too */
}

static void begin(void)
{
    struct orma_buf bytes = {0};
    int fd;

    cr_assert(mkdtemp(folder));
    snprintf(trace, sizeof(trace), "%s/t", folder);
    snprintf(output, sizeof(output), "%s/out", folder);
    snprintf(pieces, sizeof(pieces), "%s/pieces", folder);
    make(&bytes);
    fd = open(trace, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_eq(orma_fd_write_all(fd, bytes.data, bytes.len), 0);
    orma_fd_close(&fd);
    orma_buf_fini(&bytes);
}

/* ---- the commands ---- */

static struct orma_output_want want(void)
{
    return (struct orma_output_want){
        .program = "orma", .path = output, .force = true, .binary = true};
}

static int cut(void)
{
    const struct orma_pieces_cut_request r = {.program = "orma",
                                              .path = trace,
                                              .from = "100ns",
                                              .to = "500ns",
                                              .want = want(),
                                              .packing = ORMA_PIECES_PLAIN};

    return orma_pieces_cut(&r);
}

static int split(void)
{
    const struct orma_pieces_split_request r = {.program = "orma",
                                                .path = trace,
                                                .every = 100,
                                                .folder = pieces,
                                                .force = true,
                                                .packing = ORMA_PIECES_PLAIN};

    return orma_pieces_split(&r);
}

static int split_by_size(void)
{
    const struct orma_pieces_split_request r = {.program = "orma",
                                                .path = trace,
                                                .size = 100000,
                                                .folder = pieces,
                                                .force = true,
                                                .packing = ORMA_PIECES_PLAIN};

    return orma_pieces_split(&r);
}

static int filter(void)
{
    const struct orma_pieces_filter_request r = {.program = "orma",
                                                 .path = trace,
                                                 .want = want(),
                                                 .packing = ORMA_PIECES_PLAIN,
                                                 .threads = {{"ma*", "8"}, 2},
                                                 .categories = {{"app"}, 1}};

    return orma_pieces_filter(&r);
}

static int filter_out(void)
{
    const struct orma_pieces_filter_request r = {.program = "orma",
                                                 .path = trace,
                                                 .want = want(),
                                                 .packing = ORMA_PIECES_PLAIN,
                                                 .processes = {{"7"}, 1},
                                                 .invert = true};

    return orma_pieces_filter(&r);
}

static int redact(void)
{
    const struct orma_pieces_redact_request r = {
        .program = "orma", .path = trace, .want = want(), .packing = ORMA_PIECES_PLAIN};

    return orma_pieces_redact(&r);
}

static int recompress(void)
{
    const struct orma_output_want w = want();

    return orma_pieces_recompress(trace, &w, ORMA_PIECES_PLAIN);
}

/* ---- and what they leave ---- */

/* All outputs, one behind the other; they are gone then. */
static void take_outputs(struct orma_buf *ret)
{
    char path[128];

    for (unsigned i = 0; i < 20; i++) {
        if (i)
            snprintf(path, sizeof(path), "%s/t-%03u.pftrace", pieces, i);
        else
            snprintf(path, sizeof(path), "%s", output);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            cr_assert_eq(orma_fd_read_all(fd, 1 << 24, ret), 0);
        orma_fd_close(&fd);
        (void)unlink(path); /* most are not there */
    }
}

/* How often the log says that memory was out; it is emptied. */
static unsigned count_said(int log)
{
    struct orma_buf said = {0};
    unsigned num = 0;

    cr_assert_eq(lseek(log, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(log, 1 << 20, &said), 0);
    for (const char *at = orma_buf_cstr(&said); (at = strstr(at, strerror(ENOMEM))); at++)
        num++;
    cr_assert_eq(ftruncate(log, 0), 0);
    cr_assert_eq(lseek(log, 0, SEEK_SET), 0);
    orma_buf_fini(&said);
    return num;
}

static void exhaust(const char *name, int (*command)(void), bool same_each_time)
{
    struct orma_buf whole = {0}, got = {0};
    FILE *log = tmpfile();
    const int err = dup(STDERR_FILENO);
    unsigned refused = 0, more = 0;
    long n = 0;

    cr_assert(log && dup2(fileno(log), STDERR_FILENO) == STDERR_FILENO);
    cr_assert_eq(command(), 0, "%s", name);
    take_outputs(&whole);
    cr_assert_gt(whole.len, 1000, "%s", name);
    (void)count_said(fileno(log));
    for (; n < STEPS_MAX; n++) {
        orma_alloc_fail_after(n);
        const int r = command();
        const bool failed = orma_alloc_has_failed();
        orma_alloc_fail_after(-1);
        const unsigned said = count_said(fileno(log));
        orma_buf_clear(&got);
        take_outputs(&got);
        if (r == 0) {
            cr_assert_eq(got.len, whole.len, "%s: %zu bytes at %ld", name, got.len, n);
            cr_assert(!same_each_time || !memcmp(got.data, whole.data, whole.len), "%s at %ld",
                      name, n);
            cr_assert_eq(said, 0);
        } else {
            cr_assert_eq(r, -ENOMEM, "%s: %d at %ld", name, r, n);
            /* Of an output that cannot be opened there is one more line. */
            cr_assert(said == 1 || said == 2, "%s: said %u times at %ld", name, said, n);
            more += said - 1;
            cr_assert_eq(got.len, 0, "%s: %zu bytes at %ld", name, got.len, n);
            refused++;
        }
        if (!failed)
            break;
    }
    cr_assert_lt(n, STEPS_MAX);
    cr_assert_gt(refused, 3);
    cr_assert_leq(more, 40, "%s: %u lines too many", name, more);
    cr_assert_eq(dup2(err, STDERR_FILENO), STDERR_FILENO);
    close(err);
    fclose(log);
    orma_buf_fini(&whole);
    orma_buf_fini(&got);
}

static void end(void)
{
    (void)unlink(trace);
    (void)rmdir(pieces); /* if it was made */
    (void)rmdir(folder);
}

Test(pieces_memory, what_is_there_is_whole)
{
    begin();
    exhaust("cut", cut, true);
    exhaust("split", split, true);
    exhaust("split by size", split_by_size, true);
    exhaust("filter", filter, true);
    exhaust("filter out", filter_out, true);
    exhaust("redact", redact, false);
    exhaust("recompress", recompress, true);
    end();
}
