#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/core/entries.h"
#include "sdk/base/buf.h"
#include "tests/support/leaks.h"

static char folder[] = "/tmp/orma-entries-XXXXXX";

/* a/ with cpu10, cpu2, cpu1 and .hidden; b, a file. Returns the folder. */
static int make(void)
{
    static const char *const names[] = {"a/cpu10", "a/cpu2", "a/cpu1", "a/.hidden", "b"};

    cr_assert(mkdtemp(folder));
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_eq(mkdirat(fd, "a", 0700), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        close(openat(fd, names[i], O_CREAT | O_WRONLY, 0600));
    return fd;
}

static void unmake(int fd)
{
    static const char *const names[] = {"a/cpu10", "a/cpu2", "a/cpu1", "a/.hidden", "b"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        (void)unlinkat(fd, names[i], 0);
    (void)unlinkat(fd, "a", AT_REMOVEDIR);
    close(fd);
    rmdir(folder);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool lists(int fd, int (*order)(const void *, const void *), const char *want)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf got = {0};
    struct dirent **entries;
    const int num = orma_entries_list(fd, "a", &entries, is_shown, order);

    for (int i = 0; i < num; i++) {
        orma_buf_printf(&got, "%s ", entries[i]->d_name);
        free(entries[i]);
    }
    if (num >= 0)
        free(entries);
    return num >= 0 && !strcmp(orma_buf_cstr(&got), want);
}

Test(entries, filters_and_sorts)
{
    struct dirent **entries = NULL;
    const int fd = make();

    cr_expect(lists(fd, orma_entries_by_version, "cpu1 cpu2 cpu10 "));
    cr_expect(lists(fd, orma_entries_by_name, "cpu1 cpu10 cpu2 "));
    cr_expect_eq(orma_entries_list(fd, "none", &entries, NULL, NULL), -1);
    cr_expect_eq(errno, ENOENT);
    cr_expect_eq(orma_entries_list(fd, "b", &entries, NULL, NULL), -1);
    cr_expect_eq(errno, ENOTDIR);
    cr_expect_eq(orma_entries_list(-1, "a", &entries, NULL, NULL), -1);
    cr_expect_eq(errno, EBADF);
    cr_expect_null(entries);
    unmake(fd);
    orma_assert_no_leaks();
}

/* In containers, and in root folders that hold one program. */
Test(entries, needs_no_proc)
{
    const int fd = make();
    int status = -1;
    const pid_t pid = fork();

    if (!pid) {
        if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) < 0 ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("none", "/proc", "tmpfs", 0, NULL) < 0)
            _exit(77);
        _exit(access("/proc/self", F_OK) == 0 ||
              !lists(fd, orma_entries_by_name, "cpu1 cpu10 cpu2 "));
    }
    cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    unmake(fd);
    if (WEXITSTATUS(status) == 77)
        cr_skip_test("no namespaces for mounts here");
    cr_expect_eq(WEXITSTATUS(status), 0);
}
