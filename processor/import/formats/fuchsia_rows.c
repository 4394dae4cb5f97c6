/*
 * Events of Fuchsia become rows, when their time has come.
 */
#include "processor/import/formats/fuchsia.h"

#include "processor/import/formats/formats.h"
#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "processor/model/sched.h"

static uint32_t thread_row(struct orma_import_ctx *imp, const struct orma_format_fuchsia_event *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, imp->model->base);
    uint32_t utid = orma_processes_thread(procs, e->thread);

    if (orma_processes_upid(procs, utid) == ORMA_ID_NONE)
        orma_processes_attach(procs, utid, orma_processes_bare_process(procs, e->process), false);
    return utid;
}

/* False: the arg is not a number. */
static bool counter_value(const struct orma_args_item *arg, double *ret)
{
    if (arg->type == ORMA_ARG_REAL)
        *ret = arg->d;
    else if (arg->type == ORMA_ARG_UINT)
        *ret = (double)(uint64_t)arg->i;
    else
        *ret = (double)arg->i;
    return arg->type == ORMA_ARG_REAL || arg->type == ORMA_ARG_UINT || arg->type == ORMA_ARG_INT;
}

static void on_counter(struct orma_import_ctx *imp, int64_t ts,
                       const struct orma_format_fuchsia_event *e)
{
    struct orma_strpool *pool = &imp->model->storage->pool;
    uint32_t upid =
        orma_processes_bare_process(orma_model_processes(imp->model, imp->model->base), e->process);

    for (uint32_t i = 0; i < e->args_num; i++) {
        const struct orma_args_item *a = &e->args[i];
        double value;

        if (!counter_value(a, &value)) {
            orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                           ORMA_STAT_FUCHSIA_NON_NUMERIC_COUNTERS);
            continue;
        }
        uint32_t name =
            orma_strpool_addf(pool, "%s:%s:%llu", orma_strpool_cstr(pool, e->name),
                              orma_strpool_cstr(pool, a->key), (unsigned long long)e->data);
        const struct orma_track_dim dims[] = {orma_dim(imp->model->known.upid, upid),
                                              orma_dim_str(imp->model->known.name, name)};
        orma_model_counter(imp->model, ts,
                           orma_model_counter_track(imp->model, imp->model->base, "fuchsia_counter",
                                                    name, NULL, 2, dims),
                           value);
    }
}

/* False: it ends what the trace does not begin. */
static bool on_async(struct orma_import_ctx *imp, struct orma_args_list *args, int64_t ts,
                     const struct orma_format_fuchsia_event *e)
{
    struct orma_legacy_async a = {
        .machine = imp->model->base,
        .upid = orma_processes_bare_process(orma_model_processes(imp->model, imp->model->base),
                                            e->process),
        .scope = 0,
        .name = e->name,
        .id = (int64_t)e->data,
    };
    enum orma_async_phase phase = ORMA_ASYNC_INSTANT;

    if (e->kind == ORMA_FUCHSIA_ASYNC_BEGIN)
        phase = ORMA_ASYNC_BEGIN;
    else if (e->kind == ORMA_FUCHSIA_ASYNC_END)
        phase = ORMA_ASYNC_END;
    uint32_t track = orma_legacy_async_track(imp->model, &a, phase, ts);

    if (e->kind == ORMA_FUCHSIA_ASYNC_BEGIN)
        orma_slices_begin(&imp->model->slices, ts, track, e->category, e->name, args);
    else if (e->kind == ORMA_FUCHSIA_ASYNC_END)
        return orma_slices_end(&imp->model->slices, ts, track, e->category, e->name, args) !=
               ORMA_SLICE_NONE;
    else
        orma_slices_complete(&imp->model->slices, ts, 0, track, e->category, e->name, args);
    return true;
}

static uint32_t state_text(struct orma_import_ctx *imp, unsigned state)
{
    static const char *const states[] = {"R", "R", "T", "S", "Z", "X"};

    return orma_model_cstr(imp->model, states[state < ORMA_ARRAY_LEN(states) ? state : 0]);
}

static uint32_t scheduled(struct orma_file *file, uint32_t koid)
{
    struct orma_format_fuchsia *s = file->state;
    struct orma_format_fuchsia_event e = {.thread = koid};
    uint64_t process = orma_map_get(&s->process_of, koid);

    if (process == ORMA_MAP_NONE)
        return orma_processes_thread(orma_model_processes(file->imp->model, file->imp->model->base),
                                     koid);
    e.process = (uint32_t)process;
    return thread_row(file->imp, &e);
}

