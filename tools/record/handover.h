/*
 * Files of a rotation for another thread: whoever wants what happened since a moment asks, the
 * rotation begins another file, and gives those that are complete then.
 *
 *   recorder                                  asking thread
 *     turn: is anything wanted? ◄──────────────── take(): waits
 *     begins the next file
 *     the last one is complete ──► give() ──────► descriptors, oldest first
 *
 * After close() what was kept for it is given at once. One at a time asks.
 */
#ifndef ORMA_TOOLS_RECORD_HANDOVER_H
#define ORMA_TOOLS_RECORD_HANDOVER_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/vec.h"

struct orma_record_files {
    ORMA_VEC(int) fds; /* oldest first; the owner's */
};

void orma_record_files_fini(struct orma_record_files *self);

struct orma_record_handover {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool wanted, given, closed;
    int error; /* given: why there is nothing */
    uint64_t from_ns;
    struct orma_record_files files;
    /* Of the file that is written now, and of the one before it; empty: none, or too long. */
    char path[4096], before[4096];
};

void orma_record_handover_init(struct orma_record_handover *self);
void orma_record_handover_fini(struct orma_record_handover *self);

/* Another thread: files that have all from `from_ns` (BOOTTIME) until now, as far as they are still
 * there. 0, or -errno: there is no next file, or none is kept. */
int orma_record_handover_take(struct orma_record_handover *self, uint64_t from_ns,
                              struct orma_record_files *ret);
/* Another thread: the file that is written now, and the one before it if it is there. 0, or
 * -errno. */
int orma_record_handover_current(struct orma_record_handover *self, struct orma_record_files *ret);

/* The recorder. */
bool orma_record_handover_wanted(struct orma_record_handover *self, uint64_t *ret_from_ns);
void orma_record_handover_name(struct orma_record_handover *self, const char *path);
/* Takes over the files. `error`: 0 or why there are none. */
void orma_record_handover_give(struct orma_record_handover *self, struct orma_record_files *files,
                               int error);
/* All that will be wanted; nothing is waited for any more. */
void orma_record_handover_close(struct orma_record_handover *self, struct orma_record_files *files);
#endif
