#include "tools/doctor/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/path.h"

#define FIRST_PIECE ((uint64_t)128 << 10)
#define LAST_PIECE ((uint64_t)8 << 20)
#define SHARE 16 /* of what is free */

/* A file that nobody else sees, and that is gone with us whatever happens. */
static int open_unnamed(const char *folder)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd < 0 ? -errno : fd;
    orma_buf_printf(&name, "%s/.orma-disk-XXXXXX", folder); /* file systems without it */
    if (name.failed)
        return -ENOMEM;
    fd = mkostemp((char *)name.data, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    (void)unlink((char *)name.data); /* it stays, empty, if that cannot be */
    return fd;
}

/* How much may be written. */
static uint64_t allowed(int fd)
{
    uint64_t ret = ORMA_DOCTOR_DISK_BYTES;
    struct statvfs fs;
    struct rlimit limit;

    if (fstatvfs(fd, &fs) == 0)
        ret = ORMA_MIN(ret, (uint64_t)fs.f_bavail * fs.f_frsize / SHARE);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        ret = ORMA_MIN(ret, (uint64_t)limit.rlim_cur); /* beyond it there is a signal */
    return ret;
}

/* Nothing that a file system could make smaller. */
static void fill(uint64_t *words, size_t num)
{
    uint64_t x = 88172645463325252u;

    for (size_t i = 0; i < num; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        words[i] = x;
    }
}

static int write_some(int fd, const void *data, uint64_t max, struct orma_doctor_disk *disk)
{
    uint64_t piece = FIRST_PIECE, begin = orma_clock_monotonic();
    int r = 0;

    while (r == 0 && disk->bytes + piece <= max &&
           disk->ns < (uint64_t)ORMA_DOCTOR_DISK_MS * 1000000) {
        r = orma_fd_write_all(fd, data, piece);
        if (r == 0 && fdatasync(fd) < 0)
            r = -errno;
        if (r < 0)
            break;
        disk->bytes += piece;
        disk->ns = orma_clock_monotonic() - begin;
        piece = ORMA_MIN(piece * 2, LAST_PIECE);
    }
    return disk->bytes ? 0 : r < 0 ? r : -ENOSPC; /* a quota may end it early */
}

int orma_doctor_disk_measure(const char *path, struct orma_doctor_disk *ret)
{
    const char *base = orma_path_base(path);
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};
    struct orma_doctor_disk disk = {0};

    orma_buf_printf(&folder, "%.*s", (int)(base - path), path);
    if (folder.failed)
        return -ENOMEM;
    ORMA_AUTO(orma_fd_close) int fd = open_unnamed(folder.len ? orma_buf_cstr(&folder) : ".");
    if (fd < 0)
        return fd;
    uint64_t *data = malloc(LAST_PIECE);
    if (!data)
        return -ENOMEM;
    fill(data, LAST_PIECE / sizeof(*data));
    int r = write_some(fd, data, allowed(fd), &disk);
    free(data);
    if (r < 0)
        return r;
    disk.bytes_per_s = (uint64_t)((double)disk.bytes * 1e9 / (double)ORMA_MAX(disk.ns, 1));
    *ret = disk;
    return 0;
}
