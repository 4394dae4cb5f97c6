/*
 * Events of both levels of the interface. One of the high level is written by
 * emit(): into the chunk if it is short and its texts are known, else by way of the
 * thread's scratch memory. Fields stand in the order in which readers of the
 * reference's traces find them.
 */
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/cabi/te.h"

/* Longer ones are made in scratch memory. */
#define DIRECT_MAX 240u
/* Time and its clock, flags, tags and sizes, type, category, name, track, counters. */
#define PLAIN_MAX 88u
/* An argument, flow or id without its text. */
#define EXTRA_MAX 32u
/* Records that are added without looking at their number are not shorter (writer_impl.h). */
#define RECORD_MIN ORMA_WRITER_RECORD_MIN

enum { EVENT_NAMES, ARG_NAMES };

struct event {
    int32_t type;
    const char *name;
    const struct orma_cabi_category *category;
    const void *const *extras;
    struct orma_cabi_stamp stamp;
    bool has_stamp, has_dynamic, has_i64, has_f64, literal, flush;
    uint32_t types; /* those of the extras, a bit each */
    const struct orma_cabi_category_desc *dynamic;
    const struct orma_cabi_extra *track;
    int64_t i64;
    double f64;
    size_t bound;
};

static void scan(struct event *ev)
{
    for (const void *const *at = ev->extras; *at; at++) {
        const struct orma_cabi_extra *x = *at;
        uint32_t type = *(const uint32_t *)*at; /* some have nothing else, and less alignment */

        if (type >= 32)
            continue;
        ev->types |= UINT32_C(1) << type;
        switch (type) {
        case ORMA_CABI_REGISTERED_TRACK:
            if (x->registered)
                ev->track = x;
            break;
        case ORMA_CABI_NAMED_TRACK:
        case ORMA_CABI_PROTO_TRACK:
        case ORMA_CABI_NESTED_TRACKS:
            ev->track = x;
            break;
        case ORMA_CABI_TIMESTAMP:
            ev->has_stamp = true;
            ev->stamp = x->stamp;
            break;
        case ORMA_CABI_DYNAMIC_CATEGORY:
            ev->has_dynamic = true;
            ev->dynamic = x->category;
            ev->bound += 16 + (x->category && x->category->name ? strlen(x->category->name) : 0);
            break;
        case ORMA_CABI_COUNTER_INT64:
            ev->has_i64 = true;
            ev->i64 = x->i64;
            break;
        case ORMA_CABI_COUNTER_DOUBLE:
            ev->has_f64 = true;
            ev->f64 = x->f64;
            break;
        case ORMA_CABI_ARG_STRING:
            ev->bound += EXTRA_MAX + (x->arg.value.text ? strlen(x->arg.value.text) : 0);
            break;
        case ORMA_CABI_CORRELATION_ID_STR:
            ev->bound += EXTRA_MAX + (x->text ? strlen(x->text) : 0);
            break;
        case ORMA_CABI_PROTO_FIELDS:
            ev->bound += EXTRA_MAX + orma_cabi_te_fields_bound(x->fields);
            break;
        case ORMA_CABI_FLUSH:
            ev->flush = true;
            break;
        case ORMA_CABI_NO_INTERN:
            ev->literal = true;
            ev->bound += EXTRA_MAX + (ev->name ? strlen(ev->name) : 0);
            break;
        default:
            ev->bound += EXTRA_MAX;
        }
    }
}

/* ---- texts ---- */

static ORMA_COLD uint64_t learn_name(struct orma_cabi_te *te, struct orma_cabi_name *slot,
                                     uint32_t kind, struct orma_buf *interned, const char *text)
{
    size_t len = strlen(text);
    bool is_new;
    uint64_t iid = orma_cabi_te_intern(te, kind, text, len, &is_new);

    if (is_new)
        orma_cabi_te_put_interned(interned, kind, iid, text, len);
    if (len < ORMA_CABI_NAME_MAX && iid <= UINT32_MAX) {
        slot->at = text;
        slot->iid = (uint32_t)iid;
        memcpy(slot->text, text, len + 1);
    }
    return iid;
}

