/*
 * The handshake is checked header by header and answered with the SHA-1 of the client's key. A
 * frame has a head of 2 to 14 bytes with its length and a mask; orma_ws_frame() waits until all of
 * it is there and unmasks the payload in place. Control frames may stand between the fragments of a
 * message; data frames are one stream of bytes to the caller, however they were cut.
 */
#include "processor/serve/websocket.h"
#include "sdk/base/base64.h"

#include <endian.h>
#include <string.h>

#define FINAL_BIT 0x80
#define RESERVED_BITS 0x70 /* of extensions; none was agreed on */
#define CONTROL_MAX 125

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* ---- SHA-1, of short texts: the handshake is its only use ---- */

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void sha1_block(uint32_t h[5], const uint8_t block[64])
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

    for (int i = 0; i < 16; i++) {
        memcpy(&w[i], block + 4 * i, 4);
        w[i] = be32toh(w[i]);
    }
    for (int i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                     : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                     : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                              : (b ^ c ^ d) + 0xCA62C1D6;
        uint32_t next = rotate(a, 5) + f + e + w[i];

        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

/* len < 120: at most two blocks. */
static void sha1(const uint8_t *data, size_t len, uint8_t ret[20])
{
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    uint8_t blocks[128] = {0};
    size_t size = len + 9 <= 64 ? 64 : 128;
    uint64_t bits = htobe64((uint64_t)len * 8);

    memcpy(blocks, data, len);
    blocks[len] = 0x80;
    memcpy(blocks + size - 8, &bits, 8);
    for (size_t at = 0; at < size; at += 64)
        sha1_block(h, blocks + at);
    for (int i = 0; i < 5; i++) {
        uint32_t word = htobe32(h[i]);

        memcpy(ret + 4 * i, &word, 4);
    }
}

void orma_ws_accept(struct orma_str key, struct orma_buf *out)
{
    uint8_t text[ORMA_WS_KEY_LEN + sizeof(guid) - 1], digest[20];

    if (key.len != ORMA_WS_KEY_LEN)
        return;
    memcpy(text, key.data, key.len);
    memcpy(text + key.len, guid, sizeof(guid) - 1);
    sha1(text, sizeof(text), digest);
    orma_base64_put(out, (struct orma_str){(const char *)digest, sizeof(digest)});
}

static const char *const viewer_origins = "https://ui.perfetto.dev,http://localhost:10000,"
                                          "http://127.0.0.1:10000";

static bool in_list(struct orma_str list, struct orma_str word)
{
    struct orma_str part;

    while (orma_str_cut(&list, ',', &part)) {
        if (orma_str_eq(orma_str_trim(part), word))
            return true;
    }
    return false;
}

bool orma_ws_origin_allowed(struct orma_str origin, const char *more)
{
    return origin.len &&
           (in_list(orma_str_from(viewer_origins), origin) || in_list(orma_str_from(more), origin));
}

static bool refuse(const char *status, const char *text, struct orma_buf *out)
{
    orma_buf_printf(out, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                    status, strlen(text), text);
    return false;
}

bool orma_ws_handshake(const struct orma_http_request *rq, struct orma_str origin,
                       struct orma_buf *out)
{
    if (!origin.len)
        return refuse("403 Forbidden", "Origin not allowed", out);
    if (!orma_str_eq_c(rq->method, "GET") || !orma_http_has_word(rq->upgrade, "websocket") ||
        rq->ws_key.len != ORMA_WS_KEY_LEN)
        return refuse("400 Bad Request", "not a WebSocket handshake", out);
    if (!orma_str_eq_c(rq->ws_version, "13"))
        return refuse("505 HTTP Version Not Supported", "WebSocket version 13 only", out);
    orma_buf_put_str(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                          "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
    orma_ws_accept(rq->ws_key, out);
    orma_buf_printf(out, "\r\nAccess-Control-Allow-Origin: %.*s\r\nVary: Origin\r\n\r\n",
                    ORMA_STR_ARG(origin));
    return !out->failed;
}

/* ---- frames ---- */

static enum orma_ws_op kind_of(uint8_t first)
{
    switch (first & 0x0f) {
    case 0: /* a continuation */
    case 2:
        return ORMA_WS_DATA;
    case 8:
        return ORMA_WS_CLOSE;
    case 9:
        return ORMA_WS_PING;
    case 10:
        return ORMA_WS_PONG;
    }
    return ORMA_WS_BAD;
}

/* Bytes of the head, or 0: not all there. */
static size_t head_len(const uint8_t *data, size_t len, uint64_t *ret_payload)
{
    unsigned small = data[1] & 0x7f;
    uint64_t big;
    uint16_t middle;

    *ret_payload = small;
    if (small == 126) {
        if (len < 4)
            return 0;
        memcpy(&middle, data + 2, 2);
        *ret_payload = be16toh(middle);
        return 4;
    }
    if (small == 127) {
        if (len < 10)
            return 0;
        memcpy(&big, data + 2, 8);
        *ret_payload = be64toh(big);
        return 10;
    }
    return 2;
}

enum orma_ws_op orma_ws_frame(uint8_t *data, size_t len, struct orma_str *ret_payload,
                              size_t *ret_used)
{
    uint64_t payload;

    if (len < 2)
        return ORMA_WS_MORE;
    enum orma_ws_op kind = kind_of(data[0]);
    if (kind == ORMA_WS_BAD || !(data[1] & 0x80) || data[0] & RESERVED_BITS)
        return ORMA_WS_BAD;
    /* RFC 6455, 5.5: small, and in one piece. */
    if (kind != ORMA_WS_DATA && ((data[1] & 0x7f) > CONTROL_MAX || !(data[0] & FINAL_BIT)))
        return ORMA_WS_BAD;
    size_t head = head_len(data, len, &payload);
    if (!head)
        return ORMA_WS_MORE;
    if (payload > ORMA_WS_FRAME_MAX)
        return ORMA_WS_BAD;
    if (len - head < 4 || len - head - 4 < payload)
        return ORMA_WS_MORE;
    uint8_t *mask = data + head, *body = mask + 4;
    for (uint64_t i = 0; i < payload; i++)
        body[i] ^= mask[i % 4];
    *ret_payload = (struct orma_str){(const char *)body, payload};
    *ret_used = head + 4 + payload;
    return kind;
}

bool orma_ws_is_control(const uint8_t *data, size_t len)
{
    return len && data[0] & 0x08;
}

size_t orma_ws_head(enum orma_ws_op op, size_t len, uint8_t *ret)
{
    uint8_t code = op == ORMA_WS_CLOSE ? 8 : op == ORMA_WS_PING ? 9 : op == ORMA_WS_PONG ? 10 : 2;

    ret[0] = 0x80 | code;
    if (len < 126) {
        ret[1] = (uint8_t)len;
        return 2;
    }
    if (len <= UINT16_MAX) {
        uint16_t size = htobe16((uint16_t)len);

        ret[1] = 126;
        memcpy(ret + 2, &size, 2);
        return 4;
    }
    uint64_t size = htobe64(len);
    ret[1] = 127;
    memcpy(ret + 2, &size, 8);
    return 10;
}
