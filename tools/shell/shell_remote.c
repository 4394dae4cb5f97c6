/*
 * --remote ADDR: a query that a running server answers.
 *
 * Each statement is one request (STATEMENT_STREAMING), so that every result is
 * printed, as it is without a server. The stream of the RPC goes over a unix
 * socket as it is, over TCP as bodies of HTTP requests.
 */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protos/fields/trace_processor.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tools/shell/shell_impl.h"

#define PROGRAM ORMA_SHELL_NAME
#define BLOCK ((size_t)256 << 10)
#define RESPONSE_MAX ((uint64_t)256 << 20)

struct remote {
    const char *addr;
    int fd;
    bool http;
    struct orma_buf in;   /* bytes that came and are not used yet */
    struct orma_buf body; /* of HTTP: the stream, taken out of its chunks */
    uint64_t seq;
    bool printed; /* a result: the next one stands behind an empty line */
};

static int complain(const struct remote *r, const char *why)
{
    fprintf(stderr, PROGRAM ": --remote %s: %s\n", r->addr, why);
    return 1;
}

/* ---- connecting ---- */

static int connect_unix(const char *path)
{
    ORMA_AUTO(orma_fd_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int taken;

    if (strlen(path) >= sizeof(addr.sun_path))
        return -ENAMETOOLONG;
    memcpy(addr.sun_path, path, strlen(path) + 1);
    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
        return -errno;
    taken = fd;
    fd = -1;
    return taken;
}

static int connect_tcp(const char *addr)
{
    const char *colon = strrchr(addr, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char *host = strndup(addr, (size_t)(colon - addr));
    int fd = -EHOSTUNREACH;

    if (!host || getaddrinfo(*host ? host : "localhost", colon + 1, &hints, &found))
        found = NULL;
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
            int err = errno;

            orma_fd_close(&fd);
            fd = -err;
        }
    }
    if (found)
        freeaddrinfo(found);
    free(host);
    return fd;
}

/* host:port, a path, NAME.sock, or the name of a server. */
static int open_remote(struct remote *r)
{
    size_t len = strlen(r->addr);
    struct orma_buf path = {0};
    int fd;

    if (strchr(r->addr, '/') || (len > 5 && !strcmp(r->addr + len - 5, ".sock"))) {
        fd = connect_unix(r->addr);
    } else if (strchr(r->addr, ':')) {
        r->http = true;
        fd = connect_tcp(r->addr);
    } else {
        fd = orma_shell_socket_path(r->addr, &path);
        if (fd == 0)
            fd = connect_unix(orma_buf_cstr(&path));
    }
    orma_buf_fini(&path);
    r->fd = fd < 0 ? -1 : fd;
    return fd < 0 ? complain(r, fd == -ENOENT || fd == -ECONNREFUSED
                                    ? "no server there; 'server unix' or 'server http' starts one"
                                    : orma_shell_socket_why(-fd))
                  : 0;
}

/* ---- bytes ---- */

