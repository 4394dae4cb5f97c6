/* Stacks, samples, heaps and maps, without a reader. Times of heap dumps and streamed samples are
 * of other clocks, and are tested with one. */
#include "processor/import/profile/profile.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {&orma_profile_heap_graph_importer,
                                                        &orma_profile_profile_importer, NULL};

#define TEXT(kind, iid, text)                                                                      \
    SUB(kind, NUM(ORMA_PB_INTERNED_STRING_IID, iid), STR(ORMA_PB_INTERNED_STRING_STR, text))

/*  libc.so: main (0x10) ◄─ malloc (0x20)      stack 1: main, malloc     stack 2: main */
static void intern_stacks(struct module *r)
{
    module_intern(r,
                  MSG(TEXT(ORMA_PB_INTERNED_DATA_MAPPING_PATHS, 1, "lib"),
                      TEXT(ORMA_PB_INTERNED_DATA_MAPPING_PATHS, 2, "libc.so"),
                      TEXT(ORMA_PB_INTERNED_DATA_BUILD_IDS, 1, "\xca\xfe"),
                      TEXT(ORMA_PB_INTERNED_DATA_FUNCTION_NAMES, 1, "main"),
                      TEXT(ORMA_PB_INTERNED_DATA_FUNCTION_NAMES, 2, "malloc"),
                      SUB(ORMA_PB_INTERNED_DATA_MAPPINGS, NUM(ORMA_PB_MAPPING_IID, 1),
                          NUM(ORMA_PB_MAPPING_BUILD_ID, 1), NUM(ORMA_PB_MAPPING_PATH_STRING_IDS, 1),
                          NUM(ORMA_PB_MAPPING_PATH_STRING_IDS, 2)),
                      SUB(ORMA_PB_INTERNED_DATA_FRAMES, NUM(ORMA_PB_FRAME_IID, 1),
                          NUM(ORMA_PB_FRAME_FUNCTION_NAME_ID, 1), NUM(ORMA_PB_FRAME_MAPPING_ID, 1),
                          NUM(ORMA_PB_FRAME_REL_PC, 0x10)),
                      SUB(ORMA_PB_INTERNED_DATA_FRAMES, NUM(ORMA_PB_FRAME_IID, 2),
                          NUM(ORMA_PB_FRAME_FUNCTION_NAME_ID, 2), NUM(ORMA_PB_FRAME_MAPPING_ID, 1),
                          NUM(ORMA_PB_FRAME_REL_PC, 0x20)),
                      SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(ORMA_PB_CALLSTACK_IID, 1),
                          NUM(ORMA_PB_CALLSTACK_FRAME_IDS, 1), NUM(ORMA_PB_CALLSTACK_FRAME_IDS, 2)),
                      SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(ORMA_PB_CALLSTACK_IID, 2),
                          NUM(ORMA_PB_CALLSTACK_FRAME_IDS, 1))));
}

static uint32_t interned(struct module *r, uint64_t iid)
{
    return orma_port_interned_callsite(&r->ctx, 0, ORMA_ID_NONE, r->seq->gen, iid);
}

Test(module_profile, interned_stacks_share_their_frames_and_callers)
{
    struct module *r = module_new(&orma_profile_module, importers);

    intern_stacks(r);
    cr_assert_eq(interned(r, 1), 1);
    cr_assert_eq(interned(r, 2), 0);
    cr_assert_eq(interned(r, 1), 1);
    module_expect(r, ORMA_TABLE_STACK_PROFILE_CALLSITE,
                  "depth parent_id frame_id.name frame_id.rel_pc frame_id.mapping.name "
                  "frame_id.mapping.build_id",
                  "0 - main 16 /lib/libc.so cafe\n"
                  "1 0 malloc 32 /lib/libc.so cafe\n");
    module_free(r);
}

