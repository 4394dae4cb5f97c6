/*
 * Groups: each row gets the number of its group (coder.h), in order of appearance; each aggregate
 * folds the values of a block into what it keeps by group (aggregate.h). At the end groups are put
 * into the order of their keys, as SQLite gives them.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/aggregate.h"

#define DIRECT_MAX (1u << 20) /* or as many as there are rows */

struct grouper {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_groups shared;
    unsigned keys_num;
    struct orma_exec_coder *coders;
    struct orma_exec_value **keys; /* by key, by group */
    struct orma_exec_grouped *aggs;
    uint32_t groups;
    struct orma_exec_vec *vec;
    const struct orma_exec_expr *loaded; /* what `vec` has of the block; NULL: something else */
};

/* ---- groups ---- */

static bool reserve(struct grouper *g, uint32_t num)
{
    uint32_t cap = ORMA_MAX(g->shared.cap, 16u);

    if (num <= g->shared.cap)
        return true;
    while (cap < num)
        cap *= 2;
    for (unsigned k = 0; k < g->keys_num; k++) {
        struct orma_exec_value *keys = orma_large_resize(g->keys[k], (size_t)cap * sizeof(*keys));

        if (!keys)
            return orma_exec_give_up(g->plan, "out of memory");
        g->keys[k] = keys;
    }
    for (uint32_t a = 0; a < g->q->aggs.len; a++) {
        if (g->aggs[a].same == a && !orma_exec_run_grouped_reserve(&g->aggs[a], g->shared.cap, cap))
            return orma_exec_give_up(g->plan, "out of memory");
        if (orma_exec_should_stop(g->plan))
            return false;
    }
    g->shared.cap = cap;
    return true;
}

/* Keys of groups that are new in this block, whose rows are `firsts`. */
static bool keep_keys(struct grouper *g, const struct orma_exec_rows *rows, const uint32_t *firsts,
                      uint32_t num)
{
    for (unsigned k = 0; k < g->keys_num; k++) {
        if (g->keys_num > 1 &&
            !orma_exec_run_eval(g->plan, g->q->groups.data[k].expr, rows, g->vec))
            return false;
        for (uint32_t i = 0; i < num; i++)
            g->keys[k][g->groups + i] = (struct orma_exec_value){
                orma_exec_tag_at(g->vec, firsts[i]), g->vec->vals[firsts[i]]};
    }
    g->groups += num;
    return true;
}

static bool group_block(struct grouper *g, const struct orma_exec_rows *rows, uint32_t *codes)
{
    uint32_t firsts[EXEC_BLOCK], num = 0;

    for (unsigned k = 0; k < g->keys_num; k++) {
        if (!orma_exec_run_eval(g->plan, g->q->groups.data[k].expr, rows, g->vec) ||
            !orma_exec_run_coder_block(&g->coders[k], !k, g->vec, rows->num, codes))
            return false;
    }
    uint32_t next = g->coders[g->keys_num - 1].next;
    if (next == g->groups)
        return true;
    for (uint32_t i = 0; i < rows->num; i++) {
        if (codes[i] == g->groups + num)
            firsts[num++] = i;
    }
    return reserve(g, next) && keep_keys(g, rows, firsts, num);
}

/* ---- folding ---- */

static bool fold(struct grouper *g, struct orma_exec_grouped *a, const struct orma_exec_rows *rows,
                 const uint32_t *codes)
{
    const struct orma_exec_expr *arg = a->def->arg;

    if (a != &g->aggs[a->same])
        return true;
    if (arg && (!g->loaded || !orma_exec_same_expr(arg, g->loaded)) &&
        !orma_exec_run_eval(g->plan, a->def->arg, rows, g->vec))
        return false;
    g->loaded = arg ? arg : g->loaded;
    orma_exec_fold *fold_block = a->def->function->fold;
    return (fold_block ? fold_block : orma_exec_run_fold_steps)(&g->shared, a, arg ? g->vec : NULL,
                                                                codes, rows->num);
}

