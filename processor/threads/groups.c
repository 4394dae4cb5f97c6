#include "processor/threads/groups.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"

/* More names of groups no process has. */
#define GROUPS_MAX ((size_t)1 << 20)

int orma_crew_groups_numbers(const char *folder, const char *file, long long ret[2])
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

    orma_buf_printf(&name, "%s/%s", folder, file);
    FILE *f = name.failed ? NULL : fopen(orma_buf_cstr(&name), "re");
    const int found = f ? fscanf(f, "%lld %lld", &ret[0], &ret[1]) : 0;
    if (f)
        (void)fclose(f); /* only read from */
    return ORMA_MAX(found, 0);
}

/* The least of a group and those around it. `path` begins with a slash, or is empty; those of the
 * first version are below a folder of the controller. */
static uint64_t least_along(const char *mount, const char *below, struct orma_str path,
                            orma_crew_groups_limit_fn *limit)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    uint64_t least = UINT64_MAX, one;

    for (;;) {
        while (path.len && path.data[path.len - 1] == '/')
            path.len--;
        orma_buf_clear(&name);
        orma_buf_printf(&name, "%s%s%s%.*s", mount, *below ? "/" : "", below, ORMA_STR_ARG(path));
        if (name.failed)
            return least;
        one = limit(orma_buf_cstr(&name));
        least = ORMA_MIN(least, one);
        if (!path.len)
            return least;
        while (path.len && path.data[path.len - 1] != '/')
            path.len--;
    }
}

static bool has_name(struct orma_str controllers, struct orma_str name)
{
    struct orma_str one;

    while (orma_str_cut(&controllers, ',', &one))
        if (orma_str_eq(one, name))
            return true;
    return false;
}

uint64_t orma_crew_groups_least(const char *groups, const char *mount, const char *controller,
                                orma_crew_groups_limit_fn *limit)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    const struct orma_str root = {"", 0};
    uint64_t least = least_along(mount, "", root, limit),
             one = least_along(mount, controller, root, limit);
    struct orma_str rest, line, number, controllers;

    least = ORMA_MIN(least, one);
    if (orma_fd_read_file(AT_FDCWD, groups, GROUPS_MAX, &text) < 0)
        return least;
    /* "0::/user.slice" and, of the first version, "4:cpu,cpuacct:/docker/1234" */
    for (rest = orma_buf_str(&text); orma_str_cut(&rest, '\n', &line);) {
        if (!orma_str_cut(&line, ':', &number) || !orma_str_cut(&line, ':', &controllers))
            continue;
        if (controllers.len && !has_name(controllers, orma_str_from(controller)))
            continue;
        one = least_along(mount, controllers.len ? controller : "", line, limit);
        least = ORMA_MIN(least, one);
    }
    return least;
}
