/*
 * Trees from graphs: dominators, and a tree regrouped by a key.
 *
 * Dominators are found by the method of Lengauer and Tarjan: O(edges * log(nodes)) for every graph.
 * Nodes have the numbers of a depth-first search. The semidominator of a node is the smallest
 * number from which a way leads to it over larger numbers only; going through the nodes backwards,
 * those that are done form a forest in which eval() finds the smallest semidominator on the way up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/operators/graph.h"

#define NONE ORMA_NODE_NONE

/* ---- dominators ---- */

struct dominator_agg {
    struct orma_graph *graph;
    uint32_t root;
    bool failed;
};

/* All but `number` and `from` by number. */
struct dominators {
    struct orma_sql *sql;
    const struct orma_graph *g;
    uint32_t *order;    /* the node */
    uint32_t *number;   /* of each node; NONE: not reached */
    uint32_t *parent;   /* in the tree of the search */
    uint32_t *semi;     /* semidominator */
    uint32_t *label;    /* what has the smallest one on the way up the forest */
    uint32_t *ancestor; /* in the forest; NONE: a root */
    uint32_t *idom;
    uint32_t *bucket; /* the first of those whose semidominator this is; NONE: nobody */
    uint32_t *next;   /* in that list */
    uint32_t *path;   /* scratch of eval() */
    uint32_t *from;   /* edges by target: sources[from[n]] .. */
    uint32_t *sources;
    uint32_t *memory; /* the arrays by number, one behind the other */
    uint64_t steps;
    uint32_t num;
};

static void dominators_fini(struct dominators *d)
{
    free(d->memory);
    free(d->from);
    free(d->sources);
}

static void sources_by_target(struct dominators *d)
{
    const struct orma_graph *g = d->g;
    uint32_t edges = g->starts[g->num];

    for (uint32_t i = 0; i < edges; i++)
        d->from[g->to[i] + 2]++;
    for (uint32_t n = 2; n < g->num + 2; n++)
        d->from[n] += d->from[n - 1];
    for (uint32_t n = 0; n < g->num; n++)
        for (uint32_t i = g->starts[n]; i < g->starts[n + 1]; i++)
            d->sources[d->from[g->to[i] + 1]++] = n;
}

static bool dominators_init(struct dominators *d, struct orma_sql *sql, const struct orma_graph *g)
{
    *d = (struct dominators){.sql = sql, .g = g};
    uint32_t **const arrays[] = {&d->order, &d->number,   &d->parent, &d->semi, &d->label,
                                 &d->idom,  &d->ancestor, &d->bucket, &d->next, &d->path};
    size_t nodes = (size_t)g->num + 1;

    d->memory = malloc(ORMA_ARRAY_LEN(arrays) * nodes * sizeof(uint32_t));
    d->from = calloc((size_t)g->num + 2, sizeof(uint32_t));
    d->sources = malloc(((size_t)g->starts[g->num] + 1) * sizeof(uint32_t));
    if (!d->memory || !d->from || !d->sources)
        return false;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(arrays); i++)
        *arrays[i] = d->memory + i * nodes;
    for (uint32_t n = 0; n < g->num; n++) {
        d->number[n] = d->ancestor[n] = d->bucket[n] = NONE;
        d->semi[n] = d->label[n] = n;
    }
    sources_by_target(d);
    return true;
}

/* Depth first without recursion: `at` holds the next edge of each node that is open. */
static int number_nodes(struct dominators *d, uint32_t root)
{
    const struct orma_graph *g = d->g;
    uint32_t *at = d->path; /* nobody needs it yet */
    uint32_t now = 0;

    memcpy(at, g->starts, ((size_t)g->num + 1) * sizeof(*at));
    d->order[0] = root;
    d->number[root] = 0;
    d->parent[0] = NONE;
    d->num = 1;
    while (now != NONE) {
        uint32_t n = d->order[now];

        if (orma_sql_should_stop(d->sql, ++d->steps))
            return -ECANCELED;
        if (at[n] == g->starts[n + 1]) {
            now = d->parent[now];
            continue;
        }
        uint32_t to = g->to[at[n]++];
        if (d->number[to] != NONE)
            continue;
        d->number[to] = d->num;
        d->order[d->num] = to;
        d->parent[d->num] = now;
        now = d->num++;
    }
    return 0;
}

/* The number with the smallest semidominator on the way from `v` up the forest; shortens the way.
 */
