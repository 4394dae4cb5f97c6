/*
 * The pipe of the import: what one thread puts the other gets, in order, whoever is slow, and
 * whoever leaves early. Then whole imports with the second thread beside those without,
 * of kernel events, of packed traces with threads that unpack, and of JSON with threads that look
 * ahead. Where there are test points, they yield and sleep.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "processor/read/pipe.h"
#include "sdk/base/hash.h"
#include "tests/support/both_ways.h"

#define ITEMS 200000
#define TRACES 30
#define CHOICES 6000
#define JSON_TRACES 6
#define JSON_BYTES ((size_t)1500 << 10)

struct pace {
    unsigned worker_rests, caller_rests; /* after so many items; 0: never */
    unsigned caller_stops;               /* 0: never */
};

void orma_testpoint(const char *what);
void orma_testpoint(const char *what)
{
    static _Thread_local uint64_t state;
    const struct timespec nap = {0, 50000};

    (void)what;
    state = orma_mix64(state + (uintptr_t)&state + 1);
    if (state % 8 == 0)
        sched_yield();
    else if (state % 8 == 1)
        nanosleep(&nap, NULL);
}

static void rest(unsigned every, uint64_t at)
{
    const struct timespec nap = {0, 30000};

    if (every && at % every == every - 1)
        nanosleep(&nap, NULL);
}

static void put_items(struct orma_pipe *pipe, void *data)
{
    const struct pace *pace = data;

    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t *slot = orma_pipe_put(pipe);

        if (!slot)
            return;
        slot[0] = i;
        slot[1] = orma_mix64(i);
        rest(pace->worker_rests, i);
    }
}

static void run_pipe(struct pace pace)
{
    struct orma_pipe *pipe = orma_pipe_start(2 * sizeof(uint64_t), put_items, &pace);
    const uint64_t *got = NULL;
    uint64_t seen = 0;

    if (!pipe)
        exit(77);
    while ((!pace.caller_stops || seen < pace.caller_stops) && (got = orma_pipe_get(pipe))) {
        if (got[0] != seen || got[1] != orma_mix64(seen)) {
            fprintf(stderr, "item %llu is another one\n", (unsigned long long)seen);
            exit(1);
        }
        rest(pace.caller_rests, seen++);
    }
    orma_pipe_stop(pipe);
    if (!pace.caller_stops && seen != ITEMS) {
        fprintf(stderr, "%llu items arrived\n", (unsigned long long)seen);
        exit(1);
    }
}

static void run_import(unsigned seed)
{
    static uint8_t choices[CHOICES];
    struct orma_buf trace = {0};
    uint64_t state = seed;

    for (unsigned i = 0; i < CHOICES; i++)
        choices[i] = (uint8_t)(state = orma_mix64(state + i));
    both_ways_trace(&trace, choices, CHOICES);
    const char *differ = both_ways_differ(trace.data, trace.len, 0);
    if (!differ)
        differ = both_ways_threads_differ(trace.data, trace.len, 0);
    if (differ) {
        fprintf(stderr, "trace %u: %s\n", seed, differ);
        exit(1);
    }
    orma_buf_fini(&trace);
}

/* Kernel events, alone and among track events. */
static void run_kernel(unsigned seed)
{
    static uint8_t choices[CHOICES / 10];
    struct orma_buf trace = {0};
    uint64_t state = seed;

    for (unsigned i = 0; i < sizeof(choices); i++)
        choices[i] = (uint8_t)(state = orma_mix64(state + i));
    if (seed % 2)
        both_ways_trace(&trace, choices, sizeof(choices));
    both_ways_kernel(&trace, seed);
    const char *differ = both_ways_threads_differ(trace.data, trace.len, seed % 3 ? 0 : 5000);
    if (differ) {
        fprintf(stderr, "kernel events %u: %s\n", seed, differ);
        exit(1);
    }
    orma_buf_fini(&trace);
}

/* Several threads that unpack, beside the one that reads. */
static void run_packed(unsigned seed)
{
    static uint8_t choices[CHOICES];
    struct orma_buf trace = {0}, packed = {0};
    struct both_ways_zip zip = {0};
    uint64_t state = seed;
    const char *differ = NULL;

    for (unsigned i = 0; i < CHOICES; i++)
        choices[i] = (uint8_t)(state = orma_mix64(state + i));
    both_ways_trace(&trace, choices, CHOICES);
    if (both_ways_compress(&packed, trace.data, trace.len, seed))
        differ = both_ways_threads_differ(packed.data, packed.len, seed % 3 ? 0 : 1000 + seed);
    for (unsigned i = 0; i < 2 + seed % 5; i++) {
        char name[32];

        snprintf(name, sizeof(name), "%u.pftrace", i * 7 % 5);
        (void)both_ways_zip_add(&zip, name, orma_buf_str(packed.len && i % 2 ? &packed : &trace),
                                seed + i);
    }
    both_ways_zip_end(&zip);
    if (!differ && zip.num)
        differ = both_ways_threads_differ(zip.bytes.data, zip.bytes.len, 0);
    if (differ) {
        fprintf(stderr, "packed trace %u: %s\n", seed, differ);
        exit(1);
    }
    both_ways_zip_fini(&zip);
    orma_buf_fini(&trace);
    orma_buf_fini(&packed);
}

