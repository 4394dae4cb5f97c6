/*
 * What graphics cards work on: stages of rendering and computing, on the tracks of their hardware
 * queue.
 *
 * Queues and stages have descriptions: either in a list that the first events bring, where their
 * number is the place in the list, or interned. A queue that is used before it is described has
 * tracks of a makeshift name, which are renamed then.
 */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/model/async.h"
#include "processor/read/seq.h"
#include "protos/fields/gpu.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

struct stage {
    uint32_t name, description; /* pool ids */
};

/* A queue by number: what is known of it. */
struct queue {
    bool used;       /* it has tracks, and what tells them apart stays: */
    uint32_t dim;    /* its name when the first one was made */
    struct stage is; /* name and description so far */
};

struct orma_android_gpu_stages {
    struct orma_map queues; /* machine and number → index of `list` */
    struct queue *list;
    uint32_t list_num, list_cap;
    struct stage *stages;
    uint32_t stages_num, stages_cap;
    struct orma_map contexts; /* machine and id of those that have a row */
    struct orma_args_list args;
};

static struct orma_android_gpu_stages *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->gpu_stages,
                           sizeof(struct orma_android_gpu_stages));
}

/* ---- tracks ---- */

/* A queue as a group of tracks: stages that overlap lie side by side. */
struct place {
    uint16_t machine;
    uint32_t gpu, id;
    const char *source;
    uint32_t dim, name, description;
    bool described; /* only now: it has a description, though it may be empty */
};

static void queue_spec(struct orma_import_ctx *imp, const struct place *p,
                       struct orma_track_spec *ret)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct orma_model *model = imp->model;

    *ret = (struct orma_track_spec){
        .type = "gpu_render_stage",
        .event = ORMA_TRACK_SLICES,
        .machine = p->machine,
        .dims_num = 5,
        .dims = {orma_dim(orma_model_lit(model, "ugpu"),
                          orma_model_ugpu(model, p->machine, p->gpu)),
                 orma_dim(orma_model_lit(model, "gpu"), p->gpu),
                 orma_dim_str(orma_model_lit(model, "render_stage_source"),
                              orma_model_lit(model, p->source)),
                 orma_dim(orma_model_lit(model, "hwqueue_id"), p->id),
                 orma_dim_str(orma_model_lit(model, "hwqueue_name"), p->dim)},
        .name = p->name,
        .parent = ORMA_TRACK_NONE,
        .source_args = &st->args,
    };
    orma_args_list_clear(&st->args);
    if (p->description || p->described)
        orma_args_put_str(&st->args, model->known.description, p->description);
}

/* The track for a stage. */
static uint32_t lane_of(struct orma_import_ctx *imp, const struct place *p, int64_t ts, int64_t dur)
{
    struct orma_track_spec spec;

    queue_spec(imp, p, &spec);
    return orma_async_instant(imp->model, &spec, ts, dur);
}

/* Tracks that were made before the queue had a name get it. */
static void rename_lanes(struct orma_import_ctx *imp, const struct place *p)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_TRACK);
    struct orma_track_spec spec;

    queue_spec(imp, p, &spec);
    struct orma_lanes *lanes = orma_lanes_get(imp->model, &spec);
    if (lanes && !lanes->num)
        (void)orma_lanes_add(imp->model, lanes, &spec); /* fails when memory is out */
    uint32_t set = orma_args_commit(&imp->model->storage->args, spec.source_args);
    for (uint32_t i = 0; lanes && i < lanes->num; i++) {
        orma_table_set(t, ORMA_TRACK_NAME, lanes->lanes[i].track, p->name);
        orma_storage_set_args(t, ORMA_TRACK_SOURCE_ARG_SET_ID, lanes->lanes[i].track, set);
    }
}

/* ---- queues by number ---- */

