/* Kernel events through the port of their module: no reader, no bundles, no other module. */
#include "processor/import/kernel/kernel.h"
#include "protos/fields/ftrace.h"
#include "protos/tables/syscalls.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {
    &orma_kernel_binder_importer,   &orma_kernel_devices_importer,
    &orma_kernel_bundle_importer,   &orma_kernel_event_importer,
    &orma_kernel_sched_importer,    &orma_kernel_generic_kernel_importer,
    &orma_kernel_etw_importer,      &orma_kernel_gpu_importer,
    &orma_kernel_media_importer,    &orma_kernel_mm_importer,
    &orma_kernel_net_importer,      &orma_kernel_ftrace_stats_importer,
    &orma_kernel_syscalls_importer, NULL,
};

struct where {
    int64_t ts;
    uint32_t cpu, pid;
};

/* False: nobody handles the field. */
static bool event(struct module *r, struct where w, uint32_t field,
                  const struct module_field *payload)
{
    const struct orma_str bytes = module_bytes(r, payload);
    const struct orma_item item = module_item(r, field, w.ts, bytes);
    const struct orma_kernel_event e = {
        .ts = w.ts,
        .cpu = w.cpu,
        .pid = w.pid,
        .utid = orma_processes_thread(orma_model_processes(&r->model, 0), w.pid),
        .field = field,
        .payload = bytes,
        .item = &item,
    };

    return orma_port_handle(&r->ctx, &e);
}

static void print(struct module *r, struct where w, const char *text)
{
    event(r, w, ORMA_PB_FTRACE_EVENT_PRINT, MSG(STR(ORMA_PB_PRINT_FTRACE_EVENT_BUF, text)));
}

static void switches(struct module *r, int64_t ts, uint32_t cpu, uint32_t prev,
                     const char *prev_comm, int64_t state, uint32_t next, const char *next_comm)
{
    event(r, (struct where){ts, cpu, prev}, ORMA_PB_FTRACE_EVENT_SCHED_SWITCH,
          MSG(STR(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, prev_comm),
              NUM(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, prev),
              NUM(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, state),
              STR(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, next_comm),
              NUM(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, next),
              NUM(ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, 120)));
}

/*  cpu 1:  100 [== a ==] 150 [= idle =] 190 [== a ...
 *  a:      Running     S      R (woken at 180) Running */
Test(module_kernel, a_chain_of_switches_becomes_slices_and_states)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    switches(r, 100, 1, 0, "swapper/1", 0, 11, "a");
    switches(r, 150, 1, 11, "a", 1, 0, "swapper/1");
    event(r, (struct where){180, 1, 0}, ORMA_PB_FTRACE_EVENT_SCHED_WAKING,
          MSG(STR(ORMA_PB_SCHED_WAKING_FTRACE_EVENT_COMM, "a"),
              NUM(ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID, 11)));
    switches(r, 190, 1, 0, "swapper/1", 0, 11, "a");
    module_expect(r, ORMA_TABLE_SCHED_SLICE, "ts dur utid.tid end_state priority ucpu",
                  "100 50 11 S 120 1\n"
                  "150 40 0 R 120 1\n"
                  "190 -1 11 - 120 1\n");
    module_expect(r, ORMA_TABLE_THREAD_STATE, "ts dur utid.name state ucpu waker_utid",
                  "100 50 a Running 1 -\n"
                  "150 30 a S - -\n"
                  "180 10 a R - 0\n"
                  "190 -1 a Running 1 -\n");
    module_expect(r, ORMA_TABLE_FTRACE_EVENT, "ts name utid ucpu",
                  "100 sched_switch 0 1\n"
                  "150 sched_switch 1 1\n"
                  "190 sched_switch 0 1\n");
    module_free(r);
}

Test(module_kernel, tasks_begin_are_renamed_and_end)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    event(r, (struct where){10, 0, 1}, ORMA_PB_FTRACE_EVENT_TASK_NEWTASK,
          MSG(NUM(ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_PID, 20),
              STR(ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_COMM, "sh")));
    event(r, (struct where){20, 0, 20}, ORMA_PB_FTRACE_EVENT_TASK_NEWTASK,
          MSG(NUM(ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_PID, 21),
              STR(ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_COMM, "sh"),
              NUM(ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS, 0x10000)));
    event(r, (struct where){30, 0, 20}, ORMA_PB_FTRACE_EVENT_TASK_RENAME,
          MSG(NUM(ORMA_PB_TASK_RENAME_FTRACE_EVENT_PID, 20),
              STR(ORMA_PB_TASK_RENAME_FTRACE_EVENT_NEWCOMM, "ls")));
    event(r, (struct where){40, 0, 0}, ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE,
          MSG(NUM(ORMA_PB_SCHED_PROCESS_FREE_FTRACE_EVENT_PID, 20)));
    module_expect(r, ORMA_TABLE_THREAD, "tid name start_ts end_ts upid.pid is_main_thread",
                  "0 swapper - - 0 1\n"
                  "1 - - - - -\n"
                  "20 ls 10 40 20 1\n"
                  "21 sh 20 - 20 0\n");
    module_expect(r, ORMA_TABLE_PROCESS, "pid name start_ts end_ts",
                  "0 - - -\n"
                  "20 ls 10 40\n");
    module_free(r);
}

