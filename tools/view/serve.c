/*
 * HTTP for one page: libevent's server, one thread. Another one packs the trace and ends. SQL runs
 * where requests are answered, under the processor's limit of time; what takes long holds up the
 * page that asked, and nobody else is there.
 *
 * Another user of the machine can reach the port, and any web site can make a browser ask it. So
 * the trace is given only to requests that carry the token, and any request must name this host: a
 * name of somebody else's that leads here (DNS rebinding) is refused.
 */
#include "tools/view/serve.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protos/reflect/json.h"
#include "sdk/base/clock.h"
#include "sdk/base/thread.h"
#include "tools/view/crowd.h"
#include "tools/view/page.h"

#define ROWS_MAX 10000
#define SQL_BYTES_MAX (1 << 20)
#define LAST_ANSWERS_US 300000 /* for those that are under way when the next server takes over */
#define EXACT_MAX ((int64_t)1 << 53) /* larger integers are texts in JSON */

struct server {
    const struct orma_view_serve *config;
    struct event_base *base;
    char token[33], host[2][32];
    struct orma_buf page;
    /* Packs, then asks for args: the processor is its own until it was joined, `view` and `err` are
     * until it wrote to `packed_fd`. */
    pthread_t thread;
    bool packing, running, failed;
    struct orma_view_progress progress;
    struct orma_buf *picture; /* the newest one that somebody asked for */
    struct orma_view *view;
    int64_t took_ns;
    int err, packed_fd;
};

static bool make_token(char *ret)
{
    uint8_t bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return false;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        sprintf(ret + 2 * i, "%02x", bytes[i]);
    return true;
}

/* In a time that does not tell how much of it was right. */
static bool same_token(const char *a, const char *b)
{
    unsigned differ = strlen(a) != strlen(b);

    for (size_t i = 0; !differ && a[i]; i++)
        differ |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return !differ;
}

/* ---- answers ---- */

/* The next request may be for the next server. */
static bool one_answer_each;

static void head(struct evhttp_request *req, const char *type)
{
    struct evkeyvalq *out = evhttp_request_get_output_headers(req);

    if (one_answer_each)
        evhttp_add_header(out, "Connection", "close");

    evhttp_add_header(out, "Content-Type", type);
    evhttp_add_header(out, "Cache-Control", "no-store");
    evhttp_add_header(out, "X-Content-Type-Options", "nosniff");
    evhttp_add_header(out, "Referrer-Policy", "no-referrer");
    evhttp_add_header(out, "Cross-Origin-Opener-Policy", "same-origin");
    evhttp_add_header(out, "Cross-Origin-Resource-Policy", "same-origin");
}

static void answer(struct evhttp_request *req, const char *type, struct orma_str body)
{
    head(req, type);
    evbuffer_add(evhttp_request_get_output_buffer(req), body.data, body.len);
    evhttp_send_reply(req, HTTP_OK, "OK", NULL);
}

static void refuse(struct evhttp_request *req, int code, const char *why)
{
    head(req, "text/plain; charset=utf-8");
    evhttp_add_header(evhttp_request_get_output_headers(req), "Connection", "close");
    evbuffer_add_printf(evhttp_request_get_output_buffer(req), "%s\n", why);
    evhttp_send_reply(req, code, why, NULL);
}

static bool is_this_host(const struct server *s, struct evhttp_request *req)
{
    const char *host = evhttp_find_header(evhttp_request_get_input_headers(req), "Host");
    const char *origin = evhttp_find_header(evhttp_request_get_input_headers(req), "Origin");

    if (!host || (strcmp(host, s->host[0]) && strcmp(host, s->host[1])))
        return false;
    return !origin || (!strncmp(origin, "http://", 7) &&
                       (!strcmp(origin + 7, s->host[0]) || !strcmp(origin + 7, s->host[1])));
}

/* The token is checked by all that gives away something of the trace. */
static bool is_allowed(const struct server *s, struct evhttp_request *req)
{
    const char *token = evhttp_find_header(evhttp_request_get_input_headers(req), "X-Orma-Token");

    if (is_this_host(s, req) && token && same_token(s->token, token))
        return true;
    refuse(req, 403, "the token of the printed link is missing or wrong");
    return false;
}

