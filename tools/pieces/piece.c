#include "tools/pieces/piece.h"

#include <errno.h>
#include <stdlib.h>
#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif

#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"

/* Before it is written, or packed: as much as the service puts into one packet; less in each of
 * many pieces, but no less than what can be packed well. */
#define BATCH ((size_t)512 << 10)
#define BATCH_MIN ((size_t)16 << 10)
#define BATCHES ((size_t)16 << 20) /* of all pieces */
#define DEFLATE_LEVEL 6
#define ZSTD_LEVEL 3

/* What the piece has said of a sequence. */
struct orma_pieces_out_seq {
    bool begun, valid;
    uint32_t gen, defaults_num, clock_epoch, sums_epoch;
    uint32_t lost; /* reasons that packets which are not here told */
    size_t interned;
    uint64_t clock_sum, packets;
    int64_t sums[ORMA_PIECES_DELTAS];
};

bool orma_pieces_can_pack(const char *program, enum orma_pieces_packing packing)
{
    const char *missing = NULL;

#ifndef ORMA_HAVE_ZLIB
    if (packing == ORMA_PIECES_DEFLATE)
        missing = "deflate";
#endif
#ifndef ORMA_HAVE_ZSTD
    if (packing == ORMA_PIECES_ZSTD)
        missing = "zstd";
#endif
    (void)packing;
    if (missing)
        fprintf(stderr, "%s: this build cannot compress with %s\n", program, missing);
    return !missing;
}

enum orma_pieces_packing orma_pieces_choose(const struct orma_pieces_source *source,
                                            enum orma_pieces_packing packing)
{
    if (packing != ORMA_PIECES_AS_IS)
        return packing;
#ifdef ORMA_HAVE_ZSTD
    if (source->has_zstd)
        return ORMA_PIECES_ZSTD;
#endif
#ifdef ORMA_HAVE_ZLIB
    if (source->has_deflate)
        return ORMA_PIECES_DEFLATE;
#endif
    (void)source;
    return ORMA_PIECES_PLAIN;
}

int orma_pieces_piece_open(struct orma_pieces_piece *self, const struct orma_output_want *want,
                           enum orma_pieces_packing packing)
{
    *self = (struct orma_pieces_piece){.packing = packing, .batch = BATCH};
    self->out.fd = -1;
    return orma_output_open(&self->out, want);
}

void orma_pieces_piece_share(struct orma_pieces_piece *self, uint32_t num)
{
    self->batch = ORMA_MIN(ORMA_MAX(BATCHES / num, BATCH_MIN), BATCH);
}

/* ---- bytes ---- */

#ifdef ORMA_HAVE_ZLIB
static size_t deflate_batch(struct orma_buf *out, const struct orma_buf *in)
{
    uLongf len = compressBound((uLong)in->len);
    uint8_t *to = orma_buf_extend(out, len);

    return to && compress2(to, &len, in->data, (uLong)in->len, DEFLATE_LEVEL) == Z_OK ? len : 0;
}
#endif

#ifdef ORMA_HAVE_ZSTD
static size_t zstd_batch(struct orma_buf *out, const struct orma_buf *in)
{
    const size_t bound = ZSTD_compressBound(in->len);
    uint8_t *to = orma_buf_extend(out, bound);
    size_t len = to ? ZSTD_compress(to, bound, in->data, in->len, ZSTD_LEVEL) : 0;

    return ZSTD_isError(len) ? 0 : len;
}
#endif

/* The batch as one packet, in `packed`. False: it stays as it is. */
static bool pack(struct orma_pieces_piece *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf body = {0};
    size_t len = 0;
    uint32_t field = 0;

#ifdef ORMA_HAVE_ZLIB
    if (self->packing == ORMA_PIECES_DEFLATE) {
        len = deflate_batch(&body, &self->waiting);
        field = ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS;
    }
#endif
#ifdef ORMA_HAVE_ZSTD
    if (self->packing == ORMA_PIECES_ZSTD) {
        len = zstd_batch(&body, &self->waiting);
        field = ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS;
    }
#endif
    if (!len)
        return false;
    const size_t begun = orma_pb_begin(&self->packed, ORMA_PB_TRACE_PACKET);
    orma_pb_put_bytes(&self->packed, field, body.data, len);
    orma_pb_end(&self->packed, begun);
    return !self->packed.failed;
}

