/*
 * Order of the rows of a frame. Each key becomes a number that sorts as its values do (NULL is the
 * first or the last number, falling keys are turned). Few bits of all keys together are counted and
 * dealt out at once; if keys and the number of the row fit into 64 bits, items of 8 bytes are
 * sorted by the digits of the keys alone; otherwise keys are sorted by from the last to the first.
 * A last key by which the rows lie already is left out: sorting is stable.
 *
 * Numbers are made block by block, once to see how large they are and once more to sort by them, so
 * that rows need not be held twice.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
/* Items and their copies, places, results of windows. */
#define BYTES_PER_ROW 40

/* So many bits of keys are counted in one go. */
#define COUNTED_BITS 16

/* A key as numbers. */
struct codes {
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
    uint64_t last;
};

/* Rows that are sorted, a block of them at a time. */
struct sorter {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct codes *codes;
    unsigned num; /* of keys */
    uint32_t rows;
    struct orma_exec_place place;
    struct orma_exec_vec vec;
    uint64_t block[EXEC_BLOCK], all[EXEC_BLOCK];
};

static bool has_room(struct orma_exec_plan *plan, uint32_t rows)
{
    return orma_sql_memory_holds(&plan->sql->limits.memory, rows, BYTES_PER_ROW) ||
           orma_exec_give_up(plan, "more rows than memory holds");
}

bool orma_exec_run_fill_slot(struct orma_exec_plan *plan, struct orma_exec_query *q,
                             const struct orma_exec_expr *e, struct orma_exec_slot *ret)
{
    uint32_t rows = q->frame.rows;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool ok = place && v && has_room(plan, rows);

    ret->vals = orma_large_alloc(((size_t)rows + 1) * sizeof(*ret->vals));
    ok = (ok && ret->vals) || orma_exec_give_up(plan, "out of memory");
    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;
        uint32_t num = ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK);

        orma_exec_run_frame_rows(q, at, num, place, &r);
        ok = !orma_exec_should_stop(plan) && orma_exec_run_eval(plan, e, &r, v);
        if (!ok)
            break;
        memcpy(ret->vals + at, v->vals, num * sizeof(*v->vals));
        if (!at && !v->tagged)
            ret->tag = v->tag;
        if (!ret->tags && (v->tagged || v->tag != ret->tag)) {
            ret->tags = orma_large_alloc((size_t)rows + 1);
            ok = ret->tags || orma_exec_give_up(plan, "out of memory");
            if (ok)
                memset(ret->tags, ret->tag, at);
        }
        for (uint32_t i = 0; ok && ret->tags && i < num; i++)
            ret->tags[at + i] = orma_exec_tag_at(v, i);
    }
    orma_exec_give_vec(plan, v);
    free(place);
    return ok;
}

/* ---- numbers that sort as values do ---- */

static inline uint64_t code_of_real(int64_t bits)
{
    uint64_t u = (uint64_t)bits;

    if (u == UINT64_C(1) << 63) /* -0.0 is 0.0 */
        u = 0;
    return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

struct rank_text {
    struct orma_str text;
    uint32_t id;
};

static int by_text(const void *a, const void *b)
{
    const struct rank_text *x = a, *y = b;

    return orma_str_order(x->text, y->text);
}

/* Texts that were met become their places among each other. */
static bool rank_texts(struct orma_exec_plan *plan, struct codes *c)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    struct rank_text *list = orma_large_alloc(((size_t)c->texts + 1) * sizeof(*list));
    uint32_t num = 0;

    if (!list)
        return orma_exec_give_up(plan, "out of memory");
    for (uint32_t id = 0; id < pool->len && num < c->texts; id++) {
        if (c->ranks[id])
            list[num++] = (struct rank_text){orma_strpool_get(pool, id), id};
    }
    qsort(list, num, sizeof(*list), by_text);
    for (uint32_t k = 0; k < num; k++)
        c->ranks[list[k].id] = k;
    orma_large_free(list);
    c->min = 0;
    c->max = num ? num - 1 : 0;
    return true;
}

/* ---- looking at keys ---- */

/* Whether values cost no more than reading what is stored. */
static bool is_cheap(const struct orma_exec_expr *e)
{
    if (e->op == ORMA_EXEC_COLUMN && e->column.source->query)
        return !e->column.source->query->parts.len &&
               is_cheap(e->column.source->query->results.data[e->column.at].expr);
    return e->op == ORMA_EXEC_COLUMN || e->op == ORMA_EXEC_SLOT || e->op == ORMA_EXEC_ROW;
}

