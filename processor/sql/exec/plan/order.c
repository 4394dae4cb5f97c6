/*
 * The order of SQLite's rows. Where a statement does not say in which order its rows come, SQLite
 * gives them as its loops, sorters and trees happen to; people see that, and so the executor gives
 * the same. These are all the rules of it. A statement for which none of them says what the order
 * is, is left to SQLite. tests/unit/sql/test_exec_order.c has a test for each number.
 *
 *  1  Rows of a join come in the order of SQLite's loops, from the outermost in; EXPLAIN QUERY PLAN
 *     says which they are. A loop that finds one row at most does not count.
 *  2  An OR for which SQLite uses several indexes gives the rows of one side, then of the other.
 *  3  Of an index that SQLite makes for the statement rows of one key come in the order of all
 *     columns that are in it.
 *  4  Groups come in the order of their keys (run/group.c); falling for a key where the term of the
 *     order around them in the same place falls, if both lists are equally long, whatever the terms
 *     are. Groups that a DISTINCT makes come as they appear (run/distinct.c).
 *  5  A column beside the groups is of the row that gave the last min() or max() its value, else of
 *     the first one; not where SQLite may walk rows backwards, or look for the best by an order.
 *  6  Rows of UNION, INTERSECT and EXCEPT come in the order of all results, behind ORDER BY.
 *  7  ORDER BY of a compound query puts each part in order and merges them: the order in which
 *     windows and groups of the parts come changes with it, and so that of equal rows.
 *  8  An ORDER BY in a sub-select without a LIMIT may be dropped, unless its rows are shown as they
 *     come; it hides the order below it.
 *  9  A sub-select with a LIMIT but no order, around which rows are put in order: SQLite makes one
 *     query of both, whose LIMIT then comes after the order.
 * 10  Several windows are worked out from the last to the first, each over the rows as the one
 * before left them (run/window.c); an ORDER BY that names one of them changes which comes first. So
 *     does one of a constant among groups.
 */
#include "processor/sql/exec/plan/join.h"

/* ---- rules 1 to 3: loops ---- */

static bool has_or(const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_OR;

    for (unsigned i = 0; i < e->num && !found; i++)
        found = has_or(e->args[i]);
    return found;
}

/* SQLite may look for the sides of an OR one after the other: rows come in another order. */
static bool may_split(const struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len; i++) {
        if (has_or(q->where.data[i]))
            return true;
    }
    return false;
}

static bool needs_loops(const struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        const struct orma_exec_query *q = plan->queries.data[i];

        if (!q->any_order && (q->sources_num > 1 || may_split(q) || q->keys.len))
            return true;
    }
    return false;
}

/* "SCAN alias VIRTUAL TABLE ...": the alias. */
static bool add_loop(struct orma_exec_plan *plan, int parent, const char *detail)
{
    static const char *const ends[] = {" VIRTUAL TABLE", " USING ", " LEFT-JOIN"};
    const char *name = !strncmp(detail, "SCAN ", 5)     ? detail + 5
                       : !strncmp(detail, "SEARCH ", 7) ? detail + 7
                                                        : NULL;
    size_t len = name ? strlen(name) : 0;

    if (!name)
        return true;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(ends); i++) {
        const char *end = strstr(name, ends[i]);

        if (end && (size_t)(end - name) < len)
            len = (size_t)(end - name);
    }
    struct orma_exec_loop loop = {.parent = parent};
    const char *copy = orma_arena_strdup(&plan->arena, (struct orma_str){name, len});
    /* Its rows come in the order of all columns that are in it. */
    loop.by_index = strstr(detail, "AUTOMATIC");
    loop.alias = (struct orma_str){copy, len};
    return copy && ORMA_VEC_PUSH(&plan->loops, loop) == 0;
}

/* SQLite's loops, from the outermost in. */
static bool ask_loops(struct orma_exec_plan *plan)
{
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", plan->statement.given
                                                              ? sqlite3_sql(plan->statement.given)
                                                              : plan->statement.text);
    sqlite3_stmt *stmt = NULL;
    bool ok = text && !sqlite3_prepare_v2(plan->sql->db, text, -1, &stmt, NULL);

    while (ok && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *detail = (const char *)sqlite3_column_text(stmt, 3);

        if (detail && !strncmp(detail, "MULTI-INDEX OR", 14))
            orma_exec_give_up(plan, "an OR that SQLite splits");
        ok = detail && !plan->why && add_loop(plan, sqlite3_column_int(stmt, 1), detail);
    }
    sqlite3_finalize(stmt);
    sqlite3_free(text);
    return ok || orma_exec_give_up(plan, "the order of loops");
}

