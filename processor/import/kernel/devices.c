/*
 * Devices: buses, power states, frequencies, wake-up sources, fences and frames of displays.
 *
 * State is kept only where an event does not suffice: the power state that is shown for a device,
 * how often a wake-up source is held (its slice lasts from the first to the last holder), and the
 * fences of each timeline. A timeline signals its fences in order, so they are a queue, and its
 * track shows the oldest fence that is not signaled yet:
 *
 *   waiting   [ ... | 7 | 8 | 9 | ... ]       signaled 8: pops 7 and 8, shows 9
 *                     ^ from      ^ from + num
 */
#include <stdlib.h>

#include "processor/import/kernel/fields.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/vec.h"

/* What is under way, by pool id of a name. */
struct orma_kernel_devices {
    struct orma_map active; /* device → 1: its power state is shown */
    struct orma_map locks;  /* wake-up source → how often it is held */
    struct orma_map fences; /* timeline: context → struct timeline * */
};

/* Fences of one context are signaled in order; what shows is the oldest that waits. */
struct timeline {
    uint32_t track;
    bool emits; /* fences are announced when they are emitted, not when they are made */
    uint32_t *waiting, from, num, cap;
};

static struct orma_kernel_devices *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->devices,
                           sizeof(struct orma_kernel_devices));
}

/* ---- i2c ---- */

static uint32_t bus_name(struct orma_import_ctx *imp, const struct orma_event_fields *f)
{
    return orma_strpool_addf(&imp->model->storage->pool, "i2c-%lld", (long long)f->num[1]);
}

/* Messages to a bus, until it has answered all of them. */
static void i2c_begin(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_slices_begin(&imp->model->slices, e->ts,
                      orma_model_thread_track(imp->model, e->machine, e->utid), 0,
                      bus_name(imp, &f), NULL);
}

static void i2c_result(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, bus_name(imp, &f),
                    NULL);
}

/* ---- power states ---- */

enum { RPM_ACTIVE, RPM_RESUMING, RPM_SUSPENDED, RPM_SUSPENDING };

/* Devices are suspended most of the time: that is not a slice. */
static void rpm_status(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_devices *st = state_of(imp);
    struct orma_event_fields f;
    const char *state = "Invalid State";

    orma_event_fields_read(&f, e->payload);
    uint32_t device = orma_model_str(imp->model, f.str[ORMA_PB_RPM_STATUS_FTRACE_EVENT_NAME]);
    int32_t status = (int32_t)f.num[ORMA_PB_RPM_STATUS_FTRACE_EVENT_STATUS];
    const struct orma_track_dim dim =
        orma_dim_str(orma_model_lit(imp->model, "linux_device"), device);
    /* Slices, but on what the reference calls a counter. */
    uint32_t track =
        orma_model_counter_track(imp->model, e->machine, "linux_rpm", 0, NULL, 1, &dim);

    if (st && orma_map_take(&st->active, (uint64_t)e->machine << 32 | device) != ORMA_MAP_NONE)
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
    if (!st || status == RPM_SUSPENDED)
        return;
    if (status == RPM_ACTIVE)
        state = "Active";
    else if (status == RPM_RESUMING)
        state = "Resuming";
    else if (status == RPM_SUSPENDING)
        state = "Suspending";
    orma_slices_begin(&imp->model->slices, e->ts, track, 0, orma_model_cstr(imp->model, state),
                      NULL);
    if (orma_map_put(&st->active, (uint64_t)e->machine << 32 | device, 1))
        imp->model->storage->failed = true;
}

static uint32_t lock_name(struct orma_import_ctx *imp, struct orma_str source)
{
    return orma_strpool_addf(&imp->model->storage->pool, "Wakelock(%.*s)", ORMA_STR_ARG(source));
}

static uint32_t lock_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           struct orma_str source, uint32_t *ret_name)
{
    const struct orma_track_dim dim = orma_dim_str(orma_model_lit(imp->model, "wakelock_event"),
                                                   orma_model_str(imp->model, source));

    *ret_name = lock_name(imp, source);
    return orma_model_slice_track(imp->model, e->machine, "wakesource_wakelock", *ret_name, 1,
                                  &dim);
}

static bool is_held(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint32_t name)
{
    struct orma_kernel_devices *st = state_of(imp);
    uint64_t held = st ? orma_map_get(&st->locks, (uint64_t)e->machine << 32 | name) : 0;

    return held && held != ORMA_MAP_NONE;
}

