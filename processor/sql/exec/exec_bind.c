/*
 * Queries: FROM becomes sources, sub-selects and views that only pick rows and columns are
 * dissolved in the query around them, others become sources of their own; then the clauses are
 * bound in the order that names need: FROM, GROUP BY, results, WHERE, HAVING, ORDER BY.
 *
 * Where SQLite's order of rows cannot be told from the statement, it is given up here: an ORDER BY
 * in a sub-select, which SQLite drops or keeps as it likes, unless nobody can see it.
 */
#include <stdlib.h>

#include "processor/sql/exec/exec_bind.h"

#define VIEWS_MAX 40

static struct orma_exec_query *bind_select(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_ctes *ctes, unsigned depth);

static struct orma_exec_query *new_query(struct orma_exec_plan *plan)
{
    struct orma_exec_query *q = calloc(1, sizeof(*q));

    if (!q || ORMA_VEC_PUSH(&plan->queries, q) < 0) {
        free(q);
        orma_exec_give_up(plan, "memory");
        return NULL;
    }
    q->limit = -1;
    q->wanted = UINT32_MAX;
    return q;
}

static struct orma_exec_source *add_source(struct orma_exec_scope *s)
{
    struct orma_exec_source *src = orma_arena_alloc(&s->plan->arena, sizeof(*src));

    if (!src || s->q->sources_num == EXEC_SOURCES_MAX) {
        orma_exec_give_up(s->plan, "sources");
        return NULL;
    }
    *src = (struct orma_exec_source){.index = s->q->sources_num};
    s->q->sources[s->q->sources_num++] = src;
    return src;
}

/* ---- conditions ---- */

/* Splits at AND. */
static bool add_conditions(struct orma_exec_plan *plan, struct orma_exec_exprs *to,
                           struct orma_exec_expr *e)
{
    if (!e)
        return false;
    if (e->op == ORMA_EXEC_AND)
        return add_conditions(plan, to, e->args[0]) && add_conditions(plan, to, e->args[1]);
    return ORMA_VEC_PUSH(to, e) == 0 || orma_exec_give_up(plan, "memory");
}

/* ---- FROM ---- */

/* Whether rows and columns of the query are those of its sources, so that it can be dissolved. */
static bool is_plain(const struct orma_exec_query *q)
{
    return !q->is_fence && !q->grouped && !q->wins.len && !q->distinct && !q->order.len &&
           !q->has_limit && q->sources_num;
}

/* The right side of a LEFT JOIN: all its columns must be NULL where there is no row. */
static bool is_one_table(const struct orma_exec_query *q)
{
    if (q->sources_num != 1 || !q->sources[0]->table)
        return false;
    for (uint32_t i = 0; i < q->results.len; i++) {
        if (q->results.data[i].expr->op != ORMA_EXEC_COLUMN)
            return false;
    }
    return true;
}

static bool dissolve(struct orma_exec_scope *s, struct orma_exec_query *sub,
                     enum orma_exec_join join, struct orma_exec_seen *seen)
{
    struct orma_exec_query *q = s->q;

