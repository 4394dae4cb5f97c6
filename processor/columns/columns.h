/*
 * Rows of a query as columns with types, in batches: what stands between SQL, whose values have
 * types, and formats whose columns have.
 *
 *     struct orma_columns *columns;
 *     struct orma_columns_batch *batch;
 *
 *     orma_columns_new(query, 65536, &columns);
 *     while ((r = orma_columns_next(columns, &batch)) == 1)
 *         write(batch), orma_columns_batch_unref(batch);
 *     orma_columns_free(columns);
 *
 * The type of a column is settled with the first batch: that of its values so far, where whole
 * numbers and others make doubles, numbers and texts make texts, and anything with blobs makes
 * blobs. The first batch goes on, up to ORMA_COLUMNS_LOOK_MAX rows, while a column has no value;
 * then it has the type that it was declared with, or is text. Later values are converted if nothing
 * is lost.
 *
 * Texts are numbers in a dictionary of the batch. Threads: like the query; batches are counted
 * atomically.
 */
#ifndef ORMA_PROCESSOR_COLUMNS_COLUMNS_H
#define ORMA_PROCESSOR_COLUMNS_COLUMNS_H
#include <stdatomic.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

/* The most rows of a first batch that looks for values. */
#define ORMA_COLUMNS_LOOK_MAX (UINT64_C(1) << 20)
/* A batch with so many bytes of texts and blobs is full; with one value more they still fit 31
 * bits. */
#define ORMA_COLUMNS_BYTES_MAX ((size_t)256 << 20)

/*
 * A column of a batch. `vals` has for each row
 *   numbers: int64_t, double; 0 for NULL
 *   texts:   int32_t, the entry of the dictionary; 0 for NULL
 *   blobs:   int32_t, where it begins in `bytes`; one more at the end
 */
struct orma_columns_column {
    enum orma_value_type type; /* ORMA_VALUE_NULL: not settled yet */
    uint64_t nulls;
    struct orma_buf valid; /* a bit for each row, the lowest first; empty: there are no NULLs */
    struct orma_buf vals;
    struct orma_buf bytes; /* of the texts of the dictionary, or the blobs */
    struct orma_buf
        offsets; /* of the dictionary: int32_t, where each begins, one more at the end */
};

struct orma_columns_batch {
    _Atomic uint32_t refs;
    unsigned num;
    uint64_t rows;
    struct orma_columns_column columns[];
};

struct orma_columns;

/* `exact`: values of two types in a column are an error. Batches of `rows`; 0: 65536. Takes the
 * query on success. 0, -ENOMEM, -EINVAL: it has no columns.
 */
int orma_columns_new(struct orma_query *query, uint64_t rows, bool exact,
                     struct orma_columns **ret);
/* NULL is fine. */
void orma_columns_free(struct orma_columns *self);

/* 1: a batch, with at least one row; 0: that was all; -EDOM: a value does not fit into its column;
 * -errno, see orma_columns_error(). */
int orma_columns_next(struct orma_columns *self, struct orma_columns_batch **ret);

/* Settles types by reading the first batch, which comes again. 0 or -errno. */
int orma_columns_settle(struct orma_columns *self);

/* Has it no rows? Once settled, before the first batch was taken. */
bool orma_columns_is_empty(const struct orma_columns *self);

unsigned orma_columns_num(const struct orma_columns *self);
const char *orma_columns_name(const struct orma_columns *self, unsigned col);
/* Once settled. */
enum orma_value_type orma_columns_type(const struct orma_columns *self, unsigned col);

/* Texts of this column are JSON, which formats with types for that may say. The name must stay. */
void orma_columns_set_json(struct orma_columns *self, const char *name);
/* Once settled. */
bool orma_columns_is_json(const struct orma_columns *self, unsigned col);
bool orma_columns_has_json(const struct orma_columns *self);

/* What went wrong, for people. */
const char *orma_columns_error(const struct orma_columns *self);

struct orma_columns_batch *orma_columns_batch_ref(struct orma_columns_batch *self);
/* NULL is fine. */
void orma_columns_batch_unref(struct orma_columns_batch *self);

/* Entries of the dictionary of a column of texts. */
static inline uint32_t orma_columns_entries(const struct orma_columns_column *c)
{
    return c->offsets.len ? (uint32_t)(c->offsets.len / sizeof(int32_t)) - 1 : 0;
}

static inline bool orma_columns_is_null(const struct orma_columns_column *c, uint64_t row)
{
    return c->valid.len && !(c->valid.data[row / 8] >> row % 8 & 1);
}

static inline struct orma_str orma_columns_entry(const struct orma_columns_column *c,
                                                 uint32_t entry)
{
    const int32_t *at = (const int32_t *)(const void *)c->offsets.data + entry;

    return (struct orma_str){(const char *)c->bytes.data + at[0], (size_t)(at[1] - at[0])};
}
#endif
