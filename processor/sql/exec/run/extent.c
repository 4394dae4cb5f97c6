/*
 * Frames of windows that are not simply all rows so far: for each row the first row of its frame
 * and the one behind its last. Both only rise within a partition, so each is one walk.
 *
 *   RANGE 5 PRECEDING     keys   1  4  7  8 20      ROWS 1 FOLLOWING     rows   a  b  c
 *                         from   0  0  1  1  4                           to     2  3  3
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

struct extents {
    struct orma_exec_plan *plan;
    const struct orma_exec_extent *x;
    const uint64_t *peers;
    uint32_t *from, *to;
    struct orma_exec_slot keys; /* of a RANGE with a number */
    uint32_t *groups;           /* of GROUPS with a number: the first row of each, and the end */
    bool falls;
};

static bool has_num(enum orma_exec_border b)
{
    return b == ORMA_EXEC_BEFORE || b == ORMA_EXEC_AFTER;
}

/* ---- ROWS ---- */

static uint32_t clamp(int64_t at, uint32_t lo, uint32_t hi)
{
    return at < (int64_t)lo ? lo : at > (int64_t)hi ? hi : (uint32_t)at;
}

/* The row `num` before or after row i, in rows; `num` may be anything. */
static uint32_t shifted(uint32_t i, enum orma_exec_border b, int64_t num, uint32_t lo, uint32_t hi)
{
    num = ORMA_MIN(num, (int64_t)UINT32_MAX);
    switch (b) {
    case ORMA_EXEC_FIRST:
        return lo;
    case ORMA_EXEC_BEFORE:
        return clamp((int64_t)i - num, lo, hi);
    case ORMA_EXEC_HERE:
        return i;
    case ORMA_EXEC_AFTER:
        return clamp((int64_t)i + num, lo, hi);
    case ORMA_EXEC_LAST:
        break;
    }
    return hi;
}

static uint32_t end_shifted(uint32_t i, enum orma_exec_border b, int64_t num, uint32_t lo,
                            uint32_t hi)
{
    return b == ORMA_EXEC_BEFORE && num > (int64_t)(i - lo)
               ? lo
               : ORMA_MIN(shifted(i, b, num, lo, hi) + (b != ORMA_EXEC_LAST), hi);
}

static void by_rows(struct extents *e, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo; i < hi; i++) {
        e->from[i] = shifted(i, e->x->from, e->x->from_num, lo, hi);
        e->to[i] = end_shifted(i, e->x->to, e->x->to_num, lo, hi);
    }
}

/* ---- GROUPS, and what has no number ---- */

static void by_groups(struct extents *e, uint32_t lo, uint32_t hi)
{
    uint32_t num = 0;

    for (uint32_t i = lo; i < hi; i++) {
        if (i == lo || orma_exec_bit(e->peers, i))
            e->groups[num++] = i;
    }
    e->groups[num] = hi;
    for (uint32_t g = 0; g < num; g++) {
        uint32_t from = shifted(g, e->x->from, e->x->from_num, 0, num);
        uint32_t to = end_shifted(g, e->x->to, e->x->to_num, 0, num);

        for (uint32_t i = e->groups[g]; i < e->groups[g + 1]; i++) {
            e->from[i] = e->groups[from];
            e->to[i] = e->groups[to];
        }
    }
}

/* ---- RANGE ---- */

/* Falling keys are turned, so that they rise. */
static int64_t key_at(const struct extents *e, uint32_t i)
{
    return e->falls ? ~e->keys.vals[i] : e->keys.vals[i];
}

/* The first row whose key is not below (with `past`: is above) that of row i and `num`. */
static bool seek(struct extents *e, uint32_t i, enum orma_exec_border b, int64_t num, bool past,
                 uint32_t *at, uint32_t hi)
{
    int64_t key = key_at(e, i);
    bool over = b == ORMA_EXEC_BEFORE  ? __builtin_sub_overflow(key, num, &key)
                : b == ORMA_EXEC_AFTER ? __builtin_add_overflow(key, num, &key)
                                       : false;

    if (over)
        return orma_exec_give_up(e->plan, "a RANGE that overflows");
    while (*at < hi && (past ? key_at(e, *at) <= key : key_at(e, *at) < key))
        ++*at;
    return true;
}

static bool by_range(struct extents *e, uint32_t lo, uint32_t hi)
{
    uint32_t from = lo, to = lo;

    for (uint32_t i = lo; i < hi; i++) {
        if (e->x->from != ORMA_EXEC_FIRST &&
            !seek(e, i, e->x->from, e->x->from_num, false, &from, hi))
            return false;
        if (e->x->to == ORMA_EXEC_LAST)
            to = hi;
        else if (!seek(e, i, e->x->to, e->x->to_num, true, &to, hi))
            return false;
        e->from[i] = from;
        e->to[i] = to;
    }
    return true;
}

/* Integers only: SQLite has rules of its own for NULL, texts and doubles there. */
static bool take_keys(struct extents *e, struct orma_exec_query *q, const struct orma_exec_win *win)
{
    if (win->order.len != 1)
        return orma_exec_give_up(e->plan, "the order of a RANGE");
    if (!orma_exec_run_fill_slot(e->plan, q, win->order.data[0].expr, &e->keys))
        return false;
    if (e->keys.tags || e->keys.tag != EXEC_INT)
        return orma_exec_give_up(e->plan, "a RANGE frame over a key that is not an integer");
    e->falls = win->order.data[0].desc;
    return true;
}

bool orma_exec_run_extents(struct orma_exec_plan *plan, struct orma_exec_query *q,
                           const struct orma_exec_win *win, const uint64_t *parts,
                           const uint64_t *peers, uint32_t **ret_from, uint32_t **ret_to)
{
    uint32_t rows = q->frame.rows;
    struct extents e = {.plan = plan, .x = &win->extent, .peers = peers};
    const bool ranged = e.x->unit == ORMA_EXEC_RANGE && (has_num(e.x->from) || has_num(e.x->to));

    e.from = *ret_from = orma_large_alloc(((size_t)rows + 1) * sizeof(*e.from));
    e.to = *ret_to = orma_large_alloc(((size_t)rows + 1) * sizeof(*e.to));
    e.groups = orma_large_alloc(((size_t)rows + 1) * sizeof(*e.groups));
    bool ok = (e.from && e.to && e.groups) || orma_exec_give_up(plan, "out of memory");

    ok = ok && (!ranged || take_keys(&e, q, win));
    for (uint32_t lo = 0, hi; ok && lo < rows; lo = hi) {
        for (hi = lo + 1; hi < rows && !orma_exec_bit(parts, hi); hi++)
            ;
        if (ranged)
            ok = by_range(&e, lo, hi);
        else
            (e.x->unit == ORMA_EXEC_ROWS ? by_rows : by_groups)(&e, lo, hi);
        ok = ok && !orma_exec_should_stop(plan);
    }
    for (uint32_t i = 0; ok && i < rows; i++) /* empty ones */
        e.to[i] = ORMA_MAX(e.from[i], e.to[i]);
    orma_exec_slot_fini(&e.keys);
    orma_large_free(e.groups);
    return ok;
}
