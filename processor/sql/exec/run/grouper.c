/*
 * A grouper: each row gets the number of its group (coder.h), in order of appearance; each
 * aggregate folds the values of a block into what it keeps by group (aggregate.h).
 */
#include "processor/sql/exec/run/group.h"

#define DIRECT_MAX (1u << 20) /* or as many as there are rows */

/* ---- groups ---- */

bool orma_exec_run_grouper_reserve(struct orma_exec_grouper *g, uint32_t num)
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
    if (g->born) {
        uint32_t *born = orma_large_resize(g->born, (size_t)cap * sizeof(*born));

        if (!born)
            return orma_exec_give_up(g->plan, "out of memory");
        g->born = born;
    }
    g->shared.cap = cap;
    return true;
}

/* Keys of groups that are new in this block, whose rows are `firsts`. */
static bool keep_keys(struct orma_exec_grouper *g, const struct orma_exec_rows *rows,
                      const uint32_t *firsts, uint32_t num)
{
    for (unsigned k = 0; k < g->keys_num; k++) {
        if (g->keys_num > 1 &&
            !orma_exec_run_eval(g->plan, g->q->groups.data[k].expr, rows, g->vec))
            return false;
        for (uint32_t i = 0; i < num; i++)
            g->keys[k][g->groups + i] = (struct orma_exec_value){
                orma_exec_tag_at(g->vec, firsts[i]), g->vec->vals[firsts[i]]};
    }
    for (uint32_t i = 0; g->born && i < num; i++)
        g->born[g->groups + i] = g->piece;
    g->groups += num;
    return true;
}

static bool group_block(struct orma_exec_grouper *g, const struct orma_exec_rows *rows,
                        uint32_t *codes)
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
    return orma_exec_run_grouper_reserve(g, next) && keep_keys(g, rows, firsts, num);
}

/* ---- folding ---- */

static bool fold(struct orma_exec_grouper *g, struct orma_exec_grouped *a,
                 const struct orma_exec_rows *rows, const uint32_t *codes)
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

bool orma_exec_run_grouper_take(struct orma_exec_grouper *g, const struct orma_exec_rows *rows)
{
    uint32_t codes[EXEC_BLOCK];

    if (orma_exec_should_stop(g->plan))
        return false;
    if (g->keys_num && !group_block(g, rows, codes))
        return false;
    g->loaded = NULL;
    for (uint32_t i = 0; i < g->q->aggs.len; i++) {
        if (!fold(g, &g->aggs[i], rows, g->keys_num ? codes : NULL))
            return false;
    }
    return true;
}

/* ---- begin and end ---- */

/* Those that keep the same of the same values. */
static bool is_same(const struct orma_exec_agg *a, const struct orma_exec_agg *b)
{
    return a->function->shares && a->function->fold == b->function->fold && !a->distinct &&
           !b->distinct && orma_exec_same_expr(a->arg, b->arg);
}

bool orma_exec_run_grouper_init(struct orma_exec_grouper *g, struct orma_exec_plan *plan,
                                struct orma_exec_query *q)
{
    const struct orma_exec_grouped *best = NULL;
    bool has_bare = false;

    *g = (struct orma_exec_grouper){
        .plan = plan, .q = q, .keys_num = q->groups.len, .shared.plan = plan};
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
    if (!orma_exec_run_grouper_reserve(g, 16))
        return false;
    g->groups = !g->keys_num;
    return true;
}

void orma_exec_run_grouper_fini(struct orma_exec_grouper *g)
{
    for (unsigned i = 0; i < g->keys_num && g->coders && g->keys; i++) {
        orma_exec_run_coder_fini(&g->coders[i]);
        orma_large_free(g->keys[i]);
    }
    for (uint32_t i = 0; i < g->q->aggs.len && g->aggs; i++)
        orma_exec_run_grouped_fini(&g->aggs[i]);
    orma_large_free(g->born);
    orma_large_free(g->coders);
    orma_large_free(g->keys);
    orma_large_free(g->aggs);
    orma_exec_give_vec(g->plan, g->vec);
}
