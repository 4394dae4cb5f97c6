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
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/exec/exec_plan.h"

#define UNKNOWN 0
/* So many new texts may a memo add to the pool: for more the rows are better off in SQLite. */
#define NEW_TEXTS_MAX (1u << 20)
#define NEW_TEXTS_OF_CALLS_MAX (1u << 16)
/* After so many calls it is clear whether remembering them helps. */
#define CALLS_TRIED (1u << 15)
/* Calls that are remembered. */
#define CALLS_KEPT 1024

struct orma_exec_memo {
    struct orma_exec_memo *next;
    sqlite3_stmt *stmt;
    uint32_t num; /* texts there is room for */
    uint32_t calls;
    uint8_t *tags; /* UNKNOWN: not asked yet */
    int64_t *vals;
};

/* Arguments and their value; `tags` of a free one are UNKNOWN. */
struct kept_call {
    uint8_t tags[EXEC_PARAMS_MAX + 1];
    int64_t vals[EXEC_PARAMS_MAX];
    int64_t ret;
};

struct orma_exec_call {
    struct orma_exec_call *next;
    sqlite3_stmt *stmt;
    uint32_t texts;       /* that it gave */
    uint64_t rows, calls; /* that were made for so many rows */
    struct kept_call kept[CALLS_KEPT];
};

void orma_exec_memos_free(struct orma_exec_plan *plan)
{
    while (plan->calls) {
        struct orma_exec_call *c = plan->calls;

        plan->calls = c->next;
        sqlite3_finalize(c->stmt);
        free(c);
    }
    while (plan->memos) {
        struct orma_exec_memo *m = plan->memos;

        plan->memos = m->next;
        sqlite3_finalize(m->stmt);
        free(m->tags);
        free(m->vals);
        free(m);
    }
}

/* The only column of a row of SQLite's. */
static bool value_of(struct orma_exec_plan *plan, sqlite3_stmt *stmt, struct orma_exec_value *ret)
{
    struct orma_str text;

    switch (sqlite3_column_type(stmt, 0)) {
    case SQLITE_NULL:
        *ret = (struct orma_exec_value){EXEC_NULL, 0};
        return true;
    case SQLITE_INTEGER:
        *ret = (struct orma_exec_value){EXEC_INT, sqlite3_column_int64(stmt, 0)};
        return true;
    case SQLITE_FLOAT:
        *ret = (struct orma_exec_value){EXEC_REAL, orma_exec_bits(sqlite3_column_double(stmt, 0))};
        return true;
    case SQLITE_TEXT:
        text.data = (const char *)sqlite3_column_text(stmt, 0);
        text.len = (size_t)sqlite3_column_bytes(stmt, 0);
        ret->tag = EXEC_TEXT;
        ret->bits = text.data ? orma_strpool_add(&plan->sql->storage->pool, text) : 0;
        return ret->bits || orma_exec_give_up(plan, "too many texts");
    }
    return orma_exec_give_up(plan, "a blob");
}

/* ---- texts of expressions ---- */

static void put(struct orma_buf *to, const struct orma_exec_plan *plan,
                const struct orma_exec_expr *e);

static void put_text(struct orma_buf *to, struct orma_str s)
{
    orma_buf_put_byte(to, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '\'')
            orma_buf_put_byte(to, '\'');
        orma_buf_put_byte(to, (uint8_t)s.data[i]);
    }
    orma_buf_put_byte(to, '\'');
}

static void put_const(struct orma_buf *to, const struct orma_exec_plan *plan,
                      const struct orma_exec_expr *e)
{
    if (e->val.tag == EXEC_NULL)
        orma_buf_put_str(to, "NULL");
    else if (e->val.tag == EXEC_INT && e->val.bits != INT64_MIN)
        orma_buf_printf(to, "%" PRId64, e->val.bits);
    else if (e->val.tag == EXEC_TEXT)
        put_text(to, orma_strpool_get(&plan->sql->storage->pool, (uint32_t)e->val.bits));
    else
        orma_buf_put(to, e->name.data, e->name.len);
}

static void put_list(struct orma_buf *to, const struct orma_exec_plan *plan,
                     const struct orma_exec_expr *e, unsigned from)
{
    orma_buf_put_str(to, "(");
    for (unsigned i = from; i < e->num; i++) {
        orma_buf_put_str(to, i > from ? "," : "");
        put(to, plan, e->args[i]);
    }
    orma_buf_put_str(to, ")");
}

