#include "tools/fleet/labels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

bool orma_fleet_is_label(const char *text)
{
    const size_t len = strspn(text, NAME_CHARS);

    return len && len < 64 && text[len] == '=';
}

/* One step of the pattern into the expression; how long it was, or -EINVAL. */
static int translate(struct orma_fleet_labels *self, const char *at, struct orma_buf *to)
{
    if (!strncmp(at, "**/", 3)) {
        orma_buf_put_str(to, "(.*/)?");
        return 3;
    }
    if (*at == '*' || *at == '?') {
        orma_buf_put_str(to, *at == '*' ? "[^/]*" : "[^/]");
        return 1;
    }
    if (*at == '{') {
        const size_t len = strspn(at + 1, NAME_CHARS);

        if (!len || len >= sizeof(self->captures[0]) || at[len + 1] != '}')
            return -EINVAL;
        orma_buf_put_str(to, "([^/]+)");
        return (int)len + 2;
    }
    if (strchr(".[]()+^$|\\}", *at))
        orma_buf_put_byte(to, '\\');
    orma_buf_put_byte(to, (uint8_t)*at);
    return 1;
}

int orma_fleet_labels_set_pattern(struct orma_fleet_labels *self, const char *pattern)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (self->has_pattern)
        return -EINVAL;
    orma_buf_put_str(&text, "(^|/)");
    for (int n = 0; *pattern; pattern += n) {
        n = translate(self, pattern, &text);
        if (n < 0)
            return n;
        /* "**" is a group without a name. */
        if (*pattern == '{' || !strncmp(pattern, "**/", 3))
            snprintf(self->captures[self->captures_num++], sizeof(self->captures[0]), "%.*s",
                     *pattern == '{' ? n - 2 : 0, pattern + 1);
        if (self->captures_num >= ORMA_FLEET_CAPTURES_MAX - 2)
            return -EINVAL;
    }
    orma_buf_put_byte(&text, '$');
    if (text.failed || regcomp(&self->pattern, orma_buf_cstr(&text), REG_EXTENDED))
        return -EINVAL;
    self->has_pattern = true;
    return 0;
}

static void put(struct orma_buf *ret, const char *text, size_t len)
{
    orma_buf_put(ret, text, len);
    orma_buf_put_byte(ret, 0);
}

int orma_fleet_labels_of(const struct orma_fleet_labels *self, const char *path,
                         struct orma_buf *ret)
{
    regmatch_t at[ORMA_FLEET_CAPTURES_MAX];

    if (self->has_pattern && regexec(&self->pattern, path, ORMA_ARRAY_LEN(at), at, 0))
        return -ENOENT;
    for (size_t i = 0; i < self->captures_num; i++) {
        const regmatch_t *m = &at[i + 2]; /* behind the whole, and the begin */

        if (!self->captures[i][0] || m->rm_so < 0)
            continue;
        put(ret, self->captures[i], strlen(self->captures[i]));
        put(ret, path + m->rm_so, (size_t)(m->rm_eo - m->rm_so));
    }
    for (size_t i = 0; i < self->given_num; i++) {
        const size_t name = strcspn(self->given[i], "=");

        put(ret, self->given[i], name);
        put(ret, self->given[i] + name + 1, strlen(self->given[i] + name + 1));
    }
    return ret->failed ? -ENOMEM : 0;
}

bool orma_fleet_next_label(const struct orma_buf *labels, const char **name, const char **value)
{
    const char *first = (const char *)labels->data,
               *next = *name ? *value + strlen(*value) + 1 : first;

    if (!labels->len || (size_t)(next - first) >= labels->len)
        return false;
    *name = next;
    *value = next + strlen(next) + 1;
    return true;
}

const char *orma_fleet_label(const struct orma_buf *labels, const char *name)
{
    const char *found = NULL, *value;

    for (const char *at = NULL; orma_fleet_next_label(labels, &at, &value);) {
        if (!strcmp(at, name))
            found = value;
    }
    return found;
}

void orma_fleet_labels_fini(struct orma_fleet_labels *self)
{
    if (self->has_pattern)
        regfree(&self->pattern);
}
