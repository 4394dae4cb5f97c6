/*
 * Of a packet that goes away, a walk over its outermost fields shows whether anything of it is to
 * be kept (look_at()); of nearly all that is only the time, which is added to a sum.
 */
#include "traced/buffers/kept.h"

#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/endian.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define FLAG_CLEARED 1u
#define FLAG_NEEDS 2u

#define TAG_TIMESTAMP (ORMA_PB_TRACE_PACKET_TIMESTAMP << 3 | ORMA_PB_VARINT)
#define TAG_FLAGS (ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3 | ORMA_PB_VARINT)
#define TAG_EVENT (ORMA_PB_TRACE_PACKET_TRACK_EVENT << 3 | ORMA_PB_LEN)

/* Clocks of a sequence have these numbers. */
#define SEQUENCE_CLOCK_MIN 64u
#define SEQUENCE_CLOCK_MAX 127u
/* More of them that count differences nobody has. */
#define CLOCKS_MAX 4u
#define COUNTERS_MAX 64u
#define EXTRAS_MAX 16u
/* A packet over several chunks is followed up to this size. */
#define OPEN_MAX ((size_t)64 << 10)
/* What fold_usual() reads of a packet: up to 6 bytes of time, and 4 behind them. */
#define USUAL_LOADS 12u

/* A clock that counts differences: their sum since the last snapshot. */
struct clock_sum {
    uint64_t id, sum;
};

/* The same of a counter. */
struct counter_sum {
    uint64_t uuid;
    uint64_t sum;
    double real;
    bool is_known, is_real;
};

/* In front of each packet of `state` and `facts`. */
struct entry {
    uint32_t len;
    bool is_relative; /* its time was a difference, and is that of the last snapshot now */
};

struct traced_kept {
    bool is_whole; /* nothing is missing since the writer last began anew */
    bool has_next;
    bool is_open; /* `open` is the beginning of a packet that the next chunk continues */
    uint32_t next_id;
    struct orma_buf state, facts, clocks, open;
    struct orma_map facts_known; /* hash -> 1 */
    uint64_t default_clock;
    struct clock_sum sums[CLOCKS_MAX];
    struct clock_sum *usual_sum; /* of the default clock, or NULL */
    struct counter_sum counters[COUNTERS_MAX];
    unsigned sums_num, counters_num;
    uint64_t default_track;
    uint64_t extras[EXTRAS_MAX], real_extras[EXTRAS_MAX];
    unsigned extras_num, real_extras_num;
    size_t counted;       /* so much of traced_buffer.kept_bytes */
    struct orma_buf made; /* packets for the reader, each behind its length */
    size_t made_at;
    bool is_made;
};

/* What the outermost fields of a packet say. */
struct look {
    uint64_t ts, clock;
    struct orma_pb_field event;
    bool has_ts, is_cleared, is_dropped, has_state, has_fact, has_clocks, has_defaults, failed;
};

static struct look look_at(const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    struct look l = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_PACKET_TIMESTAMP:
            l.has_ts = true;
            l.ts = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
            l.clock = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
            l.is_cleared |= f.num & FLAG_CLEARED;
            break;
        case ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
            l.is_cleared |= f.num != 0;
            break;
        case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
            l.is_dropped |= f.num != 0;
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
            l.event = f;
            break;
        case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
            l.has_defaults = l.has_state = true;
            break;
        case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
        case ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR: /* these two are about the sequence */
        case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR:
            l.has_state = true;
            break;
        case ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT:
            l.has_clocks = true;
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
        case ORMA_PB_TRACE_PACKET_PROCESS_TREE:
        case ORMA_PB_TRACE_PACKET_CPU_INFO:
        case ORMA_PB_TRACE_PACKET_GPU_INFO:
        case ORMA_PB_TRACE_PACKET_INTERRUPT_INFO:
        case ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR:
            l.has_fact = true;
            break;
        }
    }
    l.failed = r.failed;
    return l;
}

