/*
 * Order of the rows of a frame. Each key becomes a number that sorts as its values do (NULL is the
 * first or the last number, falling keys are turned), so wide that all keys and the number of the
 * row fit into 64 bits if they can: then items of 8 bytes are sorted by the digits of the keys
 * alone. Otherwise keys are sorted by from the last to the first. A last key by which the rows lie
 * already is left out: sorting is stable.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#include <stdlib.h>

#include "processor/sql/exec/exec_plan.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
/* Keys, items and their copies, places, results of windows. */
#define VALUES_AT_A_TIME 16

/* The numbers of a key for all rows. */
struct codes {
    uint64_t *vals;
    unsigned bits; /* that the largest has */
    bool rises;    /* rows lie in this order */
};

bool orma_exec_fill_slot(struct orma_exec_plan *plan, struct orma_exec_query *q,
                         const struct orma_exec_expr *e, struct orma_exec_slot *ret)
{
    uint32_t rows = q->frame.rows;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    uint64_t limit = plan->sql->limits.memory.limit_bytes;
    bool ok = place && v;

    /* SQLite has files for what does not fit; so many numbers per row live at a time. */
    if (limit && rows > limit / (VALUES_AT_A_TIME * sizeof(*ret->vals)))
        orma_exec_give_up(plan, "more rows than memory holds");

    ret->vals = malloc(((size_t)rows + 1) * sizeof(*ret->vals));
    ok = (ok && ret->vals) || orma_exec_give_up(plan, "memory");
    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;
        uint32_t num = ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK);

        orma_exec_frame_rows(q, at, num, place, &r);
        ok = !orma_exec_should_stop(plan) && orma_exec_eval(plan, e, &r, v);
        if (!ok)
            break;
        memcpy(ret->vals + at, v->vals, num * sizeof(*v->vals));
        if (!at && !v->tagged)
            ret->tag = v->tag;
        if (!ret->tags && (v->tagged || v->tag != ret->tag)) {
            ret->tags = malloc((size_t)rows + 1);
            ok = ret->tags || orma_exec_give_up(plan, "memory");
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

static uint64_t code_of_real(int64_t bits)
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
    int cmp = memcmp(x->text.data, y->text.data, ORMA_MIN(x->text.len, y->text.len));

    return cmp ? cmp : x->text.len < y->text.len ? -1 : x->text.len > y->text.len;
}

/* Texts become their places among the distinct ones. */
static bool rank_texts(struct orma_exec_plan *plan, const struct orma_exec_slot *s, uint32_t rows,
                       uint64_t *codes)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    uint32_t *rank = calloc(pool->len, sizeof(*rank)), num = 0;
    struct rank_text *list = NULL;

    for (uint32_t i = 0; rank && i < rows; i++) {
        uint32_t id = (uint32_t)s->vals[i];

        if ((s->tags && s->tags[i] != EXEC_TEXT) || rank[id])
            continue;
        rank[id] = 1;
        num++;
    }
    if (rank)
        list = malloc((num + 1) * sizeof(*list));
    if (!list) {
        free(rank);
        return orma_exec_give_up(plan, "memory");
    }
    for (uint32_t id = 0, k = 0; id < pool->len && k < num; id++) {
        if (rank[id])
            list[k++] = (struct rank_text){orma_strpool_get(pool, id), id};
    }
    qsort(list, num, sizeof(*list), by_text);
    for (uint32_t k = 0; k < num; k++)
        rank[list[k].id] = k;
    for (uint32_t i = 0; i < rows; i++)
        codes[i] = !s->tags || s->tags[i] == EXEC_TEXT ? rank[(uint32_t)s->vals[i]] : 0;
    free(list);
    free(rank);
    return true;
}

static uint8_t tags_of(const struct orma_exec_slot *s, uint32_t rows)
{
    uint8_t tags = s->tags ? 0 : s->tag;

    for (uint32_t i = 0; s->tags && i < rows; i++)
        tags |= s->tags[i];
    return tags;
}

