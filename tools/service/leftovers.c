#include "tools/service/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/run_dir.h"

#define PREFIX "orma-"
#define LOCK "lock"
#define LOCK_NEW "lock.new"
#define UNMARKED_SECONDS 60 /* from mkdtemp() to the mark takes no second */

/* Under its name only once it is locked: nobody sees it free before. */
int orma_service_leftovers_mark(const char *dir)
{
    ORMA_AUTO(orma_fd_close) int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd =
        dir_fd < 0 ? -1 : openat(dir_fd, LOCK_NEW, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        renameat(dir_fd, LOCK_NEW, dir_fd, LOCK) == 0)
        return fd;
    int r = -errno;
    orma_fd_close(&fd);
    return r;
}

void orma_service_leftovers_unmark(const char *dir)
{
    char path[300];

    if ((size_t)snprintf(path, sizeof(path), "%s/" LOCK, dir) < sizeof(path))
        (void)unlink(path); /* the folder could not be removed else */
}

/* Calls for each entry until one says no. */
static bool each_entry(int dir_fd, bool (*fn)(int dir_fd, const char *name))
{
    int copy = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    bool ret = dir != NULL;

    if (!dir) {
        orma_fd_close(&copy);
        return false;
    }
    rewinddir(dir); /* both descriptors have one place */
    while (ret && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            ret = fn(dir_fd, entry->d_name);
    }
    (void)closedir(dir); /* read only */
    return ret;
}

static bool is_usual(int dir_fd, const char *name)
{
    struct stat st;

    return !strcmp(name, LOCK) || !strcmp(name, LOCK_NEW) ||
           (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode));
}

/* A socket that nobody listens on. */
static bool is_deserted(int dir_fd, const char *name)
{
    ORMA_AUTO(orma_fd_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un addr = {.sun_family = AF_UNIX};

    if (fd < 0 || (size_t)snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%s",
                                   dir_fd, name) >= sizeof(addr.sun_path))
        return false;
    return connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 && errno == ECONNREFUSED;
}

/* Its owner was killed before it could mark the folder, or did not know of marks. */
static bool is_abandoned(int dir_fd)
{
    struct stat st;

    return fstat(dir_fd, &st) == 0 && time(NULL) - st.st_mtime > UNMARKED_SECONDS &&
           each_entry(dir_fd, is_deserted);
}

static bool remove_entry(int dir_fd, const char *name)
{
    return unlinkat(dir_fd, name, 0) == 0;
}

/* Nobody but us may have put anything into it. */
static bool is_private(int dir_fd)
{
    struct stat st;

    return fstat(dir_fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700;
}

static bool remove_folder(int base_fd, const char *name)
{
    ORMA_AUTO(orma_fd_close)
    int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || !is_private(fd))
        return false;
    ORMA_AUTO(orma_fd_close) int lock = openat(fd, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0 ? !is_abandoned(fd) : flock(lock, LOCK_EX | LOCK_NB) < 0)
        return false; /* not one of these, or its owner lives */
    return each_entry(fd, is_usual) && each_entry(fd, remove_entry) &&
           unlinkat(base_fd, name, AT_REMOVEDIR) == 0;
}

static unsigned remove_in(const char *base)
{
    ORMA_AUTO(orma_fd_close) int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : opendir(base);
    struct dirent *entry;
    unsigned ret = 0;

    while (dir && (entry = readdir(dir))) {
        if (strlen(entry->d_name) == strlen(ORMA_SERVICE_LEFTOVERS_PATTERN) &&
            !strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
            ret += remove_folder(fd, entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* read only */
    return ret;
}

unsigned orma_service_leftovers_remove(void)
{
    const char *run = orma_path_run_dir();
    unsigned ret = remove_in("/tmp");

    if (run && strcmp(run, "/tmp"))
        ret += remove_in(run);
    return ret;
}
