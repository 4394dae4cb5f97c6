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

#include "processor/read/detect_ctf.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* How deep below the folder that is given a trace is looked for, and in how many folders. */
#define FOLDERS_DEEP 8
#define FOLDERS_MAX 4096

/* Where a long path is cut in two; NULL: nowhere. */
static const char *cut_of(const char *name)
{
    const size_t len = strlen(name);
    const char *slash = NULL;

    for (const char *c = name; *c; c++)
        if (*c == '/' && (size_t)(c - name) <= ORMA_TAR_PREFIX_MAX &&
            len - (size_t)(c - name) - 1 <= ORMA_TAR_NAME_MAX)
            slash = c;
    return slash;
}

bool orma_tar_head_fits(const char *name)
{
    return strlen(name) <= ORMA_TAR_NAME_MAX || cut_of(name);
}

void orma_tar_head_fill(struct orma_tar_head *self, const char *name, uint64_t size)
{
    const uint8_t *bytes = (const uint8_t *)self;
    const char *cut = strlen(name) > ORMA_TAR_NAME_MAX ? cut_of(name) : NULL;
    unsigned sum = 0;

    *self = (struct orma_tar_head){.type = '0', .magic = "ustar", .version = {'0', '0'}};
    if (cut)
        memcpy(self->prefix, name, (size_t)(cut - name));
    snprintf(self->name, sizeof(self->name), "%s", cut ? cut + 1 : name);
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

/* The first bytes of a file. */
static size_t read_head(int dir, const char *name, uint8_t *ret, size_t max)
{
    struct stat st;
    ORMA_AUTO(orma_fd_close) int fd = open_file(dir, name, &st);
    const ssize_t n = fd < 0 ? -1 : read(fd, ret, max);

    return n < 0 ? 0 : (size_t)n;
}

static bool is_uftrace(int dir)
{
    uint8_t head[8];

    return read_head(dir, "info", head, sizeof(head)) == sizeof(head) &&
           !memcmp(head, "Ftrace!", 8);
}

static bool is_ctf(int dir)
{
    uint8_t head[ORMA_DETECT_CTF_BYTES];

    return orma_detect_ctf(head, read_head(dir, "metadata", head, sizeof(head)));
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

/* `path`: of the folder, with a slash, or empty. */
static int pack_file(int dir, const char *path, const char *name, int to)
{
    struct orma_tar_head head;
    char full[ORMA_TAR_PATH_MAX + 1];
    struct stat st;
    ORMA_AUTO(orma_fd_close) int fd = open_file(dir, name, &st);

    if (fd == -EINVAL || fd == -ELOOP) /* folders, links, devices */
        return 0;
    if (fd < 0)
        return fd;
    if ((size_t)snprintf(full, sizeof(full), "%s%s", path, name) >= sizeof(full) ||
        !orma_tar_head_fits(full))
        return -ENAMETOOLONG;
    if ((uint64_t)st.st_size > ORMA_TAR_SIZE_MAX)
        return -EFBIG;
    orma_tar_head_fill(&head, full, (uint64_t)st.st_size);
    const int r = orma_fd_write_all(to, &head, sizeof(head));
    return r ? r : copy(fd, to, (uint64_t)st.st_size);
}

/* Its files; those of folders in it are not. */
static int pack_files(DIR *files, const char *path, int to, struct orma_buf *why)
{
    const struct dirent *entry;

    while ((entry = readdir(files))) {
        const int r =
            entry->d_name[0] == '.' ? 0 : pack_file(dirfd(files), path, entry->d_name, to);

        if (!r)
            continue;
        orma_buf_printf(why, "%s%s: %s", path, entry->d_name, strerror(-r));
        return r;
    }
    return 0;
}

/* A look for folders of CTF: those of a session of LTTng lie in others. */
struct search {
    int to; /* -1: none was found yet */
    unsigned folders_left;
    char path[ORMA_TAR_PATH_MAX + 1];
    struct orma_buf *why;
};

static DIR *open_folder(int dir, const char *name)
{
    const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *ret = fd < 0 ? NULL : fdopendir(fd);

    if (!ret && fd >= 0)
        (void)close(fd);
    return ret;
}

static int search_folder(struct search *s, int dir, const char *name, unsigned depth);

static int search_folders(struct search *s, DIR *files, unsigned depth)
{
    const size_t len = strlen(s->path);
    const struct dirent *entry;
    int r = 0;

    while (!r && (entry = readdir(files))) {
        if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
            !strcmp(entry->d_name, "index"))
            continue;
        if ((size_t)snprintf(s->path + len, sizeof(s->path) - len, "%s/", entry->d_name) <
            sizeof(s->path) - len)
            r = search_folder(s, dirfd(files), entry->d_name, depth + 1);
        s->path[len] = 0;
    }
    return r;
}

/* Packs what is a trace below a folder; others are passed. */
static int search_folder(struct search *s, int dir, const char *name, unsigned depth)
{
    DIR *files = s->folders_left ? open_folder(dir, name) : NULL;
    int r = 0;

    if (!files)
        return 0;
    s->folders_left--;
    if (is_ctf(dirfd(files))) {
        if (s->to < 0)
            s->to = new_file();
        r = s->to < 0 ? s->to : pack_files(files, s->path, s->to, s->why);
        rewinddir(files);
    }
    if (!r && depth < FOLDERS_DEEP)
        r = search_folders(s, files, depth);
    (void)closedir(files);
    return r;
}

static int finish(int to, int r)
{
    static const char end[2 * ORMA_TAR_BLOCK];

    if (!r)
        r = orma_fd_write_all(to, end, sizeof(end));
    if (!r && lseek(to, 0, SEEK_SET) < 0)
        r = -errno;
    if (!r)
        return to;
    (void)close(to);
    return r;
}

static int pack_uftrace(int dir, struct orma_buf *why)
{
    DIR *files = open_folder(dir, ".");
    const int to = files ? new_file() : -errno;
    const int r = to < 0 ? to : pack_files(files, "", to, why);

    if (files)
        (void)closedir(files);
    return to < 0 ? to : finish(to, r);
}

static int pack_ctf(int dir, struct orma_buf *why)
{
    struct search s = {.to = -1, .folders_left = FOLDERS_MAX, .why = why};
    const int r = search_folder(&s, dir, ".", 0);

    if (s.to < 0)
        return r ? r : -ENOENT;
    return finish(s.to, r);
}

int orma_folder_pack(int dir, struct orma_buf *why)
{
    const int r = is_uftrace(dir) ? pack_uftrace(dir, why) : pack_ctf(dir, why);

    if (r < 0 && r != -ENOENT && !why->len)
        orma_buf_printf(why, "%s", strerror(-r));
    return r;
}
