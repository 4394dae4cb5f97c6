/*
 * Rows of the sources of a query, a block at a time:
 *
 *   driver: a scan  ─►  step: one source more  ─►  step  ─►  sink
 *                   └ conditions as soon as all their sources are there
 *
 * A step finds the row of its source by number (`x = t.id`: a bounds check), or by a hash over a
 * column, whose rows it gives in the order of the table. Of these, or of all rows of its source, it
 * takes a stretch where a column that rises is compared (`x.ts BETWEEN t.ts AND t.ts + t.dur`). The
 * driver is the source from which most others follow by number, and by stretches with both ends;
 * which one SQLite would begin with shows in the order of rows alone, which exec_run.c restores.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_plan.h"

/* Sources with more rows are not joined row by row with all others. */
#define ALL_ROWS_MAX 64

/* What `of` of a source, a column, is compared with: lo <= of, of <= hi. */
struct stretch {
    struct orma_exec_expr *of; /* NULL: there is none */
    struct orma_exec_expr *lo, *hi;
    bool lo_strict, hi_strict;
};

struct step {
    struct orma_exec_source *src;
    bool by_number;
    struct orma_exec_expr *probe, *build; /* an equality; NULL: there is none */
    struct stretch stretch;
    struct orma_exec_exprs on; /* what a LEFT JOIN asks besides */
    struct orma_exec_hash hash;
    uint32_t mask; /* of sources that must be there */
};

struct condition {
    struct orma_exec_expr *expr;
    uint32_t mask;
    bool done; /* by a scan or a step */
};

struct joiner {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_source *driver;
    struct step steps[EXEC_SOURCES_MAX];
    unsigned steps_num;
    struct condition *conds;
    unsigned conds_num;
    struct orma_exec_place *places[EXEC_SOURCES_MAX + 1]; /* of each step */
    uint32_t found[EXEC_SOURCES_MAX + 1];                 /* rows in it */
    orma_exec_sink *sink;
    void *data;
    uint32_t given;
};

/* ---- what expressions read ---- */

static uint32_t sources_of(const struct orma_exec_expr *e)
{
    uint32_t mask =
        e->op == ORMA_EXEC_COLUMN || e->op == ORMA_EXEC_ROW ? 1u << e->source->index : 0;

    for (unsigned i = 0; i < e->num; i++)
        mask |= sources_of(e->args[i]);
    return mask;
}

/* The column of a table that holds the number of its row. */
static bool is_id(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                  const struct orma_exec_source *src)
{
    if (e->op != ORMA_EXEC_COLUMN || e->source != src || !src->table)
        return false;
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, src, e->col);
    return v.op == ORMA_PROJ_COL && src->table->columns[v.col].kind <= ORMA_COL_ALIAS;
}

/* An equality of something of `src` alone with something of the sources in `known`. */
static bool splits(const struct orma_exec_expr *e, const struct orma_exec_source *src,
                   uint32_t known, struct orma_exec_expr **ret_probe,
                   struct orma_exec_expr **ret_build)
{
    for (unsigned i = 0; e->op == ORMA_EXEC_EQ && i < 2; i++) {
        uint32_t here = sources_of(e->args[i]), there = sources_of(e->args[1 - i]);

        if (here == 1u << src->index && there && !(there & ~known)) {
            *ret_build = e->args[i];
            *ret_probe = e->args[1 - i];
            return true;
        }
    }
    return false;
}

/* ---- planning ---- */

static uint32_t known_sources(const struct joiner *j)
{
    uint32_t mask = 1u << j->driver->index;

    for (unsigned i = 0; i < j->steps_num; i++)
        mask |= 1u << j->steps[i].src->index;
    return mask;
}

/* Whether this source can come next: what stands before a LEFT JOIN must be there. */
static bool may_follow(const struct orma_exec_source *src, uint32_t known)
{
    if (known >> src->index & 1)
        return false;
    if (src->join != ORMA_EXEC_LEFT)
        return true;
    return !(~known & ((1u << src->index) - 1));
}

