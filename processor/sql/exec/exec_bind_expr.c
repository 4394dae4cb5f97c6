/*
 * Expressions: names become columns, calls become aggregates, window functions or operators.
 * Rules of SQLite: columns win over aliases of results; a word in double quotes that is no column
 * is a text (given up); types and affinities follow from the leaves.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_bind.h"

static bool no(struct orma_exec_scope *s, const char *why)
{
    return orma_exec_give_up(s->plan, why);
}

static struct orma_exec_expr *new_slot(struct orma_exec_scope *s, uint8_t types, unsigned slot)
{
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);

    if (e) {
        e->types = types;
        e->col = slot;
    }
    return e;
}

static bool has_query(const struct orma_exec_expr *e)
{
    bool found = e->sub;

    for (unsigned i = 0; i < e->num; i++)
        found |= has_query(e->args[i]);
    return found;
}

/*
 * Of which row SQLite takes a column that is no part of the groups: of the one that gave the last
 * min() or max() its value, else of the first. Where it may walk rows backwards, or look for the
 * best by an order, it is left to it.
 */
static bool can_be_bare(const struct orma_exec_query *q)
{
    unsigned bests = 0, elsewhere = 0;

    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_agg *a = &q->aggs.data[i];
        bool best = a->func == EXEC_MIN || a->func == EXEC_MAX;

        /* with a query in it, one that ORDER BY names is another one to SQLite */
        if (best && (a->distinct || a->filtered || has_query(a->arg)))
            return false;
        bests += best;
        elsewhere += best && i >= q->result_aggs;
    }
    return q->groups.len && (bests < 2 || !elsewhere);
}

static struct orma_exec_expr *bare_column(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    struct orma_exec_aggs *aggs = &s->q->aggs;
    uint32_t at = 0;

    if (!can_be_bare(s->q)) {
        no(s, "a column that is not grouped by");
        return NULL;
    }
    while (at < aggs->len &&
           (aggs->data[at].func != EXEC_BARE || !orma_exec_same_expr(aggs->data[at].arg, e)))
        at++;
    if (at == aggs->len &&
        ORMA_VEC_PUSH(aggs, (struct orma_exec_agg){.func = EXEC_BARE, .arg = e}) < 0) {
        no(s, "memory");
        return NULL;
    }
    struct orma_exec_expr *slot = new_slot(s, e->types, s->q->groups.len + at);
    if (slot)
        slot->affinity = e->affinity;
    return slot;
}

struct orma_exec_expr *orma_exec_over_groups(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    const struct orma_exec_keys *g = &s->q->groups;

    if (!e)
        return NULL;
    for (uint32_t i = 0; i < g->len; i++) {
        if (!orma_exec_same_expr(e, g->data[i].expr))
            continue;
        struct orma_exec_expr *slot = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);
        if (slot) {
            slot->col = i;
            slot->types = e->types;
            slot->affinity = e->affinity;
        }
        return slot;
    }
    if (e->op == ORMA_EXEC_COLUMN)
        return bare_column(s, e);
    if (!e->num)
        return e;
    struct orma_exec_expr *copy = orma_exec_new_expr(s->plan, e->op, e->num);
    if (!copy)
        return NULL;
    struct orma_exec_expr **args = copy->args;
    *copy = *e;
    copy->args = args;
    for (unsigned i = 0; i < e->num; i++) {
        if (!(args[i] = orma_exec_over_groups(s, e->args[i])))
            return NULL;
    }
    return copy;
}

/* ---- names ---- */

static bool is_merged(const struct orma_exec_seen *seen, struct orma_str name)
{
    for (const struct orma_exec_item *u = seen->using; u; u = u->next) {
        if (orma_exec_same_name(u->alias, name))
            return true;
    }
    return false;
}

static struct orma_exec_expr *find_column(const struct orma_exec_scope *s, struct orma_str table,
                                          struct orma_str name)
{
    for (unsigned i = 0; i < s->seen_num; i++) {
        const struct orma_exec_seen *seen = &s->seen[i];

        if (table.len ? !orma_exec_same_name(seen->alias, table) : is_merged(seen, name))
            continue;
        for (uint32_t k = 0; k < seen->cols.len; k++) {
            if (!orma_exec_same_name(seen->cols.data[k].name, name))
                continue;
            if (seen->table.len && !s->in_using)
                orma_sql_reads_add(&s->plan->reads, seen->table, name);
            return seen->cols.data[k].expr;
        }
    }
    return NULL;
}

