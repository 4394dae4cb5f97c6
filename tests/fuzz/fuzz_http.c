/* What a browser's side sends: requests of HTTP, frames of WebSocket, the stream of the RPC. */
#include <stdlib.h>
#include <string.h>

#include "processor/serve/http_request.h"
#include "processor/serve/rpc.h"
#include "processor/serve/websocket.h"

static void inside(struct orma_str part, const char *data, size_t size)
{
    if (part.len && (part.data < data || part.len > size - (size_t)(part.data - data)))
        abort();
}

static void http(const char *data, size_t size)
{
    struct orma_http_request rq;

    while (orma_http_request_parse((struct orma_str){data, size}, &rq) == ORMA_HTTP_WHOLE) {
        inside(rq.method, data, size);
        inside(rq.path, data, size);
        inside(rq.body, data, size);
        inside(rq.origin, data, size);
        if (rq.used == 0 || rq.used > size)
            abort();
        data += rq.used;
        size -= rq.used;
    }
}

static void websocket(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1), *at = copy;
    struct orma_str body;
    size_t used;

    if (!copy)
        return;
    if (size)
        memcpy(copy, data, size);
    while (orma_ws_frame(at, size, &body, &used) >= 0) {
        inside(body, (char *)at, size);
        if (used < 2 || used > size)
            abort();
        at += used;
        size -= used;
    }
    free(copy);
}

static bool swallow(void *ctx, const void *data, size_t len)
{
    size_t *total = ctx;

    if (!data || !len)
        abort();
    *total += len;
    return *total < (4u << 20); /* somebody who has enough at some time */
}

static void rpc(const uint8_t *data, size_t size)
{
    struct orma_rpc_stream stream = {0};
    struct orma_rpc *rpc;
    size_t total = 0, half = size / 2;

    if (orma_rpc_new(NULL, &rpc) < 0)
        return;
    if (orma_rpc_feed(rpc, &stream, data, half, swallow, &total))
        (void)orma_rpc_feed(rpc, &stream, data + half, size - half, swallow, &total);
    orma_rpc_stream_fini(&stream);
    orma_rpc_free(rpc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    switch (*data & 3) {
    case 0:
        http((const char *)data + 1, size - 1);
        break;
    case 1:
        websocket(data + 1, size - 1);
        break;
    default:
        rpc(data + 1, size - 1);
    }
    return 0;
}
