/*
 * What a session reports to those above it. They hand the table in with the
 * registry (registry.h); a session calls nobody above by name.
 *
 * All functions are set and are called from the loop. `session->consumer` is
 * theirs; it is NULL where the session has no user.
 */
#ifndef ORMA_TRACED_SESSIONS_EVENTS_H
#define ORMA_TRACED_SESSIONS_EVENTS_H

struct traced_instance;
struct traced_session;
struct traced_trigger;

struct traced_session_events {
    /* All data sources have started; comes once. */
    void (*started)(struct traced_session *session);
    /* A data source was set up, or is in a new state. */
    void (*instance_changed)(const struct traced_instance *instance);
    /* The session is over, and its file complete. `error`: why it failed; NULL: it did not. */
    void (*ended)(struct traced_session *session, const char *error);
    /* More can be read at once. */
    void (*readable)(struct traced_session *session);
    /* Nothing was found so far: to be read again at another turn of the loop. */
    void (*read_later)(struct traced_session *session);
    /* The time has come to take a snapshot for this trigger. */
    void (*clone_due)(const struct traced_session *session, const struct traced_trigger *trigger);
    /* The file of a clone is complete, or could not be written (output.error). */
    void (*clone_written)(struct traced_session *session);
    /* The consumer must not use it any more: it is about to be freed, or goes on alone. */
    void (*released)(struct traced_session *session);
};
#endif
