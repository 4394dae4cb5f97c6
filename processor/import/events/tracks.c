/* Descriptors and the tracks they become. */
#include "processor/import/events/events.h"
#include "processor/model/async.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"

#define PARENTS_MAX 100

struct orma_events_state *orma_events_state(struct orma_import_ctx *imp)
{
    return orma_events(imp);
}

static struct orma_events_track blank(uint64_t uuid, uint16_t machine)
{
    return (struct orma_events_track){
        .uuid = uuid,
        .machine = machine,
        .track = ORMA_TRACK_NONE,
        .utid = ORMA_ID_NONE,
        .upid = ORMA_ID_NONE,
        .state.open = ORMA_ROW_NONE,
        .counter.multiplier = 1,
        .is_default = !uuid,
        .described = !uuid,
    };
}

struct orma_events_track *orma_events_find(struct orma_import_ctx *imp, uint64_t uuid,
                                           uint16_t machine)
{
    struct orma_events_state *st = orma_events_state(imp);
    uint32_t trace = imp->model->trace_row;

    if (ORMA_LIKELY(st && st->last && st->last->uuid == uuid && st->last->trace == trace &&
                    st->last->machine == machine))
        return st->last;
    uint64_t key = orma_events_key(trace, machine, uuid);
    struct orma_events_track *t = st ? orma_map_get_ptr(&st->by_uuid, key) : NULL;
    if (t || !st) {
        if (st)
            st->last = t;
        return t;
    }
    t = orma_arena_alloc(&st->arena, sizeof(*t));
    if (!t || orma_map_put_ptr(&st->by_uuid, key, t)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    *t = blank(uuid, machine);
    t->trace = trace;
    return t;
}

/* ---- reading ---- */

static void read_counter(struct orma_import_ctx *imp, struct orma_events_track *t,
                         struct orma_str bytes)
{
    const struct orma_known_strings *known = &imp->model->known;
    const uint32_t units[] = {[ORMA_PB_COUNTER_DESCRIPTOR_UNIT_TIME_NS] = known->ns,
                              [ORMA_PB_COUNTER_DESCRIPTOR_UNIT_COUNT] = known->count,
                              [ORMA_PB_COUNTER_DESCRIPTOR_UNIT_SIZE_BYTES] = known->bytes};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_buf categories = {0};
    uint32_t unit = 0, unit_name = 0;

    t->kind = ORMA_EVENTS_COUNTER;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_COUNTER_DESCRIPTOR_TYPE:
            t->counter.builtin = orma_pb_u32(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_CATEGORIES:
            if (categories.len)
                orma_buf_put_byte(&categories, ',');
            orma_buf_put(&categories, f.data, f.len);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT:
            unit = orma_pb_u64(&f) < ORMA_ARRAY_LEN(units) ? units[orma_pb_u64(&f)] : unit;
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_NAME:
            unit_name = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER:
            if (orma_pb_i64(&f) > 0)
                t->counter.multiplier = orma_pb_i64(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL:
            t->counter.incremental = orma_pb_bool(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_Y_AXIS_SHARE_KEY:
            t->counter.share_key = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        }
    }
    t->counter.unit = unit ? unit : unit_name;
    if (categories.len)
        t->category = orma_model_str(imp->model, orma_buf_str(&categories));
    imp->model->storage->failed |= categories.failed;
    orma_buf_fini(&categories);
    if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS)
        t->counter.unit = known->ns;
    else if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT)
        t->counter.unit = known->count;
}

static void read_pids(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes,
                      uint32_t pid_field, uint32_t tid_field, bool *has_pid, uint32_t *pid,
                      bool *has_tid, uint32_t *tid)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == pid_field) {
            *pid = orma_pb_u32(&f);
            *has_pid = true;
        } else if (f.id == tid_field && tid_field) {
            *tid = orma_events_tid(imp, machine, orma_pb_i64(&f));
            *has_tid = true;
        }
    }
}

/* Counted, and logged with the place of the packet. */
static void refuse(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                   enum orma_stat stat)
{
    orma_model_log(imp->model, ctx->machine, stat, INT64_MIN, orma_import_packet_offset(imp, ctx),
                   NULL);
}