static void on_switch(struct orma_file *file, int64_t ts, const struct orma_format_fuchsia_event *e)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_format_fuchsia *s = file->state;

    ORMA_ASSERT_HOT(e->cpu < ORMA_CPUS_MAX); /* of 8 bits, or looked at when it was read */
    if (e->thread && !e->from_idle) {
        uint32_t utid = scheduled(file, e->thread), state = state_text(imp, e->state);

        if (s->running[e->cpu])
            orma_sched_end_slice(imp->model, s->running[e->cpu] - 1, ts, state);
        orma_sched_close_state(imp->model, ts, utid);
        orma_sched_open_state(imp->model, imp->model->base, ts, utid, state, ORMA_ID_NONE);
    }
    s->running[e->cpu] = 0;
    if (!e->other || e->to_idle)
        return;
    uint32_t utid = scheduled(file, e->other);
    uint32_t row =
        orma_sched_start_slice(imp->model, imp->model->base, ts, e->cpu, utid, e->weight);
    s->running[e->cpu] = row == ORMA_ROW_NONE ? 0 : row + 1;
    orma_sched_close_state(imp->model, ts, utid);
    orma_sched_open_state(imp->model, imp->model->base, ts, utid, imp->model->known.Running,
                          e->cpu);
}

/* False: the same. */
static bool on_event(struct orma_import_ctx *imp, struct orma_args_list *args, int64_t ts,
                     const struct orma_format_fuchsia_event *e)
{
    uint32_t track = orma_model_thread_track(imp->model, imp->model->base, thread_row(imp, e));

    switch (e->kind) {
    case ORMA_FUCHSIA_INSTANT:
        orma_slices_complete(&imp->model->slices, ts, 0, track, e->category, e->name, args);
        break;
    case ORMA_FUCHSIA_BEGIN:
        orma_slices_begin(&imp->model->slices, ts, track, e->category, e->name, args);
        break;
    case ORMA_FUCHSIA_END:
        return orma_slices_end(&imp->model->slices, ts, track, e->category, e->name, args) !=
               ORMA_SLICE_NONE;
    case ORMA_FUCHSIA_COMPLETE:
        orma_slices_complete(&imp->model->slices, ts, (int64_t)(e->data - (uint64_t)ts), track,
                             e->category, e->name, args);
        break;
    case ORMA_FUCHSIA_FLOW_BEGIN:
        orma_flows_begin_on(imp->model, track, ts, e->data);
        break;
    case ORMA_FUCHSIA_FLOW_STEP:
        orma_flows_step_on(imp->model, track, ts, e->data);
        break;
    case ORMA_FUCHSIA_FLOW_END:
        orma_flows_end_on(imp->model, track, ts, e->data, true);
        break;
    }
    return true;
}

struct orma_unit_end orma_format_fuchsia_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    const struct orma_format_fuchsia_event *e =
        (const struct orma_format_fuchsia_event *)(const void *)item->data;
    bool begun = true;

    ORMA_MODEL_ARGS(args, imp->model);
    for (uint32_t i = 0; i < e->args_num && e->kind != ORMA_FUCHSIA_COUNTER; i++)
        orma_args_put(args, e->args[i]);
    switch (e->kind) {
    case ORMA_FUCHSIA_COUNTER:
        if (!e->args_num)
            return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "counters without a value");
        on_counter(imp, item->ts, e);
        break;
    case ORMA_FUCHSIA_ASYNC_BEGIN:
    case ORMA_FUCHSIA_ASYNC_INSTANT:
    case ORMA_FUCHSIA_ASYNC_END:
        begun = on_async(imp, args, item->ts, e);
        break;
    case ORMA_FUCHSIA_SWITCH:
        on_switch(file, item->ts, e);
        break;
    case ORMA_FUCHSIA_WAKEUP:
        orma_sched_waking(imp->model, imp->model->base, item->ts, scheduled(file, e->thread),
                          ORMA_ID_NONE, -1);
        break;
    default:
        begun = on_event(imp, args, item->ts, e);
    }
    return begun ? orma_file_took(file)
                 : orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices");
}
