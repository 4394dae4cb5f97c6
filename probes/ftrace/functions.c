#include "probes/ftrace/functions.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* "name" or "name [module]" */
static bool is_meant(struct orma_str line, const char *pattern)
{
    char name[512];
    struct orma_str word = line;

    (void)orma_str_cut(&line, ' ', &word); /* the whole line if there is none */
    if (word.len >= sizeof(name))
        return false;
    (void)snprintf(name, sizeof(name), "%.*s", ORMA_STR_ARG(word)); /* fits */
    return fnmatch(pattern, name, 0) == 0;
}

bool orma_ftrace_functions_can_trace(const struct orma_tracefs *fs, const char *pattern)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    struct orma_str rest, line;

    if (strchr(pattern, ':') || pattern[0] == '!') /* in a module, or a command */
        return true;
    if (orma_tracefs_read_top(fs, "available_filter_functions", &list) < 0 || !list.len)
        return true;
    rest = orma_buf_str(&list);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (is_meant(line, pattern))
            return true;
    }
    return false;
}

bool orma_ftrace_functions_has_symbol(struct orma_str symbols, const char *place)
{
    const char *colon = strchr(place, ':'), *at;
    char name[512];
    int len;

    place = colon ? colon + 1 : place;
    len = snprintf(name, sizeof(name), " %.*s", (int)strcspn(place, "+"), place);
    if (!symbols.len || (size_t)len >= sizeof(name))
        return true;
    while ((at = orma_str_find(symbols, orma_str_from(name)))) {
        at += len;
        symbols.len -= (size_t)(at - symbols.data);
        symbols.data = at;
        if (!symbols.len || *at == '\n' || *at == '\t')
            return true;
    }
    return false;
}
