/* Other sessions of the service while this trace was recorded: states, one track per session. */
#include "processor/import/trace/trace.h"
#include "protos/fields/trace.h"

struct orma_trace_sessions {
    struct orma_map by_id; /* → row of the open state, or ORMA_ROW_NONE */
};

static const char *const states[] = {
    [ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLED] = "DISABLED",
    [ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CONFIGURED] = "CONFIGURED",
    [ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_STARTED] = "STARTED",
    [ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLING_WAITING_STOP_ACKS] =
        "DISABLING_WAITING_STOP_ACKS",
    [ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CLONED_READ_ONLY] = "CLONED_READ_ONLY",
};

struct event {
    uint64_t id, state;
    struct orma_str name;
    uint64_t uid, sources;
    bool has_uid, has_sources;
};

static struct event read_event(const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct event e = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CONCURRENT_SESSION_EVENT_STATE:
            e.state = orma_pb_u64(&f);
            break;
        case ORMA_PB_CONCURRENT_SESSION_EVENT_SESSION_NAME:
            e.name = orma_pb_str(&f);
            break;
        case ORMA_PB_CONCURRENT_SESSION_EVENT_SESSION_ID:
            e.id = orma_pb_u64(&f);
            break;
        case ORMA_PB_CONCURRENT_SESSION_EVENT_CONSUMER_UID:
            e.uid = orma_pb_u64(&f);
            e.has_uid = true;
            break;
        case ORMA_PB_CONCURRENT_SESSION_EVENT_NUM_DATA_SOURCES:
            e.sources = orma_pb_u64(&f);
            e.has_sources = true;
            break;
        }
    }
    return e;
}

/* Its name, with a mark if the session is a clone. */
static uint32_t name_of(struct orma_import_ctx *imp, const struct event *e)
{
    struct orma_strpool *pool = &imp->model->storage->pool;
    const char *mark =
        e->state == ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CLONED_READ_ONLY ? " (clone)" : "";

    return e->name.len ? orma_strpool_addf(pool, "%.*s%s", ORMA_STR_ARG(e->name), mark)
                       : orma_strpool_addf(pool, "Session %llu%s", (unsigned long long)e->id, mark);
}

static uint32_t track_of(struct orma_import_ctx *imp, uint16_t machine, const struct event *e)
{
    struct orma_track_spec spec = {
        .type = "concurrent_tracing_sessions",
        .event = ORMA_TRACK_STATES,
        .machine = machine,
        .dims_num = 1,
        .dims = {orma_dim(orma_model_lit(imp->model, "session_id"), (int64_t)e->id)},
        .name = name_of(imp, e),
        .parent = ORMA_TRACK_NONE,
    };

    return orma_tracks_get(&imp->model->tracks, &spec);
}

/* A session that is over has a mark, no state that lasts. */
static void sessions_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_trace_sessions *st =
        orma_model_lazy(imp->model, (void **)&orma_trace(imp)->sessions, sizeof(*st));
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_STATE);
    struct event e = read_event(item);

    if (!st)
        return;
    if (e.state >= ORMA_ARRAY_LEN(states) || !states[e.state]) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_CONCURRENT_SESSION_EVENT_UNKNOWN_STATE);
        return;
    }
    uint64_t key = (uint64_t)item->machine << 48 ^ e.id;
    uint64_t open = orma_map_take(&st->by_id, key);
    if (open != ORMA_MAP_NONE)
        orma_table_set(t, ORMA_STATE_DUR, (uint32_t)open,
                       item->ts - orma_table_int(t, ORMA_STATE_TS, (uint32_t)open));
    bool over = e.state == ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLED;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_STATE_TS, row, item->ts);
    orma_table_set(t, ORMA_STATE_DUR, row, over ? 0 : -1);
    orma_table_set(t, ORMA_STATE_TRACK_ID, row, track_of(imp, item->machine, &e));
    orma_table_set(t, ORMA_STATE_VALUE, row, orma_model_cstr(imp->model, states[e.state]));
    ORMA_MODEL_ARGS(args, imp->model);
    if (e.has_uid)
        orma_args_put_int(args, orma_model_lit(imp->model, "consumer_uid"), (int64_t)e.uid);
    if (e.has_sources)
        orma_args_put_uint(args, orma_model_lit(imp->model, "num_data_sources"), e.sources);
    orma_storage_set_args(t, ORMA_STATE_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
    if (!over && row != ORMA_ROW_NONE && orma_map_put(&st->by_id, key, row))
        imp->model->storage->failed = true;
}

static void sessions_fini(struct orma_import_ctx *imp)
{
    struct orma_trace_sessions *st = orma_trace(imp)->sessions;

    if (st)
        orma_map_fini(&st->by_id);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_CONCURRENT_SESSION_EVENT, 0};
const struct orma_importer orma_trace_sessions_importer = {
    .name = "sessions", .fields = fields, .parse = sessions_parse, .fini = sessions_fini};
