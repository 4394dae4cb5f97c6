/*
 * Window functions. The rows of the frame are sorted by partition and order, stably; then each
 * function is one pass over partitions and the peers in them. Rows come out in that order, which is
 * what SQLite's do.
 *
 *   sorted rows   a a a | b b | c c c c      partitions
 *                 1 2 2 | 1 1 | 1 2 3 3      peers: equal in the order
 *
 * Several windows: SQLite works from the last to the first, each over the rows as the one before
 * left them.
 */
#include <stdlib.h>

#include "processor/sql/base/kbn.h"
#include "processor/sql/exec/run/run.h"

struct windower {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    const struct orma_exec_win *win;
    uint32_t rows;
    uint64_t *parts, *peers; /* bit i: row i begins one */
    uint32_t *from, *to;     /* frames; NULL: from the first row to this one, or to its last peer */
};

static void set(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* The end of the partition (or peers) in which `from` is the first row. */
static uint32_t end_of(const struct windower *w, const uint64_t *bits, uint32_t from)
{
    uint32_t at = from + 1;

    while (at < w->rows && !orma_exec_bit(bits, at)) {
        /* whole words without a begin */
        if (!(at & 63) && !bits[at >> 6] && w->rows - at > 64)
            at += 64;
        else
            at++;
    }
    return at;
}

/* ---- partitions ---- */

/* In a block of rows from `at` on; *last is the value before it. */
static void mark_changes(const struct windower *w, const struct orma_exec_vec *v, uint32_t at,
                         uint32_t num, struct orma_exec_value *last, uint64_t *bits)
{
    const struct orma_strpool *pool = &w->plan->sql->storage->pool;

    for (uint32_t i = 0; i < num; i++) {
        struct orma_exec_value x = *last, y = {orma_exec_tag_at(v, i), v->vals[i]};

        *last = y;
        if (!(at + i) || (x.tag == y.tag && (x.tag == EXEC_NULL || x.bits == y.bits)))
            continue;
        if ((x.tag == y.tag && x.tag == EXEC_INT) || orma_exec_compare(pool, x, y))
            set(bits, at + i);
    }
}

static bool mark_key(struct windower *w, const struct orma_exec_expr *key, uint64_t *bits,
                     struct orma_exec_place *place, struct orma_exec_vec *v)
{
    struct orma_exec_value last = {EXEC_NULL, 0};

    for (uint32_t at = 0; at < w->rows; at += EXEC_BLOCK) {
        uint32_t num = ORMA_MIN(w->rows - at, (uint32_t)EXEC_BLOCK);
        struct orma_exec_rows r;

        orma_exec_run_frame_rows(w->q, at, num, place, &r);
        if (orma_exec_should_stop(w->plan) || !orma_exec_run_eval(w->plan, key, &r, v))
            return false;
        mark_changes(w, v, at, num, &last, bits);
    }
    return true;
}

static bool mark_keys(struct windower *w, const struct orma_exec_keys *keys, uint64_t *bits)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(w->plan);
    bool ok = (place && v) || orma_exec_give_up(w->plan, "memory");

    for (uint32_t i = 0; ok && i < keys->len; i++)
        ok = mark_key(w, keys->data[i].expr, bits, place, v);
    orma_exec_give_vec(w->plan, v);
    free(place);
    return ok;
}

static bool reads_frame(enum orma_exec_func f)
{
    return f <= EXEC_MAX || (f >= EXEC_FIRST_VALUE && f <= EXEC_NTH_VALUE);
}

static bool needs_peers(const struct orma_exec_win *win)
{
    const bool rows = win->extent.unit == ORMA_EXEC_ROWS;
    const bool running = orma_exec_is_running(&win->extent);

    for (unsigned i = 0; i < win->funcs_num; i++) {
        enum orma_exec_func f = win->funcs[i].func;

        if (f != EXEC_ROW_NUMBER && f != EXEC_LEAD && f != EXEC_LAG && f != EXEC_NTILE &&
            !(rows && reads_frame(f)) && !(running && f == EXEC_FIRST_VALUE))
            return true;
    }
    return false;
}

/* Whether a function asks where the frame of a row begins and ends. */
static bool needs_frames(const struct orma_exec_win *win)
{
    for (unsigned i = 0; i < win->funcs_num; i++) {
        enum orma_exec_func f = win->funcs[i].func;

        if (f == EXEC_NTH_VALUE || (reads_frame(f) && !orma_exec_is_running(&win->extent)))
            return true;
    }
    return false;
}

