/*
 * All sessions of a service, and what they share: numbers that are given once,
 * limits across sessions, and what others handed in.
 *
 * Owned by the service, which sets the fields of the first group.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_REGISTRY_H
#define ORMA_TRACED_SESSIONS_REGISTRY_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sdk/base/list.h"
#include "traced/loop/loop.h"
#include "traced/producers/registry.h"
#include "traced/sessions/admission.h"
#include "traced/sessions/boost.h"
#include "traced/sessions/events.h"
#include "traced/sessions/trigger_history.h"

struct traced_sessions {
    struct traced_loop *loop;
    struct traced_producers *producers;
    struct traced_rescue_folder *rescue; /* NULL: what sessions hold does not outlast the service */
    const struct traced_session_events *events;
    const char *version;      /* of the service, for traces and clients */
    int32_t file_patience_ms; /* for a file without a consumer that accepts nothing */
    uid_t uid;                /* of this process */

    struct orma_list list; /* traced_session.link */
    size_t num;
    struct orma_list machines; /* traced_machine.link */
    bool lockdown;             /* only producers of our own user may record */
    uint64_t last_id, last_instance_id, last_flush_id;
    uint64_t last_look_round;   /* awaited.c */
    uint64_t flushes_sent;      /* messages to producers */
    uint64_t config_bytes_sent; /* to producers, for the cost of it */
    struct traced_boost boost;
    struct traced_recent_sessions recent;
    struct traced_trigger_history trigger_history;
};

/* The events of its producers: handed to traced_producers_init() with the registry as context.
 * `committed` is for those above, who also answer flushes with traced_flush_ack(). */
void traced_sessions_producer_gone(struct traced_producer *producer);
void traced_sessions_source_gone(const struct traced_data_source *ds);
void traced_sessions_mark_ids(const struct traced_producers *producers,
                              uint64_t used[TRACED_PRODUCER_ID_WORDS]);

/* The lists; the fields of the first group are set by the caller. */
void traced_sessions_init(struct traced_sessions *self);
/* After all sessions have gone. */
void traced_sessions_fini(struct traced_sessions *self);
#endif