static struct orma_exec_expr *condition_at(const struct joiner *j,
                                           const struct orma_exec_source *src, unsigned i)
{
    if (src->join == ORMA_EXEC_LEFT)
        return i < src->on.len ? src->on.data[i] : NULL;
    return i < j->conds_num ? j->conds[i].expr : NULL;
}

/* A comparison of a column of `src` with something that is known by then becomes an end. */
static void add_end(struct stretch *s, const struct orma_exec_expr *e,
                    const struct orma_exec_source *src, uint32_t known)
{
    bool lower = e->op == ORMA_EXEC_GT || e->op == ORMA_EXEC_GE;

    if (!lower && e->op != ORMA_EXEC_LT && e->op != ORMA_EXEC_LE)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *of = e->args[i], *with = e->args[1 - i];
        bool strict = e->op == ORMA_EXEC_GT || e->op == ORMA_EXEC_LT, low = lower == (i == 0);

        if (of->op != ORMA_EXEC_COLUMN || of->source != src || sources_of(with) & ~known ||
            (of->types | with->types) & ~(EXEC_INT | EXEC_NULL) || of->affinity == EXEC_AFF_TEXT ||
            with->affinity == EXEC_AFF_TEXT || (s->of && !orma_exec_same_expr(s->of, of)) ||
            (low ? s->lo : s->hi))
            continue;
        s->of = of;
        *(low ? &s->lo : &s->hi) = with;
        *(low ? &s->lo_strict : &s->hi_strict) = strict;
    }
}

/* The column with two ends, or the first one with any. */
static struct stretch find_stretch(const struct joiner *j, const struct orma_exec_source *src,
                                   uint32_t known)
{
    struct stretch best = {0};
    struct orma_exec_expr *e;

    for (unsigned i = 0; !(best.lo && best.hi) && condition_at(j, src, i); i++) {
        struct stretch s = {0};

        for (unsigned k = i; (e = condition_at(j, src, k)); k++)
            add_end(&s, e, src, known);
        if (!best.of || (s.lo && s.hi))
            best = s;
    }
    return best;
}

static void set_stretch(const struct joiner *j, struct step *step, uint32_t known)
{
    step->stretch = find_stretch(j, step->src, known);
    step->mask |= step->stretch.lo ? sources_of(step->stretch.lo) : 0;
    step->mask |= step->stretch.hi ? sources_of(step->stretch.hi) : 0;
}

/* The step to a source by an equality, if there is one: by number, or by a hash. */
static bool find_step(struct joiner *j, struct orma_exec_source *src, bool by_number,
                      struct step *ret, struct orma_exec_expr **ret_used)
{
    bool left = src->join == ORMA_EXEC_LEFT;
    uint32_t known = known_sources(j);
    struct orma_exec_expr *e, *probe, *build;

    for (unsigned i = 0; (e = condition_at(j, src, i)); i++) {
        if ((!left && j->conds[i].done) || !splits(e, src, known, &probe, &build) ||
            by_number != is_id(j->plan, build, src))
            continue;
        *ret = (struct step){.src = src, .by_number = by_number, .probe = probe, .build = build};
        ret->mask = sources_of(probe);
        if (!by_number)
            set_stretch(j, ret, known);
        *ret_used = e;
        return true;
    }
    return false;
}

static uint32_t rows_of(const struct orma_exec_source *src)
{
    return src->table ? src->table->rows : src->query->frame.rows;
}

static bool add_step(struct joiner *j, struct step step, const struct orma_exec_expr *used)
{
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i].done |= j->conds[i].expr == used && step.src->join != ORMA_EXEC_LEFT;
    for (uint32_t i = 0; step.src->join == ORMA_EXEC_LEFT && i < step.src->on.len; i++) {
        struct orma_exec_expr *e = step.src->on.data[i];
        /* Lists are made of rows that pass what looks at them alone. */
        bool alone = !step.by_number && sources_of(e) == 1u << step.src->index;

        if (e != used && !alone && ORMA_VEC_PUSH(&step.on, e) < 0)
            return orma_exec_give_up(j->plan, "memory");
    }
    j->steps[j->steps_num++] = step;
    return true;
}

