/*
 * What the reader of a sequence knows: texts by number, tracks, the clock. And
 * what the short way may therefore use.
 */
#include <sys/auxv.h>

#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "sdk/base/mem.h"
#include "sdk/events/te_encode.h"
#include "sdk/wire/pb_writer.h"

#define STATE_CLEARED ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED
#define TRACK_DEPTH_MAX 64u
/* Tells the thread_time track from the thread's own. */
#define THREAD_TIME_SALT 0x2d8f4e1b9c6a7053u
/* Entries of sites are made in blocks of so many. */
#define SITES_STEP 64u
/* Larger ids are legal, but an entry has no room for them. */
#define SHORT_IID_MAX ((1u << 14) - 1)

static const struct {
    uint32_t field; /* of InternedData */
    uint32_t text;  /* of the message there; the iid is always 1 */
} interned_fields[ORMA_TE_INTERNED_KINDS] = {
    [ORMA_TE_CATEGORY] = {ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, ORMA_PB_EVENT_CATEGORY_NAME},
    [ORMA_TE_EVENT_NAME] = {ORMA_PB_INTERNED_DATA_EVENT_NAMES, ORMA_PB_EVENT_NAME_NAME},
    [ORMA_TE_ANNOTATION_NAME] = {ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
                                 ORMA_PB_DEBUG_ANNOTATION_NAME__NAME},
    [ORMA_TE_STRING_VALUE] = {ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
                              ORMA_PB_INTERNED_STRING_STR},
    [ORMA_TE_TYPE_NAME] = {ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES, 2},
    [ORMA_TE_SOURCE_LOCATION] = {ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, 0},
    [ORMA_TE_LOG_BODY] = {ORMA_PB_INTERNED_DATA_LOG_MESSAGE_BODY, ORMA_PB_LOG_MESSAGE_BODY__BODY},
    [ORMA_TE_CORRELATION] = {ORMA_PB_INTERNED_DATA_CORRELATION_ID_STR, ORMA_PB_INTERNED_STRING_STR},
};

/* Differs between processes, so that nobody can make texts that collide. */
static uint64_t secret(void)
{
    uint64_t bytes;
    const void *random =
        (const void *)(uintptr_t)getauxval(AT_RANDOM); /* of the kernel; 16 bytes */

    if (!random)
        return ORMA_FNV1A_BASIS;
    memcpy(&bytes, random, sizeof(bytes));
    return bytes;
}

/*
 * Known: its iid. New: the next iid, and *ret_new. `salt` is what else tells it apart.
 *
 * The map has iids by a hash that anybody can compute, and with each the half of another that
 * nobody can. Where that differs, the number is somebody else's: the text gets one of its own, and
 * the other gets a new one when it comes again.
 */
static uint32_t number(struct orma_te_seq *seq, enum orma_te_interned kind, struct orma_str text,
                       uint32_t salt, bool *ret_new)
{
    uint64_t key =
        orma_mix64(orma_hash_bytes(text.data, text.len) + salt + (uint64_t)kind * ORMA_FNV1A_PRIME);
    uint32_t check = (uint32_t)orma_mix64(orma_fnv1a(secret() + salt, text.data, text.len));
    uint64_t known = orma_map_get(&seq->iids, key);

    *ret_new = known == ORMA_MAP_NONE || (uint32_t)(known >> 32) != check;
    if (*ret_new) {
        known = (uint64_t)check << 32 | ++seq->next_iid[kind];
        /* Out of memory: it is only defined again next time, with another number. */
        (void)orma_map_put(&seq->iids, key, known);
    }
    return (uint32_t)known;
}

uint32_t orma_te_intern(struct orma_te_encoder *e, enum orma_te_interned kind, struct orma_str text)
{
    struct orma_buf *b = &e->t->interned;
    bool is_new;
    uint32_t iid = number(e->seq, kind, text, 0, &is_new);

    if (is_new) {
        size_t at = orma_pb_begin(b, interned_fields[kind].field);

        orma_pb_put_u64(b, 1, iid);
        orma_pb_put_str(b, interned_fields[kind].text, text);
        orma_pb_end(b, at);
    }
    return iid;
}

