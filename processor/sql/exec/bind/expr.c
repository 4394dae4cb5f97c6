/*
 * Expressions: names become columns, calls become aggregates, window functions or operators.
 * Rules of SQLite: columns win over aliases of results; a word in double quotes that is no column
 * is a text (given up); types and affinities follow from the leaves.
 */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"

/* In each other: what stands in one is worked out twice. */
#define BETWEENS_MAX 3

struct orma_exec_expr *orma_exec_bind_slot(struct orma_exec_scope *s, uint8_t types, unsigned slot)
{
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);

    if (e) {
        e->types = types;
        e->slot.at = slot;
    }
    return e;
}

static struct orma_exec_expr *bare_column(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    struct orma_exec_aggs *aggs = &s->q->aggs;
    uint32_t at = 0;

    while (at < aggs->len && (aggs->data[at].function != s->plan->catalog->bare ||
                              !orma_exec_same_expr(aggs->data[at].arg, e)))
        at++;
    if (at == aggs->len &&
        ORMA_VEC_PUSH(aggs, (struct orma_exec_agg){.function = s->plan->catalog->bare, .arg = e}) <
            0) {
        orma_exec_refuse(s, "out of memory");
        return NULL;
    }
    struct orma_exec_expr *slot = orma_exec_bind_slot(s, e->types, s->q->groups.len + at);
    if (slot)
        slot->affinity = e->affinity;
    return slot;
}

struct orma_exec_expr *orma_exec_bind_over_groups(struct orma_exec_scope *s,
                                                  struct orma_exec_expr *e)
{
    const struct orma_exec_keys *g = &s->q->groups;

    if (!e)
        return NULL;
    for (uint32_t i = 0; i < g->len; i++) {
        if (!orma_exec_same_expr(e, g->data[i].expr))
            continue;
        struct orma_exec_expr *slot = orma_exec_new_expr(s->plan, ORMA_EXEC_SLOT, 0);
        if (slot) {
            slot->slot.at = i;
            slot->types = e->types;
            slot->affinity = e->affinity;
        }
        return slot;
    }
    if (e->op == ORMA_EXEC_COLUMN)
        return bare_column(s, e);
    /* Beside aggregates of no rows it is NULL where SQLite does not dissolve the sub-select. */
    if (e->is_column && !g->len && s->q->wins.len) {
        orma_exec_refuse(s, "a constant column beside aggregates");
        return NULL;
    }
    s->plan->found.bare_constant |= e->is_column && !g->len;
    if (!e->num)
        return e;
    struct orma_exec_expr *copy = orma_exec_new_expr(s->plan, e->op, e->num);
    if (!copy)
        return NULL;
    struct orma_exec_expr **args = copy->args;
    *copy = *e;
    copy->args = args;
    for (unsigned i = 0; i < e->num; i++) {
        if (!(args[i] = orma_exec_bind_over_groups(s, e->args[i])))
            return NULL;
    }
    return copy;
}

struct orma_exec_expr *orma_exec_bind_const(struct orma_exec_scope *s, uint8_t tag, int64_t bits)
{
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_CONST, 0);

    if (e) {
        e->constant.val = (struct orma_exec_value){tag, bits};
        e->types = tag;
    }
    return e;
}

static struct orma_exec_expr *bind_name(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = orma_exec_scope_find(s, ast);

    if (e)
        return e;
    if (orma_exec_scope_is_truth(s, ast))
        return orma_exec_bind_const(s, EXEC_INT,
                                    orma_exec_same_name(ast->name.name, ORMA_STR("true")));
    orma_exec_refuse(s, "a name that is not known");
    return NULL;
}

static struct orma_exec_expr *bind_literal(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    struct orma_exec_value val = {EXEC_NULL, 0};

    if (ast->op == ORMA_EXEC_TEXT) {
        uint32_t id = orma_strpool_add(&s->plan->sql->storage->pool, ast->literal.text);

        if (!id || memchr(ast->literal.text.data, 0, ast->literal.text.len))
            orma_exec_refuse(s, "a text");
        val = (struct orma_exec_value){EXEC_TEXT, id};
    } else if (ast->op == ORMA_EXEC_NUMBER &&
               !orma_exec_bind_literal(s->plan, ast->literal.text, &val)) {
        orma_exec_refuse(s, "a number");
    }
    struct orma_exec_expr *e = orma_exec_bind_const(s, val.tag, val.bits);
    if (e)
        e->constant.text = ast->literal.text;
    return e;
}

/* ---- types ---- */

static uint8_t types_of_all(const struct orma_exec_expr *e, unsigned from)
{
    uint8_t types = 0;

    for (unsigned i = from; i < e->num; i++)
        types |= e->args[i]->types;
    return types;
}

