/*
 * experimental_flamegraph(): the stacks of a heap profile or of perf samples as one
 * forest, frames of equal name and mapping below the same frame merged.
 *
 * New queries use __intrinsic_flamegraph, which takes any forest.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/profiles/heap_tree.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define NONE UINT32_MAX
#define CONSTRAINTS_MAX 8
#define UPIDS_MAX 64

enum { A_TYPE, A_TS, A_CONSTRAINT, A_UPID, A_GROUP, A_FOCUS };
enum { V_COUNT, V_SIZE, V_ALLOC_COUNT, V_ALLOC_SIZE, V_NUM };
enum {
    O_TS,
    O_DEPTH,
    O_NAME,
    O_MAP,
    O_VALUES, /* count, cumulative_count, size, cumulative_size, ... */
    O_PARENT = O_VALUES + 2 * V_NUM,
    O_FILE,
    O_LINE,
};

struct tree_node {
    uint32_t parent, next; /* next: of the same hash */
    uint32_t name, map, file, depth;
    int64_t line;
    int64_t self[V_NUM], cumulative[V_NUM];
    bool touched, focused; /* focused: it, or one above it, has the name that is looked for */
};

struct tree {
    struct orma_tvf_call *call;
    const struct orma_storage *st;
    struct tree_node *nodes;
    uint32_t num, cap;
    struct orma_map by_key;
    uint32_t *leaf; /* by call site: its innermost node */
    int64_t (*values)[V_NUM];
    struct {
        char op; /* '<', '>', 'l' for <=, 'g' for >=, '=' */
        int64_t ts;
    } constraints[CONSTRAINTS_MAX];
    int constraints_num;
    int64_t upids[UPIDS_MAX];
    int upids_num;
    struct orma_str focus;
};

/* ---- arguments ---- */

static int take_upids(struct tree *t)
{
    struct orma_str rest = orma_value_str(t->call->argv[A_GROUP]), part;
    int64_t upid;

    if (!orma_value_is_null(t->call->argv[A_UPID]))
        t->upids[t->upids_num++] = sqlite3_value_int64(t->call->argv[A_UPID]);
    while (rest.data && orma_str_cut(&rest, ',', &part)) {
        if (!orma_str_to_i64(orma_str_trim(part), &upid) || t->upids_num == UPIDS_MAX)
            return orma_tvf_fail(t->call,
                                 "experimental_flamegraph: upid_group must be at most %d numbers "
                                 "separated by commas",
                                 UPIDS_MAX - 1);
        t->upids[t->upids_num++] = upid;
    }
    return 0;
}

/* ">=100,<200" */
static int take_constraints(struct tree *t)
{
    struct orma_str rest = orma_value_str(t->call->argv[A_CONSTRAINT]), part;

    while (rest.data && orma_str_cut(&rest, ',', &part)) {
        size_t skip = 1;

        part = orma_str_trim(part);
        if (!part.len || t->constraints_num == CONSTRAINTS_MAX)
            return orma_tvf_fail(t->call, "experimental_flamegraph: invalid ts_constraint");
        char op = part.data[0];
        if ((op == '<' || op == '>') && part.len > 1 && part.data[1] == '=') {
            op = op == '<' ? 'l' : 'g';
            skip = 2;
        }
        part = orma_str_trim((struct orma_str){part.data + skip, part.len - skip});
        if (!strchr("<>lg=", op) || !orma_str_to_i64(part, &t->constraints[t->constraints_num].ts))
            return orma_tvf_fail(t->call, "experimental_flamegraph: invalid ts_constraint");
        t->constraints[t->constraints_num++].op = op;
    }
    return 0;
}

static bool is_in_time(const struct tree *t, int64_t ts)
{
    for (int i = 0; i < t->constraints_num; i++) {
        int64_t than = t->constraints[i].ts;
        char op = t->constraints[i].op;

        if (!(op == '<'   ? ts < than
              : op == '>' ? ts > than
              : op == 'l' ? ts <= than
              : op == 'g' ? ts >= than
                          : ts == than))
            return false;
    }
    return true;
}

static bool is_upid(const struct tree *t, int64_t upid)
{
    for (int i = 0; i < t->upids_num; i++) {
        if (t->upids[i] == upid)
            return true;
    }
    return !t->upids_num;
}

