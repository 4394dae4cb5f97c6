/*
 * The service's work, beside its floors: chunks from shared memory into the
 * central buffer (the whole CommitData request: parse, check, copy, free), and
 * packets out of it, into memory and into a file.
 *
 * "--load" instead: four producers of a real service for 30 s. "--idle": what a
 * service costs that has nothing to do.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/producers/commit.h"
#include "traced/producers/producer.h"
#include "traced/sessions/read.h"
#include "traced/sessions/session.h"
#include "traced/sessions/session_make.h"

#define SHM_SIZE ((size_t)1 << 20)
#define BATCH 64 /* chunks of one request */

/* A service without clients: one session, and a producer that exists only here. */
struct bed {
    struct traced_service *service;
    struct traced_consumer consumer;
    struct traced_session *session;
    struct traced_producer *producer;
    uint8_t *copy; /* of the ring's size, for the floor */
    size_t ring_size;
    unsigned layout, chunks_per_page, count;
    uint32_t chunk_size, chunks_num; /* of the shared memory */
    uint32_t writers;
    uint32_t *next_id; /* by writer */
    struct orma_buf request;
    bool reports;
    uint64_t emitted;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_traced: %s failed\n", what);
    exit(1);
}

static void make_session(struct bed *b, size_t ring_kb)
{
    struct orma_buf config = {0}, error = {0};
    size_t buffer = orma_pb_begin(&config, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(&config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, ring_kb);
    orma_pb_end(&config, buffer);
    if (traced_session_new(&b->service->sessions, orma_buf_str(&config), 0, -1, &b->session,
                           &error) < 0)
        die(orma_buf_cstr(&error));
    b->consumer.session = b->session;
    traced_session_begin(b->session, &b->consumer);
    orma_buf_fini(&config);
    orma_buf_fini(&error);
}

/* Packets of 15 bytes and a size, or (small false) one that fills the chunk. */
static unsigned fill_payload(uint8_t *at, uint32_t size, bool small)
{
    unsigned count = 0;

    if (!small) {
        uint8_t *end = orma_varint_write(at + 4, 0x6a);
        uint32_t body = size - 4 - 4;
        at[0] = (uint8_t)((size - 4) | 0x80), at[1] = (uint8_t)((size - 4) >> 7 | 0x80);
        at[2] = 0x80, at[3] = 0;
        end[0] = (uint8_t)(body | 0x80), end[1] = (uint8_t)(body >> 7 | 0x80), end[2] = 0;
        return 1;
    }
    for (; size >= 16; size -= 16, at += 16, count++) {
        /* As events are: time, flags, a field of data. */
        static const uint8_t packet[] = {15, 0x40, 5, 0x68, 2, 0x5a, 9};
        memcpy(at, packet, sizeof(packet));
    }
    return count;
}

static void bed_init(struct bed *b, size_t ring_kb, unsigned layout, bool small, uint32_t writers)
{
    static int number;
    char p[64], c[64];
    struct orma_buf error = {0};

    memset(b, 0, sizeof(*b));
    snprintf(p, sizeof(p), "@orma-bench-%d-%d-p", getpid(), number);
    snprintf(c, sizeof(c), "@orma-bench-%d-%d-c", getpid(), number++);
    struct traced_config config = {.producer_addrs = p, .consumer_addr = c};
    if (traced_service_new(&config, &b->service, &error) < 0)
        die(orma_buf_cstr(&error));
    orma_buf_fini(&error);
    make_session(b, ring_kb);
    b->ring_size = ring_kb << 10;
    b->copy = malloc(b->ring_size);
    memset(b->copy, 1, b->ring_size);

    struct traced_producer *prod = calloc(1, sizeof(*prod));
    b->producer = prod;
    prod->registry = &b->service->producers;
    prod->conn = calloc(1, sizeof(struct traced_conn));
    prod->id = 1;
    prod->uid = 1000;
    prod->pid = 4242;
    prod->shm_ready = true;
    orma_list_init(&prod->seqs);
    orma_map_put(&prod->targets, b->session->buffers[0].id, 1);
    void *base = mmap(NULL, SHM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || orma_shm_init(&prod->shm, base, SHM_SIZE, 4096) < 0)
        die("mmap");

    b->layout = layout;
    b->chunks_per_page = orma_shm_chunks_num(layout << 28);
    b->chunk_size = orma_shm_chunk_size(&prod->shm, layout << 28);
    b->chunks_num = prod->shm.pages_num * b->chunks_per_page;
    b->writers = writers;
    b->next_id = calloc(writers, sizeof(*b->next_id));
    for (uint32_t i = 0; i < b->chunks_num; i++) {
        uint8_t *chunk = (uint8_t *)base + (size_t)(i / b->chunks_per_page) * 4096 + 8 +
                         (size_t)(i % b->chunks_per_page) * b->chunk_size;
        b->count = fill_payload(chunk + 8, b->chunk_size - 8, small);
    }
}

static void bed_fini(struct bed *b)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &b->producer->seqs, producer_link)
        orma_list_remove(&seq->producer_link);
    munmap(b->producer->shm.base, SHM_SIZE);
    orma_map_fini(&b->producer->targets);
    orma_map_fini(&b->producer->known_seqs);
    free(b->producer->conn);
    free(b->producer);
    free(b->next_id);
    free(b->copy);
    orma_buf_fini(&b->request);
    traced_service_free(b->service);
}

