#include "sdk/ftrace/printk.h"

#include <errno.h>

#include "sdk/ftrace/format.h"

/* The kernel escapes newline, tab, backslash and the quote. */
static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    default:
        return c;
    }
}

static const char *copy_text(struct orma_arena *arena, struct orma_str text)
{
    char copy[ORMA_FTRACE_FORMAT_PRINTK_MAX];
    size_t len = 0;

    for (size_t i = 0; i < text.len && len + 1 < sizeof(copy); i++) {
        bool escaped = text.data[i] == '\\' && i + 1 < text.len;

        copy[len++] = escaped ? unescape(text.data[++i]) : text.data[i];
    }
    return orma_arena_strdup(arena, (struct orma_str){copy, len});
}

int orma_ftrace_printk_parse(struct orma_arena *arena, struct orma_str text, struct orma_map *ret)
{
    struct orma_str line, key;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        uint64_t address;

        if (!orma_str_cut(&line, ':', &key) || !orma_str_to_u64(orma_str_trim(key), &address))
            continue;
        line = orma_str_trim(line);
        if (line.len < 2 || line.data[0] != '"' || line.data[line.len - 1] != '"')
            continue;
        const char *copy = copy_text(arena, (struct orma_str){line.data + 1, line.len - 2});
        if (!copy || orma_map_put_ptr(ret, address, copy) < 0)
            return -ENOMEM;
    }
    return 0;
}
