/*
 * Profiles as Firefox's own profiler gathers them (its version 24):
 *
 *   functions of call sites ──► nodes of a forest (all of the trace, once)
 *   samples of a thread ──► its tables: samples → stacks → frames → texts, each numbered by use
 *
 * A function that was compiled into another has a frame of its own. Times are milliseconds of the
 * trace's clock; startTime makes wall time of them, where the trace tells.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/export/export_impl.h"
#include "protos/reflect/json.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/path.h"

#define DEPTH_MAX 4096 /* a cycle of parents in a hostile trace ends here */

#define NODES                                                                                      \
    "SELECT f.id, f.parent_id, f.name, m.name, f.line_number, "                                    \
    "iif(f.is_leaf_function_in_callsite_frame, f.callsite_id, NULL) FROM _callstack_spc_forest f " \
    "LEFT JOIN stack_profile_mapping m ON m.id = f.mapping_id ORDER BY f.id"
#define SAMPLES                                                                                    \
    "SELECT t.utid, s.ts, s.callsite_id, t.tid, t.name, p.pid, p.name, "                           \
    "coalesce(t.is_main_thread, 0) FROM stack_sample s "                                           \
    "JOIN __intrinsic_profiler_task_context c ON c.id = s.task_context_id "                        \
    "JOIN thread t USING (utid) LEFT JOIN process p ON p.upid = t.upid "                           \
    "WHERE s.callsite_id IS NOT NULL ORDER BY t.utid, s.ts, s.id"
#define WALL_TIME                                                                                  \
    "SELECT clock_value - ts FROM clock_snapshot WHERE clock_name = 'REALTIME' ORDER BY id LIMIT " \
    "1"

#define WEIGHTS                                                                                    \
    "SELECT EXISTS (SELECT 1 FROM _orma_sample_weight WHERE weight != 1) OR "                      \
    "(SELECT min(ns) != max(ns) FROM _orma_sample_time)"

enum { N_ID, N_PARENT, N_NAME, N_MAPPING, N_LINE, N_CALLSITE };
enum { S_UTID, S_TS, S_CALLSITE, S_TID, S_THREAD, S_PID, S_PROCESS, S_MAIN };
enum { CATEGORY_USER, CATEGORY_KERNEL };

/* A function of a call site. */
struct node {
    int64_t parent, line; /* -1: none */
    uint64_t location;    /* offset in `texts` */
    bool kernel;
};

/* The tables of the thread that is being written. */
struct thread {
    struct orma_buf samples, stacks, frames, strings;
    struct orma_map stack_ids, frame_ids, string_ids; /* of a node, of contents, of a text */
    uint64_t stacks_num, frames_num, strings_num, samples_num;
};

struct writer {
    struct orma_export_writer base;
    struct orma_buf nodes, texts;
    struct orma_map leaves; /* call site → node */
    struct thread thread;
    bool any; /* threads before this one */
};

/* ---- functions ---- */

/* Nodes count up from 0 without gaps. */
static void load_nodes(struct writer *w)
{
    struct orma_export_rows r =
        orma_export_rows(&w->base, "INCLUDE PERFETTO MODULE callstacks.stack_profile");

    while (orma_export_next(&r))
        ;
    for (r = orma_export_rows(&w->base, NODES); orma_export_next(&r);) {
        struct orma_str mapping = orma_export_text(&r, N_MAPPING);
        struct node n = {
            .parent = orma_export_is_null(&r, N_PARENT) ? -1 : orma_export_int(&r, N_PARENT),
            .line = orma_export_is_null(&r, N_LINE) ? -1 : orma_export_int(&r, N_LINE),
            .location = w->texts.len,
            .kernel =
                orma_str_eq_c(mapping, "/kernel") || orma_str_starts(mapping, ORMA_STR("[kernel")),
        };
        struct orma_str name = orma_export_text(&r, N_NAME),
                        lib = orma_path_base_of(orma_path_trim(mapping));

        orma_buf_put(&w->texts, name.data, name.len);
        if (lib.len)
            orma_buf_printf(&w->texts, " (in %.*s)", ORMA_STR_ARG(lib));
        orma_buf_put_byte(&w->texts, 0);
        orma_buf_put(&w->nodes, &n, sizeof(n));
        if (!orma_export_is_null(&r, N_CALLSITE) &&
            orma_map_put(&w->leaves, (uint64_t)orma_export_int(&r, N_CALLSITE),
                         (uint64_t)orma_export_int(&r, N_ID)) < 0)
            w->base.err = -ENOMEM;
    }
    if (w->nodes.failed || w->texts.failed)
        w->base.err = -ENOMEM;
}

