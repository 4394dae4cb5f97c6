/*
 * A scan: the rows of a table that pass filters, block by block.
 *
 *     orma_rowscan_reset(&scan, sql, table);
 *     orma_filter_init(orma_rowscan_new_filter(&scan), ...);
 *     orma_rowscan_begin(&scan, &order);
 *     while (orma_rowscan_next(&scan))
 *         use scan.block[0 .. scan.block_num)
 *     orma_rowscan_fini(&scan);
 *
 * Filters on ids and on rising times become a range of rows, equality and
 * lists take the rows of an index, what is left is tested a block at a time.
 * Threads: none. The table must not change while the scan runs.
 */
#ifndef ORMA_PROCESSOR_SQL_SCAN_H
#define ORMA_PROCESSOR_SQL_SCAN_H
#include "processor/sql/tables/filter.h"
#include "processor/sql/tables/index.h"
#include "processor/sql/tables/sort.h"
#include "sdk/base/assert.h"

#define ORMA_SQL_SCAN_BLOCK 1024
#define ORMA_SQL_SCAN_FILTERS_MAX 36
#define ORMA_SQL_SCAN_KEYS_MAX 8
#define ORMA_SQL_SCAN_NO_LIMIT UINT64_MAX

/* What order the rows are wanted in. All zero: that of the table. */
struct orma_rowscan_order {
    struct orma_sort_key keys[ORMA_SQL_SCAN_KEYS_MAX];
    unsigned keys_num;
    bool distinct;  /* only the first row with each value of keys[0], in order of the table */
    uint64_t limit; /* hardly anybody asks for more rows; ORMA_SQL_SCAN_NO_LIMIT */
};

/*
 * The first rows of an order were picked out of all. SQLite offers a limit also where it has
 * conditions that it does not show (a < b of one table): should it ask for more rows than the
 * limit, all are sorted after all.
 */
struct orma_rowscan_top {
    struct orma_rowscan_order order;
    const uint32_t *list; /* what was to be looked at */
    uint32_t lo, hi;
    uint32_t *rows; /* those that were picked */
    uint32_t num, at;
};

struct orma_rowscan {
    struct orma_sql *sql;
    const struct orma_table *table;
    struct orma_filter filters[ORMA_SQL_SCAN_FILTERS_MAX];
    unsigned filters_num;
    bool descending, failed; /* failed: memory is out */
    bool helps;              /* a copy that another thread uses: it looks at no limits */
    bool tied;               /* descending by the time `tied_col`: rows of one time as they lie */
    unsigned tied_col;
    /* What is left to look at: rows lo .. hi, or list[lo .. hi]. */
    const uint32_t *list;
    uint32_t *own; /* the list, if it was made for this scan */
    uint32_t lo, hi;
    /* An index or times walked backwards, equal rows forwards: run_at .. run_end comes first. */
    const struct orma_index *backwards;
    uint32_t run_at, run_end;
    struct orma_rowscan_seen *seen; /* for distinct */
    struct orma_rowscan_top *top;   /* comes first; NULL: nothing was picked */
    unsigned seen_col;
    uint32_t block_num;
    uint32_t block[ORMA_SQL_SCAN_BLOCK];
};

/* For memory that was never a scan. */
void orma_rowscan_init(struct orma_rowscan *self);
void orma_rowscan_fini(struct orma_rowscan *self);

/* Forgets what was before. */
void orma_rowscan_reset(struct orma_rowscan *self, struct orma_sql *sql,
                        const struct orma_table *table);

/* The caller fills it in at once. There may be ORMA_SQL_SCAN_FILTERS_MAX of them. */
static inline struct orma_filter *orma_rowscan_new_filter(struct orma_rowscan *self)
{
    ORMA_ASSERT(self->filters_num < ORMA_SQL_SCAN_FILTERS_MAX);
    struct orma_filter *f = &self->filters[self->filters_num++];

    memset(f, 0, sizeof(*f));
    return f;
}

/* The rows in the order of the table rise with this column. */
bool orma_rowscan_is_sorted(const struct orma_table *table, unsigned col);

/* All filters are there. Sets `failed` when memory is out. */
void orma_rowscan_begin(struct orma_rowscan *self, const struct orma_rowscan_order *order);

/* True if the scan is all rows lo .. hi, as they are: then orma_rowscan_next() is not needed. */
static inline bool orma_rowscan_is_plain(const struct orma_rowscan *self)
{
    return !self->filters_num && !self->list && !self->descending && !self->seen && !self->top;
}

/*
 * True if several threads may scan parts of it: copies whose `lo` and `hi` lie in those of the
 * original, which outlives them; they are not freed. Their rows are those of the original, part
 * after part.
 */
bool orma_rowscan_can_be_shared(const struct orma_rowscan *self);

/* The next block with rows in it. False at the end, and when interrupted or out of memory. */
bool orma_rowscan_next(struct orma_rowscan *self);
#endif