/* False: it does not say which thread. */
static bool read_thread_scope(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                              struct orma_events_track *t, struct orma_str bytes)
{
    bool has_pid = false, has_tid = false;

    read_pids(imp, ctx->machine, bytes, ORMA_PB_THREAD_DESCRIPTOR_PID,
              ORMA_PB_THREAD_DESCRIPTOR_TID, &has_pid, &t->pid, &has_tid, &t->tid);
    t->has_thread = has_pid && has_tid;
    if (!t->has_thread)
        refuse(imp, ctx, ORMA_STAT_TRACK_DESCRIPTOR_THREAD_MISSING_PID_TID);
    else if (ctx->seq->valid) /* the thread that writes this sequence */
        orma_events_read_thread(imp, ctx, bytes);
    return t->has_thread;
}

static bool read_process_scope(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                               struct orma_events_track *t, struct orma_str bytes)
{
    bool has_pid = false;

    read_pids(imp, ctx->machine, bytes, ORMA_PB_PROCESS_DESCRIPTOR_PID, 0, &has_pid, &t->pid, NULL,
              NULL);
    t->has_process = has_pid;
    if (!has_pid)
        refuse(imp, ctx, ORMA_STAT_TRACK_DESCRIPTOR_PROCESS_MISSING_PID);
    return has_pid;
}

static void read_ordering(struct orma_import_ctx *imp, struct orma_events_track *t, uint64_t val)
{
    switch (val) {
    case ORMA_PB_TRACK_DESCRIPTOR_LEXICOGRAPHIC:
        t->ranks.child_ordering = imp->model->known.lexicographic;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_CHRONOLOGICAL:
        t->ranks.child_ordering = imp->model->known.chronological;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_EXPLICIT:
        t->ranks.child_ordering = imp->model->known.explicit_;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_UNKNOWN:
        break;
    default:
        orma_stats_inc(orma_model_stats(imp->model, t->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_INVALID_CHILD_ORDERING);
    }
}

/* What a descriptor says of merging: by name (0), by a key, or not at all. */
struct merging {
    uint32_t behavior, key;
    bool has_key, has_number;
    uint64_t number;
};

static void read_merging(struct orma_import_ctx *imp, const struct orma_pb_field *f,
                         struct merging *m)
{
    switch (f->id) {
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR:
        m->behavior = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY:
        m->has_key = true;
        m->key = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY_INT:
        m->has_number = true;
        m->number = orma_pb_u64(f);
        break;
    }
}

static void take_merging(struct orma_import_ctx *imp, struct orma_events_track *t,
                         const struct merging *m)
{
    t->merging.by = ORMA_EVENTS_MERGE_BY_NAME;
    if (m->behavior == ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE)
        t->merging.by = ORMA_EVENTS_MERGE_NOT;
    else if (m->behavior == ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY)
        t->merging.by = ORMA_EVENTS_MERGE_BY_KEY;
    if (t->merging.by != ORMA_EVENTS_MERGE_BY_KEY)
        return;
    t->merging.key = m->key;
    if (!m->has_key && m->has_number)
        t->merging.key = orma_strpool_addf(&imp->model->storage->pool, "sibling_merge_key_int:%llu",
                                           (unsigned long long)m->number);
}

/* What it says of itself; the rest is in `ret_scope` and `ret_merging`. */
static void read_field(struct orma_import_ctx *imp, struct orma_events_track *t,
                       const struct orma_pb_field *f, uint32_t ret_names[3])
{
    switch (f->id) {
    case ORMA_PB_TRACK_DESCRIPTOR_NAME:
        ret_names[0] = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_STATIC_NAME:
        ret_names[1] = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_ATRACE_NAME:
        ret_names[2] = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID:
        t->parent_uuid = orma_pb_u64(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_DISALLOW_MERGING_WITH_SYSTEM_TRACKS:
        t->no_system_merge = orma_pb_bool(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_CHILD_ORDERING:
        read_ordering(imp, t, orma_pb_u64(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_ORDER_RANK:
        t->ranks.has_rank = true;
        t->ranks.rank = orma_pb_i32(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_DESCRIPTION:
        t->description = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_PROCESS_ORDERING:
        t->ranks.of_processes =
            orma_pb_u64(f) == ORMA_PB_TRACK_DESCRIPTOR_PROCESS_ORDERING_EXPLICIT;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_THREAD_ORDERING:
        t->ranks.of_threads = orma_pb_u64(f) == ORMA_PB_TRACK_DESCRIPTOR_THREAD_ORDERING_EXPLICIT;
        break;
    }
}

/* False: the descriptor is of no use, which is counted. */
static bool read_descriptor(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                            struct orma_events_track *t)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f, thread = {0}, process = {0}, counter = {0}, state = {0};
    struct merging merging = {0};
    uint32_t names[3] = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_THREAD)
            thread = f;
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_PROCESS)
            process = f;
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_COUNTER)
            counter = f;
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_STATE)
            state = f;
        read_merging(imp, &f, &merging);
        read_field(imp, t, &f, names);
    }
    t->name = names[0] ? names[0] : names[1] ? names[1] : names[2];
    take_merging(imp, t, &merging);
    if (thread.id && !read_thread_scope(imp, ctx, t, orma_pb_str(&thread)))
        return false;
    if (!thread.id && process.id && !read_process_scope(imp, ctx, t, orma_pb_str(&process)))
        return false;
    if (counter.id)
        read_counter(imp, t, orma_pb_str(&counter));
    else if (state.id)
        t->kind = ORMA_EVENTS_STATE;
    return true;
}

