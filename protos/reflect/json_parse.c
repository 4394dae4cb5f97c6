/*
 * Recursive descent over the cursor of json_reader.h, straight into the encoded message:
 *
 *   object -> members -> field by name -> value by the field's type
 *
 * A message is encoded behind a length that is patched at its end (sdk/wire). Packed fields
 * are written as one block; seen.h finds repeated values and oneofs that are set twice.
 * Values of unknown fields are read to the letter, and dropped if the options permit it.
 *
 * The cursor keeps the first failure, of the text or of its meaning, with its place; line and
 * column are counted once, when it is reported (scan.h).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "protos/reflect/json.h"
#include "protos/reflect/json_reader.h"
#include "protos/reflect/number.h"
#include "protos/reflect/scalar.h"
#include "protos/reflect/scan.h"
#include "protos/reflect/seen.h"
#include "sdk/base/base64.h"
#include "sdk/wire/pb_writer.h"

#define TEXT_SHOWN_MAX 200 /* of a name or value, in a message */

struct parser {
    const struct orma_schema *schema;
    struct orma_json_parse *opts;
    struct orma_json_cursor cursor;
    struct orma_json_value value; /* what is being read, a name or a value */
    struct orma_str string;       /* when it is one: with escapes resolved */
    struct orma_buf scratch;      /* may hold that, or the text of a number */
    struct orma_buf *out;
    unsigned depth;
    struct orma_seen seen;
};

static int parse_object(struct parser *p, uint32_t msg);

/* What the cursor came to, once it has stopped. */
static int outcome(const struct parser *p)
{
    return p->cursor.failed ? -EBADMSG : p->scratch.failed ? -ENOMEM : 0;
}

/* A name or value was read. */
static int got(struct parser *p)
{
    if (p->value.type == ORMA_JSON_STRING)
        p->string = orma_json_cursor_text(&p->cursor, &p->value, &p->scratch);
    return outcome(p);
}

/* What is being read is refused, whatever stands there. */
#define FAIL(p, ...)                                                                               \
    (orma_json_cursor_fail(&(p)->cursor, orma_json_place(&(p)->value), __VA_ARGS__), -EBADMSG)

static int expected(struct parser *p, const char *what)
{
    orma_json_cursor_refuse(&p->cursor, &p->value, what);
    return -EBADMSG;
}

/* For "%.*s". */
static int shown_len(const struct parser *p)
{
    return (int)ORMA_MIN(p->string.len, (size_t)TEXT_SHOWN_MAX);
}

static const char *name_of(const struct parser *p, const struct orma_field *field)
{
    return orma_field_name(p->schema, field);
}

static const char *describe(uint8_t type)
{
    if (type == ORMA_TYPE_MESSAGE)
        return "an object";
    return type == ORMA_TYPE_BYTES ? "a string of base64" : orma_scalar_describe(type);
}

static int bad_value(struct parser *p, const struct orma_field *field)
{
    char what[256];

    (void)snprintf(what, sizeof(what), "%s for \"%.120s\"", describe(field->type),
                   name_of(p, field));
    return expected(p, what);
}

/* ---- values ---- */

/* The text of a number, from a number or a string; NULL: neither. */
static const char *number_text(struct parser *p)
{
    struct orma_str text = p->value.type == ORMA_JSON_STRING ? p->string : p->value.raw;

    if (p->value.type == ORMA_JSON_STRING
            ? !orma_json_is_number(text)
            : p->value.type != ORMA_JSON_INT && p->value.type != ORMA_JSON_REAL)
        return NULL;
    if ((const uint8_t *)text.data != p->scratch.data) {
        orma_buf_clear(&p->scratch);
        orma_buf_put(&p->scratch, text.data, text.len);
    }
    return orma_buf_cstr(&p->scratch);
}

/* "12", and "1.2e1", which is the same number. False: not an integer, or above 64 bits. */
static bool to_magnitude(const char *text, uint64_t *ret)
{
    double real;

    if (!text[strspn(text, "0123456789")])
        return orma_number_to_u64(text, ret);
    if (!orma_number_to_double(text, &real) || !(real < 18446744073709551616.0))
        return false;
    *ret = (uint64_t)real;
    return (double)*ret == real;
}

static int parse_int(struct parser *p, const struct orma_field *field, uint64_t *ret)
{
    const char *text = number_text(p);
    bool minus = text && text[0] == '-';
    uint64_t val;

    if (!text)
        return bad_value(p, field);
    if (!to_magnitude(text + minus, &val) || !orma_scalar_from_int(field->type, val, minus, ret))
        return FAIL(p, "%.100s is out of range for \"%s\": expected %s", text, name_of(p, field),
                    describe(field->type));
    return 0;
}

