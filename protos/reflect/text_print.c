/*
 * A visitor of walk.h: each field becomes a line, each message a pair of braces with deeper
 * indentation. Unknown fields are printed by number; their bytes are tried as text, then as
 * a message, and only in a form that reads back to the same bytes.
 */
#include <errno.h>

#include "protos/reflect/number.h"
#include "protos/reflect/stream.h"
#include "protos/reflect/text.h"
#include "protos/reflect/walk.h"
#include "sdk/base/utf8.h"
#include "sdk/wire/pb_writer.h"

#define FLUSH_BYTES 65536
/* Bytes of unknown meaning are taken for messages inside one another only so deep. */
#define GUESS_DEPTH_MAX 10

struct printer {
    const struct orma_schema *schema;
    uint32_t flags;
    unsigned indent;
    unsigned indent_max; /* messages inside one another: no deeper than the parser goes */
    bool first;          /* nothing printed yet: on one line no blank before */
    struct orma_buf *out;
};

static void put_escape(struct orma_buf *out, uint8_t c)
{
    static const char raw[] = "\n\r\t\"'\\", names[] = "nrt\"'\\";
    const char *at = c ? strchr(raw, c) : NULL;
    uint8_t text[4] = {'\\', (uint8_t)('0' + (c >> 6)), (uint8_t)('0' + (c >> 3 & 7)),
                       (uint8_t)('0' + (c & 7))};

    if (at)
        text[1] = (uint8_t)names[at - raw];
    orma_buf_put(out, text, at ? 2 : 4);
}

void orma_text_quote(struct orma_buf *out, struct orma_str text, bool ascii)
{
    size_t from = 0;

    orma_buf_put_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.data[i];

        if (c >= ' ' && c != '"' && c != '\'' && c != '\\' && c != 0x7f && (c < 0x80 || !ascii))
            continue;
        orma_buf_put(out, text.data + from, i - from);
        put_escape(out, c);
        from = i + 1;
    }
    if (text.len)
        orma_buf_put(out, text.data + from, text.len - from);
    orma_buf_put_byte(out, '"');
}

static void begin_line(struct printer *p)
{
    static const char blanks[] = "                                                                ";

    if (p->flags & ORMA_TEXT_ONE_LINE) {
        if (!p->first)
            orma_buf_put_byte(p->out, ' ');
        p->first = false;
        return;
    }
    for (size_t left = 2 * (size_t)p->indent; left;) {
        size_t n = ORMA_MIN(left, sizeof(blanks) - 1);

        orma_buf_put(p->out, blanks, n);
        left -= n;
    }
}

static void end_line(struct printer *p)
{
    if (!(p->flags & ORMA_TEXT_ONE_LINE))
        orma_buf_put_byte(p->out, '\n');
}

static void put_name(struct printer *p, const struct orma_field *field)
{
    const char *name = orma_field_name(p->schema, field);

    if (field->flags & ORMA_FIELD_EXTENSION)
        orma_buf_put_byte(p->out, '[');
    orma_buf_put_str(p->out, name);
    if (field->flags & ORMA_FIELD_EXTENSION)
        orma_buf_put_byte(p->out, ']');
}

static void put_value(struct printer *p, const struct orma_walk_item *item)
{
    const char *name;

    switch ((enum orma_field_type)item->type) {
    case ORMA_TYPE_DOUBLE:
        orma_number_put_double(p->out, item->real);
        return;
    case ORMA_TYPE_FLOAT:
        orma_number_put_float(p->out, (float)item->real);
        return;
    case ORMA_TYPE_BOOL:
        orma_buf_put_str(p->out, item->u64 ? "true" : "false");
        return;
    case ORMA_TYPE_STRING:
        orma_text_quote(p->out, item->bytes,
                        p->flags & ORMA_TEXT_ASCII || !orma_utf8_is_valid(item->bytes));
        return;
    case ORMA_TYPE_BYTES:
        orma_text_quote(p->out, item->bytes, true);
        return;
    case ORMA_TYPE_ENUM:
        name = orma_schema_value_name(p->schema, item->field->type_idx, (int32_t)item->i64);
        if (name)
            orma_buf_put_str(p->out, name);
        else
            orma_number_put_i64(p->out, item->i64);
        return;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_FIXED64:
        orma_number_put_u64(p->out, item->u64);
        return;
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SINT64:
    case ORMA_TYPE_SFIXED32:
    case ORMA_TYPE_SFIXED64:
    case ORMA_TYPE_GROUP:   /* in no schema */
    case ORMA_TYPE_MESSAGE: /* entered, or visited as bytes */
        break;
    }
    orma_number_put_i64(p->out, item->i64);
}

/* Whole fields, each varint in as few bytes as it can be: only such read back to the same bytes. */
static bool is_canonical(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const uint8_t *start = r.pos;

    for (struct orma_pb_field f; orma_pb_next(&r, &f); start = r.pos) {
        size_t size = orma_varint_size((uint64_t)f.id << 3 | f.wire);

        if (f.wire == ORMA_PB_VARINT)
            size += orma_varint_size(f.num);
        else
            size += f.wire == ORMA_PB_LEN   ? orma_varint_size(f.len) + f.len
                    : f.wire == ORMA_PB_I64 ? 8
                                            : 4;
        if ((size_t)(r.pos - start) != size)
            return false;
    }
    return !r.failed;
}

static bool is_printable(struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.data[i];

        if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
            return false;
    }
    return orma_utf8_is_valid(text);
}

