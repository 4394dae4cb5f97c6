/* Walks over graphs that rows describe: who is reached from where, and who stands before whom. */
#include "processor/sql/operators/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/tables/idset.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"

/* ---- graphs ---- */

void orma_graph_free(void *data)
{
    struct orma_graph *self = data;

    if (!self)
        return;
    orma_ints_fini(&self->edges);
    free(self->ids);
    free(self->index);
    free(self->starts);
    free(self->to);
    free(self);
}

void orma_graph_add(struct orma_graph *self, int64_t from, int64_t to)
{
    orma_ints_add(&self->edges, from);
    orma_ints_add(&self->edges, to);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Ids that are no more than a few times as large as they are many: a table finds them. */
static int collect_dense(struct orma_sql *sql, struct orma_graph *self, uint32_t max)
{
    self->index = malloc(((size_t)max + 1) * sizeof(*self->index));
    if (!self->index)
        return -ENOMEM;
    memset(self->index, 0, ((size_t)max + 1) * sizeof(*self->index));
    self->index_len = max + 1;
    for (size_t i = 0; i < self->edges.len; i++) {
        if (self->edges.data[i] >= 0)
            self->index[self->edges.data[i]] = 1;
        if (orma_sql_should_stop(sql, i + 1))
            return -ECANCELED;
    }
    for (uint32_t id = 0; id <= max; id++) {
        if (self->index[id])
            self->ids[self->num] = id;
        self->index[id] = self->index[id] ? self->num++ : ORMA_NODE_NONE;
    }
    return 0;
}

static int collect_ids(struct orma_sql *sql, struct orma_graph *self)
{
    int64_t max = -1;
    uint32_t num = 0;
    int r;

    for (size_t i = 0; i < self->edges.len; i++)
        max = ORMA_MAX(max, self->edges.data[i]);
    self->ids = malloc((self->edges.len + 1) * sizeof(*self->ids));
    if (!self->ids)
        return -ENOMEM;
    if (max < 0)
        return 0;
    if ((uint64_t)max < 4 * (uint64_t)self->edges.len + 1024)
        return collect_dense(sql, self, (uint32_t)max);
    for (size_t i = 0; i < self->edges.len; i++) {
        if (self->edges.data[i] >= 0)
            self->ids[num++] = (uint32_t)self->edges.data[i];
    }
    r = orma_sql_sort(sql, self->ids, num, sizeof(*self->ids), by_id);
    if (r < 0)
        return r;
    for (uint32_t i = 0; i < num; i++) {
        if (!self->num || self->ids[self->num - 1] != self->ids[i])
            self->ids[self->num++] = self->ids[i];
    }
    return 0;
}

uint32_t orma_graph_find(const struct orma_graph *self, int64_t id)
{
    uint32_t lo;

    if (self->index)
        return id >= 0 && id < self->index_len ? self->index[id] : ORMA_NODE_NONE;
    lo = ORMA_LOWER_BOUND(self->ids, self->num, , id);
    return lo < self->num && self->ids[lo] == id ? lo : ORMA_NODE_NONE;
}

int orma_graph_finish(struct orma_sql *sql, struct orma_graph *self)
{
    const struct orma_ints *e = &self->edges;
    int r = e->failed || e->len / 2 >= UINT32_MAX ? -ENOMEM : collect_ids(sql, self);

    if (r < 0)
        return r;
    self->starts = calloc((size_t)self->num + 2, sizeof(*self->starts));
    self->to = malloc((e->len / 2 + 1) * sizeof(*self->to));
    if (!self->starts || !self->to)
        return -ENOMEM;
    /* starts[n + 2] counts; summed up, starts[n + 1] is where n begins and moves to its end. */
    for (size_t i = 0; i < e->len; i += 2) {
        self->starts[orma_graph_find(self, e->data[i]) + 2] += e->data[i + 1] >= 0;
        if (orma_sql_should_stop(sql, i + 2))
            return -ECANCELED;
    }
    for (uint32_t n = 2; n < self->num + 2; n++)
        self->starts[n] += self->starts[n - 1];
    for (size_t i = 0; i < e->len; i += 2) {
        if (e->data[i + 1] >= 0)
            self->to[self->starts[orma_graph_find(self, e->data[i]) + 1]++] =
                orma_graph_find(self, e->data[i + 1]);
        if (orma_sql_should_stop(sql, i + 2))
            return -ECANCELED;
    }
    return 0;
}

static void graph_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_graph **state = ORMA_AGG_STATE(ctx, struct orma_graph *);
    uint32_t from = 0, to = 0;
    bool alone = orma_value_is_null(argv[1]);

    (void)argc;
    if (!state || (*state && (*state)->failed))
        return;
    if (!*state)
        *state = calloc(1, sizeof(**state));
    if (!*state) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (!orma_value_id(argv[0], &from) || (!alone && !orma_value_id(argv[1], &to))) {
        (*state)->failed = true;
        orma_result_error(ctx, "the nodes of a graph must be integers from 0 to %u",
                          UINT32_MAX - 1);
        return;
    }
    orma_graph_add(*state, from, alone ? -1 : (int64_t)to);
}