/* 7 bits of each of the 6 lower bytes as one number. */
static inline uint64_t gather7(uint64_t bytes)
{
    bytes = (bytes & UINT64_C(0x007f007f007f)) | (bytes & UINT64_C(0x7f007f007f00)) >> 1;
    return (bytes & 0x3fff) | (bytes & UINT64_C(0x3fff0000)) >> 2 |
           (bytes & UINT64_C(0x3fff00000000)) >> 4;
}

/*
 * The usual packets of events: time, "needs the state before it", one field of data; of these only
 * the time matters. As many as follow each other from *pos on, at most `max`:
 *
 *   len  08<<3  time, 1 to 6 bytes  0x68 2  0x5a len ...
 *   └──────── 8 bytes ────────────┘└──── 4 ───┘
 *
 * What is shorter than these loads, or otherwise, is left to the walk over fields. Returns how many
 * these were; their times are added to *sum.
 */
static inline uint32_t fold_usual(const uint8_t *payload, uint32_t size, uint32_t *pos,
                                  uint32_t max, uint64_t *sum)
{
    const uint32_t usual = TAG_FLAGS | FLAG_NEEDS << 8 | TAG_EVENT << 16;
    uint64_t times = 0;
    uint32_t at = *pos, num = 0;

    for (; num < max && size - at >= USUAL_LOADS; num++) {
        uint64_t head = orma_le64_at(payload + at), time = head >> 16;
        uint64_t ends = ~time & UINT64_C(0x808080808080);
        uint32_t len = head & 0xff, tail;

        if ((head & 0xff80) != TAG_TIMESTAMP << 8 || !ends || len >= size - at)
            break;
        unsigned bits = (unsigned)__builtin_ctzll(ends) + 1;
        memcpy(&tail, payload + at + 2 + bits / 8, sizeof(tail));
        tail = ORMA_LE32(tail);
        if ((tail & 0x80ffffff) != usual || (tail >> 24) + bits / 8 + 5 != len)
            break;
        times += gather7(time & ((UINT64_C(1) << bits) - 1));
        at += 1 + len;
    }
    *pos = at;
    *sum += times;
    return num;
}

static bool is_state_field(uint32_t id)
{
    return id == ORMA_PB_TRACE_PACKET_INTERNED_DATA ||
           id == ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS ||
           id == ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR ||
           id == ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR;
}

static bool is_fact_field(uint32_t id)
{
    return id == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR || id == ORMA_PB_TRACE_PACKET_PROCESS_TREE ||
           id == ORMA_PB_TRACE_PACKET_CPU_INFO || id == ORMA_PB_TRACE_PACKET_GPU_INFO ||
           id == ORMA_PB_TRACE_PACKET_INTERRUPT_INFO ||
           id == ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR;
}

/* ---- how much ---- */

static size_t size_of(const struct traced_kept *kept)
{
    return sizeof(*kept) + kept->state.cap + kept->facts.cap + kept->clocks.cap + kept->open.cap;
}

static void count_size(struct traced_buffer *buf, struct traced_kept *kept)
{
    size_t now = size_of(kept);

    buf->kept_bytes += now - kept->counted;
    kept->counted = now;
}

/* Half, since a buffer that grows doubles. */
static bool is_over(const struct traced_buffer *buf)
{
    return buf->kept_bytes > TRACED_KEPT_MAX(buf->size) / 2;
}

static struct traced_kept *make(struct traced_buffer *buf, struct traced_seq *seq)
{
    if (is_over(buf)) {
        buf->stats.kept_dropped++;
        return NULL;
    }
    seq->kept = calloc(1, sizeof(*seq->kept));
    if (seq->kept)
        count_size(buf, seq->kept);
    return seq->kept;
}

static ORMA_COLD void drop_state(struct traced_kept *kept)
{
    kept->is_whole = false;
    orma_buf_clear(&kept->state);
}