/* More bytes into `in`. False at the end. */
static bool receive(struct remote *r)
{
    ssize_t n;

    if (!orma_buf_reserve(&r->in, BLOCK))
        return false;
    do {
        n = recv(r->fd, r->in.data + r->in.len, BLOCK, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0)
        r->in.len += (size_t)n;
    return n > 0;
}

static bool send_request(struct remote *r, const struct orma_buf *request)
{
    struct orma_buf head = {0};
    bool good;

    if (r->http)
        orma_buf_printf(&head, "POST /rpc HTTP/1.1\r\nHost: %s\r\nContent-Length: %zu\r\n\r\n",
                        r->addr, request->len);
    good = !head.failed && orma_fd_write_all(r->fd, head.data, head.len) == 0 &&
           orma_fd_write_all(r->fd, request->data, request->len) == 0;
    orma_buf_fini(&head);
    return good;
}

/* Takes `what` and all in front of it away; what was in front is `ret`. False: it never came. */
static bool take_until(struct remote *r, struct orma_str what, char *ret, size_t size)
{
    const char *found;

    while (!(found = orma_str_find(orma_buf_str(&r->in), what))) {
        if (r->in.len > ((size_t)64 << 10) || !receive(r))
            return false;
    }
    size_t len = (size_t)(found - (const char *)r->in.data);
    snprintf(ret, size, "%.*s", (int)ORMA_MIN(len, size - 1), (const char *)r->in.data);
    orma_buf_consume(&r->in, len + what.len);
    return true;
}

/* The whole answer to a request over HTTP, into `body`. False: it is none. */
static bool read_http(struct remote *r)
{
    char head[4096], size_text[32];
    uint64_t size = 1;

    if (!take_until(r, ORMA_STR("\r\n\r\n"), head, sizeof(head)) ||
        strncmp(head, "HTTP/1.1 200", 12))
        return false;
    while (size) {
        if (!take_until(r, ORMA_STR("\r\n"), size_text, sizeof(size_text)))
            return false;
        size = strtoull(size_text, NULL, 16);
        if (size > RESPONSE_MAX)
            return false;
        while (r->in.len < size + 2) {
            if (!receive(r))
                return false;
        }
        orma_buf_put(&r->body, r->in.data, size);
        orma_buf_consume(&r->in, size + 2);
    }
    return !r->body.failed;
}

/* The next message of the stream; its bytes stay until the next call. False: none comes. */
static bool next_message(struct remote *r, size_t *used, struct orma_str *ret)
{
    struct orma_buf *from = r->http ? &r->body : &r->in;
    struct orma_pb_field f;

    orma_buf_consume(from, *used);
    *used = 0;
    for (;;) {
        struct orma_pb_reader reader = orma_pb_reader(from->data, from->len);

        if (from->len && orma_pb_next(&reader, &f) && f.wire == ORMA_PB_LEN) {
            *used = (size_t)(f.data + f.len - from->data);
            *ret = orma_pb_str(&f);
            return true;
        }
        if (from->len > RESPONSE_MAX || r->http || !receive(r))
            return false;
    }
}

/* ---- results ---- */

/* Of one statement, over its messages. */
struct result {
    char *names[256];
    size_t columns;
    bool error, last, executed;
    uint64_t tail;
};

static void print_names(struct remote *r, const struct result *res)
{
    if (r->printed)
        putchar('\n');
    r->printed = true;
    for (size_t i = 0; i < res->columns; i++)
        printf("%s\"%s\"", i ? "," : "", res->names[i]);
    putchar('\n');
}

/* Kinds of cells, and where the values of each kind go on. */
struct cells {
    struct orma_str kinds, varints, doubles, texts;
    struct orma_pb_reader blobs;
};

static void print_cell(struct cells *c, uint8_t kind)
{
    struct orma_pb_reader numbers = orma_pb_reader(c->varints.data, c->varints.len);
    double number = 0;

    switch (kind) {
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_VARINT:
        printf("%" PRId64, (int64_t)orma_pb_varint(&numbers));
        c->varints.len -= (size_t)(numbers.pos - (const uint8_t *)c->varints.data);
        c->varints.data = (const char *)numbers.pos;
        break;
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_FLOAT64:
        if (c->doubles.len >= sizeof(number)) {
            memcpy(&number, c->doubles.data, sizeof(number));
            c->doubles.data += sizeof(number);
            c->doubles.len -= sizeof(number);
        }
        printf("%f", number);
        break;
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_STRING: {
        const char *end = c->texts.len ? memchr(c->texts.data, '\0', c->texts.len) : NULL;
        size_t len = end ? (size_t)(end - c->texts.data) : c->texts.len;

        printf("\"%.*s\"", (int)len, c->texts.data ? c->texts.data : "");
        c->texts.data += len + (end ? 1 : 0);
        c->texts.len -= len + (end ? 1 : 0);
        break;
    }
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_BLOB:
        fputs("\"<raw bytes>\"", stdout);
        break;
    default:
        fputs("\"[NULL]\"", stdout);
    }
}

static void print_batch(struct orma_pb_reader reader, struct result *res)
{
    struct cells c = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&reader, &f)) {
        switch (f.id) {
        case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELLS:
            c.kinds = orma_pb_str(&f);
            break;
        case ORMA_PB_QUERY_RESULT_CELLS_BATCH_VARINT_CELLS:
            c.varints = orma_pb_str(&f);
            break;
        case ORMA_PB_QUERY_RESULT_CELLS_BATCH_FLOAT64_CELLS:
            c.doubles = orma_pb_str(&f);
            break;
        case ORMA_PB_QUERY_RESULT_CELLS_BATCH_STRING_CELLS:
            c.texts = orma_pb_str(&f);
            break;
        case ORMA_PB_QUERY_RESULT_CELLS_BATCH_IS_LAST_BATCH:
            res->last |= orma_pb_bool(&f);
            break;
        }
    }
    for (size_t i = 0; res->columns && i + res->columns <= c.kinds.len; i += res->columns) {
        for (size_t k = 0; k < res->columns; k++) {
            if (k)
                putchar(',');
            print_cell(&c, (uint8_t)c.kinds.data[i + k]);
        }
        putchar('\n');
    }
}

static bool is_suppressed(const struct result *res)
{
    return res->columns == 1 && !strcmp(res->names[0], "suppress_query_output");
}