static void flush(struct orma_pieces_piece *self)
{
    const struct orma_buf *out = &self->waiting;

    if (self->waiting.failed)
        self->error = self->error ? self->error : -ENOMEM;
    if (!self->error && out->len) {
        if (self->packing > ORMA_PIECES_PLAIN && pack(self))
            out = &self->packed;
        self->error = orma_fd_write_all(self->out.fd, out->data, out->len);
        self->bytes += out->len;
    }
    orma_buf_clear(&self->waiting);
    if (self->waiting.cap / 4 > self->batch) /* a large packet; there may be many pieces */
        orma_buf_fini(&self->waiting);
    orma_buf_fini(&self->packed);
}

int orma_pieces_piece_flush(struct orma_pieces_piece *self)
{
    flush(self);
    return self->error;
}

int orma_pieces_piece_close(struct orma_pieces_piece *self, int r, const char *what)
{
    if (self->out.fd >= 0) {
        if (r == 0)
            flush(self);
        if (self->error && (r == 0 || r == self->error)) /* the walk ended for it */
            r = self->error == -ENOMEM ? -ENOMEM : orma_output_failed(&self->out, -self->error);
        r = orma_output_close(&self->out, r, what);
    }
    orma_buf_fini(&self->waiting);
    orma_buf_fini(&self->packed);
    orma_buf_fini(&self->scratch);
    free(self->seqs);
    free(self->sums);
    self->seqs = NULL;
    self->sums = NULL;
    return r;
}

void orma_pieces_write_packet(struct orma_buf *out, const struct orma_read_packet *p,
                              const struct orma_str *payload)
{
    struct orma_pb_reader r = orma_pb_reader(p->bytes.data, p->bytes.len);
    struct orma_pb_field f;
    const size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    for (const uint8_t *from = r.pos; orma_pb_next(&r, &f); from = r.pos) {
        if ((const char *)f.data != p->payload.data || f.wire != ORMA_PB_LEN || f.id != p->field)
            orma_buf_put(out, from, (size_t)(r.pos - from));
        else if (payload)
            orma_pb_put_bytes(out, f.id, payload->data, payload->len);
    }
    orma_pb_end(out, begun);
}

void orma_pieces_piece_put_raw(struct orma_pieces_piece *self, struct orma_str bytes)
{
    if (self->packing > ORMA_PIECES_PLAIN)
        flush(self); /* it is no packet, so it is in none */
    orma_buf_put(&self->waiting, bytes.data, bytes.len);
    if (self->packing > ORMA_PIECES_PLAIN && !self->waiting.failed && !self->error) {
        self->error = orma_fd_write_all(self->out.fd, self->waiting.data, self->waiting.len);
        self->bytes += self->waiting.len;
        orma_buf_clear(&self->waiting);
    }
}

/* ---- what a reader must know ---- */

static struct orma_pieces_out_seq *out_of(struct orma_pieces_piece *self,
                                          const struct orma_pieces_seq *seq)
{
    if (seq->index >= self->seqs_num) {
        const uint32_t num = ORMA_MAX(seq->index + 1, self->seqs_num * 2);
        struct orma_pieces_out_seq *seqs = realloc(self->seqs, num * sizeof(*seqs));

        if (!seqs) {
            self->error = self->error ? self->error : -ENOMEM;
            return NULL;
        }
        memset(seqs + self->seqs_num, 0, (num - self->seqs_num) * sizeof(*seqs));
        self->seqs = seqs;
        self->seqs_num = num;
    }
    return &self->seqs[seq->index];
}

static void put_head(struct orma_buf *out, const struct orma_pieces_seq *seq)
{
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, seq->seq->id);
    if (seq->has_uid)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_UID, seq->uid);
    if (seq->has_pid)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PID, seq->pid);
    if (seq->machine_raw)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_MACHINE_ID, seq->machine_raw);
}

