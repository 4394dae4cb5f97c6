/*
 * The short way of an event: no lock, no fence, no call but for the clock.
 *
 *   [size][40 delta][68 02 5a LL 48 type 18 category 50 name][annotations ...]
 *    1 B   2..10     from the sequence's entry for this site    sizes known before
 *
 * Whatever does not fit this picture is left to te_encode.c: the first event of
 * a site in a sequence, a full chunk's end that no chunk follows, a lost or
 * cleared state, arguments of the rarer kinds, sessions with other clocks.
 */
#include "orma/track_event.h"

#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/base/endian.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/events/te.h"
#include "sdk/wire/pb_writer.h"

#define BEGIN ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN
#define END ORMA_PB_TRACK_EVENT_TYPE_SLICE_END
#define INSTANT ORMA_PB_TRACK_EVENT_TYPE_INSTANT
#define COUNTER ORMA_PB_TRACK_EVENT_TYPE_COUNTER

#define TIMESTAMP_TAG 0x40

/* ---- entering and leaving ---- */

/*
 * A signal handler that interrupted an event of this thread, or something of ours that events lock.
 * Only a thread that is RUNNING keeps its sequences to itself.
 */
static ORMA_COLD void drop_nested(struct orma_te_thread *self, uint32_t mask)
{
    bool running =
        self && atomic_load_explicit(&self->busy, memory_order_relaxed) == ORMA_TE_RUNNING;

    for (mask &= ORMA_TE_SLOT_BITS; mask; mask &= mask - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(mask);
        struct orma_te_seq *seq =
            running ? atomic_load_explicit(&self->seqs[slot], memory_order_relaxed) : NULL;

        if (seq)
            atomic_fetch_add_explicit(&seq->writer->slot->dropped[ORMA_DROP_NO_CHUNK], 1,
                                      memory_order_relaxed);
        else
            orma_te_lose(slot);
    }
}

static inline bool is_idle(const struct orma_te_thread *self)
{
    return self && atomic_load_explicit(&self->busy, memory_order_relaxed) == ORMA_TE_IDLE;
}

static ORMA_COLD struct orma_te_thread *enter_slow(uint32_t mask)
{
    ORMA_HUSHED;
    struct orma_te_thread *self = orma_te_self;

    if (orma_fork_check()) {
        orma_fork_revive();
        return NULL; /* what it was meant for is the parent's */
    }
    if (mask & ORMA_TE_WAKE_BIT) {
        orma_fork_revive();
        if (mask == ORMA_TE_WAKE_BIT)
            return NULL; /* no session was there yet */
    }
    if (self || orma_guard_is_up() || !(self = orma_te_thread_new())) {
        drop_nested(self, mask);
        return NULL;
    }
    atomic_store_explicit(&self->busy, ORMA_TE_RUNNING, memory_order_relaxed);
    return self;
}

static inline void enter_fast(struct orma_te_thread *self)
{
    atomic_store_explicit(&self->busy, ORMA_TE_RUNNING, memory_order_relaxed);
    /* The compiler keeps the order; the CPU is made to by the pauser's membarrier(). */
    atomic_signal_fence(memory_order_seq_cst);
    ORMA_TESTPOINT("an event has begun");
}

/* NULL: the event is lost, and counted. */
static inline struct orma_te_thread *enter(const struct orma_category *category, uint32_t sessions)
{
    struct orma_te_thread *self = orma_te_self;

    if (ORMA_UNLIKELY(!is_idle(self)))
        return enter_slow(__atomic_load_n(&category->enabled, __ATOMIC_RELAXED) &
                          (sessions | ORMA_TE_WAKE_BIT));
    enter_fast(self);
    return self;
}

static inline void leave(struct orma_te_thread *self)
{
    /* release: pairs with busy_of() of the pauser, who then owns what we wrote. */
    atomic_store_explicit(&self->busy, ORMA_TE_IDLE, memory_order_release);
}

/* acquire: pairs with set_bit(); a session's slot is clean when its bit is seen. */
static inline uint32_t sessions_of(const struct orma_category *category)
{
    return __atomic_load_n(&category->enabled, __ATOMIC_ACQUIRE) & ORMA_TE_SLOT_BITS;
}

