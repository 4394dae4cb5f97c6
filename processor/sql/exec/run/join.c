/*
 * Rows of the sources of a query, a block at a time:
 *
 *   driver: a scan  ─►  step: one source more  ─►  step  ─►  sink
 *                   └ conditions as soon as all their sources are there
 *
 * A step finds the row of its source by number (`x = t.id`: a bounds check), or by a hash over a
 * column, whose rows it gives in the order of the table. Of these, or of all rows of its source, it
 * takes a range where a column that rises is compared (`x.ts BETWEEN t.ts AND t.ts + t.dur`).
 */
#include <stdlib.h>

#include "processor/sql/exec/plan/join.h"
#include "processor/sql/exec/run/team.h"

struct joiner {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_join_plan join;
    struct orma_exec_hash hashes[EXEC_SOURCES_MAX];       /* of each step */
    struct orma_exec_place *places[EXEC_SOURCES_MAX + 1]; /* of each step */
    orma_exec_sink *sink;
    const struct orma_exec_shared_scan *shared; /* NULL: one thread does it */
    void *data;
    const struct orma_exec_piece *piece; /* that it works on; NULL: all of it */
};

static bool init(struct joiner *j, struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    *j = (struct joiner){.plan = plan, .q = q};
    return orma_exec_plan_join_init(&j->join, plan, q);
}

static void fini(struct joiner *j)
{
    for (unsigned i = 0; i < j->join.steps_num; i++)
        orma_exec_run_hash_fini(&j->hashes[i]);
    orma_exec_plan_join_fini(&j->join);
    for (unsigned i = 0; i <= EXEC_SOURCES_MAX; i++)
        free(j->places[i]);
    for (unsigned i = 0; i < j->q->sources_num; i++) {
        free(j->q->sources[i]->passed);
        j->q->sources[i]->passed = NULL;
    }
}

static struct orma_exec_hash *hash_of(struct joiner *j, const struct orma_exec_step *s)
{
    return &j->hashes[s - j->join.steps];
}

/* ---- scanning one source ---- */

/* Conditions of `src` alone that a scan can test; the others stay. */
static bool add_filters(struct joiner *j, const struct orma_exec_source *src,
                        struct orma_rowscan *scan, bool mark)
{
    /* Of a LEFT JOIN they come after it. */
    for (unsigned i = 0; src->join != ORMA_EXEC_LEFT && i < j->join.conds_num; i++) {
        const struct orma_exec_expr *val;
        unsigned col;
        int op;

        if (j->join.conds[i].done || j->join.conds[i].mask != 1u << src->index ||
            scan->filters_num + 2 >= ORMA_SQL_SCAN_FILTERS_MAX ||
            !orma_exec_plan_is_filter(j->plan, j->join.conds[i].expr, &op, &col, &val) ||
            !orma_filter_can(&src->table->def->columns[col],
                             op == ORMA_FILTER_OP_IN ? SQLITE_INDEX_CONSTRAINT_EQ : op))
            continue;
        if (!orma_exec_run_add_filter(j->plan, src->table, scan, op, col, val))
            return false;
        j->join.conds[i].done |= mark;
    }
    return true;
}

static bool scan_shared(struct joiner *j, const struct orma_rowscan *scan, uint32_t lo,
                        uint32_t hi);

typedef bool each_block(struct joiner *j, const struct orma_exec_rows *rows, void *data);

static bool scan_plain(struct joiner *j, const struct orma_exec_source *src, uint32_t lo,
                       uint32_t hi, each_block *each, void *data)
{
    for (uint32_t at = lo; at < hi; at += EXEC_BLOCK) {
        struct orma_exec_rows r = {.num = ORMA_MIN(hi - at, (uint32_t)EXEC_BLOCK), .first = at};

        (void)src;
        j->plan->looked += r.num;
        if (orma_exec_should_stop(j->plan) || !each(j, &r, data))
            return false;
        if (hi - at <= EXEC_BLOCK) /* the sum may not fit */
            break;
    }
    return true;
}

static bool scan_blocks(struct joiner *j, const struct orma_exec_source *src,
                        struct orma_rowscan *scan, each_block *each, void *data)
{
    bool ok = true;

