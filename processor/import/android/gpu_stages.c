/*
 * What graphics cards work on: stages of rendering on the track of their hardware queue, and calls
 * into Vulkan that hand work over or give objects names.
 *
 * Queues and stages have descriptions: either in a list that the first events bring, where their
 * number is the place in the list, or interned.
 */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/read/seq.h"
#include "protos/fields/gpu.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

#define QUEUES_MAX 1024

/* VkObjectType */
enum { VK_COMMAND_BUFFER = 6, VK_RENDER_PASS = 18, VK_FRAMEBUFFER = 24 };

struct stage {
    uint32_t name, description; /* pool ids */
};

struct orma_android_gpu_stages {
    struct orma_map queues; /* machine and number → track */
    uint32_t queues_num;    /* described so far */
    struct stage *stages;
    uint32_t stages_num, stages_cap;
    struct orma_map names; /* hash of machine, kind and object of Vulkan → pool id */
    struct orma_args_list args;
};

static struct orma_android_gpu_stages *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->gpu_stages,
                           sizeof(struct orma_android_gpu_stages));
}

static void failed(struct orma_import_ctx *imp, const struct orma_item *item)
{
    orma_stats_inc(orma_model_stats(imp->model, item->machine),
                   ORMA_STAT_GPU_RENDER_STAGE_PARSER_ERRORS);
}

static uint32_t queue_track(struct orma_import_ctx *imp, uint16_t machine, const char *source,
                            uint64_t id, uint32_t name, uint32_t description)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct orma_track_spec spec = {
        .type = "gpu_render_stage",
        .event = ORMA_TRACK_SLICES,
        .machine = machine,
        .dims_num = 3,
        .dims = {orma_dim_str(orma_model_lit(imp->model, "render_stage_source"),
                              orma_model_lit(imp->model, source)),
                 orma_dim(orma_model_lit(imp->model, "hwqueue_id"), (int64_t)id),
                 orma_dim_str(orma_model_lit(imp->model, "hwqueue_name"), name)},
        .name = name,
        .parent = ORMA_TRACK_NONE,
    };

    if (description && st) {
        orma_args_list_clear(&st->args);
        orma_args_put_str(&st->args, imp->model->known.description, description);
        spec.source_args = &st->args;
    }
    return orma_tracks_get(&imp->model->tracks, &spec);
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

static void describe_queue(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_str bytes)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct stage s = read_description(imp, bytes);

    if (!st || !s.name || st->queues_num > QUEUES_MAX)
        return;
    uint64_t key = (uint64_t)item->machine << 32 | st->queues_num;
    uint64_t track = orma_map_get(&st->queues, key);
    if (track != ORMA_MAP_NONE) /* its events came before */
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_TRACK), ORMA_TRACK_NAME,
                       (uint32_t)track, s.name);
    else if (orma_map_put(
                 &st->queues, key,
                 queue_track(imp, item->machine, "id", st->queues_num, s.name, s.description)))
        imp->model->storage->failed = true;
    st->queues_num++;
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
static void describe(struct orma_import_ctx *imp, const struct orma_item *item,
                     struct orma_str bytes, uint32_t *pid)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_HW_QUEUE) {
            describe_queue(imp, item, orma_pb_str(&f));
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
    *pid = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_GRAPHICS_CONTEXT_PID)
            *pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_INTERNED_GRAPHICS_CONTEXT_API)
            api = orma_pb_u32(&f);
    }
    if (e->cache)
        return true;
    e->cache = 1;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_GPU_CONTEXT_CONTEXT_ID, row, (uint32_t)iid);
    orma_table_set(t, ORMA_GPU_CONTEXT_PID, row, *pid);
    if (api < ORMA_ARRAY_LEN(apis))
        orma_table_set(t, ORMA_GPU_CONTEXT_API, row, orma_model_lit(imp->model, apis[api]));
    return true;
}

/* ---- stages ---- */

#define EVENT(name) ORMA_PB_GPU_RENDER_STAGE_EVENT_##name
#define EVENT_FIELDS 24

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
    uint64_t id = num(e, EVENT(STAGE_ID));
    if (st && id < st->stages_num)
        return st->stages[id];
    s.name =
        orma_strpool_addf(&imp->model->storage->pool, "render stage(%llu)", (unsigned long long)id);
    return s;
}

