/*
 * OpenTelemetry's process context, a mapping that profilers find by its name,
 *
 *   [signature 8][version u32][payload size u32][published at u64][payload *] ──► ProcessContext
 *                                               ^ 0: being changed
 *
 * and its thread context, a thread-local pointer that they find by its name:
 *
 *   otel_thread_ctx_v1 ──► [trace id 16][span id 8][valid u8][0 u8][attributes u16, 0]
 *
 * Readers look from another process, or from an interrupt: what they see half-written says so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "orma/context.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/wire/pb_writer.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#define NAME "OTEL_CTX"
#define PAGE 4096u
#define PAYLOAD_MAX 8192u
#define VERSION 2u
/* Fields of ProcessContext, Resource, KeyValue, AnyValue. */
#define CONTEXT_RESOURCE 1u
#define CONTEXT_EXTRA 2u
#define RESOURCE_ATTRIBUTES 1u
#define KEY_VALUE_KEY 1u
#define KEY_VALUE_VALUE 2u
#define ANY_VALUE_STRING 1u

struct header {
    char signature[8];
    uint32_t version;
    uint32_t payload_size;
    _Atomic uint64_t published_ns;
    const void *payload;
};
_Static_assert(offsetof(struct header, payload) == 24, "what readers expect");

struct thread_context {
    uint8_t trace_id[ORMA_TRACE_ID_LEN];
    uint8_t span_id[ORMA_SPAN_ID_LEN];
    _Atomic uint8_t valid;
    uint8_t reserved;
    uint16_t attributes_size;
};
_Static_assert(sizeof(struct thread_context) == 28, "what readers expect");

__thread void *otel_thread_ctx_v1;
static __thread struct thread_context record;

static struct {
    pthread_mutex_t lock;
    struct header *header; /* NULL: nothing is published */
    void *payload;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the process ---- */

/* The mapping is not in the child, and what it pointed to is another process' context. */
static void forget(void)
{
    free(g.payload);
    g.header = NULL;
    g.payload = NULL;
}

static void before_fork(void)
{
    orma_guard_lock(&g.lock);
}

static void after_fork(void)
{
    orma_guard_unlock(&g.lock);
}

static void in_child(void)
{
    (void)pthread_mutex_init(&g.lock, NULL); /* its owner is the parent's thread */
    forget();
}

/* A file that nobody can open has a name in all kernels; anonymous memory has one in some. */
static void *map_page(void)
{
    int fd = memfd_create(NAME, MFD_CLOEXEC);
    void *page = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, PAGE) == 0)
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (page == MAP_FAILED)
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, PAGE, MADV_DONTFORK) < 0) { /* a child must not pass for its parent */
        (void)munmap(page, PAGE);
        return NULL;
    }
    (void)prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, page, (size_t)PAGE, NAME); /* else by the file */
    return page;
}

static void put_attribute(struct orma_buf *b, uint32_t field, const char *key, const char *value)
{
    size_t at = orma_pb_begin(b, field);

    orma_pb_put_cstr(b, KEY_VALUE_KEY, key);
    size_t in = orma_pb_begin(b, KEY_VALUE_VALUE);
    orma_pb_put_cstr(b, ANY_VALUE_STRING, value);
    orma_pb_end(b, in);
    orma_pb_end(b, at);
}

static void put_context(struct orma_buf *b, const struct orma_attribute *attributes, size_t num)
{
    size_t at = orma_pb_begin(b, CONTEXT_RESOURCE);

    for (size_t i = 0; i < num && b->len <= PAYLOAD_MAX; i++)
        put_attribute(b, RESOURCE_ATTRIBUTES, attributes[i].key, attributes[i].value);
    orma_pb_end(b, at);
    /* Says that threads have contexts, and of which kind. */
    put_attribute(b, CONTEXT_EXTRA, "threadlocal.schema_version", "tlsdesc_v1_dev");
}