/* Where nothing can be told of the trace yet, how much of it has been read, and whether there is a
 * picture of that. */
static bool is_packed(const struct server *s, struct evhttp_request *req)
{
    if (!s->packing)
        return true;
    head(req, "application/json");
    evbuffer_add_printf(evhttp_request_get_output_buffer(req),
                        "{\"all\":%" PRIu64 ",\"read\":%" PRIu64 ",\"picture\":%" PRIu32 "}\n",
                        atomic_load(&s->progress.all), atomic_load(&s->progress.read),
                        atomic_load(&s->progress.pictures));
    evhttp_send_reply(req, 202, "Accepted", NULL);
    return false;
}

/* Waits until the processor is free. */
static void end_packing(struct server *s)
{
    if (s->running)
        pthread_join(s->thread, NULL);
    s->running = s->packing = false;
}

static void on_page(struct evhttp_request *req, void *data)
{
    const struct server *s = data;

    if (!is_this_host(s, req)) {
        refuse(req, 403, "wrong host");
        return;
    }
    answer(req, "text/html; charset=utf-8", orma_buf_str(&s->page));
}

static void on_info(struct evhttp_request *req, void *data)
{
    const struct server *s = data;

    if (!is_allowed(s, req) || !is_packed(s, req))
        return;
    if (s->config->turn) {
        char number[24];

        snprintf(number, sizeof(number), "%u", s->config->turn->generation);
        evhttp_add_header(evhttp_request_get_output_headers(req), "X-Orma-Generation", number);
    }
    answer(req, "application/json", orma_view_info(s->view));
}

static void on_next(struct evhttp_request *req, void *data)
{
    const struct server *s = data;
    char text[64];

    if (!is_allowed(s, req))
        return;
    snprintf(text, sizeof(text), "{\"generation\":%u,\"ended\":%s}\n", s->config->turn->generation,
             s->config->turn->ended ? "true" : "false");
    answer(req, "application/json", orma_str_from(text));
}

/* Blocks have numbers of their packing. */
static bool is_of_another(const struct server *s, struct evhttp_request *req)
{
    const char *text =
        evhttp_find_header(evhttp_request_get_input_headers(req), "X-Orma-Generation");

    return s->config->turn && text && strtoul(text, NULL, 10) != s->config->turn->generation;
}

/* What was read so far, while it is. */
static void on_picture(struct evhttp_request *req, void *data)
{
    struct server *s = data;
    struct orma_buf *newer;

    if (!is_allowed(s, req))
        return;
    newer = atomic_exchange(&s->progress.picture, NULL);
    if (newer) {
        orma_view_free_picture(s->picture);
        s->picture = newer;
    }
    if (s->picture)
        answer(req, "application/octet-stream", orma_buf_str(s->picture));
    else
        refuse(req, 404, "there is no picture");
}

static void on_other(struct evhttp_request *req, void *data)
{
    static const char blocks[] = "/view/block/";
    const struct server *s = data;
    const char *path = evhttp_request_get_uri(req);
    char *end;

    if (strncmp(path, blocks, sizeof(blocks) - 1)) {
        refuse(req, 404, "not found");
        return;
    }
    unsigned long n = strtoul(path + sizeof(blocks) - 1, &end, 10);
    if (!is_allowed(s, req) || !is_packed(s, req))
        return;
    if (is_of_another(s, req)) {
        refuse(req, 410, "the trace has grown");
        return;
    }
    if (*end || !n || n > orma_view_blocks(s->view)) {
        refuse(req, 404, "there is no such block");
        return;
    }
    struct orma_str block = orma_view_block(s->view, n);
    if (block.len)
        answer(req, "application/octet-stream", block);
    else
        refuse(req, 500, "the block cannot be read from the cache");
}

/* ---- SQL ---- */

