/*
 * A config comes from a file (text or binary), from :test, or is made from the light form:
 * kernel events, categories and apps become data sources. complete() then appends what a
 * client adds: a uuid unless there is one, logging and guardrails off, attributes.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/reflect/text.h"
#include "sdk/wire/pb_writer.h"
#include "tools/clients/perfetto_impl.h"
#include "tools/record/source_config.h"
#include "tools/service/config_file.h"

#define LIGHT_BUFFER_KB 32768
#define LIGHT_FLUSH_PERIOD_MS 30000
#define LIGHT_DISK_PERIOD_MS 1000

/* For `-c :test`: enough to see that everything works, on any machine. */
static const char test_config[] =
    "buffers { size_kb: 4096 }\n"
    "duration_ms: 2000\n"
    "data_sources { config { name: \"linux.ftrace\" ftrace_config {\n"
    "  ftrace_events: \"sched/sched_switch\" ftrace_events: \"sched/sched_waking\"\n"
    "  ftrace_events: \"task/task_newtask\" ftrace_events: \"task/task_rename\"\n"
    "  compact_sched { enabled: true } } } }\n"
    "data_sources { config { name: \"linux.process_stats\"\n"
    "  process_stats_config { scan_all_processes_on_start: true } } }\n"
    "data_sources { config { name: \"linux.system_info\" } }\n"
    "data_sources { config { name: \"track_event\" track_event_config {\n"
    "  enabled_categories: \"*\" } } }\n";

/* ---- the light form ---- */

static bool is_hypervisor(const char *word)
{
    return !strcmp(word, "hyp") || !strcmp(word, "hypervisor");
}

static bool named(const struct orma_perfetto_list *list, const char *word)
{
    for (size_t i = 0; i < list->num; i++) {
        if (!strcmp(list->items[i], word))
            return true;
    }
    return false;
}

static void put_ftrace(struct orma_buf *out, const struct orma_perfetto_args *args)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.ftrace");
    size_t ftrace = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG);

    for (size_t i = 0; i < args->light_events.num; i++) {
        const char *word = args->light_events.items[i];

        if (strchr(word, '/'))
            orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS, word);
        else if (!is_hypervisor(word))
            orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_ATRACE_CATEGORIES, word);
    }
    for (size_t i = 0; i < args->light_apps.num; i++)
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_ATRACE_APPS, args->light_apps.items[i]);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_SYMBOLIZE_KSYMS, 1);
    orma_pb_end(out, ftrace);
    orma_record_source_end(out, s);
}

/* The hypervisor's events come from a tracefs of their own, below "hyp". */
static void put_hypervisor(struct orma_buf *out)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.ftrace");
    size_t ftrace = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG);

    orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS, "hyp/*");
    orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_INSTANCE_NAME, "hyp");
    orma_pb_end(out, ftrace);
    orma_record_source_end(out, s);
}

static void put_disk(struct orma_buf *out)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.sys_stats");
    size_t stats = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_SYS_STATS_CONFIG);

    orma_pb_put_u64(out, ORMA_PB_SYS_STATS_CONFIG_DISKSTAT_PERIOD_MS, LIGHT_DISK_PERIOD_MS);
    orma_pb_end(out, stats);
    orma_record_source_end(out, s);
}

void orma_perfetto_put_light_config(struct orma_buf *out, const struct orma_perfetto_args *args)
{
    const struct orma_perfetto_list *events = &args->light_events;
    size_t hypervisor = (named(events, "hyp") ? 1u : 0u) + (named(events, "hypervisor") ? 1u : 0u);
    size_t buffer = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB,
                    args->light_buffer_bytes ? (args->light_buffer_bytes + 1023) / 1024
                                             : LIGHT_BUFFER_KB);
    orma_pb_end(out, buffer);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_DURATION_MS, args->light_duration_ms);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS, LIGHT_FLUSH_PERIOD_MS);
    if (args->light_file_bytes) {
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, args->light_file_bytes);
    }
    if (events->num > hypervisor || args->light_apps.num)
        put_ftrace(out, args);
    if (hypervisor)
        put_hypervisor(out);
    if (named(events, "disk"))
        put_disk(out);
    orma_record_source_end(out, orma_record_source_begin(out, "linux.process_stats"));
    orma_record_source_end(out, orma_record_source_begin(out, "linux.system_info"));
}

