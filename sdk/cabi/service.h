/* A session of the service in this process: service.c runs it, service_trace.c reads its config and
 * writes what the service itself says in its trace. */
#ifndef ORMA_SDK_CABI_SERVICE_H
#define ORMA_SDK_CABI_SERVICE_H
#include "sdk/cabi/store.h"

struct orma_cabi_service_buffer {
    struct orma_cabi_buffer buffer;
    char *name;
};

struct orma_cabi_service_instance {
    struct orma_list link;
    uint64_t id;
    struct orma_cabi_type *type;
    struct orma_cabi_instance *instance;
    bool stopping;
};

struct orma_cabi_service_flush {
    struct orma_list link;
    uint64_t id;
    void *request; /* NULL: a periodic one */
    size_t waits;
    uint64_t end_ns;
};

struct orma_cabi_service_session {
    struct orma_list link;
    struct orma_cabi_session *session;
    uint64_t id;
    struct orma_cabi_service_buffer *buffers;
    size_t buffers_num;
    struct orma_list instances, flushes;
    bool refused, started, stopping, in_stop, ended;

    uint32_t duration_ms, clear_ms, flush_period_ms, flush_timeout_ms, stop_timeout_ms;
    uint32_t trigger_mode, trigger_timeout_ms;
    struct orma_buf triggers; /* of a delay and a terminated name */
    bool no_snapshots, no_config, no_system_info, no_events;
    uint64_t end_ns, clear_ns, flush_ns, stop_ns; /* 0: never */

    struct orma_buf notes; /* packets of the service for the next read, as fields of Trace */
    bool told;             /* config, uuid and system are in the trace */
    uint64_t flushes_num, flushes_ok, flushes_failed;
};

/* -EINVAL: a session that cannot be. */
int orma_cabi_service_read_config(struct orma_cabi_service_session *s, struct orma_str config);
/* One of TracingServiceEvent's flags, now. */
void orma_cabi_service_note(struct orma_cabi_service_session *s, uint32_t event);
void orma_cabi_service_put_trusted(struct orma_buf *b);
/* All packets there are now, to the session's read. */
void orma_cabi_service_read(struct orma_cabi_service_session *s);
#endif
