/*
 * StackSample packets: samples of any profiler, with what it counts.
 *
 * Each part of a sample (source, task, execution context, call stack, counters) may be inline in
 * the packet, interned, or come from the defaults of the sequence. read_parts() first collects the
 * bytes of each part in that order of precedence; then each part becomes a row or is found again,
 * and the sample refers to them all.
 */
#include "processor/import/profile/profile.h"

#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "sdk/base/hash.h"

#define FOLLOWERS_MAX 32

void orma_profile_stack_sample_parse(struct orma_import_ctx *imp, const struct orma_item *item);

/* Spans of messages: of the sample itself, of what is interned, or of the defaults. */
struct parts {
    struct orma_str task, exec, primary, callstack;
    struct orma_str followers[FOLLOWERS_MAX];
    uint64_t weights[FOLLOWERS_MAX];
    unsigned followers_num, weights_num;
    uint64_t weight, callstack_iid;
    bool has_callstack_iid;
    struct orma_str source;
    uint32_t unwind_error;
};

static struct orma_str interned(const struct orma_item *item, uint32_t kind,
                                const struct orma_pb_field *f)
{
    const struct orma_interned *e = orma_seq_gen_find(item->gen, kind, orma_pb_u64(f));

    return e ? (struct orma_str){(const char *)e->data, e->len} : (struct orma_str){0};
}

/* Followers of the packet take the place of the default ones. */
static void add_follower(struct parts *p, bool *own, struct orma_str descriptor)
{
    if (!*own)
        p->followers_num = 0;
    *own = true;
    if (p->followers_num < FOLLOWERS_MAX)
        p->followers[p->followers_num++] = descriptor;
}

static void read_defaults(const struct orma_seq_gen *gen, struct parts *p)
{
    struct orma_pb_reader r = orma_pb_reader(gen->defaults.data, gen->defaults.len);
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);

        if (f.id != ORMA_PB_TRACE_PACKET_DEFAULTS_STACK_SAMPLE_DEFAULTS)
            continue;
        while (orma_pb_next(&sub, &g)) {
            if (g.id == ORMA_PB_STACK_SAMPLE_DEFAULTS_SOURCE)
                p->source = orma_pb_str(&g);
            else if (g.id == ORMA_PB_STACK_SAMPLE_DEFAULTS_PRIMARY_DESCRIPTOR)
                p->primary = orma_pb_str(&g);
            else if (g.id == ORMA_PB_STACK_SAMPLE_DEFAULTS_FOLLOWER_DESCRIPTORS &&
                     p->followers_num < FOLLOWERS_MAX)
                p->followers[p->followers_num++] = orma_pb_str(&g);
        }
    }
}

static void read_lists(const struct orma_item *item, const struct orma_pb_field *f, struct parts *p,
                       bool *own)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    if (f->id == ORMA_PB_STACK_SAMPLE_FOLLOWER_DESCRIPTORS)
        add_follower(p, own, orma_pb_str(f));
    if (f->id == ORMA_PB_STACK_SAMPLE_FOLLOWER_DESCRIPTOR_IIDS) {
        for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);) {
            const struct orma_interned *e = orma_seq_gen_find(
                item->gen, ORMA_PB_INTERNED_DATA_STACK_SAMPLE_COUNTER_DESCRIPTORS, val);

            add_follower(p, own,
                         e ? (struct orma_str){(const char *)e->data, e->len}
                           : (struct orma_str){0});
        }
    }
    if (f->id == ORMA_PB_STACK_SAMPLE_FOLLOWER_WEIGHTS)
        for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
            if (p->weights_num < FOLLOWERS_MAX)
                p->weights[p->weights_num++] = val;
}

static void read_parts(struct orma_import_ctx *imp, const struct orma_item *item, struct parts *p)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    bool own = false;

    *p = (struct parts){0};
    read_defaults(item->gen, p);
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_STACK_SAMPLE_TASK_CONTEXT:
            p->task = orma_pb_str(&f);
            break;
        case ORMA_PB_STACK_SAMPLE_TASK_CONTEXT_IID:
            p->task = interned(item, ORMA_PB_INTERNED_DATA_STACK_SAMPLE_TASK_CONTEXTS, &f);
            break;
        case ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT:
            p->exec = orma_pb_str(&f);
            break;
        case ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT_IID:
            p->exec = interned(item, ORMA_PB_INTERNED_DATA_STACK_SAMPLE_EXECUTION_CONTEXTS, &f);
            break;
        case ORMA_PB_STACK_SAMPLE_CALLSTACK:
            p->callstack = orma_pb_str(&f);
            break;
        case ORMA_PB_STACK_SAMPLE_CALLSTACK_IID:
            p->callstack_iid = orma_pb_u64(&f);
            p->has_callstack_iid = true;
            break;
        case ORMA_PB_STACK_SAMPLE_UNWIND_ERROR:
            p->unwind_error = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_STACK_SAMPLE_PRIMARY_DESCRIPTOR:
            p->primary = orma_pb_str(&f);
            break;
        case ORMA_PB_STACK_SAMPLE_PRIMARY_DESCRIPTOR_IID:
            p->primary = interned(item, ORMA_PB_INTERNED_DATA_STACK_SAMPLE_COUNTER_DESCRIPTORS, &f);
            break;
        case ORMA_PB_STACK_SAMPLE_PRIMARY_WEIGHT:
            p->weight = orma_pb_u64(&f);
            break;
        default:
            read_lists(item, &f, p, &own);
        }
    }
}

