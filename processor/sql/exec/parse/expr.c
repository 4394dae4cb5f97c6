/*
 * Expressions; binary operators by precedence climbing, with SQLite's table:
 *
 *   1 OR   2 AND   3 NOT   4 = == != <> IS IN LIKE GLOB BETWEEN ISNULL   5 < <= > >=
 *   6 & | << >>   7 + -   8 * / %   9 ||   10 COLLATE (not known here)   11 unary + - ~
 */
#include "processor/sql/exec/base/functions.h"
#include "processor/sql/exec/parse/parser.h"

static struct orma_exec_ast *read_binary(struct orma_exec_parser *p, int level);

/* ---- lists ---- */

static void read_alias(struct orma_exec_parser *p, struct orma_exec_item *item)
{
    bool as = accept(p, "as");

    if (p->tok.kind == ORMA_TOK_STRING)
        p->no = true;
    if (as || orma_exec_parser_is_name(p))
        item->alias = orma_exec_parser_name(p);
}

static void read_direction(struct orma_exec_parser *p, struct orma_exec_item *item)
{
    item->desc = accept(p, "desc");
    if (!item->desc)
        accept(p, "asc");
    if (!accept(p, "nulls"))
        return;
    item->nulls_given = true;
    item->nulls_last = accept(p, "last");
    if (!item->nulls_last)
        expect(p, "first");
}

/* "*", or "t.*". */
static bool read_star(struct orma_exec_parser *p, struct orma_exec_item *item)
{
    if (is_op(p, "*")) {
        next(p);
        return true;
    }
    struct orma_token dot = peek(p);
    if (!orma_exec_parser_is_name(p) || dot.kind != ORMA_TOK_DOT)
        return false;
    struct orma_token star = orma_token_next_solid(p->text, dot.at + dot.len);
    if (star.kind != ORMA_TOK_OPERATOR || p->text.data[star.at] != '*')
        return false;
    item->table = orma_exec_parser_name(p);
    next(p);
    next(p);
    return true;
}

struct orma_exec_item *orma_exec_parser_items(struct orma_exec_parser *p, bool results)
{
    struct orma_exec_item *first = NULL, **at = &first;

    do {
        struct orma_exec_item *item = orma_exec_parser_take(p, sizeof(*item));

        if (p->no)
            return NULL;
        *at = item;
        at = &item->next;
        if (results && read_star(p, item))
            continue;
        item->expr = orma_exec_parser_expr(p);
        if (results)
            read_alias(p, item);
        else
            read_direction(p, item);
    } while (accept_kind(p, ORMA_TOK_COMMA));
    return first;
}

/* Expressions with commas between them; returns where the list ends. */
static struct orma_exec_ast **read_list(struct orma_exec_parser *p, struct orma_exec_ast **at)
{
    do {
        *at = orma_exec_parser_expr(p);
        if (p->no || !*at)
            return at;
        at = &(*at)->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
    return at;
}

static enum orma_exec_border read_border(struct orma_exec_parser *p, int64_t *ret_num)
{
    bool unbounded = accept(p, "unbounded");
    uint64_t num = 0;

    if (!unbounded && accept(p, "current")) {
        expect(p, "row");
        return ORMA_EXEC_HERE;
    }
    if (!unbounded) { /* a number as it is: expressions are left to SQLite */
        p->no |= p->tok.kind != ORMA_TOK_NUMBER ||
                 !orma_str_to_u64(orma_token_text(p->text, p->tok), &num) || num > INT64_MAX;
        next(p);
    }
    *ret_num = (int64_t)num;
    if (accept(p, "preceding"))
        return unbounded ? ORMA_EXEC_FIRST : ORMA_EXEC_BEFORE;
    expect(p, "following");
    return unbounded ? ORMA_EXEC_LAST : ORMA_EXEC_AFTER;
}

static void read_extent(struct orma_exec_parser *p, struct orma_exec_extent *x)
{
    static const char *const units[] = {"range", "rows", "groups"};
    unsigned unit = 0;

    while (unit < ORMA_ARRAY_LEN(units) && !is(p, units[unit]))
        unit++;
    x->to = ORMA_EXEC_HERE;
    if (unit == ORMA_ARRAY_LEN(units))
        return;
    next(p);
    bool between = accept(p, "between");
    x->unit = (enum orma_exec_unit)unit;
    x->from = read_border(p, &x->from_num);
    if (between) {
        expect(p, "and");
        x->to = read_border(p, &x->to_num);
    }
}

struct orma_exec_window *orma_exec_parser_window(struct orma_exec_parser *p)
{
    struct orma_exec_window *w = orma_exec_parser_take(p, sizeof(*w));