/* Takes the payload. Readers that began before see that it has changed. */
static int show(void *payload, size_t len)
{
    void *old = g.payload;

    if (!g.header) {
        orma_fork_watch(before_fork, after_fork, in_child);
        g.header = map_page();
    }
    if (!g.header)
        return -ENOMEM;
    uint64_t before = atomic_load_explicit(&g.header->published_ns, memory_order_relaxed);
    uint64_t now = orma_clock_boottime();
    atomic_store_explicit(&g.header->published_ns, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* the 0 is seen before what follows changes */
    memcpy(g.header->signature, NAME, sizeof(g.header->signature));
    g.header->version = VERSION;
    g.header->payload_size = (uint32_t)len;
    g.header->payload = g.payload = payload;
    /* release: whoever sees the time sees the rest. */
    atomic_store_explicit(&g.header->published_ns, now > before ? now : before + 1,
                          memory_order_release);
    free(old);
    return 0;
}

int orma_context_publish(const struct orma_attribute *attributes, size_t num)
{
    ORMA_HUSHED;
    ORMA_AUTO(orma_buf_fini) struct orma_buf b = {0};

    for (size_t i = 0; i < num; i++) {
        if (!attributes[i].key || !attributes[i].value)
            return -EINVAL;
    }
    put_context(&b, attributes, num);
    if (b.failed)
        return -ENOMEM;
    if (b.len > PAYLOAD_MAX)
        return -E2BIG;
    void *payload = malloc(b.len);
    if (!payload)
        return -ENOMEM;
    memcpy(payload, b.data, b.len);
    (void)orma_fork_check();
    orma_guard_lock(&g.lock);
    int r = show(payload, b.len);
    orma_guard_unlock(&g.lock);
    if (r < 0)
        free(payload);
    return r;
}

void orma_context_withdraw(void)
{
    ORMA_HUSHED;

    (void)orma_fork_check();
    orma_guard_lock(&g.lock);
    if (g.header)
        (void)munmap(g.header, PAGE);
    forget();
    orma_guard_unlock(&g.lock);
}

/* ---- threads ---- */

void orma_context_set(const uint8_t trace_id[ORMA_TRACE_ID_LEN],
                      const uint8_t span_id[ORMA_SPAN_ID_LEN])
{
    atomic_store_explicit(&record.valid, 0, memory_order_relaxed);
    /* release: the 0 is written before the ids, which is all that is asked; nothing is read. */
    atomic_thread_fence(memory_order_release);
    memcpy(record.trace_id, trace_id, sizeof(record.trace_id));
    memcpy(record.span_id, span_id, sizeof(record.span_id));
    /* release: a reader that sees it valid sees these ids, or newer ones. */
    atomic_store_explicit(&record.valid, 1, memory_order_release);
    otel_thread_ctx_v1 = &record;
}

void orma_context_clear(void)
{
    atomic_store_explicit(&record.valid, 0, memory_order_release);
    otel_thread_ctx_v1 = NULL;
}

/* Two lower-case digits; -1: they are none. */
static int hex_byte(const char *text)
{
    int val = 0;

    for (int i = 0; i < 2; i++) {
        char c = text[i];

        if (c >= '0' && c <= '9')
            val = val * 16 + c - '0';
        else if (c >= 'a' && c <= 'f')
            val = val * 16 + c - 'a' + 10;
        else
            return -1;
    }
    return val;
}

/* False: other characters, or nothing but zeros, which is no id. */
static bool read_id(const char *text, uint8_t *ret, size_t len)
{
    uint8_t any = 0;

    for (size_t i = 0; i < len; i++) {
        int val = hex_byte(text + 2 * i);

        if (val < 0)
            return false;
        ret[i] = (uint8_t)val;
        any |= ret[i];
    }
    return any;
}

/* "00-" 32 digits "-" 16 digits "-" 2 digits; later versions may go on behind them. */
int orma_context_set_traceparent(const char *traceparent)
{
    uint8_t trace_id[ORMA_TRACE_ID_LEN], span_id[ORMA_SPAN_ID_LEN];
    const size_t len = 55;

    if (!traceparent || strnlen(traceparent, len) < len || hex_byte(traceparent) < 0 ||
        !strncmp(traceparent, "ff", 2) || traceparent[2] != '-' || traceparent[35] != '-' ||
        traceparent[52] != '-' || hex_byte(traceparent + 53) < 0 ||
        (traceparent[len] && (traceparent[len] != '-' || !strncmp(traceparent, "00", 2))) ||
        !read_id(traceparent + 3, trace_id, sizeof(trace_id)) ||
        !read_id(traceparent + 36, span_id, sizeof(span_id)))
        return -EINVAL;
    orma_context_set(trace_id, span_id);
    return 0;
}
