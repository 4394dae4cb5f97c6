/*
 * The rows of a query as its frame. Rows that lie as in the only source, from its first to its
 * last, are not written down; rows of several are put into the order of SQLite's loops.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/team.h"

/* The rows of a piece that another thread may have found. */
struct part {
    uint32_t num, cap;
    uint32_t first; /* `dense`: of rows one after the other */
    bool dense;
    uint32_t *source[EXEC_SOURCES_MAX];
};

struct collector {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    uint32_t cap;
    bool dense;         /* so far all rows are 0, 1, 2, ... of source 0 */
    struct part *parts; /* by piece; NULL: one thread does it all */
    uint32_t parts_num;
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

/* ---- several threads ---- */

static bool open_parts(struct orma_exec_team *team, struct orma_exec_share *share, void *data)
{
    struct collector *c = data;

    (void)share; /* rows alone are collected */
    if (c->q->wanted != UINT32_MAX)
        return false;
    c->parts_num = team->pieces;
    c->parts = calloc(c->parts_num, sizeof(*c->parts));
    return c->parts;
}

static bool grow_part(struct part *p, unsigned sources, uint32_t need)
{
    const uint32_t cap = ORMA_MAX(ORMA_MAX(2 * p->cap, need), 4u * EXEC_BLOCK);

    if (need <= p->cap)
        return true;
    if (need > UINT32_MAX / 4)
        return false;
    for (unsigned s = 0; s < sources; s++) {
        uint32_t *list = realloc(p->source[s], (size_t)cap * sizeof(*list));

        if (!list)
            return false;
        p->source[s] = list;
    }
    p->cap = cap;
    return true;
}

static bool sink_part(const struct orma_exec_piece *piece, const struct orma_exec_rows *rows,
                      void *data)
{
    const struct collector *c = data;
    struct part *p = &c->parts[piece->piece];
    const unsigned sources = c->q->sources_num;

    if (orma_exec_should_stop(piece->view))
        return false;
    if (!p->num && sources == 1 && !rows->source[0]) {
        *p = (struct part){.num = rows->num, .first = rows->first, .dense = true};
        return true;
    }
    if (p->dense && !rows->source[0] && rows->first == p->first + p->num) {
        p->num += rows->num;
        return true;
    }
    if (!grow_part(p, sources, p->num + rows->num))
        return orma_exec_give_up(piece->view, "out of memory");
    for (uint32_t i = 0; p->dense && i < p->num; i++)
        p->source[0][i] = p->first + i;
    p->dense = false;
    for (unsigned s = 0; s < sources; s++) {
        for (uint32_t i = 0; i < rows->num; i++)
            p->source[s][p->num + i] = rows->source[s] ? rows->source[s][i] : rows->first + i;
    }
    p->num += rows->num;
    return true;
}

static void part_fini(struct part *p)
{
    for (unsigned s = 0; s < EXEC_SOURCES_MAX; s++)
        free(p->source[s]);
    *p = (struct part){0};
}

static bool take_part(uint32_t piece, void *data)
{
    struct collector *c = data;
    struct part *p = &c->parts[piece];
    struct orma_exec_rows rows = {.num = p->num, .first = p->first};

    for (unsigned s = 0; s < c->q->sources_num; s++)
        rows.source[s] = p->source[s];
    const bool ok = !p->num || collect(c->plan, c->q, &rows, c);
    part_fini(p);
    return ok;
}

static bool close_parts(struct orma_exec_team *team, bool ok, void *data)
{
    struct collector *c = data;

    (void)team;
    for (uint32_t i = 0; i < c->parts_num; i++)
        part_fini(&c->parts[i]);
    free(c->parts);
    c->parts = NULL;
    if (!ok) { /* from the first row again */
        orma_exec_frame_fini(&c->q->frame);
        c->cap = 0;
        c->dense = c->q->sources_num == 1;
    }
    return ok;
}

static const struct orma_exec_shared_scan shared = {open_parts, sink_part, take_part, close_parts};

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
    struct collector c = {.plan = plan, .q = q, .dense = q->sources_num == 1};

    q->wanted = rows_wanted(q);
    if (q->wanted && !orma_exec_run_scan(plan, q, collect, &shared, &c) &&
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
