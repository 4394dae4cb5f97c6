/* Heads and bodies of HTTP responses, as bytes. */
#ifndef ORMA_PROCESSOR_SERVE_HTTP_REPLY_H
#define ORMA_PROCESSOR_SERVE_HTTP_REPLY_H
#include <stdbool.h>

#include "sdk/base/buf.h"

#define ORMA_HTTP_PROTO_HEADERS                                                                    \
    "Cache-Control: no-cache\r\nContent-Type: application/x-protobuf\r\n"

/* A whole response. `origin`: who may read it, empty: not said. `close`: the last one. */
void orma_http_reply(struct orma_buf *out, const char *status, const char *headers,
                     struct orma_str body, struct orma_str origin, bool close);

/* The head of one that comes in chunks; the last chunk is "0\r\n\r\n". */
void orma_http_reply_chunks(struct orma_buf *out, struct orma_str origin, bool close);
#endif
