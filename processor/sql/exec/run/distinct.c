/*
 * Rows that are the first of their kind; of INTERSECT and EXCEPT those that are in the second part
 * too, or in no other part.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

static uint8_t tags_of(const struct orma_exec_slot *s, uint32_t rows)
{
    uint8_t tags = s->tags ? 0 : s->tag;

    for (uint32_t i = 0; s->tags && i < rows; i++)
        tags |= s->tags[i];
    return tags;
}

static uint64_t hash_row(const struct orma_exec_slot *s, unsigned num, uint32_t row)
{
    uint64_t h = 0;

    for (unsigned k = 0; k < num; k++) {
        uint8_t tag = s[k].tags ? s[k].tags[row] : s[k].tag;

        h = (h ^ (tag == EXEC_NULL ? 1 : (uint64_t)s[k].vals[row])) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static bool same_row(const struct orma_exec_slot *s, unsigned num, uint32_t a, uint32_t b)
{
    for (unsigned k = 0; k < num; k++) {
        uint8_t x = s[k].tags ? s[k].tags[a] : s[k].tag, y = s[k].tags ? s[k].tags[b] : s[k].tag;

        if (x != y || (x != EXEC_NULL && s[k].vals[a] != s[k].vals[b]))
            return false;
    }
    return true;
}

/* Integers and doubles that are equal, and zeros with a sign, would need more than their bits. */
static bool can_compare_bits(struct orma_exec_plan *plan, struct orma_exec_slot *s, uint32_t rows)
{
    uint8_t tags = tags_of(s, rows);

    if (tags & EXEC_INT && tags & EXEC_REAL)
        return orma_exec_give_up(plan, "values of several types to be distinct");
    for (uint32_t i = 0; tags & EXEC_REAL && i < rows; i++) {
        if (s->vals[i] == INT64_MIN && (s->tags ? s->tags[i] : s->tag) == EXEC_REAL)
            return orma_exec_give_up(plan, "a value of -0.0");
    }
    return true;
}

/* Rows of a compound query from this one on are those of its other parts. */
static uint32_t second_part(const struct orma_exec_query *q)
{
    if (q->set != ORMA_EXEC_EXCEPT && q->set != ORMA_EXEC_INTERSECT)
        return q->frame.rows;
    return q->sources[0]->query->parts.data[0]->frame.rows;
}

/* Rows that are the first of their kind; of a set, after those of the other parts were seen. */
static bool first_rows(struct orma_exec_plan *plan, struct orma_exec_query *q,
                       const struct orma_exec_slot *s, unsigned num)
{
    uint32_t rows = q->frame.rows, kept = 0, size = 16, split = second_part(q);
    while (size / 2 < rows && size < 1u << 31)
        size *= 2;
    uint32_t *slots = orma_large_alloc(size * sizeof(*slots)),
             *perm = orma_large_alloc(((size_t)rows + 1) * 4);
    bool ok = (slots && perm) || orma_exec_give_up(plan, "out of memory");

    if (ok)
        memset(slots, 0xff, size * sizeof(*slots));
    for (uint32_t n = 0; ok && n < rows; n++) {
        uint32_t i = n < rows - split ? n + split : n - (rows - split);
        uint32_t at = (uint32_t)(hash_row(s, num, i) >> 32) & (size - 1);

        if (!(n % EXEC_BLOCK) && orma_exec_should_stop(plan))
            ok = false;
        while (slots[at] != UINT32_MAX && !same_row(s, num, slots[at], i))
            at = (at + 1) & (size - 1);
        bool other = slots[at] != UINT32_MAX && slots[at] >= split;
        bool known = slots[at] != UINT32_MAX && !other;
        if (i >= split || (!known && !other) || (other && q->set == ORMA_EXEC_INTERSECT))
            slots[at] = i; /* a row that met one of the other part stands for both */
        if (i < split && !known && other == (q->set == ORMA_EXEC_INTERSECT))
            perm[kept++] = i;
    }
    orma_large_free(slots);
    if (ok && kept < rows)
        orma_exec_run_permute(q, perm, kept);
    else
        orma_large_free(perm);
    return ok;
}

bool orma_exec_run_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    unsigned num = q->results.len;
    struct orma_exec_slot *s = calloc(num + 1, sizeof(*s));
    bool ok = s || orma_exec_give_up(plan, "out of memory");

    for (unsigned i = 0; ok && i < num; i++)
        ok = orma_exec_run_fill_slot(plan, q, q->results.data[i].expr, &s[i]) &&
             can_compare_bits(plan, &s[i], q->frame.rows);
    ok = ok && first_rows(plan, q, s, num);
    for (unsigned i = 0; s && i < num; i++)
        orma_exec_slot_fini(&s[i]);
    free(s);
    return ok;
}

/* ---- as groups ---- */

static bool has_one_type(const struct orma_exec_expr *e)
{
    uint8_t types = e->types & ~EXEC_NULL;

    return !(types & (types - 1));
}

/* The result that it is; UINT32_MAX: none. */
static uint32_t result_at(const struct orma_exec_query *q, const struct orma_exec_expr *e)
{
    for (uint32_t i = 0; i < q->results.len; i++) {
        if (orma_exec_same_expr(q->results.data[i].expr, e))
            return i;
    }
    return UINT32_MAX;
}

static bool can_group_distinct(const struct orma_exec_query *q)
{
    if (!q->distinct || q->grouped || q->wins.len || q->keys.len || !q->results.len ||
        q->set == ORMA_EXEC_INTERSECT || q->set == ORMA_EXEC_EXCEPT)
        return false;
    for (uint32_t i = 0; i < q->results.len; i++) {
        if (!has_one_type(q->results.data[i].expr))
            return false;
    }
    for (uint32_t i = 0; i < q->order.len; i++) {
        if (result_at(q, q->order.data[i].expr) == UINT32_MAX)
            return false;
    }
    return true;
}

bool orma_exec_run_group_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    if (!can_group_distinct(q))
        return true;
    for (uint32_t i = 0; i < q->results.len; i++) {
        struct orma_exec_key key = {.expr = q->results.data[i].expr};

        if (ORMA_VEC_PUSH(&q->groups, key) < 0)
            return orma_exec_give_up(plan, "out of memory");
    }
    for (uint32_t i = 0; i < q->order.len; i++) {
        struct orma_exec_expr *slot = orma_exec_new_expr(plan, ORMA_EXEC_SLOT, 0);

        if (!slot)
            return false;
        slot->slot.at = result_at(q, q->order.data[i].expr);
        slot->types = q->order.data[i].expr->types;
        slot->affinity = q->order.data[i].expr->affinity;
        q->order.data[i].expr = slot;
    }
    for (uint32_t i = 0; i < q->results.len; i++) {
        struct orma_exec_expr *slot = orma_exec_new_expr(plan, ORMA_EXEC_SLOT, 0);

        if (!slot)
            return false;
        slot->slot.at = i;
        slot->types = q->results.data[i].expr->types;
        slot->affinity = q->results.data[i].expr->affinity;
        q->results.data[i].expr = slot;
    }
    q->grouped = q->appearing = true;
    q->distinct = false;
    return true;
}