static uint8_t *chunk_at(const struct bed *b, uint32_t idx)
{
    return b->producer->shm.base + (size_t)(idx / b->chunks_per_page) * 4096 + 8 +
           (size_t)(idx % b->chunks_per_page) * b->chunk_size;
}

/* The producer's side: chunks [from, from + BATCH) are complete, and named in a request. */
static void prepare(struct bed *b, uint32_t from)
{
    uint32_t header = b->layout << 28;

    for (unsigned i = 0; i < b->chunks_per_page; i++)
        header |= (uint32_t)ORMA_SHM_COMPLETE << (2 * i);
    orma_buf_clear(&b->request);
    for (uint32_t i = from; i < from + BATCH; i++) {
        struct orma_shm_chunk_header *h = (void *)chunk_at(b, i % b->chunks_num);
        uint32_t writer = i % b->writers;

        h->chunk_id = b->next_id[writer]++;
        h->writer_id = (uint16_t)(writer + 1);
        h->packets = (uint16_t)b->count;
        if (i % b->chunks_per_page == 0 || i == from)
            *orma_shm_page_header(&b->producer->shm, i % b->chunks_num / b->chunks_per_page) =
                header;
        size_t move = orma_pb_begin(&b->request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
        orma_pb_put_u64(&b->request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE,
                        i % b->chunks_num / b->chunks_per_page);
        orma_pb_put_u64(&b->request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK,
                        i % b->chunks_num % b->chunks_per_page);
        orma_pb_put_u64(&b->request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        b->session->buffers[0].id);
        orma_pb_end(&b->request, move);
    }
    b->emitted += (uint64_t)b->count * BATCH;
    if (!b->reports)
        return;
    size_t counts = orma_pb_begin(&b->request, 90001);
    orma_pb_put_u64(&b->request, 1, 1);
    orma_pb_put_u64(&b->request, 2, b->session->buffers[0].id);
    orma_pb_put_u64(&b->request, 3, b->emitted);
    orma_pb_end(&b->request, counts);
}

static void prepare_only(void *ctx, uint64_t ops)
{
    struct bed *b = ctx;

    for (uint64_t i = 0; i < ops; i += BATCH)
        prepare(b, (uint32_t)i);
}

static void commit(void *ctx, uint64_t ops)
{
    struct bed *b = ctx;

    for (uint64_t i = 0; i < ops; i += BATCH) {
        prepare(b, (uint32_t)i);
        if (traced_commit(b->producer, orma_buf_str(&b->request)) < 0)
            die("commit");
    }
}

static void copy_batch(struct bed *b, uint32_t from, size_t *at)
{
    size_t len = b->chunk_size;

    for (uint32_t k = 0; k < BATCH; k++) {
        memcpy(b->copy + *at, chunk_at(b, (from + k) % b->chunks_num), len);
        *at = *at + 2 * len < b->ring_size ? *at + len : 0;
    }
    BENCH_USE(b->copy[0]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/*
 * Only the copies, or only the commits, are timed, batch by batch; the producer's
 * part comes between. Each round's figure is the median of its batches, so that
 * a batch that was interrupted does not count.
 */
static struct bench_result time_batches(struct bed *b, uint64_t ops, bool commits)
{
    enum { ROUNDS = 7 };
    double rounds[ROUNDS], *batches = malloc(ops / BATCH * sizeof(*batches));
    size_t at = 0;

    for (int round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < ops; i += BATCH) {
            prepare(b, (uint32_t)i);
            uint64_t start = orma_clock_monotonic();
            if (!commits)
                copy_batch(b, (uint32_t)i, &at);
            else if (traced_commit(b->producer, orma_buf_str(&b->request)) < 0)
                die("commit");
            batches[i / BATCH] = (double)(orma_clock_monotonic() - start) / BATCH;
        }
        qsort(batches, ops / BATCH, sizeof(*batches), by_value);
        rounds[round] = batches[ops / BATCH / 2];
    }
    qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
    free(batches);
    return (struct bench_result){rounds[0], rounds[ROUNDS / 2]};
}

static struct bench_result minus(struct bench_result a, struct bench_result b)
{
    return (struct bench_result){a.min_ns - b.min_ns, a.median_ns - b.median_ns};
}

/* Two table rows: the floor and the commit. */
static void bench_commit(const char *what, size_t ring_kb, unsigned layout, bool small,
                         uint32_t writers, bool reports)
{
    struct bed b;
    const char *only = getenv("BENCH_ONLY"); /* part of the row's text */

    if (only && !strstr(what, only))
        return;
    bed_init(&b, ring_kb, layout, small, writers);
    uint64_t ops =
        ORMA_MAX((uint64_t)20000, (ring_kb << 10) / b.chunk_size * 5 / 4) / BATCH * BATCH;
    b.reports = reports;
    struct bench_result floor = time_batches(&b, ops, false);
    for (uint32_t i = 0; i < writers; i++) /* those chunks were never committed */
        b.next_id[i] = 0;
    commit(&b, ops); /* once around: both sides touched, and the ring is full */
    if (reports)
        ORMA_LIST_EACH (struct traced_seq, seq, &b.producer->seqs, producer_link)
            traced_seq_report(seq, UINT64_MAX / 2, 0);
    struct bench_result whole = time_batches(&b, ops, true);
    bench_print("memcpy of the same chunks", floor, NULL, b.chunk_size);
    bench_print(what, whole, &floor, b.chunk_size);
    if (!b.session->buffers[0].buf->stats.chunks_overwritten)
        die("overwriting");
    bed_fini(&b);
}

/* ---- cold: memory that nobody has touched ---- */

static void bench_cold(void)
{
    struct bed b;
    uint64_t ops = (60u << 20) / 4096 / BATCH * BATCH;
    struct bench_result cold = {1e9, 1e9}, floor = {1e9, 1e9};

    for (int round = 0; round < 5; round++) {
        struct timespec t0, t1, t2;
        uint8_t *fresh = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        bed_init(&b, 64 << 10, 1, true, 1);
        prepare_only(&b, b.chunks_num);
        b.next_id[0] = 1000000;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
        for (uint64_t i = 0; i < ops; i++)
            memcpy(fresh + i * b.chunk_size, chunk_at(&b, (uint32_t)i % b.chunks_num),
                   b.chunk_size);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
        commit(&b, ops);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t2);
        double f = ((double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec)) /
                   (double)ops,
               c = ((double)(t2.tv_sec - t1.tv_sec) * 1e9 + (double)(t2.tv_nsec - t1.tv_nsec)) /
                   (double)ops;
        floor = (struct bench_result){ORMA_MIN(floor.min_ns, f), f};
        cold = (struct bench_result){ORMA_MIN(cold.min_ns, c), c};
        BENCH_USE(fresh[0]);
        munmap(fresh, 64 << 20);
        bed_fini(&b);
    }
    bench_print("memcpy into never touched memory", floor, NULL, 4088);
    bench_print("commit into a never touched buffer", cold, &floor, 4088);
}

/* ---- out again ---- */

struct reading {
    struct bed bed;
    struct orma_buf out;
    uint64_t packets;
    int fd;
    bool large;
};

/* `ops` packets: committed, read, thrown away. */
static void commit_and_read(void *ctx, uint64_t ops)
{
    struct reading *r = ctx;

    for (uint64_t done = 0; done < ops;) {
        commit(&r->bed, 64 * BATCH);
        done += (uint64_t)64 * BATCH * r->bed.count;
        int more = 1;
        while (more == 1) {
            orma_buf_clear(&r->out);
            more = traced_session_read(r->bed.session, &r->out, (size_t)1 << 20, UINT64_MAX);
            if (r->fd >= 0 && write(r->fd, r->out.data, r->out.len) < 0)
                die("write");
        }
        if (r->fd >= 0 && lseek(r->fd, 0, SEEK_SET) < 0)
            die("lseek");
    }
}

static void commit_only(void *ctx, uint64_t ops)
{
    struct reading *r = ctx;

    for (uint64_t done = 0; done < ops; done += (uint64_t)64 * BATCH * r->bed.count)
        commit(&r->bed, 64 * BATCH);
}

/* The same bytes in large blocks, from memory that was touched. */
static void write_plainly(void *ctx, uint64_t ops)
{
    struct reading *r = ctx;
    size_t per_round = (size_t)64 * BATCH * r->bed.chunk_size;

    for (uint64_t done = 0; done < ops;) {
        done += (uint64_t)64 * BATCH * r->bed.count;
        for (size_t at = 0; at < per_round; at += (size_t)1 << 20)
            if (write(r->fd, r->bed.copy + at, (size_t)1 << 20) < 0)
                die("write");
        if (lseek(r->fd, 0, SEEK_SET) < 0)
            die("lseek");
    }
}

static void bench_reading(bool small)
{
    struct reading r = {.fd = -1};
    struct stat_result {
        struct bench_result commit, read, file, plain;
    } res;
    char path[] = "/tmp/orma-bench-XXXXXX";

    bed_init(&r.bed, 64 << 10, 1, small, 1);
    r.bed.reports = true;
    uint64_t ops = (uint64_t)64 * BATCH * r.bed.count;
    commit_and_read(&r, 4 * ops);
    /* What a commit costs when what it replaces was read: the reading would be free otherwise. */
    res.read = bench_run(commit_and_read, &r, ops);
    struct traced_buffer *buf = r.bed.session->buffers[0].buf;
    (void)buf;
    res.commit = bench_run(commit_only, &r, ops);
    res.read = minus(res.read, res.commit);
    r.fd = mkostemp(path, O_CLOEXEC);
    if (r.fd < 0)
        die(path);
    unlink(path);
    commit_and_read(&r, 4 * ops);
    res.file = minus(bench_run(commit_and_read, &r, ops), res.commit);
    res.plain = bench_run(write_plainly, &r, ops);
    double bytes = (double)r.bed.chunk_size / r.bed.count;
    bench_print("plain write of 1 MiB blocks", res.plain, NULL, bytes);
    bench_print(small ? "read, a packet of 15 bytes" : "read, a packet of 4 KiB", res.read,
                &res.plain, bytes);
    bench_print("read and written into a file", res.file, &res.plain, bytes);
    orma_buf_clear(&r.out);
    commit(&r.bed, BATCH);
    traced_session_read(r.bed.session, &r.out, (size_t)8 << 20, UINT64_MAX);
    if (small)
        printf("bytes in the file for a packet of 15 bytes: %.1f (trusted fields %u, framing 2)\n",
               (double)r.out.len / ((double)BATCH * r.bed.count),
               traced_buffer_find(r.bed.session->buffers[0].buf, 1, 1)->trailer_len);
    close(r.fd);
    orma_buf_fini(&r.out);
    bed_fini(&r.bed);
}

int main(void)
{
    bench_title("commit of a 4 KiB chunk, ring of 64 MiB, everything touched before");
    bench_commit("commit, packets of 15 bytes, Orma's writers", 64 << 10, 1, true, 1, true);
    bench_commit("commit, packets of 15 bytes, other writers", 64 << 10, 1, true, 1, false);
    bench_commit("commit, one packet in each chunk", 64 << 10, 1, false, 1, false);
    bench_title("the same, 1 MiB ring");
    bench_commit("commit, packets of 15 bytes, Orma's writers", 1 << 10, 1, true, 1, true);
    bench_title("commit of a 4 KiB chunk, whoever touches first");
    if (!getenv("BENCH_ONLY"))
        bench_cold();
    bench_title("commit of a chunk of 292 bytes, 14 in a page");
    bench_commit("ring of 1 MiB", 1 << 10, 5, true, 1, true);
    bench_commit("ring of 64 MiB", 64 << 10, 5, true, 1, true);
    bench_commit("ring of 64 MiB, 100 sequences", 64 << 10, 5, true, 100, true);
    bench_commit("ring of 64 MiB, 10,000 sequences", 64 << 10, 5, true, 10000, true);
    bench_commit("ring of 64 MiB, other writers", 64 << 10, 5, true, 1, false);
    bench_title("reading, per packet");
    if (getenv("BENCH_ONLY"))
        return 0;
    bench_reading(true);
    bench_reading(false);
    return 0;
}
