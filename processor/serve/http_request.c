#include "processor/serve/http_request.h"

#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"

static bool is_name(struct orma_str s, const char *name)
{
    return s.len == strlen(name) && !strncasecmp(s.data, name, s.len);
}

bool orma_http_has_word(struct orma_str list, const char *word)
{
    struct orma_str part;

    while (orma_str_cut(&list, ',', &part)) {
        if (is_name(orma_str_trim(part), word))
            return true;
    }
    return false;
}

bool orma_http_host_is_local(struct orma_str host)
{
    for (size_t i = host.len; i > 0 && host.data[i - 1] != ']'; i--) {
        if (host.data[i - 1] == ':') {
            host.len = i - 1;
            break;
        }
    }
    return is_name(host, "localhost") || is_name(host, "127.0.0.1") || is_name(host, "[::1]");
}

/* The next line without its end. */
static bool next_line(struct orma_str *head, struct orma_str *ret)
{
    if (!head->len || !orma_str_cut(head, '\n', ret))
        return false;
    if (ret->len && ret->data[ret->len - 1] == '\r')
        ret->len--;
    return true;
}

/* Each line ends as it should: with half of an end, others see other lines. */
static bool has_whole_ends(struct orma_str head)
{
    for (size_t i = 0; i < head.len; i++) {
        if (head.data[i] == '\n' && (!i || head.data[i - 1] != '\r'))
            return false;
    }
    return true;
}

/* Digits alone: to others 0x10 is a zero, and 010 is ten. */
static bool is_decimal(struct orma_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
    }
    return s.len == 1 || (s.len > 1 && s.data[0] != '0');
}

#define NO_LENGTH UINT64_MAX

/* A name and a value that all readers see in the same way: somebody between us and the client may
 * take "Origin : x", a line that goes on, or a CR alone for something else than we do. */
static bool is_plain_header(struct orma_str name, struct orma_str value)
{
    static const char also[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if (!(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z') &&
            !memchr(also, c, sizeof(also) - 1))
            return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.data[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return name.len;
}

/* False: no header; or a length that is no number, or not the one that was said before. */
static bool take_header(struct orma_http_request *rq, struct orma_str line, uint64_t *length)
{
    struct orma_str name, value = line;

    if (!orma_str_find(line, ORMA_STR(":")) || !orma_str_cut(&value, ':', &name) ||
        !is_plain_header(name, value))
        return false;
    value = orma_str_trim(value);
    if (is_name(name, "Content-Length")) {
        uint64_t before = *length;

        if (!is_decimal(value) || !orma_str_to_u64(value, length))
            return false;
        *length = ORMA_MIN(*length, NO_LENGTH - 1); /* too large, and not the mark of none */
        /* Two that differ: somebody between us and the client may believe the other one. */
        return before == NO_LENGTH || before == *length;
    }
    if (is_name(name, "Transfer-Encoding"))
        return is_name(value, "identity");
    if (is_name(name, "Host")) {
        if (rq->has_host) /* somebody between us and the client may look at the other one */
            return false;
        rq->host = value;
        rq->has_host = true;
    } else if (is_name(name, "Origin")) {
        if (rq->has_origin)
            return false;
        rq->origin = value;
        rq->has_origin = true;
    } else if (is_name(name, "Sec-Fetch-Site")) {
        rq->fetch_site = value;
        rq->browser = true;
    } else if (is_name(name, "User-Agent")) {
        rq->browser |= orma_str_starts(value, ORMA_STR("Mozilla"));
    } else if (is_name(name, "Referer")) {
        rq->browser = true;
    } else if (is_name(name, "Connection")) {
        rq->connection = value;
        rq->has_connection = true;
    } else if (is_name(name, "Upgrade")) {
        rq->upgrade = value;
    } else if (is_name(name, "Sec-WebSocket-Key")) {
        rq->ws_key = value;
    } else if (is_name(name, "Sec-WebSocket-Version")) {
        rq->ws_version = value;
    }
    return true;
}

/* "METHOD PATH HTTP/1.x" */
static bool take_first_line(struct orma_http_request *rq, struct orma_str line)
{
    struct orma_str path, ignored;

    if (!orma_str_cut(&line, ' ', &rq->method) || !orma_str_cut(&line, ' ', &path))
        return false;
    if (!orma_str_starts(line, ORMA_STR("HTTP/1.")) || !rq->method.len || !path.len)
        return false;
    rq->path = path;
    (void)orma_str_cut(&path, '?', &ignored);
    rq->path.len = ignored.len;
    return true;
}

enum orma_http_parse orma_http_request_parse(struct orma_str data, struct orma_http_request *ret)
{
    struct orma_str part = {data.data,
                            data.len < ORMA_HTTP_HEAD_MAX ? data.len : ORMA_HTTP_HEAD_MAX};
    const char *end = orma_str_find(part, ORMA_STR("\r\n\r\n"));
    struct orma_str head, line;
    uint64_t length = NO_LENGTH;

    if (!end)
        return data.len >= ORMA_HTTP_HEAD_MAX ? ORMA_HTTP_BAD : ORMA_HTTP_MORE;
    *ret = (struct orma_http_request){.used = (size_t)(end - data.data) + 4};
    head = (struct orma_str){data.data, (size_t)(end - data.data)};
    if (!has_whole_ends(head) || !next_line(&head, &line) || !take_first_line(ret, line))
        return ORMA_HTTP_BAD;
    while (next_line(&head, &line)) {
        if (!take_header(ret, line, &length))
            return ORMA_HTTP_BAD;
    }
    if (length == NO_LENGTH)
        length = 0;
    if (length > ORMA_HTTP_BODY_MAX)
        return ORMA_HTTP_TOO_LARGE;
    if (length > data.len - ret->used)
        return ORMA_HTTP_MORE;
    ret->body = (struct orma_str){data.data + ret->used, length};
    ret->used += length;
    return ORMA_HTTP_WHOLE;
}
