/*
 * What several threads may evaluate at a time: what reads stored columns, slots and constants, and
 * what the table says of functions and operators. Values that are remembered by text are asked of
 * SQLite before, by one thread, for each text that a column has: a pass over it finds them.
 */
#include <stdlib.h>

#include "processor/sql/exec/plan/memo.h"
#include "processor/sql/exec/run/team.h"
#include "sdk/base/clock.h"

/* Texts are asked ahead for so long at most. A query may need few of them, if other conditions come
 * first; where it needs all, threads would save less than what asking takes. */
#define ASKING_NS UINT64_C(20000000)
#define ASKS_UNTIMED 64

/* ---- what may be shared ---- */

static void share_column(struct orma_exec_share *self, const struct orma_exec_expr *e)
{
    const struct orma_exec_source *src = e->column.source;

    if (src->query) {
        for (uint32_t i = 0; i < src->query->parts.len; i++)
            orma_exec_run_share_expr(self,
                                     src->query->parts.data[i]->results.data[e->column.at].expr);
        if (!src->query->parts.len)
            orma_exec_run_share_expr(self, src->query->results.data[e->column.at].expr);
        return;
    }
    const struct orma_vcolumn v = orma_exec_table_vcolumn(self->plan, src, e->column.at);
    const bool reads = v.op == ORMA_PROJ_COL || v.op == ORMA_PROJ_CPU || v.op == ORMA_PROJ_SUM;

    if (src->table->waits || !reads || src->table->columns[v.col].kind == ORMA_COL_COMPUTED ||
        (v.op == ORMA_PROJ_SUM && src->table->columns[v.other].kind == ORMA_COL_COMPUTED))
        self->refused = true;
}

void orma_exec_run_share_expr(struct orma_exec_share *self, const struct orma_exec_expr *e)
{
    if (!e || self->refused)
        return;
    switch (e->op) {
    case ORMA_EXEC_COLUMN:
        share_column(self, e);
        return;
    case ORMA_EXEC_MEMO:
        self->refused |= ORMA_VEC_PUSH(&self->memos, e) < 0;
        break;
    case ORMA_EXEC_CALL:
        self->refused |= !e->call.function->any_thread;
        break;
    default:
        self->refused |= !orma_exec_operator_of(self->plan->catalog, e->op)->any_thread;
        break;
    }
    for (unsigned i = 0; i < e->num; i++)
        orma_exec_run_share_expr(self, e->args[i]);
}

void orma_exec_run_share_fini(struct orma_exec_share *self)
{
    ORMA_VEC_FINI(&self->memos);
}

/* ---- what is remembered by text ---- */

/* The stored column whose texts are asked; false: it is not that simple. */
static bool find_column(const struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_table **ret_table, unsigned *ret_col)
{
    while (e->op == ORMA_EXEC_COLUMN && e->column.source->query) {
        const struct orma_exec_query *q = e->column.source->query;

        if (q->parts.len)
            return false;
        e = q->results.data[e->column.at].expr;
    }
    if (e->op != ORMA_EXEC_COLUMN)
        return false;
    const struct orma_vcolumn v = orma_exec_table_vcolumn(plan, e->column.source, e->column.at);
    *ret_table = e->column.source->table;
    *ret_col = v.col;
    return v.op == ORMA_PROJ_COL && (*ret_table)->columns[v.col].kind == ORMA_COL_STRING;
}

/* Ids of texts that are not known yet, by thread: bits. */
struct unknown {
    const struct orma_exec_memo *memo;
    const struct orma_table *table;
    unsigned col;
    uint32_t texts;
    size_t words;
    uint64_t *bits;
};

static bool find_unknown(const struct orma_exec_piece *p, void *data)
{
    const struct unknown *u = data;
    uint64_t *bits = u->bits + p->thread * u->words;
    int64_t ids[EXEC_BLOCK];

    for (uint32_t at = p->from; at < p->to; at += EXEC_BLOCK) {
        const uint32_t num = ORMA_MIN(p->to - at, (uint32_t)EXEC_BLOCK);

        if (orma_exec_should_stop(p->view))
            return false;
        orma_column_read(&u->table->columns[u->col], at, num, ids);
        for (uint32_t i = 0; i < num; i++) {
            const uint32_t id = (uint32_t)ids[i];

            if ((id >= u->memo->num || u->memo->tags[id] == EXEC_UNKNOWN) && id < u->texts)
                bits[id >> 6] |= UINT64_C(1) << (id & 63);
        }
        if (p->to - at <= EXEC_BLOCK) /* the sum may not fit */
            break;
    }
    return true;
}

/* Asks SQLite for them, in the order of their ids. False: given up, or it takes too long: what was
 * asked so far is remembered. */
static bool ask(struct orma_exec_plan *view, struct unknown *u, struct orma_exec_memo *memo,
                unsigned threads)
{
    const uint64_t until = orma_clock_now(ORMA_CLOCK_MONOTONIC) + ASKING_NS;
    struct orma_exec_value v;
    uint32_t num = 0;

    if (!orma_exec_run_memo_value(view, memo, 0, &v)) /* of NULL */
        return false;
    for (size_t w = 0; w < u->words; w++) {
        uint64_t bits = 0;

        for (unsigned t = 0; t < threads; t++)
            bits |= u->bits[t * u->words + w];
        for (; bits; bits &= bits - 1) {
            const uint32_t id = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);

            if (orma_exec_should_stop(view) || !orma_exec_run_memo_value(view, memo, id, &v) ||
                (++num % ASKS_UNTIMED == 0 && orma_clock_now(ORMA_CLOCK_MONOTONIC) > until))
                return false;
        }
    }
    return true;
}

static bool fill_memo(struct orma_exec_share *self, struct orma_exec_team *team,
                      const struct orma_exec_expr *e)
{
    struct orma_exec_memo *memo = e->remembered.memo;
    struct unknown u = {.memo = memo, .texts = self->plan->sql->storage->pool.len};

    if (!find_column(self->plan, e->args[0], &u.table, &u.col))
        return false;
    u.words = u.texts / 64 + 1;
    u.bits = orma_large_zeroed(u.words * team->threads, sizeof(*u.bits));
    const bool ok = u.bits &&
                    orma_exec_run_team_run(team, 0, u.table->rows, find_unknown, NULL, &u) &&
                    ask(&team->views[0], &u, memo, team->threads);

    team->views[0].why = NULL; /* one thread may not meet the text that failed */
    orma_large_free(u.bits);
    return ok;
}

bool orma_exec_run_share_ready(struct orma_exec_share *self, struct orma_exec_team *team)
{
    for (uint32_t i = 0; i < self->memos.len && !self->refused; i++)
        self->refused = !fill_memo(self, team, self->memos.data[i]);
    return !self->refused && !self->plan->why;
}
