/* Where values of JSON end, without looking at what they are. */
#include "protos/reflect/json_marks.h"
#include "protos/reflect/json_reader.h"

/* The bytes that a backslash in a text takes the meaning of. `in_text` and `*escaped` are those of
 * where the bytes begin; `*escaped` becomes that of where they end, behind bit `last`. */
ORMA_COLD static uint64_t escaped_bytes(const struct orma_json_marks *m, bool in_text,
                                        unsigned last, bool *escaped)
{
    uint64_t taken = *escaped, left = (m->quote | m->backslash) & ~taken;

    *escaped = false;
    for (; left; left &= left - 1) {
        uint64_t bit = left & -left;

        if (m->quote & bit) {
            in_text = !in_text;
        } else if (in_text) {
            *escaped = bit >> last;
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

/* Where reading is: in a text or not, and in how many containers. */
struct place {
    uint64_t in_text; /* or all bits */
    size_t depth;
    bool escaped; /* the next byte */
};

/* The marks of the next bytes; returns that of the bracket that ends the container, or 0. `last` is
 * the bit of the last of them. */
static inline uint64_t take_marks(struct place *p, struct orma_json_marks m, unsigned last)
{
    if (ORMA_UNLIKELY(m.backslash || p->escaped)) {
        m.quote &= ~escaped_bytes(&m, p->in_text, last, &p->escaped);
    }
    uint64_t text = orma_json_parity(m.quote, last) ^ p->in_text;
    uint64_t found = closing(m.open & ~text, m.close & ~text, &p->depth);
    p->in_text = -(text >> last & 1);
    return found;
}

static const char *skip_container(const char *pos, const char *end)
{
    struct place p = {0};
    uint64_t found;

#ifdef __SSE2__
    /* Most containers are small. */
    for (unsigned i = 0; i < 3 && end - pos >= 16; i++, pos += 16) {
        found = take_marks(&p, orma_json_marks16(pos), 15);
        if (found)
            return pos + __builtin_ctzll(found) + 1;
    }
#endif
    for (; pos < end; pos += ORMA_MIN(end - pos, ORMA_JSON_BLOCK)) {
        found = take_marks(&p, orma_json_marks_of(pos, (size_t)(end - pos)), 63);
        if (found)
            return pos + __builtin_ctzll(found) + 1;
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
