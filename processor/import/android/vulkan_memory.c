/*
 * Memory that Vulkan programs and drivers allocate: rows of the events, and sums as counters of the
 * process, by scope for the driver's own and by type of memory for the device's.
 */
#include "processor/import/android/android.h"

#include "processor/read/seq.h"
#include "protos/fields/gpu.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"

#define EVENT(name) ORMA_PB_VULKAN_MEMORY_EVENT_##name
#define EVENT_FIELDS 21

static const char *const sources[] = {"UNSPECIFIED",       "DRIVER",     "DEVICE",
                                      "GPU_DEVICE_MEMORY", "GPU_BUFFER", "GPU_IMAGE"};
static const char *const operations[] = {"UNSPECIFIED", "CREATE",        "DESTROY",
                                         "BIND",        "DESTROY_BOUND", "ANNOTATIONS"};
static const char *const scopes[] = {"UNSPECIFIED", "COMMAND", "OBJECT",
                                     "CACHE",       "DEVICE",  "INSTANCE"};

struct event {
    struct orma_pb_field f[EVENT_FIELDS]; /* id 0: absent */
};

struct orma_android_vulkan_memory {
    struct orma_map sums; /* track → bytes */
};

static int64_t num(const struct event *e, unsigned field)
{
    return e->f[field].id ? orma_pb_i64(&e->f[field]) : 0;
}

static uint32_t text(struct orma_import_ctx *imp, const char *const *names, unsigned names_num,
                     int64_t val)
{
    return orma_model_lit(imp->model, names[val >= 0 && val < (int64_t)names_num ? val : 0]);
}

/* The text of an interned string, 0 if it is unknown, which is counted. */
static uint32_t interned(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t kind,
                         uint64_t iid)
{
    const struct orma_interned *e = item->gen ? orma_seq_gen_find(item->gen, kind, iid) : NULL;
    struct orma_pb_field f;
    uint32_t id = 0;

    if (!e) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        return 0;
    }
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INTERNED_STRING_STR)
            id = orma_model_str(imp->model, orma_pb_str(&f));
    return id;
}

static void put_annotation(struct orma_import_ctx *imp, struct orma_args_list *args,
                           const struct orma_item *item, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, value = {0};
    uint32_t key = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_VULKAN_MEMORY_EVENT_ANNOTATION_KEY_IID)
            key = interned(imp, item, ORMA_PB_INTERNED_DATA_VULKAN_MEMORY_KEYS, orma_pb_u64(&f));
        else
            value = f;
    }
    if (!key)
        return;
    if (value.id == ORMA_PB_VULKAN_MEMORY_EVENT_ANNOTATION_INT_VALUE)
        orma_args_put_int(args, key, orma_pb_i64(&value));
    else if (value.id == ORMA_PB_VULKAN_MEMORY_EVENT_ANNOTATION_DOUBLE_VALUE)
        orma_args_put_real(args, key, orma_pb_double(&value));
    else if (value.id == ORMA_PB_VULKAN_MEMORY_EVENT_ANNOTATION_STRING_IID)
        orma_args_put_str(
            args, key,
            interned(imp, item, ORMA_PB_INTERNED_DATA_VULKAN_MEMORY_KEYS, orma_pb_u64(&value)));
}

