/*
 * Profiles of V8, as the developer tools of Chrome and node write them:
 *
 *   .cpuprofile    {"nodes": [{"id", "callFrame", "children": [ids]}, ...], "startTime",
 *                   "endTime", "samples": [ids], "timeDeltas": [...]}     us
 *   before 2016    {"head": {..., "children": [{...}]}, "startTime", "endTime" (seconds),
 *                   "samples", "timestamps" (us)}
 *   .heapprofile   {"head": {"callFrame", "selfSize", "id", "children": [{...}]},
 *                   "samples": [{"nodeId", ...}]}
 *
 * Both forms of trees become one list of nodes that know their callers: those of ids when all are
 * read, nested ones in place (their depth is the file's, so nothing recurses). Then each node
 * becomes a call site. A sample stands for the time until the next one, in order of time.
 */
#include "processor/import/formats/json_profile.h"

#include <stdlib.h>

#include "processor/import/formats/formats.h"
#include "processor/model/callstacks.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

#define NO_NODE UINT32_MAX
#define US_NS 1e3
#define SECOND_NS 1e9

enum node_state { NODE_NEW, NODE_OPEN, NODE_DONE, NODE_BROKEN };

struct node {
    int64_t id;
    uint32_t parent; /* NO_NODE: it has none */
    uint32_t name, source;
    int64_t line; /* from 1 */
    double size, hits;
    uint32_t callsite, inner; /* of samples on it, and of whom it calls */
    uint32_t samples;         /* of a heap */
    uint8_t state;
    bool has_id, has_size, has_hits, bare; /* bare: without "callFrame" */
    const char *at;
    struct orma_json_value children, caller; /* of ids */
};

/* A sample whose time is known. */
struct timed {
    int64_t ts;
    uint32_t callsite;
    bool known; /* its node is */
    const char *at;
};

struct v8 {
    struct orma_formats_profile base;
    ORMA_VEC(struct node) nodes;
    ORMA_VEC(uint32_t) open; /* nodes, from the outermost on */
    ORMA_VEC(struct timed) samples;
    struct orma_map by_id;
    uint32_t utid;
};

/* What waits for its time. */
struct v8_event {
    uint32_t utid, callsite;
    int64_t ns;
};

static void out_of_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

static void part(struct orma_file *file, const char *kind, const void *at)
{
    orma_file_part(file, ORMA_ACCOUNT_DAMAGED, kind, at);
}

/* ---- nodes ---- */

static struct node *add_node(struct orma_file *file, uint32_t parent, const char *at)
{
    struct v8 *v8 = file->state;
    const struct node node = {.parent = parent, .bare = true, .at = at};

    if (v8->nodes.len == NO_NODE || ORMA_VEC_PUSH(&v8->nodes, node)) {
        out_of_memory(file);
        return NULL;
    }
    return &v8->nodes.data[v8->nodes.len - 1];
}

static void set_frame(struct orma_file *file, struct node *n, struct orma_str key,
                      const struct orma_json_value *v)
{
    if (orma_json_name_is(key, "functionName"))
        n->name = orma_formats_profile_text(file, v);
    else if (orma_json_name_is(key, "url"))
        n->source = orma_formats_profile_text(file, v);
    else if (orma_json_name_is(key, "lineNumber") && v->type == ORMA_JSON_INT)
        n->line = v->integer;
}

/* A member of a node, but its children. */
static void set_node(struct orma_file *file, struct node *n, struct orma_str key,
                     const struct orma_formats_span *span)
{
    const struct orma_json_value *v = &span->v;
    struct orma_formats_span inner;

    if (orma_json_name_is(key, "callFrame")) {
        struct orma_json j = orma_formats_span_inside(span);

        if (v->type != ORMA_JSON_OBJECT)
            part(file, "nodes without a function", n->at);
        if (!n->bare)
            part(file, "members with the name of another one", v->raw.data);
        n->bare = false;
        while (v->type == ORMA_JSON_OBJECT && orma_formats_span_member(file, &j, &key, &inner))
            set_frame(file, n, key, &inner.v);
        n->line += n->source && n->line >= 0; /* from 0, and -1: none */
    } else if (orma_json_name_is(key, "id")) {
        if (n->has_id)
            part(file, "members with the name of another one", v->raw.data);
        n->has_id = v->type == ORMA_JSON_INT;
        n->id = v->integer;
    } else if (orma_json_name_is(key, "selfSize")) {
        n->has_size = orma_formats_profile_number(v, &n->size) && n->size >= 0;
    } else if (orma_json_name_is(key, "hitCount")) {
        n->has_hits = orma_formats_profile_number(v, &n->hits) && n->hits >= 0;
    } else if (orma_json_name_is(key, "parent")) {
        n->caller = *v;
    } else if (n->bare) {
        set_frame(file, n, key, v); /* of the old form; lines are from 1 there */
    }
}