    if (q->sources_num + sub->sources_num > EXEC_SOURCES_MAX)
        return orma_exec_give_up(s->plan, "sources");
    for (unsigned i = 0; i < sub->sources_num; i++) {
        sub->sources[i]->index = q->sources_num;
        q->sources[q->sources_num++] = sub->sources[i];
    }
    struct orma_exec_exprs *to = &q->where;
    if (join == ORMA_EXEC_LEFT) {
        sub->sources[0]->join = ORMA_EXEC_LEFT;
        to = &sub->sources[0]->on;
    }
    for (uint32_t i = 0; i < sub->where.len; i++) {
        if (ORMA_VEC_PUSH(to, sub->where.data[i]) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    sub->sources_num = 0;
    seen->cols = sub->results;
    sub->results = (struct orma_exec_results){0};
    for (uint32_t i = 0; i < seen->cols.len; i++)
        seen->cols.data[i].expr->is_column |= seen->cols.data[i].expr->op != ORMA_EXEC_COLUMN;
    return true;
}

/* A query as a source of its own. */
static bool see_query(struct orma_exec_scope *s, struct orma_exec_query *sub,
                      struct orma_exec_seen *seen, struct orma_exec_source **ret)
{
    struct orma_exec_source *src = add_source(s);

    if (!src)
        return false;
    src->query = sub;
    *ret = src;
    for (uint32_t i = 0; i < sub->results.len; i++) {
        struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_COLUMN, 0);

        if (!e)
            return false;
        e->source = src;
        e->col = i;
        e->types = sub->results.data[i].expr->types;
        e->affinity = sub->results.data[i].expr->affinity;
        if (ORMA_VEC_PUSH(&seen->cols,
                          (struct orma_exec_result){sub->results.data[i].name, e, false}) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    return true;
}

static bool see_select(struct orma_exec_scope *s, struct orma_exec_query *sub,
                       enum orma_exec_join join, struct orma_exec_seen *seen)
{
    struct orma_exec_source *src = NULL;

    if (!sub)
        return false;
    if (is_plain(sub) && (join != ORMA_EXEC_LEFT || is_one_table(sub)))
        return dissolve(s, sub, join, seen);
    if (!see_query(s, sub, seen, &src))
        return false;
    src->join = join;
    src->alias = seen->alias;
    return true;
}

static bool see_table(struct orma_exec_scope *s, struct orma_exec_source found,
                      enum orma_exec_join join, struct orma_exec_seen *seen)
{
    struct orma_exec_source *src = add_source(s);

    if (!src)
        return false;
    found.index = src->index;
    found.join = join;
    found.alias = seen->alias;
    *src = found;
    for (unsigned i = 0; i < orma_exec_table_width(src); i++) {
        struct orma_exec_result col = orma_exec_table_column(s->plan, src, i);

        if (!col.expr || ORMA_VEC_PUSH(&seen->cols, col) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    return true;
}

/* "CREATE VIEW name [(columns)] AS SELECT ...": the text of the query; empty: it is another form.
 */
static struct orma_str view_query(struct orma_str text)
{
    for (size_t i = 0; i + 4 < text.len && text.data[i] != '('; i++) {
        if (!sqlite3_strnicmp(text.data + i, " AS ", 4) ||
            !sqlite3_strnicmp(text.data + i, " AS\n", 4))
            return (struct orma_str){text.data + i + 4, text.len - i - 4};
    }
    return (struct orma_str){0};
}

static bool see_cte(struct orma_exec_scope *s, const struct orma_exec_from *f,
                    struct orma_exec_ctes *cte, struct orma_exec_seen *seen, unsigned depth)
{
    const struct orma_exec_item *name = cte->with->columns;

    if (cte->busy)
        return orma_exec_refuse(s, "a recursive query");
    cte->busy = true;
    s->plan->used_twice |= cte->used;
    cte->used = true;
    struct orma_exec_query *sub = bind_select(s->plan, cte->with->select, cte->sees, depth + 1);
    cte->busy = false;
    orma_sql_reads_add(&s->plan->views, f->name, ORMA_STR(""));
    for (uint32_t i = 0; sub && name && i < sub->results.len; i++, name = name->next)
        sub->results.data[i].name = name->alias;
    if (sub)
        sub->is_fence = cte->with->materialized;
    return see_select(s, sub, f->join, seen);
}

static bool see_name(struct orma_exec_scope *s, const struct orma_exec_from *f,
                     struct orma_exec_ctes *ctes, struct orma_exec_seen *seen, unsigned depth)
{
    struct orma_exec_ctes *cte = orma_exec_scope_cte(ctes, f->name);
    struct orma_exec_source found = {0};
    struct orma_str view;

    if (cte)
        return see_cte(s, f, cte, seen, depth);
    if (orma_exec_find_table(s->plan, f->name, &found, &view)) {
        seen->table = f->name;
        orma_sql_reads_add(&s->plan->tables, f->name, ORMA_STR(""));
        return see_table(s, found, f->join, seen);
    }
    view = view_query(view);
    struct orma_exec_select *ast = view.len ? orma_exec_parse(&s->plan->arena, view) : NULL;
    if (!ast)
        return orma_exec_give_up(s->plan, view.len ? "the text of a view" : "a table");
    orma_sql_reads_add(&s->plan->views, f->name, ORMA_STR(""));
    return see_select(s, bind_select(s->plan, ast, NULL, depth + 1), f->join, seen);
}

static bool add_using(struct orma_exec_scope *s, const struct orma_exec_from *f,
                      struct orma_exec_exprs *to)
{
    for (const struct orma_exec_item *u = f->using; u; u = u->next) {
        struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_EQ, 2);

        if (!e || !orma_exec_scope_pair(s, u->alias, &e->args[0], &e->args[1]))
            return false;
        e->types = EXEC_INT | EXEC_NULL;
        if (!add_conditions(s->plan, to, e))
            return false;
    }
    return true;
}

static bool bind_from(struct orma_exec_scope *s, const struct orma_exec_from *f,
                      struct orma_exec_ctes *ctes, unsigned depth)
{
    for (; f; f = f->next) {
        if (s->seen_num == EXEC_SOURCES_MAX)
            return orma_exec_give_up(s->plan, "sources");
        struct orma_exec_seen *seen = &s->seen[s->seen_num++];
        unsigned first = s->q->sources_num;

        *seen =
            (struct orma_exec_seen){.alias = f->alias.len ? f->alias : f->name, .using = f->using};
        if (f->select && f->alias.len) /* SQLite may call its columns by that */
            orma_sql_reads_add(&s->plan->views, f->alias, ORMA_STR(""));
        bool ok = f->select ? see_select(s, bind_select(s->plan, f->select, ctes, depth + 1),
                                         f->join, seen)
                            : see_name(s, f, ctes, seen, depth);
        if (!ok)
            return false;
        struct orma_exec_exprs *on =
            f->join == ORMA_EXEC_LEFT ? &s->q->sources[first]->on : &s->q->where;
        if (f->using && !add_using(s, f, on))
            return false;
    }
    return true;
}

/* ON sees all sources that stand in the statement. */
static bool bind_on(struct orma_exec_scope *s, const struct orma_exec_from *f,
                    const unsigned *first_sources)
{
    for (unsigned i = 0; f; f = f->next, i++) {
        if (!f->on)
            continue;
        struct orma_exec_exprs *to =
            f->join == ORMA_EXEC_LEFT ? &s->q->sources[first_sources[i]]->on : &s->q->where;
        if (!add_conditions(s->plan, to, orma_exec_bind_expr(s, f->on)))
            return false;
    }
    return true;
}

/* ---- results ---- */

static bool add_result(struct orma_exec_scope *s, struct orma_exec_result r)
{
    return r.expr &&
           (ORMA_VEC_PUSH(&s->q->results, r) == 0 || orma_exec_give_up(s->plan, "memory"));
}

static bool add_star(struct orma_exec_scope *s, const struct orma_exec_item *item)
{
    for (unsigned i = 0; i < s->seen_num; i++) {
        const struct orma_exec_seen *seen = &s->seen[i];

        if (item->table.len && !orma_exec_same_name(seen->alias, item->table))
            continue;
        for (uint32_t k = 0; k < seen->cols.len; k++) {
            struct orma_exec_result r = seen->cols.data[k];

            if (r.hidden || (!item->table.len && orma_exec_scope_is_merged(seen, r.name)))
                continue;
            if (seen->table.len)
                orma_sql_reads_add(&s->plan->reads, seen->table, r.name);
            r.given = true; /* as SQLite writes them out */
            if (!add_result(s, r))
                return false;
        }
    }
    return true;
}

static bool bind_results(struct orma_exec_scope *s, const struct orma_exec_item *items)
{
    for (; items; items = items->next) {
        if (!items->expr) {
            if (!add_star(s, items))
                return false;
            continue;
        }
        struct orma_exec_result r = {.name = items->alias, .given = items->alias.len};
        if (!r.name.len && items->expr->op == ORMA_EXEC_NAME)
            r.name = items->expr->name;
        r.expr = orma_exec_bind_expr(s, items->expr);
        if (!add_result(s, r))
            return false;
    }
    return true;
}

/* ---- GROUP BY and ORDER BY ---- */

/* A term that is the number of a result, or (in ORDER BY) its name. */
static struct orma_exec_expr *term_of_result(const struct orma_exec_scope *s,
                                             const struct orma_exec_ast *ast,
                                             const struct orma_exec_results *results, bool names)
{
    uint64_t n;

    if (ast->op == ORMA_EXEC_NUMBER && orma_str_to_u64(ast->name, &n)) {
        if (n && n <= results->len)
            return results->data[n - 1].expr;
        orma_exec_give_up(s->plan, "the number of a result");
    }
    for (uint32_t i = 0; names && ast->op == ORMA_EXEC_NAME && !ast->table.len && i < results->len;
         i++) {
        if (results->data[i].given && orma_exec_same_name(results->data[i].name, ast->name))
            return results->data[i].expr;
    }
    return NULL;
}

static bool bind_group(struct orma_exec_scope *s, const struct orma_exec_item *items,
                       const struct orma_exec_results *results)
{
    for (; items; items = items->next) {
        struct orma_exec_key key = {.expr = term_of_result(s, items->expr, results, false)};

        if (!key.expr)
            key.expr = orma_exec_bind_expr(s, items->expr);
        if (!key.expr || items->desc || items->nulls_given || key.expr->op == ORMA_EXEC_SLOT ||
            key.expr->op == ORMA_EXEC_CONST || (key.expr->sub && !key.expr->num) ||
            ORMA_VEC_PUSH(&s->q->groups, key) < 0)
            return orma_exec_give_up(s->plan, "a term of GROUP BY");
        s->q->grouped = true;
    }
    return true;
}

static bool reads_window(const struct orma_exec_expr *e)
{
    bool reads = e->op == ORMA_EXEC_SLOT && e->has_base;

    for (unsigned i = 0; i < e->num; i++)
        reads |= reads_window(e->args[i]);
    return reads;
}

static bool bind_order(struct orma_exec_scope *s, const struct orma_exec_item *items)
{
    for (; items; items = items->next) {
        struct orma_exec_key key = {.desc = items->desc, .nulls_last = items->desc};

        if (items->nulls_given)
            key.nulls_last = items->nulls_last;
        key.expr = term_of_result(s, items->expr, &s->q->results, true);
        if (!key.expr)
            key.expr = orma_exec_bind_expr(s, items->expr);
        if (!key.expr)
            return false;
        /* Their order among each other changes with what ORDER BY names. */
        if (s->q->wins.len > 1 && reads_window(key.expr))
            return orma_exec_give_up(s->plan, "an order by one of several windows");
        if (key.expr->op == ORMA_EXEC_CONST && s->q->groups.len)
            return orma_exec_give_up(s->plan, "groups ordered by a constant");
        if (key.expr->op != ORMA_EXEC_CONST && ORMA_VEC_PUSH(&s->q->order, key) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    return true;
}

static bool bind_limit(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    const struct orma_exec_ast *terms[] = {ast->limit, ast->offset};
    int64_t vals[2] = {-1, 0};

    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *e = terms[i] ? orma_exec_bind_expr(s, terms[i]) : NULL;

        if (!terms[i])
            continue;
        if (!e || e->op != ORMA_EXEC_CONST || e->val.tag != EXEC_INT)
            return orma_exec_give_up(s->plan, "a limit");
        vals[i] = e->val.bits;
    }
    s->q->has_limit = ast->limit;
    s->q->limit = vals[0] < 0 ? -1 : vals[0];
    s->q->offset = ORMA_MAX(vals[1], 0);
    return true;
}

/* ---- over groups ---- */

static bool regroup_keys(struct orma_exec_scope *s, struct orma_exec_keys *keys)
{
    for (uint32_t i = 0; i < keys->len; i++) {
        if (!(keys->data[i].expr = orma_exec_over_groups(s, keys->data[i].expr)))
            return false;
    }
    return true;
}

static bool regroup_win(struct orma_exec_scope *s, struct orma_exec_win *w)
{
    if (!regroup_keys(s, &w->partition) || !regroup_keys(s, &w->order))
        return false;
    for (unsigned k = 0; k < w->funcs_num; k++) {
        struct orma_exec_wins_func *f = &w->funcs[k];

        if ((f->arg && !(f->arg = orma_exec_over_groups(s, f->arg))) ||
            (f->fallback && !(f->fallback = orma_exec_over_groups(s, f->fallback))))
            return false;
    }
    return true;
}

/* What comes after the groups reads slots. */
static bool regroup(struct orma_exec_scope *s)
{
    struct orma_exec_query *q = s->q;

    for (uint32_t i = 0; i < q->results.len; i++) {
        if (!(q->results.data[i].expr = orma_exec_over_groups(s, q->results.data[i].expr)))
            return false;
    }
    for (uint32_t i = 0; i < q->having.len; i++) {
        if (!(q->having.data[i] = orma_exec_over_groups(s, q->having.data[i])))
            return false;
    }
    for (uint32_t i = 0; i < q->wins.len; i++) {
        if (!regroup_win(s, q->wins.data[i]))
            return false;
    }
    return regroup_keys(s, &q->order);
}

/*
 * SQLite gives groups in falling order of a key where the term of the order around them in the same
 * place falls, if both lists are equally long, whatever the terms are.
 */
static void turn_groups(struct orma_exec_query *q)
{
    const struct orma_exec_win *w = q->wins.len ? q->wins.data[q->wins.len - 1] : NULL;
    uint32_t before = w ? w->partition.len : 0;
    const struct orma_exec_keys *order = w ? &w->order : &q->order;

    if (before + order->len != q->groups.len)
        return;
    for (uint32_t i = before; i < q->groups.len; i++)
        q->groups.data[i].desc = q->groups.data[i].nulls_last = order->data[i - before].desc;
}

/* A table may walk its times and ids from the last to the first where their order falls. */
static bool falls_with_bare(const struct orma_exec_query *q)
{
    bool falls = false, bare = false;

    for (uint32_t i = 0; i < q->groups.len; i++) {
        const struct orma_exec_expr *e = q->groups.data[i].expr;

        falls |= q->groups.data[i].desc && e->op == ORMA_EXEC_COLUMN && e->types & EXEC_INT;
    }
    for (uint32_t i = 0; i < q->aggs.len; i++)
        bare |= q->aggs.data[i].func == EXEC_BARE;
    return falls && bare;
}

static void number_slots(struct orma_exec_query *q)
{
    unsigned base = q->groups.len + q->aggs.len;

    for (uint32_t i = 0; i < q->win_slots.len; i++)
        q->win_slots.data[i]->col += base;
    for (uint32_t i = 0; i < q->wins.len; i++) {
        for (unsigned k = 0; k < q->wins.data[i]->funcs_num; k++)
            q->wins.data[i]->funcs[k].slot += base;
    }
    q->slots_num += base;
}

/* ---- a query ---- */

/* Results are bound twice where GROUP BY names them: before the groups are known they cannot have
 * aggregates, after that they can. */
static bool bind_groups_by_results(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    struct orma_exec_results plain = {0};
    bool ok = true;
    const struct orma_exec_item *item = ast->items;

    for (; item && ok; item = item->next) {
        struct orma_exec_result r = {.name = item->alias, .given = item->alias.len};

        if (!item->expr)
            break; /* numbers and names behind a star are given up */
        const char *why = s->plan->why;
        if (!r.name.len && item->expr->op == ORMA_EXEC_NAME)
            r.name = item->expr->name;
        r.expr = orma_exec_bind_expr(s, item->expr);
        if (!r.expr) { /* an aggregate, which nobody groups by */
            s->plan->why = why;
            r.expr = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);
        }
        ok = ORMA_VEC_PUSH(&plain, r) == 0;
    }
    s->aliases = &plain;
    ok = ok && bind_group(s, ast->group, &plain);
    s->aliases = NULL;
    ORMA_VEC_FINI(&plain);
    return ok;
}

static bool bind_where(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    return !ast->where || add_conditions(s->plan, &s->q->where, orma_exec_bind_expr(s, ast->where));
}

/*
 * A query that may depend on the row of the one around it: what it compares with that becomes its
 * groups, if it has aggregates, so WHERE is bound first (and sees no names of results).
 */
static bool bind_where_first(struct orma_exec_scope *s, const struct orma_exec_select *ast,
                             struct orma_exec_scope *outer)
{
    s->outer = outer;
    s->items = ast->items;
    bool ok = bind_where(s, ast) && orma_exec_take_keys(s->plan, s->q, &s->q->where);

    s->outer = NULL;
    if (!ok)
        return false;
    for (uint32_t i = 0; i < s->q->keys.len; i++) {
        if (ORMA_VEC_PUSH(&s->q->groups, (struct orma_exec_key){.expr = s->q->keys.data[i]}) < 0)
            return orma_exec_give_up(s->plan, "memory");
    }
    return true;
}

static bool bind_clauses(struct orma_exec_scope *s, const struct orma_exec_select *ast,
                         struct orma_exec_scope *outer)
{
    const bool first = outer && !ast->group;

    if (first && !bind_where_first(s, ast, outer))
        return false;
    if (ast->group && !bind_groups_by_results(s, ast))
        return false;
    s->aggregates = s->window_funcs = true;
    if (!bind_results(s, ast->items))
        return false;
    s->aggregates = s->window_funcs = false;
    if (!s->q->grouped)
        s->q->groups.len = 0;
    s->q->result_aggs = s->q->aggs.len;
    s->aliases = &s->q->results;
    if (!first && !bind_where(s, ast))
        return false;
    s->aggregates = true;
    if (ast->having && !add_conditions(s->plan, &s->q->having, orma_exec_bind_expr(s, ast->having)))
        return false;
    s->window_funcs = true;
    return (!ast->order || bind_order(s, ast->order)) && bind_limit(s, ast) &&
           (!s->q->grouped || regroup(s));
}

static bool has_on(const struct orma_exec_from *f)
{
    for (; f; f = f->next) {
        if (f->on)
            return true;
    }
    return false;
}

/* The first source of each item of FROM, before it is known how many an item has. */
static bool bind_sources(struct orma_exec_scope *s, const struct orma_exec_select *ast,
                         struct orma_exec_ctes *ctes, unsigned depth)
{
    unsigned first[EXEC_SOURCES_MAX] = {0}, num = 0;

    if (!has_on(ast->from))
        return bind_from(s, ast->from, ctes, depth);
    for (const struct orma_exec_from *f = ast->from; f; f = f->next) {
        struct orma_exec_from one = *f;

        one.next = NULL;
        if (num == EXEC_SOURCES_MAX)
            return orma_exec_give_up(s->plan, "sources");
        first[num++] = s->q->sources_num;
        if (!bind_from(s, &one, ctes, depth))
            return false;
    }
    return bind_on(s, ast->from, first);
}

static struct orma_exec_query *bind_with(struct orma_exec_plan *plan,
                                         const struct orma_exec_select *ast,
                                         struct orma_exec_ctes *ctes, unsigned depth)
{
    struct orma_exec_scope *s = calloc(1, sizeof(*s)), *outer = plan->outer;
    struct orma_exec_query *q = new_query(plan);
    bool ok = s && q;

    plan->outer = NULL; /* not for queries in its FROM */
    if (ok) {
        *s = (struct orma_exec_scope){.plan = plan,
                                      .q = q,
                                      .windows = ast->windows,
                                      .ctes = ctes,
                                      .bind_select = bind_select,
                                      .bind_call = orma_exec_bind_call,
                                      .select_depth = depth};
        ok = ast->from ? bind_sources(s, ast, ctes, depth) : orma_exec_give_up(plan, "no FROM");
    }
    ok = ok && bind_clauses(s, ast, outer);
    for (unsigned i = 0; s && i < s->seen_num; i++)
        ORMA_VEC_FINI(&s->seen[i].cols);
    free(s);
    if (!ok || plan->why) {
        orma_exec_give_up(plan, "memory");
        return NULL;
    }
    q->distinct = ast->distinct;
    q->has_order = ast->order;
    number_slots(q);
    turn_groups(q);
    if (falls_with_bare(q)) {
        orma_exec_give_up(plan, "a column that is not grouped by");
        return NULL;
    }
    return q;
}

/* What SQLite does with a set of rows that it put together in a tree: they come in order. */
static bool order_by_all(struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->results.len; i++) {
        struct orma_exec_key key = {.expr = q->results.data[i].expr};
        bool known = false;

        for (uint32_t k = 0; k < q->order.len; k++)
            known |= q->order.data[k].expr == key.expr;
        if (!known && ORMA_VEC_PUSH(&q->order, key) < 0)
            return false;
    }
    return true;
}

/* A query around the parts of a compound one: ORDER BY and LIMIT of the whole, which are in `ast`
 * or NULL, and what makes a set of them. */
static struct orma_exec_query *bind_around(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_query *sub, enum orma_exec_set set)
{
    struct orma_exec_scope *s = sub ? calloc(1, sizeof(*s)) : NULL;
    struct orma_exec_query *q = s ? new_query(plan) : NULL;
    const struct orma_exec_item star = {0}, *order = ast ? ast->order : NULL;
    struct orma_exec_source *src;
    bool ok = q;

    if (ok) {
        *s = (struct orma_exec_scope){
            .plan = plan, .q = q, .seen_num = 1, .bind_call = orma_exec_bind_call};
        q->set = set;
        q->distinct = set != ORMA_EXEC_UNION_ALL;
        ok = see_query(s, sub, &s->seen[0], &src) && add_star(s, &star) &&
             (!order || bind_order(s, order)) && orma_exec_check_union_order(s, order) &&
             (!ast || bind_limit(s, ast)) && (!q->distinct || order_by_all(q));
        for (uint32_t i = 0; ok && i < q->results.len; i++)
            q->results.data[i].given = sub->results.data[i].given;
        q->has_order = order;
        ORMA_VEC_FINI(&s->seen[0].cols);
    }
    free(s);
    if (!ok)
        orma_exec_give_up(plan, "memory");
    return ok ? q : NULL;
}

/* Whether one more part joins those that are there: a set of sets would be the same. */
static bool goes_on(const struct orma_exec_select *last, const struct orma_exec_select *part)
{
    return last->set == part->set && part->set != ORMA_EXEC_INTERSECT;
}

/*
 * Parts from the left to the right. Those with the same word between them are one list; where it
 * changes, what stands before is a query of its own.
 */
static struct orma_exec_query *bind_compound(struct orma_exec_plan *plan,
                                             const struct orma_exec_select *ast,
                                             struct orma_exec_ctes *ctes, unsigned depth)
{
    const struct orma_exec_select *last = ast;
    struct orma_exec_query *list = NULL, *whole = NULL;

    for (const struct orma_exec_select *part = ast; part; last = part, part = part->more) {
        struct orma_exec_select core = *part;

        core.order = NULL;
        core.limit = core.offset = NULL;
        core.more = NULL;
        core.with = NULL;
        struct orma_exec_query *q = bind_select(plan, &core, ctes, depth + 1);
        if (part == ast) {
            whole = q;
            continue;
        }
        if (!list || !goes_on(last, part)) {
            if (list && !(whole = bind_around(plan, NULL, list, last->set)))
                return NULL;
            list = new_query(plan);
            if (!list || !orma_exec_add_part(plan, list, whole))
                return NULL;
        }
        if (!orma_exec_add_part(plan, list, q))
            return NULL;
    }
    /* It would put the sets below in this order as well. */
    if (last->set == ORMA_EXEC_UNION_ALL && ast->order && list->parts.data[0]->distinct &&
        list->parts.data[0]->set != ORMA_EXEC_UNION_ALL) {
        orma_exec_give_up(plan, "an order of a UNION ALL of sets");
        return NULL;
    }
    return bind_around(plan, ast, list, last->set);
}

static struct orma_exec_query *bind_select(struct orma_exec_plan *plan,
                                           const struct orma_exec_select *ast,
                                           struct orma_exec_ctes *ctes, unsigned depth)
{
    if (depth > VIEWS_MAX || plan->why || plan->queries.len > 200) {
        orma_exec_give_up(plan, "nested too deeply");
        return NULL;
    }
    if (!orma_exec_scope_with(plan, ast->with, &ctes))
        return NULL;
    if (ast->more)
        plan->outer = NULL;
    return ast->more ? bind_compound(plan, ast, ctes, depth) : bind_with(plan, ast, ctes, depth);
}

/* ---- order of rows ---- */

/* Whether the result is the same in whatever order rows come. */
static bool is_indifferent(const struct orma_exec_query *q)
{
    if (!q->grouped)
        return false;
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_agg *a = &q->aggs.data[i];
        bool sums = a->func == EXEC_SUM || a->func == EXEC_AVG || a->func == EXEC_TOTAL;

        if (a->func == EXEC_BARE || (sums && a->arg->types & ~(EXEC_INT | EXEC_NULL)))
            return false;
    }
    return true;
}

/* An order by keys that leaves ties to the order before; SQLite may have dropped that. */
static bool hides_order(const struct orma_exec_query *q)
{
    return q->has_order && q->order.len && !q->has_limit;
}

/* Rows are shown as they come, one after the other: then SQLite keeps the order of a sub-select. */
static bool keeps_order(const struct orma_exec_query *q)
{
    return q->sources_num == 1 && !q->grouped && !q->wins.len && !q->distinct && !q->has_order &&
           !q->is_part;
}

/*
 * A sub-select with a LIMIT but no order, around which rows are put in order: SQLite makes one
 * query of both, whose LIMIT then comes after the order. Any rows will do for it, but they are
 * seen.
 */
static bool moves_limit(const struct orma_exec_query *q, const struct orma_exec_query *sub)
{
    return sub->has_limit && !sub->order.len && !q->grouped && (q->order.len || q->wins.len);
}

static bool check_limits(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        const struct orma_exec_query *q = plan->queries.data[i];

        for (unsigned k = 0; k < q->sources_num; k++) {
            if (q->sources[k]->query && moves_limit(q, q->sources[k]->query))
                return orma_exec_give_up(plan, "a LIMIT that SQLite moves");
        }
    }
    return true;
}

/* Sets `any_order` of the query and those below; it comes in as what the query around it says. */
static bool check_order(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    if (q->any_order && !q->has_limit)
        q->order.len = 0;
    q->any_order = q->grouped ? is_indifferent(q) && !q->wins.len
                              : q->any_order && !q->wins.len && (!q->has_limit || q->probed);
    for (uint32_t i = 0; i < q->parts.len; i++) {
        q->parts.data[i]->any_order = q->any_order;
        if (!check_order(plan, q->parts.data[i]))
            return false;
    }
    for (unsigned i = 0; i < q->sources_num; i++) {
        struct orma_exec_query *sub = q->sources[i]->query;

        if (!sub)
            continue;
        if (!q->any_order && hides_order(sub) && !keeps_order(q))
            return orma_exec_give_up(plan, "ORDER BY in a sub-select");
        sub->any_order = q->any_order || q->set != ORMA_EXEC_UNION_ALL; /* sets come in order */
        if (!check_order(plan, sub))
            return false;
    }
    return true;
}

bool orma_exec_bind(struct orma_exec_plan *plan, struct orma_exec_select *ast)
{
    plan->root = bind_select(plan, ast, NULL, 0);
    for (uint32_t i = 0; i < plan->queries.len; i++)
        plan->has_others |= plan->queries.data[i]->parts.len || plan->subs.len;
    bool ok = plan->root && check_limits(plan) && check_order(plan, plan->root);

    for (uint32_t i = 0; ok && i < plan->subs.len; i++)
        ok = check_order(plan, plan->subs.data[i]->query);
    return ok;
}
