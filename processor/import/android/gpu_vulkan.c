/* Calls into Vulkan that hand work over, or give objects names. */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "protos/fields/gpu.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"

struct orma_android_gpu_vulkan {
    struct orma_map names; /* hash of machine, kind and object → pool id */
};

static struct orma_android_gpu_vulkan *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->gpu_vulkan,
                           sizeof(struct orma_android_gpu_vulkan));
}

static uint64_t object_key(uint16_t machine, uint32_t kind, uint64_t object)
{
    return orma_mix64(orma_mix64(object) ^ ((uint64_t)machine << 32 | kind));
}

uint32_t orma_android_vulkan_name(struct orma_import_ctx *imp, uint16_t machine, uint32_t kind,
                                  uint64_t object)
{
    struct orma_android_gpu_vulkan *st = state_of(imp);
    uint64_t name =
        st ? orma_map_get(&st->names, object_key(machine, kind, object)) : ORMA_MAP_NONE;

    return name == ORMA_MAP_NONE ? 0 : (uint32_t)name;
}

static void name_object(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_str bytes)
{
    struct orma_android_gpu_vulkan *st = state_of(imp);
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
    if (!st || orma_map_put(&st->names, object_key(item->machine, kind, object),
                            orma_model_str(imp->model, name)))
        imp->model->storage->failed = true;
}

#define SUBMIT(name) ORMA_PB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_##name

/* The first buffer, and all of them. */
static void put_buffers(struct orma_import_ctx *imp, struct orma_args_list *args,
                        struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), packed;
    struct orma_pb_field f;
    uint64_t buffer;
    uint32_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != SUBMIT(VK_COMMAND_BUFFERS))
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &buffer); num++) {
            uint32_t key =
                orma_strpool_addf(&imp->model->storage->pool, "command_buffers[%u]", num);

            if (!num)
                orma_args_put_uint(args, orma_model_lit(imp->model, "command_buffer"), buffer);
            orma_args_put(args,
                          (struct orma_args_item){orma_model_lit(imp->model, "command_buffers"),
                                                  key,
                                                  ORMA_ARG_UINT,
                                                  false,
                                                  {.i = (int64_t)buffer}});
        }
    }
}

static void submit(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t v[8] = {0};

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(v))
            v[f.id] = orma_pb_u64(&f);
    uint32_t track = orma_model_slice_track(imp->model, item->machine, "vulkan_events",
                                            orma_model_lit(imp->model, "Vulkan Events"), 0, NULL);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "pid"), (int64_t)v[SUBMIT(PID)]);
    orma_args_put_int(args, orma_model_lit(imp->model, "tid"), (int64_t)v[SUBMIT(TID)]);
    put_buffers(imp, args, bytes);
    orma_args_put_int(args, orma_model_lit(imp->model, "submission_id"),
                      (int64_t)v[SUBMIT(SUBMISSION_ID)]);
    orma_slices_complete(&imp->model->slices, item->ts,
                         (int64_t)ORMA_MIN(v[SUBMIT(DURATION_NS)], (uint64_t)INT64_MAX), track, 0,
                         orma_model_lit(imp->model, "vkQueueSubmit"), args);
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

static void vulkan_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_vulkan *st = orma_android(imp)->gpu_vulkan;

    if (st)
        orma_map_fini(&st->names);
}

static const uint16_t vulkan_fields[] = {ORMA_PB_TRACE_PACKET_VULKAN_API_EVENT, 0};
const struct orma_importer orma_android_vulkan_importer = {
    .name = "vulkan", .fields = vulkan_fields, .parse = vulkan_parse, .fini = vulkan_fini};