/* How often the lock is held by now, after `change`. */
static uint64_t count_lock(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           uint32_t name, int change)
{
    struct orma_kernel_devices *st = state_of(imp);
    uint64_t key = (uint64_t)e->machine << 32 | name;
    uint64_t held = st ? orma_map_get(&st->locks, key) : 0;

    held = held == ORMA_MAP_NONE ? 0 : held;
    if (change > 0)
        held++;
    else if (held)
        held--;
    if (st && orma_map_put(&st->locks, key, held))
        imp->model->storage->failed = true;
    return held;
}

static void lock_taken(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    uint32_t name;

    orma_event_fields_read(&f, e->payload);
    uint32_t track =
        lock_track(imp, e, f.str[ORMA_PB_WAKEUP_SOURCE_ACTIVATE_FTRACE_EVENT_NAME], &name);
    if (count_lock(imp, e, name, 1) == 1)
        orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, NULL);
}

static void lock_given(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    uint32_t name;

    orma_event_fields_read(&f, e->payload);
    struct orma_str source = f.str[ORMA_PB_WAKEUP_SOURCE_DEACTIVATE_FTRACE_EVENT_NAME];
    if (!is_held(imp, e, lock_name(imp, source)))
        return;
    uint32_t track = lock_track(imp, e, source, &name);
    if (count_lock(imp, e, name, -1) == 0)
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
}

/* ---- frequencies ---- */

/* "10000000.devfreq_dsu" is "dsufreq", as cpus have "cpufreq"; others are not shown. */
static void device_frequency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    const char *mark;

    orma_event_fields_read(&f, e->payload);
    struct orma_str device = f.str[ORMA_PB_DEVFREQ_FREQUENCY_FTRACE_EVENT_DEV_NAME];
    if (!device.data || !(mark = orma_str_find(device, ORMA_STR("devfreq_"))))
        return;
    int len = (int)(device.data + device.len - (mark + 8));
    const struct orma_track_dim dim =
        orma_dim_str(orma_model_lit(imp->model, "linux_device"),
                     orma_strpool_addf(&imp->model->storage->pool, "%.*sfreq", len, mark + 8));
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "%.*sfreq Frequency", len, mark + 8);
    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, "linux_device_frequency",
                                                name, NULL, 1, &dim),
                       (double)(uint64_t)f.num[ORMA_PB_DEVFREQ_FREQUENCY_FTRACE_EVENT_FREQ]);
}

/* The limit that the hardware sets itself. */
static void throttled_frequency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t cpu = (uint64_t)f.num[ORMA_PB_DCVSH_FREQ_FTRACE_EVENT_CPU];
    if (cpu < ORMA_CPUS_MAX)
        orma_model_counter(imp->model, e->ts,
                           orma_kernel_cpu_track(imp, e->machine, "cpu_frequency_throttle",
                                                 "cpufreq_throttle", (uint32_t)cpu, true),
                           (double)(uint64_t)f.num[ORMA_PB_DCVSH_FREQ_FTRACE_EVENT_FREQ]);
}

/* ---- displays ---- */

static void vblank(struct orma_import_ctx *imp, const struct orma_kernel_event *e, const char *name,
                   int64_t crtc, int64_t seq)
{
    const struct orma_track_dim dim = orma_dim(orma_model_lit(imp->model, "drm_crtc"), crtc);
    uint32_t track = orma_model_slice_track(
        imp->model, e->machine, "drm_vblank",
        orma_strpool_addf(&imp->model->storage->pool, "vblank-%d", (int)crtc), 1, &dim);

    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "vblank seqno"), (uint64_t)seq);
    orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0, orma_model_cstr(imp->model, name),
                         args);
}

static void vblank_event(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    vblank(imp, e, "signal", f.num[ORMA_PB_DRM_VBLANK_EVENT_FTRACE_EVENT_CRTC],
           f.num[ORMA_PB_DRM_VBLANK_EVENT_FTRACE_EVENT_SEQ]);
}

static void vblank_delivered(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    vblank(imp, e, "deliver", f.num[ORMA_PB_DRM_VBLANK_EVENT_DELIVERED_FTRACE_EVENT_CRTC],
           f.num[ORMA_PB_DRM_VBLANK_EVENT_DELIVERED_FTRACE_EVENT_SEQ]);
}

/* ---- fences ---- */

/* init, emit and signaled have their fields under the same numbers. */
static struct timeline *timeline_of(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                    const struct orma_event_fields *f)
{
    struct orma_kernel_devices *st = state_of(imp);
    uint32_t context = (uint32_t)f->num[ORMA_PB_DMA_FENCE_INIT_FTRACE_EVENT_CONTEXT];
    struct orma_str name = f->str[ORMA_PB_DMA_FENCE_INIT_FTRACE_EVENT_TIMELINE];
    uint64_t key = (uint64_t)e->machine << 32 | context;
    struct timeline *t = st ? orma_map_get_ptr(&st->fences, key) : NULL;

