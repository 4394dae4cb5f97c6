/*
 * Calls: the table of functions says what a name is, with so many arguments: an aggregate, a window
 * function, or a scalar, which becomes operators or a call that SQLite carries out.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

static uint8_t types_of_function(const struct orma_exec_function *f, uint8_t first, uint8_t all)
{
    switch (f->of_args) {
    case EXEC_OF_NONE:
        break;
    case EXEC_OF_ALL:
        return f->types | all;
    case EXEC_OF_FIRST:
        return f->types | first;
    }
    return f->types;
}

/* What percentile(x, constant) and the like ask for. */
static bool bind_percentile(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                            const struct orma_exec_function *f, struct orma_exec_agg *agg)
{
    agg->fraction = 0.5;
    if (f->whole <= 0)
        return true;
    const struct orma_exec_expr *e = orma_exec_bind_expr(s, ast->args->next);
    if (!e || e->op != ORMA_EXEC_CONST || !(e->constant.val.tag & (EXEC_INT | EXEC_REAL)))
        return orma_exec_refuse(s, "a percentile");
    double p = e->constant.val.tag == EXEC_INT ? (double)e->constant.val.bits
                                               : orma_exec_double(e->constant.val.bits);
    agg->fraction = p / f->whole;
    return (p >= 0 && p <= f->whole) || orma_exec_refuse(s, "a percentile");
}

static bool bind_separator(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                           const struct orma_exec_function *f, struct orma_exec_agg *agg)
{
    if (!f->has_separator)
        return true;
    if (!ast->args->next) {
        agg->separator = orma_strpool_add(&s->plan->sql->storage->pool, ORMA_STR(","));
        return agg->separator || orma_exec_refuse(s, "out of memory");
    }
    const struct orma_exec_expr *e = orma_exec_bind_expr(s, ast->args->next);
    if (!e || e->op != ORMA_EXEC_CONST || e->constant.val.tag != EXEC_TEXT)
        return orma_exec_refuse(s, "a separator of group_concat()");
    agg->separator = e->constant.val.bits;
    return true;
}

/* The place of an aggregate among those of the query; it is added where it is new. */
static bool place_of(struct orma_exec_scope *s, struct orma_exec_agg agg, uint32_t *ret)
{
    struct orma_exec_aggs *aggs = &s->q->aggs;
    uint32_t at = 0;

    while (at < aggs->len &&
           (aggs->data[at].function != agg.function || aggs->data[at].distinct != agg.distinct ||
            aggs->data[at].fraction < agg.fraction || aggs->data[at].fraction > agg.fraction ||
            aggs->data[at].filtered != agg.filtered || aggs->data[at].separator != agg.separator ||
            !aggs->data[at].arg != !agg.arg ||
            (agg.arg && !orma_exec_same_expr(agg.arg, aggs->data[at].arg))))
        at++;
    *ret = at;
    return at < aggs->len || ORMA_VEC_PUSH(aggs, agg) == 0 || orma_exec_refuse(s, "out of memory");
}

