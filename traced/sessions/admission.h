/*
 * May there be one more session beside those that exist: exclusive sessions,
 * unique names, semaphores, pauses between guarded sessions, and how many there
 * may be (rules 20 and following of docs/service.md).
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_ADMISSION_H
#define ORMA_TRACED_SESSIONS_ADMISSION_H
#include <stddef.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

struct traced_sessions;

#define TRACED_SESSIONS_MAX 15
#define TRACED_SESSIONS_PER_UID_MAX 5
/* The uid of a system service that records for many others. */
#define TRACED_STATSD_UID 1066
#define TRACED_SESSIONS_STATSD_MAX 10
/* Sessions without a consumer whose files are not complete; they are counted apart. */
#define TRACED_ORPHANS_MAX 15

/* The last guarded sessions, by name: a ring. */
#define TRACED_RECENT_MAX 64
struct traced_recent_session {
    char name[128];
    uint64_t ts;
};
struct traced_recent_sessions {
    struct traced_recent_session items[TRACED_RECENT_MAX];
    size_t num, at;
};

/* 0, or -EINVAL with a text in `error`; -ENOMEM. Changes nothing. */
int traced_admission_check(const struct traced_sessions *sessions,
                           const Perfetto__Protos__TraceConfig *config, int32_t uid,
                           struct orma_buf *error);

/* A session of this config begins now. */
void traced_admission_note(struct traced_recent_sessions *recent,
                           const Perfetto__Protos__TraceConfig *config);
#endif
