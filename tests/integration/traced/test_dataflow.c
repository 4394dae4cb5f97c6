/*
 * How data flows, and what is known of what was lost on the way: sizes and
 * policies of buffers, flushes, order, incremental state. Losses are looked at
 * where a user does: in the processor's table `stats`.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/processor.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"

#define PACKETS_PER_CHUNK 20

/* Chunk `id` of writer 1: the texts "ID.0" to "ID.19", and filler so that the chunk is well used.
 */
static void commit_numbered(struct fixture *s, uint32_t id)
{
    char texts[PACKETS_PER_CHUNK][160];
    const char *list[PACKETS_PER_CHUNK + 1] = {0};

    for (unsigned i = 0; i < PACKETS_PER_CHUNK; i++) {
        int n = snprintf(texts[i], sizeof(texts[i]), "%u.%u-", id, i);
        memset(texts[i] + n, 'x', 150 - (size_t)n);
        texts[i][150] = 0;
        list[i] = texts[i];
    }
    struct orma_shm_chunk chunk = rig_producer_write(&s->producer, id % 16, 1, id, 0, list);
    rig_producer_commit(&s->producer, &chunk, s->producer.target_buffer);
    if (id % 8 == 7)
        rig_producer_sync(&s->producer);
}

/* Numbers of the first and the last packet in the trace (chunk * 20 + packet); how many there are.
 */
static unsigned numbers(const struct orma_buf *trace, unsigned *first, unsigned *last)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet, f;
    unsigned num = 0, chunk, i;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);
        while (orma_pb_next(&p, &f)) {
            char text[32] = {0};
            if (f.id != RIG_TEXT)
                continue;
            memcpy(text, f.data, ORMA_MIN(f.len, sizeof(text) - 1));
            cr_assert_eq(sscanf(text, "%u.%u", &chunk, &i), 2);
            unsigned number = chunk * PACKETS_PER_CHUNK + i;
            if (!num)
                *first = number;
            else
                cr_assert_gt(number, *last, "the order of the writer");
            *last = number;
            num++;
        }
    }
    return num;
}

/* stats.value of this name and index (-1: none), and its severity. */
static int64_t stat_of(const struct orma_buf *trace, const char *name, int idx, char *severity,
                       size_t size)
{
    struct orma_processor *processor;
    struct orma_query *query;
    char sql[256];
    int64_t val = -1;

    cr_assert_eq(orma_processor_new(NULL, &processor), 0);
    cr_assert_eq(orma_processor_feed(processor, trace->data, trace->len), 0);
    cr_assert_eq(orma_processor_finish(processor), 0);
    snprintf(sql, sizeof(sql),
             "select value, severity from stats where name = '%s' and coalesce(idx, 0) = %d", name,
             idx);
    cr_assert_eq(orma_query_prepare(processor, sql, strlen(sql), &query, NULL), 0, "%s",
                 orma_processor_error(processor));
    if (orma_query_step(query) > 0) {
        val = orma_query_int64(query, 0);
        snprintf(severity, size, "%s", orma_query_text(query, 1));
    }
    orma_query_free(query);
    orma_processor_free(processor);
    return val;
}

static void expect_stat(const struct orma_buf *trace, const char *name, const char *severity)
{
    char got[32] = "";

    cr_assert_gt(stat_of(trace, name, 0, got, sizeof(got)), 0, "%s", name);
    cr_assert_str_eq(got, severity, "%s", name);
}

static void configure(struct fixture *s, uint32_t size_kb, unsigned policy)
{
    rig_config_buffer(&s->config, size_kb, policy);
    rig_config_source(&s->config, "test.source", 0);
}

/* ---- central buffers ---- */

Test(traced_dataflow, a_page_is_free_again_once_the_service_has_copied_it)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    fixture_enable(&s, -1);
    for (uint32_t i = 0; i < 200; i++) { /* many times the 16 pages */
        commit_numbered(&s, i);
        rig_producer_sync(&s.producer);
        cr_assert_eq(atomic_load(orma_shm_page_header(&s.producer.shm, i % 16)), 0);
    }
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_dataflow, a_ring_keeps_the_newest_data_of_its_size)
{
    struct fixture s;
    unsigned first = 0, last = 0;
    char severity[32];

    fixture_init(&s, false);
    configure(&s, 256, 1);
    fixture_enable(&s, -1);
    for (uint32_t i = 0; i < 400; i++)
        commit_numbered(&s, i);
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    unsigned num = numbers(&s.trace, &first, &last);
    cr_assert_eq(last, 400 * PACKETS_PER_CHUNK - 1, "the newest is there");
    cr_assert_eq(num, last - first + 1, "without a hole");
    /* 256 KiB / (4080 bytes of a chunk + 16) = 64 chunks */
    cr_assert_eq(num / PACKETS_PER_CHUNK, 64);
    expect_stat(&s.trace, "traced_buf_chunks_overwritten", "info");
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_overwritten", 0, severity, 32), 400 - 64);
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_discarded", 0, severity, 32), 0);
    fixture_fini(&s);
}

