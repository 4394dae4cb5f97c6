/*
 * Incremental state: producers are asked to forget what they have said, so that they say it again,
 * for who reads only what comes from now on.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_CLEAR_H
#define ORMA_TRACED_SESSIONS_CLEAR_H
#include <stdbool.h>
#include <stdint.h>

struct traced_session;

/* All of the session that can. */
void traced_session_clear_all(struct traced_session *session);
/*
 * Those who write into this buffer: most say again what their next packets need, and no more (false);
 * or those that say all at once, however much that is: the tree of processes (true).
 */
void traced_session_clear_writers(struct traced_session *session, uint32_t target, bool of_trees);
#endif