/* The entry of a number; NULL: memory is out. */
static struct queue *queue_of(struct orma_import_ctx *imp, uint16_t machine, uint32_t id)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    uint64_t key = (uint64_t)machine << 32 | id;
    uint64_t known = st ? orma_map_get(&st->queues, key) : ORMA_MAP_NONE;

    if (known != ORMA_MAP_NONE)
        return &st->list[known];
    if (!st || ORMA_GROW(&st->list, &st->list_cap, st->list_num + (size_t)1) ||
        orma_map_put(&st->queues, key, st->list_num)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    st->list[st->list_num] = (struct queue){0};
    return &st->list[st->list_num++];
}

/* ---- descriptions ---- */

/* Description and InternedGpuRenderStageSpecification. */
static struct stage read_stage(struct orma_import_ctx *imp, struct orma_str bytes, unsigned name,
                               unsigned description)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct stage s = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == name)
            s.name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == description)
            s.description = orma_model_str(imp->model, orma_pb_str(&f));
    }
    return s;
}

static struct stage read_description(struct orma_import_ctx *imp, struct orma_str bytes)
{
    return read_stage(imp, bytes, ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_DESCRIPTION_NAME,
                      ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_DESCRIPTION_DESCRIPTION);
}

/* The queue with that place in a list; its tracks on the card that says so get the name if they had
 * none. */
static void describe_queue(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t gpu,
                           struct orma_str bytes, uint32_t id)
{
    struct stage s = read_description(imp, bytes);
    struct queue *q = s.name ? queue_of(imp, item->machine, id) : NULL;

    if (!q)
        return;
    q->is = s;
    const struct place p = {.machine = item->machine,
                            .gpu = gpu,
                            .id = id,
                            .source = "id",
                            .dim = q->dim,
                            .name = s.name,
                            .description = s.description,
                            .described = true};
    if (q->used && !q->dim)
        rename_lanes(imp, &p);
}

static void describe_stage(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct stage s = read_description(imp, bytes);

    if (!st || !s.name)
        return;
    if (ORMA_GROW(&st->stages, &st->stages_cap, st->stages_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    st->stages[st->stages_num++] = s;
}

/* `pid` is set if the context is described. */
static void describe(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t gpu,
                     struct orma_str bytes, uint32_t *pid)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t queues = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_HW_QUEUE) {
            describe_queue(imp, item, gpu, orma_pb_str(&f), queues++);
        } else if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_STAGE) {
            describe_stage(imp, orma_pb_str(&f));
        } else if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_CONTEXT_SPEC) {
            struct orma_str spec = orma_pb_str(&f);
            struct orma_pb_reader inner = orma_pb_reader(spec.data, spec.len);
            struct orma_pb_field g;

            while (orma_pb_next(&inner, &g))
                if (g.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_CONTEXT_SPEC_PID)
                    *pid = orma_pb_u32(&g);
        }
    }
}

/* An interned entry; NULL is counted. */
static struct orma_interned *interned(struct orma_import_ctx *imp, const struct orma_item *item,
                                      uint32_t kind, uint64_t iid)
{
    struct orma_interned *e = item->gen ? orma_seq_gen_find(item->gen, kind, iid) : NULL;

    if (!e)
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
    return e;
}

/* Adds a row of the context at its first use. False: it is unknown. */
static bool read_context(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t iid,
                         uint32_t *pid)
{
    static const char *const apis[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    struct orma_interned *e = interned(imp, item, ORMA_PB_INTERNED_DATA_GRAPHICS_CONTEXTS, iid);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_GPU_CONTEXT);
    uint32_t api = 0;

    if (!e)
        return false;
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    struct orma_pb_field f;
    bool has_pid = false;
    *pid = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_GRAPHICS_CONTEXT_PID) {
            *pid = orma_pb_u32(&f);
            has_pid = true;
        } else if (f.id == ORMA_PB_INTERNED_GRAPHICS_CONTEXT_API) {
            api = orma_pb_u32(&f);
        }
    }
    struct orma_android_gpu_stages *st = state_of(imp);
    uint64_t key = orma_mix64(orma_mix64(iid) ^ item->machine);
    if (e->cache || !st || orma_map_get(&st->contexts, key) != ORMA_MAP_NONE)
        return true;
    e->cache = 1;
    if (orma_map_put(&st->contexts, key, 1))
        imp->model->storage->failed = true;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_GPU_CONTEXT_CONTEXT_ID, row, (uint32_t)iid);
    if (has_pid)
        orma_table_set(t, ORMA_GPU_CONTEXT_PID, row, *pid);
    if (api < ORMA_ARRAY_LEN(apis))
        orma_table_set(t, ORMA_GPU_CONTEXT_API, row, orma_model_lit(imp->model, apis[api]));
    return true;
}

