/*
 * Groups: rows are folded into a grouper, by one thread or several. At the end groups are put into
 * the order of their keys, as SQLite gives them.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/group.h"

/* ---- rows ---- */

static bool take_rows(struct orma_exec_plan *plan, struct orma_exec_query *q,
                      const struct orma_exec_rows *rows, void *data)
{
    (void)plan;
    (void)q;
    return orma_exec_run_grouper_take(data, rows);
}

/* ---- results ---- */

static struct orma_exec_value value_of(struct orma_exec_grouper *g, unsigned at, uint32_t group)
{
    if (at < g->keys_num)
        return g->keys[at][group];
    const struct orma_exec_agg *def = g->aggs[at - g->keys_num].def;
    struct orma_exec_grouped *a = &g->aggs[g->aggs[at - g->keys_num].same];
    orma_exec_group_value *value = def->function->group_value;

    return (value ? value : orma_exec_run_group_state)(g->plan, a, def, group);
}

static bool fill_slot(struct orma_exec_grouper *g, unsigned at, struct orma_exec_slot *s)
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

static bool make_frame(struct orma_exec_grouper *g)
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

static bool sort_groups(struct orma_exec_grouper *g)
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
static bool fold_frame(struct orma_exec_grouper *g)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    bool ok =
        place ? orma_exec_run_collect(g->plan, g->q) : orma_exec_give_up(g->plan, "out of memory");
    uint32_t rows = g->q->frame.rows;

    if (ok && orma_exec_run_shared_frame(g))
        rows = 0; /* nothing is left */
    ok = ok && !g->plan->why;
    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;

        orma_exec_run_frame_rows(g->q, at, ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK), place, &r);
        ok = orma_exec_run_grouper_take(g, &r);
    }
    free(place);
    return ok;
}

bool orma_exec_run_group(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_grouper g;
    bool ok = orma_exec_run_grouper_init(&g, plan, q);

    if (ok)
        ok = q->any_order || !q->by_loops.len
                 ? orma_exec_run_scan(plan, q, take_rows, &orma_exec_run_shared_groups, &g)
                 : fold_frame(&g);
    ok = ok && make_frame(&g) && (!g.keys_num || q->appearing || sort_groups(&g));
    orma_exec_run_grouper_fini(&g);
    return ok && (!q->having.len || drop_groups(plan, q));
}
