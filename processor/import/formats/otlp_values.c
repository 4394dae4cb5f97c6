/* Values of JSON in messages of OTLP: what all who write them share. */
#include "processor/import/formats/otlp.h"

#include "protos/reflect/json_reader.h"
#include "sdk/base/base64.h"
#include "sdk/base/hex.h"
#include "sdk/wire/pb_writer.h"

/* The number that the name of an enum's value stands for. */
static uint64_t enum_value(struct orma_str text)
{
    static const char *const names[][6] = {
        {"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT",
         "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"},
        {"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR", "", "", ""},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        for (unsigned j = 0; j < ORMA_ARRAY_LEN(names[i]); j++)
            if (orma_str_eq_c(text, names[i][j]))
                return j;
    return 0;
}

uint64_t orma_otlp_number(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    uint64_t val = 0;
    int64_t negative;

    switch (v->type) {
    case ORMA_JSON_BOOL:
        return v->boolean;
    case ORMA_JSON_INT:
        return (uint64_t)v->integer;
    case ORMA_JSON_REAL: /* times of 2^63 and more are none; others may be written with an exponent
                          */
        return orma_json_number(v) >= 0 && orma_json_number(v) < 0x1p63
                   ? (uint64_t)orma_json_number(v)
                   : 0;
    case ORMA_JSON_STRING: {
        struct orma_str text = orma_json_text(v, &w->scratch);

        if (orma_str_to_u64(text, &val))
            return val;
        return orma_str_to_i64(text, &negative) ? (uint64_t)negative : enum_value(text);
    }
    default:
        return 0;
    }
}

/* Leading zeros may be left out. */
static bool read_hex(struct orma_str text, uint8_t *ret, size_t size)
{
    memset(ret, 0, size);
    if (!text.len || text.len > 2 * size)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int digit = orma_hex_digit(text.data[text.len - 1 - i]);

        if (digit < 0)
            return false;
        ret[size - 1 - i / 2] |= (uint8_t)(digit << (i % 2 ? 4 : 0));
    }
    return true;
}

void orma_otlp_put_id(struct orma_otlp_writer *w, uint32_t field, struct orma_str text, size_t size)
{
    uint8_t id[16];

    if (!text.len)
        return;
    orma_buf_clear(&w->bytes);
    /* 16 bytes of base64 are 22 letters at least, and 8 are 11: of hex these would be odd numbers.
     */
    bool base64 = text.len > 2 * size || text.len == (size == 16 ? 22 : 11) ||
                  text.len == (size == 16 ? 24 : 12);
    if (base64 && text.data[text.len - 1] != '=' && read_hex(text, id, size))
        base64 = false;
    if (!base64 && read_hex(text, id, size))
        orma_pb_put_bytes(&w->out, field, id, size);
    else if (orma_base64_decode(text, ORMA_BASE64_LENIENT, &w->bytes))
        orma_pb_put_bytes(&w->out, field, w->bytes.data, w->bytes.len);
    else
        orma_pb_put_str(&w->out, field, text); /* of no length that ids have: it is told there */
}

void orma_otlp_put_pair(struct orma_otlp_writer *w, uint32_t field, struct orma_str key,
                        const struct orma_json_value *v)
{
    size_t outer = orma_pb_begin(&w->out, field), inner;

    orma_pb_put_str(&w->out, ORMA_OTLP_KEY_VALUE_KEY, key);
    inner = orma_pb_begin(&w->out, ORMA_OTLP_KEY_VALUE_VALUE);
    if (v->type == ORMA_JSON_STRING)
        orma_pb_put_str(&w->out, ORMA_OTLP_VALUE_STRING, orma_json_text(v, &w->scratch));
    else if (v->type == ORMA_JSON_BOOL)
        orma_pb_put_u64(&w->out, ORMA_OTLP_VALUE_BOOL, v->boolean);
    else if (v->type == ORMA_JSON_INT)
        orma_pb_put_u64(&w->out, ORMA_OTLP_VALUE_INT, (uint64_t)v->integer);
    else if (v->type == ORMA_JSON_REAL)
        orma_pb_put_double(&w->out, ORMA_OTLP_VALUE_DOUBLE, orma_json_number(v));
    else if (v->type != ORMA_JSON_NULL)
        orma_pb_put_str(&w->out, ORMA_OTLP_VALUE_STRING, v->raw);
    orma_pb_end(&w->out, inner);
    orma_pb_end(&w->out, outer);
}

struct orma_str orma_otlp_keep(struct orma_otlp_writer *w)
{
    struct orma_otlp *self = w->file->state;
    const char *copy = w->out.len ? orma_arena_strdup(&self->arena, orma_buf_str(&w->out)) : "";

    if (!copy || w->out.failed) {
        w->file->imp->model->storage->failed = true;
        return (struct orma_str){NULL, 0};
    }
    return (struct orma_str){copy, w->out.len};
}