/* Rows of one key come in another order from an index that SQLite makes for it. */
static bool check_indexes(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        const struct orma_exec_query *q = plan->queries.data[i];

        for (uint32_t k = 0; q->keys.len && !q->any_order && k < plan->loops.len; k++) {
            if (plan->loops.data[k].by_index)
                return orma_exec_give_up(plan, "an index that SQLite makes");
        }
    }
    return true;
}

/* A column in which no value comes twice: the only key of groups, the only one that is distinct. */
static bool is_unique(const struct orma_exec_expr *e)
{
    const struct orma_exec_query *q = e->op == ORMA_EXEC_COLUMN ? e->column.source->query : NULL;

    if (!q || q->parts.len)
        return false;
    const struct orma_exec_expr *r = q->results.data[e->column.at].expr;
    if (q->grouped && q->groups.len == 1 && r->op == ORMA_EXEC_SLOT && !r->slot.of_window &&
        !r->slot.at)
        return true;
    return q->distinct && q->results.len == 1;
}

/* A step that finds one row at most: it has no say in the order of rows. */
static bool finds_one(const struct orma_exec_step *s)
{
    return s->by_number ||
           (s->build ? is_unique(s->build) : !s->range.of && orma_exec_source_rows(s->src) < 2);
}

static bool follows_by_one(const struct orma_exec_join_plan *j, const struct orma_exec_source *src,
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
static int loops_below(const struct orma_exec_join_plan *j, int parent,
                       struct orma_exec_source **ret)
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
static bool is_named_elsewhere(const struct orma_exec_join_plan *j, int parent)
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
static int loops_of(const struct orma_exec_join_plan *j, struct orma_exec_source **ret)
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
    bool others = j->plan->found.has_others || may_lack_loops(j->q);
    return num >= 0 && others && is_named_elsewhere(j, parent) ? -1 : num;
}

bool orma_exec_plan_order_join(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    struct orma_exec_source *loops[EXEC_SOURCES_MAX], *ours[EXEC_SOURCES_MAX];
    struct orma_exec_join_plan j;
    int num = orma_exec_plan_join_init(&j, plan, q) ? loops_of(&j, loops) : -1, ours_num = 0;
    bool same = num > 0;

    if (num > 0) {
        ours[ours_num++] = j.driver;
        for (unsigned i = 0; i < j.steps_num; i++) {
            if (!finds_one(&j.steps[i]))
                ours[ours_num++] = j.steps[i].src;
        }
        same = num == ours_num && !memcmp(loops, ours, (size_t)num * sizeof(*ours));
    }
    orma_exec_plan_join_fini(&j);
    if (num <= 0)
        return orma_exec_give_up(
            plan, "a join order that is not in the query plan: give each table its own alias");
    for (int i = 0; i < num && !same; i++) {
        struct orma_exec_key *key = ORMA_VEC_ADD(&q->by_loops);
        struct orma_exec_expr *e = orma_arena_alloc(&plan->arena, sizeof(*e));

        if (!key || !e)
            return orma_exec_give_up(plan, "out of memory");
        *e = (struct orma_exec_expr){
            .op = ORMA_EXEC_ROW, .column.source = loops[i], .types = EXEC_INT};
        *key = (struct orma_exec_key){.expr = e};
    }
    return true;
}

bool orma_exec_plan_order_loops(struct orma_exec_plan *plan)
{
    return !needs_loops(plan) || (ask_loops(plan) && check_indexes(plan));
}

/* ---- rule 4: groups ---- */

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

/* ---- rule 5: columns beside groups ---- */

/* A table may walk its times and ids from the last to the first where their order falls. */
static bool falls(const struct orma_exec_query *q)
{
    bool falls = false;

    for (uint32_t i = 0; i < q->groups.len; i++) {
        const struct orma_exec_expr *e = q->groups.data[i].expr;

        falls |= q->groups.data[i].desc && e->op == ORMA_EXEC_COLUMN && e->types & EXEC_INT;
    }
    return falls;
}

static bool has_query(const struct orma_exec_expr *e)
{
    bool found = orma_exec_is_query(e);

    for (unsigned i = 0; i < e->num; i++)
        found |= has_query(e->args[i]);
    return found;
}

static bool can_be_bare(const struct orma_exec_query *q)
{
    unsigned bests = 0, elsewhere = 0;

    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_agg *a = &q->aggs.data[i];
        bool best = a->function->picks_row;

        /* with a query in it, one that ORDER BY names is another one to SQLite */
        if (best && (a->distinct || a->filtered || has_query(a->arg)))
            return false;
        bests += best;
        elsewhere += best && i >= q->result_aggs;
    }
    return q->groups.len && (bests < 2 || !elsewhere);
}

/* Columns beside the aggregates of one group, as the keys are: which row they are of is SQLite's.
 */
