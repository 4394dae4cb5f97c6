/*
 * Each key becomes a number that sorts as the value does; rows with these are
 * sorted by its digits (radix sort, least digit first), one pass per eleven
 * bits that differ. Several keys: from the last to the first, which works
 * because the sort is stable. Texts become numbers by sorting the distinct ones.
 */
#include "processor/sql/tables/sort.h"

#include <stdlib.h>

#include "processor/sql/base/sort.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define FEW 32 /* rows that are sorted by insertion */
/* Rows between two looks at whether somebody wants to stop: a few milliseconds. */
#define PATIENCE (1u << 19)

struct item {
    uint64_t key;
    uint32_t row;
};

int orma_sort_compare_text(const struct orma_strpool *pool, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    struct orma_str x = orma_strpool_get(pool, a), y = orma_strpool_get(pool, b);
    int cmp = memcmp(x.data, y.data, ORMA_MIN(x.len, y.len));

    return cmp ? cmp : x.len < y.len ? -1 : x.len > y.len;
}

/* Bits of a double in an order that is that of the numbers. */
static uint64_t key_of_double(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

bool orma_sort_is_null(const struct orma_table *t, unsigned idx, uint32_t row)
{
    const struct orma_column *col = &t->columns[idx];
    double d;

    if (orma_table_is_null(t, idx, row))
        return true;
    if (col->kind == ORMA_COL_COMPUTED)
        return orma_table_int(t, idx, row) < 0;
    if (col->width != ORMA_WIDTH_DOUBLE)
        return false;
    d = orma_column_double(col, row);
    return d != d;
}

static uint64_t key_of(const struct orma_table *t, unsigned col, uint32_t row)
{
    if (t->columns[col].kind == ORMA_COL_DOUBLE)
        return key_of_double(orma_column_double(&t->columns[col], row));
    return (uint64_t)orma_table_int(t, col, row) ^ 1ull << 63;
}

static void insertion_sort(struct item *items, uint32_t num)
{
    for (uint32_t i = 1; i < num; i++) {
        struct item item = items[i];
        uint32_t at = i;

        for (; at && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static bool should_stop(struct orma_sql *sql, uint32_t i)
{
    return ORMA_UNLIKELY(i % PATIENCE == PATIENCE - 1) && orma_sql_is_interrupted(sql);
}

/* One pass by the digit at `shift`. False: all rows have the same one, nothing was moved. */
static bool pass(struct orma_sql *sql, const struct item *from, struct item *to, uint32_t num,
                 unsigned shift)
{
    uint32_t starts[DIGITS];
    uint32_t sum = 0;

    memset(starts, 0, sizeof(starts));
    for (uint32_t i = 0; i < num; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    if (starts[from[0].key >> shift & (DIGITS - 1)] == num)
        return false;
    for (uint32_t i = 0; i < DIGITS; i++) {
        uint32_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < num && !should_stop(sql, i); i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

/* `items` has room for twice as many. False: interrupted. */
static bool sort_items(struct orma_sql *sql, struct item *items, uint32_t num, uint32_t *rows)
{
    struct item *from = items, *to = items + num;
    uint64_t differ = 0;

    for (uint32_t i = 1; i < num; i++)
        differ |= items[i].key ^ items[0].key;
    if (num <= FEW) {
        insertion_sort(items, num);
    } else {
        for (unsigned shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
            struct item *other = from;

            if (!(differ >> shift & (DIGITS - 1)) || !pass(sql, from, to, num, shift))
                continue;
            from = to;
            to = other;
        }
    }
    if (num > PATIENCE && orma_sql_is_interrupted(sql))
        return false;
    for (uint32_t i = 0; i < num; i++)
        rows[i] = from[i].row;
    return true;
}

/* The first eight bytes of a text decide most comparisons, without a look at the pool. */
struct text_key {
    uint64_t first;
    uint32_t id;
};

static uint64_t first_bytes(struct orma_str s)
{
    uint64_t first = 0;

    for (size_t i = 0; i < 8; i++)
        first = first << 8 | (i < s.len ? (unsigned char)s.data[i] : 0);
    return first;
}

static int by_text(const void *a, const void *b, void *pool)
{
    const struct text_key *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return orma_sort_compare_text(pool, x->id, y->id);
}

/* Replaces ids of texts, which are the keys of the items, by the rank of the text. */
static bool rank_texts(struct orma_sql *sql, struct item *items, uint32_t num)
{
    struct orma_strpool *pool = &sql->storage->pool;
    uint32_t *ranks = calloc(pool->len, sizeof(*ranks)), texts_num = 0;
    struct text_key *texts = malloc((ORMA_MIN(num, pool->len) + 1) * sizeof(*texts));
    bool ok = ranks && texts;

    for (uint32_t i = 0; ok && i < num; i++) {
        uint32_t id = (uint32_t)items[i].key;

        if (!ranks[id]) {
            ranks[id] = 1;
            texts[texts_num++] = (struct text_key){first_bytes(orma_strpool_get(pool, id)), id};
        }
        ok = !should_stop(sql, i);
    }
    ok = ok && orma_sql_sort_r(sql, texts, texts_num, sizeof(*texts), by_text, pool) == 0;
    for (uint32_t i = 0; ok && i < texts_num; i++)
        ranks[texts[i].id] = i;
    for (uint32_t i = 0; ok && i < num; i++)
        items[i].key = ranks[(uint32_t)items[i].key];
    free(ranks);
    free(texts);
    return ok;
}

/* The rows that are not NULL, with their keys; the NULLs go to `nulls`. */
static uint32_t make_items(struct orma_sql *sql, const struct orma_table *t, unsigned col,
                           const uint32_t *rows, uint32_t num, struct item *items,
                           uint32_t *ret_nulls)
{
    bool text = t->columns[col].kind == ORMA_COL_STRING;
    uint32_t kept = 0, nulls = 0;

    for (uint32_t i = 0; i < num && !should_stop(sql, i); i++) {
        if (orma_sort_is_null(t, col, rows[i])) {
            /* Behind all items; the room is twice as large. */
            items[2 * (size_t)num - 1 - nulls++].row = rows[i];
            continue;
        }
        uint64_t key = text ? (uint64_t)orma_table_int(t, col, rows[i]) : key_of(t, col, rows[i]);
        if (text && key >= sql->storage->pool.len)
            key = 0;
        items[kept++] = (struct item){key, rows[i]};
    }
    *ret_nulls = nulls;
    return kept;
}

static bool sort_by(struct orma_sql *sql, const struct orma_table *t, struct orma_sort_key key,
                    uint32_t *rows, uint32_t num, struct item *items)
{
    uint32_t nulls, kept = make_items(sql, t, key.col, rows, num, items, &nulls);
    uint32_t *to = rows + (key.desc ? 0 : nulls), *to_nulls = rows + (key.desc ? kept : 0);

    for (uint32_t i = 0; i < nulls; i++)
        to_nulls[i] = items[2 * (size_t)num - 1 - i].row;
    if (t->columns[key.col].kind == ORMA_COL_STRING && !rank_texts(sql, items, kept))
        return false;
    for (uint32_t i = 0; i < kept && key.desc; i++)
        items[i].key = ~items[i].key;
    return !kept || sort_items(sql, items, kept, to);
}

bool orma_sort_rows(struct orma_sql *sql, const struct orma_table *table,
                    const struct orma_sort_key *keys, unsigned keys_num, uint32_t *rows,
                    uint32_t num)
{
    struct item *items = num > 1 ? malloc(2 * (size_t)num * sizeof(*items)) : NULL;
    bool ok = items;

    if (num <= 1)
        return true;
    for (unsigned i = keys_num; ok && i-- > 0;)
        ok = sort_by(sql, table, keys[i], rows, num, items);
    if (num >= PATIENCE && orma_sql_is_interrupted(sql))
        ok = false;
    free(items);
    return ok;
}

bool orma_sort_by_row(struct orma_sql *sql, uint32_t *rows, uint32_t num)
{
    struct item *items = num > 1 ? malloc(2 * (size_t)num * sizeof(*items)) : NULL;
    bool ok = items;

    if (num <= 1)
        return true;
    for (uint32_t i = 0; items && i < num; i++)
        items[i] = (struct item){rows[i], rows[i]};
    if (items)
        ok = sort_items(sql, items, num, rows);
    free(items);
    return ok;
}

bool orma_sort_by_keys(struct orma_sql *sql, const uint64_t *keys, uint32_t *rows, uint32_t num)
{
    struct item *items = num > 1 ? malloc(2 * (size_t)num * sizeof(*items)) : NULL;
    bool ok = items;

    if (num <= 1)
        return true;
    for (uint32_t i = 0; items && i < num; i++)
        items[i] = (struct item){keys[i], rows[i]};
    if (items)
        ok = sort_items(sql, items, num, rows);
    free(items);
    return ok;
}

/* ---- the best few ---- */

struct orma_top_row {
    uint64_t seq; /* earlier rows are better among equals */
    uint64_t key; /* smaller is better */
    uint32_t row;
    uint8_t group; /* compared first: where NULLs stand */
};

bool orma_top_can(const struct orma_table *table, unsigned col)
{
    return table->columns[col].kind != ORMA_COL_STRING;
}

bool orma_top_init(struct orma_top *self, const struct orma_table *table, struct orma_sort_key key,
                   uint32_t max)
{
    *self = (struct orma_top){.table = table, .key = key, .max = max};
    self->heap = malloc(((size_t)max + 1) * sizeof(*self->heap));
    return self->heap;
}

void orma_top_fini(struct orma_top *self)
{
    free(self->heap);
}

static bool is_better(const struct orma_top_row *a, const struct orma_top_row *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    return a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

static void sift_up(struct orma_top *self, uint32_t at)
{
    struct orma_top_row row = self->heap[at];

    while (at && is_better(&self->heap[(at - 1) / 2], &row)) {
        self->heap[at] = self->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->heap[at] = row;
}

static void sift_down(struct orma_top *self)
{
    struct orma_top_row row = self->heap[0];
    uint32_t at = 0;

    for (uint32_t child = 1; child < self->num; child = 2 * at + 1) {
        if (child + 1 < self->num && is_better(&self->heap[child], &self->heap[child + 1]))
            child++;
        if (!is_better(&row, &self->heap[child]))
            break;
        self->heap[at] = self->heap[child];
        at = child;
    }
    self->heap[at] = row;
}

static struct orma_top_row top_row(const struct orma_top *self, uint32_t row, uint64_t seq)
{
    bool desc = self->key.desc, null = orma_sort_is_null(self->table, self->key.col, row);
    uint64_t key = null ? 0 : key_of(self->table, self->key.col, row);

    return (struct orma_top_row){seq, desc && !null ? ~key : key, row, null == desc};
}

void orma_top_add(struct orma_top *self, const uint32_t *rows, uint32_t num)
{
    for (uint32_t i = 0; i < num && self->max; i++) {
        struct orma_top_row row = top_row(self, rows[i], self->seen++);

        if (self->num < self->max) {
            self->heap[self->num] = row;
            sift_up(self, self->num++);
        } else if (is_better(&row, &self->heap[0])) {
            self->heap[0] = row;
            sift_down(self);
        }
    }
}

uint32_t orma_top_sieve(const struct orma_top *self, uint32_t *rows, uint32_t num)
{
    uint32_t kept = 0;

    if (self->num < self->max)
        return num;
    for (uint32_t i = 0; i < num && self->max; i++) {
        struct orma_top_row row = top_row(self, rows[i], 0); /* equals are not worse */

        rows[kept] = row.row;
        kept += is_better(&row, &self->heap[0]) ||
                (row.group == self->heap[0].group && row.key == self->heap[0].key);
    }
    return kept;
}

uint32_t orma_top_take(struct orma_top *self, uint32_t *rows)
{
    uint32_t num = self->num;

    while (self->num) {
        rows[self->num - 1] = self->heap[0].row;
        self->heap[0] = self->heap[--self->num];
        if (self->num)
            sift_down(self);
    }
    return num;
}
