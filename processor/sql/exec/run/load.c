/*
 * Values of columns for a block of rows: read in one go where rows lie one after the other, one by
 * one where they are a list. Columns of a query below are its results for these rows of its frame,
 * evaluated on the spot.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/run.h"

static void load_bits(const struct orma_table *t, unsigned col, const struct orma_exec_rows *r,
                      const uint32_t *list, struct orma_exec_vec *ret)
{
    const struct orma_column c = t->columns[col];

    if (c.kind <= ORMA_COL_ALIAS) {
        for (uint32_t i = 0; i < r->num; i++)
            ret->vals[i] = list ? list[i] : r->first + i;
    } else if (c.kind == ORMA_COL_COMPUTED) {
        for (uint32_t i = 0; i < r->num; i++)
            ret->vals[i] = orma_table_int(t, col, list ? list[i] : r->first + i);
    } else if (!list) {
        orma_column_read(&t->columns[col], r->first, r->num, ret->vals);
    } else {
        for (uint32_t i = 0; i < r->num; i++)
            ret->vals[i] = ORMA_LIKELY(list[i] < t->rows) ? orma_column_bits(&c, list[i]) : 0;
    }
}

/* Types of values that were loaded from a stored column. */
static void load_tags(const struct orma_table *t, unsigned col, const struct orma_exec_rows *r,
                      const uint32_t *list, struct orma_exec_vec *ret)
{
    const struct orma_column *c = &t->columns[col];
    bool nulls = c->flags & ORMA_COL_NULLABLE && c->kind >= ORMA_COL_INT;
    uint8_t seen = 0;

    if (c->kind == ORMA_COL_STRING) {
        for (uint32_t i = 0; i < r->num; i++) {
            ret->tags[i] = ret->vals[i] ? EXEC_TEXT : EXEC_NULL;
            seen |= ret->tags[i];
        }
    } else if (c->kind == ORMA_COL_COMPUTED) {
        for (uint32_t i = 0; i < r->num; i++) {
            ret->tags[i] = ret->vals[i] < 0 ? EXEC_NULL : EXEC_INT;
            seen |= ret->tags[i];
        }
    } else if (c->kind == ORMA_COL_DOUBLE) {
        for (uint32_t i = 0; i < r->num; i++) {
            uint32_t row = list ? list[i] : r->first + i;
            double d = c->width == ORMA_WIDTH_DOUBLE ? orma_exec_double(ret->vals[i])
                                                     : (double)ret->vals[i];

            if (row < t->rows && orma_column_is_null(c, row))
                orma_exec_set(ret, i, EXEC_NULL, 0);
            else
                orma_exec_set_real(ret, i, d);
            seen |= ret->tags[i];
        }
    } else if (nulls) {
        for (uint32_t i = 0; i < r->num; i++) {
            uint32_t row = list ? list[i] : r->first + i;

            ret->tags[i] = row < t->rows && !orma_column_is_null(c, row) ? EXEC_INT : EXEC_NULL;
            seen |= ret->tags[i];
        }
    } else {
        seen = EXEC_INT;
    }
    ret->tagged = seen & (seen - 1);
    ret->tag = seen;
}

/* Rows that a LEFT JOIN did not find. */
static void load_missing(const struct orma_exec_rows *r, const uint32_t *list,
                         struct orma_exec_vec *ret)
{
    for (uint32_t i = 0; i < r->num; i++) {
        if (list[i] == EXEC_NO_ROW) {
            orma_exec_make_tagged(ret, r->num);
            orma_exec_set(ret, i, EXEC_NULL, 0);
        }
    }
}

static void put_arg(struct orma_args_reader *reader, uint32_t set, uint32_t key, uint32_t i,
                    struct orma_exec_vec *ret)
{
    struct orma_args_item arg;

    orma_exec_set(ret, i, EXEC_NULL, 0);
    if (!orma_args_reader_find(reader, set, key, &arg))
        return;
    switch ((enum orma_arg_type)arg.type) {
    case ORMA_ARG_INT:
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        orma_exec_set(ret, i, EXEC_INT, arg.i);
        break;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        orma_exec_set(ret, i, arg.str ? EXEC_TEXT : EXEC_NULL, arg.str);
        break;
    case ORMA_ARG_REAL:
        orma_exec_set_real(ret, i, arg.d);
        break;
    case ORMA_ARG_NULL:
        break;
    }
}