    while (ok && !scan->failed && !orma_exec_should_stop(j->plan) && orma_rowscan_next(scan)) {
        struct orma_exec_rows r = {.num = scan->block_num};

        r.source[src->index] = scan->block;
        j->plan->looked += r.num;
        ok = each(j, &r, data);
    }
    return ok;
}

/* `drives`: its rows go through all steps, and nothing tests these conditions again. */
static bool scan_table(struct joiner *j, const struct orma_exec_source *src, bool drives,
                       each_block *each, void *data)
{
    static const struct orma_rowscan_order order = {.limit = ORMA_SQL_SCAN_NO_LIMIT};
    struct orma_rowscan *scan = malloc(sizeof(*scan));
    bool ok = scan || orma_exec_give_up(j->plan, "out of memory");

    if (!ok)
        return false;
    orma_rowscan_init(scan);
    orma_vtab_start_scan(j->plan->sql, src->table, src->proj, scan);
    ok = add_filters(j, src, scan, drives);
    if (ok)
        orma_rowscan_begin(scan, &order);
    const bool plain = orma_rowscan_is_plain(scan);
    if (ok && drives && !scan->failed && scan_shared(j, plain ? NULL : scan, scan->lo, scan->hi)) {
        ok = true;
    } else if (ok && !j->plan->why) {
        ok = plain ? scan_plain(j, src, scan->lo, scan->hi, each, data)
                   : scan_blocks(j, src, scan, each, data);
    }
    if (scan->failed)
        orma_exec_give_up(j->plan, "out of memory");
    orma_rowscan_fini(scan);
    free(scan);
    return ok && !j->plan->why;
}

static bool scan_source(struct joiner *j, const struct orma_exec_source *src, bool drives,
                        each_block *each, void *data)
{
    if (src->table)
        return scan_table(j, src, drives, each, data);
    if (drives && scan_shared(j, NULL, 0, src->query->frame.rows))
        return true;
    return !j->plan->why && scan_plain(j, src, 0, src->query->frame.rows, each, data);
}

/* ---- rows of a block ---- */

/* The picked ones, of all sources that are there. */
static void pick_rows(const struct joiner *j, const struct orma_exec_rows *from, uint32_t known,
                      const uint32_t *picked, uint32_t num, struct orma_exec_place *to, uint32_t at,
                      struct orma_exec_rows *ret)
{
    for (unsigned s = 0; s < j->q->sources_num; s++) {
        if (!(known >> s & 1))
            continue;
        for (uint32_t i = 0; i < num; i++)
            to->rows[s][at + i] =
                from->source[s] ? from->source[s][picked[i]] : from->first + picked[i];
        ret->source[s] = to->rows[s];
    }
    ret->num = at + num;
}

/* Tests what can be tested now: rows that pass, in *ret, which lie in `to` unless all did. */
static bool filter_rows(struct joiner *j, const struct orma_exec_rows *rows, uint32_t known,
                        uint32_t before, struct orma_exec_place *to, struct orma_exec_rows *ret)
{
    uint32_t picked[EXEC_BLOCK];

    *ret = *rows;
    for (unsigned i = 0; i < j->join.conds_num && ret->num; i++) {
        const struct orma_exec_condition *c = &j->join.conds[i];
        struct orma_exec_rows from = *ret;

        if (c->done || c->mask & ~known || (before && !(c->mask & ~before)))
            continue;
        int num = orma_exec_run_filter(j->plan, c->expr, &from, picked);
        if (num < 0)
            return false;
        if ((uint32_t)num == from.num)
            continue;
        /* In place: picked rows lie at or behind where they go. */
        pick_rows(j, &from, known, picked, (uint32_t)num, to, 0, ret);
    }
    return true;
}

/* ---- lists of rows ---- */

