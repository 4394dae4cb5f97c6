/*
 * Rows of the right side of a join by a key, each list in the order of the table:
 *
 *   key ─► group       starts   0   3   5          rows of group 1: rows[3..5)
 *                      rows     4 7 9 1 6 ...
 *
 * Beside each row may lie a value by which the lists rise, such as a time: then what a join
 * compares with it (`b.ts <= a.ts`) is a range of the list. Without a key all rows are one group.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"
#include "sdk/base/search.h"

void orma_exec_run_hash_fini(struct orma_exec_hash *h)
{
    orma_large_free(h->slots);
    orma_large_free(h->keys);
    orma_large_free(h->starts);
    orma_large_free(h->rows);
    orma_large_free(h->vals);
    orma_large_free(h->groups);
    *h = (struct orma_exec_hash){0};
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *slot_of(const struct orma_exec_hash *h, int64_t key)
{
    uint64_t x = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(x >> 32) & h->mask;

    while (h->slots[at] != UINT32_MAX && h->keys[h->slots[at]] != key)
        at = (at + 1) & h->mask;
    return &h->slots[at];
}

static bool grow_slots(struct orma_exec_hash *h)
{
    uint32_t num = ORMA_MAX(4 * h->groups_num, 64u), size = 64;

    while (size < num)
        size *= 2;
    uint32_t *slots = orma_large_alloc((size_t)size * sizeof(*slots));
    int64_t *keys = slots ? orma_large_resize(h->keys, (size_t)size / 2 * sizeof(*keys)) : NULL;
    if (!keys) {
        orma_large_free(slots);
        return false;
    }
    memset(slots, 0xff, (size_t)size * sizeof(*slots));
    orma_large_free(h->slots);
    h->slots = slots;
    h->keys = keys;
    h->mask = size - 1;
    for (uint32_t g = 0; g < h->groups_num; g++)
        *slot_of(h, keys[g]) = g;
    return true;
}

static bool grow_rows(struct orma_exec_hash *h, bool vals)
{
    uint32_t cap = ORMA_MAX(2 * h->cap, 1024u);
    uint32_t *rows = orma_large_resize(h->rows, cap * sizeof(*rows));
    uint32_t *groups = rows ? orma_large_resize(h->groups, cap * sizeof(*groups)) : NULL;

    h->rows = rows ? rows : h->rows;
    h->groups = groups ? groups : h->groups;
    if (groups && vals) {
        int64_t *list = orma_large_resize(h->vals, cap * sizeof(*list));

        h->vals = list ? list : h->vals;
        groups = list ? groups : NULL;
    }
    if (groups)
        h->cap = cap;
    return groups;
}

static bool find_group(struct orma_exec_hash *h, int64_t key, uint32_t *ret)
{
    if (h->groups_num >= h->mask / 2 && !grow_slots(h))
        return false;
    uint32_t *slot = slot_of(h, key);
    if (*slot == UINT32_MAX) {
        h->keys[h->groups_num] = key;
        *slot = h->groups_num++;
    }
    *ret = *slot;
    return true;
}

bool orma_exec_run_hash_add(struct orma_exec_plan *plan, struct orma_exec_hash *h,
                            const uint32_t *list, uint32_t first, uint32_t num,
                            const struct orma_exec_vec *keys, const struct orma_exec_vec *vals)
{
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = keys ? orma_exec_tag_at(keys, i) : EXEC_INT;
        uint8_t val = vals ? orma_exec_tag_at(vals, i) : EXEC_INT;

        if (tag == EXEC_NULL || val == EXEC_NULL) /* equal to nothing, in no range */
            continue;
        if ((h->tag && tag != h->tag) || (tag | val) & EXEC_REAL || val != EXEC_INT)
            return orma_exec_give_up(plan, "types of a join");
        h->tag = tag;
        if ((h->num == h->cap && !grow_rows(h, vals)) ||
            !find_group(h, keys ? keys->vals[i] : 0, &h->groups[h->num]))
            return orma_exec_give_up(plan, "out of memory");
        h->rows[h->num] = list ? list[i] : first + i;
        if (vals)
            h->vals[h->num] = vals->vals[i];
        h->num++;
    }
    return true;
}

