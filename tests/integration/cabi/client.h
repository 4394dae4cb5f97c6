/*
 * The side of a program: what code compiled for libperfetto_c.so knows of it. Everything
 * is declared here once more, and independently of the library, so that a mistake in its own
 * declarations shows. The inline part (cursor, nested messages, flags) is ours, from
 * the description of the interface in docs/c-interface.md.
 */
#ifndef TESTS_CABI_CLIENT_H
#define TESTS_CABI_CLIENT_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef _Atomic(bool) client_flag;

struct cursor {
    void *impl;
    uint8_t *begin, *end, *at;
    size_t earlier;
};
struct ds_loop {
    uint32_t inst;
    void *tls, *tracer;
};
struct te_loop {
    struct ds_loop ds;
    void *incr, *tls;
};
struct moment {
    uint32_t clock;
    uint64_t value;
};
struct cat_text {
    const char *name, *description;
    const char **tags;
    size_t tags_num;
};
struct cat {
    client_flag *enabled;
    void *impl;
    struct cat_text text;
    uint64_t iid;
};
struct source {
    client_flag *enabled;
    void *impl;
};
struct made_track {
    void *descriptor;
    size_t len;
    uint64_t uuid;
};

extern client_flag perfetto_atomic_false;
extern void *perfetto_te_any_categories;
extern client_flag *perfetto_te_any_categories_enabled;
extern uint64_t perfetto_te_process_track_uuid;

void *PerfettoProducerBackendInitArgsCreate(void);
void PerfettoProducerBackendInitArgsSetShmemSizeHintKb(void *, uint32_t);
void PerfettoProducerBackendInitArgsDestroy(void *);
void PerfettoProducerSystemInit(const void *);
void PerfettoProducerInProcessInit(const void *);
void PerfettoProducerActivateTriggers(const char *[], uint32_t);
void *PerfettoHeapBufferCreate(struct cursor *);
void PerfettoHeapBufferCopyInto(void *, struct cursor *, void *, size_t);
void PerfettoHeapBufferDestroy(void *, struct cursor *);
void PerfettoStreamWriterNewChunk(struct cursor *);
void PerfettoStreamWriterAppendBytesSlowpath(struct cursor *, const uint8_t *, size_t);
void PerfettoStreamWriterReserveBytesSlowpath(struct cursor *, size_t);
uint8_t *PerfettoStreamWriterAnnotatePatch(struct cursor *, uint8_t *);
typedef void *(*on_setup_fn)(void *, uint32_t, void *, size_t, void *, void *);
typedef void (*on_event_fn)(void *, uint32_t, void *, void *, void *);
void *PerfettoDsImplCreate(void);
void PerfettoDsSetOnSetupCallback(void *, on_setup_fn);
void PerfettoDsSetOnStartCallback(void *, on_event_fn);
void PerfettoDsSetOnStopCallback(void *, on_event_fn);
void PerfettoDsSetOnFlushCallback(void *, on_event_fn);
void PerfettoDsSetOnDestroyCallback(void *, void (*)(void *, void *, void *));
void PerfettoDsSetOnCreateIncr(void *, void *(*)(void *, uint32_t, void *, void *));
void PerfettoDsSetOnDeleteIncr(void *, void (*)(void *));
void PerfettoDsSetOnCreateTls(void *, void *(*)(void *, uint32_t, void *, void *));
void PerfettoDsSetOnDeleteTls(void *, void (*)(void *));
bool PerfettoDsSetBufferExhaustedPolicy(void *, uint32_t);
bool PerfettoDsImplRegister(void *, client_flag **, const void *, size_t);
void *PerfettoDsOnStopArgsPostpone(void *);
void PerfettoDsStopDone(void *);
void *PerfettoDsOnFlushArgsPostpone(void *);
void PerfettoDsFlushDone(void *);
void *PerfettoDsImplGetInstanceLocked(void *, uint32_t);
void PerfettoDsImplReleaseInstanceLocked(void *, uint32_t);
void *PerfettoDsImplGetCustomTls(void *, void *, uint32_t);
void *PerfettoDsImplGetIncrementalState(void *, void *, uint32_t);
struct ds_loop PerfettoDsImplTraceIterateBegin(void *);
void PerfettoDsImplTraceIterateNext(void *, struct ds_loop *);
void PerfettoDsImplTraceIterateBreak(void *, struct ds_loop *);
struct cursor PerfettoDsTracerImplPacketBegin(void *);
void PerfettoDsTracerImplPacketEnd(void *, struct cursor *);
void PerfettoDsTracerImplFlush(void *, void (*)(void *), void *);
void PerfettoTeInit(void);
void *PerfettoTeCategoryImplCreate(struct cat_text *);
void PerfettoTePublishCategories(void);
client_flag *PerfettoTeCategoryImplGetEnabled(void *);
uint64_t PerfettoTeCategoryImplGetIid(void *);
void PerfettoTeCategoryImplSetCallback(void *, void (*)(void *, uint32_t, bool, bool, void *),
                                       void *);
