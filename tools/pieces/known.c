/*
 * The processor's reader is here for its clocks and sequences alone: no packet is handed to it, and
 * nothing waits in its sorter. Bytes of packets are gone when the next one comes, so interned data
 * and defaults are copied.
 */
#include "tools/pieces/known.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/read/reader_impl.h"
#include "protos/fields/common.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"

#define SNAPSHOT_CLOCKS_MAX 256

/* ---- the reader reports to nobody: the trace is not loaded, only taken apart ---- */

static void on_machine(void *data, uint16_t machine, uint64_t raw)
{
    (void)data;
    (void)machine;
    (void)raw;
}

static void on_clock_failure(void *data, uint16_t machine, enum orma_stat stat, uint64_t source,
                             int64_t ns, uint64_t target, int64_t offset)
{
    (void)data;
    (void)machine;
    (void)stat;
    (void)source;
    (void)ns;
    (void)target;
    (void)offset;
}

static void on_settled(void *data, uint32_t clock)
{
    (void)data;
    (void)clock;
}

static void on_tied(void *data, const struct orma_clock_value *values, uint32_t num)
{
    (void)data;
    (void)values;
    (void)num;
}

static void on_unrelatable(void *data, uint16_t machine, uint32_t source, uint32_t target)
{
    (void)data;
    (void)machine;
    (void)source;
    (void)target;
}

static void on_mixed(void *data, uint16_t machine, int64_t num)
{
    (void)data;
    (void)machine;
    (void)num;
}

static void on_item(void *data, const struct orma_item *item)
{
    (void)data;
    (void)item;
}

int orma_pieces_known_init(struct orma_pieces_known *self, bool keeps_state)
{
    const struct orma_reader_hooks hooks = {
        .new_machine = on_machine,
        .clock_failed = on_clock_failure,
        .timeline = {.settled = on_settled,
                     .tied = on_tied,
                     .unrelatable = on_unrelatable,
                     .mixed = on_mixed},
    };
    const struct orma_reader_file file = {0};

    *self = (struct orma_pieces_known){.keeps_state = keeps_state};
    const int r = orma_storage_init(&self->storage);
    if (r < 0)
        return r;
    orma_storage_use_trace(&self->storage, 0, true);
    orma_reader_init(&self->reader, &self->storage, &hooks, on_item);
    orma_reader_next_file(&self->reader, &file);
    return orma_pieces_known_failed(self) ? -ENOMEM : 0;
}

void orma_pieces_known_fini(struct orma_pieces_known *self)
{
    ORMA_MAP_EACH (slot, &self->seqs) {
        struct orma_pieces_seq *seq = (struct orma_pieces_seq *)(uintptr_t)slot->val;

        orma_buf_fini(&seq->interned);
        orma_buf_fini(&seq->defaults);
        free(seq);
    }
    orma_map_fini(&self->seqs);
    orma_map_fini(&self->by_id);
    orma_reader_fini(&self->reader);
    orma_storage_fini(&self->storage);
}

/* ---- sequences ---- */

static struct orma_pieces_seq *add_seq(struct orma_pieces_known *self, uint64_t key,
                                       uint16_t machine, uint32_t id)
{
    struct orma_pieces_seq *seq = calloc(1, sizeof(*seq));

    if (!seq || orma_map_put_ptr(&self->seqs, key, seq)) {
        free(seq);
        return NULL;
    }
    seq->same_id = orma_map_get_ptr(&self->by_id, id);
    self->failed |= orma_map_put_ptr(&self->by_id, id, seq) != 0;
    seq->seq = orma_seqs_get(&self->reader.seqs, machine, id);
    seq->index = self->seqs_num++;
    if (seq->seq)
        seq->seq->clock.view = orma_reader_view(&self->reader, machine);
    return seq->seq && seq->seq->clock.view ? seq : NULL;
}

static struct orma_pieces_seq *find_seq(struct orma_pieces_known *self,
                                        const struct orma_read_packet *p)
{
    struct orma_pieces_seq *seq = self->last;
    uint16_t machine = self->reader.at.machine;

    if (ORMA_LIKELY(seq && seq->seq->id == p->sequence && seq->machine_raw == p->machine_raw))
        return seq;
    if (p->machine_raw)
        machine = orma_reader_machine_of(&self->reader, p->machine_raw);
    else
        self->reader.host_seen = true;
    const uint64_t key = (uint64_t)p->machine_raw << 32 | p->sequence;
    seq = orma_map_get_ptr(&self->seqs, key);
    if (!seq)
        seq = add_seq(self, key, machine, p->sequence);
    if (!seq)
        return NULL;
    seq->machine_raw = p->machine_raw;
    self->last = seq;
    return seq;
}