uint32_t orma_te_intern_location(struct orma_te_encoder *e, const char *function)
{
    const struct orma_site *site = e->ev->site;
    struct orma_buf *b = &e->t->interned;
    bool is_new;
    uint32_t iid =
        number(e->seq, ORMA_TE_SOURCE_LOCATION, orma_str_from(site->file), site->line, &is_new);

    if (is_new) {
        size_t at = orma_pb_begin(b, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS);

        orma_pb_put_u64(b, ORMA_PB_SOURCE_LOCATION_IID, iid);
        orma_pb_put_cstr(b, ORMA_PB_SOURCE_LOCATION_FILE_NAME, site->file);
        if (function)
            orma_pb_put_cstr(b, ORMA_PB_SOURCE_LOCATION_FUNCTION_NAME, function);
        orma_pb_put_u64(b, ORMA_PB_SOURCE_LOCATION_LINE_NUMBER, site->line);
        orma_pb_end(b, at);
    }
    return iid;
}

bool orma_te_put_packet(struct orma_te_thread *t, struct orma_te_seq *seq)
{
    if (t->packet.failed) {
        orma_writer_count_drop(seq->writer, ORMA_DROP_TOO_LARGE);
        return false;
    }
    return orma_writer_put(seq->writer, t->packet.data, t->packet.len) == 0;
}

static void put_clock(struct orma_buf *b, uint32_t id, uint64_t ts, uint64_t unit, bool incremental)
{
    size_t at = orma_pb_begin(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ts);
    if (incremental)
        orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, 1);
    if (unit)
        orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS, unit);
    orma_pb_end(b, at);
}

static void put_clocks(struct orma_buf *b, const struct orma_te_config *c, uint64_t ns)
{
    if (c->absolute_timestamps && c->unit_ns == 1)
        return; /* boottime itself: nothing to define */
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    put_clock(b, ORMA_CLOCK_BOOTTIME, ns, 0, false);
    if (!c->absolute_timestamps)
        put_clock(b, ORMA_TE_CLOCK_INCREMENTAL, ns / c->unit_ns, c->unit_ns, true);
    if (c->unit_ns > 1)
        put_clock(b, ORMA_TE_CLOCK_ABSOLUTE, ns / c->unit_ns, c->unit_ns, false);
    orma_pb_end(b, at);
}

static uint32_t default_clock(const struct orma_te_config *c)
{
    if (!c->absolute_timestamps)
        return ORMA_TE_CLOCK_INCREMENTAL;
    return c->unit_ns == 1 ? ORMA_CLOCK_BOOTTIME : ORMA_TE_CLOCK_ABSOLUTE;
}

uint64_t orma_te_thread_time_uuid(const struct orma_te_thread *t)
{
    return orma_te_thread_uuid(t->tid) ^ THREAD_TIME_SALT;
}

/*
 * Introductions carry the time at which they were last true: a reader that sorts
 * by time must not see this thread before the kernel's event of its birth.
 */
static void put_intro_time(struct orma_buf *b, const struct orma_te_seq *seq)
{
    const struct orma_te_config *c = &seq->session->config;
    /* On the incremental clock it is the difference to the packet before: none. */
    uint64_t time = c->absolute_timestamps ? seq->last_ns / c->unit_ns : 0;

    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, time);
}

static bool put_defaults(struct orma_te_thread *t, struct orma_te_seq *seq, uint64_t ns)
{
    const struct orma_te_config *c = &seq->session->config;
    struct orma_buf *b = &t->packet;

    orma_buf_clear(b);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, default_clock(c));
    size_t te = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS);
    orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID, orma_te_thread_uuid(t->tid));
    if (c->thread_time)
        orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS,
                        orma_te_thread_time_uuid(t));
    orma_pb_end(b, te);
    orma_pb_end(b, at);
    put_clocks(b, c, ns);
    return orma_te_put_packet(t, seq);
}

static bool put_descriptor(struct orma_te_thread *t, struct orma_te_seq *seq,
                           const struct orma_track *track)
{
    /* The global one is known to every reader. */
    if (!track->uuid || orma_map_get(&seq->tracks, track->uuid) != ORMA_MAP_NONE)
        return true;
    orma_buf_clear(&t->packet);
    put_intro_time(&t->packet, seq);
    orma_pb_put_u64(&t->packet, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, ORMA_TE_NEEDS_STATE);
    orma_te_put_track(&t->packet, track);
    /* Out of memory: it is only described again. The value is the last of an incremental counter.
     */
    (void)orma_map_put(&seq->tracks, track->uuid, 0);
    return orma_te_put_packet(t, seq);
}

