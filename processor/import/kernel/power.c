/*
 * Frequencies, idle states, clocks, temperatures, suspend and hotplug.
 *
 * Most handlers add one counter value: on a track of the cpu (cpu_counter()), or on a track of a
 * device that the event names (device_counter()). Suspend and hotplug have begin and end events,
 * which become slices named by the action and its number; where another cpu may end what one began,
 * the number is left out.
 */
#include "processor/import/kernel/fields.h"

#include "protos/fields/ftrace.h"

static void cpu_counter(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        const char *type, const char *name, int64_t cpu, double value)
{
    if (cpu < 0 || cpu >= ORMA_CPUS_MAX)
        return;
    orma_model_counter(imp->model, e->ts,
                       orma_kernel_cpu_track(imp, e->machine, type, name, (uint32_t)cpu, true),
                       value);
}

static void cpu_frequency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    cpu_counter(imp, e, "cpu_frequency", "cpufreq",
                f.num[ORMA_PB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID],
                (double)f.num[ORMA_PB_CPU_FREQUENCY_FTRACE_EVENT_STATE]);
}

static void cpu_idle(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    cpu_counter(imp, e, "cpu_idle", "cpuidle", f.num[ORMA_PB_CPU_IDLE_FTRACE_EVENT_CPU_ID],
                (double)(uint32_t)f.num[ORMA_PB_CPU_IDLE_FTRACE_EVENT_STATE]);
}

static void cpu_limits(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t cpu = f.num[ORMA_PB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_CPU_ID];
    cpu_counter(imp, e, "cpu_max_frequency_limit", "Cpu # Max Freq Limit", cpu,
                (double)f.num[ORMA_PB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_MAX_FREQ]);
    cpu_counter(imp, e, "cpu_min_frequency_limit", "Cpu # Min Freq Limit", cpu,
                (double)f.num[ORMA_PB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_MIN_FREQ]);
}

static void cpu_util(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t cpu = f.num[ORMA_PB_SCHED_CPU_UTIL_CFS_FTRACE_EVENT_CPU];
    cpu_counter(imp, e, "cpu_utilization", "Cpu # Util", cpu,
                (double)f.num[ORMA_PB_SCHED_CPU_UTIL_CFS_FTRACE_EVENT_CPU_UTIL]);
    cpu_counter(imp, e, "cpu_capacity", "Cpu # Cap", cpu,
                (double)f.num[ORMA_PB_SCHED_CPU_UTIL_CFS_FTRACE_EVENT_CAPACITY]);
    cpu_counter(imp, e, "cpu_nr_running", "Cpu # Nr Running", cpu,
                (double)f.num[ORMA_PB_SCHED_CPU_UTIL_CFS_FTRACE_EVENT_NR_RUNNING]);
}

static void gpu_frequency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t gpu = (uint32_t)f.num[ORMA_PB_GPU_FREQUENCY_FTRACE_EVENT_GPU_ID];
    orma_model_counter(imp->model, e->ts,
                       orma_model_gpu_frequency_track(imp->model, e->machine, gpu),
                       (double)f.num[ORMA_PB_GPU_FREQUENCY_FTRACE_EVENT_STATE]);
}

/* "<name> Frequency" and the like: one dimension, whose text begins the name. */
static void device_counter(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           const char *type, const char *dim, struct orma_str device,
                           const char *suffix, double value)
{
    const struct orma_track_dim d =
        orma_dim_str(orma_model_cstr(imp->model, dim), orma_model_str(imp->model, device));
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "%.*s %s", ORMA_STR_ARG(device), suffix);

    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, type, name, NULL, 1, &d),
                       value);
}

/* clock_* and clk_* have the name in field 1, and the rate or state in field 2. */
static void clock_rate(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    device_counter(imp, e, "clock_frequency", "linux_device", f.str[1], "Frequency",
                   (double)f.num[2]);
}

static void clock_state(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    device_counter(imp, e, "clock_state", "linux_device", f.str[1], "State", (double)f.num[2]);
}

static void thermal(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    device_counter(imp, e, "thermal_temperature", "thermal_zone",
                   f.str[ORMA_PB_THERMAL_TEMPERATURE_FTRACE_EVENT_THERMAL_ZONE], "Temperature",
                   (double)f.num[ORMA_PB_THERMAL_TEMPERATURE_FTRACE_EVENT_TEMP]);
}