/* Values of rows from `at` on, in `vec`. */
static bool load_block(struct sorter *s, const struct codes *c, uint32_t at, uint32_t num)
{
    struct orma_exec_rows r;

    if (orma_exec_should_stop(s->plan))
        return false;
    if (!c->kept.vals) {
        orma_exec_run_frame_rows(s->q, at, num, &s->place, &r);
        return orma_exec_run_eval(s->plan, c->key->expr, &r, &s->vec);
    }
    memcpy(s->vec.vals, c->kept.vals + at, num * sizeof(*s->vec.vals));
    s->vec.tag = c->kept.tag;
    s->vec.tagged = c->kept.tags;
    if (c->kept.tags)
        memcpy(s->vec.tags, c->kept.tags + at, num);
    return true;
}

static inline uint64_t code_of(uint8_t tag, int64_t bits)
{
    return tag == EXEC_REAL ? code_of_real(bits) : (uint64_t)bits ^ UINT64_C(1) << 63;
}

static bool look_at_text(struct sorter *s, struct codes *c, uint32_t id)
{
    const struct orma_strpool *pool = &s->plan->sql->storage->pool;

    if (!c->ranks && !(c->ranks = orma_large_zeroed(pool->len, sizeof(*c->ranks))))
        return orma_exec_give_up(s->plan, "out of memory");
    c->texts += !c->ranks[id];
    c->ranks[id] = 1;
    if (c->rises && c->any && id != c->last) { /* compared only as long as they seem to rise */
        int cmp = orma_sort_compare_text(pool, (uint32_t)c->last, id);

        c->rises = c->key->desc ? cmp >= 0 : cmp <= 0;
    }
    c->last = id;
    return true;
}

static void look_at_number(struct codes *c, uint64_t code)
{
    c->min = code < c->min ? code : c->min;
    c->max = code > c->max ? code : c->max;
    if (c->any)
        c->rises &= c->key->desc ? code <= c->last : code >= c->last;
    c->last = code;
}

static bool look_at_values(struct sorter *s, struct codes *c, uint32_t num)
{
    const struct orma_exec_vec *v = &s->vec;

    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        c->tags |= tag;
        if (tag == EXEC_NULL) {
            c->rises &= c->key->nulls_last || !c->any;
            c->null_seen = true;
            continue;
        }
        if (tag != EXEC_TEXT)
            look_at_number(c, code_of(tag, v->vals[i]));
        else if (!look_at_text(s, c, (uint32_t)v->vals[i]))
            return false;
        c->rises &= !c->null_seen || !c->key->nulls_last;
        c->any = true;
    }
    return true;
}

/* The same for integers without NULL, which is the usual case. */
static void look_at_ints(struct sorter *s, struct codes *c, uint32_t num)
{
    const int64_t *vals = s->vec.vals;
    int64_t min = vals[0], max = vals[0];
    bool rises = true, falls = true;

    for (uint32_t i = 1; i < num; i++) {
        min = vals[i] < min ? vals[i] : min;
        max = vals[i] > max ? vals[i] : max;
        rises &= vals[i] >= vals[i - 1];
        falls &= vals[i] <= vals[i - 1];
    }
    look_at_number(c, code_of(EXEC_INT, vals[0]));
    uint64_t lo = code_of(EXEC_INT, min), hi = code_of(EXEC_INT, max);
    c->min = lo < c->min ? lo : c->min;
    c->max = hi > c->max ? hi : c->max;
    c->last = code_of(EXEC_INT, vals[num - 1]);
    c->rises &= (c->key->desc ? falls : rises) && (!c->null_seen || !c->key->nulls_last);
    c->any = true;
    c->tags |= EXEC_INT;
}

/* From the least and the largest number: what NULL becomes, and how many bits there are. */
static bool measure(struct orma_exec_plan *plan, struct codes *c)
{
    bool nulls = c->tags & EXEC_NULL;

    if (c->min > c->max)
        c->min = c->max = 0;
    uint64_t span = c->max - c->min;
    if (nulls && span == UINT64_MAX) /* no number is left for NULL */
        return orma_exec_give_up(plan, "a key of more than 64 bits");
    c->shift = nulls && !c->key->nulls_last;
    c->null = c->shift ? 0 : span + 1;
    uint64_t largest = nulls && (c->any || !c->shift) ? span + 1 : span;
    c->bits = largest ? 64 - (unsigned)__builtin_clzll(largest) : 0;
    return true;
}

