/*
 * What both halves of a producer stand on: the memory of the connection, and
 * sending. A failure to send is noted and ends the connection at the end of the
 * dispatch (producer.c), since the callers are callbacks that still use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sdk/base/standard.h"
#include "sdk/transport/producer_impl.h"

#define EMULATED_SIZE (1u << 20)
#define TMPFS 0x01021994 /* linux/magic.h is not everywhere */

/* ---- memory ---- */

static void unmap(void *base, size_t size)
{
    munmap(base, size);
}

static bool is_pipe_ours(const struct orma_producer *self, int fd)
{
    struct orma_fd_id id = {__atomic_load_n(&self->wakeup_id.dev, __ATOMIC_RELAXED),
                            __atomic_load_n(&self->wakeup_id.ino, __ATOMIC_RELAXED)};

    return orma_fd_is(fd, id);
}

/* Who reads an old descriptor or number here wakes nobody, and the turn in which they change looks
 * at all that is listed. */
int orma_producer_renew_wakeup(struct orma_producer *self)
{
    int fds[2] = {-1, -1}, r = 0;

    if (is_pipe_ours(self, self->wakeup_fd) && is_pipe_ours(self, self->wakeup_in))
        return 0;
    orma_producer_end_wakeup(self);
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        r = -errno;
    for (int i = 0; i < 2 && r == 0; i++) {
        fds[i] = orma_standard_avoid(fds[i]);
        r = ORMA_MIN(fds[i], 0);
    }
    if (r < 0) {
        orma_fd_close(&fds[0]);
        orma_fd_close(&fds[1]);
    }
    struct orma_fd_id id = orma_fd_identify(fds[0]);
    __atomic_store_n(&self->wakeup_id.dev, id.dev, __ATOMIC_RELAXED);
    __atomic_store_n(&self->wakeup_id.ino, id.ino, __ATOMIC_RELAXED);
    __atomic_store_n(&self->wakeup_fd, fds[0], __ATOMIC_RELAXED);
    __atomic_store_n(&self->wakeup_in, fds[1], __ATOMIC_RELEASE);
    return r;
}

void orma_producer_end_wakeup(struct orma_producer *self)
{
    int in = self->wakeup_in, out = self->wakeup_fd;

    __atomic_store_n(&self->wakeup_in, -1, __ATOMIC_RELAXED);
    if (is_pipe_ours(self, in))
        orma_fd_close(&in);
    __atomic_store_n(&self->wakeup_fd, -1, __ATOMIC_RELAXED);
    if (is_pipe_ours(self, out))
        orma_fd_close(&out);
}

void orma_producer_drain_wakeup(const struct orma_producer *self)
{
    char bytes[256];

    while (is_pipe_ours(self, self->wakeup_fd) &&
           read(self->wakeup_fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
        continue;
}

void orma_producer_wakeup(struct orma_producer *self)
{
    int in = __atomic_load_n(&self->wakeup_in, __ATOMIC_ACQUIRE);
    int out = __atomic_load_n(&self->wakeup_fd, __ATOMIC_RELAXED);

    /* A full pipe means that the loop has been woken already. One whose other end the program has
     * closed would be a SIGPIPE. */
    if (is_pipe_ours(self, in) && is_pipe_ours(self, out) && write(in, "", 1) < 0)
        return;
}

static void wake(void *ctx)
{
    orma_producer_wakeup(ctx);
}

/* On the loop thread: a writer here would wait for itself. */
static bool make_room(void *ctx)
{
    struct orma_producer *self = ctx;

    /* With nothing to hand over, each packet that is dropped would send its count. */
    if (!self->ipc || self->error || orma_ipc_client_has_queued(self->ipc) ||
        !orma_pool_has_listed(self->pool))
        return false;
    int r = orma_commit_all(&self->committer);
    if (r < 0)
        self->error = r;
    return r == 0;
}

static const struct orma_pool_ops pool_ops = {.wake = wake, .make_room = make_room};

struct orma_pool *orma_producer_ref_pool(struct orma_producer *self)
{
    pthread_mutex_lock(&self->pool_lock);
    struct orma_pool *pool = self->pool ? orma_pool_ref(self->pool) : NULL;
    pthread_mutex_unlock(&self->pool_lock);
    return pool;
}

void orma_producer_set_pool(struct orma_producer *self, struct orma_pool *pool)
{
    pthread_mutex_lock(&self->pool_lock);
    struct orma_pool *old = self->pool;
    self->pool = pool;
    pthread_mutex_unlock(&self->pool_lock);
    self->committer.pool = pool;
    if (old) {
        orma_pool_close(old);
        orma_pool_unref(old);
    }
}

/* What its giver can make smaller, or what may have no memory left, is a SIGBUS in the program that
 * traces. So it is memory (of huge pages there may be too few), and sealed; or a file with all of
 * its pages, whose owner is root or our own user: they may end us anyway. */
static bool keeps_its_size(int fd, const struct stat *st)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    struct statfs fs;

    if (fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS)
        return false;
    return (fcntl(fd, F_GET_SEALS) & (seals | INT_MIN)) == seals ||
           (st->st_blocks >= st->st_size / 512 && (!st->st_uid || st->st_uid == geteuid()));
}

int orma_producer_map_pool(struct orma_producer *self, int fd, uint32_t page_size)
{
    size_t size = EMULATED_SIZE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    struct orma_pool *pool;

    if (fd >= 0) {
        struct stat st;

        if (fstat(fd, &st) < 0)
            return -errno;
        if (!keeps_its_size(fd, &st))
            return -EBADMSG;
        if (st.st_size <= 0 || !orma_shm_sizes_valid(page_size, (uint64_t)st.st_size))
            return -EBADMSG;
        size = (size_t)st.st_size;
        flags = MAP_SHARED;
    }
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (base == MAP_FAILED)
        return -errno;
    int r = orma_pool_new(base, size, page_size, unmap, &pool_ops, self, &pool);
    if (r < 0) {
        munmap(base, size);
        return r;
    }
    orma_pool_set_drainer(pool);
    orma_producer_set_pool(self, pool);
    return 0;
}

/* ---- sending ---- */

void orma_producer_note_error(struct orma_producer *self, int r)
{
    if (r < 0 && !self->error)
        self->error = r;
}

void orma_producer_invoke(struct orma_producer *self, const char *method,
                          const struct orma_buf *args, orma_ipc_reply_fn fn)
{
    if (!self->ipc || self->error)
        return;
    int r = args && args->failed
                ? -ENOMEM
                : orma_ipc_client_invoke(self->ipc, method, args ? args->data : NULL,
                                         args ? args->len : 0, -1, fn, self);
    if (r != -ENOSYS) /* an older service: it can do without */
        orma_producer_note_error(self, r);
}

void orma_producer_commit(struct orma_producer *self)
{
    self->commit_due_ns = 0;
    if (self->ipc && self->pool && !self->error)
        orma_producer_note_error(self, orma_commit_all(&self->committer));
}
