/*
 * `orma record --rotate`: a recording in several files, NAME.0001.pftrace, NAME.0002.pftrace, ...,
 * each of which can be read alone (traced/sessions/next_file.h). With --keep, the oldest ones are
 * removed; only files that this recording has made.
 *
 *   open ──► turn ──► turn ... ──► close
 *
 * Threads: none; it is called between the turns of the recorder. Other threads get files through
 * the handover.
 */
#ifndef ORMA_TOOLS_RECORD_ROTATION_H
#define ORMA_TOOLS_RECORD_ROTATION_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/vec.h"
#include "sdk/transport/consumer.h"
#include "tools/output/output.h"
#include "tools/record/handover.h"

struct orma_record_rotated {
    uint32_t number;
    uint64_t begun_ns; /* BOOTTIME: what is older is in the file before it */
    uint64_t dev, ino; /* as it was made: another one of the same name is not ours */
};

struct orma_record_rotation {
    /* Set by the caller. */
    uint64_t max_bytes, max_ms;   /* of a file; 0: no limit. Neither: there is no rotation */
    uint32_t keep;                /* files that stay; 0: all */
    struct orma_output_want want; /* with the name of the whole: NAME.pftrace */
    /* What is put behind each file when it is complete; called with an empty buffer. May be NULL.
     */
    void (*put_note)(void *ctx, struct orma_buf *out);
    void *ctx;
    /* NULL: nobody else wants files. Files of the last `hold_ms` are not removed, whatever `keep`.
     */
    struct orma_record_handover *handover;
    uint64_t hold_ms;

    /* Results. */
    struct orma_buf path;    /* of the file that is written now */
    uint32_t number;         /* of it, from 1 on; names that others take meanwhile are left out */
    uint32_t made;           /* files */
    uint32_t removed;        /* by --keep */
    uint64_t complete_bytes; /* of the files before it */
    uint64_t behind;         /* packets that need what an older file says */

    /* Its own. */
    int old_fd;
    uint64_t begun_ns, looked_ns, looked_bytes, retry_ns;
    struct orma_consumer_next next;
    bool pending, gives; /* gives: the file that becomes complete is wanted, with those before it */
    ORMA_VEC(struct orma_record_rotated) files;
};

static inline bool orma_record_rotation_wanted(const struct orma_record_rotation *self)
{
    return self->max_bytes || self->max_ms;
}

/* "64mb", "30s", or both: "64mb,5m", where m is minutes. False: neither. */
bool orma_record_rotation_parse(struct orma_record_rotation *self, const char *text);

/* Is there a file of an earlier recording of this name? With `want.force` there may be. 0, or
 * -errno with a line on stderr. */
int orma_record_rotation_check(const struct orma_record_rotation *self);

/* The first file; files of an earlier recording are gone then. The rest as orma_output_begin(). */
int orma_record_rotation_open(struct orma_record_rotation *self, int *ret_fd, bool *ret_created);

/*
 * Is it time for another file, or is the last one complete? *fd is the file that is being written;
 * it is another one afterwards. A next file that cannot be made is said, and tried again later;
 * -ENOSYS: the service cannot do this, and that was said.
 */
int orma_record_rotation_turn(struct orma_record_rotation *self, struct orma_consumer *consumer,
                              int *fd);
/* How long the recorder may wait between two turns. */
int orma_record_rotation_tick_ms(const struct orma_record_rotation *self, int tick_ms);

/* After the end of the session: all files are complete. */
void orma_record_rotation_close(struct orma_record_rotation *self, struct orma_consumer *consumer,
                                int *fd);
/* After that, or instead of it: whoever wants files gets what there is, and is not held up. */
void orma_record_rotation_hand_over(struct orma_record_rotation *self);
void orma_record_rotation_fini(struct orma_record_rotation *self);

/* How many of the files that should be there are not, or are others of their names. */
size_t orma_record_rotation_count_gone(const struct orma_record_rotation *self);

/* "trace.0004.pftrace to trace.0007.pftrace". Those that are there. */
void orma_record_rotation_put_names(const struct orma_record_rotation *self, struct orma_buf *out);
#endif