/* ---- values of call sites ---- */

static int read_heap_profile(struct tree *t)
{
    const struct orma_table *a = &t->st->tables[ORMA_TABLE_HEAP_PROFILE_ALLOCATION];
    const struct orma_table *c = &t->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    bool all = orma_value_is_null(t->call->argv[A_TS]);
    int64_t until = sqlite3_value_int64(t->call->argv[A_TS]);

    for (uint32_t row = 0; row < a->rows; row++) {
        int64_t site = orma_table_int(a, ORMA_HEAP_PROFILE_ALLOCATION_CALLSITE_ID, row);
        int64_t count = orma_table_int(a, ORMA_HEAP_PROFILE_ALLOCATION_COUNT, row);
        int64_t size = orma_table_int(a, ORMA_HEAP_PROFILE_ALLOCATION_SIZE, row);

        if (orma_sql_should_stop(t->call->sql, row + 1u))
            return -ECANCELED;
        if ((!all && orma_table_int(a, ORMA_HEAP_PROFILE_ALLOCATION_TS, row) > until) ||
            !is_upid(t, orma_table_int(a, ORMA_HEAP_PROFILE_ALLOCATION_UPID, row)) || site < 0 ||
            site >= c->rows)
            continue;
        t->values[site][V_COUNT] += count;
        t->values[site][V_SIZE] += size;
        t->values[site][V_ALLOC_COUNT] += ORMA_MAX(count, 0);
        t->values[site][V_ALLOC_SIZE] += ORMA_MAX(size, 0);
    }
    return 0;
}

/* The process of a sample's thread; -1: not known. */
static int64_t upid_of(const struct orma_storage *st, int64_t context)
{
    const struct orma_table *c = &st->tables[ORMA_TABLE_PROFILER_TASK_CONTEXT];
    const struct orma_table *threads = &st->tables[ORMA_TABLE_THREAD];
    int64_t utid;

    if (context < 0 || context >= c->rows)
        return -1;
    if (!orma_table_is_null(c, ORMA_PROFILER_TASK_CONTEXT_UPID, (uint32_t)context))
        return orma_table_int(c, ORMA_PROFILER_TASK_CONTEXT_UPID, (uint32_t)context);
    utid = orma_table_int(c, ORMA_PROFILER_TASK_CONTEXT_UTID, (uint32_t)context);
    if (orma_table_is_null(c, ORMA_PROFILER_TASK_CONTEXT_UTID, (uint32_t)context) || utid < 0 ||
        utid >= threads->rows || orma_table_is_null(threads, ORMA_THREAD_UPID, (uint32_t)utid))
        return -1;
    return orma_table_int(threads, ORMA_THREAD_UPID, (uint32_t)utid);
}

static int read_samples(struct tree *t)
{
    const struct orma_table *s = &t->st->tables[ORMA_TABLE_PROFILER_SAMPLE];
    const struct orma_table *c = &t->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];

    for (uint32_t row = 0; row < s->rows; row++) {
        int64_t site = orma_table_int(s, ORMA_PROFILER_SAMPLE_CALLSITE_ID, row);

        if (orma_sql_should_stop(t->call->sql, row + 1u))
            return -ECANCELED;
        if (orma_table_is_null(s, ORMA_PROFILER_SAMPLE_CALLSITE_ID, row) || site < 0 ||
            site >= c->rows || !is_in_time(t, orma_table_int(s, ORMA_PROFILER_SAMPLE_TS, row)) ||
            !is_upid(t,
                     upid_of(t->st, orma_table_int(s, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, row))))
            continue;
        t->values[site][V_COUNT]++;
        t->values[site][V_SIZE]++;
    }
    return 0;
}

/* ---- the forest ---- */

static bool has_focus(const struct tree *t, uint32_t name)
{
    struct orma_str s = orma_strpool_get(&t->st->pool, name);

    return !t->focus.len || (s.data && memmem(s.data, s.len, t->focus.data, t->focus.len));
}

