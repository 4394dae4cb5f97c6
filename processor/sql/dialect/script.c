/*
 * next_range() finds the end of a statement by its tokens alone. The range is expanded
 * (macro.c) and rewritten (compat.c) into a text whose every byte has a known origin, then a
 * recursive-descent parser with one token of look-ahead reads the statements of PerfettoSQL.
 * The first token decides; a text that is none of them is handed to SQLite whole.
 */
#include "processor/sql/dialect/script.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/sql/dialect/compat.h"
#include "processor/sql/dialect/token.h"
#include "sdk/base/vec.h"

#define FIELDS_MAX 2000 /* SQLite's limit of columns */

void orma_sql_fields_fini(struct orma_sql_fields *self)
{
    free(self->fields);
    *self = (struct orma_sql_fields){0};
}

static void statement_clear(struct orma_statement *self)
{
    orma_sql_fields_fini(&self->args);
    orma_sql_fields_fini(&self->columns);
    *self = (struct orma_statement){0};
}

int orma_script_init(struct orma_script *self, struct orma_sql_source *source,
                     const struct orma_macros *macros)
{
    *self = (struct orma_script){0};
    if (source->len > ORMA_SQL_TEXT_MAX)
        return -E2BIG;
    self->source = orma_sql_source_ref(source);
    self->macros = macros;
    return 0;
}

void orma_script_fini(struct orma_script *self)
{
    statement_clear(&self->statement);
    orma_sql_text_fini(&self->expanded);
    orma_sql_text_fini(&self->text);
    orma_sql_source_unref(self->source);
    self->source = NULL;
}

/* Reads the tokens of one text. Failure is sticky in `r`. */
struct parser {
    const struct orma_sql_text *text;
    struct orma_str str;
    struct orma_token tok; /* the current one */
    uint32_t last_end;     /* behind the one before */
    struct orma_sql_error *error;
    int r;
};

static void advance(struct parser *p)
{
    p->last_end = p->tok.at + p->tok.len;
    p->tok = orma_token_next_solid(p->str, p->last_end);
}

static struct parser parser_at(const struct orma_sql_text *text, uint32_t at,
                               struct orma_sql_error *error)
{
    struct parser p = {.text = text, .str = orma_sql_text_str(text), .error = error};

    p.tok = orma_token_next_solid(p.str, at);
    p.last_end = at;
    return p;
}

static struct orma_str cur(const struct parser *p)
{
    return orma_token_text(p->str, p->tok);
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->r == 0 && orma_token_is(p->str, p->tok, word);
}

static bool accept(struct parser *p, const char *word)
{
    if (!is_word(p, word))
        return false;
    advance(p);
    return true;
}

static bool accept_kind(struct parser *p, enum orma_tok kind)
{
    if (p->r < 0 || p->tok.kind != kind)
        return false;
    advance(p);
    return true;
}

static void syntax_error(struct parser *p)
{
    if (p->r < 0)
        return;
    if (p->tok.kind == ORMA_TOK_END)
        p->r = orma_sql_error_set(p->error, p->text, p->last_end, "incomplete input");
    else
        p->r = orma_sql_error_set(p->error, p->text, p->tok.at, "syntax error near '%.*s'",
                                  ORMA_STR_ARG(cur(p)));
}

static void expect(struct parser *p, const char *word)
{
    if (!accept(p, word))
        syntax_error(p);
}

static void expect_kind(struct parser *p, enum orma_tok kind)
{
    if (!accept_kind(p, kind))
        syntax_error(p);
}

/* An identifier; quoted ones too, they keep their quotes. */
static struct orma_str read_name(struct parser *p)
{
    struct orma_str name = cur(p);

    if (!accept_kind(p, ORMA_TOK_WORD) && !accept_kind(p, ORMA_TOK_QUOTED))
        syntax_error(p);
    return p->r < 0 ? (struct orma_str){0} : name;
}

/* (tbl.col) behind ID and JOINID, and whatever else a type may have in parentheses. */
static void skip_type_reference(struct parser *p)
{
    if (!accept_kind(p, ORMA_TOK_OPEN))
        return;
    read_name(p);
    expect_kind(p, ORMA_TOK_DOT);
    read_name(p);
    expect_kind(p, ORMA_TOK_CLOSE);
}