/* ---- sums ---- */

static struct clock_sum *find_sum(struct traced_kept *kept, uint64_t clock)
{
    for (unsigned i = 0; i < kept->sums_num; i++)
        if (kept->sums[i].id == clock)
            return &kept->sums[i];
    return NULL;
}

static inline void add_time(struct traced_kept *kept, const struct look *l)
{
    struct clock_sum *sum = find_sum(kept, l->clock ? l->clock : kept->default_clock);

    if (sum)
        sum->sum += l->ts;
}

static struct counter_sum *find_counter(struct traced_kept *kept, uint64_t uuid)
{
    for (unsigned i = 0; i < kept->counters_num; i++)
        if (kept->counters[i].uuid == uuid)
            return &kept->counters[i];
    return NULL;
}

static void add_value(struct traced_kept *kept, uint64_t uuid, const struct orma_pb_field *value,
                      bool is_real)
{
    struct counter_sum *c = find_counter(kept, uuid);

    if (!c)
        return;
    c->is_known = true;
    c->is_real = is_real;
    if (is_real)
        c->real += orma_pb_double(value);
    else
        c->sum += value->num;
}

/* An event of a sequence with counters that count differences. */
static ORMA_COLD void add_counters(struct traced_kept *kept, const struct orma_pb_field *event)
{
    struct orma_pb_reader r = orma_pb_reader(event->data, event->len);
    uint64_t track = kept->default_track, own[EXTRAS_MAX], own_real[EXTRAS_MAX];
    unsigned own_num = 0, own_real_num = 0, at = 0, real_at = 0;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_TRACK_UUID)
            track = f.num;
        else if (f.id == ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS && own_num < EXTRAS_MAX)
            own[own_num++] = f.num;
        else if (f.id == ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS &&
                 own_real_num < EXTRAS_MAX)
            own_real[own_real_num++] = f.num;
    }
    const uint64_t *extras = own_num ? own : kept->extras;
    const uint64_t *real_extras = own_real_num ? own_real : kept->real_extras;
    unsigned num = own_num ? own_num : kept->extras_num;
    unsigned real_num = own_real_num ? own_real_num : kept->real_extras_num;
    r = orma_pb_reader(event->data, event->len);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_COUNTER_VALUE)
            add_value(kept, track, &f, false);
        else if (f.id == ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE)
            add_value(kept, track, &f, true);
        else if (f.id == ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES && at < num)
            add_value(kept, extras[at++], &f, false);
        else if (f.id == ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES && real_at < real_num)
            add_value(kept, real_extras[real_at++], &f, true);
    }
}

/* ---- what a packet says about those behind it ---- */

static void note_event_defaults(struct traced_kept *kept, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID)
            kept->default_track = f.num;
        else if (f.id == ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS &&
                 kept->extras_num < EXTRAS_MAX)
            kept->extras[kept->extras_num++] = f.num;
        else if (f.id == ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS &&
                 kept->real_extras_num < EXTRAS_MAX)
            kept->real_extras[kept->real_extras_num++] = f.num;
    }
}

static void forget_defaults(struct traced_kept *kept)
{
    kept->default_clock = kept->default_track = 0;
    kept->extras_num = kept->real_extras_num = 0;
}

static void note_defaults(struct traced_kept *kept, const struct orma_pb_field *defaults)
{
    struct orma_pb_reader r = orma_pb_reader(defaults->data, defaults->len);
    struct orma_pb_field f;

    forget_defaults(kept);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID)
            kept->default_clock = f.num;
        else if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS)
            note_event_defaults(kept, orma_pb_reader(f.data, f.len));
    }
}

static void note_clock(struct traced_kept *kept, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    bool is_incremental = false;
    uint64_t id = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID)
            id = f.num;
        else if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL)
            is_incremental = f.num;
    }
    if (!is_incremental || id < SEQUENCE_CLOCK_MIN || id > SEQUENCE_CLOCK_MAX)
        return;
    struct clock_sum *sum = find_sum(kept, id);
    if (!sum && kept->sums_num < CLOCKS_MAX)
        sum = &kept->sums[kept->sums_num++];
    if (sum)
        *sum = (struct clock_sum){.id = id};
}