static void put_cell(struct orma_buf *out, const struct orma_query *q, unsigned col)
{
    int64_t n;

    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        orma_buf_put_str(out, "null");
        break;
    case ORMA_VALUE_INT64:
        n = orma_query_int64(q, col);
        orma_buf_printf(out, n > -EXACT_MAX && n < EXACT_MAX ? "%" PRId64 : "\"%" PRId64 "\"", n);
        break;
    case ORMA_VALUE_DOUBLE:
        if (isfinite(orma_query_double(q, col)))
            orma_buf_printf(out, "%.17g", orma_query_double(q, col));
        else
            orma_buf_put_str(out, orma_query_double(q, col) > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        break;
    case ORMA_VALUE_BLOB:
        orma_buf_printf(out, "\"<%zu bytes>\"", orma_query_bytes(q, col));
        break;
    default:
        orma_json_quote(out, (struct orma_str){orma_query_text(q, col), orma_query_bytes(q, col)});
    }
}

static int put_rows(struct orma_query *q, struct orma_buf *out)
{
    unsigned cols = orma_query_columns(q), rows = 0;
    int r;

    orma_buf_put_str(out, "{\"columns\":[");
    for (unsigned col = 0; col < cols; col++) {
        if (col)
            orma_buf_put_byte(out, ',');
        orma_json_quote(out, orma_str_from(orma_query_column_name(q, col)));
    }
    orma_buf_put_str(out, "],\"rows\":[");
    for (; (r = orma_query_step(q)) > 0 && rows < ROWS_MAX; rows++) {
        orma_buf_put_str(out, rows ? ",[" : "[");
        for (unsigned col = 0; col < cols; col++) {
            if (col)
                orma_buf_put_byte(out, ',');
            put_cell(out, q, col);
        }
        orma_buf_put_byte(out, ']');
    }
    orma_buf_printf(out, "],\"more\":%s}", r > 0 ? "true" : "false");
    return r < 0 ? r : 0;
}

/* All statements are run; the last one that gives columns is answered. */
static int run_sql(struct orma_processor *tp, struct orma_str sql, struct orma_buf *out)
{
    struct orma_script_run *run;
    struct orma_query *q;
    int r = orma_script_open(tp, sql.data, sql.len, "SQL", &run);

    while (r == 0 && (r = orma_script_step(run, &q)) > 0) {
        r = 0;
        if (orma_query_has_columns(q) && orma_query_has_output(q)) {
            orma_buf_clear(out);
            r = put_rows(q, out);
        } else {
            while ((r = orma_query_step(q)) > 0)
                ;
        }
        orma_query_free(q);
    }
    orma_script_close(run);
    if (r == 0 && !out->len)
        orma_buf_put_str(out, "{\"columns\":[],\"rows\":[]}");
    return r;
}

static void on_sql(struct evhttp_request *req, void *data)
{
    struct server *s = data;
    struct evbuffer *in = evhttp_request_get_input_buffer(req);
    size_t len = evbuffer_get_length(in);
    struct orma_buf out = {0};

    if (!is_allowed(s, req) || !is_packed(s, req))
        return;
    end_packing(s);
    struct orma_str sql = {(const char *)evbuffer_pullup(in, -1), len};
    if (!sql.len)
        sql = ORMA_STR("");
    if (run_sql(s->config->tp, sql, &out) < 0) {
        orma_buf_clear(&out);
        orma_buf_put_str(&out, "{\"columns\":[],\"rows\":[],\"error\":");
        orma_json_quote(&out, orma_str_from(orma_processor_error(s->config->tp)));
        orma_buf_put_byte(&out, '}');
    }
    answer(req, "application/json",
           out.failed ? ORMA_STR("{\"error\":\"out of memory\"}") : orma_buf_str(&out));
    orma_buf_fini(&out);
}

/* ---- beginning and end ---- */

static int put_page(void *ctx, const void *data, size_t len)
{
    struct orma_buf *page = ctx;

    orma_buf_put(page, data, len);
    return page->failed ? -ENOMEM : 0;
}