static const struct node *node_of(const struct writer *w, int64_t id)
{
    const struct node *all = (const struct node *)(void *)w->nodes.data;

    return id >= 0 && (uint64_t)id < w->nodes.len / sizeof(*all) ? &all[id] : NULL;
}

/* ---- tables of a thread ---- */

/* The number under the key; *ret_new if it is a new one. */
static uint64_t number_of(struct writer *w, struct orma_map *map, uint64_t key, uint64_t *num,
                          bool *ret_new)
{
    uint64_t id = orma_map_get(map, key);

    *ret_new = id == ORMA_MAP_NONE;
    if (!*ret_new)
        return id;
    if (orma_map_put(map, key, *num) < 0)
        w->base.err = -ENOMEM;
    return (*num)++;
}

static void separate(struct orma_buf *out)
{
    if (out->len)
        orma_buf_put_byte(out, ',');
}

static uint64_t string_id(struct writer *w, const char *text)
{
    struct thread *t = &w->thread;
    size_t len = strlen(text);
    uint64_t key = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, text, len) ^ len);
    bool fresh;
    uint64_t id = number_of(w, &t->string_ids, key, &t->strings_num, &fresh);

    if (fresh) {
        separate(&t->strings);
        orma_json_quote(&t->strings, (struct orma_str){text, len});
    }
    return id;
}

static uint64_t frame_id(struct writer *w, const struct node *n)
{
    struct thread *t = &w->thread;
    uint64_t text = string_id(w, (const char *)w->texts.data + n->location);
    uint64_t key = orma_mix64(text ^ orma_mix64((uint64_t)n->line));
    bool fresh;
    uint64_t id = number_of(w, &t->frame_ids, key, &t->frames_num, &fresh);

    if (fresh) {
        separate(&t->frames);
        orma_buf_printf(&t->frames, "[%" PRIu64 ",false,0,null,null,", text);
        if (n->line > 0)
            orma_buf_printf(&t->frames, "%" PRId64, n->line);
        else
            orma_buf_put_str(&t->frames, "null");
        orma_buf_printf(&t->frames, ",null,%d,0]", n->kernel ? CATEGORY_KERNEL : CATEGORY_USER);
    }
    return id;
}

/* The stack that ends in the node; callers come before those they call. False: there is none. */
static bool stack_id(struct writer *w, int64_t leaf, uint64_t *ret)
{
    struct thread *t = &w->thread;
    int64_t path[DEPTH_MAX];
    size_t depth = 0;
    uint64_t above = ORMA_MAP_NONE;

    for (const struct node *n; depth < DEPTH_MAX && (n = node_of(w, leaf)); leaf = n->parent) {
        above = orma_map_get(&t->stack_ids, (uint64_t)leaf);
        if (above != ORMA_MAP_NONE)
            break;
        path[depth++] = leaf;
    }
    while (depth) {
        uint64_t frame = frame_id(w, node_of(w, path[--depth]));
        bool fresh;

        separate(&t->stacks);
        if (above == ORMA_MAP_NONE)
            orma_buf_printf(&t->stacks, "[null,%" PRIu64 "]", frame);
        else
            orma_buf_printf(&t->stacks, "[%" PRIu64 ",%" PRIu64 "]", above, frame);
        above = number_of(w, &t->stack_ids, (uint64_t)path[depth], &t->stacks_num, &fresh);
    }
    *ret = above;
    return above != ORMA_MAP_NONE;
}

static void put_ms(struct orma_buf *out, int64_t ns)
{
    uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    orma_buf_printf(out, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", abs / 1000000,
                    abs % 1000000);
}

static void add_sample(struct writer *w, const struct orma_export_rows *r)
{
    struct thread *t = &w->thread;
    uint64_t stack, leaf = orma_map_get(&w->leaves, (uint64_t)orma_export_int(r, S_CALLSITE));

    if (leaf == ORMA_MAP_NONE || !stack_id(w, (int64_t)leaf, &stack))
        return;
    separate(&t->samples);
    orma_buf_printf(&t->samples, "[%" PRIu64 ",", stack);
    put_ms(&t->samples, orma_export_int(r, S_TS));
    orma_buf_put_str(&t->samples, ",0]");
    t->samples_num++;
}

/* ---- output ---- */