static bool find_borders(struct windower *w)
{
    size_t words = w->rows / 64 + 1;

    w->parts = orma_large_zeroed(words, sizeof(*w->parts));
    w->peers = orma_large_zeroed(words, sizeof(*w->peers));
    if (!w->parts || !w->peers)
        return orma_exec_give_up(w->plan, "memory");
    set(w->parts, 0);
    if (!mark_keys(w, &w->win->partition, w->parts))
        return false;
    memcpy(w->peers, w->parts, words * sizeof(*w->peers));
    return !needs_peers(w->win) || mark_keys(w, &w->win->order, w->peers);
}

/* A limit on row numbers that the query around asks for makes all other rows needless. */
static bool sort_window(struct windower *w)
{
    const struct orma_exec_win *win = w->win;
    struct orma_exec_keys keys = {0};
    uint32_t *perm = NULL, first = w->q->first_rows;
    bool ok = true;

    for (uint32_t i = 0; ok && i < win->partition.len; i++)
        ok = ORMA_VEC_PUSH(&keys, win->partition.data[i]) == 0;
    for (uint32_t i = 0; ok && i < win->order.len; i++)
        ok = ORMA_VEC_PUSH(&keys, win->order.data[i]) == 0;
    first = first && first < w->rows ? first : UINT32_MAX;
    ok = (ok || orma_exec_give_up(w->plan, "memory")) &&
         orma_exec_run_sort(w->plan, w->q, keys.data, keys.len, first, &perm);
    if (ok && perm)
        orma_exec_run_permute(w->q, perm, ORMA_MIN(first, w->rows));
    else if (ok && first < w->rows)
        w->q->frame.rows = first;
    w->rows = w->q->frame.rows;
    ORMA_VEC_FINI(&keys);
    return ok;
}

/* ---- functions ---- */

struct out {
    struct windower *w;
    struct orma_exec_slot *to; /* by the row that is stored */
    const uint32_t *order;     /* stored row of the i-th */
    struct orma_exec_slot arg, fallback;
};

static void put(struct out *o, uint32_t i, uint8_t tag, int64_t bits)
{
    uint32_t at = o->order ? o->order[i] : i;

    o->to->vals[at] = bits;
    o->to->tags[at] = tag;
}

static struct orma_exec_value get(const struct orma_exec_slot *s, uint32_t i)
{
    if (!s->vals)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){s->tags ? s->tags[i] : s->tag, s->vals[i]};
}

static void number_rows(struct out *o, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        put(o, i, EXEC_INT, (int64_t)(i - from) + 1);
}

static void rank_rows(struct out *o, uint32_t from, uint32_t to, bool dense)
{
    int64_t rank = 0;

    for (uint32_t i = from; i < to; i++) {
        if (i == from || orma_exec_bit(o->w->peers, i))
            rank = dense ? rank + 1 : (int64_t)(i - from) + 1;
        put(o, i, EXEC_INT, rank);
    }
}

static void shift_rows(struct out *o, uint32_t from, uint32_t to, int64_t by)
{
    for (uint32_t i = from; i < to; i++) {
        int64_t at = (int64_t)i + by;
        bool there = at >= from && at < to;
        struct orma_exec_value v = there ? get(&o->arg, (uint32_t)at) : get(&o->fallback, i);

        put(o, i, v.tag, v.bits);
    }
}

/* As large as can be, those at the begin by one larger than those at the end. */
static void deal_rows(struct out *o, uint32_t from, uint32_t to, int64_t tiles)
{
    int64_t rows = to - from, size = rows / tiles, large = rows - tiles * size;
    int64_t in_large = large * (size + 1);

    for (int64_t i = 0; i < rows; i++) {
        int64_t tile = i < in_large ? i / (size + 1) : large + (size ? (i - in_large) / size : 0);

        put(o, from + (uint32_t)i, EXEC_INT, tile + 1);
    }
}

/* Shares of rows: before the peers of a row (percent_rank), or up to the last of them. */
static void share_rows(struct out *o, uint32_t from, uint32_t to, bool before)
{
    for (uint32_t i = from, end; i < to; i = end) {
        end = end_of(o->w, o->w->peers, i);
        double all = before ? (double)(to - from) - 1 : (double)(to - from);
        double part = all > 0 ? (double)((before ? i : end) - from) / all : 0.0;

        for (uint32_t k = i; k < end; k++)
            put(o, k, EXEC_REAL, orma_exec_bits(part));
    }
}

