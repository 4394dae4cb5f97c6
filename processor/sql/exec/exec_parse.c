/*
 * Recursive descent over tokens; binary operators by precedence climbing, with SQLite's table:
 *
 *   1 OR   2 AND   3 NOT   4 = == != <> IS IN LIKE GLOB BETWEEN ISNULL   5 < <= > >=
 *   6 & | << >>   7 + -   8 * / %   9 ||   10 COLLATE (not known here)   11 unary + - ~
 *
 * Whatever is not known sets `no`, and everything returns. SQLite has accepted the statement
 * before, so there are no errors to report.
 */
#include <string.h>

#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/exec_funcs.h"
#include "sdk/base/defs.h"

#define DEPTH_MAX 100
#define NODES_MAX 20000

struct parser {
    struct orma_arena *arena;
    struct orma_str text;
    struct orma_token tok;
    unsigned depth, nodes;
    bool no;
};

/* Words that end an expression or an item, so no alias without AS. */
static const char *const keywords[] = {
    "all",    "and",     "as",     "asc",       "between",      "by",           "case",
    "cast",   "collate", "cross",  "desc",      "distinct",     "else",         "end",
    "escape", "except",  "exists", "filter",    "from",         "full",         "glob",
    "group",  "having",  "in",     "indexed",   "inner",        "intersect",    "is",
    "isnull", "join",    "left",   "like",      "limit",        "match",        "natural",
    "not",    "notnull", "null",   "nulls",     "offset",       "on",           "or",
    "order",  "outer",   "over",   "partition", "regexp",       "right",        "select",
    "then",   "union",   "using",  "values",    "when",         "where",        "window",
    "with",   "rows",    "range",  "groups",    "current_time", "current_date", "current_timestamp",
    "raise",  "set",     "table",  "create",    "default",      "index",        NULL,
};

static void *take(struct parser *p, size_t size)
{
    void *mem = ++p->nodes > NODES_MAX ? NULL : orma_arena_alloc(p->arena, size);

    if (!mem)
        p->no = true;
    else
        memset(mem, 0, size);
    return mem;
}

static void next(struct parser *p)
{
    p->tok = orma_token_next_solid(p->text, p->tok.at + p->tok.len);
}

static bool is(const struct parser *p, const char *word)
{
    return orma_token_is(p->text, p->tok, word);
}

static bool accept(struct parser *p, const char *word)
{
    if (p->no || !is(p, word))
        return false;
    next(p);
    return true;
}

static void expect(struct parser *p, const char *word)
{
    if (!accept(p, word))
        p->no = true;
}

static bool is_op(const struct parser *p, const char *op)
{
    return p->tok.kind == ORMA_TOK_OPERATOR && orma_str_eq_c(orma_token_text(p->text, p->tok), op);
}

static bool accept_kind(struct parser *p, enum orma_tok kind)
{
    if (p->no || p->tok.kind != kind)
        return false;
    next(p);
    return true;
}

static void expect_kind(struct parser *p, enum orma_tok kind)
{
    if (!accept_kind(p, kind))
        p->no = true;
}

static bool is_keyword(const struct parser *p)
{
    for (const char *const *w = keywords; *w; w++) {
        if (is(p, *w))
            return true;
    }
    return false;
}

static struct orma_token peek(const struct parser *p)
{
    return orma_token_next_solid(p->text, p->tok.at + p->tok.len);
}

static bool is_name(const struct parser *p)
{
    return p->tok.kind == ORMA_TOK_QUOTED || (p->tok.kind == ORMA_TOK_WORD && !is_keyword(p));
}

/* Without quotes, doubled ones halved. */
static struct orma_str unquote(struct parser *p, struct orma_str s)
{
    char end = s.data[0] == '[' ? ']' : s.data[0];
    char *to = take(p, s.len + 1);
    size_t len = 0;

    for (size_t i = 1; to && i + 1 < s.len; i++) {
        to[len++] = s.data[i];
        i += s.data[i] == end && end != ']';
    }
    return (struct orma_str){to ? to : "", len};
}

static struct orma_str read_name(struct parser *p)
{
    struct orma_str s = orma_token_text(p->text, p->tok);

    if (p->no || !is_name(p)) {
        p->no = true;
        return (struct orma_str){"", 0};
    }
    if (p->tok.kind == ORMA_TOK_QUOTED)
        s = unquote(p, s);
    next(p);
    return s;
}

static struct orma_exec_ast *node(struct parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = take(p, sizeof(*e));

    if (e)
        e->op = op;
    return e;
}

