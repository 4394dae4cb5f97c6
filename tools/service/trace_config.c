/*
 * Text is parsed by protos/reflect; then the few fields that a client must know before it
 * sends a config are read straight from the encoded bytes.
 */
#include "tools/service/trace_config.h"

#include <ctype.h>
#include <errno.h>

#include "protos/fields/config.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/walk.h"
#include "sdk/wire/pb_reader.h"

#define MESSAGE ORMA_STR("perfetto.protos.TraceConfig")

static void read_trigger(struct orma_service_trace_config *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_STOP_DELAY_MS)
            self->trigger_delay_max_ms = ORMA_MAX(self->trigger_delay_max_ms, orma_pb_u32(&f));
    }
}

static void read_triggers(struct orma_service_trace_config *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    bool clone = false;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_MODE:
            self->trigger_mode = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_TIMEOUT_MS:
            self->trigger_timeout_ms = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_USE_CLONE_SNAPSHOT_IF_AVAILABLE:
            clone = orma_pb_bool(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGERS:
            read_trigger(self, orma_pb_sub(&f));
            break;
        }
    }
    if (clone && self->trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_STOP_TRACING)
        self->trigger_mode = ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT;
}

static void read_start_delay(struct orma_service_trace_config *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_CMD_TRACE_START_DELAY_MIN_DELAY_MS)
            self->start_delay_min_ms = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TRACE_CONFIG_CMD_TRACE_START_DELAY_MAX_DELAY_MS)
            self->start_delay_max_ms = orma_pb_u32(&f);
    }
}

static void take_field(struct orma_service_trace_config *self, const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACE_CONFIG_DURATION_MS:
        self->duration_ms = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_CONFIG_FLUSH_TIMEOUT_MS:
        self->flush_timeout_ms = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE:
        self->write_into_file = orma_pb_bool(f);
        break;
    case ORMA_PB_TRACE_CONFIG_OUTPUT_PATH:
        self->has_output_path = f->len > 0;
        break;
    case ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME:
        self->has_session_name = f->len > 0;
        break;
    case ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES:
        self->max_file_size_bytes = orma_pb_u64(f);
        break;
    case ORMA_PB_TRACE_CONFIG_TRACE_UUID_MSB:
    case ORMA_PB_TRACE_CONFIG_TRACE_UUID_LSB:
        self->has_uuid |= orma_pb_u64(f) != 0;
        break;
    case ORMA_PB_TRACE_CONFIG_STATSD_LOGGING:
        self->has_statsd_logging =
            orma_pb_u64(f) != ORMA_PB_TRACE_CONFIG_STATSD_LOGGING_UNSPECIFIED;
        break;
    case ORMA_PB_TRACE_CONFIG_ACTIVATE_TRIGGERS:
        self->triggers_num++;
        break;
    case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG:
        read_triggers(self, orma_pb_sub(f));
        break;
    case ORMA_PB_TRACE_CONFIG_CMD_TRACE_START_DELAY:
        read_start_delay(self, orma_pb_sub(f));
        break;
    }
}

/* Has a known field the wire type of its declaration, and a message the form of one? */
static bool fits(const struct orma_schema *schema, uint32_t msg, const struct orma_pb_field *f)
{
    const struct orma_field *known = orma_schema_field(schema, msg, f->id);

    if (!known)
        return true; /* of a newer version */
    if (f->wire != orma_field_wire(known->type))
        return f->wire == ORMA_PB_LEN && orma_field_is_packable(known->type) &&
               orma_field_is_repeated(known);
    return known->type != ORMA_TYPE_MESSAGE || orma_walk_is_wellformed(f->data, f->len);
}

int orma_service_trace_config_read(struct orma_str config, struct orma_service_trace_config *ret)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, MESSAGE);
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_service_trace_config self = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (!fits(schema, msg, &f))
            return -EBADMSG;
        take_field(&self, &f);
    }
    if (r.failed)
        return -EBADMSG;
    *ret = self;
    return 0;
}

bool orma_service_trace_config_trigger(struct orma_str config, size_t *at, struct orma_str *ret)
{
    struct orma_pb_reader r = orma_pb_reader(config.data + *at, config.len - *at);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        *at = config.len - (size_t)(r.end - r.pos);
        if (f.id == ORMA_PB_TRACE_CONFIG_ACTIVATE_TRIGGERS) {
            *ret = orma_pb_str(&f);
            return true;
        }
    }
    return false;
}

uint64_t orma_service_trace_config_lifetime_ms(const struct orma_service_trace_config *self)
{
    if (self->trigger_mode)
        return (uint64_t)self->trigger_timeout_ms + self->trigger_delay_max_ms;
    return self->duration_ms;
}

bool orma_service_config_is_text(struct orma_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.data[i];

        if (!isprint(c) && !isspace(c) && c < 0x80)
            return false;
    }
    return bytes.len > 0;
}
