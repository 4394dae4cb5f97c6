#include "probes/python/code.h"

#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/hash.h"

#define OBJECT_TYPE 8 /* of any object; of those of variable size, how many parts it has */
#define OBJECT_SIZE 16
#define UNIT 2u                       /* bytes of an instruction, or of a part of it */
#define UNITS_MAX (UINT64_C(1) << 28) /* no function is longer */
#define TEXT_MAX 4096u                /* characters */
#define TABLE_MAX 65536u
#define HEAD_MAX 512u /* bytes in front of the instructions */

enum { CODE_SHORT_MAX = 9, CODE_ONE_LINE = 10, CODE_NO_COLUMNS = 13, CODE_LONG, CODE_NONE };

bool orma_python_code_head(const struct orma_python_memory *memory,
                           const struct orma_python_layout *layout, uint64_t at,
                           struct orma_python_code *ret)
{
    uint8_t head[HEAD_MAX];
    uint64_t units;
    int32_t line;

    if (at % sizeof(uint64_t) || layout->code_adaptive > sizeof(head) ||
        !memory->read(memory->ctx, at, head, layout->code_adaptive))
        return false;
    memcpy(&ret->type, head + OBJECT_TYPE, sizeof(ret->type));
    memcpy(&units, head + OBJECT_SIZE, sizeof(units));
    memcpy(&line, head + layout->code_firstlineno, sizeof(line));
    memcpy(&ret->filename, head + layout->code_filename, sizeof(ret->filename));
    memcpy(&ret->qualname, head + layout->code_qualname, sizeof(ret->qualname));
    memcpy(&ret->linetable, head + layout->code_linetable, sizeof(ret->linetable));
    if (!units || units > UNITS_MAX)
        return false;
    ret->begin = at + layout->code_adaptive;
    ret->len = units * UNIT;
    ret->line = line > 0 ? (uint32_t)line : 0;
    return true;
}

bool orma_python_code_read(const struct orma_python_memory *memory,
                           const struct orma_python_layout *layout, uint64_t type, uint64_t at,
                           struct orma_python_code *ret)
{
    return orma_python_code_head(memory, layout, at, ret) && ret->type == type;
}

uint64_t orma_python_code_print(const struct orma_python_code *self)
{
    const uint64_t parts[] = {self->type,     self->len,       self->filename,
                              self->qualname, self->linetable, self->line};

    return orma_hash_bytes_from(0, parts, sizeof(parts));
}

/* ---- texts ---- */

static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)(c ? c : ' ');
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd; /* what is no character */
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

static uint32_t character(const uint8_t *chars, size_t i, unsigned width)
{
    uint32_t ret = 0;

    memcpy(&ret, chars + i * width, width); /* little endian, as are the machines that we know */
    return ret;
}

bool orma_python_text(const struct orma_python_memory *memory,
                      const struct orma_python_layout *layout, uint64_t at, char *ret, size_t size)
{
    uint8_t chars[TEXT_MAX];
    uint64_t length;
    uint32_t state;
    size_t len = 0;

    if (at % sizeof(uint64_t) || !orma_python_u64(memory, at + layout->text_length, &length) ||
        !memory->read(memory->ctx, at + layout->text_state, &state, sizeof(state)))
        return false;
    const unsigned width = state >> 2 & 7;
    const bool compact = state & 1u << 5, ascii = state & 1u << 6;
    if ((width != 1 && width != 2 && width != 4) || !compact || !length || length > INT32_MAX)
        return false;
    const size_t num = ORMA_MIN(ORMA_MIN((size_t)length, sizeof(chars) / width), size);
    if (!memory->read(memory->ctx, at + (ascii ? layout->text_ascii : layout->text_compact), chars,
                      num * width))
        return false;
    for (size_t i = 0; i < num && size - len > 4; i++)
        len += put_utf8(ret + len, character(chars, i, width));
    ret[len] = '\0';
    return len > 0;
}

/* ---- lines ---- */

struct table {
    const uint8_t *at, *end;
    bool failed;
};

static uint32_t take_byte(struct table *t)
{
    if (t->at == t->end) {
        t->failed = true;
        return 0;
    }
    return *t->at++;
}

static uint32_t take_varint(struct table *t)
{
    uint32_t byte = take_byte(t), ret = byte & 0x3f;

    for (unsigned shift = 6; byte & 0x40; shift += 6) {
        if (shift > 24) {
            t->failed = true;
            return 0;
        }
        byte = take_byte(t);
        ret |= (byte & 0x3f) << shift;
    }
    return ret;
}

static int64_t take_signed(struct table *t)
{
    const uint32_t val = take_varint(t);

    return val & 1 ? -(int64_t)(val >> 1) : (int64_t)(val >> 1);
}

/* By how much the line changes; *ret_none: these instructions have none. */
static int64_t take_entry(struct table *t, unsigned code, bool *ret_none)
{
    int64_t ret = 0;

    *ret_none = code == CODE_NONE;
    if (code <= CODE_SHORT_MAX) {
        (void)take_byte(t); /* columns, here and below */
    } else if (code < CODE_NO_COLUMNS) {
        (void)take_byte(t);
        (void)take_byte(t);
        ret = code - CODE_ONE_LINE;
    } else if (code < CODE_NONE) {
        ret = take_signed(t);
        for (unsigned i = 0; code == CODE_LONG && i < 3; i++)
            (void)take_varint(t);
    }
    return ret;
}

uint32_t orma_python_line(const struct orma_python_memory *memory,
                          const struct orma_python_layout *layout,
                          const struct orma_python_code *code, uint64_t instr)
{
    const uint64_t unit = instr < code->begin ? 0 : (instr - code->begin) / UNIT;
    uint8_t bytes[TABLE_MAX];
    uint64_t len, at = 0;
    int64_t line = code->line;

    if (!orma_python_u64(memory, code->linetable + OBJECT_SIZE, &len) || len > sizeof(bytes) ||
        !memory->read(memory->ctx, code->linetable + layout->bytes_data, bytes, (size_t)len))
        return 0;
    struct table t = {bytes, bytes + len, false};
    while (t.at < t.end) {
        const uint32_t head = take_byte(&t);
        bool none;

        if (!(head & 0x80))
            return 0;
        line += take_entry(&t, head >> 3 & 0xf, &none);
        at += (head & 7) + 1;
        if (t.failed || line < 0 || line > INT32_MAX)
            return 0;
        if (at > unit)
            return none ? 0 : (uint32_t)line;
    }
    return 0;
}