static struct orma_exec_expr *new_const(struct orma_exec_scope *s, uint8_t tag, int64_t bits)
{
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_CONST, 0);

    if (e) {
        e->val = (struct orma_exec_value){tag, bits};
        e->types = tag;
    }
    return e;
}

/* A column of the query around this one; names of results that are not bound yet come first. */
static struct orma_exec_expr *find_outside(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    for (const struct orma_exec_item *i = s->items; i && !ast->table.len; i = i->next) {
        if (orma_exec_same_name(i->alias, ast->name))
            return NULL;
    }
    return find_column(s->outer, ast->table, ast->name);
}

static struct orma_exec_expr *bind_name(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = find_column(s, ast->table, ast->name);

    if (e)
        return e;
    for (uint32_t i = 0; s->aliases && !ast->table.len && i < s->aliases->len; i++) {
        if (s->aliases->data[i].given && orma_exec_same_name(s->aliases->data[i].name, ast->name))
            return s->aliases->data[i].expr;
    }
    if (s->outer && (e = find_outside(s, ast)))
        return e;
    if (!ast->quoted && !ast->table.len) {
        if (orma_exec_same_name(ast->name, ORMA_STR("true")))
            return new_const(s, EXEC_INT, 1);
        if (orma_exec_same_name(ast->name, ORMA_STR("false")))
            return new_const(s, EXEC_INT, 0);
    }
    no(s, "a name that is not known");
    return NULL;
}

static struct orma_exec_expr *bind_literal(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    struct orma_exec_value val = {EXEC_NULL, 0};

    if (ast->op == ORMA_EXEC_TEXT) {
        uint32_t id = orma_strpool_add(&s->plan->sql->storage->pool, ast->name);

        if (!id || memchr(ast->name.data, 0, ast->name.len))
            no(s, "a text");
        val = (struct orma_exec_value){EXEC_TEXT, id};
    } else if (ast->op == ORMA_EXEC_NUMBER && !orma_exec_literal(s->plan, ast->name, &val)) {
        no(s, "a number");
    }
    struct orma_exec_expr *e = new_const(s, val.tag, val.bits);
    if (e)
        e->name = ast->name;
    return e;
}

/* ---- types ---- */

static uint8_t types_of_all(const struct orma_exec_expr *e, unsigned from)
{
    uint8_t types = 0;

    for (unsigned i = from; i < e->num; i++)
        types |= e->args[i]->types;
    return types;
}

static uint8_t types_of_case(const struct orma_exec_expr *e)
{
    uint8_t types = e->has_else ? e->args[e->num - 1]->types : EXEC_NULL;

    for (unsigned i = e->has_base + 1; i < e->num - e->has_else; i += 2)
        types |= e->args[i]->types;
    return types;
}

static uint8_t cast_affinity(struct orma_str type, uint8_t *ret_types)
{
    static const struct {
        const char *name;
        uint8_t affinity, type;
    } casts[] = {{"int", EXEC_AFF_NUMBER, EXEC_INT},     {"integer", EXEC_AFF_NUMBER, EXEC_INT},
                 {"bigint", EXEC_AFF_NUMBER, EXEC_INT},  {"long", EXEC_AFF_NUMBER, 0},
                 {"text", EXEC_AFF_TEXT, EXEC_TEXT},     {"real", EXEC_AFF_NUMBER, EXEC_REAL},
                 {"double", EXEC_AFF_NUMBER, EXEC_REAL}, {"float", EXEC_AFF_NUMBER, EXEC_REAL}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(casts); i++) {
        if (orma_exec_same_name(type, orma_str_from(casts[i].name))) {
            *ret_types = casts[i].type;
            return casts[i].affinity;
        }
    }
    *ret_types = 0;
    return EXEC_AFF_NONE;
}