static bool build_block(struct joiner *j, const struct orma_exec_rows *rows, void *data)
{
    struct orma_exec_step *s = data;
    bool left = s->src->join == ORMA_EXEC_LEFT;
    struct orma_exec_vec *v = orma_exec_take_vec(j->plan), *vals = orma_exec_take_vec(j->plan);
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_rows passed = *rows;
    uint32_t self = 1u << s->src->index, picked[EXEC_BLOCK];
    bool ok = v && vals && place && (left || filter_rows(j, rows, self, 0, place, &passed));

    for (uint32_t i = 0; ok && left && i < s->src->on.len; i++) {
        struct orma_exec_rows from = passed;

        if (orma_exec_plan_sources_of(s->src->on.data[i]) != self)
            continue;
        int num = orma_exec_run_filter(j->plan, s->src->on.data[i], &from, picked);
        ok = num >= 0;
        if (ok)
            pick_rows(j, &from, self, picked, (uint32_t)num, place, 0, &passed);
    }
    ok = ok && (!s->build || orma_exec_run_eval(j->plan, s->build, &passed, v)) &&
         (!s->range.of || orma_exec_run_eval(j->plan, s->range.of, &passed, vals)) &&
         orma_exec_run_hash_add(j->plan, hash_of(j, s), passed.source[s->src->index], passed.first,
                                passed.num, s->build ? v : NULL, s->range.of ? vals : NULL);
    orma_exec_give_vec(j->plan, v);
    orma_exec_give_vec(j->plan, vals);
    free(place);
    return ok;
}

static bool mark_block(struct joiner *j, const struct orma_exec_rows *rows, void *data)
{
    struct orma_exec_source *src = data;

    (void)j;
    for (uint32_t i = 0; i < rows->num; i++) {
        uint32_t row = rows->source[src->index] ? rows->source[src->index][i] : rows->first + i;

        src->passed[row >> 5] |= 1u << (row & 31);
    }
    return true;
}

/* Which rows a projection has, for steps by number. */
static bool mark_passed(struct joiner *j, struct orma_exec_source *src)
{
    if (!src->proj || src->proj->choices[0].choice == ORMA_CHOOSE_ALL)
        return true;
    src->passed = calloc(src->table->rows / 32 + 1, sizeof(*src->passed));
    if (!src->passed)
        return orma_exec_give_up(j->plan, "out of memory");
    return scan_table(j, src, false, mark_block, src);
}

static bool prepare_steps(struct joiner *j)
{
    for (unsigned i = 0; i < j->join.steps_num; i++) {
        struct orma_exec_step *s = &j->join.steps[i];
        bool ok = s->by_number ? mark_passed(j, s->src)
                               : scan_source(j, s->src, false, build_block, s) &&
                                     orma_exec_run_hash_link(j->plan, hash_of(j, s));

        if (!ok)
            return false;
    }
    return true;
}

/* ---- steps ---- */

static bool run_step(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                     uint32_t known, uint32_t before);

static uint32_t row_by_number(const struct orma_exec_source *src, uint8_t tag, int64_t val)
{
    if (tag != EXEC_INT || (uint64_t)val >= src->table->rows)
        return EXEC_NO_ROW;
    if (src->passed && !(src->passed[val >> 5] >> (val & 31) & 1))
        return EXEC_NO_ROW;
    return (uint32_t)val;
}

/* Rows of a LEFT JOIN that do not meet its other conditions are none. */
static bool check_on(struct joiner *j, const struct orma_exec_step *s, struct orma_exec_rows *rows,
                     uint32_t *list)
{
    uint32_t picked[EXEC_BLOCK];

    for (uint32_t i = 0; i < s->on.len; i++) {
        int num = orma_exec_run_filter(j->plan, s->on.data[i], rows, picked);
        uint32_t k = 0;

        if (num < 0)
            return false;
        for (uint32_t row = 0; row < rows->num; row++) {
            if (k < (uint32_t)num && picked[k] == row)
                k++;
            else
                list[row] = EXEC_NO_ROW;
        }
    }
    return true;
}

static bool step_by_number(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                           uint32_t known, const struct orma_exec_vec *v)
{
    const struct orma_exec_step *s = &j->join.steps[at];
    struct orma_exec_place *place = j->places[at + 1];
    uint32_t *list = place->rows[s->src->index], picked[EXEC_BLOCK], num = 0;
    uint32_t both = known | 1u << s->src->index;
    struct orma_exec_rows next = *rows;
    bool left = s->src->join == ORMA_EXEC_LEFT;

    for (uint32_t i = 0; i < rows->num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        if (ORMA_UNLIKELY(tag & (EXEC_REAL | EXEC_TEXT)))
            return orma_exec_give_up(j->plan, "a join key that is not an integer");
        list[num] = row_by_number(s->src, tag, v->vals[i]);
        picked[num] = i;
        num += left || list[num] != EXEC_NO_ROW;
    }
    if (num < rows->num)
        pick_rows(j, rows, known, picked, num, place, 0, &next);
    next.source[s->src->index] = list;
    return (!left || check_on(j, s, &next, list)) && run_step(j, at + 1, &next, both, known);
}

