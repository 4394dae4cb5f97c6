/*
 * Turns of the loop: what one client asks for is done in slices, so that the
 * others are served meanwhile, and what comes out is the same as in one go.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"
#include "tests/integration/traced/fixture.h"
#include "tests/support/leaks.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/read.h"
#include "traced/sessions/session.h"
#include "traced/sessions/stats.h"

#define BACKLOGS 100
#define ENTRIES 30000
/* Turns until a request is answered: it is received, handled, and there may be one between. */
#define PROMPT 4

static struct traced_producer *producer_of(const struct fixture *s)
{
    return ORMA_CONTAINER_OF(s->rig.service->producers.list.next, struct traced_producer, link);
}

static struct traced_session *session_of(const struct fixture *s)
{
    return ORMA_CONTAINER_OF(s->rig.service->sessions.list.next, struct traced_session, link);
}

static struct traced_buffer *buffer_of(const struct fixture *s)
{
    return session_of(s)->buffers[0].buf;
}

static void begin(struct fixture *s, bool scraping, uint32_t shm_kb)
{
    fixture_init(s, scraping);
    rig_config_buffer(&s->config, 65536, 1);
    rig_config_source(&s->config, "test.source", 0);
    size_t producer = orma_pb_begin(&s->config, ORMA_PB_TRACE_CONFIG_PRODUCERS);
    orma_pb_put_cstr(&s->config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_PRODUCER_NAME,
                     "test.producer");
    orma_pb_put_u64(&s->config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_SHM_SIZE_KB, shm_kb);
    orma_pb_end(&s->config, producer);
    fixture_enable(s, -1);
    rig_producer_sync(&s->producer);
}

/* Turns until it is answered. */
static unsigned turns_until(struct fixture *s, struct orma_ipc_client *client,
                            const struct rig_reply *reply)
{
    unsigned turns = 0;

    for (; !reply->done; turns++) {
        rig_turn(&s->rig);
        cr_assert_eq(orma_ipc_client_dispatch(client), 0);
    }
    return turns;
}

/* ---- long requests ---- */

/* Chunks of the fixture's memory, by number; the last one also brings the writer's counts. */
static void put_moves(struct orma_buf *args, const struct fixture *s, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        size_t move = orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

        orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, i);
        orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        s->producer.target_buffer);
        orma_pb_end(args, move);
    }
    size_t counts = orma_pb_begin(args, 90001);
    orma_pb_put_u64(args, 1, 1);
    orma_pb_put_u64(args, 2, s->producer.target_buffer);
    orma_pb_put_u64(args, 3, num);
    orma_pb_end(args, counts);
}

static void complete_chunks(struct fixture *s, uint32_t num)
{
    char text[16];

    for (uint32_t i = 0; i < num; i++) {
        snprintf(text, sizeof(text), "%u", i);
        struct orma_shm_chunk chunk = rig_producer_write(&s->producer, i, 1, i, 0, TEXTS(text));
        orma_shm_complete(&s->producer.shm, &chunk);
    }
}

static void expect_in_order(struct fixture *s, uint32_t num)
{
    struct orma_buf want = {0};

    for (uint32_t i = 0; i < num; i++)
        orma_buf_printf(&want, i ? " %u" : "%u", i);
    cr_assert_str_eq(fixture_read(s, s->consumer), orma_buf_cstr(&want));
    orma_buf_fini(&want);
}