static bool look_at_key(struct sorter *s, struct codes *c, const struct orma_exec_key *key)
{
    *c = (struct codes){.key = key, .min = UINT64_MAX, .rises = true};
    if (!is_cheap(key->expr) && !orma_exec_run_fill_slot(s->plan, s->q, key->expr, &c->kept))
        return false;
    for (uint32_t at = 0; at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK);

        if (!load_block(s, c, at, num))
            return false;
        if (!s->vec.tagged && s->vec.tag == EXEC_INT)
            look_at_ints(s, c, num);
        else if (!look_at_values(s, c, num))
            return false;
    }
    uint8_t type = c->tags & (uint8_t)~EXEC_NULL;
    if (type & (type - 1))
        return orma_exec_give_up(s->plan, "values of several types to be ordered");
    return (type != EXEC_TEXT || rank_texts(s->plan, c)) && measure(s->plan, c);
}

/* The numbers of a key for rows from `at` on, in `block`. */
static bool make_codes(struct sorter *s, const struct codes *c, uint32_t at, uint32_t num)
{
    const struct orma_exec_vec *v = &s->vec;

    if (!load_block(s, c, at, num))
        return false;
    if (!v->tagged && v->tag == EXEC_INT) {
        uint64_t base = (c->key->desc ? c->max : c->min) ^ UINT64_C(1) << 63;

        for (uint32_t i = 0; i < num; i++) {
            uint64_t code = (uint64_t)v->vals[i] - base;

            s->block[i] = (c->key->desc ? 0 - code : code) + c->shift;
        }
        return true;
    }
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        if (tag == EXEC_NULL) {
            s->block[i] = c->null;
            continue;
        }
        uint64_t code = tag == EXEC_TEXT ? c->ranks[v->vals[i]] : code_of(tag, v->vals[i]);
        s->block[i] = (c->key->desc ? c->max - code : code - c->min) + c->shift;
    }
    return true;
}

/* Those of all keys in one number, in `all`. */
static bool pack_codes(struct sorter *s, uint32_t at, uint32_t num)
{
    for (unsigned k = 0; k < s->num; k++) {
        if (!make_codes(s, &s->codes[k], at, num))
            return false;
        for (uint32_t i = 0; i < num; i++)
            s->all[i] = k ? s->all[i] << s->codes[k].bits | s->block[i] : s->block[i];
    }
    return true;
}

/* ---- sorting ---- */

/* Items by the digits from bit `from` on. `spare` is as large; the result is in *items. */
static bool sort_items(struct orma_exec_plan *plan, uint64_t **items, uint64_t **spare,
                       uint32_t rows, unsigned from, unsigned bits)
{
    uint32_t *counts = malloc(DIGITS * sizeof(*counts));

    if (!counts)
        return orma_exec_give_up(plan, "out of memory");
    for (unsigned at = from; at < from + bits; at += DIGIT_BITS) {
        uint64_t *a = *items, *b = *spare;
        uint64_t mask = (UINT64_C(1) << ORMA_MIN(from + bits - at, (unsigned)DIGIT_BITS)) - 1;
        uint32_t sum = 0;

        memset(counts, 0, DIGITS * sizeof(*counts));
        for (uint32_t i = 0; i < rows; i++)
            counts[a[i] >> at & mask]++;
        for (uint32_t d = 0; d < DIGITS; d++) {
            uint32_t n = counts[d];

            counts[d] = sum;
            sum += n;
        }
        for (uint32_t i = 0; i < rows; i++) {
            b[counts[a[i] >> at & mask]++] = a[i];
            if (ORMA_UNLIKELY(!(i % EXEC_LOOK)) && orma_exec_should_stop(plan))
                break;
        }
        *items = b;
        *spare = a;
        if (orma_exec_should_stop(plan))
            break;
    }
    free(counts);
    return !plan->why;
}

