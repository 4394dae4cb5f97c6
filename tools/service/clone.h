/*
 * Snapshots of running sessions: the service copies a session's buffers, the
 * original goes on, and the copy is brought into a file.
 */
#ifndef ORMA_TOOLS_SERVICE_CLONE_H
#define ORMA_TOOLS_SERVICE_CLONE_H
#include <stdint.h>

#include "sdk/base/buf.h"

struct orma_consumer;

/*
 * `request`: an encoded CloneSessionRequest. `fd`: the output file; it stays
 * the caller's. 0 and *ret_bytes, or negative errno with the reason in `error`
 * (one line without the program's name); *ret_bytes is then what was
 * written before it failed.
 */
int orma_service_clone(struct orma_consumer *consumer, const struct orma_buf *request, int fd,
                       uint64_t *ret_bytes, struct orma_buf *error);

/*
 * Snapshots that a session's triggers ask for (trigger_mode CLONE_SNAPSHOT). The owner queues each
 * ObservableEvents.CloneTriggerHit and makes the snapshots later, outside of a dispatch, each over
 * a connection of its own: the first one keeps the session. Zero-initialised is empty.
 *
 * Whoever may connect as a producer can fire triggers, and each makes a file: `limit` is how many
 * snapshots there are in all (0: any number).
 */
struct orma_service_hits {
    struct orma_buf queue;
    unsigned limit, taken;
    unsigned num, skipped; /* in the queue; too many at once, or in all */
};
#define ORMA_SERVICE_SNAPSHOTS_MAX 100 /* the limit where nobody names another */
void orma_service_hits_fini(struct orma_service_hits *self);
void orma_service_hits_put(struct orma_service_hits *self, struct orma_str hit);
/* The oldest one as an encoded CloneSessionRequest, appended; false: there is none. The trigger's
 * name is appended to `ret_trigger`, which may be NULL. */
bool orma_service_hits_take(struct orma_service_hits *self, struct orma_buf *ret_request,
                            struct orma_buf *ret_trigger);

/* Fills a CloneSessionRequest: a session's number as `orma status` shows it, or its unique name. */
void orma_service_clone_request_put(struct orma_buf *out, const char *session);
#endif
