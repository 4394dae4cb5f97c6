/*
 * A scan is narrowed before it runs: filters on the id and on sorted columns become bounds lo
 * and hi, then the most selective equality that has an index becomes a list of rows. What is
 * left is filtered block by block:
 *
 *   rows lo .. hi, or list[lo .. hi] ──► block of 1024 ──► filters ──► distinct ──► the caller
 *
 * An order other than the table's is made by collecting and sorting all rows that pass, by
 * walking an index, or, with a limit, by keeping the best few (orma_top) and sorting the rest
 * only if it is asked for.
 */
#include "processor/sql/tables/scan.h"
#include "sdk/base/search.h"

#include <stdlib.h>

/* Up to this many rows a LIMIT keeps only the best ones instead of sorting all. */
#define TOP_MAX 100000
/* An index is walked with filters on its rows while one in this many is likely to pass. */
#define GATHER_PART 4

/* ---- values seen before ---- */

struct orma_rowscan_seen {
    uint64_t *slots; /* values; used[] says which are there */
    uint8_t *used;
    size_t mask, len;
    bool null;
};

static void seen_free(struct orma_rowscan_seen *self)
{
    if (!self)
        return;
    free(self->slots);
    free(self->used);
    free(self);
}

static bool seen_resize(struct orma_rowscan_seen *self, size_t slots)
{
    struct orma_rowscan_seen old = *self;

    self->slots = malloc(slots * sizeof(*self->slots));
    self->used = calloc(slots, 1);
    if (!self->slots || !self->used) {
        free(self->slots);
        free(self->used);
        *self = old;
        return false;
    }
    self->mask = slots - 1;
    for (size_t i = 0; old.used && i <= old.mask; i++) {
        if (!old.used[i])
            continue;
        size_t at = (old.slots[i] * 0x9e3779b97f4a7c15u >> 20) & self->mask;
        while (self->used[at])
            at = (at + 1) & self->mask;
        self->used[at] = 1;
        self->slots[at] = old.slots[i];
    }
    free(old.slots);
    free(old.used);
    return true;
}

static struct orma_rowscan_seen *seen_new(void)
{
    struct orma_rowscan_seen *self = calloc(1, sizeof(*self));

    if (self && seen_resize(self, 1024))
        return self;
    free(self);
    return NULL;
}

/* True if the value is new. */
static bool seen_add(struct orma_rowscan_seen *self, uint64_t val, bool *failed)
{
    size_t at = (val * 0x9e3779b97f4a7c15u >> 20) & self->mask;

    for (; self->used[at]; at = (at + 1) & self->mask) {
        if (self->slots[at] == val)
            return false;
    }
    self->used[at] = 1;
    self->slots[at] = val;
    if (++self->len * 2 > self->mask && !seen_resize(self, 2 * (self->mask + 1)))
        *failed = true;
    return true;
}

static uint32_t keep_new(struct orma_rowscan *self, uint32_t *rows, uint32_t num)
{
    const struct orma_column *col = &self->table->columns[self->seen_col];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < num && !self->failed; i++) {
        uint32_t row = rows[i];
        uint64_t val = (uint64_t)orma_table_int(self->table, self->seen_col, row);

        if (col->width == ORMA_WIDTH_DOUBLE) {
            double d = orma_column_double(col, row);

            memcpy(&val, &d, sizeof(d));
        }
        rows[kept] = row;
        if (!orma_sort_is_null(self->table, self->seen_col, row)) {
            kept += seen_add(self->seen, val, &self->failed);
        } else if (!self->seen->null) {
            self->seen->null = true;
            kept++;
        }
    }
    return kept;
}

/* ---- the scan ---- */

void orma_rowscan_init(struct orma_rowscan *self)
{
    memset(self, 0, offsetof(struct orma_rowscan, block));
}

static void free_top(struct orma_rowscan *self)
{
    if (self->top)
        free(self->top->rows);
    free(self->top);
    self->top = NULL;
}

static void clear(struct orma_rowscan *self)
{
    free_top(self);
    for (unsigned i = 0; i < self->filters_num; i++)
        orma_filter_fini(&self->filters[i]);
    free(self->own);
    seen_free(self->seen);
    self->own = NULL;
    self->seen = NULL;
    self->filters_num = 0;
}