static void stop(evutil_socket_t sig, short what, void *data)
{
    const struct timeval soon = {.tv_usec = LAST_ANSWERS_US};
    struct server *s = data;

    (void)sig;
    (void)what;
    if (!s->config->turn) {
        event_base_loopbreak(s->base);
        return;
    }
    orma_crowd_leave(); /* the next server has the socket, too */
    event_base_loopexit(s->base, &soon);
}

/* The first arg that is asked for takes long, where there are many: while somebody looks at the
 * timeline. */
static void *ask_for_args(void *data)
{
    struct server *s = data;
    struct orma_query *q;

    if (orma_query_prepare(s->config->tp, "SELECT arg_set_id FROM slice LIMIT 1", SIZE_MAX, &q,
                           NULL) < 0)
        return NULL; /* whoever asks is told */
    (void)orma_query_step(q);
    orma_query_free(q);
    return NULL;
}

static void *pack(void *data)
{
    struct server *s = data;
    struct orma_view_config config = s->config->view;
    const uint64_t one = 1;

    config.progress = &s->progress;
    int64_t begin = (int64_t)orma_clock_boottime();
    s->err = orma_view_new(s->config->tp, &config, &s->view);
    s->took_ns = (int64_t)orma_clock_boottime() - begin;
    (void)!write(s->packed_fd, &one, sizeof(one)); /* an empty eventfd has room */
    return NULL;
}

static int start(struct server *s, void *(*run)(void *data))
{
    int r = orma_thread_start(&s->thread, NULL, run, s);

    s->running = r == 0;
    return r;
}

static void on_packed(evutil_socket_t fd, short what, void *data)
{
    struct server *s = data;

    (void)fd;
    (void)what;
    end_packing(s);
    orma_view_free_picture(s->picture); /* the trace itself is there */
    s->picture = NULL;
    if (s->err == 0) {
        (void)orma_view_keep(s->view, s->took_ns); /* else it is packed again the next time */
        (void)start(s, ask_for_args);              /* else that takes longer when they are */
        return;
    }
    const char *why = orma_processor_error(s->config->tp);

    fprintf(stderr, "orma view: %s: %s\n", s->config->trace, *why ? why : strerror(-s->err));
    s->failed = true;
    event_base_loopbreak(s->base);
}

/* Where there is a desktop; who is not there is told the link on standard output anyway. */
static void start_browser(const char *url)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
            _exit(127);
        }
        _exit(0);
    }
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
}

static int listen_on(struct server *s, struct evhttp *http)
{
    const struct orma_view_turn *turn = s->config->turn;
    uint16_t port = turn ? turn->port : s->config->port;
    int r = turn ? orma_crowd_join(s->base, http, turn->listen_fd, port)
                 : orma_crowd_listen(s->base, http, &port);

    snprintf(s->host[0], sizeof(s->host[0]), "127.0.0.1:%u", (unsigned)port);
    snprintf(s->host[1], sizeof(s->host[1]), "localhost:%u", (unsigned)port);
    return r;
}

static void announce(const char *host, const char *token, const char *fragment, bool open)
{
    struct orma_buf url = {0};

    orma_buf_printf(&url, "http://%s/#k=%s", host, token);
    if (fragment)
        orma_buf_printf(&url, "&%s", fragment);
    printf("%s\n", orma_buf_cstr(&url));
    fflush(stdout);
    fprintf(stderr,
            "orma view: open this link in a browser on this machine; Ctrl-C stops the server\n");
    if (open)
        start_browser(orma_buf_cstr(&url));
    orma_buf_fini(&url);
}

static void say_cannot_listen(uint16_t port, int r)
{
    fprintf(stderr, "orma view: cannot listen on port %u: %s%s\n", (unsigned)port, strerror(-r),
            r == -EADDRINUSE ? "; --port selects another" : "");
}

/* Of a turn: packs here, as nobody looks yet. */
static int pack_before(struct server *s)
{
    pack(s);
    if (s->err == 0)
        return 0;
    const char *why = orma_processor_error(s->config->tp);

    fprintf(stderr, "orma view: %s: %s\n", s->config->trace, *why ? why : strerror(-s->err));
    s->failed = true;
    return s->err;
}

