/* Graphics: the scheduler of DRM drivers, fences, and commands of virtual graphics cards. */
#include <stdlib.h>

#include "processor/import/ftrace/fields.h"
#include "protos/fields/ftrace.h"

struct gpu_state {
    struct orma_map fences;   /* fence → (ring as pool id) << 32 | job, of jobs that run */
    struct orma_map commands; /* queue and sequence number → index of `starts` */
    struct start {
        int64_t ts;
        uint32_t name;
    } * starts;
    uint32_t starts_num, starts_cap;
};

static struct gpu_state *state_of(struct orma_import *imp)
{
    return orma_import_state(imp, ORMA_STATE_GPU, sizeof(struct gpu_state));
}

static uint32_t named_track(struct orma_import *imp, const struct orma_ftrace_event *e,
                            const char *type, uint32_t key, uint32_t name)
{
    const struct orma_track_dim dim = orma_dim_str(imp->words.name, key);

    return orma_import_slice_track(imp, e->machine, type, name, 1, &dim);
}

/* ---- jobs ---- */

static uint32_t ring_track(struct orma_import *imp, const struct orma_ftrace_event *e,
                           uint32_t ring)
{
    return named_track(imp, e, "drm_sched_ring", ring,
                       orma_strpool_addf(&imp->storage->pool, "sched-%s",
                                         orma_strpool_cstr(&imp->storage->pool, ring)));
}

static void queue_instant(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    orma_slices_complete(&imp->slices, e->ts, 0, orma_import_thread_track(imp, e->machine, e->utid),
                         0, orma_import_lit(imp, "drm_sched_job_queue"), &imp->args);
}

static void put_ring(struct orma_import *imp, uint32_t ring)
{
    orma_args_list_clear(&imp->args);
    orma_args_put_str(&imp->args, orma_import_lit(imp, "gpu sched ring"), ring);
}

static void job_queued(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    put_ring(imp, orma_import_str(imp, f.str[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_NAME]));
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "gpu sched job"),
                       (uint64_t)f.num[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_ID]);
    queue_instant(imp, e);
}

static void job_starts(struct orma_import *imp, const struct orma_ftrace_event *e, uint64_t fence,
                       uint32_t ring)
{
    struct gpu_state *st = state_of(imp);

    if (st && orma_map_put(&st->fences, fence, ring))
        imp->storage->failed = true;
    orma_slices_begin(&imp->slices, e->ts, ring_track(imp, e, ring), 0, orma_import_lit(imp, "job"),
                      &imp->args);
}

static void job_ends(struct orma_import *imp, const struct orma_ftrace_event *e, uint64_t fence)
{
    struct gpu_state *st = state_of(imp);
    uint64_t ring = st ? orma_map_take(&st->fences, fence) : ORMA_MAP_NONE;

    if (ring != ORMA_MAP_NONE)
        orma_slices_end(&imp->slices, e->ts, ring_track(imp, e, (uint32_t)ring), 0, 0, NULL);
}

static void job_run(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t ring = orma_import_str(imp, f.str[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_NAME]);
    put_ring(imp, ring);
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "gpu sched job"),
                       (uint64_t)f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_ID]);
    job_starts(imp, e, (uint64_t)f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_FENCE], ring);
}

static void job_processed(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    job_ends(imp, e, (uint64_t)f.num[ORMA_PB_DRM_SCHED_PROCESS_JOB_FTRACE_EVENT_FENCE]);
}

/* Since Linux 6.17 a fence is a context and a number. */
static uint64_t fence_of(int64_t context, int64_t seqno)
{
    return (uint64_t)context << 32 ^ (uint64_t)seqno;
}

static void put_fence(struct orma_import *imp, int64_t context, int64_t seqno)
{
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "fence context"), (uint64_t)context);
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "fence seqno"), (uint64_t)seqno);
}

static void job_queue(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    put_ring(imp, orma_import_str(imp, f.str[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_NAME]));
    put_fence(imp, f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_CONTEXT],
              f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_SEQNO]);
    queue_instant(imp, e);
}

static void job_run_617(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t context = f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_CONTEXT];
    int64_t seqno = f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_SEQNO];
    uint32_t ring = orma_import_str(imp, f.str[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_NAME]);
    put_ring(imp, ring);
    put_fence(imp, context, seqno);
    job_starts(imp, e, fence_of(context, seqno), ring);
}

static void job_done(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    job_ends(imp, e,
             fence_of(f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_CONTEXT],
                      f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_SEQNO]));
}

/* ---- fences ---- */

static void wait_start(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    orma_args_list_clear(&imp->args);
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "fence context"),
                       (uint64_t)f.num[ORMA_PB_DMA_FENCE_WAIT_START_FTRACE_EVENT_CONTEXT]);
    orma_args_put_uint(&imp->args, orma_import_lit(imp, "fence seqno"),
                       (uint64_t)f.num[ORMA_PB_DMA_FENCE_WAIT_START_FTRACE_EVENT_SEQNO]);
    orma_slices_begin(&imp->slices, e->ts, orma_import_thread_track(imp, e->machine, e->utid), 0,
                      orma_import_lit(imp, "dma_fence_wait"), &imp->args);
}