/* ---- contexts ---- */

static uint32_t async_context(struct orma_import_ctx *imp, const struct orma_item *item,
                              uint64_t iid, unsigned depth)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_ASYNC_CONTEXT);
    struct orma_interned *e = orma_seq_gen_find(
        item->gen, ORMA_PB_INTERNED_DATA_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS, iid);
    struct orma_pb_reader r = orma_pb_reader(e ? e->data : NULL, e ? e->len : 0);
    struct orma_pb_field f;
    uint32_t name = 0, kind = 0, parent = ORMA_ROW_NONE;

    if (!e || depth > 64)
        return ORMA_ROW_NONE;
    if (e->cache)
        return e->cache - 1;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_NAME)
            name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_KIND)
            kind = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_PARENT_IID)
            parent = async_context(imp, item, orma_pb_u64(&f), depth + 1);
    }
    uint32_t row = orma_table_add(t);
    if (name)
        orma_table_set(t, ORMA_PROFILER_ASYNC_CONTEXT_NAME, row, name);
    if (kind)
        orma_table_set(t, ORMA_PROFILER_ASYNC_CONTEXT_KIND, row, kind);
    if (parent != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_PROFILER_ASYNC_CONTEXT_PARENT_ID, row, parent);
    e->cache = row + 1;
    return row;
}

/* *ret_upid: the process, or ORMA_ID_NONE. */
static uint32_t task_context(struct orma_import_ctx *imp, const struct orma_item *item,
                             struct orma_str bytes, uint32_t *ret_upid)
{
    struct orma_processes *p = orma_model_processes(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t pid = ORMA_ID_NONE, tid = ORMA_ID_NONE, upid = ORMA_ID_NONE, utid = ORMA_ID_NONE;
    uint32_t async = ORMA_ROW_NONE;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__TID)
            tid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__ASYNC_ID)
            async = async_context(imp, item, orma_pb_u64(&f), 0);
    }
    if (tid != ORMA_ID_NONE)
        utid = pid != ORMA_ID_NONE ? orma_processes_thread_of(p, tid, pid)
                                   : orma_processes_thread(p, tid);
    if (utid != ORMA_ID_NONE)
        upid = orma_processes_upid(p, utid);
    else if (pid != ORMA_ID_NONE)
        upid = orma_processes_process(p, pid);
    *ret_upid = upid;
    return orma_callstacks_task(imp->model, upid, utid, async);
}

/* *ret_cpu: ORMA_ID_NONE if the sample does not carry it. */
static uint32_t execution_context(struct orma_import_ctx *imp, const struct orma_item *item,
                                  struct orma_str bytes, uint32_t *ret_cpu)
{
    static const char *const modes[] = {NULL,         "user",       "kernel",
                                        "hypervisor", "guest_user", "guest_kernel"};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t mode = 0;

    *ret_cpu = ORMA_ID_NONE;
    while (orma_pb_next(&r, &f)) {
        uint64_t val = orma_pb_u64(&f);

        if (f.id == ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT__CPU && val < ORMA_UCPUS_PER_MACHINE)
            *ret_cpu = (uint32_t)val;
        else if (f.id == ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT__MODE &&
                 val < ORMA_ARRAY_LEN(modes) && modes[val])
            mode = orma_model_cstr(imp->model, modes[val]);
    }
    return orma_callstacks_execution(imp->model,
                                     *ret_cpu == ORMA_ID_NONE
                                         ? ORMA_ID_NONE
                                         : orma_model_ucpu(imp->model, item->machine, *ret_cpu),
                                     mode);
}

/* ---- counters ---- */

struct counter {
    uint32_t name, unit, description;
    uint64_t multiplier, scope;
};

static struct counter read_counter(struct orma_import_ctx *imp, struct orma_str bytes)
{
    static const char *const units[] = {
        NULL,          "ns",           "cycles",           "instructions",  "bytes",
        "page-faults", "cache-misses", "cache-references", "branch-misses", "count"};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct counter c = {0};