static void read_type(struct parser *p, struct orma_sql_field *ret, const char *of_what)
{
    uint32_t at = p->tok.at;
    struct orma_str word = read_name(p);

    if (p->r < 0)
        return;
    ret->class = orma_sql_type_class(word);
    if (ret->class == ORMA_CLASS_NONE) {
        p->r = orma_sql_error_set(p->error, p->text, at, "Unknown %s type: %.*s", of_what,
                                  ORMA_STR_ARG(word));
        return;
    }
    skip_type_reference(p);
    ret->type = (struct orma_str){p->str.data + at, p->last_end - at};
}

static struct orma_sql_field *add_field(struct parser *p, struct orma_sql_fields *fields)
{
    if (ORMA_GROW(&fields->fields, &fields->cap, fields->len + (size_t)1)) {
        p->r = orma_sql_error_oom(p->error);
        return NULL;
    }
    struct orma_sql_field *field = &fields->fields[fields->len++];
    *field = (struct orma_sql_field){0};
    return field;
}

enum fields_of { COLUMNS, ARGS, MACRO_ARGS, BARE };

static void check_new_name(struct parser *p, const struct orma_sql_fields *fields,
                           struct orma_str name, uint32_t at, enum fields_of what)
{
    const char *things = what == ARGS || what == MACRO_ARGS ? "arguments" : "columns";

    if (fields->len >= FIELDS_MAX)
        p->r = orma_sql_error_set(p->error, p->text, at, "more than %d names", FIELDS_MAX);
    for (size_t i = 0; i < fields->len && p->r == 0; i++) {
        if (orma_word_eq(fields->fields[i].name, name))
            p->r = orma_sql_error_set(p->error, p->text, at, "multiple %s are named %.*s", things,
                                      ORMA_STR_ARG(name));
    }
}

/* The type of an argument of the macro, or, if that is NULL, of what it returns. */
static void read_macro_type(struct parser *p, struct orma_str macro, const struct orma_str *arg)
{
    uint32_t at = p->tok.at;
    struct orma_str word = read_name(p);
    struct orma_buf allowed = {0};

    if (p->r < 0 || orma_sql_is_macro_type(word))
        return;
    orma_sql_put_macro_types(&allowed);
    if (arg)
        p->r = orma_sql_error_set(
            p->error, p->text, at,
            "Macro '%.*s' argument '%.*s' is unknown type '%.*s'. Allowed types: %s",
            ORMA_STR_ARG(macro), ORMA_STR_ARG(*arg), ORMA_STR_ARG(word), orma_buf_cstr(&allowed));
    else
        p->r = orma_sql_error_set(p->error, p->text, at,
                                  "Macro %.*s return type %.*s is unknown. Allowed types: %s",
                                  ORMA_STR_ARG(macro), ORMA_STR_ARG(word), orma_buf_cstr(&allowed));
    orma_buf_fini(&allowed);
}

static void read_field(struct parser *p, struct orma_sql_fields *ret, enum fields_of what,
                       struct orma_str owner)
{
    uint32_t at = p->tok.at;
    struct orma_str name = read_name(p);

    if (p->r == 0)
        check_new_name(p, ret, name, at, what);
    struct orma_sql_field *field = p->r == 0 ? add_field(p, ret) : NULL;
    if (!field)
        return;
    field->name = name;
    if (what == MACRO_ARGS)
        read_macro_type(p, owner, &name);
    if (what == MACRO_ARGS || what == BARE)
        return;
    read_type(p, field, what == ARGS ? "argument" : "column");
    if (accept_kind(p, ORMA_TOK_DOT)) { /* ANY... */
        field->variadic = true;
        expect_kind(p, ORMA_TOK_DOT);
        expect_kind(p, ORMA_TOK_DOT);
    }
}

