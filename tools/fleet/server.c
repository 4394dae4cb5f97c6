#include "tools/fleet/server.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/clock.h"
#include "sdk/base/dynlib.h"

#define BODY_MAX ((size_t)256 << 20)
#define ERROR_MAX 400
#define CONNECT_S 10L

/* As in curl/curl.h, whose numbers stay as long as the library is libcurl.so.4. */
typedef void curl;
struct curl_slist;
curl *curl_easy_init(void);
int curl_easy_setopt(curl *handle, int option, ...);
int curl_easy_perform(curl *handle);
int curl_easy_getinfo(curl *handle, int info, ...);
void curl_easy_cleanup(curl *handle);
const char *curl_easy_strerror(int code);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
void curl_slist_free_all(struct curl_slist *list);
char *curl_easy_escape(curl *handle, const char *text, int len);
void curl_free(void *text);
enum {
    WRITEDATA = 10001,
    URL = 10002,
    READDATA = 10009,
    ERRORBUFFER = 10010,
    WRITEFUNCTION = 20011,
    READFUNCTION = 20012,
    POSTFIELDS = 10015,
    CAINFO = 10065,
    XFERINFOFUNCTION = 20219,
    XFERINFODATA = 10057,
    NOPROGRESS = 43,
    HTTPHEADER = 10023,
    POST = 47,
    POSTFIELDSIZE = 60,
    CONNECTTIMEOUT = 78,
    MAXFILESIZE = 114,
    NOSIGNAL = 99,
    USERNAME = 10173,
    PASSWORD = 10174,
    TCP_KEEPALIVE = 213,
    RESPONSE_CODE = 0x200002
};
enum {
    SSL_CERTPROBLEM = 58,
    PEER_FAILED_VERIFICATION = 60,
    ABORTED_BY_CALLBACK = 42,
    SSL_CACERT_BADFILE = 77,
    READ_ABORT = 0x10000000
};

#define FUNCTIONS(X)                                                                               \
    X(curl_easy_init)                                                                              \
    X(curl_easy_setopt)                                                                            \
    X(curl_easy_perform)                                                                           \
    X(curl_easy_getinfo)                                                                           \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_strerror)                                                                          \
    X(curl_slist_append) X(curl_slist_free_all) X(curl_easy_escape) X(curl_free)
static struct {
    FUNCTIONS(ORMA_DYNLIB_POINTER)
} lib;
static const char *const names[] = {FUNCTIONS(ORMA_DYNLIB_NAME)};

static bool load(void)
{
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        if (orma_dynlib_load(files[i], names, ORMA_ARRAY_LEN(names), &lib))
            return true;
    }
    return false;
}

/* ---- addresses ---- */