    if (!w)
        return NULL;
    expect_kind(p, ORMA_TOK_OPEN);
    if (accept(p, "partition")) {
        expect(p, "by");
        w->partition = orma_exec_parser_items(p, false);
    }
    if (accept(p, "order")) {
        expect(p, "by");
        w->order = orma_exec_parser_items(p, false);
    }
    read_extent(p, &w->extent);
    expect_kind(p, ORMA_TOK_CLOSE);
    return w;
}

/* f(x) FILTER (WHERE c) is f(CASE WHEN c THEN x END): what is NULL counts for no aggregate that is
 * known. */
static void read_filter(struct orma_exec_parser *p, struct orma_exec_ast *call)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, ORMA_EXEC_CASE), *val = call->args, *test;

    next(p);
    expect_kind(p, ORMA_TOK_OPEN);
    expect(p, "where");
    test = p->no ? NULL : orma_exec_parser_expr(p);
    expect_kind(p, ORMA_TOK_CLOSE);
    if (p->no || !e || !test)
        return;
    if (!val || val->op == ORMA_EXEC_STAR) {
        val = orma_exec_parser_node(p, ORMA_EXEC_NUMBER);
        if (!val)
            return;
        val->literal.text = ORMA_STR("1");
    }
    e->next = val->next;
    e->args = test;
    test->next = val;
    val->next = NULL;
    call->args = e;
    call->call.filtered = true;
}

static void read_over(struct orma_exec_parser *p, struct orma_exec_ast *call)
{
    if (is(p, "filter"))
        read_filter(p, call);
    if (!accept(p, "over"))
        return;
    if (p->tok.kind == ORMA_TOK_OPEN) {
        call->call.over = orma_exec_parser_window(p);
        return;
    }
    call->call.over = orma_exec_parser_take(p, sizeof(*call->call.over));
    struct orma_str name = orma_exec_parser_name(p);
    if (call->call.over)
        call->call.over->name = name;
}

/* ---- operands ---- */

static struct orma_exec_ast *read_call(struct orma_exec_parser *p, struct orma_str name)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, ORMA_EXEC_CALL);

    if (!e)
        return NULL;
    e->call.name = name;
    next(p);
    e->call.distinct = accept(p, "distinct");
    if (is_op(p, "*")) {
        next(p);
        e->args = orma_exec_parser_node(p, ORMA_EXEC_STAR);
    } else if (p->tok.kind != ORMA_TOK_CLOSE) {
        read_list(p, &e->args);
    }
    expect_kind(p, ORMA_TOK_CLOSE);
    read_over(p, e);
    return e;
}

static struct orma_exec_ast *read_named(struct orma_exec_parser *p)
{
    bool quoted = p->tok.kind == ORMA_TOK_QUOTED;
    struct orma_str name = orma_exec_parser_name(p);

    if (p->tok.kind == ORMA_TOK_OPEN && !quoted && !p->no)
        return read_call(p, name);
    struct orma_exec_ast *e = orma_exec_parser_node(p, ORMA_EXEC_NAME);
    if (!e)
        return NULL;
    e->name.name = name;
    e->name.quoted = quoted;
    if (accept_kind(p, ORMA_TOK_DOT)) {
        e->name.table = name;
        e->name.name = orma_exec_parser_name(p);
        p->no |= p->tok.kind == ORMA_TOK_DOT;
    }
    return e;
}

