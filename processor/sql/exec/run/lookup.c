/*
 * What a query in an expression gives, by what the row is compared with: keys ─► value. Keys are
 * integers or ids of texts; NULL is equal to nothing.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

/* Of rows with the same keys the first one counts. */
struct orma_exec_lookup {
    unsigned keys_num;
    uint8_t types[EXEC_LOOKUP_KEYS_MAX]; /* of keys, beside NULL */
    bool dense;                          /* the slot of a key is its number */
    uint32_t rows, cap, mask;
    uint32_t *slots; /* numbers of rows; UINT32_MAX: free */
    int64_t *keys;   /* keys_num of each row */
    struct orma_exec_value *vals;
};

static uint32_t place_of(const struct orma_exec_lookup *t, const int64_t *keys)
{
    uint64_t h = 0;

    if (t->dense)
        return (uint32_t)keys[0] & t->mask;
    for (unsigned k = 0; k < t->keys_num; k++) {
        h = (h ^ (uint64_t)keys[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32) & t->mask;
}

/* The slot of these keys, or the free one where they belong. */
static uint32_t *find_slot(const struct orma_exec_lookup *t, const int64_t *keys)
{
    uint32_t at = place_of(t, keys);

    while (t->slots[at] != UINT32_MAX &&
           memcmp(t->keys + (size_t)t->slots[at] * t->keys_num, keys, t->keys_num * sizeof(*keys)))
        at = (at + 1) & t->mask;
    return &t->slots[at];
}

/* `size` is a power of two. */
static bool set_slots(struct orma_exec_lookup *t, uint32_t size, bool dense)
{
    uint32_t *slots = size ? orma_large_alloc((size_t)size * sizeof(*slots)) : NULL;

    if (!slots)
        return false;
    memset(slots, 0xff, (size_t)size * sizeof(*slots));
    orma_large_free(t->slots);
    t->slots = slots;
    t->mask = size - 1;
    t->dense = dense;
    for (uint32_t i = 0; i < t->rows; i++)
        *find_slot(t, t->keys + (size_t)i * t->keys_num) = i;
    return true;
}

static bool grow(struct orma_exec_lookup *t)
{
    uint32_t cap = ORMA_MAX(2 * t->cap, 256u);
    int64_t *keys = cap > UINT32_MAX / 8
                        ? NULL
                        : orma_large_resize(t->keys, (size_t)cap * t->keys_num * sizeof(*keys));

    if (keys)
        t->keys = keys;
    struct orma_exec_value *vals =
        keys ? orma_large_resize(t->vals, (size_t)cap * sizeof(*vals)) : NULL;
    if (!vals)
        return false;
    t->vals = vals;
    t->cap = cap;
    return t->mask >= 2 * cap - 1 || set_slots(t, 2 * cap, t->dense);
}

/* While all keys are below the number of slots, each has one of its own: ids, mostly. */
static bool make_room(struct orma_exec_lookup *t, const int64_t *keys)
{
    uint32_t size = t->mask + 1;

    if (t->rows == t->cap && !grow(t))
        return false;
    if (!t->dense || (uint64_t)keys[0] <= t->mask)
        return true;
    while (size <= (uint64_t)keys[0] && size / 8 < t->cap)
        size *= 2;
    return set_slots(t, size, size > (uint64_t)keys[0]);
}

struct orma_exec_lookup *orma_exec_run_lookup_new(const uint8_t *types, unsigned keys_num)
{
    struct orma_exec_lookup *t = orma_large_zeroed(1, sizeof(*t));

    if (!t)
        return NULL;
    t->keys_num = keys_num;
    memcpy(t->types, types, keys_num);
    t->dense = keys_num == 1;
    if (set_slots(t, 512, t->dense) && grow(t))
        return t;
    orma_exec_run_lookup_free(t);
    return NULL;
}

void orma_exec_run_lookup_free(struct orma_exec_lookup *t)
{
    if (!t)
        return;
    orma_large_free(t->slots);
    orma_large_free(t->keys);
    orma_large_free(t->vals);
    orma_large_free(t);
}

/* The keys of row i of blocks of them; false: one is NULL. */
static bool keys_at(struct orma_exec_vec *const *v, unsigned num, uint32_t i, int64_t *ret)
{
    bool there = true;

    for (unsigned k = 0; k < num; k++) {
        there &= orma_exec_tag_at(v[k], i) != EXEC_NULL;
        ret[k] = v[k]->vals[i];
    }
    return there;
}

static bool check_keys(struct orma_exec_plan *plan, const struct orma_exec_lookup *t,
                       struct orma_exec_vec *const *v, uint32_t num)
{
    for (unsigned k = 0; k < t->keys_num; k++) {
        for (uint32_t i = 0; i < num && (v[k]->tagged || !i); i++) {
            if (orma_exec_tag_at(v[k], i) & ~(EXEC_NULL | t->types[k]))
                return orma_exec_give_up(plan, "types of a query that depends on the row");
        }
    }
    return true;
}

static bool put_row(struct orma_exec_plan *plan, struct orma_exec_lookup *t, const int64_t *key,
                    struct orma_exec_value v)
{
    if (!make_room(t, key))
        return orma_exec_give_up(plan, "out of memory");
    uint32_t *slot = find_slot(t, key);
    if (*slot != UINT32_MAX)
        return true;
    *slot = t->rows;
    memcpy(t->keys + (size_t)t->rows * t->keys_num, key, t->keys_num * sizeof(*key));
    t->vals[t->rows++] = v;
    return true;
}

bool orma_exec_run_lookup_add(struct orma_exec_plan *plan, struct orma_exec_lookup *t,
                              struct orma_exec_vec *const *keys, const struct orma_exec_vec *vals,
                              uint32_t num)
{
    int64_t key[EXEC_LOOKUP_KEYS_MAX];

    if (!check_keys(plan, t, keys, num))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value v = {EXEC_INT, 1};

        if (vals)
            v = (struct orma_exec_value){orma_exec_tag_at(vals, i), vals->vals[i]};
        if (keys_at(keys, t->keys_num, i, key) && !put_row(plan, t, key, v))
            return false;
    }
    return true;
}

bool orma_exec_run_lookup_add_nulls(struct orma_exec_plan *plan, struct orma_exec_lookup *t,
                                    struct orma_exec_vec *const *keys,
                                    const struct orma_exec_vec *vals, uint32_t num)
{
    int64_t key[EXEC_LOOKUP_KEYS_MAX];

    for (uint32_t i = 0; i < num && (vals->tagged || vals->tag == EXEC_NULL); i++) {
        if (orma_exec_tag_at(vals, i) == EXEC_NULL && keys_at(keys, t->keys_num, i, key) &&
            !put_row(plan, t, key, (struct orma_exec_value){EXEC_INT, 1}))
            return false;
    }
    return true;
}

bool orma_exec_run_lookup(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                          struct orma_exec_vec *const *keys, uint32_t num,
                          struct orma_exec_vec *ret)
{
    const struct orma_exec_lookup *t = sub->table;
    int64_t key[EXEC_LOOKUP_KEYS_MAX];
    uint8_t seen = 0;

    if (!t) /* it did not run */
        return orma_exec_give_up(plan, "a query as a value");
    if (!check_keys(plan, t, keys, num))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = keys_at(keys, t->keys_num, i, key) ? *find_slot(t, key) : UINT32_MAX;
        struct orma_exec_value v = row == UINT32_MAX ? sub->missing : t->vals[row];

        orma_exec_set(ret, i, v.tag, v.bits);
        seen |= v.tag;
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
    return true;
}

/* A value beside the set of its keys: of an empty set it is no part, whatever it is; else NULL, or
 * a NULL in the set, leaves it open. */
bool orma_exec_run_lookup_in(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                             struct orma_exec_vec *const *args, uint32_t num,
                             struct orma_exec_vec *ret)
{
    const struct orma_exec_lookup *t = sub->table, *all = sub->all, *nulls = sub->nulls;
    int64_t key[EXEC_LOOKUP_KEYS_MAX];

    if (!t || !nulls)
        return orma_exec_give_up(plan, "types of IN (SELECT ...)");
    if (!check_keys(plan, t, args, num))
        return false;
    ret->tagged = true;
    for (uint32_t i = 0; i < num; i++) {
        const bool null = orma_exec_tag_at(args[0], i) == EXEC_NULL;
        const bool keyed = keys_at(args + 1, nulls->keys_num, i, key + 1);
        bool found = false, open = false;

        if (null && !all)
            return orma_exec_give_up(plan, "a NULL that was not expected");
        key[0] = args[0]->vals[i];
        if (keyed && !null)
            found = *find_slot(t, key) != UINT32_MAX;
        if (keyed && !found)
            open = *find_slot(null ? all : nulls, key + 1) != UINT32_MAX;
        orma_exec_set(ret, i, open ? EXEC_NULL : EXEC_INT, found != sub->expr->negated);
    }
    return true;
}
