/*
 * Order of the rows of a frame. Each key becomes a number that sorts as its values do (NULL is the
 * first or the last number, falling keys are turned). Few bits of all keys together are counted and
 * dealt out at once; if keys and the number of the row fit into 64 bits, items of 8 bytes are
 * sorted by the digits of the keys alone; otherwise keys are sorted by from the last to the first.
 * A last key by which the rows lie already is left out: sorting is stable.
 *
 * Several threads make numbers of pieces of rows, and sort by a digit in chunks: each counts what
 * it has, and knows then where it goes.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/sort.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
/* So many bits of keys are counted in one go. */
#define COUNTED_BITS 16
/* By thread: so many can be ahead of each other. */
#define CHUNKS 2

/* ---- sorting ---- */

/* ---- by a digit ---- */

/* One pass: each chunk of rows counts its digits, and deals its items out behind those of the
 * chunks before. One thread has one chunk. */
struct pass {
    struct orma_exec_plan *plan;
    const uint64_t *from;
    uint64_t *to;
    uint32_t rows, chunks;
    unsigned at; /* the digit's first bit */
    uint64_t mask;
    uint32_t *counts; /* by chunk, by digit */
};

/* Where chunk i begins. */
static uint32_t chunk_at(uint32_t rows, uint32_t chunks, uint32_t i)
{
    return (uint32_t)((uint64_t)rows * i / chunks);
}

/* Counts, by chunk, become places. */
static void add_up(uint32_t *counts, uint32_t chunks, uint32_t digits)
{
    uint32_t sum = 0;

    for (uint32_t d = 0; d < digits; d++) {
        for (uint32_t c = 0; c < chunks; c++) {
            uint32_t *n = &counts[(size_t)c * digits + d], here = *n;

            *n = sum;
            sum += here;
        }
    }
}

static bool count_digits(const struct orma_exec_piece *p, void *data)
{
    const struct pass *x = data;
    uint32_t *counts = x->counts + (size_t)p->piece * DIGITS;
    const uint64_t *items = x->from, mask = x->mask;
    const uint32_t to = chunk_at(x->rows, x->chunks, p->piece + 1);
    const unsigned at = x->at;

    memset(counts, 0, DIGITS * sizeof(*counts));
    for (uint32_t i = chunk_at(x->rows, x->chunks, p->piece); i < to; i++)
        counts[items[i] >> at & mask]++;
    return true;
}

static bool deal_items(const struct orma_exec_piece *p, void *data)
{
    const struct pass *x = data;
    uint32_t *places = x->counts + (size_t)p->piece * DIGITS;
    const uint64_t *items = x->from, mask = x->mask;
    const uint32_t to = chunk_at(x->rows, x->chunks, p->piece + 1);
    const unsigned at = x->at;
    uint64_t *dealt = x->to;

    for (uint32_t i = chunk_at(x->rows, x->chunks, p->piece); i < to;) {
        const uint32_t end = to - i > EXEC_LOOK ? i + EXEC_LOOK : to;

        if (orma_exec_should_stop(p->view))
            return false;
        for (; i < end; i++)
            dealt[places[items[i] >> at & mask]++] = items[i];
    }
    return true;
}

/* All chunks; false: given up. */
static bool each_chunk(struct orma_exec_sorter *s, uint32_t chunks, orma_exec_work *work,
                       void *data)
{
    if (chunks == 1)
        return work(&(struct orma_exec_piece){.view = s->plan}, data);
    return orma_exec_run_team_each(s->team, chunks, work, data) ||
           orma_exec_give_up(s->plan, "a sort that failed");
}

static uint32_t chunks_of(const struct orma_exec_sorter *s)
{
    return s->team ? s->team->threads * CHUNKS : 1;
}