static struct orma_exec_ast *node2(struct parser *p, enum orma_exec_op op, struct orma_exec_ast *a,
                                   struct orma_exec_ast *b)
{
    struct orma_exec_ast *e = node(p, op);

    if (!e || !a) {
        p->no = true;
        return NULL;
    }
    e->args = a;
    a->next = b;
    return e;
}

static struct orma_exec_ast *read_expr(struct parser *p);
static struct orma_exec_ast *read_binary(struct parser *p, int level);
static struct orma_exec_item *read_items(struct parser *p, bool stars);
static struct orma_exec_select *read_select(struct parser *p);

/* Expressions with commas between them; returns where the list ends. */
static struct orma_exec_ast **read_list(struct parser *p, struct orma_exec_ast **at)
{
    do {
        *at = read_expr(p);
        if (p->no || !*at)
            return at;
        at = &(*at)->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
    return at;
}

/* ---- windows ---- */

static enum orma_exec_border read_border(struct parser *p, int64_t *ret_num)
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

static void read_extent(struct parser *p, struct orma_exec_extent *x)
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

static struct orma_exec_window *read_window(struct parser *p)
{
    struct orma_exec_window *w = take(p, sizeof(*w));

    if (!w)
        return NULL;
    expect_kind(p, ORMA_TOK_OPEN);
    if (accept(p, "partition")) {
        expect(p, "by");
        w->partition = read_items(p, false);
    }
    if (accept(p, "order")) {
        expect(p, "by");
        w->order = read_items(p, false);
    }
    read_extent(p, &w->extent);
    expect_kind(p, ORMA_TOK_CLOSE);
    return w;
}

/* f(x) FILTER (WHERE c) is f(CASE WHEN c THEN x END): what is NULL counts for no aggregate that is
 * known. */
static void read_filter(struct parser *p, struct orma_exec_ast *call)
{
    struct orma_exec_ast *e = node(p, ORMA_EXEC_CASE), *val = call->args, *test;

    next(p);
    expect_kind(p, ORMA_TOK_OPEN);
    expect(p, "where");
    test = p->no ? NULL : read_expr(p);
    expect_kind(p, ORMA_TOK_CLOSE);
    if (p->no || !e || !test)
        return;
    if (!val || val->op == ORMA_EXEC_STAR) {
        val = node(p, ORMA_EXEC_NUMBER);
        if (!val)
            return;
        val->name = ORMA_STR("1");
    }
    e->next = val->next;
    e->args = test;
    test->next = val;
    val->next = NULL;
    call->args = e;
    call->filtered = true;
}

static void read_over(struct parser *p, struct orma_exec_ast *call)
{
    if (is(p, "filter"))
        read_filter(p, call);
    if (!accept(p, "over"))
        return;
    if (p->tok.kind == ORMA_TOK_OPEN) {
        call->over = read_window(p);
        return;
    }
    call->over = take(p, sizeof(*call->over));
    struct orma_str name = read_name(p);
    if (call->over)
        call->over->name = name;
}

/* ---- operands ---- */

static struct orma_exec_ast *read_call(struct parser *p, struct orma_str name)
{
    struct orma_exec_ast *e = node(p, ORMA_EXEC_CALL);

    if (!e)
        return NULL;
    e->name = name;
    next(p);
    e->distinct = accept(p, "distinct");
    if (is_op(p, "*")) {
        next(p);
        e->args = node(p, ORMA_EXEC_STAR);
    } else if (p->tok.kind != ORMA_TOK_CLOSE) {
        read_list(p, &e->args);
    }
    expect_kind(p, ORMA_TOK_CLOSE);
    read_over(p, e);
    return e;
}

static struct orma_exec_ast *read_named(struct parser *p)
{
    bool quoted = p->tok.kind == ORMA_TOK_QUOTED;
    struct orma_str name = read_name(p);

    if (p->tok.kind == ORMA_TOK_OPEN && !quoted && !p->no)
        return read_call(p, name);
    struct orma_exec_ast *e = node(p, ORMA_EXEC_NAME);
    if (!e)
        return NULL;
    e->name = name;
    e->quoted = quoted;
    if (accept_kind(p, ORMA_TOK_DOT)) {
        e->table = name;
        e->name = read_name(p);
        p->no |= p->tok.kind == ORMA_TOK_DOT;
    }
    return e;
}

static struct orma_exec_ast *read_case(struct parser *p)
{
    struct orma_exec_ast *e = node(p, ORMA_EXEC_CASE);

