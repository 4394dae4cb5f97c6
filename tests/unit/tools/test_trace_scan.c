#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tools/record/trace_scan.h"

#define PACKETS 1024
#define PACKET_LEN 4000

/* Packets with an unknown field each, a page apart. */
static void write_packets(struct orma_buf *out)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        orma_buf_put(out, "\x0a\xa0\x1f\xfa\x3e\x9c\x1f", 7);
        for (unsigned n = 0; n < PACKET_LEN - 4; n++)
            orma_buf_put_byte(out, 0);
    }
}

enum { START = ORMA_PB_FTRACE_STATS_START_OF_TRACE, END = ORMA_PB_FTRACE_STATS_END_OF_TRACE };

static void put_kernel(struct orma_buf *out, uint32_t sequence, uint32_t machine, uint32_t phase,
                       uint64_t overrun)
{
    size_t packet = orma_pb_begin(out, 1);
    size_t stats = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_STATS);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_STATS_PHASE, phase);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        size_t one = orma_pb_begin(out, ORMA_PB_FTRACE_STATS_CPU_STATS);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_CPU, cpu);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_CPU_STATS_OVERRUN, overrun);
        orma_pb_end(out, one);
    }
    size_t kprobes = orma_pb_begin(out, ORMA_PB_FTRACE_STATS_KPROBE_STATS);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_KPROBE_STATS_MISSES, overrun);
    orma_pb_end(out, kprobes);
    orma_pb_end(out, stats);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
    if (machine)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_MACHINE_ID, machine);
    orma_pb_end(out, packet);
}

static void expect_lost_in_pieces(const struct orma_buf *trace, size_t piece, uint64_t events)
{
    struct orma_record_trace_watch *watch;
    struct orma_record_trace_scan scan;

    cr_assert_eq(orma_record_trace_watch_new(&watch), 0);
    for (size_t at = 0; at < trace->len; at += piece)
        orma_record_trace_watch_put(watch, trace->data + at, ORMA_MIN(piece, trace->len - at));
    cr_assert(orma_record_trace_watch_end(watch, &scan));
    cr_expect_eq(scan.loss.kernel_overrun, events);
    orma_record_trace_scan_fini(&scan);
}

static void expect_lost(struct orma_buf *trace, uint64_t events, uint64_t kprobes)
{
    struct orma_record_trace_scan scan;

    expect_lost_in_pieces(trace, 1, events);
    expect_lost_in_pieces(trace, 13, events);
    expect_lost_in_pieces(trace, trace->len, events);
    int fd = memfd_create("trace", MFD_CLOEXEC);

    cr_assert_eq(orma_fd_write_all(fd, trace->data, trace->len), 0);
    cr_assert(orma_record_trace_scan(fd, &scan));
    cr_expect_eq(scan.loss.kernel_overrun, events);
    cr_expect_eq(scan.loss.kprobes_missed, kprobes);
    orma_record_trace_scan_fini(&scan);
    close(fd);
}

/* Any producer can write such packets: it can add to what others lost, and take nothing away. */
Test(trace_scan, each_sequence_speaks_of_the_kernel_for_itself)
{
    struct orma_buf trace = {0};

    put_kernel(&trace, 7, 0, START, UINT64_C(1) << 62);
    put_kernel(&trace, 2, 0, START, 100);
    put_kernel(&trace, 2, 0, END, 150);
    put_kernel(&trace, 2, 0, END, 160);
    put_kernel(&trace, 7, 0, END, 0);
    put_kernel(&trace, 8, 0, START, UINT64_MAX);
    put_kernel(&trace, 8, 0, END, UINT64_MAX);
    expect_lost(&trace, 120, 60);
    put_kernel(&trace, 9, 0, START, 5); /* of the same buffer */
    put_kernel(&trace, 9, 0, END, 60);
    expect_lost(&trace, 120, 60);
    put_kernel(&trace, 10, 33, START, 0); /* of another machine */
    put_kernel(&trace, 10, 33, END, 1000);
    expect_lost(&trace, 2120, 1060);
    put_kernel(&trace, 11, 0, END, UINT64_MAX);
    put_kernel(&trace, 12, 34, END, UINT64_MAX);
    expect_lost(&trace, UINT64_MAX, UINT64_MAX); /* sums stay there */
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

Test(trace_scan, of_bytes_that_are_no_packets_nothing_is_told)
{
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        {"\x12\x01\x08", 3},                 /* another field */
        {"\x0a\xff\xff\xff\xff\x7f", 6},     /* too long */
        {"\x0a\xff\xff\xff\xff\xff\x01", 7}, /* no length */
        {"\x0a\x05\x08\x01", 4},             /* cut */
        {"\x0a", 1},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_record_trace_watch *watch;
        struct orma_record_trace_scan scan;

        cr_assert_eq(orma_record_trace_watch_new(&watch), 0);
        orma_record_trace_watch_put(watch, cases[i].bytes, cases[i].len);
        orma_record_trace_watch_put(watch, "", 0);
        cr_expect_not(orma_record_trace_watch_end(watch, &scan), "case %zu", i);
    }
    orma_assert_no_leaks();
}

