/*
 * Window functions: each is a pass over the rows of a partition, or over the frames in it.
 */
#include "processor/sql/exec/run/aggregate.h"
#include "processor/sql/exec/run/window.h"

uint32_t orma_exec_run_next_begin(const uint64_t *bits, uint32_t at, uint32_t to)
{
    while (at < to && !orma_exec_bit(bits, at)) {
        /* whole words without a begin */
        if (!(at & 63) && !bits[at >> 6] && to - at > 64)
            at += 64;
        else
            at++;
    }
    return at;
}

uint32_t orma_exec_run_end_of(const struct orma_exec_windower *w, const uint64_t *bits,
                              uint32_t from)
{
    return orma_exec_run_next_begin(bits, from + 1, w->rows);
}

/* Rows [from, to) of one partition after the other: `each` gets those of one, and where that begins
 * and ends. */
typedef void each_part(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                       uint32_t first, uint32_t last, uint32_t begin, uint32_t end);

static bool for_parts(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                      uint32_t from, uint32_t to, each_part *each)
{
    uint32_t begin = o->begin;

    for (uint32_t first = from, last; first < to; first = begin = last) {
        last = orma_exec_run_next_begin(o->w->parts, first + 1, to);
        each(o, f, first, last, begin, last < to ? last : o->end);
    }
    return !orma_exec_should_stop(o->w->plan);
}

static void number_rows(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                        uint32_t first, uint32_t last, uint32_t begin, uint32_t end)
{
    (void)f;
    (void)end;
    for (uint32_t i = first; i < last; i++)
        orma_exec_put(o, i, EXEC_INT, (int64_t)(i - begin) + 1);
}

static void rank_rows(struct orma_exec_partition *o, uint32_t from, uint32_t to, bool dense)
{
    int64_t rank = 0;

    for (uint32_t i = from; i < to; i++) {
        if (i == from || orma_exec_bit(o->w->peers, i))
            rank = dense ? rank + 1 : (int64_t)(i - from) + 1;
        orma_exec_put(o, i, EXEC_INT, rank);
    }
}

static void shift_rows(struct orma_exec_partition *o, uint32_t first, uint32_t last, uint32_t begin,
                       uint32_t end, int64_t by)
{
    for (uint32_t i = first; i < last; i++) {
        int64_t at = (int64_t)i + by;
        bool there = at >= begin && at < end;
        struct orma_exec_value v =
            there ? orma_exec_get(&o->arg, (uint32_t)at) : orma_exec_get(&o->fallback, i);

        orma_exec_put(o, i, v.tag, v.bits);
    }
}

static void lead_rows(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                      uint32_t first, uint32_t last, uint32_t begin, uint32_t end)
{
    shift_rows(o, first, last, begin, end, f->offset);
}

static void lag_rows(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                     uint32_t first, uint32_t last, uint32_t begin, uint32_t end)
{
    shift_rows(o, first, last, begin, end, -f->offset);
}

/* As large as can be, those at the begin by one larger than those at the end. */
static void share_out_tiles(struct orma_exec_partition *o, uint32_t from, uint32_t to,
                            int64_t tiles)
{
    int64_t rows = to - from, size = rows / tiles, large = rows - tiles * size;
    int64_t in_large = large * (size + 1);

    for (int64_t i = 0; i < rows; i++) {
        int64_t tile = i < in_large ? i / (size + 1) : large + (size ? (i - in_large) / size : 0);

        orma_exec_put(o, from + (uint32_t)i, EXEC_INT, tile + 1);
    }
}

/* Shares of rows: before the peers of a row (percent_rank), or up to the last of them. */
static void share_rows(struct orma_exec_partition *o, uint32_t from, uint32_t to, bool before)
{
    for (uint32_t i = from, end; i < to; i = end) {
        end = orma_exec_run_end_of(o->w, o->w->peers, i);
        double all = before ? (double)(to - from) - 1 : (double)(to - from);
        double part = all > 0 ? (double)((before ? i : end) - from) / all : 0.0;

        for (uint32_t k = i; k < end; k++)
            orma_exec_put(o, k, EXEC_REAL, orma_exec_bits(part));
    }
}

