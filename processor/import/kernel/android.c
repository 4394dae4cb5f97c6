/*
 * Events of Android's kernels: memory by heap, graphics memory, and frequencies and power of
 * vendors' graphics cards and processors.
 *
 * No handler keeps state. A memory event becomes two counters: the total, which the event carries
 * or which is its previous total plus the change, and the change, by the thread that made it.
 * States of a Mali card are slices on one track, each ended by the next state; waits of its queues
 * are slices from their start event to their end event.
 */
#include <stdio.h>

#include "processor/import/kernel/fields.h"
#include "processor/model/async.h"
#include "protos/fields/ftrace.h"

static void push(struct orma_import_ctx *imp, const struct orma_kernel_event *e, const char *type,
                 uint32_t name, unsigned dims_num, const struct orma_track_dim *dims, double value)
{
    orma_model_counter(
        imp->model, e->ts,
        orma_model_counter_track(imp->model, e->machine, type, name, NULL, dims_num, dims), value);
}

/* The total that is allocated, and the change that the thread made to it. */
static void push_heap(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      const char *total_type, const char *change_type, uint32_t total_name,
                      uint32_t change_name, double total, double change)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.utid, e->utid);

    push(imp, e, total_type, total_name, 0, NULL, total);
    push(imp, e, change_type, change_name, 1, &dim, change);
}

/* The same of one heap of several; 0: the event names none. */
static void push_named(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       const char *total_type, const char *change_type, uint32_t heap,
                       uint32_t total_name, uint32_t change_name, double total, double change)
{
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(imp->model, "heap_name"), heap),
        orma_dim(imp->model->known.utid, e->utid),
    };

    push(imp, e, total_type, total_name, 1, dims, total);
    push(imp, e, change_type, change_name, 2, dims, change);
}

/* A buffer from its allocation to its release, identified by a number. */
static void buffer(struct orma_import_ctx *imp, const struct orma_kernel_event *e, const char *type,
                   const char *name, uint64_t id, int64_t len)
{
    const struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_SLICES,
        .machine = e->machine,
        .name = orma_model_lit(imp->model, name),
        .parent = ORMA_TRACK_NONE,
    };

    if (len > 0)
        orma_slices_begin(
            &imp->model->slices, e->ts, orma_async_begin(imp->model, &spec, id, e->ts, false), 0,
            orma_strpool_addf(&imp->model->storage->pool, "%lld kB", (long long)len / 1024), NULL);
    else
        orma_slices_end(&imp->model->slices, e->ts, orma_async_end(imp->model, &spec, id, e->ts), 0,
                        0, NULL);
}

static void ion_stat(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t len = f.num[ORMA_PB_ION_STAT_FTRACE_EVENT_LEN];
    push_named(imp, e, "ion", "ion_change", 0, orma_model_lit(imp->model, "mem.ion"),
               orma_model_lit(imp->model, "mem.ion_change"),
               (double)f.num[ORMA_PB_ION_STAT_FTRACE_EVENT_TOTAL_ALLOCATED], (double)len);
    buffer(imp, e, "android_ion_allocations", "mem.ion_buffer",
           (uint64_t)f.num[ORMA_PB_ION_STAT_FTRACE_EVENT_BUFFER_ID], len);
}

/* The event carries the total before the change. */
static void ion_heap(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    double change = (double)f.num[ORMA_PB_ION_HEAP_GROW_FTRACE_EVENT_LEN];
    struct orma_str heap = f.str[ORMA_PB_ION_HEAP_GROW_FTRACE_EVENT_HEAP_NAME];
    if (e->field == ORMA_PB_FTRACE_EVENT_ION_HEAP_SHRINK)
        change = -change;
    if (!heap.data)
        heap = ORMA_STR("unknown");
    push_named(
        imp, e, "ion", "ion_change", orma_model_str(imp->model, heap),
        orma_strpool_addf(&imp->model->storage->pool, "mem.ion.%.*s", ORMA_STR_ARG(heap)),
        orma_strpool_addf(&imp->model->storage->pool, "mem.ion_change.%.*s", ORMA_STR_ARG(heap)),
        (double)f.num[ORMA_PB_ION_HEAP_GROW_FTRACE_EVENT_TOTAL_ALLOCATED] + change, change);
}

