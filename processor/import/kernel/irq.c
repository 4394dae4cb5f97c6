/*
 * Interrupts and deferred work: slices on tracks of the cpu, or of the worker thread.
 *
 * Each kind is a pair of handlers, entry and exit, that begin and end a slice on one track per cpu;
 * the exit event may add args. Work items run on threads, so their slices are on the thread's
 * track. orma_kernel_cpu_track() finds the track again without building its name.
 */
#include <stdio.h>

#include "processor/import/kernel/fields.h"
#include "protos/fields/ftrace.h"

uint32_t orma_kernel_cpu_track(struct orma_import_ctx *imp, uint16_t machine, const char *type,
                               const char *name_fmt, uint32_t cpu, bool counter)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = counter ? ORMA_TRACK_COUNTER : ORMA_TRACK_SLICES,
        .machine = machine,
        .dims_num = 1,
        .dims = {orma_dim(imp->model->known.cpu, cpu)},
        .parent = ORMA_TRACK_NONE,
    };
    uint32_t track = orma_tracks_find_lately(&imp->model->tracks, &spec);
    const char *mark = strchr(name_fmt, '#');
    char name[64];

    if (ORMA_LIKELY(track != ORMA_TRACK_NONE))
        return track;
    /* '#' stands for the number, so that no format comes from a variable. */
    snprintf(name, sizeof(name), "%.*s%u%s", mark ? (int)(mark - name_fmt) : 0, name_fmt, cpu,
             mark ? mark + 1 : "");
    spec.name = orma_model_cstr(imp->model, mark ? name : name_fmt);
    (void)orma_model_ucpu(imp->model, machine, cpu);
    return orma_tracks_get(&imp->model->tracks, &spec);
}

void orma_kernel_thread_instant(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                uint32_t utid, const char *name)
{
    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_thread_track(imp->model, e->machine, utid), 0,
                         orma_model_cstr(imp->model, name), NULL);
}

uint32_t orma_kernel_symbol_text(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                 uint64_t iid)
{
    uint32_t text = orma_kernel_lookup_symbol(imp, e->item, iid);

    return text ? text
                : orma_strpool_addf(&imp->model->storage->pool, "0x%llx", (unsigned long long)iid);
}

static uint32_t irq_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_kernel_cpu_track(imp, e->machine, "cpu_irq", "Irq Cpu #", e->cpu, false);
}

static void irq_begin(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint32_t name)
{
    orma_slices_begin(&imp->model->slices, e->ts, irq_track(imp, e),
                      orma_model_lit(imp->model, "irq"), name, NULL);
}

static void irq_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                    struct orma_args_list *args)
{
    orma_slices_end(&imp->model->slices, e->ts, irq_track(imp, e),
                    orma_model_lit(imp->model, "irq"), 0, args);
}

static void irq_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    struct orma_str name = f.str[ORMA_PB_IRQ_HANDLER_ENTRY_FTRACE_EVENT_NAME];
    irq_begin(imp, e,
              orma_strpool_addf(&imp->model->storage->pool, "IRQ (%.*s)", ORMA_STR_ARG(name)));
}

static void irq_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    bool handled = f.num[ORMA_PB_IRQ_HANDLER_EXIT_FTRACE_EVENT_RET] == 1;
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_lit(imp->model, "ret"),
                      orma_model_cstr(imp->model, handled ? "handled" : "unhandled"));
    irq_end(imp, e, args);
}

/* The timer of a cpu has no handler of its own on some machines, but these events. */
static void local_timer_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    irq_begin(imp, e, orma_model_lit(imp->model, "IRQ (LocalTimer)"));
}

static void local_timer_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    irq_end(imp, e, NULL);
}

static const char *const softirqs[] = {
    "HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
    "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU",
};

static uint32_t softirq_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_kernel_cpu_track(imp, e->machine, "cpu_softirq", "SoftIrq Cpu #", e->cpu, false);
}