static void first_or_last(struct out *o, uint32_t from, uint32_t to, bool last, bool rows)
{
    for (uint32_t i = from, end; i < to; i = end) {
        end = rows ? i + 1 : end_of(o->w, o->w->peers, i);
        struct orma_exec_value v = get(&o->arg, last ? end - 1 : from);

        for (uint32_t k = i; k < end; k++)
            put(o, k, v.tag, v.bits);
    }
}

struct running {
    int64_t whole, count;
    struct orma_kbn real;
    bool is_real;
    struct orma_exec_value best;
};

static void add_whole(struct orma_kbn *to, int64_t val)
{
    int64_t low = val % 16384;

    if (val > -(INT64_C(1) << 52) && val < INT64_C(1) << 52) {
        orma_kbn_add(to, (double)val);
        return;
    }
    orma_kbn_add(to, (double)(val - low));
    orma_kbn_add(to, (double)low);
}

static bool add_sum(struct orma_exec_plan *plan, struct running *r, struct orma_exec_value v)
{
    if (v.tag == EXEC_TEXT)
        return orma_exec_give_up(plan, "the sum of a text");
    r->count++;
    if (v.tag == EXEC_REAL) {
        if (!r->is_real)
            add_whole(&r->real, r->whole);
        r->is_real = true;
        orma_kbn_add(&r->real, orma_exec_double(v.bits));
    } else if (r->is_real) {
        add_whole(&r->real, v.bits);
    } else if (__builtin_add_overflow(r->whole, v.bits, &r->whole)) {
        return orma_exec_give_up(plan, "a sum that overflows");
    }
    return true;
}

static bool add_row(struct orma_exec_plan *plan, enum orma_exec_func func, struct running *r,
                    struct orma_exec_value v)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    int cmp;

    if (func == EXEC_COUNT_ALL) {
        r->count++;
        return true;
    }
    if (v.tag == EXEC_NULL)
        return true;
    if (func == EXEC_COUNT) {
        r->count++;
        return true;
    }
    if (func != EXEC_MIN && func != EXEC_MAX)
        return add_sum(plan, r, v);
    cmp = r->best.tag == EXEC_NULL ? 0 : orma_exec_compare(pool, r->best, v);
    if (r->best.tag == EXEC_NULL || (func == EXEC_MIN ? cmp > 0 : cmp < 0))
        r->best = v;
    return true;
}

static struct orma_exec_value of_double(double d)
{
    if (d != d)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){EXEC_REAL, orma_exec_bits(d)};
}

static struct orma_exec_value value_of(enum orma_exec_func func, const struct running *r)
{
    double real = r->is_real ? orma_kbn_value(&r->real) : (double)r->whole;

    if (func == EXEC_MIN || func == EXEC_MAX)
        return r->best;
    if (func <= EXEC_COUNT)
        return (struct orma_exec_value){EXEC_INT, r->count};
    if (func == EXEC_TOTAL)
        return of_double(real);
    if (!r->count)
        return (struct orma_exec_value){EXEC_NULL, 0};
    if (func == EXEC_AVG)
        return of_double(real / (double)r->count);
    return r->is_real ? of_double(real) : (struct orma_exec_value){EXEC_INT, r->whole};
}

/* From the begin of the partition to the row, or to its last peer. */
static bool run_aggregate(struct out *o, uint32_t from, uint32_t to, enum orma_exec_func func,
                          bool rows)
{
    struct running r = {.best.tag = EXEC_NULL};

    for (uint32_t i = from, end; i < to; i = end) {
        end = rows ? i + 1 : end_of(o->w, o->w->peers, i);
        for (uint32_t k = i; k < end; k++) {
            if (!add_row(o->w->plan, func, &r, get(&o->arg, k)) ||
                (!(k % EXEC_LOOK) && orma_exec_should_stop(o->w->plan)))
                return false;
        }
        struct orma_exec_value v = value_of(func, &r);
        for (uint32_t k = i; k < end; k++)
            put(o, k, v.tag, v.bits);
    }
    return true;
}

/* ---- frames that move ---- */