/* A later snapshot stands for all before it: writers put all of their clocks into each. */
static void note_clocks(struct traced_kept *kept, const struct orma_pb_field *snapshot)
{
    struct orma_pb_reader r = orma_pb_reader(snapshot->data, snapshot->len);
    struct orma_pb_field f;

    orma_buf_clear(&kept->clocks);
    orma_buf_put(&kept->clocks, snapshot->data, snapshot->len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS)
            note_clock(kept, orma_pb_reader(f.data, f.len));
}

static void note_track(struct traced_kept *kept, const struct orma_pb_field *track)
{
    struct orma_pb_reader r = orma_pb_reader(track->data, track->len);
    struct orma_pb_field f, g;
    bool is_incremental = false;
    uint64_t uuid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID)
            uuid = f.num;
        if (f.id != ORMA_PB_TRACK_DESCRIPTOR_COUNTER)
            continue;
        struct orma_pb_reader c = orma_pb_reader(f.data, f.len);
        while (orma_pb_next(&c, &g))
            if (g.id == ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL)
                is_incremental = g.num;
    }
    if (is_incremental && !find_counter(kept, uuid) && kept->counters_num < COUNTERS_MAX)
        kept->counters[kept->counters_num++] = (struct counter_sum){.uuid = uuid};
}

/* The writer begins anew: nothing from here on refers to anything before. */
static void begin_anew(struct traced_kept *kept)
{
    kept->is_whole = true;
    orma_buf_clear(&kept->state);
    orma_buf_clear(&kept->facts);
    orma_map_clear(&kept->facts_known);
    kept->counters_num = 0;
    forget_defaults(kept);
}

/* ---- keeping a packet ---- */

/* The packet's time, as far as it still means anything without those before. */
static void put_time(struct orma_buf *out, struct traced_kept *kept, const struct look *l,
                     struct entry *entry)
{
    uint64_t clock = l->clock ? l->clock : kept->default_clock;

    entry->is_relative = l->has_ts && find_sum(kept, clock);
    if (!l->has_ts || entry->is_relative)
        return;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, l->ts);
    if (clock)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, clock);
}

/* The fields of the packet for which `is_wanted`, as a packet at the end of `out`. */
static void keep_fields(struct traced_kept *kept, struct orma_buf *out, const struct look *l,
                        const uint8_t *data, size_t len, bool (*is_wanted)(uint32_t))
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct entry entry = {0};
    struct orma_pb_field f;
    size_t at = out->len;

    orma_buf_put(out, &entry, sizeof(entry));
    put_time(out, kept, l, &entry);
    while (orma_pb_next(&r, &f))
        if (is_wanted(f.id))
            orma_pb_put_bytes(out, f.id, f.data, f.len);
    if (out->failed)
        return;
    entry.len = (uint32_t)(out->len - at - sizeof(entry));
    memcpy(out->data + at, &entry, sizeof(entry));
}

/* Facts are repeated where their writer begins anew. One that does not may still repeat itself. */
static bool is_known(struct traced_kept *kept, const uint8_t *data, size_t len)
{
    uint64_t hash = orma_hash_bytes_from(orma_hash_seed(), data, len);

    if (orma_map_get(&kept->facts_known, hash) != ORMA_MAP_NONE)
        return true;
    (void)orma_map_put(&kept->facts_known, hash, 1); /* no memory: it is kept twice */
    return false;
}

