/* Track events: from a packet to slices, counters and states. */
#include "processor/import/events/events.h"

#include "processor/import/events/event.h"

#include "processor/model/flows.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"
#include <stdlib.h>

/* ---- names and categories ---- */

static uint32_t event_name(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    uint64_t iid = e->name_iid;

    if (!iid && e->has.legacy)
        iid = e->legacy.name_iid;
    if (ORMA_LIKELY(iid != 0))
        return orma_events_interned_text(imp, e->item->gen, ORMA_PB_INTERNED_DATA_EVENT_NAMES, iid,
                                         ORMA_PB_EVENT_NAME_NAME);
    return e->has.name ? orma_model_str(imp->model, e->name) : 0;
}

static uint32_t interned_category(struct orma_import_ctx *imp, const struct orma_item *item,
                                  uint64_t iid)
{
    return orma_events_interned_text(imp, item->gen, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, iid,
                                     ORMA_PB_EVENT_CATEGORY_NAME);
}

static void join(struct orma_buf *text, struct orma_str s)
{
    if (text->len)
        orma_buf_put_byte(text, ',');
    orma_buf_put(text, s.data, s.len);
}

/* Several categories with commas between them; numbers that nobody explained are left out. */
ORMA_COLD static uint32_t join_categories(struct orma_import_ctx *imp,
                                          const struct orma_events_record *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    struct orma_buf text = {0};
    uint32_t id;

    for (unsigned i = 0; i < e->category_iids_num; i++)
        if ((id = interned_category(imp, e->item, e->category_iids[i])))
            join(&text, orma_strpool_get(&imp->model->storage->pool, id));
    while (e->text_categories && orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_CATEGORIES)
            join(&text, orma_pb_str(&f));
    id = text.len ? orma_model_str(imp->model, orma_buf_str(&text)) : 0;
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return id;
}

static uint32_t event_category(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    if (ORMA_LIKELY(e->category_iids_num == 1 && !e->text_categories)) {
        uint32_t text = interned_category(imp, e->item, e->category_iids[0]);

        return text ? text
                    : orma_strpool_addf(&imp->model->storage->pool, "unknown(%llu)",
                                        (unsigned long long)e->category_iids[0]);
    }
    if (!e->category_iids_num && e->text_categories == 1)
        return orma_model_str(imp->model, e->category);
    return e->category_iids_num || e->text_categories ? join_categories(imp, e) : 0;
}

/* ---- states ---- */

static bool parser_error(struct orma_import_ctx *imp, const struct orma_item *item)
{
    orma_stats_inc(orma_model_stats(imp->model, item->machine),
                   ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
    return false;
}

static void commit_state(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    orma_storage_set_args(orma_model_table(imp->model, ORMA_TABLE_STATE), ORMA_STATE_ARG_SET_ID,
                          t->state.open,
                          orma_args_commit(&imp->model->storage->args, t->state.args));
}

static void close_state(struct orma_import_ctx *imp, struct orma_events_track *t, int64_t ts)
{
    struct orma_table *table = orma_model_table(imp->model, ORMA_TABLE_STATE);

    if (t->state.open == ORMA_ROW_NONE)
        return;
    orma_table_set(table, ORMA_STATE_DUR, t->state.open,
                   ts - orma_table_int(table, ORMA_STATE_TS, t->state.open));
    commit_state(imp, t);
    t->state.open = ORMA_ROW_NONE;
}

/* The list for the args of states of the track. False: memory is out. */
static bool need_state_args(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    if (t->state.args)
        return true;
    t->state.args = calloc(1, sizeof(*t->state.args));
    if (t->state.args && !ORMA_VEC_PUSH(&orma_events(imp)->with_states, t))
        return true;
    free(t->state.args);
    t->state.args = NULL;
    imp->model->storage->failed = true;
    return false;
}

static void open_state(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    struct orma_table *table = orma_model_table(imp->model, ORMA_TABLE_STATE);
    uint32_t row = orma_table_add(table);

    orma_table_set_time(table, ORMA_STATE_TS, row, e->item->ts);
    orma_table_set(table, ORMA_STATE_DUR, row, -1);
    orma_table_set(table, ORMA_STATE_TRACK_ID, row, e->t->track);
    orma_table_set(table, ORMA_STATE_CATEGORY, row, e->category_id);
    orma_table_set(table, ORMA_STATE_VALUE, row, e->name_id);
    e->t->state.open = row;
}

/* A value holds until another one comes, or an event without any. */
static void on_state(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    struct orma_table *table = orma_model_table(imp->model, ORMA_TABLE_STATE);
    struct orma_events_track *t = e->t;

    if (!t || t->kind != ORMA_EVENTS_STATE) {
        (void)parser_error(imp, e->item);
        return;
    }
    (void)orma_events_make_rows(imp, t, e->name_id, e->item->gen->seq); /* it is resolved */
    if (!e->name_id) {
        close_state(imp, t, e->item->ts);
        return;
    }
    if (!need_state_args(imp, t))
        return;
    bool goes_on = t->state.open != ORMA_ROW_NONE &&
                   orma_table_int(table, ORMA_STATE_VALUE, t->state.open) == e->name_id;
    if (!goes_on) {
        close_state(imp, t, e->item->ts);
        open_state(imp, e);
        orma_args_list_clear(t->state.args);
    }
    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, t->state.args, e, false);
}

