/*
 * A message is built field by field from the name and value pairs of the call. A value of SQL
 * is put as the type of its field; a blob is unwrapped first, and must be the message that the
 * field wants. An aggregate gathers values into a repeated blob, in the order in which the
 * rows come. Nothing recurses: an inner message is already bytes when it is put into the outer
 * one.
 */
#include "processor/metrics/builder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "sdk/wire/pb_writer.h"

enum { WRAP_TYPE = 1, WRAP_BYTES = 2, WRAP_REPEATED = 3 };
enum { VALUE_INT = 1, VALUE_REAL = 2, VALUE_TEXT = 3, VALUE_MSG = 4 };

/* A value for a field, wherever it came from. */
struct value {
    int kind; /* VALUE_* */
    int64_t i;
    double d;
    struct orma_str bytes; /* the text; the wrapped message */
};

struct builder {
    const struct orma_schema *schema;
    uint32_t msg;
    sqlite3_context *ctx;
    struct orma_buf out;
    bool failed;
};

static void fail(struct builder *b, const struct orma_field *f, const char *fmt, ...)
    ORMA_PRINTF(3, 4);

static void fail(struct builder *b, const struct orma_field *f, const char *fmt, ...)
{
    const char *msg = orma_schema_short_name(orma_schema_msg_name(b->schema, b->msg));
    va_list args;

    va_start(args, fmt);
    char *what = sqlite3_vmprintf(fmt, args);
    va_end(args);
    char *text = sqlite3_mprintf("field %s of message %s: %s",
                                 f ? orma_field_name(b->schema, f) : "?", msg, what ? what : "");
    if (!b->failed && text)
        sqlite3_result_error(b->ctx, text, -1);
    else if (!b->failed)
        sqlite3_result_error_nomem(b->ctx);
    b->failed = true;
    sqlite3_free(text);
    sqlite3_free(what);
}

/* Takes a message value apart. False: it is no such blob. */
static bool read_wrapped(struct orma_str blob, struct orma_str *ret_type,
                         struct orma_str *ret_bytes, struct orma_str *ret_repeated)
{
    struct orma_pb_reader r = orma_pb_reader(blob.data, blob.len);
    struct orma_pb_field f;

    *ret_type = *ret_bytes = *ret_repeated = (struct orma_str){NULL, 0};
    while (orma_pb_next(&r, &f)) {
        struct orma_str data = {(const char *)f.data, f.len};

        if (f.wire != ORMA_PB_LEN)
            return false;
        if (f.id == WRAP_TYPE)
            *ret_type = data;
        else if (f.id == WRAP_BYTES)
            *ret_bytes = data;
        else if (f.id == WRAP_REPEATED)
            *ret_repeated = data;
        else
            return false;
    }
    return !r.failed && (ret_type->data || ret_repeated->data);
}

static struct orma_str blob_of(sqlite3_value *val)
{
    const char *data = sqlite3_value_blob(val);

    return (struct orma_str){data, data ? (size_t)sqlite3_value_bytes(val) : 0};
}

int orma_builder_unwrap(sqlite3_value *val, const char *name, struct orma_str *ret)
{
    struct orma_str blob = blob_of(val), type, repeated;

    *ret = (struct orma_str){"", 0};
    if (!blob.len)
        return 0;
    if (!read_wrapped(blob, &type, ret, &repeated) || repeated.data)
        return -EINVAL;
    return orma_str_eq(type, orma_str_from(name)) ? 0 : -EPROTOTYPE;
}

/* ---- one field ---- */

static bool fits(uint8_t type, int64_t val)
{
    switch (type) {
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SFIXED32:
        return val >= INT32_MIN && val <= INT32_MAX;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_FIXED32:
        return val >= 0 && val <= UINT32_MAX;
    case ORMA_TYPE_BOOL:
        return val == 0 || val == 1;
    }
    return true;
}

static void put_int(struct builder *b, const struct orma_field *f, int64_t val)
{
    if (!fits(f->type, val)) {
        fail(b, f, "%lld is out of range", (long long)val);
        return;
    }
    switch ((enum orma_field_type)f->type) {
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_BOOL:
        orma_pb_put_i64(&b->out, f->number, val);
        break;
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SINT64:
        orma_pb_put_sint(&b->out, f->number, val);
        break;
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_SFIXED32:
        orma_pb_put_fixed32(&b->out, f->number, (uint32_t)val);
        break;
    case ORMA_TYPE_FIXED64:
    case ORMA_TYPE_SFIXED64:
        orma_pb_put_fixed64(&b->out, f->number, (uint64_t)val);
        break;
    case ORMA_TYPE_ENUM:
        if (val < INT32_MIN || val > INT32_MAX ||
            !orma_schema_value_name(b->schema, f->type_idx, (int32_t)val))
            fail(b, f, "the enum has no value %lld", (long long)val);
        orma_pb_put_i64(&b->out, f->number, val);
        break;
    case ORMA_TYPE_UINT64:
        fail(b, f, "fields of type uint64 are not supported");
        break;
    default:
        fail(b, f, "it cannot hold an integer");
    }
}

