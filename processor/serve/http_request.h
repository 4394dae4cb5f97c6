/*
 * One HTTP/1.1 request out of a buffer. Bytes are the peer's: limits on head and
 * body, no pointer survives the buffer.
 */
#ifndef ORMA_PROCESSOR_SERVE_HTTP_REQUEST_H
#define ORMA_PROCESSOR_SERVE_HTTP_REQUEST_H
#include <stdbool.h>

#include "sdk/base/str.h"

#define ORMA_HTTP_HEAD_MAX ((size_t)64 << 10)
#define ORMA_HTTP_BODY_MAX ((size_t)64 << 20)

enum orma_http_parse {
    ORMA_HTTP_WHOLE,
    ORMA_HTTP_MORE,      /* bytes are missing */
    ORMA_HTTP_BAD,       /* no HTTP request */
    ORMA_HTTP_TOO_LARGE, /* the body is */
};

struct orma_http_request {
    struct orma_str method, path, body; /* path: without what follows a question mark */
    struct orma_str host, origin, connection, upgrade, ws_key, ws_version;
    struct orma_str fetch_site; /* Sec-Fetch-Site: from where a browser's page asks */
    bool has_host, has_origin, has_connection;
    bool browser; /* it says that it is one */
    size_t used;  /* bytes of the whole request */
};

enum orma_http_parse orma_http_request_parse(struct orma_str data, struct orma_http_request *ret);

/* Is it the name of this machine's loopback, with or without a port? */
bool orma_http_host_is_local(struct orma_str host);

/* Does a header's list of words hold this one? Case does not matter. */
bool orma_http_has_word(struct orma_str list, const char *word);
#endif
