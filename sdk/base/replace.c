#include "sdk/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* A new file beside `path`, with rights and owner of `like`. Descriptor or -errno. */
static int make_beside(const char *path, const struct stat *like, struct orma_buf *ret_temp)
{
    orma_buf_printf(ret_temp, "%s.XXXXXX", path);
    orma_buf_put_byte(ret_temp, 0);
    if (ret_temp->failed)
        return -ENOMEM;
    int fd = mkostemp((char *)ret_temp->data, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    (void)!fchown(fd, like->st_uid, like->st_gid); /* only root may give files away */
    if (fchmod(fd, like->st_mode & 07777) < 0) {
        int err = errno;

        (void)unlink((char *)ret_temp->data); /* nothing is in it */
        (void)close(fd);
        return -err;
    }
    return fd;
}

static int empty(int fd)
{
    if (ftruncate(fd, 0) < 0)
        return -errno;
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

/* The file at the end of links. False: it has no name. */
static bool resolve(const char *path, char real[PATH_MAX])
{
    return realpath(path, real) != NULL;
}

/* Not one that another user put where we are to write: he would choose among our descriptors. */
static bool is_link_of_ours(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
           (st.st_uid == 0 || st.st_uid == geteuid());
}

int orma_replace_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    char target[PATH_MAX];
    int fd = -1, end = 0;

    if (!strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr"))
        return path[8] == 'o' ? STDOUT_FILENO : STDERR_FILENO;
    for (size_t hops = 0; hops < 2; hops++) {
        for (size_t i = 0; i < ORMA_ARRAY_LEN(folders); i++) {
            size_t len = strlen(folders[i]);

            if (!strncmp(path, folders[i], len) && sscanf(path + len, "%9d%n", &fd, &end) == 1 &&
                !path[len + (size_t)end])
                return fd;
        }
        if (hops || !is_link_of_ours(path))
            return -1;
        ssize_t n = readlink(path, target, sizeof(target) - 1);
        if (n <= 0)
            return -1;
        target[n] = '\0';
        path = target;
    }
    return -1;
}

int orma_replace_begin(int *fd, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf temp = {0};
    char real[PATH_MAX];
    struct stat st;

    if (fstat(*fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || !st.st_size)
        return 0;
    int made = resolve(path, real) ? make_beside(real, &st, &temp) : -ENOENT;
    if (made == -ENOMEM)
        return made;
    if (made >= 0 && rename((char *)temp.data, real) < 0) {
        (void)unlink((char *)temp.data);
        orma_fd_close(&made);
    }
    if (made < 0)
        return empty(*fd);
    orma_fd_close(fd);
    *fd = made;
    return 0;
}

/* ---- results that take their name at the end ---- */

#define NAMED_MAX 32
#define LINK_TRIES 16
#define COPY_BYTES ((size_t)1 << 30)

/* Names of results that are not whole, for orma_whole_abandon(). */
static _Atomic(char *) named[NAMED_MAX];

static void remember(char *temp)
{
    for (size_t i = 0; i < NAMED_MAX; i++) {
        char *none = NULL;

        if (atomic_compare_exchange_strong(&named[i], &none, temp))
            return;
    }
}

static void forget(char *temp)
{
    for (size_t i = 0; i < NAMED_MAX; i++) {
        char *it = temp;

        if (atomic_compare_exchange_strong(&named[i], &it, NULL))
            return;
    }
}

void orma_whole_abandon(void)
{
    for (size_t i = 0; i < NAMED_MAX; i++) {
        const char *temp = atomic_load(&named[i]);

        if (temp)
            (void)unlink(temp); /* the process ends */
    }
}

static int open_direct(struct orma_whole *self, const char *path)
{
    int fd = orma_replace_descriptor(path);

    self->kind = ORMA_WHOLE_DIRECT;
    self->fd =
        fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return self->fd < 0 ? -errno : 0;
}

static void put_folder(struct orma_buf *to, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash)
        orma_buf_put(to, path, (size_t)(slash - path) + 1);
    else
        orma_buf_put_str(to, "./");
}

/* "/proc/self/fd/7": how a file without a name is named to link(). */
static void name_descriptor(int fd, char ret[32])
{
    snprintf(ret, 32, "/proc/self/fd/%d", fd);
}

/* A file without a name in that folder. */
static int make_unnamed(const char *folder, mode_t mode)
{
    char name[32];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);

    if (fd < 0)
        return errno == EISDIR || errno == EINVAL ? -EOPNOTSUPP : -errno;
    name_descriptor(fd, name);
    if (access(name, F_OK) == 0)
        return fd;
    (void)close(fd); /* no /proc: it could get no name */
    return -EOPNOTSUPP;
}

/* A file with a name that nobody can guess, in the folder of the result. */
static int make_named(struct orma_whole *self, mode_t mode)
{
    put_folder(&self->temp, orma_buf_cstr(&self->path));
    orma_buf_put_str(&self->temp, ".orma-XXXXXX");
    orma_buf_put_byte(&self->temp, 0);
    if (self->temp.failed)
        return -ENOMEM;
    int fd = mkostemp((char *)self->temp.data, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    remember((char *)self->temp.data);
    mode_t mask = umask(0);
    (void)umask(mask);              /* it had to be set to be seen */
    (void)fchmod(fd, mode & ~mask); /* mkostemp() made it ours alone */
    return fd;
}

/* Somewhere else, for a folder that takes no new file. */
static int make_spooled(void)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/orma-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    (void)unlink(path); /* it was ours alone */
    return fd;
}

static int make_aside(struct orma_whole *self, mode_t mode)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};

    put_folder(&folder, orma_buf_cstr(&self->path));
    if (folder.failed || self->path.failed)
        return -ENOMEM;
    self->kind = ORMA_WHOLE_UNNAMED;
    self->fd = make_unnamed(orma_buf_cstr(&folder), mode);
    if (self->fd == -EOPNOTSUPP) {
        self->kind = ORMA_WHOLE_NAMED;
        self->fd = make_named(self, mode);
    }
    if (self->replaces && (self->fd == -EACCES || self->fd == -EPERM || self->fd == -EROFS)) {
        self->kind = ORMA_WHOLE_SPOOLED;
        self->fd = make_spooled();
    }
    return self->fd < 0 ? self->fd : 0;
}

