/*
 * The rescue folder: where the memory of a service lies that is to outlast the process.
 *
 *   BASE/orma-rescue-UID/            mode 0700, of this user; shared by its services
 *       PID-XXXXXX/                  of one service, mode 0700
 *           lock                     locked as long as the service lives, or somebody recovers;
 *                                    its text says version, pid and boot
 *           s1.state s1.b0 ...       of sessions (layout.h)
 *           p1.shm p1.who ...        of producers
 *
 * BASE is $XDG_RUNTIME_DIR, if it is a tmpfs that belongs to this user, else /dev/shm; or a folder
 * that was named, which may be on a disk. What exists there already and is not a folder of this
 * user alone is refused. A clean end removes everything. What dead services have left stays for
 * `orma recover`; of more than TRACED_RESCUE_DEAD_MAX the oldest go when a service starts.
 *
 * Threads: one.
 */
#ifndef ORMA_TRACED_RESCUE_FOLDER_H
#define ORMA_TRACED_RESCUE_FOLDER_H
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sdk/base/buf.h"

#define TRACED_RESCUE_LOCK "lock"
#define TRACED_RESCUE_NAME_MAX 32
/* Folders of dead services that are kept. */
#define TRACED_RESCUE_DEAD_MAX 4

struct traced_rescue_folder {
    int dir_fd, root_fd, lock_fd;
    char path[PATH_MAX];
    char name[TRACED_RESCUE_NAME_MAX]; /* in its root */
    bool is_tmpfs;
    unsigned dead_num; /* folders that were found, of services that died */
    bool has_warned;   /* that there was no space */
};

/*
 * `base` NULL: the environment (ORMA_RESCUE_FOLDER) or the default. 0; -ENOENT: it is "none"; other
 * -errno, and `why` says what is wrong, and with which folder.
 */
int traced_rescue_folder_new(const char *base, struct traced_rescue_folder **ret,
                             struct orma_buf *why);
/* Removes it with all that is in it. NULL is fine. */
void traced_rescue_folder_free(struct traced_rescue_folder *self);

/* The process is another one since: it went into the background. */
void traced_rescue_folder_note_pid(const struct traced_rescue_folder *self);

/* A new file in it, mode 0600. Descriptor or -errno. */
int traced_rescue_create(const struct traced_rescue_folder *self, const char *name);
void traced_rescue_remove(const struct traced_rescue_folder *self, const char *name);

/* ---- those who look at what is there ---- */

/* A folder of a service. */
struct traced_rescue_found {
    char path[PATH_MAX];
    bool alive; /* or being recovered by somebody else */
    time_t changed;
    int32_t pid;
};

/* Calls for each folder below `base` (NULL: all places where there may be some); returns how many.
 */
unsigned traced_rescue_each(const char *base,
                            void (*fn)(void *ctx, const struct traced_rescue_found *), void *ctx);

/*
 * The folder of a dead service, locked; `*ret_dir` and `*ret_lock` are the caller's. -EBUSY: the
 * service lives, or somebody else recovers it; -EPERM: not a folder of this user alone (root may
 * have anybody's); -ENOTDIR, -ENOENT; -EBADMSG: no folder of a service; -EPROTO: of another
 * version.
 */
int traced_rescue_claim(const char *path, int *ret_dir, int *ret_lock, int32_t *ret_pid);

/* All files of a folder, and the folder; the lock last. 0 or -errno. */
int traced_rescue_discard(int dir_fd, const char *path);
#endif