/* ---- the short form ---- */

/* False: the event is lost, and counted. */
static ORMA_COLD bool room_slow(struct orma_te_seq *seq)
{
    if (!orma_guard_is_up() && orma_writer_make_room(seq->writer, ORMA_TE_RECORD_MAX)) {
        orma_te_seq_renew_if_due(seq);
        return true;
    }
    orma_te_seq_lose(seq);
    return false;
}

/*
 * A record that was encoded beside the chunk, since the copies that run over would have left
 * it: the record itself may still fit. Else it opens the next chunk.
 */
static ORMA_COLD void finish_spare(struct orma_te_seq *seq, const uint8_t *record, size_t len)
{
    if (!orma_writer_add(seq->writer, record, len) && room_slow(seq))
        (void)orma_writer_add(seq->writer, record, len); /* there is room for the largest now */
}

static inline bool has_room(const struct orma_te_seq *seq)
{
    const struct orma_writer *w = seq->writer;

    return (size_t)(w->end - w->pos) >= ORMA_TE_RECORD_MAX;
}

/* Where to encode a record: at the end of the chunk, or in `spare`. Both hold ORMA_TE_RECORD_MAX.
 */
static inline uint8_t *begin_record(struct orma_te_seq *seq, uint8_t *spare)
{
    return ORMA_LIKELY(has_room(seq)) ? seq->writer->pos : spare;
}

static inline void finish_record(struct orma_te_seq *seq, uint8_t *begin, uint8_t *end)
{
    if (ORMA_LIKELY(begin == seq->writer->pos))
        orma_writer_advance(seq->writer, end);
    else
        finish_spare(seq, begin, (size_t)(end - begin));
}

static inline uint8_t *put_delta(uint8_t *to, uint64_t delta)
{
    *to++ = TIMESTAMP_TAG;
    if (ORMA_LIKELY(delta < 0x80)) {
        to[0] = (uint8_t)delta;
        return to + 1;
    }
    if (ORMA_LIKELY(delta < 0x4000)) {
        to[0] = (uint8_t)(delta | 0x80);
        to[1] = (uint8_t)(delta >> 7);
        return to + 2;
    }
    return orma_varint_write(to, delta);
}

/* The entry of the site, NULL if the event must take the slow path. */
static inline const struct orma_te_entry *entry_in(const struct orma_te_seq *seq, uint32_t site_id)
{
    if (ORMA_UNLIKELY(site_id >= atomic_load_explicit(&seq->sites_num, memory_order_relaxed)))
        return NULL;
    const struct orma_te_entry *entry = &seq->sites[site_id];
    return ORMA_LIKELY(entry->len) ? entry : NULL;
}

/* NULL is fine as well. */
static inline const struct orma_te_entry *entry_of(const struct orma_te_seq *seq, uint32_t site_id)
{
    return ORMA_LIKELY(seq) ? entry_in(seq, site_id) : NULL;
}

/* Time never goes back within a sequence. */
static inline uint64_t advance_clock(struct orma_te_seq *seq, uint64_t ns)
{
    uint64_t last = seq->last_ns;

    ns = ns > last ? ns : last;
    seq->last_ns = ns;
    return ns - last;
}

static inline struct orma_te_seq *seq_in(struct orma_te_thread *self, uint32_t slot)
{
    return atomic_load_explicit(&self->seqs[slot], memory_order_relaxed);
}

static inline uint8_t *encode_plain(uint8_t *begin, struct orma_te_seq *seq,
                                    const struct orma_te_entry *entry, uint64_t ns)
{
    uint64_t delta = advance_clock(seq, ns);

    if (ORMA_LIKELY(delta < 0x80)) {
        begin[0] = (uint8_t)(entry->len + 2);
        begin[1] = TIMESTAMP_TAG;
        begin[2] = (uint8_t)delta;
        memcpy(begin + 3, entry, sizeof(*entry)); /* all of it: a fixed size needs no call */
        return begin + 3 + entry->len;
    }
    uint8_t *to = put_delta(begin + 1, delta);
    memcpy(to, entry, sizeof(*entry));
    to += entry->len;
    *begin = (uint8_t)(to - begin - 1);
    return to;
}