static void graph_final(sqlite3_context *ctx)
{
    struct orma_graph **state = sqlite3_aggregate_context(ctx, 0);

    if (!state || !*state)
        return;
    if ((*state)->failed) {
        orma_graph_free(*state);
        return;
    }
    int r = orma_graph_finish(orma_sql_of(ctx), *state);
    if (r < 0) {
        orma_graph_free(*state);
        orma_result_errno(ctx, r);
    } else {
        sqlite3_result_pointer(ctx, *state, ORMA_GRAPH_POINTER, orma_graph_free);
    }
}

/* ---- depth first and breadth first ---- */

struct step {
    int64_t node; /* id */
    int64_t parent, weight;
};

struct steps {
    struct step *list;
    size_t len, cap, head; /* what lies before `head` is done: queues */
    bool failed;
};

static void push(struct steps *s, struct step step)
{
    if (s->failed || ORMA_GROW(&s->list, &s->cap, s->len + (size_t)1)) {
        s->failed = true;
        return;
    }
    s->list[s->len++] = step;
}

static void put_node(struct orma_dataframe *f, const struct step *s)
{
    uint32_t row = orma_dataframe_add(f);

    orma_dataframe_put_int(f, 0, row, s->node);
    if (s->parent >= 0)
        orma_dataframe_put_int(f, 1, row, s->parent);
}

/* Children of the node, the last one first when they go on a stack. */
static void push_children(const struct orma_graph *g, struct steps *s, int64_t id, bool stack)
{
    uint32_t n = g ? orma_graph_find(g, id) : ORMA_NODE_NONE;

    if (n == ORMA_NODE_NONE)
        return;
    for (uint32_t i = g->starts[n], num = g->starts[n + 1] - i, k = 0; k < num; k++) {
        uint32_t child = g->to[stack ? i + num - 1 - k : i + k];

        push(s, (struct step){g->ids[child], id, 0});
    }
}

static int traverse(struct orma_sql *sql, const struct orma_graph *g, struct steps *s, bool stack,
                    struct orma_idset *seen, struct orma_dataframe *f)
{
    for (uint64_t turn = 1; stack ? s->len : s->head < s->len; turn++) {
        struct step now = stack ? s->list[--s->len] : s->list[s->head++];

        if (orma_sql_should_stop(sql, turn))
            return -ECANCELED;
        if (!orma_idset_add(seen, (uint32_t)now.node))
            continue;
        put_node(f, &now);
        push_children(g, s, now.node, stack);
    }
    return s->failed || seen->failed ? -ENOMEM : 0;
}

static void result(sqlite3_context *ctx, struct orma_dataframe *f, int r)
{
    if (r == 0) {
        orma_dataframe_result_finished(ctx, f);
        return;
    }
    orma_dataframe_unref(f);
    orma_result_errno(ctx, r);
}

