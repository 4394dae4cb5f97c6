/*
 * TraceStats of a session: what its buffers, its writers and the service counted.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_STATS_H
#define ORMA_TRACED_SESSIONS_STATS_H
#include <stddef.h>

#include "sdk/base/buf.h"

struct traced_session;

/*
 * The fields of TraceStats. Those that each sequence has are left out if `out`
 * would become longer than max_len with them: false.
 */
bool traced_session_put_stats(struct orma_buf *out, const struct traced_session *session,
                              size_t max_len);

/* The same for a consumer that asks: with the sum of all sequences in their place, which is one
 * OrmaSequenceCounts without a sequence; its `unreported` is how many of them did not report. */
void traced_session_put_reply(struct orma_buf *out, const struct traced_session *session,
                              size_t max_len);

/* Sequences in all of its buffers. */
size_t traced_session_seqs_num(const struct traced_session *session);
#endif