static void put_case(struct orma_buf *to, const struct orma_exec_plan *plan,
                     const struct orma_exec_expr *e)
{
    unsigned i = 0;

    orma_buf_put_str(to, "CASE ");
    if (e->has_base)
        put(to, plan, e->args[i++]);
    for (; i + 1 < e->num || (i < e->num && !e->has_else); i += 2) {
        orma_buf_put_str(to, " WHEN ");
        put(to, plan, e->args[i]);
        orma_buf_put_str(to, " THEN ");
        put(to, plan, e->args[i + 1]);
    }
    if (e->has_else) {
        orma_buf_put_str(to, " ELSE ");
        put(to, plan, e->args[i]);
    }
    orma_buf_put_str(to, " END");
}

static void put_operator(struct orma_buf *to, const struct orma_exec_plan *plan,
                         const struct orma_exec_expr *e)
{
    bool behind = e->op == ORMA_EXEC_IS_NULL || e->op == ORMA_EXEC_NOT_NULL;

    orma_buf_put_str(to, e->negated ? "(NOT (" : "(");
    if (e->num == 2 || behind)
        put(to, plan, e->args[0]);
    orma_buf_printf(to, " %s ", orma_exec_operator_of(e->op)->text);
    if (!behind)
        put(to, plan, e->args[e->num - 1]);
    orma_buf_put_str(to, e->negated ? "))" : ")");
}

static void put(struct orma_buf *to, const struct orma_exec_plan *plan,
                const struct orma_exec_expr *e)
{
    switch (e->op) {
    case ORMA_EXEC_CONST:
        put_const(to, plan, e);
        break;
    case ORMA_EXEC_COLUMN:
    case ORMA_EXEC_SLOT:
        orma_buf_put_str(to, e->affinity == EXEC_AFF_TEXT ? "CAST(?1 AS TEXT)" : "?1");
        break;
    case ORMA_EXEC_PARAM:
        orma_buf_printf(to, "?%u", e->col);
        break;
    case ORMA_EXEC_LEAST:
    case ORMA_EXEC_GREATEST:
        orma_buf_put_str(to, e->op == ORMA_EXEC_LEAST ? "min" : "max");
        put_list(to, plan, e, 0);
        break;
    case ORMA_EXEC_COALESCE:
    case ORMA_EXEC_NULLIF:
        orma_buf_put_str(to, e->op == ORMA_EXEC_COALESCE ? "coalesce" : "nullif");
        put_list(to, plan, e, 0);
        break;
    case ORMA_EXEC_CASE:
        put_case(to, plan, e);
        break;
    case ORMA_EXEC_CAST:
        orma_buf_put_str(to, "CAST(");
        put(to, plan, e->args[0]);
        orma_buf_printf(to, " AS %.*s)", ORMA_STR_ARG(e->name));
        break;
    case ORMA_EXEC_CALL:
        orma_buf_put(to, e->name.data, e->name.len);
        put_list(to, plan, e, 0);
        break;
    case ORMA_EXEC_IN:
        orma_buf_put_str(to, "(");
        put(to, plan, e->args[0]);
        orma_buf_put_str(to, e->negated ? " NOT IN " : " IN ");
        put_list(to, plan, e, 1);
        orma_buf_put_str(to, ")");
        break;
    default:
        put_operator(to, plan, e);
        break;
    }
}

/* ---- what can be remembered ---- */

/* Functions of the trace as a whole, and pure ones of constants. A constant that is a column of a
 * sub-select stays one: exec_bind.c. */
bool orma_exec_is_fixed(const struct orma_exec_expr *e)
{
    for (unsigned i = 0; i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || e->args[i]->is_column)
            return false;
    }
    return e->function->form == EXEC_FORM_OF_TRACE || (e->num && e->function->is_pure);
}

