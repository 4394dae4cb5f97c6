#include "tools/service/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "protos/pbc.h"
#include "protos/perfetto/config.pb-c.h"
#include "protos/reflect/json.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/fd.h"
#include "tools/service/trace_config.h"

#define CONFIG_BYTES_MAX ((size_t)16 << 20)

/* The byte at `*at` or behind the blanks there; then `*at` is behind it. 0: there is none. */
static char next_byte(struct orma_str text, size_t *at)
{
    while (*at < text.len && memchr(" \t\r\n", text.data[*at], 4))
        ++*at;
    return *at < text.len ? text.data[(*at)++] : 0;
}

/* No field of a config as text begins like this. */
static bool is_json(struct orma_str text)
{
    size_t at = 0;

    return next_byte(text, &at) == '{';
}

/* Behind the text that begins before `at`. */
static size_t skip_string(struct orma_str text, size_t at)
{
    while (at < text.len && text.data[at] != '"')
        at += text.data[at] == '\\' ? 2 : 1;
    return ORMA_MIN(at, text.len);
}

/* Has the outermost object a member of that name? Texts within it may say anything. */
static bool has_member(struct orma_str text, struct orma_str name)
{
    unsigned depth = 0;

    for (size_t at = 0; at < text.len; at++) {
        char c = text.data[at];

        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
        if (c != '"')
            continue;
        size_t begin = at + 1;
        at = skip_string(text, begin);
        size_t behind = at + 1;
        if (depth == 1 && orma_str_eq((struct orma_str){text.data + begin, at - begin}, name) &&
            next_byte(text, &behind) == ':')
            return true;
    }
    return false;
}

/* Events in a list, or in an object that calls them so. */
static bool is_json_trace(struct orma_str text)
{
    size_t at = 0;
    char first = next_byte(text, &at);

    return (first == '[' && next_byte(text, &at) == '{') ||
           (first == '{' && has_member(text, ORMA_STR("traceEvents")));
}

static int parse_text(struct orma_str text, const char *path, bool lossy, struct orma_buf *ret,
                      struct orma_buf *error)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig"));
    const char *file = strcmp(path, "-") ? path : "standard input";
    struct orma_text_parse opts = {
        .flags = lossy ? ORMA_TEXT_LOSSY : 0,
        .file = file,
        .error = error,
    };
    struct orma_json_parse json = {
        .flags = lossy ? ORMA_JSON_LOSSY : 0,
        .file = file,
        .error = error,
    };

    if (is_json_trace(text)) {
        orma_buf_printf(error, "%s: not a trace config, but a trace: 'orma report' reads it", file);
        return -EBADMSG;
    }
    return is_json(text) ? orma_json_parse(schema, msg, text, &json, ret)
                         : orma_text_parse(schema, msg, text, &opts, ret);
}

static int check_binary(struct orma_str bytes, const char *path, struct orma_buf *ret,
                        struct orma_buf *error)
{
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r == -EILSEQ) {
        orma_buf_printf(error, "%s: a string in the config (a path or a name) contains a zero byte",
                        path);
        return r;
    }
    if (r < 0) {
        orma_buf_printf(error, "%s: not a binary trace config%s", path,
                        orma_service_config_is_text(bytes)
                            ? "; it looks like text: try --txt"
                            : "; if it is a trace, 'orma report' reads it");
        return r;
    }
    protobuf_c_message_free_unpacked(msg, NULL);
    orma_buf_put(ret, bytes.data, bytes.len);
    return 0;
}

int orma_service_config_load(const char *path, enum orma_service_config_form form,
                             struct orma_buf *ret, struct orma_buf *error)
{
    struct orma_buf file = {0};
    int r = strcmp(path, "-") ? orma_fd_read_file(AT_FDCWD, path, CONFIG_BYTES_MAX, &file)
                              : orma_fd_read_all(STDIN_FILENO, CONFIG_BYTES_MAX, &file);

    if (r == -EFBIG) {
        orma_buf_printf(error, "%s: too large for a config; a trace is read by 'orma report'",
                        path);
    } else if (r < 0) {
        orma_buf_printf(error, "%s: %s", path, strerror(-r));
    } else {
        struct orma_str bytes = orma_buf_str(&file);
        bool text = form == ORMA_SERVICE_CONFIG_AUTO ? orma_service_config_is_text(bytes)
                                                     : form != ORMA_SERVICE_CONFIG_BINARY;

        r = text ? parse_text(bytes, path, form == ORMA_SERVICE_CONFIG_TEXT_LOSSY, ret, error)
                 : check_binary(bytes, path, ret, error);
    }
    orma_buf_fini(&file);
    while (r < 0 && error->len && error->data[error->len - 1] == '\n')
        error->len--; /* who prints it ends the line */
    return r;
}
