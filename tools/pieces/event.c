/*
 * Fields are read in one pass that most events leave after a few bytes. Which track an event is on
 * follows processor/import/events: the track that it names, or that of its sequence; else its
 * thread; events of older forms may lie where their ids say.
 */
#include "tools/pieces/event.h"

#include <stdlib.h>

#include "protos/fields/profiling.h"
#include "protos/fields/track_event.h"
#include "sdk/base/endian.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"

struct legacy {
    uint64_t id, id_kind;
    int64_t duration_us;
    uint64_t scope;
    int32_t pid, tid;
    char phase;
    bool has_pid, has_tid;
};

struct times {
    int64_t absolute_us;
    bool has_absolute;
};

static void read_legacy(struct orma_str bytes, struct legacy *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_PHASE:
            ret->phase = (char)orma_pb_i32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_DURATION_US:
            ret->duration_us = orma_pb_i64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID:
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID:
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID:
            ret->id = orma_pb_u64(&f);
            ret->id_kind = f.id;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_ID_SCOPE:
            ret->scope = orma_fnv1a(ORMA_FNV1A_BASIS, f.data, f.len);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_PID_OVERRIDE:
            ret->pid = orma_pb_i32(&f);
            ret->has_pid = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE:
            ret->tid = orma_pb_i32(&f);
            ret->has_tid = true;
            break;
        }
    }
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    return orma_mix64(a * 31 + b);
}

static uint64_t thread_key(const struct orma_pieces_seq *seq, const struct legacy *l)
{
    if (l->has_pid || l->has_tid)
        return mix(mix(mix(1, seq->seq->machine), (uint32_t)l->pid), (uint32_t)l->tid);
    return mix(mix(2, seq->seq->machine), seq->seq->id);
}

static uint64_t async_key(const struct orma_pieces_seq *seq, const struct legacy *l)
{
    const bool old = l->phase == 'S' || l->phase == 'F';
    const uint64_t of = l->id_kind == ORMA_PB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID ? seq->pid : 0;

    return mix(mix(mix(mix(old ? 3 : 4, seq->seq->machine), l->id), l->scope), of);
}

static void place(const struct orma_pieces_seq *seq, const struct legacy *l, bool has_legacy,
                  struct orma_pieces_event *e)
{
    const char phase = has_legacy ? l->phase : 0;

    e->has_pid = !e->uuid && l->has_pid;
    e->has_tid = !e->uuid && l->has_tid;
    e->pid = (uint32_t)l->pid;
    e->tid = (uint32_t)l->tid;
    e->key = e->uuid ? mix(mix(5, seq->seq->machine), e->uuid) : thread_key(seq, l);
    if (!phase) {
        e->edge = e->type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN ? ORMA_PIECES_BEGIN
                  : e->type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_END ? ORMA_PIECES_END
                                                                  : ORMA_PIECES_NEITHER;
        return;
    }
    switch (phase) {
    case 'B':
        e->edge = ORMA_PIECES_BEGIN;
        break;
    case 'E':
        e->edge = ORMA_PIECES_END;
        break;
    case 'b':
    case 'S':
        e->edge = ORMA_PIECES_BEGIN;
        e->key = async_key(seq, l);
        break;
    case 'e':
    case 'F':
        e->edge = ORMA_PIECES_END;
        e->key = async_key(seq, l);
        break;
    case 'X':
        if (l->duration_us > 0 && __builtin_mul_overflow(l->duration_us, 1000, &e->dur))
            e->dur = 0;
        break;
    }
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Times of the older form come before that of the packet. */
static bool find_time(struct orma_pieces_known *known, struct orma_pieces_seq *seq,
                      const struct orma_pieces_event *e, const struct times *t, bool timed,
                      int64_t *ts)
{
    if (!e->has_delta[ORMA_PIECES_TIME_US] && !t->has_absolute)
        return timed;
    const int64_t us = e->has_delta[ORMA_PIECES_TIME_US]
                           ? add(seq->base_us, seq->sums[ORMA_PIECES_TIME_US])
                           : t->absolute_us;
    return orma_pieces_known_micros(known, seq, us, ts);
}

bool orma_pieces_event_read(struct orma_pieces_known *known, struct orma_pieces_seq *seq,
                            const struct orma_read_packet *p, bool timed, int64_t *ts,
                            struct orma_pieces_event *ret)
{
    struct orma_pb_reader r = orma_pb_reader(p->payload.data, p->payload.len);
    struct orma_pb_field f;
    struct legacy legacy = {0};
    struct times times = {0};
    bool has_legacy = false, has_track = false;