bool orma_te_describe(struct orma_te_thread *t, struct orma_te_seq *seq,
                      const struct orma_track *track)
{
    const struct orma_track *line[TRACK_DEPTH_MAX];
    unsigned num = 0;

    for (; track && num < TRACK_DEPTH_MAX; track = track->parent)
        line[num++] = track;
    while (num) {
        if (!put_descriptor(t, seq, line[--num]))
            return false;
    }
    return true;
}

static bool put_thread_time_track(struct orma_te_thread *t, struct orma_te_seq *seq)
{
    const struct orma_te_config *c = &seq->session->config;
    struct orma_buf *b = &t->packet;

    orma_buf_clear(b);
    put_intro_time(b, seq);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, ORMA_TE_NEEDS_STATE);
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_UUID, orma_te_thread_time_uuid(t));
    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, orma_te_thread_uuid(t->tid));
    orma_pb_put_cstr(b, ORMA_PB_TRACK_DESCRIPTOR_NAME, "thread_time");
    size_t counter = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_COUNTER);
    orma_pb_put_u64(b, ORMA_PB_COUNTER_DESCRIPTOR_TYPE,
                    ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS);
    orma_pb_put_u64(b, ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER, c->unit_ns);
    orma_pb_put_u64(b, ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1);
    orma_pb_end(b, counter);
    orma_pb_end(b, at);
    return orma_te_put_packet(t, seq);
}

bool orma_te_introduce(struct orma_te_thread *t, struct orma_te_seq *seq, uint64_t ns)
{
    struct orma_track process = orma_track_process();
    struct orma_track thread = {
        .uuid = orma_te_thread_uuid(t->tid), .kind = ORMA_TRACK_THREAD, .tid = t->tid};

    atomic_store_explicit(&seq->sites_num, 0, memory_order_relaxed);
    if (seq->sites_cap)
        memset(seq->sites, 0, seq->sites_cap * sizeof(*seq->sites));
    memset(seq->keys, 0, sizeof(seq->keys));
    memset(seq->known, 0, sizeof(seq->known));
    memset(seq->next_iid, 0, sizeof(seq->next_iid));
    orma_map_clear(&seq->iids);
    orma_map_clear(&seq->tracks);
    seq->last_ns = ns;
    seq->renewed_chunk = seq->writer->next_chunk_id;
    seq->thread_time_ns = seq->thread_time_at_ns = 0;
    (void)orma_writer_take_restart(seq->writer);
    return put_defaults(t, seq, ns) && put_descriptor(t, seq, &thread) &&
           put_descriptor(t, seq, &process) &&
           (!seq->session->config.thread_time || put_thread_time_track(t, seq));
}

/* ---- for the short way ---- */

static bool has_names(uint32_t type)
{
    return type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN ||
           type == ORMA_PB_TRACK_EVENT_TYPE_INSTANT || type == ORMA_PB_TRACK_EVENT_TYPE_STATE;
}

static bool grow_sites(struct orma_te_seq *seq, uint32_t id)
{
    uint32_t cap = (uint32_t)orma_align_up((uint64_t)id + 1 + id / 2, SITES_STEP);

    if (id < seq->sites_cap)
        return true;
    if (id >= ORMA_TE_SITES_MAX)
        return false;
    struct orma_te_entry *sites = orma_mem_new(cap * sizeof(*sites));
    if (!sites)
        return false; /* these sites take the slow path */
    if (seq->sites)
        memcpy(sites, seq->sites, seq->sites_cap * sizeof(*sites));
    orma_mem_free(seq->sites, seq->sites_cap * sizeof(*sites));
    seq->sites = sites;
    seq->sites_cap = cap;
    return true;
}

static uint8_t *put_track_field(uint8_t *to, uint64_t uuid)
{
    *to++ = ORMA_PB_TRACK_EVENT_TRACK_UUID << 3;
    return orma_varint_write(to, uuid);
}

/* Categories and name, as they stand in an entry. NULL: no room for them. */
static uint8_t *put_names_short(struct orma_te_encoder *e, uint8_t *to, const uint8_t *end)
{
    struct orma_str rest = orma_str_from(e->ev->category->name), one;

    while (rest.len && orma_str_cut(&rest, ',', &one)) {
        uint32_t iid = orma_te_intern(e, ORMA_TE_CATEGORY, orma_str_trim(one));

        if (iid > SHORT_IID_MAX || end - to < 3)
            return NULL;
        *to++ = ORMA_PB_TRACK_EVENT_CATEGORY_IIDS << 3;
        to = orma_varint_write(to, iid);
    }
    if (e->ev->site->name[0]) {
        uint32_t iid = orma_te_intern(e, ORMA_TE_EVENT_NAME, orma_str_from(e->ev->site->name));

        if (iid > SHORT_IID_MAX || end - to < 3)
            return NULL;
        *to++ = ORMA_PB_TRACK_EVENT_NAME_IID << 3;
        to = orma_varint_write(to, iid);
    }
    return to;
}

