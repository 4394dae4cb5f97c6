/* Files that change while they are packed are as long as they were at first: cut, or with zeros. */
#include "processor/api/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

void orma_tar_head_fill(struct orma_tar_head *self, const char *name, uint64_t size)
{
    const uint8_t *bytes = (const uint8_t *)self;
    unsigned sum = 0;

    *self = (struct orma_tar_head){.type = '0', .magic = "ustar", .version = {'0', '0'}};
    snprintf(self->name, sizeof(self->name), "%s", name);
    snprintf(self->mode, sizeof(self->mode), "%07o", 0644U);
    snprintf(self->uid, sizeof(self->uid), "%07o", 0U);
    snprintf(self->gid, sizeof(self->gid), "%07o", 0U);
    snprintf(self->size, sizeof(self->size), "%011" PRIo64, size & ORMA_TAR_SIZE_MAX);
    snprintf(self->mtime, sizeof(self->mtime), "%011o", 0U); /* the same trace, the same bytes */
    memset(self->sum, ' ', sizeof(self->sum));               /* as which it is part of the sum */
    for (size_t i = 0; i < sizeof(*self); i++)
        sum += bytes[i];
    snprintf(self->sum, sizeof(self->sum), "%06o", sum); /* the blank behind the NUL stays */
}

/* A regular file of the folder; others could block, or lead out of it. */
static int open_file(int dir, const char *name, struct stat *st)
{
    const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return -errno;
    if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode)) {
        (void)close(fd);
        return -EINVAL;
    }
    return fd;
}

static bool is_trace(int dir)
{
    char head[8] = "";
    struct stat st;
    ORMA_AUTO(orma_fd_close) int fd = open_file(dir, "info", &st);

    return fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) && !memcmp(head, "Ftrace!", 8);
}

static int new_file(void)
{
    const char *folder = secure_getenv("TMPDIR");
    int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        fd = memfd_create("orma-folder", MFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int copy(int from, int to, uint64_t size)
{
    static const char zeros[ORMA_TAR_BLOCK];
    char piece[65536];
    uint64_t left = size;
    int r = 0;

    while (!r && left) {
        ssize_t n = read(from, piece, ORMA_MIN((uint64_t)sizeof(piece), left));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (!n) { /* it shrank */
            n = (ssize_t)ORMA_MIN((uint64_t)sizeof(zeros), left);
            r = orma_fd_write_all(to, zeros, (size_t)n);
        } else {
            r = orma_fd_write_all(to, piece, (size_t)n);
        }
        left -= (uint64_t)n;
    }
    return r ? r : orma_fd_write_all(to, zeros, -size % ORMA_TAR_BLOCK);
}

static int pack_file(int dir, const char *name, int to)
{
    struct orma_tar_head head;
    struct stat st;
    ORMA_AUTO(orma_fd_close) int fd = open_file(dir, name, &st);

    if (fd == -EINVAL || fd == -ELOOP) /* folders, links, devices */
        return 0;
    if (fd < 0)
        return fd;
    if (strlen(name) > ORMA_TAR_NAME_MAX)
        return -ENAMETOOLONG;
    if ((uint64_t)st.st_size > ORMA_TAR_SIZE_MAX)
        return -EFBIG;
    orma_tar_head_fill(&head, name, (uint64_t)st.st_size);
    const int r = orma_fd_write_all(to, &head, sizeof(head));
    return r ? r : copy(fd, to, (uint64_t)st.st_size);
}

static int pack_all(DIR *files, int to, struct orma_buf *why)
{
    static const char end[2 * ORMA_TAR_BLOCK];
    const struct dirent *entry;

    while ((entry = readdir(files))) {
        const int r = entry->d_name[0] == '.' ? 0 : pack_file(dirfd(files), entry->d_name, to);

        if (!r)
            continue;
        orma_buf_printf(why, "%s: %s", entry->d_name, strerror(-r));
        return r;
    }
    return orma_fd_write_all(to, end, sizeof(end));
}

int orma_folder_pack(int dir, struct orma_buf *why)
{
    if (!is_trace(dir))
        return -ENOENT;
    const int copy_fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = copy_fd < 0 ? NULL : fdopendir(copy_fd);
    int to = files ? new_file() : -errno;

    if (to < 0) {
        orma_buf_printf(why, "%s", strerror(-to));
    } else {
        int r = pack_all(files, to, why);

        if (!r && lseek(to, 0, SEEK_SET) < 0)
            r = -errno;
        if (r) {
            (void)close(to);
            to = r;
        }
    }
    if (files)
        (void)closedir(files);
    else if (copy_fd >= 0)
        (void)close(copy_fd);
    return to;
}
