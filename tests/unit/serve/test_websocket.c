#include <criterion/criterion.h>
#include <string.h>

#include "processor/serve/http_request.h"
#include "processor/serve/websocket.h"
#include "tests/support/leaks.h"

/* The example of RFC 6455, section 1.3. */
Test(websocket, answers_the_handshake_of_the_standard)
{
    struct orma_buf out = {0};

    orma_ws_accept(ORMA_STR("dGhlIHNhbXBsZSBub25jZQ=="), &out);
    cr_assert_str_eq(orma_buf_cstr(&out), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}

Test(websocket, reads_frames_of_every_size)
{
    static const size_t sizes[] = {0, 1, 125, 126, 127, 65535, 65536, 70000};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sizes); i++) {
        uint8_t head[10];
        size_t n = orma_ws_head(ORMA_WS_DATA, sizes[i], head), used = 0;
        struct orma_buf frame = {0};
        struct orma_str body;

        head[1] |= 0x80; /* as clients send it: masked, here with zeros */
        orma_buf_put(&frame, head, n);
        orma_buf_put(&frame, "\0\0\0", 4);
        for (size_t k = 0; k < sizes[i]; k++)
            orma_buf_put_byte(&frame, (uint8_t)k);
        for (size_t cut = 0; cut < ORMA_MIN(frame.len, (size_t)20); cut++)
            cr_assert_eq(orma_ws_frame(frame.data, cut, &body, &used), ORMA_WS_MORE);
        cr_assert_eq(orma_ws_frame(frame.data, frame.len, &body, &used), ORMA_WS_DATA);
        cr_assert_eq(body.len, sizes[i]);
        cr_assert_eq(used, frame.len);
        orma_buf_fini(&frame);
    }
    orma_assert_no_leaks();
}

Test(websocket, takes_the_mask_off)
{
    uint8_t frame[] = {0x89, 0x83, 1, 2, 4, 8, 'a' ^ 1, 'b' ^ 2, 'c' ^ 4};
    struct orma_str body;
    size_t used;

    cr_assert_eq(orma_ws_frame(frame, sizeof(frame), &body, &used), ORMA_WS_PING);
    cr_assert(orma_str_eq_c(body, "abc"));
    frame[1] = 3; /* a client must mask */
    cr_assert_eq(orma_ws_frame(frame, sizeof(frame), &body, &used), ORMA_WS_BAD);
}

static enum orma_http_parse parse(const char *text, struct orma_http_request *ret)
{
    return orma_http_request_parse(orma_str_from(text), ret);
}

Test(http_request, reads_heads_and_bodies)
{
    struct orma_http_request rq;

    cr_assert_eq(
        parse("POST /query?x HTTP/1.1\r\nORIGIN: http://a \r\ncontent-length:3\r\n\r\nabcGET", &rq),
        ORMA_HTTP_WHOLE);
    cr_assert(orma_str_eq_c(rq.method, "POST") && orma_str_eq_c(rq.path, "/query"));
    cr_assert(rq.has_origin && orma_str_eq_c(rq.origin, "http://a"));
    cr_assert(orma_str_eq_c(rq.body, "abc") && !rq.has_connection);
    cr_assert_eq(
        rq.used,
        strlen("POST /query?x HTTP/1.1\r\nORIGIN: http://a \r\ncontent-length:3\r\n\r\nabc"));
    cr_assert(orma_http_has_word(ORMA_STR("Upgrade , Keep-Alive"), "keep-alive"));
    cr_assert(!orma_http_has_word(ORMA_STR("keep-alive-not"), "keep-alive"));
}

Test(http_request, knows_the_names_of_the_loopback)
{
    static const char *const local[] = {"localhost",      "LOCALHOST:9001", "127.0.0.1",
                                        "127.0.0.1:9001", "[::1]",          "[::1]:80"};
    static const char *const other[] = {
        "",      "evil.example", "evil.example:9001", "localhost.evil",
        "[::2]", ":80",          "127.0.0.1.evil:1"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(local); i++)
        cr_assert(orma_http_host_is_local(orma_str_from(local[i])), "%s", local[i]);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(other); i++)
        cr_assert(!orma_http_host_is_local(orma_str_from(other[i])), "%s", other[i]);
}

Test(http_request, refuses_what_is_none)
{
    struct orma_http_request rq;
    struct orma_buf large = {0};

    cr_assert_eq(parse("GET / HTTP/1.1\r\n", &rq), ORMA_HTTP_MORE);
    cr_assert_eq(parse("GET /\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length:\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", &rq), ORMA_HTTP_BAD);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n", &rq),
                 ORMA_HTTP_TOO_LARGE);
    cr_assert_eq(parse("GET / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n", &rq),
                 ORMA_HTTP_TOO_LARGE);
    orma_buf_put_str(&large, "GET / HTTP/1.1\r\nX: ");
    while (large.len <= ORMA_HTTP_HEAD_MAX)
        orma_buf_put_str(&large, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
    cr_assert_eq(orma_http_request_parse(orma_buf_str(&large), &rq), ORMA_HTTP_BAD);
    orma_buf_fini(&large);
    orma_assert_no_leaks();
}
