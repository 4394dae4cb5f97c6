#include "tools/doctor/sizes.h"

#include <inttypes.h>

#include "processor/processor.h"
#include "tools/base/units.h"
#include "tools/doctor/doctor.h"
#include "tools/load/loss.h"

#define BURSTS 2       /* the busiest time beside the average */
#define REST_MS 1000   /* nobody reads for so long */
#define EVENT_BYTES 80 /* in the kernel's buffer: most have 24 to 72 */
#define KERNEL_MAX_KB 65536
#define STREAM_MIN_KB 4096
#define RING_MIN_KB 1024
#define WRITE_MIN_MS 100
#define DRAIN_MIN_MS 10

/* ---- one number from another ---- */

/* In floating point: numbers come from traces, and may be any. */
static uint64_t kb_of(uint64_t per_s, double ms, double factor)
{
    double kb = (double)per_s * ms / 1000 * factor / 1024 + 1;

    return kb < (double)((uint64_t)1 << 40) ? (uint64_t)kb : (uint64_t)1 << 40;
}

uint64_t orma_doctor_stream_kb(uint64_t bytes_per_s, uint64_t period_ms)
{
    return kb_of(bytes_per_s, (double)period_ms + REST_MS, BURSTS);
}

uint64_t orma_doctor_ring_kb(uint64_t bytes_per_s, uint64_t hold_ms)
{
    return kb_of(bytes_per_s, (double)hold_ms, 1.25);
}

uint64_t orma_doctor_kernel_kb(uint64_t events_per_s, uint64_t drain_ms)
{
    uint64_t kb = orma_doctor_round(
        kb_of(events_per_s, (double)drain_ms + REST_MS, (double)BURSTS * EVENT_BYTES));

    return ORMA_MAX(ORMA_MIN(kb, KERNEL_MAX_KB), ORMA_DOCTOR_KERNEL_KB);
}

uint32_t orma_doctor_write_period_ms(uint64_t bytes_per_s, uint64_t size_kb)
{
    double ms = bytes_per_s ? (double)size_kb * 1024 * 1000 / 4 / (double)bytes_per_s : 1e9;

    return ms < WRITE_MIN_MS ? WRITE_MIN_MS : ms > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)ms;
}

/* ---- what was measured ---- */

static uint64_t per_s(uint64_t num, uint64_t span_ns)
{
    return span_ns ? (uint64_t)((double)num * 1e9 / (double)span_ns) : 0;
}

static uint64_t number(struct orma_processor *tp, const char *sql)
{
    int64_t ret = orma_load_number(tp, sql);

    return ret > 0 ? (uint64_t)ret : 0;
}

void orma_doctor_measure(struct orma_processor *tp, uint64_t span_ns, struct orma_doctor_rates *ret)
{
    static const char cpu[] = "SELECT max(n) FROM (SELECT CAST(total(value) AS INTEGER) AS n FROM "
                              "stats WHERE name IN ('ftrace_cpu_read_events_delta', "
                              "'ftrace_cpu_overrun_delta') GROUP BY idx)";
    struct orma_doctor_rates rates = {.span_ns = span_ns};
    char sql[160];

    rates.buffers_num = (uint32_t)ORMA_MIN(
        number(tp, "SELECT count(*) FROM stats WHERE name = 'traced_buf_buffer_size'"),
        ORMA_DOCTOR_RATES_MAX);
    for (uint32_t i = 0; i < rates.buffers_num; i++) {
        (void)snprintf(sql, sizeof(sql), /* fits */
                       "SELECT CAST(total(value) AS INTEGER) FROM stats WHERE name = "
                       "'traced_buf_bytes_written' AND idx = %u",
                       i);
        rates.buffers[i] = per_s(number(tp, sql), span_ns);
        rates.bytes = orma_ledger_sum(rates.bytes, rates.buffers[i]);
    }
    rates.kernel_events = per_s(number(tp, cpu), span_ns);
    *ret = rates;
}

/* ---- the choice ---- */

struct choice {
    struct orma_doctor *doctor;
    const struct orma_doctor_rates *rates;
    struct orma_doctor_finding *finding;
};

/* A buffer that is written into a file takes memory for what arrives: it is not made smaller. */
static uint64_t wanted_kb(const struct orma_doctor_rates *rates, uint32_t i, uint64_t hold_ms,
                          const Perfetto__Protos__TraceConfig *config)
{
    uint64_t rate = i < rates->buffers_num ? rates->buffers[i] : 0,
             was = config->buffers[i]->size_kb;
    uint64_t period_ms =
        config->file_write_period_ms ? config->file_write_period_ms : ORMA_DOCTOR_WRITE_PERIOD_MS;
    uint64_t kb = config->write_into_file
                      ? ORMA_MAX(orma_doctor_stream_kb(rate, period_ms), STREAM_MIN_KB)
                      : ORMA_MAX(orma_doctor_ring_kb(rate, hold_ms), RING_MIN_KB);

    kb = ORMA_MIN(orma_doctor_round(kb), ORMA_DOCTOR_BUFFER_MAX_KB);
    return config->write_into_file ? ORMA_MAX(kb, was) : kb;
}

