/*
 * Start and end of tracing in a process: connecting to the service, waiting, flushing.
 *
 * Nothing here ever aborts the program: without a service, events stay disabled and a background
 * thread looks for one from time to time.
 * Threads: all calls are safe from any thread.
 */
#ifndef ORMA_TRACING_H
#define ORMA_TRACING_H
#include <stddef.h>
#include <stdint.h>

#include "orma/api.h"

ORMA_BEGIN_DECLS

/*
 * What a writer does when no chunk of shared memory is free. A session's config may set a policy
 * that waits less (buffer_exhausted_policy); one that waits more applies only with
 * ORMA_EXHAUSTED_BY_CONFIG.
 */
enum orma_exhausted {
    ORMA_EXHAUSTED_DROP,            /* loses the event at once */
    ORMA_EXHAUSTED_STALL,           /* waits up to 30 s, then loses it */
    ORMA_EXHAUSTED_STALL_THEN_DROP, /* waits up to 100 ms, then loses events until there is space */
    ORMA_EXHAUSTED_BY_CONFIG,       /* as the session's config says; default: drops */
};

/* Start from ORMA_INIT_ARGS; 0 and NULL mean sensible defaults. */
struct orma_init_args {
    size_t struct_size;
    const char *name; /* of the producer; default: the name of the program */
    const char
        *socket; /* of the service; default: PERFETTO_PRODUCER_SOCK_NAME and the usual ones */
    uint32_t shm_size_kb;      /* requested size; default: the service's */
    uint32_t shm_page_kb;      /* requested: 4, 8, 16 or 32 */
    uint32_t commit_period_ms; /* how long full chunks may wait for the service; default 50 */
    uint32_t connect_wait_ms;  /* how long orma_init() waits for the service and running sessions;
                                  default: see below; ORMA_NO_WAIT: not at all */
    uint32_t exhausted;        /* enum orma_exhausted */
    uint32_t no_tsc;           /* take timestamps from the kernel's clock only */
};
#define ORMA_INIT_ARGS                                                                             \
    {                                                                                              \
        sizeof(struct orma_init_args), NULL, NULL, 0, 0, 0, 0, 0, 0                                \
    }

#define ORMA_NO_WAIT UINT32_MAX
/* Environment variable: milliseconds, for programs that do not set connect_wait_ms. 0: no wait. */
#define ORMA_CONNECT_WAIT_ENV "ORMA_CONNECT_WAIT_MS"

/*
 * Once, early in main(). NULL: all defaults. 0, or -errno; -EALREADY if called twice.
 *
 * If a service is listening, it waits until the service has answered and running
 * sessions receive events: a few milliseconds, at most 100 ms or the number in
 * ORMA_CONNECT_WAIT_MS (`orma record -- COMMAND` sets it). If none is listening, it
 * returns at once. Both cases return 0.
 * With connect_wait_ms it also waits for a service to appear: -ETIMEDOUT if none did
 * in time (connecting is still retried).
 */
ORMA_API int orma_init(const struct orma_init_args *args);

/*
 * Startup tracing: events from this call on are kept in memory until the service starts a session
 * that wants track events. That session gets them all, and is then like any other; a session that
 * asks for annotations or names to be hidden gets none of them. Later sessions get nothing.
 */
struct orma_startup_args {
    size_t struct_size;
    const char *categories; /* patterns, "render,io.*,-io.debug"; NULL: "*" */
    uint32_t buffer_kb;     /* events are lost, and counted, when it is full; default 1024 */
    uint32_t wait_ms;       /* how long to wait for a session before giving up; default 10000 */
};
#define ORMA_STARTUP_ARGS                                                                          \
    {                                                                                              \
        sizeof(struct orma_startup_args), NULL, 0, 0                                               \
    }

/* Before orma_init() or after it. NULL: all defaults. 0; -EALREADY; -EINVAL; -ENOMEM; -EBUSY: too
 * many sessions. */
ORMA_API int orma_startup_tracing(const struct orma_startup_args *args);

/* Hands over all events and closes the connection. Happens automatically at exit. */
ORMA_API void orma_shutdown(void);

/* Waits until a session records events. 1: there is one; 0: timed out. -1 ms: no limit. */
ORMA_API int orma_wait_for_session(int timeout_ms);

/* Hands over what all threads have emitted so far. 0, -ETIMEDOUT, -ENOTCONN. */
ORMA_API int orma_flush(int timeout_ms);

/* Lost events that no session could count, because there was no memory. All other losses are listed
 * in the trace. */
ORMA_API uint64_t orma_lost_unattributed(void);

/* Fires a trigger. 0, -EAGAIN: not connected. */
ORMA_API int orma_trigger(const char *name);

ORMA_END_DECLS
#endif