uint8_t orma_exec_bind_case_types(const struct orma_exec_expr *e)
{
    uint8_t types = e->choice.has_else ? e->args[e->num - 1]->types : EXEC_NULL;

    for (unsigned i = e->choice.has_base + 1; i < e->num - e->choice.has_else; i += 2)
        types |= e->args[i]->types;
    return types;
}

static uint8_t cast_affinity(struct orma_str type, uint8_t *ret_types)
{
    static const struct {
        const char *name;
        uint8_t affinity, type;
    } casts[] = {{"int", EXEC_AFF_NUMBER, EXEC_INT},     {"integer", EXEC_AFF_NUMBER, EXEC_INT},
                 {"bigint", EXEC_AFF_NUMBER, EXEC_INT},  {"long", EXEC_AFF_NUMBER, 0},
                 {"text", EXEC_AFF_TEXT, EXEC_TEXT},     {"real", EXEC_AFF_NUMBER, EXEC_REAL},
                 {"double", EXEC_AFF_NUMBER, EXEC_REAL}, {"float", EXEC_AFF_NUMBER, EXEC_REAL}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(casts); i++) {
        if (orma_exec_same_name(type, orma_str_from(casts[i].name))) {
            *ret_types = casts[i].type;
            return casts[i].affinity;
        }
    }
    *ret_types = 0;
    return EXEC_AFF_NONE;
}

static void set_types(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    const uint8_t all = types_of_all(e, 0), null = all & EXEC_NULL;
    const uint8_t number = (all & ~EXEC_TEXT) | (all & EXEC_TEXT ? EXEC_INT | EXEC_REAL : 0);
    uint8_t type;

    switch (orma_exec_operator_of(s->plan->catalog, e->op)->typing) {
    case EXEC_GIVES_ANY:
        e->types = EXEC_ANY;
        break;
    case EXEC_GIVES_TRUTH:
        e->types = EXEC_INT | null;
        break;
    case EXEC_GIVES_TEST:
        e->types = EXEC_INT;
        break;
    case EXEC_GIVES_NUMBER:
        e->types = number;
        break;
    case EXEC_GIVES_NUMBER_OR_NULL:
        e->types = number | EXEC_NULL;
        break;
    case EXEC_GIVES_TEXT:
        e->types = EXEC_TEXT | null;
        break;
    case EXEC_GIVES_SAME:
        e->types = all;
        break;
    case EXEC_GIVES_BRANCH:
        e->types = orma_exec_bind_case_types(e);
        break;
    case EXEC_GIVES_TYPE:
        e->affinity = cast_affinity(e->cast.type, &type);
        if (!type)
            orma_exec_refuse(s, "a type of CAST");
        e->types = type | null;
        break;
    }
}

struct orma_exec_expr *orma_exec_bind_args(struct orma_exec_scope *s, enum orma_exec_op op,
                                           const struct orma_exec_ast *args)
{
    struct orma_exec_expr *e;
    unsigned num = 0;

    for (const struct orma_exec_ast *a = args; a; a = a->next)
        num++;
    e = orma_exec_new_expr(s->plan, op, num);
    for (unsigned i = 0; e && i < num; i++, args = args->next) {
        if (!(e->args[i] = orma_exec_bind_expr(s, args)))
            return NULL;
    }
    return e;
}

/* ---- all of them ---- */

/* How many BETWEEN stand in each other. */
static unsigned betweens_in(const struct orma_exec_ast *ast)
{
    unsigned most = 0;

    for (const struct orma_exec_ast *a = ast->args; a; a = a->next)
        most = ORMA_MAX(most, betweens_in(a));
    return most + (ast->op == ORMA_EXEC_BETWEEN);
}

/* x BETWEEN a AND b is x >= a AND x <= b. */
static struct orma_exec_expr *bind_between(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    if (betweens_in(ast->args) > BETWEENS_MAX) {
        orma_exec_refuse(s, "BETWEEN in BETWEEN");
        return NULL;
    }
    struct orma_exec_expr *in = orma_exec_bind_args(s, ORMA_EXEC_BETWEEN, ast->args);
    struct orma_exec_expr *both = orma_exec_new_expr(s->plan, ORMA_EXEC_AND, 2);

    if (!in || !both || in->num != 3)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        struct orma_exec_expr *half =
            orma_exec_new_expr(s->plan, i ? ORMA_EXEC_LE : ORMA_EXEC_GE, 2);

        if (!half)
            return NULL;
        half->args[0] = in->args[0];
        half->args[1] = in->args[i + 1];
        set_types(s, half);
        both->args[i] = half;
    }
    set_types(s, both);
    if (!ast->negated)
        return both;
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_NOT, 1);
    if (e) {
        e->args[0] = both;
        set_types(s, e);
    }
    return e;
}

/* Arithmetic of two integers that are known; `e` if the result is none. */
static struct orma_exec_expr *compute_now(struct orma_exec_scope *s, struct orma_exec_expr *e)
{
    int64_t val;