static void first_or_last(struct orma_exec_partition *o, uint32_t from, uint32_t to, bool last,
                          bool rows)
{
    for (uint32_t i = from, end; i < to; i = end) {
        end = rows ? i + 1 : orma_exec_run_end_of(o->w, o->w->peers, i);
        struct orma_exec_value v = orma_exec_get(&o->arg, last ? end - 1 : from);

        for (uint32_t k = i; k < end; k++)
            orma_exec_put(o, k, v.tag, v.bits);
    }
}

/* One value of each frame: the last, or the n-th from 1. */
static void pick_of_frames(struct orma_exec_partition *o, uint32_t from, uint32_t to, bool last,
                           int64_t nth)
{
    for (uint32_t i = from; i < to; i++) {
        int64_t lo = o->w->from[i], hi = o->w->to[i];
        int64_t at = last ? hi - 1 : lo + nth - 1;
        struct orma_exec_value v = {EXEC_NULL, 0};

        if (at >= lo && at < hi)
            v = orma_exec_get(&o->arg, (uint32_t)at);
        orma_exec_put(o, i, v.tag, v.bits);
    }
}

bool orma_exec_run_row_number(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                              uint32_t from, uint32_t to)
{
    return for_parts(o, f, from, to, number_rows);
}

bool orma_exec_run_rank(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                        uint32_t from, uint32_t to)
{
    (void)f;
    rank_rows(o, from, to, false);
    return true;
}

bool orma_exec_run_dense_rank(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                              uint32_t from, uint32_t to)
{
    (void)f;
    rank_rows(o, from, to, true);
    return true;
}

bool orma_exec_run_lead(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                        uint32_t from, uint32_t to)
{
    return for_parts(o, f, from, to, lead_rows);
}

bool orma_exec_run_lag(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                       uint32_t from, uint32_t to)
{
    return for_parts(o, f, from, to, lag_rows);
}

bool orma_exec_run_ntile(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                         uint32_t from, uint32_t to)
{
    share_out_tiles(o, from, to, f->offset);
    return true;
}

bool orma_exec_run_percent_rank(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                                uint32_t from, uint32_t to)
{
    (void)f;
    share_rows(o, from, to, true);
    return true;
}

bool orma_exec_run_cume_dist(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                             uint32_t from, uint32_t to)
{
    (void)f;
    share_rows(o, from, to, false);
    return true;
}

bool orma_exec_run_first_value(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                               uint32_t from, uint32_t to)
{
    const bool rows = o->w->win->extent.unit == ORMA_EXEC_ROWS;

    (void)f;
    if (o->w->from)
        pick_of_frames(o, from, to, false, 1);
    else
        first_or_last(o, from, to, false, rows);
    return true;
}

bool orma_exec_run_last_value(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                              uint32_t from, uint32_t to)
{
    const bool rows = o->w->win->extent.unit == ORMA_EXEC_ROWS;

    (void)f;
    if (o->w->from)
        pick_of_frames(o, from, to, true, 0);
    else
        first_or_last(o, from, to, true, rows);
    return true;
}

bool orma_exec_run_nth_value(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                             uint32_t from, uint32_t to)
{
    pick_of_frames(o, from, to, false, f->offset);
    return true;
}

/* ---- aggregates ---- */