/* What is the same for all sessions of an event. */
struct plain_event {
    struct orma_site *site; /* NULL: an end */
    const struct orma_category *category;
    uint32_t type, site_id;
};

static void emit_plain(struct orma_te_thread *self, uint32_t slot, const struct plain_event *ev,
                       uint64_t ns, uint32_t *got)
{
    struct orma_te_seq *seq = seq_in(self, slot);
    const struct orma_te_entry *entry = entry_of(seq, ev->site_id);
    uint8_t spare[ORMA_TE_RECORD_MAX];

    if (entry) {
        uint8_t *begin = begin_record(seq, spare);

        finish_record(seq, begin, encode_plain(begin, seq, entry, ns));
        return;
    }
    if (!orma_te_emit(self, slot,
                      &(struct orma_te_event){
                          .type = ev->type, .site = ev->site, .category = ev->category, .ns = ns}))
        *got &= ~(UINT32_C(1) << slot);
}

/* Several sessions, an anchor to be read, a chunk's end, the slow path. The thread is RUNNING. */
static __attribute__((noinline)) uint32_t plain_general(struct orma_te_thread *self, uint32_t type,
                                                        struct orma_site *site,
                                                        const struct orma_category *category,
                                                        uint32_t sessions)
{
    const struct plain_event ev = {
        .site = site,
        .category = category,
        .type = type,
        .site_id = site ? __atomic_load_n(&site->id, __ATOMIC_RELAXED) : ORMA_TE_SITE_END,
    };
    uint64_t ns = orma_tsc_now(&self->clock);
    uint32_t got = sessions_of(category) & sessions;

    for (uint32_t rest = got; rest; rest &= rest - 1)
        emit_plain(self, (uint32_t)__builtin_ctz(rest) % ORMA_TE_SLOTS, &ev, ns, &got);
    if (got && !(got & (got - 1))) {
        self->only_seq = seq_in(self, (uint32_t)__builtin_ctz(got) % ORMA_TE_SLOTS);
        atomic_store_explicit(&self->only_bit, self->only_seq ? got : ORMA_TE_NO_BIT,
                              memory_order_relaxed);
    }
    leave(self);
    return got;
}

/* The one session of the last time, by the kernel's clock. */
static __attribute__((noinline)) uint32_t plain_by_kernel(struct orma_te_thread *self,
                                                          uint32_t type, struct orma_site *site,
                                                          const struct orma_category *category,
                                                          uint32_t sessions)
{
    uint32_t got = __atomic_load_n(&category->enabled, __ATOMIC_ACQUIRE) & sessions;

    if (ORMA_UNLIKELY(got != atomic_load_explicit(&self->only_bit, memory_order_relaxed)))
        return plain_general(self, type, site, category, sessions);
    struct orma_te_seq *seq = self->only_seq;
    const struct orma_te_entry *entry =
        entry_in(seq, site ? __atomic_load_n(&site->id, __ATOMIC_RELAXED) : ORMA_TE_SITE_END);
    if (ORMA_UNLIKELY(!entry || !has_room(seq)))
        return plain_general(self, type, site, category, sessions);
    uint64_t ns = orma_tsc_now(&self->clock);
    orma_writer_advance(seq->writer, encode_plain(seq->writer->pos, seq, entry, ns));
    leave(self);
    return got;
}

/* From a thread's first event, and from an event within an event. */
static ORMA_COLD uint32_t plain_first(uint32_t type, struct orma_site *site,
                                      const struct orma_category *category, uint32_t sessions)
{
    struct orma_te_thread *self = enter_slow(__atomic_load_n(&category->enabled, __ATOMIC_ACQUIRE) &
                                             (sessions | ORMA_TE_WAKE_BIT));

    return self ? plain_general(self, type, site, category, sessions) : 0;
}

/*
 * The one session of the last time, time from the counter, room in the chunk: no call, so no
 * register is saved. All else is done by plain_by_kernel() and plain_general(), from the start.
 */