static void read_node(struct orma_file *file, const struct orma_formats_span *span)
{
    struct orma_json j = orma_formats_span_inside(span);
    struct node *n = add_node(file, NO_NODE, span->v.raw.data);
    struct orma_formats_span v;
    struct orma_str key;

    while (n && orma_formats_span_member(file, &j, &key, &v)) {
        if (!orma_json_name_is(key, "children")) {
            set_node(file, n, key, &v);
            continue;
        }
        if (n->children.type)
            part(file, "members with the name of another one", v.v.raw.data);
        n->children = v.cut ? (struct orma_json_value){0} : v.v;
    }
}

/* Nodes that lie side by side and name each other. */
static void read_nodes(struct orma_file *file, const struct orma_formats_span *list)
{
    struct orma_json j = orma_formats_span_inside(list);
    struct orma_formats_span v;

    while (!orma_file_failed(file) && orma_formats_span_element(file, &j, &v)) {
        if (v.cut)
            orma_formats_span_broken(file, &j);
        else if (v.v.type == ORMA_JSON_OBJECT)
            read_node(file, &v);
        else
            part(file, "nodes that are no objects", v.v.raw.data);
    }
}

static void enter_node(struct orma_file *file, const char *at)
{
    struct v8 *v8 = file->state;
    const uint32_t parent = v8->open.len ? v8->open.data[v8->open.len - 1] : NO_NODE;

    if (add_node(file, parent, at) && ORMA_VEC_PUSH(&v8->open, v8->nodes.len - 1))
        out_of_memory(file);
}

/* In a list of children: goes into the next one, or out of the list. False: malformed. */
static bool next_child(struct orma_file *file, struct orma_json *j)
{
    struct orma_json_value v;

    while (!orma_json_leave(j, ']')) {
        const char *at = j->pos;

        if (orma_json_enter(j, '{')) {
            enter_node(file, at);
            return true;
        }
        if (!orma_json_read(j, &v))
            return false;
        part(file, "nodes that are no objects", at);
    }
    return true;
}

/* A node inside its caller, all the way down. */
static void read_head(struct orma_file *file, const struct orma_formats_span *head)
{
    struct v8 *v8 = file->state;
    const struct orma_str text = head->v.raw;
    struct orma_json j = orma_json(text);
    struct orma_formats_span v = {0};
    struct orma_str key;
    bool well = orma_json_enter(&j, '{');

    enter_node(file, text.data);
    while (well && v8->open.len && !orma_file_failed(file)) {
        if (orma_json_leave(&j, '}')) {
            v8->open.len--;
            well = !v8->open.len || next_child(file, &j);
        } else if (!(well = orma_json_name(&j, &key))) {
            ;
        } else if (orma_json_name_is(key, "children") && orma_json_enter(&j, '[')) {
            well = next_child(file, &j);
        } else if ((well = orma_json_read(&j, &v.v) && j.pos < j.end)) {
            set_node(file, &v8->nodes.data[v8->open.data[v8->open.len - 1]], key, &v);
        }
    }
    if (!well)
        orma_formats_span_broken(file, &j);
}

/* ---- who calls whom ---- */

static uint32_t find_node(const struct v8 *v8, const struct orma_json_value *id)
{
    const uint64_t at =
        id->type == ORMA_JSON_INT ? orma_map_get(&v8->by_id, (uint64_t)id->integer) : ORMA_MAP_NONE;

    return at == ORMA_MAP_NONE ? NO_NODE : (uint32_t)at;
}

static void number_nodes(struct orma_file *file)
{
    struct v8 *v8 = file->state;

    for (uint32_t i = 0; i < v8->nodes.len; i++) {
        const struct node *n = &v8->nodes.data[i];

        if (!n->has_id)
            part(file, "nodes without an id", n->at);
        else if (orma_map_get(&v8->by_id, (uint64_t)n->id) != ORMA_MAP_NONE)
            part(file, "nodes with the id of another one", n->at);
        else if (orma_map_put(&v8->by_id, (uint64_t)n->id, i))
            out_of_memory(file);
    }
}

