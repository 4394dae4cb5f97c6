/*
 * UTF-8: checked, decoded, encoded.
 *
 * Well-formed as in RFC 3629: no overlong form, no surrogate, nothing above 0x10ffff.
 */
#ifndef ORMA_SDK_BASE_UTF8_H
#define ORMA_SDK_BASE_UTF8_H
#include "sdk/base/buf.h"

#define ORMA_UTF8_MAX 4 /* bytes of a character */

/*
 * Bytes of the character that the text begins with (1..4), and its code point. 0: it is not
 * well-formed, or the text is empty; then *ret_code is untouched.
 */
size_t orma_utf8_decode(struct orma_str text, uint32_t *ret_code);

/* Only the length. */
static inline size_t orma_utf8_len(struct orma_str text)
{
    uint32_t code;

    return orma_utf8_decode(text, &code);
}

/*
 * Takes the first character off a text that is not empty: its code point, or U+FFFD and one byte if
 * the text does not begin with a well-formed one.
 */
uint32_t orma_utf8_next(struct orma_str *text);

/* True if all of the text is well-formed. */
bool orma_utf8_is_valid(struct orma_str text);

/*
 * Writes the bytes of `code` < 0x200000 and returns their number, 1..4. It does not judge: for a
 * surrogate come the three bytes that would be its code.
 */
size_t orma_utf8_encode(uint32_t code, uint8_t ret[ORMA_UTF8_MAX]);

/* Appends a code point; false if it is none. */
bool orma_utf8_put(struct orma_buf *out, uint32_t code);
#endif