/* A step by lists: pairs of rows of a block and rows of its source that were found so far. */
struct pairs {
    struct joiner *j;
    unsigned at;
    const struct orma_exec_rows *rows;
    uint32_t known;
    uint32_t picked[EXEC_BLOCK], *list, num;
    bool met; /* of the last row: one passed what a LEFT JOIN asks besides */
};

/* Leaves out what does not meet the other conditions of a LEFT JOIN, and rows without a partner of
 * those that have one. */
static bool check_pairs(struct pairs *p, struct orma_exec_rows *next)
{
    const struct orma_exec_step *s = &p->j->join.steps[p->at];
    uint32_t passed[EXEC_BLOCK], num = 0;
    bool good[EXEC_BLOCK];

    memset(good, true, p->num);
    for (uint32_t c = 0; c < s->on.len; c++) {
        int n = orma_exec_run_filter(p->j->plan, s->on.data[c], next, passed);
        uint32_t k = 0;

        if (n < 0)
            return false;
        for (uint32_t i = 0; i < p->num; i++) {
            bool pass = k < (uint32_t)n && passed[k] == i;

            k += pass;
            good[i] &= pass;
        }
    }
    for (uint32_t i = 0; i < p->num; i++) {
        bool none = p->list[i] == EXEC_NO_ROW, keep = none ? !p->met : good[i];

        p->met = !none && (p->met || keep);
        p->picked[num] = p->picked[i];
        p->list[num] = p->list[i];
        num += keep;
    }
    p->num = num;
    return true;
}

static void pair_up(struct pairs *p, struct orma_exec_rows *next)
{
    *next = *p->rows;
    pick_rows(p->j, p->rows, p->known, p->picked, p->num, p->j->places[p->at + 1], 0, next);
    next->source[p->j->join.steps[p->at].src->index] = p->list;
}

static bool flush_pairs(struct pairs *p)
{
    const struct orma_exec_step *s = &p->j->join.steps[p->at];
    struct orma_exec_rows next;

    if (!p->num)
        return true;
    pair_up(p, &next);
    if (s->on.len) {
        if (!check_pairs(p, &next))
            return false;
        pair_up(p, &next);
    }
    bool ok = !p->num || run_step(p->j, p->at + 1, &next, p->known | 1u << s->src->index, p->known);
    p->num = 0;
    return ok && !orma_exec_should_stop(p->j->plan);
}

static bool add_pair(struct pairs *p, uint32_t i, uint32_t row)
{
    p->picked[p->num] = i;
    p->list[p->num++] = row;
    return p->num < EXEC_BLOCK || flush_pairs(p);
}

/* Values of a step for a block of rows; those that it does not have are NULL. */
struct probes {
    struct orma_exec_vec *key, *lo, *hi;
};

static bool find_list(struct joiner *j, const struct orma_exec_step *s, const struct probes *v,
                      uint32_t i, uint32_t *from, uint32_t *to)
{
    const struct orma_exec_range *x = &s->range;

    return orma_exec_run_hash_find(j->plan, hash_of(j, s), v->key, i, from, to) &&
           (!v->lo || *from == *to ||
            orma_exec_run_hash_cut(j->plan, hash_of(j, s), v->lo, i, true, x->lo_strict, from,
                                   to)) &&
           (!v->hi || *from == *to ||
            orma_exec_run_hash_cut(j->plan, hash_of(j, s), v->hi, i, false, x->hi_strict, from,
                                   to));
}