void orma_rowscan_fini(struct orma_rowscan *self)
{
    clear(self);
}

void orma_rowscan_reset(struct orma_rowscan *self, struct orma_sql *sql,
                        const struct orma_table *table)
{
    clear(self);
    self->sql = sql;
    self->table = table;
    self->descending = self->tied = false;
    self->failed = orma_sql_settle(sql, table) != SQLITE_OK; /* unless its plan did */
    self->list = NULL;
    self->backwards = NULL;
    self->lo = self->run_at = self->run_end = self->block_num = 0;
    self->hi = table->rows;
}

static bool is_id(const struct orma_table *t, unsigned col)
{
    return t->columns[col].kind <= ORMA_COL_ALIAS;
}

bool orma_rowscan_is_sorted(const struct orma_table *t, unsigned col)
{
    return is_id(t, col) ||
           (t->def->columns[col].flags == ORMA_COL_TIME && !t->columns[col].unsorted);
}

/* First row whose time is >= val (or > val). */
static uint32_t bound(const struct orma_table *t, unsigned col, int64_t val, bool after)
{
    return after ? ORMA_PARTITION_POINT(row, 0, t->rows, orma_table_int(t, col, row) <= val)
                 : ORMA_PARTITION_POINT(row, 0, t->rows, orma_table_int(t, col, row) < val);
}

static void narrow_to(struct orma_rowscan *self, const struct orma_filter *f)
{
    const struct orma_table *t = self->table;
    uint32_t lo, hi;

    if (is_id(t, f->col)) {
        lo = f->lo <= 0 ? 0 : f->lo >= t->rows ? t->rows : (uint32_t)f->lo;
        hi = f->hi < 0 ? 0 : f->hi >= t->rows ? t->rows : (uint32_t)f->hi + 1;
    } else {
        lo = bound(t, f->col, f->lo, false);
        hi = bound(t, f->col, f->hi, true);
    }
    self->lo = ORMA_MAX(self->lo, lo);
    self->hi = ORMA_MIN(self->hi, hi);
}

/* Narrows lo .. hi by filters on the id and on rising columns, and drops those filters. */
static void narrow(struct orma_rowscan *self)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < self->filters_num; i++) {
        struct orma_filter *f = &self->filters[i];

        if (f->kind == ORMA_FILTER_NONE_PASS) {
            self->hi = self->lo;
        } else if (f->kind == ORMA_FILTER_RANGE && orma_rowscan_is_sorted(self->table, f->col)) {
            narrow_to(self, f);
            continue;
        } else if (f->kind == ORMA_FILTER_NOT_NULL && is_id(self->table, f->col)) {
            continue;
        }
        if (kept != i) {
            self->filters[kept] = *f;
        }
        kept++;
    }
    self->filters_num = kept;
    self->lo = ORMA_MIN(self->lo, self->hi);
}

static void drop_filter(struct orma_rowscan *self, unsigned idx)
{
    orma_filter_fini(&self->filters[idx]);
    if (idx != --self->filters_num)
        self->filters[idx] = self->filters[self->filters_num];
}

/* The part of a list of rising rows that lies in lo .. hi. */
static void use_list(struct orma_rowscan *self, const uint32_t *rows, uint32_t num)
{
    uint32_t first = ORMA_LOWER_BOUND(rows, num, , self->lo);
    uint32_t from = ORMA_PARTITION_POINT(i, first, num, rows[i] < self->hi);

    self->list = rows;
    self->lo = first;
    self->hi = from;
}

/* IN on the id: the values are the rows. */
static bool use_ids(struct orma_rowscan *self)
{
    for (unsigned i = 0; i < self->filters_num; i++) {
        struct orma_filter *f = &self->filters[i];
        uint32_t num = 0;

        if (f->kind != ORMA_FILTER_IN || !is_id(self->table, f->col))
            continue;
        self->own = malloc(f->values_num * sizeof(*self->own));
        for (uint32_t k = 0; self->own && k < f->values_num; k++) {
            if (f->values[k] >= 0 && f->values[k] < self->table->rows)
                self->own[num++] = (uint32_t)f->values[k];
        }
        self->failed |= !self->own;
        drop_filter(self, i);
        use_list(self, self->own, num);
        return true;
    }
    return false;
}