    if (t || !st)
        return t;
    t = calloc(1, sizeof(*t));
    if (!t || orma_map_put_ptr(&st->fences, key, t)) {
        free(t);
        imp->model->storage->failed = true;
        return NULL;
    }
    const struct orma_track_dim dims[] = {
        orma_dim_str(imp->model->known.name, orma_model_str(imp->model, name)),
        orma_dim(orma_model_lit(imp->model, "context"), context),
    };
    t->track = orma_model_slice_track(
        imp->model, e->machine, "drm_fence",
        orma_strpool_addf(&imp->model->storage->pool, "fence-%.*s-%u", ORMA_STR_ARG(name), context),
        2, dims);
    return t;
}

static void show_fence(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       const struct timeline *t)
{
    ORMA_MODEL_ARGS(args, imp->model);
    ORMA_ASSERT(t->num && t->from + t->num <= t->cap);
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence seqno"), t->waiting[t->from]);
    orma_slices_begin(&imp->model->slices, e->ts, t->track, 0, orma_model_lit(imp->model, "fence"),
                      args);
}

static void add_fence(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct timeline *t, uint32_t seqno)
{
    if (t->from + t->num == t->cap && t->from > t->cap / 2) {
        memmove(t->waiting, t->waiting + t->from, t->num * sizeof(*t->waiting));
        t->from = 0;
    }
    if (ORMA_GROW(&t->waiting, &t->cap, t->from + t->num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    t->waiting[t->from + t->num++] = seqno;
    if (t->num == 1)
        show_fence(imp, e, t);
}

static void fence_made(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    struct timeline *t = timeline_of(imp, e, &f);
    if (t && !t->emits)
        add_fence(imp, e, t, (uint32_t)f.num[ORMA_PB_DMA_FENCE_INIT_FTRACE_EVENT_SEQNO]);
}

static void fence_emitted(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    struct timeline *t = timeline_of(imp, e, &f);
    if (!t)
        return;
    if (!t->emits) { /* what was made before counts from here on */
        if (t->num)
            orma_slices_end(&imp->model->slices, e->ts, t->track, 0, 0, NULL);
        t->emits = true;
        t->from = t->num = 0;
    }
    add_fence(imp, e, t, (uint32_t)f.num[ORMA_PB_DMA_FENCE_EMIT_FTRACE_EVENT_SEQNO]);
}

static void fence_signaled(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    struct timeline *t = timeline_of(imp, e, &f);
    uint32_t seqno = (uint32_t)f.num[ORMA_PB_DMA_FENCE_SIGNALED_FTRACE_EVENT_SEQNO];
    while (t && t->num && t->waiting[t->from] <= seqno) {
        orma_slices_end(&imp->model->slices, e->ts, t->track, 0, 0, NULL);
        t->from++;
        if (--t->num)
            show_fence(imp, e, t);
    }
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_devices *st = orma_kernel(imp)->devices;

    if (!st)
        return;
    ORMA_MAP_EACH (slot, &st->fences) {
        struct timeline *t = (struct timeline *)(uintptr_t)slot->val;

        free(t->waiting);
        free(t);
    }
    orma_map_fini(&st->active);
    orma_map_fini(&st->locks);
    orma_map_fini(&st->fences);
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_devices_importer = {
    .name = "devices", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_devices_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_I2C_READ, i2c_begin},
    {ORMA_PB_FTRACE_EVENT_I2C_WRITE, i2c_begin},
    {ORMA_PB_FTRACE_EVENT_I2C_RESULT, i2c_result},
    {ORMA_PB_FTRACE_EVENT_RPM_STATUS, rpm_status},
    {ORMA_PB_FTRACE_EVENT_WAKEUP_SOURCE_ACTIVATE, lock_taken},
    {ORMA_PB_FTRACE_EVENT_WAKEUP_SOURCE_DEACTIVATE, lock_given},
    {ORMA_PB_FTRACE_EVENT_DEVFREQ_FREQUENCY, device_frequency},
    {ORMA_PB_FTRACE_EVENT_DCVSH_FREQ, throttled_frequency},
    {ORMA_PB_FTRACE_EVENT_DRM_VBLANK_EVENT, vblank_event},
    {ORMA_PB_FTRACE_EVENT_DRM_VBLANK_EVENT_DELIVERED, vblank_delivered},
    {ORMA_PB_FTRACE_EVENT_DMA_FENCE_INIT, fence_made},
    {ORMA_PB_FTRACE_EVENT_DMA_FENCE_EMIT, fence_emitted},
    {ORMA_PB_FTRACE_EVENT_DMA_FENCE_SIGNALED, fence_signaled},
    {0, NULL},
};