static void set_types(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    uint8_t all = types_of_all(e, 0), null = all & EXEC_NULL, type;

    switch (e->op) {
    case ORMA_EXEC_ADD:
    case ORMA_EXEC_SUB:
    case ORMA_EXEC_MUL:
    case ORMA_EXEC_NEG:
        e->types = (all & ~EXEC_TEXT) | (all & EXEC_TEXT ? EXEC_INT | EXEC_REAL : 0);
        break;
    case ORMA_EXEC_DIV:
    case ORMA_EXEC_REM:
        e->types = (all & ~EXEC_TEXT) | (all & EXEC_TEXT ? EXEC_INT | EXEC_REAL : 0) | EXEC_NULL;
        break;
    case ORMA_EXEC_PLUS:
        e->types = all;
        break;
    case ORMA_EXEC_CONCAT:
        e->types = EXEC_TEXT | null;
        break;
    case ORMA_EXEC_CASE:
        e->types = types_of_case(e);
        break;
    case ORMA_EXEC_CAST:
        e->affinity = cast_affinity(e->name, &type);
        if (!type)
            no(s, "a type of CAST");
        e->types = type | null;
        break;
    case ORMA_EXEC_CALL:
        e->types = EXEC_NULL | EXEC_INT | EXEC_REAL | EXEC_TEXT;
        break;
    case ORMA_EXEC_IS_NULL:
    case ORMA_EXEC_NOT_NULL:
    case ORMA_EXEC_IS:
    case ORMA_EXEC_IS_NOT:
        e->types = EXEC_INT;
        break;
    default:
        e->types = EXEC_INT | null;
        break;
    }
}

static struct orma_exec_expr *bind_args(struct orma_exec_scope *s, enum orma_exec_op op,
                                        const struct orma_exec_ast *args)
{
    struct orma_exec_expr *e;
    unsigned num = 0;

    for (const struct orma_exec_ast *a = args; a; a = a->next)
        num++;
    e = orma_exec_new_expr(s->plan, op, num);
    for (unsigned i = 0; e && i < num; i++, args = args->next) {
        if (!(e->args[i] = orma_exec_bind_expr(s, args)))
            return NULL;
    }
    return e;
}

/* ---- calls ---- */

static const struct {
    const char *name;
    enum orma_exec_func func;
    bool aggregate;
} funcs[] = {
    {"count", EXEC_COUNT, true},
    {"sum", EXEC_SUM, true},
    {"total", EXEC_TOTAL, true},
    {"avg", EXEC_AVG, true},
    {"min", EXEC_MIN, true},
    {"max", EXEC_MAX, true},
    {"percentile", EXEC_PERCENTILE, true},
    {"percentile_cont", EXEC_PERCENTILE, true},
    {"percentile_disc", EXEC_PERCENTILE, true},
    {"median", EXEC_PERCENTILE, true},
    {"row_number", EXEC_ROW_NUMBER, false},
    {"rank", EXEC_RANK, false},
    {"dense_rank", EXEC_DENSE_RANK, false},
    {"lead", EXEC_LEAD, false},
    {"lag", EXEC_LAG, false},
    {"first_value", EXEC_FIRST_VALUE, false},
    {"last_value", EXEC_LAST_VALUE, false},
    {"nth_value", EXEC_NTH_VALUE, false},
    {"ntile", EXEC_NTILE, false},
    {"percent_rank", EXEC_PERCENT_RANK, false},
    {"cume_dist", EXEC_CUME_DIST, false},
};

static uint8_t types_of_func(enum orma_exec_func func, uint8_t arg)
{
    switch (func) {
    case EXEC_COUNT_ALL:
    case EXEC_COUNT:
    case EXEC_ROW_NUMBER:
    case EXEC_RANK:
    case EXEC_DENSE_RANK:
    case EXEC_NTILE:
        return EXEC_INT;
    case EXEC_TOTAL:
    case EXEC_PERCENT_RANK:
    case EXEC_CUME_DIST:
        return EXEC_REAL;
    case EXEC_AVG:
    case EXEC_PERCENTILE:
        return EXEC_REAL | EXEC_NULL;
    case EXEC_SUM:
    case EXEC_MIN:
    case EXEC_MAX:
    case EXEC_LEAD:
    case EXEC_LAG:
    case EXEC_FIRST_VALUE:
    case EXEC_LAST_VALUE:
    case EXEC_NTH_VALUE:
    case EXEC_BARE:
        break;
    }
    return arg | EXEC_NULL;
}

