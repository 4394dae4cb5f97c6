#include "sdk/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Where nothing of that name is, or nothing that could be replaced. */
static int open_itself(struct orma_whole *self, const char *path, int flags, mode_t mode)
{
    orma_buf_printf(&self->path, "%s", path);
    self->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
    if (self->fd >= 0)
        return 0;
    int err = errno;
    orma_buf_fini(&self->path);
    return -err;
}

int orma_whole_open(struct orma_whole *self, const char *path, bool fresh, mode_t mode)
{
    char real[PATH_MAX];
    struct stat st;

    *self = (struct orma_whole){.fd = -1};
    if (fresh || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return open_itself(self, path, fresh ? O_EXCL : 0, mode);
    if (access(path, W_OK) < 0)
        return -errno; /* a folder that lets us is no leave to replace what is not ours to write */
    if (resolve(path, real))
        self->fd = make_beside(real, &st, &self->temp);
    if (self->fd >= 0) {
        orma_buf_printf(&self->path, "%s", real);
        return 0;
    }
    orma_buf_fini(&self->temp);
    return open_itself(self, path, O_TRUNC, mode);
}

int orma_whole_close(struct orma_whole *self, bool good)
{
    const char *temp = self->temp.len ? (char *)self->temp.data : NULL;
    struct stat st;
    int r = 0;

    if (!temp && !good && self->fd >= 0 && fstat(self->fd, &st) == 0 && S_ISREG(st.st_mode))
        (void)unlink(orma_buf_cstr(&self->path));
    if (self->fd >= 0 && close(self->fd) < 0)
        r = -errno;
    if (temp && good && !r && rename(temp, orma_buf_cstr(&self->path)) < 0)
        r = -errno;
    if (temp && (!good || r))
        (void)unlink(temp);
    orma_buf_fini(&self->temp);
    orma_buf_fini(&self->path);
    self->fd = -1;
    return r;
}