static bool is_equality(const struct orma_rowscan *self, const struct orma_filter *f)
{
    return f->kind == ORMA_FILTER_STR_ID ||
           (f->kind == ORMA_FILTER_RANGE && f->lo == f->hi &&
            self->table->def->columns[f->col].kind == ORMA_COL_INT);
}

/* The ranges of an index for all values of a list; false: there are too many rows. */
static bool gather(struct orma_rowscan *self, const struct orma_filter *f,
                   const struct orma_index *idx)
{
    const struct orma_storage *st = self->sql->storage;
    uint32_t num = 0, at = 0;

    for (uint32_t i = 0; i < f->values_num; i++) {
        struct orma_sql_span s = orma_index_span(idx, st, f->values[i]);

        num += s.to - s.from;
    }
    if (num >= (self->hi - self->lo) / GATHER_PART)
        return false;
    self->own = malloc(num * sizeof(*self->own) + 1);
    if (!self->own) {
        self->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < f->values_num; i++) {
        struct orma_sql_span s = orma_index_span(idx, st, f->values[i]);

        memcpy(self->own + at, idx->perm + s.from, (s.to - s.from) * sizeof(*self->own));
        at += s.to - s.from;
    }
    if (!orma_sort_by_row(self->sql, self->own, num))
        self->failed = true;
    use_list(self, self->own, num);
    return true;
}

/* The rows of an index instead of a long range. */
static void use_index(struct orma_rowscan *self)
{
    unsigned best = self->filters_num;
    const uint32_t *rows = NULL;
    uint32_t num = 0;

    if (self->hi - self->lo < ORMA_INDEX_ROWS_MIN || use_ids(self))
        return;
    for (unsigned i = 0; i < self->filters_num; i++) {
        struct orma_filter *f = &self->filters[i];
        const struct orma_index *idx =
            is_equality(self, f) ? orma_index_get(self->sql, self->table, f->col, false) : NULL;

        if (!idx)
            continue;
        struct orma_sql_span s = orma_index_span(idx, self->sql->storage, f->lo);
        if (best == self->filters_num || s.to - s.from < num) {
            best = i;
            rows = idx->perm + s.from;
            num = s.to - s.from;
        }
    }
    if (best != self->filters_num && num < self->hi - self->lo) {
        drop_filter(self, best);
        use_list(self, rows, num);
        return;
    }
    for (unsigned i = 0; i < self->filters_num; i++) {
        struct orma_filter *f = &self->filters[i];
        const struct orma_index *idx =
            f->kind == ORMA_FILTER_IN && f->values_num < ORMA_INDEX_ROWS_MIN
                ? orma_index_get(self->sql, self->table, f->col, false)
                : NULL;

        if (idx && gather(self, f, idx)) {
            drop_filter(self, i);
            return;
        }
    }
}

static void reverse(uint32_t *rows, uint32_t num)
{
    for (uint32_t i = 0; i < num / 2; i++) {
        uint32_t other = rows[num - 1 - i];

        rows[num - 1 - i] = rows[i];
        rows[i] = other;
    }
}

/* The next range of an index walked backwards: run_at .. run_end. */
static uint32_t next_of_run(struct orma_rowscan *self, uint32_t max)
{
    if (self->run_at == self->run_end) {
        self->run_end = self->hi;
        self->hi = self->run_at = orma_index_run(self->backwards, self->run_end - 1);
    }
    uint32_t num = ORMA_MIN(self->run_end - self->run_at, max);

    memcpy(self->block, self->list + self->run_at, num * sizeof(*self->block));
    self->run_at += num;
    return num;
}

static int64_t time_at(const struct orma_rowscan *self, uint32_t at)
{
    return orma_table_int(self->table, self->tied_col, self->list ? self->list[at] : at);
}

/* The same of times: whole runs of equal ones, several in a block or one that is longer. Returns
 * the first, and how many in *ret_num. */
