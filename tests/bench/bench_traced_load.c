/*
 * A service under load: four producers at 50 MB/s each into a ring, for 30 s
 * (BENCH_SECONDS in the environment), with 1 MiB of shared memory for each.
 * Prints what was lost on the way into the service, and what the service used.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orma/orma.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/ipc/client.h"
#include "sdk/wire/pb_writer.h"
#include "traced/service.h"

#define PRODUCERS 4
#define RATE ((uint64_t)50 * 1000 * 1000)
#define PACKET 1000
#define TICK_NS 1000000

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("load", &ops, NULL);

static void die(const char *what)
{
    fprintf(stderr, "bench_traced_load: %s failed\n", what);
    exit(1);
}

/* ---- a producer ---- */

static void write_one(const uint8_t *bytes)
{
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);
        orma_packet_bytes(p, 900, bytes, PACKET);
        orma_ds_packet_end(p);
    }
}

static int produce(const char *addr, unsigned seconds)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    uint8_t bytes[PACKET];
    char name[32];

    snprintf(name, sizeof(name), "load.%d", getpid());
    memset(bytes, 'x', sizeof(bytes));
    args.name = name;
    args.socket = addr;
    args.shm_size_kb = 1024;
    args.connect_wait_ms = 20000;
    orma_data_source_register(&source);
    if (orma_init(&args) < 0)
        return 1;
    while (!__atomic_load_n(&source.enabled, __ATOMIC_RELAXED))
        poll(NULL, 0, 1); /* until the session wants it */
    uint64_t start = orma_clock_monotonic(), end = start + seconds * UINT64_C(1000000000), sent = 0;
    for (uint64_t now = start; now < end; now = orma_clock_monotonic()) {
        for (uint64_t due = (now - start) * (RATE / 1000000) / 1000; sent < due; sent += PACKET)
            write_one(bytes);
        struct timespec tick = {0, TICK_NS};
        nanosleep(&tick, NULL);
    }
    orma_flush(10000);
    orma_shutdown();
    return 0;
}

/* ---- the consumer ---- */

struct reply {
    bool done, success;
    struct orma_buf payload;
};

static void on_reply(void *ctx, bool success, bool has_more, struct orma_str payload)
{
    struct reply *r = ctx;

    r->success = success;
    r->done = !has_more;
    orma_buf_put(&r->payload, payload.data, payload.len);
}

static void call(struct orma_ipc_client *c, const char *method, const struct orma_buf *args,
                 struct reply *r)
{
    *r = (struct reply){0};
    if (orma_ipc_client_invoke(c, method, args ? args->data : NULL, args ? args->len : 0, -1,
                               on_reply, r) < 0)
        die(method);
}

static void wait_for(struct orma_ipc_client *c, struct reply *r)
{
    while (!r->done)
        if (orma_ipc_client_wait(c, 60000) < 0)
            die("waiting");
}

static void enable(struct orma_ipc_client *c, struct reply *r)
{
    struct orma_buf args = {0};
    size_t config = orma_pb_begin(&args, ORMA_PB_ENABLE_TRACING_REQUEST_TRACE_CONFIG);
    size_t buffer = orma_pb_begin(&args, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(&args, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, 64 << 10);
    orma_pb_end(&args, buffer);
    size_t entry = orma_pb_begin(&args, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
    size_t ds = orma_pb_begin(&args, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);
    orma_pb_put_cstr(&args, ORMA_PB_DATA_SOURCE_CONFIG_NAME, "load");
    orma_pb_end(&args, ds);
    orma_pb_end(&args, entry);
    orma_pb_end(&args, config);
    call(c, "EnableTracing", &args, r);
    orma_buf_fini(&args);
}

struct sums {
    uint64_t emitted, dropped, chunks;
};

static void add_stats(struct orma_pb_reader r, struct sums *s)
{
    struct orma_pb_field f, sub;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader m = orma_pb_sub(&f);

        while ((f.id == 90001 || f.id == 1) && orma_pb_next(&m, &sub)) {
            s->emitted += f.id == 90001 && sub.id == 5 ? orma_pb_u64(&sub) : 0;
            s->dropped += f.id == 90001 && sub.id == 7 ? orma_pb_u64(&sub) : 0;
            s->chunks += f.id == 1 && sub.id == 2 ? orma_pb_u64(&sub) : 0;
        }
    }
}

static void *serve(void *service)
{
    traced_service_run(service);
    return NULL;
}

static double cpu_of(pthread_t thread)
{
    clockid_t clock;
    struct timespec ts;

    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &ts) < 0)
        return 0;
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(void)
{
    const char *text = getenv("BENCH_SECONDS");
    unsigned seconds = text ? (unsigned)atoi(text) : 30;
    char p[64], c[64];
    pid_t pids[PRODUCERS];
    struct traced_service *service;
    struct orma_ipc_client *client;
    struct reply enabled, reply;
    struct sums sums = {0};
    pthread_t thread;

    snprintf(p, sizeof(p), "@orma-load-%d-p", getpid());
    snprintf(c, sizeof(c), "@orma-load-%d-c", getpid());
    struct traced_config config = {.producer_addrs = p, .consumer_addr = c};
    if (traced_service_new(&config, &service, NULL) < 0)
        die("the service");
    for (int i = 0; i < PRODUCERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(produce(p, seconds));
    }
    pthread_create(&thread, NULL, serve, service);
    if (orma_ipc_client_new(c, "ConsumerPort", &client) < 0 ||
        orma_ipc_client_wait_bound(client, 10000) < 0)
        die("connecting");
    enable(client, &enabled);
    double before = cpu_of(thread);
    uint64_t start = orma_clock_monotonic();
    bool failed = false;
    /* The statistics are asked for when the producers have flushed and before they are gone. */
    for (int i = 0; i < PRODUCERS; i++) {
        int status;

        waitpid(pids[i], &status, 0);
        failed |= status != 0;
    }
    double took = (double)(orma_clock_monotonic() - start) / 1e9, cpu = cpu_of(thread) - before;
    call(client, "GetTraceStats", NULL, &reply);
    wait_for(client, &reply);
    struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
    struct orma_pb_field f;
    while (orma_pb_next(&r, &f))
        add_stats(orma_pb_sub(&f), &sums);
    printf("\nservice: %d producers at %.0f MB/s each for %u s, 1 MiB of shared memory, ring of 64 "
           "MiB\n",
           PRODUCERS, (double)RATE / 1e6, seconds);
    printf("packets of %d bytes emitted         %10llu (%.1f MB/s)\n", PACKET,
           (unsigned long long)sums.emitted, (double)sums.emitted * PACKET / 1e6 / took);
    printf("lost in shared memory                 %10llu\n", (unsigned long long)sums.dropped);
    printf("chunks                                %10llu\n", (unsigned long long)sums.chunks);
    printf("CPU of the service                    %9.1f%% of one (%.0f ns for each chunk)\n",
           cpu / took * 100, sums.chunks ? cpu * 1e9 / (double)sums.chunks : 0);
    orma_ipc_client_forget(client, &enabled);
    orma_ipc_client_free(client);
    orma_buf_fini(&reply.payload);
    orma_buf_fini(&enabled.payload);
    traced_service_stop(service);
    pthread_join(thread, NULL);
    traced_service_free(service);
    if (failed)
        die("a producer");
    return 0;
}