static void put_real(struct builder *b, const struct orma_field *f, double val)
{
    if (f->type == ORMA_TYPE_DOUBLE)
        orma_pb_put_double(&b->out, f->number, val);
    else if (f->type == ORMA_TYPE_FLOAT)
        orma_pb_put_float(&b->out, f->number, (float)val);
    else
        fail(b, f, "it cannot hold a real number");
}

static void put_text(struct builder *b, const struct orma_field *f, struct orma_str text)
{
    int32_t number;

    if (f->type == ORMA_TYPE_STRING)
        orma_pb_put_str(&b->out, f->number, text);
    else if (f->type != ORMA_TYPE_ENUM)
        fail(b, f, "it cannot hold a string");
    else if (!orma_schema_value_named(b->schema, f->type_idx, text, &number))
        fail(b, f, "the enum has no value '%.*s'", (int)ORMA_MIN(text.len, 100u), text.data);
    else
        orma_pb_put_i64(&b->out, f->number, number);
}

static void put_msg(struct builder *b, const struct orma_field *f, struct orma_str blob)
{
    struct orma_str type, bytes = {"", 0}, repeated;
    const char *want;

    if (f->type != ORMA_TYPE_MESSAGE) {
        fail(b, f, "it cannot hold a message or blob");
        return;
    }
    want = orma_schema_msg_name(b->schema, f->type_idx);
    if (blob.len && (!read_wrapped(blob, &type, &bytes, &repeated) || repeated.data))
        fail(b, f, "the value is not a message made by a function of that name");
    else if (blob.len && !orma_str_eq_c(type, want))
        fail(b, f, "expected a %s, not a %.*s", want, (int)ORMA_MIN(type.len, 200u), type.data);
    else
        orma_pb_put_bytes(&b->out, f->number, bytes.data ? bytes.data : "", bytes.len);
}

static void put_value(struct builder *b, const struct orma_field *f, const struct value *v)
{
    switch (v->kind) {
    case VALUE_INT:
        put_int(b, f, v->i);
        break;
    case VALUE_REAL:
        put_real(b, f, v->d);
        break;
    case VALUE_TEXT:
        put_text(b, f, v->bytes);
        break;
    case VALUE_MSG:
        put_msg(b, f, v->bytes);
        break;
    }
}

static void put_repeated(struct builder *b, const struct orma_field *f, struct orma_str values)
{
    struct orma_pb_reader r = orma_pb_reader(values.data, values.len);
    struct orma_pb_field item;

    while (!b->failed && orma_pb_next(&r, &item)) {
        struct value v = {.kind = (int)item.id};

        if (item.wire == ORMA_PB_LEN)
            v.bytes = (struct orma_str){(const char *)item.data, item.len};
        if ((item.id == VALUE_INT) != (item.wire == ORMA_PB_VARINT) ||
            (item.id == VALUE_REAL) != (item.wire == ORMA_PB_I64) || item.id > VALUE_MSG) {
            r.failed = true;
            break;
        }
        if (item.id == VALUE_INT)
            v.i = orma_pb_i64(&item);
        if (item.id == VALUE_REAL)
            v.d = orma_pb_double(&item);
        put_value(b, f, &v);
    }
    if (r.failed)
        fail(b, f, "the value is not made by RepeatedField()");
}

static void put_blob(struct builder *b, const struct orma_field *f, struct orma_str blob)
{
    struct orma_str type, bytes, repeated = {NULL, 0};
    bool wrapped = blob.len && read_wrapped(blob, &type, &bytes, &repeated);

    if (wrapped && repeated.data && !orma_field_is_repeated(f))
        fail(b, f, "it is not repeated, but the value is");
    else if (wrapped && repeated.data)
        put_repeated(b, f, repeated);
    else if (orma_field_is_repeated(f))
        fail(b, f, "it is repeated: use RepeatedField()");
    else
        put_msg(b, f, blob);
}

static void put_field(struct builder *b, const struct orma_field *f, sqlite3_value *val)
{
    int type = sqlite3_value_type(val);
    struct value v;

    if (type == SQLITE_NULL)
        return;
    if (type == SQLITE_BLOB) {
        put_blob(b, f, blob_of(val));
        return;
    }
    if (orma_field_is_repeated(f)) {
        fail(b, f, "it is repeated: use RepeatedField()");
        return;
    }
    v = (struct value){type == SQLITE_INTEGER ? VALUE_INT
                       : type == SQLITE_FLOAT ? VALUE_REAL
                                              : VALUE_TEXT,
                       sqlite3_value_int64(val),
                       sqlite3_value_double(val),
                       {NULL, 0}};
    if (v.kind == VALUE_TEXT)
        v.bytes = (struct orma_str){(const char *)sqlite3_value_text(val),
                                    (size_t)sqlite3_value_bytes(val)};
    put_value(b, f, &v);
}

