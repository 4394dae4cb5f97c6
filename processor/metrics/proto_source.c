/*
 * The text is read twice by the same code: first only the names of types are
 * noted, then descriptors are written and names of types are resolved, from the
 * innermost scope outwards.
 */
#include "processor/metrics/proto_source.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/wire/pb_writer.h"

#define DEPTH_MAX 32
#define NAME_MAX_BYTES 500

/* google/protobuf/descriptor.proto */
enum { SET_FILE = 1 };
enum {
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_EXTENSION = 7,
    FILE_SYNTAX = 12
};
enum {
    MSG_NAME = 1,
    MSG_FIELD = 2,
    MSG_NESTED = 3,
    MSG_ENUM = 4,
    MSG_EXTENSION = 6,
    MSG_ONEOF = 8
};
enum {
    FIELD_NAME = 1,
    FIELD_EXTENDEE = 2,
    FIELD_NUMBER = 3,
    FIELD_LABEL = 4,
    FIELD_TYPE = 5,
    FIELD_TYPE_NAME = 6,
    FIELD_ONEOF = 9
};
enum { ENUM_NAME = 1, ENUM_VALUE = 2, VALUE_NAME = 1, VALUE_NUMBER = 2, ONEOF_NAME = 1 };
enum { OPTIONAL = 1, REQUIRED = 2, REPEATED = 3 };

struct reader {
    const struct orma_schema *schema;
    const char *file;
    const char *pos, *end;
    unsigned line, depth;
    struct orma_str tok; /* empty: the end */
    struct orma_buf *out, *error;
    struct orma_buf types; /* names of messages and enums, "M.pkg.A\0E.pkg.B\0" */
    char scope[NAME_MAX_BYTES + 1];
    bool emit;
    int err;
};

static void fail(struct reader *r, const char *what)
{
    if (r->err)
        return;
    r->err = -EBADMSG;
    if (r->error)
        orma_buf_printf(r->error, "%s:%u: %s, at \"%.*s\"", r->file, r->line, what,
                        (int)ORMA_MIN(r->tok.len, 40u), r->tok.data ? r->tok.data : "");
}

/* ---- tokens ---- */

