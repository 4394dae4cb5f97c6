/*
 * The index of what SQL modules offer, read from their texts: nothing is run.
 *
 * Objects are the statements CREATE PERFETTO TABLE, VIEW, FUNCTION and MACRO;
 * the comment right before one, without a blank line between, describes it, and
 * so do comments before columns and arguments.
 */
#include <errno.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/inspect/inspect.h"
#include "processor/sql/script/packages.h"

enum {
    S_PACKAGE,
    S_MODULE,
    S_NAME,
    S_QUALIFIED,
    S_TYPE,
    S_EXPOSED,
    S_SHORT,
    S_SUMMARY,
    S_DESCRIPTION,
    S_RETURNS,
    S_RETURNS_DOC,
    S_ARGS,
    S_COLUMNS,
};

struct reader {
    struct orma_tvf_call *call;
    const char *package, *key;
    struct orma_str text;
    uint32_t at;     /* behind `tok` */
    uint32_t behind; /* the end of the solid token before it: comments may lie between */
    struct orma_token tok;
    struct orma_buf comment, json, name;
};

static void next(struct reader *r)
{
    r->behind = r->tok.at + r->tok.len;
    r->tok = orma_token_next_solid(r->text, r->at);
    r->at = r->tok.at + r->tok.len;
}

static bool is(const struct reader *r, const char *word)
{
    return orma_token_is(r->text, r->tok, word);
}

static bool ends(const struct reader *r)
{
    return r->tok.kind == ORMA_TOK_END || r->tok.kind == ORMA_TOK_SEMICOLON;
}

/* What people wrote in one comment, without its marks. */
static struct orma_str comment_text(struct orma_str s)
{
    if (s.len >= 2 && s.data[0] == '/') {
        s.data += 2;
        s.len -= 2;
        if (s.len >= 2 && s.data[s.len - 1] == '/' && s.data[s.len - 2] == '*')
            s.len -= 2;
    }
    while (s.len && s.data[0] == '-') {
        s.data++;
        s.len--;
    }
    return orma_str_trim(s);
}

static size_t newlines(struct orma_str s)
{
    size_t num = 0;

    for (size_t i = 0; i < s.len; i++)
        num += s.data[i] == '\n';
    return num;
}

/* The comments between the token before and this one, into r->comment; an empty line of a comment
 * ends a paragraph, a line without one drops what was before. */
static void read_comment(struct reader *r, bool whole)
{
    uint32_t at = r->behind;
    size_t lines = 0;

    orma_buf_clear(&r->comment);
    while (at < r->tok.at) {
        struct orma_token tok = orma_token_next(r->text, at);
        struct orma_str s = orma_token_text(r->text, tok);

        at = tok.at + tok.len;
        if (tok.kind != ORMA_TOK_COMMENT) {
            lines += newlines(s);
            if (lines > 1 && !whole)
                orma_buf_clear(&r->comment);
            continue;
        }
        lines = s.len && s.data[s.len - 1] == '\n';
        s = comment_text(s);
        if (r->comment.len && !s.len)
            orma_buf_put_byte(&r->comment, '\n');
        else if (r->comment.len && r->comment.data[r->comment.len - 1] != '\n')
            orma_buf_put_byte(&r->comment, ' ');
        orma_buf_put(&r->comment, s.data, s.len);
    }
}

static void put_json(struct orma_buf *out, const char *key, struct orma_str s)
{
    orma_buf_printf(out, "\"%s\":\"", key);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];

        if (c == '"' || c == '\\')
            orma_buf_put_byte(out, '\\');
        if (c < 0x20)
            orma_buf_printf(out, "\\u%04x", c);
        else
            orma_buf_put_byte(out, c);
    }
    orma_buf_put_byte(out, '"');
}

/* The text of what is left up to a comma or the end of the list. */
static struct orma_str read_type(struct reader *r)
{
    uint32_t from = r->tok.at, to = from;
    unsigned depth = 0;

    while (!ends(r)) {
        if (!depth && (r->tok.kind == ORMA_TOK_COMMA || r->tok.kind == ORMA_TOK_CLOSE))
            break;
        depth += r->tok.kind == ORMA_TOK_OPEN;
        depth -= r->tok.kind == ORMA_TOK_CLOSE;
        to = r->at;
        next(r);
    }
    return (struct orma_str){r->text.data + from, to - from};
}

/* From '(' to behind ')': a JSON array into the column. */
static void read_fields(struct reader *r, uint32_t row, unsigned col)
{
    orma_buf_clear(&r->json);
    orma_buf_put_byte(&r->json, '[');
    next(r);
    while (!ends(r) && r->tok.kind != ORMA_TOK_CLOSE) {
        struct orma_str name = orma_token_text(r->text, r->tok), type;

        read_comment(r, true);
        next(r);
        type = read_type(r);
        if (r->json.len > 1)
            orma_buf_put_byte(&r->json, ',');
        orma_buf_put_byte(&r->json, '{');
        put_json(&r->json, "name", name);
        orma_buf_put_byte(&r->json, ',');
        put_json(&r->json, "type", type);
        orma_buf_put_byte(&r->json, ',');
        put_json(&r->json, "description", orma_buf_str(&r->comment));
        orma_buf_put_byte(&r->json, '}');
        if (r->tok.kind == ORMA_TOK_COMMA)
            next(r);
    }
    orma_buf_put_byte(&r->json, ']');
    orma_dataframe_put_text(r->call->frame, col, row, orma_buf_str(&r->json));
    if (r->tok.kind == ORMA_TOK_CLOSE)
        next(r);
}