/* Items by the digits from bit `from` on. `spare` is as large; the result is in *items. */
static bool sort_items(struct orma_exec_sorter *s, uint64_t **items, uint64_t **spare,
                       unsigned from, unsigned bits)
{
    struct pass x = {.plan = s->plan, .rows = s->rows, .chunks = chunks_of(s)};
    bool ok = true;

    x.counts = malloc((size_t)x.chunks * DIGITS * sizeof(*x.counts));
    if (!x.counts)
        return orma_exec_give_up(s->plan, "out of memory");
    for (x.at = from; ok && x.at < from + bits; x.at += DIGIT_BITS) {
        x.from = *items;
        x.to = *spare;
        x.mask = (UINT64_C(1) << ORMA_MIN(from + bits - x.at, (unsigned)DIGIT_BITS)) - 1;
        ok = each_chunk(s, x.chunks, count_digits, &x);
        if (!ok)
            break;
        add_up(x.counts, x.chunks, DIGITS);
        ok = each_chunk(s, x.chunks, deal_items, &x);
        uint64_t *a = *items;
        *items = *spare;
        *spare = a;
    }
    free(x.counts);
    return ok && !orma_exec_should_stop(s->plan);
}

static unsigned bits_of(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

/* ---- few bits ---- */

struct counting {
    struct orma_exec_sorter *s;
    uint16_t *codes; /* by row */
    uint32_t chunks;
    unsigned bits;
    uint32_t *counts; /* by chunk, by code */
    uint32_t *perm;
};

static bool count_blocks(struct orma_exec_sorter *s, const struct counting *c, uint32_t from,
                         uint32_t to, uint32_t *counts)
{
    uint16_t *codes = c->codes;

    for (uint32_t at = from, num; at < to; at += num) {
        num = ORMA_MIN(to - at, (uint32_t)EXEC_BLOCK);
        if (!orma_exec_run_pack_codes(s, at, num))
            return false;
        for (uint32_t i = 0; i < num; i++) {
            codes[at + i] = (uint16_t)s->all[i];
            counts[codes[at + i]]++;
        }
    }
    return true;
}

static bool count_chunk(const struct orma_exec_piece *p, void *data)
{
    const struct counting *c = data;

    return count_blocks(&c->s->others[p->thread], c, chunk_at(c->s->rows, c->chunks, p->piece),
                        chunk_at(c->s->rows, c->chunks, p->piece + 1),
                        c->counts + ((size_t)p->piece << c->bits));
}

static bool deal_rows(const struct orma_exec_piece *p, void *data)
{
    const struct counting *c = data;
    uint32_t *places = c->counts + ((size_t)p->piece << c->bits);
    const uint32_t to = chunk_at(c->s->rows, c->chunks, p->piece + 1);
    const uint16_t *codes = c->codes;
    uint32_t *perm = c->perm;

    for (uint32_t i = chunk_at(c->s->rows, c->chunks, p->piece); i < to;) {
        const uint32_t end = to - i > EXEC_LOOK ? i + EXEC_LOOK : to;

        if (orma_exec_should_stop(p->view))
            return false;
        for (; i < end; i++)
            perm[places[codes[i]]++] = i;
    }
    return true;
}

static bool count_and_deal(struct counting *c)
{
    struct orma_exec_sorter *s = c->s;
    const size_t num = (size_t)c->chunks << c->bits;

    /* each chunk has counts of its own, which are all read between */
    if (!s->others || num > s->rows ||
        !orma_exec_run_team_each(s->team, c->chunks, count_chunk, c)) {
        c->chunks = 1;
        memset(c->counts, 0, num * sizeof(*c->counts));
        if (s->plan->why || !count_blocks(s, c, 0, s->rows, c->counts))
            return false;
    }
    add_up(c->counts, c->chunks, 1u << c->bits);
    return each_chunk(s, c->chunks, deal_rows, c);
}

/* Few bits: rows are dealt out by what they have. */
static bool sort_counted(struct orma_exec_sorter *s, unsigned bits, uint32_t **ret)
{
    struct counting c = {.s = s, .chunks = chunks_of(s), .bits = bits};

    if ((uint64_t)c.chunks << bits > s->rows)
        c.chunks = 1;
    c.codes = orma_large_alloc((size_t)s->rows * sizeof(*c.codes));
    c.counts = orma_large_zeroed((size_t)c.chunks << bits, sizeof(*c.counts));
    c.perm = orma_large_alloc((size_t)s->rows * sizeof(*c.perm));
    const bool ok =
        ((c.codes && c.counts && c.perm) || orma_exec_give_up(s->plan, "out of memory")) &&
        count_and_deal(&c);

    orma_large_free(c.codes);
    orma_large_free(c.counts);
    if (ok)
        *ret = c.perm;
    else
        orma_large_free(c.perm);
    return ok;
}

/* ---- more bits ---- */

/* Items of rows, or the rows of items. */
struct packing {
    struct orma_exec_sorter *s;
    uint64_t *items;
    uint32_t *perm;
    unsigned row_bits;
};

static bool pack_rows(struct orma_exec_sorter *s, const struct packing *x, uint32_t from,
                      uint32_t to)
{
    const unsigned row_bits = x->row_bits;
    uint64_t *items = x->items;

    for (uint32_t at = from, num; at < to; at += num) {
        num = ORMA_MIN(to - at, (uint32_t)EXEC_BLOCK);
        if (!orma_exec_run_pack_codes(s, at, num))
            return false;
        for (uint32_t i = 0; i < num; i++)
            items[at + i] = s->all[i] << row_bits | (at + i);
    }
    return true;
}

static bool pack_piece(const struct orma_exec_piece *p, void *data)
{
    const struct packing *x = data;

    return pack_rows(&x->s->others[p->thread], x, p->from, p->to);
}

static bool pack_all(const struct packing *x)
{
    struct orma_exec_sorter *s = x->s;

    if (s->others && orma_exec_run_team_run(s->team, 0, s->rows, pack_piece, NULL, (void *)x))
        return true;
    return !s->plan->why && pack_rows(s, x, 0, s->rows);
}

static bool take_piece(const struct orma_exec_piece *p, void *data)
{
    const struct packing *x = data;
    const uint64_t mask = (UINT64_C(1) << x->row_bits) - 1, *items = x->items;
    const uint32_t to = p->to;
    uint32_t *perm = x->perm;

    for (uint32_t i = p->from; i < to; i++)
        perm[i] = (uint32_t)(items[i] & mask);
    return true;
}

/* The numbers of rows in sorted items, written over memory that is no longer needed. */
static uint32_t *take_rows(struct packing *x, uint64_t *over)
{
    struct orma_exec_sorter *s = x->s;

    x->perm = (uint32_t *)(void *)over;
    if (!s->team || !orma_exec_run_team_run(s->team, 0, s->rows, take_piece, NULL, x))
        (void)take_piece(&(struct orma_exec_piece){.to = s->rows}, x); /* cannot fail */
    uint32_t *less = orma_large_resize(x->perm, (size_t)s->rows * sizeof(*x->perm));
    return less ? less : x->perm;
}

/* Keys and the number of the row in one item. */
static bool sort_packed(struct orma_exec_sorter *s, unsigned bits, uint32_t **ret)
{
    struct packing x = {.s = s, .row_bits = bits_of(s->rows)};
    uint64_t *spare = NULL;

    x.items = orma_large_alloc((size_t)s->rows * sizeof(*x.items));
    bool ok = (x.items || orma_exec_give_up(s->plan, "out of memory")) && pack_all(&x);
    for (unsigned k = 0; k < s->num; k++) /* before there is more */
        orma_exec_slot_fini(&s->codes[k].kept);
    spare = ok ? orma_large_alloc((size_t)s->rows * sizeof(*spare)) : NULL;
    ok = ok && (spare || orma_exec_give_up(s->plan, "out of memory")) &&
         sort_items(s, &x.items, &spare, x.row_bits, bits);
    if (ok) {
        *ret = take_rows(&x, spare);
        spare = NULL;
    }
    orma_large_free(x.items);
    orma_large_free(spare);
    return ok;
}

static bool make_all_codes(struct orma_exec_sorter *s, const struct orma_exec_codes *c,
                           uint64_t *to)
{
    for (uint32_t at = 0; at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK);

        if (!orma_exec_run_make_codes(s, c, at, num))
            return false;
        memcpy(to + at, s->block, num * sizeof(*to));
    }
    return true;
}

