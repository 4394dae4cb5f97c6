/*
 * Queries of sqlite_master see the tables and views that are there from the start, too, which
 * SQLite does not know as such.
 *
 * orma_compat_is_needed() is a quick look at the tokens; most texts pass through untouched.
 * rewrite_range() copies tokens and rewrites what it knows on the way; an aggregate with ORDER
 * BY is written as a call of __orma_ordered() whose first argument is the query that will run
 * over the kept rows. It recurses into arguments, with a bound.
 */
#include "processor/sql/dialect/compat.h"

#include <errno.h>
#include <string.h>

#include "processor/sql/dialect/compat_names.h"
#include "processor/sql/dialect/quote.h"
#include "processor/sql/dialect/token.h"

#define DEPTH_MAX 200
#define NESTING_MAX 1000 /* deeper parentheses are refused by SQLite */
#define ARGS_MAX 100     /* SQLite's limit is 127 */

static bool is_grouped_number(struct orma_str text, struct orma_token tok)
{
    return tok.kind == ORMA_TOK_NUMBER && memchr(text.data + tok.at, '_', tok.len);
}

/* Words before "(" that do not call a function. */
static bool is_call_word(struct orma_str word)
{
    static const char *const keywords[] = {
        "over",    "as",     "in",        "filter", "and",    "or",       "not",
        "on",      "using",  "values",    "by",     "from",   "select",   "where",
        "having",  "when",   "then",      "else",   "exists", "join",     "union",
        "all",     "except", "intersect", "limit",  "offset", "distinct", "case",
        "between", "like",   "glob",      "is",     "set",    "into"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(keywords); i++) {
        if (orma_word_eq(word, orma_str_from(keywords[i])))
            return false;
    }
    return true;
}

/* if(a, b, c), which is called iif() here. IF [NOT] EXISTS has no parenthesis behind IF. */
static bool is_if_call(struct orma_str text, struct orma_token word)
{
    return orma_token_is(text, word, "if");
}

/* jsonb_set() and the like, which are there without the b. */
static bool is_jsonb_call(struct orma_str text, struct orma_token word)
{
    static const char *const names[] = {
        "jsonb",        "jsonb_array",  "jsonb_extract", "jsonb_group_array",
        "jsonb_insert", "jsonb_object", "jsonb_patch",   "jsonb_group_object",
        "jsonb_remove", "jsonb_set",    "jsonb_replace"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_token_is(text, word, names[i]))
            return true;
    }
    return false;
}

/* What stands for the table of all names, and what is put there instead. */
static const char schema_query[] =
    "(SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master UNION ALL "
    "SELECT n.type, n.name, n.name, 0, NULL FROM __orma_names AS n "
    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.name = n.name))";

static bool is_schema(struct orma_str text, struct orma_token tok)
{
    return orma_token_is(text, tok, "sqlite_master") || orma_token_is(text, tok, "sqlite_schema");
}

/* Words that may follow a table without being another name of it. */
static bool is_clause(struct orma_str text, struct orma_token tok)
{
    static const char *const words[] = {
        "where", "join",    "left",      "right",  "full",   "inner",   "cross",
        "outer", "natural", "on",        "using",  "group",  "having",  "order",
        "limit", "union",   "intersect", "except", "window", "indexed", "not"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(words); i++) {
        if (orma_token_is(text, tok, words[i]))
            return true;
    }
    return tok.kind != ORMA_TOK_WORD;
}