    if (!e)
        return NULL;
    struct orma_exec_ast **at = &e->args;
    e->has_base = !is(p, "when");
    if (e->has_base && (*at = read_expr(p)))
        at = &(*at)->next;
    while (accept(p, "when")) {
        if ((*at = read_expr(p)))
            at = &(*at)->next;
        expect(p, "then");
        if (!p->no && (*at = read_expr(p)))
            at = &(*at)->next;
    }
    e->has_else = accept(p, "else");
    if (e->has_else)
        *at = read_expr(p);
    expect(p, "end");
    return e;
}

static struct orma_exec_ast *read_cast(struct parser *p)
{
    struct orma_exec_ast *e = node(p, ORMA_EXEC_CAST);

    if (!e)
        return NULL;
    expect_kind(p, ORMA_TOK_OPEN);
    e->args = read_expr(p);
    expect(p, "as");
    e->name = read_name(p);
    expect_kind(p, ORMA_TOK_CLOSE);
    return e;
}

static struct orma_exec_ast *read_literal(struct parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = node(p, op);

    if (e)
        e->name = orma_token_text(p->text, p->tok);
    if (e && op == ORMA_EXEC_TEXT)
        e->name = unquote(p, e->name);
    next(p);
    return e;
}

static bool is_select(const struct parser *p)
{
    return is(p, "select") || is(p, "with");
}

static struct orma_exec_ast *read_query(struct parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = node(p, op);
    struct orma_exec_select *select = read_select(p);

    if (e)
        e->select = select;
    return e;
}

static struct orma_exec_ast *read_operand(struct parser *p)
{
    struct orma_exec_ast *e;

    switch (p->tok.kind) {
    case ORMA_TOK_NUMBER:
        return read_literal(p, ORMA_EXEC_NUMBER);
    case ORMA_TOK_STRING:
        return read_literal(p, ORMA_EXEC_TEXT);
    case ORMA_TOK_OPEN:
        next(p);
        e = is_select(p) ? read_query(p, ORMA_EXEC_VALUE) : read_expr(p);
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

static struct orma_exec_ast *read_unary(struct parser *p)
{
    enum orma_exec_op op = is_op(p, "-") ? ORMA_EXEC_NEG : ORMA_EXEC_PLUS;

    if (!is_op(p, "-") && !is_op(p, "+"))
        return read_operand(p);
    next(p);
    if (p->depth++ > DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    struct orma_exec_ast *e = node2(p, op, read_unary(p), NULL);
    p->depth--;
    return e;
}

/* ---- operators ---- */

/* The binary operator at hand and its level; 0: none. */
static int level_of(const struct parser *p, enum orma_exec_op *ret)
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
        !orma_exec_operator_find(orma_token_text(p->text, p->tok), ret))
        return 0;
    return orma_exec_operator_of(*ret)->level;
}

static struct orma_exec_ast *read_in(struct parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = node2(p, ORMA_EXEC_IN, left, NULL);

    expect_kind(p, ORMA_TOK_OPEN);
    if (!p->no && is_select(p)) {
        e->op = ORMA_EXEC_IN_SELECT;
        e->select = read_select(p);
    } else if (!p->no) {
        read_list(p, &left->next);
    }
    expect_kind(p, ORMA_TOK_CLOSE);
    return e;
}

static struct orma_exec_ast *read_between(struct parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = node2(p, ORMA_EXEC_BETWEEN, left, NULL), *low = read_binary(p, 5);

    expect(p, "and");
    struct orma_exec_ast *high = read_binary(p, 5);
    if (p->no)
        return NULL;
    left->next = low;
    low->next = high;
    return e;
}

static struct orma_exec_ast *read_is(struct parser *p, struct orma_exec_ast *left)
{
    bool negated = accept(p, "not");

    if (is(p, "distinct"))
        p->no = true;
    if (accept(p, "null"))
        return node2(p, negated ? ORMA_EXEC_NOT_NULL : ORMA_EXEC_IS_NULL, left, NULL);
    return node2(p, negated ? ORMA_EXEC_IS_NOT : ORMA_EXEC_IS, left, read_binary(p, 5));
}

/* What words do to `left`, at level 4. NULL: nothing. */
static struct orma_exec_ast *read_words(struct parser *p, struct orma_exec_ast *left)
{
    struct orma_exec_ast *e = NULL;
    struct orma_token at = p->tok;
    bool negated = accept(p, "not");