/* (name TYPE, ...) of `owner`, from the parenthesis on. */
static void read_fields(struct parser *p, struct orma_sql_fields *ret, enum fields_of what,
                        struct orma_str owner)
{
    expect_kind(p, ORMA_TOK_OPEN);
    ret->given = true;
    if (accept_kind(p, ORMA_TOK_CLOSE))
        return;
    do {
        read_field(p, ret, what, owner);
    } while (accept_kind(p, ORMA_TOK_COMMA));
    expect_kind(p, ORMA_TOK_CLOSE);
}

static void read_end(struct parser *p)
{
    if (p->r == 0 && p->tok.kind != ORMA_TOK_END)
        syntax_error(p);
}

/* All that is left, without blanks and comments behind it. */
static void read_body(struct parser *p, struct orma_statement *stmt)
{
    uint32_t begin = p->tok.at, end = begin;

    if (p->r == 0 && p->tok.kind == ORMA_TOK_END)
        syntax_error(p);
    for (; p->tok.kind != ORMA_TOK_END; advance(p))
        end = p->tok.at + p->tok.len;
    stmt->body_at = begin;
    stmt->body = (struct orma_str){p->str.data + begin, end - begin};
}

static void read_object_name(struct parser *p, struct orma_statement *stmt)
{
    stmt->name_at = p->tok.at;
    stmt->name = read_name(p);
}

static void parse_table(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_CREATE_TABLE;
    read_object_name(p, stmt);
    if (accept(p, "using"))
        expect(p, "dataframe");
    if (p->tok.kind == ORMA_TOK_OPEN)
        read_fields(p, &stmt->columns, COLUMNS, stmt->name);
    expect(p, "as");
    read_body(p, stmt);
}

static void parse_view(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_CREATE_VIEW;
    read_object_name(p, stmt);
    if (p->tok.kind == ORMA_TOK_OPEN)
        read_fields(p, &stmt->columns, COLUMNS, stmt->name);
    expect(p, "as");
    read_body(p, stmt);
}

/* Only the last argument may be variadic, and only where a native function takes it. */
static void check_variadic(struct parser *p, const struct orma_statement *stmt)
{
    const struct orma_sql_fields *args = &stmt->args;

    for (size_t i = 0; i < args->len && p->r == 0; i++) {
        if (!args->fields[i].variadic)
            continue;
        if (!stmt->delegate.len)
            p->r = orma_sql_error_set(p->error, p->text, stmt->name_at,
                                      "variadic arguments are only allowed in functions that "
                                      "delegate");
        else if (i + 1 < args->len)
            p->r = orma_sql_error_set(p->error, p->text, stmt->name_at,
                                      "only the last argument may be variadic");
    }
}

/* Every $x of the body is an argument. */
static void check_variables(struct parser *p, const struct orma_statement *stmt)
{
    uint32_t end = stmt->body_at + (uint32_t)stmt->body.len;
    struct orma_token tok = orma_token_next_solid(p->str, stmt->body_at);

    for (; tok.at < end && p->r == 0; tok = orma_token_next_solid(p->str, tok.at + tok.len)) {
        struct orma_str var = orma_token_text(p->str, tok);
        bool known = false;

        if (tok.kind != ORMA_TOK_VARIABLE || var.data[0] != '$')
            continue;
        for (size_t i = 0; i < stmt->args.len; i++)
            known |= orma_word_eq((struct orma_str){var.data + 1, var.len - 1},
                                  stmt->args.fields[i].name);
        if (!known)
            p->r = orma_sql_error_set(p->error, p->text, tok.at,
                                      "%.*s is not an argument of function '%.*s'",
                                      ORMA_STR_ARG(var), ORMA_STR_ARG(stmt->name));
    }
}

static void parse_function(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_CREATE_FUNCTION;
    read_object_name(p, stmt);
    read_fields(p, &stmt->args, ARGS, stmt->name);
    expect(p, "returns");
    if (accept(p, "table"))
        read_fields(p, &stmt->columns, COLUMNS, stmt->name);
    else
        read_type(p, &stmt->returns, "return");
    if (accept(p, "delegates")) { /* what it returns is then of no account, a table neither */
        expect(p, "to");
        stmt->delegate = read_name(p);
        read_end(p);
    } else {
        expect(p, "as");
        read_body(p, stmt);
        if (stmt->columns.given) /* in the others such a $x is NULL */
            check_variables(p, stmt);
    }
    check_variadic(p, stmt);
}