/* Mode and owner of the file that is replaced. */
static void look_like(int fd, const struct stat *old)
{
    bool given = fchown(fd, old->st_uid, old->st_gid) == 0; /* only root may give files away */

    (void)fchmod(fd, old->st_mode & (given ? 07777 : 0777)); /* else it has those of a new file */
}

static void drop(struct orma_whole *self)
{
    if (self->temp.len) {
        (void)unlink((char *)self->temp.data); /* it is not there if it could not be made */
        forget((char *)self->temp.data);
    }
    if (self->fd >= 0)
        (void)close(self->fd); /* what was in it is not wanted */
    self->fd = -1;
    orma_buf_fini(&self->temp);
    orma_buf_fini(&self->path);
}

int orma_whole_open(struct orma_whole *self, const char *path, bool fresh, mode_t mode)
{
    char real[PATH_MAX];
    struct stat st;
    int r;

    *self = (struct orma_whole){.fd = -1, .fresh = fresh};
    bool there = stat(path, &st) == 0;
    if (!there && errno != ENOENT)
        return -errno;
    if (!there && lstat(path, &st) == 0) /* a link that leads nowhere */
        return fresh ? -EEXIST : -ENOENT;
    if (there && S_ISDIR(st.st_mode))
        return -EISDIR;
    if (there && (!S_ISREG(st.st_mode) || orma_replace_descriptor(path) >= 0))
        return open_direct(self, path);
    if (there && fresh)
        return -EEXIST;
    if (there && access(path, W_OK) < 0)
        return -errno; /* a folder that lets us is no leave to replace what is not ours to write */
    if (there && !resolve(path, real))
        return -errno;
    self->replaces = there;
    orma_buf_put_str(&self->path, there ? real : path);
    r = make_aside(self, mode);
    if (r < 0)
        drop(self);
    else if (there && self->kind != ORMA_WHOLE_SPOOLED)
        look_like(self->fd, &st);
    return r;
}