bool orma_compat_is_needed(struct orma_str text)
{
    struct orma_token before = {ORMA_TOK_END, 0, 0};
    bool call_seen = false, found = false;
    int depth = 0;

    for (struct orma_token tok = orma_token_next_solid(text, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next_solid(text, tok.at + tok.len)) {
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        if (depth > NESTING_MAX)
            return false;
        found |= is_grouped_number(text, tok);
        if (tok.kind == ORMA_TOK_OPEN && before.kind == ORMA_TOK_WORD &&
            is_call_word(orma_token_text(text, before)))
            call_seen = true;
        found |=
            tok.kind == ORMA_TOK_OPEN && (is_if_call(text, before) || is_jsonb_call(text, before));
        found |= call_seen && orma_token_is(text, tok, "order");
        found |= is_schema(text, tok);
        before = tok;
    }
    return found;
}

struct rewriter {
    const struct orma_sql_text *in;
    struct orma_sql_text *out;
    struct orma_sql_error *error;
    struct orma_compat_names names;
    int depth;
};

/* What is inside the parentheses of a call. */
struct call {
    struct orma_token name;
    uint32_t begin, end;        /* between the parentheses */
    uint32_t args_at, order_at; /* behind DISTINCT; at ORDER (end: there is none) */
    uint32_t keys_at;           /* behind BY */
    bool is_query;              /* SELECT, WITH or VALUES inside: no arguments */
    bool is_distinct;
};

/* False if the parentheses are not closed. */
static bool read_call(struct orma_str text, struct orma_token name, uint32_t open, struct call *ret)
{
    struct orma_token tok = orma_token_next_solid(text, open + 1);
    int depth = 0;

    *ret = (struct call){.name = name, .begin = open + 1, .args_at = open + 1};
    ret->is_query = orma_token_is(text, tok, "select") || orma_token_is(text, tok, "with") ||
                    orma_token_is(text, tok, "values");
    if (orma_token_is(text, tok, "distinct")) {
        ret->is_distinct = true;
        ret->args_at = tok.at + tok.len;
    }
    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next_solid(text, tok.at + tok.len)) {
        if (tok.kind == ORMA_TOK_CLOSE && depth == 0) {
            ret->end = tok.at;
            if (!ret->keys_at)
                ret->order_at = tok.at;
            return true;
        }
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        if (depth == 0 && !ret->keys_at && orma_token_is(text, tok, "order")) {
            struct orma_token by = orma_token_next_solid(text, tok.at + tok.len);

            if (orma_token_is(text, by, "by")) {
                ret->order_at = tok.at;
                ret->keys_at = by.at + by.len;
            }
        }
    }
    return false;
}

/* The end of the element that begins at `at`: its comma, or `end`. */
static uint32_t element_end(struct orma_str text, uint32_t at, uint32_t end)
{
    struct orma_token tok = orma_token_next_solid(text, at);

    for (int depth = 0; tok.kind != ORMA_TOK_END && tok.at < end;
         tok = orma_token_next_solid(text, tok.at + tok.len)) {
        if (tok.kind == ORMA_TOK_COMMA && depth == 0)
            return tok.at;
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
    }
    return end;
}

/* Where the COLLATE, ASC, DESC, NULLS of a sort key begin. */
static uint32_t key_modifiers(struct orma_str text, uint32_t at, uint32_t end)
{
    static const char *const words[] = {"collate", "asc", "desc", "nulls"};
    struct orma_token tok = orma_token_next_solid(text, at);

    for (int depth = 0; tok.kind != ORMA_TOK_END && tok.at < end;
         tok = orma_token_next_solid(text, tok.at + tok.len)) {
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        for (size_t i = 0; depth == 0 && i < ORMA_ARRAY_LEN(words); i++) {
            if (orma_token_is(text, tok, words[i]))
                return tok.at;
        }
    }
    return end;
}

static int rewrite(struct rewriter *rw, uint32_t at, uint32_t end);

/* The query that __orma_ordered() runs at the end, as a literal. */
static void put_query(struct rewriter *rw, const struct call *c, size_t args)
{
    struct orma_str text = orma_sql_text_str(rw->in);
    struct orma_buf sql = {0};
    size_t key = args;

    uint32_t skip = is_jsonb_call(text, c->name) ? (uint32_t)strlen("jsonb") : 0;
    orma_buf_printf(&sql, "'SELECT %s%.*s(%s", skip ? "json" : "", (int)(c->name.len - skip),
                    text.data + c->name.at + skip, c->is_distinct ? "DISTINCT " : "");
    for (size_t i = 0; i < args; i++)
        orma_buf_printf(&sql, "%s__orma_cell(?1,r,%zu)", i ? "," : "", i);
    orma_buf_put_str(&sql, ") FROM (SELECT r FROM __orma_rows(?1) ORDER BY ");
    for (uint32_t at = c->keys_at; at < c->end; key++) {
        uint32_t stop = element_end(text, at, c->end);
        uint32_t mods = key_modifiers(text, at, stop);

        orma_buf_printf(&sql, "%sc%zu ", key > args ? ", " : "", key);
        for (uint32_t i = mods; i < stop; i++) {
            if (text.data[i] == '\'')
                orma_buf_put_byte(&sql, '\'');
            orma_buf_put_byte(&sql, (uint8_t)text.data[i]);
        }
        at = stop + 1;
    }
    orma_buf_put_str(&sql, ")'");
    orma_sql_text_put_made(rw->out, orma_sql_text_origin(rw->in, c->name.at), orma_buf_str(&sql));
    if (sql.failed)
        rw->out->failed = true;
    orma_buf_fini(&sql);
}