static uint32_t eval(struct dominators *d, uint32_t v)
{
    uint32_t depth = 0, x = v;

    if (d->ancestor[v] == NONE)
        return v;
    for (; d->ancestor[d->ancestor[x]] != NONE; x = d->ancestor[x])
        d->path[depth++] = x;
    while (depth) {
        uint32_t up = d->ancestor[x = d->path[--depth]];

        if (d->semi[d->label[up]] < d->semi[d->label[x]])
            d->label[x] = d->label[up];
        d->ancestor[x] = d->ancestor[up];
        d->steps++;
    }
    return d->label[v];
}

/* Those whose semidominator is `p`: the number itself, or that of who has a smaller one below. */
static void empty_bucket(struct dominators *d, uint32_t p)
{
    for (uint32_t v = d->bucket[p]; v != NONE; v = d->next[v]) {
        uint32_t u = eval(d, v);

        d->idom[v] = d->semi[u] < d->semi[v] ? u : p;
    }
    d->bucket[p] = NONE;
}

static int find_dominators(struct dominators *d)
{
    for (uint32_t w = d->num - 1; w > 0; w--) {
        uint32_t n = d->order[w];

        for (uint32_t i = d->from[n]; i < d->from[n + 1]; i++) {
            uint32_t from = d->number[d->sources[i]];

            if (from != NONE) /* else no way from the root leads through it */
                d->semi[w] = ORMA_MIN(d->semi[w], d->semi[eval(d, from)]);
            if (orma_sql_should_stop(d->sql, i + 1))
                return -ECANCELED;
        }
        d->next[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        d->ancestor[w] = d->parent[w];
        empty_bucket(d, d->parent[w]);
        if (orma_sql_should_stop(d->sql, w))
            return -ECANCELED;
    }
    d->idom[0] = 0;
    for (uint32_t w = 1; w < d->num; w++) {
        if (d->idom[w] != d->semi[w])
            d->idom[w] = d->idom[d->idom[w]];
    }
    return 0;
}

static void dominator_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct dominator_agg *s = ORMA_AGG_STATE(ctx, struct dominator_agg);
    uint32_t from, to;

    (void)argc;
    if (!s || s->failed)
        return;
    if (!s->graph)
        s->graph = calloc(1, sizeof(*s->graph));
    s->failed = true;
    if (!s->graph) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (!orma_value_id(argv[0], &from) || !orma_value_id(argv[1], &to) ||
        !orma_value_id(argv[2], &s->root)) {
        orma_result_error(ctx, "dominator tree: nodes and the root must be integers from 0 to %u",
                          UINT32_MAX - 1);
        return;
    }
    orma_graph_add(s->graph, from, to);
    s->failed = false;
}

static void put_dominators(struct orma_dataframe *f, const struct dominators *d)
{
    for (uint32_t n = 0; n < d->g->num; n++) {
        uint32_t row, number = d->number[n];

        if (number == NONE)
            continue; /* no way leads there */
        row = orma_dataframe_add(f);
        orma_dataframe_put_int(f, 0, row, d->g->ids[n]);
        if (number)
            orma_dataframe_put_int(f, 1, row, d->g->ids[d->order[d->idom[number]]]);
    }
}

static void dominate(sqlite3_context *ctx, struct orma_graph *g, uint32_t root)
{
    static const char *const names[] = {"node_id", "dominator_node_id"};
    struct orma_dataframe *f = NULL;
    struct dominators d = {0};
    struct orma_sql *sql = orma_sql_of(ctx);
    int r = dominators_init(&d, sql, g) ? number_nodes(&d, root) : -ENOMEM;

    if (r == 0 && d.num < 2) {
        orma_result_error(ctx, "dominator tree: no other node can be reached from the root %u",
                          g->ids[root]);
        dominators_fini(&d);
        return;
    }
    if (r == 0)
        r = find_dominators(&d);
    if (r == 0)
        f = orma_dataframe_new(sql->storage, names, 2, false);
    if (f) {
        put_dominators(f, &d);
        orma_dataframe_result_finished(ctx, f);
    } else {
        orma_result_errno(ctx, r);
    }
    dominators_fini(&d);
}

static void dominator_final(sqlite3_context *ctx)
{
    struct dominator_agg *s = sqlite3_aggregate_context(ctx, 0);

    if (!s || !s->graph)
        return;
    if (!s->failed) {
        uint32_t root = NONE;

        int r = orma_graph_finish(orma_sql_of(ctx), s->graph);

        if (r < 0)
            orma_result_errno(ctx, r);
        else if ((root = orma_graph_find(s->graph, s->root)) == NONE)
            orma_result_error(ctx, "dominator tree: the root %u is not a node of the graph",
                              s->root);
        else
            dominate(ctx, s->graph, root);
    }
    orma_graph_free(s->graph);
}