static uint32_t next_of_times(struct orma_rowscan *self, uint32_t *ret_num)
{
    if (self->run_at == self->run_end) {
        uint32_t lo = self->lo, hi = self->hi, first = hi - *ret_num;
        const int64_t t = time_at(self, first);

        if (first > lo && time_at(self, first - 1) == t) {
            first = ORMA_PARTITION_POINT(at, first, hi, time_at(self, at) <= t);
            if (first == hi)
                first = ORMA_PARTITION_POINT(at, lo, hi, time_at(self, at) < t);
        }
        self->run_at = self->hi = first;
        self->run_end = hi;
    }
    uint32_t first = self->run_at;
    *ret_num = ORMA_MIN(self->run_end - first, (uint32_t)ORMA_SQL_SCAN_BLOCK);
    self->run_at += *ret_num;
    return first;
}

/* Rows of one time go forwards again. */
static void turn_runs(struct orma_rowscan *self, uint32_t num)
{
    const struct orma_table *t = self->table;

    for (uint32_t i = 0, end; i < num; i = end) {
        int64_t time = orma_table_int(t, self->tied_col, self->block[i]);

        for (end = i + 1; end < num; end++) {
            if (orma_table_int(t, self->tied_col, self->block[end]) != time)
                break;
        }
        reverse(self->block + i, end - i);
    }
}

/* The next rows, as yet untested by filters[from ..). */
static uint32_t next_rows(struct orma_rowscan *self, unsigned *ret_from)
{
    uint32_t num = ORMA_MIN(self->hi - self->lo, (uint32_t)ORMA_SQL_SCAN_BLOCK);
    uint32_t first = self->descending ? self->hi - num : self->lo;

    *ret_from = 0;
    if (self->backwards)
        return next_of_run(self, ORMA_SQL_SCAN_BLOCK);
    if (self->tied)
        first = next_of_times(self, &num);
    else if (self->descending)
        self->hi -= num;
    else
        self->lo += num;
    if (self->list) {
        memcpy(self->block, self->list + first, num * sizeof(*self->block));
    } else if (self->filters_num) {
        num = orma_filter_apply_range(&self->filters[0], self->sql->storage, self->table, first,
                                      num, self->block);
        *ret_from = 1;
    } else {
        for (uint32_t i = 0; i < num; i++)
            self->block[i] = first + i;
    }
    return num;
}

static void sort_rest(struct orma_rowscan *self);

/* The rows that were picked, then those behind them. */
static bool next_of_top(struct orma_rowscan *self)
{
    struct orma_rowscan_top *top = self->top;
    uint32_t num = ORMA_MIN(top->num - top->at, (uint32_t)ORMA_SQL_SCAN_BLOCK);

    if (num) {
        memcpy(self->block, top->rows + top->at, num * sizeof(*self->block));
        top->at += num;
        self->block_num = num;
        return true;
    }
    if (top->num < top->order.limit) { /* there were no more */
        self->block_num = 0;
        return false;
    }
    sort_rest(self);
    return orma_rowscan_next(self);
}

bool orma_rowscan_next(struct orma_rowscan *self)
{
    if (self->top)
        return next_of_top(self);
    self->block_num = 0;
    while (!self->block_num && !self->failed &&
           (self->lo < self->hi || self->run_at < self->run_end)) {
        unsigned from;
        uint32_t num = next_rows(self, &from);

        for (unsigned i = from; i < self->filters_num && num; i++)
            num = orma_filter_apply(&self->filters[i], self->sql->storage, self->table, self->block,
                                    num);
        if (self->descending)
            reverse(self->block, num);
        if (self->tied)
            turn_runs(self, num);
        if (self->seen)
            num = keep_new(self, self->block, num);
        self->block_num = num;
        if (!num && (self->helps ? orma_sql_is_told_to_stop(self->sql)
                                 : orma_sql_is_interrupted(self->sql)))
            return false;
    }
    return self->block_num && !self->failed;
}

bool orma_rowscan_can_be_shared(const struct orma_rowscan *self)
{
    for (unsigned i = 0; i < self->filters_num; i++) {
        /* what these find is remembered in the filter, or read from args */
        if (self->filters[i].kind == ORMA_FILTER_MATCH ||
            self->filters[i].kind == ORMA_FILTER_ARG ||
            self->table->columns[self->filters[i].col].kind == ORMA_COL_COMPUTED)
            return false;
    }
    return !self->descending && !self->tied && !self->backwards && !self->seen && !self->top;
}

/* ---- order ---- */

