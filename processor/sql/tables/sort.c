/*
 * Each key becomes a number that sorts as the value does; rows with these are
 * sorted by its digits (radix sort, least digit first), one pass per eleven
 * bits that differ. Several keys: from the last to the first, which works
 * because the sort is stable. Texts become numbers by sorting the distinct ones.
 *
 * Many rows whose numbers lie close together take less: few numbers are counted and the rows dealt
 * out, others share 8 bytes with the place of their row.
 */
#include "processor/sql/tables/sort.h"

#include <stdlib.h>

#include "processor/sql/base/sort.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define FEW 32    /* rows that are sorted by insertion */
#define MANY 4096 /* rows whose order is worth a look at how far apart their numbers are */
#define COUNTED_BITS 16
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
    return orma_str_order(orma_strpool_get(pool, a), orma_strpool_get(pool, b));
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

/* ---- many rows, numbers that lie close together ---- */

/* Numbers of one column for rows: what is NULL, and how far apart the others are. */
struct packer {
    struct orma_sql *sql;
    const struct orma_table *t;
    struct orma_sort_key key;
    uint32_t *rows;
    uint32_t num, nulls;
    uint64_t min, max;
    unsigned bits;
    struct text_key *texts; /* distinct ones */
    uint32_t *ranks;        /* of texts, by id */
    uint32_t texts_num;
};

static uint64_t number_at(const struct packer *p, uint32_t row)
{
    if (!p->ranks)
        return key_of(p->t, p->key.col, row);
    uint64_t id = (uint64_t)orma_table_int(p->t, p->key.col, row);
    return id < p->sql->storage->pool.len ? p->ranks[id] : p->ranks[0];
}

/* In the order that is asked for, from 0 on. */
static uint64_t place_at(const struct packer *p, uint32_t row)
{
    uint64_t number = number_at(p, row);

    return p->key.desc ? p->max - number : number - p->min;
}

static bool rank_column(struct packer *p)
{
    struct orma_strpool *pool = &p->sql->storage->pool;
    bool ok = true;

    p->ranks = calloc(pool->len, sizeof(*p->ranks));
    p->texts = malloc(((size_t)pool->len + 1) * sizeof(*p->texts));
    if (!p->ranks || !p->texts)
        return false;
    for (uint32_t i = 0; ok && i < p->num; i++) {
        uint64_t id = (uint64_t)orma_table_int(p->t, p->key.col, p->rows[i]);

        id = id < pool->len ? id : 0;
        ok = !should_stop(p->sql, i);
        if (p->ranks[id])
            continue;
        p->ranks[id] = 1;
        p->texts[p->texts_num++] =
            (struct text_key){first_bytes(orma_strpool_get(pool, (uint32_t)id)), (uint32_t)id};
    }
    ok = ok &&
         orma_sql_sort_r(p->sql, p->texts, p->texts_num, sizeof(*p->texts), by_text, pool) == 0;
    for (uint32_t i = 0; ok && i < p->texts_num; i++)
        p->ranks[p->texts[i].id] = i;
    return ok;
}

static unsigned bits_of(uint64_t n)
{
    return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

static bool measure(struct packer *p)
{
    p->min = UINT64_MAX;
    for (uint32_t i = 0; i < p->num; i++) {
        if (should_stop(p->sql, i))
            return false;
        if (orma_sort_is_null(p->t, p->key.col, p->rows[i])) {
            p->nulls++;
            continue;
        }
        uint64_t number = number_at(p, p->rows[i]);
        p->min = ORMA_MIN(p->min, number);
        p->max = ORMA_MAX(p->max, number);
    }
    p->bits = p->min <= p->max ? bits_of(p->max - p->min) : 0;
    return true;
}

/* `to` has room for all rows; NULL comes first, or last where the order falls. */
static bool deal_out(const struct packer *p, uint32_t *to)
{
    uint32_t *starts = calloc(((size_t)1 << p->bits) + 1, sizeof(*starts)), sum, at_null;
    bool ok = starts;

    for (uint32_t i = 0; ok && i < p->num; i++) {
        if (!orma_sort_is_null(p->t, p->key.col, p->rows[i]))
            starts[place_at(p, p->rows[i])]++;
        ok = !should_stop(p->sql, i);
    }
    at_null = p->key.desc ? p->num - p->nulls : 0;
    sum = p->key.desc ? 0 : p->nulls;
    for (uint32_t i = 0; ok && i < 1u << p->bits; i++) {
        uint32_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; ok && i < p->num; i++) {
        bool null = orma_sort_is_null(p->t, p->key.col, p->rows[i]);

        to[null ? at_null++ : starts[place_at(p, p->rows[i])]++] = p->rows[i];
        ok = !should_stop(p->sql, i);
    }
    free(starts);
    return ok;
}

static bool pass_packed(struct orma_sql *sql, const uint64_t *from, uint64_t *to, uint32_t num,
                        unsigned shift, uint64_t mask)
{
    uint32_t starts[DIGITS], sum = 0;

    memset(starts, 0, sizeof(starts));
    for (uint32_t i = 0; i < num; i++)
        starts[from[i] >> shift & mask]++;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < num; i++) {
        if (should_stop(sql, i))
            return false;
        to[starts[from[i] >> shift & mask]++] = from[i];
    }
    return true;
}