/* The time that packets took which are not here. */
static void put_clock(struct orma_pieces_piece *self, struct orma_pieces_out_seq *o,
                      const struct orma_pieces_seq *seq, const struct orma_read_packet *p)
{
    if (o->clock_epoch != seq->clock_epoch) {
        o->clock_epoch = seq->clock_epoch;
        o->clock_sum = 0;
    }
    if (o->clock_sum != seq->clock_before) {
        const size_t begun = orma_pb_begin(&self->waiting, ORMA_PB_TRACE_PACKET);

        put_head(&self->waiting, seq);
        orma_pb_put_u64(&self->waiting, ORMA_PB_TRACE_PACKET_TIMESTAMP,
                        seq->clock_before - o->clock_sum);
        if (seq->clock_named)
            orma_pb_put_u64(&self->waiting, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, p->clock_id);
        orma_pb_end(&self->waiting, begun);
        o->packets++;
    }
    o->clock_sum = seq->clock_sum;
}

/* State that was told before this packet. */
static void put_state(struct orma_pieces_piece *self, struct orma_pieces_out_seq *o,
                      const struct orma_pieces_seq *seq, const struct orma_read_packet *p)
{
    struct orma_buf *out = &self->waiting;
    const bool loses = p->dropped && !p->cleared; /* the packet itself ends the state */
    const bool was_valid = seq->seq->valid || loses;
    const bool clears = !p->cleared && was_valid && seq->gen && o->gen != seq->gen && !loses;
    const size_t have = clears || o->gen != seq->gen ? 0 : o->interned;
    const bool interns =
        !p->cleared && !loses && seq->seq->valid && seq->interned_before > have && seq->gen;
    const bool defaults = !p->cleared && !p->has_defaults && seq->has_defaults &&
                          o->defaults_num != seq->defaults_num;
    const bool begins = !o->begun && seq->saw_first && !p->first;
    const uint32_t lost = o->lost | (o->valid && !was_valid && !p->cleared ? seq->lost : 0);

    if (!(clears || interns || defaults || begins || lost))
        return;
    const size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    put_head(out, seq);
    if (begins)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE, 1);
    if (lost)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, lost);
    if (clears || (lost && o->valid && was_valid && !p->cleared))
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS,
                        ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
    /* A clear in the same generation, after losses of others: all of it once more. */
    const bool again = lost && o->valid && was_valid && !p->cleared && !clears;
    const size_t from = again ? 0 : have;
    if (((clears || again) && seq->has_defaults) || defaults)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS, seq->defaults.data,
                          seq->defaults.len);
    if ((interns || again) && seq->interned_before > from)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA, seq->interned.data + from,
                          seq->interned_before - from);
    orma_pb_end(out, begun);
    o->packets++;
    o->lost = 0;
}

/* All that must be in front of the packet; NULL: no memory. */
static struct orma_pieces_out_seq *prepare(struct orma_pieces_piece *self,
                                           const struct orma_pieces_seq *seq,
                                           const struct orma_read_packet *p)
{
    struct orma_pieces_out_seq *o = out_of(self, seq);

    self->packets++;
    if (!o || !p->has_sequence)
        return o;
    if (ORMA_UNLIKELY(!o->begun || o->gen != seq->gen || o->interned != seq->interned_before ||
                      o->defaults_num != seq->defaults_num || o->valid != seq->seq->valid ||
                      o->lost))
        put_state(self, o, seq, p);
    if (ORMA_UNLIKELY(o->clock_sum != seq->clock_before || o->clock_epoch != seq->clock_epoch ||
                      seq->clock_sum != seq->clock_before))
        put_clock(self, o, seq, p);
    o->begun = true;
    o->valid = seq->seq->valid;
    o->gen = seq->gen;
    o->interned = seq->interned.len;
    o->defaults_num = seq->defaults_num;
    o->packets++;
    return o;
}

static void put_whole(struct orma_pieces_piece *self, struct orma_str bytes)
{
    orma_pb_put_bytes(&self->waiting, ORMA_PB_TRACE_PACKET, bytes.data, bytes.len);
    if (self->waiting.len >= self->batch)
        flush(self);
}

void orma_pieces_piece_put_packet(struct orma_pieces_piece *self, struct orma_str bytes)
{
    self->packets++;
    put_whole(self, bytes);
}

