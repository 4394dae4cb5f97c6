#include "probes/unserved.h"

#include <string.h>

#include "sdk/base/str.h"

#define PERF "perf_event_config."
#define SCOPE PERF "callstack_sampling.scope."
#define POWER "android_power_config."

/* Each works on Android only, or limits what has no such cost here. */
static const struct {
    const char *source, *field;
} rows[] = {
    {"linux.ftrace", "ftrace_config.atrace_categories_prefer_sdk"},
    {"linux.perf", PERF "additional_cmdline_count"},
    {"linux.perf", PERF "cpuid"},
    {"linux.perf", PERF "max_daemon_memory_kb"},
    {"linux.perf", PERF "max_enqueued_footprint_kb"},
    {"linux.perf", PERF "remote_descriptor_timeout_ms"},
    {"linux.perf", PERF "target_installed_by"},
    {"linux.perf", SCOPE "additional_cmdline_count"},
    {"linux.perf", SCOPE "process_shard_count"},
    {"linux.process_stats", "process_stats_config.record_process_dmabuf_rss"},
    {"linux.sysfs_power", POWER "battery_counters"},
    {"linux.sysfs_power", POWER "collect_power_rails"},
    {"linux.sysfs_power", POWER "collect_energy_estimation_breakdown"},
    {"linux.sysfs_power", POWER "collect_entity_state_residency"},
};

static bool is_set(const ProtobufCMessage *msg, const ProtobufCFieldDescriptor *f)
{
    const uint8_t *at = (const uint8_t *)msg;
    void *ptr;
    size_t num;
    protobuf_c_boolean has;

    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(&num, at + f->quantifier_offset, sizeof(num));
        return num > 0;
    }
    if (f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_MESSAGE) {
        memcpy(&ptr, at + f->offset, sizeof(ptr));
        return ptr && ptr != f->default_value;
    }
    memcpy(&has, at + f->quantifier_offset, sizeof(has));
    return has;
}

/* Follows "a.b.c" through the messages. */
static bool sets(const ProtobufCMessage *msg, const char *field)
{
    struct orma_str rest = orma_str_from(field), part;

    while (orma_str_cut(&rest, '.', &part)) {
        char name[64];

        if (part.len >= sizeof(name))
            return false;
        memcpy(name, part.data, part.len);
        name[part.len] = '\0';
        const ProtobufCFieldDescriptor *f =
            protobuf_c_message_descriptor_get_field_by_name(msg->descriptor, name);
        if (!f || !is_set(msg, f))
            return false;
        if (!rest.len)
            return true;
        memcpy(&msg, (const uint8_t *)msg + f->offset, sizeof(msg));
    }
    return false;
}

void orma_probes_unserved(const char *source, const Perfetto__Protos__DataSourceConfig *config,
                          struct orma_buf *ret)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(rows); i++) {
        if (!strcmp(rows[i].source, source) && sets(&config->base, rows[i].field))
            orma_buf_printf(ret, "%s%s", ret->len ? ", " : "", rows[i].field);
    }
}