/* What a ring overwrites between two reads is a data loss: it shows in the next packet's mark. */
Test(traced_dataflow, what_is_overwritten_in_the_middle_of_a_sequence_is_a_data_loss)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    fixture_enable(&s, -1);
    commit_numbered(&s, 0);
    rig_producer_sync(&s.producer);
    rig_read(s.consumer, &s.trace);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 0);
    for (uint32_t i = 1; i < 100; i++)
        commit_numbered(&s, i);
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 1);
    expect_stat(&s.trace, "traced_buf_data_loss_overwrite", "data_loss");
    expect_stat(&s.trace, "traced_buf_sequence_packet_loss", "data_loss");
    fixture_fini(&s);
}

Test(traced_dataflow, a_discard_buffer_keeps_the_oldest_data_of_its_size)
{
    struct fixture s;
    unsigned first = 0, last = 0;
    char severity[32];

    fixture_init(&s, false);
    configure(&s, 256, 2);
    fixture_enable(&s, -1);
    for (uint32_t i = 0; i < 400; i++)
        commit_numbered(&s, i);
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    unsigned num = numbers(&s.trace, &first, &last);
    cr_assert_eq(first, 0);
    cr_assert_eq(num, 64 * PACKETS_PER_CHUNK);
    expect_stat(&s.trace, "traced_buf_chunks_discarded", "info");
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_discarded", 0, severity, 32), 400 - 64);
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_overwritten", 0, severity, 32), 0);
    fixture_fini(&s);
}

/* A buffer that holds what comes between two writes loses nothing, however much comes in all. */
Test(traced_dataflow, streaming_needs_room_for_one_period_only)
{
    struct fixture s;
    unsigned first = 0, last = 0;
    int fd = memfd_create("trace", MFD_CLOEXEC);
    char severity[32];
    off_t before = 0;

    fixture_init(&s, false);
    configure(&s, 512, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, fd);
    for (uint32_t i = 0; i < 600; i++) {
        commit_numbered(&s, i);
        if (i % 100 != 99)
            continue;
        rig_producer_sync(&s.producer);
        for (int tries = 0; tries < 2000 && lseek(fd, 0, SEEK_END) <= before + 300000; tries++)
            poll(NULL, 0, 10);
        before = lseek(fd, 0, SEEK_END);
    }
    fixture_disable(&s);
    cr_assert_geq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 1 << 26, &s.trace), 0);
    cr_assert_eq(numbers(&s.trace, &first, &last), 600 * PACKETS_PER_CHUNK);
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_overwritten", 0, severity, 32), 0);
    close(fd);
    fixture_fini(&s);
}

/* Rare data in a buffer of its own survives what wraps around beside it. */
Test(traced_dataflow, a_dedicated_buffer_is_not_wrapped_by_others)
{
    struct fixture s;
    struct rig_producer rare;
    unsigned first = 0, last = 0;
    char severity[32];

    fixture_init(&s, false);
    rig_producer_init(&rare, &s.rig, "rare", false);
    rig_producer_register(&rare, "rare.source", NULL);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    rig_config_source(&s.config, "rare.source", 1);
    fixture_enable(&s, -1);
    rig_producer_wait(&rare, &rare.starts, 1);
    struct orma_shm_chunk chunk = rig_producer_write(&rare, 0, 1, 0, 0, TEXTS("999.0-once"));
    rig_producer_commit(&rare, &chunk, rare.target_buffer);
    rig_producer_sync(&rare);
    for (uint32_t i = 0; i < 300; i++)
        commit_numbered(&s, i);
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    (void)numbers(&s.trace, &first, &last);
    cr_assert_eq(last, 999 * PACKETS_PER_CHUNK, "it is there, and comes from the second buffer");
    cr_assert_gt(stat_of(&s.trace, "traced_buf_chunks_overwritten", 0, severity, 32), 0);
    cr_assert_eq(stat_of(&s.trace, "traced_buf_chunks_overwritten", 1, severity, 32), 0);
    rig_producer_fini(&rare);
    fixture_fini(&s);
}

/* ---- shared memory ---- */

struct sizes {
    uint32_t hint_kb, config_kb, expected_kb;
};