static size_t count_elements(struct orma_str text, uint32_t at, uint32_t end)
{
    size_t num = 0;

    if (orma_token_next_solid(text, at).at >= end)
        return 0;
    for (; at < end; num++)
        at = element_end(text, at, end) + 1;
    return num;
}

/* agg(args ORDER BY keys) */
static int rewrite_ordered(struct rewriter *rw, const struct call *c)
{
    struct orma_str text = orma_sql_text_str(rw->in);
    struct orma_sql_origin where = orma_sql_text_origin(rw->in, c->name.at);
    size_t args = count_elements(text, c->args_at, c->order_at);
    int r = 0;

    if (args + count_elements(text, c->keys_at, c->end) > ARGS_MAX)
        return orma_sql_error_set(rw->error, rw->in, c->name.at, "too many arguments in ORDER BY");
    orma_sql_text_put_made(rw->out, where, ORMA_STR("__orma_ordered("));
    put_query(rw, c, args);
    if (args) {
        orma_sql_text_put_made(rw->out, where, ORMA_STR(", "));
        r = rewrite(rw, c->args_at, c->order_at);
    }
    for (uint32_t at = c->keys_at; at < c->end && r == 0;) {
        uint32_t stop = element_end(text, at, c->end);

        orma_sql_text_put_made(rw->out, where, ORMA_STR(", "));
        r = rewrite(rw, at, key_modifiers(text, at, stop));
        at = stop + 1;
    }
    orma_sql_text_put_made(rw->out, where, ORMA_STR(")"));
    return r;
}

/* Without the underscores. */
static void put_number(struct rewriter *rw, struct orma_token tok)
{
    struct orma_str text = orma_sql_text_str(rw->in);

    for (uint32_t i = tok.at; i < tok.at + tok.len; i++) {
        if (text.data[i] != '_')
            orma_sql_text_put_text(rw->out, rw->in, i, 1);
    }
}

/* Other words for the first `len` bytes of the name of a function; `done`: copied up to there. */
static void put_call_name(struct rewriter *rw, struct orma_token word, uint32_t len,
                          const char *name, uint32_t *done)
{
    orma_sql_text_put_text(rw->out, rw->in, *done, word.at - *done);
    orma_sql_text_put_made(rw->out, orma_sql_text_origin(rw->in, word.at), orma_str_from(name));
    *done = word.at + len;
}

/* At the name of the table of all names, with the token before it: true if it was replaced. */
static bool rewrite_schema(struct rewriter *rw, struct orma_token tok, struct orma_token before,
                           bool from_delete)
{
    struct orma_str text = orma_sql_text_str(rw->in);
    struct orma_sql_origin where = orma_sql_text_origin(rw->in, tok.at);
    struct orma_token next = orma_token_next_solid(text, tok.at + tok.len);

    if ((!orma_token_is(text, before, "from") && !orma_token_is(text, before, "join") &&
         before.kind != ORMA_TOK_COMMA) ||
        next.kind == ORMA_TOK_DOT || from_delete)
        return false;
    orma_sql_text_put_made(rw->out, where, orma_str_from(schema_query));
    if (is_clause(text, next)) {
        orma_sql_text_put_made(rw->out, where, ORMA_STR(" AS "));
        orma_sql_text_put_text(rw->out, rw->in, tok.at, tok.len);
    }
    return true;
}

