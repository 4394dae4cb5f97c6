/*
 * V8's sampling profiler inside a JSON trace.
 *
 * An event of phase P with a start time begins a profile; others add nodes of its call tree, and
 * samples as (node, microseconds since the previous sample). Both are resolved while the file is
 * read, since chunks build on each other: a node becomes a call site below that of its parent, a
 * sample an item with its absolute time, which becomes a row in sorted order.
 */
#include "processor/import/formats/chrome_json.h"

#include "processor/model/callstacks.h"
#include "sdk/base/hash.h"

/* An event of a profile at work. */
struct chunk {
    struct orma_file *file;
    struct orma_json_profiles *p;
    struct orma_json_records *records;
    const struct orma_json_event *event;
    struct orma_str text;
    struct orma_buf *scratch;
    uint64_t profile;
};

static uint64_t node_key(uint64_t profile, int64_t node)
{
    return orma_fnv1a(profile, &node, sizeof(node)) >> 1; /* all ones is no key */
}

static void put(struct chunk *c, struct orma_map *map, uint64_t key, uint64_t val)
{
    c->file->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static void fails(struct chunk *c, enum orma_stat stat, const char *error)
{
    orma_json_event_log(c->file, stat, c->text, orma_model_cstr(c->file->imp->model, error));
}

/* A time starts the profile, or starts it again. Its frames lie in a mapping of their own. */
static void start_profile(struct chunk *c, int64_t start)
{
    const struct orma_mapping mapping = {.name = ORMA_STR_EMPTY, .end = UINT64_MAX};

    put(c, &c->p->times, c->profile, (uint64_t)start & INT64_MAX);
    if (orma_map_get(&c->p->mappings, c->profile) == ORMA_MAP_NONE)
        put(c, &c->p->mappings, c->profile,
            orma_callstacks_add_mapping(c->file->imp->model, &mapping));
}

static uint32_t node_frame(struct chunk *c, const struct orma_json_value *call)
{
    struct orma_model *m = c->file->imp->model;
    struct orma_json_value name = orma_json_find(call, "functionName");
    struct orma_json_value url = orma_json_find(call, "url");
    struct orma_stack_frame frame = {.mapping =
                                         (uint32_t)orma_map_get(&c->p->mappings, c->profile)};

    if (name.type == ORMA_JSON_STRING)
        frame.name = orma_model_str(m, orma_json_text(&name, c->scratch));
    if (url.type == ORMA_JSON_STRING && url.raw.len)
        frame.source = orma_model_str(m, orma_json_text(&url, c->scratch));
    return orma_callstacks_symbolized_frame(m, &frame);
}

/* Nodes that say who their children are instead of who their parent is. */
static void note_children(struct chunk *c, const struct orma_json_value *node, uint64_t callsite)
{
    struct orma_json_value children = orma_json_find(node, "children"), child;

    for (struct orma_json list = orma_json_inside(&children); orma_json_element(&list, &child);)
        if (child.type == ORMA_JSON_INT)
            put(c, &c->p->parents, node_key(c->profile, child.integer), callsite);
}

static void add_node(struct chunk *c, const struct orma_json_value *node, int64_t id)
{
    struct orma_json_value parent = orma_json_find(node, "parent");
    struct orma_json_value call = orma_json_find(node, "callFrame");
    uint64_t key = node_key(c->profile, id), above = orma_map_get(&c->p->parents, key);

    if (orma_map_get(&c->p->times, c->profile) == ORMA_MAP_NONE) {
        fails(c, ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_CALLSITE,
              "v8 profile id does not exist: cannot insert callsite");
        return;
    }
    uint32_t frame = node_frame(c, &call);
    if (parent.type == ORMA_JSON_INT) {
        above = orma_map_get(&c->p->nodes, node_key(c->profile, parent.integer));
        if (above == ORMA_MAP_NONE) {
            fails(c, ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_CALLSITE,
                  "v8 profile parent id does not exist: cannot insert callsite");
            return;
        }
    }
    if (orma_map_get(&c->p->nodes, key) != ORMA_MAP_NONE) {
        fails(c, ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_CALLSITE,
              "v8 profile: callsite with id already exists");
        return;
    }
    uint32_t callsite = orma_callstacks_callsite(
        c->file->imp->model, above == ORMA_MAP_NONE ? ORMA_CALLSITE_NONE : (uint32_t)above, frame);
    put(c, &c->p->nodes, key, callsite);
    note_children(c, node, callsite);
}

static struct orma_unit_end add_sample(struct chunk *c, int64_t node, int64_t ts)
{
    struct orma_import_ctx *imp = c->file->imp;
    uint64_t callsite = orma_map_get(&c->p->nodes, node_key(c->profile, node));
    const void *record;

    if (callsite == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_LEGACY_V8_CPU_PROFILE_INVALID_SAMPLE);
        return orma_file_skipped(c->file, ORMA_ACCOUNT_DAMAGED,
                                 "samples of V8's profiler with an unknown node");
    }
    struct orma_json_sample s = {
        .pid = orma_json_event_number(imp, &c->event->pid, c->scratch).number,
        .tid = orma_json_event_number(imp, &c->event->tid, c->scratch).number,
        .callsite = (uint32_t)callsite,
    };
    s.tid = s.tid ? s.tid : s.pid;
    if ((record = orma_json_record_sample(c->records, &s)))
        return orma_file_add(c->file, ts, INT64_MAX, record, 0);
    imp->model->storage->failed = true;
    return orma_file_skipped(c->file, ORMA_ACCOUNT_NO_WORD, "samples"); /* memory is out */
}