/* What says which track it is: a later descriptor must say the same. */
static bool is_same(const struct orma_events_track *a, const struct orma_events_track *b)
{
    return a->parent_uuid == b->parent_uuid && a->has_process == b->has_process &&
           a->has_thread == b->has_thread && a->pid == b->pid && a->tid == b->tid &&
           a->kind == b->kind && a->merging.by == b->merging.by &&
           a->merging.key == b->merging.key && a->category == b->category &&
           a->counter.multiplier == b->counter.multiplier &&
           a->counter.incremental == b->counter.incremental &&
           a->counter.builtin == b->counter.builtin && a->counter.share_key == b->counter.share_key;
}

/* The first name stays, unless the track merges with no other. */
static void take_name(struct orma_import_ctx *imp, struct orma_events_track *t, uint32_t name)
{
    bool alone = t->merging.by == ORMA_EVENTS_MERGE_NOT;

    if (!name || (t->name && !alone))
        return;
    t->name = name;
    if (t->has_rows && alone && t->track != ORMA_TRACK_NONE)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_TRACK), ORMA_TRACK_NAME, t->track,
                       name);
}

/* The first word counts; what is said again must be the same. */
static void take(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                 struct orma_events_track *t, const struct orma_events_track *said)
{
    if (!t->reserved) {
        const uint32_t trace = t->trace;

        *t = *said;
        t->trace = trace;
        t->order = ctx->order;
        t->described = t->reserved = true;
        if (t->counter.incremental) {
            orma_events_state(imp)->any_incremental = true;
            if (imp->reader)
                imp->reader->watches_order = true;
        }
    } else if (is_same(t, said)) {
        take_name(imp, t, said->name);
    } else {
        ORMA_MODEL_ARGS(args, imp->model);
        orma_args_put_uint(args, imp->model->known.track_uuid, t->uuid);
        orma_model_log(imp->model, ctx->machine, ORMA_STAT_TRACK_DESCRIPTOR_CONFLICTING_RESERVATION,
                       INT64_MIN, -1, args);
    }
}

bool orma_events_describe(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    uint64_t uuid = 0;
    bool has_uuid = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID) {
            uuid = orma_pb_u64(&f);
            has_uuid = true;
        }
    }
    if (!has_uuid) {
        refuse(imp, ctx, ORMA_STAT_TRACK_DESCRIPTOR_MISSING_UUID);
        return false;
    }
    struct orma_events_track said = blank(uuid, ctx->machine);
    if (!read_descriptor(imp, ctx, &said))
        return false;
    if (!uuid && said.parent_uuid) {
        refuse(imp, ctx, ORMA_STAT_TRACK_DESCRIPTOR_DEFAULT_TRACK_WITH_PARENT);
        return true;
    }
    if (ctx->seq->has_pid)
        said.trusted_pid = ctx->seq->pid;
    struct orma_events_track *t = orma_events_find(imp, uuid, ctx->machine);
    if (t)
        take(imp, ctx, t, &said);
    return true;
}

