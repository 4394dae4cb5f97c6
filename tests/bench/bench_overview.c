/*
 * One page: what each stage after the event costs, beside its floor. Chunk into
 * the central buffer; packets out of it; trace into tables; rows out through SQL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/processor.h"
#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"
#include "traced/buffers/buffer.h"

#define CHUNK_PAYLOAD (ORMA_SHM_PAGE_DEFAULT - ORMA_SHM_PAGE_HEADER - ORMA_SHM_CHUNK_HEADER)
#define PACKET_SIZE 15
#define CHUNKS 4096 /* 16 MiB */
#define RING_SIZE ((size_t)64 << 20)
#define EVENTS 400000

/* ---- commit and read back ---- */

struct commit {
    uint8_t *shm; /* all chunks, one after the other */
    uint8_t *copy;
    struct traced_buffer *ring;
    struct traced_seq *seq;
    uint32_t next_id;
    unsigned packets_per_chunk;
};

static void commit_init(struct commit *c)
{
    c->shm = malloc((size_t)CHUNKS * CHUNK_PAYLOAD);
    c->copy = malloc(RING_SIZE);
    memset(c->copy, 0, RING_SIZE);
    if (traced_buffer_new(RING_SIZE, TRACED_RING, &c->ring) < 0)
        exit(1);
    c->seq = traced_buffer_seq(c->ring, 1, 1);
    traced_seq_report(c->seq, UINT64_MAX / 2, 0); /* as Orma's writers do */
    c->packets_per_chunk = CHUNK_PAYLOAD / (PACKET_SIZE + 1);
    for (size_t i = 0; i < CHUNKS; i++) {
        uint8_t *at = c->shm + i * CHUNK_PAYLOAD;

        for (unsigned p = 0; p < c->packets_per_chunk; p++, at += PACKET_SIZE + 1) {
            at[0] = PACKET_SIZE;
            at[1] = 0x6a; /* interned_data, so that it is a packet of one whole field */
            at[2] = PACKET_SIZE - 2;
            memset(at + 3, 0, PACKET_SIZE - 2);
        }
    }
}

static void copy_chunks(void *ctx, uint64_t ops)
{
    struct commit *c = ctx;
    size_t at = 0;

    for (uint64_t i = 0; i < ops; i++) {
        memcpy(c->copy + at, c->shm + (i % CHUNKS) * CHUNK_PAYLOAD, CHUNK_PAYLOAD);
        at = at + 2 * CHUNK_PAYLOAD < RING_SIZE ? at + CHUNK_PAYLOAD : 0;
    }
    BENCH_USE(c->copy[0]);
}

static void commit_chunks(void *ctx, uint64_t ops)
{
    struct commit *c = ctx;

    for (uint64_t i = 0; i < ops; i++) {
        struct traced_chunk chunk = {
            .chunk_id = c->next_id++,
            .packets = (uint16_t)c->packets_per_chunk,
            .complete = true,
            .payload = c->shm + (i % CHUNKS) * CHUNK_PAYLOAD,
            .payload_size = CHUNK_PAYLOAD,
        };
        traced_buffer_write(c->ring, c->seq, &chunk);
    }
}

/* Commit and read: what a streaming session does with each chunk. `ops` packets. */
static void commit_and_read(void *ctx, uint64_t ops)
{
    struct commit *c = ctx;
    struct traced_packet packet;
    size_t bytes = 0;

    commit_chunks(c, ops / c->packets_per_chunk);
    traced_buffer_read_begin(c->ring);
    while (traced_buffer_read(c->ring, &packet))
        bytes += packet.len;
    BENCH_USE(bytes);
}

static void bench_commit(void)
{
    struct commit c = {0};

    commit_init(&c);
    bench_title("service: one chunk of 4 KiB into a ring of 64 MiB");
    struct bench_result floor = bench_run(copy_chunks, &c, 2 * CHUNKS);
    bench_print("memcpy of the same chunks", floor, NULL, CHUNK_PAYLOAD);
    bench_print("commit", bench_run(commit_chunks, &c, 2 * CHUNKS), &floor, CHUNK_PAYLOAD);

    uint64_t packets = (uint64_t)CHUNKS * c.packets_per_chunk;
    struct bench_result per_packet = {floor.min_ns / c.packets_per_chunk,
                                      floor.median_ns / c.packets_per_chunk};
    bench_title("service: one packet of 15 bytes, in and out again");
    bench_print("memcpy of its share", per_packet, NULL, PACKET_SIZE);
    traced_buffer_clear(c.ring);
    bench_print("commit and read", bench_run(commit_and_read, &c, packets), &per_packet,
                PACKET_SIZE);
    traced_buffer_free(c.ring);
    free(c.copy);
    free(c.shm);
}

/* ---- import and scan ---- */

static struct orma_buf trace;

