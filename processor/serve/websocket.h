/*
 * WebSocket (RFC 6455) as far as a server needs it: the answer to the handshake,
 * frames in, frames out. Fragments are one stream of bytes; text is not used.
 */
#ifndef ORMA_PROCESSOR_SERVE_WEBSOCKET_H
#define ORMA_PROCESSOR_SERVE_WEBSOCKET_H
#include <stdbool.h>

#include "processor/serve/http_request.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_WS_KEY_LEN 24
#define ORMA_WS_FRAME_MAX ((uint64_t)64 << 20)

enum orma_ws_op {
    ORMA_WS_MORE = -1, /* the frame is not complete */
    ORMA_WS_BAD = -2,  /* not masked, too large, or against the rules for its kind */
    ORMA_WS_DATA = 0,
    ORMA_WS_CLOSE,
    ORMA_WS_PING,
    ORMA_WS_PONG,
};

/* Pages of the viewer, and of `more` (a list with commas, may be NULL), may talk to a local port.
 */
bool orma_ws_origin_allowed(struct orma_str origin, const char *more);

/*
 * Appends the answer to a handshake: 101 and true, or the refusal and false. `origin`: the
 * request's if it is allowed, else empty.
 */
bool orma_ws_handshake(const struct orma_http_request *rq, struct orma_str origin,
                       struct orma_buf *out);

/* Sec-WebSocket-Accept for a key of ORMA_WS_KEY_LEN letters. */
void orma_ws_accept(struct orma_str key, struct orma_buf *out);

/* The frame at the begin of `data`, unmasked in place. *ret_used: its length with its head. */
enum orma_ws_op orma_ws_frame(uint8_t *data, size_t len, struct orma_str *ret_payload,
                              size_t *ret_used);

/* Is it a frame (or its begin) that is about the connection: close, ping, pong? */
bool orma_ws_is_control(const uint8_t *data, size_t len);

/* The head of a frame with `len` bytes of payload from the server. At most 10 bytes; their number.
 */
size_t orma_ws_head(enum orma_ws_op op, size_t len, uint8_t *ret);
#endif
