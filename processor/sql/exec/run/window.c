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

#include "processor/sql/exec/run/team.h"
#include "processor/sql/exec/run/window.h"

static void set(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* ---- partitions ---- */

/* In a block of rows from `at` on; *last is the value before it. */
static void mark_changes(const struct orma_exec_windower *w, const struct orma_exec_vec *v,
                         uint32_t at, uint32_t num, struct orma_exec_value *last, uint64_t *bits)
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

/* Rows [from, to): those whose value is not that of the row before. */
static bool mark_rows(const struct orma_exec_windower *w, struct orma_exec_plan *plan,
                      const struct orma_exec_expr *key, uint32_t from, uint32_t to, uint64_t *bits)
{
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    struct orma_exec_value last = {EXEC_NULL, 0};
    struct orma_exec_rows r;
    bool ok = (place && v) || orma_exec_give_up(plan, "out of memory");

    if (ok && from) {
        orma_exec_run_frame_rows(w->q, from - 1, 1, place, &r);
        ok = orma_exec_run_eval(plan, key, &r, v);
        last = (struct orma_exec_value){orma_exec_tag_at(v, 0), v->vals[0]};
    }
    for (uint32_t at = from, num; ok && at < to; at += num) {
        num = ORMA_MIN(to - at, (uint32_t)EXEC_BLOCK);
        orma_exec_run_frame_rows(w->q, at, num, place, &r);
        ok = !orma_exec_should_stop(plan) && orma_exec_run_eval(plan, key, &r, v);
        if (ok)
            mark_changes(w, v, at, num, &last, bits);
    }
    orma_exec_give_vec(plan, v);
    free(place);
    return ok;
}

struct marking {
    const struct orma_exec_windower *w;
    const struct orma_exec_expr *key;
    uint64_t *bits;
};

/* Pieces are words of bits. */
#define MARK_ROWS 64

static bool mark_piece(const struct orma_exec_piece *p, void *data)
{
    const struct marking *m = data;

    return mark_rows(m->w, p->view, m->key, p->from, p->to, m->bits);
}

/* False: one thread does it, unless the plan was given up. */
static bool mark_shared(struct orma_exec_windower *w, const struct orma_exec_keys *keys,
                        uint64_t *bits)
{
    struct orma_exec_share share = {.plan = w->plan};
    struct orma_exec_team team;
    bool ok = orma_exec_run_team_init(&team, w->plan, w->rows);

    if (ok) {
        team.piece_rows = (uint32_t)orma_align_up(team.piece_rows, MARK_ROWS);
        for (uint32_t i = 0; i < keys->len; i++)
            orma_exec_run_share_expr(&share, keys->data[i].expr);
        ok = orma_exec_run_share_ready(&share, &team);
    }
    for (uint32_t i = 0; ok && i < keys->len; i++) {
        struct marking m = {w, keys->data[i].expr, bits};

        ok = orma_exec_run_team_run(&team, 0, w->rows, mark_piece, NULL, &m);
    }
    orma_exec_run_share_fini(&share);
    orma_exec_run_team_fini(&team);
    return ok;
}

static bool mark_keys(struct orma_exec_windower *w, const struct orma_exec_keys *keys,
                      uint64_t *bits)
{
    bool ok = true;

    if (!keys->len || mark_shared(w, keys, bits))
        return true;
    for (uint32_t i = 0; ok && i < keys->len; i++)
        ok = !w->plan->why && mark_rows(w, w->plan, keys->data[i].expr, 0, w->rows, bits);
    return ok;
}

static bool needs_peers(const struct orma_exec_win *win)
{
    const bool rows = win->extent.unit == ORMA_EXEC_ROWS;
    const bool running = orma_exec_is_running(&win->extent);

    for (unsigned i = 0; i < win->funcs_num; i++) {
        const struct orma_exec_function *f = win->funcs[i].function;

        if (f->reach == EXEC_REACH_PEERS ||
            (f->reach == EXEC_REACH_FRAME && !rows && !(running && f->first_of_frame)))
            return true;
    }
    return false;
}

/* Whether a function asks where the frame of a row begins and ends. */
static bool needs_frames(const struct orma_exec_win *win)
{
    for (unsigned i = 0; i < win->funcs_num; i++) {
        const struct orma_exec_function *f = win->funcs[i].function;

        if (f->reach == EXEC_REACH_FRAME && (f->moves || !orma_exec_is_running(&win->extent)))
            return true;
    }
    return false;
}

static bool find_borders(struct orma_exec_windower *w)
{
    size_t words = w->rows / 64 + 1;

    w->parts = orma_large_zeroed(words, sizeof(*w->parts));
    w->peers = orma_large_zeroed(words, sizeof(*w->peers));
    if (!w->parts || !w->peers)
        return orma_exec_give_up(w->plan, "out of memory");
    set(w->parts, 0);
    if (!mark_keys(w, &w->win->partition, w->parts))
        return false;
    memcpy(w->peers, w->parts, words * sizeof(*w->peers));
    return !needs_peers(w->win) || mark_keys(w, &w->win->order, w->peers);
}

/* A limit on row numbers that the query around asks for makes all other rows needless. */
static bool sort_window(struct orma_exec_windower *w)
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
    ok = (ok || orma_exec_give_up(w->plan, "out of memory")) &&
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

static bool run_partition(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                          uint32_t from, uint32_t to)
{
    const struct orma_exec_function *fn = f->function;

    if (fn->window && (!fn->step || o->w->from))
        return fn->window(o, f, from, to);
    return orma_exec_run_frames(o, f, from, to);
}

/* Partitions that begin in [from, to). */
static bool run_partitions(struct orma_exec_partition *o, const struct orma_exec_wins_func *f,
                           uint32_t from, uint32_t to)
{
    bool ok = true;

    for (uint32_t end; ok; from = end) {
        from = orma_exec_run_next_begin(o->w->parts, from, to);
        if (from >= to) /* the one before may end behind */
            break;
        end = orma_exec_run_end_of(o->w, o->w->parts, from);
        o->begin = from;
        o->end = end;
        ok = !orma_exec_should_stop(o->w->plan) && run_partition(o, f, from, end);
    }
    return ok;
}

struct partitions {
    struct orma_exec_windower *by_thread; /* with views */
    const struct orma_exec_partition *of;
    const struct orma_exec_wins_func *f;
    uint32_t *begins, *ends; /* by piece: of the partitions of its first and its last row */
};

static bool run_piece(const struct orma_exec_piece *p, void *data)
{
    const struct partitions *all = data;
    struct orma_exec_partition o = *all->of;

    o.w = &all->by_thread[p->thread];
    if (!all->f->function->by_row)
        return run_partitions(&o, all->f, p->from, p->to);
    o.begin = all->begins[p->piece];
    o.end = all->ends[p->piece];
    return all->f->function->window(&o, all->f, p->from, p->to);
}

/* The last row that begins a partition, up to `at`; `before` is that of a row not behind it. */
static uint32_t last_begin(const uint64_t *bits, uint32_t from, uint32_t at, uint32_t before)
{
    for (uint32_t i = at + 1; i > from;) {
        i--;
        if (orma_exec_bit(bits, i))
            return i;
        if (!(i & 63) || bits[i >> 6])
            continue;
        i = ORMA_MAX(i & ~63u, from); /* whole words without a begin */
    }
    return before;
}

static bool find_pieces(struct partitions *all, const struct orma_exec_team *team)
{
    const uint64_t *bits = all->of->w->parts;
    const uint32_t rows = all->of->w->rows, size = team->piece_rows;

    all->begins = calloc(team->pieces, sizeof(*all->begins));
    all->ends = calloc(team->pieces, sizeof(*all->ends));
    if (!all->begins || !all->ends)
        return false;
    for (uint32_t i = 1; i < team->pieces; i++)
        all->begins[i] = last_begin(bits, (i - 1) * size + 1, i * size, all->begins[i - 1]);
    all->ends[team->pieces - 1] = rows;
    for (uint32_t i = team->pieces - 1; i-- > 0;) {
        const uint32_t to = (i + 1) * size, next = ORMA_MIN(rows - to, size) + to;
        const uint32_t at = orma_exec_run_next_begin(bits, to, next);

        all->ends[i] = at < next ? at : all->ends[i + 1];
    }
    return true;
}

/* False: one thread does it, unless the plan was given up. */
static bool run_shared(const struct orma_exec_partition *o, const struct orma_exec_wins_func *f)
{
    struct orma_exec_windower *w = o->w;
    struct partitions all = {.of = o, .f = f};
    struct orma_exec_team team;
    bool ok = orma_exec_run_team_init(&team, w->plan, w->rows);

    if (ok)
        all.by_thread = calloc(team.threads, sizeof(*all.by_thread));
    for (unsigned t = 0; all.by_thread && t < team.threads; t++) {
        all.by_thread[t] = *w;
        all.by_thread[t].plan = &team.views[t];
    }
    ok = ok && all.by_thread && find_pieces(&all, &team) &&
         orma_exec_run_team_run(&team, 0, w->rows, run_piece, NULL, &all);
    free(all.by_thread);
    free(all.begins);
    free(all.ends);
    orma_exec_run_team_fini(&team);
    return ok;
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

static bool run_func(struct orma_exec_windower *w, const struct orma_exec_wins_func *f,
                     uint32_t stored)
{
    struct orma_exec_frame *frame = &w->q->frame;
    struct orma_exec_slot *to = &frame->slots[f->slot];
    struct orma_exec_partition o = {.w = w, .to = to, .order = frame->order};
    bool ok = (!f->arg || orma_exec_run_fill_slot(w->plan, w->q, f->arg, &o.arg)) &&
              (!f->fallback || orma_exec_run_fill_slot(w->plan, w->q, f->fallback, &o.fallback));

    to->vals = ok ? orma_large_alloc(((size_t)stored + 1) * sizeof(*to->vals)) : NULL;
    to->tags = ok ? orma_large_alloc((size_t)stored + 1) : NULL;
    if (ok && (!to->vals || !to->tags))
        ok = orma_exec_give_up(w->plan, "out of memory");
    if (ok && !run_shared(&o, f))
        ok = !w->plan->why && run_partitions(&o, f, 0, w->rows);
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
        struct orma_exec_windower w = {
            .plan = plan, .q = q, .win = q->wins.data[i], .rows = q->frame.rows};

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
