/*
 * Aggregates over a sub-select that only picks columns and rows of one table:
 *
 *   SELECT sum(d) FROM (SELECT dur AS d FROM slice WHERE ts > 5 ORDER BY ts LIMIT -1) WHERE d < 9
 *
 * is read as
 *
 *   SELECT sum("dur") FROM slice WHERE ts > 5 AND "dur" < 9
 *
 * Names are replaced token by token. At anything whose meaning could change with that
 * (names that mean something else in the table, aliases that hide a column, expressions
 * and limits inside) the statement stays as it is.
 */
#include <stdlib.h>

#include "processor/sql/columnar/columnar_reader.h"

struct flattener {
    struct orma_str text;
    const struct orma_vtab *v;
    sqlite3_stmt *stmt;
    struct orma_buf *out;
    bool no;
    struct orma_columnar_reader inner;
    bool star;
    struct {
        struct orma_str name; /* as written */
        int visible;
    } outputs[ELEMENTS_MAX];
    unsigned outputs_num;
    struct orma_str alias; /* of the sub-select */
};

static bool same(struct orma_str written, struct orma_str other)
{
    char *plain = orma_sql_unquote(other);
    bool equal = plain && orma_columnar_same_name(written, plain);

    free(plain);
    return equal;
}

/* The column of the table that the sub-select gives under this name; -1: none. */
static int find_output(const struct flattener *f, struct orma_str name)
{
    for (unsigned i = 0; i < f->outputs_num; i++)
        if (same(name, f->outputs[i].name))
            return f->outputs[i].visible;
    return f->star ? orma_columnar_find_column(&f->inner, name) : -1;
}

/* ---- the inside ---- */

/* column [AS name] */
static void read_output(struct flattener *f, unsigned idx)
{
    struct orma_columnar_reader *r = &f->inner;
    struct orma_columnar_span e = r->elements[idx];
    struct orma_token last = {ORMA_TOK_END, 0, 0};
    int visible = orma_columnar_column_of_element(r, idx) < 0 ? -1 : r->visible;

    for (go_to(r, e.at); r->tok.kind != ORMA_TOK_END && r->tok.at < e.end; next(r))
        last = r->tok;
    struct orma_str name = tok_text(r, last);
    /* A name that is a word of the language could be taken for it, and one twice is nobody's. */
    if (visible < 0 || last.kind != ORMA_TOK_WORD || find_output(f, name) >= 0 ||
        sqlite3_keyword_check(name.data, (int)name.len)) {
        f->no = true;
        return;
    }
    f->outputs[f->outputs_num].name = name;
    f->outputs[f->outputs_num++].visible = visible;
}

static bool is_all(const struct orma_columnar_reader *r)
{
    struct orma_columnar_span limit = r->limit;
    struct orma_token minus = orma_token_next_solid(r->text, limit.at);
    struct orma_token one = orma_token_next_solid(r->text, minus.at + minus.len);

    return !limit.end ||
           (orma_str_eq(tok_text(r, minus), ORMA_STR("-")) &&
            orma_str_eq(tok_text(r, one), ORMA_STR("1")) && one.at + one.len == limit.end);
}

static void read_inside(struct flattener *f, struct orma_str text)
{
    struct orma_columnar_reader *r = &f->inner;

    *r = (struct orma_columnar_reader){.text = text, .v = f->v};
    if (!orma_columnar_read_statement(r) || r->distinct || r->group.end || r->having.end ||
        !is_all(r)) {
        f->no = true;
        return;
    }
    struct orma_token first = orma_token_next_solid(text, r->elements[0].at);
    f->star = r->elements_num == 1 && orma_str_eq(tok_text(r, first), ORMA_STR("*"));
    for (unsigned i = 0; i < r->elements_num && !f->star && !f->no; i++)
        read_output(f, i);
    f->no |= r->no;
}

/* Columns by their names, for those who must sum in this order. */
static void put_order(struct flattener *f, struct orma_buf *order)
{
    struct orma_columnar_reader *r = &f->inner;
    static const char *const directions[] = {"asc", "desc", NULL};

    if (!r->order.end)
        return;
    for (go_to(r, r->order.at); !f->no && r->tok.kind != ORMA_TOK_END && r->tok.at < r->order.end;
         next(r)) {
        if (r->tok.kind == ORMA_TOK_COMMA) {
            orma_buf_put_str(order, ", ");
        } else if (is_any(r, r->tok, directions)) {
            orma_buf_put_str(order, is(r, "desc") ? " DESC" : " ASC");
        } else {
            int col = is_name(r->tok) ? find_output(f, tok_text(r, r->tok)) : -1;

            if (col < 0 && r->tok.kind == ORMA_TOK_WORD)
                col = orma_columnar_find_column(r, tok_text(r, r->tok));
            if (col < 0)
                f->no = true;
            else
                orma_sql_put_quoted(order, orma_str_from(orma_vtab_column_name(f->v, col)));
        }
    }
}

/* ---- the outside ---- */

static bool is_rowid(struct orma_str text, struct orma_token tok)
{
    return orma_token_is(text, tok, "rowid") || orma_token_is(text, tok, "oid") ||
           orma_token_is(text, tok, "_rowid_");
}

static struct orma_token after(struct orma_str text, struct orma_token tok)
{
    return orma_token_next_solid(text, tok.at + tok.len);
}

static void put_column(struct flattener *f, struct orma_token tok)
{
    int col = find_output(f, orma_token_text(f->text, tok));

    if (col < 0)
        f->no = true;
    else
        orma_sql_put_quoted(f->out, orma_str_from(orma_vtab_column_name(f->v, col)));
}