static void add_row(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct event *e, uint32_t upid)
{
    static const struct {
        uint8_t field, column;
    } numbers[] = {
        {EVENT(DEVICE), ORMA_VULKAN_MEMORY_ALLOCATIONS_DEVICE},
        {EVENT(DEVICE_MEMORY), ORMA_VULKAN_MEMORY_ALLOCATIONS_DEVICE_MEMORY},
        {EVENT(MEMORY_TYPE), ORMA_VULKAN_MEMORY_ALLOCATIONS_MEMORY_TYPE},
        {EVENT(HEAP), ORMA_VULKAN_MEMORY_ALLOCATIONS_HEAP},
        {EVENT(OBJECT_HANDLE), ORMA_VULKAN_MEMORY_ALLOCATIONS_OBJECT_HANDLE},
        {EVENT(MEMORY_ADDRESS), ORMA_VULKAN_MEMORY_ALLOCATIONS_MEMORY_ADDRESS},
        {EVENT(MEMORY_SIZE), ORMA_VULKAN_MEMORY_ALLOCATIONS_MEMORY_SIZE},
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_VULKAN_MEMORY_ALLOCATIONS);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_SOURCE, row,
                   text(imp, sources, ORMA_ARRAY_LEN(sources), num(e, EVENT(SOURCE))));
    orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_OPERATION, row,
                   text(imp, operations, ORMA_ARRAY_LEN(operations), num(e, EVENT(OPERATION))));
    orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_SCOPE, row,
                   text(imp, scopes, ORMA_ARRAY_LEN(scopes), num(e, EVENT(ALLOCATION_SCOPE))));
    orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_TIMESTAMP, row, num(e, EVENT(TIMESTAMP)));
    orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_UPID, row, upid);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(numbers); i++)
        if (e->f[numbers[i].field].id)
            orma_table_set(t, numbers[i].column, row, num(e, numbers[i].field));
    if (e->f[EVENT(CALLER_IID)].id) {
        uint32_t name = interned(imp, item, ORMA_PB_INTERNED_DATA_FUNCTION_NAMES,
                                 (uint64_t)num(e, EVENT(CALLER_IID)));

        if (name)
            orma_table_set(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_FUNCTION_NAME, row, name);
    }
    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f))
        if (f.id == EVENT(ANNOTATIONS))
            put_annotation(imp, args, item, orma_pb_str(&f));
    orma_storage_set_args(t, ORMA_VULKAN_MEMORY_ALLOCATIONS_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

/* ---- sums ---- */

static void add(struct orma_import_ctx *imp, const struct orma_item *item, const struct event *e,
                const char *type, uint32_t name, uint32_t upid, struct orma_track_dim dim,
                bool more)
{
    struct orma_android_vulkan_memory *st =
        orma_model_lazy(imp->model, (void **)&orma_android(imp)->vulkan_memory,
                        sizeof(struct orma_android_vulkan_memory));
    const struct orma_track_dim dims[] = {orma_dim(imp->model->known.upid, upid), dim};
    uint32_t track = orma_model_counter_track(imp->model, item->machine, type, name, NULL, 2, dims);
    uint64_t size = (uint64_t)num(e, EVENT(MEMORY_SIZE));
    uint64_t sum = st ? orma_map_get(&st->sums, track) : ORMA_MAP_NONE;

    sum = sum == ORMA_MAP_NONE ? 0 : sum;
    sum = more ? sum + size : sum - size;
    if (sum == ORMA_MAP_NONE) /* no value of a map; less than nothing anyway */
        sum = 0;
    if (!st || orma_map_put(&st->sums, track, sum))
        imp->model->storage->failed = true;
    orma_model_counter(imp->model, num(e, EVENT(TIMESTAMP)), track, (double)(int64_t)sum);
}

static void count(struct orma_import_ctx *imp, const struct orma_item *item, const struct event *e,
                  uint32_t upid)
{
    int64_t scope = num(e, EVENT(ALLOCATION_SCOPE)), op = num(e, EVENT(OPERATION));
    unsigned memory = (unsigned)num(e, EVENT(MEMORY_TYPE));
    struct orma_strpool *pool = &imp->model->storage->pool;
    bool made = op == ORMA_PB_VULKAN_MEMORY_EVENT_OP_CREATE;
    bool bound = op == ORMA_PB_VULKAN_MEMORY_EVENT_OP_BIND;
    const struct orma_track_dim type =
        orma_dim(orma_model_lit(imp->model, "vulkan_memory_type"), memory);

    switch (num(e, EVENT(SOURCE))) {
    case ORMA_PB_VULKAN_MEMORY_EVENT_SOURCE_DRIVER:
        if (scope > 0 && scope < (int64_t)ORMA_ARRAY_LEN(scopes) &&
            (made || op == ORMA_PB_VULKAN_MEMORY_EVENT_OP_DESTROY))
            add(imp, item, e, "vulkan_driver_mem",
                orma_strpool_addf(pool, "vulkan.mem.driver.scope.%s", scopes[scope]), upid,
                orma_dim_str(orma_model_lit(imp->model, "vulkan_allocation_scope"),
                             text(imp, scopes, ORMA_ARRAY_LEN(scopes), scope)),
                made);
        break;
    case ORMA_PB_VULKAN_MEMORY_EVENT_SOURCE_DEVICE_MEMORY:
        if (made || op == ORMA_PB_VULKAN_MEMORY_EVENT_OP_DESTROY)
            add(imp, item, e, "vulkan_device_mem_allocation",
                orma_strpool_addf(pool, "vulkan.mem.device.memory.type.%u.allocation", memory),
                upid, type, made);
        break;
    case ORMA_PB_VULKAN_MEMORY_EVENT_SOURCE_BUFFER:
    case ORMA_PB_VULKAN_MEMORY_EVENT_SOURCE_IMAGE:
        if (bound || op == ORMA_PB_VULKAN_MEMORY_EVENT_OP_DESTROY_BOUND)
            add(imp, item, e, "vulkan_device_mem_bind",
                orma_strpool_addf(pool, "vulkan.mem.device.memory.type.%u.bind", memory), upid,
                type, bound);
        break;
    }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct event e = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id < EVENT_FIELDS)
            e.f[f.id] = f;
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, item->machine),
                                           (uint32_t)num(&e, EVENT(PID)));
    add_row(imp, item, &e, upid);
    count(imp, item, &e, upid);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_vulkan_memory *st = orma_android(imp)->vulkan_memory;

    if (st)
        orma_map_fini(&st->sums);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_VULKAN_MEMORY_EVENT, 0};
const struct orma_importer orma_android_vulkan_memory_importer = {
    .name = "vulkan_memory", .fields = fields, .parse = parse, .fini = fini};