    *ret = (struct orma_pieces_event){0};
    memcpy(seq->sums_before, seq->sums, sizeof(seq->sums));
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TYPE:
            ret->type = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_TRACK_UUID:
            ret->uuid = orma_pb_u64(&f);
            has_track = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT:
            read_legacy(orma_pb_str(&f), &legacy);
            has_legacy = true;
            break;
        case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
            ret->has_value = true;
            break;
        case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
            ret->has_double = true;
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
            ret->has_extras = true;
            break;
        case ORMA_PB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
            times.absolute_us = orma_pb_i64(&f);
            times.has_absolute = true;
            break;
        case ORMA_PB_TRACK_EVENT_TIMESTAMP_DELTA_US:
            ret->has_delta[ORMA_PIECES_TIME_US] = true;
            seq->sums[ORMA_PIECES_TIME_US] = add(seq->sums[ORMA_PIECES_TIME_US], orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_TIME_DELTA_US:
            ret->has_delta[ORMA_PIECES_THREAD_TIME_US] = true;
            seq->sums[ORMA_PIECES_THREAD_TIME_US] =
                add(seq->sums[ORMA_PIECES_THREAD_TIME_US], orma_pb_i64(&f));
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
            ret->has_delta[ORMA_PIECES_INSTRUCTIONS] = true;
            seq->sums[ORMA_PIECES_INSTRUCTIONS] =
                add(seq->sums[ORMA_PIECES_INSTRUCTIONS], orma_pb_i64(&f));
            break;
        }
    }
    if (!has_track)
        ret->uuid = seq->seq->gen->track_uuid;
    place(seq, &legacy, has_legacy, ret);
    return find_time(known, seq, ret, &times, timed, ts);
}

/* ---- counters ---- */

void orma_pieces_counters_fini(struct orma_pieces_counters *self)
{
    orma_map_fini(&self->incremental);
    orma_map_fini(&self->slots);
    free(self->sums);
}

void orma_pieces_counters_describe(struct orma_pieces_counters *self, struct orma_str descriptor)
{
    struct orma_pb_reader r = orma_pb_reader(descriptor.data, descriptor.len);
    struct orma_pb_field f, g;
    uint64_t uuid = 0;
    bool incremental = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID)
            uuid = orma_pb_u64(&f);
        if (f.id != ORMA_PB_TRACK_DESCRIPTOR_COUNTER)
            continue;
        struct orma_pb_reader counter = orma_pb_sub(&f);

        while (orma_pb_next(&counter, &g))
            if (g.id == ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL)
                incremental = orma_pb_bool(&g);
    }
    if (incremental)
        self->failed |= orma_map_put(&self->incremental, uuid, 1) < 0;
}

/* UINT32_MAX: the track is none of those. */
static uint32_t slot_of(struct orma_pieces_counters *self, const struct orma_pieces_seq *seq,
                        uint64_t uuid)
{
    const uint64_t key = mix(mix(6, seq->index), uuid);

    if (orma_map_get(&self->incremental, uuid) == ORMA_MAP_NONE)
        return UINT32_MAX;
    uint64_t slot = orma_map_get(&self->slots, key);
    if (slot == ORMA_MAP_NONE) {
        slot = self->num;
        if (ORMA_GROW(&self->sums, &self->cap, self->num + (size_t)1) ||
            orma_map_put(&self->slots, key, slot)) {
            self->failed = true;
            return UINT32_MAX;
        }
        self->sums[self->num++] = (struct orma_pieces_sum){.gen = seq->gen};
    }
    if (self->sums[slot].gen != seq->gen)
        self->sums[slot] = (struct orma_pieces_sum){.gen = seq->gen};
    return (uint32_t)slot;
}

