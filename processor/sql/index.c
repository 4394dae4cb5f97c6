#include "processor/sql/index.h"

#include <stdlib.h>

/* A table of starts is made while it has at most this many times as many slots as there are rows.
 */
#define STARTS_PER_ROW 4

static void drop(struct orma_sql_index *idx)
{
    free(idx->perm);
    free(idx->starts);
    idx->perm = idx->starts = NULL;
    idx->rows = idx->perm_num = 0;
}

void orma_sql_indexes_fini(struct orma_sql *self)
{
    for (struct orma_sql_index *i = self->indexes, *next; i; i = next) {
        next = i->next;
        drop(i);
        free(i);
    }
    self->indexes = NULL;
}

void orma_sql_indexes_drop(struct orma_sql *self, const struct orma_table *table)
{
    for (struct orma_sql_index **at = &self->indexes; *at;) {
        struct orma_sql_index *i = *at;

        if (i->table != table) {
            at = &i->next;
            continue;
        }
        *at = i->next;
        drop(i);
        free(i);
    }
}

static int64_t value(const struct orma_sql_index *idx, uint32_t row)
{
    return orma_column_int(&idx->table->columns[idx->col], row);
}

static bool has_value(const struct orma_sql_index *idx, uint32_t row)
{
    return !orma_table_is_null(idx->table, idx->col, row);
}

/* Few different values, near each other: count, then place. */
static bool make_by_counting(struct orma_sql_index *idx, int64_t min, uint64_t span)
{
    idx->starts_num = (uint32_t)span + 1;
    idx->starts = calloc((size_t)idx->starts_num + 1, sizeof(*idx->starts));
    if (!idx->starts)
        return false;
    for (uint32_t row = 0; row < idx->rows; row++)
        if (has_value(idx, row))
            idx->starts[value(idx, row) - min + 1]++;
    for (uint32_t i = 1; i <= idx->starts_num; i++)
        idx->starts[i] += idx->starts[i - 1];
    /* Placing moves each start to the end of its run; the shift below undoes that. */
    for (uint32_t row = 0; row < idx->rows; row++)
        if (has_value(idx, row))
            idx->perm[idx->starts[value(idx, row) - min]++] = row;
    memmove(idx->starts + 1, idx->starts, idx->starts_num * sizeof(*idx->starts));
    idx->starts[0] = 0;
    idx->min = min;
    return true;
}

static int by_value(const void *a, const void *b, void *data)
{
    const struct orma_sql_index *idx = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int64_t vx = value(idx, x), vy = value(idx, y);

    if (vx != vy)
        return vx < vy ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool make(struct orma_sql_index *idx)
{
    int64_t min = INT64_MAX, max = INT64_MIN;

    drop(idx);
    idx->rows = idx->table->rows;
    idx->perm = malloc(idx->rows * sizeof(*idx->perm));
    if (!idx->perm) {
        drop(idx);
        return false;
    }
    for (uint32_t row = 0; row < idx->rows; row++) {
        if (!has_value(idx, row))
            continue;
        min = ORMA_MIN(min, value(idx, row));
        max = ORMA_MAX(max, value(idx, row));
        idx->perm[idx->perm_num++] = row;
    }
    uint64_t span = idx->perm_num ? (uint64_t)max - (uint64_t)min : 0;
    if (!idx->perm_num)
        return true;
    if (span < (uint64_t)idx->rows * STARTS_PER_ROW + 1024) {
        if (make_by_counting(idx, min, span))
            return true;
        drop(idx);
        return false;
    }
    qsort_r(idx->perm, idx->perm_num, sizeof(*idx->perm), by_value, idx);
    return true;
}

static struct orma_sql_index *index_of(struct orma_sql *self, const struct orma_table *table,
                                       unsigned col)
{
    for (struct orma_sql_index *i = self->indexes; i; i = i->next)
        if (i->table == table && i->col == col && (!i->rows || i->rows == table->rows))
            return i;
    /* One of another number of rows stays until the end: a cursor may still walk it. */
    struct orma_sql_index *idx = calloc(1, sizeof(*idx));
    if (!idx)
        return NULL;
    idx->table = table;
    idx->col = col;
    idx->next = self->indexes;
    return self->indexes = idx;
}

void orma_sql_index_expect(struct orma_sql *self, const struct orma_table *table, unsigned col)
{
    struct orma_sql_index *idx = index_of(self, table, col);

    if (idx)
        idx->uses = 1;
}

/* First place in perm whose value is >= val, or > val. */
static uint32_t bound(const struct orma_sql_index *idx, int64_t val, bool after)
{
    uint32_t lo = 0, hi = idx->perm_num;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int64_t have = value(idx, idx->perm[mid]);

        if (have < val || (after && have == val))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool orma_sql_index_find(struct orma_sql *self, const struct orma_table *table, unsigned col,
                         int64_t val, const uint32_t **ret_rows, uint32_t *ret_num)
{
    struct orma_sql_index *idx =
        table->rows < ORMA_INDEX_ROWS_MIN ? NULL : index_of(self, table, col);
    uint32_t from = 0, to = 0;

    if (!idx)
        return false;
    if (idx->rows != table->rows) {
        if (!idx->uses++ || !make(idx)) /* asked for once only: a scan is cheaper */
            return false;
    }
    if (!idx->perm_num) {
        *ret_rows = idx->perm;
        *ret_num = 0;
        return true;
    }
    if (idx->starts) {
        uint64_t at = (uint64_t)val - (uint64_t)idx->min;

        if (val >= idx->min && at < idx->starts_num) {
            from = idx->starts[at];
            to = idx->starts[at + 1];
        }
    } else {
        from = bound(idx, val, false);
        to = bound(idx, val, true);
    }
    *ret_rows = idx->perm + from;
    *ret_num = to - from;
    return true;
}
