/*
 * A session goes on in another file, and each file can be read alone: rotation.
 *
 *   begin ──► flush, and a reading: what was recorded until then is in the old file
 *         ──► producers are told to forget what they have said (clear of incremental state), flush
 *         ──► a last reading ──► the old file gets its statistics, and is completed ──► complete()
 *
 * From the second step on both files are written. A sequence changes over with the first packet that says that
 * its state was cleared: from there on it repeats names, descriptors and clocks. So no packet is in
 * two files, none refers to what is in an older one, and the files one after the other are the
 * whole. What says nothing of the kind (kernel events: their packets need no others) changes over
 * at the end.
 *
 * The new file begins as the first one did: clocks, config, id, system, machines.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_NEXT_FILE_H
#define ORMA_TRACED_SESSIONS_NEXT_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct traced_file;
struct traced_seq;
struct traced_session;

/* Blocks of a file, whose numbers go on from one file to the next. */
struct traced_output_count {
    uint64_t base;   /* blocks in the files before it */
    uint64_t handed; /* to its thread */
    uint64_t done;   /* those that are in it */
    uint64_t bytes;  /* ... and their size */
};

/* What it needs of the output that it belongs to. */
struct traced_next_file_ops {
    /* Another file, with the properties that the config gives it; takes fd. */
    int (*new_file)(struct traced_session *session, int fd, struct traced_file **ret);
    /* What was read goes into the current file; takes the block's memory. */
    void (*hand_over)(struct traced_session *session, struct orma_buf *block);
    void (*start_writing)(struct traced_session *session);
    /* The file before is closed; -errno: its end could not be written. */
    void (*old_closed)(struct traced_session *session, int error);
};

/* Part of a session's output. */
struct traced_next_file {
    const struct traced_next_file_ops *ops;
    struct traced_file *coming; /* the next one, until its time has come; NULL: none */
    struct traced_file *old;    /* the one before, until it is complete; NULL: none */
    struct traced_output_count old_count;
    bool routing;          /* sequences that have not begun anew still go there */
    unsigned passes;       /* readings to be ended until this step is over; 0: the flush is not */
    uint32_t flush_timeout_ms;
    uint32_t number;       /* how often there was another file */
    uint64_t before;       /* packets in the files before the current one */
    uint64_t old_before;   /* ... and before the old one */
    uint64_t flushed_at;   /* bytes that had been handed to files when the flush was over */
    uint64_t behind;       /* packets that refer to what an older file says */
    struct orma_buf block; /* for the old file, of the batch that is being read */
    /* The old one is complete (0), or its end could not be written; -ECANCELED: the session has
     * ended before, and there is nothing in the new one. NULL: nobody asks. */
    void (*complete)(struct traced_session *session, int error);
};

/*
 * Begins. Takes `fd` in any case. -ENOENT: the session does not write into a file now (perhaps it waits for a trigger); -EBUSY: the
 * last change is not over; -EINVAL: its file has a maximal size, which is that of the whole.
 * Producers that do not answer delay the end of the old file by `flush_timeout_ms` (0: a second).
 */
int traced_next_file_begin(struct traced_session *session, int fd, uint32_t flush_timeout_ms);

/* A reading has come to its end. True: another one is needed. */
bool traced_next_file_end_pass(struct traced_session *session);
/* Is there so much data that no reading comes to its end? Then all that the flush has brought has
 * been read for some time. */
bool traced_next_file_is_late(const struct traced_session *session);

/* Hands on what is for the old file; it then counts as many blocks as the new one. */
void traced_next_file_hand_over(struct traced_session *session);

/* NULL: there is no old file. Otherwise whatever came of it, it is closed, and forgotten. */
void traced_next_file_fini(struct traced_session *session);

/* How far both files are, for who wants to know what is on the disk. */
void traced_next_file_note_written(struct traced_session *session);
#endif