/* ---- events ---- */

/* An event without a track of its own may be of the thread that writes the sequence, or of one that
 * it names itself. */
static bool is_on_thread(const struct orma_events_record *e, uint64_t uuid)
{
    bool known = e->item->gen->has_pid;

    return !uuid && (((!e->has.track || !e->has.type) && known) ||
                     (e->has.legacy && (e->legacy.has_pid || (e->legacy.has_tid && known))));
}

/* False: nonsense, drop it. */
static bool place(struct orma_import_ctx *imp, struct orma_events_record *e, uint64_t uuid)
{
    if (is_on_thread(e, uuid)) {
        if (e->type == ORMA_PB_TRACK_EVENT_TYPE_STATE || !orma_events_place_on_thread(imp, e))
            return parser_error(imp, e->item);
    } else {
        e->t = orma_events_find(imp, uuid, e->item->machine);
        if (!e->t || !orma_events_resolve_for_event(imp, e->t))
            return parser_error(imp, e->item);
        e->owner.utid = e->t->scope == ORMA_EVENTS_THREAD ? e->t->utid : ORMA_ID_NONE;
        e->owner.upid = e->t->upid;
        if (uuid && e->t->scope != ORMA_EVENTS_THREAD)
            orma_events_find_passthrough(imp, e);
    }
    return true;
}

/* True: nothing says what kind of event it is. */
static bool is_untyped(const struct orma_events_record *e)
{
    return e->type == ORMA_PB_TRACK_EVENT_TYPE_UNSPECIFIED &&
           !(e->has.legacy && e->legacy.has_phase);
}

static void parse_typed(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    switch (e->type) {
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN:
        orma_events_begin(imp, e, 0);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_SLICE_END:
        orma_events_end(imp, e);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_INSTANT:
        orma_events_whole(imp, e, 0, 0);
        break;
    case ORMA_PB_TRACK_EVENT_TYPE_STATE:
        on_state(imp, e);
        break;
    default:
        (void)parser_error(imp, e->item);
    }
}

/* What of a track event is in no table: a field that nobody knows, or one that has other bytes. */
static void tell_strays(struct orma_import_ctx *imp, uint32_t file, const char *msg,
                        uint32_t number, uint64_t count, int64_t at)
{
    if (imp->accounts)
        orma_account_strays(imp->accounts, imp->model, file, msg, number, count, at);
}

