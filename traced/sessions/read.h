/*
 * Reading a session: everything that goes into the trace, in order, as bytes
 * of a Trace message. Each packet is delivered once.
 */
#ifndef ORMA_TRACED_SESSIONS_READ_H
#define ORMA_TRACED_SESSIONS_READ_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct traced_session;

/*
 * Appends packets until `threshold` bytes are there or nothing is left (or for
 * as long as a slice may take: then there may be few, or none, and more to
 * come); a packet is never cut. `room`: no packet that would make `out` this large or
 * larger is appended (UINT64_MAX: no limit). 1: there is more, 0: that was all
 * for now, -EFBIG: the next packet did not fit; -ENOMEM.
 */
int traced_read(struct traced_session *session, struct orma_buf *out, size_t threshold,
                uint64_t room);

/* Remembers in all sessions that want to know of others that this one is in a new state. */
void traced_note_state(const struct traced_session *session);

/*
 * The fields of TraceStats. Those that each sequence has are left out if `out`
 * would become longer than max_len with them.
 */
void traced_put_stats(struct orma_buf *out, struct traced_session *session, size_t max_len);
#endif