Test(module_profile, stacks_with_holes_are_none_and_counted)
{
    struct module *r = module_new(&orma_profile_module, importers);

    module_intern(r, MSG(SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(ORMA_PB_CALLSTACK_IID, 1),
                             NUM(ORMA_PB_CALLSTACK_FRAME_IDS, 9)),
                         SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(ORMA_PB_CALLSTACK_IID, 2)),
                         SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(ORMA_PB_CALLSTACK_IID, 3),
                             NUM(ORMA_PB_CALLSTACK_FRAME_IDS, 1)),
                         SUB(ORMA_PB_INTERNED_DATA_FRAMES, NUM(ORMA_PB_FRAME_IID, 1),
                             NUM(ORMA_PB_FRAME_MAPPING_ID, 7))));
    for (uint64_t iid = 0; iid <= 4; iid++)
        cr_assert_eq(interned(r, iid), ORMA_CALLSITE_NONE);
    cr_assert_eq(module_stat(r, STACKPROFILE_INVALID_CALLSTACK_ID), 2); /* 0 and 4 */
    cr_assert_eq(module_stat(r, STACKPROFILE_INVALID_FRAME_ID), 1);
    cr_assert_eq(module_stat(r, STACKPROFILE_EMPTY_CALLSTACK), 1);
    cr_assert_eq(module_stat(r, STACKPROFILE_INVALID_MAPPING_ID), 1);
    cr_assert_eq(module_stat(r, INTERNED_DATA_TOKENIZER_ERRORS), 4);
    module_expect(r, ORMA_TABLE_STACK_PROFILE_CALLSITE, "id", "");
    module_free(r);
}

Test(module_profile, inline_stacks_have_lines_as_symbols)
{
    struct module *r = module_new(&orma_profile_module, importers);
    const struct orma_str bytes =
        module_bytes(r, MSG(SUB(ORMA_PB_INLINE_CALLSTACK_FRAMES,
                                STR(ORMA_PB_INLINE_CALLSTACK_FRAME_FUNCTION_NAME, "main")),
                            SUB(ORMA_PB_INLINE_CALLSTACK_FRAMES,
                                STR(ORMA_PB_INLINE_CALLSTACK_FRAME_FUNCTION_NAME, "run"),
                                STR(ORMA_PB_INLINE_CALLSTACK_FRAME_SOURCE_FILE, "a.c"),
                                NUM(ORMA_PB_INLINE_CALLSTACK_FRAME_LINE_NUMBER, 12))));

    cr_assert_eq(orma_port_inline_callsite(&r->ctx, bytes), 1);
    cr_assert_eq(orma_port_inline_callsite(&r->ctx, bytes), 1);
    module_expect(r, ORMA_TABLE_STACK_PROFILE_CALLSITE, "depth parent_id frame_id.name",
                  "0 - main\n1 0 run\n");
    module_expect(r, ORMA_TABLE_STACK_PROFILE_SYMBOL, "name source_file line_number",
                  "main - -\nrun a.c 12\n");
    module_expect(r, ORMA_TABLE_STACK_PROFILE_MAPPING, "name", "track_event_inline\n");
    cr_assert_eq(orma_port_inline_callsite(&r->ctx, (struct orma_str){0}), ORMA_CALLSITE_NONE);
    module_free(r);
}

