/*
 * V8's sampling profiler inside a JSON trace.
 *
 * A Profile event starts a profile with a time; ProfileChunk events add nodes of its call tree, and
 * samples as (node, microseconds since the previous sample). Both are resolved while the file is
 * read, since chunks build on each other: a node becomes a call site below that of its parent, a
 * sample an item with its absolute time, which becomes a row in sorted order.
 */
#include "processor/import/formats/chrome_json.h"

#include "processor/model/callstacks.h"
#include "sdk/base/hash.h"

/* A sample as an item. Its first byte is 0, which distinguishes it from events, which are text. */
struct v8_sample {
    uint8_t zero;
    uint32_t pid, tid, callsite;
};

static uint64_t profile_key(const struct orma_json_event *e)
{
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, e->id.raw.data, e->id.raw.len);

    return orma_fnv1a(key, e->pid.raw.data, e->pid.raw.len);
}

static uint64_t node_key(uint64_t profile, int64_t node)
{
    return orma_fnv1a(profile, &node, sizeof(node));
}

static void put(struct orma_import_ctx *imp, struct orma_map *map, uint64_t key, uint64_t val)
{
    imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static uint32_t node_frame(struct orma_import_ctx *imp, const struct orma_json_value *call)
{
    struct orma_json_value name = orma_json_find(call, "functionName");
    struct orma_json_value url = orma_json_find(call, "url");
    struct orma_json_value line = orma_json_find(call, "lineNumber");
    struct orma_buf text = {0};
    struct orma_stack_frame frame = {.mapping = orma_callstacks_dummy_mapping(imp->model, "")};

    if (name.type == ORMA_JSON_STRING)
        frame.name = orma_model_str(imp->model, orma_json_text(&name, &text));
    if (url.type == ORMA_JSON_STRING && url.raw.len)
        frame.source = orma_model_str(imp->model, orma_json_text(&url, &text));
    if (line.type == ORMA_JSON_INT && line.integer >= 0 && line.integer <= UINT32_MAX)
        frame.line = (uint32_t)line.integer;
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return orma_callstacks_symbolized_frame(imp->model, &frame);
}

static void add_nodes(struct orma_file *file, struct orma_json_profiles *p, uint64_t profile,
                      const struct orma_json_value *nodes)
{
    struct orma_json list = orma_json_inside(nodes);
    struct orma_json_value node;

    while (orma_json_element(&list, &node)) {
        struct orma_json_value id = orma_json_find(&node, "id");
        struct orma_json_value parent = orma_json_find(&node, "parent");
        struct orma_json_value call = orma_json_find(&node, "callFrame");
        uint64_t above = ORMA_CALLSITE_NONE;

        if (id.type != ORMA_JSON_INT)
            continue;
        if (parent.type == ORMA_JSON_INT)
            above = orma_map_get(&p->nodes, node_key(profile, parent.integer));
        if (above == ORMA_MAP_NONE) {
            orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                           ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_CALLSITE);
            continue;
        }
        uint32_t callsite = orma_callstacks_callsite(file->imp->model, (uint32_t)above,
                                                     node_frame(file->imp, &call));
        put(file->imp, &p->nodes, node_key(profile, id.integer), callsite);
    }
}

static void add_sample(struct orma_file *file, struct orma_json_profiles *p,
                       const struct orma_json_event *e, uint64_t callsite, int64_t ts)
{
    struct v8_sample *s;

    if (callsite == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                       ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_SAMPLE);
        return;
    }
    s = orma_arena_alloc(&p->arena, sizeof(*s));
    if (!s) {
        file->imp->model->storage->failed = true;
        return;
    }
    *s = (struct v8_sample){
        .pid = (uint32_t)e->pid.integer,
        .tid = (uint32_t)(e->tid.integer ? e->tid.integer : e->pid.integer),
        .callsite = (uint32_t)callsite,
    };
    orma_file_add(file, ts, INT64_MAX, (const uint8_t *)s, sizeof(*s));
}

static void add_samples(struct orma_file *file, struct orma_json_profiles *p,
                        const struct orma_json_event *e, const struct orma_json_value *samples,
                        const struct orma_json_value *deltas)
{
    uint64_t profile = profile_key(e);
    uint64_t at = orma_map_get(&p->times, profile);
    struct orma_json nodes = orma_json_inside(samples), times = orma_json_inside(deltas);
    struct orma_json_value node, delta;
    int64_t ts = at == ORMA_MAP_NONE ? 0 : (int64_t)at, ns;

    while (orma_json_element(&nodes, &node) && orma_json_element(&times, &delta)) {
        if (node.type != ORMA_JSON_INT || !orma_json_time(&delta, &ns) || ts > INT64_MAX / 2 ||
            ns > INT64_MAX / 2)
            continue;
        ts += ns;
        add_sample(file, p, e, orma_map_get(&p->nodes, node_key(profile, node.integer)), ts);
    }
    put(file->imp, &p->times, profile, (uint64_t)ts & INT64_MAX);
}

bool orma_json_profile_event(struct orma_file *file, struct orma_json_profiles *p,
                             const struct orma_json_event *e)
{
    struct orma_json_value data = orma_json_find(&e->args, "data");
    int64_t start;

    if (e->name.type != ORMA_JSON_STRING)
        return false;
    if (orma_str_eq(e->name.raw, ORMA_STR("Profile"))) {
        struct orma_json_value begun = orma_json_find(&data, "startTime");

        if (orma_json_time(&begun, &start) && start >= 0)
            put(file->imp, &p->times, profile_key(e), (uint64_t)start);
        return true;
    }
    if (!orma_str_eq(e->name.raw, ORMA_STR("ProfileChunk")))
        return false;
    struct orma_json_value profile = orma_json_find(&data, "cpuProfile");
    struct orma_json_value nodes = orma_json_find(&profile, "nodes");
    struct orma_json_value samples = orma_json_find(&profile, "samples");
    struct orma_json_value deltas = orma_json_find(&data, "timeDeltas");

    add_nodes(file, p, profile_key(e), &nodes);
    add_samples(file, p, e, &samples, &deltas);
    return true;
}

bool orma_json_profile_parse(struct orma_file *file, const struct orma_item *item)
{
    struct v8_sample s;

    if (item->len != sizeof(s) || item->data[0])
        return false;
    memcpy(&s, item->data, sizeof(s));
    orma_callstacks_stack(
        file->imp->model, item->ts, "legacy_v8_cpu_profile",
        orma_processes_thread_of(orma_model_processes(file->imp->model, file->imp->model->base),
                                 s.tid, s.pid),
        s.callsite);
    return true;
}

void orma_json_profiles_fini(struct orma_json_profiles *p)
{
    orma_map_fini(&p->times);
    orma_map_fini(&p->nodes);
    orma_arena_fini(&p->arena);
}
