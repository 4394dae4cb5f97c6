/*
 * Results in the place of files that exist.
 *
 * Somebody may have the old file mapped or half read, and a crash may come at any time. So an old
 * file is never emptied: a new file takes its name, and readers that have the old one open keep it.
 *
 * - A recording grows for a long time and shall be readable whatever happens meanwhile. It takes
 *   the name when it begins: orma_replace_begin().
 * - Any other result is worth nothing until it is whole. It has no name until its end, so nothing
 *   is left of it however the process ends: orma_whole_open(), orma_whole_close(). Where the file
 *   system has no files without a name, it has one that nobody can guess, and
 *   orma_whole_abandon() removes it.
 *
 * Links are followed; mode and, where that is allowed, owner of the old file are kept. Devices,
 * pipes and descriptors (/dev/stdout) are written as they are, and never removed. Where the folder
 * takes no new file, the old one gets the new content once that is complete.
 */
#ifndef ORMA_SDK_BASE_REPLACE_H
#define ORMA_SDK_BASE_REPLACE_H
#include <stdbool.h>
#include <sys/types.h>

#include "sdk/base/buf.h"

/*
 * `*fd` is open for writing at `path`. If that is a regular file with something in it, *fd is
 * another, empty one of that name afterwards. 0 or -errno, then *fd and the file are as before.
 */
int orma_replace_begin(int *fd, const char *path);

/* The number of the descriptor that a path stands for (/dev/stdout, /dev/fd/3, a link to one that
 * is ours or root's); -1: none. */
int orma_replace_descriptor(const char *path);

enum orma_whole_kind {
    ORMA_WHOLE_DIRECT,  /* fd is what was named: a device, a pipe, a descriptor */
    ORMA_WHOLE_UNNAMED, /* a file without a name, in the folder of `path` */
    ORMA_WHOLE_NAMED,   /* a file called `temp` there */
    ORMA_WHOLE_SPOOLED, /* a file without a name elsewhere, which is copied at the end */
};

struct orma_whole {
    int fd;
    enum orma_whole_kind kind;
    bool fresh, replaces;
    struct orma_buf path, temp;
};

/*
 * A result for `path`; `fresh`: -EEXIST if there is a regular file. -EISDIR. -ENOENT: also of a
 * link that leads nowhere. 0 or -errno.
 */
int orma_whole_open(struct orma_whole *self, const char *path, bool fresh, mode_t mode);

/* The result will be `path` instead, in the same file system. -ENOMEM. */
int orma_whole_move(struct orma_whole *self, const char *path);

/* It takes its name, or (not `good`) was nothing. 0 or -errno; `self` is gone in any case. */
int orma_whole_close(struct orma_whole *self, bool good);

/* Removes what open results of this process are called meanwhile. Also for signal handlers. */
void orma_whole_abandon(void);
#endif