/* The track of the event's queue; ORMA_TRACK_NONE: the queue was never described. */
static uint32_t queue_of(struct orma_import_ctx *imp, const struct orma_item *item,
                         const struct event *e, uint64_t *ret_id)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct stage s;

    if (has(e, EVENT(HW_QUEUE_IID))) {
        *ret_id = num(e, EVENT(HW_QUEUE_IID));
        return interned_stage(imp, item, *ret_id, &s, NULL)
                   ? queue_track(imp, item->machine, "iid", *ret_id, s.name, s.description)
                   : ORMA_TRACK_NONE;
    }
    uint64_t id = num(e, EVENT(HW_QUEUE_ID)) & UINT32_MAX;
    uint32_t name;
    if (id > QUEUES_MAX) {
        failed(imp, item);
        id = QUEUES_MAX;
        name = orma_model_lit(imp->model, "Unknown GPU Queue ");
    } else {
        name = orma_strpool_addf(&imp->model->storage->pool, "Unknown GPU Queue %u", (unsigned)id);
    }
    *ret_id = id;
    uint64_t key = (uint64_t)item->machine << 32 | id;
    uint64_t track = st ? orma_map_get(&st->queues, key) : ORMA_MAP_NONE;
    if (track == ORMA_MAP_NONE && st) {
        track = queue_track(imp, item->machine, "id", id, name, 0);
        if (orma_map_put(&st->queues, key, track))
            imp->model->storage->failed = true;
    }
    return (uint32_t)track;
}

/* ---- args ---- */

static uint64_t object_key(const struct orma_item *item, uint32_t kind, uint64_t object)
{
    return orma_mix64(orma_mix64(object) ^ ((uint64_t)item->machine << 32 | kind));
}

static void put_object(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, const char *key, const char *name_key,
                       uint32_t kind, uint64_t object)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    uint64_t name = st ? orma_map_get(&st->names, object_key(item, kind, object)) : ORMA_MAP_NONE;

    orma_args_put_int(args, orma_model_lit(imp->model, key), (int64_t)object);
    if (name != ORMA_MAP_NONE)
        orma_args_put_str(args, orma_model_lit(imp->model, name_key), (uint32_t)name);
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
                      orma_model_str(imp->model, orma_buf_str(&text)));
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

static void put_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct orma_item *item, const struct event *e, const struct stage *s,
                     uint64_t queue)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, item->machine), e->pid);

    if (s->description)
        orma_args_put_str(args, imp->model->known.description, s->description);
    while (orma_pb_next(&r, &f))
        if (f.id == EVENT(EXTRA_DATA))
            put_extra(imp, args, orma_pb_str(&f));
    orma_args_put_int(args, orma_model_lit(imp->model, "context_id"),
                      (int64_t)num(e, EVENT(CONTEXT)));
    put_object(imp, args, item, "render_target", "render_target_name", VK_FRAMEBUFFER,
               num(e, EVENT(RENDER_TARGET_HANDLE)));
    put_object(imp, args, item, "render_pass", "render_pass_name", VK_RENDER_PASS,
               num(e, EVENT(RENDER_PASS_HANDLE)));
    put_subpasses(imp, args, item);
    put_object(imp, args, item, "command_buffer", "command_buffer_name", VK_COMMAND_BUFFER,
               num(e, EVENT(COMMAND_BUFFER_HANDLE)));
    orma_args_put_int(args, orma_model_lit(imp->model, "submission_id"),
                      (int64_t)num(e, EVENT(SUBMISSION_ID)));
    orma_args_put_int(args, orma_model_lit(imp->model, "hw_queue_id"), (int64_t)queue);
    orma_args_put_int(args, imp->model->known.upid, upid);
    if (e->has_category)
        orma_args_put_int(args, orma_model_lit(imp->model, "render_stage_category"), e->category);
}

