/*
 * Groups by several threads: each has groups of its own of all rows that it took, and notes in
 * which piece it met a group first. Then they are put together in the order in which they appear:
 *
 *   thread 0   a:0 b:0 c:4      ─►  a b d c      (a group and the piece where it was met first;
 *   thread 1   b:1 d:1              inside of a piece as the thread met them)
 *
 * Only what does not depend on the order of rows is folded like that: counts, sums of integers, the
 * least and the largest of values of one type, values of the first row. What turns out to be
 * something else (a double, a sum that might overflow) is left to one thread.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/group.h"

/* A thread has found so many groups, and one of so many rows was new: to put them together would
 * take as long as to find them. */
#define GROUPS_MANY 4096
#define ROWS_PER_GROUP 16

/* Half the size of a sum that may overflow: as in aggregate.c. */
#define LARGE_SUM (UINT64_C(1) << 62)

/* ---- what can be folded by several ---- */

static bool can_fold(const struct orma_exec_grouper *g, const struct orma_exec_agg *agg)
{
    orma_exec_fold *fold = agg->function->fold;
    const uint8_t types = agg->arg ? agg->arg->types & (uint8_t)~EXEC_NULL : 0;

    if (agg->distinct)
        return false;
    if (fold == orma_exec_run_fold_count)
        return true;
    if (fold == orma_exec_run_fold_sum)
        return !(types & (EXEC_REAL | EXEC_TEXT));
    if (fold == orma_exec_run_fold_first)
        return !g->shared.picks;
    return fold == orma_exec_run_fold_best && !g->shared.picks && !(types & (types - 1));
}

static bool open_groups(struct orma_exec_team *team, struct orma_exec_share *share, void *data)
{
    struct orma_exec_grouper *g = data;

    for (unsigned k = 0; k < g->keys_num; k++)
        orma_exec_run_share_expr(share, g->q->groups.data[k].expr);
    for (uint32_t i = 0; i < g->q->aggs.len; i++) {
        orma_exec_run_share_expr(share, g->q->aggs.data[i].arg);
        share->refused |= !can_fold(g, &g->q->aggs.data[i]);
    }
    if (share->refused)
        return false;
    g->others = calloc(team->threads, sizeof(*g->others));
    g->others_num = g->others ? team->threads : 0;
    return g->others;
}

/* The first piece of a thread makes what it needs. */
static bool init_other(struct orma_exec_grouper *g, struct orma_exec_plan *view,
                       struct orma_exec_query *q)
{
    if (!orma_exec_run_grouper_init(g, view, q))
        return false;
    g->shared.in_order = false;
    g->born = orma_large_alloc((size_t)g->shared.cap * sizeof(*g->born));
    if (g->born && g->groups)
        g->born[0] = 0;
    return g->born || orma_exec_give_up(view, "out of memory");
}

static bool sink_groups(const struct orma_exec_piece *piece, const struct orma_exec_rows *rows,
                        void *data)
{
    const struct orma_exec_grouper *all = data;
    struct orma_exec_grouper *g = &all->others[piece->thread];

    if (!g->plan && !init_other(g, piece->view, all->q))
        return false;
    g->piece = piece->piece;
    g->seen += rows->num;
    if (!orma_exec_run_grouper_take(g, rows))
        return false;
    return g->groups < GROUPS_MANY || g->groups < g->seen / ROWS_PER_GROUP ||
           orma_exec_give_up(piece->view, "too many groups");
}

/* ---- put together ---- */

static bool add_sum(struct orma_exec_grouped *to, uint32_t group,
                    const struct orma_exec_grouped *from, uint32_t i)
{
    if (from->reals)
        return false;
    to->accs[group].count += from->accs[i].count;
    return !__builtin_add_overflow(to->accs[group].whole, from->accs[i].whole,
                                   &to->accs[group].whole);
}

static bool add_best(const struct orma_strpool *pool, struct orma_exec_grouped *to, uint32_t group,
                     struct orma_exec_value x)
{
    struct orma_exec_value *best = &to->bests[group];
    const int sign = to->def->function->step == orma_exec_run_step_min ? 1 : -1;

    if (x.tag == EXEC_NULL)
        return true;
    const int cmp = best->tag == EXEC_NULL ? sign : orma_exec_compare(pool, *best, x);

    /* which of equal ones counts is open: 0.0 and -0.0 are such */
    if (!cmp && (best->tag != x.tag || best->bits != x.bits))
        return false;
    if (cmp * sign > 0)
        *best = x;
    return true;
}

static void add_first(struct orma_exec_grouped *to, uint32_t group,
                      const struct orma_exec_grouped *from, uint32_t i)
{
    if (!to->accs[group].count)
        to->bests[group] = from->bests[i];
    to->accs[group].count |= from->accs[i].count;
}

static bool add_group(struct orma_exec_grouper *g, uint32_t group,
                      const struct orma_exec_grouper *from, uint32_t i)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;
    bool ok = true;

    for (uint32_t a = 0; ok && a < g->q->aggs.len; a++) {
        orma_exec_fold *fold = g->aggs[a].def->function->fold;

        if (g->aggs[a].same != a)
            continue;
        if (fold == orma_exec_run_fold_best)
            ok = add_best(pool, &g->aggs[a], group, from->aggs[a].bests[i]);
        else if (fold == orma_exec_run_fold_first)
            add_first(&g->aggs[a], group, &from->aggs[a], i);
        else
            ok = add_sum(&g->aggs[a], group, &from->aggs[a], i);
    }
    return ok;
}