/* Events with args of all lengths, which look like other events here and there, and damage. */
static void put_json_event(struct orma_buf *out, uint64_t *state, int64_t ts)
{
    static const char *const values[] = {"1",
                                         "[1,2,{\"a\":null}]",
                                         "\"some text\"",
                                         "{\"args\":{\"b\":[{\"c\":1},{\"c\":2}]}}",
                                         "\"}, {\\\"ph\\\": \\\"X\\\", {\"",
                                         "{}",
                                         "null",
                                         "1.5e3",
                                         "tru",
                                         "\"\\u12"};
    const uint64_t now = *state = orma_mix64(*state + 1);
    char text[256];

    snprintf(
        text, sizeof(text),
        "%s{\"ph\":\"%c\",\"name\":\"n%u\",\"ts\":%lld,\"dur\":%u,\"pid\":1,\"tid\":%u,\"args\":{",
        now % 7 ? ",\n" : " , ", "XXXBEiX"[now / 7 % 7], (unsigned)(now >> 20) % 50, (long long)ts,
        (unsigned)(now >> 30) % 40, (unsigned)(now >> 40) % 5);
    orma_buf_put(out, text, strlen(text));
    for (unsigned i = 0, num = (unsigned)(now >> 50) % 9; i < num; i++) {
        const uint64_t which = *state = orma_mix64(*state + 2);

        /* The last two are damage. */
        snprintf(text, sizeof(text), "%s\"k%u\":%s", i ? "," : "", i,
                 values[which % (which >> 20 & 1023 ? 8 : 10)]);
        orma_buf_put(out, text, strlen(text));
    }
    snprintf(text, sizeof(text), "%s", now >> 13 & 1023 ? "}}" : "]}");
    orma_buf_put(out, text, strlen(text));
}

/* Others look at events ahead. */
static void run_json(unsigned seed)
{
    struct orma_buf json = {0};
    uint64_t state = seed;
    int64_t ts = 0;

    orma_buf_put(&json, "{\"traceEvents\":[{}", 18);
    while (json.len < JSON_BYTES)
        put_json_event(&json, &state, ts += (int64_t)(state % 30));
    if (seed % 3)
        orma_buf_put(&json, "],\"metadata\":{}}", 16);
    const char *differ = both_ways_threads_differ(json.data, json.len, seed % 2 ? 0 : 700000);
    if (differ) {
        fprintf(stderr, "JSON %u: %s\n", seed, differ);
        exit(1);
    }
    orma_buf_fini(&json);
}

static bool run_file(const char *path)
{
    FILE *f = fopen(path, "re");
    struct orma_buf bytes = {0};
    const char *differ = f ? NULL : "cannot be opened";
    char block[65536];

    for (size_t n; f && (n = fread(block, 1, sizeof(block), f));)
        orma_buf_put(&bytes, block, n);
    if (f)
        fclose(f);
    if (!differ)
        differ = both_ways_threads_differ(bytes.data, bytes.len, 0);
    if (differ)
        fprintf(stderr, "%s: %s\n", path, differ);
    orma_buf_fini(&bytes);
    return !differ;
}

int main(int argc, char **argv)
{
    static const struct pace paces[] = {{0, 0, 0},     {500, 0, 0},    {0, 500, 0},
                                        {700, 900, 0}, {20000, 50, 0}, {50, 20000, 0},
                                        {0, 0, 1},     {900, 0, 5000}, {0, 700, 60000}};

    bool all_alike = true;

    for (int i = 1; i < argc; i++)
        all_alike &= run_file(argv[i]);
    if (argc > 1)
        return !all_alike;
    for (unsigned i = 0; i < sizeof(paces) / sizeof(paces[0]); i++)
        run_pipe(paces[i]);
    for (unsigned seed = 1; seed <= TRACES; seed++) {
        run_import(seed);
        run_kernel(seed);
        run_packed(seed);
        if (seed <= JSON_TRACES)
            run_json(seed);
    }
    return 0;
}