static void cooling(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    device_counter(imp, e, "cooling_device_counter", "cdev",
                   f.str[ORMA_PB_CDEV_UPDATE_FTRACE_EVENT_TYPE], "Cooling Device",
                   (double)f.num[ORMA_PB_CDEV_UPDATE_FTRACE_EVENT_TARGET]);
}

static void suspend(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    uint32_t track =
        orma_model_slice_track(imp->model, e->machine, "suspend_resume",
                               orma_model_lit(imp->model, "Suspend/Resume Latency"), 0, NULL);

    orma_event_fields_read(&f, e->payload);
    struct orma_str action = f.str[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_ACTION];
    int64_t val = f.num[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_VAL];
    if (orma_str_eq_c(action, "timekeeping_freeze")) /* a cpu, and another one may end it */
        val = 0;
    uint32_t name = orma_strpool_addf(&imp->model->storage->pool, "%.*s(%lld)",
                                      ORMA_STR_ARG(action), (long long)val);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, imp->model->known.utid, e->utid);
    if (f.num[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_START])
        orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, args);
    else
        orma_slices_end(&imp->model->slices, e->ts, track, 0, name, NULL);
}

static void suspend_minimal(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    uint32_t track =
        orma_model_slice_track(imp->model, e->machine, "suspend_resume_minimal",
                               orma_model_lit(imp->model, "Suspend/Resume Minimal"), 0, NULL);

    orma_event_fields_read(&f, e->payload);
    if (f.num[ORMA_PB_SUSPEND_RESUME_MINIMAL_FTRACE_EVENT_START])
        orma_slices_begin(&imp->model->slices, e->ts, track, 0,
                          orma_model_lit(imp->model, "Suspended"), NULL);
    else
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
}

static void hotplug_enter(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    uint32_t track =
        orma_kernel_cpu_track(imp, e->machine, "cpu_hotplug", "CPU Hotplug #", e->cpu, false);

    orma_event_fields_read(&f, e->payload);
    uint32_t name = orma_strpool_addf(&imp->model->storage->pool, "cpuhp(%lld)",
                                      (long long)f.num[ORMA_PB_CPUHP_ENTER_FTRACE_EVENT_IDX]);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(
        args, orma_model_lit(imp->model, "action"),
        orma_kernel_symbol_text(imp, e, (uint64_t)f.num[ORMA_PB_CPUHP_ENTER_FTRACE_EVENT_FUN]));
    orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, args);
}

static void hotplug_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(
        &imp->model->slices, e->ts,
        orma_kernel_cpu_track(imp, e->machine, "cpu_hotplug", "CPU Hotplug #", e->cpu, false), 0, 0,
        NULL);
}

const struct orma_kernel_handler orma_kernel_power_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_CPU_FREQUENCY, cpu_frequency},
    {ORMA_PB_FTRACE_EVENT_CPU_IDLE, cpu_idle},
    {ORMA_PB_FTRACE_EVENT_CPU_FREQUENCY_LIMITS, cpu_limits},
    {ORMA_PB_FTRACE_EVENT_SCHED_CPU_UTIL_CFS, cpu_util},
    {ORMA_PB_FTRACE_EVENT_GPU_FREQUENCY, gpu_frequency},
    {ORMA_PB_FTRACE_EVENT_CLOCK_SET_RATE, clock_rate},
    {ORMA_PB_FTRACE_EVENT_CLK_SET_RATE, clock_rate},
    {ORMA_PB_FTRACE_EVENT_CLOCK_ENABLE, clock_state},
    {ORMA_PB_FTRACE_EVENT_CLOCK_DISABLE, clock_state},
    {ORMA_PB_FTRACE_EVENT_THERMAL_TEMPERATURE, thermal},
    {ORMA_PB_FTRACE_EVENT_CDEV_UPDATE, cooling},
    {ORMA_PB_FTRACE_EVENT_SUSPEND_RESUME, suspend},
    {ORMA_PB_FTRACE_EVENT_SUSPEND_RESUME_MINIMAL, suspend_minimal},
    {ORMA_PB_FTRACE_EVENT_CPUHP_ENTER, hotplug_enter},
    {ORMA_PB_FTRACE_EVENT_CPUHP_EXIT, hotplug_exit},
    {0, NULL},
};
