/*
 * Blocks of rows as groups and as values: what columnar_agg.c folds.
 */
#ifndef ORMA_PROCESSOR_SQL_COLUMNAR_KEYS_H
#define ORMA_PROCESSOR_SQL_COLUMNAR_KEYS_H
#include "processor/sql/columnar/columnar_plan.h"

#define ORMA_NO_GROUP UINT32_MAX

/* The rows of a block: first .. first + num, or list. */
struct orma_block_rows {
    const uint32_t *list;
    uint32_t first, num;
};

static inline uint32_t orma_block_row(const struct orma_block_rows *r, uint32_t i)
{
    return r->list ? r->list[i] : r->first + i;
}

/* (group by the keys before, value) -> group. */
struct orma_columnar_keys {
    struct orma_columnar_key key;
    uint32_t next; /* the next code */
    /* A table by value - min; used by the first key. */
    uint32_t *direct;
    int64_t min;
    uint32_t direct_num, direct_null;
    /* Open addressing. */
    struct orma_key_slot {
        uint64_t val;
        uint32_t before, code; /* code ORMA_NO_GROUP: free */
        bool null;
    } * slots;
    size_t mask;
    bool failed, inexact;
};

/* False: memory is out. */
bool orma_columnar_keys_init(struct orma_columnar_keys *k, const struct orma_columnar_plan *plan,
                             unsigned idx);
void orma_columnar_keys_fini(struct orma_columnar_keys *k);

/* Room for `num` slots, a power of two. */
bool orma_columnar_keys_resize(struct orma_columnar_keys *k, size_t num);

/* The code of a value behind the code of the keys before; a new one is the next number. */
uint32_t orma_columnar_keys_find(struct orma_columnar_keys *k, uint32_t before, uint64_t val,
                                 bool null);

/* Replaces the codes of the keys before (none if `first`) by those with this key. */
void orma_columnar_keys_code(struct orma_columnar_keys *k, const struct orma_table *t,
                             const struct orma_block_rows *r, int64_t *values, uint32_t *codes,
                             bool first);

/*
 * The values of a column that are not NULL (bits of doubles, ids of texts), and the groups of their
 * rows (both may be NULL). Returns how many.
 */
uint32_t orma_columnar_load_block(const struct orma_table *t, unsigned idx,
                                  const struct orma_block_rows *r, int64_t *to,
                                  const uint32_t *groups, uint32_t *kept_groups);
#endif