/* ---- resolving ---- */

/* A program in a pid namespace knows its inner ids only; the service told the outer one. */
static void outer_ids(struct orma_import_ctx *imp, const struct orma_events_track *t,
                      uint32_t *ret_pid, uint32_t *ret_tid)
{
    const struct orma_processes *procs = orma_model_processes(imp->model, t->machine);
    uint32_t id = t->has_thread ? t->tid : t->pid;
    uint32_t outer =
        t->trusted_pid ? orma_processes_outer(procs, t->trusted_pid, id) : ORMA_ID_NONE;

    /* Of a thread that nobody looked at, the process is known. */
    const bool in_namespace =
        outer != ORMA_ID_NONE ||
        (t->trusted_pid && t->trusted_pid != t->pid &&
         orma_processes_outer(procs, t->trusted_pid, t->pid) == t->trusted_pid);

    *ret_pid = in_namespace ? t->trusted_pid : t->pid;
    *ret_tid = outer == ORMA_ID_NONE ? t->tid : outer;
}

static void start_thread(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    struct orma_events_state *st = orma_events_state(imp);
    struct orma_processes *procs = orma_model_processes(imp->model, t->machine);
    uint32_t pid, tid;

    outer_ids(imp, t, &pid, &tid);
    uint32_t utid = orma_processes_thread_of(procs, tid, pid);
    uint64_t owner = orma_map_get(&st->thread_uuids, utid);

    if (owner != ORMA_MAP_NONE && owner != t->uuid) { /* another thread under the same tid */
        (void)orma_processes_start_thread(procs, INT64_MIN, tid);
        utid = orma_processes_thread_of(procs, tid, pid);
    }
    /* That uuid is no value of a map: its thread is nobody's. */
    if (t->uuid != ORMA_MAP_NONE && orma_map_put(&st->thread_uuids, utid, t->uuid))
        imp->model->storage->failed = true;
    t->scope = ORMA_EVENTS_THREAD;
    t->utid = utid;
    t->upid = orma_processes_upid(procs, utid);
}

static void start_process(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    struct orma_events_state *st = orma_events_state(imp);
    struct orma_processes *procs = orma_model_processes(imp->model, t->machine);
    uint32_t pid, tid;

    outer_ids(imp, t, &pid, &tid);
    uint32_t upid = orma_processes_process(procs, pid);
    uint64_t owner = orma_map_get(&st->process_uuids, upid);

    if (owner != ORMA_MAP_NONE && owner != t->uuid)
        upid = orma_processes_start(procs, INT64_MIN, ORMA_ID_NONE, pid, 0, ORMA_THREAD_NAME_OTHER);
    if (t->uuid != ORMA_MAP_NONE && orma_map_put(&st->process_uuids, upid, t->uuid))
        imp->model->storage->failed = true;
    t->scope = ORMA_EVENTS_PROCESS;
    t->upid = upid;
}

uint32_t orma_events_builtin_name(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS)
        return imp->model->known.thread_time;
    if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT)
        return imp->model->known.thread_instruction_count;
    return 0;
}

static void source_args(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    struct orma_events_state *st = orma_events_state(imp);
    struct orma_args_list *a = &st->args;

    orma_args_list_clear(a);
    orma_args_put_str(a, imp->model->known.source, imp->model->known.descriptor);
    orma_args_put_int(a, imp->model->known.trace_id, (int64_t)t->uuid);
    orma_args_put_bool(a, imp->model->known.is_root_in_scope, t->is_root);
    if (t->category)
        orma_args_put_str(a, imp->model->known.category, t->category);
    if (orma_events_builtin_name(imp, t))
        orma_args_put_str(a, imp->model->known.builtin_counter_type,
                          orma_events_builtin_name(imp, t));
    if (t->counter.share_key)
        orma_args_put_str(a, imp->model->known.y_axis_share_key, t->counter.share_key);
    if (t->saw_first)
        orma_args_put_bool(a, imp->model->known.has_first_packet_on_sequence, true);
    if (t->ranks.child_ordering)
        orma_args_put_str(a, imp->model->known.child_ordering, t->ranks.child_ordering);
    if (t->ranks.has_rank)
        orma_args_put_int(a, imp->model->known.sibling_order_rank, t->ranks.rank);
    if (t->description)
        orma_args_put_str(a, imp->model->known.description, t->description);
}