static void dma_heap(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_COUNTER);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t inode = (uint64_t)f.num[ORMA_PB_DMA_HEAP_STAT_FTRACE_EVENT_INODE];
    int64_t len = f.num[ORMA_PB_DMA_HEAP_STAT_FTRACE_EVENT_LEN];
    push_heap(imp, e, "android_dma_heap", "android_dma_heap_change",
              orma_model_lit(imp->model, "mem.dma_heap"),
              orma_model_lit(imp->model, "mem.dma_heap_change"),
              (double)f.num[ORMA_PB_DMA_HEAP_STAT_FTRACE_EVENT_TOTAL_ALLOCATED], (double)len);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "inode"), inode);
    if (t->rows)
        orma_storage_set_args(t, ORMA_COUNTER_ARG_SET_ID, t->rows - 1,
                              orma_args_commit(&imp->model->storage->args, args));
    buffer(imp, e, "android_dma_allocations", "mem.dma_buffer", inode, len);
}

static void dmabuf_rss(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_kernel_memory(imp, e, e->utid, "dmabuf_rss",
                       (double)f.num[ORMA_PB_DMABUF_RSS_STAT_FTRACE_EVENT_RSS]);
}

static void fastrpc(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const char *const processors[] = {"ASDP", "MDSP", "SDSP", "CDSP"};
    struct orma_strpool *pool = &imp->model->storage->pool;
    struct orma_event_fields f;
    char other[32];

    orma_event_fields_read(&f, e->payload);
    int32_t id = (int32_t)f.num[ORMA_PB_FASTRPC_DMA_STAT_FTRACE_EVENT_CID];
    snprintf(other, sizeof(other), "UNKNOWN[%d]", id);
    const char *name = id >= 0 && id < (int32_t)ORMA_ARRAY_LEN(processors) ? processors[id] : other;
    push_named(imp, e, "fastrpc", "fastrpc_change", orma_model_cstr(imp->model, name),
               orma_strpool_addf(pool, "mem.fastrpc.total[%s]", name),
               orma_strpool_addf(pool, "mem.fastrpc[%s]", name),
               (double)f.num[ORMA_PB_FASTRPC_DMA_STAT_FTRACE_EVENT_TOTAL_ALLOCATED],
               (double)f.num[ORMA_PB_FASTRPC_DMA_STAT_FTRACE_EVENT_LEN]);
}

/* ---- graphics cards ---- */

static void gpu_memory(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_port_gpu_memory(imp, e->machine, e->ts,
                         (uint32_t)f.num[ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_GPU_ID],
                         (uint32_t)f.num[ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_PID],
                         (double)(uint64_t)f.num[ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_SIZE]);
}

static void kgsl_frequency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t track = orma_model_gpu_frequency_track(
        imp->model, e->machine, (uint32_t)f.num[ORMA_PB_KGSL_GPU_FREQUENCY_FTRACE_EVENT_GPU_ID]);
    orma_model_counter(imp->model, e->ts, track,
                       (double)f.num[ORMA_PB_KGSL_GPU_FREQUENCY_FTRACE_EVENT_GPU_FREQ] / 1000);
}