static void put_event(uint64_t ts, uint32_t type, uint32_t name)
{
    size_t packet = orma_pb_begin(&trace, 1);

    orma_pb_put_u64(&trace, 8, ts);
    orma_pb_put_u64(&trace, 10, 2); /* trusted_packet_sequence_id */
    orma_pb_put_u64(&trace, 13, 2); /* needs incremental state */
    size_t event = orma_pb_begin(&trace, 11);
    orma_pb_put_u64(&trace, 9, type);
    if (name)
        orma_pb_put_u64(&trace, 10, name);
    orma_pb_end(&trace, event);
    orma_pb_end(&trace, packet);
}

static void make_trace(void)
{
    size_t packet = orma_pb_begin(&trace, 1);

    orma_pb_put_u64(&trace, 10, 2);
    orma_pb_put_u64(&trace, 13, 1); /* state cleared */
    size_t defaults = orma_pb_begin(&trace, 59);
    size_t te = orma_pb_begin(&trace, 11);
    orma_pb_put_u64(&trace, 11, 7); /* track_uuid */
    orma_pb_end(&trace, te);
    orma_pb_end(&trace, defaults);
    size_t interned = orma_pb_begin(&trace, 12);
    for (unsigned i = 1; i <= 50; i++) {
        char name[32];
        size_t entry = orma_pb_begin(&trace, 2);

        snprintf(name, sizeof(name), "slice %u", i);
        orma_pb_put_u64(&trace, 1, i);
        orma_pb_put_cstr(&trace, 2, name);
        orma_pb_end(&trace, entry);
    }
    orma_pb_end(&trace, interned);
    orma_pb_end(&trace, packet);
    for (uint64_t i = 0; i < EVENTS / 4; i++) { /* two nested slices each */
        put_event(1000 + i * 400, 1, (uint32_t)(i % 50) + 1);
        put_event(1100 + i * 400, 1, (uint32_t)(i % 7) + 1);
        put_event(1200 + i * 400, 2, 0);
        put_event(1300 + i * 400, 2, 0);
    }
}

/* Looks at every field of every packet and keeps the times: no importer can do less. */
static void decode_trace(void *ctx, uint64_t ops)
{
    struct orma_pb_reader r = orma_pb_reader(trace.data, trace.len);
    struct orma_pb_field packet, f, g;
    uint64_t *times = ctx, num = 0;

    while (num < ops && orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        while (orma_pb_next(&p, &f)) {
            if (f.id == 8)
                times[num++] = f.num;
            struct orma_pb_reader e = orma_pb_sub(&f);
            while (f.id == 11 && orma_pb_next(&e, &g))
                BENCH_USE(g.num);
        }
    }
}

static struct orma_processor *load(void)
{
    struct orma_processor *tp;

    if (orma_processor_new(NULL, &tp) < 0 || orma_processor_feed(tp, trace.data, trace.len) < 0 ||
        orma_processor_finish(tp) < 0) {
        fprintf(stderr, "cannot load the trace that we made\n");
        exit(1);
    }
    return tp;
}

static void import_trace(void *ctx, uint64_t ops)
{
    (void)ctx;
    (void)ops;
    orma_processor_free(load());
}

struct scan {
    struct orma_processor *tp;
    int64_t *plain;
};

static void plain_sum(void *ctx, uint64_t ops)
{
    struct scan *s = ctx;
    int64_t sum = 0;

    for (uint64_t i = 0; i < ops; i++)
        sum += s->plain[i];
    BENCH_USE(sum);
}

static void sql_sum(void *ctx, uint64_t ops)
{
    struct scan *s = ctx;
    struct orma_query *q;
    const char *rest;

    (void)ops;
    if (orma_query_prepare(s->tp, "SELECT sum(dur) FROM slice", SIZE_MAX, &q, &rest) ||
        orma_query_step(q) != 1)
        exit(1);
    BENCH_USE(orma_query_int64(q, 0));
    orma_query_free(q);
}

static void bench_import(void)
{
    uint64_t *times = malloc(EVENTS * sizeof(*times));
    struct scan s = {.plain = calloc(EVENTS / 2, sizeof(*s.plain))};
    double bytes = (double)trace.len / EVENTS;

    bench_title("processor: one track event of a trace with interned names");
    struct bench_result floor = bench_run(decode_trace, times, EVENTS);
    bench_print("decode every field, keep the time", floor, NULL, bytes);
    bench_print("import into tables", bench_run_process(import_trace, NULL, EVENTS), &floor, bytes);

    s.tp = load();
    bench_title("processor: one row of a column summed up");
    struct bench_result sum = bench_run(plain_sum, &s, EVENTS / 2);
    bench_print("plain C", sum, NULL, sizeof(int64_t));
    bench_print("SELECT sum(dur) FROM slice", bench_run(sql_sum, &s, EVENTS / 2), &sum,
                sizeof(int64_t));
    orma_processor_free(s.tp);
    free(s.plain);
    free(times);
}

int main(void)
{
    bench_commit();
    make_trace();
    bench_import();
    orma_buf_fini(&trace);
    return 0;
}
