/* Running: frames of queries are filled, and expressions evaluated over them. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_RUN_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_RUN_H
#include "processor/sql/exec/base/query.h"

/* query.c: fills the frames of the query and of those below. */
bool orma_exec_run_query(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* subquery.c: queries in expressions. */
bool orma_exec_run_subqueries(struct orma_exec_plan *plan);
void orma_exec_run_free_subqueries(struct orma_exec_plan *plan);

/* memo.c */
bool orma_exec_run_memo_value(struct orma_exec_plan *plan, struct orma_exec_memo *memo, uint32_t id,
                              struct orma_exec_value *ret);
void orma_exec_run_free_memos(struct orma_exec_plan *plan);

/* eval.c; false: it was given up. */
bool orma_exec_run_eval(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_exec_rows *rows, struct orma_exec_vec *ret);

/* Which of the rows have a true value: writes their places, and returns how many; -1: given up. */
int orma_exec_run_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         const struct orma_exec_rows *rows, uint32_t *ret);

/* lookup.c: what such a query gives, by its keys, which are of these types. */
struct orma_exec_lookup *orma_exec_run_lookup_new(const uint8_t *types, unsigned keys_num);
void orma_exec_run_lookup_free(struct orma_exec_lookup *self);
/* Of the same keys the first value counts; `vals` NULL: 1. */
bool orma_exec_run_lookup_add(struct orma_exec_plan *plan, struct orma_exec_lookup *self,
                              struct orma_exec_vec *const *keys, const struct orma_exec_vec *vals,
                              uint32_t num);
/* The keys of rows whose value is NULL; they were checked. */
bool orma_exec_run_lookup_add_nulls(struct orma_exec_plan *plan, struct orma_exec_lookup *self,
                                    struct orma_exec_vec *const *keys,
                                    const struct orma_exec_vec *vals, uint32_t num);
/* The value for each row (VALUE), or whether there is one (EXISTS). */
bool orma_exec_run_lookup(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                          struct orma_exec_vec *const *keys, uint32_t num,
                          struct orma_exec_vec *ret);
/* Whether the first of `args` is in the set of the keys behind it (IN). */
bool orma_exec_run_lookup_in(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                             struct orma_exec_vec *const *args, uint32_t num,
                             struct orma_exec_vec *ret);

