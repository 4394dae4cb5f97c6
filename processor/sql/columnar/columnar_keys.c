/* Groups of rows by their keys, and values of columns, a block at a time: see columnar_agg.c. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#include "processor/sql/columnar/columnar_keys.h"

#include <stdlib.h>

/* Keys whose values lie within so many of each other have a table. */
#define DIRECT_MAX (1u << 22)

void orma_columnar_keys_fini(struct orma_columnar_keys *k)
{
    free(k->direct);
    free(k->slots);
}

static uint64_t hash_of(uint64_t val, uint32_t before, bool null)
{
    uint64_t h = (val + (uint64_t)before * UINT64_C(0x9e3779b97f4a7c15) + null) *
                 UINT64_C(0xff51afd7ed558ccd);

    return h ^ h >> 32;
}

bool orma_columnar_keys_resize(struct orma_columnar_keys *k, size_t num)
{
    struct orma_key_slot *old = k->slots;
    size_t old_num = old ? k->mask + 1 : 0;

    k->slots = malloc(num * sizeof(*k->slots));
    if (!k->slots) {
        k->slots = old;
        k->failed = true;
        return false;
    }
    memset(k->slots, 0xff, num * sizeof(*k->slots));
    k->mask = num - 1;
    for (size_t i = 0; i < old_num; i++) {
        if (old[i].code == ORMA_NO_GROUP)
            continue;
        size_t at = hash_of(old[i].val, old[i].before, old[i].null) & k->mask;
        while (k->slots[at].code != ORMA_NO_GROUP)
            at = (at + 1) & k->mask;
        k->slots[at] = old[i];
    }
    free(old);
    return true;
}

uint32_t orma_columnar_keys_find(struct orma_columnar_keys *k, uint32_t before, uint64_t val,
                                 bool null)
{
    size_t at = hash_of(val, before, null) & k->mask;

    for (; k->slots[at].code != ORMA_NO_GROUP; at = (at + 1) & k->mask) {
        struct orma_key_slot *s = &k->slots[at];

        if (s->val == val && s->before == before && s->null == null)
            return s->code;
    }
    uint32_t code = k->next++;
    k->slots[at] = (struct orma_key_slot){val, before, code, null};
    if ((size_t)k->next * 2 > k->mask)
        orma_columnar_keys_resize(k, 2 * (k->mask + 1));
    return code;
}

/* Smallest and largest integer of a column, and 0; false: doubles, or, unless `wide`, more values
 * between them than anyone wants. */
static bool limits(const struct orma_storage *st, const struct orma_table *t, unsigned idx,
                   bool wide, int64_t *ret_min, int64_t *ret_max)
{
    const struct orma_column *col = &t->columns[idx];

    *ret_min = *ret_max = 0;
    if (col->kind == ORMA_COL_STRING) {
        *ret_max = (int64_t)st->pool.len;
        return true;
    }
    if (col->kind != ORMA_COL_INT && col->kind != ORMA_COL_DOUBLE)
        return false;
    if (col->width == ORMA_WIDTH_DOUBLE)
        return false;
    for (uint32_t row = 0, n; col->width && row < t->rows; row += n) {
        int64_t vals[ORMA_BLOCK_ROWS];

        n = ORMA_MIN(ORMA_BLOCK_ROWS, t->rows - row);
        orma_column_read(col, row, n, vals);
        for (uint32_t i = 0; i < n; i++) {
            *ret_min = ORMA_MIN(*ret_min, vals[i]);
            *ret_max = ORMA_MAX(*ret_max, vals[i]);
        }
        if (!wide && (uint64_t)*ret_max - (uint64_t)*ret_min >= DIRECT_MAX)
            return false;
    }
    return true;
}

bool orma_columnar_key_value(const struct orma_columnar_key *key, int64_t val, int64_t *ret)
{
    switch (key->op) {
    case '+':
        return !__builtin_add_overflow(val, key->operand, ret);
    case '-':
        return !__builtin_sub_overflow(val, key->operand, ret);
    case '*':
        return !__builtin_mul_overflow(val, key->operand, ret);
    case '/':
        *ret = val / key->operand;
        return true;
    case '%':
        *ret = val % key->operand;
        return true;
    }
    *ret = val;
    return true;
}

/* Smallest and largest value of a key. */
static bool key_limits(const struct orma_columnar_plan *plan, const struct orma_columnar_key *key,
                       int64_t *ret_min, int64_t *ret_max)
{
    if (key->op == '%') {
        *ret_max = key->operand - 1;
        *ret_min = -*ret_max;
        return *ret_max < DIRECT_MAX / 2;
    }
    return limits(plan->sql->storage, plan->table, key->col, key->op == '/', ret_min, ret_max) &&
           orma_columnar_key_value(key, *ret_min, ret_min) &&
           orma_columnar_key_value(key, *ret_max, ret_max);
}

