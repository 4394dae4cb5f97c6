#include "tools/convert/profile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"

static bool is_empty(int dir_fd)
{
    struct dirent *entry;
    bool ret = true;
    int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    while (dir && ret && (entry = readdir(dir)))
        ret = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (dir)
        closedir(dir);
    return dir && ret;
}

static int make_temporary(struct orma_convert_profile_folder *self)
{
    const char *tmp = getenv("TMPDIR");

    tmp = tmp && *tmp ? tmp : "/tmp";
    if ((size_t)snprintf(self->path_buf, sizeof(self->path_buf), "%s/profile-XXXXXX", tmp) >=
            sizeof(self->path_buf) ||
        !mkdtemp(self->path_buf)) {
        fprintf(stderr, "%s: cannot make a folder in %s: %s; name another place\n", self->program,
                tmp, strerror(errno));
        return -EIO;
    }
    self->path = self->path_buf;
    self->made = true;
    return 0;
}

int orma_convert_profile_folder_open(struct orma_convert_profile_folder *self, const char *program,
                                     const char *path, bool must_be_empty)
{
    int r;

    *self = (struct orma_convert_profile_folder){.program = program, .path = path, .fd = -1};
    r = path ? 0 : make_temporary(self);
    if (r < 0)
        return r;
    self->made |= path && mkdir(path, 0777) == 0;
    int err = path && !self->made ? errno : EEXIST;
    self->fd = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->fd < 0) {
        err = err == EEXIST ? errno : err; /* why it is not there matters more */

        fprintf(stderr, "%s: %s: %s%s\n", program, self->path, strerror(err),
                err == ENOENT ? "; the folder it is in must exist" : "");
        return -err;
    }
    if (must_be_empty && !is_empty(self->fd)) {
        fprintf(stderr, "%s: %s: the folder is not empty; name another\n", program, self->path);
        orma_fd_close(&self->fd);
        return -ENOTEMPTY;
    }
    return 0;
}

void orma_convert_profile_folder_close(struct orma_convert_profile_folder *self)
{
    orma_fd_close(&self->fd);
}

static void name_of(const struct orma_profile *p, unsigned again, char ret[128])
{
    char heap[64] = "", more[16] = "";

    if (*p->heap)
        snprintf(heap, sizeof(heap), ".%s", p->heap);
    for (char *c = heap; *c; c++) {
        if (*c == '/' || (unsigned char)*c <= ' ')
            *c = '_';
    }
    if (again > 1)
        snprintf(more, sizeof(more), ".%u", again);
    if (p->in_one) {
        snprintf(ret, 128, "profile%s.pb", more);
        return;
    }
    snprintf(ret, 128, "%s.%" PRId64 "%s%s.pb",
             p->kind == ORMA_PROFILE_PERF ? "profile" : "heap_dump", p->pid, heap, more);
}

static int write_profile(void *ctx, const struct orma_profile *p)
{
    struct orma_convert_profile_folder *self = ctx;
    char name[128];
    int fd = -1;

    /* A pid may have been two processes. */
    for (unsigned again = 1; fd < 0; again++) {
        name_of(p, again, name);
        fd = openat(self->fd, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    int r = fd < 0 ? -errno : orma_fd_write_all(fd, p->bytes.data, p->bytes.len);
    if (fd >= 0 && r < 0)
        (void)unlinkat(self->fd, name, 0); /* half a profile is none */
    orma_fd_close(&fd);
    if (r < 0) {
        fprintf(stderr, "%s: %s/%s: %s\n", self->program, self->path, name, strerror(-r));
        return r;
    }
    if (!p->in_one)
        printf("%s/%s: %" PRIu64 " %s\n", self->path, name, p->samples,
               p->kind == ORMA_PROFILE_PERF ? "samples" : "bytes not freed");
    return 0;
}

int orma_convert_profile_folder_fill(struct orma_convert_profile_folder *self,
                                     struct orma_profile_export *ex)
{
    ex->emit = write_profile;
    ex->ctx = self;
    int r = orma_export_profiles(ex);
    if (r < 0 && *orma_processor_error(ex->tp))
        fprintf(stderr, "%s: %s\n", self->program, orma_processor_error(ex->tp));
    return r;
}
