/*
 * Calls: the table of functions says what a name is, with so many arguments: an aggregate, a window
 * function, or a scalar, which becomes operators or a call that SQLite carries out.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

static uint8_t types_of_function(const struct orma_exec_function *f, uint8_t args)
{
    return f->types | (f->of_args ? args : 0);
}

/* What percentile(x, constant) and the like ask for. */
static bool bind_percentile(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                            const struct orma_exec_function *f, struct orma_exec_agg *agg)
{
    agg->exact = f->exact;
    agg->fraction = 0.5;
    if (f->whole <= 0) /* median() */
        return true;
    const struct orma_exec_expr *e = orma_exec_bind_expr(s, ast->args->next);
    if (!e || e->op != ORMA_EXEC_CONST || !(e->constant.val.tag & (EXEC_INT | EXEC_REAL)))
        return orma_exec_refuse(s, "a percentile");
    double p = e->constant.val.tag == EXEC_INT ? (double)e->constant.val.bits
                                               : orma_exec_double(e->constant.val.bits);
    agg->fraction = p / f->whole;
    return (p >= 0 && p <= f->whole) || orma_exec_refuse(s, "a percentile");
}

/* The place of an aggregate among those of the query; it is added where it is new. */
static bool place_of(struct orma_exec_scope *s, struct orma_exec_agg agg, uint32_t *ret)
{
    struct orma_exec_aggs *aggs = &s->q->aggs;
    uint32_t at = 0;

    while (at < aggs->len &&
           (aggs->data[at].func != agg.func || aggs->data[at].distinct != agg.distinct ||
            aggs->data[at].fraction < agg.fraction || aggs->data[at].fraction > agg.fraction ||
            aggs->data[at].exact != agg.exact || aggs->data[at].filtered != agg.filtered ||
            (agg.arg && !orma_exec_same_expr(agg.arg, aggs->data[at].arg))))
        at++;
    *ret = at;
    return at < aggs->len || ORMA_VEC_PUSH(aggs, agg) == 0 || orma_exec_refuse(s, "memory");
}

static struct orma_exec_expr *bind_aggregate(struct orma_exec_scope *s,
                                             const struct orma_exec_ast *ast,
                                             const struct orma_exec_function *f)
{
    const bool window_funcs = s->window_funcs;
    struct orma_exec_agg agg = {
        .func = f->func, .distinct = ast->call.distinct, .filtered = ast->call.filtered};
    uint32_t at;

    if (!s->aggregates || (agg.distinct && !f->has_distinct)) {
        orma_exec_refuse(s, "an aggregate");
        return NULL;
    }
    s->aggregates = s->window_funcs = false;
    if (!ast->args || ast->args->op == ORMA_EXEC_STAR)
        agg.func = EXEC_COUNT_ALL;
    else if (!(agg.arg = orma_exec_bind_expr(s, ast->args)))
        return NULL;
    if (f->func == EXEC_PERCENTILE && !bind_percentile(s, ast, f, &agg))
        return NULL;
    s->aggregates = true;
    s->window_funcs = window_funcs;
    if (!place_of(s, agg, &at))
        return NULL;
    s->q->grouped = true;
    return orma_exec_bind_slot(s, types_of_function(f, agg.arg ? agg.arg->types : 0),
                               (unsigned)(s->q->groups.len + at));
}

static bool bind_keys(struct orma_exec_scope *s, const struct orma_exec_item *items,
                      struct orma_exec_keys *ret)
{
    for (; items; items = items->next) {
        struct orma_exec_key key = {.desc = items->desc, .nulls_last = items->desc};

        if (items->nulls_given)
            key.nulls_last = items->nulls_last;
        key.expr = orma_exec_bind_expr(s, items->expr);
        /* A constant: SQLite would take it for one here, too, but drops it. */
        if (!key.expr || key.expr->op == ORMA_EXEC_CONST || ORMA_VEC_PUSH(ret, key) < 0)
            return orma_exec_refuse(s, "a key of a window");
    }
    return true;
}

static bool same_keys(const struct orma_exec_keys *a, const struct orma_exec_keys *b)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++) {
        if (a->data[i].desc != b->data[i].desc || a->data[i].nulls_last != b->data[i].nulls_last ||
            !orma_exec_same_expr(a->data[i].expr, b->data[i].expr))
            return false;
    }
    return true;
}

static const struct orma_exec_window *find_window(struct orma_exec_scope *s,
                                                  const struct orma_exec_window *over)
{
    const struct orma_exec_window *w = s->windows;

    if (!over->name.len)
        return over;
    while (w && !orma_exec_same_name(w->name, over->name))
        w = w->next;
    return w;
}