/* The oldest half of the facts go; or all, if there is only one. */
static void drop_facts(struct traced_kept *kept)
{
    struct entry entry;
    size_t at = 0;

    while (at < kept->facts.len / 2) {
        memcpy(&entry, kept->facts.data + at, sizeof(entry));
        at += sizeof(entry) + entry.len;
    }
    struct orma_buf rest = {0};

    orma_buf_put(&rest, kept->facts.data + at, kept->facts.len - at);
    orma_buf_fini(&kept->facts);
    kept->facts = rest;
    orma_map_clear(&kept->facts_known);
}

static ORMA_COLD void keep(struct traced_buffer *buf, struct traced_kept *kept,
                           const struct look *l, const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;

    if (l->is_cleared)
        begin_anew(kept);
    else if (l->is_dropped)
        drop_state(kept);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS)
            note_defaults(kept, &f);
        else if (f.id == ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT)
            note_clocks(kept, &f);
        else if (f.id == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR)
            note_track(kept, &f);
    }
    kept->usual_sum = find_sum(kept, kept->default_clock);
    if (l->has_state && kept->is_whole)
        keep_fields(kept, &kept->state, l, data, len, is_state_field);
    if (l->has_fact && !is_known(kept, data, len))
        keep_fields(kept, &kept->facts, l, data, len, is_fact_field);
    count_size(buf, kept);
    if (!is_over(buf) && !kept->state.failed && !kept->facts.failed)
        return;
    buf->stats.kept_dropped++;
    if (kept->state.len >= kept->facts.len || kept->state.failed) {
        drop_state(kept);
        orma_buf_fini(&kept->state);
    } else {
        drop_facts(kept);
    }
    count_size(buf, kept);
}

static void fold_packet(struct traced_buffer *buf, struct traced_kept *kept, const uint8_t *data,
                        size_t len)
{
    struct look l = look_at(data, len);

    if (l.failed) /* no packet: counted as invalid or overwritten, and nobody refers to it */
        return;
    if (ORMA_UNLIKELY(l.is_cleared | l.is_dropped | l.has_state | l.has_fact | l.has_clocks))
        keep(buf, kept, &l, data, len);
    if (l.has_ts && !l.has_clocks)
        add_time(kept, &l);
    if (ORMA_UNLIKELY(kept->counters_num) && l.event.data)
        add_counters(kept, &l.event);
}

/* A piece of a packet over several chunks. */
static ORMA_COLD void fold_piece(struct traced_buffer *buf, struct traced_kept *kept,
                                 const struct traced_slice *piece, bool ends)
{
    if (!kept->is_open)
        return;
    if (piece->len > OPEN_MAX - ORMA_MIN(kept->open.len, OPEN_MAX)) {
        kept->is_open = false; /* most likely data; if it was state, it is missing */
        drop_state(kept);
        buf->stats.kept_dropped++;
    } else {
        orma_buf_put(&kept->open, piece->data, piece->len);
    }
    if (kept->is_open && ends)
        fold_packet(buf, kept, kept->open.data, kept->open.len);
    kept->is_open &= !ends;
    count_size(buf, kept);
}

/* Is it the chunk that was to come? If not, packets are missing. */
static void follow(struct traced_kept *kept, const struct traced_record *rec, bool from_start)
{
    if (!kept->has_next || rec->chunk_id != kept->next_id) {
        /* One that is late was scraped before: this is the rest of it. */
        if (kept->has_next && (int32_t)(rec->chunk_id - kept->next_id) > 0)
            drop_state(kept);
        if (from_start)
            kept->is_open = false;
    }
    if (!kept->has_next || (int32_t)(rec->chunk_id + 1 - kept->next_id) > 0)
        kept->next_id = rec->chunk_id + 1;
    kept->has_next = true;
}