static void learn_site(struct orma_te_encoder *e)
{
    struct orma_te_seq *seq = e->seq;
    const struct orma_te_event *ev = e->ev;
    struct orma_te_entry entry = {{0}, 0};
    uint8_t *to = entry.bytes;
    uint32_t id = ev->site ? orma_te_site_id(ev->site) : ORMA_TE_SITE_END;

    /* A name made at run time: the site's own may not have been defined yet. */
    if ((e->dynamic_name.data && ev->site && ev->site->name[0]) || !grow_sites(seq, id) ||
        seq->sites[id].len)
        return;
    *to++ = ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3;
    *to++ = ORMA_TE_NEEDS_STATE;
    *to++ = ORMA_PB_TRACE_PACKET_TRACK_EVENT << 3 | ORMA_PB_LEN;
    *to++ = 0;
    *to++ = ORMA_PB_TRACK_EVENT_TYPE << 3;
    *to++ = (uint8_t)ev->type;
    orma_buf_clear(
        &e->t->interned); /* nothing new will be in it: the event has just been written */
    if (has_names(ev->type))
        to = put_names_short(e, to, entry.bytes + sizeof(entry.bytes));
    else if (ev->own_track)
        memcpy(to, &e->track->uuid, sizeof(e->track->uuid));
    /* A text collided, or there was no memory a moment ago: its number is new to the reader. */
    seq->renew |= e->t->interned.len != 0;
    if (!to || seq->renew)
        return;
    entry.len = (uint8_t)(to - entry.bytes);
    entry.bytes[3] = (uint8_t)(entry.len - 4);
    seq->sites[id] = entry;
}

/* A track that the short way may name. Incremental counters need their last value: never. */
static void learn_track(struct orma_te_encoder *e)
{
    const struct orma_track *track = e->track;

    if (!track || (track->kind == ORMA_TRACK_COUNTER && track->incremental))
        return;
    struct orma_te_known *known = &e->seq->known[orma_te_known_hash(track->uuid)];
    known->uuid = track->uuid;
    known->len = (uint8_t)(put_track_field(known->field, track->uuid) - known->field);
}

/* Annotation names of literals, for the short way. */
static void learn_keys(struct orma_te_encoder *e)
{
    for (size_t i = 0; i < e->ev->args_num; i++) {
        const struct orma_arg *a = &e->ev->args[i];
        bool is_new;

        if (a->kind > ORMA_ARG_KIND_STR || a->dynamic_key)
            continue;
        struct orma_te_key *slot = &e->seq->keys[orma_te_key_hash(a->key)];
        if (slot->key == a->key)
            continue;
        uint32_t iid = number(e->seq, ORMA_TE_ANNOTATION_NAME, orma_str_from(a->key), 0, &is_new);
        if (is_new)
            e->seq->renew = true; /* out of memory a moment ago: say it all again */
        *slot = (struct orma_te_key){a->key, iid};
    }
}

void orma_te_forget_old_keys(struct orma_te_seq *seq)
{
    /* Relaxed: orma_te_seq_open() looks again. */
    uint32_t now = atomic_load_explicit(&orma_te.keys_generation, memory_order_relaxed);

    if (seq->keys_generation == now)
        return;
    memset(seq->keys, 0, sizeof(seq->keys));
    seq->keys_generation = now;
}

void orma_te_learn(struct orma_te_encoder *e)
{
    learn_site(e);
    learn_keys(e);
    learn_track(e);
}

void orma_te_seq_renew_if_due(struct orma_te_seq *self)
{
    uint32_t period = self->session->renew_chunks;

    if (!period || self->writer->next_chunk_id - self->renewed_chunk <= period)
        return;
    self->renew = true;
    atomic_store_explicit(&self->sites_num, 0, memory_order_relaxed);
}

void orma_te_seq_lose(struct orma_te_seq *self)
{
    orma_writer_count_drop(self->writer, ORMA_DROP_NO_CHUNK);
    atomic_store_explicit(&self->sites_num, 0, memory_order_relaxed);
}
