/*
 * A new file has no name while it is written (O_TMPFILE), or a temporary one where the file system
 * has no such files; so what was not finished is gone, or goes when the next one is written.
 */
#include "processor/cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/vec.h"

#define UNFINISHED ".orma-new-"
#define HURRY_TRIES 100

/* ---- folder ---- */

/* With the folders before it, as far as they are missing. */
static int make_folder(const char *path)
{
    char part[4096];
    size_t len = strlen(path);

    if (!len || len >= sizeof(part))
        return -ENAMETOOLONG;
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

static bool is_mine_alone(const struct stat *st, mode_t others)
{
    return st->st_uid == geteuid() && !(st->st_mode & others);
}

/* The descriptor; -EPERM: others could put files there. */
static int open_folder(const struct orma_cache_place *place, bool make)
{
    static const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    ORMA_AUTO(orma_fd_close) int fd = open(place->folder, flags);
    struct stat st;

    if (fd < 0 && errno == ENOENT && make) {
        int r = make_folder(place->folder);

        if (r)
            return r;
        fd = open(place->folder, flags);
    }
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!is_mine_alone(&st, S_IWGRP | S_IWOTH))
        return -EPERM;
    int ret = fd;
    fd = -1;
    return ret;
}

/* ---- reading ---- */

static int open_file(int folder, const char *name)
{
    ORMA_AUTO(orma_fd_close)
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || !is_mine_alone(&st, S_IRWXG | S_IRWXO))
        return -EPERM;
    int ret = fd;
    fd = -1;
    return ret;
}

static int read_file(int fd, struct orma_cache_key *key, struct orma_storage *storage,
                     struct orma_mapped **ret)
{
    struct orma_mapped *mapped = NULL;
    int r = orma_mapped_open(fd, &mapped);

    if (r == -EINVAL) /* of no bytes */
        return -EBADMSG;
    if (!r)
        r = orma_image_read(storage, &key->label, orma_mapped_data(mapped),
                            orma_mapped_size(mapped));
    if (r) {
        orma_mapped_close(mapped);
        return r;
    }
    *ret = mapped;
    (void)futimens(fd, NULL); /* so it looks older than it is, and goes earlier */
    return 0;
}

/* What is no good is in the way of a good one. */
static void drop(int folder, const struct orma_cache_place *place, const char *name, int why,
                 struct orma_buf *note)
{
    bool gone = unlinkat(folder, name, 0) == 0;

    orma_buf_printf(note, "%s/%s: %s; %s", place->folder, name,
                    why == -EBADMSG ? "damaged, or not a cache file of this trace"
                                    : "other users own or can write this file",
                    gone ? "deleted" : "it cannot be deleted");
}

int orma_cache_open(const struct orma_cache_place *place, struct orma_cache_key *key,
                    struct orma_storage *storage, struct orma_mapped **ret, struct orma_buf *note)
{
    ORMA_AUTO(orma_fd_close) int folder = open_folder(place, false);

    if (folder == -EPERM)
        orma_buf_printf(note, "%s: not used, because others can write to it", place->folder);
    if (folder < 0)
        return folder;
    ORMA_AUTO(orma_fd_close) int fd = open_file(folder, key->name);
    int r = fd < 0 ? fd : read_file(fd, key, storage, ret);
    if (r == -EBADMSG || r == -EPERM || r == -ELOOP)
        drop(folder, place, key->name, r, note);
    return r;
}

int orma_cache_open_part(const struct orma_cache_place *place, const struct orma_cache_key *part,
                         struct orma_buf *note)
{
    uint8_t key[sizeof(part->label.key)];
    ORMA_AUTO(orma_fd_close) int folder = open_folder(place, false);

    if (folder < 0)
        return folder;
    ORMA_AUTO(orma_fd_close) int fd = open_file(folder, part->name);
    if (fd >= 0 && (read(fd, key, sizeof(key)) != sizeof(key) ||
                    memcmp(key, part->label.key, sizeof(key)) != 0)) {
        drop(folder, place, part->name, -EBADMSG, note);
        return -EBADMSG;
    }
    if (fd >= 0)
        (void)futimens(fd, NULL); /* as for images */
    int ret = fd;
    fd = -1;
    return ret;
}

void orma_cache_drop_part(const struct orma_cache_place *place, const struct orma_cache_key *part,
                          struct orma_buf *note)
{
    ORMA_AUTO(orma_fd_close) int folder = open_folder(place, false);

    if (folder >= 0)
        drop(folder, place, part->name, -EBADMSG, note);
}

/* ---- making room ---- */