static void wait_end(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    orma_slices_end(&imp->slices, e->ts, orma_import_thread_track(imp, e->machine, e->utid), 0, 0,
                    NULL);
}

/* ---- virtual graphics cards ---- */

static const char *command_name(uint64_t type)
{
    static const char *const two_d[] = {
        "GET_DISPLAY_INFO",
        "RESOURCE_CREATE_2D",
        "RESOURCE_UNREF",
        "SET_SCANOUT",
        "RESOURCE_FLUSH",
        "TRANSFER_TO_HOST_2D",
        "RESOURCE_ATTACH_BACKING",
        "RESOURCE_DETACH_BACKING",
        "GET_CAPSET_INFO",
        "GET_CAPSET",
        "GET_EDID",
        "RESOURCE_ASSIGN_UUID",
        "RESOURCE_CREATE_BLOB",
        "SET_SCANOUT_BLOB",
    };
    static const char *const three_d[] = {
        "CTX_CREATE",         "CTX_DESTROY",         "CTX_ATTACH_RESOURCE",   "CTX_DETACH_RESOURCE",
        "RESOURCE_CREATE_3D", "TRANSFER_TO_HOST_3D", "TRANSFER_FROM_HOST_3D", "SUBMIT_3D",
        "RESOURCE_MAP_BLOB",  "RESOURCE_UNMAP_BLOB",
    };

    if (type >= 0x100 && type - 0x100 < ORMA_ARRAY_LEN(two_d))
        return two_d[type - 0x100];
    if (type >= 0x200 && type - 0x200 < ORMA_ARRAY_LEN(three_d))
        return three_d[type - 0x200];
    if (type == 0x300)
        return "UPDATE_CURSOR";
    return type == 0x301 ? "MOVE_CURSOR" : NULL;
}

static uint64_t command_key(const struct orma_event_fields *f)
{
    return (uint64_t)f->num[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_VQ] << 32 |
           (uint32_t)f->num[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_SEQNO];
}

static void command_queue(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;
    struct gpu_state *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    uint64_t type = (uint64_t)f.num[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_TYPE];
    const char *name = command_name(type);
    if (!st)
        return;
    if (st->starts_num == st->starts_cap) {
        uint32_t cap = st->starts_cap ? st->starts_cap * 2 : 64;
        struct start *starts = realloc(st->starts, cap * sizeof(*starts));

        if (!starts) {
            imp->storage->failed = true;
            return;
        }
        st->starts = starts;
        st->starts_cap = cap;
    }
    st->starts[st->starts_num] = (struct start){
        e->ts, name ? orma_import_cstr(imp, name)
                    : orma_strpool_addf(&imp->storage->pool, "0x%llx", (unsigned long long)type)};
    if (orma_map_put(&st->commands, command_key(&f), st->starts_num++))
        imp->storage->failed = true;
}

static void command_response(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_event_fields f;
    struct gpu_state *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    uint64_t idx = st ? orma_map_take(&st->commands, command_key(&f)) : ORMA_MAP_NONE;
    if (idx == ORMA_MAP_NONE)
        return;
    /* Commands of a queue overlap as they like: no stack. */
    bool cursor = orma_str_eq_c(f.str[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_NAME], "cursor");
    const char *queue = cursor ? "Virtgpu Cursor Queue" : "Virtgpu Control Queue";
    uint32_t name = orma_import_cstr(imp, queue);
    const struct start *s = &st->starts[idx];

    orma_slices_add_row(&imp->slices, s->ts, e->ts - s->ts,
                        named_track(imp, e, "virtgpu_queue_event", name, name), 0, s->name);
}

static void fini(struct orma_import *imp)
{
    struct gpu_state *st = imp->state[ORMA_STATE_GPU];

    if (st) {
        orma_map_fini(&st->fences);
        orma_map_fini(&st->commands);
        free(st->starts);
    }
}

static const uint16_t no_fields[] = {0};
const struct orma_module orma_module_gpu = {.name = "gpu", .fields = no_fields, .fini = fini};

const struct orma_ftrace_handler orma_ftrace_handlers_gpu[] = {
    {ORMA_PB_FTRACE_EVENT_DRM_SCHED_JOB, job_queued},
    {ORMA_PB_FTRACE_EVENT_DRM_RUN_JOB, job_run},
    {ORMA_PB_FTRACE_EVENT_DRM_SCHED_PROCESS_JOB, job_processed},
    {ORMA_PB_FTRACE_EVENT_DRM_SCHED_JOB_QUEUE, job_queue},
    {ORMA_PB_FTRACE_EVENT_DRM_SCHED_JOB_RUN, job_run_617},
    {ORMA_PB_FTRACE_EVENT_DRM_SCHED_JOB_DONE, job_done},
    {ORMA_PB_FTRACE_EVENT_DMA_FENCE_WAIT_START, wait_start},
    {ORMA_PB_FTRACE_EVENT_DMA_FENCE_WAIT_END, wait_end},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_GPU_CMD_QUEUE, command_queue},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_GPU_CMD_RESPONSE, command_response},
    {0, NULL},
};