void orma_pieces_piece_put(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                           const struct orma_read_packet *p, const struct orma_str *payload)
{
    if (!prepare(self, seq, p))
        return;
    if (!payload) {
        put_whole(self, p->bytes);
        return;
    }
    orma_pieces_write_packet(&self->waiting, p, payload);
    if (self->waiting.len >= self->batch)
        flush(self);
}

/* ---- differences ---- */

/* What the piece lacks of a sum before the packet at hand, which it gets. */
static int64_t catch_up(struct orma_pieces_out_seq *o, const struct orma_pieces_seq *seq,
                        enum orma_pieces_delta which)
{
    if (o->sums_epoch != seq->sums_epoch) {
        o->sums_epoch = seq->sums_epoch;
        memset(o->sums, 0, sizeof(o->sums));
    }
    const int64_t before = o->sums[which];
    o->sums[which] = seq->sums[which];
    return (int64_t)((uint64_t)seq->sums_before[which] - (uint64_t)before);
}

static void find_lack(struct orma_pieces_out_seq *o, const struct orma_pieces_seq *seq,
                      const struct orma_pieces_event *event, struct orma_pieces_lack *ret)
{
    for (unsigned i = 0; i < ORMA_PIECES_DELTAS; i++) {
        ret->deltas[i] = event->has_delta[i] ? catch_up(o, seq, i) : 0;
        ret->any |= ret->deltas[i] != 0;
    }
}

static bool need_sums(struct orma_pieces_piece *self, uint32_t num)
{
    if (num <= self->sums_num)
        return true;
    const uint32_t more = ORMA_MAX(num, self->sums_num * 2);
    struct orma_pieces_sum *sums = realloc(self->sums, more * sizeof(*sums));

    if (!sums) {
        self->error = self->error ? self->error : -ENOMEM;
        return false;
    }
    memset(sums + self->sums_num, 0, (more - self->sums_num) * sizeof(*sums));
    self->sums = sums;
    self->sums_num = more;
    return true;
}

/* The packet with `scratch` instead of its payload. */
static void put_other(struct orma_pieces_piece *self, const struct orma_read_packet *p)
{
    const struct orma_str payload = orma_buf_str(&self->scratch);

    orma_pieces_write_packet(&self->waiting, p, &payload);
    self->waiting.failed |= self->scratch.failed;
    if (self->waiting.len >= self->batch)
        flush(self);
}

/* The sums of `counters` are those before the event. */
static void find_counters(struct orma_pieces_piece *self,
                          const struct orma_pieces_counters *counters,
                          const struct orma_pieces_values *v, struct orma_pieces_lack *ret)
{
    for (uint32_t i = 0; v->any && i < 1 + v->ints + v->doubles; i++) {
        const uint32_t slot = v->slots[i];

        if (slot == UINT32_MAX || !need_sums(self, slot + 1))
            continue;
        const struct orma_pieces_sum *whole = &counters->sums[slot];
        struct orma_pieces_sum *here = &self->sums[slot];

        if (here->gen != whole->gen)
            *here = (struct orma_pieces_sum){.gen = whole->gen};
        ret->wholes[i] = (int64_t)(whole->sum - here->sum);
        ret->doubles[i] = whole->sum_double - here->sum_double;
        ret->any |= ret->wholes[i] || ret->doubles[i] != 0;
        here->sum = whole->sum + (uint64_t)v->wholes[i];
        here->sum_double = whole->sum_double + v->amounts[i];
    }
}

void orma_pieces_piece_put_event(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                                 const struct orma_read_packet *p,
                                 const struct orma_pieces_event *event,
                                 const struct orma_pieces_counters *counters,
                                 const struct orma_pieces_values *values)
{
    struct orma_pieces_out_seq *o = prepare(self, seq, p);
    const bool deltas = event->has_delta[0] || event->has_delta[1] || event->has_delta[2];

    if (!o)
        return;
    self->events++;
    if (ORMA_LIKELY(!deltas && !values->any)) {
        put_whole(self, p->bytes);
        return;
    }
    struct orma_pieces_lack lack = {.any = false};
    if (deltas)
        find_lack(o, seq, event, &lack);
    if (values->any)
        find_counters(self, counters, values, &lack);
    if (!lack.any) {
        put_whole(self, p->bytes);
        return;
    }
    orma_buf_clear(&self->scratch);
    orma_pieces_event_write(&self->scratch, p->payload, values, &lack);
    put_other(self, p);
}