/* Most texts are short, and most are equal: a call would take longer. */
static inline bool is_same(const char *a, const char *b)
{
    for (int i = 0; i < 8; i++) {
        if (a[i] != b[i])
            return false;
        if (!a[i])
            return true;
    }
    return strcmp(a + 8, b + 8) == 0;
}

static inline uint64_t name_iid(struct orma_cabi_te *te, int table, uint32_t kind,
                                struct orma_buf *interned, const char *text)
{
    uintptr_t p = (uintptr_t)text;
    struct orma_cabi_name *slot = &te->names[table][(p ^ p >> 7) % ORMA_CABI_NAMES];

    if (ORMA_LIKELY(slot->at == text && is_same(slot->text, text)))
        return slot->iid;
    return learn_name(te, slot, kind, interned, text);
}

static ORMA_COLD void learn_category(struct orma_cabi_te *te, struct orma_buf *interned,
                                     const struct orma_cabi_category *c)
{
    bool is_new;

    (void)orma_cabi_te_intern(te, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, &c->iid, sizeof(c->iid),
                              &is_new);
    if (is_new) {
        const char *name = c->desc->name ? c->desc->name : "";

        orma_cabi_te_put_interned(interned, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, c->iid, name,
                                  strlen(name));
    }
    if (c->iid < ORMA_CABI_CATEGORIES)
        te->known_categories[c->iid / 64] |= UINT64_C(1) << c->iid % 64;
}

static inline void know_category(struct orma_cabi_te *te, struct orma_buf *interned,
                                 const struct orma_cabi_category *c)
{
    if (ORMA_UNLIKELY(c->iid >= ORMA_CABI_CATEGORIES ||
                      !(te->known_categories[c->iid / 64] >> c->iid % 64 & 1)))
        learn_category(te, interned, c);
}

/* ---- fields ---- */

static inline uint8_t *put_u64(uint8_t *to, uint32_t field, uint64_t val)
{
    return orma_varint_write_fast(orma_varint_write(to, (uint64_t)field << 3), val);
}

static inline uint8_t *put_fixed(uint8_t *to, uint32_t field, const void *val)
{
    to = orma_varint_write(to, (uint64_t)field << 3 | ORMA_PB_I64);
    memcpy(to, val, 8);
    return to + 8;
}

static uint8_t *put_text(uint8_t *to, uint32_t field, const char *text)
{
    size_t len = text ? strlen(text) : 0;

    to = orma_varint_write(to, (uint64_t)field << 3 | ORMA_PB_LEN);
    to = orma_varint_write(to, len);
    if (len)
        memcpy(to, text, len);
    return to + len;
}

static uint8_t *put_arg(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                        uint32_t type, const struct orma_cabi_extra *x)
{
    uint8_t *size_at;

    *to++ = ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS << 3 | ORMA_PB_LEN;
    size_at = to++;
    switch (type) {
    case ORMA_CABI_ARG_BOOL:
        to = put_u64(to, ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE, x->arg.value.boolean);
        break;
    case ORMA_CABI_ARG_UINT64:
        to = put_u64(to, ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE, x->arg.value.u64);
        break;
    case ORMA_CABI_ARG_INT64:
        to = put_u64(to, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, x->arg.value.u64);
        break;
    case ORMA_CABI_ARG_DOUBLE:
        to = put_fixed(to, ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE, &x->arg.value.f64);
        break;
    case ORMA_CABI_ARG_STRING:
        to = put_text(to, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, x->arg.value.text);
        break;
    default:
        to = put_u64(to, ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE, x->arg.value.u64);
    }
    if (x->arg.name)
        to = put_u64(to, ORMA_PB_DEBUG_ANNOTATION_NAME_IID,
                     name_iid(te, ARG_NAMES, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, interned,
                              x->arg.name));
    return orma_cabi_close(size_at, to);
}

static uint8_t *put_args(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                         const struct event *ev)
{
    for (const void *const *at = ev->extras; *at; at++) {
        uint32_t type = *(const uint32_t *)*at;

        if (type >= ORMA_CABI_ARG_BOOL && type <= ORMA_CABI_ARG_POINTER)
            to = put_arg(to, te, interned, type, *at);
    }
    return to;
}

