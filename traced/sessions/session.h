/*
 * A tracing session: one config, its central buffers, and the data sources
 * that write into them.
 *
 *                    deferred_start                    all stopped, or timeout
 *   (enable) ──► CONFIGURED ──start──► STARTED ──disable──► STOPPING ──► DISABLED ──► (free)
 *                    │                                                      ▲
 *                    └───────────────────────disable────────────────────────┘
 *   Between STOPPING and DISABLED is a round of gather.h: what producers have
 *   handed over is read, whatever became of them.
 *   (clone) ──► CLONED ──► (free)          made by clone.c; read only
 *
 * Owned by the registry, used by at most one consumer; a session whose consumer
 * goes away is freed, unless it was detached. Buffers stay readable until the
 * session is freed. What happens is reported by the table in events.h.
 *
 * A session is made of parts; each is declared by the file that works on it.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_H
#define ORMA_TRACED_SESSIONS_SESSION_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "sdk/base/str.h"
#include "traced/buffers/buffer.h"
#include "traced/config/config.h"
#include "traced/loop/loop.h"
#include "traced/producers/registry.h"
#include "traced/producers/standstill.h"
#include "traced/sessions/flush.h"
#include "traced/sessions/gather.h"
#include "traced/sessions/incidents.h"
#include "traced/sessions/instance.h"
#include "traced/sessions/read.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/rescue.h"
#include "traced/sessions/session_output.h"
#include "traced/sessions/session_timers.h"
#include "traced/sessions/snapshot.h"
#include "traced/sessions/trigger.h"

struct traced_consumer;
struct traced_wanted;

enum traced_session_state {
    TRACED_CONFIGURED,
    TRACED_STARTED,
    TRACED_STOPPING, /* waits for producers to confirm that they stopped */
    TRACED_DISABLED,
    TRACED_CLONED,
};

/* The trigger that the consumer made a clone for. */
struct traced_clone_trigger {
    bool present;
    uint64_t ts;
    char *name, *producer_name; /* owned */
    int32_t producer_uid;
    uint64_t stop_delay_ms;
};

struct traced_session {
    struct orma_list link; /* traced_sessions.list */
    struct traced_sessions *registry;
    struct traced_consumer *consumer; /* opaque here; NULL: detached, or being freed */
    char *detach_key;                 /* NULL: not detached */
    uint64_t id;
    int32_t uid; /* of the consumer */
    enum traced_session_state state;
    bool freeing; /* flushes that end now, end for that reason */
    int64_t uuid_msb, uuid_lsb;
    uint64_t start_realtime_ns;
    struct traced_gather_wait end; /* in state STOPPING: the last thing that is waited for */
    uint64_t look_round;           /* at those who are waited for: awaited.c */

    /* What it is to do. */
    struct orma_buf config_bytes; /* TraceConfig as it goes into the trace */
    Perfetto__Protos__TraceConfig *config;
    struct traced_wanted *wanted; /* the config, arranged for looking up; NULL: a clone */
    enum traced_trigger_mode mode;
    uint32_t duration_ms; /* as producers get it; with stop triggers their timeout */
    struct traced_clone_trigger clone_trigger;

    /* Its data: one target for each buffer of the config, in that order. */
    struct traced_target *buffers;
    size_t buffers_num;
    struct traced_target_group targets;

    /* Parts. */
    struct traced_instances instances;
    struct traced_gather gather;
    struct traced_flushes flushes;
    struct traced_incidents incidents;
    struct traced_triggers triggers;
    struct traced_session_timers timers;
    struct traced_session_output output;
    struct traced_session_reader reader;
    struct traced_snapshots snapshots;
    struct traced_session_rescue rescue;
};

void traced_session_start(struct traced_session *self);
/* How long it is to run, also in the config that goes into the trace. */
void traced_session_set_duration(struct traced_session *self, uint32_t ms);
/* Producers that are named by a filter of `config` and were not before. -EBADMSG, -ENOMEM. */
int traced_session_change_config(struct traced_session *self, struct orma_str config);
/* Stops the data sources; ends in DISABLED at once, or when they have confirmed. */
void traced_session_disable(struct traced_session *self);
/* The end without waiting for anybody: what producers have handed over is in the buffers. */
void traced_session_end(struct traced_session *self);

/* The consumer is done with it: freed now, or when its file is complete. */
void traced_session_release(struct traced_session *self);
/* NULL is fine. */
void traced_session_free(struct traced_session *self);

/* Will it be DISABLED within a few turns of the loop? Who reads waits for that. */
static inline bool traced_session_is_ending(const struct traced_session *self)
{
    return traced_gather_waits(&self->end);
}

/* Is nothing written into its buffers any more? */
static inline bool traced_session_is_over(const struct traced_session *self)
{
    return self->state == TRACED_DISABLED || self->state == TRACED_CLONED;
}

/* Somebody is waited for: awaited.h. */
static inline void traced_session_arm_look(struct traced_session *self)
{
    if (!event_pending(self->timers.look, EV_TIMEOUT, NULL))
        traced_loop_arm(self->timers.look, TRACED_STANDSTILL_LOOK_MS);
}

/* session_make.c calls it for a session whose parts are to be made. -ENOMEM. */
int traced_session_init_parts(struct traced_session *self);
#endif