/*  0 B|5|outer   10 B|5|inner   20 E   30 I|5|mark   40 E   */
Test(module_kernel, markers_become_slices_of_the_thread_that_wrote_them)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    print(r, (struct where){0, 0, 6}, "B|5|outer\n");
    print(r, (struct where){10, 0, 6}, "B|5|inner");
    print(r, (struct where){20, 0, 6}, "E|5");
    print(r, (struct where){30, 0, 6}, "I|5|mark");
    print(r, (struct where){40, 0, 6}, "E");
    module_finish(r);
    module_expect(r, ORMA_TABLE_SLICE, "ts dur depth name track_id.utid.tid",
                  "0 40 0 outer 6\n"
                  "10 10 1 inner 6\n"
                  "30 0 1 mark 6\n");
    module_expect(r, ORMA_TABLE_THREAD, "tid upid.pid", "0 0\n6 5\n5 5\n");
    module_free(r);
}

Test(module_kernel, markers_become_counters_and_slices_with_cookies)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    print(r, (struct where){0, 0, 6}, "C|5|heap|-12");
    print(r, (struct where){1, 0, 6}, "S|5|load|7");
    print(r, (struct where){2, 0, 6}, "S|5|load|8");
    print(r, (struct where){5, 0, 6}, "F|5|load|7");
    print(r, (struct where){9, 0, 6}, "F|5|load|8");
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.name track_id.type",
                  "0 -12 heap atrace_counter\n");
    module_expect(r, ORMA_TABLE_SLICE, "ts dur depth name track_id {arg_set_id}",
                  "1 4 0 load 1 cookie=7,legacy_unnestable_begin_count=1,"
                  "legacy_unnestable_last_begin_ts=1\n"
                  "2 7 0 load 2 cookie=8,legacy_unnestable_begin_count=1,"
                  "legacy_unnestable_last_begin_ts=2\n");
    module_free(r);
}

Test(module_kernel, text_that_is_no_marker_is_counted_and_leaves_no_rows)
{
    static const char *const texts[] = {"",       "hello",   "B",     "B|",          "Q|5|x",
                                        "C|5|x|", "C|5|x|y", "B|z|x", "tracing_mark"};
    struct module *r = module_new(&orma_kernel_module, importers);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        print(r, (struct where){i, 0, 6}, texts[i]);
        cr_assert_eq(module_stat(r, SYSTRACE_PARSE_FAILURE), i + 1, "'%s'", texts[i]);
    }
    print(r, (struct where){50, 0, 6}, "trace_event_clock_sync: parent_ts=1");
    cr_assert_eq(module_stat(r, SYSTRACE_PARSE_FAILURE), ORMA_ARRAY_LEN(texts));
    module_expect(r, ORMA_TABLE_SLICE, "ts", "");
    module_expect(r, ORMA_TABLE_COUNTER, "ts", "");
    module_free(r);
}