/* As many sources as follow by number; true if one was added. */
static bool follow(struct joiner *j, bool by_number)
{
    for (unsigned i = 0; i < j->q->sources_num && !j->plan->why; i++) {
        struct orma_exec_source *src = j->q->sources[i];
        struct orma_exec_expr *used = NULL;
        struct step step;

        if (may_follow(src, known_sources(j)) && find_step(j, src, by_number, &step, &used))
            return add_step(j, step, used);
    }
    return false;
}

/* Without an equality: by a stretch with both ends, with one, or because there are few rows. */
static bool follow_any(struct joiner *j)
{
    for (unsigned pass = 0; pass < 3; pass++) {
        for (unsigned i = 0; i < j->q->sources_num && !j->plan->why; i++) {
            struct step step = {.src = j->q->sources[i]};

            if (!may_follow(step.src, known_sources(j)))
                continue;
            set_stretch(j, &step, known_sources(j));
            bool both = step.stretch.lo && step.stretch.hi, few = rows_of(step.src) <= ALL_ROWS_MAX;
            if (pass == 0 ? both : pass == 1 ? few : step.stretch.of != NULL)
                return add_step(j, step, NULL);
        }
    }
    return false;
}

static void forget_steps(struct joiner *j)
{
    for (unsigned i = 0; i < j->steps_num; i++)
        ORMA_VEC_FINI(&j->steps[i].on);
    j->steps_num = 0;
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i].done = false;
}

static bool plan_steps(struct joiner *j)
{
    while (j->steps_num + 1 < j->q->sources_num && !j->plan->why) {
        if (!follow(j, true) && !follow(j, false) && !follow_any(j))
            return false;
    }
    return !j->plan->why;
}

/* How good a driver is: steps by number, and before that how many steps may find far too much. */
struct merit {
    unsigned bad, by_number;
    uint32_t rows;
};

static struct merit merit_of(struct joiner *j, struct orma_exec_source *src)
{
    struct merit m = {.rows = rows_of(src)};

    j->driver = src;
    if (!plan_steps(j))
        m.bad = 100;
    for (unsigned i = 0; i < j->steps_num; i++) {
        const struct step *s = &j->steps[i];

        m.by_number += s->by_number;
        m.bad += s->stretch.of && !(s->stretch.lo && s->stretch.hi) ? s->build ? 1 : 4 : 0;
    }
    forget_steps(j);
    return m;
}

static bool is_better(struct merit a, struct merit b)
{
    if (a.bad != b.bad)
        return a.bad < b.bad;
    return a.by_number != b.by_number ? a.by_number > b.by_number : a.rows > b.rows;
}

static bool choose_driver(struct joiner *j)
{
    struct orma_exec_source *best = NULL;
    struct merit best_merit = {0};

    for (unsigned i = 0; i < j->q->sources_num; i++) {
        struct orma_exec_source *src = j->q->sources[i];

        if (src->join == ORMA_EXEC_LEFT)
            continue;
        struct merit m = j->q->sources_num > 1 ? merit_of(j, src) : (struct merit){0};
        if (!best || is_better(m, best_merit)) {
            best = src;
            best_merit = m;
        }
    }
    if (!best)
        return orma_exec_give_up(j->plan, "no source to begin with");
    j->driver = best;
    return true;
}

static bool init(struct joiner *j, struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    *j = (struct joiner){.plan = plan, .q = q};
    j->conds_num = q->where.len;
    j->conds = calloc(j->conds_num + 1, sizeof(*j->conds));
    if (!j->conds)
        return orma_exec_give_up(plan, "memory");
    for (unsigned i = 0; i < j->conds_num; i++)
        j->conds[i] =
            (struct condition){.expr = q->where.data[i], .mask = sources_of(q->where.data[i])};
    return choose_driver(j) &&
           (plan_steps(j) || orma_exec_give_up(plan, "a join without equality"));
}