    if (accept(p, "in"))
        e = read_in(p, left);
    else if (accept(p, "between"))
        e = read_between(p, left);
    else if (accept(p, "like"))
        e = node2(p, ORMA_EXEC_LIKE, left, read_binary(p, 5));
    else if (accept(p, "glob"))
        e = node2(p, ORMA_EXEC_GLOB, left, read_binary(p, 5));
    else if (negated && accept(p, "null"))
        return node2(p, ORMA_EXEC_NOT_NULL, left, NULL);
    else if (!negated && accept(p, "is"))
        return read_is(p, left);
    else if (!negated && accept(p, "isnull"))
        return node2(p, ORMA_EXEC_IS_NULL, left, NULL);
    else if (!negated && accept(p, "notnull"))
        return node2(p, ORMA_EXEC_NOT_NULL, left, NULL);
    else
        p->tok = at;
    p->no |= is(p, "escape") || is(p, "collate") || is(p, "match") || is(p, "regexp");
    if (e)
        e->negated = negated;
    return e;
}

static struct orma_exec_ast *read_not(struct parser *p)
{
    if (accept(p, "not"))
        return node2(p, ORMA_EXEC_NOT, read_binary(p, 3), NULL);
    return read_unary(p);
}

static struct orma_exec_ast *read_binary(struct parser *p, int level)
{
    if (p->no || p->depth++ > DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    struct orma_exec_ast *left = level <= 3 ? read_not(p) : read_unary(p);

    while (left && !p->no) {
        enum orma_exec_op op = ORMA_EXEC_NOT; /* of level 0 */
        int found = level_of(p, &op);

        if (found && found >= level) {
            next(p);
            left = node2(p, op, left, read_binary(p, found + 1));
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

static struct orma_exec_ast *read_expr(struct parser *p)
{
    return read_binary(p, 1);
}

/* ---- clauses ---- */

static void read_alias(struct parser *p, struct orma_exec_item *item)
{
    bool as = accept(p, "as");

    if (p->tok.kind == ORMA_TOK_STRING)
        p->no = true;
    if (as || is_name(p))
        item->alias = read_name(p);
}

static void read_direction(struct parser *p, struct orma_exec_item *item)
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
static bool read_star(struct parser *p, struct orma_exec_item *item)
{
    if (is_op(p, "*")) {
        next(p);
        return true;
    }
    struct orma_token dot = peek(p);
    if (!is_name(p) || dot.kind != ORMA_TOK_DOT)
        return false;
    struct orma_token star = orma_token_next_solid(p->text, dot.at + dot.len);
    if (star.kind != ORMA_TOK_OPERATOR || p->text.data[star.at] != '*')
        return false;
    item->table = read_name(p);
    next(p);
    next(p);
    return true;
}

/* Of a result (with stars and aliases), or of ORDER BY and the like. */
static struct orma_exec_item *read_items(struct parser *p, bool results)
{
    struct orma_exec_item *first = NULL, **at = &first;

    do {
        struct orma_exec_item *item = take(p, sizeof(*item));

        if (p->no)
            return NULL;
        *at = item;
        at = &item->next;
        if (results && read_star(p, item))
            continue;
        item->expr = read_expr(p);
        if (results)
            read_alias(p, item);
        else
            read_direction(p, item);
    } while (accept_kind(p, ORMA_TOK_COMMA));
    return first;
}

static struct orma_exec_item *read_names(struct parser *p)
{
    struct orma_exec_item *first = NULL, **at = &first;

    expect_kind(p, ORMA_TOK_OPEN);
    do {
        struct orma_exec_item *item = take(p, sizeof(*item));

        if (p->no)
            return NULL;
        item->alias = read_name(p);
        *at = item;
        at = &item->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
    expect_kind(p, ORMA_TOK_CLOSE);
    return first;
}

static void read_source(struct parser *p, struct orma_exec_from *f)
{
    if (accept_kind(p, ORMA_TOK_OPEN)) {
        f->select = read_select(p);
        expect_kind(p, ORMA_TOK_CLOSE);
    } else {
        f->name = read_name(p);
        if (p->tok.kind == ORMA_TOK_OPEN || p->tok.kind == ORMA_TOK_DOT)
            p->no = true;
    }
    bool as = accept(p, "as");
    if (as || is_name(p))
        f->alias = read_name(p);
    if (is(p, "indexed") || is(p, "not"))
        p->no = true;
}

/* The word or comma before the next source; false: there is none. */
static bool read_join(struct parser *p, enum orma_exec_join *ret)
{
    *ret = ORMA_EXEC_INNER;
    if (accept_kind(p, ORMA_TOK_COMMA))
        return true;
    if (is(p, "natural") || is(p, "right") || is(p, "full"))
        p->no = true;
    if (accept(p, "left")) {
        accept(p, "outer");
        *ret = ORMA_EXEC_LEFT;
        expect(p, "join");
        return !p->no;
    }
    if (accept(p, "inner") || accept(p, "cross")) {
        expect(p, "join");
        return !p->no;
    }
    return accept(p, "join");
}

static struct orma_exec_from *read_from(struct parser *p)
{
    struct orma_exec_from *first = NULL, **at = &first;
    enum orma_exec_join join = ORMA_EXEC_INNER;

    do {
        struct orma_exec_from *f = take(p, sizeof(*f));

        if (p->no)
            return NULL;
        f->join = join;
        read_source(p, f);
        if (accept(p, "on"))
            f->on = read_expr(p);
        else if (accept(p, "using"))
            f->using = read_names(p);
        *at = f;
        at = &f->next;
    } while (!p->no && read_join(p, &join));
    return first;
}

static struct orma_exec_with *read_with(struct parser *p)
{
    struct orma_exec_with *first = NULL, **at = &first;

    if (is(p, "recursive"))
        p->no = true;
    do {
        struct orma_exec_with *w = take(p, sizeof(*w));

        if (p->no)
            return NULL;
        w->name = read_name(p);
        if (p->tok.kind == ORMA_TOK_OPEN)
            w->columns = read_names(p);
        expect(p, "as");
        if (accept(p, "not"))
            expect(p, "materialized");
        else
            w->materialized = accept(p, "materialized");
        expect_kind(p, ORMA_TOK_OPEN);
        w->select = read_select(p);
        expect_kind(p, ORMA_TOK_CLOSE);
        *at = w;
        at = &w->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
    return first;
}

static void read_windows(struct parser *p, struct orma_exec_select *s)
{
    struct orma_exec_window **at = &s->windows;

    do {
        struct orma_str name = read_name(p);

        expect(p, "as");
        *at = p->no ? NULL : read_window(p);
        if (!*at)
            return;
        (*at)->name = name;
        at = &(*at)->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
}

/* What each part of a compound query has. */
static void read_core(struct parser *p, struct orma_exec_select *s)
{
    expect(p, "select");
    s->distinct = accept(p, "distinct");
    if (!s->distinct)
        accept(p, "all");
    s->items = read_items(p, true);
    if (p->no)
        return;
    if (accept(p, "from"))
        s->from = read_from(p);
    if (accept(p, "where"))
        s->where = read_expr(p);
    if (accept(p, "group")) {
        expect(p, "by");
        s->group = read_items(p, false);
    }
    if (accept(p, "having"))
        s->having = read_expr(p);
    if (accept(p, "window"))
        read_windows(p, s);
}

static void read_order(struct parser *p, struct orma_exec_select *s)
{
    if (accept(p, "order")) {
        expect(p, "by");
        s->order = read_items(p, false);
    }
    if (accept(p, "limit")) {
        s->limit = read_expr(p);
        if (accept(p, "offset"))
            s->offset = read_expr(p);
    }
}

/* The word before the next part; false: there is none. */
static bool read_set(struct parser *p, enum orma_exec_set *ret)
{
    if (accept(p, "union"))
        *ret = accept(p, "all") ? ORMA_EXEC_UNION_ALL : ORMA_EXEC_UNION;
    else if (accept(p, "intersect"))
        *ret = ORMA_EXEC_INTERSECT;
    else if (accept(p, "except"))
        *ret = ORMA_EXEC_EXCEPT;
    else
        return false;
    return true;
}

static struct orma_exec_select *read_select(struct parser *p)
{
    struct orma_exec_select *s = take(p, sizeof(*s)), **at = s ? &s->more : NULL;
    enum orma_exec_set set;

    if (!s || p->depth++ > DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    if (accept(p, "with"))
        s->with = read_with(p);
    read_core(p, s);
    while (!p->no && read_set(p, &set) && (*at = take(p, sizeof(**at)))) {
        (*at)->set = set;
        read_core(p, *at);
        at = &(*at)->more;
    }
    if (!p->no)
        read_order(p, s);
    p->depth--;
    return p->no ? NULL : s;
}

struct orma_exec_select *orma_exec_parse(struct orma_arena *arena, struct orma_str text)
{
    struct parser p = {.arena = arena, .text = text};

    p.tok = orma_token_next_solid(text, 0);
    struct orma_exec_select *s = read_select(&p);
    accept_kind(&p, ORMA_TOK_SEMICOLON);
    return p.no || p.tok.kind != ORMA_TOK_END ? NULL : s;
}
