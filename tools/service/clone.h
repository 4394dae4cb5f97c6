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

/* Fills a CloneSessionRequest: a session's number as `orma status` shows it, or its unique name. */
void orma_service_clone_request_put(struct orma_buf *out, const char *session);
#endif