static unsigned bits_of(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

/* Few bits: rows are dealt out by what they have. */
static bool sort_counted(struct sorter *s, unsigned bits, uint32_t **ret)
{
    uint16_t *codes = orma_large_alloc((size_t)s->rows * sizeof(*codes));
    uint32_t *counts = orma_large_zeroed((size_t)1 << bits, sizeof(*counts)), sum = 0;
    uint32_t *perm = orma_large_alloc((size_t)s->rows * sizeof(*perm));
    bool ok = (codes && counts && perm) || orma_exec_give_up(s->plan, "out of memory");

    for (uint32_t at = 0; ok && at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK);

        ok = pack_codes(s, at, num);
        for (uint32_t i = 0; ok && i < num; i++) {
            codes[at + i] = (uint16_t)s->all[i];
            counts[codes[at + i]]++;
        }
    }
    for (uint32_t c = 0; ok && c < 1u << bits; c++) {
        uint32_t n = counts[c];

        counts[c] = sum;
        sum += n;
    }
    for (uint32_t i = 0; ok && i < s->rows; i++) {
        perm[counts[codes[i]]++] = i;
        if (ORMA_UNLIKELY(!(i % EXEC_LOOK)) && orma_exec_should_stop(s->plan))
            ok = false;
    }
    orma_large_free(codes);
    orma_large_free(counts);
    if (ok)
        *ret = perm;
    else
        orma_large_free(perm);
    return ok;
}

/* The numbers of rows in sorted items, written over memory that is no longer needed. */
static uint32_t *take_rows(const uint64_t *items, uint64_t *over, uint32_t rows, unsigned row_bits)
{
    uint32_t *perm = (uint32_t *)(void *)over;

    for (uint32_t i = 0; i < rows; i++)
        perm[i] = (uint32_t)(items[i] & ((UINT64_C(1) << row_bits) - 1));
    uint32_t *less = orma_large_resize(perm, (size_t)rows * sizeof(*perm));
    return less ? less : perm;
}

/* Keys and the number of the row in one item. */
static bool sort_packed(struct sorter *s, unsigned bits, uint32_t **ret)
{
    unsigned row_bits = bits_of(s->rows);
    uint64_t *items = orma_large_alloc((size_t)s->rows * sizeof(*items)), *spare = NULL;
    bool ok = items || orma_exec_give_up(s->plan, "out of memory");

    for (uint32_t at = 0; ok && at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK);

        ok = pack_codes(s, at, num);
        for (uint32_t i = 0; ok && i < num; i++)
            items[at + i] = s->all[i] << row_bits | (at + i);
    }
    for (unsigned k = 0; k < s->num; k++) /* before there is more */
        orma_exec_slot_fini(&s->codes[k].kept);
    spare = ok ? orma_large_alloc((size_t)s->rows * sizeof(*spare)) : NULL;
    ok = ok && (spare || orma_exec_give_up(s->plan, "out of memory")) &&
         sort_items(s->plan, &items, &spare, s->rows, row_bits, bits);
    if (ok) {
        *ret = take_rows(items, spare, s->rows, row_bits);
        spare = NULL;
    }
    orma_large_free(items);
    orma_large_free(spare);
    return ok;
}

static bool make_all_codes(struct sorter *s, const struct codes *c, uint64_t *to)
{
    for (uint32_t at = 0; at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK);

        if (!make_codes(s, c, at, num))
            return false;
        memcpy(to + at, s->block, num * sizeof(*to));
    }
    return true;
}

/* One key after the other, from the last on; digits of a key that is too wide in several. */
static bool sort_in_turns(struct sorter *s, uint32_t **ret)
{
    uint32_t rows = s->rows;
    unsigned row_bits = bits_of(rows), room = 64 - row_bits;
    uint64_t *items = orma_large_alloc((size_t)rows * sizeof(*items));
    uint64_t *spare = orma_large_alloc((size_t)rows * sizeof(*spare));
    uint64_t *codes = orma_large_alloc((size_t)rows * sizeof(*codes));
    uint32_t *perm = orma_large_alloc((size_t)rows * sizeof(*perm));
    bool ok = (items && spare && codes && perm) || orma_exec_give_up(s->plan, "out of memory");

    for (uint32_t i = 0; ok && i < rows; i++)
        perm[i] = i;
    for (unsigned k = s->num; ok && k-- > 0;) {
        const struct codes *c = &s->codes[k];

        ok = make_all_codes(s, c, codes);
        for (unsigned at = 0; ok && at < c->bits; at += room) {
            unsigned bits = ORMA_MIN(c->bits - at, room);
            uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

            for (uint32_t i = 0; i < rows; i++)
                items[i] = (codes[perm[i]] >> at & mask) << row_bits | perm[i];
            ok = sort_items(s->plan, &items, &spare, rows, row_bits, bits);
            for (uint32_t i = 0; ok && i < rows; i++)
                perm[i] = (uint32_t)(items[i] & ((UINT64_C(1) << row_bits) - 1));
        }
    }
    orma_large_free(items);
    orma_large_free(spare);
    orma_large_free(codes);
    if (ok)
        *ret = perm;
    else
        orma_large_free(perm);
    return ok;
}

