/*
 * Those whom a session waits for: producers that are to answer a flush, or to
 * confirm that a data source has stopped. While there are any, the service looks
 * at them from time to time, and goes on without those that stand still
 * (producers/standstill.h) or that have had their time: one frozen program
 * delays nobody for long. What they have written is taken from their memory, and
 * they are named in the statistics (incidents.h).
 *
 *   flush  ── stands still ──────────────────────► not waited for
 *   stop   ── stands still, or silent since the
 *             flush and for the stop's time limit ► not waited for
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_AWAITED_H
#define ORMA_TRACED_SESSIONS_AWAITED_H
#include <stdbool.h>

struct traced_instance;
struct traced_session;

/* Data sources were told to stop: who was given up before is not waited for once more. */
void traced_awaited_stopping(struct traced_session *session);
/* The timer's. */
void traced_awaited_look(struct traced_session *session);
#endif