/* Frames as SQLite sees them, whatever is written: windows with different ones are not put
 * together. */
static struct orma_exec_extent extent_of(const struct orma_exec_function *f,
                                         const struct orma_exec_window *w)
{
    return f->has_extent ? f->extent : w->extent;
}

static bool same_extent(const struct orma_exec_extent *a, const struct orma_exec_extent *b)
{
    return a->unit == b->unit && a->from == b->from && a->to == b->to &&
           a->from_num == b->from_num && a->to_num == b->to_num;
}

static struct orma_exec_win *find_win(struct orma_exec_scope *s, const struct orma_exec_function *f,
                                      const struct orma_exec_window *w)
{
    struct orma_exec_win *win = calloc(1, sizeof(*win));
    struct orma_exec_wins *wins = &s->q->wins;

    if (!win || ORMA_VEC_PUSH(wins, win) < 0) {
        free(win);
        orma_exec_refuse(s, "memory");
        return NULL;
    }
    win->extent = extent_of(f, w);
    if (!bind_keys(s, w->partition, &win->partition) || !bind_keys(s, w->order, &win->order))
        return NULL;
    for (uint32_t i = 0; i + 1 < wins->len; i++) {
        struct orma_exec_win *known = wins->data[i];

        if (!same_extent(&known->extent, &win->extent) ||
            !same_keys(&known->partition, &win->partition) ||
            !same_keys(&known->order, &win->order))
            continue;
        ORMA_VEC_FINI(&win->partition);
        ORMA_VEC_FINI(&win->order);
        free(win);
        wins->len--;
        return known;
    }
    return win;
}

static bool bind_window_args(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                             struct orma_exec_wins_func *f)
{
    const bool counts = f->func == EXEC_NTILE || f->func == EXEC_NTH_VALUE;
    const struct orma_exec_ast *arg = ast->args;
    unsigned num = 0;

    f->offset = counts ? 0 : 1;
    for (; arg; arg = arg->next, num++) {
        if (arg->op == ORMA_EXEC_STAR && f->func == EXEC_COUNT) {
            f->func = EXEC_COUNT_ALL;
            continue;
        }
        struct orma_exec_expr *e = orma_exec_bind_expr(s, arg);
        bool offset = num == 1 || f->func == EXEC_NTILE;
        if (!e || (offset && (e->op != ORMA_EXEC_CONST || e->constant.val.tag != EXEC_INT)))
            return orma_exec_refuse(s, "an argument of a window function");
        if (offset)
            f->offset = e->constant.val.bits;
        else if (num == 0)
            f->arg = e;
        else
            f->fallback = e;
    }
    if (!num && f->func == EXEC_COUNT)
        f->func = EXEC_COUNT_ALL;
    return f->offset >= counts && f->offset < INT32_MAX;
}

static struct orma_exec_expr *bind_window(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast,
                                          const struct orma_exec_function *function)
{
    const struct orma_exec_window *w = find_window(s, ast->call.over);
    struct orma_exec_wins_func f = {.func = function->func};

    if (!s->window_funcs || !w || ast->call.distinct) {
        orma_exec_refuse(s, "a window");
        return NULL;
    }
    s->window_funcs = false;
    struct orma_exec_win *win = find_win(s, function, w);
    bool ok = win && bind_window_args(s, ast, &f);
    s->window_funcs = true;
    /* SQLite keeps all values for these, whatever passes. */
    if (ok && ast->call.filtered && (f.func == EXEC_MIN || f.func == EXEC_MAX) &&
        win->extent.from != ORMA_EXEC_FIRST)
        ok = orma_exec_refuse(s, "a FILTER of min() or max() over a frame that moves");
    if (!ok || win->funcs_num == ORMA_ARRAY_LEN(win->funcs)) {
        orma_exec_refuse(s, "a window function");
        return NULL;
    }
    /* Behind keys and aggregates, whose number is not known yet: select.c moves it. */
    f.slot = s->q->slots_num++;
    win->funcs[win->funcs_num++] = f;
    struct orma_exec_expr *e =
        orma_exec_bind_slot(s,
                            types_of_function(function, (f.arg ? f.arg->types : 0) |
                                                            (f.fallback ? f.fallback->types : 0)),
                            f.slot);
    if (!e || ORMA_VEC_PUSH(&s->q->win_slots, e) < 0)
        return NULL;
    e->slot.of_window = true;
    return e;
}

