/*
 * An index is made when a column was asked for often enough to pay for a sort of its rows.
 * `perm` is sorted once; where the values lie close together, `spans` says in one step where
 * each value begins and ends, else a bisection does. The number of rows per value is estimated
 * from a sample, for SQLite's planner.
 */
#include "processor/sql/tables/index.h"

#include <stdlib.h>

#include "processor/sql/tables/sort.h"
#include "sdk/base/assert.h"
#include "sdk/base/search.h"

/* A table of spans is made while it has at most this many times as many slots as there are rows.
 */
#define SPANS_PER_ROW 4
/* A value that a sixteenth of the rows have is found by a scan as well: what an index spares pays for
 * the sort after so many uses. */
#define FEW_VALUES 16
#define FEW_VALUES_USES 64
/* Rows that are looked at to estimate how many different values there are. */
#define SAMPLE 512

static void drop(struct orma_index *idx)
{
    free(idx->perm);
    free(idx->spans);
    idx->perm = NULL;
    idx->spans = NULL;
    idx->rows = idx->nulls = idx->spans_num = 0;
}

void orma_indexes_fini(struct orma_sql *self)
{
    for (struct orma_index *i = self->indexes, *next; i; i = next) {
        next = i->next;
        drop(i);
        free(i);
    }
    self->indexes = NULL;
}

void orma_indexes_drop(struct orma_sql *self, const struct orma_table *table)
{
    for (struct orma_index **at = &self->indexes; *at;) {
        struct orma_index *i = *at;

        if (i->table != table) {
            at = &i->next;
            continue;
        }
        *at = i->next;
        drop(i);
        free(i);
    }
}

static int64_t value(const struct orma_index *idx, uint32_t row)
{
    return orma_table_int(idx->table, idx->col, row);
}

static bool same(const struct orma_index *idx, uint32_t a, uint32_t b)
{
    const struct orma_column *col = &idx->table->columns[idx->col];

    if (col->width == ORMA_WIDTH_DOUBLE)
        return !(orma_column_double(col, a) < orma_column_double(col, b)) &&
               !(orma_column_double(col, b) < orma_column_double(col, a));
    return value(idx, a) == value(idx, b);
}

static void make_spans(struct orma_index *idx)
{
    int64_t min = INT64_MAX, max = INT64_MIN;

    if (idx->table->columns[idx->col].width == ORMA_WIDTH_DOUBLE)
        return;
    for (uint32_t i = idx->nulls; i < idx->rows; i++) {
        min = ORMA_MIN(min, value(idx, idx->perm[i]));
        max = ORMA_MAX(max, value(idx, idx->perm[i]));
    }
    if (min > max || (uint64_t)max - (uint64_t)min >= (uint64_t)idx->rows * SPANS_PER_ROW + 1024)
        return;
    idx->min = min;
    idx->spans_num = (uint32_t)((uint64_t)max - (uint64_t)min) + 1;
    idx->spans = calloc(idx->spans_num, sizeof(*idx->spans));
    uint32_t distinct = 0;
    for (uint32_t i = idx->nulls; idx->spans && i < idx->rows; i++) {
        struct orma_sql_span *s = &idx->spans[value(idx, idx->perm[i]) - min];

        if (!s->to) {
            s->from = i;
            distinct++;
        }
        s->to = i + 1;
    }
    if (distinct)
        idx->per_value = (double)(idx->rows - idx->nulls) / distinct;
    idx->per_value_rows = distinct ? idx->rows : idx->per_value_rows;
}

static bool make(struct orma_sql *sql, struct orma_index *idx)
{
    struct orma_sort_key key = {idx->col, false};

    drop(idx);
    idx->rows = idx->table->rows;
    idx->perm = malloc(idx->rows * sizeof(*idx->perm));
    for (uint32_t row = 0; idx->perm && row < idx->rows; row++)
        idx->perm[row] = row;
    if (!idx->perm || !orma_sort_rows(sql, idx->table, &key, 1, idx->perm, idx->rows)) {
        drop(idx);
        return false;
    }
    idx->nulls = ORMA_PARTITION_POINT(i, 0, idx->rows,
                                      orma_sort_is_null(idx->table, idx->col, idx->perm[i]));
    make_spans(idx);
    return true;
}

static struct orma_index *index_of(struct orma_sql *self, const struct orma_table *table,
                                   unsigned col)
{
    for (struct orma_index *i = self->indexes; i; i = i->next)
        if (i->table == table && i->col == col && (!i->rows || i->rows == table->rows))
            return i;
    /* One of another number of rows stays until the end: a cursor may still walk it. */
    struct orma_index *idx = calloc(1, sizeof(*idx));
    if (!idx)
        return NULL;
    idx->table = table;
    idx->col = col;
    idx->next = self->indexes;
    return self->indexes = idx;
}

void orma_index_expect(struct orma_sql *self, const struct orma_table *table, unsigned col)
{
    struct orma_index *idx = index_of(self, table, col);

    if (idx)
        idx->uses = FEW_VALUES_USES;
}