static void parse_macro(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_CREATE_MACRO;
    read_object_name(p, stmt);
    read_fields(p, &stmt->args, MACRO_ARGS, stmt->name);
    if (p->r == 0 && stmt->args.len > ORMA_MACRO_ARGS_MAX)
        p->r = orma_sql_error_set(p->error, p->text, stmt->name_at,
                                  "more than %d arguments of a macro", ORMA_MACRO_ARGS_MAX);
    expect(p, "returns");
    read_macro_type(p, stmt->name, NULL);
    expect(p, "as");
    read_body(p, stmt);
}

static void parse_create_index(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_CREATE_INDEX;
    read_object_name(p, stmt);
    expect(p, "on");
    stmt->table = read_name(p);
    read_fields(p, &stmt->args, BARE, stmt->name);
    if (p->r == 0 && !stmt->args.len)
        syntax_error(p);
    read_end(p);
}

static void parse_create(struct parser *p, struct orma_statement *stmt)
{
    if (accept(p, "table"))
        parse_table(p, stmt);
    else if (accept(p, "view"))
        parse_view(p, stmt);
    else if (accept(p, "function"))
        parse_function(p, stmt);
    else if (accept(p, "macro"))
        parse_macro(p, stmt);
    else if (accept(p, "index"))
        parse_create_index(p, stmt);
    else
        syntax_error(p);
}

static void parse_drop(struct parser *p, struct orma_statement *stmt)
{
    stmt->kind = ORMA_STMT_DROP_INDEX;
    expect(p, "index");
    read_object_name(p, stmt);
    expect(p, "on");
    stmt->table = read_name(p);
    read_end(p);
}

/* a.b.c, a.*, * */
static void parse_include(struct parser *p, struct orma_statement *stmt)
{
    uint32_t begin;
    bool star;

    stmt->kind = ORMA_STMT_INCLUDE;
    expect(p, "module");
    begin = stmt->name_at = p->tok.at;
    do {
        star = p->tok.kind == ORMA_TOK_OPERATOR && orma_str_eq_c(cur(p), "*");
        if (star)
            advance(p);
        else
            expect_kind(p, ORMA_TOK_WORD);
    } while (!star && accept_kind(p, ORMA_TOK_DOT));
    stmt->name = (struct orma_str){p->str.data + begin, p->last_end - begin};
    read_end(p);
}

/* CREATE [OR REPLACE] PERFETTO, before anything else is known. */
static bool skip_create_perfetto(struct parser *p, bool *ret_replace)
{
    if (!accept(p, "create"))
        return false;
    *ret_replace = false;
    if (is_word(p, "or")) {
        advance(p);
        if (!accept(p, "replace"))
            return false;
        *ret_replace = true;
    }
    return accept(p, "perfetto");
}

static int parse(const struct orma_sql_text *text, struct orma_statement *stmt,
                 struct orma_sql_error *error)
{
    struct parser p = parser_at(text, 0, error);
    struct parser begin = p;

    stmt->text = text;
    if (skip_create_perfetto(&p, &stmt->replace)) {
        parse_create(&p, stmt);
        return p.r;
    }
    p = begin;
    if (accept(&p, "drop") && accept(&p, "perfetto")) {
        parse_drop(&p, stmt);
        return p.r;
    }
    p = begin;
    if (accept(&p, "include") && accept(&p, "perfetto")) {
        parse_include(&p, stmt);
        return p.r;
    }
    *stmt = (struct orma_statement){.kind = ORMA_STMT_SQLITE, .text = text};
    if (begin.tok.kind != ORMA_TOK_END) /* macros may leave nothing */
        read_body(&begin, stmt);
    return begin.r;
}

/* Whether a trigger's body, whose statements end in ";", goes on. */
struct trigger {
    int words;           /* solid tokens so far, up to where they matter */
    bool is;             /* CREATE [TEMP] TRIGGER */
    bool maybe;          /* so far it could be */
    bool semicolon, end; /* the last token was ";", "; END" */
};