static bool reads_bare(const struct orma_exec_query *q, const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_SLOT && !e->slot.of_window && e->slot.at < q->keys.len;

    for (unsigned i = 0; i < e->num; i++)
        found |= reads_bare(q, e->args[i]);
    for (uint32_t i = 0; i < q->aggs.len; i++)
        found |= q->aggs.data[i].function->name == NULL;
    return found;
}

static bool check_bare(struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    bool bare = false, ordered = false;

    for (uint32_t i = 0; i < q->aggs.len; i++) {
        bare |= q->aggs.data[i].function == plan->catalog->bare;
        ordered |= q->aggs.data[i].function->by_order;
    }
    if (ordered && !bare && falls(q)) /* SQLite may walk them backwards */
        return orma_exec_give_up(plan, "an aggregate of falling groups, whose order shows");
    return !bare || (can_be_bare(q) && !falls(q)) ||
           orma_exec_give_up(plan, "a column that is not grouped by");
}

static bool check_bare_of_sub(struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    const bool one = q->grouped && q->groups.len == q->keys.len; /* without GROUP BY */

    return !one || !q->keys.len || !reads_bare(q, q->results.data[0].expr) ||
           orma_exec_give_up(plan, "a column that is not grouped by");
}

/* ---- rules 6 and 7: compound queries ---- */

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

/* Of a set no rows are equal; but what several windows say depends on which of them comes first. */
static bool have_own_order(const struct orma_exec_query *sub, bool set)
{
    for (uint32_t i = 0; i < sub->parts.len; i++) {
        const struct orma_exec_query *part = sub->parts.data[i];

        if (set ? part->wins.len > 1 : part->wins.len || part->groups.len)
            return true;
        for (unsigned k = 0; k < part->sources_num; k++) {
            if (part->sources[k]->query && have_own_order(part->sources[k]->query, set))
                return true;
        }
    }
    return false;
}

/* Whether the first part is a set that SQLite would put in the order of the whole as well. */
static bool begins_with_set(const struct orma_exec_query *q)
{
    const struct orma_exec_query *first = q->sources[0]->query->parts.data[0];

    return q->set == ORMA_EXEC_UNION_ALL && first->distinct && first->set != ORMA_EXEC_UNION_ALL;
}

static bool has_twice(const struct orma_exec_keys *keys)
{
    for (uint32_t i = 0; i < keys->len; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (keys->data[i].expr == keys->data[k].expr)
                return true;
        }
    }
    return false;
}

static bool order_compound(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    if (q->has_order && have_own_order(q->sources[0]->query, q->distinct))
        return orma_exec_give_up(plan, "windows or groups below the order of a compound query");
    if (q->has_order && has_twice(&q->order))
        return orma_exec_give_up(plan, "a term of ORDER BY that comes twice");
    if (q->has_order && begins_with_set(q))
        return orma_exec_give_up(plan, "an order of a UNION ALL of sets");
    return !q->distinct || order_by_all(q) || orma_exec_give_up(plan, "out of memory");
}

/* ---- rules 8 and 9: sub-selects ---- */

/* Whether the result is the same in whatever order rows come. */
static bool is_indifferent(const struct orma_exec_query *q)
{
    if (!q->grouped)
        return false;
    for (uint32_t i = 0; i < q->aggs.len; i++) {
        const struct orma_exec_agg *a = &q->aggs.data[i];
        const struct orma_exec_function *f = a->function;

        if (f->by_order || (f->by_order_of_reals && a->arg->types & ~(EXEC_INT | EXEC_NULL)))
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

/* ---- rule 10: windows ---- */

static bool reads_window(const struct orma_exec_expr *e)
{
    bool reads = e->op == ORMA_EXEC_SLOT && e->slot.of_window;

    for (unsigned i = 0; i < e->num; i++)
        reads |= reads_window(e->args[i]);
    return reads;
}

static bool check_windows(struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    for (uint32_t i = 0; q->wins.len > 1 && i < q->order.len; i++) {
        if (reads_window(q->order.data[i].expr))
            return orma_exec_give_up(plan, "an order by one of several windows");
    }
    return !q->order_has_const || !q->groups.len ||
           orma_exec_give_up(plan, "groups ordered by a constant");
}

bool orma_exec_plan_order(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        struct orma_exec_query *q = plan->queries.data[i];

        turn_groups(q);
        if (!check_windows(plan, q) || !check_bare(plan, q) ||
            (q->is_compound && q->sources_num && !order_compound(plan, q)))
            return false;
    }
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        if (!check_bare_of_sub(plan, plan->subs.data[i]->query))
            return false;
    }
    bool ok = check_limits(plan) && check_order(plan, plan->root);
    for (uint32_t i = 0; ok && i < plan->subs.len; i++)
        ok = check_order(plan, plan->subs.data[i]->query);
    return ok;
}