/* One key after the other, from the last on; digits of a key that is too wide in several. */
static bool sort_in_turns(struct orma_exec_sorter *s, uint32_t **ret)
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
        const struct orma_exec_codes *c = &s->codes[k];

        ok = make_all_codes(s, c, codes);
        for (unsigned at = 0; ok && at < c->bits; at += room) {
            unsigned bits = ORMA_MIN(c->bits - at, room);
            uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

            for (uint32_t i = 0; i < rows; i++)
                items[i] = (codes[perm[i]] >> at & mask) << row_bits | perm[i];
            ok = sort_items(s, &items, &spare, row_bits, bits);
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
static bool sort_few(struct orma_exec_sorter *s, uint32_t first, uint32_t **ret)
{
    struct few *heap = orma_large_alloc(((size_t)first + 1) * sizeof(*heap));
    uint32_t *perm = orma_large_alloc(((size_t)first + 1) * sizeof(*perm)), have = 0;
    bool ok = (heap && perm) || orma_exec_give_up(s->plan, "out of memory");

    for (uint32_t at = 0; ok && first && at < s->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK), i = 0;

        ok = orma_exec_run_make_codes(s, &s->codes[0], at, num);
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

static bool sort_rows(struct orma_exec_sorter *s, uint32_t first, uint32_t **ret)
{
    unsigned used = 0;

    while (s->num && s->codes[s->num - 1].rises)
        s->num--;
    for (unsigned t = 0; s->others && t < s->team->threads; t++)
        s->others[t].num = s->num;
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

/* Whether several threads can make the numbers of the keys: each gets a sorter of its own. */
static void share_keys(struct orma_exec_sorter *s, const struct orma_exec_key *keys)
{
    struct orma_exec_share share = {.plan = s->plan};

    for (unsigned i = 0; i < s->num; i++)
        orma_exec_run_share_expr(&share, keys[i].expr);
    if (orma_exec_run_share_ready(&share, s->team))
        s->others = malloc(s->team->threads * sizeof(*s->others));
    for (unsigned t = 0; s->others && t < s->team->threads; t++) {
        s->others[t].plan = &s->team->views[t];
        s->others[t].q = s->q;
        s->others[t].codes = s->codes;
        s->others[t].num = s->num;
        s->others[t].rows = s->rows;
        s->others[t].team = NULL;
        s->others[t].others = NULL;
    }
    orma_exec_run_share_fini(&share);
}

bool orma_exec_run_sort(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_key *keys, unsigned num, uint32_t first,
                        uint32_t **ret)
{
    *ret = NULL;
    if (q->frame.rows < 2)
        return true;
    struct orma_exec_codes *codes = calloc(num + 1, sizeof(*codes));
    struct orma_exec_sorter *s = malloc(sizeof(*s));
    struct orma_exec_team team = {0};
    if (s)
        s->others = NULL;
    bool ok = ((codes && s) || orma_exec_give_up(plan, "out of memory")) &&
              orma_exec_run_sort_has_room(plan, ORMA_MIN(first, q->frame.rows));

    if (ok) {
        s->plan = plan;
        s->q = q;
        s->codes = codes;
        s->num = num;
        s->rows = q->frame.rows;
        s->team = orma_exec_run_team_init(&team, plan, s->rows) ? &team : NULL;
        if (s->team)
            share_keys(s, keys);
        ok = !plan->why;
    }
    for (unsigned i = 0; ok && i < num; i++)
        ok = orma_exec_run_look_at_key(s, &codes[i], &keys[i]);
    ok = ok && sort_rows(s, first, ret);
    for (unsigned i = 0; codes && i < num; i++) {
        orma_exec_slot_fini(&codes[i].kept);
        orma_large_free(codes[i].ranks);
    }
    orma_exec_run_team_fini(&team);
    free(s ? s->others : NULL);
    free(codes);
    free(s);
    return ok;
}