static bool take_rows(struct orma_exec_plan *plan, struct orma_exec_query *q,
                      const struct orma_exec_rows *rows, void *data)
{
    struct grouper *g = data;
    uint32_t codes[EXEC_BLOCK];

    if (orma_exec_should_stop(plan))
        return false;
    if (g->keys_num && !group_block(g, rows, codes))
        return false;
    g->loaded = NULL;
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        if (!fold(g, &g->aggs[i], rows, g->keys_num ? codes : NULL))
            return false;
    }
    return true;
}

/* ---- results ---- */

static struct orma_exec_value value_of(struct grouper *g, unsigned at, uint32_t group)
{
    if (at < g->keys_num)
        return g->keys[at][group];
    const struct orma_exec_agg *def = g->aggs[at - g->keys_num].def;
    struct orma_exec_grouped *a = &g->aggs[g->aggs[at - g->keys_num].same];
    orma_exec_group_value *value = def->function->group_value;

    return (value ? value : orma_exec_run_group_state)(g->plan, a, def, group);
}

static bool fill_slot(struct grouper *g, unsigned at, struct orma_exec_slot *s)
{
    s->vals = orma_large_alloc(((size_t)g->groups + 1) * sizeof(*s->vals));
    s->tags = orma_large_alloc((size_t)g->groups + 1);
    if (!s->vals || !s->tags)
        return orma_exec_give_up(g->plan, "out of memory");
    for (uint32_t i = 0; i < g->groups && !g->plan->why; i++) {
        struct orma_exec_value v = value_of(g, at, i);

        if (!(i % EXEC_LOOK) && orma_exec_should_stop(g->plan))
            return false;
        s->vals[i] = v.bits;
        s->tags[i] = v.tag;
    }
    return !g->plan->why;
}

static bool make_frame(struct grouper *g)
{
    struct orma_exec_frame *f = &g->q->frame;
    unsigned num = g->keys_num + g->q->aggs.len;

    for (uint32_t i = 0; i < g->q->aggs.len; i++) {
        struct orma_exec_grouped *a = &g->aggs[i];

        if (a->def->function->fold == orma_exec_run_fold_percentile && a->same == i &&
            !orma_exec_run_values_deal(g->plan, &a->vals, g->groups))
            return false;
    }
    orma_exec_frame_fini(f);
    f->slots = orma_large_zeroed(num + 1, sizeof(*f->slots));
    if (!f->slots)
        return orma_exec_give_up(g->plan, "out of memory");
    f->slots_num = num;
    f->rows = g->groups;
    for (unsigned i = 0; i < num; i++) {
        if (!fill_slot(g, i, &f->slots[i]))
            return false;
    }
    return true;
}

static bool sort_groups(struct grouper *g)
{
    struct orma_exec_expr *exprs = orma_large_zeroed(g->keys_num + 1, sizeof(*exprs));
    struct orma_exec_key *keys = orma_large_zeroed(g->keys_num + 1, sizeof(*keys));
    uint32_t *perm = NULL;
    bool ok = (exprs && keys) || orma_exec_give_up(g->plan, "out of memory");

    for (unsigned i = 0; ok && i < g->keys_num; i++) {
        exprs[i] = (struct orma_exec_expr){.op = ORMA_EXEC_SLOT, .slot.at = i};
        keys[i] = g->q->groups.data[i];
        keys[i].expr = &exprs[i];
    }
    ok = ok && orma_exec_run_sort(g->plan, g->q, keys, g->keys_num, UINT32_MAX, &perm);
    if (perm)
        orma_exec_run_permute(g->q, perm, g->groups);
    orma_large_free(exprs);
    orma_large_free(keys);
    return ok;
}

/* HAVING. */
static bool drop_groups(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    uint32_t picked[EXEC_BLOCK];
    bool ok = place || orma_exec_give_up(plan, "out of memory");

    for (uint32_t i = 0; ok && i < q->having.len; i++) {
        uint32_t *perm = orma_large_alloc(((size_t)q->frame.rows + 1) * sizeof(*perm)), kept = 0;

        ok = perm || orma_exec_give_up(plan, "out of memory");
        for (uint32_t at = 0; ok && at < q->frame.rows; at += EXEC_BLOCK) {
            struct orma_exec_rows r;

            orma_exec_run_frame_rows(q, at, ORMA_MIN(q->frame.rows - at, (uint32_t)EXEC_BLOCK),
                                     place, &r);
            int num = orma_exec_run_filter(plan, q->having.data[i], &r, picked);
            ok = num >= 0;
            for (int k = 0; k < num; k++)
                perm[kept++] = at + picked[k];
        }
        if (ok)
            orma_exec_run_permute(q, perm, kept);
        else
            orma_large_free(perm);
    }
    free(place);
    return ok;
}