    for (unsigned i = 0; i < 2; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || e->args[i]->constant.val.tag != EXEC_INT ||
            e->args[i]->is_column)
            return e;
    }
    if (!orma_exec_int_result(e->op, e->args[0]->constant.val.bits, e->args[1]->constant.val.bits,
                              &val))
        return e;
    return orma_exec_bind_const(s, EXEC_INT, val);
}

/* A minus before a number is part of the literal: the smallest integer, and -0.0. */
static struct orma_exec_expr *bind_negative(struct orma_exec_scope *s,
                                            const struct orma_exec_ast *ast)
{
    struct orma_exec_ast literal = *ast->args;
    char *text = orma_arena_alloc(&s->plan->arena, literal.literal.text.len + 1);

    if (!text) {
        orma_exec_refuse(s, "out of memory");
        return NULL;
    }
    text[0] = '-';
    memcpy(text + 1, literal.literal.text.data, literal.literal.text.len);
    literal.literal.text = (struct orma_str){text, literal.literal.text.len + 1};
    return bind_literal(s, &literal);
}

/* x IS TRUE is CASE WHEN x THEN 1 ELSE 0 END; of FALSE NOT x is asked. NULL is neither. */
static struct orma_exec_expr *bind_truth(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    const bool is = ast->op == ORMA_EXEC_IS;
    struct orma_exec_expr *e = orma_exec_new_expr(s->plan, ORMA_EXEC_CASE, 3);
    struct orma_exec_expr *test = orma_exec_bind_expr(s, ast->args);

    if (test && orma_exec_same_name(ast->args->next->name.name, ORMA_STR("false"))) {
        struct orma_exec_expr *opposite = orma_exec_new_expr(s->plan, ORMA_EXEC_NOT, 1);

        if (opposite) {
            opposite->args[0] = test;
            set_types(s, opposite);
        }
        test = opposite;
    }
    if (!e || !test)
        return NULL;
    e->choice.has_else = true;
    e->args[0] = test;
    e->args[1] = orma_exec_bind_const(s, EXEC_INT, is);
    e->args[2] = orma_exec_bind_const(s, EXEC_INT, !is);
    if (!e->args[1] || !e->args[2])
        return NULL;
    set_types(s, e);
    return e;
}

static struct orma_exec_expr *bind_other(struct orma_exec_scope *s, const struct orma_exec_ast *ast)
{
    if (ast->op == ORMA_EXEC_NEG && ast->args->op == ORMA_EXEC_NUMBER)
        return bind_negative(s, ast);
    if ((ast->op == ORMA_EXEC_IS || ast->op == ORMA_EXEC_IS_NOT) &&
        orma_exec_scope_is_truth(s, ast->args->next))
        return bind_truth(s, ast);
    struct orma_exec_expr *e = orma_exec_bind_args(s, ast->op, ast->args);

    if (!e)
        return NULL;
    e->negated = ast->negated;
    if (e->op == ORMA_EXEC_CASE) {
        e->choice.has_base = ast->choice.has_base;
        e->choice.has_else = ast->choice.has_else;
    } else if (e->op == ORMA_EXEC_CAST) {
        e->cast.type = ast->cast.type;
    }
    for (unsigned i = 1; e->op == ORMA_EXEC_IN && i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST)
            orma_exec_refuse(s, "an IN list with values that are not constants");
    }
    set_types(s, e);
    return orma_exec_operator_of(s->plan->catalog, e->op)->folds ? compute_now(s, e) : e;
}

struct orma_exec_expr *orma_exec_bind_expr(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast)
{
    struct orma_exec_expr *e = NULL;

    if (s->plan->why || s->depth++ > EXEC_DEPTH_MAX) {
        orma_exec_refuse(s, "too deep");
        return NULL;
    }
    switch (ast->op) {
    case ORMA_EXEC_NULL:
    case ORMA_EXEC_NUMBER:
    case ORMA_EXEC_TEXT:
        e = bind_literal(s, ast);
        break;
    case ORMA_EXEC_NAME:
        e = bind_name(s, ast);
        break;
    case ORMA_EXEC_CALL:
        e = s->bind_call(s, ast);
        break;
    case ORMA_EXEC_BETWEEN:
        e = bind_between(s, ast);
        break;
    case ORMA_EXEC_IN_SELECT:
        e = orma_exec_bind_args(s, ORMA_EXEC_IN_SELECT, ast->args);
        e = e && orma_exec_bind_in_select(s, ast, e) ? e : NULL;
        break;
    case ORMA_EXEC_VALUE:
    case ORMA_EXEC_EXISTS:
        e = orma_exec_new_expr(s->plan, ast->op, 0);
        e = e && orma_exec_bind_value(s, ast, e) ? e : NULL;
        break;
    case ORMA_EXEC_STAR:
        orma_exec_refuse(s, "a star");
        break;
    default:
        e = bind_other(s, ast);
        break;
    }
    s->depth--;
    return s->plan->why ? NULL : e;
}
