/*
 * CloneSession: a consumer asks for a snapshot of a session (sessions/clone.h),
 * and reads it as its own.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_CLONE_REQUEST_H
#define ORMA_TRACED_ENDPOINTS_CLONE_REQUEST_H
#include "traced/network/conn.h"

struct traced_session;

/* The method. */
int traced_clone_request(struct traced_conn *conn, const struct traced_call *call);

/* The clone's file is complete, or could not be written: its consumer gets the reply. */
void traced_clone_request_written(struct traced_session *session);
#endif
