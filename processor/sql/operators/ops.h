/*
 * What operators share: types of pointer values and how results become frames.
 *
 * A pointer value owns what it points to; it is made by an aggregate and read by
 * functions during the same statement.
 */
#ifndef ORMA_PROCESSOR_SQL_OPS_H
#define ORMA_PROCESSOR_SQL_OPS_H
#include "processor/sql/base/values.h"

/* How often loops look whether they should stop, in steps. */
#define ORMA_INTERRUPT_STEPS 4096

static inline bool orma_op_stop(struct orma_sql *sql, uint64_t step)
{
    return step % ORMA_INTERRUPT_STEPS == 0 && orma_sql_is_interrupted(sql);
}

/* Finishes the frame and hands it over as result; its error, or being out of memory, instead. */
void orma_op_result_frame(sqlite3_context *ctx, struct orma_frame *frame);

/* Sets the error text of a virtual table; gives the SQLite code to return. */
int orma_op_error(char **ret_error, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* A result for -ECANCELED or -ENOMEM. */
void orma_op_result_error(sqlite3_context *ctx, int error);

/*
 * qsort() that looks whether it should stop, keeps the order of equal elements and costs one pass
 * over what is in order already. 0, -ECANCELED (the order is any), -ENOMEM.
 */
int orma_op_sort(struct orma_sql *sql, void *base, size_t num, size_t size,
                 int (*compare)(const void *, const void *));
int orma_op_sort_r(struct orma_sql *sql, void *base, size_t num, size_t size,
                   int (*compare)(const void *, const void *, void *), void *data);

/* Ids of an argument: 0 .. UINT32_MAX - 1. False: it is none of these. */
static inline bool orma_value_id(sqlite3_value *val, uint32_t *ret)
{
    int64_t id = sqlite3_value_int64(val);

    if (sqlite3_value_type(val) != SQLITE_INTEGER || id < 0 || id >= UINT32_MAX)
        return false;
    *ret = (uint32_t)id;
    return true;
}

/* A growing array of 64-bit numbers; failure is sticky. */
struct orma_ints {
    int64_t *data;
    size_t len, cap;
    bool failed;
};

void orma_ints_fini(struct orma_ints *self);
bool orma_ints_grow(struct orma_ints *self);

static inline void orma_ints_add(struct orma_ints *self, int64_t val)
{
    if (self->len == self->cap && !orma_ints_grow(self))
        return;
    self->data[self->len++] = val;
}
#endif