static uint8_t *put_one(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                        uint32_t type, const struct orma_cabi_extra *x)
{
    switch (type) {
    case ORMA_CABI_FLOW:
        return put_fixed(to, ORMA_PB_TRACK_EVENT_FLOW_IDS, &x->u64);
    case ORMA_CABI_TERMINATING_FLOW:
        return put_fixed(to, ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS, &x->u64);
    case ORMA_CABI_CORRELATION_ID:
        return put_u64(to, ORMA_PB_TRACK_EVENT_CORRELATION_ID, x->u64);
    case ORMA_CABI_CORRELATION_ID_STR:
        return put_text(to, ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR, x->text);
    }
    return orma_cabi_te_put_fields(to, te, interned, x->fields);
}

#define BIT(type) (UINT32_C(1) << (type))
#define ARGS                                                                                       \
    (BIT(ORMA_CABI_ARG_BOOL) | BIT(ORMA_CABI_ARG_UINT64) | BIT(ORMA_CABI_ARG_INT64) |              \
     BIT(ORMA_CABI_ARG_DOUBLE) | BIT(ORMA_CABI_ARG_STRING) | BIT(ORMA_CABI_ARG_POINTER))
#define REST                                                                                       \
    (BIT(ORMA_CABI_FLOW) | BIT(ORMA_CABI_TERMINATING_FLOW) | BIT(ORMA_CABI_CORRELATION_ID) |       \
     BIT(ORMA_CABI_CORRELATION_ID_STR) | BIT(ORMA_CABI_PROTO_FIELDS))

/* By kind, and within one in the order of the program. */
static uint8_t *put_rest(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                         const struct event *ev)
{
    static const uint8_t order[] = {ORMA_CABI_FLOW, ORMA_CABI_TERMINATING_FLOW,
                                    ORMA_CABI_CORRELATION_ID, ORMA_CABI_CORRELATION_ID_STR,
                                    ORMA_CABI_PROTO_FIELDS};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(order); i++) {
        for (const void *const *at = ev->extras; ev->types & BIT(order[i]) && *at; at++) {
            if (*(const uint32_t *)*at == order[i])
                to = put_one(to, te, interned, order[i], *at);
        }
    }
    return to;
}

static uint8_t *put_name(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                         const struct event *ev)
{
    if (ev->literal)
        return put_text(to, ORMA_PB_TRACK_EVENT_NAME, ev->name);
    return put_u64(
        to, ORMA_PB_TRACK_EVENT_NAME_IID,
        name_iid(te, EVENT_NAMES, ORMA_PB_INTERNED_DATA_EVENT_NAMES, interned, ev->name));
}

/* The packet, but for interned data. At most ev->bound bytes. */
static inline uint8_t *encode(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                              const struct event *ev, struct orma_cabi_stamp stamp, uint64_t track)
{
    bool has_category = ev->type != ORMA_CABI_EVENT_END && ev->type != ORMA_CABI_EVENT_COUNTER;
    uint8_t *size_at;

    to = orma_cabi_te_put_time(te, to, stamp);
    *to++ = ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3;
    *to++ = 2; /* needs the incremental state */
    *to++ = ORMA_PB_TRACE_PACKET_TRACK_EVENT << 3 | ORMA_PB_LEN;
    size_at = to++;
    if (ev->type >= ORMA_CABI_EVENT_BEGIN && ev->type <= ORMA_CABI_EVENT_STATE) {
        *to++ = ORMA_PB_TRACK_EVENT_TYPE << 3;
        *to++ = (uint8_t)ev->type;
    }
    if (has_category && !ev->has_dynamic && ev->category->iid) {
        know_category(te, interned, ev->category);
        to = put_u64(to, ORMA_PB_TRACK_EVENT_CATEGORY_IIDS, ev->category->iid);
    }
    if (ev->name && ev->type != ORMA_CABI_EVENT_END)
        to = put_name(to, te, interned, ev);
    if (ORMA_LIKELY(!ev->types))
        return orma_cabi_close(size_at, to);
    if (has_category && ev->has_dynamic)
        to = put_text(to, ORMA_PB_TRACK_EVENT_CATEGORIES, ev->dynamic->name);
    if (ev->track)
        to = put_u64(to, ORMA_PB_TRACK_EVENT_TRACK_UUID, track);
    if (ev->has_i64 && ev->type == ORMA_CABI_EVENT_COUNTER)
        to = put_u64(to, ORMA_PB_TRACK_EVENT_COUNTER_VALUE, (uint64_t)ev->i64);
    if (ev->has_f64)
        to = put_fixed(to, ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, &ev->f64);
    if (ev->types & ARGS)
        to = put_args(to, te, interned, ev);
    if (ev->types & REST)
        to = put_rest(to, te, interned, ev);
    return orma_cabi_close(size_at, to);
}