/* Rows in an order that shows: collected first, then folded. */
static bool fold_frame(struct grouper *g)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    bool ok =
        place ? orma_exec_run_collect(g->plan, g->q) : orma_exec_give_up(g->plan, "out of memory");
    uint32_t rows = g->q->frame.rows;

    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;

        orma_exec_run_frame_rows(g->q, at, ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = take_rows(g->plan, g->q, &r, g);
    }
    free(place);
    return ok;
}

/* Those that keep the same of the same values. */
static bool is_same(const struct orma_exec_agg *a, const struct orma_exec_agg *b)
{
    return a->function->shares && a->function->fold == b->function->fold && !a->distinct &&
           !b->distinct && orma_exec_same_expr(a->arg, b->arg);
}

static bool init(struct grouper *g, struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    const struct orma_exec_grouped *best = NULL;
    bool has_bare = false;

    *g = (struct grouper){.plan = plan, .q = q, .keys_num = q->groups.len, .shared.plan = plan};
    g->shared.in_order = q->sources_num == 1 || !q->any_order;
    g->coders = orma_large_zeroed(g->keys_num + 1, sizeof(*g->coders));
    g->keys = orma_large_zeroed(g->keys_num + 1, sizeof(*g->keys));
    g->aggs = orma_large_zeroed(q->aggs.len + 1, sizeof(*g->aggs));
    g->vec = orma_exec_take_vec(plan);
    if (!g->coders || !g->keys || !g->aggs || !g->vec)
        return orma_exec_give_up(plan, "out of memory");
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_function *f = q->aggs.data[i].function;

        g->aggs[i].def = &q->aggs.data[i];
        g->aggs[i].same = i;
        for (uint32_t k = 0; k < i && g->aggs[i].same == i; k++) {
            if (is_same(&q->aggs.data[k], &q->aggs.data[i]))
                g->aggs[i].same = k;
        }
        has_bare |= f == plan->catalog->bare;
        if (f->picks_row)
            best = &g->aggs[i];
    }
    g->shared.picks = has_bare ? best : NULL;
    for (unsigned i = 0; i < g->keys_num; i++)
        g->coders[i].plan = plan;
    for (uint32_t i = 0; i < q->aggs.len; i++)
        g->aggs[i].set.plan = plan;
    g->coders[0].direct_max = DIRECT_MAX;
    for (unsigned i = 0; i < q->sources_num; i++) {
        const struct orma_exec_source *src = q->sources[i];
        uint32_t rows = src->table ? src->table->rows : src->query->frame.rows;

        g->coders[0].direct_max = ORMA_MAX(g->coders[0].direct_max, ORMA_MIN(rows, UINT32_MAX / 4));
    }
    if (!reserve(g, 16))
        return false;
    g->groups = !g->keys_num;
    return true;
}

static void fini(struct grouper *g)
{
    for (unsigned i = 0; i < g->keys_num && g->coders && g->keys; i++) {
        orma_exec_run_coder_fini(&g->coders[i]);
        orma_large_free(g->keys[i]);
    }
    for (uint32_t i = 0; i < g->q->aggs.len && g->aggs; i++)
        orma_exec_run_grouped_fini(&g->aggs[i]);
    orma_large_free(g->coders);
    orma_large_free(g->keys);
    orma_large_free(g->aggs);
    orma_exec_give_vec(g->plan, g->vec);
}

bool orma_exec_run_group(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct grouper g;
    bool ok = init(&g, plan, q);

    if (ok)
        ok = q->any_order || !q->by_loops.len ? orma_exec_run_scan(plan, q, take_rows, &g)
                                              : fold_frame(&g);
    ok = ok && make_frame(&g) && (!g.keys_num || q->appearing || sort_groups(&g));
    fini(&g);
    return ok && (!q->having.len || drop_groups(plan, q));
}
