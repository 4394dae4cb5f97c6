/*
 * Graphics: the scheduler of DRM drivers, fences, and commands of virtual graphics cards.
 *
 * A job goes through a ring of the card: queued (an instant), running (a slice on the ring's
 * track), done. The event that ends it names only the fence, so `fences` maps the fence of a
 * running job to its ring. Before Linux 6.17 a fence is an address, since then a context and a
 * sequence number; both give a key of the same map.
 *
 * Commands of virtual cards overlap freely, so they cannot be a stack of slices: their start is
 * kept until the response arrives, and the row is added then.
 */
#include <stdlib.h>

#include "processor/import/kernel/fields.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/vec.h"

struct orma_kernel_gpu {
    struct orma_map fences;   /* fence of a running job → its ring, as pool id */
    struct orma_map commands; /* queue and sequence number → index of `starts` */
    struct start {
        int64_t ts;
        uint32_t name;
    } * starts;
    uint32_t starts_num, starts_cap;
};

static struct orma_kernel_gpu *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->gpu,
                           sizeof(struct orma_kernel_gpu));
}

static uint32_t named_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                            const char *type, uint32_t key, uint32_t name)
{
    const struct orma_track_dim dim = orma_dim_str(imp->model->known.name, key);

    return orma_model_slice_track(imp->model, e->machine, type, name, 1, &dim);
}

/* ---- jobs ---- */

static uint32_t ring_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           uint32_t ring)
{
    return named_track(imp, e, "drm_sched_ring", ring,
                       orma_strpool_addf(&imp->model->storage->pool, "sched-%s",
                                         orma_strpool_cstr(&imp->model->storage->pool, ring)));
}

static void queue_instant(struct orma_import_ctx *imp, struct orma_args_list *args,
                          const struct orma_kernel_event *e)
{
    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_thread_track(imp->model, e->machine, e->utid), 0,
                         orma_model_lit(imp->model, "drm_sched_job_queue"), args);
}

static void put_ring(struct orma_import_ctx *imp, struct orma_args_list *args, uint32_t ring)
{
    orma_args_put_str(args, orma_model_lit(imp->model, "gpu sched ring"), ring);
}

static void job_queued(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    put_ring(imp, args, orma_model_str(imp->model, f.str[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_NAME]));
    orma_args_put_uint(args, orma_model_lit(imp->model, "gpu sched job"),
                       (uint64_t)f.num[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_ID]);
    queue_instant(imp, args, e);
}

static void job_starts(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_kernel_event *e, uint64_t fence, uint32_t ring)
{
    struct orma_kernel_gpu *st = state_of(imp);

    if (st && orma_map_put(&st->fences, fence, ring))
        imp->model->storage->failed = true;
    orma_slices_begin(&imp->model->slices, e->ts, ring_track(imp, e, ring), 0,
                      orma_model_lit(imp->model, "job"), args);
}

static void job_ends(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint64_t fence)
{
    struct orma_kernel_gpu *st = state_of(imp);
    uint64_t ring = st ? orma_map_take(&st->fences, fence) : ORMA_MAP_NONE;

    if (ring != ORMA_MAP_NONE)
        orma_slices_end(&imp->model->slices, e->ts, ring_track(imp, e, (uint32_t)ring), 0, 0, NULL);
}

static void job_run(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t ring = orma_model_str(imp->model, f.str[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_NAME]);
    put_ring(imp, args, ring);
    orma_args_put_uint(args, orma_model_lit(imp->model, "gpu sched job"),
                       (uint64_t)f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_ID]);
    job_starts(imp, args, e, (uint64_t)f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_FENCE], ring);
}

static void job_processed(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    job_ends(imp, e, (uint64_t)f.num[ORMA_PB_DRM_SCHED_PROCESS_JOB_FTRACE_EVENT_FENCE]);
}

/* The key of a fence since Linux 6.17: a context and a sequence number. */
static uint64_t fence_of(int64_t context, int64_t seqno)
{
    return (uint64_t)context << 32 ^ (uint64_t)seqno;
}

static void put_fence(struct orma_import_ctx *imp, struct orma_args_list *args, int64_t context,
                      int64_t seqno)
{
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence context"), (uint64_t)context);
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence seqno"), (uint64_t)seqno);
}

static void job_queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    put_ring(imp, args,
             orma_model_str(imp->model, f.str[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_NAME]));
    put_fence(imp, args, f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_CONTEXT],
              f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_SEQNO]);
    queue_instant(imp, args, e);
}

static void job_run_617(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t context = f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_CONTEXT];
    int64_t seqno = f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_SEQNO];
    uint32_t ring = orma_model_str(imp->model, f.str[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_NAME]);
    put_ring(imp, args, ring);
    put_fence(imp, args, context, seqno);
    job_starts(imp, args, e, fence_of(context, seqno), ring);
}

static void job_done(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    job_ends(imp, e,
             fence_of(f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_CONTEXT],
                      f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_SEQNO]));
}

/* ---- fences ---- */

static void wait_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence context"),
                       (uint64_t)f.num[ORMA_PB_DMA_FENCE_WAIT_START_FTRACE_EVENT_CONTEXT]);
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence seqno"),
                       (uint64_t)f.num[ORMA_PB_DMA_FENCE_WAIT_START_FTRACE_EVENT_SEQNO]);
    orma_slices_begin(&imp->model->slices, e->ts,
                      orma_model_thread_track(imp->model, e->machine, e->utid), 0,
                      orma_model_lit(imp->model, "dma_fence_wait"), args);
}

static void wait_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, 0, NULL);
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

static void command_queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_gpu *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    uint64_t type = (uint64_t)f.num[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_TYPE];
    const char *name = command_name(type);
    if (!st)
        return;
    if (ORMA_GROW(&st->starts, &st->starts_cap, st->starts_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    st->starts[st->starts_num] =
        (struct start){e->ts, name ? orma_model_cstr(imp->model, name)
                                   : orma_strpool_addf(&imp->model->storage->pool, "0x%llx",
                                                       (unsigned long long)type)};
    if (orma_map_put(&st->commands, command_key(&f), st->starts_num++))
        imp->model->storage->failed = true;
}

static void command_response(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_gpu *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    uint64_t idx = st ? orma_map_take(&st->commands, command_key(&f)) : ORMA_MAP_NONE;
    if (idx == ORMA_MAP_NONE)
        return;
    /* Commands of a queue overlap as they like: no stack. */
    bool cursor = orma_str_eq_c(f.str[ORMA_PB_VIRTIO_GPU_CMD_QUEUE_FTRACE_EVENT_NAME], "cursor");
    const char *queue = cursor ? "Virtgpu Cursor Queue" : "Virtgpu Control Queue";
    uint32_t name = orma_model_cstr(imp->model, queue);
    ORMA_ASSERT_HOT(idx < st->starts_num);
    const struct start *s = &st->starts[idx];

    orma_slices_add_row(&imp->model->slices, s->ts, e->ts - s->ts,
                        named_track(imp, e, "virtgpu_queue_event", name, name), 0, s->name);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_gpu *st = orma_kernel(imp)->gpu;

    if (st) {
        orma_map_fini(&st->fences);
        orma_map_fini(&st->commands);
        free(st->starts);
    }
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_gpu_importer = {
    .name = "gpu", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_gpu_handlers[] = {
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