/* ---- stages ---- */

#define EVENT(name) ORMA_PB_GPU_RENDER_STAGE_EVENT_##name
#define EVENT_FIELDS 22

struct event {
    struct orma_pb_field f[EVENT_FIELDS]; /* id 0: absent */
    uint32_t pid;
    bool has_category;
    uint32_t category;
};

static bool has(const struct event *e, unsigned field)
{
    return e->f[field].id;
}

static uint64_t num(const struct event *e, unsigned field)
{
    return has(e, field) ? orma_pb_u64(&e->f[field]) : 0;
}

static bool interned_stage(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t iid,
                           struct stage *ret, struct event *category)
{
    const struct orma_interned *e =
        interned(imp, item, ORMA_PB_INTERNED_DATA_GPU_SPECIFICATIONS, iid);

    if (!e)
        return false;
    *ret = read_stage(imp, (struct orma_str){(const char *)e->data, e->len},
                      ORMA_PB_INTERNED_GPU_RENDER_STAGE_SPECIFICATION_NAME,
                      ORMA_PB_INTERNED_GPU_RENDER_STAGE_SPECIFICATION_DESCRIPTION);
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    struct orma_pb_field f;
    while (category && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_GPU_RENDER_STAGE_SPECIFICATION_CATEGORY) {
            category->category = orma_pb_u32(&f);
            category->has_category = true;
        }
    }
    return true;
}

static struct stage stage_of(struct orma_import_ctx *imp, const struct orma_item *item,
                             struct event *e)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct stage s = {0};

    if (has(e, EVENT(STAGE_IID))) {
        (void)interned_stage(imp, item, num(e, EVENT(STAGE_IID)), &s, e);
        return s;
    }
    uint64_t id = num(e, EVENT(STAGE_ID)); /* -1 is a large one */
    if (st && id < st->stages_num)
        return st->stages[id];
    s.name =
        orma_strpool_addf(&imp->model->storage->pool, "render stage(%llu)", (unsigned long long)id);
    return s;
}

/* Where the event belongs. False: its queue was never described. */
static bool place_of(struct orma_import_ctx *imp, const struct orma_item *item,
                     const struct event *e, struct place *ret)
{
    struct stage s;

    *ret = (struct place){.machine = item->machine, .gpu = (uint32_t)num(e, EVENT(GPU_ID))};
    if (has(e, EVENT(HW_QUEUE_IID))) {
        ret->source = "iid";
        ret->id = (uint32_t)num(e, EVENT(HW_QUEUE_IID));
        if (!interned_stage(imp, item, num(e, EVENT(HW_QUEUE_IID)), &s, NULL))
            return false;
        ret->dim = ret->name = s.name;
        ret->description = s.description;
        return true;
    }
    ret->source = "id";
    ret->id = (uint32_t)num(e, EVENT(HW_QUEUE_ID));
    struct queue *q = queue_of(imp, ret->machine, ret->id);
    if (!q)
        return false;
    if (!q->used)
        q->dim = q->is.name;
    q->used = true;
    ret->dim = q->dim;
    ret->name = q->is.name ? q->is.name
                           : orma_strpool_addf(&imp->model->storage->pool, "Unknown GPU Queue %u",
                                               (unsigned)ret->id);
    ret->description = q->is.description;
    return true;
}

/* ---- args ---- */