static int say_ready(const struct server *s)
{
    return write(s->config->turn->ready_fd, "r", 1) == 1 ? 0 : -EPIPE;
}

static int run(struct server *s, struct evhttp *http)
{
    struct event *events[3] = {
        evsignal_new(s->base, SIGINT, stop, s), evsignal_new(s->base, SIGTERM, stop, s),
        s->config->turn ? NULL : event_new(s->base, s->packed_fd, EV_READ, on_packed, s)};
    int r = orma_view_write_page(NULL, &orma_view_page, put_page, &s->page);

    evhttp_set_max_body_size(http, SQL_BYTES_MAX);
    evhttp_set_max_headers_size(http, 16384);
    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_cb(http, "/", on_page, s);
    evhttp_set_cb(http, "/view/info", on_info, s);
    evhttp_set_cb(http, "/view/picture", on_picture, s);
    evhttp_set_cb(http, "/view/sql", on_sql, s);
    evhttp_set_gencb(http, on_other, s);
    if (s->config->turn)
        evhttp_set_cb(http, "/view/next", on_next, s);
    if (r == 0 && s->config->turn)
        r = pack_before(s);
    if (r == 0)
        r = listen_on(s, http);
    if (r == 0 && s->config->turn)
        r = say_ready(s);
    else if (r == 0)
        s->packing = (r = start(s, pack)) == 0;
    if (r < 0) {
        if (!s->failed)
            say_cannot_listen(s->config->port, r);
    } else {
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(events) && events[i]; i++)
            event_add(events[i], NULL);
        if (!s->config->turn)
            announce(s->host[0], s->token, s->config->fragment,
                     s->config->open); /* who reads it may end us at once */
        event_base_dispatch(s->base);
        atomic_store(&s->progress.stop, true);
        orma_processor_interrupt(s->config->tp);
        end_packing(s);
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(events); i++) {
        if (events[i])
            event_free(events[i]);
    }
    return r;
}

int orma_view_serve_begin(struct orma_view_turn *ret, uint16_t port, bool open,
                          const char *fragment)
{
    struct sockaddr_in addr = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(addr);
    char host[32];

    *ret = (struct orma_view_turn){
        .listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    (void)setsockopt(ret->listen_fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (ret->listen_fd < 0 ||
        bind(ret->listen_fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ||
        listen(ret->listen_fd, 128) < 0 ||
        getsockname(ret->listen_fd, (struct sockaddr *)&addr, &len) < 0 ||
        !make_token(ret->token)) {
        int r = errno ? -errno : -EIO;

        say_cannot_listen(port, r);
        return r;
    }
    ret->port = ntohs(addr.sin_port);
    snprintf(host, sizeof(host), "127.0.0.1:%u", (unsigned)ret->port);
    announce(host, ret->token, fragment, open);
    return 0;
}

int orma_view_serve(const struct orma_view_serve *self)
{
    struct server s = {
        .config = self, .base = event_base_new(), .packed_fd = eventfd(0, EFD_CLOEXEC)};
    struct evhttp *http = s.base ? evhttp_new(s.base) : NULL;
    int r = http && s.packed_fd >= 0 && make_token(s.token) ? 0 : -ENOMEM;

    if (self->turn)
        memcpy(s.token, self->turn->token, sizeof(s.token));
    one_answer_each = self->turn != NULL;

    signal(SIGPIPE, SIG_IGN); /* a page that went away is an error of writing */
    if (r == 0)
        r = run(&s, http);
    if (http)
        evhttp_free(http);
    orma_crowd_fini();
    if (s.base)
        event_base_free(s.base);
    if (s.packed_fd >= 0)
        (void)close(s.packed_fd); /* nothing was written that could be lost */
    orma_buf_fini(&s.page);
    orma_view_free_picture(s.picture);
    orma_view_free_picture(atomic_load(&s.progress.picture));
    orma_view_free(s.view);
    return r < 0 ? r : s.failed ? s.err : 0;
}