/* Brings codes to 0 .. , turns them, and gives NULL its place. */
static bool finish_codes(struct orma_exec_plan *plan, struct codes *c,
                         const struct orma_exec_slot *s, uint32_t rows,
                         const struct orma_exec_key *key, bool nulls)
{
    uint64_t min = UINT64_MAX, max = 0, last = 0, all = 0;

    for (uint32_t i = 0; i < rows; i++) {
        if (s->tags && s->tags[i] == EXEC_NULL)
            continue;
        min = c->vals[i] < min ? c->vals[i] : min;
        max = c->vals[i] > max ? c->vals[i] : max;
    }
    if (min > max)
        min = max = 0;
    if (nulls && max - min == UINT64_MAX) /* no number is left for NULL */
        return orma_exec_give_up(plan, "a key of more than 64 bits");
    uint64_t shift = nulls && !key->nulls_last ? 1 : 0, null = shift ? 0 : max - min + 1;
    c->rises = true;
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t v = key->desc ? max - c->vals[i] : c->vals[i] - min;

        v = s->tags && s->tags[i] == EXEC_NULL ? null : v + shift;
        c->rises &= v >= last;
        last = c->vals[i] = v;
        all |= v;
    }
    c->bits = all ? 64 - (unsigned)__builtin_clzll(all) : 0;
    return true;
}

static bool make_codes(struct orma_exec_plan *plan, struct orma_exec_query *q,
                       const struct orma_exec_key *key, struct codes *ret)
{
    struct orma_exec_slot s = {0};
    uint32_t rows = q->frame.rows;
    bool ok = orma_exec_fill_slot(plan, q, key->expr, &s);
    uint8_t tags = ok ? tags_of(&s, rows) : 0, type = tags & (uint8_t)~EXEC_NULL;

    if (ok && type & (type - 1))
        ok = orma_exec_give_up(plan, "values of several types to be ordered");
    ret->vals = (uint64_t *)s.vals;
    if (ok && type == EXEC_TEXT) {
        ret->vals = malloc(((size_t)rows + 1) * sizeof(*ret->vals));
        ok = ret->vals ? rank_texts(plan, &s, rows, ret->vals) : orma_exec_give_up(plan, "memory");
        free(s.vals);
        s.vals = NULL;
    } else if (ok && type == EXEC_REAL) {
        for (uint32_t i = 0; i < rows; i++)
            ret->vals[i] = code_of_real(s.vals[i]);
    } else if (ok) {
        for (uint32_t i = 0; i < rows; i++)
            ret->vals[i] = (uint64_t)s.vals[i] ^ UINT64_C(1) << 63;
    }
    ok = ok && finish_codes(plan, ret, &s, rows, key, tags & EXEC_NULL);
    free(s.tags);
    if (!ok) {
        free(ret->vals);
        ret->vals = NULL;
    }
    return ok;
}

/* ---- sorting ---- */