static void begin_thread(struct writer *w, const struct orma_export_rows *r)
{
    struct orma_buf *out = &w->base.out;
    struct orma_str name = orma_export_text(r, S_THREAD);
    struct orma_buf unnamed = {0};

    orma_buf_put_str(out, w->any ? ",\n{\"name\":" : "\n{\"name\":");
    if (!name.len) {
        orma_buf_printf(&unnamed, "Thread %" PRId64, orma_export_int(r, S_TID));
        name = orma_buf_str(&unnamed);
    }
    orma_json_quote(out, name);
    orma_buf_put_str(out, ",\"processName\":");
    orma_json_quote(out, orma_export_text(r, S_PROCESS));
    orma_buf_printf(out,
                    ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"isMainThread\":%s,"
                    "\"processType\":\"default\",\"registerTime\":0,\"unregisterTime\":null,"
                    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,"
                    "\"phase\":3,\"category\":4,\"data\":5},\"data\":[]},",
                    orma_export_int(r, S_PID), orma_export_int(r, S_TID),
                    orma_export_int(r, S_MAIN) ? "true" : "false");
    w->any = true;
    orma_buf_fini(&unnamed);
}

static void put_table(struct orma_buf *out, const char *name, const char *schema,
                      struct orma_buf *rows)
{
    orma_buf_printf(out, "\n\"%s\":{\"schema\":{%s},\"data\":[", name, schema);
    orma_buf_put(out, rows->data, rows->len);
    orma_buf_put_str(out, "]},");
    out->failed |= rows->failed;
    orma_buf_clear(rows);
}

static void end_thread(struct writer *w)
{
    struct thread *t = &w->thread;
    struct orma_buf *out = &w->base.out;

    put_table(out, "samples", "\"stack\":0,\"time\":1,\"responsiveness\":2", &t->samples);
    put_table(out, "frameTable",
              "\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,\"implementation\":3,"
              "\"optimizations\":4,\"line\":5,\"column\":6,\"category\":7,\"subcategory\":8",
              &t->frames);
    put_table(out, "stackTable", "\"prefix\":0,\"frame\":1", &t->stacks);
    orma_buf_put_str(out, "\n\"stringTable\":[");
    orma_buf_put(out, t->strings.data, t->strings.len);
    orma_buf_put_str(out, "]}");
    out->failed |= t->strings.failed;
    orma_buf_clear(&t->strings);
    orma_map_clear(&t->stack_ids);
    orma_map_clear(&t->frame_ids);
    orma_map_clear(&t->string_ids);
    t->stacks_num = t->frames_num = t->strings_num = 0;
    orma_export_flush(&w->base, false);
}

static void put_head(struct writer *w)
{
    struct orma_buf *out = &w->base.out;
    struct orma_export_rows r = orma_export_rows(&w->base, WALL_TIME);
    int64_t wall = 0;

    while (orma_export_next(&r))
        wall = orma_export_int(&r, 0);
    orma_buf_put_str(out, "{\"meta\":{\"version\":24,\"interval\":1,\"processType\":0,"
                          "\"product\":\"Orma\",\"stackwalk\":1,\"debug\":0,\"gcpoison\":0,"
                          "\"asyncstack\":1,\"startTime\":");
    put_ms(out, wall);
    orma_buf_put_str(out, ",\"shutdownTime\":null,\"presymbolicated\":true,\"categories\":["
                          "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
                          "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":"
                          "[\"Other\"]}],\"markerSchema\":[]},\n\"libs\":[],\"processes\":[],"
                          "\"pausedRanges\":[],\"threads\":[");
}

static void put_threads(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(&w->base, SAMPLES);
    int64_t utid = -1;

    while (orma_export_next(&r)) {
        if (orma_export_int(&r, S_UTID) != utid) {
            if (w->any)
                end_thread(w);
            utid = orma_export_int(&r, S_UTID);
            begin_thread(w, &r);
        }
        add_sample(w, &r);
    }
    if (w->any)
        end_thread(w);
}

static void look_at_weights(struct writer *w)
{
    struct orma_export_rows r = orma_export_rows(&w->base, "INCLUDE PERFETTO MODULE orma.frames");

    while (orma_export_next(&r))
        ;
    for (r = orma_export_rows(&w->base, WEIGHTS); orma_export_next(&r);)
        w->base.self->weighed = orma_export_int(&r, 0);
}

int orma_export_firefox(struct orma_export *self)
{
    struct writer w = {.base = {.self = self}};

    load_nodes(&w);
    put_head(&w);
    put_threads(&w);
    look_at_weights(&w);
    orma_buf_put_str(&w.base.out, "]}\n");
    orma_export_flush(&w.base, true);
    self->samples = w.thread.samples_num;
    orma_buf_fini(&w.nodes);
    orma_buf_fini(&w.texts);
    orma_map_fini(&w.leaves);
    orma_buf_fini(&w.thread.samples);
    orma_buf_fini(&w.thread.stacks);
    orma_buf_fini(&w.thread.frames);
    orma_buf_fini(&w.thread.strings);
    orma_map_fini(&w.thread.stack_ids);
    orma_map_fini(&w.thread.frame_ids);
    orma_map_fini(&w.thread.string_ids);
    return orma_export_fini(&w.base);
}
