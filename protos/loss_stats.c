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
    {"app_wakelock_unknown_id", "wakelocks of apps without a name", NULL},
    {"generic_task_state_invalid_order", "states of threads in an impossible order", NULL},
    {"incremental_state_cleared_missing_sequence_id", "packets that clear the state of no writer",
     NULL},
    {"interned_data_missing_sequence_id", "packets with names for no writer", NULL},
    {"invalid_clock_snapshots", "clock snapshots that contradict others or themselves", NULL},
    {"kernel_trackevent_format_error", "kernel events that name a track in a wrong form", NULL},
    {"meminfo_unknown_keys", "values of /proc/meminfo under a key that is not known", NULL},
    {"namespaced_thread_missing_process", "threads in a namespace whose process is missing", NULL},
    {"previous_packet_dropped_missing_sequence_id", "packets that follow a loss of no writer",
     NULL},
    {"rss_stat_unknown_keys", "sizes of memory under a key that is not known", NULL},
    {"slice_drop_overlapping_complete_event",
     "slices were left out: they overlap others of their track", NULL},
    {"slice_max_depth_exceeded", "slices were left out: they lie too deep in others", NULL},
    {"slice_negative_duration", "slices were left out: they end before they begin", NULL},
    {"task_state_invalid", "states of threads that no kernel has", NULL},
    {"trace_packet_defaults_missing_sequence_id", "packets with defaults for no writer", NULL},
    {"track_descriptor_missing_uuid", "descriptors of tracks without a number", NULL},
    {"track_event_counter_invalid_track_uuid", "counter values of a track that is no counter",
     NULL},
    {"track_event_counter_missing_track_uuid", "counter values without a track", NULL},
    {"track_event_counter_missing_value", "counter events without a value", NULL},
    {"track_event_invalid_timestamp", "track events of an impossible time", NULL},
    {"track_event_missing_sequence_id", "track events of no writer", NULL},
    {"track_event_missing_timestamp", "track events without a time", NULL},
    {"track_event_track_hierarchy_loop", "tracks that are their own parents", NULL},
    {"track_event_track_hierarchy_too_deep", "tracks with too many parents", NULL},
    {"vmstat_unknown_keys", "values of /proc/vmstat under a key that is not known", NULL},
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

/* "times were lost" of one: "time was lost". */
static void put_one(struct orma_buf *out, const char *text)
{
    static const char *const verbs[][2] = {{" are ", " is "}, {" were ", " was "}};
    const char *end = text + strcspn(text, " ");
    const size_t len = (size_t)(end - text);
    const char *verb = NULL;
    size_t i = 0;

    if (len < 2 || end[-1] != 's') {
        orma_buf_put_str(out, text);
        return;
    }
    orma_buf_put(out, text, len - (len > 4 && !memcmp(end - 4, "ches", 4) ? 2 : 1));
    for (; !verb && i < ORMA_ARRAY_LEN(verbs); i++)
        verb = strncmp(end, verbs[i][0], strlen(verbs[i][0])) ? NULL : end;
    if (verb) {
        orma_buf_put_str(out, verbs[i - 1][1]);
        end += strlen(verbs[i - 1][0]);
    }
    orma_buf_put_str(out, end);
}

void orma_loss_put_stat(struct orma_buf *out, const char *name, const int64_t *idx, int64_t value)
{
    const struct stat_words *w = find(name);

    orma_buf_printf(out, "%" PRId64 " ", value);
    if (!w)
        put_name(out, name);
    else if (value == 1)
        put_one(out, w->text);
    else
        orma_buf_put_str(out, w->text);
    if (idx && (!w || w->index))
        orma_buf_printf(out, " (%s %" PRId64 ")", w ? w->index : "index", *idx);
}
