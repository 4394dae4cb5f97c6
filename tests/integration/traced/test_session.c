#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"
#include "tests/support/leaks.h"

Test(traced_session, a_committed_packet_is_read_back_with_trusted_fields)
{
    struct fixture s;
    struct orma_pb_field f;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    fixture_commit(&s, 1, TEXTS("three"));
    fixture_disable(&s);
    cr_assert(s.enabled.success);
    cr_assert_eq(s.producer.stops, 0);
    rig_producer_wait(&s.producer, &s.producer.stops, 1);
    rig_read(s.consumer, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "one two three");
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_TRUSTED_PID, &f));
    cr_assert_eq(orma_pb_u64(&f), (uint64_t)getpid());
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRUSTED_PID), 3);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 0);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_CONFIG), 1);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_UUID), 1);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_SYSTEM_INFO), 1);
    cr_assert_geq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT), 2);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER), 1);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 1);
    fixture_fini(&s);
}

/* delivered + overwritten per sequence, from the statistics in the trace */
static uint64_t ledger_field(const struct orma_buf *trace, uint32_t field)
{
    struct orma_pb_field stats, f, sub;
    uint64_t val = 0;

    cr_assert(rig_find(trace, ORMA_PB_TRACE_PACKET_TRACE_STATS, &stats));
    struct orma_pb_reader r = orma_pb_sub(&stats);
    while (orma_pb_next(&r, &f)) {
        if (f.id != 90001)
            continue;
        struct orma_pb_reader counts = orma_pb_sub(&f);
        while (orma_pb_next(&counts, &sub))
            if (sub.id == field)
                val += orma_pb_u64(&sub);
    }
    return val;
}

Test(traced_session, a_small_ring_says_how_many_packets_it_overwrote)
{
    struct fixture s;
    struct orma_pb_field f;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 8, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    for (uint32_t i = 0; i < 5; i++)
        fixture_commit(&s, i, TEXTS("a", "b", "c"));
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "a b c a b c");
    cr_assert_eq(ledger_field(&s.trace, 6), 6);
    cr_assert_eq(ledger_field(&s.trace, 8), 9);
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, &f));
    cr_assert_eq(orma_pb_u64(&f), 1 | 64);
    fixture_fini(&s);
}

Test(traced_session, a_flush_is_answered_when_the_producer_has_acknowledged)
{
    struct fixture s;
    struct rig_reply flushed;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    rig_send(s.consumer, "Flush", NULL, -1, &flushed);
    rig_producer_wait_flush(&s.producer);
    cr_assert_not(flushed.done);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_wait(s.consumer, &flushed);
    cr_assert(flushed.success);
    rig_reply_fini(&flushed);
    fixture_fini(&s);
}

Test(traced_session, a_flush_that_nobody_answers_times_out)
{
    struct fixture s;
    struct rig_reply flushed;
    struct orma_buf args = {0};

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 20);
    rig_call(s.consumer, "Flush", &args, &flushed);
    cr_assert_not(flushed.success);
    orma_buf_fini(&args);
    rig_reply_fini(&flushed);
    fixture_fini(&s);
}

Test(traced_session, finished_packets_of_a_dead_producer_are_scraped)
{
    struct fixture s;
    struct orma_buf args = {0};

    fixture_init(&s, true);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 1);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                    s.producer.target_buffer);
    cr_assert(rig_ok(s.producer.client, "RegisterTraceWriter", &args));
    rig_producer_write(&s.producer, 0, 1, 0, 0, TEXTS("done", "unfinished"));
    rig_producer_fini(&s.producer);
    s.producer.client = NULL;
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "done");
    orma_buf_fini(&args);
    fixture_fini(&s);
}

Test(traced_session, writes_into_the_file_that_the_consumer_passes)
{
    struct fixture s;
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, fd);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    fixture_disable(&s);
    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 1 << 20, &s.trace), 0);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "one two");
    cr_assert_geq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 1);
    struct orma_buf nothing = {0};
    rig_read(s.consumer, &nothing);
    cr_assert_eq(nothing.len, 0);
    fixture_fini(&s);
}

Test(traced_session, a_session_with_a_duration_ends_by_itself)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_DURATION_MS, 30);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_wait(s.consumer, &s.enabled);
    cr_assert(s.enabled.success);
    fixture_fini(&s);
}

Test(traced_session, a_bad_config_is_refused_with_a_reason)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 3);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_wait(s.consumer, &s.enabled);
    cr_assert(s.enabled.success);
    cr_assert(memmem(s.enabled.payload.data, s.enabled.payload.len,
                     "out of bounds target_buffer (3 >= 1)", 36));
    fixture_fini(&s);
}

Test(traced_session, commits_into_buffers_of_others_are_discarded)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    s.producer.target_buffer++; /* exists, but was not given to this producer */
    fixture_commit(&s, 0, TEXTS("foreign"));
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "");
    fixture_fini(&s);
}