static bool step_by_lists(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                          uint32_t known, const struct probes *v)
{
    const struct orma_exec_step *s = &j->join.steps[at];
    struct pairs p = {.j = j, .at = at, .rows = rows, .known = known};
    const bool left = s->src->join == ORMA_EXEC_LEFT;

    p.list = j->places[at + 1]->rows[s->src->index];
    for (uint32_t i = 0; i < rows->num; i++) {
        uint32_t from, to;

        if (!find_list(j, s, v, i, &from, &to))
            return false;
        for (uint32_t k = from; k < to; k++) {
            if (!add_pair(&p, i, hash_of(j, s)->rows[k]))
                return false;
        }
        /* last of each row of a LEFT JOIN; it stays if no other did */
        if (left && (from == to || s->on.len) && !add_pair(&p, i, EXEC_NO_ROW))
            return false;
    }
    return flush_pairs(&p);
}

/* NULL in *ret if there is nothing to be evaluated. */
static bool eval_probe(struct joiner *j, struct orma_exec_expr *e,
                       const struct orma_exec_rows *rows, struct orma_exec_vec **ret)
{
    *ret = e ? orma_exec_take_vec(j->plan) : NULL;
    return !e || (*ret && orma_exec_run_eval(j->plan, e, rows, *ret));
}

static bool step_by_probes(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                           uint32_t known)
{
    const struct orma_exec_step *s = &j->join.steps[at];
    const bool ranged = hash_of(j, s)->ranged;
    struct probes v = {NULL, NULL, NULL};

    /* all pairs would be tried */
    if (s->range.of && !ranged && !s->build && orma_exec_source_rows(s->src) > EXEC_ALL_ROWS_MAX &&
        hash_of(j, s)->num)
        return orma_exec_give_up(j->plan, "a range join on a column that is not sorted");
    bool ok = eval_probe(j, s->probe, rows, &v.key) &&
              eval_probe(j, ranged ? s->range.lo : NULL, rows, &v.lo) &&
              eval_probe(j, ranged ? s->range.hi : NULL, rows, &v.hi) &&
              (s->by_number ? step_by_number(j, at, rows, known, v.key)
                            : step_by_lists(j, at, rows, known, &v));
    orma_exec_give_vec(j->plan, v.key);
    orma_exec_give_vec(j->plan, v.lo);
    orma_exec_give_vec(j->plan, v.hi);
    return ok;
}

static bool run_step(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                     uint32_t known, uint32_t before)
{
    struct orma_exec_rows passed;

    if (!filter_rows(j, rows, known, before, j->places[at], &passed))
        return false;
    if (!passed.num)
        return true;
    if (at == j->join.steps_num)
        return j->piece ? j->shared->sink(j->piece, &passed, j->data)
                        : j->sink(j->plan, j->q, &passed, j->data);
    return step_by_probes(j, at, &passed, known);
}

static bool drive(struct joiner *j, const struct orma_exec_rows *rows, void *data)
{
    (void)data;
    return run_step(j, 0, rows, 1u << j->join.driver->index, 0);
}

static bool make_places(struct joiner *j)
{
    for (unsigned i = 0; i <= j->join.steps_num; i++) {
        j->places[i] = malloc(sizeof(*j->places[i]));
        if (!j->places[i])
            return false;
    }
    return true;
}

/* ---- several threads ---- */

/* What is a thread's own: its joiner shares with ours what is only read from now on. */
struct sharing {
    const struct joiner *of;
    const struct orma_rowscan *scan; /* NULL: rows one after the other */
    struct joiner *own;              /* by thread */
    struct orma_rowscan *scans;
    unsigned threads;
};

static bool work_on_piece(const struct orma_exec_piece *piece, void *data)
{
    struct sharing *s = data;
    struct joiner *j = &s->own[piece->thread];
    const struct orma_exec_source *driver = j->join.driver;

    j->piece = piece;
    if (!s->scan)
        return scan_plain(j, driver, piece->from, piece->to, drive, NULL);
    struct orma_rowscan *scan = &s->scans[piece->thread];
    *scan = *s->scan;
    scan->lo = piece->from;
    scan->hi = piece->to;
    scan->helps = piece->view->helps;
    return scan_blocks(j, driver, scan, drive, NULL) && !scan->failed;
}

static bool take_piece(uint32_t piece, void *data)
{
    const struct sharing *s = data;

    return s->of->shared->take(piece, s->of->data);
}

static void sharing_fini(struct sharing *s)
{
    for (unsigned t = 0; s->own && t < s->threads; t++)
        for (unsigned i = 0; i <= EXEC_SOURCES_MAX; i++)
            free(s->own[t].places[i]);
    free(s->own);
    free(s->scans);
}