/* In place; false: a '%' that is none. */
static bool decode(char *text)
{
    char *to = text;

    for (; *text; text++) {
        char hex[3] = {text[0], text[0] == '%' ? text[1] : '\0', '\0'};

        if (*text == '%') {
            hex[0] = text[1];
            hex[1] = text[1] ? text[2] : '\0';
            if (!isxdigit((unsigned char)hex[0]) || !isxdigit((unsigned char)hex[1]))
                return false;
            *to++ = (char)strtol(hex, NULL, 16);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return true;
}

/* Ends the text at `c`; what follows, or NULL. */
static char *cut(char *text, int c, bool last)
{
    char *at = last ? strrchr(text, c) : strchr(text, c);

    if (at)
        *at++ = '\0';
    return at;
}

static bool is_name(const char *name)
{
    return *name && strlen(name) <= 64 && !isdigit((unsigned char)*name) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static const char *parse_hosts(struct orma_fleet_address *self, char *list, const char *port)
{
    struct orma_buf ports = {0};
    size_t at[ORMA_FLEET_HOSTS_MAX];

    for (char *next, *host = list; host; host = next) {
        next = cut(host, ',', false);
        if (!*host || host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789.-_:[]%")]) {
            orma_buf_fini(&ports);
            return "expected HOST[:PORT]";
        }
        if (self->hosts_num == ORMA_FLEET_HOSTS_MAX) {
            orma_buf_fini(&ports);
            return "too many hosts";
        }
        const char *bracket = strrchr(host, ']');
        at[self->hosts_num++] = ports.len;
        orma_buf_printf(&ports, "%s%s", host, strchr(bracket ? bracket : host, ':') ? "" : port);
        orma_buf_put_byte(&ports, 0);
    }
    const size_t before = self->text.len;
    orma_buf_put(&self->text, ports.data, ports.len);
    orma_buf_fini(&ports);
    for (size_t i = 0; i < self->hosts_num; i++)
        self->hosts[i] = (char *)self->text.data + before + at[i];
    return self->text.failed ? strerror(ENOMEM) : NULL;
}

int orma_fleet_address_parse(const char *url, struct orma_fleet_address *ret, const char **ret_why)
{
    const bool safe = !strncmp(url, "clickhouses://", 14);
    const size_t scheme = safe ? 14 : 13;

    *ret = (struct orma_fleet_address){.scheme = safe ? "https" : "http"};
    *ret_why = NULL;
    if (!safe && strncmp(url, "clickhouse://", 13)) {
        *ret_why = "it must begin with clickhouse:// or clickhouses://";
        return -EINVAL;
    }
    /* The hosts with their ports come behind: room for them, so that nothing moves. */
    if (!orma_buf_reserve(&ret->text, 2 * strlen(url) + 6 * ORMA_FLEET_HOSTS_MAX + 1)) {
        *ret_why = strerror(ENOMEM);
        return -EINVAL;
    }
    orma_buf_put(&ret->text, url + scheme, strlen(url + scheme) + 1);
    char *host = (char *)ret->text.data, *user = NULL, *database, *behind = cut(host, '@', true);

    if (behind) {
        user = host;
        host = behind;
    }
    database = cut(host, '/', false);
    char *password = user ? cut(user, ':', false) : NULL;
    if ((user && !decode(user)) || (password && !decode(password)))
        *ret_why = "a '%' is not followed by two hexadecimal digits";
    ret->user = user;
    ret->password = password ? password : getenv("CLICKHOUSE_PASSWORD");
    if (!ret->user)
        ret->user = getenv("CLICKHOUSE_USER");
    ret->database = database && *database ? database : "orma";
    if (!is_name(ret->database))
        *ret_why = "a database name may have only letters, digits and _";
    if (!*ret_why)
        *ret_why = parse_hosts(ret, host, safe ? ":8443" : ":8123");
    return *ret_why ? -EINVAL : 0;
}

void orma_fleet_address_fini(struct orma_fleet_address *self)
{
    orma_buf_fini(&self->text);
}

/* ---- requests ---- */

struct upload {
    orma_fleet_read *read;
    void *ctx;
};

static size_t give(char *to, size_t size, size_t num, void *ctx)
{
    const struct upload *s = ctx;
    const size_t n = s->read(s->ctx, to, size * num);

    return n == SIZE_MAX ? READ_ABORT : n;
}

/* ---- time ---- */

bool orma_fleet_may_wait(int64_t waited_s, int64_t received)
{
    return waited_s <= ORMA_FLEET_ANSWER_S + received / ORMA_FLEET_ANSWER_SPEED;
}

struct patience {
    int64_t sent, moved_s; /* when that was seen to grow */
    bool over;
};

/* About once a second, whatever comes; a server that sends a byte now and then has to end, too. */
static int look_at_time(void *ctx, int64_t all, int64_t received, int64_t all_sent, int64_t sent)
{
    const int64_t now_s = (int64_t)(orma_clock_boottime() / 1000000000u);
    struct patience *p = ctx;

    (void)all;
    (void)all_sent;
    if (sent != p->sent || !p->moved_s)
        p->moved_s = now_s;
    p->sent = sent;
    p->over = !orma_fleet_may_wait(now_s - p->moved_s, received);
    return p->over;
}

static size_t take(char *data, size_t size, size_t num, void *ctx)
{
    struct orma_buf *body = ctx;

    if (body->len + size * num > BODY_MAX)
        return 0;
    orma_buf_put(body, data, size * num);
    return body->failed ? 0 : size * num;
}

/*
 * By the number of the exception. Away: TOO_MANY_PARTS, TOO_MANY_SIMULTANEOUS_QUERIES, timeouts,
 * the network, memory. Broken: rights, tables, columns, space.
 */
static enum orma_fleet_fault judge(long status, const char *body)
{
    static const short away[] = {159, 202, 209, 210, 236, 241, 252, 0},
                       broken[] = {16,  60,  81,  164, 192, 193, 194, 195,
                                   203, 242, 243, 291, 344, 497, 516, 0};
    const int code = !strncmp(body, "Code: ", 6) ? atoi(body + 6) : 0;

    for (size_t i = 0; code && away[i]; i++) {
        if (away[i] == code)
            return ORMA_FLEET_AWAY;
    }
    for (size_t i = 0; code && broken[i]; i++) {
        if (broken[i] == code)
            return ORMA_FLEET_BROKEN;
    }
    if (!code)
        return status >= 502 && status <= 504 ? ORMA_FLEET_AWAY : ORMA_FLEET_BROKEN;
    return ORMA_FLEET_REFUSED;
}

/* One line without what it repeats. */
static void shorten(struct orma_buf *body, long status)
{
    char *text = strdup(orma_buf_cstr(body));
    char *from = text ? strstr(text, "DB::Exception: ") : NULL;

    from = from ? from + 15 : text;
    orma_buf_clear(body);
    if (!from || !*from) {
        orma_buf_printf(body, "HTTP status %ld", status);
    } else {
        char *end = strstr(from, ", e.what()");

        if (!end)
            end = strstr(from, ". Stack trace");
        size_t len = end ? (size_t)(end - from) : strlen(from);
        orma_buf_put(body, from, ORMA_MIN(len, (size_t)ERROR_MAX));
        for (size_t i = 0; i < body->len; i++) {
            if (body->data[i] < ' ' || body->data[i] == 127)
                body->data[i] = ' ';
        }
        while (body->len && body->data[body->len - 1] == ' ')
            body->len--;
    }
    free(text);
}

/* Waiting makes no certificate better. */
static enum orma_fleet_fault fault_of(int code)
{
    switch (code) {
    case ABORTED_BY_CALLBACK:
        return ORMA_FLEET_REFUSED;
    case SSL_CERTPROBLEM:
    case PEER_FAILED_VERIFICATION:
    case SSL_CACERT_BADFILE:
        return ORMA_FLEET_BROKEN;
    }
    return ORMA_FLEET_AWAY;
}

/* Whom to trust, by the variables of curl, which its library does not read. */
static void set_trust(curl *handle)
{
    static const char *const names_of[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names_of); i++) {
        const char *file = getenv(names_of[i]);

        if (file && *file) {
            lib.curl_easy_setopt(handle, CAINFO, file);
            return;
        }
    }
}

static void perform(curl *handle, struct orma_fleet_answer *ret)
{
    char text[256] = ""; /* CURL_ERROR_SIZE */
    long status = 0;

    lib.curl_easy_setopt(handle, ERRORBUFFER, text);
    const int code = lib.curl_easy_perform(handle);
    lib.curl_easy_setopt(handle, ERRORBUFFER, NULL);
    lib.curl_easy_getinfo(handle, RESPONSE_CODE, &status);
    if (code && status < 300) { /* else what the server said says more */
        orma_buf_clear(&ret->body);
        orma_buf_put_str(&ret->body, *text ? text : lib.curl_easy_strerror(code));
        ret->fault = fault_of(code);
    } else if (status != 200) {
        ret->fault = judge(status, orma_buf_cstr(&ret->body));
        shorten(&ret->body, status);
    }
}

void orma_fleet_ask(const struct orma_fleet_address *address, size_t host, const char *sql,
                    const char *settings, orma_fleet_read *read, void *ctx,
                    struct orma_fleet_answer *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf url = {0};
    struct upload source = {read, ctx};
    struct patience patience = {0};
    struct curl_slist *headers = NULL;

    *ret = (struct orma_fleet_answer){.fault = ORMA_FLEET_BROKEN};
    if (!load()) {
        orma_buf_put_str(&ret->body,
                         "libcurl is not installed (libcurl.so.4, of Debian's libcurl4)");
        return;
    }
    curl *handle = lib.curl_easy_init();
    char *query = handle ? lib.curl_easy_escape(handle, read ? sql : "", 0) : NULL;
    if (handle)
        headers = lib.curl_slist_append(NULL, "Expect:"); /* servers of before do not answer it */
    if (!query || !headers) {
        orma_buf_put_str(&ret->body, strerror(ENOMEM));
        goto out;
    }
    orma_buf_printf(&url, "%s://%s/?wait_end_of_query=1%s%s%s", address->scheme,
                    address->hosts[host], settings, read ? "&query=" : "", query);
    lib.curl_easy_setopt(handle, URL, orma_buf_cstr(&url));
    lib.curl_easy_setopt(handle, POST, 1L);
    if (read) {
        lib.curl_easy_setopt(handle, READFUNCTION, give);
        lib.curl_easy_setopt(handle, READDATA, &source);
        headers = lib.curl_slist_append(headers, "Transfer-Encoding: chunked");
    } else {
        lib.curl_easy_setopt(handle, POSTFIELDSIZE, (long)strlen(sql));
        lib.curl_easy_setopt(handle, POSTFIELDS, sql);
    }
    lib.curl_easy_setopt(handle, HTTPHEADER, headers);
    lib.curl_easy_setopt(handle, WRITEFUNCTION, take);
    lib.curl_easy_setopt(handle, WRITEDATA, &ret->body);
    /* A length that no number holds would be taken for none, and any part for the whole. */
    lib.curl_easy_setopt(handle, MAXFILESIZE, (long)BODY_MAX);
    lib.curl_easy_setopt(handle, NOSIGNAL, 1L);
    lib.curl_easy_setopt(handle, CONNECTTIMEOUT, CONNECT_S);
    lib.curl_easy_setopt(handle, XFERINFOFUNCTION, look_at_time);
    lib.curl_easy_setopt(handle, XFERINFODATA, &patience);
    lib.curl_easy_setopt(handle, NOPROGRESS, 0L);
    lib.curl_easy_setopt(handle, TCP_KEEPALIVE, 1L);
    if (address->user)
        lib.curl_easy_setopt(handle, USERNAME, address->user);
    if (address->password)
        lib.curl_easy_setopt(handle, PASSWORD, address->password);
    if (address->password && !address->user)
        lib.curl_easy_setopt(handle, USERNAME, "default");
    set_trust(handle);
    ret->fault = ORMA_FLEET_FINE;
    perform(handle, ret);
    if (patience.over) {
        orma_buf_clear(&ret->body);
        orma_buf_printf(&ret->body, "the answer did not come within %d s", ORMA_FLEET_ANSWER_S);
        ret->fault = ORMA_FLEET_AWAY;
    }
out:
    lib.curl_free(query);
    lib.curl_slist_free_all(headers);
    if (handle)
        lib.curl_easy_cleanup(handle);
}