static void walk_index(struct orma_rowscan *self, const struct orma_index *idx, bool desc)
{
    self->list = idx->perm;
    self->lo = 0;
    self->hi = idx->rows;
    self->backwards = desc ? idx : NULL;
}

/* What passes, into an array. NULL: out of memory, or interrupted. */
static uint32_t *collect(struct orma_rowscan *self, uint32_t *ret_num)
{
    size_t cap = ORMA_MAX(self->hi - self->lo, 1u);
    uint32_t *rows = malloc(cap * sizeof(*rows));
    uint32_t num = 0;

    while (rows && orma_rowscan_next(self)) {
        memcpy(rows + num, self->block, self->block_num * sizeof(*rows));
        num += self->block_num;
        if (orma_sql_is_interrupted(self->sql))
            break;
    }
    *ret_num = num;
    return rows;
}

/* From now on the scan gives these rows. */
static void take_rows(struct orma_rowscan *self, uint32_t *rows, uint32_t num)
{
    self->failed |= !rows;
    for (unsigned i = 0; i < self->filters_num; i++)
        orma_filter_fini(&self->filters[i]);
    self->filters_num = 0;
    free(self->own);
    self->list = self->own = rows;
    self->lo = 0;
    self->hi = rows ? num : 0;
}

/* Room for rows that are picked out of what is to be looked at now. NULL: memory is out. */
static struct orma_rowscan_top *new_top(const struct orma_rowscan *self,
                                        const struct orma_rowscan_order *order, uint32_t room)
{
    struct orma_rowscan_top *picked = calloc(1, sizeof(*picked));

    if (!picked)
        return NULL;
    *picked = (struct orma_rowscan_top){
        .order = *order, .list = self->list, .lo = self->lo, .hi = self->hi};
    picked->rows = malloc(room * sizeof(*picked->rows));
    if (picked->rows)
        return picked;
    free(picked);
    return NULL;
}

static void take_top(struct orma_rowscan *self, const struct orma_rowscan_order *order)
{
    struct orma_rowscan_top *picked = new_top(self, order, ORMA_MAX((uint32_t)order->limit, 1u));
    struct orma_top top;

    if (!picked || !orma_top_init(&top, self->table, order->keys[0], (uint32_t)order->limit)) {
        if (picked)
            free(picked->rows);
        free(picked);
        self->failed = true;
        return;
    }
    while (orma_rowscan_next(self) && !orma_sql_is_interrupted(self->sql))
        orma_top_add(&top, self->block, self->block_num);
    picked->num = orma_top_take(&top, picked->rows);
    orma_top_fini(&top);
    self->top = picked;
}

/* The next block that may be among the first by the first key, behind what is there; what was
 * there is looked at again when it has become much. False: memory is out. */
static bool add_best(struct orma_rowscan *self, struct orma_top *top, uint32_t **rows,
                     uint32_t *num, uint32_t *cap)
{
    uint32_t more = orma_top_sieve(top, self->block, self->block_num);

    orma_top_add(top, self->block, more);
    if (*cap - *num < more) {
        *num = orma_top_sieve(top, *rows, *num);
        if (*cap - *num < ORMA_MAX(*cap / 2, more)) {
            uint32_t *grown = realloc(*rows, ((size_t)*cap * 2 + more) * sizeof(*grown));

            if (!grown)
                return false;
            *rows = grown;
            *cap = *cap * 2 + more;
        }
    }
    memcpy(*rows + *num, self->block, more * sizeof(*self->block));
    *num += more;
    return true;
}

/* Several keys: what the first one leaves is sorted by all. */
static void take_best(struct orma_rowscan *self, const struct orma_rowscan_order *order)
{
    uint32_t cap = 4 * ORMA_SQL_SCAN_BLOCK;
    struct orma_rowscan_top *picked = new_top(self, order, cap);
    struct orma_top top = {0};
    bool ok = picked && orma_top_init(&top, self->table, order->keys[0], (uint32_t)order->limit);

    while (ok && orma_rowscan_next(self) && !orma_sql_is_interrupted(self->sql))
        ok = add_best(self, &top, &picked->rows, &picked->num, &cap);
    if (ok)
        picked->num = orma_top_sieve(&top, picked->rows, picked->num);
    if (!ok || !orma_sort_rows(self->sql, self->table, order->keys, order->keys_num, picked->rows,
                               picked->num))
        self->failed = true;
    orma_top_fini(&top);
    self->top = picked;
}