static void put_unknown(struct printer *p, uint32_t number, uint8_t wire, uint64_t bits,
                        struct orma_str bytes, unsigned depth);

static void open_brace(struct printer *p)
{
    orma_buf_put_str(p->out, " {");
    end_line(p);
    p->indent++;
}

static void close_brace(struct printer *p)
{
    p->indent--;
    begin_line(p);
    orma_buf_put_byte(p->out, '}');
    end_line(p);
}

/* Bytes of an unknown field: text if it looks like that, else a message if it could be one. */
static void put_unknown_bytes(struct printer *p, struct orma_str bytes, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    if (!bytes.len || is_printable(bytes) || depth >= GUESS_DEPTH_MAX ||
        p->indent >= p->indent_max || !is_canonical(bytes)) {
        orma_buf_put_str(p->out, ": ");
        orma_text_quote(p->out, bytes, p->flags & ORMA_TEXT_ASCII || !orma_utf8_is_valid(bytes));
        end_line(p);
        return;
    }
    open_brace(p);
    while (orma_pb_next(&r, &f))
        put_unknown(p, f.id, f.wire, f.num, orma_pb_str(&f), depth + 1);
    close_brace(p);
}

/* By number, in the form that says its wire type. */
static void put_unknown(struct printer *p, uint32_t number, uint8_t wire, uint64_t bits,
                        struct orma_str bytes, unsigned depth)
{
    if (p->flags & ORMA_TEXT_KNOWN_ONLY)
        return;
    begin_line(p);
    orma_number_put_u64(p->out, number);
    switch ((enum orma_pb_wire)wire) {
    case ORMA_PB_LEN:
        put_unknown_bytes(p, bytes, depth);
        return;
    case ORMA_PB_VARINT:
        orma_buf_put_str(p->out, ": ");
        orma_number_put_u64(p->out, bits);
        break;
    case ORMA_PB_I64:
        orma_buf_printf(p->out, ": 0x%016llx", (unsigned long long)bits);
        break;
    case ORMA_PB_I32:
        orma_buf_printf(p->out, ": 0x%08llx", (unsigned long long)bits);
        break;
    }
    end_line(p);
}

static int print_value(void *ctx, const struct orma_walk_item *item)
{
    struct printer *p = ctx;

    if (!item->field) {
        put_unknown(p, item->number, orma_field_wire(item->type), item->u64, item->bytes, 0);
    } else {
        begin_line(p);
        put_name(p, item->field);
        orma_buf_put_str(p->out, ": ");
        put_value(p, item);
        end_line(p);
    }
    return p->out->failed ? -ENOMEM : 0;
}

static int print_enter(void *ctx, const struct orma_walk_item *item)
{
    struct printer *p = ctx;

    begin_line(p);
    put_name(p, item->field);
    open_brace(p);
    return 0;
}

static int print_leave(void *ctx, const struct orma_walk_item *item)
{
    (void)item;
    close_brace(ctx);
    return 0;
}

static struct orma_walk printer_walk(struct printer *p, const struct orma_schema *schema,
                                     const struct orma_text_print *opts, struct orma_buf *out)
{
    *p = (struct printer){.schema = schema,
                          .flags = opts ? opts->flags : 0,
                          .indent = opts ? opts->indent : 0,
                          .indent_max = (opts ? opts->indent : 0) + ORMA_TEXT_DEPTH_MAX,
                          .first = true,
                          .out = out};
    return (struct orma_walk){.value = print_value,
                              .enter = print_enter,
                              .leave = print_leave,
                              .depth_max = ORMA_TEXT_DEPTH_MAX,
                              .ctx = p};
}

int orma_text_print(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
                    const struct orma_text_print *opts, struct orma_buf *out)
{
    struct printer p;
    struct orma_walk walk = printer_walk(&p, schema, opts, out);
    int err = orma_walk(schema, msg, data, len, &walk);

    return out->failed ? -ENOMEM : err;
}

int orma_text_print_field(const struct orma_schema *schema, uint32_t msg,
                          const struct orma_pb_field *field, const struct orma_text_print *opts,
                          struct orma_buf *out)
{
    struct printer p;
    struct orma_walk walk = printer_walk(&p, schema, opts, out);
    int err = orma_walk_field(schema, msg, field, &walk);

    return out->failed ? -ENOMEM : err;
}

int orma_text_print_stream(const struct orma_schema *schema, uint32_t msg,
                           struct orma_reflect_source source, const struct orma_text_print *opts,
                           struct orma_reflect_sink sink)
{
    struct orma_field_stream stream = {.source = source};
    struct orma_buf out = {0};
    struct orma_pb_field field;
    struct printer p;
    struct orma_walk walk = printer_walk(&p, schema, opts, &out);
    int err;

    while ((err = orma_field_stream_next(&stream, &field)) > 0) {
        err = orma_walk_field(schema, msg, &field, &walk);
        if (err >= 0 && out.len >= FLUSH_BYTES) {
            err = sink.write(sink.ctx, out.data, out.len);
            orma_buf_clear(&out);
        }
        if (err < 0)
            break;
    }
    if (out.failed)
        err = -ENOMEM;
    /* What was good before malformed bytes is delivered, as the header says. */
    if (out.len && !out.failed && (!err || err == -EBADMSG)) {
        int werr = sink.write(sink.ctx, out.data, out.len);

        err = werr < 0 ? werr : err;
    }
    orma_field_stream_fini(&stream);
    orma_buf_fini(&out);
    return err;
}
