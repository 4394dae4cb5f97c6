/*
 * What SQLite works out. Expressions that depend on one text column and nothing else are worked out
 * once for each distinct text, by SQLite itself, and remembered by the id of the text: LIKE, GLOB,
 * comparisons, substr(), CASE over all that. So they mean what SQLite means, and cost a look into
 * an array per row.
 *
 *   name LIKE '%te%'   ─►   MEMO(name): SELECT (CAST(?1 AS TEXT) LIKE '%te%')
 *
 * The casts give ?1 the affinity of the column. Functions of anything else are called for each row,
 * and remember the arguments that they met last:
 *
 *   printf('%d:%s', a.x + 1, b.name)   ─►   APPLY(a.x + 1, b.name): SELECT printf('%d:%s', ?1, ?2)
 *
 * Functions that may give something else the next time end it.
 */
#include <stdlib.h>

#include "processor/sql/exec/plan/memo.h"
#include "processor/sql/exec/plan/plan.h"

/* The only leaf that is no constant, if it is a text: in *ret, which begins as NULL. False: there
 * are others, or what stands between is not to be remembered. */
static bool find_leaf(struct orma_exec_expr *e, struct orma_exec_expr **ret)
{
    if (e->op == ORMA_EXEC_CONST)
        return true;
    if (e->op == ORMA_EXEC_COLUMN || e->op == ORMA_EXEC_SLOT) {
        if (e->types & ~(EXEC_TEXT | EXEC_NULL) || !(e->types & EXEC_TEXT) ||
            e->affinity == EXEC_AFF_OPEN)
            return false;
        if (*ret && (e->affinity != (*ret)->affinity || !orma_exec_same_expr(e, *ret)))
            return false;
        *ret = e;
        return true;
    }
    if (e->op == ORMA_EXEC_MEMO || e->op == ORMA_EXEC_APPLY || orma_exec_is_query(e) ||
        (e->op == ORMA_EXEC_CALL && !e->call.function->is_pure))
        return false;
    for (unsigned i = 0; i < e->num; i++) {
        if (!find_leaf(e->args[i], ret))
            return false;
    }
    return true;
}

static bool make_memo(struct orma_exec_plan *plan, struct orma_exec_expr *e,
                      struct orma_exec_expr *leaf)
{
    struct orma_exec_memo *m = calloc(1, sizeof(*m));
    struct orma_exec_expr **args = orma_arena_alloc(&plan->arena, sizeof(*args));
    struct orma_buf text = {0};

    if (!m || !args) {
        free(m);
        return orma_exec_give_up(plan, "out of memory");
    }
    m->next = plan->memos;
    plan->memos = m;
    orma_buf_put_str(&text, "SELECT ");
    orma_exec_put_expr(&text, plan, e);
    int r = text.failed
                ? SQLITE_NOMEM
                : sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &m->stmt, NULL);
    orma_buf_fini(&text);
    if (r)
        return orma_exec_give_up(plan, "an expression over a text");
    args[0] = leaf;
    *e = (struct orma_exec_expr){.op = ORMA_EXEC_MEMO,
                                 .types = e->types,
                                 .affinity = e->affinity,
                                 .num = 1,
                                 .args = args,
                                 .remembered.memo = m,
                                 .folded = true};
    return true;
}

/* The call with parameters for what the executor makes of its arguments, which are put into `to`.
 * NULL: given up. */
static struct orma_exec_expr *take_params(struct orma_exec_plan *plan, struct orma_exec_expr *e,
                                          struct orma_exec_expr *to)
{
    struct orma_exec_expr *copy = orma_arena_alloc(&plan->arena, sizeof(*copy));
    struct orma_exec_expr **args = orma_arena_alloc(&plan->arena, (e->num + 1) * sizeof(*args));

    if (!copy || !args) {
        orma_exec_give_up(plan, "out of memory");
        return NULL;
    }
    *copy = *e;
    if (e->op == ORMA_EXEC_CONST)
        return copy;
    if (!orma_exec_is_by_sqlite(plan->catalog, e)) {
        if (to->num == EXEC_PARAMS_MAX) {
            orma_exec_give_up(plan, "a function of many columns");
            return NULL;
        }
        to->args[to->num++] = e;
        copy->op = ORMA_EXEC_PARAM;
        copy->param.number = to->num;
        return copy;
    }
    /* Called where SQLite calls it, too. */
    if (e->op == ORMA_EXEC_CALL && e->call.function->may_fail && plan->found.sure) {
        orma_exec_give_up(plan, "a function that may fail");
        return NULL;
    }
    copy->args = args;
    for (unsigned i = 0; i < e->num; i++) {
        if (!(args[i] = take_params(plan, e->args[i], to)))
            return NULL;
    }
    return copy;
}

static void make_call(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    struct orma_exec_call *c = calloc(1, sizeof(*c));
    struct orma_exec_expr made = {.op = ORMA_EXEC_APPLY,
                                  .types = e->types,
                                  .affinity = e->affinity,
                                  .applied.call = c,
                                  .folded = true};
    struct orma_buf text = {0};

    made.args = orma_arena_alloc(&plan->arena, EXEC_PARAMS_MAX * sizeof(struct orma_exec_expr *));
    if (!c || !made.args) {
        free(c);
        orma_exec_give_up(plan, "out of memory");
        return;
    }
    c->next = plan->calls;
    plan->calls = c;
    const struct orma_exec_expr *call = take_params(plan, e, &made);
    if (call && !made.num) /* SQLite calls it even if there are no rows */
        orma_exec_give_up(plan, "a function of constants");
    if (plan->why)
        return;
    orma_buf_put_str(&text, "SELECT ");
    orma_exec_put_expr(&text, plan, call);
    if (text.failed || sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &c->stmt, NULL))
        orma_exec_give_up(plan, "a function that the executor does not know");
    orma_buf_fini(&text);
    *e = made;
    for (unsigned i = 0; i < e->num && !plan->why; i++)
        orma_exec_plan_fold(plan, e->args[i]);
}

struct orma_exec_expr *orma_exec_plan_fold(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    struct orma_exec_expr *leaf = NULL;

    const bool by_sqlite = orma_exec_is_by_sqlite(plan->catalog, e);

    if (e->folded || (!e->num && !by_sqlite))
        return e;
    e->folded = true;
    if (find_leaf(e, &leaf) && leaf && e->op != ORMA_EXEC_PLUS) {
        make_memo(plan, e, leaf);
        return e;
    }
    if (by_sqlite) {
        make_call(plan, e);
        return e;
    }
    for (unsigned i = 0; i < e->num && !plan->why; i++)
        orma_exec_plan_fold(plan, e->args[i]);
    return e;
}
