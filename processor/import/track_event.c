/* Track events: from a packet to slices, counters and states. */
#include "processor/import/track_event.h"

#include <stdlib.h>

#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"

#define CATEGORIES_MAX 16

/* An event as read in one pass; lists are read again when they are there at all. */
struct event {
    uint32_t type;
    bool has_track, has_name_iid, has_value, has_double;
    bool annotated, flows, extras;
    uint64_t track_uuid;
    uint64_t name_iid;
    struct orma_str name;
    int64_t value;
    double double_value;
    struct orma_str legacy;
    uint64_t category_iids[CATEGORIES_MAX];
    uint8_t category_iids_num;
    bool text_categories;
    int64_t thread_time_us, thread_instructions;
    bool has_thread_time, has_thread_instructions;
    struct orma_str bytes;
};

static void read_event(const struct orma_item *item, struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    memset(e, 0, offsetof(struct event, category_iids));
    e->category_iids_num = 0;
    e->text_categories = e->has_thread_time = e->has_thread_instructions = false;
    e->bytes = (struct orma_str){(const char *)item->data, item->len};
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TYPE:
            e->type = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_TRACK_UUID:
            e->track_uuid = orma_pb_u64(&f);
            e->has_track = true;
            break;
        case ORMA_PB_TRACK_EVENT_NAME_IID:
            e->name_iid = orma_pb_u64(&f);
            e->has_name_iid = true;
            break;
        case ORMA_PB_TRACK_EVENT_NAME:
            e->name = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                if (e->category_iids_num < CATEGORIES_MAX)
                    e->category_iids[e->category_iids_num++] = val;
            break;
        case ORMA_PB_TRACK_EVENT_CATEGORIES:
            e->text_categories = true;
            break;
        case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
            e->value = orma_pb_i64(&f);
            e->has_value = true;
            break;
        case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
            e->double_value = orma_pb_double(&f);
            e->has_double = true;
            break;
        case ORMA_PB_TRACK_EVENT_LEGACY_EVENT:
            e->legacy = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
            e->extras = true;
            break;
        case ORMA_PB_TRACK_EVENT_FLOW_IDS:
        case ORMA_PB_TRACK_EVENT_FLOW_IDS_OLD:
        case ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS:
        case ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD:
            e->flows = true;
            break;
        case ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS:
            e->annotated = true;
            break;
        }
    }
}

/* ---- names and categories ---- */

static uint32_t event_name(struct orma_import *imp, const struct orma_item *item,
                           const struct event *e)
{
    if (ORMA_LIKELY(e->has_name_iid && e->name_iid))
        return orma_te_interned_text(imp, item->gen, ORMA_PB_INTERNED_DATA_EVENT_NAMES, e->name_iid,
                                     ORMA_PB_EVENT_NAME_NAME);
    return e->name.data ? orma_import_str(imp, e->name) : 0;
}

static uint32_t category_of(struct orma_import *imp, const struct orma_item *item, uint64_t iid)
{
    uint32_t text = orma_te_interned_text(imp, item->gen, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES,
                                          iid, ORMA_PB_EVENT_CATEGORY_NAME);

    return text ? text
                : orma_strpool_addf(&imp->storage->pool, "unknown(%llu)", (unsigned long long)iid);
}

/* Several categories with commas between them. */
ORMA_COLD static uint32_t join_categories(struct orma_import *imp, const struct orma_item *item,
                                          const struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    struct orma_buf text = {0};
    unsigned num = 0;

    for (unsigned i = 0; i < e->category_iids_num; i++) {
        struct orma_str s =
            orma_strpool_get(&imp->storage->pool, category_of(imp, item, e->category_iids[i]));

        if (num++)
            orma_buf_put_byte(&text, ',');
        orma_buf_put(&text, s.data, s.len);
    }
    while (e->text_categories && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACK_EVENT_CATEGORIES)
            continue;
        if (num++)
            orma_buf_put_byte(&text, ',');
        orma_buf_put(&text, f.data, f.len);
    }
    uint32_t id = orma_import_str(imp, orma_buf_str(&text));
    imp->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return id;
}

static uint32_t event_category(struct orma_import *imp, const struct orma_item *item,
                               const struct event *e)
{
    if (ORMA_LIKELY(e->category_iids_num == 1 && !e->text_categories))
        return category_of(imp, item, e->category_iids[0]);
    if (!e->category_iids_num && !e->text_categories)
        return 0;
    return join_categories(imp, item, e);
}

/* ---- counters ---- */