Test(traced_dataflow, shared_memory_has_256_kib_unless_asked_for_otherwise)
{
    static const struct sizes cases[] = {{0, 0, 256}, {128, 0, 128}, {128, 512, 512}, {0, 64, 64}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct fixture s;
        struct rig_producer p = {0};
        struct orma_buf args = {0};

        fixture_init(&s, false);
        p.client = rig_connect(s.rig.producer_addr, "ProducerPort");
        orma_pb_put_cstr(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, "p");
        orma_pb_put_u64(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_SIZE_HINT_BYTES,
                        cases[i].hint_kb * 1024);
        cr_assert(rig_ok(p.client, "InitializeConnection", &args));
        orma_buf_fini(&args);
        rig_send(p.client, "GetAsyncCommand", NULL, -1, &p.stream);
        rig_producer_register(&p, "p.source", NULL);
        configure(&s, 64, 1);
        rig_config_source(&s.config, "p.source", 0);
        size_t prod = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_PRODUCERS);
        orma_pb_put_cstr(&s.config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_PRODUCER_NAME, "p");
        orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_SHM_SIZE_KB,
                        cases[i].config_kb);
        orma_pb_end(&s.config, prod);
        fixture_enable(&s, -1);
        rig_producer_wait(&p, &p.starts, 1);
        cr_assert_eq(p.shm.size, (size_t)cases[i].expected_kb * 1024, "case %zu", i);
        rig_producer_fini(&p);
        fixture_disable(&s);
        fixture_fini(&s);
    }
}

/* A writer that found no free page marks the place: known to the service, and a data loss. */
Test(traced_dataflow, a_drop_marker_is_a_data_loss_of_the_shared_memory)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    fixture_enable(&s, -1);
    struct orma_shm_chunk chunk =
        rig_producer_write(&s.producer, 0, 1, 0, 0, TEXTS("0.0-kept", "0.1-given up"));
    uint8_t *second = chunk.payload + 1 + chunk.payload[0];
    memcpy(second, "\xff\xff\xff\x7f", 4);
    rig_producer_commit(&s.producer, &chunk, s.producer.target_buffer);
    commit_numbered(&s, 1);
    rig_producer_sync(&s.producer);
    fixture_disable(&s);
    rig_read(s.consumer, &s.trace);
    unsigned first, last;
    cr_assert_eq(numbers(&s.trace, &first, &last), 1 + PACKETS_PER_CHUNK);
    expect_stat(&s.trace, "traced_buf_trace_writer_packet_loss", "data_loss");
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 1);
    fixture_fini(&s);
}

/* ---- flushes ---- */

/* What sits in a page that is not full comes with the flush, and not before. */
Test(traced_dataflow, a_sporadic_writer_is_seen_with_the_flush_period)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS, 300);
    fixture_enable(&s, -1);
    struct orma_shm_chunk chunk = rig_producer_write(&s.producer, 0, 1, 0, 0, TEXTS("sporadic"));
    rig_producer_sync(&s.producer);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "", "it is still in the page");
    rig_producer_wait_flush(&s.producer);
    rig_producer_commit(&s.producer, &chunk, s.producer.target_buffer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_producer_sync(&s.producer);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "sporadic", "in the middle of the session");
    fixture_disable(&s);
    fixture_fini(&s);
}

/* At the end of a duration each producer is flushed: nothing of what was written stays behind. */
Test(traced_dataflow, the_end_of_a_session_flushes)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_DURATION_MS, 300);
    fixture_enable(&s, -1);
    struct orma_shm_chunk chunk = rig_producer_write(&s.producer, 0, 1, 0, 0, TEXTS("last"));
    rig_producer_wait_flush(&s.producer);
    rig_producer_commit(&s.producer, &chunk, s.producer.target_buffer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_wait(s.consumer, &s.enabled);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "last");
    fixture_fini(&s);
}

/* ---- atomicity ---- */

/* A packet over three chunks, of which the middle one never comes: no part of it is in the trace.
 */
Test(traced_dataflow, a_packet_is_whole_or_not_there)
{
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, 64, 1);
    fixture_enable(&s, -1);
    for (uint32_t id = 0; id < 3; id++) {
        uint16_t flags =
            (uint16_t)((id < 2 ? ORMA_SHM_CONT_NEXT : 0) | (id > 0 ? ORMA_SHM_CONT_PREV : 0));
        struct orma_shm_chunk chunk = rig_producer_write(
            &s.producer, id, 1, id, flags, id == 0 ? TEXTS("whole", "head") : TEXTS("rest"));
        if (id == 2) { /* its rest, and a packet of its own behind it */
            orma_shm_complete(&s.producer.shm, &chunk);
            continue;
        }
        if (id == 0)
            rig_producer_commit(&s.producer, &chunk, s.producer.target_buffer);
    }
    struct orma_shm_chunk chunk = rig_producer_write(&s.producer, 4, 1, 3, 0, TEXTS("next"));
    rig_producer_commit(&s.producer, &chunk, s.producer.target_buffer);
    rig_producer_sync(&s.producer);
    fixture_disable(&s);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "whole next");
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 1);
    fixture_fini(&s);
}