static uint32_t merge(struct tree *t, struct tree_node n)
{
    uint64_t h = (((uint64_t)n.parent + 1) * 0x9e3779b97f4a7c15u ^ n.name) * 0xff51afd7ed558ccdu;
    uint64_t key = ((h ^ n.map ^ h >> 31) * 0xff51afd7ed558ccdu) >> 1;
    uint64_t first = orma_map_get(&t->by_key, key);

    n.next = first == ORMA_MAP_NONE ? NONE : (uint32_t)first;
    for (uint32_t at = n.next; at != NONE; at = t->nodes[at].next) {
        if (t->nodes[at].parent == n.parent && t->nodes[at].name == n.name &&
            t->nodes[at].map == n.map)
            return at;
    }
    if (ORMA_GROW(&t->nodes, &t->cap, t->num + (size_t)1))
        return NONE;
    if (orma_map_put(&t->by_key, key, t->num) < 0)
        return NONE;
    n.depth = n.parent == NONE ? 0 : t->nodes[n.parent].depth + 1;
    n.focused = has_focus(t, n.name) || (n.parent != NONE && t->nodes[n.parent].focused);
    t->nodes[t->num] = n;
    return t->num++;
}

static uint32_t mapping_name(const struct tree *t, uint32_t frame)
{
    const struct orma_table *f = &t->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *m = &t->st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];
    int64_t row = orma_table_int(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame);

    if (orma_table_is_null(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame) || row < 0 || row >= m->rows)
        return 0;
    return (uint32_t)orma_table_int(m, ORMA_STACK_PROFILE_MAPPING_NAME, (uint32_t)row);
}

/* All functions of a frame below `parent`, the outermost first. NONE: no memory. */
static uint32_t add_frame(struct tree *t, uint32_t parent, uint32_t frame)
{
    const struct orma_table *f = &t->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *s = &t->st->tables[ORMA_TABLE_STACK_PROFILE_SYMBOL];
    int64_t set = orma_table_int(f, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame), end = set;
    struct tree_node n = {.parent = parent, .map = mapping_name(t, frame)};

    if (orma_table_is_null(f, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame) || set < 0)
        set = end = s->rows;
    while (end < s->rows &&
           orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, (uint32_t)end) == set)
        end++;
    if (end <= set) { /* no symbols */
        n.name = (uint32_t)orma_table_int(f, ORMA_STACK_PROFILE_FRAME_DEOBFUSCATED_NAME, frame);
        if (!n.name)
            n.name = (uint32_t)orma_table_int(f, ORMA_STACK_PROFILE_FRAME_NAME, frame);
        return merge(t, n);
    }
    for (int64_t row = end; row-- > set;) {
        n.name = (uint32_t)orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_NAME, (uint32_t)row);
        n.file = (uint32_t)orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, (uint32_t)row);
        n.line = orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, (uint32_t)row);
        n.parent = merge(t, n);
        if (n.parent == NONE)
            break;
    }
    return n.parent;
}

static int build(struct tree *t)
{
    const struct orma_table *c = &t->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    const struct orma_table *f = &t->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];

    for (uint32_t row = 0; row < c->rows; row++) {
        int64_t up = orma_table_int(c, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row);
        int64_t frame = orma_table_int(c, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, row);
        bool root = orma_table_is_null(c, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row);
        uint32_t node = root || up < 0 || up >= row ? NONE : t->leaf[up];

        if (orma_sql_should_stop(t->call->sql, row + 1u))
            return -ECANCELED;
        if (frame >= 0 && frame < f->rows) {
            node = add_frame(t, node, (uint32_t)frame);
            if (node == NONE)
                return -ENOMEM;
        }
        t->leaf[row] = node;
        for (int k = 0; node != NONE && k < V_NUM; k++) {
            if (!t->values[row][k] || !t->nodes[node].focused)
                continue;
            t->nodes[node].self[k] += t->values[row][k];
            t->nodes[node].touched = true;
        }
    }
    return 0;
}

