/*
 * The importer's checks of settings (processor/import/trace/diagnostics.c), which `orma stats`
 * prints, too; here with the change of the config that each of them asks for.
 */
#include <string.h>

#include "processor/processor.h"
#include "tools/doctor/doctor.h"

static void unset_sizes(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    struct orma_doctor_finding *finding = ctx;

    if (ftrace->has_buffer_size_kb) {
        orma_doctor_changed(finding, "ftrace_config.buffer_size_kb: %u -> unset",
                            ftrace->buffer_size_kb);
        ftrace->has_buffer_size_kb = false;
    }
    if (ftrace->has_drain_period_ms) {
        orma_doctor_changed(finding, "ftrace_config.drain_period_ms: %u -> unset",
                            ftrace->drain_period_ms);
        ftrace->has_drain_period_ms = false;
    }
}

static void unset_period(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    if (!ftrace->has_drain_period_ms)
        return;
    orma_doctor_changed(ctx, "ftrace_config.drain_period_ms: %u -> unset", ftrace->drain_period_ms);
    ftrace->has_drain_period_ms = false;
}

static void set_symbols(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    if (ftrace->symbolize_ksyms)
        return;
    orma_doctor_changed(ctx, "ftrace_config.symbolize_ksyms: true");
    ftrace->has_symbolize_ksyms = ftrace->symbolize_ksyms = true;
}

static const struct rule {
    const char *key;
    bool proved; /* whatever the load */
    orma_doctor_ftrace_fn *fn;
} rules[] = {
    {"tiny_ftrace_buffer", false, unset_sizes},
    {"low_ftrace_drain_bandwidth", false, unset_sizes},
    {"extreme_ftrace_drain_period", false, unset_period},
    {"function_graph_requires_symbolize_ksyms", true, set_symbols},
    {"events_require_symbolize_ksyms", true, set_symbols},
    {"discard_buffer_for_streaming", false, NULL},
};

static void treat(struct orma_doctor *self, const struct orma_query *q, bool proved)
{
    const char *key = orma_query_text(q, 0);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(rules); i++) {
        if (strcmp(rules[i].key, key) || (proved && !rules[i].proved))
            continue;
        struct orma_doctor_finding *f = orma_doctor_find(
            self, rules[i].key, "%s: %s", orma_query_text(q, 1), orma_query_text(q, 2));

        if (rules[i].fn)
            orma_doctor_each_ftrace(self, rules[i].fn, f);
        else if (self->config)
            orma_doctor_stream(self, f);
        if (!f->change.len)
            orma_doctor_advise(f, "%s", orma_query_text(q, 3));
        return;
    }
}

void orma_doctor_look_at_diagnostics(struct orma_doctor *self, struct orma_processor *tp,
                                     bool proved)
{
    static const char sql[] = "SELECT DISTINCT key, title, description, remediation FROM "
                              "__intrinsic_trace_diagnostics WHERE confidence >= 0.5 "
                              "ORDER BY confidence DESC, key";
    struct orma_query *q;
    const char *rest;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1)
        treat(self, q, proved);
    orma_query_free(q);
}
