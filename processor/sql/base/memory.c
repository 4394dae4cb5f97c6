#include "processor/sql/base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "processor/store/large.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"

/* More names of groups no process has. */
#define GROUPS_MAX ((size_t)1 << 20)

/* The first number of a file; UINT64_MAX if there is none ("max"), or no file. */
static uint64_t number_in(const char *path)
{
    unsigned long long val;
    FILE *f = fopen(path, "re");
    int found = f ? fscanf(f, "%llu", &val) : 0;

    if (f)
        (void)fclose(f); /* only read from */
    return found == 1 ? val : UINT64_MAX;
}

/* The least of a group and those around it. `path` begins with a slash, or is empty. */
static uint64_t least_along(const char *mount, const char *below, struct orma_str path,
                            const char *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    uint64_t least = UINT64_MAX;

    for (;;) {
        while (path.len && path.data[path.len - 1] == '/')
            path.len--;
        orma_buf_clear(&name);
        orma_buf_printf(&name, "%s%s%.*s/%s", mount, below, ORMA_STR_ARG(path), file);
        if (name.failed)
            return least;
        least = ORMA_MIN(least, number_in(orma_buf_cstr(&name)));
        if (!path.len)
            return least;
        while (path.len && path.data[path.len - 1] != '/')
            path.len--;
    }
}

static bool has_memory(struct orma_str controllers)
{
    struct orma_str one;

    while (orma_str_cut(&controllers, ',', &one))
        if (orma_str_eq(one, ORMA_STR("memory")))
            return true;
    return false;
}

uint64_t orma_sql_memory_of_groups(const char *groups, const char *mount)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    const struct orma_str root = {"", 0};
    uint64_t least = ORMA_MIN(least_along(mount, "", root, "memory.max"),
                              least_along(mount, "/memory", root, "memory.limit_in_bytes"));
    struct orma_str rest, line, number, controllers;

    if (orma_fd_read_file(AT_FDCWD, groups, GROUPS_MAX, &text) < 0)
        return least;
    /* "0::/user.slice" and, of the first version, "4:memory,cpu:/docker/1234" */
    for (rest = orma_buf_str(&text); orma_str_cut(&rest, '\n', &line);) {
        if (!orma_str_cut(&line, ':', &number) || !orma_str_cut(&line, ':', &controllers))
            continue;
        if (has_memory(controllers))
            least = ORMA_MIN(least, least_along(mount, "/memory", line, "memory.limit_in_bytes"));
        else if (!controllers.len)
            least = ORMA_MIN(least, least_along(mount, "", line, "memory.max"));
    }
    return least;
}

/* Seven eighths of what the machine, or the container, has. */
static uint64_t memory_there(void)
{
    uint64_t there = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    there = ORMA_MIN(there, orma_sql_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
    return there / 8 * 7;
}

/* What the process has in memory, without pages of files. 0: unknown. */
static uint64_t memory_used(void)
{
    unsigned long long resident, shared;
    FILE *f = fopen("/proc/self/statm", "re");
    int found = f ? fscanf(f, "%*u %llu %llu", &resident, &shared) : 0;

    if (f)
        (void)fclose(f); /* only read from */
    return found == 2 && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE)
                                           : 0;
}

uint64_t orma_sql_memory_room(struct orma_sql_memory *self)
{
    if (!self->limit_bytes)
        self->limit_bytes = memory_there();
    uint64_t used = memory_used(), kept = orma_large_kept(); /* which is used first */
    used -= ORMA_MIN(kept, used);
    return self->limit_bytes - ORMA_MIN(used, self->limit_bytes);
}

bool orma_sql_memory_is_out(struct orma_sql_memory *self)
{
    uint64_t used = memory_used();

    if (!self->limit_bytes)
        self->limit_bytes = memory_there();
    if (!self->before_bytes)
        self->before_bytes = used;
    if (used > self->limit_bytes && orma_large_kept()) {
        orma_large_drop();
        used = memory_used();
    }
    self->out = used > self->limit_bytes &&
                used - ORMA_MIN(used, self->before_bytes) > self->limit_bytes / 64;
    return self->out;
}