void traced_kept_fold(struct traced_buffer *buf, struct traced_seq *seq,
                      const struct traced_ref *ref, const struct traced_record *rec)
{
    struct traced_kept *kept = seq->kept ? seq->kept : make(buf, seq);
    const uint8_t *payload = traced_record_payload(rec);
    uint32_t size = traced_record_payload_size(rec), pos = ref->pos, len = 0;
    const uint8_t *data = NULL;

    if (!kept)
        return;
    follow(kept, rec, !ref->read);
    /* The last one may be continued, or wait for a patch. */
    bool last_is_other = rec->flags & (TRACED_REC_CONT_NEXT | TRACED_REC_NEEDS_PATCH);
    uint32_t whole = rec->count - (last_is_other && rec->count);
    for (uint32_t i = ref->read; i < rec->count; i++) {
        bool continues = i == 0 && rec->flags & TRACED_REC_CONT_PREV;
        if (ORMA_LIKELY(!continues && i < whole && !kept->counters_num)) {
            uint64_t unused = 0;
            i += fold_usual(payload, size, &pos, whole - i,
                            kept->usual_sum ? &kept->usual_sum->sum : &unused);
            if (i == rec->count)
                break;
        }
        enum traced_frag got = traced_frag_at(payload, size, &pos, &data, &len);
        bool is_open = i + 1 == rec->count && rec->flags & TRACED_REC_CONT_NEXT;
        bool is_unpatched = i + 1 == rec->count && rec->flags & TRACED_REC_NEEDS_PATCH;

        if (got >= TRACED_FRAG_DROP_MARKER || is_unpatched) {
            drop_state(kept); /* what the packet said is not known */
            kept->is_open = false;
            return;
        }
        if (ORMA_LIKELY(!continues && !is_open)) {
            fold_packet(buf, kept, data, len);
            continue;
        }
        if (!continues) {
            kept->is_open = true;
            orma_buf_clear(&kept->open);
        }
        fold_piece(buf, kept, &(struct traced_slice){data, len}, !is_open);
    }
}

void traced_kept_skip(struct traced_seq *seq, const struct traced_record *rec)
{
    drop_state(seq->kept);
    seq->kept->is_open = false;
    seq->kept->next_id = rec->chunk_id + 1;
}

void traced_kept_join(struct traced_seq *seq, const struct traced_slice *rest, bool ends)
{
    if (seq->kept && !seq->kept->is_made)
        fold_piece(seq->buf, seq->kept, rest, ends);
}

/* ---- for the reader ---- */

static size_t begin_made(struct traced_kept *kept, uint32_t flags)
{
    uint32_t len = 0;
    size_t at = kept->made.len;

    orma_buf_put(&kept->made, &len, sizeof(len));
    if (flags)
        orma_pb_put_u64(&kept->made, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    return at;
}

static void end_made(struct traced_kept *kept, size_t at)
{
    uint32_t len = (uint32_t)(kept->made.len - at - sizeof(len));

    if (kept->made.failed)
        return;
    if (len)
        memcpy(kept->made.data + at, &len, sizeof(len));
    else
        kept->made.len = at;
}

static void make_head(struct traced_kept *kept)
{
    size_t at = begin_made(kept, kept->is_whole ? FLAG_CLEARED : 0);

    if (kept->clocks.len)
        orma_pb_put_bytes(&kept->made, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT, kept->clocks.data,
                          kept->clocks.len);
    end_made(kept, at);
}

static void make_entries(struct traced_kept *kept, const struct orma_buf *from)
{
    struct entry entry;

    for (size_t pos = 0; pos < from->len; pos += sizeof(entry) + entry.len) {
        memcpy(&entry, from->data + pos, sizeof(entry));
        size_t at = begin_made(kept, kept->is_whole ? FLAG_NEEDS : 0);
        if (entry.is_relative && kept->is_whole && find_sum(kept, kept->default_clock))
            orma_pb_put_u64(&kept->made, ORMA_PB_TRACE_PACKET_TIMESTAMP, 0);
        orma_buf_put(&kept->made, from->data + pos + sizeof(entry), entry.len);
        end_made(kept, at);
    }
}

/* The clocks go on to where the packets that are left begin. */
static void make_times(struct traced_kept *kept)
{
    for (unsigned i = 0; i < kept->sums_num; i++) {
        if (!kept->sums[i].sum)
            continue;
        size_t at = begin_made(kept, FLAG_NEEDS);
        orma_pb_put_u64(&kept->made, ORMA_PB_TRACE_PACKET_TIMESTAMP, kept->sums[i].sum);
        orma_pb_put_u64(&kept->made, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, kept->sums[i].id);
        end_made(kept, at);
    }
}

/* What counters stood at then. */
static void make_counters(struct traced_kept *kept)
{
    for (unsigned i = 0; i < kept->counters_num; i++) {
        const struct counter_sum *c = &kept->counters[i];
        struct orma_buf *out = &kept->made;

        if (!c->is_known || !find_sum(kept, kept->default_clock))
            continue;
        size_t at = begin_made(kept, FLAG_NEEDS);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 0);
        size_t event = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
        orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_COUNTER);
        orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, c->uuid);
        if (c->is_real)
            orma_pb_put_double(out, ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, c->real);
        else
            orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_COUNTER_VALUE, c->sum);
        orma_pb_end(out, event);
        end_made(kept, at);
    }
}

