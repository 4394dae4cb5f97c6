/* Bytes of JFR: numbers, texts and values of fields. */
#include "processor/import/formats/jfr.h"

#include "sdk/base/utf8.h"
#include "sdk/base/wide.h"

/* Structs lie in structs; a class that lies in itself would never end. */
#define DEPTH_MAX 16
#define VARINT_BYTES 9

/* ---- numbers ---- */

static uint8_t byte(struct orma_jfr_cursor *c)
{
    if (c->failed || c->at >= c->end) {
        c->failed = true;
        return 0;
    }
    return *c->at++;
}

/* 7 bits a byte, low ones first; the ninth has all its 8. */
uint64_t orma_jfr_varint(struct orma_jfr_cursor *c)
{
    uint64_t val = 0;

    for (unsigned i = 0; i < VARINT_BYTES; i++) {
        const uint8_t b = byte(c);

        if (i == VARINT_BYTES - 1)
            return c->failed ? 0 : val | (uint64_t)b << 56;
        val |= (uint64_t)(b & 0x7f) << (7 * i);
        if (!(b & 0x80))
            break;
    }
    return c->failed ? 0 : val;
}

static uint64_t fixed(struct orma_jfr_cursor *c, unsigned bytes)
{
    uint64_t val = 0;

    while (bytes--)
        val = val << 8 | byte(c);
    return val;
}