/* The ids of an array value; false: the error is set. */
static bool take_ids(sqlite3_context *ctx, sqlite3_value *val, const struct orma_dataframe **ret)
{
    *ret = orma_value_frame(val);
    if (!*ret)
        return true; /* an array of nothing */
    if ((*ret)->columns_num == 1 && (*ret)->columns[0].type == ORMA_DATAFRAME_INT &&
        !(*ret)->columns[0].nulls)
        return true;
    orma_result_error(ctx, "start nodes must be an array of integers");
    return false;
}

static void search(sqlite3_context *ctx, sqlite3_value **argv, bool stack)
{
    static const char *const names[] = {"node_id", "parent_node_id"};
    struct orma_sql *sql = orma_sql_of(ctx);
    const struct orma_graph *g = sqlite3_value_pointer(argv[0], ORMA_GRAPH_POINTER);
    const struct orma_dataframe *starts;
    struct orma_dataframe *f;
    struct orma_idset seen = {0};
    struct steps s = {0};
    int r;

    if (!take_ids(ctx, argv[1], &starts))
        return;
    f = orma_dataframe_new(sql->storage, names, 2, false);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    /* All start nodes first: on a stack the last one is visited first. */
    for (uint32_t i = 0; g && starts && i < starts->table.rows; i++) {
        int64_t id = orma_table_int(&starts->table, 0, i);

        if (id < 0 || id >= UINT32_MAX)
            continue; /* no node has that id */
        push(&s, (struct step){id, -1, 0});
    }
    r = traverse(sql, g, &s, stack, &seen, f);
    free(s.list);
    orma_idset_fini(&seen);
    result(ctx, f, r);
}

static void dfs(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    search(ctx, argv, true);
}

static void bfs(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    search(ctx, argv, false);
}

/* ---- depth first up to a weight ---- */

enum { W_SOURCE, W_DEST, W_WEIGHT, W_ROOT, W_TARGET, W_FLOOR, W_ARGS };

/* From one root: weights of all edges that were taken add up. */
static int bounded_from(struct orma_tvf_call *call, const struct orma_graph *g,
                        const struct orma_dataframe *weights, int64_t root, int64_t target,
                        bool floor)
{
    struct orma_idset seen = {0};
    struct steps s = {0};
    int64_t total = 0;
    int r = 0;

    push(&s, (struct step){root, -1, 0});
    for (uint64_t turn = 1; s.len && r == 0; turn++) {
        struct step now = s.list[--s.len];
        uint32_t n = orma_graph_find(g, now.node);

        if (orma_sql_should_stop(call->sql, turn))
            r = -ECANCELED;
        if (r || !orma_idset_add(&seen, (uint32_t)now.node))
            continue;
        if (__builtin_add_overflow(total, now.weight, &total))
            total = INT64_MAX;
        if (!floor && total > target)
            break;
        uint32_t row = orma_dataframe_add(call->frame);
        orma_dataframe_put_int(call->frame, 0, row, root);
        orma_dataframe_put_int(call->frame, 1, row, now.node);
        if (now.parent >= 0)
            orma_dataframe_put_int(call->frame, 2, row, now.parent);
        if (floor && total > target)
            break;
        for (uint32_t i = n == ORMA_NODE_NONE ? 0 : g->starts[n + 1];
             n != ORMA_NODE_NONE && i-- > g->starts[n];)
            push(&s,
                 (struct step){g->ids[g->to[i]], now.node, orma_table_int(&weights->table, 0, i)});
    }
    if (r == 0 && (s.failed || seen.failed))
        r = -ENOMEM;
    free(s.list);
    orma_idset_fini(&seen);
    return r;
}

static const struct orma_dataframe *array_of(struct orma_tvf_call *call, int arg)
{
    const struct orma_dataframe *f = orma_value_frame(call->argv[arg]);

    return f && f->columns_num == 1 && f->columns[0].type == ORMA_DATAFRAME_INT &&
                   !f->columns[0].nulls
               ? f
               : NULL;
}

