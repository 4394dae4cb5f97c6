/*
 * Making sessions: of a config, or as a copy of another session.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_MAKE_H
#define ORMA_TRACED_SESSIONS_SESSION_MAKE_H
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

struct traced_buffer;
struct traced_consumer;
struct traced_session;
struct traced_sessions;

/*
 * Checks the config and makes a session in state CONFIGURED, to be begun. The
 * bytes are copied. `file_fd` (-1: none) is taken in any case. On failure
 * `error` has the reason, in the words that clients know.
 */
int traced_session_new(struct traced_sessions *sessions, struct orma_str config, int32_t uid,
                       int file_fd, struct traced_session **ret, struct orma_buf *error);
/* `consumer` (of those above, may be NULL) uses it from now on. It starts, or waits to be started.
 */
void traced_session_begin(struct traced_session *self, struct traced_consumer *consumer);

/*
 * A read-only session with what the source has besides its buffers, and these.
 * Takes the buffers and fd (-1: none) in any case. -ENOMEM, -errno of the file.
 */
int traced_session_clone(struct traced_session *source, int32_t uid, struct traced_buffer **buffers,
                         int fd, struct traced_session **ret);

/*
 * A read-only session of what a dead service has left: its config, these buffers, and incidents as
 * fields of TraceStats. What comes at the head of its trace is not read from it. Takes the buffers
 * in any case. -EBADMSG, -ENOMEM.
 */
int traced_session_recover(struct traced_sessions *sessions, struct orma_str config, int32_t uid,
                           struct traced_buffer **buffers, size_t buffers_num,
                           struct orma_str incidents, struct traced_session **ret);
#endif