/* Any producer may say that there is no such event, as often as it likes. */
Test(trace_scan, names_of_events_begin_no_line_and_have_an_end, .timeout = 40)
{
    struct orma_record_trace_scan scan;
    struct orma_buf trace = {0};
    char name[32];

    size_t packet = orma_pb_begin(&trace, 1);
    size_t stats = orma_pb_begin(&trace, ORMA_PB_TRACE_PACKET_FTRACE_STATS);
    orma_pb_put_cstr(&trace, ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, "sched/a");
    orma_pb_put_cstr(&trace, ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, "sched/a");
    orma_pb_put_cstr(&trace, ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, "b\nc");
    orma_pb_put_cstr(&trace, ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, "\033[31m\norma record: fine");
    for (unsigned i = 0; i < 250000; i++) {
        snprintf(name, sizeof(name), "%u", i);
        orma_pb_put_cstr(&trace, ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS, name);
    }
    orma_pb_end(&trace, stats);
    orma_pb_end(&trace, packet);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    cr_assert_eq(orma_fd_write_all(fd, trace.data, trace.len), 0);
    cr_assert(orma_record_trace_scan(fd, &scan));
    cr_expect_str_eq(orma_buf_cstr(&scan.unknown), "sched/a\nb?c\n");
    cr_expect_str_eq(orma_buf_cstr(&scan.setup_error), "?[31m?orma record: fine\n");
    cr_expect_leq(scan.failed.len, (size_t)1 << 20);
    cr_expect_gt(scan.failed.len, (size_t)1 << 19);
    orma_record_trace_scan_fini(&scan);
    orma_buf_fini(&trace);
    close(fd);
    orma_assert_no_leaks();
}

struct cutter {
    int fd;
    const struct orma_buf *whole;
    bool stop;
};

static void *cut(void *data)
{
    struct cutter *c = data;

    while (!__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE)) {
        (void)!ftruncate(c->fd, 0);
        (void)!pwrite(c->fd, c->whole->data, c->whole->len, 0);
    }
    return NULL;
}

Test(trace_scan, a_file_that_is_cut_meanwhile_harms_nobody)
{
    struct orma_buf whole = {0};
    struct orma_record_trace_scan scan;
    pthread_t thread;

    write_packets(&whole);
    struct cutter c = {.fd = memfd_create("trace", MFD_CLOEXEC), .whole = &whole};
    cr_assert_eq(orma_fd_write_all(c.fd, whole.data, whole.len), 0);
    cr_assert(orma_record_trace_scan(c.fd, &scan));
    orma_record_trace_scan_fini(&scan);
    cr_assert_eq(pthread_create(&thread, NULL, cut, &c), 0);
    for (unsigned i = 0; i < 2000; i++)
        if (orma_record_trace_scan(c.fd, &scan))
            orma_record_trace_scan_fini(&scan);
    __atomic_store_n(&c.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    close(c.fd);
    orma_buf_fini(&whole);
    orma_assert_no_leaks();
}
