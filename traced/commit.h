/*
 * From shared memory into central buffers: commits and scraping.
 *
 * Nothing in a commit or in the memory is believed: indices are checked, each
 * header word is read once, the payload is copied before anything in it is
 * looked at (rules 6 to 9 of docs/service.md).
 */
#ifndef ORMA_TRACED_COMMIT_H
#define ORMA_TRACED_COMMIT_H
#include "sdk/base/str.h"

struct traced_producer;
struct traced_session;

/* A CommitDataRequest. -EBADMSG: malformed; what came before the fault has been done. */
int traced_commit(struct traced_producer *producer, struct orma_str request);

/*
 * Copies the chunks of registered writers that are complete or being written,
 * and leaves them where they are. `session` NULL: into buffers of any session.
 */
void traced_scrape(struct traced_producer *producer, const struct traced_session *session);
#endif
