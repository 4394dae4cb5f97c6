/*
 * The index of what SQL modules offer, read from their texts: nothing is run.
 *
 * Of each module first the module, then its tables and views, then functions, then macros, each in
 * the order of the file: so the text is read once for each of these. Objects are the statements
 * CREATE PERFETTO TABLE, VIEW, FUNCTION and MACRO. What describes one are the lines of comment
 * right before it, without a blank line between; columns, arguments and RETURNS are described by
 * the lines of comment before them. Comments between slash and star are for readers of the file,
 * but for one that begins with "declared" right behind the star: objects that the program makes
 * itself stand there as if they were made by SQL.
 */
#include <errno.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/inspect/inspect.h"
#include "processor/sql/script/packages.h"
#include "protos/reflect/json.h"

#define SHORT_BYTES 160

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

enum kind { K_TABLE, K_VIEW, K_FUNCTION, K_MACRO, K_NUM };

static const char *const kind_words[K_NUM] = {"table", "view", "function", "macro"};
static const char *const kind_names[K_NUM] = {"TABLE", "VIEW", "FUNCTION", "MACRO"};

/* Names with types and descriptions: as JSON, and as lines of the summary. */
struct fields {
    struct orma_buf json, lines;
};

struct reader {
    struct orma_tvf_call *call;
    const char *package, *key;
    struct orma_str text;
    uint32_t at;     /* behind `tok` */
    uint32_t behind; /* the end of the solid token before it: comments may lie between */
    struct orma_token tok;
    bool wanted[K_NUM];
    struct orma_buf comment;

    /* ---- of the object that is being read ---- */

