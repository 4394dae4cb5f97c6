/*
 * Base64 (RFC 4648): how JSON, and arg values of traces, write bytes.
 */
#ifndef ORMA_PROTOS_REFLECT_BASE64_H
#define ORMA_PROTOS_REFLECT_BASE64_H
#include "sdk/base/buf.h"

/* Appends the text, with padding, in the ordinary alphabet. */
void orma_base64_put(struct orma_buf *out, struct orma_str bytes);

/*
 * Appends the bytes of a text in the ordinary or the URL alphabet, padded or not. False: it is no
 * base64; then `out` is as it was.
 */
bool orma_base64_decode(struct orma_str text, struct orma_buf *out);
#endif