static unsigned scope_dim(struct orma_import_ctx *imp, const struct orma_events_track *t,
                          struct orma_track_dim *ret)
{
    if (t->scope == ORMA_EVENTS_GLOBAL)
        return 0;
    *ret = t->scope == ORMA_EVENTS_THREAD ? orma_dim(imp->model->known.utid, t->utid)
                                          : orma_dim(imp->model->known.upid, t->upid);
    return 1;
}

/* The row of the parent, when that is a track of its own: neither of the two is the root of a
 * scope.
 */
static uint32_t parent_row(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    struct orma_events_track *p;

    if (!t->parent_uuid || t->has_process || t->has_thread)
        return ORMA_TRACK_NONE;
    p = orma_events_find(imp, t->parent_uuid, t->machine);
    if (!p || p->has_process || p->has_thread)
        return ORMA_TRACK_NONE;
    if (p->group)
        return p->group->num ? p->group->lanes[0].track : ORMA_TRACK_NONE;
    return p->track;
}

static const char *const plain_types[3][3] = {
    [ORMA_EVENTS_GLOBAL] = {"global_track_event", "global_counter_track_event",
                            "global_state_track_event"},
    [ORMA_EVENTS_PROCESS] = {"process_track_event", "process_counter_track_event",
                             "process_state_track_event"},
    [ORMA_EVENTS_THREAD] = {"thread_track_event", "thread_counter_track_event",
                            "thread_state_track_event"},
};
static const enum orma_track_event events[] = {ORMA_TRACK_SLICES, ORMA_TRACK_COUNTER,
                                               ORMA_TRACK_STATES};

static uint32_t make_plain(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    struct orma_track_spec spec = {
        .type = plain_types[t->scope][t->kind],
        .event = events[t->kind],
        .machine = t->machine,
        .name = t->name,
        .unit = t->counter.unit,
        .parent = parent_row(imp, t),
        .source_args = &orma_events_state(imp)->args,
    };

    spec.dims_num = scope_dim(imp, t, spec.dims);
    spec.dims[spec.dims_num++] = orma_dim(imp->model->known.track_uuid, (int64_t)t->uuid);
    source_args(imp, t);
    return orma_tracks_get(&imp->model->tracks, &spec);
}

static uint32_t make_thread_track(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    const struct orma_track_spec spec = {.type = "thread_execution",
                                         .event = ORMA_TRACK_SLICES,
                                         .machine = t->machine,
                                         .dims_num = 1,
                                         .dims = {orma_dim(imp->model->known.utid, t->utid)},
                                         .parent = ORMA_TRACK_NONE};

    return orma_tracks_get(&imp->model->tracks, &spec);
}

/* The identity of the siblings that merge with this track. The description is of `t`. */
static void merged_spec(struct orma_import_ctx *imp, const struct orma_events_track *t,
                        struct orma_track_spec *ret)
{
    static const char *const types[] = {"global_merged_track_event", "process_merged_track_event",
                                        "thread_merged_track_event"};
    bool by_key = t->merging.by == ORMA_EVENTS_MERGE_BY_KEY;

    *ret = (struct orma_track_spec){
        .type = types[t->scope],
        .event = ORMA_TRACK_SLICES,
        .machine = t->machine,
        .name = t->name,
        .parent = parent_row(imp, t),
        .source_args = &orma_events_state(imp)->args,
    };
    ret->dims_num = scope_dim(imp, t, ret->dims);
    ret->dims[ret->dims_num++] =
        orma_dim(imp->model->known.parent_track_uuid, (int64_t)t->parent_uuid);
    ret->dims[ret->dims_num++] = orma_dim(imp->model->known.merge_key_type, by_key ? 2 : 0);
    ret->dims[ret->dims_num++] =
        orma_dim_str(imp->model->known.merge_key_value, by_key ? t->merging.key : t->name);
    source_args(imp, t);
}

