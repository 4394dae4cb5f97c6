/*
 * From bytes to items of the sorter, one packet at a time:
 *
 *   orma_reader_map()  cut_record() cuts a packet and reads its outer fields;
 *                      what is none goes to damage.c, what is like the one before to burst.c
 *   read_packet()      machine, sequence; compressed packets come back here, one level deep
 *   update_sequence()  interned data, defaults, losses, clears
 *   hooks.early        importers that change how later packets are read
 *   read_timed()       the time, in the trace's clock; unknown clocks: deferred to the end
 *   tokenized(), push  hooks.tokenize, or into the sorter
 *
 * Bytes stay where they are, so the sorter keeps addresses and reads packets a second time
 * when it emits them.
 */
#include "processor/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/read/burst.h"
#include "processor/read/inflate_ahead.h"
#include "processor/read/reader_impl.h"
#include "processor/threads/crew.h"
#include "protos/fields/trace.h"
#include "sdk/base/vec.h"

/* Compressed packets inside compressed packets. */
#define COMPRESSED_DEPTH_MAX 2
#define PACKET_MAX ((uint64_t)512 << 20)

/* A packet whose clock no snapshot has explained yet. */
struct deferred {
    const uint8_t *data;
    size_t len;
    struct orma_seq *seq;
    struct orma_seq_gen *gen;
    uint64_t order;
    uint16_t machine;
};

static void found_stray(void *data, const char *msg, uint32_t number, const uint8_t *packet)
{
    struct orma_reader *self = data;

    self->hooks.stray(self->hooks.data, msg, number, orma_damage_offset(self, packet));
}

void orma_reader_init(struct orma_reader *self, struct orma_storage *storage,
                      const struct orma_reader_hooks *hooks, orma_emit_fn *emit)
{
    *self = (struct orma_reader){
        .storage = storage,
        .hooks = *hooks,
        .machines_num = 1,
        .adopts = true,
        .strays = {.found = found_stray, .data = self},
    };
    orma_timeline_init(&self->timeline, &hooks->timeline);
    orma_sorter_init(&self->sorter, emit, hooks->data);
}