    struct orma_str name, returns;
    struct orma_buf description, returns_doc, summary;
    struct fields args, columns;
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

static size_t newlines(struct orma_str s)
{
    size_t num = 0;

    for (size_t i = 0; i < s.len; i++)
        num += s.data[i] == '\n';
    return num;
}

/* A line of comment without its dashes. False: it is of the other kind. */
static bool line_text(struct orma_str s, struct orma_str *ret)
{
    if (s.len < 2 || s.data[0] != '-')
        return false;
    *ret = orma_str_trim((struct orma_str){s.data + 2, s.len - 2});
    return true;
}

/* The lines of comment between the token before and this one, with blanks between them; an empty
 * line drops what was before it unless the `whole` counts. */
static void read_comment(struct reader *r, bool whole, struct orma_buf *ret)
{
    uint32_t at = r->behind;
    size_t lines = 0;

    orma_buf_clear(ret);
    while (at < r->tok.at) {
        struct orma_token tok = orma_token_next(r->text, at);
        struct orma_str s = orma_token_text(r->text, tok), line;

        at = tok.at + tok.len;
        if (tok.kind == ORMA_TOK_COMMENT && line_text(s, &line)) {
            if (ret->len && line.len)
                orma_buf_put_byte(ret, ' ');
            orma_buf_put(ret, line.data, line.len);
            lines = s.data[s.len - 1] == '\n';
            continue;
        }
        lines = tok.kind == ORMA_TOK_COMMENT ? 0 : lines + newlines(s);
        if (lines > 1 && !whole)
            orma_buf_clear(ret);
    }
}

static void put_json(struct orma_buf *out, const char *key, struct orma_str s)
{
    orma_buf_printf(out, "\"%s\":", key);
    (void)orma_json_quote(out, s); /* our own texts, or a user's: what is no UTF-8 is replaced */
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

static void put_field(struct reader *r, struct fields *out, struct orma_str name,
                      struct orma_str type)
{
    struct orma_str text = orma_buf_str(&r->comment);

    orma_buf_put_str(&out->json, out->json.len > 1 ? ",{" : "{");
    put_json(&out->json, "name", name);
    orma_buf_put_byte(&out->json, ',');
    put_json(&out->json, "type", type);
    orma_buf_put_byte(&out->json, ',');
    put_json(&out->json, "description", text);
    orma_buf_put_byte(&out->json, '}');
    orma_buf_printf(&out->lines, "\n- %.*s (%.*s)", ORMA_STR_ARG(name), ORMA_STR_ARG(type));
    if (text.len)
        orma_buf_printf(&out->lines, ": %.*s", ORMA_STR_ARG(text));
}

/* From '(' to behind ')'. */
static void read_fields(struct reader *r, struct fields *out)
{
    next(r);
    while (!ends(r) && r->tok.kind != ORMA_TOK_CLOSE) {
        struct orma_str name = orma_token_text(r->text, r->tok);

        read_comment(r, true, &r->comment);
        next(r);
        put_field(r, out, name, read_type(r));
        if (r->tok.kind == ORMA_TOK_COMMA)
            next(r);
    }
    if (r->tok.kind == ORMA_TOK_CLOSE)
        next(r);
}

/* RETURNS type, RETURNS TABLE(...). Returns true for the latter. */
static bool read_returns(struct reader *r)
{
    uint32_t from, to;
    bool table;

    if (!is(r, "RETURNS"))
        return false;
    read_comment(r, true, &r->returns_doc);
    next(r);
    table = is(r, "TABLE");
    from = r->tok.at;
    to = r->at;
    next(r);
    if (table && r->tok.kind == ORMA_TOK_OPEN)
        read_fields(r, &r->columns);
    while (!table && !ends(r) && !is(r, "AS") && !is(r, "DELEGATES")) {
        to = r->at;
        next(r);
    }
    r->returns = (struct orma_str){r->text.data + from, to - from};
    return table;
}

static void begin_object(struct reader *r, struct orma_str name)
{
    struct fields *const lists[] = {&r->args, &r->columns};

    r->name = name;
    r->returns = ORMA_STR("");
    orma_buf_clear(&r->returns_doc);
    orma_buf_clear(&r->summary);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(lists); i++) {
        orma_buf_clear(&lists[i]->json);
        orma_buf_clear(&lists[i]->lines);
        orma_buf_put_byte(&lists[i]->json, '[');
    }
}

/* Dots and underscores as blanks: what people type when they search. */
static void put_words(struct orma_buf *out, struct orma_str s)
{
    orma_buf_put_byte(out, ' ');
    for (size_t i = 0; i < s.len; i++)
        orma_buf_put_byte(out, s.data[i] == '.' || s.data[i] == '_' ? ' ' : (uint8_t)s.data[i]);
}

/* "key.name", or the key for the module itself. */
static void put_qualified(const struct reader *r, struct orma_buf *out)
{
    orma_buf_put_str(out, r->key);
    if (r->name.len)
        orma_buf_printf(out, ".%.*s", ORMA_STR_ARG(r->name));
}

static void put_fields(struct orma_buf *out, const char *title, const struct fields *f)
{
    struct orma_str lines = orma_buf_str(&f->lines);

    if (lines.len)
        orma_buf_printf(out, "\n%s:%.*s", title, ORMA_STR_ARG(lines));
}

static void put_text(struct orma_buf *out, const char *title, const struct orma_buf *text)
{
    struct orma_str s = orma_buf_str(text);

    if (s.len)
        orma_buf_printf(out, "%s%.*s", title, ORMA_STR_ARG(s));
}

static bool is_exposed(const struct reader *r)
{
    return !r->name.len || r->name.data[0] != '_';
}

static void make_summary(struct reader *r, const char *kind)
{
    struct orma_buf *out = &r->summary;

    orma_buf_printf(out, "Package: %s\nModule: %s\n", r->package, r->key);
    if (r->name.len)
        orma_buf_printf(out, "Name: %.*s\n", ORMA_STR_ARG(r->name));
    orma_buf_put_str(out, "Qualified name: ");
    put_qualified(r, out);
    orma_buf_put_str(out, "\nSearch aliases:");
    put_words(out, orma_str_from(r->package));
    put_words(out, orma_str_from(r->key));
    if (r->name.len)
        put_words(out, r->name);
    orma_buf_printf(out, "\nKind: %s %s", is_exposed(r) ? "public" : "internal", kind);
    put_text(out, "\nDescription: ", &r->description);
    put_fields(out, "Arguments", &r->args);
    if (r->returns.len)
        orma_buf_printf(out, "\nReturns: %.*s", ORMA_STR_ARG(r->returns));
    put_text(out, ": ", &r->returns_doc);
    put_fields(out, "Columns", &r->columns);
}

/* What is not there is an empty text: clients of others stop at a NULL. */
static void put_cell(struct reader *r, unsigned col, uint32_t row, struct orma_str s)
{
    orma_dataframe_put_text(r->call->frame, col, row, s);
}

/* At most so many bytes, without half a character at the end. */
static struct orma_str shortened(struct orma_str s)
{
    size_t len = ORMA_MIN(s.len, (size_t)SHORT_BYTES);