static inline __attribute__((always_inline)) uint32_t plain(uint32_t type, struct orma_site *site,
                                                            const struct orma_category *category,
                                                            uint32_t sessions)
{
    struct orma_te_thread *self = orma_te_self;

    if (ORMA_UNLIKELY(!is_idle(self)))
        return plain_first(type, site, category, sessions);
    enter_fast(self);
#if ORMA_HAVE_TSC
    uint64_t limit = self->clock.limit, ticks;
    /* Whatever else is in the word is not the only session's bit. */
    uint32_t got = __atomic_load_n(&category->enabled, __ATOMIC_ACQUIRE) & sessions;

    if (ORMA_LIKELY(limit && (ticks = orma_tsc_ticks() - self->clock.tsc) < limit &&
                    got == atomic_load_explicit(&self->only_bit, memory_order_relaxed))) {
        struct orma_te_seq *seq = self->only_seq;
        const struct orma_te_entry *entry =
            entry_in(seq, site ? __atomic_load_n(&site->id, __ATOMIC_RELAXED) : ORMA_TE_SITE_END);

        if (ORMA_LIKELY(entry && has_room(seq))) {
            uint64_t ns = self->clock.ns + (ticks * self->clock.mult >> 32);

            orma_writer_advance(seq->writer, encode_plain(seq->writer->pos, seq, entry, ns));
            leave(self);
            return got;
        }
    }
#endif
    return plain_by_kernel(self, type, site, category, sessions);
}

uint32_t orma_slice_begin(struct orma_site *site)
{
    return plain(BEGIN, site, site->category, UINT32_MAX);
}

void orma_slice_end(const struct orma_category *category, uint32_t sessions)
{
    (void)plain(END, NULL, category, sessions);
}

void orma_instant(struct orma_site *site)
{
    (void)plain(INSTANT, site, site->category, UINT32_MAX);
}

/* ---- with arguments ---- */

/*
 * In one pass, if the sum of the bounds is such that each size is one byte:
 *
 *   [size][40 delta][68 02 5a LL 48 type ...][22 size 08 key tag value]...[f9 02 flow]
 *
 * Sizes are filled in behind their bytes. Whatever is larger, or whose key or track the reader
 * does not know yet, takes the slow path; nothing has been published by then.
 */
#define EVENT_SHORT_MAX 110u
#define FLOW_LEN 10u
#define NUMBER_MAX 17u      /* 22 size 08 key(3) tag value(10) */
#define STR_HEAD_MAX 9u     /* 22 size 08 key(3) tag size(2) */
#define COUNTER_TAG 0x01f0  /* counter_value, as two bytes */
#define DOUBLE_TAG 0x02e1   /* double_counter_value */
#define FLOW_TAG 0x02f9     /* flow_ids */
#define FLOW_END_TAG 0x0381 /* terminating_flow_ids */
#define ANNOTATION_TAG 0x22 /* debug_annotations */
#define NAME_TAG 0x01ba     /* name */
#define NAME_HEAD 3u
#define ANNOTATION_IID 0x08 /* name_iid */

/* Tags of the values by enum orma_arg_kind. */
static const uint8_t value_tags[] = {
    [ORMA_ARG_KIND_BOOL] = 0x10,    [ORMA_ARG_KIND_INT] = 0x20,    [ORMA_ARG_KIND_UINT] = 0x18,
    [ORMA_ARG_KIND_POINTER] = 0x38, [ORMA_ARG_KIND_DOUBLE] = 0x29, [ORMA_ARG_KIND_STR] = 0x32,
};

static inline uint8_t *put_tag2(uint8_t *to, uint16_t tag)
{
    tag = ORMA_LE16(tag);
    memcpy(to, &tag, sizeof(tag));
    return to + sizeof(tag);
}

static inline uint8_t *put_fixed64(uint8_t *to, uint64_t val)
{
    val = ORMA_LE64(val);
    memcpy(to, &val, sizeof(val));
    return to + sizeof(val);
}

static inline uint8_t *put_varint(uint8_t *to, uint64_t val)
{
    if (ORMA_LIKELY(val < 0x80)) {
        *to = (uint8_t)val;
        return to + 1;
    }
    return orma_varint_write(to, val);
}