/* The values under a key in arg sets. */
static bool load_args(struct orma_exec_plan *plan, const struct orma_exec_vec *sets,
                      const struct orma_exec_rows *r, uint32_t key, struct orma_exec_vec *ret)
{
    struct orma_args_reader reader;

    orma_args_reader_init(&reader, &plan->sql->storage->args);
    ret->tagged = true;
    for (uint32_t i = 0; i < r->num; i++) {
        uint8_t tag = orma_exec_tag_at(sets, i);

        if (tag == EXEC_NULL || sets->vals[i] < 0 || sets->vals[i] >= UINT32_MAX)
            orma_exec_set(ret, i, EXEC_NULL, 0);
        else
            put_arg(&reader, (uint32_t)sets->vals[i], key, i, ret);
        if (tag & (EXEC_REAL | EXEC_TEXT))
            return orma_exec_give_up(plan, "an arg set id that is not an integer");
    }
    return orma_args_is_there(reader.store) || orma_exec_give_up(plan, "a file that changed");
}

bool orma_exec_run_extract_arg(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                               const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *sets = orma_exec_take_vec(plan);
    const bool ok = sets && orma_exec_run_eval(plan, e->args[0], r, sets) &&
                    load_args(plan, sets, r, (uint32_t)e->args[1]->constant.val.bits, ret);

    orma_exec_give_vec(plan, sets);
    return ok;
}

/* Columns of projections that are no stored column. */
static bool load_made(struct orma_exec_plan *plan, const struct orma_exec_source *src,
                      const struct orma_vcolumn *v, unsigned col, const struct orma_exec_rows *r,
                      const uint32_t *list, struct orma_exec_vec *ret)
{
    const struct orma_table *t = src->table;
    struct orma_args_reader reader;

    orma_args_reader_init(&reader, &plan->sql->storage->args);
    ret->tagged = true;
    for (uint32_t i = 0; i < r->num; i++) {
        uint32_t row = list ? list[i] : r->first + i;
        bool null = row >= t->rows || orma_table_is_null(t, v->col, row);
        uint32_t key;

        switch ((enum orma_proj_op)v->op) {
        case ORMA_PROJ_SUM:
            orma_exec_set(ret, i, row < t->rows ? EXEC_INT : EXEC_NULL,
                          (int64_t)((uint64_t)orma_table_int(t, v->col, row) +
                                    (uint64_t)orma_table_int(t, v->other, row)));
            break;
        case ORMA_PROJ_CPU:
            orma_exec_set(ret, i, null ? EXEC_NULL : EXEC_INT,
                          orma_table_int(t, v->col, row) % ORMA_UCPUS_PER_MACHINE);
            break;
        case ORMA_PROJ_ARG:
            key = orma_strpool_find(&plan->sql->storage->pool,
                                    orma_str_from(src->proj->columns[col].key));
            orma_exec_set(ret, i, EXEC_NULL, 0);
            if (!null && key)
                put_arg(&reader, (uint32_t)orma_table_int(t, v->col, row), key, i, ret);
            break;
        case ORMA_PROJ_COL:
        case ORMA_PROJ_NULL:
            orma_exec_set(ret, i, EXEC_NULL, 0);
            break;
        }
    }
    return true;
}

/* The part that a row lies in; *row becomes the number of the row in it, *ret_left how many rows
 * are left there from that one on. */
static const struct orma_exec_query *part_of(const struct orma_exec_query *q, uint32_t *row,
                                             uint32_t *ret_left)
{
    uint32_t i = 0;

    while (*row >= q->parts.data[i]->frame.rows)
        *row -= q->parts.data[i++]->frame.rows;
    *ret_left = q->parts.data[i]->frame.rows - *row;
    return q->parts.data[i];
}

/* A range of rows in one part: values in *v; returns how many, 0: given up. */
static uint32_t load_range(struct orma_exec_plan *plan, const struct orma_exec_query *q,
                             unsigned col, const struct orma_exec_rows *r, const uint32_t *list,
                             uint32_t from, struct orma_exec_place *place, struct orma_exec_vec *v)
{
    uint32_t first = list ? list[from] : r->first + from, left, num = 0, rows[EXEC_BLOCK];
    struct orma_exec_rows inner;

    first = first < q->frame.rows ? first : 0; /* of a LEFT JOIN: not looked at */
    uint32_t begin = first;
    const struct orma_exec_query *part = part_of(q, &first, &left);
    begin -= first;
    if (!list) {
        num = ORMA_MIN(left, r->num - from);
        orma_exec_run_frame_rows(part, first, num, place, &inner);
    } else {
        for (; from + num < r->num; num++) {
            uint32_t row = list[from + num] < q->frame.rows ? list[from + num] : 0;

            if (row < begin || row - begin >= part->frame.rows)
                break;
            rows[num] = row - begin;
        }
        orma_exec_run_frame_pick(part, rows, num, place, &inner);
    }
    return orma_exec_run_eval(plan, part->results.data[col].expr, &inner, v) ? num : 0;
}

