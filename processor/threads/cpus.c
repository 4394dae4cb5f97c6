/*
 * How many CPUs a process may use: those that it may run on, and no more than the groups that it is
 * in get time for. In a container that may use two of 64 CPUs, 64 threads would mostly wait for
 * their turn.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "processor/threads/crew.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"

/* More names of groups no process has. */
#define GROUPS_MAX ((size_t)1 << 20)

/* The numbers in a file, as many as are there of two; 0 where there is "max" or no file. */
static int numbers_in(const char *path, const char *file, long long ret[2])
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

    orma_buf_printf(&name, "%s/%s", path, file);
    FILE *f = name.failed ? NULL : fopen(orma_buf_cstr(&name), "re");
    const int found = f ? fscanf(f, "%lld %lld", &ret[0], &ret[1]) : 0;
    if (f)
        (void)fclose(f); /* only read from */
    return found;
}

/* What a group gets in microseconds of each period, in whole CPUs. UINT_MAX: all it wants. */
static unsigned cpus_of_group(const char *path)
{
    long long quota[2], period[2];

    if (numbers_in(path, "cpu.max", quota) != 2) { /* of the first version: -1 is no limit */
        if (numbers_in(path, "cpu.cfs_quota_us", quota) < 1 || quota[0] <= 0 ||
            numbers_in(path, "cpu.cfs_period_us", period) < 1)
            return UINT_MAX;
        quota[1] = period[0];
    }
    if (quota[0] <= 0 || quota[1] <= 0 || quota[0] / quota[1] >= UINT_MAX)
        return UINT_MAX;
    return (unsigned)((quota[0] + quota[1] - 1) / quota[1]);
}

/* The least of a group and those around it. `path` begins with a slash, or is empty. */
static unsigned least_along(const char *mount, const char *below, struct orma_str path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    unsigned least = UINT_MAX;

    for (;;) {
        while (path.len && path.data[path.len - 1] == '/')
            path.len--;
        orma_buf_clear(&name);
        orma_buf_printf(&name, "%s%s%.*s", mount, below, ORMA_STR_ARG(path));
        if (name.failed)
            return least;
        least = ORMA_MIN(least, cpus_of_group(orma_buf_cstr(&name)));
        if (!path.len)
            return least;
        while (path.len && path.data[path.len - 1] != '/')
            path.len--;
    }
}

static bool has_cpu(struct orma_str controllers)
{
    struct orma_str one;

    while (orma_str_cut(&controllers, ',', &one))
        if (orma_str_eq(one, ORMA_STR("cpu")))
            return true;
    return false;
}

unsigned orma_crew_cpus_of_groups(const char *groups, const char *mount)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    const struct orma_str root = {"", 0};
    unsigned least = ORMA_MIN(least_along(mount, "", root), least_along(mount, "/cpu", root));
    struct orma_str rest, line, number, controllers;

    if (orma_fd_read_file(AT_FDCWD, groups, GROUPS_MAX, &text) < 0)
        return least;
    /* "0::/user.slice" and, of the first version, "4:cpu,cpuacct:/docker/1234" */
    for (rest = orma_buf_str(&text); orma_str_cut(&rest, '\n', &line);) {
        if (!orma_str_cut(&line, ':', &number) || !orma_str_cut(&line, ':', &controllers))
            continue;
        if (has_cpu(controllers))
            least = ORMA_MIN(least, least_along(mount, "/cpu", line));
        else if (!controllers.len)
            least = ORMA_MIN(least, least_along(mount, "", line));
    }
    return least;
}

unsigned orma_crew_cpus(void)
{
    cpu_set_t set;
    const long there =
        sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    const unsigned given = orma_crew_cpus_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");

    return ORMA_MAX(1u, ORMA_MIN(given, (unsigned)ORMA_MIN(there, (long)ORMA_CREW_THREADS_MAX)));
}
