/* QueryServiceState: who is connected, what they offer, which sessions there are. */
#ifndef ORMA_TRACED_QUERY_H
#define ORMA_TRACED_QUERY_H
#include <stdbool.h>
#include <stdint.h>

struct traced_conn;

/* Sends the replies; each is a valid message, and their concatenation is the whole. */
void traced_query_state(struct traced_conn *conn, uint64_t request_id, bool sessions_only);
#endif