/* Whether values rise in each list. */
static bool all_rise(const struct orma_exec_hash *h)
{
    for (uint32_t g = 0; g < h->groups_num; g++) {
        for (uint32_t i = h->starts[g] + 1; i < h->starts[g + 1]; i++) {
            if (h->vals[i] < h->vals[i - 1])
                return false;
        }
    }
    return true;
}

bool orma_exec_run_hash_link(struct orma_exec_plan *plan, struct orma_exec_hash *h)
{
    uint32_t *starts = orma_large_zeroed((size_t)h->groups_num + 2, sizeof(*starts));
    uint32_t *rows = orma_large_alloc(((size_t)h->num + 1) * sizeof(*rows));
    int64_t *vals = h->vals ? orma_large_alloc(((size_t)h->num + 1) * sizeof(*vals)) : NULL;

    if (!starts || !rows || (h->vals && !vals)) {
        orma_large_free(starts);
        orma_large_free(rows);
        orma_large_free(vals);
        return orma_exec_give_up(plan, "out of memory");
    }
    for (uint32_t i = 0; i < h->num; i++)
        starts[h->groups[i] + 2]++;
    for (uint32_t g = 1; g <= h->groups_num; g++)
        starts[g + 1] += starts[g];
    for (uint32_t i = 0; i < h->num; i++) {
        uint32_t at = starts[h->groups[i] + 1]++;

        rows[at] = h->rows[i];
        if (vals)
            vals[at] = h->vals[i];
        if (!(i % EXEC_LOOK) && orma_exec_should_stop(plan))
            break;
    }
    orma_large_free(h->rows);
    orma_large_free(h->vals);
    orma_large_free(h->groups);
    h->starts = starts;
    h->rows = rows;
    h->vals = vals;
    h->groups = NULL;
    h->ranged = vals && !plan->why && all_rise(h);
    return !plan->why;
}

bool orma_exec_run_hash_find(struct orma_exec_plan *plan, const struct orma_exec_hash *h,
                             const struct orma_exec_vec *keys, uint32_t i, uint32_t *ret_from,
                             uint32_t *ret_to)
{
    uint8_t tag = keys ? orma_exec_tag_at(keys, i) : EXEC_INT;

    *ret_from = *ret_to = 0;
    if (tag != EXEC_NULL && h->tag && (tag == EXEC_REAL || tag != h->tag))
        return orma_exec_give_up(plan, "types of a join");
    if (tag == EXEC_NULL || !h->num)
        return true;
    uint32_t group = *slot_of(h, keys ? keys->vals[i] : 0);
    if (group != UINT32_MAX) {
        *ret_from = h->starts[group];
        *ret_to = h->starts[group + 1];
    }
    return true;
}

/* The first of a list that is not below `val`, or with `past` above it. */
static uint32_t seek(const int64_t *vals, uint32_t from, uint32_t to, int64_t val, bool past)
{
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (vals[mid] < val || (past && vals[mid] == val))
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

bool orma_exec_run_hash_cut(struct orma_exec_plan *plan, const struct orma_exec_hash *h,
                            const struct orma_exec_vec *bound, uint32_t i, bool low, bool strict,
                            uint32_t *from, uint32_t *to)
{
    uint8_t tag = orma_exec_tag_at(bound, i);

    if (tag & (EXEC_REAL | EXEC_TEXT))
        return orma_exec_give_up(plan, "types of a join");
    if (tag == EXEC_NULL)
        *to = *from;
    else if (low)
        *from = seek(h->vals, *from, *to, bound->vals[i], strict);
    else
        *to = seek(h->vals, *from, *to, bound->vals[i], !strict);
    return true;
}
