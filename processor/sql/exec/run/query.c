/*
 * A query from its sources to its frame: queries below first, then rows (collected, or folded into
 * groups), windows, DISTINCT, ORDER BY, LIMIT. Each of them changes the frame; rows that lie as in
 * the only source, from its first to its last, are not written down.
 */
#include "processor/sql/exec/plan/plan.h"
#include "processor/sql/exec/run/run.h"

static bool sort_rows(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    uint32_t *perm = NULL, first = UINT32_MAX;

    if (!q->order.len)
        return true;
    if (q->limit >= 0 && q->offset < q->frame.rows && q->limit < q->frame.rows - q->offset)
        first = (uint32_t)(q->limit + q->offset);
    if (!orma_exec_run_sort(plan, q, q->order.data, q->order.len, first, &perm))
        return false;
    if (perm)
        orma_exec_run_permute(q, perm, ORMA_MIN(first, q->frame.rows));
    return true;
}

static bool limit_rows(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_frame *f = &q->frame;
    int64_t from = ORMA_MIN(q->offset, (int64_t)f->rows), num = f->rows - from;

    if (!q->has_limit)
        return true;
    if (q->limit >= 0)
        num = ORMA_MIN(num, q->limit);
    if (from && f->order) {
        memmove(f->order, f->order + from, (size_t)num * sizeof(*f->order));
    } else if (from) {
        uint32_t *perm = orma_large_alloc((size_t)(num + 1) * sizeof(*perm));

        if (!perm)
            return orma_exec_give_up(plan, "out of memory");
        for (int64_t i = 0; i < num; i++)
            perm[i] = (uint32_t)(from + i);
        orma_exec_run_permute(q, perm, (uint32_t)num);
    }
    f->rows = (uint32_t)num;
    return true;
}

static bool run_sources(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    for (unsigned i = 0; i < q->sources_num; i++) {
        if (q->sources[i]->query && !orma_exec_run_query(plan, q->sources[i]->query))
            return false;
    }
    return true;
}

static bool run_union(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < q->parts.len; i++) {
        if (!orma_exec_run_query(plan, q->parts.data[i]))
            return false;
        rows += q->parts.data[i]->frame.rows;
    }
    if (rows >= EXEC_NO_ROW)
        return orma_exec_give_up(plan, "rows");
    q->frame.rows = (uint32_t)rows;
    return true;
}

bool orma_exec_run_query(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    if (q->parts.len)
        return run_union(plan, q);
    if (plan->why || !run_sources(plan, q))
        return false;
    if (q->sources_num > 1 &&
        (!orma_exec_run_implied(plan, q) || (!q->any_order && !orma_exec_plan_order_join(plan, q))))
        return false;
    if (!orma_exec_run_group_distinct(plan, q))
        return false;
    bool ok = q->grouped ? orma_exec_run_group(plan, q) : orma_exec_run_collect(plan, q);
    if (ok && q->slots_num > q->frame.slots_num) {
        struct orma_exec_slot *slots =
            orma_large_resize(q->frame.slots, q->slots_num * sizeof(*slots));

        if (!slots)
            return orma_exec_give_up(plan, "out of memory");
        q->frame.slots = slots;
        memset(slots + q->frame.slots_num, 0, (q->slots_num - q->frame.slots_num) * sizeof(*slots));
        q->frame.slots_num = q->slots_num;
    }
    return ok && (!q->wins.len || orma_exec_run_windows(plan, q)) &&
           (!q->distinct || orma_exec_run_distinct(plan, q)) && sort_rows(plan, q) &&
           limit_rows(plan, q) && !plan->why;
}