static int parse_real(struct parser *p, const struct orma_field *field, uint64_t *ret)
{
    static const struct {
        const char *text;
        double val;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    const char *text = number_text(p);
    bool minus = text && text[0] == '-', found = text != NULL;
    double val = 0;
    float narrow;

    if (text && field->type == ORMA_TYPE_FLOAT)
        val = orma_number_to_float(text + minus, &narrow) ? (double)narrow : 0;
    else if (text)
        (void)orma_number_to_double(text + minus, &val); /* its form has been checked */
    val = minus ? -val : val;
    for (size_t i = 0; !found && p->value.type == ORMA_JSON_STRING && i < ORMA_ARRAY_LEN(names);
         i++) {
        if (orma_str_eq_c(p->string, names[i].text)) {
            val = names[i].val;
            found = true;
        }
    }
    if (!found)
        return bad_value(p, field);
    *ret = orma_scalar_from_real(field->type, val);
    return 0;
}

static int parse_enum(struct parser *p, const struct orma_field *field, uint64_t *ret,
                      bool *ret_dropped)
{
    struct orma_buf hint = {0};
    int32_t number;

    if (p->value.type != ORMA_JSON_STRING)
        return parse_int(p, field, ret);
    if (orma_schema_value_named(p->schema, field->type_idx, p->string, &number)) {
        *ret = (uint64_t)(int64_t)number;
        return 0;
    }
    if (p->opts->flags & ORMA_JSON_LOSSY) {
        p->opts->dropped++;
        *ret_dropped = true;
        return 0;
    }
    orma_schema_suggest_value(p->schema, field->type_idx, p->string, &hint);
    int err = FAIL(p, "\"%.*s\" is no value of \"%s\"%s", shown_len(p), p->string.data,
                   name_of(p, field), orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return err;
}

static int parse_number(struct parser *p, const struct orma_field *field, uint64_t *ret,
                        bool *ret_dropped)
{
    switch (field->type) {
    case ORMA_TYPE_BOOL:
        *ret = p->value.boolean;
        return p->value.type == ORMA_JSON_BOOL ? 0 : bad_value(p, field);
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        return parse_real(p, field, ret);
    case ORMA_TYPE_ENUM:
        return parse_enum(p, field, ret, ret_dropped);
    }
    return parse_int(p, field, ret);
}

static int parse_bytes(struct parser *p, const struct orma_field *field)
{
    if (p->value.type != ORMA_JSON_STRING)
        return bad_value(p, field);
    size_t begun = orma_pb_begin(p->out, field->number);
    if (field->type == ORMA_TYPE_STRING)
        orma_buf_put(p->out, p->string.data, p->string.len);
    else if (!orma_base64_decode(p->string, ORMA_BASE64_STRICT, p->out))
        return FAIL(p, "\"%s\" wants base64, which this is not", name_of(p, field));
    orma_pb_end(p->out, begun);
    return 0;
}

/* One value, with its tag unless it is packed. */
static int parse_value(struct parser *p, const struct orma_field *field, bool packed)
{
    enum orma_pb_wire wire = orma_field_wire(field->type);
    bool dropped = false;
    uint64_t bits = 0;
    int err;

    if (field->type == ORMA_TYPE_MESSAGE) {
        size_t begun = orma_pb_begin(p->out, field->number);

        if (p->value.type != ORMA_JSON_OBJECT)
            return bad_value(p, field);
        err = parse_object(p, field->type_idx);
        orma_pb_end(p->out, begun);
        return err;
    }
    if (wire == ORMA_PB_LEN)
        return parse_bytes(p, field);
    err = parse_number(p, field, &bits, &dropped);
    if (err < 0 || dropped)
        return err;
    if (!packed)
        orma_pb_put_tag(p->out, field->number, wire);
    orma_scalar_put(p->out, wire, bits);
    return 0;
}

/* From behind '[' to behind ']'. */
static int parse_elements(struct parser *p, const struct orma_field *field)
{
    int err = 0;

    while (!err && orma_json_cursor_element(&p->cursor, &p->value)) {
        err = got(p);
        if (!err)
            err = parse_value(p, field, field->flags & ORMA_FIELD_PACKED);
    }
    return err ? err : outcome(p);
}

static int parse_array(struct parser *p, const struct orma_field *field)
{
    if (p->value.type != ORMA_JSON_ARRAY) {
        char what[256];

        (void)snprintf(what, sizeof(what), "an array for \"%.120s\"", name_of(p, field));
        return expected(p, what);
    }
    if (!(field->flags & ORMA_FIELD_PACKED))
        return parse_elements(p, field);
    size_t before = p->out->len;
    size_t begun = orma_pb_begin(p->out, field->number);
    int err = parse_elements(p, field);
    if (p->out->len == begun)
        p->out->len = before; /* nothing to pack */
    else
        orma_pb_end(p->out, begun);
    return err;
}

/* ---- objects ---- */

static int check_oneof(struct parser *p, const struct orma_seen_msg *m,
                       const struct orma_field *field)
{
    const struct orma_field *held =
        field->oneof ? orma_seen_oneof(&p->seen, m, field)->field : NULL;

    if (!held)
        return 0;
    return FAIL(p, "\"%s\" cannot be set together with \"%s\": both are of the oneof \"%s\"",
                name_of(p, field), name_of(p, held),
                orma_schema_oneof_name(p->schema, m->msg, field->oneof - 1u));
}

static int skip_member(struct parser *p)
{
    if (orma_json_cursor_value(&p->cursor, &p->value))
        (void)orma_json_cursor_skip(&p->cursor, &p->value, p->depth);
    return outcome(p);
}

static int unknown_field(struct parser *p, const struct orma_seen_msg *m)
{
    struct orma_buf hint = {0};

    if (p->opts->flags & ORMA_JSON_LOSSY) {
        p->opts->dropped++;
        return skip_member(p);
    }
    orma_schema_suggest_field(p->schema, m->msg, p->string, &hint);
    int err = FAIL(p, "\"%s\" has no field \"%.*s\"%s",
                   orma_schema_short_name(orma_schema_msg_name(p->schema, m->msg)), shown_len(p),
                   p->string.data, orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return err;
}

static int parse_member(struct parser *p, const struct orma_seen_msg *m)
{
    const struct orma_field *field = orma_schema_field_json(p->schema, m->msg, p->string);

    if (!field)
        return unknown_field(p, m);
    if (orma_seen_mark(&p->seen, m, field))
        return FAIL(p, "\"%s\" is given twice", name_of(p, field));
    if (!orma_json_cursor_value(&p->cursor, &p->value) || got(p) < 0)
        return outcome(p);
    if (p->value.type == ORMA_JSON_NULL) {
        orma_seen_unmark(&p->seen, m, field);
        return 0;
    }
    int err = check_oneof(p, m, field);
    if (!err)
        err = orma_field_is_repeated(field) ? parse_array(p, field) : parse_value(p, field, false);
    if (!err && field->oneof)
        orma_seen_oneof(&p->seen, m, field)->field = field;
    return err;
}

/* From behind '{' to behind '}'. */
static int parse_members(struct parser *p, const struct orma_seen_msg *m)
{
    int err = 0;

    while (!err && orma_json_cursor_key(&p->cursor, &p->value)) {
        err = got(p);
        if (!err)
            err = parse_member(p, m);
    }
    return err ? err : outcome(p);
}

/* From behind '{' to behind '}', which becomes the value for errors. */
static int parse_object(struct parser *p, uint32_t msg)
{
    struct orma_seen_msg m;

    if (!orma_json_cursor_may_enter(&p->cursor, &p->value, p->depth))
        return -EBADMSG;
    int err = orma_seen_open(&p->seen, msg, &m);
    p->depth++;
    if (!err)
        err = parse_members(p, &m);
    p->value = (struct orma_json_value){.raw = {p->cursor.pos - 1, 1}};
    const struct orma_field *missing = err ? NULL : orma_seen_missing(&p->seen, &m);
    if (missing && !(p->opts->flags & ORMA_JSON_PARTIAL))
        err =
            FAIL(p, "this \"%s\" lacks \"%s\", which is required",
                 orma_schema_short_name(orma_schema_msg_name(p->schema, msg)), name_of(p, missing));
    orma_seen_close(&p->seen, &m);
    p->depth--;
    return err;
}

static int parse_text(struct parser *p, uint32_t msg)
{
    if (!orma_json_cursor_read(&p->cursor, &p->value))
        return -EBADMSG;
    int err = p->value.type == ORMA_JSON_OBJECT ? parse_object(p, msg) : expected(p, "an object");

    if (!err && !orma_json_cursor_end(&p->cursor, "the end behind the object"))
        err = -EBADMSG;
    return !err && p->out->failed ? -ENOMEM : err;
}

int orma_json_parse(const struct orma_schema *schema, uint32_t msg, struct orma_str text,
                    struct orma_json_parse *opts, struct orma_buf *out)
{
    static const struct orma_json_rules rules = {.word_max = ORMA_SCAN_TOKEN_MAX,
                                                 .depth_max = ORMA_JSON_DEPTH_MAX};
    struct orma_json_parse none = {0};
    struct parser p = {
        .schema = schema, .opts = opts ? opts : &none, .out = out, .seen = {.schema = schema}};
    struct orma_buf error = {0};
    struct orma_scan scan;
    size_t before = out->len;

    p.opts->dropped = 0;
    orma_scan_init_memory(&scan, text, p.opts->file, p.opts->error);
    int err = orma_scan_skip_mark(&scan);
    p.cursor = orma_json_cursor((struct orma_str){scan.pos, (size_t)(scan.end - scan.pos)}, rules,
                                p.opts->error ? &error : NULL);
    if (!err)
        err = parse_text(&p, msg);
    if (p.scratch.failed)
        err = -ENOMEM; /* what came to nothing for want of memory is not the text's fault */
    if (err == -EBADMSG && p.cursor.failed) {
        orma_scan_move(&scan, p.cursor.failed_at.data, p.cursor.failed_at.len);
        orma_scan_fail(&scan, "%s", orma_buf_cstr(&error));
    }
    if (err < 0)
        out->len = before;
    orma_buf_fini(&error);
    orma_buf_fini(&p.scratch);
    orma_seen_fini(&p.seen);
    return err;
}
