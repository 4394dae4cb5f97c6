/*
 * Saved: files of the kernel (an instance of its tracer, /proc/sys) as they
 * were before we changed them, so that they can be put back.
 *
 * Whoever changes a file does it by the calls below: they remember it whole
 * before the first change, and forget it again if the kernel refuses. What was
 * not changed is not put back.
 *
 * The same is kept in a file, locked while we live. A process that is killed
 * leaves the file unlocked and not empty: the next one that starts finds it and
 * puts everything back (orma_ftrace_saved_recover).
 *
 *   take -> [write, replace, append, remember, add_dynamic]* -> restore
 *
 * Threads: none; two processes exclude each other by the lock.
 */
#ifndef ORMA_PROBES_FTRACE_SAVED_H
#define ORMA_PROBES_FTRACE_SAVED_H
#include <stdbool.h>
#include <sys/types.h>

#include "probes/kernel/tracefs.h"
#include "sdk/base/buf.h"

struct orma_ftrace_saved {
    char *file;
    int lock_fd;          /* -1: no file could be made */
    struct orma_buf text; /* as in the file */
    bool taken;
    bool made; /* see orma_ftrace_saved_made() */
};

/*
 * Locks the folder `path` against others of our kind, and puts back what one that was killed has
 * left there. `dir` is for the files; NULL or unusable: only memory remembers. -EBUSY: another process has it, and
 * *ret_owner (may be NULL) is its number, 0 if that is unknown.
 */
int orma_ftrace_saved_take(struct orma_ftrace_saved *self, const char *dir, const char *path,
                           pid_t *ret_owner);

/* The folder is an instance that we are about to make: it is removed, not put back. */
int orma_ftrace_saved_made(struct orma_ftrace_saved *self);

/* The file is about to be changed in other ways than these calls'. 0, or -ENOMEM. */
int orma_ftrace_saved_remember(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                               const char *file);

/*
 * As orma_tracefs_write(), _replace() and _append(). A refusal for want of
 * rights is logged, since what follows goes on without.
 */
int orma_ftrace_saved_write(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                            const char *file, const char *text);
int orma_ftrace_saved_write_number(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                                   const char *file, uint64_t val);
int orma_ftrace_saved_replace(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                              const char *file, const char *text);
int orma_ftrace_saved_append(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                             const char *file, const char *text);

/* A line of dynamic_events or the like that is to be taken back: file and command. */
int orma_ftrace_saved_add_dynamic(struct orma_ftrace_saved *self, const char *file,
                                  const char *command);

/*
 * Puts everything back and forgets it. Failures are logged, the rest is still
 * done. `fs` may have failed to open if the folder was to be made.
 */
void orma_ftrace_saved_restore(struct orma_ftrace_saved *self, const struct orma_tracefs *fs);

/* Frees without restoring. */
void orma_ftrace_saved_fini(struct orma_ftrace_saved *self);

/* Restores what dead processes left. Returns how many folders. */
unsigned orma_ftrace_saved_recover(const char *dir);

/* Everything off and empty, as after boot: for --reset-ftrace. 0 or -errno. */
int orma_ftrace_saved_reset(const struct orma_tracefs *fs);

/* Where the files go by default: /run/orma, the user's run-time directory, or /tmp/orma-UID; from
 * malloc, NULL: no memory. */
char *orma_ftrace_saved_default_dir(void);
#endif