static void put_uint(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                     uint64_t val)
{
    orma_args_put_uint(args, orma_model_lit(imp->model, key), val);
}

static void put_object(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, const char *key, const char *name_key,
                       uint32_t kind, uint64_t object)
{
    put_uint(imp, args, key, object);
    orma_args_put_str(args, orma_model_lit(imp->model, name_key),
                      orma_android_vulkan_name(imp, item->machine, kind, object));
}

static void put_extra(struct orma_import_ctx *imp, struct orma_args_list *args,
                      struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_str name = {"", 0};
    struct orma_pb_field f;
    uint32_t value = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_EXTRA_DATA_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_EXTRA_DATA_VALUE)
            value = orma_model_str(imp->model, orma_pb_str(&f));
    }
    orma_args_put_str(args, orma_model_str(imp->model, name), value);
}

/* "0,1,66": the bits of masks of 64 each. */
static void put_subpasses(struct orma_import_ctx *imp, struct orma_args_list *args,
                          const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len), packed;
    struct orma_buf text = {0};
    struct orma_pb_field f;
    uint64_t mask;
    unsigned first = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != EVENT(RENDER_SUBPASS_INDEX_MASK))
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &mask); first += 64)
            for (unsigned bit = 0; bit < 64 && text.len < 4096; bit++)
                if (mask >> bit & 1)
                    orma_buf_printf(&text, "%s%u", text.len ? "," : "", first + bit);
    }
    orma_args_put_str(args, orma_model_lit(imp->model, "render_subpasses"),
                      text.len ? orma_model_str(imp->model, orma_buf_str(&text)) : 0);
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

static void put_text(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                     uint32_t text)
{
    if (text)
        orma_args_put_str(args, orma_model_lit(imp->model, key), text);
}

/* The text in a field of an interned entry. */
static uint32_t interned_text(struct orma_import_ctx *imp, const struct orma_item *item,
                              uint32_t kind, uint64_t iid, unsigned field)
{
    const struct orma_interned *e = interned(imp, item, kind, iid);
    struct orma_pb_field f;
    uint32_t text = 0;

    if (!e)
        return 0;
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    while (orma_pb_next(&r, &f))
        if (f.id == field)
            text = orma_model_str(imp->model, orma_pb_str(&f));
    return text;
}

#define ARG(name) ORMA_PB_GPU_RENDER_STAGE_EVENT_EXTRA_COMPUTE_ARG_##name

/* A value of a kernel or a launch, under the name that it brings. */
static void put_compute_arg(struct orma_import_ctx *imp, struct orma_args_list *args,
                            const struct orma_item *item, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, value = {0};
    uint32_t key = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ARG(NAME_IID))
            key = interned_text(imp, item, ORMA_INTERNED_COMPUTE_ARG_NAMES, orma_pb_u64(&f),
                                ORMA_PB_INTERNED_COMPUTE_ARG_NAME_NAME);
        else if (f.id == ARG(NAME))
            key = orma_model_str(imp->model, orma_pb_str(&f));
        else
            value = f;
    }
    if (!key)
        return;
    if (value.id == ARG(INT_VALUE))
        orma_args_put_int(args, key, orma_pb_i64(&value));
    else if (value.id == ARG(UINT_VALUE))
        orma_args_put_uint(args, key, orma_pb_u64(&value));
    else if (value.id == ARG(DOUBLE_VALUE))
        orma_args_put_real(args, key, orma_pb_double(&value));
    else if (value.id == ARG(STRING_VALUE))
        orma_args_put_str(args, key, orma_model_str(imp->model, orma_pb_str(&value)));
    else if (value.id == ARG(STRING_VALUE_IID))
        orma_args_put_str(args, key,
                          interned_text(imp, item,
                                        ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
                                        orma_pb_u64(&value), ORMA_PB_INTERNED_STRING_STR));
}