void orma_reader_fini(struct orma_reader *self)
{
    orma_sorter_fini(&self->sorter);
    for (uint32_t i = 0; i < self->waiting.num; i++)
        orma_seq_gen_unref(self->waiting.packets[i].gen);
    free(self->waiting.packets);
    orma_seqs_fini(&self->seqs);
    orma_timeline_fini(&self->timeline);
    orma_twice_fini(&self->twice);
    for (struct orma_blob *b = self->blobs, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

uint8_t *orma_reader_blob(struct orma_reader *self, size_t len)
{
    struct orma_blob *blob = malloc(sizeof(*blob) + len);

    if (!blob) {
        self->storage->failed = true;
        return NULL;
    }
    blob->next = self->blobs;
    self->blobs = blob;
    return blob->data;
}

/* ---- time ---- */

static bool use_cached(struct orma_seq *seq, uint64_t timestamp, struct orma_packet_time *ret)
{
    int64_t raw = (int64_t)((seq->clock.incremental ? (uint64_t)seq->clock.raw : 0) + timestamp);
    int64_t ns;

    if (__builtin_mul_overflow(raw, seq->clock.unit, &ns) || ns < seq->clock.lo ||
        ns >= seq->clock.hi)
        return false;
    *ret = (struct orma_packet_time){
        .ts = (int64_t)((uint64_t)ns + (uint64_t)seq->clock.offset),
        .raw = seq->clock.raw,
        .unit = seq->clock.unit,
        .offset = seq->clock.offset,
        .incremental = seq->clock.incremental,
    };
    if (seq->clock.incremental)
        seq->clock.raw = raw;
    return true;
}

/* The clock of a packet's time. 0 is none, and a packet that says so has none of its sequence. */
static inline uint32_t clock_of(const struct orma_read_packet *p, const struct orma_seq *seq)
{
    uint32_t id = p->has_clock ? p->clock_id : seq->gen->has_clock ? seq->gen->clock_id : 0;

    return id ? id : seq->clock.view->default_id;
}

/* The time of a packet that has one. */
static enum orma_clock_result packet_time(struct orma_reader *self, struct orma_seq *seq,
                                          const struct orma_read_packet *p,
                                          struct orma_packet_time *ret)
{
    uint32_t id = clock_of(p, seq);

    if (id == seq->clock.view->same_id) {
        *ret = (struct orma_packet_time){.ts = (int64_t)p->timestamp, .unit = 1};
        orma_timeline_took(&self->timeline);
        return ORMA_CLOCK_OK;
    }
    if (ORMA_LIKELY(seq->clock.cached && seq->clock.id == id &&
                    seq->clock.epoch == self->timeline.epoch &&
                    seq->clock.stamp == self->timeline.clocks.cache_stamp) &&
        ORMA_LIKELY(use_cached(seq, p->timestamp, ret)))
        return ORMA_CLOCK_OK;
    enum orma_clock_result r = orma_reader_find_clock(self, seq, id, p->timestamp);
    if (r == ORMA_CLOCK_OK && !use_cached(seq, p->timestamp, ret))
        r = ORMA_CLOCK_NO_PATH;
    return r;
}

enum orma_clock_result orma_reader_packet_time(struct orma_reader *self, struct orma_seq *seq,
                                               const struct orma_read_packet *p,
                                               struct orma_packet_time *ret)
{
    return packet_time(self, seq, p, ret);
}

/* ---- packets ---- */

static void count_loss(const struct orma_read_packet *p, struct orma_seq *seq)
{
    /* What was lost before the first packet is not known to be anything. */
    if (!p->dropped || !seq->counts.packets)
        return;
    seq->counts.losses++;
    for (unsigned bit = 0; bit < 32; bit++)
        seq->counts.losses_by_reason[bit] += p->dropped >> bit & 1;
}

/* What was lost may have been what others refer to, or differ from. */
static int lose_state(const struct orma_reader *self, struct orma_seq *seq)
{
    seq->valid = seq->times.known = false;
    return self->watches_order ? orma_seq_restart_sums(seq) : 0;
}

/* Rules 2 to 7 of a packet that belongs to a sequence. False: out of memory. */
static bool update_sequence(struct orma_reader *self, const struct orma_read_packet *p,
                            struct orma_seq *seq)
{
    struct orma_stats *stats = orma_reader_stats(self, (uint16_t)seq->machine);
    int r = 0;

    count_loss(p, seq);
    seq->counts.packets++;
    self->counts.data += seq->id != ORMA_SEQ_SERVICE;
    if (p->first)
        seq->saw_first = true;
    if (p->has_pid) {
        seq->pid = p->pid;
        seq->has_pid = true;
    }
    if (p->has_uid)
        seq->uid = p->uid;
    if (p->cleared)
        r = orma_seq_clear(seq);
    else if (p->dropped)
        r = lose_state(self, seq);
    if (!r && p->has_defaults)
        r = orma_seq_set_defaults(seq, p->defaults);
    if (!r && p->interned.data) {
        if (!seq->valid) {
            self->hooks.skipped(self->hooks.data,
                                ORMA_STAT_INTERNED_DATA_SKIPPED_INCREMENTAL_STATE_INVALID, seq,
                                (uint16_t)seq->machine, (const uint8_t *)p->interned.data);
        } else {
            r = orma_seq_intern(seq, p->interned);
            if (r > 0) {
                orma_stats_add(stats, ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS, r);
                r = 0;
            }
        }
    }
    self->storage->failed |= r == -ENOMEM;
    return !self->storage->failed;
}

/* What a packet without a sequence must not carry. */
static void count_missing_sequence(struct orma_reader *self, const struct orma_read_packet *p)
{
    const struct {
        bool has;
        enum orma_stat stat;
    } parts[] = {
        {p->cleared, ORMA_STAT_INCREMENTAL_STATE_CLEARED_MISSING_SEQUENCE_ID},
        {p->dropped, ORMA_STAT_PREVIOUS_PACKET_DROPPED_MISSING_SEQUENCE_ID},
        {p->has_defaults, ORMA_STAT_TRACE_PACKET_DEFAULTS_MISSING_SEQUENCE_ID},
        {p->interned.data, ORMA_STAT_INTERNED_DATA_MISSING_SEQUENCE_ID},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(parts); i++)
        if (parts[i].has)
            self->hooks.skipped(self->hooks.data, parts[i].stat, NULL, self->at.machine,
                                (const uint8_t *)p->bytes.data);
}

static void push_loose(struct orma_reader *self, const struct orma_read_packet *p,
                       struct orma_seq *seq, int64_t ts, uint64_t order)
{
    struct orma_item item = {
        .ts = ts,
        .order = order,
        .data = (const uint8_t *)p->payload.data,
        .len = (uint32_t)p->payload.len,
        .field = p->field,
        .before = p->payload.data ? (uint32_t)(p->payload.data - p->bytes.data) : 0,
        .kind = ORMA_ITEM_PACKET,
        .machine = (uint16_t)seq->machine,
        .gen = seq->gen,
    };

    orma_sorter_push(&self->sorter, &item);
}

bool orma_reader_sortable(struct orma_reader *self, int64_t ts)
{
    if (ORMA_UNLIKELY(ts < 0)) {
        orma_stats_inc(orma_reader_stats(self, self->at.machine),
                       ORMA_STAT_TRACE_SORTER_NEGATIVE_TIMESTAMP_DROPPED);
        return false;
    }
    if (ORMA_UNLIKELY(!orma_sorter_accepts(&self->sorter, ts))) {
        orma_stats_inc(orma_reader_stats(self, self->at.machine),
                       ORMA_STAT_SORTER_PUSH_EVENT_OUT_OF_ORDER);
        return false;
    }
    return true;
}

static void defer(struct orma_reader *self, const struct orma_read_packet *p, struct orma_seq *seq,
                  uint64_t order)
{
    if (ORMA_GROW(&self->waiting.packets, &self->waiting.cap, self->waiting.num + (size_t)1)) {
        self->storage->failed = true;
        return;
    }
    self->waiting.packets[self->waiting.num++] = (struct deferred){
        .data = (const uint8_t *)p->bytes.data,
        .len = p->bytes.len,
        .seq = seq,
        .gen = orma_seq_gen_ref(seq->gen),
        .order = order,
        .machine = (uint16_t)seq->machine,
    };
    self->full_sort = true;
}

static void count_packet_failure(struct orma_reader *self, const struct orma_read_packet *p,
                                 const struct orma_seq *seq, enum orma_clock_result why)
{
    uint32_t id = clock_of(p, seq);

    orma_reader_count_clock(self, seq->clock.view, orma_clock_key(id, seq->id),
                            (int64_t)p->timestamp, why,
                            orma_reader_offset(self, (const uint8_t *)p->bytes.data));
}

ORMA_COLD static void drop(struct orma_reader *self, const struct orma_read_packet *p,
                           const struct orma_seq *seq, enum orma_packet_drop why)
{
    if (self->hooks.dropped)
        self->hooks.dropped(self->hooks.data, seq->trace, why, p->field,
                            orma_reader_offset(self, (const uint8_t *)p->bytes.data));
}

/* Packets that say nothing of what was recorded: without a payload they are about their sequence,
 * and some are for those who look for a place in the file, or for its writers. */
static bool is_upkeep(uint32_t field)
{
    return !field || field == ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER ||
           field == ORMA_PB_TRACE_PACKET_TRACE_PROVENANCE;
}

/* What no importer takes. */
ORMA_COLD static bool is_unwanted(struct orma_reader *self, const struct orma_read_packet *p,
                                  const struct orma_seq *seq)
{
    self->unwanted[ORMA_MIN(p->field, ORMA_PACKET_FIELDS_MAX - 1)]++;
    if (is_upkeep(p->field))
        return false;
    drop(self, p, seq, ORMA_PACKET_UNWANTED);
    return true;
}

static void clock_failed(struct orma_reader *self, const struct orma_read_packet *p,
                         struct orma_seq *seq, uint64_t order, enum orma_clock_result why)
{
    if (!self->sorter.emitted_any) {
        defer(self, p, seq, order);
        return;
    }
    drop(self, p, seq, ORMA_PACKET_NO_CLOCK);
    count_packet_failure(self, p, seq, why);
    self->hooks.undeferrable(self->hooks.data, (uint16_t)seq->machine,
                             orma_reader_offset(self, (const uint8_t *)p->bytes.data));
}

static inline uint8_t uses_of(const struct orma_reader *self, uint32_t field)
{
    return field < ORMA_PACKET_FIELDS_MAX ? self->hooks.uses[field] : 0;
}

/* True: used up. */
static inline bool tokenized(struct orma_reader *self, const struct orma_read_packet *p,
                             struct orma_seq *seq, int64_t ts, uint64_t order)
{
    uint8_t uses = uses_of(self, p->field);

    if (ORMA_LIKELY(!(uses & ORMA_FIELD_TOKENIZE)) &&
        (!(uses & ORMA_FIELD_TOKENIZE_ODD) ||
         ORMA_LIKELY(p->has_sequence && p->has_timestamp && ts >= 0 && !seq->tokenize_events)))
        return false;
    return self->hooks.tokenize(self->hooks.data, p, seq, (uint16_t)seq->machine, ts, order);
}

static void read_timed(struct orma_reader *self, const struct orma_read_packet *p,
                       struct orma_seq *seq, const uint8_t *record, uint64_t order)
{
    struct orma_packet_time time = {.unit = 1};

    if (p->has_timestamp) {
        enum orma_clock_result r = packet_time(self, seq, p, &time);

        if (r != ORMA_CLOCK_OK) {
            clock_failed(self, p, seq, order, r);
            return;
        }
    } else {
        time.ts = ORMA_MAX(self->last_ts, self->sorter.max_ts);
    }
    if (p->has_timestamp)
        self->last_ts = ORMA_MAX(self->last_ts, time.ts);
    if (ORMA_UNLIKELY(p->dropped) && seq->counts.packets > 1)
        self->hooks.lost(self->hooks.data, seq, (uint16_t)seq->machine, time.ts);
    if (!(uses_of(self, p->field) & ORMA_FIELD_WANTED)) {
        self->counts.took += !is_unwanted(self, p, seq);
        return;
    }
    orma_reader_look_for_twin(self, p, seq, time.ts);
    if (ORMA_UNLIKELY(self->watches_order) && p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT &&
        p->has_timestamp && orma_sorter_is_late(seq, time.ts))
        seq->tokenize_events = true;
    if (tokenized(self, p, seq, time.ts, order)) {
        self->counts.took++;
        return;
    }
    if (!orma_reader_sortable(self, time.ts)) {
        drop(self, p, seq, ORMA_PACKET_BAD_TIME);
        return;
    }
    self->counts.took++;
    if (p->has_timestamp && record && p->has_sequence)
        orma_sorter_push_packet(&self->sorter, seq, p, record, &time, order);
    else
        push_loose(self, p, seq, time.ts, order);
}

/* Bytes that no others follow: damage that would wait for more is decided now. */
static void read_tail(struct orma_reader *self, const uint8_t *data, size_t len)
{
    const uint8_t *pos = data, *end = data + len;
    bool outside = self->damage.at_end;

    self->damage.at_end = true;
    while (pos < end && !self->error && !self->storage->failed) {
        pos += orma_reader_map(self, pos, (size_t)(end - pos));
        if (!orma_damage_tail_left(self, &pos, end))
            break;
    }
    orma_damage_tail_end(self);
    self->damage.at_end = outside;
}

/* Packets inside of packets end where those do. */
static void read_unpacked(struct orma_reader *self, const struct orma_read_packet *p,
                          const uint8_t *data, size_t len)
{
    if (!self->depth)
        self->damage.outer = orma_damage_offset(self, (const uint8_t *)p->bytes.data);
    self->depth++;
    size_t used = orma_reader_map(self, data, len);
    read_tail(self, data + used, len - used);
    self->depth--;
}

/* Behind room for the head of a blob, so that it can stay where it is. */
static int unpack(struct orma_reader *self, enum orma_inflate_form form, struct orma_str bytes,
                  struct orma_buf *ret)
{
    const uint64_t left = orma_unpacked_left(&self->unpacked);
    int r = !self->depth && orma_inflate_ahead_take(self->ahead, bytes, left, ret) ? 0 : -ENOMEM;

    if (r && orma_buf_extend(ret, sizeof(struct orma_blob)))
        r = orma_inflate(form, bytes, left, ret);
    if (r != -ENOMEM && !orma_unpacked_add(&self->unpacked, ret->len - sizeof(struct orma_blob)))
        r = -EFBIG;
    return r;
}

/* The buffer becomes a blob. */
static const uint8_t *keep(struct orma_reader *self, struct orma_buf *from)
{
    void *shrunk = realloc(from->data, from->len);
    struct orma_blob *blob = shrunk ? shrunk : (void *)from->data;

    blob->next = self->blobs;
    self->blobs = blob;
    *from = (struct orma_buf){0};
    return blob->data;
}

static void read_compressed(struct orma_reader *self, const struct orma_read_packet *p)
{
    struct orma_buf out = {0};
    enum orma_inflate_form form = orma_inflate_ahead_form(p->field);
    int r = self->depth < COMPRESSED_DEPTH_MAX ? unpack(self, form, p->payload, &out) : -ELOOP;

    switch (r) {
    case 0:
        break;
    case -ENOMEM:
        self->storage->failed = true;
        break;
    case -ENOTSUP:
        self->error = "compressed packets of a kind that was not built in";
        break;
    case -EFBIG:
        self->error = "the content of compressed packets " ORMA_UNPACKED_BOMB;
        break;
    case -ELOOP:
        self->error = "compressed packets inside compressed packets (ERR:decomp)";
        break;
    default:
        orma_damage_packet(self, (const uint8_t *)p->bytes.data, p->bytes.len,
                           "compressed packets that cannot be unpacked");
    }
    /* What came out whole before the damage is read. */
    size_t len = out.len > sizeof(struct orma_blob) ? out.len - sizeof(struct orma_blob) : 0;
    if (!self->error && len)
        read_unpacked(self, p, keep(self, &out), len);
    orma_buf_fini(&out);
}

/* Up to the end of a packet whose content other threads unpack. */
static bool read_up_to(void *data, const uint8_t **pos, const uint8_t *end)
{
    struct orma_reader *self = data;

    *pos += orma_reader_map(self, *pos, (size_t)(end - *pos));
    return !self->error && !self->storage->failed;
}

/* Where several compressed packets follow: *pos goes behind them. False: nothing was done. */
static bool read_ahead(struct orma_reader *self, const uint8_t *at, const uint8_t *end,
                       const uint8_t **pos)
{
    if (orma_crew_threads(self->crew) < 2 || self->ahead || self->depth ||
        !(self->ahead = orma_inflate_ahead_find(at, end)))
        return false;
    *pos = at;
    orma_inflate_ahead_run(self->ahead, self->crew, read_up_to, self, pos);
    orma_inflate_ahead_free(self->ahead);
    self->ahead = NULL;
    return true;
}

static void read_packet(struct orma_reader *self, const uint8_t *record,
                        const struct orma_read_packet *p, bool good)
{
    uint64_t order = self->order;

    self->order += ORMA_ORDER_STEP;
    self->counts.packets++;
    if (!good) {
        orma_stats_inc(orma_reader_stats(self, self->at.machine),
                       ORMA_STAT_TOKENIZER_SKIPPED_PACKETS);
        self->counts.broken++;
        return;
    }
    self->damage.good = true;
    if (orma_inflate_ahead_is_compressed(p)) {
        self->counts.took++;
        read_compressed(self, p);
        return;
    }
    if (ORMA_UNLIKELY(self->hooks.look != NULL))
        self->hooks.look(self->hooks.look_data, p->bytes);
    uint16_t machine = self->at.machine;
    if (ORMA_UNLIKELY(p->machine_raw != 0))
        machine = orma_reader_machine_of(self, p->machine_raw);
    else
        self->host_seen = true;
    if (ORMA_UNLIKELY(self->error != NULL))
        return;
    struct orma_seq *seq = self->last_seq;
    if (!seq || seq->id != p->sequence || seq->machine != machine) {
        seq = orma_seqs_get(&self->seqs, machine, p->sequence);
        if (!seq) {
            self->storage->failed = true;
            return;
        }
        if (ORMA_UNLIKELY(!seq->clock.view) && !(seq->clock.view = orma_reader_view(self, machine)))
            return;
        self->last_seq = seq;
    }
    orma_burst_note(self, p);
    if (orma_strays_wants(p))
        orma_strays_look(&self->strays, p);
    if (p->has_sequence) { /* also with the number 0 */
        if (!update_sequence(self, p, seq))
            return;
    } else {
        count_missing_sequence(self, p);
    }
    if (ORMA_UNLIKELY(p->field == ORMA_PB_TRACE_PACKET_TRACE_CONFIG))
        orma_twice_next(&self->twice);
    if (uses_of(self, p->field) & ORMA_FIELD_EARLY &&
        self->hooks.early(self->hooks.data, p, p->has_sequence ? seq : NULL, machine, order)) {
        self->counts.took++;
        return;
    }
    if (p->flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) {
        if (!p->sequence) {
            orma_damage_packet(self, (const uint8_t *)p->bytes.data, p->bytes.len,
                               "a packet needs state but belongs to no sequence");
            self->counts.broken++;
            return;
        }
        seq->counts.needed++;
        if (!seq->valid) {
            seq->counts.skipped++;
            self->hooks.skipped(self->hooks.data,
                                ORMA_STAT_PACKET_SKIPPED_SEQ_NEEDS_INCREMENTAL_STATE_INVALID, seq,
                                machine, (const uint8_t *)p->bytes.data);
            drop(self, p, seq, ORMA_PACKET_LOST_STATE);
            return;
        }
    }
    read_timed(self, p, seq, record, order);
}

/* ---- bytes ---- */

/* A packet as it is cut out of the file, and read. */
struct cut {
    const uint8_t *record; /* where its tag is; NULL: another field, not for us */
    bool good;             /* the packet is whole */
    const char *error;     /* the file is malformed from here on */
    struct orma_read_packet p;
};

/* One field of the file; false: not whole yet, or malformed (then `error`). */
static bool cut_record(const uint8_t **pos, const uint8_t *end, struct cut *ret)
{
    const uint8_t *at = *pos;
    uint64_t tag, len = 0;

    ret->record = NULL;
    ret->error = NULL;
    if (!orma_pb_varint_at(&at, end, &tag)) {
        if (end - *pos >= 10)
            ret->error = "malformed field (ERR:tp-corrupt)";
        return false;
    }
    if (tag < 8) { /* no field has the number 0 */
        ret->error = "malformed field (ERR:tp-corrupt)";
        return false;
    }
    switch (tag & 7) {
    case ORMA_PB_VARINT:
        if (!orma_pb_varint_at(&at, end, &len))
            return false;
        *pos = at;
        return true;
    case ORMA_PB_I64:
    case ORMA_PB_I32:
        len = (tag & 7) == ORMA_PB_I64 ? 8 : 4;
        break;
    case ORMA_PB_LEN:
        if (!orma_pb_varint_at(&at, end, &len))
            return false;
        break;
    default:
        ret->error = "malformed field (ERR:tp-corrupt)";
        return false;
    }
    if (len > PACKET_MAX) {
        ret->error = "a packet is larger than 512 MiB (ERR:tp-corrupt)";
        return false;
    }
    if (len > (uint64_t)(end - at))
        return false;
    if (tag == ORMA_INFLATE_PACKET_TAG) {
        ret->record = *pos;
        ret->good = orma_packet_read(&ret->p, at, len);
    }
    *pos = at + len;
    return true;
}

/* Further packets with nothing in them, which a bomb is made of: they are counted, no more. */
ORMA_COLD static void skip_empty(struct orma_reader *self, const uint8_t **pos, const uint8_t *end)
{
    const uint8_t *at = *pos;

    while (!self->hooks.look && end - at >= 2 && at[0] == ORMA_INFLATE_PACKET_TAG && !at[1])
        at += 2;
    uint64_t num = (uint64_t)(at - *pos) / 2;
    self->order += num * ORMA_ORDER_STEP;
    self->counts.packets += num;
    self->counts.took += num;
    self->unwanted[0] += (uint32_t)num;
    *pos = at;
}

/* What is no good packet: a broken one, a field of the file that is not for us, or neither. False:
 * more bytes are needed to tell. */
ORMA_COLD static bool read_odd(struct orma_reader *self, const uint8_t *at, const uint8_t **pos,
                               const uint8_t *end, const struct cut *c)
{
    int framed = 0;

    if (c->record)
        framed = orma_damage_may_follow(self, *pos, end);
    else if (!c->error && *pos == end) /* a field that newer writers may have added */
        framed = self->damage.at_end ? 1 : -EAGAIN;
    else if (!c->error)
        framed = **pos == ORMA_INFLATE_PACKET_TAG || **pos == *at;
    if (framed < 0) {
        *pos = at;
        return false;
    }
    if (!framed) {
        *pos = at;
        orma_damage_begin(self, pos, c->error ? c->error : "malformed field (ERR:tp-corrupt)");
    } else if (c->record) {
        read_packet(self, c->record, &c->p, false);
        orma_damage_packet(self, at, (size_t)(*pos - at), "a packet is malformed (ERR:tp-corrupt)");
    } else { /* a packet whose tag is spoilt looks like that */
        orma_damage_packet(self, at, (size_t)(*pos - at), "a field of the file is not a packet");
    }
    return true;
}

size_t orma_reader_map(struct orma_reader *self, const uint8_t *data, size_t len)
{
    const uint8_t *pos = data, *end = data + len;
    bool more = true;

    while (more && pos < end && !self->error && !self->storage->failed) {
        const uint8_t *at = pos;
        struct cut c;

        if (ORMA_UNLIKELY(self->damage.searching)) {
            more = orma_damage_search(self, &pos, end);
            continue;
        }
        more = cut_record(&pos, end, &c);
        if (ORMA_LIKELY(c.record && c.good)) {
            if (ORMA_UNLIKELY(orma_inflate_ahead_is_compressed(&c.p)) &&
                read_ahead(self, at, end, &pos))
                continue;
            read_packet(self, c.record, &c.p, true);
            if (ORMA_UNLIKELY(!c.p.bytes.len))
                skip_empty(self, &pos, end);
        } else if (c.record || c.error || more)
            more = read_odd(self, at, &pos, end, &c);
        if (self->burst.tail.len)
            pos = orma_burst_read(self, pos, end);
    }
    self->storage->failed |= self->sorter.failed;
    return (size_t)(pos - data);
}

void orma_reader_note_flush(struct orma_reader *self)
{
    self->flushes++;
}

void orma_reader_note_read(struct orma_reader *self)
{
    if (self->full_sort || self->flushes < 2)
        return;
    self->sorter.crew = self->crew;
    orma_sorter_extract(&self->sorter, self->extract_limit);
    self->extract_limit = self->order;
    self->flushes = 0;
}

static void took_late(struct orma_reader *self, const struct orma_seq *seq)
{
    if (self->hooks.took_late)
        self->hooks.took_late(self->hooks.data, seq->trace);
}

static void retry_deferred(struct orma_reader *self, const struct deferred *d)
{
    struct orma_read_packet p;
    struct orma_packet_time time;
    struct orma_seq_gen *gen = d->seq->gen;

    (void)orma_packet_read(&p, d->data, d->len); /* it was whole the first time */
    d->seq->gen = d->gen;                        /* what was in force when it came */
    enum orma_clock_result r = packet_time(self, d->seq, &p, &time);
    self->file = d->seq->trace;
    if (r != ORMA_CLOCK_OK) {
        drop(self, &p, d->seq, ORMA_PACKET_NO_CLOCK);
        count_packet_failure(self, &p, d->seq, r);
        self->hooks.undeferrable(self->hooks.data, d->machine, orma_reader_offset(self, d->data));
    } else if (!(uses_of(self, p.field) & ORMA_FIELD_WANTED)) {
        if (!is_unwanted(self, &p, d->seq))
            took_late(self, d->seq);
    } else if (tokenized(self, &p, d->seq, time.ts, d->order)) {
        took_late(self, d->seq);
    } else if (!orma_reader_sortable(self, time.ts)) {
        drop(self, &p, d->seq, ORMA_PACKET_BAD_TIME);
    } else {
        took_late(self, d->seq);
        push_loose(self, &p, d->seq, time.ts, d->order);
    }
    d->seq->gen = gen;
    orma_seq_gen_unref(d->gen);
}

void orma_reader_end_file(struct orma_reader *self, struct orma_str rest)
{
    if (rest.len)
        read_tail(self, (const uint8_t *)rest.data, rest.len);
    if (self->uncut.len)
        read_tail(self, self->uncut.bytes, self->uncut.len);
    self->uncut.len = 0;
    orma_damage_end(self);
}

void orma_reader_next_file(struct orma_reader *self, const struct orma_reader_file *file)
{
    self->at = *file;
    self->storage->failed |= !orma_timeline_view(&self->timeline, file->row, file->machine);
    self->file = file->row;
    self->host_seen = false;
    self->adopts = true;
    self->seqs.trace = file->row;
    self->counts.data = 0;
    self->last_seq = NULL;
    if (self->counts.packets)
        self->seqs.file++;
    orma_twice_next(&self->twice);
    self->uncut.len = 0;
    self->damage = (struct orma_damage){0};
    self->last_ts = 0;
    self->last_seq = NULL;
    self->burst.tail.len = 0;
}

void orma_reader_finish(struct orma_reader *self)
{
    self->behind = true;
    for (uint32_t i = 0; i < self->waiting.num; i++)
        retry_deferred(self, &self->waiting.packets[i]);
    self->behind = false;
    self->waiting.num = 0;
    self->order += ORMA_ORDER_STEP; /* what is found out from here on is behind the last packet */
    self->sorter.crew = self->crew;
    orma_sorter_extract(&self->sorter, UINT64_MAX);
    self->storage->failed |= self->sorter.failed || self->seqs.failed;
}