/*  cpu 2:  10 [ IRQ (eth0)  20 [ NET_RX ] 30 ... ] 40: each on its own track */
Test(module_kernel, interrupts_lie_on_tracks_of_their_cpu)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    event(r, (struct where){10, 2, 0}, ORMA_PB_FTRACE_EVENT_IRQ_HANDLER_ENTRY,
          MSG(NUM(ORMA_PB_IRQ_HANDLER_ENTRY_FTRACE_EVENT_IRQ, 30),
              STR(ORMA_PB_IRQ_HANDLER_ENTRY_FTRACE_EVENT_NAME, "eth0")));
    event(r, (struct where){20, 2, 0}, ORMA_PB_FTRACE_EVENT_SOFTIRQ_ENTRY,
          MSG(NUM(ORMA_PB_SOFTIRQ_ENTRY_FTRACE_EVENT_VEC, 3)));
    event(r, (struct where){30, 2, 0}, ORMA_PB_FTRACE_EVENT_SOFTIRQ_EXIT,
          MSG(NUM(ORMA_PB_SOFTIRQ_EXIT_FTRACE_EVENT_VEC, 3)));
    event(r, (struct where){40, 2, 0}, ORMA_PB_FTRACE_EVENT_IRQ_HANDLER_EXIT,
          MSG(NUM(ORMA_PB_IRQ_HANDLER_EXIT_FTRACE_EVENT_RET, 1)));
    /* There is no such vector. */
    event(r, (struct where){50, 2, 0}, ORMA_PB_FTRACE_EVENT_SOFTIRQ_ENTRY,
          MSG(NUM(ORMA_PB_SOFTIRQ_ENTRY_FTRACE_EVENT_VEC, 10)));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name category track_id.name {arg_set_id}",
                  "10 30 'IRQ (eth0)' irq 'Irq Cpu 2' ret=handled\n"
                  "20 10 NET_RX irq 'SoftIrq Cpu 2' vec=3\n");
    module_expect(r, ORMA_TABLE_CPU, "id cpu", "0 -\n1 -\n2 2\n");
    module_free(r);
}

Test(module_kernel, frequencies_are_counters_of_cpus_that_can_be)
{
    static const struct {
        int64_t cpu;
        bool counts;
    } cases[] = {{0, true}, {1023, true}, {1024, false}, {-1, false}, {UINT32_MAX, false}};
    struct module *r = module_new(&orma_kernel_module, importers);
    uint32_t rows = 0;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        event(r, (struct where){i, 0, 0}, ORMA_PB_FTRACE_EVENT_CPU_FREQUENCY,
              MSG(NUM(ORMA_PB_CPU_FREQUENCY_FTRACE_EVENT_STATE, 1800000),
                  NUM(ORMA_PB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID, cases[i].cpu)));
        rows += cases[i].counts;
        cr_assert_eq(orma_model_table(&r->model, ORMA_TABLE_COUNTER)->rows, rows, "cpu %lld",
                     (long long)cases[i].cpu);
    }
    event(r, (struct where){9, 0, 0}, ORMA_PB_FTRACE_EVENT_CPU_IDLE,
          MSG(NUM(ORMA_PB_CPU_IDLE_FTRACE_EVENT_STATE, 4294967295u)));
    module_expect(r, ORMA_TABLE_COUNTER,
                  "ts value track_id.type track_id.name {track_id.dimension_arg_set_id}",
                  "0 1800000 cpu_frequency cpufreq cpu=0\n"
                  "1 1800000 cpu_frequency cpufreq cpu=1023\n"
                  "9 4294967295 cpu_idle cpuidle cpu=0\n");
    module_free(r);
}

/*  10: [=== transaction ===========] 40
 *  11:     20 [== reply ==] 30
 *               an arrow from the first to the second */
Test(module_kernel, a_binder_call_and_its_reply_are_joined_by_a_flow)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    event(r, (struct where){10, 0, 10}, ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION,
          MSG(NUM(ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID, 1),
              NUM(ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_TO_PROC, 11)));
    event(r, (struct where){20, 1, 11}, ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED,
          MSG(NUM(ORMA_PB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID, 1)));
    event(r, (struct where){30, 1, 11}, ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION,
          MSG(NUM(ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID, 2),
              NUM(ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_TO_THREAD, 10),
              NUM(ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY, 1)));
    event(r, (struct where){40, 0, 10}, ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED,
          MSG(NUM(ORMA_PB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID, 2)));
    /* Sent before the trace: nobody knows what it was. */
    event(r, (struct where){50, 0, 10}, ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED,
          MSG(NUM(ORMA_PB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID, 99)));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.utid.tid",
                  "10 30 'binder transaction' 10\n"
                  "20 10 'binder reply' 11\n");
    module_expect(r, ORMA_TABLE_FLOW, "slice_out slice_in", "0 1\n");
    module_free(r);
}

