#include "processor/serve/http_reply.h"

static void put_end_of_head(struct orma_buf *out, struct orma_str origin)
{
    if (origin.len)
        orma_buf_printf(out, "Access-Control-Allow-Origin: %.*s\r\nVary: Origin\r\n",
                        ORMA_STR_ARG(origin));
    orma_buf_put_str(out, "\r\n");
}

void orma_http_reply(struct orma_buf *out, const char *status, const char *headers,
                     struct orma_str body, struct orma_str origin, bool close)
{
    orma_buf_printf(out, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\nConnection: %s\r\n", status,
                    headers, body.len, close ? "close" : "keep-alive");
    put_end_of_head(out, origin);
    orma_buf_put(out, body.data, body.len);
}

void orma_http_reply_chunks(struct orma_buf *out, struct orma_str origin, bool close)
{
    orma_buf_printf(out,
                    "HTTP/1.1 200 OK\r\n" ORMA_HTTP_PROTO_HEADERS
                    "Transfer-Encoding: chunked\r\nConnection: %s\r\n",
                    close ? "close" : "keep-alive");
    put_end_of_head(out, origin);
}
