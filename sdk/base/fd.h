/*
 * File descriptors: owning them, whole reads and writes, shared memory files.
 * Everything made here is close-on-exec.
 */
#ifndef ORMA_SDK_BASE_FD_H
#define ORMA_SDK_BASE_FD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* Closes if >= 0 and sets to -1. For ORMA_AUTO(orma_fd_close) int fd = -1; errno is kept. */
void orma_fd_close(int *fd);

/*
 * Which socket or pipe a number stands for. In somebody else's program the number may have become
 * another file: daemons close all that they have, and the kernel gives the numbers out again.
 */
struct orma_fd_id {
    uint64_t dev, ino; /* 0, 0: none */
};

struct orma_fd_id orma_fd_identify(int fd);
/* Is it still that one? Safe in signal handlers. */
bool orma_fd_is(int fd, struct orma_fd_id id);

int orma_fd_set_nonblock(int fd);

/* All of it, whatever the kernel takes at a time. 0 or -errno; how much was written then is
 * unknown. */
int orma_fd_write_all(int fd, const void *data, size_t len);

/* The same in somebody else's program: a reader that went away, or a limit of file sizes, is an
 * error (-EPIPE, -EFBIG), and no signal comes of it. */
int orma_fd_write_unsignalled(int fd, const void *data, size_t len);

/*
 * After the last write: does the file system have it all? Some (NFS, FUSE, quotas of others) say
 * only at close() that there was no space. 0, also for what is no regular file; or -errno.
 */
int orma_fd_settle(int fd);

/* How long an output that takes nothing is waited for. */
struct orma_fd_wait {
    int stop_fd; /* readable: stop was requested */
    /* Asked when it is readable: is that so? Takes what is to be read. NULL: yes, once for all. */
    bool (*asked)(void *ctx);
    void *ctx;
    bool hurry; /* the end has been asked for: no longer than patience_ms without a byte */
    int patience_ms;
};

/*
 * As orma_fd_write_all(), but what is no regular file is waited for with poll().
 * -ECANCELED: it took nothing for too long, or the end was asked for twice.
 */
int orma_fd_write_until(int fd, const void *data, size_t len, struct orma_fd_wait *wait);

/* Appends to `ret` until the end of the file. -EFBIG past max_bytes; 0 or -errno. */
int orma_fd_read_all(int fd, size_t max_bytes, struct orma_buf *ret);

/* Exactly `len` bytes from `at` on, by pread(2). -ENODATA: there are fewer; 0 or -errno. */
int orma_fd_read_at(int fd, void *to, size_t len, uint64_t at);

/* orma_fd_read_all() for a path; dir_fd may be AT_FDCWD. */
int orma_fd_read_file(int dir_fd, const char *path, size_t max_bytes, struct orma_buf *ret);

/*
 * For reading, if it is a regular file; -EINVAL if it is something else, which is not opened at
 * all: to open some devices does something, and a FIFO wakes its writers. flags: 0, or O_NOFOLLOW.
 */
int orma_fd_open_regular(int dir_fd, const char *path, int flags);

/* Writes `text` into an existing file (tracefs, sysfs). 0 or -errno. */
int orma_fd_write_file(int dir_fd, const char *path, const char *text);

/*
 * Anonymous shared memory of `size` bytes, sealed against shrinking and growing:
 * the other side can't crash the process that maps it. Descriptor or -errno; where
 * there are no seals (-ENOSYS, -EINVAL) there is no such memory.
 */
int orma_fd_shared_memory(const char *name, size_t size);
#endif