void orma_pieces_piece_put_stacks(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                                  const struct orma_read_packet *p)
{
    struct orma_pieces_out_seq *o = prepare(self, seq, p);

    if (!o)
        return;
    self->events++;
    const int64_t lack = seq->adds_time ? catch_up(o, seq, ORMA_PIECES_TIME_US) : 0;
    if (!lack) {
        put_whole(self, p->bytes);
        return;
    }
    orma_buf_clear(&self->scratch);
    orma_pieces_stacks_write(&self->scratch, p->payload, lack);
    put_other(self, p);
}

void orma_pieces_piece_lost(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                            uint32_t reasons)
{
    struct orma_pieces_out_seq *o = out_of(self, seq);

    if (o && o->begun)
        o->lost |= reasons;
}

/* ---- statistics ---- */

/* Of a sequence, packets of the trace so far that are not here. */
static int64_t missing(const struct orma_pieces_piece *self, const struct orma_pieces_known *known,
                       uint64_t id)
{
    int64_t sum = 0;

    for (const struct orma_pieces_seq *seq = orma_map_get_ptr(&known->by_id, id); seq;
         seq = seq->same_id) {
        sum += (int64_t)seq->packets;
        if (seq->index < self->seqs_num)
            sum -= (int64_t)self->seqs[seq->index].packets;
    }
    return sum;
}

static uint64_t less(uint64_t count, int64_t left_out)
{
    if (left_out > 0 && count < (uint64_t)left_out)
        return 0;
    return count - (uint64_t)left_out;
}

/* Emitted and delivered are what is here; lost stays what was lost by the recording. */
static void put_counts(const struct orma_pieces_piece *self, const struct orma_pieces_known *known,
                       const struct orma_pb_field *field, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint64_t id = 0, kept = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ORMA_SEQUENCE_COUNTS_SEQUENCE_ID)
            id = orma_pb_u64(&f);
        if (f.id == ORMA_PB_ORMA_SEQUENCE_COUNTS_KEPT)
            kept = orma_pb_u64(&f);
    }
    int64_t left_out = missing(self, known, id);
    /* They are the first of the sequence, and nobody has emitted them. */
    const uint64_t kept_out = left_out > 0 ? ORMA_MIN(kept, (uint64_t)left_out) : 0;
    left_out -= (int64_t)kept_out;
    const size_t begun = orma_pb_begin(out, field->id);

    r = orma_pb_sub(field);
    for (const uint8_t *from = r.pos; orma_pb_next(&r, &f); from = r.pos) {
        if (f.id == ORMA_PB_ORMA_SEQUENCE_COUNTS_EMITTED ||
            f.id == ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED)
            orma_pb_put_u64(out, f.id, less(orma_pb_u64(&f), left_out));
        else if (f.id == ORMA_PB_ORMA_SEQUENCE_COUNTS_KEPT)
            orma_pb_put_u64(out, f.id, kept - kept_out);
        else
            orma_buf_put(out, from, (size_t)(r.pos - from));
    }
    orma_pb_end(out, begun);
}

void orma_pieces_piece_put_stats(struct orma_pieces_piece *self,
                                 const struct orma_pieces_known *known,
                                 const struct orma_pieces_seq *seq,
                                 const struct orma_read_packet *p)
{
    struct orma_pb_reader r = orma_pb_reader(p->payload.data, p->payload.len);
    struct orma_pb_field f;
    ORMA_AUTO(orma_buf_fini) struct orma_buf stats = {0};

    for (const uint8_t *from = r.pos; orma_pb_next(&r, &f); from = r.pos) {
        if (f.id == ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS && f.wire == ORMA_PB_LEN)
            put_counts(self, known, &f, &stats);
        else
            orma_buf_put(&stats, from, (size_t)(r.pos - from));
    }
    const struct orma_str payload = orma_buf_str(&stats);
    self->waiting.failed |= stats.failed;
    orma_pieces_piece_put(self, seq, p, &payload);
}