static void link_children(struct orma_file *file, uint32_t caller)
{
    struct v8 *v8 = file->state;
    struct orma_json_value v;

    for (struct orma_json j = orma_json_inside(&v8->nodes.data[caller].children);
         orma_json_element(&j, &v);) {
        const uint32_t child = find_node(v8, &v);

        if (child == NO_NODE && v8->base.cut)
            continue; /* that the file ends early is told */
        if (child == NO_NODE)
            part(file, "callees missing from the profile", v.raw.data);
        else if (v8->nodes.data[child].parent != NO_NODE)
            part(file, "nodes with two callers", v.raw.data);
        else
            v8->nodes.data[child].parent = caller;
    }
}

static void link_nodes(struct orma_file *file)
{
    struct v8 *v8 = file->state;

    for (uint32_t i = 0; i < v8->nodes.len; i++)
        link_children(file, i);
    for (uint32_t i = 0; i < v8->nodes.len; i++) {
        struct node *n = &v8->nodes.data[i];

        if (n->parent != NO_NODE || n->caller.type <= ORMA_JSON_NULL)
            continue;
        n->parent = find_node(v8, &n->caller);
        if (n->parent == NO_NODE)
            part(file, "callers missing from the profile", n->caller.raw.data);
    }
}

static bool is_root(struct orma_file *file, const struct node *n)
{
    return n->parent == NO_NODE && n->name && n->name == orma_model_lit(file->imp->model, "(root)");
}

/* What is called by nobody has no caller in its stack, and neither has what the root calls. */
static void make_callsite(struct orma_file *file, struct node *n)
{
    struct orma_model *m = file->imp->model;
    struct v8 *v8 = file->state;
    const struct node *parent = n->parent == NO_NODE ? NULL : &v8->nodes.data[n->parent];
    const uint32_t name = n->name ? n->name : orma_model_lit(m, "(anonymous)");

    if (parent && parent->state != NODE_DONE) {
        n->state = NODE_BROKEN;
        return;
    }
    n->callsite = n->inner = orma_callstacks_callsite(
        m, parent ? parent->inner : ORMA_CALLSITE_NONE,
        orma_formats_profile_frame(file, name, n->source, n->source ? n->line : 0));
    if (is_root(file, n))
        n->inner = ORMA_CALLSITE_NONE;
    n->state = NODE_DONE;
}

/* From the node up to one that is done, and down again: each node is passed twice. */
static void resolve(struct orma_file *file, uint32_t at)
{
    struct v8 *v8 = file->state;
    struct node *n = v8->nodes.data;

    v8->open.len = 0;
    for (; at != NO_NODE && n[at].state == NODE_NEW; at = n[at].parent) {
        n[at].state = NODE_OPEN;
        if (ORMA_VEC_PUSH(&v8->open, at)) {
            out_of_memory(file);
            return;
        }
    }
    if (at != NO_NODE && n[at].state == NODE_OPEN) {
        part(file, "circles of callers", n[at].at);
        n[at].state = NODE_BROKEN; /* and so are those below it */
    }
    while (v8->open.len) {
        struct node *next = &n[v8->open.data[--v8->open.len]];

        if (next->state == NODE_OPEN)
            make_callsite(file, next);
    }
}

static void resolve_nodes(struct orma_file *file)
{
    struct v8 *v8 = file->state;

    for (uint32_t i = 0; i < v8->nodes.len && !orma_file_failed(file); i++)
        resolve(file, i);
}

/* ---- samples ---- */

/* Numbers of the name "CPU.DATE.TIME.PID.TID.NUMBER.cpuprofile", as node makes it. */
static bool numbers_of_name(struct orma_str path, uint64_t *ret_pid, uint64_t *ret_tid)
{
    struct orma_str name = path, word[8];
    unsigned num = 0;

    for (size_t i = 0; i < path.len; i++)
        if (path.data[i] == '/')
            name = (struct orma_str){path.data + i + 1, path.len - i - 1};
    while (num < ORMA_ARRAY_LEN(word) && orma_str_cut(&name, '.', &word[num]))
        num++;
    return num >= 7 && orma_str_eq_c(word[0], "CPU") && orma_str_to_u64(word[3], ret_pid) &&
           orma_str_to_u64(word[4], ret_tid) && *ret_pid && *ret_pid <= INT32_MAX &&
           *ret_tid <= INT32_MAX;
}