/* ---- a config from a file ---- */

static int load_file(struct orma_perfetto *self)
{
    enum orma_service_config_form form = !self->args.text   ? ORMA_SERVICE_CONFIG_BINARY
                                         : self->args.lossy ? ORMA_SERVICE_CONFIG_TEXT_LOSSY
                                                            : ORMA_SERVICE_CONFIG_TEXT;
    struct orma_buf error = {0};
    int r = orma_service_config_load(self->args.config_path, form, &self->config, &error);

    /* Messages about a place in the text begin with that place, as compilers do. */
    struct orma_str text = orma_str_trim(orma_buf_str(&error));
    if (r < 0 && self->args.text && r == -EBADMSG)
        fprintf(stderr, "%.*s\n", (int)text.len, text.data);
    else if (r < 0)
        orma_perfetto_say(self, "%s", error.len ? orma_buf_cstr(&error) : strerror(-r));
    else if (!self->config.len)
        r = -EBADMSG, orma_perfetto_say(self, "%s: the config is empty", self->args.config_path);
    orma_buf_fini(&error);
    return r;
}

static int load_test_config(struct orma_perfetto *self)
{
    const struct orma_schema *schema = orma_schema_default();

    return orma_text_parse(schema,
                           orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig")),
                           ORMA_STR(test_config), NULL, &self->config);
}

static void put_attribute(struct orma_buf *out, const char *text)
{
    const char *eq = strchr(text, '=');
    size_t attributes = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_TRACE_ATTRIBUTES);
    size_t attribute = orma_pb_begin(out, ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE);

    orma_pb_put_bytes(out, ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY, text,
                      eq ? (size_t)(eq - text) : strlen(text));
    if (eq)
        orma_pb_put_cstr(out, ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE, eq + 1);
    orma_pb_end(out, attribute);
    orma_pb_end(out, attributes);
}

int orma_perfetto_load_config(struct orma_perfetto *self)
{
    int r = 0;

    if (self->args.light)
        orma_perfetto_put_light_config(&self->config, &self->args);
    else if (!strcmp(self->args.config_path, ":test"))
        r = load_test_config(self);
    else
        r = load_file(self);
    if (r < 0)
        return r;
    r = self->config.failed
            ? -ENOMEM
            : orma_service_trace_config_read(orma_buf_str(&self->config), &self->config_info);
    if (r < 0)
        orma_perfetto_say(self, "bad config: %s", strerror(-r));
    return r;
}

int orma_perfetto_complete_config(struct orma_perfetto *self)
{
    struct orma_buf *out = &self->config;
    uint8_t uuid[16];

    /* Fields behind the others: of a number that comes twice the last counts. */
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_ENABLE_EXTRA_GUARDRAILS, 0);
    orma_pb_put_bytes(out, ORMA_PB_TRACE_CONFIG_STATSD_METADATA, "", 0);
    if (!self->config_info.has_uuid) {
        if (getrandom(uuid, sizeof(uuid), 0) != sizeof(uuid))
            return -EIO;
        uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40); /* version 4: random */
        uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
        int64_t halves[2];
        memcpy(halves, uuid, sizeof(halves));
        orma_pb_put_i64(out, ORMA_PB_TRACE_CONFIG_TRACE_UUID_MSB, halves[1]);
        orma_pb_put_i64(out, ORMA_PB_TRACE_CONFIG_TRACE_UUID_LSB, halves[0]);
    }
    if (!self->config_info.has_statsd_logging)
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_STATSD_LOGGING,
                        ORMA_PB_TRACE_CONFIG_STATSD_LOGGING_DISABLED);
    for (size_t i = 0; i < self->args.attributes.num; i++)
        put_attribute(out, self->args.attributes.items[i]);
    return out->failed ? -ENOMEM : 0;
}