static void put_packet(struct orma_cabi_tracer *t, struct orma_buf *b,
                       const struct orma_buf *interned)
{
    if (interned->len)
        orma_pb_put_bytes(b, ORMA_PB_TRACE_PACKET_INTERNED_DATA, interned->data, interned->len);
    if (b->failed || interned->failed)
        orma_writer_count_drop(t->writer, ORMA_DROP_NO_CHUNK);
    else
        (void)orma_writer_put(t->writer, b->data, b->len); /* counted there */
}

static ORMA_COLD void emit_slowly(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                                  const struct event *ev, struct orma_cabi_stamp stamp,
                                  uint64_t track)
{
    ORMA_HUSHED;
    struct orma_buf *b = &thread->event;

    orma_buf_clear(b);
    if (orma_buf_reserve(b, ev->bound))
        b->len = (size_t)(encode(b->data, t->te, &thread->interned, ev, stamp, track) - b->data);
    put_packet(t, b, &thread->interned);
}

/* It was made in the chunk, and has texts to tell now: it goes where there is room for all. */
static ORMA_COLD void emit_interned(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                                    const uint8_t *packet, size_t len)
{
    ORMA_HUSHED;

    orma_buf_clear(&thread->event);
    orma_buf_put(&thread->event, packet, len);
    put_packet(t, &thread->event, &thread->interned);
}

static inline void emit(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                        const struct event *ev)
{
    struct orma_writer *writer = t->writer;
    uint64_t track = 0;
    struct orma_cabi_stamp stamp = ev->stamp;

    if (ORMA_UNLIKELY(ev->has_dynamic) && !orma_cabi_te_wants_dynamic(t->te, ev->dynamic))
        return;
    if (ORMA_LIKELY(!ev->has_stamp))
        stamp = (struct orma_cabi_stamp){ORMA_CABI_CLOCK_INCREMENTAL, orma_tsc_now(&thread->clock)};
    if (ORMA_UNLIKELY(orma_cabi_te_is_due(t)))
        orma_cabi_te_renew(thread, t, stamp);
    if (ev->track)
        track = orma_cabi_te_track(thread, t, ev->track);
    orma_buf_clear(&thread->interned);
    if (ORMA_UNLIKELY(ev->bound > DIRECT_MAX || writer->first || writer->lost ||
                      (size_t)(writer->end - writer->pos) < ev->bound + 1)) {
        emit_slowly(thread, t, ev, stamp, track);
    } else {
        uint8_t *packet = writer->pos + 1;
        uint8_t *end = encode(packet, t->te, &thread->interned, ev, stamp, track);
        size_t len = (size_t)(end - packet);

        if (ORMA_UNLIKELY(thread->interned.len || len >= 0x80 || len + 1 < RECORD_MIN)) {
            emit_interned(thread, t, packet, len);
        } else {
            packet[-1] = (uint8_t)len;
            orma_writer_advance(writer, end);
        }
    }
    if (ORMA_UNLIKELY(ev->flush))
        orma_cabi_tracer_flush(t, NULL, NULL);
}

