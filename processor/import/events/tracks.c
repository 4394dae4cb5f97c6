/* Descriptors and the tracks they become. */
#include "processor/import/events/events.h"
#include "processor/model/async.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"

#define PARENTS_MAX 100

struct orma_events_state *orma_events_state(struct orma_import_ctx *imp)
{
    return orma_events(imp);
}

struct orma_events_track *orma_events_find(struct orma_import_ctx *imp, uint64_t uuid,
                                           uint16_t machine)
{
    struct orma_events_state *st = orma_events_state(imp);
    uint32_t trace = imp->model->trace_row;

    if (ORMA_LIKELY(st && st->last && st->last->uuid == uuid && st->last->trace == trace))
        return st->last;
    uint64_t key = uuid ^ (trace ? orma_mix64(trace) : 0);
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
    *t = (struct orma_events_track){
        .uuid = uuid,
        .trace = trace,
        .machine = machine,
        .track = ORMA_TRACK_NONE,
        .utid = ORMA_ID_NONE,
        .upid = ORMA_ID_NONE,
        .open_state = ORMA_ROW_NONE,
        .multiplier = 1,
    };
    if (!uuid) {
        t->name = imp->model->known.default_track;
        t->described = t->is_default = true;
    }
    return t;
}

/* ---- reading ---- */

static void read_counter(struct orma_import_ctx *imp, struct orma_events_track *t,
                         struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_buf categories = {0};

    t->kind = ORMA_EVENTS_COUNTER;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_COUNTER_DESCRIPTOR_TYPE:
            t->builtin = orma_pb_u32(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_CATEGORIES:
            if (categories.len)
                orma_buf_put_byte(&categories, ',');
            orma_buf_put(&categories, f.data, f.len);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT:
            t->unit =
                orma_pb_u64(&f) == ORMA_PB_COUNTER_DESCRIPTOR_UNIT_TIME_NS ? imp->model->known.ns
                : orma_pb_u64(&f) == ORMA_PB_COUNTER_DESCRIPTOR_UNIT_COUNT ? imp->model->known.count
                : orma_pb_u64(&f) == ORMA_PB_COUNTER_DESCRIPTOR_UNIT_SIZE_BYTES
                    ? imp->model->known.bytes
                    : t->unit;
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_NAME:
            t->unit = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER:
            if (orma_pb_i64(&f) > 0)
                t->multiplier = orma_pb_i64(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL:
            t->incremental = orma_pb_bool(&f);
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_Y_AXIS_SHARE_KEY:
            t->share_key = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        }
    }
    if (categories.len)
        t->category = orma_model_str(imp->model, orma_buf_str(&categories));
    imp->model->storage->failed |= categories.failed;
    orma_buf_fini(&categories);
    if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS) {
        t->unit = imp->model->known.ns;
        t->name = orma_model_lit(imp->model, "thread_time");
    } else if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT) {
        t->unit = imp->model->known.count;
        t->name = imp->model->known.thread_instruction_count;
    }
    if (t->incremental)
        orma_events_state(imp)->any_incremental = true;
}

static void read_pids(struct orma_str bytes, uint32_t pid_field, uint32_t tid_field, bool *has_pid,
                      uint32_t *pid, bool *has_tid, uint32_t *tid)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == pid_field) {
            *pid = orma_pb_u32(&f);
            *has_pid = true;
        } else if (f.id == tid_field && tid_field) {
            *tid = orma_pb_u32(&f);
            *has_tid = true;
        }
    }
}

/* False, and counted: it does not say which process or thread. */
static bool read_scope(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                       struct orma_events_track *t, const struct orma_pb_field *f)
{
    bool has_pid = false, has_tid = false;

    if (f->id == ORMA_PB_TRACK_DESCRIPTOR_PROCESS) {
        read_pids(orma_pb_str(f), ORMA_PB_PROCESS_DESCRIPTOR_PID, 0, &has_pid, &t->pid, NULL, NULL);
        t->has_process = has_pid;
        if (!has_pid)
            orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                           ORMA_STAT_TRACK_DESCRIPTOR_PROCESS_MISSING_PID);
        return has_pid;
    }
    read_pids(orma_pb_str(f), ORMA_PB_THREAD_DESCRIPTOR_PID, ORMA_PB_THREAD_DESCRIPTOR_TID,
              &has_pid, &t->pid, &has_tid, &t->tid);
    t->has_thread = has_pid && has_tid;
    if (!t->has_thread) {
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_THREAD_MISSING_PID_TID);
    } else if (ctx->seq->valid) { /* the thread that writes this sequence */
        orma_events_read_thread(imp, ctx->seq, orma_pb_str(f));
    }
    return t->has_thread;
}