/* Of a blob that RepeatedField() makes: its list, and the integers in it. */
enum { BLOB_REPEATED = 3, BLOB_INTEGERS = 1 };

/* The integers of such a blob; NULL: it is none, or memory is out. */
static struct orma_dataframe *array_of_blob(struct orma_tvf_call *call, sqlite3_value *val)
{
    static const char *const name[] = {"value"};
    struct orma_pb_reader r =
        orma_pb_reader(sqlite3_value_blob(val), (size_t)sqlite3_value_bytes(val));
    struct orma_dataframe *f = orma_dataframe_new(call->sql->storage, name, 1, false);
    struct orma_pb_field outer, inner;
    bool good = sqlite3_value_type(val) == SQLITE_BLOB;

    while (f && good && orma_pb_next(&r, &outer)) {
        struct orma_pb_reader list = orma_pb_sub(&outer);

        good = outer.id == BLOB_REPEATED;
        while (good && orma_pb_next(&list, &inner)) {
            good = inner.id == BLOB_INTEGERS && inner.wire == ORMA_PB_VARINT;
            orma_dataframe_put_int(f, 0, orma_dataframe_add(f), orma_pb_i64(&inner));
        }
        good = good && !list.failed;
    }
    if (f && good && !r.failed && !f->failed)
        return f;
    orma_dataframe_unref(f);
    return NULL;
}

/* Weights in the order of the edges of the graph. */
static struct orma_dataframe *sort_weights(struct orma_sql *sql, const struct orma_graph *g,
                                           const struct orma_dataframe *weights)
{
    static const char *const name[] = {"weight"};
    struct orma_dataframe *f = orma_dataframe_new(sql->storage, name, 1, false);
    uint32_t *at = malloc(((size_t)g->num + 1) * sizeof(*at));
    uint32_t edges = weights->table.rows;

    if (f && at) {
        for (uint32_t i = 0; i < edges; i++)
            (void)orma_dataframe_add(f);
        memcpy(at, g->starts, ((size_t)g->num + 1) * sizeof(*at));
        for (uint32_t i = 0; i < edges; i++)
            orma_dataframe_put_int(f, 0, at[orma_graph_find(g, g->edges.data[2 * (size_t)i])]++,
                                   orma_table_int(&weights->table, 0, i));
    }
    free(at);
    if (f && (!at || f->failed)) {
        orma_dataframe_unref(f);
        return NULL;
    }
    return f;
}

static bool fill_graph(struct orma_graph *g, const struct orma_dataframe *from,
                       const struct orma_dataframe *to)
{
    for (uint32_t i = 0; i < from->table.rows; i++) {
        int64_t a = orma_table_int(&from->table, 0, i), b = orma_table_int(&to->table, 0, i);

        if (a < 0 || b < 0 || a >= UINT32_MAX || b >= UINT32_MAX)
            return false;
        orma_graph_add(g, a, b);
    }
    return true;
}

static int bounded(struct orma_tvf_call *call, const struct orma_dataframe *const *in)
{
    bool floor = sqlite3_value_int64(call->argv[W_FLOOR]);
    struct orma_graph *g = calloc(1, sizeof(*g));
    struct orma_dataframe *weights = NULL;
    int r = g ? 0 : -ENOMEM;

    if (g && !fill_graph(g, in[W_SOURCE], in[W_DEST]))
        r = orma_tvf_fail(call, "the nodes of a graph must be integers from 0 to %u",
                          UINT32_MAX - 1);
    if (r == 0)
        r = orma_graph_finish(call->sql, g);
    if (r == 0)
        weights = sort_weights(call->sql, g, in[W_WEIGHT]);
    if (r == 0 && !weights)
        r = -ENOMEM;
    for (uint32_t i = 0; r == 0 && i < in[W_ROOT]->table.rows; i++) {
        int64_t root = orma_table_int(&in[W_ROOT]->table, 0, i);

        if (root >= 0 && root < UINT32_MAX)
            r = bounded_from(call, g, weights, root, orma_table_int(&in[W_TARGET]->table, 0, i),
                             floor);
    }
    orma_dataframe_unref(weights);
    orma_graph_free(g);
    return r;
}