/* percentile(x, constant) and the like: what they ask for. */
static bool bind_percentile(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                            struct orma_exec_agg *agg)
{
    const struct orma_exec_ast *second = ast->args ? ast->args->next : NULL;
    bool median = orma_exec_same_name(ast->name, ORMA_STR("median"));
    double max = orma_exec_same_name(ast->name, ORMA_STR("percentile")) ? 100.0 : 1.0;
    struct orma_exec_expr *e = second ? orma_exec_bind_expr(s, second) : NULL;

    if (!ast->args || median == (second != NULL) || agg->distinct)
        return no(s, "a percentile");
    agg->exact = orma_exec_same_name(ast->name, ORMA_STR("percentile_disc"));
    agg->fraction = 0.5;
    if (median)
        return true;
    if (!e || e->op != ORMA_EXEC_CONST || !(e->val.tag & (EXEC_INT | EXEC_REAL)))
        return no(s, "a percentile");
    double p = e->val.tag == EXEC_INT ? (double)e->val.bits : orma_exec_double(e->val.bits);
    agg->fraction = p / max;
    return (p >= 0 && p <= max) || no(s, "a percentile");
}

static struct orma_exec_expr *
bind_aggregate(struct orma_exec_scope *s, const struct orma_exec_ast *ast, enum orma_exec_func func)
{
    bool aggregates = s->aggregates, window_funcs = s->window_funcs;
    struct orma_exec_agg agg = {.func = func, .distinct = ast->distinct, .filtered = ast->filtered};
    struct orma_exec_aggs *aggs = &s->q->aggs;

    bool one = func == EXEC_PERCENTILE || !ast->args || !ast->args->next;
    if (!aggregates || !one || (!ast->args && func != EXEC_COUNT)) {
        no(s, "an aggregate");
        return NULL;
    }
    s->aggregates = s->window_funcs = false;
    if (!ast->args || ast->args->op == ORMA_EXEC_STAR)
        agg.func = EXEC_COUNT_ALL;
    else if (!(agg.arg = orma_exec_bind_expr(s, ast->args)))
        return NULL;
    if (func == EXEC_PERCENTILE && !bind_percentile(s, ast, &agg))
        return NULL;
    s->aggregates = aggregates;
    s->window_funcs = window_funcs;
    if ((agg.func == EXEC_COUNT_ALL && func != EXEC_COUNT) ||
        (agg.distinct && func != EXEC_COUNT && func != EXEC_MIN && func != EXEC_MAX)) {
        no(s, "a DISTINCT in an aggregate");
        return NULL;
    }
    uint32_t at = 0;
    while (at < aggs->len &&
           (aggs->data[at].func != agg.func || aggs->data[at].distinct != agg.distinct ||
            aggs->data[at].fraction < agg.fraction || aggs->data[at].fraction > agg.fraction ||
            aggs->data[at].exact != agg.exact || aggs->data[at].filtered != agg.filtered ||
            (agg.arg && !orma_exec_same_expr(agg.arg, aggs->data[at].arg))))
        at++;
    if (at == aggs->len && ORMA_VEC_PUSH(aggs, agg) < 0) {
        no(s, "memory");
        return NULL;
    }
    s->q->grouped = true;
    return new_slot(s, types_of_func(agg.func, agg.arg ? agg.arg->types : 0),
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
            return no(s, "a key of a window");
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
static struct orma_exec_extent extent_of(enum orma_exec_func func, const struct orma_exec_window *w)
{
    const enum orma_exec_border first = ORMA_EXEC_FIRST, here = ORMA_EXEC_HERE;
    const enum orma_exec_border last = ORMA_EXEC_LAST;

    switch (func) {
    case EXEC_ROW_NUMBER:
    case EXEC_LAG:
        return (struct orma_exec_extent){ORMA_EXEC_ROWS, first, here, 0, 0};
    case EXEC_LEAD:
        return (struct orma_exec_extent){ORMA_EXEC_ROWS, first, last, 0, 0};
    case EXEC_NTILE:
        return (struct orma_exec_extent){ORMA_EXEC_ROWS, here, last, 0, 0};
    case EXEC_PERCENT_RANK:
        return (struct orma_exec_extent){ORMA_EXEC_GROUPS, here, last, 0, 0};
    case EXEC_CUME_DIST:
        return (struct orma_exec_extent){ORMA_EXEC_GROUPS, ORMA_EXEC_AFTER, last, 1, 0};
    case EXEC_RANK:
    case EXEC_DENSE_RANK:
        return (struct orma_exec_extent){ORMA_EXEC_RANGE, first, here, 0, 0};
    default:
        return w->extent;
    }
}

static bool same_extent(const struct orma_exec_extent *a, const struct orma_exec_extent *b)
{
    return a->unit == b->unit && a->from == b->from && a->to == b->to &&
           a->from_num == b->from_num && a->to_num == b->to_num;
}

static struct orma_exec_win *find_win(struct orma_exec_scope *s, enum orma_exec_func func,
                                      const struct orma_exec_window *w)
{
    struct orma_exec_win *win = calloc(1, sizeof(*win));
    struct orma_exec_wins *wins = &s->q->wins;

    if (!win || ORMA_VEC_PUSH(wins, win) < 0) {
        free(win);
        no(s, "memory");
        return NULL;
    }
    win->extent = extent_of(func, w);
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

/* How many arguments it takes at most. */
static unsigned args_of(enum orma_exec_func func)
{
    switch (func) {
    case EXEC_ROW_NUMBER:
    case EXEC_RANK:
    case EXEC_DENSE_RANK:
    case EXEC_PERCENT_RANK:
    case EXEC_CUME_DIST:
        return 0;
    case EXEC_LEAD:
    case EXEC_LAG:
        return 3;
    case EXEC_NTH_VALUE:
        return 2;
    default:
        return 1;
    }
}

static bool bind_window_args(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                             struct orma_exec_wins_func *f)
{
    const bool counts = f->func == EXEC_NTILE || f->func == EXEC_NTH_VALUE;
    const struct orma_exec_ast *arg = ast->args;
    unsigned max = args_of(f->func), num = 0;

    f->offset = counts ? 0 : 1;
    for (; arg; arg = arg->next, num++) {
        if (arg->op == ORMA_EXEC_STAR && f->func == EXEC_COUNT) {
            f->func = EXEC_COUNT_ALL;
            continue;
        }
        struct orma_exec_expr *e = num < max ? orma_exec_bind_expr(s, arg) : NULL;
        bool offset = num == 1 || f->func == EXEC_NTILE;
        if (!e || (offset && (e->op != ORMA_EXEC_CONST || e->val.tag != EXEC_INT)))
            return no(s, "an argument of a window function");
        if (offset)
            f->offset = e->val.bits;
        else if (num == 0)
            f->arg = e;
        else
            f->fallback = e;
    }
    if (!num && f->func == EXEC_COUNT)
        f->func = EXEC_COUNT_ALL;
    bool all = f->arg || f->func == EXEC_COUNT_ALL || f->func == EXEC_NTILE || !max;
    return all && f->offset >= counts && f->offset < INT32_MAX;
}

static struct orma_exec_expr *bind_window(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast, enum orma_exec_func func)
{
    const struct orma_exec_window *w = find_window(s, ast->over);
    struct orma_exec_wins_func f = {.func = func};

    if (!s->window_funcs || !w || ast->distinct || func == EXEC_PERCENTILE) {
        no(s, "a window");
        return NULL;
    }
    s->window_funcs = false;
    struct orma_exec_win *win = find_win(s, func, w);
    bool ok = win && bind_window_args(s, ast, &f);
    s->window_funcs = true;
    /* SQLite keeps all values for these, whatever passes. */
    if (ok && ast->filtered && (func == EXEC_MIN || func == EXEC_MAX) &&
        win->extent.from != ORMA_EXEC_FIRST)
        ok = no(s, "a FILTER of min() or max() over a frame that moves");
    if (!ok || win->funcs_num == ORMA_ARRAY_LEN(win->funcs)) {
        no(s, "a window function");
        return NULL;
    }
    /* Behind keys and aggregates, whose number is not known yet: exec_bind.c moves it. */
    f.slot = s->q->slots_num++;
    win->funcs[win->funcs_num++] = f;
    struct orma_exec_expr *e = new_slot(
        s, types_of_func(f.func, (f.arg ? f.arg->types : 0) | (f.fallback ? f.fallback->types : 0)),
        f.slot);
    if (!e || ORMA_VEC_PUSH(&s->q->win_slots, e) < 0)
        return NULL;
    e->has_base = true; /* of a window */
    return e;
}

/* coalesce(), iif() and nullif() as CASE. */
static struct orma_exec_expr *bind_choice(struct orma_exec_scope *s,
                                          const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *in = bind_args(s, ORMA_EXEC_CALL, ast->args), *e, *test;
    bool iif = orma_exec_same_name(ast->name, ORMA_STR("iif"));
    bool nullif = orma_exec_same_name(ast->name, ORMA_STR("nullif"));

    if (!in || in->num < 2 || (iif && in->num != 3) || (nullif && in->num != 2)) {
        no(s, "arguments of a function");
        return NULL;
    }
    e = orma_exec_new_expr(s->plan, ORMA_EXEC_CASE, iif || nullif ? 3 : 2 * in->num - 1);
    if (!e)
        return NULL;
    e->has_else = true;
    if (iif) {
        memcpy(e->args, in->args, 3 * sizeof(*e->args));
    } else if (nullif) {
        struct orma_exec_expr *null = new_const(s, EXEC_NULL, 0);

        test = orma_exec_new_expr(s->plan, ORMA_EXEC_EQ, 2);
        for (unsigned i = 0; test && i < 2; i++) { /* compared without affinity */
            test->args[i] = orma_exec_new_expr(s->plan, ORMA_EXEC_PLUS, 1);
            if (!test->args[i])
                return NULL;
            test->args[i]->args[0] = in->args[i];
            test->args[i]->types = in->args[i]->types;
        }
        if (!test || !null)
            return NULL;
        test->types = EXEC_INT | EXEC_NULL;
        e->args[0] = test;
        e->args[1] = null;
        e->args[2] = in->args[0];
    } else {
        for (unsigned i = 0; i + 1 < in->num; i++) {
            test = orma_exec_new_expr(s->plan, ORMA_EXEC_NOT_NULL, 1);
            if (!test)
                return NULL;
            test->types = EXEC_INT;
            test->args[0] = e->args[2 * i + 1] = in->args[i];
            e->args[2 * i] = test;
        }
        e->args[e->num - 1] = in->args[in->num - 1];
    }
    e->types = types_of_case(e);
    if (!iif && !nullif && !(in->args[in->num - 1]->types & EXEC_NULL))
        e->types &= (uint8_t)~EXEC_NULL;
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

static bool is_choice(struct orma_str name)
{
    static const char *const names[] = {"coalesce", "ifnull", "iif", "nullif"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_exec_same_name(name, orma_str_from(names[i])))
            return true;
    }
    return false;
}

/* What functions of SQLite give. */
static uint8_t types_of_call(struct orma_str name)
{
    static const char *const texts[] = {"char",      "format", "hex",     "lower", "ltrim",
                                        "printf",    "quote",  "replace", "rtrim", "substr",
                                        "substring", "trim",   "typeof",  "upper"};
    static const char *const ints[] = {"instr", "length", "sign", "unicode"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (orma_exec_same_name(name, orma_str_from(texts[i])))
            return EXEC_TEXT | EXEC_NULL;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(ints); i++) {
        if (orma_exec_same_name(name, orma_str_from(ints[i])))
            return EXEC_INT | EXEC_NULL;
    }
    return EXEC_NULL | EXEC_INT | EXEC_REAL | EXEC_TEXT;
}

static struct orma_exec_expr *bind_call(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    bool two = ast->args && ast->args->next;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(funcs); i++) {
        if (!orma_exec_same_name(ast->name, orma_str_from(funcs[i].name)))
            continue;
        if (ast->over)
            return bind_window(s, ast, funcs[i].func);
        bool best = funcs[i].func == EXEC_MIN || funcs[i].func == EXEC_MAX;
        if (funcs[i].aggregate && !(two && best))
            return bind_aggregate(s, ast, funcs[i].func);
    }
    if (ast->over || ast->distinct || ast->filtered ||
        (ast->args && ast->args->op == ORMA_EXEC_STAR)) {
        no(s, "a function");
        return NULL;
    }
    if (is_choice(ast->name))
        return bind_choice(s, ast);
    if (two && orma_exec_same_name(ast->name, ORMA_STR("min")))
        return bind_best(s, ast, ORMA_EXEC_LEAST);
    if (two && orma_exec_same_name(ast->name, ORMA_STR("max")))
        return bind_best(s, ast, ORMA_EXEC_GREATEST);
    bool arg = orma_exec_same_name(ast->name, ORMA_STR("extract_arg"));
    struct orma_exec_expr *e = bind_args(s, arg ? ORMA_EXEC_ARG : ORMA_EXEC_CALL, ast->args);
    if (!e)
        return NULL;
    e->name = ast->name;
    if (orma_exec_is_fixed(s->plan, e))
        return orma_exec_call_now(s->plan, e) ? e : NULL;
    e->types = arg ? EXEC_NULL | EXEC_INT | EXEC_REAL | EXEC_TEXT : types_of_call(ast->name);
    if (arg &&
        (e->num != 2 || e->args[1]->op != ORMA_EXEC_CONST || e->args[1]->val.tag != EXEC_TEXT))
        no(s, "a key of extract_arg()");
    return e;
}

/* ---- all of them ---- */

/* x BETWEEN a AND b is x >= a AND x <= b. */
static struct orma_exec_expr *bind_between(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *in = bind_args(s, ORMA_EXEC_BETWEEN, ast->args);
    struct orma_exec_expr *both = orma_exec_new_expr(s->plan, ORMA_EXEC_AND, 2);

    if (!in || !both || in->num != 3)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *half =
            orma_exec_new_expr(s->plan, i ? ORMA_EXEC_LE : ORMA_EXEC_GE, 2);

        if (!half)
            return NULL;
        half->args[0] = in->args[0];
        half->args[1] = in->args[i + 1];
        set_types(s, half);
        both->args[i] = half;
    }
    set_types(s, both);
    if (!ast->negated)
        return both;
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_NOT, 1);
    if (e) {
        e->args[0] = both;
        set_types(s, e);
    }
    return e;
}

