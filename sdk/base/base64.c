#include "sdk/base/base64.h"

void orma_base64_put(struct orma_buf *out, struct orma_str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = (const uint8_t *)bytes.data;

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t n = ORMA_MIN(bytes.len - i, (size_t)3);
        uint32_t bits = (uint32_t)in[i] << 16 | (n > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (n > 2 ? in[i + 2] : 0);
        uint8_t text[4] = {(uint8_t)digits[bits >> 18], (uint8_t)digits[bits >> 12 & 63],
                           (uint8_t)(n > 1 ? digits[bits >> 6 & 63] : '='),
                           (uint8_t)(n > 2 ? digits[bits & 63] : '=')};

        orma_buf_put(out, text, 4);
    }
}

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/* Strict: two at most, the rest is refused as digits. */
static struct orma_str without_padding(struct orma_str text, enum orma_base64_rules rules)
{
    size_t max = rules == ORMA_BASE64_STRICT ? 2 : text.len;

    for (; max && text.len && text.data[text.len - 1] == '='; max--)
        text.len--;
    return text;
}

static bool decode(struct orma_str text, enum orma_base64_rules rules, struct orma_buf *out)
{
    uint32_t bits = 0;
    unsigned have = 0;

    for (size_t i = 0; i < text.len; i++) {
        int d = digit(text.data[i]);

        if (d < 0)
            return false;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            orma_buf_put_byte(out, (uint8_t)(bits >> have));
        }
    }
    /* One digit is not a byte. */
    return have < 6 && (rules == ORMA_BASE64_LENIENT || !(bits & ((1u << have) - 1)));
}

bool orma_base64_decode(struct orma_str text, enum orma_base64_rules rules, struct orma_buf *out)
{
    size_t before = out->len;

    if (decode(without_padding(text, rules), rules, out))
        return true;
    out->len = before;
    return false;
}