bool orma_exec_call_now(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    struct orma_buf text = {0};
    sqlite3_stmt *stmt = NULL;
    struct orma_exec_value v;

    orma_buf_put_str(&text, "SELECT ");
    put(&text, plan, e);
    bool ok = !text.failed &&
              !sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &stmt, NULL) &&
              sqlite3_step(stmt) == SQLITE_ROW && value_of(plan, stmt, &v);
    const char *call = ok ? orma_arena_strdup(&plan->arena, orma_buf_str(&text)) : NULL;
    sqlite3_finalize(stmt);
    orma_buf_fini(&text);
    if (!call)
        return orma_exec_give_up(plan, "a function of constants");
    e->name = orma_str_from(call + strlen("SELECT ")); /* as it is written */
    e->op = ORMA_EXEC_CONST;
    e->num = 0;
    e->val = v;
    e->types = v.tag;
    return true;
}

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
        if (*ret && (e->op != (*ret)->op || e->source != (*ret)->source || e->col != (*ret)->col ||
                     e->affinity != (*ret)->affinity || e->has_base != (*ret)->has_base))
            return false;
        *ret = e;
        return true;
    }
    if (e->op == ORMA_EXEC_ARG || e->op == ORMA_EXEC_MEMO || e->op == ORMA_EXEC_APPLY || e->sub ||
        (e->op == ORMA_EXEC_CALL && !e->function->is_pure))
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
        return orma_exec_give_up(plan, "memory");
    }
    m->next = plan->memos;
    plan->memos = m;
    orma_buf_put_str(&text, "SELECT ");
    put(&text, plan, e);
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
                                 .memo = m,
                                 .folded = true};
    return true;
}

/* ---- calls ---- */

/* The call with parameters for what the executor makes of its arguments, which are put into `to`.
 * NULL: given up. */
static struct orma_exec_expr *take_params(struct orma_exec_plan *plan, struct orma_exec_expr *e,
                                          struct orma_exec_expr *to)
{
    struct orma_exec_expr *copy = orma_arena_alloc(&plan->arena, sizeof(*copy));
    struct orma_exec_expr **args = orma_arena_alloc(&plan->arena, (e->num + 1) * sizeof(*args));

    if (!copy || !args) {
        orma_exec_give_up(plan, "memory");
        return NULL;
    }
    *copy = *e;
    if (e->op == ORMA_EXEC_CONST)
        return copy;
    if (!orma_exec_operator_of(e->op)->by_sqlite) {
        if (to->num == EXEC_PARAMS_MAX) {
            orma_exec_give_up(plan, "a function of many columns");
            return NULL;
        }
        to->args[to->num++] = e;
        copy->op = ORMA_EXEC_PARAM;
        copy->col = to->num;
        return copy;
    }
    /* Called where SQLite calls it, too. */
    if (e->op == ORMA_EXEC_CALL && e->function->may_fail && plan->sure) {
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
                                  .call = c,
                                  .folded = true};
    struct orma_buf text = {0};

    made.args = orma_arena_alloc(&plan->arena, EXEC_PARAMS_MAX * sizeof(struct orma_exec_expr *));
    if (!c || !made.args) {
        free(c);
        orma_exec_give_up(plan, "memory");
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
    put(&text, plan, call);
    if (text.failed || sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &c->stmt, NULL))
        orma_exec_give_up(plan, "a function");
    orma_buf_fini(&text);
    *e = made;
    for (unsigned i = 0; i < e->num && !plan->why; i++)
        orma_exec_fold(plan, e->args[i]);
}