void PerfettoTeHlEmitImpl(void *category, int32_t type, const char *name, const void *const *extras)
{
    const struct orma_cabi_category *c = category;
    struct orma_cabi_thread *thread = orma_cabi_enter();
    struct event ev;

    if (!thread)
        return;
    /* One by one: as a whole it would be cleared by a loop that costs as much as the event. */
    ev.type = type;
    ev.name = name;
    ev.category = c;
    ev.extras = extras;
    ev.stamp = (struct orma_cabi_stamp){0};
    ev.has_stamp = ev.has_dynamic = ev.has_i64 = ev.has_f64 = ev.literal = ev.flush = false;
    ev.types = 0;
    ev.dynamic = NULL;
    ev.track = NULL;
    ev.i64 = 0;
    ev.f64 = 0;
    ev.bound = PLAIN_MAX;
    if (c && *extras)
        scan(&ev);
    /* acquire: an instance that is seen is ready. */
    uint32_t bits = c ? atomic_load_explicit(&c->bits, memory_order_acquire) : 0;
    for (; bits; bits &= bits - 1) {
        struct orma_cabi_tracer *t = orma_cabi_tracer_of(thread, orma_cabi.types[ORMA_CABI_TE],
                                                         (uint32_t)__builtin_ctz(bits));

        if (t)
            emit(thread, t, &ev);
    }
    orma_cabi_leave(thread);
}

struct orma_cabi_stamp PerfettoTeGetTimestamp(void)
{
    return (struct orma_cabi_stamp){ORMA_CLOCK_BOOTTIME, orma_clock_boottime()};
}

/* ---- the low level ---- */

static struct orma_cabi_ll_iter next(struct orma_cabi_thread *thread,
                                     const struct orma_cabi_category *c,
                                     struct orma_cabi_stamp stamp, uint32_t from)
{
    uint32_t bits = atomic_load_explicit(&c->bits, memory_order_acquire);

    for (bits = from < 32 ? bits >> from << from : 0; bits; bits &= bits - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(bits);
        struct orma_cabi_tracer *t =
            orma_cabi_tracer_of(thread, orma_cabi.types[ORMA_CABI_TE], slot);

        if (!t)
            continue;
        if (orma_cabi_te_is_due(t))
            orma_cabi_te_renew(thread, t, stamp);
        return (struct orma_cabi_ll_iter){
            .ds = {.inst = slot, .tls = thread, .tracer = t}, .incr = t->te, .tls = t->te};
    }
    orma_cabi_leave(thread);
    return (struct orma_cabi_ll_iter){0};
}

struct orma_cabi_ll_iter PerfettoTeLlImplBegin(void *category, struct orma_cabi_stamp stamp)
{
    struct orma_cabi_thread *thread = category ? orma_cabi_enter() : NULL;

    return thread ? next(thread, category, stamp, 0) : (struct orma_cabi_ll_iter){0};
}

void PerfettoTeLlImplNext(void *category, struct orma_cabi_stamp stamp,
                          struct orma_cabi_ll_iter *it)
{
    if (it->ds.tracer)
        *it = next(it->ds.tls, category, stamp, it->ds.inst + 1);
}

void PerfettoTeLlImplBreak(void *category, struct orma_cabi_ll_iter *it)
{
    (void)category;
    if (it->ds.tracer)
        orma_cabi_leave(it->ds.tls);
    it->ds.tracer = NULL;
}

bool PerfettoTeLlImplDynCatEnabled(void *tracer, uint32_t inst,
                                   const struct orma_cabi_category_desc *desc)
{
    struct orma_cabi_tracer *t = tracer;

    (void)inst;
    return t && t->te && orma_cabi_te_wants_dynamic(t->te, desc);
}

bool PerfettoTeLlImplTrackSeen(void *incr, uint64_t uuid)
{
    return incr && orma_cabi_te_track_seen(incr, uuid);
}

uint64_t PerfettoTeLlImplIntern(void *incr, int32_t type, const void *data, size_t len, bool *seen)
{
    bool is_new;
    uint64_t iid = orma_cabi_te_intern(incr, (uint32_t)type, data, len, &is_new);

    *seen = !is_new;
    return iid;
}
