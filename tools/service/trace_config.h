/*
 * The fields of a TraceConfig that a client needs before it sends it: read from the encoded
 * message, which itself travels to the service unchanged, unknown fields included.
 */
#ifndef ORMA_TOOLS_SERVICE_TRACE_CONFIG_H
#define ORMA_TOOLS_SERVICE_TRACE_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct orma_service_trace_config {
    uint32_t duration_ms; /* 0: until stopped */
    uint32_t flush_timeout_ms;
    bool write_into_file; /* the service writes the trace itself */
    bool has_output_path; /* ... and opens the file, too */
    bool has_uuid;
    bool has_session_name;
    uint64_t max_file_size_bytes;
    bool has_statsd_logging;
    unsigned triggers_num; /* activate_triggers: to be fired, nothing is recorded */
    /* enum TraceConfig.TriggerConfig.TriggerMode; a STOP_TRACING that wants clones where there are
     * clones is CLONE_SNAPSHOT, which every service of today knows. */
    unsigned trigger_mode;
    uint32_t trigger_timeout_ms;
    uint32_t trigger_delay_max_ms; /* longest stop_delay_ms */
    uint32_t start_delay_min_ms, start_delay_max_ms;
};

/* -EBADMSG: no TraceConfig, but something else or cut short. */
int orma_service_trace_config_read(struct orma_str config, struct orma_service_trace_config *ret);

/* The next of the names in activate_triggers; start with *at = 0. False: no more. */
bool orma_service_trace_config_trigger(struct orma_str config, size_t *at, struct orma_str *ret);

/*
 * How long a session of this config may take in all, in ms; 0: as long as it likes.
 */
uint64_t orma_service_trace_config_lifetime_ms(const struct orma_service_trace_config *self);

/* Is this text rather than an encoded message? For a hint to somebody who forgot --txt. */
bool orma_service_config_is_text(struct orma_str bytes);
#endif
