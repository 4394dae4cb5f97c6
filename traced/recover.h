/*
 * Traces of what a dead service has left in its rescue folder (rescue/folder.h).
 *
 *     struct traced_recovery *rec;
 *     if (traced_recovery_open(path, &rec, &error) == 0) {
 *         for (size_t i = 0; i < traced_recovery_sessions_num(rec); i++)
 *             traced_recovery_write(rec, i, fd, &result, &error);
 *         traced_recovery_remove(rec);       only then is it gone
 *         traced_recovery_free(rec);
 *     }
 *
 * A trace is what the service had written into the session's file, then the packets of the service
 * that were still to come, then all finished packets in central buffers and in the shared memory of
 * producers, statistics and the ledger. Files are read like any hostile ones: into memory of our
 * own, with checks. The programs that wrote into the shared memory may still run.
 *
 * Threads: one. The folder stays locked between open and free.
 */
#ifndef ORMA_TRACED_RECOVER_H
#define ORMA_TRACED_RECOVER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"

struct traced_recovery;

/* -errno as of traced_rescue_claim(), and `error` in words with what to do. */
int traced_recovery_open(const char *path, struct traced_recovery **ret, struct orma_buf *error);
void traced_recovery_free(struct traced_recovery *self);
ORMA_DEFINE_AUTO(struct traced_recovery *, traced_recovery_free)

/* Of the service that died; 0: not known. */
int32_t traced_recovery_pid(const struct traced_recovery *self);

struct traced_recovery_session {
    uint64_t id;
    int32_t uid;
    const char *file; /* into which it was written; "": none */
    bool is_complete; /* that file has everything */
};
size_t traced_recovery_sessions_num(const struct traced_recovery *self);
void traced_recovery_session(const struct traced_recovery *self, size_t idx,
                             struct traced_recovery_session *ret);

/* Buffers with packets of which nothing can be made: what their session was is not there, or is
 * damaged. Or it had just ended when the service died. */
uint32_t traced_recovery_strays(const struct traced_recovery *self);

struct traced_recovery_result {
    uint64_t bytes, file_bytes; /* of the trace; of those, copied from the session's file */
    uint64_t packets;           /* that were still in memory */
    uint64_t damaged_bytes;     /* of records that could not be read */
    uint32_t missing_buffers;   /* that were not in the folder */
    bool file_missing;
};
/* The trace of a session. -EBADMSG: nothing that a service wrote; -errno of reading or writing. */
int traced_recovery_write(const struct traced_recovery *self, size_t idx, int fd,
                          struct traced_recovery_result *ret, struct orma_buf *error);

/* The folder and all that is in it. 0 or -errno. */
int traced_recovery_remove(struct traced_recovery *self);
#endif