/* Arithmetic of two integers that are known; `e` if the result is none. */
static struct orma_exec_expr *compute_now(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    const struct orma_exec_rows one = {.num = 1};

    for (unsigned i = 0; i < 2; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || e->args[i]->val.tag != EXEC_INT)
            return e;
    }
    struct orma_exec_vec *v = orma_exec_take_vec(s->plan);
    if (v && orma_exec_eval(s->plan, e, &one, v) && orma_exec_tag_at(v, 0) == EXEC_INT)
        e = new_const(s, EXEC_INT, v->vals[0]);
    orma_exec_give_vec(s->plan, v);
    return e;
}

static struct orma_exec_expr *bind_other(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = bind_args(s, ast->op, ast->args);

    if (!e)
        return NULL;
    e->negated = ast->negated;
    e->has_base = ast->has_base;
    e->has_else = ast->has_else;
    e->name = ast->name;
    for (unsigned i = 1; e->op == ORMA_EXEC_IN && i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST)
            no(s, "a list with expressions");
    }
    if (e->op == ORMA_EXEC_NEG && e->args[0]->op == ORMA_EXEC_CONST &&
        e->args[0]->val.tag == EXEC_INT && e->args[0]->val.bits != INT64_MIN)
        return new_const(s, EXEC_INT, -e->args[0]->val.bits);
    set_types(s, e);
    return e->op >= ORMA_EXEC_BIT_AND && e->op <= ORMA_EXEC_REM ? compute_now(s, e) : e;
}