static struct orma_lane *add_lane(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    struct orma_track_spec spec;

    merged_spec(imp, t, &spec);
    return orma_lanes_add(imp->model, t->group, &spec);
}

static void find_group(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    struct orma_track_spec spec;

    merged_spec(imp, t, &spec);
    t->group = orma_lanes_get(imp->model, &spec);
    if (t->group && !t->group->num)
        (void)add_lane(imp, t);
}

bool orma_events_merges(const struct orma_events_track *t)
{
    return t->kind == ORMA_EVENTS_SLICES && !t->has_process && !t->has_thread &&
           t->merging.by != ORMA_EVENTS_MERGE_NOT;
}

static void make_rows(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    if (orma_events_merges(t))
        find_group(imp, t);
    else if (t->kind == ORMA_EVENTS_SLICES && t->has_thread && !t->no_system_merge)
        t->track = make_thread_track(imp, t);
    else
        t->track = make_plain(imp, t);
}

/* Counts that the way up from a track is broken, and notes for which track it was gone. */
static void hierarchy_error(struct orma_import_ctx *imp, const struct orma_events_track *t,
                            enum orma_stat stat)
{
    struct orma_args_list *args = &orma_events_state(imp)->args;

    orma_args_list_clear(args);
    orma_args_put_uint(args, imp->model->known.track_uuid, t->uuid);
    orma_model_log(imp->model, t->machine, stat, INT64_MIN, -1, args);
}

/* What the default track says of the order of processes and threads. */
static void put_hint(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    const struct orma_events_track *root =
        orma_map_get_ptr(&orma_events(imp)->by_uuid, orma_events_key(t->trace, t->machine, 0));

    if (!root || !t->ranks.has_rank)
        return;
    ORMA_MODEL_ARGS(args, imp->model);
    if (t->has_thread && root->ranks.of_threads) {
        orma_args_put_int(args, orma_model_lit(imp->model, "thread_sort_index_hint"),
                          t->ranks.rank);
        orma_model_add_args(imp->model, ORMA_TABLE_THREAD, ORMA_THREAD_ARG_SET_ID, t->utid, args);
    } else if (t->has_process && root->ranks.of_processes) {
        orma_args_put_int(args, orma_model_lit(imp->model, "process_sort_index_hint"),
                          t->ranks.rank);
        orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, t->upid, args);
    }
}

/* Of a track whose parent is resolved. */
static void settle(struct orma_import_ctx *imp, struct orma_events_track *t,
                   const struct orma_events_track *parent)
{
    t->resolved = true;
    if (t->has_thread)
        start_thread(imp, t);
    else if (t->has_process)
        start_process(imp, t);
    else if (parent) {
        t->scope = parent->scope;
        t->utid = parent->utid;
        t->upid = parent->upid;
    }
    t->is_root = t->has_thread || t->has_process || (!parent && t->is_default);
    put_hint(imp, t);
}

/* A way up that is broken is tried again by the next who asks. */
static bool resolve(struct orma_import_ctx *imp, struct orma_events_track *t,
                    const struct orma_events_track *asked, unsigned depth)
{
    struct orma_events_track *parent = NULL;

    if (t->resolved)
        return true;
    if (t->parent_uuid) {
        parent = orma_events_find(imp, t->parent_uuid, t->machine);
        if (!parent)
            return false;
        t->resolving = true;
        bool missing = !parent->described, loop = parent->resolving, deep = depth >= PARENTS_MAX;
        if (missing || loop || deep)
            hierarchy_error(imp, asked,
                            missing ? ORMA_STAT_TRACK_HIERARCHY_MISSING_UUID
                            : loop  ? ORMA_STAT_TRACK_EVENT_TRACK_HIERARCHY_LOOP
                                    : ORMA_STAT_TRACK_EVENT_TRACK_HIERARCHY_TOO_DEEP);
        bool good = !missing && !loop && !deep && resolve(imp, parent, asked, depth + 1);
        t->resolving = false;
        if (!good)
            return false;
    }
    settle(imp, t, parent);
    return true;
}

