/*
 * Results in the place of files that exist.
 *
 * Somebody may have the old file mapped or half read, and a crash may come at any time. So an old
 * file is never emptied: a new file takes its name, and readers that have the old one open keep it.
 *
 * - A recording grows for a long time and shall be readable whatever happens meanwhile. It takes
 *   the name when it begins: orma_replace_begin().
 * - Any other result is worth nothing until it is whole. It takes the name at its end:
 *   orma_whole_open(), orma_whole_close().
 *
 * Links are followed; mode and, where that is allowed, owner of the old file are kept. Devices,
 * pipes and sockets are written as they are. Where the folder takes no new file, the old one is
 * emptied after all.
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

struct orma_whole {
    int fd;
    struct orma_buf path, temp; /* temp empty: fd is the file itself */
};

/* A result for `path`; `fresh`: -EEXIST if it exists. 0 or -errno. */
int orma_whole_open(struct orma_whole *self, const char *path, bool fresh, mode_t mode);

/* It takes its name, or (not `good`) was nothing. 0 or -errno; `self` is gone in any case. */
int orma_whole_close(struct orma_whole *self, bool good);
#endif