/*
 * The thread. Workers of node are numbered from 1, which are no tids; its main thread is 0. So a
 * thread is known by the pid and that number, and has a made-up one where it is none of systems.
 */
static uint32_t find_thread(struct orma_file *file, const struct orma_formats_span *title)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    const struct orma_str path = orma_formats_profile_file_name(file);
    uint32_t name = orma_formats_profile_text(file, &title->v);
    uint64_t pid, tid;

    if (!name)
        name = orma_model_str(file->imp->model, path.len ? path : ORMA_STR("V8"));
    if (numbers_of_name(path, &pid, &tid)) {
        const uint32_t thread = tid ? orma_formats_profile_made_up(file, path) : (uint32_t)pid;
        const uint32_t utid = orma_processes_thread_of(p, thread, (uint32_t)pid);

        orma_processes_name_thread(p, utid, name, ORMA_THREAD_NAME_OTHER);
        return utid;
    }
    const uint32_t number =
        orma_formats_profile_made_up(file, path.len ? path : ORMA_STR("V8's profile"));
    const uint32_t utid = orma_processes_thread_of(p, number, number);
    orma_processes_name_thread(p, utid, name, ORMA_THREAD_NAME_OTHER);
    orma_processes_name_process(p, orma_processes_process(p, number), name,
                                ORMA_PROCESS_NAME_OTHER);
    return utid;
}

struct cpu_profile {
    struct orma_formats_span nodes, head, start, end, samples, deltas, timestamps, title;
};

struct times {
    struct orma_json list;
    bool absolute;
    bool lost; /* of the samples from here on, since each is told by the one before */
    int64_t ts;
};

/* Ends a sample that has no time. */
static void skip(struct orma_file *file, const char *at, enum orma_account_reason reason,
                 const char *kind)
{
    orma_file_unit(file, at);
    (void)orma_file_skipped(file, reason, kind);
}

static bool next_time(struct orma_file *file, struct times *t, const char *at)
{
    struct orma_formats_span v;
    int64_t ns;

    if (!orma_formats_span_element(file, &t->list, &v)) {
        skip(file, at, ORMA_ACCOUNT_DAMAGED, "samples without a time");
        return false;
    }
    if (t->lost) {
        skip(file, at, ORMA_ACCOUNT_DAMAGED, "samples behind one without a valid time");
        return false;
    }
    if (!orma_formats_profile_ns(&v.v, US_NS, &ns) ||
        (!t->absolute && __builtin_add_overflow(t->ts, ns, &ns))) {
        t->lost = !t->absolute;
        skip(file, at, ORMA_ACCOUNT_DAMAGED, "samples without a valid time");
        return false;
    }
    t->ts = ns;
    return true;
}

static void add_sample(struct orma_file *file, const struct orma_json_value *id, int64_t ts)
{
    struct v8 *v8 = file->state;
    const uint32_t at = find_node(v8, id);
    const struct node *n = at == NO_NODE ? NULL : &v8->nodes.data[at];
    struct timed sample = {.ts = ts, .at = id->raw.data};

    if (!n)
        skip(file, sample.at, ORMA_ACCOUNT_DAMAGED, "samples whose node is not in the profile");
    else if (n->state != NODE_DONE)
        skip(file, sample.at, ORMA_ACCOUNT_DAMAGED, "samples with a circle of callers");
    else if (ts < 0)
        skip(file, sample.at, ORMA_ACCOUNT_CLOCK, "samples with a time before zero");
    else
        sample.known = true;
    sample.callsite = sample.known ? n->callsite : ORMA_CALLSITE_NONE;
    if (ORMA_VEC_PUSH(&v8->samples, sample))
        out_of_memory(file);
}

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void sort_samples(struct v8 *v8)
{
    for (uint32_t i = 1; i < v8->samples.len; i++) {
        if (v8->samples.data[i].ts < v8->samples.data[i - 1].ts) {
            qsort(v8->samples.data, v8->samples.len, sizeof(*v8->samples.data), by_time);
            return;
        }
    }
}

