/*
 * JSON wants the values of a repeated field side by side, and the bytes may have
 * them anywhere. So each message is read into a list of its values first, which is
 * then put in order; the lists of open messages stand in one stack.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/base/base64.h"
#include "protos/reflect/json.h"
#include "protos/reflect/number.h"
#include "sdk/base/utf8.h"
#include "protos/reflect/walk.h"

struct value {
    struct orma_walk_item item;
    uint32_t seq;
};

struct printer {
    const struct orma_schema *schema;
    struct orma_json_print *opts;
    struct orma_buf *out;
    struct orma_buf values; /* struct value: of each open message */
    unsigned depth;         /* objects inside one another */
    unsigned indent;
};

static int print_object(struct printer *p, uint32_t msg, struct orma_str bytes);

static bool quote(struct orma_buf *out, struct orma_str text, bool in_page)
{
    static const char raw[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    bool replaced = false;

    orma_buf_put_byte(out, '"');
    for (size_t i = 0; i < text.len;) {
        struct orma_str rest = {text.data + i, text.len - i};
        uint8_t c = (uint8_t)text.data[i];
        const char *at = c ? strchr(raw, c) : NULL;
        size_t n = orma_utf8_len(rest);

        if (at) {
            orma_buf_put_byte(out, '\\');
            orma_buf_put_byte(out, (uint8_t)names[at - raw]);
        } else if (c < ' ' || c == 0x7f || (in_page && c == '<')) {
            orma_buf_printf(out, "\\u%04x", c);
        } else if (n) {
            orma_buf_put(out, rest.data, n);
        } else {
            orma_buf_put_str(out, "\xef\xbf\xbd");
            replaced = true;
        }
        i += n ? n : 1;
    }
    orma_buf_put_byte(out, '"');
    return replaced;
}

bool orma_json_quote(struct orma_buf *out, struct orma_str text)
{
    return quote(out, text, false);
}

bool orma_json_quote_in_page(struct orma_buf *out, struct orma_str text)
{
    return quote(out, text, true);
}

static void new_line(struct printer *p)
{
    if (!(p->opts->flags & ORMA_JSON_PRETTY))
        return;
    orma_buf_put_byte(p->out, '\n');
    for (unsigned i = 0; i < p->indent; i++)
        orma_buf_put_str(p->out, "  ");
}

static void put_real(struct printer *p, uint8_t type, double val)
{
    if (isnan(val))
        orma_buf_put_str(p->out, "\"NaN\"");
    else if (isinf(val))
        orma_buf_put_str(p->out, val < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else if (type == ORMA_TYPE_FLOAT)
        orma_number_put_float(p->out, (float)val);
    else
        orma_number_put_double(p->out, val);
}

/* A 64-bit integer, in quotes unless numbers are wanted. */
static void put_i64(struct printer *p, int64_t val)
{
    const char *quote = p->opts->flags & ORMA_JSON_INT64_NUMBERS ? "" : "\"";

    orma_buf_put_str(p->out, quote);
    orma_number_put_i64(p->out, val);
    orma_buf_put_str(p->out, quote);
}

static void put_u64(struct printer *p, uint64_t val)
{
    const char *quote = p->opts->flags & ORMA_JSON_INT64_NUMBERS ? "" : "\"";

    orma_buf_put_str(p->out, quote);
    orma_number_put_u64(p->out, val);
    orma_buf_put_str(p->out, quote);
}

static void put_enum(struct printer *p, const struct orma_walk_item *item)
{
    const char *name =
        p->opts->flags & ORMA_JSON_ENUM_NUMBERS
            ? NULL
            : orma_schema_value_name(p->schema, item->field->type_idx, (int32_t)item->i64);

    if (name)
        orma_buf_printf(p->out, "\"%s\"", name);
    else
        orma_number_put_i64(p->out, item->i64);
}

static int put_value(struct printer *p, const struct orma_walk_item *item)
{
    switch ((enum orma_field_type)item->type) {
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        put_real(p, item->type, item->real);
        return 0;
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_SINT64:
    case ORMA_TYPE_SFIXED64:
        put_i64(p, item->i64);
        return 0;
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED64:
        put_u64(p, item->u64);
        return 0;
    case ORMA_TYPE_BOOL:
        orma_buf_put_str(p->out, item->u64 ? "true" : "false");
        return 0;
    case ORMA_TYPE_STRING:
        p->opts->replaced += orma_json_quote(p->out, item->bytes);
        return 0;
    case ORMA_TYPE_BYTES:
        orma_buf_put_byte(p->out, '"');
        orma_base64_put(p->out, item->bytes);
        orma_buf_put_byte(p->out, '"');
        return 0;
    case ORMA_TYPE_ENUM:
        put_enum(p, item);
        return 0;
    case ORMA_TYPE_MESSAGE:
        return print_object(p, item->field->type_idx, item->bytes);
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SFIXED32:
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_GROUP: /* in no schema */
        break;
    }
    orma_number_put_i64(p->out, item->i64);
    return 0;
}

static int collect(void *ctx, const struct orma_walk_item *item)
{
    struct printer *p = ctx;
    struct value value = {.item = *item, .seq = (uint32_t)(p->values.len / sizeof(struct value))};

    if (!item->field || (item->type == ORMA_TYPE_MESSAGE && p->depth >= ORMA_JSON_DEPTH_MAX)) {
        p->opts->dropped++;
        return 0;
    }
    orma_buf_put(&p->values, &value, sizeof(value));
    return p->values.failed ? -ENOMEM : 0;
}

static int collect_message(void *ctx, const struct orma_walk_item *item)
{
    int err = collect(ctx, item);

    return err < 0 ? err : 1; /* its own turn comes later */
}

static int value_cmp(const void *a_, const void *b_)
{
    const struct value *a = a_, *b = b_;

    if (a->item.number != b->item.number)
        return a->item.number < b->item.number ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static const struct value *value_at(const struct printer *p, size_t i)
{
    return (const struct value *)(const void *)p->values.data + i;
}

/* Fields of a oneof that a later one replaced. `last` is the last value of the field at hand. */
static bool is_replaced(const struct printer *p, const struct value *last, size_t from, size_t to)
{
    for (size_t i = from; last->item.field->oneof && i < to; i++) {
        const struct value *other = value_at(p, i);

        if (other->item.field->oneof == last->item.field->oneof && other->seq > last->seq)
            return true;
    }
    return false;
}

/* A singular message that stands in several pieces: their bytes one behind the other are one. */
static int put_merged(struct printer *p, size_t from, size_t to)
{
    struct orma_buf merged = {0};

    for (size_t i = from; i < to; i++)
        orma_buf_put(&merged, value_at(p, i)->item.bytes.data, value_at(p, i)->item.bytes.len);
    int err = merged.failed
                  ? -ENOMEM
                  : print_object(p, value_at(p, from)->item.field->type_idx, orma_buf_str(&merged));
    orma_buf_fini(&merged);
    return err;
}

/* The list of values moves when inner messages add theirs: each is copied before it is printed. */
static int put_array(struct printer *p, size_t from, size_t to)
{
    int err = 0;

    orma_buf_put_byte(p->out, '[');
    p->indent++;
    for (size_t i = from; !err && i < to; i++) {
        struct orma_walk_item item = value_at(p, i)->item;

        if (i > from)
            orma_buf_put_byte(p->out, ',');
        new_line(p);
        err = put_value(p, &item);
    }
    p->indent--;
    new_line(p);
    orma_buf_put_byte(p->out, ']');
    return err;
}

static void put_key(struct printer *p, const struct orma_field *field)
{
    bool plain = !(p->opts->flags & ORMA_JSON_CAMEL_CASE) && !(field->flags & ORMA_FIELD_EXTENSION);

    orma_buf_put_byte(p->out, '"');
    if (plain)
        orma_buf_put_str(p->out, orma_field_name(p->schema, field));
    else
        orma_field_json_name(p->schema, field, p->out);
    orma_buf_put_str(p->out, p->opts->flags & ORMA_JSON_PRETTY ? "\": " : "\":");
}

/* The values [from, to) of one field. */
static int put_field(struct printer *p, size_t from, size_t to)
{
    struct orma_walk_item last = value_at(p, to - 1)->item;

    put_key(p, last.field);
    if (orma_field_is_repeated(last.field))
        return put_array(p, from, to);
    if (last.type == ORMA_TYPE_MESSAGE && to - from > 1)
        return put_merged(p, from, to);
    return put_value(p, &last);
}

/* The values [from, to) of a message, in order. */
static int put_fields(struct printer *p, size_t from, size_t to)
{
    bool first = true;
    int err = 0;

    for (size_t i = from, end; !err && i < to; i = end) {
        for (end = i + 1; end < to && value_at(p, end)->item.number == value_at(p, i)->item.number;)
            end++;
        if (is_replaced(p, value_at(p, end - 1), from, to))
            continue;
        if (!first)
            orma_buf_put_byte(p->out, ',');
        first = false;
        new_line(p);
        err = put_field(p, i, end);
    }
    return err;
}

static int print_object(struct printer *p, uint32_t msg, struct orma_str bytes)
{
    struct orma_walk walk = {.value = collect, .enter = collect_message, .ctx = p, .depth_max = 1};
    size_t from = p->values.len / sizeof(struct value);

    int err = orma_walk(p->schema, msg, bytes.data, bytes.len, &walk);
    size_t to = p->values.len / sizeof(struct value);
    if (err < 0)
        return err;
    if (to > from)
        qsort(p->values.data + from * sizeof(struct value), to - from, sizeof(struct value),
              value_cmp);
    orma_buf_put_byte(p->out, '{');
    p->depth++;
    p->indent++;
    err = put_fields(p, from, to);
    p->depth--;
    p->indent--;
    if (to > from)
        new_line(p);
    orma_buf_put_byte(p->out, '}');
    p->values.len = from * sizeof(struct value);
    return err;
}

int orma_json_print(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
                    struct orma_json_print *opts, struct orma_buf *out)
{
    struct orma_json_print none = {0};
    struct printer p = {.schema = schema, .opts = opts ? opts : &none, .out = out};
    size_t before = out->len;

    p.opts->dropped = p.opts->replaced = 0;
    int err = print_object(&p, msg, (struct orma_str){data, len});
    orma_buf_fini(&p.values);
    if (out->failed)
        err = -ENOMEM;
    if (err < 0)
        out->len = before;
    return err;
}