static void fini(struct joiner *j)
{
    for (unsigned i = 0; i < j->steps_num; i++)
        orma_exec_hash_fini(&j->steps[i].hash);
    forget_steps(j);
    for (unsigned i = 0; i <= EXEC_SOURCES_MAX; i++)
        free(j->places[i]);
    free(j->conds);
    for (unsigned i = 0; i < j->q->sources_num; i++) {
        free(j->q->sources[i]->passed);
        j->q->sources[i]->passed = NULL;
    }
}

/* ---- scanning one source ---- */

/* Conditions of `src` alone that a scan can test; the others stay. */
static bool add_filters(struct joiner *j, const struct orma_exec_source *src,
                        struct orma_rowscan *scan, bool mark)
{
    /* Of a LEFT JOIN they come after it. */
    for (unsigned i = 0; src->join != ORMA_EXEC_LEFT && i < j->conds_num; i++) {
        const struct orma_exec_expr *val;
        unsigned col;
        int op;

        if (j->conds[i].done || j->conds[i].mask != 1u << src->index ||
            scan->filters_num + 2 >= ORMA_SQL_SCAN_FILTERS_MAX ||
            !orma_exec_is_filter(j->plan, j->conds[i].expr, &op, &col, &val) ||
            !orma_filter_can(&src->table->def->columns[col],
                             op == ORMA_FILTER_OP_IN ? SQLITE_INDEX_CONSTRAINT_EQ : op))
            continue;
        if (!orma_exec_add_filter(j->plan, src->table, scan, op, col, val))
            return false;
        j->conds[i].done |= mark;
    }
    return true;
}

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

static bool scan_table(struct joiner *j, const struct orma_exec_source *src, bool mark,
                       each_block *each, void *data)
{
    static const struct orma_rowscan_order order = {.limit = ORMA_SQL_SCAN_NO_LIMIT};
    struct orma_rowscan *scan = malloc(sizeof(*scan));
    bool ok = scan || orma_exec_give_up(j->plan, "memory");

    if (!ok)
        return false;
    orma_rowscan_init(scan);
    orma_vtab_start_scan(j->plan->sql, src->table, src->proj, scan);
    ok = add_filters(j, src, scan, mark);
    if (ok)
        orma_rowscan_begin(scan, &order);
    if (ok && orma_rowscan_is_plain(scan)) {
        ok = scan_plain(j, src, scan->lo, scan->hi, each, data);
    } else {
        while (ok && !scan->failed && !orma_exec_should_stop(j->plan) && orma_rowscan_next(scan)) {
            struct orma_exec_rows r = {.num = scan->block_num};

            r.source[src->index] = scan->block;
            j->plan->looked += r.num;
            ok = each(j, &r, data);
        }
    }
    if (scan->failed)
        orma_exec_give_up(j->plan, "memory");
    orma_rowscan_fini(scan);
    free(scan);
    return ok && !j->plan->why;
}