Test(traced_turns, a_commit_in_single_steps_is_the_same_commit)
{
    struct fixture s;
    struct orma_buf args = {0};
    struct traced_commit commit;
    unsigned steps = 0;
    int r;

    begin(&s, false, 1024);
    rig_pause(&s.rig);
    complete_chunks(&s, 60);
    put_moves(&args, &s, 60);
    orma_pb_put_u64(&args, 10000, 1); /* what is not known is skipped */
    traced_commit_begin(&commit, orma_buf_str(&args));
    do {
        struct traced_budget budget = {1};

        r = traced_commit_some(producer_of(&s), &commit, &budget);
        steps++;
    } while (r > 0);
    cr_assert_eq(r, 0);
    cr_assert_gt(steps, 60);
    rig_resume(&s.rig);
    fixture_disable(&s);
    expect_in_order(&s, 60);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

/* A request behind it is answered behind it; the flush that it confirms ends behind it. */
Test(traced_turns, a_connection_keeps_its_order)
{
    struct fixture s;
    struct rig_reply flushed, synced;
    struct orma_buf args = {0};

    begin(&s, false, 16384);
    complete_chunks(&s, 4000);
    rig_send(s.consumer, "Flush", NULL, -1, &flushed);
    rig_producer_wait_flush(&s.producer);
    rig_pause(&s.rig);
    put_moves(&args, &s, 4000);
    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID, s.producer.flush_id);
    rig_send(s.producer.client, "CommitData", &args, -1, NULL);
    rig_send(s.producer.client, "Sync", NULL, -1, &synced);
    while (!synced.done) {
        rig_turn(&s.rig);
        cr_assert_eq(orma_ipc_client_dispatch(s.producer.client), 0);
    }
    cr_assert_eq(buffer_of(&s)->stats.chunks_written, 4000);
    turns_until(&s, s.consumer, &flushed);
    cr_assert(flushed.success);
    rig_resume(&s.rig);
    fixture_disable(&s);
    expect_in_order(&s, 4000);
    rig_reply_fini(&flushed);
    rig_reply_fini(&synced);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

/* ---- others are served meanwhile ---- */

/* A request that names nothing, tens of thousands of times. */
static void put_empty_moves(struct orma_buf *args)
{
    for (int i = 0; i < ENTRIES; i++)
        orma_pb_end(args, orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE));
}

static unsigned busy_producers(const struct fixture *s)
{
    unsigned num = 0;

    ORMA_LIST_EACH (struct traced_producer, p, &s->rig.service->producers.list, link)
        num += !traced_conn_passed(p->conn, traced_conn_mark(p->conn));
    return num;
}

Test(traced_turns, many_backlogs_do_not_keep_a_consumer_waiting)
{
    static struct rig_producer producers[BACKLOGS];
    struct fixture s;
    struct rig_reply answer;
    struct orma_buf args = {0};

    begin(&s, false, 1024);
    put_empty_moves(&args);
    for (unsigned i = 0; i < BACKLOGS; i++)
        rig_producer_init(&producers[i], &s.rig, "another", false);
    rig_pause(&s.rig);
    for (unsigned i = 0; i < 3 * BACKLOGS; i++)
        rig_send(producers[i % BACKLOGS].client, "CommitData", &args, -1, NULL);
    rig_send(s.consumer, "QueryCapabilities", NULL, -1, &answer);
    cr_assert_leq(turns_until(&s, s.consumer, &answer), PROMPT);
    cr_assert_gt(busy_producers(&s), 0, "all was done in one go");
    rig_resume(&s.rig);
    for (unsigned i = 0; i < BACKLOGS; i++) {
        rig_producer_sync(&producers[i]);
        rig_producer_fini(&producers[i]);
    }
    rig_reply_fini(&answer);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

static void announce_writer(struct fixture *s)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 1);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                    s->producer.target_buffer);
    cr_assert(rig_ok(s->producer.client, "RegisterTraceWriter", &args));
    orma_buf_fini(&args);
}

/* 32 MiB of it. */
Test(traced_turns, neither_does_a_large_memory_that_is_scraped)
{
    struct fixture s;
    struct rig_reply flushed, answer;

    begin(&s, true, 32768);
    announce_writer(&s);
    complete_chunks(&s, 8000);
    rig_pause(&s.rig);
    rig_send(s.consumer, "Flush", NULL, -1, &flushed);
    while (!buffer_of(&s)->stats.chunks_written) {
        rig_turn(&s.rig);
        if (producer_of(&s)->conn->out_bytes || s.producer.flush_id)
            continue;
        cr_assert_eq(orma_ipc_client_dispatch(s.producer.client), 0);
        if (s.producer.stream.payload.len > s.producer.seen) {
            rig_producer_wait_flush(&s.producer);
            rig_producer_ack_flush(&s.producer, s.producer.flush_id);
        }
    }
    rig_send(s.consumer, "QueryCapabilities", NULL, -1, &answer);
    cr_assert_leq(turns_until(&s, s.consumer, &answer), PROMPT);
    cr_assert_lt(buffer_of(&s)->stats.chunks_written, 8000, "all was copied in one go");
    turns_until(&s, s.consumer, &flushed);
    cr_assert(flushed.success);
    cr_assert_eq(buffer_of(&s)->stats.chunks_written, 8000);
    rig_resume(&s.rig);
    rig_reply_fini(&flushed);
    rig_reply_fini(&answer);
    fixture_fini(&s);
}