static void bind_value(const struct orma_exec_plan *plan, sqlite3_stmt *stmt, int at, uint8_t tag,
                       int64_t bits)
{
    struct orma_str s;

    switch (tag) {
    case EXEC_INT:
        sqlite3_bind_int64(stmt, at, bits);
        break;
    case EXEC_REAL:
        sqlite3_bind_double(stmt, at, orma_exec_double(bits));
        break;
    case EXEC_TEXT:
        s = orma_strpool_get(&plan->sql->storage->pool, (uint32_t)bits);
        sqlite3_bind_text64(stmt, at, s.data, s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    default:
        sqlite3_bind_null(stmt, at);
        break;
    }
}

/* Arguments that nearly all differ, and nothing else to win: SQLite calls functions faster. */
static bool is_in_vain(const struct orma_exec_plan *plan, struct orma_exec_call *c)
{
    return ++c->calls == CALLS_TRIED && !plan->tried && c->rows < 2 * c->calls &&
           plan->queries.len == 1 && plan->root->sources_num == 1 && !plan->root->wins.len &&
           plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO;
}

static bool call_with(struct orma_exec_plan *plan, struct orma_exec_call *c, unsigned num,
                      struct kept_call *k)
{
    struct orma_exec_value v;

    if (is_in_vain(plan, c))
        return orma_exec_give_up(plan, "calls that all differ");
    for (unsigned i = 0; i < num; i++)
        bind_value(plan, c->stmt, (int)i + 1, k->tags[i], k->vals[i]);
    bool ok = sqlite3_step(c->stmt) == SQLITE_ROW && value_of(plan, c->stmt, &v);
    sqlite3_reset(c->stmt);
    if (!ok)
        return orma_exec_give_up(plan, "an error");
    if (v.tag == EXEC_TEXT && ++c->texts > NEW_TEXTS_OF_CALLS_MAX && !plan->tried)
        return orma_exec_give_up(plan, "too many texts");
    k->tags[EXEC_PARAMS_MAX] = v.tag;
    k->ret = v.bits;
    return true;
}

bool orma_exec_apply(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     struct orma_exec_vec *const *v, uint32_t num, struct orma_exec_vec *ret)
{
    uint8_t seen = 0;
    bool ok = true;

    e->call->rows += num;
    for (uint32_t i = 0; ok && i < num; i++) {
        struct kept_call call = {.tags = {0}};
        uint64_t h = 0;

        for (unsigned k = 0; k < e->num; k++) {
            call.tags[k] = orma_exec_tag_at(v[k], i);
            call.vals[k] = call.tags[k] == EXEC_NULL ? 0 : v[k]->vals[i];
            h = (h ^ (uint64_t)call.vals[k] ^ call.tags[k]) * UINT64_C(0x9e3779b97f4a7c15);
            h ^= h >> 29;
        }
        struct kept_call *kept = &e->call->kept[(h >> 32) % CALLS_KEPT];
        if (kept->tags[EXEC_PARAMS_MAX] == UNKNOWN ||
            memcmp(kept->tags, call.tags, EXEC_PARAMS_MAX) ||
            memcmp(kept->vals, call.vals, sizeof(call.vals))) {
            ok = !orma_exec_should_stop(plan) && call_with(plan, e->call, e->num, &call);
            *kept = call;
        }
        orma_exec_set(ret, i, kept->tags[EXEC_PARAMS_MAX], kept->ret);
        seen |= kept->tags[EXEC_PARAMS_MAX];
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
    return ok;
}

struct orma_exec_expr *orma_exec_fold(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    struct orma_exec_expr *leaf = NULL;

    const bool by_sqlite = orma_exec_operator_of(e->op)->by_sqlite;

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
        orma_exec_fold(plan, e->args[i]);
    return e;
}

/* ---- asking ---- */

static bool grow(struct orma_exec_memo *m, uint32_t id, uint32_t texts)
{
    uint32_t num = ORMA_MAX(texts, id + 1);
    uint8_t *tags = realloc(m->tags, num);
    int64_t *vals = tags ? realloc(m->vals, num * sizeof(*vals)) : NULL;

    if (tags)
        m->tags = tags;
    if (!vals)
        return false;
    m->vals = vals;
    memset(tags + m->num, UNKNOWN, num - m->num);
    m->num = num;
    return true;
}

static bool take_value(struct orma_exec_plan *plan, struct orma_exec_memo *m, uint32_t id)
{
    struct orma_exec_value v;

    if (!value_of(plan, m->stmt, &v))
        return false;
    if (v.tag == EXEC_TEXT && ++m->calls > NEW_TEXTS_MAX && !plan->tried)
        return orma_exec_give_up(plan, "too many texts");
    m->tags[id] = v.tag;
    m->vals[id] = v.bits;
    return true;
}

bool orma_exec_memo_value(struct orma_exec_plan *plan, struct orma_exec_memo *m, uint32_t id,
                          struct orma_exec_value *ret)
{
    if (ORMA_UNLIKELY(id >= m->num || m->tags[id] == UNKNOWN)) {
        const struct orma_strpool *pool = &plan->sql->storage->pool;
        struct orma_str s = orma_strpool_get(pool, id);

        if (id >= m->num && !grow(m, id, pool->len))
            return orma_exec_give_up(plan, "memory");
        if (id)
            sqlite3_bind_text64(m->stmt, 1, s.data, s.len, SQLITE_STATIC, SQLITE_UTF8);
        else
            sqlite3_bind_null(m->stmt, 1);
        bool ok = sqlite3_step(m->stmt) == SQLITE_ROW && take_value(plan, m, id);
        sqlite3_reset(m->stmt);
        if (!ok)
            return orma_exec_give_up(plan, "an error");
    }
    *ret = (struct orma_exec_value){m->tags[id], m->vals[id]};
    return true;
}