static bool scan_source(struct joiner *j, const struct orma_exec_source *src, bool mark,
                        each_block *each, void *data)
{
    if (src->table)
        return scan_table(j, src, mark, each, data);
    return scan_plain(j, src, 0, src->query->frame.rows, each, data);
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
    for (unsigned i = 0; i < j->conds_num && ret->num; i++) {
        const struct condition *c = &j->conds[i];
        struct orma_exec_rows from = *ret;

        if (c->done || c->mask & ~known || (before && !(c->mask & ~before)))
            continue;
        int num = orma_exec_select(j->plan, c->expr, &from, picked);
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
    struct step *s = data;
    bool left = s->src->join == ORMA_EXEC_LEFT;
    struct orma_exec_vec *v = orma_exec_take_vec(j->plan), *vals = orma_exec_take_vec(j->plan);
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_rows passed = *rows;
    uint32_t self = 1u << s->src->index, picked[EXEC_BLOCK];
    bool ok = v && vals && place && (left || filter_rows(j, rows, self, 0, place, &passed));

    for (uint32_t i = 0; ok && left && i < s->src->on.len; i++) {
        struct orma_exec_rows from = passed;

        if (sources_of(s->src->on.data[i]) != self)
            continue;
        int num = orma_exec_select(j->plan, s->src->on.data[i], &from, picked);
        ok = num >= 0;
        if (ok)
            pick_rows(j, &from, self, picked, (uint32_t)num, place, 0, &passed);
    }
    ok = ok && (!s->build || orma_exec_eval(j->plan, s->build, &passed, v)) &&
         (!s->stretch.of || orma_exec_eval(j->plan, s->stretch.of, &passed, vals)) &&
         orma_exec_hash_add(j->plan, &s->hash, passed.source[s->src->index], passed.first,
                            passed.num, s->build ? v : NULL, s->stretch.of ? vals : NULL);
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
        return orma_exec_give_up(j->plan, "memory");
    return scan_table(j, src, false, mark_block, src);
}

static bool prepare_steps(struct joiner *j)
{
    for (unsigned i = 0; i < j->steps_num; i++) {
        struct step *s = &j->steps[i];
        bool ok = s->by_number ? mark_passed(j, s->src)
                               : scan_source(j, s->src, false, build_block, s) &&
                                     orma_exec_hash_link(j->plan, &s->hash);

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
static bool check_on(struct joiner *j, const struct step *s, struct orma_exec_rows *rows,
                     uint32_t *list)
{
    uint32_t picked[EXEC_BLOCK];

    for (uint32_t i = 0; i < s->on.len; i++) {
        int num = orma_exec_select(j->plan, s->on.data[i], rows, picked);
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
    const struct step *s = &j->steps[at];
    struct orma_exec_place *place = j->places[at + 1];
    uint32_t *list = place->rows[s->src->index], picked[EXEC_BLOCK], num = 0;
    uint32_t both = known | 1u << s->src->index;
    struct orma_exec_rows next = *rows;
    bool left = s->src->join == ORMA_EXEC_LEFT;

    for (uint32_t i = 0; i < rows->num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        if (ORMA_UNLIKELY(tag & (EXEC_REAL | EXEC_TEXT)))
            return orma_exec_give_up(j->plan, "a number of a row that is none");
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
    const struct step *s = &p->j->steps[p->at];
    uint32_t passed[EXEC_BLOCK], num = 0;
    bool good[EXEC_BLOCK];

    memset(good, true, p->num);
    for (uint32_t c = 0; c < s->on.len; c++) {
        int n = orma_exec_select(p->j->plan, s->on.data[c], next, passed);
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
    next->source[p->j->steps[p->at].src->index] = p->list;
}

static bool flush_pairs(struct pairs *p)
{
    const struct step *s = &p->j->steps[p->at];
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

static bool find_list(struct joiner *j, const struct step *s, const struct probes *v, uint32_t i,
                      uint32_t *from, uint32_t *to)
{
    const struct stretch *x = &s->stretch;

    return orma_exec_hash_find(j->plan, &s->hash, v->key, i, from, to) &&
           (!v->lo || *from == *to ||
            orma_exec_hash_cut(j->plan, &s->hash, v->lo, i, true, x->lo_strict, from, to)) &&
           (!v->hi || *from == *to ||
            orma_exec_hash_cut(j->plan, &s->hash, v->hi, i, false, x->hi_strict, from, to));
}

static bool step_by_lists(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                          uint32_t known, const struct probes *v)
{
    const struct step *s = &j->steps[at];
    struct pairs p = {.j = j, .at = at, .rows = rows, .known = known};
    const bool left = s->src->join == ORMA_EXEC_LEFT;

    p.list = j->places[at + 1]->rows[s->src->index];
    for (uint32_t i = 0; i < rows->num; i++) {
        uint32_t from, to;

        if (!find_list(j, s, v, i, &from, &to))
            return false;
        for (uint32_t k = from; k < to; k++) {
            if (!add_pair(&p, i, s->hash.rows[k]))
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
    return !e || (*ret && orma_exec_eval(j->plan, e, rows, *ret));
}

static bool step_by_probes(struct joiner *j, unsigned at, const struct orma_exec_rows *rows,
                           uint32_t known)
{
    const struct step *s = &j->steps[at];
    const bool ranged = s->hash.ranged;
    struct probes v = {NULL, NULL, NULL};

    /* all pairs would be tried */
    if (s->stretch.of && !ranged && !s->build && rows_of(s->src) > ALL_ROWS_MAX && s->hash.num)
        return orma_exec_give_up(j->plan, "a join by what does not rise");
    bool ok = eval_probe(j, s->probe, rows, &v.key) &&
              eval_probe(j, ranged ? s->stretch.lo : NULL, rows, &v.lo) &&
              eval_probe(j, ranged ? s->stretch.hi : NULL, rows, &v.hi) &&
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
    if (at == j->steps_num)
        return j->sink(j->plan, j->q, &passed, j->data);
    return step_by_probes(j, at, &passed, known);
}

static bool drive(struct joiner *j, const struct orma_exec_rows *rows, void *data)
{
    (void)data;
    return run_step(j, 0, rows, 1u << j->driver->index, 0);
}

bool orma_exec_scan(struct orma_exec_plan *plan, struct orma_exec_query *q, orma_exec_sink *sink,
                    void *data)
{
    struct joiner j;
    bool ok = init(&j, plan, q);

    j.sink = sink;
    j.data = data;
    for (unsigned i = 0; ok && i <= j.steps_num; i++) {
        j.places[i] = malloc(sizeof(*j.places[i]));
        ok = j.places[i] || orma_exec_give_up(plan, "memory");
    }
    ok = ok && prepare_steps(&j) && scan_source(&j, j.driver, true, drive, NULL);
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

bool orma_exec_has_few(struct orma_exec_plan *plan, struct orma_exec_query *q, uint32_t limit)
{
    struct joiner j;
    bool few = true;

    for (uint32_t i = 0; i < q->parts.len && few; i++)
        few = orma_exec_has_few(plan, q->parts.data[i], limit);
    if (q->parts.len)
        return few;
    few = init(&j, plan, q);
    if (few && j.driver->query)
        few = orma_exec_has_few(plan, j.driver->query, limit);
    else if (few)
        few = scan_table(&j, j.driver, false, count_block, &limit);
    fini(&j);
    return few;
}

bool orma_exec_finds_one(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    const char *why = plan->why;
    bool one = false;
    struct joiner j;

    for (unsigned i = 0; i < q->sources_num; i++)
        one |= orma_exec_is_given(plan, q, q->sources[i]);
    if (!one)
        return false;
    one = init(&j, plan, q) && orma_exec_is_given(plan, q, j.driver);
    for (unsigned i = 0; one && i < j.steps_num; i++)
        one = j.steps[i].by_number;
    fini(&j);
    plan->why = why;
    return one;
}

/* ---- the order of rows ---- */

/* A column in which no value comes twice: the only key of groups, the only one that is distinct. */
static bool is_unique(const struct orma_exec_expr *e)
{
    const struct orma_exec_query *q = e->op == ORMA_EXEC_COLUMN ? e->source->query : NULL;

    if (!q || q->parts.len)
        return false;
    const struct orma_exec_expr *r = q->results.data[e->col].expr;
    if (q->grouped && q->groups.len == 1 && r->op == ORMA_EXEC_SLOT && !r->has_base && !r->col)
        return true;
    return q->distinct && q->results.len == 1;
}

/* A step that finds one row at most: it has no say in the order of rows. */
static bool finds_one(const struct step *s)
{
    return s->by_number || (s->build ? is_unique(s->build) : !s->stretch.of && rows_of(s->src) < 2);
}

static bool follows_by_one(const struct joiner *j, const struct orma_exec_source *src,
                           uint32_t known)
{
    for (unsigned i = 0; i < j->steps_num; i++) {
        if (j->steps[i].src == src)
            return finds_one(&j->steps[i]) && !(j->steps[i].mask & ~known);
    }
    return false;
}

static struct orma_exec_source *source_of_loop(const struct orma_exec_query *q,
                                               struct orma_str alias)
{
    struct orma_exec_source *found = NULL;

    for (unsigned i = 0; i < q->sources_num; i++) {
        struct orma_str a = q->sources[i]->alias;

        if (a.len != alias.len || sqlite3_strnicmp(a.data, alias.data, (int)a.len))
            continue;
        if (found)
            return NULL; /* two of that name */
        found = q->sources[i];
    }
    return found;
}

/* Sources of the loops below `parent`, without those that follow from earlier ones; -1: these are
 * not all sources of the query, each once. */
static int loops_below(const struct joiner *j, int parent, struct orma_exec_source **ret)
{
    uint32_t known = 0;
    int num = 0;

    for (uint32_t i = 0; i < j->plan->loops.len; i++) {
        const struct orma_exec_loop *l = &j->plan->loops.data[i];

        if (l->parent != parent)
            continue;
        struct orma_exec_source *src = source_of_loop(j->q, l->alias);
        if (!src || known >> src->index & 1)
            return -1;
        bool by_one = follows_by_one(j, src, known);
        if (l->by_index && !by_one)
            return -1;
        if (!by_one)
            ret[num++] = src;
        known |= 1u << src->index;
    }
    return known == (1u << j->q->sources_num) - 1 ? num : -1;
}

/* Queries beside this one, in expressions or of a UNION ALL, may call other tables the same. */
static bool is_named_elsewhere(const struct joiner *j, int parent)
{
    for (uint32_t i = 0; i < j->plan->loops.len; i++) {
        const struct orma_exec_loop *l = &j->plan->loops.data[i];

        for (unsigned k = 0; l->parent != parent && k < j->q->sources_num; k++) {
            struct orma_str a = j->q->sources[k]->alias;

            if (a.len == l->alias.len && !sqlite3_strnicmp(a.data, l->alias.data, (int)a.len))
                return true;
        }
    }
    return false;
}

/* SQLite leaves out tables of a LEFT JOIN that nobody reads, if rows come once anyway. */
static bool may_lack_loops(const struct orma_exec_query *q)
{
    for (unsigned i = 0; i < q->sources_num; i++) {
        if (q->sources[i]->join == ORMA_EXEC_LEFT)
            return true;
    }
    return false;
}

/* The same for the only parent below which they are; of the statement itself that is none. */
static int loops_of(const struct joiner *j, struct orma_exec_source **ret)
{
    if (j->q == j->plan->root)
        return loops_below(j, 0, ret);
    struct orma_exec_source *found[EXEC_SOURCES_MAX];
    int parent = -1, num = -1;

    for (uint32_t i = 0; i < j->plan->loops.len; i++) {
        int at = j->plan->loops.data[i].parent, n = at == parent ? -1 : loops_below(j, at, found);

        if (n < 0)
            continue;
        if (num >= 0)
            return -1;
        num = n;
        parent = at;
        memcpy(ret, found, (size_t)n * sizeof(*ret));
    }
    bool others = j->plan->has_others || may_lack_loops(j->q);
    return num >= 0 && others && is_named_elsewhere(j, parent) ? -1 : num;
}

bool orma_exec_plan_joins(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_source *loops[EXEC_SOURCES_MAX], *ours[EXEC_SOURCES_MAX];
    struct joiner j;
    int num = init(&j, plan, q) ? loops_of(&j, loops) : -1, ours_num = 0;
    bool same = num > 0;

    if (num > 0) {
        ours[ours_num++] = j.driver;
        for (unsigned i = 0; i < j.steps_num; i++) {
            if (!finds_one(&j.steps[i]))
                ours[ours_num++] = j.steps[i].src;
        }
        same = num == ours_num && !memcmp(loops, ours, (size_t)num * sizeof(*ours));
    }
    fini(&j);
    if (num <= 0)
        return orma_exec_give_up(plan, "an order of loops that does not show");
    for (int i = 0; i < num && !same; i++) {
        struct orma_exec_key *key = ORMA_VEC_ADD(&q->by_loops);
        struct orma_exec_expr *e = orma_arena_alloc(&plan->arena, sizeof(*e));

        if (!key || !e)
            return orma_exec_give_up(plan, "memory");
        *e = (struct orma_exec_expr){.op = ORMA_EXEC_ROW, .source = loops[i], .types = EXEC_INT};
        *key = (struct orma_exec_key){.expr = e};
    }
    return true;
}
