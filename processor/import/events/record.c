/*
 * What a track event says, read in one pass. Tags of one byte that most events have are taken in
 * the loop; lists are noted as being there, but for values of counters, which are read.
 */
#include "processor/import/events/event.h"
#include "protos/fields/track_event.h"
#include "sdk/base/endian.h"

void orma_events_read_legacy(struct orma_str bytes, struct orma_events_legacy *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret = (struct orma_events_legacy){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_NAME_IID:
            ret->name_iid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_PHASE:
            ret->phase = (char)orma_pb_i32(&f);
            ret->has_phase = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_DURATION_US:
            ret->duration_us = orma_pb_i64(&f);
            ret->has_duration = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_THREAD_DURATION_US:
            ret->thread_duration_us = orma_pb_i64(&f);
            ret->has_thread_duration = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID:
            ret->unscoped_id = orma_pb_u64(&f);
            ret->has_unscoped = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_ID_SCOPE:
            ret->id_scope = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_BIND_ID:
            ret->bind_id = orma_pb_u64(&f);
            ret->has_bind = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_USE_ASYNC_TTS:
            ret->async_tts = orma_pb_bool(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID:
            ret->local_id = orma_pb_u64(&f);
            ret->has_local = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID:
            ret->global_id = orma_pb_u64(&f);
            ret->has_global = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_BIND_TO_ENCLOSING:
            ret->bind_to_enclosing = orma_pb_bool(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_FLOW_DIRECTION:
            ret->direction = orma_pb_u32(&f);
            ret->has_direction = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_INSTANT_EVENT_SCOPE:
            ret->scope = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_THREAD_INSTRUCTION_DELTA:
            ret->thread_instruction_delta = orma_pb_i64(&f);
            ret->has_instruction_delta = true;
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

static void put_extra(struct orma_events_record *e, uint64_t *list, uint8_t *num, uint64_t val)
{
    if (*num < ORMA_SEQ_EXTRA_COUNTERS)
        list[(*num)++] = val;
    else
        e->too_many_extras = true;
}

static void read_extra(const struct orma_pb_field *f, struct orma_events_record *e, uint64_t *list,
                       uint8_t *num)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
        put_extra(e, list, num, val);
}

static void read_extra_doubles(const struct orma_pb_field *f, struct orma_events_record *e)
{
    struct orma_pb_reader list = orma_pb_sub(f);
    uint64_t val;

    if (f->wire == ORMA_PB_I64)
        put_extra(e, e->extras.values[1], &e->values_num[1], f->num);
    for (; f->wire == ORMA_PB_LEN && list.end - list.pos >= 8; list.pos += 8) {
        val = orma_le64_at(list.pos);
        put_extra(e, e->extras.values[1], &e->values_num[1], val);
    }
}

/* The tracks of the sequence, where the event names none. */
static void fill_extras(struct orma_events_record *e)
{
    const struct orma_seq_gen *gen = e->item->gen;
    struct orma_events_extras *x = &e->extras;

    x->of_sequence[0] = !e->uuids_num[0];
    x->of_sequence[1] = !e->uuids_num[1];
    if (x->of_sequence[0]) {
        memcpy(x->uuids[0], gen->extra_uuids, sizeof(x->uuids[0]));
        e->uuids_num[0] = gen->extra_num;
    }
    if (x->of_sequence[1] && e->values_num[1]) {
        memcpy(x->uuids[1], gen->extra_double_uuids, sizeof(x->uuids[1]));
        e->uuids_num[1] = gen->extra_double_num;
    }
}

static void read_rare(const struct orma_pb_field *f, struct orma_events_record *e)
{
    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_CALLSTACK:
    case ORMA_PB_TRACK_EVENT_CALLSTACK_IID:
        e->stacked = true;
        break;
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT:
        e->has.legacy = true;
        orma_events_read_legacy(orma_pb_str(f), &e->legacy);
        break;
    case ORMA_PB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US:
        e->has_thread_ns = !__builtin_mul_overflow(orma_pb_i64(f), 1000, &e->thread.ns);
        e->timed = true;
        break;
    case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
        e->thread.instructions = orma_pb_i64(f);
        e->has_instructions = e->timed = true;
        break;
    case ORMA_PB_TRACK_EVENT_TIMESTAMP_DELTA_US:
    case ORMA_PB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
    case ORMA_PB_TRACK_EVENT_THREAD_TIME_DELTA_US:
    case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
        e->timed = true;
        break;
    default:
        e->typed = true;
    }
}

/* Fields that most events have, by their tag, which is one byte. False: it is none of them. */
static inline bool read_usual(uint8_t tag, uint64_t val, struct orma_events_record *e)
{
    switch (tag) {
    case ORMA_PB_TRACK_EVENT_TYPE << 3:
        e->type = (uint32_t)val;
        e->has.type = true;
        return true;
    case ORMA_PB_TRACK_EVENT_TRACK_UUID << 3:
        e->track_uuid = val;
        e->has.track = true;
        return true;
    case ORMA_PB_TRACK_EVENT_NAME_IID << 3:
        e->name_iid = val;
        e->has.name_iid = true;
        return true;
    case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS << 3:
        if (e->category_iids_num < ORMA_EVENTS_CATEGORIES_MAX)
            e->category_iids[e->category_iids_num++] = val;
        return true;
    case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES << 3:
        e->has_extras = true;
        put_extra(e, e->extras.values[0], &e->values_num[0], val);
        return true;
    }
    return false;
}

/* Fields that are one value, and are neither a number nor bytes as they should be. */
static bool is_unfit(const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_TYPE:
    case ORMA_PB_TRACK_EVENT_TRACK_UUID:
    case ORMA_PB_TRACK_EVENT_NAME_IID:
    case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
    case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
        return f->wire == ORMA_PB_LEN;
    case ORMA_PB_TRACK_EVENT_NAME:
    case ORMA_PB_TRACK_EVENT_CATEGORIES:
    case ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS:
        return f->wire != ORMA_PB_LEN;
    }
    return false;
}

static void read_field(const struct orma_pb_field *f, struct orma_events_record *e)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_TYPE:
        e->type = orma_pb_u32(f);
        e->has.type = true;
        break;
    case ORMA_PB_TRACK_EVENT_TRACK_UUID:
        e->track_uuid = orma_pb_u64(f);
        e->has.track = true;
        break;
    case ORMA_PB_TRACK_EVENT_NAME_IID:
        e->name_iid = orma_pb_u64(f);
        e->has.name_iid = true;
        break;
    case ORMA_PB_TRACK_EVENT_NAME:
        e->name = orma_pb_str(f);
        e->has.name = f->wire == ORMA_PB_LEN;
        break;
    case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS:
        for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
            if (e->category_iids_num < ORMA_EVENTS_CATEGORIES_MAX)
                e->category_iids[e->category_iids_num++] = val;
        break;
    case ORMA_PB_TRACK_EVENT_CATEGORIES:
        e->category = orma_pb_str(f);
        e->text_categories = ORMA_MIN(e->text_categories + 1, 2);
        break;
    case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
        e->value = orma_pb_i64(f);
        e->has.value = true;
        break;
    case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
        e->double_value = orma_pb_double(f);
        e->has.double_value = true;
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
        e->has_extras = true;
        read_extra(f, e, e->extras.values[0], &e->values_num[0]);
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
        e->has_extras = true;
        read_extra_doubles(f, e);
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
        read_extra(f, e, e->extras.uuids[0], &e->uuids_num[0]);
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
        read_extra(f, e, e->extras.uuids[1], &e->uuids_num[1]);
        break;
    case ORMA_PB_TRACK_EVENT_FLOW_IDS:
        e->flows |= ORMA_EVENTS_FLOWS;
        break;
    case ORMA_PB_TRACK_EVENT_FLOW_IDS_OLD:
        e->flows |= ORMA_EVENTS_FLOWS_OLD;
        break;
    case ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS:
        e->flows |= ORMA_EVENTS_FLOW_ENDS;
        break;
    case ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD:
        e->flows |= ORMA_EVENTS_FLOW_ENDS_OLD;
        break;
    case ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS:
        e->annotated = true;
        break;
    default:
        read_rare(f, e);
    }
}

