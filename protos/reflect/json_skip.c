/* Where values of JSON end, without looking at what they are. */
#include "protos/reflect/json_marks.h"
#include "protos/reflect/json_reader.h"

/* The bytes that a backslash in a text takes the meaning of. `in_text` and `*escaped` are those of
 * where the block begins; `*escaped` becomes that of where it ends. */
ORMA_COLD static uint64_t escaped_bytes(const struct orma_json_marks *m, bool in_text,
                                        bool *escaped)
{
    uint64_t taken = *escaped, left = (m->quote | m->backslash) & ~taken;

    *escaped = false;
    for (; left; left &= left - 1) {
        uint64_t bit = left & -left;

        if (m->quote & bit) {
            in_text = !in_text;
        } else if (in_text) {
            *escaped = bit >> 63;
            taken |= bit << 1;
            left &= ~(bit << 1);
        }
    }
    return taken;
}

/* The bracket that ends the container; 0: not in this block, and `*depth` is that of its end. */
static uint64_t closing(uint64_t open, uint64_t close, size_t *depth)
{
    for (uint64_t left = open | close; left; left &= left - 1) {
        uint64_t bit = left & -left;

        if (open & bit)
            ++*depth;
        else if (!--*depth)
            return bit;
    }
    return 0;
}

static const char *skip_container(const char *pos, const char *end)
{
    uint64_t in_text = 0; /* or all bits */
    bool escaped = false;
    size_t depth = 0;

    for (; pos < end; pos += ORMA_MIN(end - pos, ORMA_JSON_BLOCK)) {
        struct orma_json_marks m = orma_json_marks_of(pos, (size_t)(end - pos));

        if (ORMA_UNLIKELY(m.backslash || escaped))
            m.quote &= ~escaped_bytes(&m, in_text, &escaped);
        uint64_t text = orma_json_parity(m.quote) ^ in_text;
        uint64_t found = closing(m.open & ~text, m.close & ~text, &depth);
        if (found)
            return pos + __builtin_ctzll(found) + 1;
        in_text = -(text >> 63);
    }
    return NULL;
}

/* A number or a word; what can be neither ends with what it holds. */
static const char *skip_word(const char *pos, const char *end)
{
    bool escaped;

    for (; pos < end; pos++) {
        switch (*pos) {
        case '"':
            return orma_json_skip_text(pos + 1, end, &escaped);
        case '{':
        case '[':
            return skip_container(pos, end);
        case '}':
        case ']':
        case ',':
        case ':':
        case ' ':
        case '\t':
        case '\n':
        case '\r':
            return pos;
        }
    }
    return NULL;
}

const char *orma_json_skip(const char *pos, const char *end)
{
    return pos < end && (*pos == '{' || *pos == '[') ? skip_container(pos, end)
                                                     : skip_word(pos, end);
}