static uint32_t read_list(const struct orma_pb_field *f, uint64_t *to, uint32_t num)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
        if (num < ORMA_PIECES_EXTRAS)
            to[num++] = val;
    return num;
}

static uint32_t read_doubles(const struct orma_pb_field *f, double *to, uint32_t num)
{
    struct orma_pb_reader list = orma_pb_sub(f);

    if (f->wire == ORMA_PB_I64 && num < ORMA_PIECES_EXTRAS)
        to[num++] = orma_pb_double(f);
    for (; f->wire == ORMA_PB_LEN && list.end - list.pos >= 8 && num < ORMA_PIECES_EXTRAS;
         list.pos += 8)
        to[num++] = orma_le_double_at(list.pos);
    return num;
}

void orma_pieces_counters_read(struct orma_pieces_counters *self, const struct orma_pieces_seq *seq,
                               const struct orma_pieces_event *event, struct orma_str payload,
                               struct orma_pieces_values *ret)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    const struct orma_seq_gen *gen = seq->seq->gen;
    uint64_t uuids[2][ORMA_PIECES_EXTRAS] = {{0}}, ints[ORMA_PIECES_EXTRAS] = {0};
    double doubles[ORMA_PIECES_EXTRAS] = {0};
    uint32_t num[2] = {0};

    ret->any = false;
    if (!self->incremental.len || !(event->has_value || event->has_double || event->has_extras))
        return;
    memset(ret, 0, sizeof(*ret));
    ret->slots[0] = UINT32_MAX;
    if (event->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER)
        ret->slots[0] = slot_of(self, seq, event->uuid);
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
            ret->wholes[0] = orma_pb_i64(&f);
            ret->amounts[0] = 0;
            break;
        case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
            ret->amounts[0] = orma_pb_double(&f);
            ret->wholes[0] = 0;
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
            num[0] = read_list(&f, uuids[0], num[0]);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
            num[1] = read_list(&f, uuids[1], num[1]);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
            ret->ints = read_list(&f, ints, ret->ints);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
            ret->doubles = read_doubles(&f, doubles, ret->doubles);
            break;
        }
    }
    if (!num[0])
        memcpy(uuids[0], gen->extra_uuids, sizeof(uuids[0]));
    if (!num[1])
        memcpy(uuids[1], gen->extra_double_uuids, sizeof(uuids[1]));
    for (uint32_t i = 0; i < ret->ints; i++) {
        ret->slots[1 + i] = slot_of(self, seq, uuids[0][i]);
        ret->wholes[1 + i] = (int64_t)ints[i];
    }
    for (uint32_t i = 0; i < ret->doubles; i++) {
        ret->slots[1 + ret->ints + i] = slot_of(self, seq, uuids[1][i]);
        ret->amounts[1 + ret->ints + i] = doubles[i];
    }
    for (uint32_t i = 0; i < 1 + ret->ints + ret->doubles; i++)
        ret->any |= ret->slots[i] != UINT32_MAX;
}

void orma_pieces_counters_add(struct orma_pieces_counters *self, const struct orma_pieces_values *v)
{
    for (uint32_t i = 0; v->any && i < 1 + v->ints + v->doubles; i++) {
        if (v->slots[i] == UINT32_MAX)
            continue;
        self->sums[v->slots[i]].sum += (uint64_t)v->wholes[i];
        self->sums[v->slots[i]].sum_double += v->amounts[i];
    }
}

/* ---- writing ---- */

