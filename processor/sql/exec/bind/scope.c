/*
 * Names, by SQLite's rules of scope, in one place.
 *
 * A table of FROM: the CTEs of the innermost WITH first, whichever comes first in it (each sees all
 * of its WITH, later ones too), then those of the WITHs around it; only then views and tables. The
 * text of a view sees no CTE.
 *
 * A column: of FROM (of those merged by USING the left one); then, without a table, names of
 * results where they may be used; then what is around the query; last the words TRUE and FALSE.
 *
 * What is found is written down: agree.c compares it with what SQLite's authorizer saw.
 */
#include "processor/sql/exec/bind/scope.h"

/* ---- CTEs ---- */

bool orma_exec_scope_with(struct orma_exec_plan *plan, const struct orma_exec_with *with,
                          struct orma_exec_ctes **ctes)
{
    struct orma_exec_ctes *outer = *ctes;

    for (const struct orma_exec_with *w = with; w; w = w->next) {
        struct orma_exec_ctes *c = orma_arena_alloc(&plan->arena, sizeof(*c));

        if (!c)
            return orma_exec_give_up(plan, "out of memory");
        *c = (struct orma_exec_ctes){.next = *ctes, .with = w};
        *ctes = c;
    }
    for (struct orma_exec_ctes *c = *ctes; c != outer; c = c->next)
        c->sees = *ctes;
    return true;
}

struct orma_exec_ctes *orma_exec_scope_cte(struct orma_exec_ctes *ctes, struct orma_str name)
{
    while (ctes && !orma_exec_same_name(ctes->with->name, name))
        ctes = ctes->next;
    return ctes;
}

/* ---- columns ---- */

bool orma_exec_scope_is_merged(const struct orma_exec_seen *seen, struct orma_str name)
{
    for (const struct orma_exec_item *u = seen->using; u; u = u->next) {
        if (orma_exec_same_name(u->alias, name))
            return true;
    }
    return false;
}

/* The column of a source; NULL: it has none of that name. */
static struct orma_exec_expr *column_of(const struct orma_exec_seen *seen, struct orma_str name)
{
    for (uint32_t k = 0; name.len && k < seen->cols.len; k++) {
        if (orma_exec_same_name(seen->cols.data[k].name, name))
            return seen->cols.data[k].expr;
    }
    return NULL;
}

static struct orma_exec_expr *find_column(const struct orma_exec_scope *s, struct orma_str table,
                                          struct orma_str name)
{
    for (unsigned i = 0; i < s->seen_num; i++) {
        const struct orma_exec_seen *seen = &s->seen[i];

        if (table.len ? !orma_exec_same_name(seen->alias, table)
                      : orma_exec_scope_is_merged(seen, name))
            continue;
        struct orma_exec_expr *e = column_of(seen, name);
        if (e && seen->table.len)
            orma_sql_reads_add(&s->plan->names.reads, seen->table, name);
        if (e)
            return e;
    }
    return NULL;
}

/* SQLite does not say which columns USING finds: their tables may be missing in what it says. */
static void note_unsaid(const struct orma_exec_scope *s, const struct orma_exec_seen *seen)
{
    if (seen->table.len)
        orma_sql_reads_add(&s->plan->names.unsaid, seen->table, ORMA_STR(""));
}

bool orma_exec_scope_pair(struct orma_exec_scope *s, struct orma_str name,
                          struct orma_exec_expr **ret_left, struct orma_exec_expr **ret_right)
{
    const struct orma_exec_seen *right = &s->seen[s->seen_num - 1];
    const struct orma_exec_seen *left = s->seen;

    *ret_left = NULL;
    *ret_right = column_of(right, name);
    while (left < right && !(*ret_left = column_of(left, name)))
        left++;
    if (!*ret_left || !*ret_right)
        return orma_exec_refuse(s, "a column of USING");
    note_unsaid(s, left);
    note_unsaid(s, right);
    return true;
}

/* A column of the query around this one; names of results that are not bound yet come first. */
static struct orma_exec_expr *find_outside(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    for (const struct orma_exec_item *i = s->items; i && !ast->name.table.len; i = i->next) {
        if (orma_exec_same_name(i->alias, ast->name.name))
            return NULL;
    }
    return find_column(s->outer, ast->name.table, ast->name.name);
}

/* Other names of the number of a row, which SQLite looks for before names around the query. */
static bool is_rowid(const struct orma_exec_ast *ast)
{
    return orma_exec_same_name(ast->name.name, ORMA_STR("rowid")) ||
           orma_exec_same_name(ast->name.name, ORMA_STR("_rowid_")) ||
           orma_exec_same_name(ast->name.name, ORMA_STR("oid"));
}

struct orma_exec_expr *orma_exec_scope_find(struct orma_exec_scope *s,
                                            const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = find_column(s, ast->name.table, ast->name.name);

    if (e || is_rowid(ast))
        return e;
    for (uint32_t i = 0; s->aliases && !ast->name.table.len && i < s->aliases->len; i++) {
        if (s->aliases->data[i].given &&
            orma_exec_same_name(s->aliases->data[i].name, ast->name.name))
            return s->aliases->data[i].expr;
    }
    return s->outer ? find_outside(s, ast) : NULL;
}

bool orma_exec_scope_is_truth(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    return ast->op == ORMA_EXEC_NAME && !ast->name.quoted && !ast->name.table.len &&
           (orma_exec_same_name(ast->name.name, ORMA_STR("true")) ||
            orma_exec_same_name(ast->name.name, ORMA_STR("false"))) &&
           !orma_exec_scope_find(s, ast);
}
