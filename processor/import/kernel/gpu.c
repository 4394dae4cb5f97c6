/*
 * Graphics: the scheduler of DRM drivers, fences, and commands of virtual graphics cards.
 *
 * A job goes through a ring of the card: queued (an instant), running, done. A ring is a queue, and
 * its track shows one job at a time, the oldest that runs; when that is done the next one shows.
 * The event that ends it names only the fence, so `fences` maps the fence of a running job to its
 * ring. Before Linux 6.17 a fence is an address and a job has a number, since then a context and a
 * sequence number are both.
 *
 *   running   [ ... | 13481 | 13482 | ... ]       done: ends 13481, begins 13482
 *                     ^ from  (shown)
 *
 * Commands of virtual cards overlap freely, so they cannot be a stack of slices: their start is
 * kept until the response arrives, and the row is added then.
 */
#include <stdlib.h>

#include "processor/import/kernel/fields.h"
#include "processor/model/flows.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

/* How a job is known: by its number, or by its fence. */
struct job {
    bool has_fence;
    uint64_t id, context, seqno;
};

struct ring {
    uint32_t track;
    struct job *running;
    uint32_t from, num, cap;
};

struct orma_kernel_gpu {
    struct orma_map rings;    /* machine and pool id of the name → struct ring * */
    struct orma_map fences;   /* fence of a running job → struct ring * */
    struct orma_map queued;   /* job → the slice that queued it, whence an arrow leads */
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

static uint64_t job_key(const struct orma_kernel_event *e, const struct job *j)
{
    uint64_t key = j->has_fence ? orma_mix64(j->context) ^ j->seqno : j->id;

    return orma_mix64(key ^ (uint64_t)e->machine << 48);
}

static void put_job(struct orma_import_ctx *imp, struct orma_args_list *args, const struct job *j)
{
    if (!j->has_fence) {
        orma_args_put_uint(args, orma_model_lit(imp->model, "gpu sched job"), j->id);
        return;
    }
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence context"), j->context);
    orma_args_put_uint(args, orma_model_lit(imp->model, "fence seqno"), j->seqno);
}

static void queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                  struct orma_str ring, const struct job *j)
{
    struct orma_kernel_gpu *st = state_of(imp);

    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_lit(imp->model, "gpu sched ring"),
                      orma_model_str(imp->model, ring));
    put_job(imp, args, j);
    uint32_t slice = orma_slices_complete(
        &imp->model->slices, e->ts, 0, orma_model_thread_track(imp->model, e->machine, e->utid), 0,
        orma_model_lit(imp->model, "drm_sched_job_queue"), args);
    if (st && slice != ORMA_SLICE_NONE && orma_map_put(&st->queued, job_key(e, j), slice))
        imp->model->storage->failed = true;
}

static struct ring *ring_of(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                            struct orma_str text)
{
    struct orma_kernel_gpu *st = state_of(imp);
    uint32_t name = orma_model_str(imp->model, text);
    uint64_t key = (uint64_t)e->machine << 32 | name;
    struct ring *r = st ? orma_map_get_ptr(&st->rings, key) : NULL;

    if (r || !st)
        return r;
    r = calloc(1, sizeof(*r));
    if (!r || orma_map_put_ptr(&st->rings, key, r)) {
        free(r);
        imp->model->storage->failed = true;
        return NULL;
    }
    r->track = named_track(
        imp, e, "drm_sched_ring", name,
        orma_strpool_addf(&imp->model->storage->pool, "sched-%.*s", ORMA_STR_ARG(text)));
    return r;
}

/* The oldest job of the ring is what it works on now. */
static void show_job(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                     const struct ring *r)
{
    struct orma_kernel_gpu *st = state_of(imp);

    ORMA_ASSERT(r->num && r->from + r->num <= r->cap);
    ORMA_MODEL_ARGS(args, imp->model);
    put_job(imp, args, &r->running[r->from]);
    uint32_t slice = orma_slices_begin(&imp->model->slices, e->ts, r->track, 0,
                                       orma_model_lit(imp->model, "job"), args);
    uint64_t queued =
        st ? orma_map_take(&st->queued, job_key(e, &r->running[r->from])) : ORMA_MAP_NONE;
    if (slice != ORMA_SLICE_NONE && queued != ORMA_MAP_NONE)
        orma_flows_insert(imp->model, (uint32_t)queued, slice);
}

static void start_job(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_str name, const struct job *j, uint64_t fence)
{
    struct orma_kernel_gpu *st = state_of(imp);
    struct ring *r = ring_of(imp, e, name);

    if (!r)
        return;
    if (r->from + r->num == r->cap && r->from > r->cap / 2) {
        memmove(r->running, r->running + r->from, r->num * sizeof(*r->running));
        r->from = 0;
    }
    if (ORMA_GROW(&r->running, &r->cap, r->from + r->num + (size_t)1) ||
        orma_map_put_ptr(&st->fences, fence, r)) {
        imp->model->storage->failed = true;
        return;
    }
    r->running[r->from + r->num++] = *j;
    if (r->num == 1)
        show_job(imp, e, r);
}

static void end_job(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint64_t fence)
{
    struct orma_kernel_gpu *st = state_of(imp);
    uint64_t found = st ? orma_map_take(&st->fences, fence) : ORMA_MAP_NONE;
    struct ring *r = found == ORMA_MAP_NONE ? NULL : (struct ring *)(uintptr_t)found;

    if (!r || !r->num)
        return;
    orma_slices_end(&imp->model->slices, e->ts, r->track, 0, 0, NULL);
    r->from++;
    if (--r->num)
        show_job(imp, e, r);
}

/* An address of a fence, of this machine. */
static uint64_t address_key(const struct orma_kernel_event *e, int64_t address)
{
    return orma_mix64((uint64_t)address ^ (uint64_t)e->machine << 56);
}

static void job_queued(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    const struct job j = {.id = (uint64_t)f.num[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_ID]};
    queue(imp, e, f.str[ORMA_PB_DRM_SCHED_JOB_FTRACE_EVENT_NAME], &j);
}

static void job_run(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    const struct job j = {.id = (uint64_t)f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_ID]};
    start_job(imp, e, f.str[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_NAME], &j,
              address_key(e, f.num[ORMA_PB_DRM_RUN_JOB_FTRACE_EVENT_FENCE]));
}

static void job_processed(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    end_job(imp, e, address_key(e, f.num[ORMA_PB_DRM_SCHED_PROCESS_JOB_FTRACE_EVENT_FENCE]));
}

static struct job fenced(int64_t context, int64_t seqno)
{
    return (struct job){.has_fence = true, .context = (uint64_t)context, .seqno = (uint64_t)seqno};
}

static void job_queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    const struct job j = fenced(f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_CONTEXT],
                                f.num[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_SEQNO]);
    queue(imp, e, f.str[ORMA_PB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_NAME], &j);
}

static void job_run_617(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    const struct job j = fenced(f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_CONTEXT],
                                f.num[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_FENCE_SEQNO]);
    start_job(imp, e, f.str[ORMA_PB_DRM_SCHED_JOB_RUN_FTRACE_EVENT_NAME], &j, job_key(e, &j));
}

static void job_done(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    const struct job j = fenced(f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_CONTEXT],
                                f.num[ORMA_PB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_SEQNO]);
    end_job(imp, e, job_key(e, &j));
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
        ORMA_MAP_EACH (slot, &st->rings) {
            struct ring *r = (struct ring *)(uintptr_t)slot->val;

            free(r->running);
            free(r);
        }
        orma_map_fini(&st->rings);
        orma_map_fini(&st->queued);
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