/* ---- the first few ---- */

struct few {
    uint64_t code;
    uint32_t row;
};

static bool is_after(struct few a, struct few b)
{
    return a.code != b.code ? a.code > b.code : a.row > b.row;
}

static void sift(struct few *heap, uint32_t num, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= num)
            return;
        if (child + 1 < num && is_after(heap[child + 1], heap[child]))
            child++;
        if (!is_after(heap[child], heap[at]))
            return;
        struct few t = heap[at];
        heap[at] = heap[child];
        heap[child] = t;
        at = child;
    }
}

/* The first rows by one code: a heap of those that are the best so far. */
static bool sort_few(struct sorter *s, uint32_t first, uint32_t **ret)
{
    struct few *heap = orma_large_alloc(((size_t)first + 1) * sizeof(*heap));
    uint32_t *perm = orma_large_alloc(((size_t)first + 1) * sizeof(*perm)), have = 0;
    bool ok = (heap && perm) || orma_exec_give_up(s->plan, "out of memory");

    for (uint32_t at = 0; ok && first && at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK), i = 0;

        ok = make_codes(s, &s->codes[0], at, num);
        for (; ok && i < num && have < first; i++)
            heap[have++] = (struct few){s->block[i], at + i};
        for (uint32_t k = have / 2; i && have == first && k-- > 0;)
            sift(heap, first, k);
        for (; ok && i < num; i++) {
            if (s->block[i] < heap[0].code) {
                heap[0] = (struct few){s->block[i], at + i};
                sift(heap, first, 0);
            }
        }
    }
    for (uint32_t n = ok ? first : 0; n > 0; n--) {
        perm[n - 1] = heap[0].row;
        heap[0] = heap[n - 1];
        sift(heap, n - 1, 0);
    }
    orma_large_free(heap);
    if (ok)
        *ret = perm;
    else
        orma_large_free(perm);
    return ok;
}

static bool sort_rows(struct sorter *s, uint32_t first, uint32_t **ret)
{
    unsigned used = 0;

    while (s->num && s->codes[s->num - 1].rises)
        s->num--;
    for (unsigned i = 0; i < s->num; i++)
        used += s->codes[i].bits;
    if (!s->num)
        return true;
    if (s->num == 1 && first < s->rows / 16)
        return sort_few(s, first, ret);
    if (used <= COUNTED_BITS && s->rows >> used)
        return sort_counted(s, used, ret);
    return used + bits_of(s->rows) <= 64 ? sort_packed(s, used, ret) : sort_in_turns(s, ret);
}

bool orma_exec_run_sort(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_key *keys, unsigned num, uint32_t first,
                        uint32_t **ret)
{
    *ret = NULL;
    if (q->frame.rows < 2)
        return true;
    struct codes *codes = calloc(num + 1, sizeof(*codes));
    struct sorter *s = malloc(sizeof(*s));
    bool ok = ((codes && s) || orma_exec_give_up(plan, "out of memory")) &&
              has_room(plan, ORMA_MIN(first, q->frame.rows));

    if (ok) {
        s->plan = plan;
        s->q = q;
        s->codes = codes;
        s->num = num;
        s->rows = q->frame.rows;
    }
    for (unsigned i = 0; ok && i < num; i++)
        ok = look_at_key(s, &codes[i], &keys[i]);
    ok = ok && sort_rows(s, first, ret);
    for (unsigned i = 0; codes && i < num; i++) {
        orma_exec_slot_fini(&codes[i].kept);
        orma_large_free(codes[i].ranks);
    }
    free(codes);
    free(s);
    return ok;
}