void orma_events_read(const struct orma_item *item, struct orma_events_record *e)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    memset(e, 0, offsetof(struct orma_events_record, owner));
    e->name_id = e->category_id = 0;
    e->t = NULL;
    e->owner.utid = e->owner.upid = e->owner.passthrough = ORMA_ID_NONE;
    e->bytes = (struct orma_str){(const char *)item->data, item->len};
    e->item = item;
    while (r.pos != r.end) {
        const uint8_t *pos = r.pos + 1;
        uint64_t val;

        if (*r.pos < 0x80 && !(*r.pos & 7) && orma_pb_varint_at(&pos, r.end, &val) &&
            read_usual(*r.pos, val, e)) {
            r.pos = pos;
            continue;
        }
        if (!orma_pb_next(&r, &f))
            break;
        if (ORMA_UNLIKELY(is_unfit(&f)))
            e->unfit_id = f.id;
        read_field(&f, e);
    }
    e->malformed = r.failed;
    if (ORMA_UNLIKELY(e->has_extras))
        fill_extras(e);
    if (ORMA_UNLIKELY(item->extra != NULL)) {
        e->has_thread_ns |= item->extra->has_thread_ns;
        e->has_instructions |= item->extra->has_instructions;
        if (item->extra->has_thread_ns)
            e->thread.ns = item->extra->thread_ns;
        if (item->extra->has_instructions)
            e->thread.instructions = item->extra->instructions;
    }
}