static struct orma_exec_ast *read_case(struct orma_exec_parser *p)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, ORMA_EXEC_CASE);

    if (!e)
        return NULL;
    struct orma_exec_ast **at = &e->args;
    e->choice.has_base = !is(p, "when");
    if (e->choice.has_base && (*at = orma_exec_parser_expr(p)))
        at = &(*at)->next;
    while (accept(p, "when")) {
        if ((*at = orma_exec_parser_expr(p)))
            at = &(*at)->next;
        expect(p, "then");
        if (!p->no && (*at = orma_exec_parser_expr(p)))
            at = &(*at)->next;
    }
    e->choice.has_else = accept(p, "else");
    if (e->choice.has_else)
        *at = orma_exec_parser_expr(p);
    expect(p, "end");
    return e;
}

static struct orma_exec_ast *read_cast(struct orma_exec_parser *p)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, ORMA_EXEC_CAST);

    if (!e)
        return NULL;
    expect_kind(p, ORMA_TOK_OPEN);
    e->args = orma_exec_parser_expr(p);
    expect(p, "as");
    e->cast.type = orma_exec_parser_name(p);
    expect_kind(p, ORMA_TOK_CLOSE);
    return e;
}

static struct orma_exec_ast *read_literal(struct orma_exec_parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, op);

    if (e)
        e->literal.text = orma_token_text(p->text, p->tok);
    if (e && op == ORMA_EXEC_TEXT)
        e->literal.text = orma_exec_parser_unquote(p, e->literal.text);
    next(p);
    return e;
}

static bool is_select(const struct orma_exec_parser *p)
{
    return is(p, "select") || is(p, "with");
}

static struct orma_exec_ast *read_query(struct orma_exec_parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, op);
    struct orma_exec_select *select = p->read_select(p);

    if (e)
        e->query.select = select;
    return e;
}

static struct orma_exec_ast *read_operand(struct orma_exec_parser *p)
{
    struct orma_exec_ast *e;

    switch (p->tok.kind) {
    case ORMA_TOK_NUMBER:
        return read_literal(p, ORMA_EXEC_NUMBER);
    case ORMA_TOK_STRING:
        return read_literal(p, ORMA_EXEC_TEXT);
    case ORMA_TOK_OPEN:
        next(p);
        e = is_select(p) ? read_query(p, ORMA_EXEC_VALUE) : orma_exec_parser_expr(p);
        expect_kind(p, ORMA_TOK_CLOSE);
        return e;
    case ORMA_TOK_QUOTED:
        return read_named(p);
    case ORMA_TOK_WORD:
        if (is(p, "null"))
            return read_literal(p, ORMA_EXEC_NULL);
        if (accept(p, "case"))
            return read_case(p);
        if (is(p, "glob") || is(p, "like")) /* as functions: their arguments are turned */
            break;
        if (accept(p, "cast"))
            return read_cast(p);
        if (accept(p, "exists")) {
            expect_kind(p, ORMA_TOK_OPEN);
            e = read_query(p, ORMA_EXEC_EXISTS);
            expect_kind(p, ORMA_TOK_CLOSE);
            return e;
        }
        return read_named(p);
    default:
        break;
    }
    p->no = true;
    return NULL;
}

static struct orma_exec_ast *read_unary(struct orma_exec_parser *p)
{
    enum orma_exec_op op = is_op(p, "-") ? ORMA_EXEC_NEG : ORMA_EXEC_PLUS;

