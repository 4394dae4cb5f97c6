/*
 * What of a session outlasts the service, beside its buffers: who it is for, its config, the
 * packets that are still to come at the head of its trace, and how much of its file is written. For
 * `orma recover`; the layout is in rescue/layout.h.
 *
 * Without a rescue folder, and for snapshots, all of this does nothing.
 *
 *   read ─► block ─► traced_session_rescue_block(): so far had each sequence been read
 *             └─► file ─► traced_session_rescue_written(): the block is there, so these marks hold
 *
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_RESCUE_H
#define ORMA_TRACED_SESSIONS_RESCUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/vec.h"
#include "traced/buffers/buffer.h"
#include "traced/rescue/memory.h"

struct traced_session;

struct traced_rescue_pending {
    struct traced_seq *seq;
    struct traced_mark mark;
};

/* Part of a session. */
struct traced_session_rescue {
    struct traced_rescue_memory state;            /* not mapped: nothing is kept */
    ORMA_VEC(struct traced_rescue_pending) marks; /* of blocks that are on their way to the disk */
    uint64_t blocks;                              /* handed over */
    uint64_t start, old_start; /* where in its file, and in the one before, they begin */
    unsigned notes;            /* written so far */
    bool due;                  /* a note is to be written at the next occasion */
    bool stale;                /* packets of the last note were put into a block since */
    uint64_t noted_block;      /* into this one; 0: none */
};

/* For a session whose buffers and file are made. */
void traced_session_rescue_begin(struct traced_session *session);
/* It goes in good order: nothing of it stays. */
void traced_session_rescue_end(struct traced_session *session);

/* The head of its trace has changed. */
void traced_session_rescue_note(struct traced_session *session);

void traced_session_rescue_block(struct traced_session *session);
/* So many blocks are in the file, of so many bytes; `old_bytes`: of which so many are in the file
 * before, which is not complete yet. */
void traced_session_rescue_written(struct traced_session *session, uint64_t blocks, uint64_t bytes,
                                   uint64_t old_bytes);
/* It has got another file: output.file. */
void traced_session_rescue_next_file(struct traced_session *session);
/* The file is closed; `whole`: and has everything. */
void traced_session_rescue_complete(struct traced_session *session, bool whole);
/* Sequences of its buffers are about to go. */
void traced_session_rescue_forget_marks(struct traced_session *session);
#endif