static int check_bounded(struct orma_tvf_call *call, const struct orma_dataframe *const *in)
{
    if (in[W_SOURCE]->table.rows != in[W_DEST]->table.rows ||
        in[W_SOURCE]->table.rows != in[W_WEIGHT]->table.rows ||
        in[W_ROOT]->table.rows != in[W_TARGET]->table.rows)
        return orma_tvf_fail(call,
                             "the arrays of edges, and those of roots, must have equal lengths");
    return bounded(call, in);
}

/* Aggregates of no rows. */
static bool is_absent(const struct orma_tvf_call *call, int arg)
{
    return sqlite3_value_type(call->argv[arg]) == SQLITE_NULL && !orma_value_frame(call->argv[arg]);
}

/* All arrays of the edges, and all of the roots, are of the same rows. */
static int check_absent(struct orma_tvf_call *call)
{
    bool edges = is_absent(call, W_SOURCE), roots = is_absent(call, W_ROOT);

    if (is_absent(call, W_DEST) != edges || is_absent(call, W_WEIGHT) != edges)
        return orma_tvf_fail(call, "some arrays of the edges are NULL and others are not");
    if (is_absent(call, W_TARGET) != roots)
        return orma_tvf_fail(call, "one array of the roots is NULL and the other is not");
    return 0;
}

static int run_bounded(struct orma_tvf_call *call)
{
    const struct orma_dataframe *in[W_FLOOR];
    struct orma_dataframe *own[W_FLOOR] = {0};
    int r = check_absent(call);
    bool none = is_absent(call, W_SOURCE) || is_absent(call, W_ROOT);

    for (int i = 0; i < W_FLOOR && r == 0 && !none; i++) {
        in[i] = array_of(call, i);
        if (!in[i] && !orma_value_frame(call->argv[i]))
            in[i] = own[i] = array_of_blob(call, call->argv[i]);
        if (!in[i])
            r = orma_tvf_fail(call, "argument %d must be an array of integers", i + 1);
    }
    if (r == 0 && !none)
        r = check_bounded(call, in);
    for (int i = 0; i < W_FLOOR; i++)
        orma_dataframe_unref(own[i]);
    return r;
}

const struct orma_tvf orma_operators_tvf_dfs_weight_bounded = {
    .name = "__intrinsic_dfs_weight_bounded",
    .numbered = true,
    .columns = {"root_node_id", "node_id", "parent_node_id"},
    .types = "III",
    .args = {"in_source_node_ids", "in_dest_node_ids", "in_edge_weights", "in_root_node_ids",
             "in_root_target_weights", "in_is_target_weight_floor"},
    .run = run_bounded,
    .usage = "(sources, targets, weights, roots, target_weights, is_target_weight_floor)",
    .doc = "Arrays of edges and roots (of __intrinsic_array_agg() or RepeatedField()): nodes that "
           "each root reaches, depth first, until the sum of edge weights exceeds its target; the "
           "node that exceeds it is included if the target is a minimum.",
};

const struct orma_sql_func orma_operators_graph[] = {
    {.name = "__intrinsic_graph_agg",
     .args = 2,
     .step = graph_step,
     .final = graph_final,
     .usage = "(source_node_id, dest_node_id) -> pointer",
     .doc = "Aggregate: a graph made of edges; a NULL target means a node without edges."},
    {.name = "__intrinsic_dfs",
     .args = 2,
     .scalar = dfs,
     .usage = "(graph, start_ids) -> pointer",
     .doc = "node_id, parent_node_id: the nodes reachable from an array of nodes, depth first."},
    {.name = "__intrinsic_bfs",
     .args = 2,
     .scalar = bfs,
     .usage = "(graph, start_ids) -> pointer",
     .doc = "node_id, parent_node_id: the nodes reachable from an array of nodes, breadth first."},
    {0},
};