static void take_query_result(struct remote *r, struct orma_pb_reader reader, struct result *res)
{
    struct orma_pb_field f;
    bool first = !res->columns;

    while (orma_pb_next(&reader, &f)) {
        if (f.id == ORMA_PB_QUERY_RESULT_COLUMN_NAMES &&
            res->columns < ORMA_ARRAY_LEN(res->names) &&
            (res->names[res->columns] = orma_str_dup(orma_pb_str(&f)))) {
            res->columns++;
        } else if (f.id == ORMA_PB_QUERY_RESULT_BATCH) {
            if (first && res->columns && !is_suppressed(res))
                print_names(r, res);
            first = false;
            if (is_suppressed(res))
                res->columns = 0;
            print_batch(orma_pb_sub(&f), res);
        } else if (f.id == ORMA_PB_QUERY_RESULT_ERROR) {
            fflush(stdout);
            fprintf(stderr, "%.*s\n", ORMA_STR_ARG(orma_pb_str(&f)));
            res->error = res->last = true;
        }
    }
}

/* A response. False: the server ends the conversation. */
static bool take_response(struct remote *r, struct orma_str message, struct result *res)
{
    struct orma_pb_reader reader = orma_pb_reader(message.data, message.len);
    struct orma_pb_field f, part;

    while (orma_pb_next(&reader, &f)) {
        if (f.id == ORMA_PB_TRACE_PROCESSOR_RPC_FATAL_ERROR) {
            fprintf(stderr, PROGRAM ": the server says: %.*s\n", ORMA_STR_ARG(orma_pb_str(&f)));
            return false;
        }
        if (f.id != ORMA_PB_TRACE_PROCESSOR_RPC_STATEMENT_RESULT)
            continue;
        struct orma_pb_reader parts = orma_pb_sub(&f);
        while (orma_pb_next(&parts, &part)) {
            if (part.id == ORMA_PB_STATEMENT_RESULT_RESULT)
                take_query_result(r, orma_pb_sub(&part), res);
            else if (part.id == ORMA_PB_STATEMENT_RESULT_TAIL_OFFSET)
                res->tail = orma_pb_u64(&part);
            else if (part.id == ORMA_PB_STATEMENT_RESULT_STATEMENT_EXECUTED)
                res->executed = orma_pb_bool(&part);
        }
    }
    return true;
}

static void put_request(struct remote *r, struct orma_str sql, uint64_t at, struct orma_buf *out)
{
    size_t message = orma_pb_begin(out, ORMA_PB_TRACE_PROCESSOR_RPC_STREAM_MSG);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PROCESSOR_RPC_SEQ, r->seq++);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PROCESSOR_RPC_REQUEST,
                    ORMA_PB_TRACE_PROCESSOR_RPC_TPM_STATEMENT_STREAMING);
    size_t args = orma_pb_begin(out, ORMA_PB_TRACE_PROCESSOR_RPC_STATEMENT_ARGS);
    orma_pb_put_str(out, ORMA_PB_STATEMENT_ARGS_SQL, sql);
    orma_pb_put_u64(out, ORMA_PB_STATEMENT_ARGS_START_OFFSET, at);
    orma_pb_end(out, args);
    orma_pb_end(out, message);
}

/* One statement. 0 or 1, has said why. */
static int run_statement(struct remote *r, struct orma_str sql, uint64_t at, struct result *res)
{
    struct orma_buf request = {0};
    struct orma_str message;
    size_t used = 0;
    bool good;

    put_request(r, sql, at, &request);
    good = !request.failed && send_request(r, &request) && (!r->http || read_http(r));
    orma_buf_fini(&request);
    while (good && !res->last) {
        good = next_message(r, &used, &message);
        if (good && !take_response(r, message, res))
            return 1;
    }
    orma_buf_consume(r->http ? &r->body : &r->in, used);
    return good ? res->error : complain(r, "no server is running");
}

static int run_all(struct remote *r, struct orma_str sql)
{
    uint64_t at = 0, statements = 0;
    bool more = true;
    int code = 0;

    while (!code && more) {
        struct result res = {0};

        code = run_statement(r, sql, at, &res);
        more = res.executed && res.tail > at;
        at = res.tail;
        statements += res.executed;
        for (size_t i = 0; i < ORMA_ARRAY_LEN(res.names); i++)
            free(res.names[i]);
    }
    if (!code && !statements)
        code = orma_shell_missing("query", "No valid SQL to run");
    return code;
}

int orma_shell_query_remote(struct orma_shell *self)
{
    struct remote r = {.addr = self->remote, .fd = -1};
    struct orma_buf sql = {0};
    int code = 0;

    if (self->query_text)
        orma_buf_put_str(&sql, self->query_text);
    else if (orma_shell_read_sql(self->query_file, &sql) < 0)
        code = 1;
    if (!code)
        code = open_remote(&r);
    if (!code)
        code = run_all(&r, orma_buf_str(&sql));
    orma_fd_close(&r.fd);
    orma_buf_fini(&r.in);
    orma_buf_fini(&r.body);
    orma_buf_fini(&sql);
    return code;
}