/* NULL: its name is not known, or it is too large. */
static inline uint8_t *put_annotation(const struct orma_te_seq *seq, uint8_t *to,
                                      const uint8_t *limit, const struct orma_arg *a)
{
    const struct orma_te_key *key = &seq->keys[orma_te_key_hash(a->key)];

    if (ORMA_UNLIKELY(key->key != a->key || a->dynamic_key || to + NUMBER_MAX > limit))
        return NULL;
    uint8_t *begin = to;
    to[0] = ANNOTATION_TAG;
    to[2] = ANNOTATION_IID;
    to = put_varint(to + 3, key->iid);
    *to++ = value_tags[a->kind];
    if (ORMA_LIKELY(a->kind <= ORMA_ARG_KIND_POINTER)) {
        to = put_varint(to, a->num);
    } else if (a->kind == ORMA_ARG_KIND_DOUBLE) {
        to = put_fixed64(to, a->num);
    } else {
        if (a->len >= 0x80 || begin + STR_HEAD_MAX + a->len > limit)
            return NULL;
        *to++ = (uint8_t)a->len;
        if (a->len)
            memcpy(to, a->ptr, a->len);
        to += a->len;
    }
    begin[1] = (uint8_t)(to - begin - 2);
    return to;
}

static inline uint8_t *put_track(const struct orma_te_seq *seq, uint8_t *to, const uint8_t *limit,
                                 const struct orma_track *track)
{
    const struct orma_te_known *known = track ? &seq->known[orma_te_known_hash(track->uuid)] : NULL;

    if (ORMA_UNLIKELY(!known || known->uuid != track->uuid || !known->len ||
                      to + sizeof(known->field) > limit))
        return NULL;
    memcpy(to, known->field, sizeof(known->field));
    return to + known->len;
}

/* Instead of a literal name; an entry that has one is no use then. */
static inline uint8_t *put_dynamic_name(uint8_t *to, const uint8_t *limit, const struct orma_arg *a)
{
    if (a->len >= 0x80 || to + NAME_HEAD + a->len > limit)
        return NULL;
    to = put_tag2(to, NAME_TAG);
    *to++ = (uint8_t)a->len;
    if (a->len)
        memcpy(to, a->ptr, a->len);
    return to + a->len;
}

static inline uint8_t *put_arg(const struct orma_te_seq *seq, const struct orma_site *site,
                               uint8_t *to, const uint8_t *limit, const struct orma_arg *a)
{
    if (ORMA_LIKELY(a->kind <= ORMA_ARG_KIND_STR))
        return put_annotation(seq, to, limit, a);
    if (a->kind <= ORMA_ARG_KIND_FLOW_END && to + FLOW_LEN <= limit)
        return put_fixed64(put_tag2(to, a->kind == ORMA_ARG_KIND_FLOW ? FLOW_TAG : FLOW_END_TAG),
                           a->num);
    if (a->kind == ORMA_ARG_KIND_TRACK)
        return put_track(seq, to, limit, a->ptr);
    if (a->kind == ORMA_ARG_KIND_DYNAMIC_NAME && site && !site->name[0])
        return put_dynamic_name(to, limit, a);
    return NULL;
}

/* False: it must take the slow path. */
static inline bool put_args(struct orma_te_thread *self, uint32_t slot,
                            const struct orma_site *site, uint32_t site_id, uint64_t ns,
                            const struct orma_arg *args, size_t num)
{
    struct orma_te_seq *seq = seq_in(self, slot);
    const struct orma_te_entry *entry = entry_of(seq, site_id);
    uint8_t spare[ORMA_TE_RECORD_MAX];

    if (ORMA_UNLIKELY(!entry))
        return false;
    uint64_t last = seq->last_ns;
    uint8_t *begin = begin_record(seq, spare);
    uint8_t *event = put_delta(begin + 1, ns > last ? ns - last : 0);
    memcpy(event, entry, sizeof(*entry));
    uint8_t *to = event + entry->len;
    const uint8_t *limit = event + EVENT_SHORT_MAX;
    for (size_t i = 0; i < num; i++) {
        to = put_arg(seq, site, to, limit, &args[i]);
        if (ORMA_UNLIKELY(!to))
            return false;
    }
    event[3] = (uint8_t)(to - event - 4);
    *begin = (uint8_t)(to - begin - 1);
    seq->last_ns = ns > last ? ns : last;
    finish_record(seq, begin, to);
    return true;
}