/* Rules 2 to 7 of the format, as the reader has them (update_sequence()). */
static void update(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                   const struct orma_read_packet *p)
{
    int r = 0;

    if (p->first)
        seq->saw_first = true;
    if (p->has_uid) {
        seq->uid = p->uid;
        seq->has_uid = true;
    }
    if (p->has_pid) {
        seq->pid = p->pid;
        seq->has_pid = true;
    }
    if (p->cleared) {
        r = orma_seq_clear(seq->seq);
        orma_buf_clear(&seq->interned);
        orma_buf_clear(&seq->defaults);
        seq->gen++;
        seq->defaults_num++;
        seq->has_defaults = false;
    } else if (p->dropped) {
        seq->seq->valid = false;
        seq->lost = p->dropped;
    }
    if (p->has_defaults) {
        r = r < 0 ? r : orma_seq_set_defaults(seq->seq, p->defaults);
        orma_buf_clear(&seq->defaults);
        orma_buf_put(&seq->defaults, p->defaults.data, p->defaults.len);
        seq->defaults_num++;
        seq->has_defaults = true;
    }
    seq->interned_before = seq->interned.len;
    if (p->interned.data && seq->seq->valid && self->keeps_state)
        orma_buf_put(&seq->interned, p->interned.data, p->interned.len);
    self->failed |= r < 0 || seq->interned.failed || seq->defaults.failed;
}

/* ---- clocks ---- */

static void take_snapshot(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                          struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_clock_value values[SNAPSHOT_CLOCKS_MAX];
    uint32_t num = 0;
    uint64_t primary = 0;
    bool good = true;

    while (good && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS && num < SNAPSHOT_CLOCKS_MAX)
            good = orma_reader_read_clock(orma_pb_str(&f), seq->seq->id, &values[num++]);
        else if (f.id == ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK)
            primary = orma_pb_u64(&f);
    }
    if (!good)
        return;
    for (uint32_t i = 0; i < num; i++) {
        if (values[i].incremental) {
            seq->clock_epoch++;
            seq->clock_sum = 0;
            break;
        }
    }
    (void)orma_reader_add_clocks(&self->reader, (uint16_t)seq->seq->machine, seq->seq, values, num,
                                 primary); /* refused: it is to other readers, too */
}

/* What is known at the end may tell a time of a clock that nothing has explained so far. */
static bool convert_later(struct orma_pieces_known *self, const struct orma_pieces_seq *seq,
                          uint32_t clock, int64_t ns, int64_t *ret,
                          struct orma_clock_span *ret_span)
{
    struct orma_reader *r = self->later ? &self->later->reader : NULL;
    struct orma_clock_view *view = r ? orma_reader_view(r, (uint16_t)seq->seq->machine) : NULL;

    return view && orma_timeline_convert(&r->timeline, view, orma_clock_key(clock, seq->seq->id),
                                         ns, ret, ret_span) == ORMA_CLOCK_OK;
}

bool orma_pieces_known_convert(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                               uint32_t clock, int64_t ns, int64_t *ret,
                               struct orma_clock_span *ret_span)
{
    const uint64_t key = orma_clock_key(clock, seq->seq->id);

    if (orma_reader_is_trace_clock(&self->reader, (uint16_t)seq->seq->machine, key)) {
        *ret = ns;
        if (ret_span)
            *ret_span = (struct orma_clock_span){INT64_MIN, INT64_MAX, 0};
        return true;
    }
    return orma_timeline_convert(&self->reader.timeline, seq->seq->clock.view, key, ns, ret,
                                 ret_span) == ORMA_CLOCK_OK ||
           convert_later(self, seq, clock, ns, ret, ret_span);
}

bool orma_pieces_known_micros(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                              int64_t us, int64_t *ret)
{
    int64_t ns;

    if (__builtin_mul_overflow(us, 1000, &ns))
        return false;
    if (!orma_pieces_known_convert(self, seq, ORMA_CLOCK_MONOTONIC, ns, ret, NULL))
        *ret = ns;
    return true;
}

void orma_pieces_known_pair(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                            uint32_t clock, int64_t ns, int64_t boot_ns)
{
    const struct orma_clock_value pair[] = {{orma_clock_key(clock, seq->seq->id), ns, 1, false},
                                            {ORMA_CLOCK_BOOTTIME, boot_ns, 1, false}};

    self->last_pair = ns;
    (void)orma_reader_add_clocks(&self->reader, (uint16_t)seq->seq->machine, seq->seq, pair, 2, 0);
}

/* What ThreadDescriptor begins, and track events go on with. */
static void take_thread(struct orma_pieces_seq *seq, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    if (!seq->seq->valid)
        return;
    seq->sums_epoch++;
    memset(seq->sums, 0, sizeof(seq->sums));
    seq->base_us = 0;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_THREAD_DESCRIPTOR_REFERENCE_TIMESTAMP_US)
            seq->base_us = orma_pb_i64(&f);
}

