/*
 * One function for each thing that a config may do wrong, run in the order of
 * two tables; the first that fails decides the text. Counts come first, because
 * later checks take time with them.
 */
#include "traced/config/config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "traced/config/names.h"

#define DURATION_MAX_MS ((uint64_t)7 * 24 * 3600 * 1000)
#define GUARDED_DURATION_MAX_MS ((uint64_t)24 * 3600 * 1000)
#define GUARDED_BUFFERS_MAX_KB 131072

typedef Perfetto__Protos__TraceConfig config_t;

/* What the checks work on. */
struct config_check {
    const config_t *config;
    bool has_fd;
    struct orma_buf *error;
};

#define FAIL(c, ...) (orma_buf_printf((c)->error, __VA_ARGS__), -EINVAL)

static uint64_t duration_max(const config_t *config)
{
    return config->enable_extra_guardrails ? GUARDED_DURATION_MAX_MS : DURATION_MAX_MS;
}

enum traced_trigger_mode traced_config_trigger_mode(const config_t *config)
{
    if (!config->trigger_config)
        return TRACED_TRIGGER_NONE;
    switch ((int)config->trigger_config->trigger_mode) {
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__START_TRACING:
        return TRACED_TRIGGER_START;
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING:
        return config->trigger_config->use_clone_snapshot_if_available ? TRACED_TRIGGER_CLONE
                                                                       : TRACED_TRIGGER_STOP;
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__CLONE_SNAPSHOT:
        return TRACED_TRIGGER_CLONE;
    }
    return TRACED_TRIGGER_NONE;
}

/* ---- how much there may be of what ---- */

const struct traced_config_limit traced_config_limits[] = {
    {"data_sources", TRACED_DATA_SOURCES_MAX},
    {"data_sources.producer_name_filter", 1024},
    {"data_sources.producer_name_regex_filter", 1024},
    {"data_sources.machine_name_filter", 64},
    {"trigger_config.triggers", 1024},
    {"session_semaphores", 256},
    {NULL, 0},
};
enum { SOURCES, NAME_FILTERS, REGEX_FILTERS, MACHINE_FILTERS, TRIGGERS, SEMAPHORES };

static int check_count(const struct config_check *c, unsigned what, size_t num)
{
    const struct traced_config_limit *l = &traced_config_limits[what];

    return num > l->max ? FAIL(c, "Too many %s (%zu): the limit is %u", l->field, num, l->max) : 0;
}

static int check_filter_counts(const struct config_check *c)
{
    int r = 0;

    for (size_t i = 0; i < c->config->n_data_sources && r == 0; i++) {
        const Perfetto__Protos__TraceConfig__DataSource *ds = c->config->data_sources[i];

        r = check_count(c, NAME_FILTERS, ds->n_producer_name_filter);
        if (r == 0)
            r = check_count(c, REGEX_FILTERS, ds->n_producer_name_regex_filter);
        if (r == 0)
            r = check_count(c, MACHINE_FILTERS, ds->n_machine_name_filter);
    }
    return r;
}

static int check_trigger_lengths(const struct config_check *c,
                                 const Perfetto__Protos__TraceConfig__TriggerConfig *t)
{
    for (size_t i = 0; i < t->n_triggers; i++)
        if (t->triggers[i]->name && strlen(t->triggers[i]->name) > TRACED_TRIGGER_NAME_MAX)
            return FAIL(c, "Trigger name too long (%zu bytes): the limit is %d",
                        strlen(t->triggers[i]->name), TRACED_TRIGGER_NAME_MAX);
    return 0;
}

/* First of all: what follows takes time with the number of these. */
static int check_counts(const struct config_check *c)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *t = c->config->trigger_config;
    int r = check_count(c, SOURCES, c->config->n_data_sources);

    if (r == 0)
        r = check_filter_counts(c);
    if (r == 0 && t)
        r = check_count(c, TRIGGERS, t->n_triggers);
    if (r == 0 && t)
        r = check_trigger_lengths(c, t);
    if (r == 0)
        r = check_count(c, SEMAPHORES, c->config->n_session_semaphores);
    return r;
}

/* ---- what clients know ---- */