void PerfettoTeCategoryImplDestroy(void *);
struct moment PerfettoTeGetTimestamp(void);
struct te_loop PerfettoTeLlImplBegin(void *, struct moment);
void PerfettoTeLlImplNext(void *, struct moment, struct te_loop *);
void PerfettoTeLlImplBreak(void *, struct te_loop *);
bool PerfettoTeLlImplTrackSeen(void *, uint64_t);
uint64_t PerfettoTeLlImplIntern(void *, int32_t, const void *, size_t, bool *);
void PerfettoTeHlEmitImpl(void *, int32_t, const char *, const void *const *);
void *PerfettoTracingSessionSystemCreate(void);
void *PerfettoTracingSessionInProcessCreate(void);
void PerfettoTracingSessionSetup(void *, void *, size_t);
void PerfettoTracingSessionSetStopCb(void *, void (*)(void *, void *), void *);
void PerfettoTracingSessionStartAsync(void *);
void PerfettoTracingSessionStartBlocking(void *);
void PerfettoTracingSessionStopAsync(void *);
void PerfettoTracingSessionStopBlocking(void *);
void PerfettoTracingSessionFlushAsync(void *, uint32_t, void (*)(void *, bool, void *), void *);
bool PerfettoTracingSessionFlushBlocking(void *, uint32_t);
void PerfettoTracingSessionReadTraceBlocking(void *,
                                             void (*)(void *, const void *, size_t, bool, void *),
                                             void *);
void PerfettoTracingSessionDestroy(void *);

