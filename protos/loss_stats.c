/* Statistics of losses and errors in words. A number stands in front of each text, which has the
 * words of many and of one as "{slices were|slice was}". */
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
    {"app_wakelock_unknown_id", "{wakelocks|wakelock} of apps without a name", NULL},
    {"generic_task_state_invalid_order", "{states|state} of threads in an impossible order", NULL},
    {"incremental_state_cleared_missing_sequence_id",
     "{packets that clear|packet that clears} the state of no writer", NULL},
    {"interned_data_missing_sequence_id", "{packets|packet} with names for no writer", NULL},
    {"invalid_clock_snapshots",
     "clock {snapshots that contradict others or themselves|snapshot that contradicts others or "
     "itself}",
     NULL},
    {"kernel_trackevent_format_error",
     "kernel {events that name|event that names} a track in a wrong form", NULL},
    {"meminfo_unknown_keys", "{values|value} of /proc/meminfo under a key that is not known", NULL},
    {"namespaced_thread_missing_process",
     "{threads|thread} in a namespace whose process is missing", NULL},
    {"previous_packet_dropped_missing_sequence_id",
     "{packets that follow|packet that follows} a loss of no writer", NULL},
    {"rss_stat_unknown_keys", "{sizes|size} of memory under a key that is not known", NULL},
    {"slice_drop_overlapping_complete_event",
     "{slices were left out: they overlap others of their|slice was left out: it overlaps others "
     "of its} track",
     NULL},
    {"slice_max_depth_exceeded",
     "{slices were left out: they lie|slice was left out: it lies} too deep in others", NULL},
    {"slice_negative_duration",
     "{slices were left out: they end before they begin|slice was left out: it ends before it "
     "begins}",
     NULL},
    {"task_state_invalid", "{states|state} of threads that no kernel has", NULL},
    {"trace_packet_defaults_missing_sequence_id", "{packets|packet} with defaults for no writer",
     NULL},
    {"track_descriptor_missing_uuid", "{descriptors|descriptor} of tracks without a number", NULL},
    {"track_event_counter_invalid_track_uuid",
     "counter {values|value} of a track that is no counter", NULL},
    {"track_event_counter_missing_track_uuid", "counter {values|value} without a track", NULL},
    {"track_event_counter_missing_value", "counter {events|event} without a value", NULL},
    {"track_event_invalid_timestamp", "track {events|event} of an impossible time", NULL},
    {"track_event_missing_sequence_id", "track {events|event} of no writer", NULL},
    {"track_event_missing_timestamp", "track {events|event} without a time", NULL},
    {"track_event_track_hierarchy_loop",
     "{tracks that are their own parents|track that is its own parent}", NULL},
    {"track_event_track_hierarchy_too_deep", "{tracks|track} with too many parents", NULL},
    {"vmstat_unknown_keys", "{values|value} of /proc/vmstat under a key that is not known", NULL},
    {"clock_sync_failure",
     "{times|time} could not be converted: no clock snapshot relates {them|it}", NULL},
    {"clock_sync_failure_no_path",
     "{times could not be converted: their|time could not be converted: its} clock is never "
     "related",
     NULL},
    {"clock_sync_failure_undeferrable_packet_loss",
     "{packets were dropped: their clock was not known when they|packet was dropped: its clock was "
     "not known when it} came",
     NULL},
    {"config_write_into_file_discard",
     "buffer with the policy DISCARD although a file was written: what came when it was full is "
     "missing",
     "buffer"},
    {"config_write_into_file_no_flush",
     "recording into a file without periodic flushes: data may be missing or out of order", NULL},
    {"damaged_bytes",
     "{bytes of the file are damaged and were|byte of the file is damaged and was} skipped", NULL},
    {"damaged_places", "damaged {places of the file were|place of the file was} skipped", NULL},
    {"ftrace_cpu_commit_overrun_delta",
     "kernel {events|event} lost: interrupts came faster than they could be written", "cpu"},
    {"ftrace_cpu_dropped_events_delta",
     "kernel {events|event} dropped: the kernel's buffer was full and keeps the oldest", "cpu"},
    {"ftrace_cpu_has_data_loss", "CPU whose kernel events have gaps", "cpu"},
    {"ftrace_cpu_overrun_delta",
     "kernel {events|event} lost: the kernel's buffer was full before it was read", "cpu"},
    {"ftrace_kprobe_misses_delta", "{hits|hit} of kprobes could not be recorded", NULL},
    {"heap_graph_non_finalized_graph", "heap graph whose end is missing", NULL},
    {"heapprofd_buffer_overran", "heap profile that lacks allocations: its buffer was full", "pid"},
    {"heapprofd_client_error", "heap profile that ended early: the program could not report",
     "pid"},
    {"jit_unknown_frame", "{frames|frame} in generated code without a name", NULL},
    {"long_trace_mode_bytes_overwritten",
     "{bytes were overwritten before they were|byte was overwritten before it was} written to the "
     "file: the buffer was too small",
     "buffer"},
    {"members_repeated",
     "{traces have|trace has} the same bytes as another one here: all of {their|its} rows are there "
     "more than once",
     NULL},
    {"mismatched_sched_switch_tids",
     "{switches are|switch is} missing in the kernel's record: what threads did near {them|it} is "
     "unknown, and in no sum",
     NULL},
    {"misplaced_end_event", "{ends|end} of slices that nothing began", NULL},
    {"packet_skipped_seq_needs_incremental_state_invalid",
     "{packets cannot be read: the names and clocks that they refer|packet cannot be read: the "
     "names and clocks that it refers} to were lost",
     NULL},
    {"packets_missing",
     "{packets that the recorder says it delivered are|packet that the recorder says it delivered "
     "is} not in the file",
     NULL},
    {"packets_repeated",
     "{packets|packet} more in the file than the recorder says it delivered: a part may be there "
     "twice",
     NULL},
    {"perf_aux_lost", "{records|record} of hardware traces lost", NULL},
    {"perf_aux_truncated", "{records|record} of hardware traces cut", NULL},
    {"perf_cpu_lost_records",
     "{records|record} of perf lost: its buffer was full before it was read", "cpu"},
    {"perf_guardrail_stop_ts",
     "is the time when sampling was stopped: it used too much CPU or memory", NULL},
    {"perf_samples_skipped", "{samples|sample} without a stack: it could not be read", NULL},
    {"perf_samples_skipped_dataloss", "{samples|sample} without a stack: unwinding came too late",
     NULL},
    {"traced_buf_abi_violations", "{chunks|chunk} refused: malformed, or larger than the buffer",
     "buffer"},
    {"traced_buf_data_loss_chunk_corrupted",
     "{gaps|gap} in what a writer wrote: a chunk was malformed", "buffer"},
    {"traced_buf_data_loss_orphan_continuation",
     "{gaps|gap} in what a writer wrote: the beginning of a packet is missing", "buffer"},
    {"traced_buf_data_loss_overwrite", "{gaps|gap} in what a writer wrote: the ring had gone round",
     "buffer"},
    {"traced_buf_data_loss_read_gap", "{gaps|gap} in what a writer wrote: a chunk never came",
     "buffer"},
    {"traced_buf_data_loss_reassembly_broken_chain",
     "{gaps|gap} in what a writer wrote: pieces of a packet do not fit together", "buffer"},
    {"traced_buf_data_loss_reassembly_gap",
     "{gaps|gap} in what a writer wrote: a piece of a packet is missing", "buffer"},
    {"traced_buf_data_loss_smb_full",
     "{gaps|gap} in what a writer wrote: the program had no room in its shared memory", "buffer"},
    {"traced_buf_data_loss_writer_abort", "{gaps|gap} in what a writer wrote: it gave up",
     "buffer"},
    {"traced_buf_incremental_sequences_dropped",
     "writer of which nothing can be read: the names and clocks that it refers to were lost",
     "buffer"},
    {"traced_buf_patches_failed", "{sizes|size} of packets came too late: the packets are missing",
     "buffer"},
    {"traced_buf_sequence_packet_loss", "{places|place} where a writer lost packets", "buffer"},
    {"traced_buf_trace_writer_packet_loss",
     "{times|time} that a program dropped packets: it had no room in its shared memory", "buffer"},
    {"traced_final_flush_failed",
     "final flush that not all programs answered: what they wrote last may be missing", NULL},
    {"traced_flushes_failed", "{flushes|flush} that not all programs answered in time", NULL},
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

/* "{times were|time was} lost", of one or many. */
static void put_words(struct orma_buf *out, const char *text, bool one)
{
    for (const char *open; (open = strchr(text, '{')) != NULL;) {
        const char *bar = strchr(open, '|'), *end = strchr(open, '}');

        orma_buf_put(out, text, (size_t)(open - text));
        if (one)
            orma_buf_put(out, bar + 1, (size_t)(end - bar - 1));
        else
            orma_buf_put(out, open + 1, (size_t)(bar - open - 1));
        text = end + 1;
    }
    orma_buf_put_str(out, text);
}

void orma_loss_put_stat(struct orma_buf *out, const char *name, const int64_t *idx, int64_t value)
{
    const struct stat_words *w = find(name);

    orma_buf_printf(out, "%" PRId64 " ", value);
    if (!w)
        put_name(out, name);
    else
        put_words(out, w->text, value == 1);
    if (idx && (!w || w->index))
        orma_buf_printf(out, " (%s %" PRId64 ")", w ? w->index : "index", *idx);
}
