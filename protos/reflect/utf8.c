#include "protos/reflect/utf8.h"

static bool is_code_point(uint32_t code)
{
    return code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
}

size_t orma_utf8_len(struct orma_str text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    const uint8_t *p = (const uint8_t *)text.data;

    if (!text.len)
        return 0;
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    if (!len || len > text.len)
        return 0;
    uint32_t code = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    return code >= least[len] && is_code_point(code) ? len : 0;
}

bool orma_utf8_is_valid(struct orma_str text)
{
    for (size_t i = 0, n; i < text.len; i += n) {
        n = (uint8_t)text.data[i] < 0x80
                ? 1
                : orma_utf8_len((struct orma_str){text.data + i, text.len - i});
        if (!n)
            return false;
    }
    return true;
}

bool orma_utf8_put(struct orma_buf *out, uint32_t code)
{
    uint8_t bytes[4];
    size_t n = 0;

    if (!is_code_point(code))
        return false;
    if (code < 0x80) {
        bytes[n++] = (uint8_t)code;
    } else if (code < 0x800) {
        bytes[n++] = (uint8_t)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        bytes[n++] = (uint8_t)(0xe0 | code >> 12);
        bytes[n++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    } else {
        bytes[n++] = (uint8_t)(0xf0 | code >> 18);
        bytes[n++] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80)
        bytes[n++] = (uint8_t)(0x80 | (code & 0x3f));
    orma_buf_put(out, bytes, n);
    return true;
}