static ORMA_COLD bool emit_args(struct orma_te_thread *self, uint32_t slot, uint32_t type,
                                struct orma_site *site, const struct orma_category *category,
                                uint64_t ns, const struct orma_arg *args, size_t num)
{
    return orma_te_emit(self, slot,
                        &(struct orma_te_event){.type = type,
                                                .site = site,
                                                .category = category,
                                                .ns = ns,
                                                .args = args,
                                                .args_num = num});
}

static inline uint32_t with_args(uint32_t type, struct orma_site *site,
                                 const struct orma_category *category, uint32_t sessions,
                                 uint32_t site_id, const struct orma_arg *args, size_t num)
{
    struct orma_te_thread *self = enter(category, sessions);

    if (ORMA_UNLIKELY(!self))
        return 0;
    uint64_t ns = orma_tsc_now(&self->clock);
    uint32_t got = sessions_of(category) & sessions;
    for (uint32_t rest = got; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(rest) % ORMA_TE_SLOTS;

        if (ORMA_UNLIKELY(!put_args(self, slot, site, site_id, ns, args, num)) &&
            !emit_args(self, slot, type, site, category, ns, args, num))
            got &= ~(UINT32_C(1) << slot);
    }
    leave(self);
    return got;
}

uint32_t orma_slice_begin_args(struct orma_site *site, const struct orma_arg *args, size_t num)
{
    return with_args(BEGIN, site, site->category, UINT32_MAX,
                     __atomic_load_n(&site->id, __ATOMIC_RELAXED), args, num);
}

void orma_slice_end_args(const struct orma_category *category, uint32_t sessions,
                         const struct orma_arg *args, size_t num)
{
    (void)with_args(END, NULL, category, sessions, ORMA_TE_SITE_END, args, num);
}

void orma_instant_args(struct orma_site *site, const struct orma_arg *args, size_t num)
{
    (void)with_args(INSTANT, site, site->category, UINT32_MAX,
                    __atomic_load_n(&site->id, __ATOMIC_RELAXED), args, num);
}

/* ---- counters ---- */

/* `track` NULL: the site's own, whose uuid stands behind the entry. */
static inline bool put_counter(struct orma_te_thread *self, uint32_t slot, uint32_t site_id,
                               uint64_t ns, const struct orma_track *track, uint16_t tag,
                               uint64_t bits)
{
    struct orma_te_seq *seq = seq_in(self, slot);
    const struct orma_te_entry *entry = entry_of(seq, site_id);
    uint8_t spare[ORMA_TE_RECORD_MAX];
    uint64_t uuid;

    if (ORMA_UNLIKELY(!entry))
        return false;
    if (track)
        uuid = track->uuid;
    else
        memcpy(&uuid, entry->bytes + ORMA_TE_COUNTER_LEN, sizeof(uuid));
    const struct orma_te_known *known = &seq->known[orma_te_known_hash(uuid)];
    if (ORMA_UNLIKELY(known->uuid != uuid || !known->len))
        return false;
    uint8_t *begin = begin_record(seq, spare);
    uint8_t *event = put_delta(begin + 1, advance_clock(seq, ns));
    memcpy(event, entry, sizeof(*entry));
    uint8_t *to = event + ORMA_TE_COUNTER_LEN;
    memcpy(to, known->field, sizeof(known->field));
    to = put_tag2(to + known->len, tag);
    to = tag == DOUBLE_TAG ? put_fixed64(to, bits) : put_varint(to, bits);
    event[3] = (uint8_t)(to - event - 4);
    *begin = (uint8_t)(to - begin - 1);
    finish_record(seq, begin, to);
    return true;
}

static ORMA_COLD bool emit_counter(struct orma_te_thread *self, uint32_t slot,
                                   struct orma_site *site, const struct orma_track *track,
                                   uint64_t ns, uint16_t tag, uint64_t bits)
{
    struct orma_te_event ev = {.type = COUNTER,
                               .site = site,
                               .category = site->category,
                               .track = track,
                               .ns = ns,
                               .is_double = tag == DOUBLE_TAG,
                               .val = (int64_t)bits};
    struct orma_track process, own;

    memcpy(&ev.double_val, &bits, sizeof(bits));
    if (!track) {
        process = orma_track_process();
        own = orma_track_counter(site->name, 0, &process);
        ev.track = &own;
        ev.own_track = true;
    }
    return orma_te_emit(self, slot, &ev);
}

