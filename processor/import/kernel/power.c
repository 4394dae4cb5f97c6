/*
 * Frequencies, idle states, clocks, temperatures, suspend and hotplug.
 *
 * Most handlers add one counter value: on a track of the cpu (cpu_counter()), or on a track of a
 * device that the event names (device_counter()). Suspend and hotplug have begin and end events,
 * which become slices named by the action and its number; where another cpu may end what one began,
 * the number is left out.
 */
#include "processor/import/kernel/fields.h"

#include "processor/model/async.h"
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

/* The power state that a Mali card has now. */
static void mali_power(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, "mali_gpu_power_state",
                                                orma_model_lit(imp->model, "mali_gpu_power_state"),
                                                NULL, 0, NULL),
                       (double)f.num[ORMA_PB_MALI_GPU_POWER_STATE_FTRACE_EVENT_TO_STATE]);
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
    device_counter(imp, e, "cooling_device_counter", "linux_device",
                   f.str[ORMA_PB_CDEV_UPDATE_FTRACE_EVENT_TYPE], "Cooling Device",
                   (double)f.num[ORMA_PB_CDEV_UPDATE_FTRACE_EVENT_TARGET]);
}

/* ---- suspend ---- */

/* How far a machine is on its way into suspend. */
enum { AWAKE, ENTERED, FROZEN };

struct orma_kernel_power {
    struct suspend_way {
        uint8_t stage;
        uint32_t enter; /* pool id of suspend_enter's name, with its number */
    } ways[ORMA_MACHINES_MAX];
};

static struct orma_track_spec suspend_spec(struct orma_import_ctx *imp,
                                           const struct orma_kernel_event *e)
{
    return (struct orma_track_spec){
        .type = "suspend_resume",
        .event = ORMA_TRACK_SLICES,
        .machine = e->machine,
        .name = orma_model_lit(imp->model, "Suspend/Resume Latency"),
        .parent = ORMA_TRACK_NONE,
    };
}

static void end_suspend(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        uint32_t name)
{
    const struct orma_track_spec spec = suspend_spec(imp, e);

    orma_slices_end(&imp->model->slices, e->ts, orma_async_end(imp->model, &spec, name, e->ts), 0,
                    name, NULL);
}

static void begin_suspend(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                          uint32_t name)
{
    const struct orma_track_spec spec = suspend_spec(imp, e);

    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, imp->model->known.utid, e->utid);
    orma_args_put_str(args, orma_model_lit(imp->model, "event_type"),
                      orma_model_lit(imp->model, "Main Kernel Suspend Event"));
    orma_args_put_uint(args, imp->model->known.cpu, e->cpu);
    /* Of devices' own steps, which share the track. */
    orma_args_put_str(args, orma_model_lit(imp->model, "device_name"), 0);
    orma_args_put_str(args, orma_model_lit(imp->model, "driver_name"), 0);
    orma_args_put_str(args, orma_model_lit(imp->model, "callback_phase"), 0);
    orma_slices_begin(&imp->model->slices, e->ts,
                      orma_async_begin(imp->model, &spec, name, e->ts, false), 0, name, args);
}

/*
 * A suspend that fails after processes were frozen thaws them, and never tells the end of
 * suspend_enter: it is over then.
 */
static void follow_suspend(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           struct orma_str action, bool starts, uint32_t name)
{
    struct orma_kernel_power *st =
        orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->power, sizeof(*st));
    struct suspend_way *way = st ? &st->ways[e->machine] : NULL;

    if (!way)
        return;
    if (orma_str_eq_c(action, "suspend_enter")) {
        *way = (struct suspend_way){starts ? ENTERED : AWAKE, name};
    } else if (way->stage == ENTERED && starts && orma_str_eq_c(action, "freeze_processes")) {
        way->stage = FROZEN;
    } else if (way->stage == FROZEN && !starts && orma_str_eq_c(action, "thaw_processes")) {
        way->stage = AWAKE;
        end_suspend(imp, e, way->enter);
    }
}

static void suspend(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    struct orma_str action = f.str[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_ACTION];
    int64_t val = f.num[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_VAL];
    bool starts = f.num[ORMA_PB_SUSPEND_RESUME_FTRACE_EVENT_START];
    if (orma_str_eq_c(action, "timekeeping_freeze")) /* a cpu, and another one may end it */
        val = 0;
    uint32_t name = orma_strpool_addf(&imp->model->storage->pool, "%.*s(%lld)",
                                      ORMA_STR_ARG(action), (long long)val);
    if (starts)
        begin_suspend(imp, e, name);
    else
        end_suspend(imp, e, name);
    follow_suspend(imp, e, action, starts, name);
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

/* ---- hotplug ---- */

/* What is plugged, which need not be the cpu that does it. */
static uint32_t hotplug_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              int64_t cpu)
{
    if (cpu < 0 || cpu >= ORMA_CPUS_MAX)
        return ORMA_TRACK_NONE;
    return orma_kernel_cpu_track(imp, e->machine, "cpu_hotplug", "CPU Hotplug #", (uint32_t)cpu,
                                 false);
}

static void hotplug_enter(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t idx = f.num[ORMA_PB_CPUHP_ENTER_FTRACE_EVENT_IDX];
    uint32_t track = hotplug_track(imp, e, f.num[ORMA_PB_CPUHP_ENTER_FTRACE_EVENT_CPU]);
    if (track == ORMA_TRACK_NONE)
        return;
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "action_cpu"), e->cpu);
    orma_args_put_int(args, orma_model_lit(imp->model, "cpuhp_idx"), idx);
    orma_slices_begin(&imp->model->slices, e->ts, track, imp->model->known.cpu,
                      orma_strpool_addf(&imp->model->storage->pool, "cpuhp(%lld)", (long long)idx),
                      args);
}

static void hotplug_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t track = hotplug_track(imp, e, f.num[ORMA_PB_CPUHP_EXIT_FTRACE_EVENT_CPU]);
    if (track != ORMA_TRACK_NONE)
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
}

const struct orma_kernel_handler orma_kernel_power_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_CPU_FREQUENCY, cpu_frequency},
    {ORMA_PB_FTRACE_EVENT_CPU_IDLE, cpu_idle},
    {ORMA_PB_FTRACE_EVENT_CPU_FREQUENCY_LIMITS, cpu_limits},
    {ORMA_PB_FTRACE_EVENT_SCHED_CPU_UTIL_CFS, cpu_util},
    {ORMA_PB_FTRACE_EVENT_GPU_FREQUENCY, gpu_frequency},
    {ORMA_PB_FTRACE_EVENT_MALI_GPU_POWER_STATE, mali_power},
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
