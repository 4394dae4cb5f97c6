/* Statistics of losses and errors in words. A number stands in front of each text. */
#include "protos/loss.h"

#include <inttypes.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"

static const struct stat_words {
    const char *name;
    const char *text;
    const char
        *index; /* what the index of the statistic is; NULL: it has none, or it tells nothing */
} words[] = {
    {"clock_sync_failure", "times could not be converted: no clock snapshot relates them", NULL},
    {"clock_sync_failure_no_path", "times could not be converted: their clock is never related",
     NULL},
    {"clock_sync_failure_undeferrable_packet_loss",
     "packets were dropped: their clock was not known when they came", NULL},
    {"config_write_into_file_discard",
     "buffer with the policy DISCARD although a file was written: what came when it was full is "
     "missing",
     "buffer"},
    {"config_write_into_file_no_flush",
     "recording into a file without periodic flushes: data may be missing or out of order", NULL},
    {"damaged_bytes", "bytes of the file are damaged and were skipped", NULL},
    {"damaged_places", "damaged places of the file were skipped", NULL},
    {"ftrace_cpu_commit_overrun_delta",
     "kernel events lost: interrupts came faster than they could be written", "cpu"},
    {"ftrace_cpu_dropped_events_delta",
     "kernel events dropped: the kernel's buffer was full and keeps the oldest", "cpu"},
    {"ftrace_cpu_has_data_loss", "CPU whose kernel events have gaps", "cpu"},
    {"ftrace_cpu_overrun_delta",
     "kernel events lost: the kernel's buffer was full before it was read", "cpu"},
    {"ftrace_kprobe_misses_delta", "hits of kprobes could not be recorded", NULL},
    {"heap_graph_non_finalized_graph", "heap graph whose end is missing", NULL},
    {"heapprofd_buffer_overran", "heap profile that lacks allocations: its buffer was full", "pid"},
    {"heapprofd_client_error", "heap profile that ended early: the program could not report",
     "pid"},
    {"jit_unknown_frame", "frames in generated code without a name", NULL},
    {"long_trace_mode_bytes_overwritten",
     "bytes were overwritten before they were written to the file: the buffer was too small",
     "buffer"},
    {"mismatched_sched_switch_tids",
     "switches are missing in the kernel's record: what threads did near them is unknown, and in "
     "no "
     "sum",
     NULL},
    {"misplaced_end_event", "ends of slices that nothing began", NULL},
    {"packet_skipped_seq_needs_incremental_state_invalid",
     "packets cannot be read: the names and clocks that they refer to were lost", NULL},
    {"perf_aux_lost", "records of hardware traces lost", NULL},
    {"perf_aux_truncated", "records of hardware traces cut", NULL},
    {"perf_cpu_lost_records", "records of perf lost: its buffer was full before it was read",
     "cpu"},
    {"perf_guardrail_stop_ts",
     "is the time when sampling was stopped: it used too much CPU or "
     "memory",
     NULL},
    {"perf_samples_skipped", "samples without a stack: it could not be read", NULL},
    {"perf_samples_skipped_dataloss", "samples without a stack: unwinding came too late", NULL},
    {"traced_buf_abi_violations", "chunks refused: malformed, or larger than the buffer", "buffer"},
    {"traced_buf_data_loss_chunk_corrupted", "gaps in what a writer wrote: a chunk was malformed",
     "buffer"},
    {"traced_buf_data_loss_orphan_continuation",
     "gaps in what a writer wrote: the beginning of a packet is missing", "buffer"},
    {"traced_buf_data_loss_overwrite", "gaps in what a writer wrote: the ring had gone round",
     "buffer"},
    {"traced_buf_data_loss_read_gap", "gaps in what a writer wrote: a chunk never came", "buffer"},
    {"traced_buf_data_loss_reassembly_broken_chain",
     "gaps in what a writer wrote: pieces of a packet do not fit together", "buffer"},
    {"traced_buf_data_loss_reassembly_gap",
     "gaps in what a writer wrote: a piece of a packet is missing", "buffer"},
    {"traced_buf_data_loss_smb_full",
     "gaps in what a writer wrote: the program had no room in its shared memory", "buffer"},
    {"traced_buf_data_loss_writer_abort", "gaps in what a writer wrote: it gave up", "buffer"},
    {"traced_buf_incremental_sequences_dropped",
     "writer of which nothing can be read: the names and clocks that it refers to were lost",
     "buffer"},
    {"traced_buf_patches_failed", "sizes of packets came too late: the packets are missing",
     "buffer"},
    {"traced_buf_sequence_packet_loss", "places where a writer lost packets", "buffer"},
    {"traced_buf_trace_writer_packet_loss",
     "times that a program dropped packets: it had no room in its shared memory", "buffer"},
    {"traced_final_flush_failed",
     "final flush that not all programs answered: what they wrote last may be missing", NULL},
    {"traced_flushes_failed", "flushes that not all programs answered in time", NULL},
};

static const struct stat_words *find(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(words); i++) {
        if (!strcmp(words[i].name, name))
            return &words[i];
    }
    return NULL;
}

/* "track_event_missing_timestamp" as "track event missing timestamp". */
static void put_name(struct orma_buf *out, const char *name)
{
    for (; *name; name++)
        orma_buf_put_byte(out, (uint8_t)(*name == '_' ? ' ' : *name));
}

void orma_loss_put_stat(struct orma_buf *out, const char *name, const int64_t *idx, int64_t value)
{
    const struct stat_words *w = find(name);

    orma_buf_printf(out, "%" PRId64 " ", value);
    if (!w)
        put_name(out, name);
    else
        orma_buf_put_str(out, w->text);
    if (idx && (!w || w->index))
        orma_buf_printf(out, " (%s %" PRId64 ")", w ? w->index : "index", *idx);
}
