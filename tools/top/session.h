/*
 * A recording of the machine that nobody keeps: scheduling and the slices of programs in a ring, in
 * the service that runs or in one of our own.
 */
#ifndef ORMA_TOOLS_TOP_SESSION_H
#define ORMA_TOOLS_TOP_SESSION_H
#include <stdint.h>

#include "tools/service/attach.h"

struct orma_live_session {
    struct orma_service_attached service;
    char name[32]; /* unique, for snapshots */
};

/* Until all data sources have started, or ten seconds. -errno with a message of `program`. */
int orma_live_session_begin(struct orma_live_session *self, const char *program,
                            uint64_t buffer_bytes);
void orma_live_session_end(struct orma_live_session *self);
/* Where its snapshots are taken; NULL: the service of this machine. */
const char *orma_live_session_addr(const struct orma_live_session *self);
#endif
