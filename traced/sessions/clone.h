/*
 * Cloning: a snapshot of a running session, which goes on.
 *
 *   request ──► flush of buffers with transfer_on_clone ──► taken ──┐
 *          └──► flush of the others ──────────────────────► copied ─┴► session in CLONED
 *
 * A clone under way belongs to the service; it ends when both flushes have, and
 * gives up if the source or the consumer is gone by then (rules 50 to 54 of
 * docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_CLONE_H
#define ORMA_TRACED_SESSIONS_CLONE_H
#include "traced/network/conn.h"

struct traced_clone;
struct traced_session;

/* The method. */
int traced_clone_request(struct traced_conn *conn, const struct traced_call *call);

/* The consumer that asked for it is gone. NULL is fine. */
void traced_clone_forget(struct traced_clone *self);

/* The clone's file is complete, or could not be written: its consumer is told. */
void traced_clone_file_done(struct traced_session *session);
#endif