static void put_pair(struct builder *b, sqlite3_value *name, sqlite3_value *val)
{
    const char *text =
        sqlite3_value_type(name) == SQLITE_TEXT ? (const char *)sqlite3_value_text(name) : NULL;
    const struct orma_field *f =
        text ? orma_schema_field_named(b->schema, b->msg, orma_str_from(text)) : NULL;

    if (!text)
        fail(b, NULL, "field names must be strings");
    else if (!f)
        fail(b, NULL, "unknown field '%s'", text);
    else
        put_field(b, f, val);
}

static void give(sqlite3_context *ctx, struct orma_buf *blob)
{
    if (blob->failed)
        sqlite3_result_error_nomem(ctx);
    else if (!blob->len)
        sqlite3_result_zeroblob(ctx, 0);
    else
        sqlite3_result_blob64(ctx, blob->data, blob->len, SQLITE_TRANSIENT);
    orma_buf_fini(blob);
}

void orma_builder_build(const struct orma_schema *schema, uint32_t msg, sqlite3_context *ctx,
                        int argc, sqlite3_value **argv)
{
    struct builder b = {.schema = schema, .msg = msg, .ctx = ctx};
    struct orma_buf blob = {0};

    if (argc % 2) {
        sqlite3_result_error(
            ctx, "fields are given as name and value: the number of arguments is odd", -1);
        return;
    }
    for (int i = 0; i < argc && !b.failed; i += 2)
        put_pair(&b, argv[i], argv[i + 1]);
    if (!b.failed && b.out.len) {
        orma_pb_put_cstr(&blob, WRAP_TYPE, orma_schema_msg_name(schema, msg));
        orma_pb_put_bytes(&blob, WRAP_BYTES, b.out.data, b.out.len);
    }
    blob.failed |= b.out.failed;
    orma_buf_fini(&b.out);
    if (b.failed)
        orma_buf_fini(&blob);
    else
        give(ctx, &blob);
}

/* ---- RepeatedField ---- */

struct repeated {
    struct orma_buf values;
    int kind; /* VALUE_* of all of them, 0: none yet */
    bool failed;
};

static int kind_of(sqlite3_value *val)
{
    switch (sqlite3_value_type(val)) {
    case SQLITE_INTEGER:
        return VALUE_INT;
    case SQLITE_FLOAT:
        return VALUE_REAL;
    case SQLITE_TEXT:
        return VALUE_TEXT;
    }
    return VALUE_MSG; /* NULL is an empty message */
}

void orma_builder_repeated_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct repeated *r = sqlite3_aggregate_context(ctx, sizeof(*r));
    int kind = kind_of(argv[0]);
    struct orma_str blob = {"", 0};

    (void)argc;
    if (!r || r->failed) {
        if (!r)
            sqlite3_result_error_nomem(ctx);
        return;
    }
    if (r->kind && r->kind != kind) {
        r->failed = true;
        sqlite3_result_error(ctx, "RepeatedField: all values must have the same type", -1);
        return;
    }
    r->kind = kind;
    switch (kind) {
    case VALUE_INT:
        orma_pb_put_i64(&r->values, VALUE_INT, sqlite3_value_int64(argv[0]));
        break;
    case VALUE_REAL:
        orma_pb_put_double(&r->values, VALUE_REAL, sqlite3_value_double(argv[0]));
        break;
    case VALUE_TEXT:
        blob = (struct orma_str){(const char *)sqlite3_value_text(argv[0]),
                                 (size_t)sqlite3_value_bytes(argv[0])};
        orma_pb_put_bytes(&r->values, VALUE_TEXT, blob.data, blob.len);
        break;
    default:
        blob = blob_of(argv[0]);
        orma_pb_put_bytes(&r->values, VALUE_MSG, blob.data ? blob.data : "", blob.len);
    }
}

void orma_builder_repeated_final(sqlite3_context *ctx)
{
    struct repeated *r = sqlite3_aggregate_context(ctx, 0);
    struct orma_buf blob = {0};

    if (!r)
        return; /* no rows: NULL */
    if (!r->failed && r->kind) {
        orma_pb_put_bytes(&blob, WRAP_REPEATED, r->values.data, r->values.len);
        blob.failed |= r->values.failed;
        give(ctx, &blob);
    }
    orma_buf_fini(&r->values);
}