/* collect.c: rows that pass all conditions, in SQLite's order, as the frame. */
bool orma_exec_run_collect(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* frame.c: rows `first` and on, `num` of them, of the frame of a query: what its results are
 * evaluated for. `buf` has room for EXEC_BLOCK rows of each source and of slots. */
void orma_exec_run_frame_rows(const struct orma_exec_query *q, uint32_t first, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret);
/* The same for given rows of the frame; EXEC_NO_ROW among them is read as row 0. */
void orma_exec_run_frame_pick(const struct orma_exec_query *q, const uint32_t *list, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret);

/* filter.c */
bool orma_exec_run_add_filter(struct orma_exec_plan *plan, const struct orma_table *t,
                              struct orma_rowscan *scan, int op, unsigned col,
                              const struct orma_exec_expr *val);

/* Rows that are distinct become groups, where that is the same. False: out of memory. */
bool orma_exec_run_group_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* Before a join: adds conditions that follow from those it has. */
bool orma_exec_run_implied(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* hash.c: rows by a key. Zero-initialised is empty. */
struct orma_exec_hash {
    uint32_t *slots, mask; /* groups by key */
    int64_t *keys;         /* of groups */
    uint32_t groups_num;
    uint32_t *starts; /* of the list of each group in `rows` */
    uint32_t *rows;
    int64_t *vals;    /* by which lists rise, if they do; NULL: there are none */
    uint32_t *groups; /* of rows, while they are added */
    uint32_t num, cap;
    uint8_t tag; /* of keys */
    bool ranged;
};
void orma_exec_run_hash_fini(struct orma_exec_hash *self);
/* `keys` NULL: all are of one group; `vals` NULL: none, and then for all that are added. */
bool orma_exec_run_hash_add(struct orma_exec_plan *plan, struct orma_exec_hash *self,
                            const uint32_t *list, uint32_t first, uint32_t num,
                            const struct orma_exec_vec *keys, const struct orma_exec_vec *vals);
bool orma_exec_run_hash_link(struct orma_exec_plan *plan, struct orma_exec_hash *self);
/* The list of the i-th key. */
bool orma_exec_run_hash_find(struct orma_exec_plan *plan, const struct orma_exec_hash *self,
                             const struct orma_exec_vec *keys, uint32_t i, uint32_t *ret_from,
                             uint32_t *ret_to);
/* What is left of a list of a `ranged` one: values from `bound` on (`low`), or up to it. */
bool orma_exec_run_hash_cut(struct orma_exec_plan *plan, const struct orma_exec_hash *self,
                            const struct orma_exec_vec *bound, uint32_t i, bool low, bool strict,
                            uint32_t *from, uint32_t *to);

/* join.c: calls `sink` with blocks of rows that pass all conditions. */
typedef bool orma_exec_sink(struct orma_exec_plan *plan, struct orma_exec_query *q,
                            const struct orma_exec_rows *rows, void *data);
/* The same by several threads, where that can be: team.h. */
struct orma_exec_shared_scan;
bool orma_exec_run_scan(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        orma_exec_sink *sink, const struct orma_exec_shared_scan *shared,
                        void *data);
/* Whether the source that it begins with gives no more than `limit` rows, before conditions that
 * scans cannot test. */
bool orma_exec_run_has_few(struct orma_exec_plan *plan, struct orma_exec_query *q, uint32_t limit);

/* group.c */
bool orma_exec_run_group(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* percentile.c: values of all groups, then those of each. Zero-initialised is empty. */
struct orma_exec_values {
    double *vals;
    uint32_t *groups;
    size_t num, vals_cap, groups_cap;
    size_t *starts; /* by group, when they were dealt out */
};
void orma_exec_run_values_fini(struct orma_exec_values *self);
/* `codes`: groups of the values; NULL: all are of group 0. */
bool orma_exec_run_values_add(struct orma_exec_plan *plan, struct orma_exec_values *self,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num);
bool orma_exec_run_values_deal(struct orma_exec_plan *plan, struct orma_exec_values *self,
                               uint32_t groups);
/* The caller looks whether it was given up. */
struct orma_exec_value orma_exec_run_values_at(struct orma_exec_plan *plan,
                                               struct orma_exec_values *self, uint32_t group,
                                               double fraction, bool exact);

/* texts.c: values of group_concat(). Zero-initialised is empty. */
struct orma_exec_texts {
    int64_t *vals;  /* all of type `tag` */
    uint32_t *next; /* of the same group */
    size_t num, vals_cap, next_cap;
    uint8_t tag;
    uint64_t bytes; /* that texts have together, at most */
};
void orma_exec_run_texts_fini(struct orma_exec_texts *self);

/* sort.c: the values of an expression for all rows of the frame, as a slot. */
bool orma_exec_run_fill_slot(struct orma_exec_plan *plan, struct orma_exec_query *q,
                             const struct orma_exec_expr *e, struct orma_exec_slot *ret);

/* A stable order of the rows of the frame by keys, as a permutation (large.h). NULL in *ret: they
 * lie in that order already. `first`: no more than so many rows are wanted. */
bool orma_exec_run_sort(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_key *keys, unsigned num, uint32_t first,
                        uint32_t **ret);

/* Takes the rows of the frame in this order, `num` of them, and `perm` itself. */
void orma_exec_run_permute(struct orma_exec_query *q, uint32_t *perm, uint32_t num);
bool orma_exec_run_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* extent.c: where the frame of each row begins and ends (not included). `parts` and `peers`
 * are bits: rows that begin one. Both lists are the caller's, also when it was given up. */
bool orma_exec_run_extents(struct orma_exec_plan *plan, struct orma_exec_query *q,
                           const struct orma_exec_win *win, const uint64_t *parts,
                           const uint64_t *peers, uint32_t **ret_from, uint32_t **ret_to);

static inline bool orma_exec_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

/* From the first row of the partition to the row itself, or to the last one that is its equal. */
static inline bool orma_exec_is_running(const struct orma_exec_extent *x)
{
    return x->from == ORMA_EXEC_FIRST && x->to == ORMA_EXEC_HERE;
}

/* window.c */
bool orma_exec_run_windows(struct orma_exec_plan *plan, struct orma_exec_query *q);

#endif