static void track_event_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_events_record e;

    if (ORMA_UNLIKELY(!item->gen))
        return;
    orma_events_read(item, &e);
    if (ORMA_UNLIKELY(e.malformed || e.unfit_id))
        tell_strays(imp, imp->reader ? imp->reader->file : 0,
                    e.malformed ? "perfetto.protos.TracePacket" : "perfetto.protos.TrackEvent",
                    e.malformed ? ORMA_PB_TRACE_PACKET_TRACK_EVENT : e.unfit_id, 1,
                    orma_import_item_offset(imp, item));
    bool has_track = e.has.track || item->gen->has_track;
    uint64_t uuid = e.has.track ? e.track_uuid : item->gen->track_uuid;

    if (e.type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER) {
        if (ORMA_UNLIKELY(imp->options->analyze_content))
            orma_port_content_event(imp, item, event_category(imp, &e), event_name(imp, &e));
        orma_events_counter(imp, &e, uuid, has_track);
        return;
    }
    if (ORMA_UNLIKELY(e.type == ORMA_PB_TRACK_EVENT_TYPE_STATE && !has_track)) {
        orma_model_log_read(
            imp->model, item->machine, ORMA_STAT_TRACK_EVENT_STATE_MISSING_TRACK_UUID,
            item->order + ORMA_ORDER_STEP, orma_import_item_offset(imp, item), NULL);
        return;
    }
    if (ORMA_UNLIKELY(e.has_extras && !orma_events_check_extras(imp, &e)))
        return;
    if (ORMA_UNLIKELY(is_untyped(&e))) {
        (void)parser_error(imp, item);
        return;
    }
    if (ORMA_UNLIKELY(e.has.legacy && e.legacy.phase == 'P'))
        orma_events_read_sample(imp, &e);
    e.name_id = event_name(imp, &e);
    e.category_id = event_category(imp, &e);
    orma_port_content_event(imp, item, e.category_id, e.name_id);
    if (!place(imp, &e, uuid))
        return;
    if (ORMA_UNLIKELY(e.has_thread_ns || e.has_instructions))
        orma_events_thread_counters(imp, &e);
    if (e.has_extras)
        orma_events_extra_counters(imp, &e);
    if (ORMA_LIKELY(!e.has.legacy || !e.legacy.has_phase))
        parse_typed(imp, &e);
    else if (orma_events_place_legacy(imp, &e))
        orma_events_parse_legacy(imp, &e);
}

static bool track_event_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    enum orma_stat bad = ORMA_STATS_NUM;

    if (ORMA_UNLIKELY(!ctx->seq->id))
        bad = ORMA_STAT_TRACK_EVENT_MISSING_SEQUENCE_ID;
    else if (ORMA_UNLIKELY(!ctx->p->has_timestamp || ctx->seq->tokenize_events))
        return orma_events_tokenize_legacy(imp, ctx);
    else if (ORMA_UNLIKELY(ctx->ts < 0))
        bad = ORMA_STAT_TRACK_EVENT_INVALID_TIMESTAMP;
    if (ORMA_LIKELY(bad == ORMA_STATS_NUM))
        return orma_events_is_cropped(imp, ctx->machine, ctx->ts);
    orma_model_log(imp->model, ctx->machine, bad, INT64_MIN, orma_import_packet_offset(imp, ctx),
                   NULL);
    return true;
}

/* False: it is of no use, which is counted. */
static bool thread_descriptor(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    if (ctx->seq->id && ctx->seq->valid)
        return orma_events_read_thread(imp, ctx, ctx->p->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    if (ctx->seq->id)
        orma_args_put_uint(args, orma_model_lit(imp->model, "packet_sequence_id"), ctx->seq->id);
    orma_model_log(imp->model, ctx->machine,
                   ctx->seq->id ? ORMA_STAT_THREAD_DESCRIPTOR_SKIPPED_INCREMENTAL_STATE_INVALID
                                : ORMA_STAT_THREAD_DESCRIPTOR_MISSING_SEQUENCE_ID,
                   INT64_MIN, orma_import_packet_offset(imp, ctx), args);
    return false;
}

static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    switch (ctx->p->field) {
    case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
        return track_event_tokenize(imp, ctx);
    case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
        return !orma_events_describe(imp, ctx);
    case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR:
        return !thread_descriptor(imp, ctx);
    case ORMA_PB_TRACE_PACKET_TRACK_EVENT_RANGE_OF_INTEREST:
        orma_events_read_range(imp, ctx->machine, ctx->p->payload);
        return true;
    }
    return false;
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (ORMA_LIKELY(item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT))
        track_event_parse(imp, item);
    else
        orma_events_parse_descriptor(imp, item);
}

