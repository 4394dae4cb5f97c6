/* Queries and expressions: made, freed, compared. */
#include "processor/sql/exec/base/query.h"

#include <stdlib.h>

/* ---- expressions ---- */

bool orma_exec_same_name(struct orma_str a, struct orma_str b)
{
    return a.len == b.len && !sqlite3_strnicmp(a.data, b.data, (int)a.len);
}

struct orma_exec_expr *orma_exec_new_expr(struct orma_exec_plan *plan, enum orma_exec_op op,
                                          unsigned num)
{
    struct orma_exec_expr *e = orma_arena_alloc(&plan->arena, sizeof(*e));
    struct orma_exec_expr **args =
        num ? orma_arena_alloc(&plan->arena, num * sizeof(struct orma_exec_expr *)) : NULL;

    if (!e || (num && !args)) {
        orma_exec_give_up(plan, "out of memory");
        return NULL;
    }
    *e = (struct orma_exec_expr){.op = op, .num = num, .args = args};
    return e;
}

/* Whether what is not an argument is the same; `op` is. */
static bool same_node(const struct orma_exec_expr *a, const struct orma_exec_expr *b)
{
    switch (a->op) {
    case ORMA_EXEC_CONST:
        return a->constant.val.tag == b->constant.val.tag &&
               a->constant.val.bits == b->constant.val.bits;
    case ORMA_EXEC_COLUMN:
        return a->column.source == b->column.source && a->column.at == b->column.at;
    case ORMA_EXEC_ROW:
        return a->column.source == b->column.source;
    case ORMA_EXEC_SLOT:
        return a->slot.at == b->slot.at && a->slot.of_window == b->slot.of_window;
    case ORMA_EXEC_PARAM:
        return a->param.number == b->param.number;
    case ORMA_EXEC_CALL:
        return orma_exec_same_name(a->call.name, b->call.name);
    case ORMA_EXEC_CAST:
        return orma_exec_same_name(a->cast.type, b->cast.type);
    case ORMA_EXEC_CASE:
        return a->choice.has_base == b->choice.has_base && a->choice.has_else == b->choice.has_else;
    case ORMA_EXEC_IN_SELECT:
    case ORMA_EXEC_VALUE:
    case ORMA_EXEC_EXISTS:
        return a->query.sub == b->query.sub;
    case ORMA_EXEC_MEMO:
        return a->remembered.memo == b->remembered.memo;
    case ORMA_EXEC_APPLY:
        return a->applied.call == b->applied.call;
    default:
        return true;
    }
}

bool orma_exec_same_expr(const struct orma_exec_expr *a, const struct orma_exec_expr *b)
{
    if (a == b)
        return true;
    if (a->op != b->op || a->num != b->num || a->negated != b->negated || !same_node(a, b))
        return false;
    for (unsigned i = 0; i < a->num; i++) {
        if (!orma_exec_same_expr(a->args[i], b->args[i]))
            return false;
    }
    return true;
}

/* ---- vectors ---- */

struct orma_exec_vec *orma_exec_take_vec(struct orma_exec_plan *plan)
{
    if (plan->spare_num)
        return plan->spare[--plan->spare_num];
    struct orma_exec_vec *v = malloc(sizeof(*v));
    if (!v)
        orma_exec_give_up(plan, "out of memory");
    return v;
}

void orma_exec_give_vec(struct orma_exec_plan *plan, struct orma_exec_vec *vec)
{
    if (vec && plan->spare_num < ORMA_ARRAY_LEN(plan->spare))
        plan->spare[plan->spare_num++] = vec;
    else
        free(vec);
}

/* ---- tables ---- */

unsigned orma_exec_table_width(const struct orma_exec_source *src)
{
    unsigned n = 0;

    if (!src->proj)
        return src->table->def->columns_num;
    while (src->proj->columns[n].name)
        n++;
    return n;
}

struct orma_vcolumn orma_exec_table_vcolumn(const struct orma_exec_plan *plan,
                                            const struct orma_exec_source *src, unsigned col)
{
    if (!src->proj)
        return (struct orma_vcolumn){.op = ORMA_PROJ_COL, .col = (uint16_t)col};
    const struct orma_proj_column *c = &src->proj->columns[col];
    struct orma_vcolumn v = {.op = c->op, .col = c->col, .other = c->other};
    if (c->op == ORMA_PROJ_CPU && plan->sql->storage->tables[ORMA_TABLE_MACHINE].rows == 1)
        v.op = ORMA_PROJ_COL;
    return v;
}

uint32_t orma_exec_source_rows(const struct orma_exec_source *src)
{
    return src->table ? src->table->rows : src->query->frame.rows;
}

bool orma_exec_is_row_number(const struct orma_exec_plan *plan, const struct orma_exec_expr *col)
{
    if (col->op != ORMA_EXEC_COLUMN || !col->column.source->table)
        return false;
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, col->column.source, col->column.at);
    return v.op == ORMA_PROJ_COL &&
           col->column.source->table->columns[v.col].kind <= ORMA_COL_ALIAS;
}

/* ---- queries ---- */

struct orma_exec_query *orma_exec_new_query(struct orma_exec_plan *plan)
{
    struct orma_exec_query *q = calloc(1, sizeof(*q));

    if (!q || ORMA_VEC_PUSH(&plan->queries, q) < 0) {
        free(q);
        orma_exec_give_up(plan, "out of memory");
        return NULL;
    }
    q->limit = -1;
    q->wanted = UINT32_MAX;
    return q;
}

void orma_exec_slot_fini(struct orma_exec_slot *s)
{
    orma_large_free(s->vals);
    orma_large_free(s->tags);
    *s = (struct orma_exec_slot){0};
}

void orma_exec_frame_fini(struct orma_exec_frame *f)
{
    for (unsigned i = 0; i < f->slots_num; i++)
        orma_exec_slot_fini(&f->slots[i]);
    for (unsigned i = 0; i < EXEC_SOURCES_MAX; i++)
        orma_large_free(f->source[i]);
    orma_large_free(f->slots);
    orma_large_free(f->order);
    *f = (struct orma_exec_frame){0};
}

void orma_exec_query_free(struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->wins.len; i++) {
        ORMA_VEC_FINI(&q->wins.data[i]->partition);
        ORMA_VEC_FINI(&q->wins.data[i]->order);
        free(q->wins.data[i]);
    }
    for (unsigned i = 0; i < q->sources_num; i++)
        ORMA_VEC_FINI(&q->sources[i]->on);
    ORMA_VEC_FINI(&q->parts);
    ORMA_VEC_FINI(&q->wins);
    ORMA_VEC_FINI(&q->win_slots);
    ORMA_VEC_FINI(&q->where);
    ORMA_VEC_FINI(&q->having);
    ORMA_VEC_FINI(&q->groups);
    ORMA_VEC_FINI(&q->aggs);
    ORMA_VEC_FINI(&q->order);
    ORMA_VEC_FINI(&q->by_loops);
    ORMA_VEC_FINI(&q->keys);
    ORMA_VEC_FINI(&q->outer);
    ORMA_VEC_FINI(&q->results);
    orma_exec_frame_fini(&q->frame);
    free(q);
}