static void skip_blanks(struct reader *r)
{
    while (r->pos < r->end) {
        size_t left = (size_t)(r->end - r->pos);

        if (isspace((unsigned char)*r->pos)) {
            r->line += *r->pos == '\n';
            r->pos++;
        } else if (left > 1 && !memcmp(r->pos, "//", 2)) {
            while (r->pos < r->end && *r->pos != '\n')
                r->pos++;
        } else if (left > 1 && !memcmp(r->pos, "/*", 2)) {
            for (r->pos += 2; r->pos < r->end; r->pos++) {
                r->line += *r->pos == '\n';
                if (*r->pos == '*' && r->end - r->pos > 1 && r->pos[1] == '/') {
                    r->pos += 2;
                    break;
                }
            }
        } else {
            return;
        }
    }
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void next(struct reader *r)
{
    skip_blanks(r);
    const char *from = r->pos;

    if (r->pos == r->end || r->err) {
        r->tok = (struct orma_str){r->pos, 0};
        return;
    }
    if (*from == '"' || *from == '\'') {
        for (r->pos++; r->pos < r->end && *r->pos != *from && *r->pos != '\n'; r->pos++)
            r->pos += *r->pos == '\\' && r->end - r->pos > 1;
        if (r->pos == r->end || *r->pos != *from) {
            r->tok = (struct orma_str){from, 1};
            fail(r, "unterminated string");
            return;
        }
        r->pos++;
    } else if (is_word_byte(*from)) {
        while (r->pos < r->end && is_word_byte(*r->pos))
            r->pos++;
    } else {
        r->pos++;
    }
    r->tok = (struct orma_str){from, (size_t)(r->pos - from)};
}

static bool is(const struct reader *r, const char *word)
{
    return orma_str_eq(r->tok, orma_str_from(word));
}

static bool accept(struct reader *r, const char *word)
{
    if (r->err || !is(r, word))
        return false;
    next(r);
    return true;
}

static void expect(struct reader *r, const char *word)
{
    char what[64];

    if (accept(r, word))
        return;
    snprintf(what, sizeof(what), "'%s' expected", word);
    fail(r, what);
}

static struct orma_str read_word(struct reader *r)
{
    struct orma_str word = r->tok;

    if (!word.len || !is_word_byte(word.data[0]) || isdigit((unsigned char)word.data[0]))
        fail(r, "expected a name");
    next(r);
    return word;
}

static int64_t read_number(struct reader *r)
{
    bool minus = accept(r, "-");
    char digits[24];
    char *rest;

    snprintf(digits, sizeof(digits), "%.*s", (int)ORMA_MIN(r->tok.len, 23u), r->tok.data);
    errno = 0;
    long long val = strtoll(digits, &rest, 0);
    if (!r->tok.len || r->tok.len > 22 || *rest || errno)
        fail(r, "expected a number");
    next(r);
    return minus ? -val : val;
}

/* To behind the next ';', or behind the braces that come first. */
static void skip_statement(struct reader *r)
{
    unsigned depth = 0;

    while (!r->err && r->tok.len) {
        bool open = is(r, "{"), close = is(r, "}");

        if (close && !depth)
            return;
        depth = open ? depth + 1 : close ? depth - 1 : depth;
        bool end = !depth && (close || is(r, ";"));
        next(r);
        if (end)
            return;
    }
}

/* ---- scopes and types ---- */

static size_t enter(struct reader *r, struct orma_str name)
{
    size_t old = strlen(r->scope);

    if (old + name.len + 2 > NAME_MAX_BYTES || ++r->depth > DEPTH_MAX)
        fail(r, "names nested too deeply");
    else
        snprintf(r->scope + old, sizeof(r->scope) - old, "%s%.*s", old ? "." : "",
                 ORMA_STR_ARG(name));
    return old;
}

static void leave(struct reader *r, size_t old)
{
    r->scope[old] = '\0';
    if (r->depth)
        r->depth--;
}

static void declare(struct reader *r, char kind)
{
    if (!r->emit) {
        orma_buf_printf(&r->types, "%c.%s", kind, r->scope);
        orma_buf_put_byte(&r->types, 0);
    }
}

/* 'M', 'E', or 0. */
static char find_type(const struct reader *r, const char *full)
{
    const char *at = (const char *)r->types.data, *end = at ? at + r->types.len : NULL;

    for (; at && at < end; at += strlen(at) + 1) {
        if (!strcmp(at + 2, full))
            return at[0];
    }
    if (orma_schema_find_msg(r->schema, orma_str_from(full)) != ORMA_SCHEMA_NONE)
        return 'M';
    return orma_schema_find_enum(r->schema, orma_str_from(full)) != ORMA_SCHEMA_NONE ? 'E' : 0;
}

/* Writes the full name with a leading dot; 'M', 'E' or 0. */
static char resolve(const struct reader *r, struct orma_str name, char full[2 * NAME_MAX_BYTES])
{
    size_t len = strlen(r->scope);

    if (name.len && name.data[0] == '.') {
        snprintf(full, 2 * NAME_MAX_BYTES, "%.*s", (int)ORMA_MIN(name.len, (size_t)NAME_MAX_BYTES),
                 name.data);
        return find_type(r, full + 1);
    }
    for (;;) {
        snprintf(full, 2 * NAME_MAX_BYTES, ".%.*s%s%.*s", (int)len, r->scope, len ? "." : "",
                 (int)ORMA_MIN(name.len, (size_t)NAME_MAX_BYTES), name.data);
        char kind = find_type(r, full + 1);
        if (kind || !len)
            return kind;
        while (len && r->scope[len - 1] != '.')
            len--;
        len -= len > 0;
    }
}

static int scalar_type(struct orma_str name)
{
    static const char *const names[] = {
        [ORMA_TYPE_DOUBLE] = "double",     [ORMA_TYPE_FLOAT] = "float",
        [ORMA_TYPE_INT64] = "int64",       [ORMA_TYPE_UINT64] = "uint64",
        [ORMA_TYPE_INT32] = "int32",       [ORMA_TYPE_FIXED64] = "fixed64",
        [ORMA_TYPE_FIXED32] = "fixed32",   [ORMA_TYPE_BOOL] = "bool",
        [ORMA_TYPE_STRING] = "string",     [ORMA_TYPE_BYTES] = "bytes",
        [ORMA_TYPE_UINT32] = "uint32",     [ORMA_TYPE_SFIXED32] = "sfixed32",
        [ORMA_TYPE_SFIXED64] = "sfixed64", [ORMA_TYPE_SINT32] = "sint32",
        [ORMA_TYPE_SINT64] = "sint64",
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (names[i] && orma_str_eq(name, orma_str_from(names[i])))
            return (int)i;
    }
    return 0;
}

/* ---- declarations ---- */

/* [options] ; */
static void read_field_end(struct reader *r)
{
    if (is(r, "[")) {
        while (!r->err && r->tok.len && !is(r, "]"))
            next(r);
        expect(r, "]");
    }
    expect(r, ";");
}

struct field_place {
    uint32_t id;          /* the field of the descriptor that it goes to */
    const char *extendee; /* NULL: no extension */
    int oneof;            /* -1: none */
};

static void put_type(struct reader *r, struct orma_str name)
{
    char full[2 * NAME_MAX_BYTES];
    int type = scalar_type(name);

    if (!type) {
        char kind = resolve(r, name, full);

        if (!kind && r->emit)
            fail(r, "the type of this field is unknown");
        type = kind == 'E' ? ORMA_TYPE_ENUM : ORMA_TYPE_MESSAGE;
        orma_pb_put_cstr(r->out, FIELD_TYPE_NAME, full);
    }
    orma_pb_put_u64(r->out, FIELD_TYPE, (uint64_t)type);
}

static void read_field(struct reader *r, struct field_place place)
{
    int label = OPTIONAL;
    size_t field = orma_pb_begin(r->out, place.id);

    if (accept(r, "repeated"))
        label = REPEATED;
    else if (accept(r, "required"))
        label = REQUIRED;
    else
        (void)accept(r, "optional"); /* proto3 and oneofs have no label */
    if (is(r, "group") || is(r, "map"))
        fail(r, "groups and maps are not supported");
    struct orma_str type = read_word(r), name = read_word(r);
    expect(r, "=");
    int64_t number = read_number(r);
    if (!r->err && (number < 1 || number > 0x1fffffff))
        fail(r, "a field number must be between 1 and 536870911");
    orma_pb_put_str(r->out, FIELD_NAME, name);
    if (place.extendee)
        orma_pb_put_cstr(r->out, FIELD_EXTENDEE, place.extendee);
    orma_pb_put_u64(r->out, FIELD_NUMBER, (uint64_t)number);
    orma_pb_put_u64(r->out, FIELD_LABEL, (uint64_t)label);
    if (!r->err)
        put_type(r, type);
    if (place.oneof >= 0)
        orma_pb_put_u64(r->out, FIELD_ONEOF, (uint64_t)place.oneof);
    orma_pb_end(r->out, field);
    read_field_end(r);
}

static void read_enum(struct reader *r, uint32_t id)
{
    struct orma_str name = read_word(r);
    size_t old = enter(r, name), at = orma_pb_begin(r->out, id);

    declare(r, 'E');
    orma_pb_put_str(r->out, ENUM_NAME, name);
    expect(r, "{");
    while (!r->err && r->tok.len && !is(r, "}")) {
        if (is(r, "option") || is(r, "reserved") || is(r, ";")) {
            skip_statement(r);
            continue;
        }
        size_t value = orma_pb_begin(r->out, ENUM_VALUE);

        orma_pb_put_str(r->out, VALUE_NAME, read_word(r));
        expect(r, "=");
        orma_pb_put_i64(r->out, VALUE_NUMBER, read_number(r));
        orma_pb_end(r->out, value);
        read_field_end(r);
    }
    expect(r, "}");
    orma_pb_end(r->out, at);
    leave(r, old);
}

/* extend Name { fields } */
static void read_extend(struct reader *r, uint32_t id)
{
    char full[2 * NAME_MAX_BYTES];
    struct orma_str name = read_word(r);

    if (resolve(r, name, full) != 'M' && r->emit)
        fail(r, "the message to be extended is unknown");
    expect(r, "{");
    while (!r->err && r->tok.len && !is(r, "}"))
        read_field(r, (struct field_place){id, full, -1});
    expect(r, "}");
}

static void read_oneof(struct reader *r, int idx)
{
    struct orma_str name = read_word(r);
    size_t at = orma_pb_begin(r->out, MSG_ONEOF);

    orma_pb_put_str(r->out, ONEOF_NAME, name);
    orma_pb_end(r->out, at);
    expect(r, "{");
    while (!r->err && r->tok.len && !is(r, "}")) {
        if (is(r, "option"))
            skip_statement(r);
        else
            read_field(r, (struct field_place){MSG_FIELD, NULL, idx});
    }
    expect(r, "}");
}

static bool is_skipped(const struct reader *r)
{
    return is(r, "option") || is(r, "reserved") || is(r, "extensions") || is(r, ";") ||
           is(r, "import") || is(r, "service");
}

static void read_message(struct reader *r, uint32_t id)
{
    struct orma_str name = read_word(r);
    size_t old = enter(r, name), at = orma_pb_begin(r->out, id);
    int oneofs = 0;

    declare(r, 'M');
    orma_pb_put_str(r->out, MSG_NAME, name);
    expect(r, "{");
    while (!r->err && r->tok.len && !is(r, "}")) {
        if (is_skipped(r))
            skip_statement(r);
        else if (accept(r, "message"))
            read_message(r, MSG_NESTED);
        else if (accept(r, "enum"))
            read_enum(r, MSG_ENUM);
        else if (accept(r, "extend"))
            read_extend(r, MSG_EXTENSION);
        else if (accept(r, "oneof"))
            read_oneof(r, oneofs++);
        else
            read_field(r, (struct field_place){MSG_FIELD, NULL, -1});
    }
    expect(r, "}");
    orma_pb_end(r->out, at);
    leave(r, old);
}

static void read_file(struct reader *r, const struct orma_proto_source *file)
{
    size_t at = orma_pb_begin(r->out, SET_FILE);

    r->file = file->name;
    r->pos = file->text.data;
    r->end = file->text.data + file->text.len;
    r->line = 1;
    r->depth = 0;
    r->scope[0] = '\0';
    orma_pb_put_cstr(r->out, FILE_NAME, file->name);
    for (next(r); !r->err && r->tok.len;) {
        if (accept(r, "syntax")) {
            expect(r, "=");
            if (is(r, "\"proto3\"") || is(r, "'proto3'"))
                orma_pb_put_cstr(r->out, FILE_SYNTAX, "proto3");
            skip_statement(r);
        } else if (accept(r, "package")) {
            struct orma_str name = read_word(r);

            (void)enter(r, name); /* to the end of the file */
            orma_pb_put_str(r->out, FILE_PACKAGE, name);
            expect(r, ";");
        } else if (is_skipped(r)) {
            skip_statement(r);
        } else if (accept(r, "message")) {
            read_message(r, FILE_MESSAGE);
        } else if (accept(r, "enum")) {
            read_enum(r, FILE_ENUM);
        } else if (accept(r, "extend")) {
            read_extend(r, FILE_EXTENSION);
        } else {
            fail(r, "expected message, enum, extend, import, option or package");
        }
    }
    orma_pb_end(r->out, at);
}

int orma_proto_sources_parse(const struct orma_schema *schema,
                             const struct orma_proto_source *files, size_t num,
                             struct orma_buf *out, struct orma_buf *error)
{
    struct orma_buf scratch = {0};
    struct reader r = {.schema = schema, .out = &scratch, .error = error};
    size_t begun = out->len;

    for (size_t i = 0; i < num && !r.err; i++)
        read_file(&r, &files[i]);
    r.emit = true;
    r.out = out;
    for (size_t i = 0; i < num && !r.err; i++)
        read_file(&r, &files[i]);
    bool oom = scratch.failed || out->failed || r.types.failed;
    orma_buf_fini(&scratch);
    orma_buf_fini(&r.types);
    if (r.err)
        out->len = begun;
    return oom ? -ENOMEM : r.err;
}