/* Of a query without rows, which only a LEFT JOIN asks for any. */
static void load_nothing(const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    ret->tagged = false;
    ret->tag = EXEC_NULL;
    memset(ret->vals, 0, r->num * sizeof(*ret->vals));
}

static bool load_union(struct orma_exec_plan *plan, const struct orma_exec_query *q, unsigned col,
                       const struct orma_exec_rows *r, const uint32_t *list,
                       struct orma_exec_place *place, struct orma_exec_vec *ret)
{
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    uint32_t at = 0;

    ret->tagged = false;
    ret->tag = EXEC_NULL;
    while (v && at < r->num) {
        uint32_t num = load_range(plan, q, col, r, list, at, place, v);

        if (!num)
            break;
        if (!at)
            ret->tag = v->tag;
        memcpy(ret->vals + at, v->vals, num * sizeof(*v->vals));
        if (!ret->tagged && (v->tagged || v->tag != ret->tag))
            orma_exec_make_tagged(ret, at);
        for (uint32_t i = 0; ret->tagged && i < num; i++)
            ret->tags[at + i] = orma_exec_tag_at(v, i);
        at += num;
    }
    orma_exec_give_vec(plan, v);
    return at == r->num;
}

static bool load_query(struct orma_exec_plan *plan, const struct orma_exec_query *q, unsigned col,
                       const struct orma_exec_rows *r, const uint32_t *list,
                       struct orma_exec_vec *ret)
{
    struct orma_exec_place *place;
    struct orma_exec_rows inner;

    if (!q->frame.rows) {
        load_nothing(r, ret);
        return true;
    }
    place = malloc(sizeof(*place));
    bool ok = place || orma_exec_give_up(plan, "out of memory");

    if (ok && q->parts.len) {
        ok = load_union(plan, q, col, r, list, place, ret);
        free(place);
        return ok;
    }
    if (ok && list)
        orma_exec_run_frame_pick(q, list, r->num, place, &inner);
    else if (ok)
        orma_exec_run_frame_rows(q, r->first, r->num, place, &inner);
    ok = ok && orma_exec_run_eval(plan, q->results.data[col].expr, &inner, ret);
    free(place);
    return ok;
}

bool orma_exec_run_column(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                          const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    const struct orma_exec_source *src = e->column.source;
    const uint32_t *list = r->source[src->index];
    bool ok = true;

    if (src->query) {
        ok = load_query(plan, src->query, e->column.at, r, list, ret);
    } else {
        struct orma_vcolumn v = orma_exec_table_vcolumn(plan, src, e->column.at);

        if (v.op == ORMA_PROJ_COL) {
            load_bits(src->table, v.col, r, list, ret);
            load_tags(src->table, v.col, r, list, ret);
        } else {
            ok = load_made(plan, src, &v, e->column.at, r, list, ret);
        }
    }
    if (ok && list && src->join == ORMA_EXEC_LEFT)
        load_missing(r, list, ret);
    return ok;
}

bool orma_exec_run_row(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                       const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    const uint32_t *list = r->source[e->column.source->index];

    (void)plan;
    ret->tagged = false;
    ret->tag = EXEC_INT;
    for (uint32_t i = 0; i < r->num; i++)
        ret->vals[i] = list ? list[i] : r->first + i;
    return true;
}

bool orma_exec_run_slot(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                        const struct orma_exec_rows *r, struct orma_exec_vec *ret)
{
    const struct orma_exec_slot *s = &r->frame->slots[e->slot.at];

    (void)plan;
    for (uint32_t i = 0; i < r->num; i++)
        ret->vals[i] = s->vals[r->slot[i]];
    ret->tag = s->tag;
    ret->tagged = s->tags;
    for (uint32_t i = 0; s->tags && i < r->num; i++)
        ret->tags[i] = s->tags[r->slot[i]];
    return true;
}
