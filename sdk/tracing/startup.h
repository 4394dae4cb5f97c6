/*
 * Startup tracing, inside: events before the service answers go into memory of
 * our own. The first session of track events that the service starts takes over:
 * its threads go on in the service's memory, what was kept follows, sequence by
 * sequence, with its losses.
 *
 * Threads: as noted. Lock order: the lock here, then that of track events.
 */
#ifndef ORMA_SDK_CLIENT_STARTUP_H
#define ORMA_SDK_CLIENT_STARTUP_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"
#include "sdk/events/te.h"

/*
 * The session for this instance of the service: what was kept, continued in `pool`, or else a new
 * one. What was kept but must not be shown to a session that hides names or annotations is counted
 * there as lost. Errors as of orma_te_session_new(). Loop thread.
 */
int orma_startup_session(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                         enum orma_policy policy, struct orma_te_session **ret);

/* Milliseconds until orma_startup_turn() is wanted; -1: it is not. Any thread. */
int orma_startup_due_ms(void);
/* Drops what no session took over in time. Loop thread. */
void orma_startup_turn(void);
/* Is anything kept? Any thread. */
bool orma_startup_waits(void);
/* Gives it up now. */
void orma_startup_cancel(void);
#endif