/* The same by digits. */
static bool sort_packed(const struct packer *p, uint32_t *to)
{
    unsigned row_bits = bits_of(p->num);
    uint32_t kept = p->num - p->nulls, at = 0;
    uint32_t *nulls = to + (p->key.desc ? kept : 0), *others = to + (p->key.desc ? 0 : p->nulls);
    uint64_t *from = malloc(((size_t)kept + 1) * sizeof(*from));
    uint64_t *other = malloc(((size_t)kept + 1) * sizeof(*other));
    bool ok = from && other;

    for (uint32_t i = 0; ok && i < p->num; i++) {
        if (orma_sort_is_null(p->t, p->key.col, p->rows[i]))
            *nulls++ = p->rows[i];
        else
            from[at++] = place_at(p, p->rows[i]) << row_bits | i;
        ok = !should_stop(p->sql, i);
    }
    for (unsigned done = 0; ok && done < p->bits; done += DIGIT_BITS) {
        unsigned left = ORMA_MIN(p->bits - done, (unsigned)DIGIT_BITS);
        uint64_t *swap = from;

        ok = pass_packed(p->sql, from, other, kept, row_bits + done, (UINT64_C(1) << left) - 1);
        from = other;
        other = swap;
    }
    for (uint32_t i = 0; ok && i < kept; i++)
        others[i] = p->rows[from[i] & ((UINT64_C(1) << row_bits) - 1)];
    free(from);
    free(other);
    return ok;
}

/* 1: the rows are in order; 0: the numbers are too far apart; -1: memory, or interrupted. */
static int sort_closely(struct orma_sql *sql, const struct orma_table *t, struct orma_sort_key key,
                        uint32_t *rows, uint32_t num)
{
    struct packer p = {.sql = sql, .t = t, .key = key, .rows = rows, .num = num};
    enum orma_column_kind kind = t->columns[key.col].kind;
    bool ok = kind != ORMA_COL_STRING || rank_column(&p);
    uint32_t *to = NULL;
    int r = -1;

    if (kind == ORMA_COL_DOUBLE)
        return 0;
    ok = ok && measure(&p);
    if (ok && p.bits + bits_of(num) > 64)
        r = 0;
    else if (ok && (to = malloc((size_t)num * sizeof(*to))))
        r = (num >> ORMA_MIN(p.bits, 31u) && p.bits <= COUNTED_BITS ? deal_out(&p, to)
                                                                    : sort_packed(&p, to))
                ? 1
                : -1;
    if (r > 0)
        memcpy(rows, to, (size_t)num * sizeof(*rows));
    free(p.texts);
    free(p.ranks);
    free(to);
    return r;
}

/* ---- all of them ---- */

bool orma_sort_rows(struct orma_sql *sql, const struct orma_table *table,
                    const struct orma_sort_key *keys, unsigned keys_num, uint32_t *rows,
                    uint32_t num)
{
    struct item *items = NULL;
    bool ok = true;

    for (unsigned i = keys_num; ok && num > 1 && i-- > 0;) {
        int r = num >= MANY ? sort_closely(sql, table, keys[i], rows, num) : 0;

        if (!r && !items)
            items = malloc(2 * (size_t)num * sizeof(*items));
        ok = r > 0 || (!r && items && sort_by(sql, table, keys[i], rows, num, items));
    }
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