static void make_all(struct traced_kept *kept, bool alone)
{
    kept->is_whole &= !alone;
    kept->is_made = true;
    if (!alone)
        make_head(kept);
    if (kept->is_whole)
        make_entries(kept, &kept->state);
    make_entries(kept, &kept->facts);
    if (!kept->is_whole)
        return;
    make_times(kept);
    make_counters(kept);
}

bool traced_kept_any(const struct traced_seq *seq, bool alone)
{
    const struct traced_kept *kept = seq->kept;

    return kept && (kept->is_made || kept->facts.len || (kept->is_whole && !alone));
}

bool traced_kept_next(struct traced_seq *seq, bool alone, struct traced_slice *ret)
{
    struct traced_kept *kept = seq->kept;
    uint32_t len;

    if (!kept->is_made)
        make_all(kept, alone);
    if (kept->made.failed || kept->made_at == kept->made.len) {
        traced_kept_free(seq);
        return false;
    }
    memcpy(&len, kept->made.data + kept->made_at, sizeof(len));
    *ret = (struct traced_slice){kept->made.data + kept->made_at + sizeof(len), len};
    kept->made_at += sizeof(len) + len;
    return true;
}

/* ---- copies ---- */

static struct orma_buf copy_bytes(const struct orma_buf *from)
{
    struct orma_buf to = {0};

    orma_buf_put(&to, from->data, from->len);
    return to;
}

bool traced_kept_copy(struct traced_seq *to, const struct traced_seq *from)
{
    to->kept = NULL;
    if (!from->kept || from->kept->is_made)
        return true;
    struct traced_kept *kept = malloc(sizeof(*kept));
    if (!kept)
        return false;
    *kept = *from->kept;
    kept->state = copy_bytes(&from->kept->state);
    kept->facts = copy_bytes(&from->kept->facts);
    kept->clocks = copy_bytes(&from->kept->clocks);
    kept->open = copy_bytes(&from->kept->open);
    kept->facts_known = (struct orma_map){0};
    kept->usual_sum = find_sum(kept, kept->default_clock);
    kept->counted = 0;
    to->kept = kept;
    count_size(to->buf, kept);
    return !kept->state.failed && !kept->facts.failed && !kept->clocks.failed && !kept->open.failed;
}

void traced_kept_free(struct traced_seq *seq)
{
    struct traced_kept *kept = seq->kept;

    if (!kept)
        return;
    seq->buf->kept_bytes -= kept->counted;
    orma_buf_fini(&kept->state);
    orma_buf_fini(&kept->facts);
    orma_buf_fini(&kept->clocks);
    orma_buf_fini(&kept->open);
    orma_buf_fini(&kept->made);
    orma_map_fini(&kept->facts_known);
    free(kept);
    seq->kept = NULL;
}