static void counter_sample(struct orma_import *imp, const struct orma_item *item, uint64_t uuid,
                           double value, bool is_double)
{
    struct orma_te_track *t = orma_te_find(imp, uuid, item->machine);

    if (!t)
        return;
    if (!t->described)
        t->kind = ORMA_TE_COUNTER;
    if (!orma_te_resolve(imp, t, 0))
        return;
    if (t->kind != ORMA_TE_COUNTER) {
        orma_stats_inc(orma_import_stats(imp, item->machine),
                       ORMA_STAT_TRACK_EVENT_COUNTER_INVALID_TRACK_UUID);
        return;
    }
    if (!is_double)
        value *= (double)t->multiplier;
    if (t->incremental)
        value = orma_seq_gen_sum(item->gen, uuid, value);
    orma_import_counter(imp, item->ts, t->track, value);
}

static void extra_counters(struct orma_import *imp, const struct orma_item *item,
                           const struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    uint64_t uuids[2][ORMA_SEQ_EXTRA_COUNTERS];
    uint64_t values[2][ORMA_SEQ_EXTRA_COUNTERS];
    unsigned uuids_num[2] = {0}, values_num[2] = {0};

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;
        int which = f.id == ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS ||
                            f.id == ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES
                        ? 0
                        : 1;

        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                if (uuids_num[which] < ORMA_SEQ_EXTRA_COUNTERS)
                    uuids[which][uuids_num[which]++] = val;
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                if (values_num[0] < ORMA_SEQ_EXTRA_COUNTERS)
                    values[0][values_num[0]++] = val;
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES: {
            struct orma_pb_reader list = orma_pb_sub(&f);

            if (f.wire == ORMA_PB_I64 && values_num[1] < ORMA_SEQ_EXTRA_COUNTERS)
                values[1][values_num[1]++] = f.num;
            for (; list.end - list.pos >= 8 && values_num[1] < ORMA_SEQ_EXTRA_COUNTERS;
                 list.pos += 8)
                memcpy(&values[1][values_num[1]++], list.pos, 8);
            break;
        }
        }
    }
    if (!uuids_num[0])
        memcpy(uuids[0], item->gen->extra_uuids,
               (uuids_num[0] = item->gen->extra_num) * sizeof(uuids[0][0]));
    if (!uuids_num[1])
        memcpy(uuids[1], item->gen->extra_double_uuids,
               (uuids_num[1] = item->gen->extra_double_num) * sizeof(uuids[1][0]));
    for (unsigned which = 0; which < 2; which++) {
        if (values_num[which] > uuids_num[which])
            orma_stats_inc(orma_import_stats(imp, item->machine),
                           ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_MISSING_TRACK_UUIDS);
        for (unsigned i = 0; i < ORMA_MIN(values_num[which], uuids_num[which]); i++) {
            double real;

            memcpy(&real, &values[which][i], sizeof(real));
            counter_sample(imp, item, uuids[which][i],
                           which ? real : (double)(int64_t)values[which][i], which);
        }
    }
}

static void on_counter(struct orma_import *imp, const struct orma_item *item, const struct event *e,
                       uint64_t uuid, bool has_track)
{
    struct orma_stats *stats = orma_import_stats(imp, item->machine);

    if (!has_track)
        orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_TRACK_UUID);
    else if (!e->has_value && !e->has_double)
        orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_VALUE);
    else
        counter_sample(imp, item, uuid, e->has_value ? (double)e->value : e->double_value,
                       !e->has_value);
}

/* ---- states ---- */

static void on_state(struct orma_import *imp, const struct orma_item *item, struct orma_te_track *t,
                     uint32_t category, uint32_t name)
{
    struct orma_table *table = orma_import_table(imp, ORMA_TABLE_STATE);

    if (t->kind != ORMA_TE_STATE)
        return;
    if (t->open_state != ORMA_ROW_NONE)
        orma_table_set(table, ORMA_STATE_DUR, t->open_state,
                       item->ts - orma_table_int(table, ORMA_STATE_TS, t->open_state));
    t->open_state = ORMA_ROW_NONE;
    if (!name || name == ORMA_STR_EMPTY)
        return;
    uint32_t row = orma_table_add(table);
    orma_table_set_time(table, ORMA_STATE_TS, row, item->ts);
    orma_table_set(table, ORMA_STATE_DUR, row, -1);
    orma_table_set(table, ORMA_STATE_TRACK_ID, row, t->track);
    orma_table_set(table, ORMA_STATE_CATEGORY, row, category);
    orma_table_set(table, ORMA_STATE_VALUE, row, name);
    orma_storage_set_args(table, ORMA_STATE_ARG_SET_ID, row,
                          orma_args_commit(&imp->storage->args, &imp->args));
    t->open_state = row;
}