static void put_ints(struct orma_buf *out, const struct orma_pb_field *f,
                     const struct orma_pieces_lack *lack, uint32_t *at, uint32_t num)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    if (f->wire != ORMA_PB_LEN) {
        orma_pb_put_u64(out, f->id, f->num + (uint64_t)(*at < num ? lack->wholes[1 + *at] : 0));
        ++*at;
        return;
    }
    const size_t begun = orma_pb_begin(out, f->id);

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val); ++*at)
        orma_pb_put_raw_varint(out, val + (uint64_t)(*at < num ? lack->wholes[1 + *at] : 0));
    orma_pb_end(out, begun);
}

static void put_doubles(struct orma_buf *out, const struct orma_pb_field *f,
                        const struct orma_pieces_lack *lack, uint32_t *at, uint32_t before,
                        uint32_t num)
{
    struct orma_pb_reader list = orma_pb_sub(f);

    if (f->wire == ORMA_PB_I64) {
        orma_pb_put_double(out, f->id,
                           orma_pb_double(f) + (*at < num ? lack->doubles[1 + before + *at] : 0));
        ++*at;
        return;
    }
    const size_t begun = orma_pb_begin(out, f->id);

    for (; f->wire == ORMA_PB_LEN && list.end - list.pos >= 8; list.pos += 8, ++*at) {
        double val = orma_le_double_at(list.pos);
        uint64_t bits;

        val += *at < num ? lack->doubles[1 + before + *at] : 0;
        memcpy(&bits, &val, sizeof(bits));
        bits = ORMA_LE64(bits);
        orma_buf_put(out, &bits, sizeof(bits));
    }
    orma_pb_end(out, begun);
}

void orma_pieces_event_write(struct orma_buf *out, struct orma_str payload,
                             const struct orma_pieces_values *values,
                             const struct orma_pieces_lack *lack)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    const uint8_t *from = r.pos;
    uint32_t ints = 0, doubles = 0;

    for (; orma_pb_next(&r, &f); from = r.pos) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TIMESTAMP_DELTA_US:
            orma_pb_put_i64(out, f.id, add(orma_pb_i64(&f), lack->deltas[ORMA_PIECES_TIME_US]));
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_TIME_DELTA_US:
            orma_pb_put_i64(out, f.id,
                            add(orma_pb_i64(&f), lack->deltas[ORMA_PIECES_THREAD_TIME_US]));
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
            orma_pb_put_i64(out, f.id,
                            add(orma_pb_i64(&f), lack->deltas[ORMA_PIECES_INSTRUCTIONS]));
            break;
        case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
            orma_pb_put_i64(out, f.id, add(orma_pb_i64(&f), lack->wholes[0]));
            break;
        case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
            orma_pb_put_double(out, f.id, orma_pb_double(&f) + lack->doubles[0]);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
            put_ints(out, &f, lack, &ints, values->ints);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
            put_doubles(out, &f, lack, &doubles, values->ints, values->doubles);
            break;
        default:
            orma_buf_put(out, from, (size_t)(r.pos - from));
        }
    }
    orma_buf_put(out, from, (size_t)(r.end - from)); /* what cannot be read stays */
}

void orma_pieces_stacks_write(struct orma_buf *out, struct orma_str payload, int64_t lack_us)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_reader packed;
    struct orma_pb_field f;
    const uint8_t *from = r.pos;
    uint64_t delta;

    for (; orma_pb_next(&r, &f); from = r.pos) {
        if (f.id == ORMA_PB_STREAMING_PROFILE_PACKET_TIMESTAMP_DELTA_US) {
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &delta); lack_us = 0)
                orma_pb_put_i64(out, f.id, add((int64_t)delta, lack_us));
        } else {
            orma_buf_put(out, from, (size_t)(r.pos - from));
        }
    }
    orma_buf_put(out, from, (size_t)(r.end - from)); /* what cannot be read stays */
}
