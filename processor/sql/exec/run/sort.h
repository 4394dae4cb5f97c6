/* Rows that are sorted: their keys as numbers (sort_codes.c), and what sorts by these (sort.c). */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_SORT_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_SORT_H
#include "processor/sql/exec/run/team.h"

/* Items and their copies, places, results of windows. */
#define EXEC_SORT_BYTES_PER_ROW 40

/* A key as numbers. */
struct orma_exec_codes {
    const struct orma_exec_key *key;
    struct orma_exec_slot kept; /* values, where making them again costs more than reading them */
    uint8_t tags;               /* of all values */
    uint64_t min, max;
    uint64_t null; /* what NULL becomes */
    uint64_t shift;
    unsigned bits;   /* that the largest has */
    bool rises;      /* rows lie in this order */
    uint32_t *ranks; /* texts: their places among the distinct ones, by id */
    uint32_t texts;
    /* While values are looked at: */
    bool any, null_seen;
    uint64_t first, last; /* of values that are not NULL; `first` of numbers */
};

/* Rows that are sorted, a block of them at a time. */
struct orma_exec_sorter {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_codes *codes;
    unsigned num; /* of keys */
    uint32_t rows;
    struct orma_exec_place place;
    struct orma_exec_vec vec;
    uint64_t block[EXEC_BLOCK], all[EXEC_BLOCK];
    struct orma_exec_team *team;     /* NULL: one thread does it */
    struct orma_exec_sorter *others; /* by thread: the same with views, and places of their own */
};

bool orma_exec_run_sort_has_room(struct orma_exec_plan *plan, uint32_t rows);

/* The values of a key for all rows; its numbers are made from then on. */
bool orma_exec_run_look_at_key(struct orma_exec_sorter *s, struct orma_exec_codes *c,
                               const struct orma_exec_key *key);
/* The numbers of a key for rows from `at` on, in `block`; those of all keys in one, in `all`. */
bool orma_exec_run_make_codes(struct orma_exec_sorter *s, const struct orma_exec_codes *c,
                              uint32_t at, uint32_t num);
bool orma_exec_run_pack_codes(struct orma_exec_sorter *s, uint32_t at, uint32_t num);
#endif