static int check_duration(const struct config_check *c)
{
    uint64_t max = duration_max(c->config);

    if (c->config->duration_ms > max)
        return FAIL(c, "Requested too long trace (%ums  > %" PRIu64 " ms)", c->config->duration_ms,
                    max);
    return 0;
}

static bool is_trigger_mode(int mode)
{
    switch (mode) {
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__UNSPECIFIED:
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__START_TRACING:
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING:
    case PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__CLONE_SNAPSHOT:
        return true;
    }
    return false;
}

static int check_trigger_mode(const struct config_check *c)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *t = c->config->trigger_config;
    uint64_t max = duration_max(c->config);

    if (!t)
        return 0;
    int mode = (int)t->trigger_mode;
    if (!is_trigger_mode(mode))
        return FAIL(c, "The trigger mode %d is not known", mode);
    if (mode && (!t->trigger_timeout_ms || t->trigger_timeout_ms > max))
        return FAIL(c,
                    "Traces with START_TRACING triggers must provide a positive trigger_timeout_ms "
                    "< 7 days (received %ums)",
                    t->trigger_timeout_ms);
    if (mode && c->config->duration_ms)
        return FAIL(c, "duration_ms was set, this must not be set for traces with triggers.");
    if (t->use_clone_snapshot_if_available &&
        mode != PERFETTO__PROTOS__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING)
        return FAIL(c,
                    "trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true");
    return 0;
}

static int check_bugreport_filename(const struct config_check *c)
{
    const char *name = c->config->bugreport_filename;

    if (name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_.")])
        return FAIL(c, "bugreport_filename contains invalid chars. Use [a-zA-Z0-9-_.]+");
    return 0;
}

static int check_trigger_names(const struct config_check *c,
                               const Perfetto__Protos__TraceConfig__TriggerConfig *t)
{
    struct traced_names names = {0};
    int r = 1;

    for (size_t i = 0; i < t->n_triggers && r == 1; i++) {
        const char *name = t->triggers[i]->name ? t->triggers[i]->name : "";

        r = traced_names_add(&names, orma_str_from(name), NULL);
        if (r == 0)
            r = FAIL(c, "Duplicate trigger name: %s", name);
    }
    traced_names_fini(&names);
    return r < 0 ? r : 0;
}

static int check_triggers(const struct config_check *c)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *t = c->config->trigger_config;
    enum traced_trigger_mode mode = traced_config_trigger_mode(c->config);

    if ((mode == TRACED_TRIGGER_STOP || mode == TRACED_TRIGGER_CLONE) && c->config->write_into_file)
        return FAIL(c, "Specifying trigger mode STOP_TRACING/CLONE_SNAPSHOT and write_into_file "
                       "together is unsupported");
    return t ? check_trigger_names(c, t) : 0;
}

static int check_guardrails(const struct config_check *c)
{
    const config_t *config = c->config;
    uint64_t sum = 0, max = GUARDED_BUFFERS_MAX_KB;

    if (!config->enable_extra_guardrails)
        return 0;
    if (config->deferred_start)
        return FAIL(c, "deferred_start=true is not supported in unsupervised traces");
    for (size_t i = 0; i < config->n_buffers; i++) {
        if (config->buffers[i]->size_kb % 4)
            return FAIL(c, "The size of buffer %zu (%ukB) is not a multiple of 4 kB", i,
                        config->buffers[i]->size_kb);
        sum += config->buffers[i]->size_kb;
    }
    if (config->guardrail_overrides)
        max = ORMA_MAX(max, config->guardrail_overrides->max_tracing_buffer_size_kb);
    if (sum > max)
        return FAIL(c, "Requested too large trace buffer (%" PRIu64 "kB  > %" PRIu64 " kB)", sum,
                    max);
    return 0;
}

static int check_buffers(const struct config_check *c)
{
    const config_t *config = c->config;

    if (config->n_buffers > TRACED_BUFFERS_MAX)
        return FAIL(c, "Too many buffers configured (%zu)", config->n_buffers);
    for (size_t i = 0; i < config->n_buffers; i++)
        for (size_t k = 0; k < i; k++)
            if (config->buffers[i]->name && *config->buffers[i]->name && config->buffers[k]->name &&
                !strcmp(config->buffers[i]->name, config->buffers[k]->name))
                return FAIL(c,
                            "Duplicate buffer name \"%s\" at index %zu (first occurrence at index "
                            "%zu)",
                            config->buffers[i]->name, i, k);
    return 0;
}

