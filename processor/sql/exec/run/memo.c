/* Asking SQLite, once for each text, or for each set of arguments that differs from the last. */
#include <stdlib.h>

#include "processor/sql/exec/plan/memo.h"
#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/run.h"

/* So many new texts may a memo add to the pool: for more the rows are better off in SQLite. */
#define NEW_TEXTS_MAX (1u << 20)
#define NEW_TEXTS_OF_CALLS_MAX (1u << 16)
/* After so many calls it is clear whether remembering them helps. */
#define CALLS_TRIED (1u << 15)

void orma_exec_run_free_memos(struct orma_exec_plan *plan)
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
    return ++c->calls == CALLS_TRIED && !plan->found.tried && c->rows < 2 * c->calls &&
           plan->queries.len == 1 && plan->root->sources_num == 1 && !plan->root->wins.len &&
           plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO;
}

static bool call_with(struct orma_exec_plan *plan, struct orma_exec_call *c, unsigned num,
                      struct orma_exec_kept_call *k)
{
    struct orma_exec_value v;

    if (is_in_vain(plan, c))
        return orma_exec_give_up(plan, "function arguments that differ in nearly every row");
    for (unsigned i = 0; i < num; i++)
        bind_value(plan, c->stmt, (int)i + 1, k->tags[i], k->vals[i]);
    bool ok = sqlite3_step(c->stmt) == SQLITE_ROW && orma_exec_value_of(plan, c->stmt, &v);
    sqlite3_reset(c->stmt);
    if (!ok)
        return orma_exec_give_up(plan, "an error");
    if (v.tag == EXEC_TEXT && ++c->texts > NEW_TEXTS_OF_CALLS_MAX && !plan->found.tried)
        return orma_exec_give_up(plan, "too many distinct strings");
    k->tags[EXEC_PARAMS_MAX] = v.tag;
    k->ret = v.bits;
    return true;
}

bool orma_exec_run_apply(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                         struct orma_exec_vec *const *v, uint32_t num, struct orma_exec_vec *ret)
{
    uint8_t seen = 0;
    bool ok = true;

    e->applied.call->rows += num;
    for (uint32_t i = 0; ok && i < num; i++) {
        struct orma_exec_kept_call call = {.tags = {0}};
        uint64_t h = 0;

        for (unsigned k = 0; k < e->num; k++) {
            call.tags[k] = orma_exec_tag_at(v[k], i);
            call.vals[k] = call.tags[k] == EXEC_NULL ? 0 : v[k]->vals[i];
            h = (h ^ (uint64_t)call.vals[k] ^ call.tags[k]) * UINT64_C(0x9e3779b97f4a7c15);
            h ^= h >> 29;
        }
        struct orma_exec_kept_call *kept = &e->applied.call->kept[(h >> 32) % EXEC_CALLS_KEPT];
        if (kept->tags[EXEC_PARAMS_MAX] == EXEC_UNKNOWN ||
            memcmp(kept->tags, call.tags, EXEC_PARAMS_MAX) ||
            memcmp(kept->vals, call.vals, sizeof(call.vals))) {
            ok = !orma_exec_should_stop(plan) && call_with(plan, e->applied.call, e->num, &call);
            *kept = call;
        }
        orma_exec_set(ret, i, kept->tags[EXEC_PARAMS_MAX], kept->ret);
        seen |= kept->tags[EXEC_PARAMS_MAX];
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
    return ok;
}

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
    memset(tags + m->num, EXEC_UNKNOWN, num - m->num);
    m->num = num;
    return true;
}

static bool take_value(struct orma_exec_plan *plan, struct orma_exec_memo *m, uint32_t id)
{
    struct orma_exec_value v;

    if (!orma_exec_value_of(plan, m->stmt, &v))
        return false;
    if (v.tag == EXEC_TEXT && ++m->calls > NEW_TEXTS_MAX && !plan->found.tried)
        return orma_exec_give_up(plan, "too many distinct strings");
    m->tags[id] = v.tag;
    m->vals[id] = v.bits;
    return true;
}

bool orma_exec_run_memo_value(struct orma_exec_plan *plan, struct orma_exec_memo *m, uint32_t id,
                              struct orma_exec_value *ret)
{
    if (ORMA_UNLIKELY(id >= m->num || m->tags[id] == EXEC_UNKNOWN)) {
        const struct orma_strpool *pool = &plan->sql->storage->pool;
        struct orma_str s = orma_strpool_get(pool, id);

        if (plan->shared)
            return orma_exec_give_up(plan, "a text that was not asked for before");
        if (id >= m->num && !grow(m, id, pool->len))
            return orma_exec_give_up(plan, "out of memory");
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
