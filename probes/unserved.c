#include "probes/unserved.h"

#include <string.h>

#include "protos/fields/config.h"
#include "sdk/base/str.h"

#define PERF "perf_event_config."
#define SCOPE PERF "callstack_sampling.scope."
#define POWER "android_power_config."

#define IN_PERF ORMA_PB_DATA_SOURCE_CONFIG_PERF_EVENT_CONFIG
#define IN_SCOPE IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_CALLSTACK_SAMPLING, ORMA_PB_PERF_EVENT_CONFIG_CALLSTACK_SAMPLING_SCOPE
#define IN_POWER ORMA_PB_DATA_SOURCE_CONFIG_ANDROID_POWER_CONFIG

#define DEPTH_MAX 4

/* Each works on Android only, or limits what has no such cost here. Numbers lead to the field, as the code of cold
 * messages has no names; 0 ends them. */
static const struct {
    const char *source, *field;
    uint16_t numbers[DEPTH_MAX];
} rows[] = {
    {"linux.ftrace", "ftrace_config.atrace_categories_prefer_sdk",
     {ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG, ORMA_PB_FTRACE_CONFIG_ATRACE_CATEGORIES_PREFER_SDK}},
    {"linux.perf", PERF "additional_cmdline_count", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_ADDITIONAL_CMDLINE_COUNT}},
    {"linux.perf", PERF "cpuid", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_CPUID}},
    {"linux.perf", PERF "max_daemon_memory_kb", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_MAX_DAEMON_MEMORY_KB}},
    {"linux.perf", PERF "max_enqueued_footprint_kb", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_MAX_ENQUEUED_FOOTPRINT_KB}},
    {"linux.perf", PERF "remote_descriptor_timeout_ms", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_REMOTE_DESCRIPTOR_TIMEOUT_MS}},
    {"linux.perf", PERF "target_installed_by", {IN_PERF, ORMA_PB_PERF_EVENT_CONFIG_TARGET_INSTALLED_BY}},
    {"linux.perf", SCOPE "additional_cmdline_count", {IN_SCOPE, ORMA_PB_PERF_EVENT_CONFIG_SCOPE_ADDITIONAL_CMDLINE_COUNT}},
    {"linux.perf", SCOPE "process_shard_count", {IN_SCOPE, ORMA_PB_PERF_EVENT_CONFIG_SCOPE_PROCESS_SHARD_COUNT}},
    {"linux.process_stats", "process_stats_config.record_process_dmabuf_rss",
     {ORMA_PB_DATA_SOURCE_CONFIG_PROCESS_STATS_CONFIG, ORMA_PB_PROCESS_STATS_CONFIG_RECORD_PROCESS_DMABUF_RSS}},
    {"linux.sysfs_power", POWER "battery_counters", {IN_POWER, ORMA_PB_ANDROID_POWER_CONFIG_BATTERY_COUNTERS}},
    {"linux.sysfs_power", POWER "collect_power_rails", {IN_POWER, ORMA_PB_ANDROID_POWER_CONFIG_COLLECT_POWER_RAILS}},
    {"linux.sysfs_power", POWER "collect_energy_estimation_breakdown",
     {IN_POWER, ORMA_PB_ANDROID_POWER_CONFIG_COLLECT_ENERGY_ESTIMATION_BREAKDOWN}},
    {"linux.sysfs_power", POWER "collect_entity_state_residency",
     {IN_POWER, ORMA_PB_ANDROID_POWER_CONFIG_COLLECT_ENTITY_STATE_RESIDENCY}},
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

/* Follows the numbers through the messages. */
static bool sets(const ProtobufCMessage *msg, const uint16_t numbers[DEPTH_MAX])
{
    for (unsigned i = 0;; i++) {
        const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(msg->descriptor, numbers[i]);

        if (!f || !is_set(msg, f))
            return false;
        if (i + 1 == DEPTH_MAX || !numbers[i + 1])
            return true;
        memcpy(&msg, (const uint8_t *)msg + f->offset, sizeof(msg));
    }
}

void orma_probes_unserved(const char *source, const Perfetto__Protos__DataSourceConfig *config,
                          struct orma_buf *ret)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(rows); i++) {
        if (!strcmp(rows[i].source, source) && sets(&config->base, rows[i].numbers))
            orma_buf_printf(ret, "%s%s", ret->len ? ", " : "", rows[i].field);
    }
}
