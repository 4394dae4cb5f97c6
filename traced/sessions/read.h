/*
 * Reading a session: everything that goes into the trace, in order, as bytes
 * of a Trace message. Each packet is delivered once.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_READ_H
#define ORMA_TRACED_SESSIONS_READ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/map.h"

struct traced_session;

/* Part of a session: what has been read of it. */
struct traced_session_reader {
    bool head_emitted;    /* config, uuid, provenance, system info */
    bool initial_emitted; /* the first clock snapshot */
    bool stats_due, sync_marker_due;
    struct orma_map machines_emitted; /* machine id -> what has been read about it, see read.c */
    struct orma_buf concurrent;       /* packets about other sessions, if the config wants them */
    size_t buffer;                    /* at which the current pass is */
    bool in_pass;
    bool last_pass; /* it began after the end of the session: nothing comes behind it */
};

void traced_session_reader_fini(struct traced_session_reader *self);

/*
 * Appends packets until `threshold` bytes are there or nothing is left (or for
 * as long as a slice may take: then there may be few, or none, and more to
 * come); a packet is never cut. `space`: no packet that would make `out` this large or
 * larger is appended (UINT64_MAX: no limit). 1: there is more, 0: that was all
 * for now, -EFBIG: the next packet did not fit; -ENOMEM.
 */
int traced_session_read(struct traced_session *session, struct orma_buf *out, size_t threshold,
                        uint64_t space);

/* What comes next is for another file: it begins as the first one did. */
void traced_session_reader_restart(struct traced_session *session);
/* The statistics, as they end a file. */
void traced_session_put_final_stats(struct orma_buf *out, struct traced_session *session);

/* What of the service's own packets the next reading would put in front of the data. */
void traced_session_put_pending(struct orma_buf *out, const struct traced_session *session);

/* Records in all sessions that want to know of others that this one is in a new state. */
void traced_session_note_state(const struct traced_session *session);
#endif