static int64_t buffer_by_name(const config_t *config, const char *name)
{
    for (size_t i = 0; i < config->n_buffers; i++)
        if (config->buffers[i]->name && !strcmp(config->buffers[i]->name, name))
            return (int64_t)i;
    return -1;
}

uint32_t traced_config_target_buffer(const config_t *config, size_t idx)
{
    const Perfetto__Protos__DataSourceConfig *ds = config->data_sources[idx]->config;

    if (ds && ds->target_buffer_name && *ds->target_buffer_name)
        return (uint32_t)buffer_by_name(config, ds->target_buffer_name);
    return ds ? ds->target_buffer : 0;
}

static int check_data_source(const struct config_check *c,
                             const Perfetto__Protos__DataSourceConfig *ds)
{
    const char *name = ds && ds->name ? ds->name : "";
    uint32_t target = ds ? ds->target_buffer : 0;

    if (ds && ds->target_buffer_name && *ds->target_buffer_name) {
        int64_t idx = buffer_by_name(c->config, ds->target_buffer_name);

        if (idx < 0)
            return FAIL(c,
                        "Data source \"%s\" specified target_buffer_name \"%s\" which does not "
                        "match any buffer",
                        name, ds->target_buffer_name);
        if (target && target != idx)
            return FAIL(c,
                        "Data source \"%s\" specified both target_buffer (%u) and "
                        "target_buffer_name \"%s\" (%" PRId64 "), which do not match",
                        name, target, ds->target_buffer_name, idx);
        return 0;
    }
    if (target >= c->config->n_buffers)
        return FAIL(c, "Data source \"%s\" specified an out of bounds target_buffer (%u >= %zu)",
                    name, target, c->config->n_buffers);
    return 0;
}

static int check_data_sources(const struct config_check *c)
{
    int r = 0;

    for (size_t i = 0; i < c->config->n_data_sources && r == 0; i++)
        r = check_data_source(c, c->config->data_sources[i]->config);
    return r;
}

static int check_filter(const struct config_check *c)
{
    const Perfetto__Protos__TraceConfig__TraceFilter *f = c->config->trace_filter;

    if (f)
        return FAIL(c, "Trace filter bytecode invalid");
    return 0;
}

static int check_file(const struct config_check *c)
{
    bool has_path = c->config->output_path && *c->config->output_path;

    if (c->config->write_into_file && c->has_fd == has_path)
        return FAIL(c, "When write_into_file==true either a FD needs to be passed or output_path "
                       "must be populated (but not both)");
    return 0;
}

/* size_kb is 32 bits, so 4 GiB - 1 KiB is the largest that is left once 0 and overflow are out. */
static int check_sizes(const struct config_check *c)
{
    for (size_t i = 0; i < c->config->n_buffers; i++)
        if (!c->config->buffers[i]->size_kb || c->config->buffers[i]->size_kb > UINT32_MAX / 1024)
            return FAIL(c, "Failed to allocate tracing buffers: Invalid buffer sizes");
    return 0;
}

static int run_checks(int (*const checks[])(const struct config_check *), size_t num,
                      const struct config_check *c)
{
    int r = 0;

    for (size_t i = 0; i < num && r == 0; i++)
        r = checks[i](c);
    return r;
}

int traced_config_check(const config_t *config, struct orma_buf *error)
{
    static int (*const checks[])(const struct config_check *) = {
        check_counts,   check_duration,   check_trigger_mode, check_bugreport_filename,
        check_triggers, check_guardrails, check_buffers,      check_data_sources,
    };

    return run_checks(checks, ORMA_ARRAY_LEN(checks),
                      &(struct config_check){.config = config, .error = error});
}

int traced_config_check_output(const config_t *config, bool has_fd, struct orma_buf *error)
{
    static int (*const checks[])(const struct config_check *) = {
        check_filter,
        check_file,
        check_sizes,
    };

    return run_checks(checks, ORMA_ARRAY_LEN(checks),
                      &(struct config_check){config, has_fd, error});
}