static void put_rows(struct tree *t)
{
    struct orma_dataframe *out = t->call->frame;

    for (uint32_t i = t->num; i-- > 0;) { /* children come after their parents */
        struct tree_node *n = &t->nodes[i], *up = n->parent == NONE ? NULL : &t->nodes[n->parent];

        for (int k = 0; k < V_NUM; k++) {
            n->cumulative[k] += n->self[k];
            if (up)
                up->cumulative[k] += n->cumulative[k];
        }
        if (up)
            up->touched |= n->touched;
    }
    for (uint32_t i = 0; i < t->num; i++) {
        struct tree_node *n = &t->nodes[i];
        uint32_t row;

        if (!n->touched)
            continue;
        row = orma_dataframe_add(out);
        if (!orma_value_is_null(t->call->argv[A_TS]))
            orma_dataframe_put_int(out, O_TS, row, sqlite3_value_int64(t->call->argv[A_TS]));
        orma_dataframe_put_int(out, O_DEPTH, row, n->depth);
        orma_dataframe_put_str(out, O_NAME, row, n->name);
        orma_dataframe_put_str(out, O_MAP, row, n->map);
        for (unsigned k = 0; k < V_NUM; k++) {
            orma_dataframe_put_int(out, O_VALUES + 2 * k, row, n->self[k]);
            orma_dataframe_put_int(out, O_VALUES + 2 * k + 1, row, n->cumulative[k]);
        }
        if (n->parent != NONE) /* its `next` is its row by now */
            orma_dataframe_put_int(out, O_PARENT, row, t->nodes[n->parent].next);
        orma_dataframe_put_str(out, O_FILE, row, n->file);
        if (n->line)
            orma_dataframe_put_int(out, O_LINE, row, n->line);
        n->next = row;
    }
}

static int run_tree(struct tree *t, const char *type)
{
    uint32_t sites = t->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE].rows;
    int r;

    t->leaf = malloc(((size_t)sites + 1) * sizeof(*t->leaf));
    t->values = calloc((size_t)sites + 1, sizeof(*t->values));
    if (!t->leaf || !t->values)
        return -ENOMEM;
    r = take_upids(t);
    if (r == 0)
        r = take_constraints(t);
    if (r == 0)
        r = !strcmp(type, "native") ? read_heap_profile(t) : read_samples(t);
    if (r == 0)
        r = build(t);
    if (r == 0)
        put_rows(t);
    return r;
}

static int run_flamegraph(struct orma_tvf_call *call)
{
    struct tree t = {.call = call, .st = call->sql->storage};
    const char *type = (const char *)sqlite3_value_text(call->argv[A_TYPE]);
    int r;

    if (type && !strcmp(type, "graph")) {
        if (sqlite3_value_type(call->argv[A_TS]) != SQLITE_INTEGER ||
            sqlite3_value_type(call->argv[A_UPID]) != SQLITE_INTEGER)
            return orma_tvf_fail(call, "experimental_flamegraph: heap graphs need the ts and the "
                                       "upid of one graph");
        return orma_heap_tree_run(call, sqlite3_value_int64(call->argv[A_TS]),
                                  sqlite3_value_int64(call->argv[A_UPID]));
    }
    t.focus = orma_value_str(call->argv[A_FOCUS]);
    if (!type || (strcmp(type, "native") != 0 && strcmp(type, "perf") != 0))
        return orma_tvf_fail(call, "experimental_flamegraph: profile_type must be 'native', "
                                   "'perf' or 'graph'");
    r = run_tree(&t, type);
    free(t.leaf);
    free(t.values);
    free(t.nodes);
    orma_map_fini(&t.by_key);
    return r;
}

const struct orma_tvf orma_profiles_tvf_profile_tree = {
    .name = "experimental_flamegraph",
    .numbered = true,
    .echo = 6,
    .columns = {"ts", "depth", "name", "map_name", "count", "cumulative_count", "size",
                "cumulative_size", "alloc_count", "cumulative_alloc_count", "alloc_size",
                "cumulative_alloc_size", "parent_id", "source_file", "line_number"},
    .types = "IITTIIIIIIIIITI",
    .args = {"profile_type", "ts_in", "ts_constraint", "upid", "upid_group", "focus_str"},
    .run = run_flamegraph,
    .usage = "(profile_type STRING, ts, ts_constraint STRING, upid, upid_group STRING, focus_str "
             "STRING)",
    .doc = "Stacks of a heap profile ('native': up to ts) or of samples ('perf': within "
           "ts_constraint, such as '>=1,<9') of the processes, merged by name and mapping; with "
           "focus_str, only those with it in a name. NULL means no limit. 'graph': the objects of "
           "the heap graph of one process (upid) at one time (ts), by class, each below the object "
           "that retains it.",
};