static int by_number(const void *a, const void *b)
{
    const struct orma_map_slot *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

/* Fields of track events that no descriptor names: of those only the event was taken. */
static void note_unknown_fields(struct orma_import_ctx *imp)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SKIPPED_PACKET);
    struct orma_map *map = &orma_events(imp)->unknown_fields;
    struct orma_map_slot *sorted = map->len ? calloc(map->len, sizeof(*sorted)) : NULL;
    size_t num = 0;

    imp->model->storage->failed |= map->len && !sorted;
    ORMA_MAP_EACH (slot, map) {
        if (sorted)
            sorted[num++] = *slot;
    }
    if (num)
        qsort(sorted, num, sizeof(*sorted), by_number);
    for (size_t i = 0; i < num; i++) {
        const uint32_t number = (uint32_t)sorted[i].key;
        uint32_t row = orma_table_add(t);

        tell_strays(imp, (uint32_t)(sorted[i].key >> 32), "perfetto.protos.TrackEvent", number,
                    sorted[i].val, -1);
        orma_table_set(t, ORMA_SKIPPED_PACKET_FIELD, row, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
        orma_table_set(
            t, ORMA_SKIPPED_PACKET_NAME, row,
            orma_strpool_addf(&imp->model->storage->pool, "track_event.%u", (unsigned)number));
        orma_table_set(t, ORMA_SKIPPED_PACKET_PACKETS, row, (int64_t)sorted[i].val);
    }
    free(sorted);
}

static void finish(struct orma_import_ctx *imp)
{
    struct orma_events_state *st = orma_events(imp);

    for (uint32_t i = 0; i < st->with_states.len; i++)
        if (st->with_states.data[i]->state.open != ORMA_ROW_NONE)
            commit_state(imp, st->with_states.data[i]);
    note_unknown_fields(imp);
    orma_events_find_missing(imp);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_events_state *st = orma_events(imp);

    orma_events_forget_places(imp);
    orma_events_batch_free(st->batch);
    ORMA_VEC_FINI(&st->described);
    ORMA_VEC_FINI(&st->active);
    for (uint32_t i = 0; i < st->with_states.len; i++) {
        orma_args_list_fini(st->with_states.data[i]->state.args);
        free(st->with_states.data[i]->state.args);
    }
    ORMA_VEC_FINI(&st->with_states);
    orma_import_arrays_fini(&st->arrays);
    orma_map_fini(&st->unknown_fields);
    orma_map_fini(&st->by_uuid);
    orma_map_fini(&st->thread_uuids);
    orma_map_fini(&st->process_uuids);
    orma_args_list_fini(&st->args);
    orma_arena_fini(&st->arena);
}

static const uint16_t fields[] = {
    ORMA_PB_TRACE_PACKET_TRACK_EVENT,
    ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR,
    ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR,
    ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR,
    ORMA_PB_TRACE_PACKET_TRACK_EVENT_RANGE_OF_INTEREST,
    0,
};
const struct orma_importer orma_events_track_event_importer = {
    .name = "track_event",
    .fields = fields,
    .tokenize = tokenize,
    .parse = parse,
    .finish = finish,
    .fini = fini,
    .plain_field = ORMA_PB_TRACE_PACKET_TRACK_EVENT,
    .read_plain = orma_events_read_plain,
    .use_plain = orma_events_use_plain,
    .use_batch = orma_events_use_batch,
    .use_aside = orma_events_use_aside,
    .parse_plain = orma_events_parse_plain,
};

const struct orma_import_module orma_events_module = {.name = "events",
                                                      .state_size =
                                                          sizeof(struct orma_events_state),
                                                      .start = orma_events_start_places};