static void put_kernel(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, uint64_t iid)
{
    const struct orma_interned *e = interned(imp, item, ORMA_INTERNED_COMPUTE_KERNELS, iid);
    struct orma_pb_field f;
    uint32_t texts[ORMA_PB_INTERNED_COMPUTE_KERNEL_ARCH + 1] = {0};

    if (!e)
        return;
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    while (orma_pb_next(&r, &f))
        if (f.id > ORMA_PB_INTERNED_COMPUTE_KERNEL_IID && f.id < ORMA_ARRAY_LEN(texts))
            texts[f.id] = orma_model_str(imp->model, orma_pb_str(&f));
    put_text(imp, args, "kernel_name", texts[ORMA_PB_INTERNED_COMPUTE_KERNEL_NAME]);
    put_text(imp, args, "kernel_demangled_name",
             texts[ORMA_PB_INTERNED_COMPUTE_KERNEL_DEMANGLED_NAME]);
    put_text(imp, args, "arch", texts[ORMA_PB_INTERNED_COMPUTE_KERNEL_ARCH]);
    r = orma_pb_reader(e->data, e->len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INTERNED_COMPUTE_KERNEL_ARGS)
            put_compute_arg(imp, args, item, orma_pb_str(&f));
}

static void put_size(struct orma_import_ctx *imp, struct orma_args_list *args,
                     struct orma_str bytes, const char *const keys[3])
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id >= ORMA_PB_GPU_RENDER_STAGE_EVENT_DIM3_X &&
            f.id <= ORMA_PB_GPU_RENDER_STAGE_EVENT_DIM3_Z)
            put_uint(imp, args, keys[f.id - ORMA_PB_GPU_RENDER_STAGE_EVENT_DIM3_X],
                     orma_pb_u32(&f));
}

#define LAUNCH(name) ORMA_PB_GPU_RENDER_STAGE_EVENT_COMPUTE_KERNEL_LAUNCH_##name

static void put_launch(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, struct orma_str bytes)
{
    static const char *const grid[] = {"launch.grid_size.x", "launch.grid_size.y",
                                       "launch.grid_size.z"};
    static const char *const group[] = {"launch.workgroup_size.x", "launch.workgroup_size.y",
                                        "launch.workgroup_size.z"};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == LAUNCH(GRID_SIZE))
            put_size(imp, args, orma_pb_str(&f), grid);
        else if (f.id == LAUNCH(WORKGROUP_SIZE))
            put_size(imp, args, orma_pb_str(&f), group);
    }
    while (orma_pb_next(&again, &f))
        if (f.id == LAUNCH(ARGS))
            put_compute_arg(imp, args, item, orma_pb_str(&f));
}

/* What only some stages have. */
static void put_special(struct orma_import_ctx *imp, struct orma_args_list *args,
                        const struct orma_item *item, const struct event *e, const struct stage *s)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    if (has(e, EVENT(STAGE_IID))) {
        orma_args_put_int(args, orma_model_lit(imp->model, "render_stage_category"), e->category);
        orma_args_put_str(args, imp->model->known.description, s->description);
    } else {
        put_text(imp, args, "description", s->description);
    }
    if (has(e, EVENT(KERNEL_IID)))
        put_kernel(imp, args, item, num(e, EVENT(KERNEL_IID)));
    if (has(e, EVENT(LAUNCH)))
        put_launch(imp, args, item, orma_pb_str(&e->f[EVENT(LAUNCH)]));
    if (num(e, EVENT(RENDER_PASS_INSTANCE_ID)))
        put_text(imp, args, "correlation_id",
                 orma_strpool_addf(&imp->model->storage->pool, "rp:#%llu",
                                   (unsigned long long)num(e, EVENT(RENDER_PASS_INSTANCE_ID))));
    while (orma_pb_next(&r, &f))
        if (f.id == EVENT(EXTRA_DATA))
            put_extra(imp, args, orma_pb_str(&f));
}