/* One value of each frame: the first, last or n-th. */
static void pick_of_frames(struct out *o, uint32_t from, uint32_t to,
                           const struct orma_exec_wins_func *f)
{
    for (uint32_t i = from; i < to; i++) {
        int64_t lo = o->w->from[i], hi = o->w->to[i];
        int64_t at = f->func == EXEC_LAST_VALUE  ? hi - 1
                     : f->func == EXEC_NTH_VALUE ? lo + f->offset - 1
                                                 : lo;
        struct orma_exec_value v = {EXEC_NULL, 0};

        if (at >= lo && at < hi)
            v = get(&o->arg, (uint32_t)at);
        put(o, i, v.tag, v.bits);
    }
}

/* What a row leaves behind: of integers nothing. Doubles would keep what was rounded. */
static bool drop_row(struct orma_exec_plan *plan, enum orma_exec_func func, struct running *r,
                     struct orma_exec_value v)
{
    if (func == EXEC_COUNT_ALL) {
        r->count--;
        return true;
    }
    if (v.tag == EXEC_NULL)
        return true;
    r->count--;
    if (func == EXEC_COUNT)
        return true;
    if (r->is_real || __builtin_sub_overflow(r->whole, v.bits, &r->whole))
        return orma_exec_give_up(plan, "a moving sum of doubles, or that overflows");
    return true;
}

static bool sum_frames(struct out *o, uint32_t from, uint32_t to, enum orma_exec_func func)
{
    struct running r = {.best.tag = EXEC_NULL}, all = r;
    uint32_t lo = from, hi = from;

    for (uint32_t i = from; i < to; i++) {
        for (; hi < o->w->to[i]; hi++) {
            struct orma_exec_value v = get(&o->arg, hi);

            if (!add_row(o->w->plan, func, &r, v) ||
                (!(hi % EXEC_LOOK) && orma_exec_should_stop(o->w->plan)))
                return false;
            /* SQLite may have added more of them before it drops some */
            v.bits = v.tag == EXEC_INT && v.bits < 0 ? -1 - v.bits : v.bits;
            if (func > EXEC_COUNT && v.tag == EXEC_INT && !add_sum(o->w->plan, &all, v))
                return false;
        }
        for (; lo < o->w->from[i]; lo++) {
            if (!drop_row(o->w->plan, func, &r, get(&o->arg, lo)))
                return false;
        }
        struct orma_exec_value v = value_of(func, &r);
        put(o, i, v.tag, v.bits);
    }
    return true;
}

/* The best of each frame is the first of a list in which each row is better than those behind. */
static bool best_of_frames(struct out *o, uint32_t from, uint32_t to, enum orma_exec_func func)
{
    const struct orma_strpool *pool = &o->w->plan->sql->storage->pool;
    uint32_t *list = orma_large_alloc(((size_t)(to - from) + 1) * sizeof(*list)), first = 0,
             num = 0;
    uint32_t hi = from;
    uint8_t seen = 0;

    if (!list)
        return orma_exec_give_up(o->w->plan, "memory");
    for (uint32_t i = from; i < to; i++) {
        for (; hi < o->w->to[i]; hi++) {
            struct orma_exec_value v = get(&o->arg, hi);

            seen |= v.tag;
            while (v.tag != EXEC_NULL && num > first) {
                int cmp = orma_exec_compare(pool, get(&o->arg, list[num - 1]), v);

                if (func == EXEC_MIN ? cmp <= 0 : cmp >= 0)
                    break;
                num--;
            }
            if (v.tag != EXEC_NULL)
                list[num++] = hi;
        }
        while (first < num && list[first] < o->w->from[i])
            first++;
        struct orma_exec_value best = {EXEC_NULL, 0};
        if (first < num)
            best = get(&o->arg, list[first]);
        put(o, i, best.tag, best.bits);
    }
    orma_large_free(list);
    return (seen & (EXEC_INT | EXEC_REAL)) != (EXEC_INT | EXEC_REAL) ||
           orma_exec_give_up(o->w->plan, "values of several types in a frame");
}

static bool run_frames(struct out *o, const struct orma_exec_wins_func *f, uint32_t from,
                       uint32_t to)
{
    switch (f->func) {
    case EXEC_FIRST_VALUE:
    case EXEC_LAST_VALUE:
    case EXEC_NTH_VALUE:
        pick_of_frames(o, from, to, f);
        return true;
    case EXEC_MIN:
    case EXEC_MAX:
        return best_of_frames(o, from, to, f->func);
    default:
        return sum_frames(o, from, to, f->func);
    }
}

