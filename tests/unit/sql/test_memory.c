#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/base/memory.h"
#include "tests/support/leaks.h"

static char dir[] = "/tmp/orma-groups-XXXXXX";

/* A file below `dir`, with the folders it lies in. */
static void put(const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    for (char *at = path + strlen(dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        cr_assert(mkdir(path, 0755) == 0 || errno == EEXIST);
    }
    FILE *f = fopen(path, "we");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static uint64_t limit(const char *groups)
{
    char path[256];

    put("cgroup", groups);
    snprintf(path, sizeof(path), "%s/cgroup", dir);
    return orma_sql_memory_of_groups(path, dir);
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

Test(sql_memory, the_least_of_all_groups_around_the_process)
{
    cr_assert(mkdtemp(dir));
    cr_assert_eq(limit("0::/a/b/c\n"), UINT64_MAX);
    put("a/b/c/memory.max", "max\n");
    cr_assert_eq(limit("0::/a/b/c\n"), UINT64_MAX);
    put("a/memory.max", "5000\n");
    put("a/b/memory.max", "7000\n");
    cr_assert_eq(limit("0::/a/b/c\n"), 5000);
    put("a/b/c/memory.max", "3000\n");
    cr_assert_eq(limit("0::/a/b/c\n"), 3000);
    cr_assert_eq(limit("0::/a/b\n"), 5000);
    cr_assert_eq(limit("0::/gone/away\n"), UINT64_MAX);
    put("memory.max", "4000\n");
    cr_assert_eq(limit("0::/gone/away\n"), 4000);
    put("memory/x/memory.limit_in_bytes", "2000\n");
    cr_assert_eq(limit("4:cpu,memory:/x/y\n1:name=systemd:/a/b/c\n"), 2000);
    cr_assert_eq(limit("garbage\n:\n\n4:cpu:/x\n"), 4000);
    cr_assert_eq(nftw(dir, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
    cr_assert_eq(orma_sql_memory_of_groups("/nowhere/at/all", dir), UINT64_MAX);
    orma_assert_no_leaks();
}