static void softirq_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t vec = (uint64_t)f.num[ORMA_PB_SOFTIRQ_ENTRY_FTRACE_EVENT_VEC];
    if (vec >= ORMA_ARRAY_LEN(softirqs))
        return;
    orma_slices_begin(&imp->model->slices, e->ts, softirq_track(imp, e),
                      orma_model_lit(imp->model, "irq"), orma_model_lit(imp->model, softirqs[vec]),
                      NULL);
}

static void softirq_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "vec"),
                      f.num[ORMA_PB_SOFTIRQ_EXIT_FTRACE_EVENT_VEC]);
    orma_slices_end(&imp->model->slices, e->ts, softirq_track(imp, e),
                    orma_model_lit(imp->model, "irq"), 0, args);
}

static uint32_t hrtimer_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_kernel_cpu_track(imp, e->machine, "cpu_hrtimer", "Hrtimer Cpu #", e->cpu, false);
}

static void hrtimer_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t function = (uint64_t)f.num[ORMA_PB_HRTIMER_EXPIRE_ENTRY_FTRACE_EVENT_FUNCTION];
    orma_slices_begin(&imp->model->slices, e->ts, hrtimer_track(imp, e),
                      orma_model_lit(imp->model, "hrtimer"),
                      orma_kernel_symbol_text(imp, e, function), NULL);
}

static void hrtimer_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(&imp->model->slices, e->ts, hrtimer_track(imp, e),
                    orma_model_lit(imp->model, "hrtimer"), 0, NULL);
}

static uint32_t napi_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_kernel_cpu_track(imp, e->machine, "cpu_napi_gro", "Napi Gro Cpu #", e->cpu, false);
}

static void napi_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "len"),
                      f.num[ORMA_PB_NAPI_GRO_RECEIVE_ENTRY_FTRACE_EVENT_LEN]);
    orma_slices_begin(
        &imp->model->slices, e->ts, napi_track(imp, e), orma_model_lit(imp->model, "napi_gro"),
        orma_model_str(imp->model, f.str[ORMA_PB_NAPI_GRO_RECEIVE_ENTRY_FTRACE_EVENT_NAME]), args);
}

static void napi_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "ret"),
                      f.num[ORMA_PB_NAPI_GRO_RECEIVE_EXIT_FTRACE_EVENT_RET]);
    orma_slices_end(&imp->model->slices, e->ts, napi_track(imp, e),
                    orma_model_lit(imp->model, "napi_gro"), 0, args);
}

static void work_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t function = (uint64_t)f.num[ORMA_PB_WORKQUEUE_EXECUTE_START_FTRACE_EVENT_FUNCTION];
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, imp->model->known.cpu, e->cpu);
    orma_slices_begin(
        &imp->model->slices, e->ts, orma_model_thread_track(imp->model, e->machine, e->utid),
        orma_model_lit(imp->model, "workqueue"), orma_kernel_symbol_text(imp, e, function), args);
}

static void work_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid),
                    orma_model_lit(imp->model, "workqueue"), 0, NULL);
}

const struct orma_kernel_handler orma_kernel_irq_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_IRQ_HANDLER_ENTRY, irq_entry},
    {ORMA_PB_FTRACE_EVENT_IRQ_HANDLER_EXIT, irq_exit},
    {ORMA_PB_FTRACE_EVENT_LOCAL_TIMER_ENTRY, local_timer_entry},
    {ORMA_PB_FTRACE_EVENT_LOCAL_TIMER_EXIT, local_timer_exit},
    {ORMA_PB_FTRACE_EVENT_SOFTIRQ_ENTRY, softirq_entry},
    {ORMA_PB_FTRACE_EVENT_SOFTIRQ_EXIT, softirq_exit},
    {ORMA_PB_FTRACE_EVENT_HRTIMER_EXPIRE_ENTRY, hrtimer_entry},
    {ORMA_PB_FTRACE_EVENT_HRTIMER_EXPIRE_EXIT, hrtimer_exit},
    {ORMA_PB_FTRACE_EVENT_NAPI_GRO_RECEIVE_ENTRY, napi_entry},
    {ORMA_PB_FTRACE_EVENT_NAPI_GRO_RECEIVE_EXIT, napi_exit},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START, work_start},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_EXECUTE_END, work_end},
    {0, NULL},
};