/* `end`: when the last one is over. */
static void emit_samples(struct orma_file *file, bool has_end, int64_t end)
{
    struct v8 *v8 = file->state;

    for (uint32_t i = 0; i < v8->samples.len && !orma_file_failed(file); i++) {
        const struct timed *s = &v8->samples.data[i];
        const bool last = i + 1 == v8->samples.len;
        struct v8_event *e;
        int64_t ns = 0;

        if (!s->known)
            continue;
        if (last && (!has_end || end < s->ts))
            orma_file_part(file, ORMA_ACCOUNT_MISSING, "ends of the last sample", s->at);
        else if (__builtin_sub_overflow(last ? end : s[1].ts, s->ts, &ns))
            ns = 0;
        orma_file_unit(file, s->at);
        if (!(e = orma_arena_alloc(&v8->base.arena, sizeof(*e)))) {
            out_of_memory(file);
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "samples");
            return;
        }
        *e = (struct v8_event){v8->utid, s->callsite, ns};
        (void)orma_file_add(file, s->ts, 0, (const uint8_t *)e, sizeof(*e));
    }
}

/* Gives how many there are. */
static uint64_t read_samples(struct orma_file *file, const struct cpu_profile *c, bool old)
{
    const double unit = old ? SECOND_NS : US_NS;
    struct orma_json samples = orma_formats_span_inside(&c->samples);
    struct orma_formats_span v;
    struct times t = {.absolute = c->deltas.v.type != ORMA_JSON_ARRAY};
    int64_t end;
    uint64_t num = 0;

    t.list = orma_formats_span_inside(t.absolute ? &c->timestamps : &c->deltas);
    bool has_start = orma_formats_profile_ns(&c->start.v, unit, &t.ts);
    while (c->samples.v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &samples, &v)) {
        num++;
        if (next_time(file, &t, v.v.raw.data))
            add_sample(file, &v.v, t.ts);
    }
    if (num && !has_start && !t.absolute)
        orma_file_part(file, ORMA_ACCOUNT_MISSING, "times at which a profile starts", NULL);
    if (orma_formats_span_element(file, &t.list, &v))
        part(file, "times without a sample", v.v.raw.data);
    bool has_end = !t.lost && orma_formats_profile_ns(&c->end.v, unit, &end);
    sort_samples(file->state);
    emit_samples(file, has_end, has_end ? end : 0);
    return num;
}

/* A profile that has only how often each node was on top. */
static void read_hits(struct orma_file *file)
{
    struct orma_model *m = file->imp->model;
    struct v8 *v8 = file->state;
    uint32_t profile = ORMA_ROW_NONE;

    for (uint32_t i = 0; i < v8->nodes.len; i++) {
        const struct node *n = &v8->nodes.data[i];

        if (!n->has_hits || n->hits == 0)
            continue;
        if (n->state != NODE_DONE) {
            skip(file, n->at, ORMA_ACCOUNT_DAMAGED, "nodes with a circle of callers");
            continue;
        }
        if (profile == ORMA_ROW_NONE)
            profile =
                orma_callstacks_aggregate(m, "v8_cpu_profile", orma_model_lit(m, "V8 samples"),
                                          orma_model_lit(m, "samples"), orma_model_lit(m, "count"));
        orma_file_unit(file, n->at);
        orma_callstacks_aggregate_add(m, profile, n->callsite, n->hits);
        (void)orma_file_took(file);
    }
}

static void read_cpu_members(struct orma_file *file, struct orma_json *j, struct cpu_profile *ret)
{
    const struct {
        const char *name;
        struct orma_formats_span *span;
    } members[] = {
        {"nodes", &ret->nodes},           {"head", &ret->head},       {"startTime", &ret->start},
        {"endTime", &ret->end},           {"samples", &ret->samples}, {"timeDeltas", &ret->deltas},
        {"timestamps", &ret->timestamps}, {"title", &ret->title},
    };
    struct orma_formats_span v;
    struct orma_str key;

    while (orma_formats_profile_member(file, j, &key, &v))
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(members); i++)
            if (orma_json_name_is(key, members[i].name))
                orma_formats_span_set(file, members[i].span, &v);
}

static size_t cpu_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct v8 *v8 = file->state;
    struct cpu_profile c = {0};
    struct orma_json j;

    (void)at_end; /* it is read once, whole */
    v8->base.source = "v8_cpu_profile";
    if (!orma_formats_profile_enter(file, data, len, &j))
        return len;
    read_cpu_members(file, &j, &c);
    const bool old = c.nodes.v.type != ORMA_JSON_ARRAY;
    if (old)
        read_head(file, &c.head);
    else
        read_nodes(file, &c.nodes);
    number_nodes(file);
    if (!old)
        link_nodes(file);
    resolve_nodes(file);
    v8->utid = find_thread(file, &c.title);
    if (!read_samples(file, &c, old))
        read_hits(file);
    return len;
}