/* ---- events ---- */

static void collect_args(struct orma_import *imp, const struct orma_item *item,
                         const struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    orma_args_list_clear(&imp->args);
    while (e->annotated && orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            orma_te_annotation(imp, item->gen, orma_pb_str(&f), &imp->args);
}

static void track_event_parse(struct orma_import *imp, const struct orma_item *item)
{
    struct event e;

    if (ORMA_UNLIKELY(!item->gen))
        return;
    read_event(item, &e);
    bool has_track = e.has_track || item->gen->has_track;
    uint64_t uuid = e.has_track ? e.track_uuid : item->gen->track_uuid;

    if (e.extras)
        extra_counters(imp, item, &e);
    if (e.type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER) {
        on_counter(imp, item, &e, uuid, has_track);
        return;
    }
    struct orma_te_track *t = orma_te_find(imp, has_track ? uuid : 0, item->machine);
    if (!t)
        return;
    uint32_t name = event_name(imp, item, &e);
    uint32_t category = event_category(imp, item, &e);
    if (!orma_te_resolve(imp, t, name))
        return;
    collect_args(imp, item, &e);
    switch (e.type) {
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN:
        orma_slices_begin(&imp->slices, item->ts, orma_te_begin_track(imp, t, item->ts), category,
                          name, &imp->args);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_END:
        orma_slices_end(&imp->slices, item->ts, orma_te_end_track(imp, t), category, name,
                        &imp->args);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_INSTANT:
        orma_slices_complete(&imp->slices, item->ts, 0, orma_te_instant_track(imp, t, item->ts, 0),
                             category, name, &imp->args);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_STATE:
        on_state(imp, item, t, category, name);
        break;
    }
}

static bool track_event_tokenize(struct orma_import *imp, const struct orma_packet_ctx *ctx)
{
    if (ORMA_LIKELY(ctx->seq->id))
        return false;
    orma_stats_inc(orma_import_stats(imp, ctx->machine), ORMA_STAT_TRACK_EVENT_MISSING_SEQUENCE_ID);
    return true;
}

/* ---- descriptors ---- */

static void name_process(struct orma_import *imp, struct orma_te_track *t, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME && t->upid != ORMA_ID_NONE)
            orma_processes_name_process(orma_import_processes(imp, t->machine), t->upid,
                                        orma_import_str(imp, orma_pb_str(&f)),
                                        ORMA_PROCESS_NAME_DESCRIPTOR);
    }
}

static void name_thread(struct orma_import *imp, struct orma_te_track *t, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME && t->utid != ORMA_ID_NONE && f.len)
            orma_processes_name_thread(orma_import_processes(imp, t->machine), t->utid,
                                       orma_import_str(imp, orma_pb_str(&f)),
                                       ORMA_THREAD_NAME_DESCRIPTOR);
    }
}

static void descriptor_parse(struct orma_import *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint64_t uuid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID)
            uuid = orma_pb_u64(&f);
    struct orma_te_track *t = orma_te_find(imp, uuid, item->machine);
    if (!t || !t->described || !orma_te_resolve(imp, t, 0))
        return;
    r = orma_pb_reader(item->data, item->len);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_PROCESS)
            name_process(imp, t, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_THREAD)
            name_thread(imp, t, orma_pb_str(&f));
    }
}

static bool tokenize(struct orma_import *imp, const struct orma_packet_ctx *ctx)
{
    if (ORMA_LIKELY(ctx->p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT))
        return track_event_tokenize(imp, ctx);
    if (ctx->p->field == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR)
        orma_te_describe(imp, ctx);
    return false;
}

static void parse(struct orma_import *imp, const struct orma_item *item)
{
    if (ORMA_LIKELY(item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT))
        track_event_parse(imp, item);
    else if (item->field == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR)
        descriptor_parse(imp, item);
}

static void fini(struct orma_import *imp)
{
    struct orma_te_state *st = imp->state[ORMA_STATE_TRACK_EVENT];

    if (!st)
        return;
    ORMA_MAP_EACH (slot, &st->groups) {
        free(((struct orma_te_group *)(uintptr_t)slot->val)->lanes);
    }
    orma_map_fini(&st->groups);
    orma_map_fini(&st->by_uuid);
    orma_map_fini(&st->thread_uuids);
    orma_map_fini(&st->process_uuids);
    orma_args_list_fini(&st->args);
    orma_arena_fini(&st->arena);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_TRACK_EVENT,
                                  ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR, 0};
const struct orma_module orma_module_track_event = {
    .name = "track_event",
    .fields = fields,
    .tokenize = tokenize,
    .parse = parse,
    .fini = fini,
};