static bool is_rewritten(struct orma_str text, struct orma_token before, struct orma_token tok,
                         struct orma_token caller)
{
    return is_grouped_number(text, tok) || is_schema(text, tok) ||
           (tok.kind == ORMA_TOK_OPEN &&
            (is_if_call(text, before) || is_jsonb_call(text, before))) ||
           (caller.kind == ORMA_TOK_WORD && is_call_word(orma_token_text(text, caller)) &&
            orma_token_is(text, tok, "order"));
}

/* A column that ends at `end` is called what was written. Copies what is not from `done` on. */
static void put_name(struct rewriter *rw, uint32_t *done, uint32_t end)
{
    const struct orma_compat_name *name = orma_compat_names_at(&rw->names, end);
    struct orma_str text = orma_sql_text_str(rw->in);
    struct orma_buf as = {0};

    if (!name)
        return;
    orma_sql_text_put_text(rw->out, rw->in, *done, end - *done);
    *done = end;
    orma_buf_put_str(&as, " AS ");
    orma_sql_put_quoted(&as, (struct orma_str){text.data + name->at, name->end - name->at});
    orma_sql_text_put_made(rw->out, orma_sql_text_origin(rw->in, name->at), orma_buf_str(&as));
    rw->out->failed |= as.failed;
    orma_buf_fini(&as);
}

static int rewrite_range(struct rewriter *rw, uint32_t at, uint32_t end)
{
    struct orma_str text = orma_sql_text_str(rw->in);
    struct orma_token word = {ORMA_TOK_END, 0, 0}; /* the last solid token, if it may be called */
    uint32_t done = at;                            /* copied up to here */
    bool deletes = false;                          /* DELETE was seen */

    while (at < end) {
        struct orma_token tok = orma_token_next(text, at);
        struct call c;

        at = tok.at + tok.len;
        if (is_grouped_number(text, tok)) {
            orma_sql_text_put_text(rw->out, rw->in, done, tok.at - done);
            put_number(rw, tok);
            done = at;
        }
        if (tok.kind == ORMA_TOK_OPEN && is_if_call(text, word)) {
            put_call_name(rw, word, word.len, "iif", &done);
        } else if (tok.kind == ORMA_TOK_OPEN && word.kind == ORMA_TOK_WORD &&
                   is_call_word(orma_token_text(text, word)) && read_call(text, word, tok.at, &c) &&
                   c.keys_at && !c.is_query && c.end < end) {
            orma_sql_text_put_text(rw->out, rw->in, done, word.at - done);
            int r = rewrite_ordered(rw, &c);
            if (r < 0)
                return r;
            done = at = c.end + 1;
        } else if (tok.kind == ORMA_TOK_OPEN && is_jsonb_call(text, word)) {
            put_call_name(rw, word, (uint32_t)strlen("jsonb"), "json", &done);
        }
        deletes |= orma_token_is(text, tok, "delete");
        if (is_schema(text, tok)) {
            orma_sql_text_put_text(rw->out, rw->in, done, tok.at - done);
            done = rewrite_schema(rw, tok, word, deletes) ? tok.at + tok.len : tok.at;
        }
        if (tok.kind != ORMA_TOK_SPACE && tok.kind != ORMA_TOK_COMMENT)
            word = tok;
        put_name(rw, &done, at);
    }
    orma_sql_text_put_text(rw->out, rw->in, done, end - done);
    return 0;
}

static int rewrite(struct rewriter *rw, uint32_t at, uint32_t end)
{
    if (rw->depth == DEPTH_MAX)
        return orma_sql_error_set(rw->error, rw->in, at, "calls with ORDER BY nested too deeply");
    rw->depth++;
    int r = rewrite_range(rw, at, end);
    rw->depth--;
    return r;
}

int orma_compat_rewrite(const struct orma_sql_text *in, struct orma_sql_text *out,
                        struct orma_sql_error *error)
{
    struct rewriter rw = {.in = in, .out = out, .error = error};

    orma_sql_text_inherit(out, in);
    orma_compat_names_find(&rw.names, orma_sql_text_str(in), NESTING_MAX, is_rewritten);
    int r = rewrite(&rw, 0, (uint32_t)in->buf.len);
    if (r == 0 && (out->failed || rw.names.failed))
        r = orma_sql_error_oom(error);
    orma_compat_names_fini(&rw.names);
    return r;
}