static void watch_trigger(struct trigger *t, struct orma_str text, struct orma_token tok)
{
    if (t->words++ == 0)
        t->maybe = orma_token_is(text, tok, "create");
    else if (t->maybe && orma_token_is(text, tok, "trigger"))
        t->is = true;
    else if (t->maybe && !orma_token_is(text, tok, "temp") &&
             !orma_token_is(text, tok, "temporary"))
        t->maybe = false;
    t->end = t->semicolon && orma_token_is(text, tok, "end");
    t->semicolon = tok.kind == ORMA_TOK_SEMICOLON;
}

bool orma_script_skip(struct orma_script *self, uint32_t *ret_at, uint32_t *ret_end)
{
    struct orma_str text = orma_sql_source_str(self->source);
    struct orma_token tok = orma_token_next_solid(text, self->pos);
    struct trigger trigger = {0};

    while (tok.kind == ORMA_TOK_SEMICOLON)
        tok = orma_token_next_solid(text, tok.at + 1);
    *ret_at = tok.at;
    *ret_end = tok.at;
    if (tok.kind == ORMA_TOK_END) {
        self->pos = tok.at;
        return false;
    }
    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next_solid(text, tok.at + tok.len)) {
        if (tok.kind == ORMA_TOK_SEMICOLON && (!trigger.is || trigger.end))
            break;
        watch_trigger(&trigger, text, tok);
        *ret_end = tok.at + tok.len;
    }
    self->pos = tok.at + tok.len;
    return true;
}

static bool is_create_macro(struct orma_sql_source *source, uint32_t at)
{
    struct parser p = {.str = orma_sql_source_str(source)};
    bool replace;

    p.tok = orma_token_next_solid(p.str, at);
    return skip_create_perfetto(&p, &replace) && is_word(&p, "macro");
}

static int read_text(struct orma_script *self, uint32_t at, uint32_t end,
                     struct orma_sql_error *error)
{
    int r;

    orma_sql_text_clear(&self->expanded);
    orma_sql_text_clear(&self->text);
    if (is_create_macro(self->source, at)) {
        orma_sql_text_put(&self->expanded,
                          (struct orma_sql_origin){self->source, at, ORMA_SQL_NO_CALL}, end - at);
        return self->expanded.failed ? orma_sql_error_oom(error) : 0;
    }
    r = orma_macros_expand(self->macros, self->source, at, end, &self->expanded, error);
    if (r < 0)
        return r;
    if (!orma_compat_is_needed(orma_sql_text_str(&self->expanded)))
        return 0;
    return orma_compat_rewrite(&self->expanded, &self->text, error);
}

int orma_script_next(struct orma_script *self, struct orma_sql_error *error)
{
    uint32_t at, end;
    int r = 0;

    statement_clear(&self->statement);
    do {
        if (!orma_script_skip(self, &at, &end))
            return 0;
        r = read_text(self, at, end, error);
        if (r == 0)
            r = parse(self->text.buf.len ? &self->text : &self->expanded, &self->statement, error);
    } while (r == 0 && !self->statement.body.len && self->statement.kind == ORMA_STMT_SQLITE);
    if (r < 0) {
        self->pos = (uint32_t)self->source->len;
        return r;
    }
    return 1;
}

int orma_sql_parse_prototype(const struct orma_sql_text *text, struct orma_str *ret_name,
                             struct orma_sql_fields *ret_args, struct orma_sql_error *error)
{
    struct parser p = parser_at(text, 0, error);

    *ret_name = read_name(&p);
    read_fields(&p, ret_args, ARGS, *ret_name);
    read_end(&p);
    return p.r;
}

int orma_sql_parse_columns(const struct orma_sql_text *text, struct orma_sql_fields *ret,
                           struct orma_sql_error *error)
{
    struct parser p = parser_at(text, 0, error);

    ret->given = true;
    do {
        read_field(&p, ret, COLUMNS, (struct orma_str){0});
    } while (accept_kind(&p, ORMA_TOK_COMMA));
    read_end(&p);
    return p.r;
}