static void stages_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct event e = {0};
    struct orma_pb_field f;
    uint64_t queue = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id < EVENT_FIELDS)
            e.f[f.id] = f;
        if (f.id == EVENT(SPECIFICATIONS))
            describe(imp, item, orma_pb_str(&f), &e.pid);
    }
    if (has(&e, EVENT(CONTEXT)))
        (void)read_context(imp, item, num(&e, EVENT(CONTEXT)), &e.pid);
    if (!has(&e, EVENT(EVENT_ID)))
        return;
    uint32_t track = queue_of(imp, item, &e, &queue);
    if (track == ORMA_TRACK_NONE)
        return;
    struct stage s = stage_of(imp, item, &e);
    if (has(&e, EVENT(NAME)))
        s.name = orma_model_str(imp->model, orma_pb_str(&e.f[EVENT(NAME)]));
    put_args(imp, args, item, &e, &s, queue);
    orma_slices_complete(&imp->model->slices, item->ts,
                         (int64_t)ORMA_MIN(num(&e, EVENT(DURATION)), (uint64_t)INT64_MAX), track, 0,
                         s.name, args);
}

static void stages_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_stages *st = orma_android(imp)->gpu_stages;

    if (st) {
        orma_map_fini(&st->queues);
        orma_map_fini(&st->names);
        free(st->stages);
        orma_args_list_fini(&st->args);
    }
}

static const uint16_t stages_fields[] = {ORMA_PB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT, 0};
const struct orma_importer orma_android_gpu_stages_importer = {
    .name = "gpu_stages", .fields = stages_fields, .parse = stages_parse, .fini = stages_fini};

/* ---- Vulkan ---- */

static void name_object(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_str bytes)
{
    struct orma_android_gpu_stages *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_str name = {"", 0};
    struct orma_pb_field f;
    uint32_t kind = 0;
    uint64_t object = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_DEBUG_UTILS_OBJECT_NAME_OBJECT_TYPE)
            kind = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_DEBUG_UTILS_OBJECT_NAME_OBJECT)
            object = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_DEBUG_UTILS_OBJECT_NAME_OBJECT_NAME)
            name = orma_pb_str(&f);
    }
    if (!st ||
        orma_map_put(&st->names, object_key(item, kind, object), orma_model_str(imp->model, name)))
        imp->model->storage->failed = true;
}

static void submit(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), packed;
    struct orma_pb_field f;
    uint64_t v[8] = {0}, buffer = 0;
    bool has_buffer = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_VK_COMMAND_BUFFERS) {
            orma_pb_numbers(&f, &packed);
            if (!has_buffer)
                has_buffer = orma_pb_number(&f, &packed, &buffer);
        } else if (f.id < ORMA_ARRAY_LEN(v)) {
            v[f.id] = orma_pb_u64(&f);
        }
    }
    uint32_t track = orma_model_slice_track(imp->model, item->machine, "vulkan_events",
                                            orma_model_lit(imp->model, "Vulkan Events"), 0, NULL);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "pid"),
                      (int64_t)v[ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_PID]);
    orma_args_put_int(args, orma_model_lit(imp->model, "tid"),
                      (int64_t)v[ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_TID]);
    if (has_buffer)
        orma_args_put_int(args, orma_model_lit(imp->model, "command_buffer"), (int64_t)buffer);
    orma_args_put_int(args, orma_model_lit(imp->model, "submission_id"),
                      (int64_t)v[ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_SUBMISSION_ID]);
    orma_slices_complete(&imp->model->slices, item->ts,
                         (int64_t)ORMA_MIN(v[ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_DURATION_NS],
                                           (uint64_t)INT64_MAX),
                         track, 0, orma_model_lit(imp->model, "vkQueueSubmit"), args);
}

static void vulkan_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_DEBUG_UTILS_OBJECT_NAME)
            name_object(imp, item, orma_pb_str(&f));
        else if (f.id == ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT)
            submit(imp, item, orma_pb_str(&f));
    }
}

static const uint16_t vulkan_fields[] = {ORMA_PB_TRACE_PACKET_VULKAN_API_EVENT, 0};
const struct orma_importer orma_android_vulkan_importer = {
    .name = "vulkan", .fields = vulkan_fields, .parse = vulkan_parse};
