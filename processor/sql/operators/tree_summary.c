/*
 * __intrinsic_tree_dominator_summary(): what each node of a tree holds, itself and all below it.
 *
 * Nodes are taken away leaf by leaf, each handing its sums to its parent; the same order
 * backwards gives the depths. Nodes that are left over are circles.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"

enum { S_ID, S_PARENT, S_SIZE, S_NATIVE, S_COUNT, S_NUM }; /* words of a node */

struct summary_agg {
    struct orma_ints nodes; /* S_NUM of each; a parent of -1: none */
    bool failed;            /* the error was reported */
};

static void summary_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct summary_agg *s = ORMA_AGG_STATE(ctx, struct summary_agg);
    uint32_t id, parent = 0;
    bool root = orma_value_is_null(argv[S_PARENT]);

    (void)argc;
    if (!s || s->failed)
        return;
    if (!orma_value_id(argv[S_ID], &id) || (!root && !orma_value_id(argv[S_PARENT], &parent))) {
        s->failed = true;
        orma_result_error(ctx, "dominator summary: nodes must be integers from 0 to %u",
                          UINT32_MAX - 1);
        return;
    }
    orma_ints_add(&s->nodes, id);
    orma_ints_add(&s->nodes, root ? -1 : (int64_t)parent);
    orma_ints_add(&s->nodes, sqlite3_value_int64(argv[S_SIZE]));
    orma_ints_add(&s->nodes, sqlite3_value_int64(argv[S_NATIVE]));
    orma_ints_add(&s->nodes, 1);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

struct summary {
    struct orma_sql *sql;
    int64_t *nodes;
    size_t num, done;
    uint32_t *parents, *children, *order, *depths; /* by node */
    char *wrong;                                   /* sqlite3_malloc */
};

static void summary_fini(struct summary *self)
{
    free(self->parents);
    free(self->children);
    free(self->order);
    free(self->depths);
    sqlite3_free(self->wrong);
}

static int fail(struct summary *self, const char *what, int64_t id)
{
    self->wrong = sqlite3_mprintf("dominator summary: %s %lld", what, (long long)id);
    return self->wrong ? -EINVAL : -ENOMEM;
}

static int link_nodes(struct summary *self)
{
    for (size_t i = 0; i < self->num; i++) {
        const int64_t *node = &self->nodes[i * S_NUM], *up;

        if (orma_sql_should_stop(self->sql, i + 1))
            return -ECANCELED;
        if (i && node[S_ID] == node[S_ID - S_NUM])
            return fail(self, "duplicate node", node[S_ID]);
        self->parents[i] = UINT32_MAX;
        if (node[S_PARENT] < 0)
            continue;
        up = bsearch(&node[S_PARENT], self->nodes, self->num, S_NUM * sizeof(int64_t), by_id);
        if (!up)
            return fail(self, "no node is the parent", node[S_PARENT]);
        self->parents[i] = (uint32_t)((size_t)(up - self->nodes) / S_NUM);
        self->children[self->parents[i]]++;
    }
    return 0;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int sum_up(struct summary *self)
{
    for (size_t i = 0; i < self->num; i++) {
        uint32_t at = (uint32_t)i;

        if (orma_sql_should_stop(self->sql, i + 1))
            return -ECANCELED;
        if (self->children[i])
            continue;
        /* A parent that loses its last child is a leaf; one with a higher number is met later. */
        while (at <= i && !self->children[at]) {
            uint32_t up = self->parents[at];

            self->order[self->done++] = at;
            self->children[at] = UINT32_MAX; /* done */
            if (up == UINT32_MAX)
                break;
            for (int k = S_SIZE; k < S_NUM; k++)
                self->nodes[(size_t)up * S_NUM + k] =
                    add(self->nodes[(size_t)up * S_NUM + k], self->nodes[(size_t)at * S_NUM + k]);
            self->children[up]--;
            at = up;
        }
    }
    for (size_t i = 0; i < self->num && self->done < self->num; i++) {
        if (self->children[i] != UINT32_MAX)
            return fail(self, "there is a cycle through, or below, node",
                        self->nodes[i * S_NUM + S_ID]);
    }
    for (size_t i = self->done; i-- > 0;) {
        uint32_t at = self->order[i], up = self->parents[at];

        self->depths[at] = up == UINT32_MAX ? 1 : self->depths[up] + 1;
    }
    return 0;
}

static int summarize(struct summary *self, struct orma_ints *nodes)
{
    int r = nodes->failed ? -ENOMEM
                          : orma_sql_sort(self->sql, nodes->data, nodes->len / S_NUM,
                                          S_NUM * sizeof(int64_t), by_id);

    self->nodes = nodes->data;
    self->num = nodes->len / S_NUM;
    self->parents = calloc(self->num + 1, sizeof(uint32_t));
    self->children = calloc(self->num + 1, sizeof(uint32_t));
    self->order = calloc(self->num + 1, sizeof(uint32_t));
    self->depths = calloc(self->num + 1, sizeof(uint32_t));
    if (!self->parents || !self->children || !self->order || !self->depths)
        return -ENOMEM;
    if (r == 0)
        r = link_nodes(self);
    return r ? r : sum_up(self);
}

static struct orma_dataframe *make_frame(const struct summary *self)
{
    static const char *const names[] = {
        "id",
        "idom_id",
        "dominated_obj_count",
        "dominated_size_bytes",
        "dominated_native_size_bytes",
        "depth",
    };
    struct orma_dataframe *f =
        orma_dataframe_new(self->sql->storage, names, ORMA_ARRAY_LEN(names), false);

    for (size_t i = 0; f && i < self->num; i++) {
        const int64_t *node = &self->nodes[i * S_NUM];
        uint32_t row = orma_dataframe_add(f);

        orma_dataframe_put_int(f, 0, row, node[S_ID]);
        if (node[S_PARENT] >= 0)
            orma_dataframe_put_int(f, 1, row, node[S_PARENT]);
        orma_dataframe_put_int(f, 2, row, node[S_COUNT]);
        orma_dataframe_put_int(f, 3, row, node[S_SIZE]);
        orma_dataframe_put_int(f, 4, row, node[S_NATIVE]);
        orma_dataframe_put_int(f, 5, row, self->depths[i]);
    }
    return f;
}

static void summary_final(sqlite3_context *ctx)
{
    struct summary_agg *s = sqlite3_aggregate_context(ctx, 0);
    struct summary sum = {.sql = orma_sql_of(ctx)};
    struct orma_dataframe *f = NULL;
    int r;

    if (!s)
        return;
    if (!s->failed) {
        r = summarize(&sum, &s->nodes);
        if (r == 0)
            f = make_frame(&sum);
        if (f)
            orma_dataframe_result_finished(ctx, f);
        else if (sum.wrong)
            orma_result_error(ctx, "%s", sum.wrong);
        else
            orma_result_errno(ctx, r ? r : -ENOMEM);
    }
    summary_fini(&sum);
    orma_ints_fini(&s->nodes);
}

const struct orma_sql_func orma_operators_tree_summary[] = {
    {.name = "__intrinsic_tree_dominator_summary",
     .args = 4,
     .step = summary_step,
     .final = summary_final,
     .usage = "(id, idom_id, self_size, native_size) -> pointer",
     .doc = "Aggregate: for a dominator tree (idom_id NULL: a root) id, idom_id, "
            "dominated_obj_count, dominated_size_bytes, dominated_native_size_bytes (each node "
            "and all below it) and depth, which is 1 for roots."},
    {0},
};
