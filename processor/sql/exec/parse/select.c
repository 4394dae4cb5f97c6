/*
 * Queries, by recursive descent over tokens. Whatever is not known sets `no`, and everything
 * returns. SQLite has accepted the statement before, so there are no errors to report.
 */
#include "processor/sql/exec/parse/parser.h"

static struct orma_exec_select *read_select(struct orma_exec_parser *p);

static struct orma_exec_item *read_names(struct orma_exec_parser *p)
{
    struct orma_exec_item *first = NULL, **at = &first;

    expect_kind(p, ORMA_TOK_OPEN);
    do {
        struct orma_exec_item *item = orma_exec_parser_take(p, sizeof(*item));

        if (p->no)
            return NULL;
        item->alias = orma_exec_parser_name(p);
        *at = item;
        at = &item->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
    expect_kind(p, ORMA_TOK_CLOSE);
    return first;
}

static void read_source(struct orma_exec_parser *p, struct orma_exec_from *f)
{
    if (accept_kind(p, ORMA_TOK_OPEN)) {
        f->select = read_select(p);
        expect_kind(p, ORMA_TOK_CLOSE);
    } else {
        f->name = orma_exec_parser_name(p);
        if (p->tok.kind == ORMA_TOK_OPEN || p->tok.kind == ORMA_TOK_DOT)
            p->no = true;
    }
    bool as = accept(p, "as");
    if (as || orma_exec_parser_is_name(p))
        f->alias = orma_exec_parser_name(p);
    if (is(p, "indexed") || is(p, "not"))
        p->no = true;
}

/* The word or comma before the next source; false: there is none. */
static bool read_join(struct orma_exec_parser *p, enum orma_exec_join *ret)
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

static struct orma_exec_from *read_from(struct orma_exec_parser *p)
{
    struct orma_exec_from *first = NULL, **at = &first;
    enum orma_exec_join join = ORMA_EXEC_INNER;

    do {
        struct orma_exec_from *f = orma_exec_parser_take(p, sizeof(*f));

        if (p->no)
            return NULL;
        f->join = join;
        read_source(p, f);
        if (accept(p, "on"))
            f->on = orma_exec_parser_expr(p);
        else if (accept(p, "using"))
            f->using = read_names(p);
        *at = f;
        at = &f->next;
    } while (!p->no && read_join(p, &join));
    return first;
}

static struct orma_exec_with *read_with(struct orma_exec_parser *p)
{
    struct orma_exec_with *first = NULL, **at = &first;

    if (is(p, "recursive"))
        p->no = true;
    do {
        struct orma_exec_with *w = orma_exec_parser_take(p, sizeof(*w));

        if (p->no)
            return NULL;
        w->name = orma_exec_parser_name(p);
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

static void read_windows(struct orma_exec_parser *p, struct orma_exec_select *s)
{
    struct orma_exec_window **at = &s->windows;

    do {
        struct orma_str name = orma_exec_parser_name(p);

        expect(p, "as");
        *at = p->no ? NULL : orma_exec_parser_window(p);
        if (!*at)
            return;
        (*at)->name = name;
        at = &(*at)->next;
    } while (accept_kind(p, ORMA_TOK_COMMA));
}

/* What each part of a compound query has. */
static void read_core(struct orma_exec_parser *p, struct orma_exec_select *s)
{
    expect(p, "select");
    s->distinct = accept(p, "distinct");
    if (!s->distinct)
        accept(p, "all");
    s->items = orma_exec_parser_items(p, true);
    if (p->no)
        return;
    if (accept(p, "from"))
        s->from = read_from(p);
    if (accept(p, "where"))
        s->where = orma_exec_parser_expr(p);
    if (accept(p, "group")) {
        expect(p, "by");
        s->group = orma_exec_parser_items(p, false);
    }
    if (accept(p, "having"))
        s->having = orma_exec_parser_expr(p);
    if (accept(p, "window"))
        read_windows(p, s);
}

static void read_order(struct orma_exec_parser *p, struct orma_exec_select *s)
{
    if (accept(p, "order")) {
        expect(p, "by");
        s->order = orma_exec_parser_items(p, false);
    }
    if (accept(p, "limit")) {
        s->limit = orma_exec_parser_expr(p);
        if (accept(p, "offset"))
            s->offset = orma_exec_parser_expr(p);
    }
}

/* The word before the next part; false: there is none. */
static bool read_set(struct orma_exec_parser *p, enum orma_exec_set *ret)
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

static struct orma_exec_select *read_select(struct orma_exec_parser *p)
{
    struct orma_exec_select *s = orma_exec_parser_take(p, sizeof(*s)), **at = s ? &s->more : NULL;
    enum orma_exec_set set;

    if (!s || p->depth++ > EXEC_PARSE_DEPTH_MAX) {
        p->no = true;
        return NULL;
    }
    if (accept(p, "with"))
        s->with = read_with(p);
    read_core(p, s);
    while (!p->no && read_set(p, &set) && (*at = orma_exec_parser_take(p, sizeof(**at)))) {
        (*at)->set = set;
        read_core(p, *at);
        at = &(*at)->more;
    }
    if (!p->no)
        read_order(p, s);
    p->depth--;
    return p->no ? NULL : s;
}

struct orma_exec_select *orma_exec_parse(const struct orma_exec_catalog *catalog,
                                         struct orma_arena *arena, struct orma_str text)
{
    struct orma_exec_parser p = {
        .arena = arena, .catalog = catalog, .text = text, .read_select = read_select};

    p.tok = orma_token_next_solid(text, 0);
    struct orma_exec_select *s = read_select(&p);
    accept_kind(&p, ORMA_TOK_SEMICOLON);
    return p.no || p.tok.kind != ORMA_TOK_END ? NULL : s;
}