/* Flushes that come together ask each producer once, and each has its own time limit. */
Test(traced_turns, flushes_that_come_together_ask_once)
{
    enum { FLUSHES = 200 };
    struct fixture s;
    struct rig_reply last, brief;
    struct orma_buf args = {0};

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    rig_producer_sync(&s.producer);
    rig_pause(&s.rig);
    for (int i = 0; i < FLUSHES; i++)
        rig_send(s.consumer, "Flush", NULL, -1, i + 1 < FLUSHES ? NULL : &last);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 1);
    rig_send(s.consumer, "Flush", &args, -1, &brief);
    turns_until(&s, s.consumer, &brief);
    cr_assert_not(brief.success);
    cr_assert_not(last.done);
    cr_assert_eq(session_of(&s)->flushes.requested, FLUSHES + 1);
    cr_assert_leq(s.rig.service->sessions.flushes_sent, 10);
    rig_resume(&s.rig);
    rig_producer_sync(&s.producer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_wait(s.consumer, &last);
    cr_assert(last.success);
    rig_reply_fini(&last);
    rig_reply_fini(&brief);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

/* A buffer that was filled is given back a piece at a time. */
Test(traced_turns, nor_does_a_large_buffer_that_is_freed)
{
    struct fixture s;
    struct rig_reply freed;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    begin(&s, false, 1024);
    rig_pause(&s.rig);
    struct traced_buffer *buf = buffer_of(&s);
    uint8_t *base = buf->base;
    size_t size = buf->size;
    memset(base, 1, size);
    rig_send(s.consumer, "FreeBuffers", NULL, -1, &freed);
    cr_assert_leq(turns_until(&s, s.consumer, &freed), PROMPT);
    while (s.rig.service->loop.reaper.num)
        rig_turn(&s.rig);
    cr_assert_eq(msync(base, page, MS_ASYNC), -1);
    cr_assert_eq(errno, ENOMEM);
    rig_resume(&s.rig);
    rig_reply_fini(&freed);
    fixture_fini(&s);
}

/* Hundreds of flushes that wait for the same memory scrape it twice, not hundreds of times. */
Test(traced_turns, flushes_share_what_they_wait_for)
{
    enum { FLUSHES = 200, CHUNKS = 50 };
    struct fixture s;
    struct rig_reply last;
    const uint32_t no_flush[] = {ORMA_PB_DATA_SOURCE_DESCRIPTOR_NO_FLUSH, 1, 0};

    fixture_init(&s, true);
    rig_producer_register(&s.producer, "test.quiet", no_flush);
    rig_config_buffer(&s.config, 1024, 1);
    rig_config_source(&s.config, "test.quiet", 0);
    fixture_enable(&s, -1);
    rig_producer_sync(&s.producer);
    announce_writer(&s);
    complete_chunks(&s, CHUNKS);
    rig_pause(&s.rig);
    for (int i = 0; i < FLUSHES; i++)
        rig_send(s.consumer, "Flush", NULL, -1, i + 1 < FLUSHES ? NULL : &last);
    turns_until(&s, s.consumer, &last);
    cr_assert(last.success);
    cr_assert_eq(buffer_of(&s)->stats.chunks_written, CHUNKS);
    cr_assert_leq(session_of(&s)->gather.rounds, 10);
    rig_resume(&s.rig);
    rig_reply_fini(&last);
    fixture_fini(&s);
}

/* ---- long answers ---- */

/* An inline chunk with one packet, of a writer of its own. */
static void put_sequence(struct orma_buf *args, uint32_t buffer, uint16_t writer)
{
    const uint8_t chunk[] = {0, 0,    0, 0,  (uint8_t)writer, (uint8_t)(writer >> 8),
                             1, 0, /* header */
                             3, 0x2a, 1, 'x'};
    size_t move = orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER, buffer);
    orma_pb_put_bytes(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA, chunk, sizeof(chunk));
    orma_pb_end(args, move);
}

/* Of all parts for sequences: the sum of a field, of all of them. */
static uint64_t sum_of(struct orma_str stats, uint32_t field)
{
    struct orma_pb_reader r = orma_pb_reader(stats.data, stats.len);
    struct orma_pb_field part, f;
    uint64_t sum = 0;

    while (orma_pb_next(&r, &part)) {
        struct orma_pb_reader sub = orma_pb_sub(&part);

        while (part.id == ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS && orma_pb_next(&sub, &f))
            if (f.id == field)
                sum += f.num;
    }
    return sum;
}