/* A name, from `tok` on; returns the last token of it. */
static struct orma_token put_name(struct flattener *f, struct orma_token tok,
                                  struct orma_token before)
{
    struct orma_token then = after(f->text, tok);
    struct orma_str name = orma_token_text(f->text, tok);

    if (orma_token_is(f->text, before, "as") || orma_token_is(f->text, before, "collate") ||
        then.kind == ORMA_TOK_OPEN) {
        orma_buf_put(f->out, name.data, name.len);
        return tok;
    }
    if (then.kind == ORMA_TOK_DOT) {
        struct orma_token col = after(f->text, then);

        if (!f->alias.len || !same(name, f->alias) || !is_name(col))
            f->no = true;
        else
            put_column(f, col);
        return col;
    }
    if (find_output(f, name) >= 0)
        put_column(f, tok);
    else if (orma_columnar_find_column(&f->inner, name) >= 0 || is_rowid(f->text, tok))
        f->no = true; /* the table has what the sub-select hides */
    else
        orma_buf_put(f->out, name.data, name.len);
    return tok;
}

/* Tokens from `at` up to `end`. */
static void put_tokens(struct flattener *f, uint32_t at, uint32_t end)
{
    struct orma_token before = {ORMA_TOK_END, at, 0};

    for (struct orma_token tok = orma_token_next_solid(f->text, at);
         !f->no && tok.kind != ORMA_TOK_END && tok.at < end; tok = after(f->text, tok)) {
        orma_buf_put_str(f->out, " ");
        if (is_name(tok))
            tok = put_name(f, tok, before);
        else
            orma_buf_put(f->out, f->text.data + tok.at, tok.len);
        before = tok;
    }
}

/* A column of the result that has the name of an output must be that output: ORDER BY and GROUP BY
 * do not agree on which of them they mean. */
static void check_results(struct flattener *f, const struct orma_columnar_reader *outer)
{
    for (unsigned i = 0; i < outer->elements_num && !f->no; i++) {
        const char *name = sqlite3_column_name(f->stmt, (int)i);
        struct orma_columnar_span e = outer->elements[i];
        struct orma_token first = orma_token_next_solid(f->text, e.at), last = first;

        if (after(f->text, first).kind == ORMA_TOK_DOT)
            last = after(f->text, after(f->text, first));
        f->no |= !name || (find_output(f, orma_str_from(name)) >= 0 &&
                           (last.at + last.len != e.end ||
                            !orma_columnar_same_name(orma_token_text(f->text, last), name)));
        f->no |= orma_str_eq(orma_token_text(f->text, first), ORMA_STR("*"));
    }
}

/* The end of what begins with the parenthesis `open`. */
static struct orma_token closing(struct orma_str text, struct orma_token open)
{
    struct orma_token tok = open;

    for (int depth = 0; tok.kind != ORMA_TOK_END; tok = after(text, tok)) {
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        if (!depth)
            break;
    }
    return tok;
}

/* The sub-select after FROM and its alias; gives the token behind. */
static struct orma_token read_source(struct flattener *f, struct orma_token from)
{
    struct orma_token open = after(f->text, from), close = closing(f->text, open);
    struct orma_token tok = after(f->text, close);

    if (open.kind != ORMA_TOK_OPEN || close.kind != ORMA_TOK_CLOSE) {
        f->no = true;
        return from;
    }
    uint32_t at = open.at + open.len;
    read_inside(f, (struct orma_str){f->text.data + at, close.at - at});
    bool as = orma_token_is(f->text, tok, "as");
    if (as)
        tok = after(f->text, tok);
    if (as || (is_name(tok) && !orma_columnar_is_clause(f->text, tok))) {
        f->alias = orma_token_text(f->text, tok);
        tok = after(f->text, tok);
    }
    return tok;
}

static void put_from(struct flattener *f)
{
    const struct orma_columnar_reader *r = &f->inner;

    orma_buf_printf(f->out, " FROM %.*s", ORMA_STR_ARG(r->table));
    if (r->alias.len)
        orma_buf_printf(f->out, " AS %.*s", ORMA_STR_ARG(r->alias));
    if (r->where.end) {
        orma_buf_put_str(f->out, " WHERE ");
        orma_buf_put(f->out, r->text.data + r->where.at, r->where.end - r->where.at);
    }
}

bool orma_columnar_flatten(struct orma_str text, sqlite3_stmt *stmt, const struct orma_vtab *v,
                           struct orma_buf *ret, struct orma_buf *ret_order)
{
    struct flattener f = {.text = text, .v = v, .stmt = stmt, .out = ret};
    struct orma_columnar_reader outer = {.text = text, .v = v, .stmt = stmt};

    go_to(&outer, 0);
    if (!accept(&outer, "select"))
        return false;
    uint32_t head = outer.tok.at;
    orma_columnar_read_elements(&outer);
    if (outer.no || !is(&outer, "from") ||
        outer.elements_num != (unsigned)sqlite3_column_count(stmt))
        return false;
    struct orma_token rest = read_source(&f, outer.tok);
    if (f.no || (outer.distinct && f.inner.order.end))
        return false;
    check_results(&f, &outer);
    put_order(&f, ret_order);
    orma_buf_put_str(ret, "SELECT");
    put_tokens(&f, head, outer.tok.at);
    put_from(&f);
    if (f.inner.where.end && orma_token_is(text, rest, "where")) {
        orma_buf_put_str(ret, " AND");
        rest = after(text, rest);
    }
    put_tokens(&f, rest.at, (uint32_t)text.len);
    return !f.no && !f.inner.no && !ret->failed && !ret_order->failed;
}
