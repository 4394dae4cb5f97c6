/*
 * The rows of a query as its frame. Rows that lie as in the only source, from its first to its
 * last, are not written down; rows of several are put into the order of SQLite's loops.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

struct collector {
    uint32_t cap;
    bool dense; /* so far all rows are 0, 1, 2, ... of source 0 */
};

static bool grow(struct orma_exec_plan *plan, struct orma_exec_query *q, struct collector *c,
                 uint32_t need)
{
    uint32_t cap = ORMA_MAX(c->cap, 4096u);

    if (need <= c->cap)
        return true;
    while (cap < need)
        cap = cap > UINT32_MAX / 2 ? UINT32_MAX : cap * 2;
    for (unsigned s = 0; s < q->sources_num; s++) {
        uint32_t *list = orma_large_resize(q->frame.source[s], (size_t)cap * sizeof(*list));

        if (!list)
            return orma_exec_give_up(plan, "out of memory");
        q->frame.source[s] = list;
    }
    c->cap = cap;
    return true;
}

/* What was left out so far is written after all. */
static bool make_lists(struct orma_exec_plan *plan, struct orma_exec_query *q, struct collector *c)
{
    c->dense = false;
    if (!grow(plan, q, c, q->frame.rows + 1))
        return false;
    for (uint32_t i = 0; i < q->frame.rows; i++)
        q->frame.source[0][i] = i;
    return true;
}

static bool collect(struct orma_exec_plan *plan, struct orma_exec_query *q,
                    const struct orma_exec_rows *rows, void *data)
{
    struct collector *c = data;
    struct orma_exec_frame *f = &q->frame;

    if (rows->num > ORMA_ROWS_MAX - f->rows)
        return orma_exec_give_up(plan, "too many rows");
    if (c->dense && (rows->source[0] || rows->first != f->rows) && !make_lists(plan, q, c))
        return false;
    if (!c->dense) {
        if (!grow(plan, q, c, f->rows + rows->num))
            return false;
        for (unsigned s = 0; s < q->sources_num; s++) {
            uint32_t *to = f->source[s] + f->rows;

            for (uint32_t i = 0; i < rows->num; i++)
                to[i] = rows->source[s] ? rows->source[s][i] : rows->first + i;
        }
    }
    f->rows += rows->num;
    return f->rows < q->wanted;
}

/* No more rows are wanted than these, if nothing after the scan changes which. */
static uint32_t rows_wanted(const struct orma_exec_query *q)
{
    if (q->grouped || q->wins.len || q->distinct || q->order.len || q->by_loops.len ||
        q->limit < 0 || q->limit > UINT32_MAX / 2 || q->offset > UINT32_MAX / 2)
        return UINT32_MAX;
    return (uint32_t)(q->limit + q->offset);
}

bool orma_exec_run_collect(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct collector c = {.dense = q->sources_num == 1};

    q->wanted = rows_wanted(q);
    if (q->wanted && !orma_exec_run_scan(plan, q, collect, &c) &&
        (plan->why || q->frame.rows < q->wanted))
        return false;
    q->frame.identity = c.dense;
    if (!q->by_loops.len)
        return true;
    uint32_t *perm = NULL;
    if (!orma_exec_run_sort(plan, q, q->by_loops.data, q->by_loops.len, UINT32_MAX, &perm))
        return false;
    if (perm)
        orma_exec_run_permute(q, perm, q->frame.rows);
    return true;
}