/* How much of an interval a card worked for a user. Its times are of MONOTONIC_RAW. */
static void gpu_work(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_table *slices = orma_model_table(imp->model, ORMA_TABLE_SLICE);
    struct orma_clock_span span;
    struct orma_event_fields f;
    int64_t dur, ts;

    orma_event_fields_read(&f, e->payload);
    int64_t start = f.num[ORMA_PB_GPU_WORK_PERIOD_FTRACE_EVENT_START_TIME_NS];
    uint32_t gpu = (uint32_t)f.num[ORMA_PB_GPU_WORK_PERIOD_FTRACE_EVENT_GPU_ID];
    if (__builtin_sub_overflow(f.num[ORMA_PB_GPU_WORK_PERIOD_FTRACE_EVENT_END_TIME_NS], start,
                               &dur) ||
        dur < 0) {
        orma_stats_inc(orma_model_stats(imp->model, e->machine),
                       ORMA_STAT_GPU_WORK_PERIOD_NEGATIVE_DURATION);
        return;
    }
    if (!orma_reader_to_trace_time(imp->reader, e->machine, ORMA_CLOCK_MONOTONIC_RAW, start, &ts,
                                   &span))
        return;
    const struct orma_track_dim dims[] = {
        orma_dim(orma_model_lit(imp->model, "ugpu"), orma_model_ugpu(imp->model, e->machine, gpu)),
        orma_dim(orma_model_lit(imp->model, "gpu"), gpu),
        orma_dim(orma_model_lit(imp->model, "uid"),
                 f.num[ORMA_PB_GPU_WORK_PERIOD_FTRACE_EVENT_UID]),
    };
    uint32_t track =
        orma_model_slice_track(imp->model, e->machine, "android_gpu_work_period", 0, 3, dims);
    int64_t active = f.num[ORMA_PB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS];
    uint32_t row =
        orma_slices_complete(&imp->model->slices, ts, dur, track, 0,
                             orma_strpool_addf(&imp->model->storage->pool, "%%%.2f",
                                               dur ? 100 * (double)active / (double)dur : 0.0),
                             NULL);
    if (row == ORMA_SLICE_NONE)
        return;
    orma_table_set(slices, ORMA_SLICE_THREAD_TS, row, ts);
    orma_table_set(slices, ORMA_SLICE_THREAD_DUR, row, active);
}

/* States of the controller of Mali cards, by event. */
static const char *const mcu_states[] = {
    "HCTL_CORES_DOWN_SCALE_NOTIFY_PEND",
    "HCTL_CORES_NOTIFY_PEND",
    "HCTL_CORE_INACTIVE_PEND",
    "HCTL_MCU_ON_RECHECK",
    "HCTL_SHADERS_CORE_OFF_PEND",
    "HCTL_SHADERS_PEND_OFF",
    "HCTL_SHADERS_PEND_ON",
    "HCTL_SHADERS_READY_OFF",
    "IN_SLEEP",
    "OFF",
    "ON",
    "ON_CORE_ATTR_UPDATE_PEND",
    "ON_GLB_REINIT_PEND",
    "ON_HALT",
    "ON_HWCNT_DISABLE",
    "ON_HWCNT_ENABLE",
    "ON_PEND_HALT",
    "ON_PEND_SLEEP",
    "ON_SLEEP_INITIATE",
    "PEND_OFF",
    "PEND_ON_RELOAD",
    "POWER_DOWN",
    "RESET_WAIT",
};
#define MCU_FIRST ORMA_PB_FTRACE_EVENT_MALI_MALI_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND

static void mali_mcu(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    uint32_t track = orma_model_slice_track(imp->model, e->machine, "mali_mcu_state",
                                            orma_model_lit(imp->model, "Mali MCU state"), 0, NULL);

    orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
    orma_slices_begin(&imp->model->slices, e->ts, track, 0,
                      orma_model_lit(imp->model, mcu_states[e->field - MCU_FIRST]), NULL);
}

static void mali_interrupt(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    uint32_t track =
        orma_kernel_cpu_track(imp, e->machine, "cpu_mali_irq", "Mali Irq Cpu #", e->cpu, false);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "info_val"),
                       (uint64_t)f.num[ORMA_PB_MALI_MALI_CSFINTERRUPTSTART_FTRACE_EVENT_INFO_VAL]);
    if (e->field == ORMA_PB_FTRACE_EVENT_MALI_MALI_CSF_INTERRUPT_START)
        orma_slices_begin(&imp->model->slices, e->ts, track, 0,
                          orma_model_lit(imp->model, "mali_CSF_INTERRUPT"), args);
    else
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, args);
}

/* Queues of commands that the cpu submits. */
static void mali_queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    uint32_t track = orma_model_thread_track(imp->model, e->machine, e->utid);

    switch (e->field) {
    case ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_CQS_SET:
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0,
                             orma_model_lit(imp->model, "mali_KCPU_CQS_SET"), NULL);
        break;
    case ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_FENCE_SIGNAL:
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0,
                             orma_model_lit(imp->model, "mali_KCPU_FENCE_SIGNAL"), NULL);
        break;
    case ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_CQS_WAIT_START:
        orma_slices_begin(&imp->model->slices, e->ts, track, 0,
                          orma_model_lit(imp->model, "mali_KCPU_CQS_WAIT"), NULL);
        break;
    case ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_FENCE_WAIT_START:
        orma_slices_begin(&imp->model->slices, e->ts, track, 0,
                          orma_model_lit(imp->model, "mali_KCPU_FENCE_WAIT"), NULL);
        break;
    default: /* either wait is over */
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
    }
}