/* The best of each frame is the first of a list in which each row is better than those behind. */
static bool best_of_frames(struct orma_exec_partition *o, uint32_t from, uint32_t to, bool least)
{
    const struct orma_strpool *pool = &o->w->plan->sql->storage->pool;
    uint32_t *list = orma_large_alloc(((size_t)(to - from) + 1) * sizeof(*list)), first = 0,
             num = 0;
    uint32_t hi = from;
    uint8_t seen = 0;

    if (!list)
        return orma_exec_give_up(o->w->plan, "out of memory");
    for (uint32_t i = from; i < to; i++) {
        for (; hi < o->w->to[i]; hi++) {
            struct orma_exec_value v = orma_exec_get(&o->arg, hi);

            seen |= v.tag;
            while (v.tag != EXEC_NULL && num > first) {
                int cmp = orma_exec_compare(pool, orma_exec_get(&o->arg, list[num - 1]), v);

                if (least ? cmp <= 0 : cmp >= 0)
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
            best = orma_exec_get(&o->arg, list[first]);
        orma_exec_put(o, i, best.tag, best.bits);
    }
    orma_large_free(list);
    return (seen & (EXEC_INT | EXEC_REAL)) != (EXEC_INT | EXEC_REAL) ||
           orma_exec_give_up(o->w->plan, "values of several types in a frame");
}

bool orma_exec_run_moving_min(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                              uint32_t from, uint32_t to)
{
    (void)f;
    return best_of_frames(o, from, to, true);
}

bool orma_exec_run_moving_max(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                              uint32_t from, uint32_t to)
{
    (void)f;
    return best_of_frames(o, from, to, false);
}

static bool add_row(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                    struct orma_exec_state *s, uint32_t i)
{
    struct orma_exec_value v = {EXEC_INT, 0}; /* of count(*) */

    if (f->arg)
        v = orma_exec_get(&o->arg, i);
    return v.tag == EXEC_NULL || f->function->step(o->w->plan, s, v);
}

static bool drop_row(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                     struct orma_exec_state *s, uint32_t i)
{
    struct orma_exec_value v = {EXEC_INT, 0};

    if (f->arg)
        v = orma_exec_get(&o->arg, i);
    return v.tag == EXEC_NULL || f->function->drop(o->w->plan, s, v);
}

static struct orma_exec_value final_of(const struct orma_exec_function *fn,
                                       const struct orma_exec_state *s)
{
    return fn->final ? fn->final(s) : s->val;
}

/* From the begin of the partition to the row, or to its last peer. */
static bool run_running(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                        uint32_t from, uint32_t to, bool rows)
{
    struct orma_exec_state s = {.val.tag = EXEC_NULL};

    for (uint32_t i = from, end; i < to; i = end) {
        end = rows ? i + 1 : orma_exec_run_end_of(o->w, o->w->peers, i);
        for (uint32_t k = i; k < end; k++) {
            if (!add_row(o, f, &s, k) || (!(k % EXEC_LOOK) && orma_exec_should_stop(o->w->plan)))
                return false;
        }
        struct orma_exec_value v = final_of(f->function, &s);
        for (uint32_t k = i; k < end; k++)
            orma_exec_put(o, k, v.tag, v.bits);
    }
    return true;
}

/* SQLite may have added more values before it drops some: their sum must not overflow, either. */
static bool add_size(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                     struct orma_exec_state *all, uint32_t i)
{
    struct orma_exec_value v = f->arg ? orma_exec_get(&o->arg, i) : (struct orma_exec_value){0};

    if (!f->function->by_order_of_reals || v.tag != EXEC_INT)
        return true;
    v.bits = v.bits < 0 ? -1 - v.bits : v.bits;
    return f->function->step(o->w->plan, all, v);
}

/*
 * Whether SQLite drops what has left the frame of a row before it adds what is new in it: it does
 * so behind the row before. In other frames it has a different order, which shows in sums of
 * doubles.
 */
static bool drops_first(const struct orma_exec_windower *w)
{
    return w->win->extent.unit == ORMA_EXEC_ROWS && w->win->extent.from != ORMA_EXEC_AFTER;
}

static bool run_moving(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                       uint32_t from, uint32_t to)
{
    struct orma_exec_state s = {.val.tag = EXEC_NULL}, all = s;
    const bool first = drops_first(o->w);
    uint32_t lo = from, hi = from;

    if (!f->function->drop)
        return orma_exec_give_up(o->w->plan, "a frame that moves");
    for (uint32_t i = from; i < to; i++) {
        for (; first && lo < hi && lo < o->w->from[i]; lo++) {
            if (!drop_row(o, f, &s, lo))
                return false;
        }
        for (; hi < o->w->to[i]; hi++) {
            if (!add_row(o, f, &s, hi) || !add_size(o, f, &all, hi) ||
                (!(hi % EXEC_LOOK) && orma_exec_should_stop(o->w->plan)))
                return false;
        }
        for (; lo < o->w->from[i]; lo++) {
            if (s.is_real)
                return orma_exec_give_up(o->w->plan, "a frame that moves over doubles");
            if (!drop_row(o, f, &s, lo))
                return false;
        }
        struct orma_exec_value v = final_of(f->function, &s);
        orma_exec_put(o, i, v.tag, v.bits);
    }
    return true;
}

bool orma_exec_run_frames(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                          uint32_t from, uint32_t to)
{
    const bool rows = o->w->win->extent.unit == ORMA_EXEC_ROWS;

    return o->w->from ? run_moving(o, f, from, to) : run_running(o, f, from, to, rows);
}