static unsigned count(const struct orma_json_value *list)
{
    struct orma_json_value v;
    unsigned num = 0;

    for (struct orma_json j = orma_json_inside(list); orma_json_element(&j, &v);)
        num++;
    return num;
}

static struct orma_unit_end add_samples(struct chunk *c, const struct orma_json_value *samples,
                                        const struct orma_json_value *deltas)
{
    uint64_t at = orma_map_get(&c->p->times, c->profile);
    struct orma_json nodes = orma_json_inside(samples), times = orma_json_inside(deltas);
    struct orma_json_value node, delta;
    int64_t ts = (int64_t)at, ns;

    if (!count(samples) && !count(deltas))
        return orma_file_took(c->file);
    if (count(samples) != count(deltas)) {
        fails(c, ORMA_STAT_JSON_TOKENIZER_FAILURE,
              "v8 profile: samples and timeDeltas differ in length");
        return orma_file_skipped(c->file, ORMA_ACCOUNT_DAMAGED, "events of phase P");
    }
    if (at == ORMA_MAP_NONE) {
        fails(c, ORMA_STAT_JSON_TOKENIZER_FAILURE,
              "v8 profile id does not exist: cannot compute timestamp from delta");
        return orma_file_skipped(c->file, ORMA_ACCOUNT_DAMAGED, "events of phase P");
    }
    struct orma_unit_end end = orma_file_took(c->file);
    while (orma_json_element(&nodes, &node) && orma_json_element(&times, &delta)) {
        orma_file_unit(c->file, node.raw.data);
        if (node.type != ORMA_JSON_INT || !orma_json_time(&delta, &ns) ||
            __builtin_add_overflow(ts, ns, &ns)) {
            (void)orma_file_skipped(c->file, ORMA_ACCOUNT_DAMAGED,
                                    "samples of V8's profiler without a time");
            continue;
        }
        ts = ns;
        (void)add_sample(c, node.integer, ts);
    }
    put(c, &c->p->times, c->profile, (uint64_t)ts & INT64_MAX);
    return end;
}

struct orma_unit_end orma_json_profile_event(struct orma_file *file, struct orma_json_profiles *p,
                                             struct orma_json_records *records,
                                             const struct orma_json_event *e, struct orma_str text,
                                             struct orma_buf *scratch)
{
    struct chunk c = {file, p, records, e, text, scratch, 0};
    struct orma_json_value data = orma_json_find(&e->args, "data"), node;
    struct orma_json_value begun = orma_json_find(&data, "startTime");
    struct orma_json_value profile = orma_json_find(&data, "cpuProfile");
    struct orma_json_value nodes = orma_json_find(&profile, "nodes");
    struct orma_json_value samples = orma_json_find(&profile, "samples");
    struct orma_json_value deltas = orma_json_find(&data, "timeDeltas");
    uint64_t id;
    int64_t start;

    if (!orma_json_event_id(&e->id, &id))
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "events of phase P without an id");
    const uint32_t pid = orma_json_event_number(file->imp, &e->pid, scratch).number;
    c.profile = orma_fnv1a(orma_fnv1a(ORMA_FNV1A_BASIS, &id, sizeof(id)), &pid, sizeof(pid)) >> 1;
    if (orma_json_time(&begun, &start)) {
        start_profile(&c, start);
        return orma_file_took(file);
    }
    for (struct orma_json list = orma_json_inside(&nodes); orma_json_element(&list, &node);) {
        struct orma_json_value number = orma_json_find(&node, "id");

        if (number.type == ORMA_JSON_INT)
            add_node(&c, &node, number.integer);
    }
    return add_samples(&c, &samples, &deltas);
}

void orma_json_profile_sample(struct orma_file *file, int64_t ts, const struct orma_json_sample *s)
{
    orma_callstacks_stack(
        file->imp->model, ts, "legacy_v8_cpu_profile",
        orma_processes_thread_of(orma_model_processes(file->imp->model, file->imp->model->base),
                                 s->tid, s->pid),
        s->callsite);
}

void orma_json_profiles_fini(struct orma_json_profiles *p)
{
    orma_map_fini(&p->times);
    orma_map_fini(&p->mappings);
    orma_map_fini(&p->nodes);
    orma_map_fini(&p->parents);
}