const struct orma_index *orma_index_get(struct orma_sql *self, const struct orma_table *table,
                                        unsigned col, bool now)
{
    struct orma_index *idx = table->rows < ORMA_INDEX_ROWS_MIN ? NULL : index_of(self, table, col);

    if (!idx || idx->rows == table->rows)
        return idx;
    /* Asked for once only: a scan is cheaper. */
    const bool again = idx->uses++ > 0;
    now |= idx->uses > FEW_VALUES_USES ||
           (again && orma_index_per_value(self, table, col) * FEW_VALUES < table->rows);
    return now && make(self, idx) ? idx : NULL;
}

/* First place in perm whose value is >= val, or > val, in the order of the index. */
static uint32_t bound(const struct orma_index *idx, const struct orma_storage *st, int64_t val,
                      bool after)
{
    int max = after ? 0 : -1; /* of the comparison, for a value before that place */

    if (idx->table->columns[idx->col].kind == ORMA_COL_STRING)
        return ORMA_PARTITION_POINT(i, idx->nulls, idx->rows,
                                    orma_sort_compare_text(&st->pool,
                                                           (uint32_t)value(idx, idx->perm[i]),
                                                           (uint32_t)val) <= max);
    return after ? ORMA_PARTITION_POINT(i, idx->nulls, idx->rows, value(idx, idx->perm[i]) <= val)
                 : ORMA_PARTITION_POINT(i, idx->nulls, idx->rows, value(idx, idx->perm[i]) < val);
}

struct orma_sql_span orma_index_span(const struct orma_index *self,
                                     const struct orma_storage *storage, int64_t val)
{
    uint64_t at = (uint64_t)val - (uint64_t)self->min;

    if (self->spans)
        return val >= self->min && at < self->spans_num ? self->spans[at]
                                                        : (struct orma_sql_span){0, 0};
    return (struct orma_sql_span){bound(self, storage, val, false),
                                  bound(self, storage, val, true)};
}

bool orma_index_find(struct orma_sql *self, const struct orma_table *table, unsigned col,
                     int64_t val, const uint32_t **ret_rows, uint32_t *ret_num)
{
    const struct orma_index *idx = orma_index_get(self, table, col, false);

    if (!idx)
        return false;
    struct orma_sql_span s = orma_index_span(idx, self->storage, val);
    *ret_rows = idx->perm + s.from;
    *ret_num = s.to - s.from;
    return true;
}

uint32_t orma_index_run(const struct orma_index *self, uint32_t last)
{
    ORMA_ASSERT_HOT(last < self->rows);
    uint32_t lo = last < self->nulls ? 0 : self->nulls, hi = last, step = 1;

    if (last < self->nulls)
        return 0;
    /* In growing steps back to a row of another value, then by halves. */
    while (hi > lo) {
        uint32_t to = hi - lo > step ? hi - step : lo;

        if (!same(self, self->perm[to], self->perm[last])) {
            lo = to + 1;
            break;
        }
        hi = to;
        step *= 2;
    }
    return ORMA_PARTITION_POINT(i, lo, hi, !same(self, self->perm[i], self->perm[last]));
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/*
 * From a sample: with n of N rows looked at, values seen once stand for N/n
 * others each, those seen again are taken to be all there are.
 */
static double estimate(const struct orma_index *idx)
{
    const struct orma_table *t = idx->table;
    int64_t sample[SAMPLE];
    uint32_t num = 0, once = 0, more = 0, step = t->rows / SAMPLE + 1;

    for (uint32_t i = 0, row = step / 2; i < SAMPLE && row < t->rows; i++, row += step) {
        if (orma_table_is_null(t, idx->col, row))
            continue;
        const struct orma_column *col = &t->columns[idx->col];
        double d = col->width == ORMA_WIDTH_DOUBLE ? orma_column_double(col, row) : 0;

        sample[num] = value(idx, row);
        if (col->width == ORMA_WIDTH_DOUBLE)
            memcpy(&sample[num], &d, sizeof(d));
        num++;
    }
    if (!num)
        return 1;
    qsort(sample, num, sizeof(sample[0]), by_number);
    for (uint32_t i = 0, n = 1; i < num; i += n, n = 1) {
        while (i + n < num && sample[i + n] == sample[i])
            n++;
        once += n == 1;
        more += n > 1;
    }
    double distinct = more + once * (double)step;
    if (once * 2 < num) /* few were seen once: rare ones, not a sea of different values */
        distinct = more + once * 2.0;
    return ORMA_MAX((double)t->rows / ORMA_MAX(distinct, 1.0), 1.0);
}

double orma_index_per_value(struct orma_sql *self, const struct orma_table *table, unsigned col)
{
    struct orma_index *idx = table->rows ? index_of(self, table, col) : NULL;

    if (!idx)
        return 1;
    if (idx->per_value <= 0 || idx->per_value_rows != table->rows) {
        idx->per_value = estimate(idx);
        idx->per_value_rows = table->rows;
    }
    return idx->per_value;
}
