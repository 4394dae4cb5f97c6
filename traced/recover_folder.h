/*
 * What is in the rescue folder of a dead service: its sessions and programs, as far as their
 * descriptions are whole. Nothing in it is believed before it was looked at.
 */
#ifndef ORMA_TRACED_RECOVER_FOLDER_H
#define ORMA_TRACED_RECOVER_FOLDER_H
#include <stdbool.h>
#include <stddef.h>

#include "sdk/base/buf.h"
#include "sdk/base/vec.h"
#include "traced/rescue/layout.h"

#define TRACED_RECOVERY_BUFFERS_MAX 128 /* of a session */

struct traced_recovery_folder {
    int fd;
    ORMA_VEC(struct traced_rescue_state) sessions; /* by id */
    ORMA_VEC(uint64_t) filled; /* sessions of buffers with records, one for each buffer */
    ORMA_VEC(struct traced_rescue_producer) producers; /* by id */
};

/* Fills the lists from the folder `fd`. 0 or -errno; what there is, is to be freed then, too. */
int traced_recovery_folder_scan(struct traced_recovery_folder *self);
void traced_recovery_folder_fini(struct traced_recovery_folder *self); /* closes fd */

/* How many buffers with records are of no session in the list. */
uint32_t traced_recovery_folder_strays(const struct traced_recovery_folder *self);

/* A regular file in it: no link of whoever owns the folder, no pipe that nobody writes. Negative:
 * -errno. */
int traced_recovery_folder_open(const struct traced_recovery_folder *self, const char *name);
/* The whole of a small one. */
int traced_recovery_folder_read(const struct traced_recovery_folder *self, const char *name,
                                struct orma_buf *ret);

/* The whole of a fixed-size head at the begin of a file. */
bool traced_recovery_head_read(int fd, enum traced_rescue_kind kind, size_t item_bytes, void *to,
                               size_t size);
#endif