struct file {
    char name[24];
    uint64_t bytes;
    struct timespec used;
};
ORMA_VEC_STRUCT(files, struct file);

/* As key.c names them: the folder may have other files of the user. */
static bool is_image(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && !strcmp(name + 16, ".orma");
}

static void look_at(int folder, const char *name, struct files *files)
{
    struct file f = {0};
    struct stat st;

    if (!strncmp(name, UNFINISHED, strlen(UNFINISHED))) { /* we have the lock: nobody writes it */
        (void)unlinkat(folder, name, 0);
        return;
    }
    if (!is_image(name) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    memcpy(f.name, name, strlen(name));
    f.bytes = (uint64_t)st.st_size;
    f.used = st.st_mtim;
    (void)ORMA_VEC_PUSH(files, f); /* without memory it stays */
}

static int list_files(int folder, struct files *ret)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir) {
        int err = errno;

        orma_fd_close(&fd);
        return -err;
    }
    for (struct dirent *e; (e = readdir(dir));)
        look_at(folder, e->d_name, ret);
    (void)closedir(dir);
    return 0;
}

static int by_use(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Until all files and `more` bytes are within the limit. */
static int make_room(int folder, uint64_t limit, uint64_t more)
{
    struct files files = {0};
    uint64_t sum = more;
    int r = list_files(folder, &files);

    for (uint32_t i = 0; i < files.len; i++)
        sum += files.data[i].bytes;
    if (files.len)
        qsort(files.data, files.len, sizeof(*files.data), by_use);
    for (uint32_t i = 0; i < files.len && sum > limit; i++) {
        if (unlinkat(folder, files.data[i].name, 0) == 0)
            sum -= files.data[i].bytes;
    }
    ORMA_VEC_FINI(&files);
    return r ? r : sum > limit ? -EFBIG : 0;
}

/* ---- writing ---- */

/* Room for twice that, so that the disk is not full because of us. */
static bool has_space(int folder, uint64_t bytes)
{
    struct statvfs vfs;

    return fstatvfs(folder, &vfs) < 0 || (uint64_t)vfs.f_bavail * vfs.f_frsize / 2 > bytes;
}

/* A file without a name, or with this one. */
static int make_file(int folder, char *name, size_t name_size)
{
    int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    *name = '\0';
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd < 0 ? -errno : fd;
    snprintf(name, name_size, UNFINISHED "%ld", (long)getpid());
    fd = openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int name_file(int folder, int fd, const char *from, const char *to)
{
    char path[64];

    if (*from)
        return renameat(folder, from, folder, to) < 0 ? -errno : 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, folder, to, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST ? -errno
                                                                                        : 0;
}

static int write_file(int folder, const struct orma_cache_place *place,
                      const struct orma_cache_key *key, const struct orma_cache_writer *writer)
{
    char name[32];
    struct stat st;
    ORMA_AUTO(orma_fd_close) int fd = make_file(folder, name, sizeof(name));

    if (fd < 0)
        return fd;
    int r = writer->write(writer->ctx, fd);
    if (!r && fstat(fd, &st) < 0)
        r = -errno;
    if (!r)
        r = (uint64_t)st.st_size > place->limit_bytes
                ? -EFBIG
                : make_room(folder, place->limit_bytes, (uint64_t)st.st_size);
    if (!r)
        r = name_file(folder, fd, name, key->name);
    if (r && *name)
        (void)unlinkat(folder, name, 0);
    return r;
}

/* One writer at a time. */
static int lock(int folder, bool hurry)
{
    const struct timespec pause = {0, 20 * 1000000};

    if (!hurry)
        return flock(folder, LOCK_EX) < 0 ? -errno : 0;
    for (unsigned tries = 0; flock(folder, LOCK_EX | LOCK_NB) < 0; tries++) {
        if (errno != EWOULDBLOCK || tries == HURRY_TRIES)
            return -errno;
        (void)nanosleep(&pause, NULL); /* cut short: it is tried earlier */
    }
    return 0;
}

int orma_cache_put(const struct orma_cache_place *place, const struct orma_cache_key *key,
                   const struct orma_cache_writer *writer)
{
    ORMA_AUTO(orma_fd_close) int folder = open_folder(place, true);

    if (folder < 0)
        return folder;
    if (!key->settled)
        return -EAGAIN;
    int r = lock(folder, place->hurry);
    if (r)
        return r;
    if (faccessat(folder, key->name, F_OK, 0) == 0)
        return 0; /* somebody was faster */
    return has_space(folder, writer->bytes) ? write_file(folder, place, key, writer) : -ENOSPC;
}
