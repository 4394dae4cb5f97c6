/* The order of SQLite's rows. */
#include "processor/sql/exec/plan/join.h"

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
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s",
                                 plan->given ? sqlite3_sql(plan->given) : plan->text);
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
           (s->build ? is_unique(s->build) : !s->stretch.of && orma_exec_source_rows(s->src) < 2);
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
    bool others = j->plan->has_others || may_lack_loops(j->q);
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
        return orma_exec_give_up(plan, "an order of loops that does not show");
    for (int i = 0; i < num && !same; i++) {
        struct orma_exec_key *key = ORMA_VEC_ADD(&q->by_loops);
        struct orma_exec_expr *e = orma_arena_alloc(&plan->arena, sizeof(*e));

        if (!key || !e)
            return orma_exec_give_up(plan, "memory");
        *e = (struct orma_exec_expr){
            .op = ORMA_EXEC_ROW, .column.source = loops[i], .types = EXEC_INT};
        *key = (struct orma_exec_key){.expr = e};
    }
    return true;
}

bool orma_exec_plan_order(struct orma_exec_plan *plan)
{
    return !needs_loops(plan) || (ask_loops(plan) && check_indexes(plan));
}