static bool sharing_init(struct sharing *s, const struct joiner *j, const struct orma_rowscan *scan,
                         const struct orma_exec_team *team)
{
    *s = (struct sharing){.of = j, .scan = scan, .threads = team->threads};
    s->own = calloc(team->threads, sizeof(*s->own));
    s->scans = scan ? calloc(team->threads, sizeof(*s->scans)) : NULL;
    if (!s->own || (scan && !s->scans))
        return false;
    for (unsigned t = 0; t < team->threads; t++) {
        s->own[t] = *j;
        s->own[t].plan = &team->views[t];
        memset(s->own[t].places, 0, sizeof(s->own[t].places));
    }
    for (unsigned t = 0; t < team->threads; t++)
        if (!make_places(&s->own[t]))
            return false;
    return true;
}

/* What the steps and conditions evaluate. */
static void share_exprs(const struct joiner *j, struct orma_exec_share *share)
{
    for (unsigned i = 0; i < j->join.conds_num; i++)
        if (!j->join.conds[i].done)
            orma_exec_run_share_expr(share, j->join.conds[i].expr);
    for (unsigned i = 0; i < j->join.steps_num; i++) {
        const struct orma_exec_step *s = &j->join.steps[i];

        orma_exec_run_share_expr(share, s->probe);
        orma_exec_run_share_expr(share, s->range.lo);
        orma_exec_run_share_expr(share, s->range.hi);
        for (uint32_t k = 0; k < s->on.len; k++)
            orma_exec_run_share_expr(share, s->on.data[k]);
    }
}

/* Rows [lo, hi) of the driver, or of the scan. False: one thread does it, unless it was given up.
 */
static bool scan_shared(struct joiner *j, const struct orma_rowscan *scan, uint32_t lo, uint32_t hi)
{
    struct orma_exec_share share = {.plan = j->plan};
    struct orma_exec_team team;
    struct sharing s = {0};

    if (!j->shared || (scan && !orma_rowscan_can_be_shared(scan)) ||
        !orma_exec_run_team_init(&team, j->plan, hi - lo))
        return false;
    share_exprs(j, &share);
    bool ok = !share.refused && j->shared->open(&team, &share, j->data);
    if (ok) {
        ok = orma_exec_run_share_ready(&share, &team) && sharing_init(&s, j, scan, &team) &&
             orma_exec_run_team_run(&team, lo, hi, work_on_piece,
                                    j->shared->take ? take_piece : NULL, &s);
        ok = j->shared->close(&team, ok, j->data) && ok;
    }
    sharing_fini(&s);
    orma_exec_run_share_fini(&share);
    orma_exec_run_team_fini(&team);
    return ok;
}

bool orma_exec_run_scan(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        orma_exec_sink *sink, const struct orma_exec_shared_scan *shared,
                        void *data)
{
    struct joiner j;
    bool ok = init(&j, plan, q);

    j.sink = sink;
    j.shared = shared;
    j.data = data;
    ok = ok && (make_places(&j) || orma_exec_give_up(plan, "out of memory"));
    ok = ok && prepare_steps(&j) && scan_source(&j, j.join.driver, true, drive, NULL);
    fini(&j);
    return ok && !plan->why;
}

/* ---- how many rows ---- */

/* Until no more may come. */
static bool count_block(struct joiner *j, const struct orma_exec_rows *rows, void *data)
{
    uint32_t *left = data;

    (void)j;
    if (rows->num > *left)
        return false;
    *left -= rows->num;
    return true;
}

bool orma_exec_run_has_few(struct orma_exec_plan *plan, struct orma_exec_query *q, uint32_t limit)
{
    struct joiner j;
    bool few = true;

    for (uint32_t i = 0; i < q->parts.len && few; i++)
        few = orma_exec_run_has_few(plan, q->parts.data[i], limit);
    if (q->parts.len)
        return few;
    few = init(&j, plan, q);
    if (few && j.join.driver->query)
        few = orma_exec_run_has_few(plan, j.join.driver->query, limit);
    else if (few)
        few = scan_table(&j, j.join.driver, false, count_block, &limit);
    fini(&j);
    return few;
}