static void put_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct orma_item *item, const struct event *e, uint32_t queue)
{
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, item->machine), e->pid);

    put_uint(imp, args, "context_id", num(e, EVENT(CONTEXT)));
    put_object(imp, args, item, "render_target", "render_target_name", ORMA_VK_FRAMEBUFFER,
               num(e, EVENT(RENDER_TARGET_HANDLE)));
    put_object(imp, args, item, "render_pass", "render_pass_name", ORMA_VK_RENDER_PASS,
               num(e, EVENT(RENDER_PASS_HANDLE)));
    put_subpasses(imp, args, item);
    put_object(imp, args, item, "command_buffer", "command_buffer_name", ORMA_VK_COMMAND_BUFFER,
               num(e, EVENT(COMMAND_BUFFER_HANDLE)));
    orma_args_put_int(args, orma_model_lit(imp->model, "submission_id"),
                      (int64_t)num(e, EVENT(SUBMISSION_ID)));
    put_uint(imp, args, "hw_queue_id", queue);
    orma_args_put_int(args, imp->model->known.upid, upid);
}

static uint32_t stage_name(struct orma_import_ctx *imp, const struct orma_item *item,
                           const struct event *e, const struct stage *s)
{
    if (has(e, EVENT(NAME_IID)))
        return interned_text(imp, item, ORMA_PB_INTERNED_DATA_EVENT_NAMES, num(e, EVENT(NAME_IID)),
                             ORMA_PB_EVENT_NAME_NAME);
    if (has(e, EVENT(NAME)))
        return orma_model_str(imp->model, orma_pb_str(&e->f[EVENT(NAME)]));
    return s->name;
}

/* Stages that this one waited for, and the calls that handed it over. */
static void join_flows(struct orma_import_ctx *imp, const struct orma_item *item,
                       const struct event *e, uint32_t slice)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len), packed;
    struct orma_pb_field f;
    uint64_t id;

    orma_android_gpu_stage(imp, item->machine, num(e, EVENT(EVENT_ID)), slice);
    while (orma_pb_next(&r, &f)) {
        if (f.id != EVENT(EVENT_WAIT_IDS))
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &id);)
            orma_android_gpu_stage_waits(imp, item->machine, id, slice);
    }
}

static void stages_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct event e = {0};
    struct orma_pb_field f;
    struct place place;

    while (orma_pb_next(&r, &f)) {
        if (f.id < EVENT_FIELDS)
            e.f[f.id] = f;
    }
    if (has(&e, EVENT(SPECIFICATIONS)))
        describe(imp, item, (uint32_t)num(&e, EVENT(GPU_ID)),
                 orma_pb_str(&e.f[EVENT(SPECIFICATIONS)]), &e.pid);
    if (has(&e, EVENT(CONTEXT)))
        (void)read_context(imp, item, num(&e, EVENT(CONTEXT)), &e.pid);
    if (!has(&e, EVENT(EVENT_ID)) || !place_of(imp, item, &e, &place))
        return;
    struct stage s = stage_of(imp, item, &e);
    int64_t dur = (int64_t)ORMA_MIN(num(&e, EVENT(DURATION)), (uint64_t)INT64_MAX);
    put_special(imp, args, item, &e, &s);
    put_args(imp, args, item, &e, place.id);
    uint32_t slice = orma_slices_complete(&imp->model->slices, item->ts, dur,
                                          lane_of(imp, &place, item->ts, dur), 0,
                                          stage_name(imp, item, &e, &s), args);
    if (slice != ORMA_SLICE_NONE)
        join_flows(imp, item, &e, slice);
}

static void stages_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_stages *st = orma_android(imp)->gpu_stages;

    orma_android_gpu_flows_fini(imp);
    if (st) {
        orma_map_fini(&st->queues);
        orma_map_fini(&st->contexts);
        free(st->list);
        free(st->stages);
        orma_args_list_fini(&st->args);
    }
}

static const uint16_t stages_fields[] = {ORMA_PB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT, 0};
const struct orma_importer orma_android_gpu_stages_importer = {
    .name = "gpu_stages", .fields = stages_fields, .parse = stages_parse, .fini = stages_fini};