/* The descriptor of a thread's track is one of the thread that writes the sequence. */
static void take_track(struct orma_pieces_seq *seq, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, thread = {0};
    bool has_uuid = false, has_pid = false, has_tid = false;

    while (orma_pb_next(&r, &f)) {
        has_uuid |= f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID;
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_THREAD)
            thread = f;
    }
    if (!has_uuid || !thread.id)
        return;
    r = orma_pb_sub(&thread);
    while (orma_pb_next(&r, &f)) {
        has_pid |= f.id == ORMA_PB_THREAD_DESCRIPTOR_PID;
        has_tid |= f.id == ORMA_PB_THREAD_DESCRIPTOR_TID;
    }
    if (has_pid && has_tid)
        take_thread(seq, orma_pb_str(&thread));
}

/* Stacks whose times are differences, as those of track events: from which time on. */
static bool take_stacks(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                        const struct orma_read_packet *p, int64_t *ret)
{
    struct orma_pb_reader r = orma_pb_reader(p->payload.data, p->payload.len);
    struct orma_pb_reader packed;
    struct orma_pb_field f;
    uint64_t delta, first = 0, sum = 0, num = 0;
    int64_t *total = &seq->sums[ORMA_PIECES_TIME_US], ns, ts;

    memcpy(seq->sums_before, seq->sums, sizeof(seq->sums));
    seq->adds_time = false;
    if (!seq->seq->valid && p->flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE)
        return false; /* nobody can read it */
    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_STREAMING_PROFILE_PACKET_TIMESTAMP_DELTA_US)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &delta); sum += delta)
            if (!num++)
                first = delta;
    }
    const int64_t begin = (int64_t)((uint64_t)seq->base_us + (uint64_t)*total);

    *total = (int64_t)((uint64_t)*total + sum);
    seq->adds_time = num > 0;
    if (!num || __builtin_mul_overflow((int64_t)first, 1000, &ns) ||
        !orma_pieces_known_micros(self, seq, begin, &ts) || __builtin_add_overflow(ts, ns, &ts))
        return false;
    *ret = ts;
    return true;
}

static bool take_time(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                      const struct orma_read_packet *p, int64_t *ret)
{
    struct orma_packet_time time = {.unit = 1};
    enum orma_clock_result r = orma_reader_packet_time(&self->reader, seq->seq, p, &time);

    *ret = time.ts;
    if (ORMA_LIKELY(r == ORMA_CLOCK_OK)) {
        if (time.incremental) {
            seq->clock_sum += p->timestamp;
            seq->clock_named = p->has_clock;
        }
        return true;
    }
    const uint32_t id = p->has_clock               ? p->clock_id
                        : seq->seq->gen->has_clock ? seq->seq->gen->clock_id
                                                   : ORMA_CLOCK_BOOTTIME;
    return convert_later(self, seq, id, (int64_t)p->timestamp, ret, NULL);
}

bool orma_pieces_known_take(struct orma_pieces_known *self, const struct orma_read_packet *p,
                            struct orma_pieces_seq **ret, int64_t *ret_ts)
{
    struct orma_pieces_seq *seq = *ret = find_seq(self, p);
    bool timed = false;

    if (!seq) {
        self->failed = true;
        return false;
    }
    seq->packets += p->has_sequence;
    if (ORMA_UNLIKELY(p->cleared || p->dropped || p->first || p->has_pid || p->has_defaults ||
                      p->interned.data || (p->has_uid && p->uid != seq->uid) ||
                      p->has_uid != seq->has_uid) &&
        p->has_sequence)
        update(self, seq, p);
    else
        seq->interned_before = seq->interned.len;
    seq->clock_before = seq->clock_sum;
    if (p->field == ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT) {
        take_snapshot(self, seq, p->payload);
        seq->clock_before = seq->clock_sum;
    } else if (p->has_timestamp) {
        timed = take_time(self, seq, p, ret_ts);
    }
    if (timed)
        self->last_ts = ORMA_MAX(self->last_ts, *ret_ts);
    if (p->field == ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR)
        take_thread(seq, p->payload);
    else if (p->field == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR)
        take_track(seq, p->payload);
    else if (p->field == ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET)
        timed |= take_stacks(self, seq, p, ret_ts);
    return timed;
}

bool orma_pieces_known_failed(const struct orma_pieces_known *self)
{
    const struct orma_timeline *t = &self->reader.timeline;

    return self->failed || self->storage.failed || self->reader.seqs.failed || t->failed ||
           t->clocks.failed;
}
