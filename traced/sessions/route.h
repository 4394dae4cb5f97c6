/*
 * While a session changes from one file to the next (next_file.h): which of the two a packet is for,
 * and what the statistics say of the packets in other files.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_ROUTE_H
#define ORMA_TRACED_SESSIONS_ROUTE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct traced_seq;
struct traced_session;

/* The bytes from `at` on in `out` are a packet of this sequence, and it is not known which file it
 * is for: takes it out, if it is for the old one. */
void traced_next_file_route(struct traced_session *session, struct traced_seq *seq,
                            struct orma_buf *out, size_t at);

/* Of the statistics: which of the packets are in other files. */
void traced_next_file_put_stats(struct orma_buf *out, const struct traced_session *session,
                                bool of_old);

/* Packets of all sequences, in whatever file. */
uint64_t traced_next_file_delivered(const struct traced_session *session);
#endif
