/* Results, GROUP BY, ORDER BY and LIMIT. */
#include "processor/sql/exec/bind/scope.h"

/* ---- results ---- */

static bool add_result(struct orma_exec_scope *s, struct orma_exec_result r)
{
    return r.expr &&
           (ORMA_VEC_PUSH(&s->q->results, r) == 0 || orma_exec_give_up(s->plan, "out of memory"));
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
                orma_sql_reads_add(&s->plan->names.reads, seen->table, r.name);
            r.given = true; /* as SQLite writes them out */
            if (!add_result(s, r))
                return false;
        }
    }
    return true;
}

bool orma_exec_bind_results(struct orma_exec_scope *s, const struct orma_exec_item *items)
{
    for (; items; items = items->next) {
        if (!items->expr) {
            if (!add_star(s, items))
                return false;
            continue;
        }
        struct orma_exec_result r = {.name = items->alias, .given = items->alias.len};
        if (!r.name.len && items->expr->op == ORMA_EXEC_NAME)
            r.name = items->expr->name.name;
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

    if (ast->op == ORMA_EXEC_NUMBER && orma_str_to_u64(ast->literal.text, &n)) {
        if (n && n <= results->len)
            return results->data[n - 1].expr;
        orma_exec_give_up(s->plan, "the number of a result");
    }
    for (uint32_t i = 0;
         names && ast->op == ORMA_EXEC_NAME && !ast->name.table.len && i < results->len; i++) {
        if (results->data[i].given && orma_exec_same_name(results->data[i].name, ast->name.name))
            return results->data[i].expr;
    }
    return NULL;
}

bool orma_exec_bind_group(struct orma_exec_scope *s, const struct orma_exec_item *items,
                          const struct orma_exec_results *results)
{
    for (; items; items = items->next) {
        struct orma_exec_key key = {.expr = term_of_result(s, items->expr, results, false)};

        if (!key.expr)
            key.expr = orma_exec_bind_expr(s, items->expr);
        if (!key.expr || items->desc || items->nulls_given || key.expr->op == ORMA_EXEC_SLOT ||
            key.expr->op == ORMA_EXEC_CONST || (orma_exec_is_query(key.expr) && !key.expr->num) ||
            ORMA_VEC_PUSH(&s->q->groups, key) < 0)
            return orma_exec_give_up(s->plan, "a term of GROUP BY");
        s->q->grouped = true;
    }
    return true;
}

bool orma_exec_bind_order(struct orma_exec_scope *s, const struct orma_exec_item *items)
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
        s->q->order_has_const |= key.expr->op == ORMA_EXEC_CONST;
        if (key.expr->op != ORMA_EXEC_CONST && ORMA_VEC_PUSH(&s->q->order, key) < 0)
            return orma_exec_give_up(s->plan, "out of memory");
    }
    return true;
}

bool orma_exec_bind_limit(struct orma_exec_scope *s, const struct orma_exec_select *ast)
{
    const struct orma_exec_ast *terms[] = {ast->limit, ast->offset};
    int64_t vals[2] = {-1, 0};

    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *e = terms[i] ? orma_exec_bind_expr(s, terms[i]) : NULL;

        if (!terms[i])
            continue;
        if (!e || e->op != ORMA_EXEC_CONST || e->constant.val.tag != EXEC_INT)
            return orma_exec_give_up(s->plan, "a LIMIT or OFFSET that is not a constant integer");
        vals[i] = e->constant.val.bits;
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
        if (!(keys->data[i].expr = orma_exec_bind_over_groups(s, keys->data[i].expr)))
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

        if ((f->arg && !(f->arg = orma_exec_bind_over_groups(s, f->arg))) ||
            (f->fallback && !(f->fallback = orma_exec_bind_over_groups(s, f->fallback))))
            return false;
    }
    return true;
}

/* What comes after the groups reads slots. */
bool orma_exec_bind_regroup(struct orma_exec_scope *s)
{
    struct orma_exec_query *q = s->q;

    for (uint32_t i = 0; i < q->results.len; i++) {
        if (!(q->results.data[i].expr = orma_exec_bind_over_groups(s, q->results.data[i].expr)))
            return false;
    }
    for (uint32_t i = 0; i < q->having.len; i++) {
        if (!(q->having.data[i] = orma_exec_bind_over_groups(s, q->having.data[i])))
            return false;
    }
    for (uint32_t i = 0; i < q->wins.len; i++) {
        if (!regroup_win(s, q->wins.data[i]))
            return false;
    }
    return regroup_keys(s, &q->order);
}