bool orma_columnar_keys_init(struct orma_columnar_keys *k, const struct orma_columnar_plan *plan,
                             unsigned idx)
{
    int64_t min, max;

    *k = (struct orma_columnar_keys){.key = plan->keys[idx], .direct_null = ORMA_NO_GROUP};
    if (idx == 0 && key_limits(plan, &k->key, &min, &max) &&
        (uint64_t)max - (uint64_t)min < DIRECT_MAX) {
        k->min = min;
        k->direct_num = (uint32_t)(max - min) + 1;
        k->direct = malloc(k->direct_num * sizeof(*k->direct));
        if (k->direct)
            memset(k->direct, 0xff, k->direct_num * sizeof(*k->direct));
        return k->direct;
    }
    return orma_columnar_keys_resize(k, 256);
}

/* ---- loading ---- */

/* Integers, or bits of doubles, NULLs included. */
static void load_all(const struct orma_table *t, unsigned idx, const struct orma_block_rows *r,
                     int64_t *to)
{
    const struct orma_column *col = &t->columns[idx];

    if (col->kind < ORMA_COL_INT) {
        for (uint32_t i = 0; i < r->num; i++)
            to[i] = orma_table_int(t, idx, orma_block_row(r, i));
        return;
    }
    if (!r->list) {
        orma_column_read(col, r->first, r->num, to);
        return;
    }
    const struct orma_column c = *col;
    for (uint32_t i = 0; i < r->num; i++)
        to[i] = orma_column_bits(&c, r->list[i]);
}

static bool can_be_null(const struct orma_table *t, unsigned idx)
{
    const struct orma_column *col = &t->columns[idx];

    return col->kind == ORMA_COL_STRING || col->kind == ORMA_COL_COMPUTED ||
           col->width == ORMA_WIDTH_DOUBLE || col->flags & ORMA_COL_NULLABLE;
}

/* Drops NULLs, of `groups` (may be NULL) too. Returns how many are left. */
uint32_t orma_columnar_load_block(const struct orma_table *t, unsigned idx,
                                  const struct orma_block_rows *r, int64_t *to,
                                  const uint32_t *groups, uint32_t *kept_groups)
{
    uint32_t kept = 0;

    load_all(t, idx, r, to);
    if (!can_be_null(t, idx)) {
        if (groups)
            memcpy(kept_groups, groups, r->num * sizeof(*groups));
        return r->num;
    }
    if (t->columns[idx].kind == ORMA_COL_STRING) {
        for (uint32_t i = 0; i < r->num; i++) {
            to[kept] = to[i];
            if (groups)
                kept_groups[kept] = groups[i];
            kept += to[i] != 0;
        }
        return kept;
    }
    for (uint32_t i = 0; i < r->num; i++) {
        to[kept] = to[i];
        if (groups)
            kept_groups[kept] = groups[i];
        kept += !orma_sort_is_null(t, idx, orma_block_row(r, i));
    }
    return kept;
}

static void code_direct(struct orma_columnar_keys *k, const struct orma_table *t,
                        const struct orma_block_rows *r, const int64_t *values, uint32_t *codes)
{
    bool nulls = can_be_null(t, k->key.col) && t->columns[k->key.col].kind != ORMA_COL_STRING;

    for (uint32_t i = 0; i < r->num; i++) {
        uint32_t *slot = &k->direct[values[i] - k->min];

        if (nulls && orma_sort_is_null(t, k->key.col, orma_block_row(r, i)))
            slot = &k->direct_null;
        if (*slot == ORMA_NO_GROUP)
            *slot = k->next++;
        codes[i] = *slot;
    }
}

/* Replaces the codes of the keys before by those with this key. */
void orma_columnar_keys_code(struct orma_columnar_keys *k, const struct orma_table *t,
                             const struct orma_block_rows *r, int64_t *values, uint32_t *codes,
                             bool first)
{
    bool nulls = can_be_null(t, k->key.col);

    load_all(t, k->key.col, r, values);
    for (uint32_t i = 0; k->key.op && i < r->num; i++)
        k->inexact |= !orma_columnar_key_value(&k->key, values[i], &values[i]);
    if (k->inexact)
        return;
    if (k->direct) {
        code_direct(k, t, r, values, codes);
        return;
    }
    for (uint32_t i = 0; i < r->num && !k->failed; i++) {
        bool null = nulls && orma_sort_is_null(t, k->key.col, orma_block_row(r, i));

        codes[i] =
            orma_columnar_keys_find(k, first ? 0 : codes[i], null ? 0 : (uint64_t)values[i], null);
    }
}
