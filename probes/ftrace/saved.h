/*
 * Saved: what an instance of the kernel's tracer looked like before we changed
 * it, so that it can be put back.
 *
 * The same is kept in a file, locked while we live. A process that is killed
 * leaves the file unlocked and not empty: the next one that starts finds it and
 * puts everything back (orma_saved_recover).
 *
 *   take -> [add_dynamic]* -> restore
 *
 * Threads: none; two processes exclude each other by the lock.
 */
#ifndef ORMA_PROBES_FTRACE_SAVED_H
#define ORMA_PROBES_FTRACE_SAVED_H
#include <stdbool.h>

#include "probes/ftrace/tracefs.h"
#include "sdk/base/buf.h"

struct orma_saved {
    char *file;
    int lock_fd;          /* -1: no file could be made */
    struct orma_buf text; /* lines "key value", as in the file */
    bool taken;
};

/*
 * Locks the instance against others of our kind and remembers its settings.
 * `dir` is for the files; NULL or unusable: only memory remembers.
 * -EBUSY: another process has it.
 */
int orma_saved_take(struct orma_saved *self, const char *dir, const struct orma_tracefs *fs);

/* A line of dynamic_events or the like that is to be taken back: file and command. */
int orma_saved_add_dynamic(struct orma_saved *self, const char *file, const char *command);

/* Another file of the instance that is about to be changed: its first line is remembered. */
int orma_saved_add_file(struct orma_saved *self, const struct orma_tracefs *fs, const char *file);

/* Puts everything back and forgets it. Failures are logged, the rest is still done. */
void orma_saved_restore(struct orma_saved *self, const struct orma_tracefs *fs);

/* Frees without restoring. */
void orma_saved_fini(struct orma_saved *self);

/* Restores what dead processes left. Returns how many instances. */
unsigned orma_saved_recover(const char *dir);

/* Everything off and empty, as after boot: for --reset-ftrace. 0 or -errno. */
int orma_saved_reset(const struct orma_tracefs *fs);

/* Where the files go by default: /run/orma, or the user's run-time directory; from malloc, may be
 * NULL. */
char *orma_saved_default_dir(void);
#endif
