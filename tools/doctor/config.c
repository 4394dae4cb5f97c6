/*
 * What of a config cannot be recorded here: by the checks of the service, of `orma record` and of
 * the probes, and beside the memory that there is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "probes/probes.h"
#include "processor/processor.h"
#include "processor/sql/base/memory.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"
#include "tools/base/units.h"
#include "tools/doctor/doctor.h"
#include "tools/load/threads.h"
#include "tools/record/names.h"
#include "tools/service/attach.h"
#include "tools/service/state.h"
#include "traced/config/config.h"

typedef Perfetto__Protos__TraceConfig config_t;

/* ---- names ---- */

void orma_doctor_mend_event(struct orma_doctor_finding *finding,
                            Perfetto__Protos__FtraceConfig *ftrace, const char *name)
{
    char near[256];

    for (size_t i = 0; i < ftrace->n_ftrace_events; i++) {
        if (strcmp(ftrace->ftrace_events[i], name))
            continue;
        free(ftrace->ftrace_events[i]);
        ftrace->ftrace_events[i] =
            orma_record_names_near_event(name, near, sizeof(near)) ? strdup(near) : NULL;
        if (ftrace->ftrace_events[i]) {
            orma_doctor_changed(finding, "ftrace_events: \"%s\" -> \"%s\"", name, near);
            return;
        }
        orma_doctor_changed(finding, "ftrace_events: without \"%s\"", name);
        ftrace->ftrace_events[i] = ftrace->ftrace_events[--ftrace->n_ftrace_events];
        return;
    }
}

void orma_doctor_mend_sources(struct orma_doctor *self, struct orma_doctor_finding *finding,
                              struct orma_str state)
{
    char near[256];

    for (size_t i = 0; self->config && i < self->config->n_data_sources; i++) {
        Perfetto__Protos__DataSourceConfig *c = self->config->data_sources[i]->config;

        if (!c || !c->name || (state.len && orma_service_state_has_source(state, c->name)) ||
            !orma_record_names_near_source(c->name, state, near, sizeof(near)))
            continue;
        char *name = strdup(near);
        if (!name)
            return;
        orma_doctor_changed(finding, "data_sources[%zu].config.name: \"%s\" -> \"%s\"", i, c->name,
                            near);
        free(c->name);
        c->name = name;
    }
}

struct names {
    struct orma_buf unknown; /* events, a line each */
};

static void note_unknown(void *ctx, enum orma_ftrace_name kind, const char *name)
{
    struct names *names = ctx;

    if (kind == ORMA_FTRACE_NAME_EVENT)
        orma_buf_printf(&names->unknown, "%s\n", name);
}

static void mend_events(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf bytes = {0};
    struct names names = {0};
    size_t len = protobuf_c_message_get_packed_size(&ftrace->base);

    if (orma_buf_reserve(&bytes, len)) {
        bytes.len += protobuf_c_message_pack(&ftrace->base, bytes.data);
        (void)orma_probes_unknown_names(NULL, orma_buf_str(&bytes), note_unknown,
                                        &names); /* not readable: its source says so */
    }
    struct orma_str rest = orma_buf_str(&names.unknown), line;
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        char name[256];

        snprintf(name, sizeof(name), "%.*s", ORMA_STR_ARG(line));
        orma_doctor_mend_event(ctx, ftrace, name);
    }
    orma_buf_fini(&names.unknown);
}

/* The state of the service that runs; empty if there is none. */
static void ask_service(struct orma_buf *ret)
{
    struct orma_service_attached service = {0};

    if (orma_service_attach(&service, "orma doctor", ORMA_SERVICE_ATTACH_RUNNING) == 0)
        (void)orma_service_state_query(service.consumer, ret); /* else there is nothing to know */
    orma_service_attached_fini(&service);
}

static void check_names(struct orma_doctor *self, struct orma_str config, struct orma_str state)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf problems = {0};
    /* Programs may still come; the sources of the probes are looked at one by one. */
    struct orma_record_name_check check = {.config = config, .state = state, .may_come = true};
    struct orma_str rest, line;
    struct orma_doctor_finding *f = NULL;

    (void)orma_record_names_check(&check, &problems);
    rest = orma_buf_str(&problems);
    while (rest.len && orma_str_cut(&rest, '\n', &line))
        f = orma_doctor_find(self, "name", "%.*s", ORMA_STR_ARG(line));
    if (!f)
        return;
    orma_doctor_each_ftrace(self, mend_events, f);
    orma_doctor_mend_sources(self, f, state);
}

/* ---- sources ---- */

struct sources {
    struct orma_doctor *doctor;
    struct orma_str state;
};

static void check_source(void *ctx, const char *name)
{
    struct sources *s = ctx;
    char why[512] = "";

    if (!orma_record_names_is_of_probes(name)) {
        if (s->state.len && !orma_service_state_has_source(s->state, name))
            orma_doctor_note(s->doctor, "no program offers the data source '%s' now", name);
        return;
    }
    if (s->state.len && orma_service_state_has_source(s->state, name))
        return;
    if (!orma_probes_source_usable(NULL, name, why, sizeof(why)))
        orma_doctor_find(s->doctor, "source", "%s cannot record here: %s", name, why);
}

