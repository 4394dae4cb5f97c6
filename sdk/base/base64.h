/*
 * Base64 (RFC 4648): how JSON, arg values of traces and WebSocket handshakes write bytes.
 */
#ifndef ORMA_SDK_BASE_BASE64_H
#define ORMA_SDK_BASE_BASE64_H
#include "sdk/base/buf.h"

/* Appends the text, with padding, in the ordinary alphabet. */
void orma_base64_put(struct orma_buf *out, struct orma_str bytes);

enum orma_base64_rules {
    ORMA_BASE64_STRICT,  /* up to two '=' at the end; bits that belong to no byte are zero */
    ORMA_BASE64_LENIENT, /* any number of '=' at the end; such bits are ignored */
};

/*
 * Appends the bytes of a text in the ordinary or the URL alphabet, padded or not. False: it is not
 * base64; then `out` has its former length.
 */
bool orma_base64_decode(struct orma_str text, enum orma_base64_rules rules, struct orma_buf *out);
#endif