/* ---- a tree by groups ---- */

struct partition_agg {
    struct orma_ints rows; /* node, parent or -1, group, ... */
    bool failed;
};

enum { P_NODE, P_PARENT, P_GROUP, P_NUM };

static void partition_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct partition_agg *s = ORMA_AGG_STATE(ctx, struct partition_agg);
    uint32_t node, parent = 0;
    bool root = orma_value_is_null(argv[P_PARENT]);

    (void)argc;
    if (!s || s->failed)
        return;
    if (!orma_value_id(argv[P_NODE], &node) || (!root && !orma_value_id(argv[P_PARENT], &parent)) ||
        sqlite3_value_type(argv[P_GROUP]) != SQLITE_INTEGER) {
        s->failed = true;
        orma_result_error(ctx, "tree partition: nodes and groups must be integers");
        return;
    }
    orma_ints_add(&s->rows, node);
    orma_ints_add(&s->rows, root ? -1 : (int64_t)parent);
    orma_ints_add(&s->rows, sqlite3_value_int64(argv[P_GROUP]));
}

static int by_node(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static size_t find_row(const struct orma_ints *rows, int64_t node)
{
    const int64_t *row =
        bsearch(&node, rows->data, rows->len / P_NUM, P_NUM * sizeof(int64_t), by_node);

    return row ? (size_t)(row - rows->data) / P_NUM : SIZE_MAX;
}

static const char *check_tree(const struct orma_ints *rows)
{
    size_t roots = 0;

    for (size_t i = 0; i < rows->len; i += P_NUM)
        roots += rows->data[i + P_PARENT] < 0;
    if (!roots)
        return "no root: no node has NULL as its parent";
    return roots > 1 ? "there are several roots: one node must have NULL as its parent" : NULL;
}

/* By row. Rows whose parent is nowhere count as roots. */
struct forest {
    const struct orma_ints *rows;
    uint32_t *parent; /* NONE: a root */
    uint32_t *starts; /* children of n: children[starts[n]] .. */
    uint32_t *children;
    uint32_t *group;   /* which one of `groups` */
    uint32_t *above;   /* what is looked for: the nearest of the same group; NONE */
    uint32_t *nearest; /* by group: the lowest one on the way to where the walk is */
    int64_t *groups;   /* ascending, all different */
    uint32_t num, groups_num;
    uint64_t steps;
};

static void forest_fini(struct forest *f)
{
    free(f->parent); /* and the other arrays by row */
    free(f->groups);
    free(f->nearest);
}

static int find_groups(struct orma_sql *sql, struct forest *f)
{
    int r;

    f->groups = malloc((size_t)f->num * sizeof(*f->groups));
    f->nearest = malloc((size_t)f->num * sizeof(*f->nearest));
    if (!f->groups || !f->nearest)
        return -ENOMEM;
    for (uint32_t i = 0; i < f->num; i++)
        f->groups[i] = f->rows->data[(size_t)i * P_NUM + P_GROUP];
    r = orma_sql_sort(sql, f->groups, f->num, sizeof(*f->groups), by_node);
    for (uint32_t i = 0; i < f->num && r == 0; i++) {
        if (!i || f->groups[i] != f->groups[f->groups_num - 1])
            f->groups[f->groups_num++] = f->groups[i];
    }
    for (uint32_t i = 0; i < f->groups_num; i++)
        f->nearest[i] = NONE;
    return r;
}

static int forest_init(struct orma_sql *sql, struct forest *f, const struct orma_ints *rows)
{
    uint32_t num = (uint32_t)(rows->len / P_NUM);
    size_t room = (size_t)num + 2;

    *f = (struct forest){.rows = rows, .num = num};
    f->parent = calloc(5 * room, sizeof(uint32_t));
    if (!f->parent)
        return -ENOMEM;
    f->starts = f->parent + room;
    f->children = f->starts + room;
    f->group = f->children + room;
    f->above = f->group + room;
    int r = find_groups(sql, f);
    for (uint32_t i = 0; i < num && r == 0; i++) {
        const int64_t *row = &rows->data[(size_t)i * P_NUM];
        size_t up = row[P_PARENT] < 0 ? SIZE_MAX : find_row(rows, row[P_PARENT]);
        const int64_t *group =
            bsearch(&row[P_GROUP], f->groups, f->groups_num, sizeof(*f->groups), by_node);

        f->parent[i] = up == SIZE_MAX ? NONE : (uint32_t)up;
        f->group[i] = (uint32_t)(group - f->groups);
        f->above[i] = NONE;
        if (up != SIZE_MAX)
            f->starts[up + 2]++;
        r = orma_sql_should_stop(sql, i + 1) ? -ECANCELED : 0;
    }
    for (uint32_t i = 2; i < num + 2 && r == 0; i++)
        f->starts[i] += f->starts[i - 1];
    for (uint32_t i = 0; i < num && r == 0; i++) {
        if (f->parent[i] != NONE)
            f->children[f->starts[f->parent[i] + 1]++] = i;
    }
    return r;
}

static void enter_row(struct forest *f, uint32_t row)
{
    f->above[row] = f->nearest[f->group[row]];
    f->nearest[f->group[row]] = row;
}

/* Down and up again, without recursion: `at` is the next child of each row that is open. */
static int walk_tree(struct orma_sql *sql, struct forest *f, uint32_t root, uint32_t *at)
{
    enter_row(f, root);
    for (uint32_t now = root;;) {
        if (orma_sql_should_stop(sql, ++f->steps))
            return -ECANCELED;
        if (at[now] < f->starts[now + 1]) {
            now = f->children[at[now]++];
            enter_row(f, now);
            continue;
        }
        f->nearest[f->group[now]] = f->above[now];
        if (now == root)
            return 0;
        now = f->parent[now];
    }
}

/* The nearest ancestor of the same group. Rows that go round in a circle have none. */
static int put_partition(struct orma_sql *sql, const struct orma_ints *rows,
                         struct orma_dataframe *out)
{
    struct forest f;
    int r = forest_init(sql, &f, rows);
    uint32_t *at = r == 0 ? malloc(((size_t)f.num + 1) * sizeof(*at)) : NULL;

    if (r == 0 && !at)
        r = -ENOMEM;
    if (r == 0)
        memcpy(at, f.starts, ((size_t)f.num + 1) * sizeof(*at));
    for (uint32_t i = 0; i < f.num && r == 0; i++) {
        if (f.parent[i] == NONE)
            r = walk_tree(sql, &f, i, at);
    }
    for (uint32_t i = 0; i < f.num && r == 0; i++) {
        uint32_t row = orma_dataframe_add(out);

        orma_dataframe_put_int(out, 0, row, rows->data[(size_t)i * P_NUM + P_NODE]);
        if (f.above[i] != NONE)
            orma_dataframe_put_int(out, 1, row, rows->data[(size_t)f.above[i] * P_NUM + P_NODE]);
        orma_dataframe_put_int(out, 2, row, rows->data[(size_t)i * P_NUM + P_GROUP]);
    }
    free(at);
    forest_fini(&f);
    return r;
}

static void partition_final(sqlite3_context *ctx)
{
    static const char *const names[] = {"node_id", "parent_node_id", "group_key"};
    struct partition_agg *s = sqlite3_aggregate_context(ctx, 0);
    struct orma_dataframe *f = NULL;
    const char *wrong;
    int r;

    if (!s || s->failed || !s->rows.len) {
        if (s)
            orma_ints_fini(&s->rows);
        return;
    }
    r = s->rows.failed ? -ENOMEM
                       : orma_sql_sort(orma_sql_of(ctx), s->rows.data, s->rows.len / P_NUM,
                                       P_NUM * sizeof(int64_t), by_node);
    wrong = r == 0 ? check_tree(&s->rows) : NULL;
    if (r == 0 && !wrong)
        f = orma_dataframe_new(orma_sql_of(ctx)->storage, names, 3, false);
    if (r == 0 && !wrong)
        r = f ? put_partition(orma_sql_of(ctx), &s->rows, f) : -ENOMEM;
    if (wrong)
        orma_result_error(ctx, "tree partition: %s", wrong);
    else if (r == 0)
        orma_dataframe_result_finished(ctx, f);
    else
        orma_result_errno(ctx, r);
    if (r != 0)
        orma_dataframe_unref(f);
    orma_ints_fini(&s->rows);
}

const struct orma_sql_func orma_operators_dominator[] = {
    {.name = "__intrinsic_dominator_tree",
     .args = 3,
     .step = dominator_step,
     .final = dominator_final,
     .usage = "(source_node_id, dest_node_id, root_node_id) -> pointer",
     .doc = "Aggregate: node_id, dominator_node_id: the last node on every path from the root to "
            "the node. Unreachable nodes are left out."},
    {.name = "__intrinsic_structural_tree_partition",
     .args = 3,
     .step = partition_step,
     .final = partition_final,
     .usage = "(node_id, parent_node_id, group_key) -> pointer",
     .doc = "Aggregate: node_id, parent_node_id, group_key, where the parent is the nearest "
            "ancestor of the same group."},
    {0},
};