/* ---- memory ---- */

static uint64_t buffer_bytes(const config_t *config)
{
    uint64_t kb = 0;

    for (size_t i = 0; i < config->n_buffers; i++)
        kb += config->buffers[i]->size_kb;
    return kb * 1024;
}

static void check_memory(struct orma_doctor *self)
{
    uint64_t bytes = buffer_bytes(self->config), there = orma_sql_memory_there();
    char asked[ORMA_UNITS_TEXT_MAX], has[ORMA_UNITS_TEXT_MAX];
    struct statvfs fs;

    if (there && bytes > there) {
        struct orma_doctor_finding *f = orma_doctor_find(
            self, "memory",
            "The buffers may take %s, and this machine or control group has %s for them: when they "
            "fill, the kernel ends the service or another program",
            orma_units_format_size(bytes, asked), orma_units_format_size(there, has));

        for (size_t i = 0; i < self->config->n_buffers; i++) {
            Perfetto__Protos__TraceConfig__BufferConfig *b = self->config->buffers[i];
            uint64_t kb = there / 4 / 1024 / self->config->n_buffers;

            if (b->size_kb <= kb)
                continue;
            orma_doctor_changed(f, "buffers[%zu].size_kb: %u -> %" PRIu64, i, b->size_kb, kb);
            b->size_kb = (uint32_t)kb;
        }
        orma_doctor_stream(self, f);
        return;
    }
    if (statvfs("/dev/shm", &fs) == 0 && bytes > (uint64_t)fs.f_bavail * fs.f_frsize)
        orma_doctor_note(
            self,
            "/dev/shm has %s free, the buffers may take %s: what does not fit would be lost with a "
            "crash of the service (mount -o remount,size=%" PRIu64 "m /dev/shm)",
            orma_units_format_size((uint64_t)fs.f_bavail * fs.f_frsize, has),
            orma_units_format_size(bytes, asked), bytes / 524288 + 1);
}

/* ---- settings ---- */

static void check_clocks(struct orma_doctor *self)
{
    Perfetto__Protos__TraceConfig__BuiltinDataSource *b = self->config->builtin_data_sources;

    if (!b || !b->disable_clock_snapshotting)
        return;
    struct orma_doctor_finding *f = orma_doctor_find(
        self, "clocks",
        "The trace would not say how its clocks are related: events by another clock than that of "
        "the trace have no time in it, and are left out");
    orma_doctor_changed(f, "builtin_data_sources.disable_clock_snapshotting: true -> false");
    b->has_disable_clock_snapshotting = b->disable_clock_snapshotting = false;
}

static void check_service(struct orma_doctor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};

    if (traced_config_check(self->config, &error) == 0 &&
        traced_config_check_output(self->config, true, &error) == 0)
        return;
    struct orma_doctor_finding *f = orma_doctor_find(
        self, "refused", "The service refuses this config: %s", orma_buf_cstr(&error));

    for (size_t i = 0; self->config->n_buffers && i < self->config->n_data_sources; i++) {
        Perfetto__Protos__DataSourceConfig *c = self->config->data_sources[i]->config;

        if (!c || c->target_buffer < self->config->n_buffers || c->target_buffer_name)
            continue;
        orma_doctor_changed(f, "data_sources[%zu].config.target_buffer: %u -> 0", i,
                            c->target_buffer);
        c->target_buffer = 0;
    }
    for (size_t i = 0; i < self->config->n_buffers; i++) {
        if (!self->config->buffers[i]->size_kb)
            orma_doctor_grow(self, f, (uint32_t)i, 32768);
    }
}

/* The importer's checks, of a trace that has nothing but this config. */
static void check_settings(struct orma_doctor *self, struct orma_str config)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf trace = {0};
    struct orma_processor *tp = NULL;

    size_t packet = orma_pb_begin(&trace, ORMA_PB_TRACE_PACKET);
    orma_pb_put_u64(&trace, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 1);
    orma_pb_put_bytes(&trace, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, config.data, config.len);
    orma_pb_end(&trace, packet);
    if (!trace.failed && orma_processor_new(orma_load_config(), &tp) == 0 &&
        orma_processor_feed(tp, trace.data, trace.len) == 0 && orma_processor_finish(tp) == 0)
        orma_doctor_look_at_diagnostics(self, tp, false);
    orma_processor_free(tp);
}

void orma_doctor_look_at_config(struct orma_doctor *self, struct orma_str config)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0};

    ask_service(&state);
    struct sources sources = {self, orma_buf_str(&state)};
    check_service(self);
    check_names(self, config, orma_buf_str(&state));
    orma_record_names_sources(config, check_source, &sources);
    check_settings(self, config);
    check_clocks(self);
    check_memory(self);
}
