/*
 * UTF-8: checked, measured, written.
 */
#ifndef ORMA_PROTOS_REFLECT_UTF8_H
#define ORMA_PROTOS_REFLECT_UTF8_H
#include "sdk/base/buf.h"

/* Bytes of the character that the text begins with (1..4); 0: it is none, or the text is empty. */
size_t orma_utf8_len(struct orma_str text);

/* True if all of the text is well-formed: no overlong form, no surrogate, nothing above 0x10ffff.
 */
bool orma_utf8_is_valid(struct orma_str text);

/* Appends a code point; false if it is none. */
bool orma_utf8_put(struct orma_buf *out, uint32_t code);
#endif
