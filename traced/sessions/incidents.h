/*
 * What made a session's trace incomplete beside packets that were counted as
 * lost: producers that went away, did not answer or gave no count, data sources
 * that nobody offered, triggers that never came. Goes into the statistics; the
 * words are in protos/incident.h.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_INCIDENTS_H
#define ORMA_TRACED_SESSIONS_INCIDENTS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "traced/config/config.h"

struct traced_instance;
struct traced_session;

/* Part of a session. */
struct traced_incidents {
    struct orma_buf list; /* those that have happened, as fields of TraceStats */
    unsigned num;
    uint64_t end_asked_ns; /* when producers were first asked for the end; 0: not yet */
    uint64_t offered[TRACED_DATA_SOURCES_MAX / 64]; /* entries that had an instance, one bit each */
    uint64_t killed;                                /* id of the producer that was noted last */
    bool triggered;                                 /* at least once */
};

void traced_incidents_fini(struct traced_incidents *self);
/* A clone of a session begins with what is known of the session. */
void traced_incidents_copy(struct traced_session *to, const struct traced_session *from);

void traced_incidents_note_offered(struct traced_session *session, uint32_t entry);
void traced_incidents_note_end_asked(struct traced_session *session);
/* Its producer is gone, or has taken the data source back. */
void traced_incidents_note_gone(struct traced_instance *instance);
/* The session ends now: who is still to answer? */
void traced_incidents_note_end(struct traced_session *session);

/* Appends what there is to TraceStats. */
void traced_incidents_put(struct orma_buf *out, const struct traced_session *session);
#endif
