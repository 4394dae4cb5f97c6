/*
 * Triggers: names that producers activate, and what sessions do about them.
 *
 *   START   the first one starts the session, for stop_delay_ms
 *   STOP    stop_delay_ms after the first one the session is flushed and ends
 *   CLONE   stop_delay_ms after each one the consumer is asked to take a snapshot
 *
 * Of each session only so many are remembered that a producer can't fill our
 * memory with them (rule 43 of docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_TRIGGER_ACT_H
#define ORMA_TRACED_SESSIONS_TRIGGER_ACT_H
#include "sdk/base/str.h"

struct traced_producer;
struct traced_sessions;

/* A producer activates a trigger: offered to all sessions that have one of this name. */
void traced_trigger_activate(struct traced_sessions *sessions,
                             const struct traced_producer *producer, struct orma_str name);
#endif