/* RETURNS type, RETURNS TABLE(...). Returns true for the latter. */
static bool read_returns(struct reader *r, uint32_t row)
{
    struct orma_dataframe *f = r->call->frame;
    uint32_t from, to;
    bool table;

    if (!is(r, "RETURNS"))
        return false;
    next(r);
    table = is(r, "TABLE");
    read_comment(r, true);
    if (r->comment.len)
        orma_dataframe_put_text(f, S_RETURNS_DOC, row, orma_buf_str(&r->comment));
    from = r->tok.at;
    to = r->at;
    next(r);
    if (table && r->tok.kind == ORMA_TOK_OPEN)
        read_fields(r, row, S_COLUMNS);
    while (!table && !ends(r) && !is(r, "AS") && !is(r, "DELEGATES")) {
        to = r->at;
        next(r);
    }
    orma_dataframe_put_text(f, S_RETURNS, row, (struct orma_str){r->text.data + from, to - from});
    return table;
}

/* Up to the end of the first paragraph, or sentence. */
static struct orma_str first_part(struct orma_str s, bool sentence)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '\n')
            return (struct orma_str){s.data, i};
        if (sentence && s.data[i] == '.' && (i + 1 == s.len || s.data[i + 1] == ' '))
            return (struct orma_str){s.data, i + 1};
    }
    return s;
}

static void put_description(struct reader *r, uint32_t row)
{
    struct orma_dataframe *f = r->call->frame;
    struct orma_str all = orma_buf_str(&r->comment);

    if (!all.len)
        return;
    orma_dataframe_put_text(f, S_SHORT, row, first_part(all, true));
    orma_dataframe_put_text(f, S_SUMMARY, row, first_part(all, false));
    orma_dataframe_put_text(f, S_DESCRIPTION, row, all);
}

static void put_names(struct reader *r, uint32_t row, struct orma_str name)
{
    struct orma_dataframe *f = r->call->frame;

    orma_buf_clear(&r->name);
    orma_buf_printf(&r->name, "%s.%.*s", r->key, (int)name.len, name.data);
    orma_dataframe_put_text(f, S_PACKAGE, row, orma_str_from(r->package));
    orma_dataframe_put_text(f, S_MODULE, row, orma_str_from(r->key));
    orma_dataframe_put_text(f, S_NAME, row, name);
    orma_dataframe_put_text(f, S_QUALIFIED, row, orma_buf_str(&r->name));
    orma_dataframe_put_int(f, S_EXPOSED, row, name.len && name.data[0] != '_');
}

/* Behind PERFETTO. */
static void read_object(struct reader *r)
{
    static const char *const kinds[] = {"table", "view", "function", "macro"};
    const char *kind = NULL;
    uint32_t row;
    bool called;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        kind = is(r, kinds[i]) ? kinds[i] : kind;
    if (!kind)
        return;
    called = kind == kinds[2] || kind == kinds[3];
    next(r);
    if (r->tok.kind != ORMA_TOK_WORD)
        return;
    row = orma_dataframe_add(r->call->frame);
    if (row == ORMA_ROW_NONE)
        return;
    put_description(r, row);
    put_names(r, row, orma_token_text(r->text, r->tok));
    next(r);
    if (r->tok.kind == ORMA_TOK_OPEN)
        read_fields(r, row, called ? S_ARGS : S_COLUMNS);
    if (called && read_returns(r, row) && kind == kinds[2])
        kind = "table_function";
    orma_dataframe_put_text(r->call->frame, S_TYPE, row, orma_str_from(kind));
}

static void read_statement(struct reader *r)
{
    read_comment(r, false);
    if (is(r, "CREATE")) {
        next(r);
        if (is(r, "OR")) {
            next(r);
            next(r);
        }
        if (is(r, "PERFETTO")) {
            next(r);
            read_object(r);
        }
    }
    while (!ends(r))
        next(r);
}

static int read_module(void *data, const char *package, const char *key, struct orma_str text)
{
    struct orma_tvf_call *call = data;
    struct reader r = {.call = call, .package = package, .key = key, .text = text};
    int ret = 0;

    if (text.len > ORMA_SQL_TEXT_MAX)
        return 0;
    do {
        next(&r);
        read_statement(&r);
        if (orma_sql_is_interrupted(call->sql))
            ret = -ECANCELED;
    } while (r.tok.kind != ORMA_TOK_END && ret == 0);
    if (ret == 0 && (r.comment.failed || r.json.failed || r.name.failed))
        ret = -ENOMEM;
    orma_buf_fini(&r.comment);
    orma_buf_fini(&r.json);
    orma_buf_fini(&r.name);
    return ret;
}

static int run_stdlib_objects(struct orma_tvf_call *call)
{
    return orma_packages_each(call->sql, read_module, call);
}

const struct orma_tvf orma_inspect_tvf_stdlib_objects = {
    .name = "__intrinsic_stdlib_objects",
    .numbered = true,
    .columns = {"package", "module", "name", "qualified_name", "object_type", "exposed",
                "short_description", "summary", "description", "return_type", "return_description",
                "args", "cols"},
    .types = "TTTTTITTTTTTT",
    .run = run_stdlib_objects,
    .usage = "",
    .doc = "What the SQL modules offer, read from their texts: tables, views, functions and macros "
           "(object_type: table, view, function, table_function, macro), those not exposed begin "
           "with '_'. `args` and `cols` are JSON arrays of name, type and description.",
};
