/*
 * What a trace config must look like before a session is made of it.
 *
 * The order of the checks and the texts are those that clients of this
 * protocol know (rules 20 and following of docs/service.md).
 */
#ifndef ORMA_TRACED_CONFIG_CONFIG_H
#define ORMA_TRACED_CONFIG_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

#define TRACED_BUFFERS_MAX 128
#define TRACED_DATA_SOURCES_MAX 512

/* How many of a repeated field there may be (rule 25 of docs/service.md). Ends with field NULL. */
struct traced_config_limit {
    const char *field;
    uint32_t max;
};
extern const struct traced_config_limit traced_config_limits[];
#define TRACED_TRIGGER_NAME_MAX 1024

enum traced_trigger_mode {
    TRACED_TRIGGER_NONE,
    TRACED_TRIGGER_START,
    TRACED_TRIGGER_STOP,
    TRACED_TRIGGER_CLONE,
};

/* The mode that the session will have: clone where the config prefers that. */
enum traced_trigger_mode traced_config_trigger_mode(const Perfetto__Protos__TraceConfig *config);

/*
 * 0, or -EINVAL with a text in `error`; -ENOMEM. Clients know the order: what a
 * config must be in itself, then what it must be beside the other sessions
 * (sessions/admission.h), then its output. has_fd: a descriptor came with it.
 */
int traced_config_check(const Perfetto__Protos__TraceConfig *config, struct orma_buf *error);
int traced_config_check_output(const Perfetto__Protos__TraceConfig *config, bool has_fd,
                               struct orma_buf *error);

/* The buffer that entry `idx` of the data sources writes into; the config has been checked. */
uint32_t traced_config_target_buffer(const Perfetto__Protos__TraceConfig *config, size_t idx);
#endif