/* Items by the digits from bit `from` on. `spare` is as large; the result is in *items. */
static bool sort_items(struct orma_exec_plan *plan, uint64_t **items, uint64_t **spare,
                       uint32_t rows, unsigned from, unsigned bits)
{
    uint32_t *counts = malloc(DIGITS * sizeof(*counts));

    if (!counts)
        return orma_exec_give_up(plan, "memory");
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
        for (uint32_t i = 0; i < rows; i++)
            b[counts[a[i] >> at & mask]++] = a[i];
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

/* Keys and the number of the row in one item. */
static bool sort_packed(struct orma_exec_plan *plan, const struct codes *c, unsigned num,
                        uint32_t rows, uint32_t *perm)
{
    unsigned row_bits = bits_of(rows), bits = 0;
    uint64_t *items = malloc((size_t)rows * sizeof(*items));
    uint64_t *spare = malloc((size_t)rows * sizeof(*spare));
    bool ok = (items && spare) || orma_exec_give_up(plan, "memory");

    for (unsigned k = 0; k < num; k++)
        bits += c[k].bits;
    for (uint32_t i = 0; ok && i < rows; i++) {
        uint64_t v = 0;

        for (unsigned k = 0; k < num; k++)
            v = v << c[k].bits | c[k].vals[i];
        items[i] = v << row_bits | i;
    }
    ok = ok && sort_items(plan, &items, &spare, rows, row_bits, bits);
    for (uint32_t i = 0; ok && i < rows; i++)
        perm[i] = (uint32_t)(items[i] & ((UINT64_C(1) << row_bits) - 1));
    free(items);
    free(spare);
    return ok;
}

/* One key after the other, from the last on; digits of a key that is too wide in several. */
static bool sort_in_turns(struct orma_exec_plan *plan, const struct codes *c, unsigned num,
                          uint32_t rows, uint32_t *perm)
{
    unsigned row_bits = bits_of(rows), room = 64 - row_bits;
    uint64_t *items = malloc((size_t)rows * sizeof(*items));
    uint64_t *spare = malloc((size_t)rows * sizeof(*spare));
    bool ok = (items && spare) || orma_exec_give_up(plan, "memory");

    for (uint32_t i = 0; i < rows; i++)
        perm[i] = i;
    for (unsigned k = num; ok && k-- > 0;) {
        for (unsigned at = 0; ok && at < c[k].bits; at += room) {
            unsigned bits = ORMA_MIN(c[k].bits - at, room);
            uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

            for (uint32_t i = 0; i < rows; i++)
                items[i] = (c[k].vals[perm[i]] >> at & mask) << row_bits | perm[i];
            ok = sort_items(plan, &items, &spare, rows, row_bits, bits);
            for (uint32_t i = 0; ok && i < rows; i++)
                perm[i] = (uint32_t)(items[i] & ((UINT64_C(1) << row_bits) - 1));
        }
    }
    free(items);
    free(spare);
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
static bool sort_few(struct orma_exec_plan *plan, const uint64_t *codes, uint32_t rows,
                     uint32_t first, uint32_t *perm)
{
    struct few *heap = malloc(((size_t)first + 1) * sizeof(*heap));

    if (!heap)
        return orma_exec_give_up(plan, "memory");
    for (uint32_t i = 0; i < first; i++)
        heap[i] = (struct few){codes[i], i};
    for (uint32_t i = first / 2; i-- > 0;)
        sift(heap, first, i);
    for (uint32_t i = first; first && i < rows; i++) {
        if (codes[i] < heap[0].code) {
            heap[0] = (struct few){codes[i], i};
            sift(heap, first, 0);
        }
    }
    for (uint32_t n = first; n > 0; n--) {
        perm[n - 1] = heap[0].row;
        heap[0] = heap[n - 1];
        sift(heap, n - 1, 0);
    }
    free(heap);
    return true;
}

static bool sort_codes(struct orma_exec_plan *plan, struct codes *c, unsigned num, uint32_t rows,
                       uint32_t first, uint32_t **ret)
{
    unsigned bits = bits_of(rows), used = 0;

    for (unsigned i = 0; i < num; i++)
        used += c[i].bits;
    while (num && c[num - 1].rises && num > 0) {
        used -= c[num - 1].bits;
        num--;
    }
    if (!num)
        return true;
    uint32_t *perm = malloc((size_t)rows * sizeof(*perm));
    if (!perm)
        return orma_exec_give_up(plan, "memory");
    bool ok = num == 1 && first < rows / 16 ? sort_few(plan, c[0].vals, rows, first, perm)
              : used + bits <= 64           ? sort_packed(plan, c, num, rows, perm)
                                            : sort_in_turns(plan, c, num, rows, perm);
    if (!ok) {
        free(perm);
        return false;
    }
    *ret = perm;
    return true;
}

bool orma_exec_sort(struct orma_exec_plan *plan, struct orma_exec_query *q,
                    const struct orma_exec_key *keys, unsigned num, uint32_t first, uint32_t **ret)
{
    struct codes *c = calloc(num + 1, sizeof(*c));
    bool ok = c || orma_exec_give_up(plan, "memory");

    *ret = NULL;
    if (q->frame.rows < 2) {
        free(c);
        return ok;
    }
    for (unsigned i = 0; ok && i < num; i++)
        ok = make_codes(plan, q, &keys[i], &c[i]);
    ok = ok && sort_codes(plan, c, num, q->frame.rows, first, ret);
    for (unsigned i = 0; c && i < num; i++)
        free(c[i].vals);
    free(c);
    return ok;
}

/* ---- DISTINCT ---- */

static uint64_t hash_row(const struct orma_exec_slot *s, unsigned num, uint32_t row)
{
    uint64_t h = 0;

    for (unsigned k = 0; k < num; k++) {
        uint8_t tag = s[k].tags ? s[k].tags[row] : s[k].tag;

        h = (h ^ (tag == EXEC_NULL ? 1 : (uint64_t)s[k].vals[row])) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static bool same_row(const struct orma_exec_slot *s, unsigned num, uint32_t a, uint32_t b)
{
    for (unsigned k = 0; k < num; k++) {
        uint8_t x = s[k].tags ? s[k].tags[a] : s[k].tag, y = s[k].tags ? s[k].tags[b] : s[k].tag;

        if (x != y || (x != EXEC_NULL && s[k].vals[a] != s[k].vals[b]))
            return false;
    }
    return true;
}

/* Integers and doubles that are equal, and zeros with a sign, would need more than their bits. */
static bool can_compare_bits(struct orma_exec_plan *plan, struct orma_exec_slot *s, uint32_t rows)
{
    uint8_t tags = tags_of(s, rows);

    if (tags & EXEC_INT && tags & EXEC_REAL)
        return orma_exec_give_up(plan, "values of several types to be distinct");
    for (uint32_t i = 0; tags & EXEC_REAL && i < rows; i++) {
        if (s->vals[i] == INT64_MIN && (s->tags ? s->tags[i] : s->tag) == EXEC_REAL)
            return orma_exec_give_up(plan, "minus zero");
    }
    return true;
}

static bool first_rows(struct orma_exec_plan *plan, struct orma_exec_query *q,
                       const struct orma_exec_slot *s, unsigned num)
{
    uint32_t rows = q->frame.rows, kept = 0, size = 16;
    while (size / 2 < rows && size < 1u << 31)
        size *= 2;
    uint32_t *slots = malloc(size * sizeof(*slots)), *perm = malloc(((size_t)rows + 1) * 4);
    bool ok = (slots && perm) || orma_exec_give_up(plan, "memory");

    if (ok)
        memset(slots, 0xff, size * sizeof(*slots));
    for (uint32_t i = 0; ok && i < rows; i++) {
        uint32_t at = (uint32_t)(hash_row(s, num, i) >> 32) & (size - 1);

        while (slots[at] != UINT32_MAX && !same_row(s, num, slots[at], i))
            at = (at + 1) & (size - 1);
        if (slots[at] != UINT32_MAX)
            continue;
        slots[at] = i;
        perm[kept++] = i;
    }
    ok = ok && (kept == rows || orma_exec_permute(plan, q, perm, kept));
    free(slots);
    free(perm);
    return ok;
}

bool orma_exec_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    unsigned num = q->results.len;
    struct orma_exec_slot *s = calloc(num + 1, sizeof(*s));
    bool ok = s || orma_exec_give_up(plan, "memory");

    for (unsigned i = 0; ok && i < num; i++)
        ok = orma_exec_fill_slot(plan, q, q->results.data[i].expr, &s[i]) &&
             can_compare_bits(plan, &s[i], q->frame.rows);
    ok = ok && first_rows(plan, q, s, num);
    for (unsigned i = 0; s && i < num; i++)
        orma_exec_slot_fini(&s[i]);
    free(s);
    return ok;
}