Test(module_profile, samples_of_perf_have_a_stack_a_place_and_a_count)
{
    struct module *r = module_new(&orma_profile_module, importers);

    intern_stacks(r);
    for (int64_t i = 0; i < 2; i++)
        module_packet(r, &orma_profile_profile_importer, ORMA_PB_TRACE_PACKET_PERF_SAMPLE, 100 + i,
                      MSG(NUM(ORMA_PB_PERF_SAMPLE_CPU, 3), NUM(ORMA_PB_PERF_SAMPLE_PID, 7),
                          NUM(ORMA_PB_PERF_SAMPLE_TID, 8),
                          NUM(ORMA_PB_PERF_SAMPLE_CALLSTACK_IID, 1),
                          NUM(ORMA_PB_PERF_SAMPLE_TIMEBASE_COUNT, 1000 + i)));
    module_expect(r, ORMA_TABLE_PROFILER_SAMPLE, "ts source callsite_id session_id counter_set_id",
                  "100 linux.perf 1 0 0\n101 linux.perf 1 0 1\n");
    module_expect(r, ORMA_TABLE_PROFILER_TASK_CONTEXT, "upid.pid utid.tid", "7 8\n");
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.name",
                  "100 1000 cpu-clock\n101 1001 cpu-clock\n");
    module_free(r);
}

Test(module_profile, samples_that_were_lost_leave_no_rows_those_without_stack_do)
{
    struct module *r = module_new(&orma_profile_module, importers);

    module_packet(
        r, &orma_profile_profile_importer, ORMA_PB_TRACE_PACKET_PERF_SAMPLE, 100,
        MSG(NUM(ORMA_PB_PERF_SAMPLE_CPU, 3), NUM(ORMA_PB_PERF_SAMPLE_KERNEL_RECORDS_LOST, 5)));
    module_packet(r, &orma_profile_profile_importer, ORMA_PB_TRACE_PACKET_PERF_SAMPLE, 101,
                  MSG(NUM(ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON,
                          ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_ENQUEUE)));
    cr_assert_eq(*orma_stats_at(&r->storage.stats[0], ORMA_STAT_PERF_CPU_LOST_RECORDS, 3), 5);
    module_packet(r, &orma_profile_profile_importer, ORMA_PB_TRACE_PACKET_PERF_SAMPLE, 102,
                  MSG(NUM(ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON,
                          ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_READ_STAGE)));
    cr_assert_eq(module_stat(r, PERF_SAMPLES_SKIPPED), 1);
    cr_assert_eq(module_stat(r, PERF_SAMPLES_SKIPPED_DATALOSS), 1);
    module_expect(r, ORMA_TABLE_PROFILER_SAMPLE, "ts", "101\n102\n");
    module_free(r);
}

Test(module_profile, symbols_that_come_late_reach_the_frames_of_their_module)
{
    struct module *r = module_new(&orma_profile_module, importers);

    intern_stacks(r);
    (void)interned(r, 1);
    r->ports.profile.symbols(
        &r->ctx, 0,
        module_bytes(
            r,
            MSG(STR(ORMA_PB_MODULE_SYMBOLS_PATH, "/lib/libc.so"),
                STR(ORMA_PB_MODULE_SYMBOLS_BUILD_ID, "\xca\xfe"),
                SUB(ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS,
                    NUM(ORMA_PB_ADDRESS_SYMBOLS_ADDRESS, 0x20),
                    SUB(ORMA_PB_ADDRESS_SYMBOLS_LINES, STR(ORMA_PB_LINE_FUNCTION_NAME, "inner")),
                    SUB(ORMA_PB_ADDRESS_SYMBOLS_LINES, STR(ORMA_PB_LINE_FUNCTION_NAME, "outer"))),
                SUB(ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS,
                    NUM(ORMA_PB_ADDRESS_SYMBOLS_ADDRESS, 0x99),
                    SUB(ORMA_PB_ADDRESS_SYMBOLS_LINES,
                        STR(ORMA_PB_LINE_FUNCTION_NAME, "nobody"))))));
    module_expect(r, ORMA_TABLE_STACK_PROFILE_FRAME, "name symbol_set_id", "main -\nmalloc 0\n");
    module_expect(r, ORMA_TABLE_STACK_PROFILE_SYMBOL, "symbol_set_id name inlined",
                  "0 inner 1\n0 outer 0\n2 nobody 0\n");
    cr_assert_eq(module_stat(r, STACKPROFILE_INVALID_FRAME_ID), 1);
    module_free(r);
}

