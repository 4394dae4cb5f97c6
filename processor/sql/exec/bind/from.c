/*
 * FROM becomes sources. Sub-selects and views that only pick rows and columns are inlined into the
 * query around them; others become sources of their own.
 */
#include "processor/sql/exec/bind/scope.h"
#include "processor/sql/exec/parse/parse.h"

static struct orma_exec_source *add_source(struct orma_exec_scope *s)
{
    struct orma_exec_source *src = orma_arena_alloc(&s->plan->arena, sizeof(*src));

    if (!src || s->q->sources_num == EXEC_SOURCES_MAX) {
        orma_exec_give_up(s->plan, EXEC_SOURCES_TOO_MANY);
        return NULL;
    }
    *src = (struct orma_exec_source){.index = s->q->sources_num};
    s->q->sources[s->q->sources_num++] = src;
    return src;
}

/* Splits at AND. */
bool orma_exec_bind_conditions(struct orma_exec_plan *plan, struct orma_exec_exprs *to,
                               struct orma_exec_expr *e)
{
    if (!e)
        return false;
    if (e->op == ORMA_EXEC_AND)
        return orma_exec_bind_conditions(plan, to, e->args[0]) &&
               orma_exec_bind_conditions(plan, to, e->args[1]);
    return ORMA_VEC_PUSH(to, e) == 0 || orma_exec_give_up(plan, "out of memory");
}

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
        return orma_exec_give_up(s->plan, EXEC_SOURCES_TOO_MANY);
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
            return orma_exec_give_up(s->plan, "out of memory");
    }
    sub->sources_num = 0;
    seen->cols = sub->results;
    sub->results = (struct orma_exec_results){0};
    for (uint32_t i = 0; i < seen->cols.len; i++)
        seen->cols.data[i].expr->is_column |= seen->cols.data[i].expr->op != ORMA_EXEC_COLUMN;
    return true;
}

/* A query as a source of its own. */
bool orma_exec_bind_query_source(struct orma_exec_scope *s, struct orma_exec_query *sub,
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
        e->column.source = src;
        e->column.at = i;
        e->types = sub->results.data[i].expr->types;
        e->affinity = sub->results.data[i].expr->affinity;
        if (ORMA_VEC_PUSH(&seen->cols,
                          (struct orma_exec_result){sub->results.data[i].name, e, false}) < 0)
            return orma_exec_give_up(s->plan, "out of memory");
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
    if (!orma_exec_bind_query_source(s, sub, seen, &src))
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
        struct orma_exec_result col = orma_exec_bind_table_column(s->plan, src, i);

        if (!col.expr || ORMA_VEC_PUSH(&seen->cols, col) < 0)
            return orma_exec_give_up(s->plan, "out of memory");
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
                    struct orma_exec_ctes *cte, struct orma_exec_seen *seen)
{
    const struct orma_exec_item *name = cte->with->columns;

    if (cte->busy)
        return orma_exec_refuse(s, "a recursive query");
    cte->busy = true;
    s->plan->found.used_twice |= cte->used;
    cte->used = true;
    struct orma_exec_query *sub =
        s->bind_select(s->plan, cte->with->select, cte->sees, s->select_depth + 1);
    cte->busy = false;
    orma_sql_reads_add(&s->plan->names.views, f->name, ORMA_STR(""));
    for (uint32_t i = 0; sub && name && i < sub->results.len; i++, name = name->next)
        sub->results.data[i].name = name->alias;
    if (sub)
        sub->is_fence = cte->with->materialized;
    return see_select(s, sub, f->join, seen);
}

static bool see_name(struct orma_exec_scope *s, const struct orma_exec_from *f,
                     struct orma_exec_seen *seen)
{
    struct orma_exec_ctes *cte = orma_exec_scope_cte(s->ctes, f->name);
    struct orma_exec_source found = {0};
    struct orma_str view;

    if (cte)
        return see_cte(s, f, cte, seen);
    if (orma_exec_bind_table(s->plan, f->name, &found, &view)) {
        seen->table = f->name;
        orma_sql_reads_add(&s->plan->names.tables, f->name, ORMA_STR(""));
        return see_table(s, found, f->join, seen);
    }
    view = view_query(view);
    struct orma_exec_select *ast =
        view.len ? orma_exec_parse(s->plan->catalog, &s->plan->arena, view) : NULL;
    if (!ast)
        return orma_exec_give_up(s->plan, view.len
                                              ? "a view with syntax that the executor does not know"
                                              : "a table that is not stored in columns");
    orma_sql_reads_add(&s->plan->names.views, f->name, ORMA_STR(""));
    return see_select(s, s->bind_select(s->plan, ast, NULL, s->select_depth + 1), f->join, seen);
}

static bool add_using(struct orma_exec_scope *s, const struct orma_exec_from *f,
                      struct orma_exec_exprs *to)
{
    for (const struct orma_exec_item *u = f->using; u; u = u->next) {
        struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_EQ, 2);

        if (!e || !orma_exec_scope_pair(s, u->alias, &e->args[0], &e->args[1]))
            return false;
        e->types = EXEC_INT | EXEC_NULL;
        if (!orma_exec_bind_conditions(s->plan, to, e))
            return false;
    }
    return true;
}

static bool bind_from(struct orma_exec_scope *s, const struct orma_exec_from *f)
{
    for (; f; f = f->next) {
        if (s->seen_num == EXEC_SOURCES_MAX)
            return orma_exec_give_up(s->plan, EXEC_SOURCES_TOO_MANY);
        struct orma_exec_seen *seen = &s->seen[s->seen_num++];
        unsigned first = s->q->sources_num;

        *seen =
            (struct orma_exec_seen){.alias = f->alias.len ? f->alias : f->name, .using = f->using};
        if (f->select && f->alias.len) /* SQLite may call its columns by that */
            orma_sql_reads_add(&s->plan->names.views, f->alias, ORMA_STR(""));
        bool ok =
            f->select
                ? see_select(s, s->bind_select(s->plan, f->select, s->ctes, s->select_depth + 1),
                             f->join, seen)
                : see_name(s, f, seen);
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
        if (!orma_exec_bind_conditions(s->plan, to, orma_exec_bind_expr(s, f->on)))
            return false;
    }
    return true;
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
bool orma_exec_bind_sources(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    unsigned first[EXEC_SOURCES_MAX] = {0}, num = 0;

    if (!has_on(ast->from))
        return bind_from(s, ast->from);
    for (const struct orma_exec_from *f = ast->from; f; f = f->next) {
        struct orma_exec_from one = *f;

        one.next = NULL;
        if (num == EXEC_SOURCES_MAX)
            return orma_exec_give_up(s->plan, EXEC_SOURCES_TOO_MANY);
        first[num++] = s->q->sources_num;
        if (!bind_from(s, &one))
            return false;
    }
    return bind_on(s, ast->from, first);
}