    while (orma_pb_next(&r, &f)) {
        uint64_t val = orma_pb_u64(&f);

        switch (f.id) {
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_NAME:
            c.name = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT:
            if (val < ORMA_ARRAY_LEN(units) && units[val])
                c.unit = orma_model_cstr(imp->model, units[val]);
            break;
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_STR:
            c.unit = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER:
            c.multiplier = val;
            break;
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_DESCRIPTION:
            c.description = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_SCOPE:
            c.scope = val;
            break;
        }
    }
    return c;
}

static uint32_t counter_track(struct orma_import_ctx *imp, const struct orma_item *item,
                              const struct counter *c, uint32_t session, uint32_t source,
                              uint32_t cpu, bool timebase)
{
    struct orma_args_list args = {0};
    bool per_cpu =
        cpu != ORMA_ID_NONE && c->scope == ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_SCOPE_CPU;
    struct orma_track_spec spec = {
        .type = per_cpu ? "stack_sample_cpu_counter" : "stack_sample_session_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = item->machine,
        .name = c->name,
        .unit = c->unit,
        .parent = ORMA_TRACK_NONE,
        .source_args = &args,
    };

    if (per_cpu)
        spec.dims[spec.dims_num++] = orma_dim(imp->model->known.cpu, cpu);
    spec.dims[spec.dims_num++] = orma_dim(orma_model_cstr(imp->model, "session_id"), session);
    spec.dims[spec.dims_num++] = orma_dim_str(imp->model->known.source, source);
    spec.dims[spec.dims_num++] = orma_dim_str(orma_model_cstr(imp->model, "counter_name"), c->name);
    orma_args_put_bool(&args, orma_model_cstr(imp->model, "is_timebase"), timebase);
    if (c->description)
        orma_args_put_str(&args, imp->model->known.description, c->description);
    imp->model->storage->failed |= args.failed;
    uint32_t track = orma_tracks_get(&imp->model->tracks, &spec);
    orma_args_list_fini(&args);
    return track;
}

static uint32_t session_of(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_str source, uint32_t unit)
{
    struct orma_profile_state *st = orma_profile(imp);
    const uint64_t parts[] = {item->machine, item->gen->seq->id,
                              orma_fnv1a(ORMA_FNV1A_BASIS, source.data, source.len)};
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));

    if (!st)
        return ORMA_ROW_NONE;
    uint64_t have = orma_map_get(&st->sessions, key);
    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t row = orma_callstacks_session(imp->model, "", unit);
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROFILER_SESSION),
                   ORMA_PROFILER_SESSION_SOURCE, row, orma_model_str(imp->model, source));
    imp->model->storage->failed |= orma_map_put(&st->sessions, key, row) < 0;
    return row;
}

static void add_weight(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t set,
                       const struct counter *c, uint64_t weight, uint32_t track)
{
    double value = (double)weight * (c->multiplier ? (double)c->multiplier : 1.0);

    orma_callstacks_add_counter(imp->model, set, item->ts, track, value);
}

void orma_profile_stack_sample_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct parts p;
    uint32_t cpu, upid;

    read_parts(imp, item, &p);
    uint32_t source = p.source.data ? orma_model_str(imp->model, p.source) : 0;
    struct counter primary = read_counter(imp, p.primary);
    struct orma_sample row = {
        .ts = item->ts,
        .source = p.source.len ? source : orma_model_lit(imp->model, "unknown"),
        .task = task_context(imp, item, p.task, &upid),
        .exec = execution_context(imp, item, p.exec, &cpu),
        .callsite = ORMA_CALLSITE_NONE,
        .unwind_error = p.unwind_error,
        .session = session_of(imp, item, p.source, primary.unit),
        .counter_set = orma_callstacks_counter_set(imp->model),
    };
    if (p.has_callstack_iid)
        row.callsite =
            orma_profile_interned_callsite(imp, item->machine, upid, item->gen, p.callstack_iid);
    else if (p.callstack.data)
        row.callsite = orma_profile_sample_callsite(imp, p.callstack);
    if (p.primary.data)
        add_weight(imp, item, row.counter_set, &primary, p.weight,
                   counter_track(imp, item, &primary, row.session, source, cpu, true));
    for (unsigned i = 0; i < ORMA_MIN(p.followers_num, p.weights_num); i++) {
        struct counter c = read_counter(imp, p.followers[i]);

        add_weight(imp, item, row.counter_set, &c, p.weights[i],
                   counter_track(imp, item, &c, row.session, source, cpu, false));
    }
    orma_callstacks_sample(imp->model, &row);
}