int orma_whole_move(struct orma_whole *self, const char *path)
{
    orma_buf_clear(&self->path);
    orma_buf_put_str(&self->path, path);
    return self->path.failed ? -ENOMEM : 0;
}

/* A file without a name gets `path`, where nothing may be. */
static int link_unnamed(int fd, const char *path)
{
    char from[32];

    name_descriptor(fd, from);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* The same with a name of its own first, which then takes the place of what is there. */
static int link_over(struct orma_whole *self, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf temp = {0};
    uint64_t name;
    int r = -EEXIST;

    for (unsigned i = 0; i < LINK_TRIES && r == -EEXIST; i++) {
        if (getrandom(&name, sizeof(name), 0) != sizeof(name))
            return -errno;
        orma_buf_clear(&temp);
        put_folder(&temp, path);
        orma_buf_printf(&temp, ".orma-%016" PRIx64, name);
        r = temp.failed ? -ENOMEM : link_unnamed(self->fd, orma_buf_cstr(&temp));
    }
    if (r == 0 && rename(orma_buf_cstr(&temp), path) < 0) {
        r = -errno;
        (void)unlink(orma_buf_cstr(&temp)); /* the old one stays */
    }
    return r;
}

/* Gives the name to a file that has another one. */
static int rename_named(struct orma_whole *self, const char *path)
{
    const char *temp = (char *)self->temp.data;

    if (!self->fresh)
        return rename(temp, path) < 0 ? -errno : 0;
    if (link(temp, path) == 0)
        return 0; /* drop() removes the other name */
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return -errno;
    if (access(path, F_OK) == 0)
        return -EEXIST; /* a file system without links: nothing tells faster */
    return rename(temp, path) < 0 ? -errno : 0;
}

static int copy_spooled(struct orma_whole *self, const char *path)
{
    ORMA_AUTO(orma_fd_close) int to = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t n = 1;

    if (to < 0 || lseek(self->fd, 0, SEEK_SET) < 0)
        return -errno;
    while (n > 0) {
        n = sendfile(to, self->fd, NULL, COPY_BYTES);
        if (n < 0 && errno == EINTR)
            n = 1;
    }
    return n < 0 ? -errno : orma_fd_settle(to);
}

static int take_name(struct orma_whole *self)
{
    const char *path = orma_buf_cstr(&self->path);
    int r;

    /* After a crash either the old file is there or all of the new one. File systems of others
     * tell only now what they could not write. */
    if ((self->replaces || self->kind == ORMA_WHOLE_NAMED) && fsync(self->fd) < 0)
        return -errno;
    switch (self->kind) {
    case ORMA_WHOLE_DIRECT:
        break;
    case ORMA_WHOLE_UNNAMED:
        r = self->replaces ? -EEXIST : link_unnamed(self->fd, path);
        return r == -EEXIST && !self->fresh ? link_over(self, path) : r;
    case ORMA_WHOLE_NAMED:
        return rename_named(self, path);
    case ORMA_WHOLE_SPOOLED:
        return copy_spooled(self, path);
    }
    return 0;
}

int orma_whole_close(struct orma_whole *self, bool good)
{
    bool aside = good && self->fd >= 0 && self->kind != ORMA_WHOLE_DIRECT;
    int r = aside ? orma_fd_settle(self->fd) : 0;

    if (aside && r == 0)
        r = take_name(self);
    if (self->kind == ORMA_WHOLE_DIRECT && self->fd >= 0) {
        if (close(self->fd) < 0 && good)
            r = -errno;
        self->fd = -1;
    }
    drop(self);
    return r;
}