static inline void nap(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- messages ---- */

struct message {
    uint8_t *size_at;
    uint32_t size;
    struct cursor *cursor;
    struct message *outer;
};

static inline size_t room(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The chunk goes: sizes in it are written elsewhere. */
static inline void let_go(struct message *m)
{
    struct cursor *c = m->cursor;

    for (; m && m->size_at >= c->begin && m->size_at < c->end; m = m->outer)
        m->size_at = PerfettoStreamWriterAnnotatePatch(c, m->size_at);
}

static inline void put_bytes(struct message *m, const void *data, size_t len)
{
    struct cursor *c = m->cursor;

    m->size += (uint32_t)len;
    if (len > room(c)) {
        let_go(m);
        PerfettoStreamWriterAppendBytesSlowpath(c, data, len);
    } else if (len) {
        memcpy(c->at, data, len);
        c->at += len;
    }
}

static inline size_t varint(uint8_t *to, uint64_t val)
{
    size_t n = 0;

    for (; val >= 0x80; val >>= 7)
        to[n++] = (uint8_t)(val | 0x80);
    to[n++] = (uint8_t)val;
    return n;
}

static inline void put_int(struct message *m, uint32_t field, uint64_t val)
{
    uint8_t bytes[20];
    size_t n = varint(bytes, (uint64_t)field << 3);

    put_bytes(m, bytes, n + varint(bytes + n, val));
}

static inline void put_data(struct message *m, uint32_t field, const void *data, size_t len)
{
    uint8_t bytes[20];
    size_t n = varint(bytes, (uint64_t)field << 3 | 2);

    put_bytes(m, bytes, n + varint(bytes + n, len));
    put_bytes(m, data, len);
}

static inline void put_text(struct message *m, uint32_t field, const char *text)
{
    put_data(m, field, text, strlen(text));
}

static inline struct message open_message(struct message *outer, uint32_t field)
{
    struct cursor *c = outer->cursor;
    uint8_t bytes[10];

    put_bytes(outer, bytes, varint(bytes, (uint64_t)field << 3 | 2));
    if (room(c) < 4) {
        let_go(outer);
        PerfettoStreamWriterReserveBytesSlowpath(c, 4);
    } else {
        c->at += 4;
    }
    outer->size += 4;
    return (struct message){.size_at = c->at - 4, .cursor = c, .outer = outer};
}

static inline void close_message(struct message *m)
{
    for (int i = 0; m->size_at && i < 4; i++)
        m->size_at[i] = (uint8_t)((m->size >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
    m->outer->size += m->size;
}

/* Takes what is in a heap buffer out of it. */
static inline void *take_heap(void *heap, struct cursor *c, size_t *ret_len)
{
    *ret_len = c->earlier + (size_t)(c->at - c->begin);
    void *data = malloc(*ret_len + 1);
    PerfettoHeapBufferCopyInto(heap, c, data, *ret_len);
    PerfettoHeapBufferDestroy(heap, c);
    return data;
}

/* ---- categories and sources ---- */

#define CAT(text_, ...)                                                                            \
    {                                                                                              \
        &perfetto_atomic_false, NULL, {text_, __VA_ARGS__}, 0                                      \
    }

static inline void register_cat(struct cat *c)
{
    c->impl = PerfettoTeCategoryImplCreate(&c->text);
    c->enabled = PerfettoTeCategoryImplGetEnabled(c->impl);
    c->iid = PerfettoTeCategoryImplGetIid(c->impl);
}

static inline bool is_on(const client_flag *flag)
{
    return atomic_load_explicit(flag, memory_order_relaxed);
}

static inline bool register_source(struct source *ds, const char *name, void *impl)
{
    struct cursor c;
    size_t len;
    void *heap = PerfettoHeapBufferCreate(&c);
    struct message m = {.cursor = &c};

    put_text(&m, 1, name);
    put_int(&m, 2, 1);
    void *data = take_heap(heap, &c, &len);
    ds->impl = impl;
    ds->enabled = &perfetto_atomic_false;
    bool ok = PerfettoDsImplRegister(impl, &ds->enabled, data, len);
    free(data);
    return ok;
}

#define EACH_INSTANCE(ds, it)                                                                      \
    for (struct ds_loop it = is_on((ds).enabled) ? PerfettoDsImplTraceIterateBegin((ds).impl)      \
                                                 : (struct ds_loop){0};                            \
         it.tracer; PerfettoDsImplTraceIterateNext((ds).impl, &it))

static inline void init_backend(bool system, uint32_t shm_kb)
{
    void *args = PerfettoProducerBackendInitArgsCreate();

    PerfettoProducerBackendInitArgsSetShmemSizeHintKb(args, shm_kb);
    if (system)
        PerfettoProducerSystemInit(args);
    else
        PerfettoProducerInProcessInit(args);
    PerfettoProducerBackendInitArgsDestroy(args);
}

/* ---- events ---- */

enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER, STATE };

struct x_word {
    uint32_t type;
};
struct x_ptr {
    uint32_t type;
    const void *ptr;
};
struct x_u64 {
    uint32_t type;
    uint64_t val;
};
struct x_double {
    uint32_t type;
    double val;
};
struct x_arg {
    uint32_t type;
    const char *name;
    union {
        bool boolean;
        uint64_t num;
        double real;
        const char *text;
    };
};
struct x_named {
    uint32_t type;
    const char *name;
    uint64_t id, parent;
    bool is_static;
};
struct x_time {
    uint32_t type;
    struct moment at;
};
struct x_proto_track {
    uint32_t type;
    uint64_t uuid;
    const void *const *fields;
};
struct n_named {
    uint32_t type;
    const char *name;
    uint64_t id;
    bool is_static;
    int32_t rank;
    uint32_t ordering, merge;
    const char *key;
    uint64_t key_num;
};
struct n_proto {
    uint32_t type;
    uint64_t id;
    const void *const *fields;
};
struct f_ptr {
    int32_t type;
    uint32_t id;
    const void *ptr;
    size_t len; /* bytes only */
};
struct f_u64 {
    int32_t type;
    uint32_t id;
    uint64_t val;
};
struct f_double {
    int32_t type;
    uint32_t id;
    double val;
};
struct f_u32 {
    int32_t type;
    uint32_t id;
    uint32_t val;
};
struct f_float {
    int32_t type;
    uint32_t id;
    float val;
};
struct f_interned {
    int32_t type;
    uint32_t id;
    const char *text;
    uint32_t kind;
};

#define LIST(...) ((const void *const[]){__VA_ARGS__, NULL})
#define X(kind, ...) (&(struct kind){__VA_ARGS__})
#define ARG_BOOL(n, v) X(x_arg, 7, n, {.boolean = v})
#define ARG_UINT(n, v) X(x_arg, 8, n, {.num = v})
#define ARG_INT(n, v) X(x_arg, 9, n, {.num = (uint64_t)(int64_t)(v)})
#define ARG_REAL(n, v) X(x_arg, 10, n, {.real = v})
#define ARG_TEXT(n, v) X(x_arg, 11, n, {.text = v})
#define ARG_PTR(n, v) X(x_arg, 12, n, {.num = v})
#define ON_MADE(t) X(x_ptr, 1, t)
#define ON_NAMED(n, i, p) X(x_named, 2, n, i, p, false)
#define ON_FIELDS(u, ...) X(x_proto_track, 18, u, LIST(__VA_ARGS__))
#define ON_NESTED(...) X(x_ptr, 19, LIST(__VA_ARGS__))
#define AT_TIME(c, v) X(x_time, 3, {c, v})
#define INT_VALUE(v) X(x_u64, 5, (uint64_t)(int64_t)(v))
#define REAL_VALUE(v) X(x_double, 6, v)
#define FIELDS(...) X(x_ptr, 17, LIST(__VA_ARGS__))
#define F_TEXT(i, v) X(f_ptr, 0, i, v, 0)
#define F_BYTES(i, v, n) X(f_ptr, 1, i, v, n)
#define F_NESTED(i, ...) X(f_ptr, 2, i, LIST(__VA_ARGS__), 0)
#define F_INT(i, v) X(f_u64, 3, i, v)

#define EVENT(c, type, name, ...)                                                                  \
    do {                                                                                           \
        if (is_on((c).enabled))                                                                    \
            PerfettoTeHlEmitImpl((c).impl, type, name,                                             \
                                 (const void *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL});          \
    } while (0)

static inline uint64_t fnv(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    return hash;
}

#define COUNTER_MAGIC 0xb1a4a67d7970839eu
#define STATE_MAGIC 0x9b6c5d2f1e3a47c8u
#define COUNTER_FIELD 8
#define STATE_FIELD 18

static inline uint64_t thread_uuid(void)
{
    return perfetto_te_process_track_uuid ^ (uint64_t)syscall(SYS_gettid);
}

/* `kind`: 0, or the field of an empty message. */
static inline struct made_track make_track(const char *name, uint64_t uuid, uint64_t parent,
                                           bool is_static, uint32_t kind)
{
    struct cursor c;
    struct made_track t = {.uuid = uuid};
    void *heap = PerfettoHeapBufferCreate(&c);
    struct message m = {.cursor = &c};

    put_int(&m, 1, uuid);
    if (parent)
        put_int(&m, 5, parent);
    put_text(&m, is_static ? 10 : 2, name);
    if (kind) {
        struct message empty = open_message(&m, kind);
        close_message(&empty);
    }
    t.descriptor = take_heap(heap, &c, &t.len);
    return t;
}
#endif