    while (len && len < s.len && ((uint8_t)s.data[len] & 0xc0) == 0x80)
        len--;
    return (struct orma_str){s.data, len};
}

static void put_object(struct reader *r, const char *kind)
{
    uint32_t row = orma_dataframe_add(r->call->frame);
    struct orma_buf qualified = {0};

    if (row == ORMA_ROW_NONE)
        return;
    make_summary(r, kind);
    put_qualified(r, &qualified);
    orma_buf_put_byte(&r->args.json, ']');
    orma_buf_put_byte(&r->columns.json, ']');
    put_cell(r, S_PACKAGE, row, orma_str_from(r->package));
    put_cell(r, S_MODULE, row, orma_str_from(r->key));
    put_cell(r, S_NAME, row, r->name.len ? r->name : orma_str_from(r->key));
    put_cell(r, S_QUALIFIED, row, orma_buf_str(&qualified));
    put_cell(r, S_TYPE, row, orma_str_from(kind));
    orma_dataframe_put_int(r->call->frame, S_EXPOSED, row, is_exposed(r));
    put_cell(r, S_SHORT, row, shortened(orma_buf_str(&r->description)));
    put_cell(r, S_SUMMARY, row, orma_buf_str(&r->summary));
    put_cell(r, S_DESCRIPTION, row, orma_buf_str(&r->description));
    put_cell(r, S_RETURNS, row, r->returns);
    put_cell(r, S_RETURNS_DOC, row, orma_buf_str(&r->returns_doc));
    put_cell(r, S_ARGS, row, orma_buf_str(&r->args.json));
    put_cell(r, S_COLUMNS, row, orma_buf_str(&r->columns.json));
    r->comment.failed |= qualified.failed;
    orma_buf_fini(&qualified);
}

/* Behind PERFETTO. */
static void read_object(struct reader *r)
{
    enum kind kind = K_TABLE;
    bool table = false;

    while (kind < K_NUM && !is(r, kind_words[kind]))
        kind++;
    if (kind == K_NUM || !r->wanted[kind])
        return;
    next(r);
    if (r->tok.kind != ORMA_TOK_WORD)
        return;
    begin_object(r, orma_token_text(r->text, r->tok));
    next(r);
    if (r->tok.kind == ORMA_TOK_OPEN)
        read_fields(r, kind >= K_FUNCTION ? &r->args : &r->columns);
    if (kind >= K_FUNCTION)
        table = read_returns(r) && kind == K_FUNCTION;
    put_object(r, table ? "TABLE_FUNCTION" : kind_names[kind]);
}

static void read_statement(struct reader *r)
{
    read_comment(r, false, &r->description);
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

static int read_kinds(struct reader *r, enum kind first, enum kind last)
{
    for (enum kind k = K_TABLE; k < K_NUM; k++)
        r->wanted[k] = k >= first && k <= last;
    r->at = r->behind = 0;
    r->tok = (struct orma_token){0};
    do {
        next(r);
        read_statement(r);
        if (orma_sql_is_interrupted(r->call->sql))
            return -ECANCELED;
    } while (r->tok.kind != ORMA_TOK_END);
    return 0;
}

static void put_module(struct reader *r)
{
    begin_object(r, ORMA_STR(""));
    orma_buf_clear(&r->description);
    put_object(r, "MODULE");
}

/* Frees what the reader holds: -ENOMEM if any of it was cut short. */
static int reader_fini(struct reader *r)
{
    struct orma_buf *const bufs[] = {&r->comment,      &r->description,  &r->returns_doc,
                                     &r->summary,      &r->args.json,    &r->args.lines,
                                     &r->columns.json, &r->columns.lines};
    bool failed = false;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bufs); i++) {
        failed |= bufs[i]->failed;
        orma_buf_fini(bufs[i]);
    }
    return failed ? -ENOMEM : 0;
}

/* What stands in the comment that describes objects of the program itself; empty if there is none.
 */
static struct orma_str declared(struct orma_str text)
{
    static const char begin[] = "/*declared";
    const char *at = memmem(text.data, text.len, begin, sizeof(begin) - 1), *line, *end;

    if (!at || !(line = memchr(at, '\n', text.len - (size_t)(at - text.data))))
        return (struct orma_str){0};
    end = memmem(line, text.len - (size_t)(line - text.data), "*/", 2);
    return (struct orma_str){line, end ? (size_t)(end - line) : 0};
}

static int read_all_kinds(struct reader *r, struct orma_str text)
{
    int ret;

    r->text = text;
    ret = read_kinds(r, K_TABLE, K_VIEW);
    if (ret == 0)
        ret = read_kinds(r, K_FUNCTION, K_FUNCTION);
    if (ret == 0)
        ret = read_kinds(r, K_MACRO, K_MACRO);
    return ret;
}

static int read_module(void *data, const char *package, const char *key, struct orma_str text)
{
    struct reader r = {.call = data, .package = package, .key = key, .text = text};
    int ret = 0, memory;

    if (text.len > ORMA_SQL_TEXT_MAX)
        return 0;
    put_module(&r);
    ret = read_all_kinds(&r, text);
    if (ret == 0 && declared(text).len)
        ret = read_all_kinds(&r, declared(text));
    memory = reader_fini(&r);
    return ret ? ret : memory;
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
    .doc = "What the SQL modules define, read from their source (object_type: MODULE, TABLE, VIEW, "
           "FUNCTION, TABLE_FUNCTION, MACRO); those not exposed begin with '_'. Descriptions come "
           "from lines of comment. `args` and `cols` are JSON arrays of name, type and "
           "description; `summary` has all of it, with search terms.",
};
