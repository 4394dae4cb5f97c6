#include "probes/ftrace/probe_args.h"

#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define ARGS_MAX 128 /* the kernel's own limit */

static bool consists_of(struct orma_str text, const char *chars)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!text.data[i] || !strchr(chars, text.data[i]))
            return false;
    }
    return text.len > 0;
}

static bool is_name(struct orma_str text)
{
    return consists_of(text, LETTERS "0123456789") && !(text.data[0] >= '0' && text.data[0] <= '9');
}

/* The kernel wants to be told that a text is where the value points to. */
static bool needs_dereference(struct orma_str fetch, struct orma_str type)
{
    if (!orma_str_eq_c(type, "string") && !orma_str_eq_c(type, "ustring"))
        return false;
    return fetch.len && !strchr("+-@\\", fetch.data[0]) && !orma_str_eq_c(fetch, "$comm");
}

static const char *put_one(struct orma_buf *out, struct orma_str word)
{
    const char *equal = memchr(word.data, '=', word.len);
    struct orma_str name = {0}, type = {0};
    size_t colon;

    if (!consists_of(word, LETTERS "0123456789$%@+-()[]:=.*>&,"))
        return "arguments are words such as name=$arg2:string";
    if (equal) {
        name = (struct orma_str){word.data, (size_t)(equal - word.data)};
        word = (struct orma_str){equal + 1, word.len - name.len - 1};
        if (!is_name(name))
            return "the name of an argument has letters, digits and underscores only";
    }
    for (colon = word.len; colon && word.data[colon - 1] != ':';)
        colon--;
    if (colon) {
        type = (struct orma_str){word.data + colon, word.len - colon};
        word.len = colon - 1;
    }
    if (!word.len || (colon && !type.len))
        return "an argument lacks what is to be read, or its type";
    orma_buf_printf(out, " %.*s%s", ORMA_STR_ARG(name), name.len ? "=" : "");
    orma_buf_printf(out, needs_dereference(word, type) ? "+0(%.*s)" : "%.*s", ORMA_STR_ARG(word));
    if (type.len)
        orma_buf_printf(out, ":%.*s", ORMA_STR_ARG(type));
    return NULL;
}

const char *orma_ftrace_probe_args_put(struct orma_buf *out, struct orma_str args)
{
    const char *why = NULL;
    unsigned num = 0;

    while (!why && args.len) {
        size_t len = 0;

        while (len < args.len && args.data[len] != ' ' && args.data[len] != '\t')
            len++;
        if (len && num++ == ARGS_MAX)
            return "more arguments than the kernel takes";
        if (len)
            why = put_one(out, (struct orma_str){args.data, len});
        len += len < args.len;
        args = (struct orma_str){args.data + len, args.len - len};
    }
    return why;
}