struct orma_exec_expr *orma_exec_bind_expr(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = NULL;

    if (s->plan->why || s->depth++ > EXEC_DEPTH_MAX) {
        no(s, "too deep");
        return NULL;
    }
    switch (ast->op) {
    case ORMA_EXEC_NULL:
    case ORMA_EXEC_NUMBER:
    case ORMA_EXEC_TEXT:
        e = bind_literal(s, ast);
        break;
    case ORMA_EXEC_NAME:
        e = bind_name(s, ast);
        break;
    case ORMA_EXEC_CALL:
        e = bind_call(s, ast);
        break;
    case ORMA_EXEC_BETWEEN:
        e = bind_between(s, ast);
        break;
    case ORMA_EXEC_IN_SELECT:
        e = bind_args(s, ORMA_EXEC_IN_SELECT, ast->args);
        e = e && orma_exec_bind_in_select(s, ast, e) ? e : NULL;
        break;
    case ORMA_EXEC_VALUE:
    case ORMA_EXEC_EXISTS:
        e = orma_exec_new_expr(s->plan, ast->op, 0);
        e = e && orma_exec_bind_value(s, ast, e) ? e : NULL;
        break;
    case ORMA_EXEC_STAR:
        no(s, "a star");
        break;
    default:
        e = bind_other(s, ast);
        break;
    }
    s->depth--;
    return s->plan->why ? NULL : e;
}