static double fixed_real(struct orma_jfr_cursor *c, enum orma_jfr_kind kind)
{
    double d;
    float f;

    if (kind == ORMA_JFR_DOUBLE) {
        const uint64_t bits = fixed(c, 8);

        memcpy(&d, &bits, sizeof(d));
        return d;
    }
    const uint32_t bits = (uint32_t)fixed(c, 4);
    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* ---- texts ---- */

enum { STRING_NULL, STRING_EMPTY, STRING_POOL, STRING_UTF8, STRING_CHARS, STRING_LATIN1 };

/* A value is passed. Few bytes can refer to one long value again and again: with a limit, that is
 * damage and not a load without end. */
static void spend(const struct orma_jfr_chunk *chunk, struct orma_jfr_cursor *c)
{
    if (*chunk->work)
        --*chunk->work;
    else
        c->failed = true;
}

static void skip(struct orma_jfr_cursor *c, uint64_t len)
{
    if (len > (uint64_t)(c->end - c->at))
        c->failed = true;
    else
        c->at += len;
}

/* Code units of UTF-16, each a number. */
static void put_chars(struct orma_jfr_cursor *c, uint64_t num, struct orma_buf *out)
{
    uint32_t high = 0;

    for (; num && !c->failed; num--) {
        uint32_t unit = (uint32_t)orma_jfr_varint(c) & 0xffff;

        if (high && unit >= 0xdc00 && unit < 0xe000) {
            unit = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
            high = 0;
        } else if (high) {
            (void)orma_utf8_put(out, 0xfffd);
            high = 0;
        }
        if (unit >= 0xd800 && unit < 0xdc00)
            high = unit;
        else if (!orma_utf8_put(out, unit))
            (void)orma_utf8_put(out, 0xfffd);
    }
    if (high)
        (void)orma_utf8_put(out, 0xfffd);
}

static struct orma_jfr_class *strings_of(struct orma_jfr_chunk *chunk)
{
    for (uint32_t i = 0; !chunk->strings && i < chunk->classes.len; i++)
        if (chunk->classes.data[i].kind == ORMA_JFR_STRING)
            chunk->strings = i + 1;
    if (!chunk->strings)
        chunk->strings = UINT32_MAX;
    return chunk->strings == UINT32_MAX ? NULL : &chunk->classes.data[chunk->strings - 1];
}

static uint32_t string_at(struct orma_file *file, struct orma_jfr_chunk *chunk,
                          struct orma_jfr_cursor *c, bool in_pool);

/* Each text of the pool is read once. */
static uint32_t string_of_pool(struct orma_file *file, struct orma_jfr_chunk *chunk, uint64_t key)
{
    struct orma_jfr_class *strings = strings_of(chunk);
    const uint64_t known = strings ? orma_map_get(&strings->known, key) : 0;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    struct orma_jfr_cursor there = orma_jfr_find(chunk, strings, key);
    const uint32_t text = there.failed ? 0 : string_at(file, chunk, &there, true);
    if (orma_map_put(&strings->known, key, text))
        file->imp->model->storage->failed = true;
    return text;
}

static uint32_t string_at(struct orma_file *file, struct orma_jfr_chunk *chunk,
                          struct orma_jfr_cursor *c, bool in_pool)
{
    struct orma_jfr *self = file->state;
    const uint8_t kind = byte(c);
    uint64_t len;

    if (kind == STRING_NULL || c->failed)
        return 0;
    if (kind == STRING_EMPTY)
        return ORMA_STR_EMPTY;
    len = orma_jfr_varint(c);
    if (kind == STRING_POOL)
        return in_pool || !chunk ? 0 : string_of_pool(file, chunk, len);
    const uint8_t *at = c->at;
    orma_buf_clear(&self->text);
    if (kind == STRING_CHARS && len <= (uint64_t)(c->end - c->at)) {
        put_chars(c, len, &self->text);
    } else if (kind == STRING_UTF8 || kind == STRING_LATIN1) {
        skip(c, len);
        if (!c->failed && kind == STRING_UTF8)
            return orma_model_str(file->imp->model, (struct orma_str){(const char *)at, len});
        for (uint64_t i = 0; !c->failed && i < len; i++)
            (void)orma_utf8_put(&self->text, at[i]);
    } else {
        c->failed = true;
    }
    file->imp->model->storage->failed |= self->text.failed;
    return c->failed ? 0 : orma_model_str(file->imp->model, orma_buf_str(&self->text));
}

uint32_t orma_jfr_string(struct orma_file *file, struct orma_jfr_chunk *chunk,
                         struct orma_jfr_cursor *c)
{
    return string_at(file, chunk, c, false);
}

/* ---- values ---- */

static void skip_string(const struct orma_jfr_chunk *chunk, struct orma_jfr_cursor *c)
{
    const uint8_t kind = byte(c);

    if (kind == STRING_NULL || kind == STRING_EMPTY)
        return;
    uint64_t len = orma_jfr_varint(c);
    if (kind == STRING_UTF8 || kind == STRING_LATIN1)
        skip(c, len);
    else if (kind == STRING_CHARS)
        for (; len && !c->failed; len--) {
            (void)orma_jfr_varint(c);
            spend(chunk, c);
        }
    else if (kind != STRING_POOL)
        c->failed = true;
}

static void skip_value(const struct orma_jfr_chunk *chunk, const struct orma_jfr_field *field,
                       bool is_element, struct orma_jfr_cursor *c, unsigned depth);

static void skip_struct(const struct orma_jfr_chunk *chunk, const struct orma_jfr_class *class,
                        struct orma_jfr_cursor *c, unsigned depth)
{
    /* Without fields it would take no bytes, and lists of such things no end. */
    if (depth == DEPTH_MAX || !class->fields_num) {
        c->failed = true;
        return;
    }
    for (uint32_t i = 0; i < class->fields_num && !c->failed; i++)
        skip_value(chunk, &chunk->fields.data[class->fields + i], false, c, depth + 1);
}

/* Elements take a byte at least: a count is no more than the bytes that are there. */
static uint64_t count(struct orma_jfr_cursor *c)
{
    const uint64_t num = orma_jfr_varint(c);

    if (num > (uint64_t)(c->end - c->at))
        c->failed = true;
    return c->failed ? 0 : num;
}

static void skip_plain(const struct orma_jfr_chunk *chunk, const struct orma_jfr_class *class,
                       struct orma_jfr_cursor *c)
{
    switch (class->kind) {
    case ORMA_JFR_BOOLEAN:
    case ORMA_JFR_BYTE:
        (void)byte(c);
        break;
    case ORMA_JFR_CHAR:
    case ORMA_JFR_INTEGER:
        (void)orma_jfr_varint(c);
        break;
    case ORMA_JFR_FLOAT:
        skip(c, 4);
        break;
    case ORMA_JFR_DOUBLE:
        skip(c, 8);
        break;
    default:
        skip_string(chunk, c);
    }
}

static void skip_value(const struct orma_jfr_chunk *chunk, const struct orma_jfr_field *field,
                       bool is_element, struct orma_jfr_cursor *c, unsigned depth)
{
    spend(chunk, c);
    if (field->is_array && !is_element) {
        for (uint64_t num = count(c); num && !c->failed; num--) {
            const uint8_t *at = c->at;

            skip_value(chunk, field, true, c, depth);
            c->failed |= c->at == at; /* an element of nothing */
        }
    } else if (field->in_pool) {
        (void)orma_jfr_varint(c);
    } else if (field->class == ORMA_JFR_NO_CLASS) {
        c->failed = true;
    } else {
        const struct orma_jfr_class *class = &chunk->classes.data[field->class];

        if (class->kind == ORMA_JFR_STRUCT)
            skip_struct(chunk, class, c, depth);
        else
            skip_plain(chunk, class, c);
    }
}

void orma_jfr_skip(const struct orma_jfr_chunk *chunk, const struct orma_jfr_class *class,
                   struct orma_jfr_cursor *c)
{
    if (class->kind == ORMA_JFR_STRUCT)
        skip_struct(chunk, class, c, 0);
    else
        skip_plain(chunk, class, c);
}

static uint32_t letter(struct orma_file *file, struct orma_jfr_cursor *c)
{
    struct orma_jfr *self = file->state;

    orma_buf_clear(&self->text);
    put_chars(c, 1, &self->text);
    file->imp->model->storage->failed |= self->text.failed;
    return orma_model_str(file->imp->model, orma_buf_str(&self->text));
}

/* Of a number of so many bits, which may be longer where it is written. */
static int64_t whole(struct orma_jfr_cursor *c, unsigned bits, bool is_unsigned)
{
    const uint64_t val = orma_jfr_varint(c);

    if (bits == 32)
        return is_unsigned ? (int64_t)(uint32_t)val : (int32_t)val;
    if (bits == 16)
        return is_unsigned ? (int64_t)(uint16_t)val : (int16_t)val;
    return (int64_t)val;
}

static void read_plain(struct orma_file *file, struct orma_jfr_chunk *chunk,
                       struct orma_jfr_cursor *c, struct orma_jfr_value *ret)
{
    const bool is_unsigned = ret->field->is_unsigned;
    uint8_t raw;

    switch (ret->kind) {
    case ORMA_JFR_BOOLEAN:
        ret->integer = byte(c) != 0;
        break;
    case ORMA_JFR_BYTE:
        raw = byte(c);
        ret->integer = is_unsigned ? (int64_t)raw : (int8_t)raw;
        break;
    case ORMA_JFR_INTEGER:
        ret->integer = whole(c, chunk->classes.data[ret->field->class].bits, is_unsigned);
        break;
    case ORMA_JFR_CHAR:
        ret->text = letter(file, c);
        ret->kind = ORMA_JFR_STRING;
        break;
    case ORMA_JFR_FLOAT:
    case ORMA_JFR_DOUBLE:
        ret->real = fixed_real(c, ret->kind);
        break;
    default:
        ret->text = orma_jfr_string(file, chunk, c);
        ret->is_null = !ret->text;
    }
}

void orma_jfr_element(struct orma_file *file, struct orma_jfr_chunk *chunk,
                      const struct orma_jfr_field *field, struct orma_jfr_cursor *c,
                      struct orma_jfr_value *ret)
{
    *ret = (struct orma_jfr_value){.field = field, .in_pool = field->in_pool, .data = c->at};
    if (field->in_pool) {
        ret->integer = (int64_t)orma_jfr_varint(c);
    } else if (field->class == ORMA_JFR_NO_CLASS) {
        c->failed = true;
    } else {
        ret->kind = chunk->classes.data[field->class].kind;
        if (ret->kind == ORMA_JFR_STRUCT)
            skip_value(chunk, field, true, c, 0);
        else
            read_plain(file, chunk, c, ret);
    }
}

void orma_jfr_value(struct orma_file *file, struct orma_jfr_chunk *chunk,
                    const struct orma_jfr_field *field, struct orma_jfr_cursor *c,
                    struct orma_jfr_value *ret)
{
    if (!field->is_array) {
        orma_jfr_element(file, chunk, field, c, ret);
        return;
    }
    struct orma_jfr_cursor inside = *c;
    const uint64_t num = count(&inside);

    *ret = (struct orma_jfr_value){.field = field, .in_pool = field->in_pool};
    ret->num = (uint32_t)ORMA_MIN(num, (uint64_t)UINT32_MAX);
    ret->data = inside.at;
    skip_value(chunk, field, false, c, 0);
}

struct orma_jfr_class *orma_jfr_class(struct orma_jfr_chunk *chunk, uint64_t id)
{
    const uint64_t at = orma_map_get(&chunk->by_id, id);

    return at < chunk->classes.len ? &chunk->classes.data[at] : NULL;
}

struct orma_jfr_cursor orma_jfr_find(const struct orma_jfr_chunk *chunk,
                                     const struct orma_jfr_class *class, uint64_t key)
{
    const uint64_t at = orma_map_get(&class->pool, key);

    if (at == ORMA_MAP_NONE)
        return (struct orma_jfr_cursor){chunk->end, chunk->end, true};
    return (struct orma_jfr_cursor){chunk->begin + at, chunk->end, false};
}

bool orma_jfr_member(struct orma_file *file, struct orma_jfr_chunk *chunk,
                     const struct orma_jfr_class *class, struct orma_jfr_cursor c, const char *name,
                     struct orma_jfr_value *ret)
{
    for (uint32_t i = 0; i < class->fields_num && !c.failed; i++) {
        const struct orma_jfr_field *field = &chunk->fields.data[class->fields + i];

        if (!orma_jfr_is(file, field->name, name)) {
            skip_value(chunk, field, false, &c, 0);
            continue;
        }
        orma_jfr_value(file, chunk, field, &c, ret);
        return !c.failed;
    }
    return false;
}

/* ---- times ---- */

bool orma_jfr_ticks(const struct orma_jfr_chunk *chunk, int64_t ticks, int64_t *ret)
{
    const struct orma_wide ns = orma_wide_div(orma_wide_mul_signed(ticks, 1000000000),
                                              (uint64_t)chunk->ticks_per_second);

    *ret = (int64_t)ns.low;
    return orma_wide_fits(ns);
}

bool orma_jfr_time(const struct orma_jfr_chunk *chunk, int64_t ticks, int64_t *ret)
{
    int64_t since, ns;

    return !__builtin_sub_overflow(ticks, chunk->start_ticks, &since) &&
           orma_jfr_ticks(chunk, since, &ns) && !__builtin_add_overflow(chunk->start_ns, ns, ret) &&
           *ret > 0;
}
