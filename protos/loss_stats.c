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
     "{traces have|trace has} the same bytes as another one here: all of {their|its} rows are "
     "there "
     "more than once",
     NULL},
    {"recordings_overlap",
     "{packets or more are|packet or more is} there twice, in two of the traces or in two "
     "recordings of one file: they overlap, and what both have counts twice; 'orma cut' one of "
     "them where the other begins",
     NULL},
    {"switches_repeated",
     "{switches of threads are|switch of threads is} in two of the traces, which overlap: {they "
     "count|it counts} "
     "once, but other events of that time are there more than once",
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
    {"perf_lost_events",
     "{events|event} of perf lost: its buffer was full before it was read (perf record -m gives a "
     "larger one)",
     NULL},
    {"perf_throttled",
     "{times|time} that the kernel held an event of perf back, because it came too often "
     "(kernel.perf_event_max_sample_rate): samples of then are missing",
     NULL},
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
    {"clock_sync_failure_unknown_source_clock",
     "{times|time} of a clock of which the trace says nothing", NULL},
    {"clock_sync_failure_unknown_target_clock",
     "{times|time} could not be converted: the clock of the trace is not known", NULL},
    {"clock_sync_other_start",
     "{recordings are|recording is} of another machine, or of another start of it, than the first "
     "one, or the date was set in between: {their|its} times lie as if nothing had happened; "
     "--apart goes by the date",
     NULL},
    {"clock_sync_mixed_clock_sources",
     "{files are|file is} placed by another clock than the rest: how the files lie to each other "
     "is not exact",
     NULL},
    {"clock_sync_unrelatable_clock_domains",
     "{clocks that nothing relates to the clock of other files: times of theirs|clock that nothing "
     "relates to the clock of other files: its times} are taken as they are",
     NULL},
    {"compact_sched_has_parse_errors", "{lists|list} of switches that could not be read to the end",
     NULL},
    {"cpu_info_empty", "{lists|list} of CPUs with nothing in it", NULL},
    {"deobfuscate_location_parse_error",
     "{frames|frame} of Java whose original name could not be found out", NULL},
    {"empty_chrome_metadata", "{packets|packet} of Chrome's metadata with nothing in it", NULL},
    {"filter_errors", "{packets|packet} that the recorder could not filter, and left out", NULL},
    {"flow_duplicate_id", "{flows have|flow has} the number of another one", NULL},
    {"flow_invalid_id", "{flows|flow} without a number that can be read", NULL},
    {"flow_no_enclosing_slice",
     "{flows were left out: no slice lies around their ends|flow was left out: no slice lies "
     "around its end}",
     NULL},
    {"flow_without_direction", "{flows|flow} of which it is not said where it begins", NULL},
    {"ftrace_bundle_tokenizer_errors",
     "{bundles|bundle} of kernel events that could not be read to the end", NULL},
    {"ftrace_generic_descriptor_errors",
     "{descriptions|description} of kernel events that could not be read", NULL},
    {"gpu_counters_invalid_spec",
     "{counters|counter} of a GPU with a description that means nothing", NULL},
    {"gpu_counters_missing_spec", "{values|value} of GPU counters that nothing describes", NULL},
    {"gpu_counters_missing_timestamp", "{values|value} of GPU counters without a time", NULL},
    {"gpu_render_stage_parser_errors", "{stages|stage} of a GPU that could not be read", NULL},
    {"gpu_work_period_negative_duration",
     "{periods of GPU work that end before they begin|period of GPU work that ends before it "
     "begins}",
     NULL},
    {"heap_graph_invalid_string_id", "{objects|object} of a heap graph whose names are missing",
     "pid"},
    {"heap_graph_malformed_packet", "{packets|packet} of a heap graph that could not be read",
     "pid"},
    {"heap_graph_missing_packet", "heap graph of which packets are missing", "pid"},
    {"heapprofd_buffer_corrupted", "heap profile that ended early: its buffer held nonsense",
     "pid"},
    {"heapprofd_hit_guardrail", "heap profile that ended early: it used too much CPU or memory",
     "pid"},
    {"heapprofd_malformed_packet", "{packets|packet} of a heap profile that could not be read",
     "pid"},
    {"heapprofd_missing_packet", "{gaps|gap} in the packets of heap profiles", NULL},
    {"heapprofd_non_finalized_profile",
     "heap {profiles whose ends are|profile whose end is} missing", NULL},
    {"heapprofd_rejected_concurrent",
     "heap profile that was refused: another one of the process was running", "pid"},
    {"hprof_class_errors", "{classes|class} of a Java heap that could not be read", NULL},
    {"hprof_field_value_errors", "{fields|field} of a Java heap that could not be read", NULL},
    {"hprof_header_errors", "{heads|head} of a Java heap that could not be read", NULL},
    {"hprof_heap_dump_errors", "{parts|part} of a Java heap that could not be read", NULL},
    {"hprof_reference_errors",
     "{references|reference} of a Java heap to objects that are not in it", NULL},
    {"instruments_row_missing_backtrace", "{samples|sample} of Instruments without a stack", NULL},
    {"instruments_row_missing_frame", "{frames|frame} of Instruments that nothing describes", NULL},
    {"instruments_row_missing_process", "{rows|row} of Instruments without a process", NULL},
    {"instruments_row_missing_thread", "{rows|row} of Instruments without a thread", NULL},
    {"invalid_cpu_times", "{times|time} of CPUs that cannot be", NULL},
    {"json_parser_failure", "JSON {events|event} that could not be read", NULL},
    {"json_tokenizer_failure", "{places|place} in JSON that could not be read", NULL},
    {"memory_snapshot_parser_failure", "{snapshots|snapshot} of memory that could not be read",
     NULL},
    {"metatrace_overruns", "{events|event} of the recorder about itself lost: its buffer was full",
     NULL},
    {"ninja_parse_errors", "{lines|line} of ninja's log that could not be read", NULL},
    {"perf_aux_collision", "{records|record} of hardware traces that collided with others", NULL},
    {"perf_aux_missing", "{records|record} of hardware traces missing", NULL},
    {"perf_aux_partial", "{records|record} of hardware traces cut short", NULL},
    {"perf_auxtrace_missing",
     "{records|record} of hardware traces without the data that {they announce|it announces}",
     NULL},
    {"perf_samples_cpu_mode_unknown",
     "{samples|sample} of which it is not known whether the kernel or the program ran", NULL},
    {"perf_text_importer_sample_no_frames", "{samples|sample} of perf script without a stack",
     NULL},
    {"proc_stat_unknown_counters", "{values|value} of /proc/stat under a key that is not known",
     NULL},
    {"process_tracker_errors", "{reports|report} of processes or threads that contradict others",
     NULL},
    {"psi_unknown_resource", "{values|value} of pressure of a resource that is not known", NULL},
    {"simpleperf_missing_file_mapping", "{frames|frame} of simpleperf whose file is not described",
     NULL},
    {"slice_spill_overlapping_complete_event",
     "{slices overlap others of their track, and have|slice overlaps others of its track, and has} "
     "a track of their own",
     NULL},
    {"smaps_parser_errors", "{maps|map} of memory that could not be read", NULL},
    {"sorter_push_event_out_of_order",
     "{events came|event came} too late to be put in order: sort all of the file (--full-sort)",
     NULL},
    {"stackprofile_empty_callstack", "{stacks|stack} without a frame", NULL},
    {"stackprofile_invalid_callstack_id", "{samples|sample} with a stack that is missing", NULL},
    {"stackprofile_invalid_frame_id", "{stacks|stack} with frames that are missing", NULL},
    {"stackprofile_invalid_mapping_id", "{frames|frame} of a file that is missing", NULL},
    {"stackprofile_invalid_string_id", "{frames|frame} whose names are missing", NULL},
    {"stackprofile_parser_error", "{samples|sample} that could not be read", NULL},
    {"strace_missing_pid", "{lines|line} of strace without a pid: record with -f", NULL},
    {"strace_unsupported_timestamp_format",
     "{lines|line} of strace with a time of a form that is not read: record with -ttt", NULL},
    {"streaming_profile_invalid_timestamp", "{samples|sample} of an impossible time", NULL},
    {"symbolization_tmp_build_id_not_found", "{frames|frame} of files whose symbols are missing",
     NULL},
    {"systemd_journal_num_failed", "{lines|line} of the journal that could not be read", NULL},
    {"systrace_parse_failure", "{lines|line} of kernel text that could not be read", NULL},
    {"thread_descriptor_missing_sequence_id", "{descriptions|description} of threads of no writer",
     NULL},
    {"thread_time_in_state_unknown_cpu_freq", "{times|time} at a frequency that is not known",
     NULL},
    {"trace_sorter_negative_timestamp_dropped",
     "{events were left out: they lie|event was left out: it lies} before time 0", NULL},
    {"track_descriptor_conflicting_reservation",
     "{tracks are|track is} described as different things", NULL},
    {"track_descriptor_default_track_with_parent",
     "default {tracks|track} with a parent, which is not used", NULL},
    {"track_descriptor_invalid_child_ordering",
     "{tracks|track} with an order of children that is not known", NULL},
    {"track_descriptor_process_missing_pid",
     "{descriptions|description} of processes without a pid", NULL},
    {"track_descriptor_thread_missing_pid_tid",
     "{descriptions|description} of threads without pid and tid", NULL},
    {"track_event_extra_counter_exceeds_max", "track {events|event} with too many counters", NULL},
    {"track_event_extra_counter_invalid_track",
     "track {events|event} with a value of a track that is no counter", NULL},
    {"track_event_extra_counter_missing_track_uuids",
     "track {events|event} with values, but no tracks of counters", NULL},
    {"track_event_extra_counter_track_uuid_mismatch",
     "track {events|event} with more values than tracks of counters", NULL},
    {"track_event_state_missing_track_uuid", "{states|state} without a track", NULL},
    {"track_event_thread_invalid_end", "{ends|end} of slices that belong to another thread", NULL},
    {"unknown_extension_fields", "{fields|field} of extensions that nothing describes", NULL},
    {"v8_code_load_missing_code_range",
     "{functions|function} of V8 in code whose place is not known", NULL},
    {"v8_intern_errors", "{functions|function} of V8 whose names are missing", NULL},
    {"v8_no_defaults", "{packets|packet} of V8 without the engine that {they belong|it belongs} to",
     NULL},
    {"v8_unknown_code_type", "{functions|function} of V8 of a kind that is not known", NULL},
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

bool orma_loss_is_harmless(const char *name, int64_t idx)
{
    static const uint8_t types[] = {2 /* LOST */,
                                    4 /* EXIT */,
                                    5 /* THROTTLE */,
                                    6 /* UNTHROTTLE */,
                                    7 /* FORK */,
                                    12 /* ITRACE_START */,
                                    13 /* LOST_SAMPLES */,
                                    14 /* SWITCH */,
                                    15 /* SWITCH_CPU */,
                                    16 /* NAMESPACES */,
                                    18 /* BPF_EVENT */,
                                    19 /* CGROUP */,
                                    68 /* FINISHED_ROUND */,
                                    69 /* ID_INDEX */,
                                    73 /* THREAD_MAP */,
                                    74 /* CPU_MAP */,
                                    78 /* EVENT_UPDATE */,
                                    79 /* TIME_CONV */,
                                    82 /* FINISHED_INIT */};

    if (strcmp(name, "perf_record_skipped") != 0)
        return false;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(types); i++) {
        if (types[i] == idx)
            return true;
    }
    return false;
}