/*  10 [ sys_ioctl ] 30    40 [ sys_write (its marker at 45) ] 45, although it returns at 60 */
Test(module_kernel, system_calls_end_with_their_result_and_writes_with_their_marker)
{
    const struct orma_syscall_table *real = orma_syscall_table_find("x86_64");
    const uint16_t names[] = {real->names[16], real->names[1]}; /* sys_ioctl, sys_write */
    const struct orma_syscall_table table = {.names = names, .names_num = 2};
    struct module *r = module_new(&orma_kernel_module, importers);

    r->model.machines[0].syscalls = &table;
    event(r, (struct where){10, 0, 5}, ORMA_PB_FTRACE_EVENT_SYS_ENTER,
          MSG(NUM(ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID, 0),
              NUM(ORMA_PB_SYS_ENTER_FTRACE_EVENT_ARGS, 3)));
    event(
        r, (struct where){30, 0, 5}, ORMA_PB_FTRACE_EVENT_SYS_EXIT,
        MSG(NUM(ORMA_PB_SYS_EXIT_FTRACE_EVENT_ID, 0), NUM(ORMA_PB_SYS_EXIT_FTRACE_EVENT_RET, -2)));
    event(r, (struct where){40, 0, 5}, ORMA_PB_FTRACE_EVENT_SYS_ENTER,
          MSG(NUM(ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID, 1)));
    print(r, (struct where){45, 0, 5}, "I|5|mark");
    event(r, (struct where){60, 0, 5}, ORMA_PB_FTRACE_EVENT_SYS_EXIT,
          MSG(NUM(ORMA_PB_SYS_EXIT_FTRACE_EVENT_ID, 1)));
    event(r, (struct where){70, 0, 5}, ORMA_PB_FTRACE_EVENT_SYS_ENTER,
          MSG(NUM(ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID, 2)));
    module_finish(r);
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name {arg_set_id}",
                  "10 20 sys_ioctl args[0]=3,ret=-2\n"
                  "40 5 sys_write -\n"
                  "45 0 mark -\n"
                  "70 -1 sys_2 -\n");
    cr_assert_eq(module_stat(r, TRUNCATED_SYS_WRITE_DURATION), 1);
    module_free(r);
}

Test(module_kernel, events_before_the_session_began_are_told_apart)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    cr_assert(!orma_kernel_too_early(&r->ctx, 0, 5));
    orma_port_set_tracing_start(&r->ctx, 0, 10);
    cr_assert(orma_kernel_too_early(&r->ctx, 0, 9));
    cr_assert(!orma_kernel_too_early(&r->ctx, 0, 10));
    cr_assert_eq(module_stat(r, FTRACE_PACKET_BEFORE_TRACING_START), 1);
    orma_port_preserve(&r->ctx, 0);
    cr_assert(!orma_kernel_too_early(&r->ctx, 0, 9));
    module_free(r);
}

Test(module_kernel, what_another_module_shows_is_handed_to_it)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    module_record_calls(r);
    print(r, (struct where){1, 0, 6}, "C|5|ScreenState|2");
    print(r, (struct where){2, 0, 6}, "C|5|battery_stats.wifi|1");
    event(r, (struct where){3, 0, 6}, ORMA_PB_FTRACE_EVENT_GPU_MEM_TOTAL,
          MSG(NUM(ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_GPU_ID, 1),
              NUM(ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_PID, 5),
              NUM(ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_SIZE, 4096)));
    module_expect_calls(r, "screen_state 0 1 2\n"
                           "battery_stats 0 2 battery_stats.wifi 1\n"
                           "gpu_memory 0 3 gpu=1 pid=5 4096\n");
    module_expect(r, ORMA_TABLE_COUNTER, "ts", "");
    module_free(r);
}

Test(module_kernel, without_other_modules_nothing_comes_of_that)
{
    struct module *r = module_new(&orma_kernel_module, importers);

    print(r, (struct where){1, 0, 6}, "C|5|ScreenState|2");
    event(r, (struct where){3, 0, 6}, ORMA_PB_FTRACE_EVENT_GPU_MEM_TOTAL,
          MSG(NUM(ORMA_PB_GPU_MEM_TOTAL_FTRACE_EVENT_SIZE, 4096)));
    cr_assert(!event(r, (struct where){4, 0, 6}, 1023, MSG({0})));
    cr_assert(!event(r, (struct where){4, 0, 6}, ORMA_FTRACE_FIELDS_MAX, MSG({0})));
    module_expect(r, ORMA_TABLE_COUNTER, "ts", "");
    module_free(r);
}

/* A payload may be anything: what is missing is 0 and empty, and no handler may fall over it. */
Test(module_kernel, no_handler_needs_any_field_of_its_event)
{
    struct module *r = module_new(&orma_kernel_module, importers);
    unsigned handled = 0;

    module_add_reader(r);
    for (uint32_t field = 1; field < ORMA_FTRACE_FIELDS_MAX; field++) {
        handled += event(r, (struct where){field, 1, 5}, field, MSG({0}));
        (void)event(r, (struct where){field, 1, 5}, field,
                    MSG(NUM(1, -1), NUM(2, INT64_MIN), STR(3, ""), STR(4, "x"), NUM(5, 3)));
    }
    cr_assert_geq(handled, 138);
    module_finish(r);
    module_free(r);
}
