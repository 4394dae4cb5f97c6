/*
 * Data sources at work for a session: which of them its config means, the
 * configs that they are sent, their start and stop.
 *
 *   CONFIGURED ──start──► STARTING ──► STARTED ──stop──► STOPPING ──► STOPPED
 *        │                   (waits only where the data source notifies)    ▲
 *        └──────────────────────────────stop────────────────────────────────┘
 *
 * All data sources that there are when a session begins are matched in slices of
 * the loop's turns (the sweep); those that are registered later, one by one.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_INSTANCE_H
#define ORMA_TRACED_SESSIONS_INSTANCE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "traced/loop/turn.h"

struct traced_data_source;
struct traced_entry_config;
struct traced_instance_config;
struct traced_producer;
struct traced_session;
struct traced_sessions;

enum traced_instance_state {
    TRACED_INSTANCE_CONFIGURED,
    TRACED_INSTANCE_STARTING,
    TRACED_INSTANCE_STARTED,
    TRACED_INSTANCE_STOPPING,
    TRACED_INSTANCE_STOPPED,
};

/* One data source of one producer at work for one session. */
struct traced_instance {
    struct orma_list session_link, producer_link;
    struct traced_session *session;
    struct traced_producer *producer;
    uint64_t id;
    enum traced_instance_state state;
    uint64_t ds_serial;
    uint32_t entry;                        /* of the config's data_sources */
    uint32_t target;                       /* buffer of the config */
    const char *name;                      /* of the data source; the session's config has it */
    struct traced_instance_config *config; /* as the producer gets it; a reference */
    bool will_notify_on_start, will_notify_on_stop;
    bool handles_incremental_state_clear, no_flush;
    bool never_started; /* when it was told to stop, it had not said that it had started */
    /* The flush that is to be the last, until its producer has acknowledged it; or one for a clone
     * that was not answered in time. 0: none. */
    uint64_t owes_flush;
    uint64_t asked_flush;    /* the last one that it was asked for, of whatever kind */
    uint64_t given_up_flush; /* up to this one it is not waited for: awaited.h */
    bool given_up;           /* nor until it has stopped */
};

/* What a session does when its data sources have got so far. */
struct traced_instance_events {
    void (*all_started)(struct traced_session *session); /* while it is STARTED; once */
    void (*all_stopped)(struct traced_session *session); /* while it is STOPPING */
};

/* Part of a session. */
struct traced_instances {
    const struct traced_instance_events *events;
    struct orma_list list; /* traced_instance.session_link */
    /* Configs as they are sent, by entry; NULL: not encoded yet. */
    struct traced_entry_config *entry_configs;
    struct orma_map at_work;             /* data source and entry -> instance, see instance.c */
    struct traced_data_source *sweep_at; /* the next to be matched; NULL: all have been */
    struct traced_work sweep;
    bool all_started;
    bool all_started_observed; /* a consumer got the event, which is not repeated */
    bool warned_config, warned_patterns;
};

void traced_instances_init(struct traced_instances *self,
                           const struct traced_instance_events *events);
/* Stops and frees all of them. */
void traced_instances_fini(struct traced_session *session);

/*
 * Sets up the data source for those entries of the config that want it and do not
 * have it yet, and starts what is set up if the session has started.
 */
void traced_instances_match(struct traced_session *session, struct traced_data_source *ds);
/* The same for a new data source and all sessions, but for those whose sweep will reach it. */
void traced_instances_match_new(struct traced_sessions *sessions, struct traced_data_source *ds);
/* The same with all data sources that there are; the first slice at once if nobody waits. */
void traced_instances_sweep(struct traced_session *session);
void traced_instances_source_gone(struct traced_session *session,
                                  const struct traced_data_source *ds);

void traced_instances_stop_all(struct traced_session *session);
/* Have all of them stopped? Then `all_stopped`. */
void traced_instances_check_stopped(struct traced_session *session);

/* What producers are sent is encoded again: the config has changed, or what the service adds. */
void traced_instances_forget_configs(struct traced_session *session);

/* A producer's notifications. */
void traced_instance_started(struct traced_instance *instance);
void traced_instance_stopped(struct traced_instance *instance);
/* Its producer is gone, or has taken the data source back. */
void traced_instance_free(struct traced_instance *instance);

/* How long producers may take to confirm that they stopped. */
uint32_t traced_instances_stop_timeout_ms(const struct traced_session *session);
#endif
