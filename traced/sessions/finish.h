/*
 * The end of the service: what is in the buffers goes into the files, as far
 * as the files take it in time.
 * Threads: the service's loop, which does not run any more.
 */
#ifndef ORMA_TRACED_SESSIONS_FINISH_H
#define ORMA_TRACED_SESSIONS_FINISH_H
#include <stdint.h>

struct traced_sessions;

/* For all files together (rule 74 of docs/service.md). */
#define TRACED_FINISH_MS 1500

/* Ends and frees all sessions. What could not be written is named in the log. */
void traced_sessions_finish(struct traced_sessions *self, uint32_t max_ms);
#endif