Test(module_profile, maps_of_a_process_are_rows_with_what_was_deleted_marked)
{
    struct module *r = module_new(&orma_profile_module, importers);

    module_packet(
        r, &orma_profile_profile_importer, ORMA_PB_TRACE_PACKET_SMAPS_PACKET, 5,
        MSG(NUM(ORMA_PB_SMAPS_PACKET_PID, 7),
            SUB(ORMA_PB_SMAPS_PACKET_ENTRIES, STR(ORMA_PB_SMAPS_ENTRY_PATH, "/tmp/a (deleted)"),
                NUM(ORMA_PB_SMAPS_ENTRY_SIZE_KB, 8)),
            SUB(ORMA_PB_SMAPS_PACKET_ENTRIES, STR(ORMA_PB_SMAPS_ENTRY_PATH, "[heap]"))));
    module_expect(r, ORMA_TABLE_PROFILER_SMAPS, "ts upid.pid path path_trimmed is_deleted size_kb",
                  "5 7 '/tmp/a (deleted)' /tmp/a 1 8\n"
                  "5 7 [heap] [heap] 0 0\n");
    module_free(r);
}

/*  root ─► 1 (Node) ─next─► 2 (Node)      3 (Node): garbage */
Test(module_profile, objects_of_a_heap_are_reached_from_its_roots)
{
    struct module *r = module_new(&orma_profile_module, importers);

    module_packet(r, &orma_profile_heap_graph_importer, ORMA_PB_TRACE_PACKET_HEAP_GRAPH, 5,
                  MSG(NUM(ORMA_PB_HEAP_GRAPH_PID, 7),
                      SUB(ORMA_PB_HEAP_GRAPH_FIELD_NAMES, NUM(ORMA_PB_INTERNED_STRING_IID, 1),
                          STR(ORMA_PB_INTERNED_STRING_STR, "Node Node.next")),
                      SUB(ORMA_PB_HEAP_GRAPH_TYPES, NUM(ORMA_PB_HEAP_GRAPH_TYPE_ID, 1),
                          STR(ORMA_PB_HEAP_GRAPH_TYPE_CLASS_NAME, "Node")),
                      SUB(ORMA_PB_HEAP_GRAPH_OBJECTS, NUM(ORMA_PB_HEAP_GRAPH_OBJECT_ID, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_TYPE_ID, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_SELF_SIZE, 16),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_FIELD_ID, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_OBJECT_ID, 2)),
                      SUB(ORMA_PB_HEAP_GRAPH_OBJECTS, NUM(ORMA_PB_HEAP_GRAPH_OBJECT_ID, 2),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_TYPE_ID, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_SELF_SIZE, 24)),
                      SUB(ORMA_PB_HEAP_GRAPH_OBJECTS, NUM(ORMA_PB_HEAP_GRAPH_OBJECT_ID, 3),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_TYPE_ID, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_OBJECT_SELF_SIZE, 32)),
                      SUB(ORMA_PB_HEAP_GRAPH_ROOTS, NUM(ORMA_PB_HEAP_GRAPH_ROOT_OBJECT_IDS, 1),
                          NUM(ORMA_PB_HEAP_GRAPH_ROOT_ROOT_TYPE, 1))));
    cr_assert(orma_profile_heap_graph_importer.finish_late(&r->ctx));
    module_expect(r, ORMA_TABLE_HEAP_GRAPH_OBJECT,
                  "upid.pid graph_sample_ts type_id self_size reachable root_type root_distance",
                  "7 5 0 16 1 ROOT_JNI_GLOBAL 0\n"
                  "7 5 0 24 1 - 1\n"
                  "7 5 0 32 0 - -1\n");
    module_expect(r, ORMA_TABLE_HEAP_GRAPH_REFERENCE,
                  "owner_id owned_id field_name field_type_name", "0 1 Node.next Node\n");
    module_free(r);
}