static struct orma_exec_expr *bind_aggregate(struct orma_exec_scope *s,
                                             const struct orma_exec_ast *ast,
                                             const struct orma_exec_function *f)
{
    const bool window_funcs = s->window_funcs;
    struct orma_exec_agg agg = {
        .function = f, .distinct = ast->call.distinct, .filtered = ast->call.filtered};
    uint32_t at;

    if (!s->aggregates || (agg.distinct && !f->has_distinct)) {
        orma_exec_refuse(s, "an aggregate");
        return NULL;
    }
    s->aggregates = s->window_funcs = false;
    if (ast->args && ast->args->op != ORMA_EXEC_STAR &&
        !(agg.arg = orma_exec_bind_expr(s, ast->args)))
        return NULL;
    if (!bind_percentile(s, ast, f, &agg) || !bind_separator(s, ast, f, &agg))
        return NULL;
    s->aggregates = true;
    s->window_funcs = window_funcs;
    if (!place_of(s, agg, &at))
        return NULL;
    s->q->grouped = true;
    return orma_exec_bind_slot(
        s, types_of_function(f, agg.arg ? agg.arg->types : 0, agg.arg ? agg.arg->types : 0),
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
        orma_exec_refuse(s, "out of memory");
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
    const struct orma_exec_function *function = f->function;
    const struct orma_exec_ast *arg = ast->args;

    f->offset = 1;
    for (unsigned num = 1; arg; arg = arg->next, num++) {
        if (arg->op == ORMA_EXEC_STAR) /* of count() */
            continue;
        const bool offset = num == function->offset_arg;
        struct orma_exec_expr *e = orma_exec_bind_expr(s, arg);
        if (!e || (offset && (e->op != ORMA_EXEC_CONST || e->constant.val.tag != EXEC_INT)))
            return orma_exec_refuse(s, "an argument of a window function");
        if (offset)
            f->offset = e->constant.val.bits;
        else if (num == 1)
            f->arg = e;
        else
            f->fallback = e;
    }
    return f->offset >= function->offset_min && f->offset < INT32_MAX;
}

static struct orma_exec_expr *bind_window(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast,
                                          const struct orma_exec_function *function)
{
    const struct orma_exec_window *w = find_window(s, ast->call.over);
    struct orma_exec_wins_func f = {.function = function};

    if (!s->window_funcs || !w || ast->call.distinct) {
        orma_exec_refuse(s, "a window");
        return NULL;
    }
    s->window_funcs = false;
    struct orma_exec_win *win = find_win(s, function, w);
    bool ok = win && bind_window_args(s, ast, &f);
    s->window_funcs = true;
    /* SQLite keeps all values for these, whatever passes. */
    if (ok && ast->call.filtered && function->picks_row && win->extent.from != ORMA_EXEC_FIRST)
        ok = orma_exec_refuse(s, "a FILTER of min() or max() over a frame that moves");
    if (!ok || win->funcs_num == ORMA_ARRAY_LEN(win->funcs)) {
        orma_exec_refuse(s, "a window function");
        return NULL;
    }
    /* Behind keys and aggregates, whose number is not known yet: select.c moves it. */
    f.slot = s->q->slots_num++;
    win->funcs[win->funcs_num++] = f;
    const uint8_t first = f.arg ? f.arg->types : 0;
    struct orma_exec_expr *e = orma_exec_bind_slot(
        s, types_of_function(function, first, first | (f.fallback ? f.fallback->types : 0)),
        f.slot);
    if (!e || ORMA_VEC_PUSH(&s->q->win_slots, e) < 0)
        return NULL;
    e->slot.of_window = true;
    return e;
}

static struct orma_exec_expr *bind_case(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = orma_exec_bind_args(s, ORMA_EXEC_CASE, ast->args);

    if (!e)
        return NULL;
    e->choice.has_else = true;
    e->types = orma_exec_bind_case_types(e);
    return e;
}

/* The types of a call whose arguments are bound. */
static uint8_t types_of_call(const struct orma_exec_expr *e)
{
    const struct orma_exec_function *f = e->call.function;
    uint8_t all = 0, each = EXEC_NULL;

    for (unsigned i = 0; i < e->num; i++) {
        all |= e->args[i]->types;
        each &= e->args[i]->types;
    }
    const uint8_t types = types_of_function(f, e->num ? e->args[0]->types : 0, all);
    return f->null_if_all && !each ? types & (uint8_t)~EXEC_NULL : types;
}

/* A call, or its value where it is the same for all rows and SQLite works it out. */
static struct orma_exec_expr *bind_scalar(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast,
                                          const struct orma_exec_function *f)
{
    struct orma_exec_expr *e = orma_exec_bind_args(s, ORMA_EXEC_CALL, ast->args);

    if (!e)
        return NULL;
    e->call.name = ast->call.name;
    e->call.function = f;
    e->types = types_of_call(e);
    if (orma_exec_is_by_sqlite(s->plan->catalog, e) && orma_exec_is_fixed(e))
        return orma_exec_call_now(s->plan, e) ? e : NULL;
    if (f->of_arg_set &&
        (e->args[1]->op != ORMA_EXEC_CONST || e->args[1]->constant.val.tag != EXEC_TEXT))
        orma_exec_refuse(s, "a key of extract_arg()");
    return e;
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
        orma_exec_refuse(s, "a function that the executor does not know");
        return NULL;
    }
    if (ast->call.over)
        return bind_window(s, ast, f);
    if (f->kinds & EXEC_AGGREGATE)
        return bind_aggregate(s, ast, f);
    if (ast->call.distinct || ast->call.filtered) {
        orma_exec_refuse(s, "a function that the executor does not know");
        return NULL;
    }
    return f->is_case ? bind_case(s, ast) : bind_scalar(s, ast, f);
}
