#include "sdk/base/utf8.h"

#include "sdk/base/assert.h"

static bool is_code_point(uint32_t code)
{
    return code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
}

/* By the first byte; 0: none begins so. */
static size_t length_of(uint8_t first)
{
    return first < 0x80   ? 1
           : first < 0xc0 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf8 ? 4
                          : 0;
}

size_t orma_utf8_decode(struct orma_str text, uint32_t *ret_code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    const uint8_t *p = (const uint8_t *)text.data;
    size_t len = text.len ? length_of(p[0]) : 0;

    if (!len || len > text.len)
        return 0;
    uint32_t code = len == 1 ? p[0] : p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < least[len] || !is_code_point(code))
        return 0;
    *ret_code = code;
    return len;
}

uint32_t orma_utf8_next(struct orma_str *text)
{
    uint32_t code = 0xfffd;
    size_t len = orma_utf8_decode(*text, &code);

    len = len ? len : 1;
    *text = (struct orma_str){text->data + len, text->len - len};
    return code;
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

size_t orma_utf8_encode(uint32_t code, uint8_t ret[ORMA_UTF8_MAX])
{
    size_t n = 0;

    ORMA_ASSERT_HOT(code < 0x200000);
    if (code < 0x80) {
        ret[n++] = (uint8_t)code;
        return n;
    }
    if (code < 0x800) {
        ret[n++] = (uint8_t)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        ret[n++] = (uint8_t)(0xe0 | code >> 12);
        ret[n++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    } else {
        ret[n++] = (uint8_t)(0xf0 | code >> 18);
        ret[n++] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        ret[n++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    }
    ret[n++] = (uint8_t)(0x80 | (code & 0x3f));
    return n;
}

bool orma_utf8_put(struct orma_buf *out, uint32_t code)
{
    uint8_t bytes[ORMA_UTF8_MAX];

    if (!is_code_point(code))
        return false;
    orma_buf_put(out, bytes, orma_utf8_encode(code, bytes));
    return true;
}