static void read_ordering(struct orma_import_ctx *imp, struct orma_events_track *t, uint64_t val)
{
    switch (val) {
    case ORMA_PB_TRACK_DESCRIPTOR_LEXICOGRAPHIC:
        t->child_ordering = imp->model->known.lexicographic;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_CHRONOLOGICAL:
        t->child_ordering = imp->model->known.chronological;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_EXPLICIT:
        t->child_ordering = imp->model->known.explicit_;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_UNKNOWN:
        break;
    default:
        orma_stats_inc(orma_model_stats(imp->model, t->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_INVALID_CHILD_ORDERING);
    }
}

/* False: the descriptor is of no use. */
static bool read_field(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                       struct orma_events_track *t, const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACK_DESCRIPTOR_NAME:
    case ORMA_PB_TRACK_DESCRIPTOR_STATIC_NAME:
    case ORMA_PB_TRACK_DESCRIPTOR_ATRACE_NAME:
        t->told_name = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_PROCESS:
    case ORMA_PB_TRACK_DESCRIPTOR_THREAD:
        return read_scope(imp, ctx, t, f);
    case ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID:
        t->has_parent = true;
        t->parent_uuid = orma_pb_u64(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_COUNTER:
        read_counter(imp, t, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_STATE:
        t->kind = ORMA_EVENTS_STATE;
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_DISALLOW_MERGING_WITH_SYSTEM_TRACKS:
        t->no_system_merge = orma_pb_bool(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_CHILD_ORDERING:
        read_ordering(imp, t, orma_pb_u64(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_ORDER_RANK:
        t->has_rank = true;
        t->rank = orma_pb_i32(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_DESCRIPTION:
        t->description = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR:
        t->merge = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY:
        t->has_merge_key = true;
        t->merge_key = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY_INT:
        t->has_merge_key_int = true;
        t->merge_key_int = orma_pb_u64(f);
        break;
    }
    return true;
}

/* What says which track it is: a later descriptor must say the same. */
static void forget_scope(struct orma_events_track *t)
{
    t->has_parent = t->has_process = t->has_thread = false;
    t->parent_uuid = 0;
    t->pid = t->tid = 0;
    t->kind = ORMA_EVENTS_SLICES;
}

static bool is_same(const struct orma_events_track *a, const struct orma_events_track *b)
{
    return a->parent_uuid == b->parent_uuid && a->has_process == b->has_process &&
           a->has_thread == b->has_thread && a->pid == b->pid && a->tid == b->tid &&
           a->kind == b->kind;
}

/* The first name stays, unless the track merges with no other. */
static void take_name(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    bool alone = t->merge == ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE;

    if (!t->told_name || (t->name && !alone))
        return;
    t->name = t->told_name;
    if (t->has_rows && alone && t->track != ORMA_TRACK_NONE)
        orma_events_name(imp, t, t->name);
}

void orma_events_describe(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
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
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_MISSING_UUID);
        return;
    }
    struct orma_events_track *t = orma_events_find(imp, uuid, ctx->machine);
    if (!t)
        return;
    const struct orma_events_track before = *t;
    if (before.reserved)
        forget_scope(t);
    t->described = t->reserved = true;
    t->saw_first |= ctx->seq->saw_first;
    if (ctx->seq->has_pid)
        t->trusted_pid = ctx->seq->pid;
    r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    bool useful = true;
    t->told_name = 0;
    while (orma_pb_next(&r, &f))
        useful &= read_field(imp, ctx, t, &f);
    take_name(imp, t);
    if (!useful) {
        *t = before;
    } else if (t->is_default && t->has_parent && t->parent_uuid) {
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_DEFAULT_TRACK_WITH_PARENT);
        *t = before;
    } else if (before.reserved && !is_same(&before, t)) { /* the last word counts */
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_TRACK_DESCRIPTOR_CONFLICTING_RESERVATION);
    }
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

    *ret_pid = outer == ORMA_ID_NONE ? t->pid : t->trusted_pid;
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
    if (t->builtin)
        orma_args_put_str(a, imp->model->known.builtin_counter_type,
                          t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS
                              ? imp->model->known.thread_time_ns
                              : imp->model->known.thread_instruction_count);
    if (t->share_key)
        orma_args_put_str(a, imp->model->known.y_axis_share_key, t->share_key);
    if (t->saw_first)
        orma_args_put_bool(a, imp->model->known.has_first_packet_on_sequence, true);
    if (t->child_ordering)
        orma_args_put_str(a, imp->model->known.child_ordering, t->child_ordering);
    if (t->has_rank)
        orma_args_put_int(a, imp->model->known.sibling_order_rank, t->rank);
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

/* The row of the parent, when that is a track of its own and not the root of a scope. */
static uint32_t parent_row(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    struct orma_events_track *p;

    if (!t->has_parent || !t->parent_uuid)
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
        .unit = t->unit,
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

/* The key as text; 0: it has none. */
static uint32_t merge_key(struct orma_import_ctx *imp, const struct orma_events_track *t)
{
    if (t->has_merge_key_int)
        return orma_strpool_addf(&imp->model->storage->pool, "sibling_merge_key_int:%llu",
                                 (unsigned long long)t->merge_key_int);
    return t->merge_key;
}

/* The identity of the siblings that merge with this track. The description is of `t`. */
static void merged_spec(struct orma_import_ctx *imp, const struct orma_events_track *t,
                        struct orma_track_spec *ret)
{
    static const char *const types[] = {"global_merged_track_event", "process_merged_track_event",
                                        "thread_merged_track_event"};
    bool by_key = t->merge == ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY;

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
        orma_dim(imp->model->known.parent_track_uuid, t->has_parent ? (int64_t)t->parent_uuid : 0);
    ret->dims[ret->dims_num++] = orma_dim(imp->model->known.merge_key_type, by_key ? 2 : 0);
    ret->dims[ret->dims_num++] =
        orma_dim_str(imp->model->known.merge_key_value, by_key ? merge_key(imp, t) : t->name);
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

static void make_rows(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    if (t->kind == ORMA_EVENTS_SLICES && t->has_thread && !t->no_system_merge)
        t->track = make_thread_track(imp, t);
    else if (t->kind != ORMA_EVENTS_SLICES || t->has_process || t->has_thread ||
             t->merge == ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE)
        t->track = make_plain(imp, t);
    else
        find_group(imp, t);
}

/* Counts that the way up from a track is broken, and notes for which track it was gone. */
static void hierarchy_error(struct orma_import_ctx *imp, const struct orma_events_track *t,
                            enum orma_stat stat)
{
    struct orma_args_list *args = &orma_events_state(imp)->args;

    orma_args_list_clear(args);
    orma_args_put_int(args, imp->model->known.track_uuid, (int64_t)t->uuid);
    orma_model_log(imp->model, t->machine, stat, INT64_MIN, -1, args);
}

static bool resolve(struct orma_import_ctx *imp, struct orma_events_track *t,
                    const struct orma_events_track *asked, unsigned depth)
{
    struct orma_events_track *parent = NULL;

    if (t->resolved || t->bad)
        return !t->bad;
    t->bad = true; /* until it has worked */
    if (t->resolving || depth > PARENTS_MAX) {
        hierarchy_error(imp, asked,
                        t->resolving ? ORMA_STAT_TRACK_EVENT_TRACK_HIERARCHY_LOOP
                                     : ORMA_STAT_TRACK_EVENT_TRACK_HIERARCHY_TOO_DEEP);
        return false;
    }
    t->resolving = true;
    if (t->has_parent && t->parent_uuid) {
        parent = orma_events_find(imp, t->parent_uuid, t->machine);
        if (parent && !parent->described) {
            hierarchy_error(imp, asked, ORMA_STAT_TRACK_HIERARCHY_MISSING_UUID);
            t->resolving = t->bad = false; /* it may still come */
            return false;
        } else if (parent && parent->resolving && !parent->resolved) {
            hierarchy_error(imp, asked, ORMA_STAT_TRACK_EVENT_TRACK_HIERARCHY_LOOP);
            return false;
        } else if (parent && !resolve(imp, parent, asked, depth + 1)) {
            t->resolving = false;
            t->bad = parent->bad;
            return false;
        }
    }
    t->resolving = false;
    t->bad = false;
    t->resolved = true;
    if (t->has_thread) {
        start_thread(imp, t);
        t->is_root = true;
    } else if (t->has_process) {
        start_process(imp, t);
        t->is_root = true;
    } else if (parent) {
        t->scope = parent->scope;
        t->utid = parent->utid;
        t->upid = parent->upid;
    } else {
        t->is_root = t->is_default;
    }
    return true;
}

bool orma_events_resolve(struct orma_import_ctx *imp, struct orma_events_track *t)
{
    return ORMA_LIKELY(t->resolved) || resolve(imp, t, t, 0);
}

bool orma_events_make_rows(struct orma_import_ctx *imp, struct orma_events_track *t, uint32_t name)
{
    if (ORMA_LIKELY(t->has_rows))
        return true;
    t->described = true; /* from here on, if nothing did */
    if (!orma_events_resolve(imp, t))
        return false;
    t->has_rows = true;
    if (t->has_parent && t->parent_uuid) {
        struct orma_events_track *parent = orma_events_find(imp, t->parent_uuid, t->machine);

        /* Resolving has shown that the way up ends. */
        if (parent && parent->resolved)
            (void)orma_events_make_rows(imp, parent, 0);
    }
    if (!t->name && !t->has_process && !t->has_thread)
        t->name = name;
    t->unnamed = !t->name && !t->has_process && !t->has_thread && t->kind == ORMA_EVENTS_SLICES;
    make_rows(imp, t);
    return true;
}

void orma_events_name(struct orma_import_ctx *imp, struct orma_events_track *t, uint32_t name)
{
    struct orma_table *tracks = orma_model_table(imp->model, ORMA_TABLE_TRACK);

    t->unnamed = false;
    t->name = name;
    if (!t->group)
        orma_table_set(tracks, ORMA_TRACK_NAME, t->track, name);
    for (uint32_t i = 0; t->group && i < t->group->num; i++)
        orma_table_set(tracks, ORMA_TRACK_NAME, t->group->lanes[i].track, name);
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
    lane->cookie = t->uuid;
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
    lane->cookie = t->uuid;
    if (lane->open)
        lane->open--;
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