static bool run_partition(struct out *o, const struct orma_exec_wins_func *f, uint32_t from,
                          uint32_t to)
{
    bool rows = o->w->win->extent.unit == ORMA_EXEC_ROWS;

    switch (f->func) {
    case EXEC_ROW_NUMBER:
        number_rows(o, from, to);
        return true;
    case EXEC_RANK:
    case EXEC_DENSE_RANK:
        rank_rows(o, from, to, f->func == EXEC_DENSE_RANK);
        return true;
    case EXEC_LEAD:
    case EXEC_LAG:
        shift_rows(o, from, to, f->func == EXEC_LEAD ? f->offset : -f->offset);
        return true;
    case EXEC_NTILE:
        deal_rows(o, from, to, f->offset);
        return true;
    case EXEC_PERCENT_RANK:
    case EXEC_CUME_DIST:
        share_rows(o, from, to, f->func == EXEC_PERCENT_RANK);
        return true;
    case EXEC_FIRST_VALUE:
    case EXEC_LAST_VALUE:
        if (o->w->from)
            return run_frames(o, f, from, to);
        first_or_last(o, from, to, f->func == EXEC_LAST_VALUE, rows);
        return true;
    default:
        return o->w->from ? run_frames(o, f, from, to) : run_aggregate(o, from, to, f->func, rows);
    }
}

/* Without a type that is not the first there is no need to keep it for each. */
static void simplify(struct orma_exec_slot *s, uint32_t stored, bool all)
{
    if (!all || !stored) /* some were never set */
        return;
    for (uint32_t i = 1; i < stored; i++) {
        if (s->tags[i] != s->tags[0])
            return;
    }
    s->tag = s->tags[0];
    orma_large_free(s->tags);
    s->tags = NULL;
}

static bool run_func(struct windower *w, const struct orma_exec_wins_func *f, uint32_t stored)
{
    struct orma_exec_frame *frame = &w->q->frame;
    struct orma_exec_slot *to = &frame->slots[f->slot];
    struct out o = {.w = w, .to = to, .order = frame->order};
    bool ok = (!f->arg || orma_exec_run_fill_slot(w->plan, w->q, f->arg, &o.arg)) &&
              (!f->fallback || orma_exec_run_fill_slot(w->plan, w->q, f->fallback, &o.fallback));

    to->vals = ok ? orma_large_alloc(((size_t)stored + 1) * sizeof(*to->vals)) : NULL;
    to->tags = ok ? orma_large_alloc((size_t)stored + 1) : NULL;
    if (ok && (!to->vals || !to->tags))
        ok = orma_exec_give_up(w->plan, "memory");
    for (uint32_t from = 0, end; ok && from < w->rows; from = end) {
        end = end_of(w, w->parts, from);
        ok = !orma_exec_should_stop(w->plan) && run_partition(&o, f, from, end);
    }
    if (ok)
        simplify(to, stored, w->rows == stored);
    orma_exec_slot_fini(&o.arg);
    orma_exec_slot_fini(&o.fallback);
    return ok;
}

bool orma_exec_run_windows(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    uint32_t stored = q->frame.rows;
    bool ok = true;

    if (q->frame.order) { /* groups that were sorted: slots are wider than what is left of them */
        for (uint32_t i = 0; i < q->frame.rows; i++)
            stored = ORMA_MAX(stored, q->frame.order[i] + 1);
    }
    for (uint32_t i = q->wins.len; ok && i-- > 0;) {
        struct windower w = {.plan = plan, .q = q, .win = q->wins.data[i], .rows = q->frame.rows};

        if (!w.rows)
            return true;
        ok = sort_window(&w) && find_borders(&w) &&
             (!needs_frames(w.win) ||
              orma_exec_run_extents(plan, q, w.win, w.parts, w.peers, &w.from, &w.to));
        for (unsigned k = 0; ok && k < w.win->funcs_num; k++)
            ok = run_func(&w, &w.win->funcs[k], stored);
        orma_large_free(w.parts);
        orma_large_free(w.peers);
        orma_large_free(w.from);
        orma_large_free(w.to);
    }
    return ok;
}