/* The group of these keys; EXEC_NO_CODE: failed. */
static uint32_t find_group(struct orma_exec_grouper *g, const struct orma_exec_grouper *from,
                           uint32_t i)
{
    uint32_t code = 0;

    for (unsigned k = 0; k < g->keys_num; k++) {
        const struct orma_exec_value key = from->keys[k][i];

        code = orma_exec_run_coder_find(&g->coders[k], code, key.tag, key.bits);
        if (code == EXEC_NO_CODE)
            return code;
    }
    if (!g->keys_num || code < g->groups)
        return code;
    if (!orma_exec_run_grouper_reserve(g, code + 1))
        return EXEC_NO_CODE;
    for (unsigned k = 0; k < g->keys_num; k++)
        g->keys[k][code] = from->keys[k][i];
    g->groups++;
    return code;
}

/* Of what holds for all groups: sums that may overflow in some order, types of keys. */
static bool add_all(struct orma_exec_grouper *g, const struct orma_exec_grouper *from)
{
    for (uint32_t a = 0; a < g->q->aggs.len; a++) {
        struct orma_exec_grouped *to = &g->aggs[a];

        to->bits |= from->aggs[a].bits;
        to->size = ORMA_MIN(to->size + from->aggs[a].size, LARGE_SUM);
        if (to->size >= LARGE_SUM && to->bits < 0)
            return false;
    }
    for (unsigned k = 0; k < g->keys_num; k++) {
        uint8_t types;

        g->coders[k].seen |= from->coders[k].seen;
        types = g->coders[k].seen & (uint8_t)~EXEC_NULL;
        if (types & (EXEC_INT | EXEC_TEXT) && types & (types - 1))
            return false;
    }
    return true;
}

/* The thread whose next group appears first; NULL: there are no more. */
static struct orma_exec_grouper *next_of(struct orma_exec_grouper *others, unsigned num,
                                         const uint32_t *at, unsigned *ret)
{
    struct orma_exec_grouper *best = NULL;

    for (unsigned t = 0; t < num; t++) {
        struct orma_exec_grouper *o = &others[t];

        if (o->plan && at[t] < o->groups && (!best || o->born[at[t]] < best->born[at[*ret]])) {
            best = o;
            *ret = t;
        }
    }
    return best;
}

static bool put_together(struct orma_exec_grouper *g)
{
    uint32_t *at = calloc(g->others_num, sizeof(*at));
    struct orma_exec_grouper *from;
    unsigned thread = 0;
    bool ok = at;

    for (unsigned t = 0; ok && t < g->others_num; t++)
        ok = !g->others[t].plan || add_all(g, &g->others[t]);
    while (ok && (from = next_of(g->others, g->others_num, at, &thread))) {
        const uint32_t i = at[thread]++, group = find_group(g, from, i);

        ok = group != EXEC_NO_CODE && add_group(g, group, from, i);
    }
    free(at);
    return ok;
}

static bool close_groups(struct orma_exec_team *team, bool ok, void *data)
{
    struct orma_exec_grouper *g = data;
    struct orma_exec_plan *plan = g->plan;
    struct orma_exec_query *q = g->q;

    if (ok) {
        g->plan = &team->views[0]; /* what fails is done again */
        ok = put_together(g);
        g->plan = plan;
    }
    for (unsigned t = 0; t < g->others_num; t++)
        if (g->others[t].plan)
            orma_exec_run_grouper_fini(&g->others[t]);
    free(g->others);
    g->others = NULL;
    g->others_num = 0;
    if (!ok) {
        orma_exec_run_grouper_fini(g);
        (void)orma_exec_run_grouper_init(g, plan, q); /* without memory the plan is given up */
    }
    return ok;
}

/* ---- rows of a frame ---- */

static bool sink_frame(const struct orma_exec_piece *piece, void *data)
{
    const struct orma_exec_grouper *g = data;
    struct orma_exec_place *place = malloc(sizeof(*place));
    bool ok = place;

    for (uint32_t at = piece->from; ok && at < piece->to; at += EXEC_BLOCK) {
        struct orma_exec_rows r;

        orma_exec_run_frame_rows(g->q, at, ORMA_MIN(piece->to - at, (uint32_t)EXEC_BLOCK), place,
                                 &r);
        ok = sink_groups(piece, &r, data);
    }
    free(place);
    return ok;
}

bool orma_exec_run_shared_frame(struct orma_exec_grouper *g)
{
    struct orma_exec_share share = {.plan = g->plan};
    struct orma_exec_team team;
    bool ok =
        orma_exec_run_team_init(&team, g->plan, g->q->frame.rows) && open_groups(&team, &share, g);

    if (ok) {
        ok = orma_exec_run_share_ready(&share, &team) &&
             orma_exec_run_team_run(&team, 0, g->q->frame.rows, sink_frame, NULL, g);
        ok = close_groups(&team, ok, g) && ok;
    }
    orma_exec_run_share_fini(&share);
    orma_exec_run_team_fini(&team);
    return ok;
}

const struct orma_exec_shared_scan orma_exec_run_shared_groups = {open_groups, sink_groups, NULL,
                                                                  close_groups};