static inline void counter(struct orma_site *site, const struct orma_track *track, uint16_t tag,
                           uint64_t bits)
{
    struct orma_te_thread *self = enter(site->category, UINT32_MAX);

    if (ORMA_UNLIKELY(!self))
        return;
    uint64_t ns = orma_tsc_now(&self->clock);
    uint32_t site_id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    for (uint32_t rest = sessions_of(site->category); rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(rest) % ORMA_TE_SLOTS;

        if (ORMA_UNLIKELY(!put_counter(self, slot, site_id, ns, track, tag, bits)))
            (void)emit_counter(self, slot, site, track, ns, tag, bits);
    }
    leave(self);
}

void orma_counter(struct orma_site *site, const struct orma_track *track, int64_t val)
{
    counter(site, track, COUNTER_TAG, (uint64_t)val);
}

void orma_counter_double(struct orma_site *site, const struct orma_track *track, double val)
{
    uint64_t bits;

    memcpy(&bits, &val, sizeof(bits));
    counter(site, track, DOUBLE_TAG, bits);
}

/* ---- given times, scopes ---- */

static ORMA_COLD uint32_t emit_all(uint32_t sessions, const struct orma_te_event *ev)
{
    struct orma_te_thread *self = enter(ev->category, sessions);

    if (ORMA_UNLIKELY(!self))
        return 0;
    uint32_t got = sessions_of(ev->category) & sessions;
    for (uint32_t rest = got; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(rest) % ORMA_TE_SLOTS;

        if (!orma_te_emit(self, slot, ev))
            got &= ~(UINT32_C(1) << slot);
    }
    leave(self);
    return got;
}

void orma_complete(struct orma_site *site, const struct orma_track *track, uint64_t begin_ns,
                   uint64_t end_ns, const struct orma_arg *args, size_t num)
{
    uint32_t sessions = emit_all(UINT32_MAX, &(struct orma_te_event){.type = BEGIN,
                                                                     .site = site,
                                                                     .category = site->category,
                                                                     .args = args,
                                                                     .args_num = num,
                                                                     .track = track,
                                                                     .has_time = true,
                                                                     .ns = begin_ns});

    if (sessions)
        (void)emit_all(sessions, &(struct orma_te_event){.type = END,
                                                         .category = site->category,
                                                         .track = track,
                                                         .has_time = true,
                                                         .ns = end_ns});
}

void orma_state(struct orma_site *site, const struct orma_track *track, const struct orma_arg *args,
                size_t num)
{
    (void)emit_all(UINT32_MAX, &(struct orma_te_event){.type = ORMA_PB_TRACK_EVENT_TYPE_STATE,
                                                       .site = site,
                                                       .category = site->category,
                                                       .args = args,
                                                       .args_num = num,
                                                       .track = track,
                                                       .ns = orma_now()});
}

void orma_scope_begin_args(struct orma_scope *scope, struct orma_site *site,
                           const struct orma_arg *args, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (args[i].kind == ORMA_ARG_KIND_TRACK)
            scope->track = args[i].ptr;
    }
    scope->sessions = orma_slice_begin_args(site, args, num);
}

void orma_scope_end_on_track(const struct orma_scope *scope)
{
    const struct orma_arg track = ORMA_TRACK(scope->track);

    orma_slice_end_args(scope->category, scope->sessions, &track, 1);
}

uint64_t orma_now(void)
{
    struct orma_te_thread *self = orma_te_self;

    /* An event that we interrupt may be half way through changing its anchor. */
    if (!is_idle(self))
        return orma_clock_boottime();
    /* And an event that interrupts us must find the anchor whole: it is not ours to change. */
    struct orma_tsc_anchor copy = self->clock;
    atomic_signal_fence(memory_order_seq_cst);
    if (*(volatile uint64_t *)&self->clock.tsc != copy.tsc)
        return orma_clock_boottime();
    return orma_tsc_now(&copy);
}