static void sort(struct orma_rowscan *self, const struct orma_rowscan_order *wanted)
{
    const struct orma_sort_key *last = &wanted->keys[wanted->keys_num - 1];
    struct orma_rowscan_order given = *wanted, *order = &given;

    /* Equal rows stay in the order of the table, which is that of ids. */
    if (given.keys_num > 1 && is_id(self->table, last->col) && !last->desc)
        given.keys_num--;
    bool all = !self->filters_num && !self->list && !self->lo && self->hi == self->table->rows;
    bool one = order->keys_num == 1, few = order->limit <= TOP_MAX;
    const struct orma_index *idx =
        all && one ? orma_index_get(self->sql, self->table, order->keys[0].col, !few) : NULL;

    if (idx) {
        walk_index(self, idx, order->keys[0].desc);
    } else if (one && few && orma_top_can(self->table, order->keys[0].col)) {
        take_top(self, order);
    } else if (few && orma_top_can(self->table, order->keys[0].col)) {
        take_best(self, order);
    } else {
        uint32_t num, *rows = collect(self, &num);

        if (rows &&
            !orma_sort_rows(self->sql, self->table, order->keys, order->keys_num, rows, num))
            self->failed = true;
        take_rows(self, rows, num);
    }
}

/* Somebody wants more rows than were picked. */
static void sort_rest(struct orma_rowscan *self)
{
    struct orma_rowscan_order order = self->top->order;
    uint32_t given = self->top->num, num;

    self->list = self->top->list;
    self->lo = self->top->lo;
    self->hi = self->top->hi;
    free_top(self);
    uint32_t *rows = collect(self, &num);
    if (rows && !orma_sort_rows(self->sql, self->table, order.keys, order.keys_num, rows, num))
        self->failed = true;
    take_rows(self, rows, num);
    self->lo = ORMA_MIN(given, self->hi);
}

/* The first row of each value, from an index: in order of the table again. */
static void take_first_rows(struct orma_rowscan *self, const struct orma_index *idx)
{
    uint32_t *rows = malloc(idx->rows * sizeof(*rows)), num = 0;

    for (uint32_t at = idx->rows; rows && at;) { /* runs, from the last one */
        at = orma_index_run(idx, at - 1);
        rows[num++] = idx->perm[at];
    }
    if (rows && !orma_sort_by_row(self->sql, rows, num))
        self->failed = true;
    take_rows(self, rows, num);
}

static void start_distinct(struct orma_rowscan *self, unsigned col)
{
    bool all = !self->filters_num && !self->list && !self->lo && self->hi == self->table->rows;
    const struct orma_index *idx = all ? orma_index_get(self->sql, self->table, col, false) : NULL;

    if (idx) {
        take_first_rows(self, idx);
        return;
    }
    self->seen = seen_new();
    self->seen_col = col;
    self->failed = !self->seen;
}

/* Whether the rows follow the keys as they lie. */
static bool is_natural(const struct orma_rowscan *self, const struct orma_rowscan_order *order)
{
    for (unsigned i = 0; i < order->keys_num; i++) {
        if (order->keys[i].desc != order->keys[0].desc ||
            !orma_rowscan_is_sorted(self->table, order->keys[i].col))
            return false;
        if (is_id(self->table, order->keys[i].col))
            return true;
        if (i) /* a second key is settled by the first only if it is the row itself */
            return false;
    }
    return order->keys_num;
}

void orma_rowscan_begin(struct orma_rowscan *self, const struct orma_rowscan_order *order)
{
    ORMA_ASSERT(order->keys_num <= ORMA_SQL_SCAN_KEYS_MAX);
    if (!self->failed)
        narrow(self);
    if (!self->failed)
        use_index(self);
    if (self->failed)
        return;
    if (order->distinct) {
        start_distinct(self, order->keys[0].col);
    } else if (is_natural(self, order)) {
        self->descending = order->keys[0].desc;
        self->tied =
            self->descending && order->keys_num == 1 && !is_id(self->table, order->keys[0].col);
        self->tied_col = order->keys[0].col;
    } else if (order->keys_num) {
        sort(self, order);
    }
}