/* ---- power ---- */

/* Values that the power manager of a Pixel sets; they have times of their own. */
static void cpm_value(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t name =
        orma_model_str(imp->model, f.str[ORMA_PB_PARAM_SET_VALUE_CPM_FTRACE_EVENT_BODY]);
    const struct orma_track_dim dim = orma_dim_str(imp->model->known.name, name);
    orma_model_counter(
        imp->model, f.num[ORMA_PB_PARAM_SET_VALUE_CPM_FTRACE_EVENT_TIMESTAMP],
        orma_model_counter_track(imp->model, e->machine, "pixel_cpm_counters", name, NULL, 1, &dim),
        (double)(uint32_t)f.num[ORMA_PB_PARAM_SET_VALUE_CPM_FTRACE_EVENT_VALUE]);
}

#define MCU(state)                                                                                 \
    {                                                                                              \
        ORMA_PB_FTRACE_EVENT_MALI_MALI_PM_MCU_##state, mali_mcu                                    \
    }

const struct orma_kernel_handler orma_kernel_android_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_ION_STAT, ion_stat},
    {ORMA_PB_FTRACE_EVENT_ION_HEAP_GROW, ion_heap},
    {ORMA_PB_FTRACE_EVENT_ION_HEAP_SHRINK, ion_heap},
    {ORMA_PB_FTRACE_EVENT_DMA_HEAP_STAT, dma_heap},
    {ORMA_PB_FTRACE_EVENT_DMABUF_RSS_STAT, dmabuf_rss},
    {ORMA_PB_FTRACE_EVENT_FASTRPC_DMA_STAT, fastrpc},
    {ORMA_PB_FTRACE_EVENT_GPU_MEM_TOTAL, gpu_memory},
    {ORMA_PB_FTRACE_EVENT_KGSL_GPU_FREQUENCY, kgsl_frequency},
    {ORMA_PB_FTRACE_EVENT_GPU_WORK_PERIOD, gpu_work},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_CQS_SET, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_CQS_WAIT_START, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_CQS_WAIT_END, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_FENCE_SIGNAL, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_FENCE_WAIT_START, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_KCPU_FENCE_WAIT_END, mali_queue},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_CSF_INTERRUPT_START, mali_interrupt},
    {ORMA_PB_FTRACE_EVENT_MALI_MALI_CSF_INTERRUPT_END, mali_interrupt},
    {ORMA_PB_FTRACE_EVENT_PARAM_SET_VALUE_CPM, cpm_value},
    MCU(HCTL_CORES_DOWN_SCALE_NOTIFY_PEND),
    MCU(HCTL_CORES_NOTIFY_PEND),
    MCU(HCTL_CORE_INACTIVE_PEND),
    MCU(HCTL_MCU_ON_RECHECK),
    MCU(HCTL_SHADERS_CORE_OFF_PEND),
    MCU(HCTL_SHADERS_PEND_OFF),
    MCU(HCTL_SHADERS_PEND_ON),
    MCU(HCTL_SHADERS_READY_OFF),
    MCU(IN_SLEEP),
    MCU(OFF),
    MCU(ON),
    MCU(ON_CORE_ATTR_UPDATE_PEND),
    MCU(ON_GLB_REINIT_PEND),
    MCU(ON_HALT),
    MCU(ON_HWCNT_DISABLE),
    MCU(ON_HWCNT_ENABLE),
    MCU(ON_PEND_HALT),
    MCU(ON_PEND_SLEEP),
    MCU(ON_SLEEP_INITIATE),
    MCU(PEND_OFF),
    MCU(PEND_ON_RELOAD),
    MCU(POWER_DOWN),
    MCU(RESET_WAIT),
    {0, NULL},
};