static struct orma_exec_expr *bind_choice(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast,
                                          const struct orma_exec_function *f)
{
    const enum orma_exec_op op = f->form == EXEC_FORM_IIF      ? ORMA_EXEC_CASE
                                 : f->form == EXEC_FORM_CHOICE ? ORMA_EXEC_COALESCE
                                                               : ORMA_EXEC_NULLIF;
    struct orma_exec_expr *e = orma_exec_bind_args(s, op, ast->args);

    if (!e)
        return NULL;
    if (op == ORMA_EXEC_CASE) {
        e->choice.has_else = true;
        e->types = orma_exec_bind_case_types(e);
    } else if (op == ORMA_EXEC_NULLIF) {
        e->types = e->args[0]->types | EXEC_NULL;
    } else {
        for (unsigned i = 0; i < e->num; i++)
            e->types |= e->args[i]->types;
        if (!(e->args[e->num - 1]->types & EXEC_NULL))
            e->types &= (uint8_t)~EXEC_NULL;
    }
    return e;
}

/* min() or max() of several: two at a time, from the left. */
static struct orma_exec_expr *bind_best(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                                        enum orma_exec_op op)
{
    struct orma_exec_expr *e = orma_exec_bind_expr(s, ast->args);

    for (const struct orma_exec_ast *a = ast->args->next; e && a; a = a->next) {
        struct orma_exec_expr *right = orma_exec_bind_expr(s, a);
        struct orma_exec_expr *both = right ? orma_exec_new_expr(s->plan, op, 2) : NULL;

        if (!both)
            return NULL;
        both->args[0] = e;
        both->args[1] = right;
        both->types = e->types | right->types;
        e = both;
    }
    return e;
}

/* What SQLite works out: a call, or its value where it is the same for all rows. */
static struct orma_exec_expr *bind_scalar(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast,
                                          const struct orma_exec_function *f)
{
    const bool arg = f->form == EXEC_FORM_ARG;
    struct orma_exec_expr *e =
        orma_exec_bind_args(s, arg ? ORMA_EXEC_ARG : ORMA_EXEC_CALL, ast->args);

    if (!e)
        return NULL;
    e->call.name = ast->call.name;
    e->call.function = f;
    e->types = f->types;
    if (orma_exec_is_fixed(e))
        return orma_exec_call_now(s->plan, e) ? e : NULL;
    if (arg && (e->args[1]->op != ORMA_EXEC_CONST || e->args[1]->constant.val.tag != EXEC_TEXT))
        orma_exec_refuse(s, "a key of extract_arg()");
    return e;
}

static struct orma_exec_expr *bind_form(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                                        const struct orma_exec_function *f)
{
    switch (f->form) {
    case EXEC_FORM_CHOICE:
    case EXEC_FORM_IIF:
    case EXEC_FORM_NULLIF:
        return bind_choice(s, ast, f);
    case EXEC_FORM_LEAST:
        return bind_best(s, ast, ORMA_EXEC_LEAST);
    case EXEC_FORM_GREATEST:
        return bind_best(s, ast, ORMA_EXEC_GREATEST);
    case EXEC_FORM_CALL:
    case EXEC_FORM_ARG:
    case EXEC_FORM_OF_TRACE:
        break;
    }
    return bind_scalar(s, ast, f);
}

/* NULL: it is not known with so many arguments. */
static const struct orma_exec_function *
find_function(struct orma_exec_scope *s, const struct orma_exec_ast *ast, unsigned args)
{
    const struct orma_exec_function *f =
        orma_exec_function_find(s->plan->catalog, ast->call.name, args, ast->call.over);

    if (f || ast->call.over)
        return f;
    struct orma_exec_function *other = orma_arena_alloc(&s->plan->arena, sizeof(*other));
    return other && orma_exec_function_of_engine(s->plan->catalog, s->plan->sql, ast->call.name,
                                                 args, other)
               ? other
               : NULL;
}

struct orma_exec_expr *orma_exec_bind_call(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    const bool star = ast->args && ast->args->op == ORMA_EXEC_STAR;
    unsigned args = 0;

    for (const struct orma_exec_ast *a = star ? NULL : ast->args; a; a = a->next)
        args++;
    const struct orma_exec_function *f = find_function(s, ast, args);
    if (!f || (star && !f->can_be_star)) {
        orma_exec_refuse(s, "a function");
        return NULL;
    }
    if (ast->call.over)
        return bind_window(s, ast, f);
    if (f->kinds & EXEC_AGGREGATE)
        return bind_aggregate(s, ast, f);
    if (ast->call.distinct || ast->call.filtered) {
        orma_exec_refuse(s, "a function");
        return NULL;
    }
    return bind_form(s, ast, f);
}
