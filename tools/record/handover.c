#include "tools/record/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

void orma_record_files_fini(struct orma_record_files *self)
{
    for (size_t i = 0; i < self->fds.len; i++)
        orma_fd_close(&self->fds.data[i]);
    ORMA_VEC_FINI(&self->fds);
}

void orma_record_handover_init(struct orma_record_handover *self)
{
    *self = (struct orma_record_handover){0};
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
}

void orma_record_handover_fini(struct orma_record_handover *self)
{
    orma_record_files_fini(&self->files);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
}

int orma_record_handover_take(struct orma_record_handover *self, uint64_t from_ns,
                              struct orma_record_files *ret)
{
    int r = 0;

    pthread_mutex_lock(&self->lock);
    self->from_ns = from_ns;
    self->wanted = !self->closed;
    while (!self->given && !self->closed)
        pthread_cond_wait(&self->changed, &self->lock);
    r = self->given ? self->error : 0;
    if (r == 0 && !self->files.fds.len)
        r = -ENOENT;
    if (r == 0) {
        *ret = self->files;
        self->files = (struct orma_record_files){0};
    }
    self->wanted = self->given = false;
    self->error = 0;
    pthread_mutex_unlock(&self->lock);
    return r;
}

static int add(struct orma_record_files *files, const char *path)
{
    int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    int r = fd >= 0 ? ORMA_VEC_PUSH(&files->fds, fd) : *path ? -errno : -ENOENT;

    if (r < 0)
        orma_fd_close(&fd);
    return r;
}

int orma_record_handover_current(struct orma_record_handover *self, struct orma_record_files *ret)
{
    pthread_mutex_lock(&self->lock);
    (void)add(ret, self->before); /* there may be none, or it is removed by now */
    int r = add(ret, self->path);
    pthread_mutex_unlock(&self->lock);
    return r;
}

bool orma_record_handover_wanted(struct orma_record_handover *self, uint64_t *ret_from_ns)
{
    pthread_mutex_lock(&self->lock);
    bool ret = self->wanted && !self->given;
    *ret_from_ns = self->from_ns;
    pthread_mutex_unlock(&self->lock);
    return ret;
}

void orma_record_handover_name(struct orma_record_handover *self, const char *path)
{
    pthread_mutex_lock(&self->lock);
    memcpy(self->before, self->path, sizeof(self->before));
    if (snprintf(self->path, sizeof(self->path), "%s", path) >= (int)sizeof(self->path))
        self->path[0] = '\0';
    pthread_mutex_unlock(&self->lock);
}

static void set_files(struct orma_record_handover *self, struct orma_record_files *files)
{
    orma_record_files_fini(&self->files);
    self->files = *files;
    *files = (struct orma_record_files){0};
}

void orma_record_handover_give(struct orma_record_handover *self, struct orma_record_files *files,
                               int error)
{
    pthread_mutex_lock(&self->lock);
    if (files)
        set_files(self, files);
    self->error = error;
    self->given = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

void orma_record_handover_close(struct orma_record_handover *self, struct orma_record_files *files)
{
    pthread_mutex_lock(&self->lock);
    if (!self->given)
        set_files(self, files);
    self->closed = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    orma_record_files_fini(files); /* of nobody */
}