/* Statistics that would not fit a reply are not put together first; their sum is there. */
Test(traced_turns, statistics_of_many_sequences_are_not_encoded_in_vain)
{
    enum { SEQUENCES = 20000, LIMIT = 100000 };
    struct fixture s;
    struct orma_buf args = {0}, stats = {0};
    struct rig_reply answer;

    begin(&s, false, 128);
    for (uint16_t writer = 1; writer <= SEQUENCES; writer++) {
        put_sequence(&args, s.producer.target_buffer, writer);
        if (writer % 2000)
            continue;
        rig_send(s.producer.client, "CommitData", &args, -1, NULL);
        rig_producer_sync(&s.producer);
        orma_buf_clear(&args);
    }
    size_t counts = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_ORMA_WRITER_COUNTS);
    orma_pb_put_u64(&args, ORMA_PB_ORMA_WRITER_COUNTS_WRITER_ID, 5);
    orma_pb_put_u64(&args, ORMA_PB_ORMA_WRITER_COUNTS_TARGET_BUFFER, s.producer.target_buffer);
    orma_pb_put_u64(&args, ORMA_PB_ORMA_WRITER_COUNTS_EMITTED, 8);
    orma_pb_put_u64(&args, ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_NO_CHUNK, 7);
    orma_pb_end(&args, counts);
    rig_send(s.producer.client, "CommitData", &args, -1, NULL);
    rig_producer_sync(&s.producer);
    rig_call(s.consumer, "GetTraceStats", NULL, &answer);
    cr_assert(answer.success);
    cr_assert_lt(answer.payload.len, 1000);
    rig_pause(&s.rig);
    cr_assert_eq(buffer_of(&s)->seqs_num, SEQUENCES);
    traced_session_put_stats(&stats, session_of(&s), LIMIT);
    cr_assert_lt(stats.cap, 2 * LIMIT);
    orma_buf_clear(&stats);
    traced_session_put_stats(&stats, session_of(&s), SIZE_MAX);
    cr_assert_gt(stats.len, SEQUENCES * 14, "in the trace they are");
    struct orma_pb_reader r = orma_pb_reader(answer.payload.data, answer.payload.len);
    struct orma_pb_field f;
    cr_assert(orma_pb_next(&r, &f));
    uint64_t all = 0;
    for (uint32_t field = ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED;
         field <= ORMA_PB_ORMA_SEQUENCE_COUNTS_UNREPORTED; field++) {
        uint64_t num = sum_of(orma_buf_str(&stats), field);

        cr_assert_eq(sum_of(orma_pb_str(&f), field), num, "field %u", field);
        all += num;
    }
    cr_assert_eq(all, 7);
    rig_resume(&s.rig);
    rig_reply_fini(&answer);
    orma_buf_fini(&args);
    orma_buf_fini(&stats);
    fixture_fini(&s);
}

/* What producers describe, more than may wait for a consumer: sent as it is taken. */
Test(traced_turns, a_large_state_is_told_to_its_end)
{
    enum { PRODUCERS = 3, SOURCES = 80, BYTES = 100000, QUERIES = 3 };
    struct fixture s;
    struct rig_producer producers[PRODUCERS];
    struct rig_reply answers[QUERIES];
    struct orma_buf args = {0};

    fixture_init(&s, false);
    size_t desc = orma_pb_begin(&args, ORMA_PB_REGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_DESCRIPTOR);
    orma_pb_put_cstr(&args, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME, "large");
    size_t filler = orma_pb_begin(&args, 999);
    memset(orma_buf_extend(&args, BYTES), 'x', BYTES);
    orma_pb_end(&args, filler);
    orma_pb_end(&args, desc);
    for (int i = 0; i < PRODUCERS; i++) {
        rig_producer_init(&producers[i], &s.rig, "large", false);
        for (int k = 0; k < SOURCES; k++)
            cr_assert(rig_ok(producers[i].client, "RegisterDataSource", &args));
    }
    for (int i = 0; i < QUERIES; i++)
        rig_send(s.consumer, "QueryServiceState", NULL, -1, &answers[i]);
    for (int i = 0; i < QUERIES; i++) {
        rig_wait(s.consumer, &answers[i]);
        cr_assert(answers[i].success);
        cr_assert_gt(answers[i].payload.len, (size_t)PRODUCERS * SOURCES * BYTES);
        rig_reply_fini(&answers[i]);
    }
    for (int i = 0; i < PRODUCERS; i++)
        rig_producer_fini(&producers[i]);
    orma_buf_fini(&args);
    fixture_fini(&s);
}