    if (!is_op(p, "-") && !is_op(p, "+"))
        return read_operand(p);
    next(p);
    if (p->depth++ > EXEC_PARSE_DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    struct orma_exec_ast *e = orma_exec_parser_node2(p, op, read_unary(p), NULL);
    p->depth--;
    return e;
}

/* ---- operators ---- */

/* The binary operator at hand and its level; 0: none. */
static int level_of(const struct orma_exec_parser *p, enum orma_exec_op *ret)
{
    if (is(p, "or")) {
        *ret = ORMA_EXEC_OR;
        return 1;
    }
    if (is(p, "and")) {
        *ret = ORMA_EXEC_AND;
        return 2;
    }
    if (p->tok.kind != ORMA_TOK_OPERATOR ||
        !orma_exec_operator_find(p->catalog, orma_token_text(p->text, p->tok), ret))
        return 0;
    return orma_exec_operator_of(p->catalog, *ret)->level;
}

static struct orma_exec_ast *read_in(struct orma_exec_parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = orma_exec_parser_node2(p, ORMA_EXEC_IN, left, NULL);

    expect_kind(p, ORMA_TOK_OPEN);
    if (!p->no && is_select(p)) {
        e->op = ORMA_EXEC_IN_SELECT;
        e->query.select = p->read_select(p);
    } else if (!p->no) {
        read_list(p, &left->next);
    }
    expect_kind(p, ORMA_TOK_CLOSE);
    return e;
}

static struct orma_exec_ast *read_between(struct orma_exec_parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = orma_exec_parser_node2(p, ORMA_EXEC_BETWEEN, left, NULL),
                         *low = read_binary(p, 5);

    expect(p, "and");
    struct orma_exec_ast *high = read_binary(p, 5);
    if (p->no)
        return NULL;
    left->next = low;
    low->next = high;
    return e;
}

static struct orma_exec_ast *read_is(struct orma_exec_parser *p, struct orma_exec_ast *left)
{
    bool negated = accept(p, "not");
    struct orma_token at = p->tok;
    enum orma_exec_op op;

    if (is(p, "distinct"))
        p->no = true;
    /* "x IS NULL < 1" is "x IS (NULL < 1)". */
    if (accept(p, "null") && level_of(p, &op) < 5)
        return orma_exec_parser_node2(p, negated ? ORMA_EXEC_NOT_NULL : ORMA_EXEC_IS_NULL, left,
                                      NULL);
    p->tok = at;
    return orma_exec_parser_node2(p, negated ? ORMA_EXEC_IS_NOT : ORMA_EXEC_IS, left,
                                  read_binary(p, 5));
}

/* What words do to `left`, at level 4. NULL: nothing. */
static struct orma_exec_ast *read_words(struct orma_exec_parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = NULL;
    struct orma_token at = p->tok;
    bool negated = accept(p, "not");

    if (accept(p, "in"))
        e = read_in(p, left);
    else if (accept(p, "between"))
        e = read_between(p, left);
    else if (accept(p, "like"))
        e = orma_exec_parser_node2(p, ORMA_EXEC_LIKE, left, read_binary(p, 5));
    else if (accept(p, "glob"))
        e = orma_exec_parser_node2(p, ORMA_EXEC_GLOB, left, read_binary(p, 5));
    else if (negated && accept(p, "null"))
        return orma_exec_parser_node2(p, ORMA_EXEC_NOT_NULL, left, NULL);
    else if (!negated && accept(p, "is"))
        return read_is(p, left);
    else if (!negated && accept(p, "isnull"))
        return orma_exec_parser_node2(p, ORMA_EXEC_IS_NULL, left, NULL);
    else if (!negated && accept(p, "notnull"))
        return orma_exec_parser_node2(p, ORMA_EXEC_NOT_NULL, left, NULL);
    else
        p->tok = at;
    p->no |= is(p, "escape") || is(p, "collate") || is(p, "match") || is(p, "regexp");
    if (e)
        e->negated = negated;
    return e;
}

static struct orma_exec_ast *read_not(struct orma_exec_parser *p)
{
    if (accept(p, "not"))
        return orma_exec_parser_node2(p, ORMA_EXEC_NOT, read_binary(p, 3), NULL);
    return read_unary(p);
}

static struct orma_exec_ast *read_binary(struct orma_exec_parser *p, int level)
{
    if (p->no || p->depth++ > EXEC_PARSE_DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    struct orma_exec_ast *left = level <= 3 ? read_not(p) : read_unary(p);

    while (left && !p->no) {
        enum orma_exec_op op = ORMA_EXEC_NOT; /* of level 0 */
        int found = level_of(p, &op);

        if (found && found >= level) {
            next(p);
            left = orma_exec_parser_node2(p, op, left, read_binary(p, found + 1));
            continue;
        }
        struct orma_exec_ast *e = found || level > 4 ? NULL : read_words(p, left);
        if (!e)
            break;
        left = e;
    }
    p->depth--;
    p->no |= is(p, "collate");
    return p->no ? NULL : left;
}

struct orma_exec_ast *orma_exec_parser_expr(struct orma_exec_parser *p)
{
    return read_binary(p, 1);
}