bool orma_events_resolve(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    return ORMA_LIKELY(t->resolved) || resolve(imp, t, t, 0);
}

/* As its first event makes it: a track without a name has that of the event. */
static uint32_t row_name(struct orma_import_ctx *imp, const struct orma_events_track *t,
                         uint32_t name)
{
    if (t->name)
        return t->name;
    if (t->kind == ORMA_EVENTS_COUNTER)
        return orma_events_builtin_name(imp, t);
    if (t->has_process || t->has_thread)
        return 0;
    return t->is_default && !t->reserved ? imp->model->known.default_track : name;
}

bool orma_events_resolve_for_event(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    t->described = true; /* from here on, if nothing did */
    return orma_events_resolve(imp, t);
}

/* The parent that gets its rows before the track does; NULL: none needs any. */
static struct orma_events_track *parent_without_rows(struct orma_import_ctx *imp,
                                                     const struct orma_events_track *t)
{
    struct orma_events_track *parent =
        t->parent_uuid ? orma_events_find(imp, t->parent_uuid, t->machine) : NULL;

    /* Resolving has shown that the way up ends. */
    return parent && parent->resolved && !parent->has_rows ? parent : NULL;
}

bool orma_events_make_rows(struct orma_import_ctx *imp, struct orma_events_track *t, uint32_t name,
                           const struct orma_seq *seq)
{
    struct orma_events_track *top = t, *parent;

    if (ORMA_LIKELY(t->has_rows))
        return true;
    if (!orma_events_resolve_for_event(imp, t))
        return false;
    /* Up, and down again: the way is as long as the file wants, and no stack is. */
    for (t->below = NULL;; top = parent) {
        top->described = top->has_rows = true;
        top->saw_first = !top->is_default && seq->saw_first;
        parent = parent_without_rows(imp, top);
        if (!parent)
            break;
        parent->below = top;
    }
    for (; top; top = top->below) {
        top->name = row_name(imp, top, top == t ? name : 0);
        top->reserved = true;
        make_rows(imp, top);
    }
    return true;
}

/* ---- rows of merged tracks ---- */

/* The lane of a merged track for what happens at `ts`; NULL when memory is out. */
static struct orma_lane *lane_at(struct orma_import_ctx *imp, struct orma_events_track *t,
                                 int64_t ts)
{
    struct orma_lane *lane = orma_lanes_find(t->group, t->uuid, ts);

    return lane ? lane : add_lane(imp, t);
}

uint32_t orma_events_begin_track(struct orma_import_ctx *imp, struct orma_events_track *t,
                                 int64_t ts)
{
    if (ORMA_LIKELY(!t->group))
        return t->track;
    struct orma_lane *lane = lane_at(imp, t, ts);
    if (!lane)
        return ORMA_TRACK_NONE;
    orma_lanes_take(imp->model, t->group, lane, t->uuid);
    lane->open++;
    return lane->track;
}

/* An end without a begin closes nothing of others: it gets a lane as if it were one. */
uint32_t orma_events_end_track(struct orma_import_ctx *imp, struct orma_events_track *t, int64_t ts)
{
    if (ORMA_LIKELY(!t->group))
        return t->track;
    struct orma_lane *lane = lane_at(imp, t, ts);
    if (!lane)
        return ORMA_TRACK_NONE;
    orma_lanes_take(imp->model, t->group, lane, t->uuid);
    orma_lanes_end(t->group, lane);
    return lane->track;
}

uint32_t orma_events_instant_track(struct orma_import_ctx *imp, struct orma_events_track *t,
                                   int64_t ts, int64_t dur)
{
    if (ORMA_LIKELY(!t->group))
        return t->track;
    struct orma_lane *lane = lane_at(imp, t, ts);
    if (!lane)
        return ORMA_TRACK_NONE;
    if (!lane->open)
        lane->busy_to = orma_slice_end(ts, dur);
    return lane->track;
}
