#include "tools/load/loss.h"

#include <stdio.h>
#include <string.h>

#include "tools/base/units.h"

/* What a hostile writer says of itself must not spoil the sums of all: sum() fails when it
 * overflows, this one stays at the largest number, and is exact up to 2^53. */
#define SUM_OF(column) "CAST(total(" #column ") AS INTEGER)"

int64_t orma_load_number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    const char *rest;
    int64_t val = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return 0;
    if (orma_query_step(q) == 1)
        val = orma_query_int64(q, 0);
    orma_query_free(q);
    return val;
}

static uint64_t sum_of_stat(struct orma_processor *tp, const char *name)
{
    char sql[160];

    snprintf(sql, sizeof(sql), "SELECT " SUM_OF(value) " FROM stats WHERE name = '%s'", name);
    int64_t val = orma_load_number(tp, sql);
    return val > 0 ? (uint64_t)val : 0;
}

/* Of writers there are sequences, of whole traces not. */
static void read_unreported(const struct orma_query *q, struct orma_ledger *ret)
{
    ret->unreported = (uint64_t)orma_query_int64(q, 2);
    if (orma_query_int64(q, 3) > orma_query_int64(q, 2))
        ret->unknown = "the trace ends before its last statistics";
}

/* Rows of the ledger. */
static void read_ledger(struct orma_processor *tp, struct orma_ledger *ret)
{
    struct orma_query *q;
    const char *rest;

    if (orma_query_prepare(tp,
                           "SELECT reason, " SUM_OF(packets) ", count(sequence_id), count(*) "
                                                             "FROM loss "
                                                             "WHERE text IS NULL GROUP BY reason",
                           SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1) {
        const char *name = orma_query_text(q, 0);
        uint64_t packets = (uint64_t)orma_query_int64(q, 1);
        enum orma_loss_reason reason = orma_ledger_of_name(name);

        if (reason < ORMA_LOST_REASONS)
            ret->lost[reason] = packets;
        else if (!strcmp(name, "delivered"))
            ret->delivered = packets;
        else if (!strcmp(name, orma_loss_unreported.name))
            read_unreported(q, ret);
        ret->has_ledger |= strcmp(name, orma_loss_unreported.name) != 0;
    }
    orma_query_free(q);
}

static void read_incidents(struct orma_processor *tp, struct orma_ledger *ret)
{
    struct orma_query *q;
    const char *rest;

    if (orma_query_prepare(tp, "SELECT reason, text FROM loss WHERE text IS NOT NULL ORDER BY id",
                           SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1)
        orma_ledger_add_incident(ret, orma_str_from(orma_query_text(q, 1)),
                                 orma_incident_of_name(orma_query_text(q, 0)));
    orma_query_free(q);
}

void orma_load_loss(struct orma_processor *tp, struct orma_ledger *ret)
{
    *ret = (struct orma_ledger){0};
    read_ledger(tp, ret);
    read_incidents(tp, ret);
    if (!ret->has_ledger) {
        ret->chunks_overwritten = sum_of_stat(tp, "traced_buf_chunks_overwritten");
        ret->chunks_discarded = sum_of_stat(tp, "traced_buf_chunks_discarded");
        ret->writer_losses = sum_of_stat(tp, "traced_buf_trace_writer_packet_loss");
        if (!ret->unknown &&
            !orma_load_number(tp,
                              "SELECT count(*) FROM stats WHERE name = 'traced_buf_buffer_size'"))
            ret->unknown = "the trace holds no statistics of its recording";
    }
    ret->kernel_overrun =
        orma_ledger_sum(sum_of_stat(tp, "ftrace_cpu_overrun_delta"),
                        orma_ledger_sum(sum_of_stat(tp, "ftrace_cpu_dropped_events_delta"),
                                        sum_of_stat(tp, "ftrace_cpu_commit_overrun_delta")));
    ret->kprobes_missed = sum_of_stat(tp, "ftrace_kprobe_misses_delta");
    ret->perf_lost = sum_of_stat(tp, "perf_cpu_lost_records");
    ret->perf_skipped = sum_of_stat(tp, "perf_samples_skipped_dataloss");
    ret->unreadable = sum_of_stat(tp, "packet_skipped_seq_needs_incremental_state_invalid");
    ret->flushes_failed = sum_of_stat(tp, "traced_flushes_failed");
    /* Where the service writes all the time, the buffer is a ring, too, but nobody wants it to
     * overflow. */
    ret->ring = orma_load_number(tp, "SELECT count(*) FROM metadata WHERE name = "
                                     "'trace_config_pbtxt' AND str_value NOT GLOB "
                                     "'*write_into_file: true*'") > 0;
}

int64_t orma_load_missing_switches(struct orma_processor *tp)
{
    int64_t ret = orma_load_number(
        tp, "SELECT sum(value) FROM stats WHERE name = 'mismatched_sched_switch_tids'");

    return ret ? ret
               : orma_load_number(tp, "SELECT count(*) - count(DISTINCT utid) FROM thread_state "
                                      "WHERE dur = -1");
}

uint64_t orma_load_span_ns(struct orma_processor *tp)
{
    int64_t span = orma_load_number(tp, "SELECT end_ts - start_ts FROM trace_bounds");

    return span > 0 ? (uint64_t)span : 0;
}

void orma_load_put_losses(struct orma_processor *tp, const struct orma_ledger *loss,
                          struct orma_buf *out)
{
    char text[ORMA_LEDGER_TEXT_MAX], kept[ORMA_UNITS_TEXT_MAX];

    orma_ledger_format(loss, text, sizeof(text));
    orma_buf_put_str(out, text);
    if (orma_ledger_aged_out(loss))
        orma_buf_printf(out, "; the ring kept the newest %s",
                        orma_units_format_duration(orma_load_span_ns(tp), kept));
}