static struct orma_unit_end cpu_parse(struct orma_file *file, const struct orma_item *item)
{
    struct v8_event e;

    memcpy(&e, item->data, sizeof(e));
    orma_formats_profile_sample(file, item->ts, e.utid, e.callsite, e.ns);
    return orma_file_took(file);
}

static void v8_fini(struct orma_file *file)
{
    struct v8 *v8 = file->state;

    orma_formats_profile_fini(&v8->base);
    ORMA_VEC_FINI(&v8->nodes);
    ORMA_VEC_FINI(&v8->open);
    ORMA_VEC_FINI(&v8->samples);
    orma_map_fini(&v8->by_id);
}

const struct orma_format_ops orma_format_v8_cpu = {
    .state_bytes = sizeof(struct v8),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "sample",
    .whole = true,
    .read = cpu_read,
    .parse = cpu_parse,
    .fini = v8_fini,
};

/* ---- heaps ---- */

/* What was allocated where, and is still there: V8 has scaled it up from its samples. */
static void read_sizes(struct orma_file *file)
{
    struct orma_model *m = file->imp->model;
    struct v8 *v8 = file->state;
    uint32_t profile =
        orma_callstacks_aggregate(m, "v8_heap_profile", orma_model_lit(m, "V8 space"),
                                  orma_model_lit(m, "space"), orma_model_lit(m, "bytes"));

    for (uint32_t i = 0; i < v8->nodes.len; i++) {
        const struct node *n = &v8->nodes.data[i];

        orma_file_unit(file, n->at);
        if (!n->has_size || n->state != NODE_DONE) {
            (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "nodes without a valid size");
            continue;
        }
        if (n->size > 0)
            orma_callstacks_aggregate_add(m, profile, n->callsite, n->size);
        (void)orma_file_took(file);
    }
}

/* Those that are still there: how many, by node. */
static void read_heap_samples(struct orma_file *file, const struct orma_formats_span *list)
{
    struct orma_model *m = file->imp->model;
    struct orma_json j = orma_formats_span_inside(list);
    struct v8 *v8 = file->state;
    struct orma_formats_span v;
    uint64_t num = 0;

    while (list->v.type == ORMA_JSON_ARRAY && orma_formats_span_element(file, &j, &v)) {
        if (v.cut) {
            orma_formats_span_broken(file, &j);
            break;
        }
        const struct orma_json_value id = orma_json_find(&v.v, "nodeId");
        const uint32_t at = find_node(v8, &id);

        orma_file_unit(file, v.v.raw.data);
        if (at == NO_NODE) {
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                    "samples whose node is not in the profile");
            continue;
        }
        v8->nodes.data[at].samples++;
        num++;
        (void)orma_file_took(file);
    }
    if (!num)
        return;
    uint32_t profile =
        orma_callstacks_aggregate(m, "v8_heap_profile", orma_model_lit(m, "V8 samples"),
                                  orma_model_lit(m, "samples"), orma_model_lit(m, "count"));
    for (uint32_t i = 0; i < v8->nodes.len; i++)
        if (v8->nodes.data[i].samples && v8->nodes.data[i].state == NODE_DONE)
            orma_callstacks_aggregate_add(m, profile, v8->nodes.data[i].callsite,
                                          v8->nodes.data[i].samples);
}

static size_t heap_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_formats_span head = {0}, samples = {0}, v;
    struct orma_json j;
    struct orma_str key;

    (void)at_end; /* it is read once, whole */
    if (!orma_formats_profile_enter(file, data, len, &j))
        return len;
    while (orma_formats_profile_member(file, &j, &key, &v)) {
        if (orma_json_name_is(key, "head"))
            orma_formats_span_set(file, &head, &v);
        else if (orma_json_name_is(key, "samples"))
            orma_formats_span_set(file, &samples, &v);
    }
    if (head.v.type == ORMA_JSON_OBJECT)
        read_head(file, &head);
    number_nodes(file);
    resolve_nodes(file);
    read_sizes(file);
    read_heap_samples(file, &samples);
    return len;
}

const struct orma_format_ops orma_format_v8_heap = {
    .state_bytes = sizeof(struct v8),
    .unit = "record",
    .whole = true,
    .read = heap_read,
    .fini = v8_fini,
};