static void choose_buffers(struct choice *c, uint64_t hold_ms, uint64_t memory)
{
    Perfetto__Protos__TraceConfig *config = c->doctor->config;
    uint64_t sum = 0, share = 1;
    char asked[ORMA_UNITS_TEXT_MAX], has[ORMA_UNITS_TEXT_MAX];

    for (uint32_t i = 0; i < config->n_buffers; i++)
        sum += wanted_kb(c->rates, i, hold_ms, config);
    while (sum / share > memory / 1024 && share < 1u << 30)
        share *= 2;
    for (uint32_t i = 0; i < config->n_buffers; i++) {
        Perfetto__Protos__TraceConfig__BufferConfig *b = config->buffers[i];
        uint64_t kb = wanted_kb(c->rates, i, hold_ms, config) / share;

        kb = ORMA_MAX(kb, 64);
        if (b->size_kb != kb)
            orma_doctor_changed(c->finding, "buffers[%u].size_kb: %u -> %" PRIu64, i, b->size_kb,
                                kb);
        b->has_size_kb = true;
        b->size_kb = (uint32_t)kb;
    }
    if (share > 1)
        orma_doctor_note(
            c->doctor,
            "what was measured asks for buffers of %s, and they may have %s of this "
            "machine's memory: %s",
            orma_units_format_size(sum * 1024, asked), orma_units_format_size(memory, has),
            config->write_into_file ? "bursts may be lost"
                                    : "the ring holds less than the time that was asked for");
}

static void choose_periods(struct choice *c)
{
    Perfetto__Protos__TraceConfig *config = c->doctor->config;
    uint32_t was =
        config->file_write_period_ms ? config->file_write_period_ms : ORMA_DOCTOR_WRITE_PERIOD_MS;
    uint32_t ms = ORMA_MIN(was, ORMA_DOCTOR_WRITE_PERIOD_MS);

    if (!config->write_into_file)
        return;
    for (uint32_t i = 0; i < config->n_buffers && i < c->rates->buffers_num; i++)
        ms = ORMA_MIN(
            ms, orma_doctor_write_period_ms(c->rates->buffers[i], config->buffers[i]->size_kb));
    if (ms < was) {
        orma_doctor_changed(c->finding, "file_write_period_ms: %u -> %u", was, ms);
        config->has_file_write_period_ms = true;
        config->file_write_period_ms = ms;
    }
    if (!config->flush_period_ms) { /* what programs hold is in the file, too, and can be read */
        orma_doctor_changed(c->finding, "flush_period_ms: unset -> %u",
                            ORMA_DOCTOR_WRITE_PERIOD_MS);
        config->has_flush_period_ms = true;
        config->flush_period_ms = ORMA_DOCTOR_WRITE_PERIOD_MS;
    }
}

static void choose_kernel(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    struct choice *c = ctx;
    uint32_t drain =
        ftrace->drain_period_ms ? ftrace->drain_period_ms : ORMA_DOCTOR_DRAIN_PERIOD_MS;
    uint64_t needs = orma_doctor_kernel_kb(c->rates->kernel_events, ORMA_DOCTOR_DRAIN_PERIOD_MS);

    if (drain > ORMA_DOCTOR_DRAIN_PERIOD_MS) {
        orma_doctor_changed(c->finding, "ftrace_config.drain_period_ms: %u -> %u", drain,
                            ORMA_DOCTOR_DRAIN_PERIOD_MS);
        ftrace->has_drain_period_ms = true;
        ftrace->drain_period_ms = ORMA_DOCTOR_DRAIN_PERIOD_MS;
    } else if (needs == KERNEL_MAX_KB && drain > DRAIN_MIN_MS) {
        orma_doctor_changed(c->finding, "ftrace_config.drain_period_ms: %u -> %u", drain,
                            DRAIN_MIN_MS);
        ftrace->has_drain_period_ms = true;
        ftrace->drain_period_ms = DRAIN_MIN_MS;
    }
    if (ftrace->buffer_size_kb == needs ||
        (!ftrace->buffer_size_kb && needs == ORMA_DOCTOR_KERNEL_KB))
        return;
    orma_doctor_changed(c->finding, "ftrace_config.buffer_size_kb: %s%u -> %" PRIu64,
                        ftrace->buffer_size_kb ? "" : "unset, ", ftrace->buffer_size_kb, needs);
    ftrace->has_buffer_size_kb = true;
    ftrace->buffer_size_kb = (uint32_t)needs;
}

void orma_doctor_choose(struct orma_doctor *self, const struct orma_doctor_rates *rates,
                        uint64_t hold_ms, uint64_t memory)
{
    char length[ORMA_UNITS_TEXT_MAX], bytes[ORMA_UNITS_TEXT_MAX];
    struct choice c = {self, rates, NULL};

    c.finding = orma_doctor_find(self, "sizes", "measured for %s: %s a second into buffers",
                                 orma_units_format_duration(rates->span_ns, length),
                                 orma_units_format_size(rates->bytes, bytes));
    if (rates->kernel_events)
        orma_buf_printf(&c.finding->what, ", %" PRIu64 " kernel events a second on the busiest cpu",
                        rates->kernel_events);
    choose_buffers(&c, hold_ms, memory);
    choose_periods(&c);
    orma_doctor_each_ftrace(self, choose_kernel, &c);
    if (!c.finding->change.len)
        orma_doctor_note(self, "sizes and periods are as they should be for that");
}
