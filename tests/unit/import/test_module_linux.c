/* What a Linux system says of itself, without a reader. Times of processes count from boot and are
 * converted by one, so there are none here. */
#include "processor/import/linux/linux.h"
#include "protos/fields/common.h"
#include "protos/fields/process.h"
#include "protos/fields/sys_stats.h"
#include "protos/fields/trace.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {
    &orma_linux_battery_importer,       &orma_linux_process_tree_importer,
    &orma_linux_process_stats_importer, &orma_linux_sys_stats_importer,
    &orma_linux_system_info_importer,   &orma_linux_cpu_info_importer,
    &orma_linux_interrupts_importer,    NULL,
};

static void sys_stats(struct module *r, int64_t ts, const struct module_field *payload)
{
    module_packet(r, &orma_linux_sys_stats_importer, ORMA_PB_TRACE_PACKET_SYS_STATS, ts, payload);
}

static void tree(struct module *r, int64_t ts, const struct module_field *payload)
{
    module_packet(r, &orma_linux_process_tree_importer, ORMA_PB_TRACE_PACKET_PROCESS_TREE, ts,
                  payload);
}

/*  0 ─► 1 init ─► 7 /bin/sh -c ls, with the thread 8 */
Test(module_linux, a_process_tree_names_processes_threads_and_parents)
{
    struct module *r = module_new(&orma_linux_module, importers);

    tree(r, 100,
         MSG(SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 1),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "init")),
             SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 7),
                 NUM(ORMA_PB_PROCESS_TREE_PROCESS_PPID, 1),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "/bin/sh"),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "-c"),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "ls"),
                 NUM(ORMA_PB_PROCESS_TREE_PROCESS_UID, 1010005)),
             SUB(ORMA_PB_PROCESS_TREE_THREADS, NUM(ORMA_PB_PROCESS_TREE_THREAD_TID, 8),
                 NUM(ORMA_PB_PROCESS_TREE_THREAD_TGID, 7),
                 STR(ORMA_PB_PROCESS_TREE_THREAD_NAME, "worker"))));
    module_expect(r, ORMA_TABLE_PROCESS,
                  "pid name parent_upid.pid cmdline uid android_user_id android_appid",
                  "0 - - - - - -\n"
                  "1 init 0 init - - -\n"
                  "7 /bin/sh 1 '/bin/sh -c ls' 1010005 10 10005\n");
    module_expect(r, ORMA_TABLE_THREAD, "tid name upid.pid is_main_thread",
                  "0 swapper 0 1\n"
                  "1 - 1 1\n"
                  "7 - 7 1\n"
                  "8 worker 7 0\n");
    module_free(r);
}

Test(module_linux, names_of_kernel_workers_lose_the_work)
{
    struct module *r = module_new(&orma_linux_module, importers);

    tree(r, 100,
         MSG(SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 9),
                 NUM(ORMA_PB_PROCESS_TREE_PROCESS_PPID, 2),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "kworker/0:1-events"),
                 NUM(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE_IS_COMM, 1),
                 NUM(ORMA_PB_PROCESS_TREE_PROCESS_IS_KTHREAD, 1)),
             /* Of one argument, from older recorders: joined there. */
             SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 10),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "cat a b")),
             /* A program that calls itself so is no thread of the kernel. */
             SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 12),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "kworker/0:1-events"),
                 STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "b")),
             /* Neither of these says what a process is. */
             SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 11)),
             SUB(ORMA_PB_PROCESS_TREE_PROCESSES, STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "x"))));
    module_finish(r);
    module_expect(r, ORMA_TABLE_PROCESS, "pid name cmdline {arg_set_id}",
                  "0 - - -\n"
                  "2 - - -\n"
                  "9 kworker/0:1 kworker/0:1 is_kthread=true\n"
                  "10 cat 'cat a b' -\n"
                  "12 kworker/0:1-events 'kworker/0:1-events b' -\n");
    module_free(r);
}

Test(module_linux, a_parent_that_changes_is_counted_and_the_first_stays)
{
    struct module *r = module_new(&orma_linux_module, importers);

    for (uint32_t parent = 1; parent <= 2; parent++)
        tree(r, 100,
             MSG(SUB(ORMA_PB_PROCESS_TREE_PROCESSES, NUM(ORMA_PB_PROCESS_TREE_PROCESS_PID, 7),
                     NUM(ORMA_PB_PROCESS_TREE_PROCESS_PPID, parent),
                     STR(ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, "sh"))));
    module_expect(r, ORMA_TABLE_PROCESS, "pid parent_upid.pid", "0 -\n1 -\n7 1\n2 -\n");
    cr_assert_eq(module_stat(r, PROCESS_TRACKER_PARENT_PID_CHANGED), 1);
    module_free(r);
}

Test(module_linux, figures_of_processes_are_counters_in_bytes)
{
    struct module *r = module_new(&orma_linux_module, importers);

    module_packet(
        r, &orma_linux_process_stats_importer, ORMA_PB_TRACE_PACKET_PROCESS_STATS, 5,
        MSG(SUB(ORMA_PB_PROCESS_STATS_PROCESSES, NUM(ORMA_PB_PROCESS_STATS_PROCESS_PID, 7),
                NUM(ORMA_PB_PROCESS_STATS_PROCESS_VM_RSS_KB, 3),
                NUM(ORMA_PB_PROCESS_STATS_PROCESS_OOM_SCORE_ADJ, -900), NUM(4000, 1))));
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.type track_id.name track_id.upid.pid",
                  "5 3072 process_memory mem.rss 7\n"
                  "5 -900 oom_score_adj oom_score_adj 7\n");
    cr_assert_eq(module_stat(r, PROC_STAT_UNKNOWN_COUNTERS), 1);
    module_free(r);
}

Test(module_linux, figures_of_the_system_have_the_names_of_the_kernel)
{
    struct module *r = module_new(&orma_linux_module, importers);

    sys_stats(r, 5,
              MSG(SUB(ORMA_PB_SYS_STATS_PSI, NUM(ORMA_PB_SYS_STATS_PSI_SAMPLE_RESOURCE, 3),
                      NUM(ORMA_PB_SYS_STATS_PSI_SAMPLE_TOTAL_NS, 77)),
                  SUB(ORMA_PB_SYS_STATS_MEMINFO, NUM(ORMA_PB_SYS_STATS_MEMINFO_VALUE_KEY, 1),
                      NUM(ORMA_PB_SYS_STATS_MEMINFO_VALUE_VALUE, 4)),
                  SUB(ORMA_PB_SYS_STATS_NUM_IRQ, NUM(1, 30), NUM(2, 1000))));
    module_expect(r, ORMA_TABLE_COUNTER,
                  "ts value track_id.type track_id.name track_id.counter_unit",
                  "5 4096 meminfo MemTotal bytes\n"
                  "5 1000 num_irq 'num_irq (id: 30)' -\n"
                  "5 77 psi psi.io.some -\n");
    module_free(r);
}

Test(module_linux, keys_that_nobody_knows_are_counted)
{
    static const uint64_t keys[] = {0, 39, UINT32_MAX, UINT64_MAX};
    struct module *r = module_new(&orma_linux_module, importers);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(keys); i++) {
        sys_stats(r, 5,
                  MSG(SUB(ORMA_PB_SYS_STATS_MEMINFO, NUM(1, keys[i]), NUM(2, 1)),
                      SUB(ORMA_PB_SYS_STATS_VMSTAT, NUM(1, keys[i] ? 255 : 0), NUM(2, 1)),
                      SUB(ORMA_PB_SYS_STATS_PSI, NUM(1, keys[i] ? 7 : 0), NUM(2, 1))));
        cr_assert_eq(module_stat(r, MEMINFO_UNKNOWN_KEYS), i + 1);
        cr_assert_eq(module_stat(r, VMSTAT_UNKNOWN_KEYS), i + 1);
        cr_assert_eq(module_stat(r, PSI_UNKNOWN_RESOURCE), i + 1);
    }
    module_expect(r, ORMA_TABLE_COUNTER, "ts", "");
    module_free(r);
}

/* A disk's first figures are what later ones are compared with: 2048 sectors are a megabyte. */
Test(module_linux, disks_have_rates_from_the_second_poll_on)
{
    struct module *r = module_new(&orma_linux_module, importers);

    for (int64_t i = 0; i < 2; i++)
        sys_stats(r, i,
                  MSG(SUB(ORMA_PB_SYS_STATS_DISK_STAT,
                          STR(ORMA_PB_SYS_STATS_DISK_STAT_DEVICE_NAME, "sda"),
                          NUM(ORMA_PB_SYS_STATS_DISK_STAT_READ_SECTORS, 5000 + i * 4096),
                          NUM(ORMA_PB_SYS_STATS_DISK_STAT_READ_TIME_MS, 100 + i * 500))));
    char *rows = rows_text(&r->storage, ORMA_TABLE_COUNTER, "ts value track_id.name");
    const char *expected = "1 2 diskstat.[sda].read_amount\n"
                           "1 4 diskstat.[sda].read_throughput\n";
    cr_assert(!strncmp(rows, expected, strlen(expected)), "the rows are:\n%s", rows);
    free(rows);
    module_free(r);
}

Test(module_linux, a_battery_has_charge_also_from_energy_and_power_from_both)
{
    struct module *r = module_new(&orma_linux_module, importers);

    module_packet(
        r, &orma_linux_battery_importer, ORMA_PB_TRACE_PACKET_BATTERY, 9,
        MSG(FLOAT(2, 55.5), NUM(3, -500000), STR(5, "BAT0"), NUM(6, 8000000), NUM(7, 4000000)));
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.name",
                  "9 2000000 batt.BAT0.charge_uah\n"
                  "9 55.5 batt.BAT0.capacity_pct\n"
                  "9 -500000 batt.BAT0.current_ua\n"
                  "9 4000000 batt.BAT0.voltage_uv\n"
                  "9 2000 batt.BAT0.power_mw\n");
    module_free(r);
}

Test(module_linux, cpus_of_equal_capacity_are_a_cluster)
{
    struct module *r = module_new(&orma_linux_module, importers);

    module_early(r, &orma_linux_cpu_info_importer, ORMA_PB_TRACE_PACKET_CPU_INFO, 0,
                 MSG(SUB(ORMA_PB_CPU_INFO_CPUS, STR(ORMA_PB_CPU_INFO_CPU_PROCESSOR, "big"),
                         NUM(ORMA_PB_CPU_INFO_CPU_CAPACITY, 1024)),
                     SUB(ORMA_PB_CPU_INFO_CPUS, STR(ORMA_PB_CPU_INFO_CPU_PROCESSOR, "small"),
                         NUM(ORMA_PB_CPU_INFO_CPU_CAPACITY, 250)),
                     SUB(ORMA_PB_CPU_INFO_CPUS, STR(ORMA_PB_CPU_INFO_CPU_PROCESSOR, "big"),
                         NUM(ORMA_PB_CPU_INFO_CPU_CAPACITY, 1024))));
    module_expect(r, ORMA_TABLE_CPU, "cpu processor capacity cluster_id",
                  "0 big 1024 1\n1 small 250 0\n2 big 1024 1\n");
    module_early(r, &orma_linux_cpu_info_importer, ORMA_PB_TRACE_PACKET_CPU_INFO, 0, MSG({0}));
    cr_assert_eq(module_stat(r, CPU_INFO_EMPTY), 1);
    module_free(r);
}

Test(module_linux, the_version_of_the_service_is_handed_to_who_keeps_the_ledger)
{
    struct module *r = module_new(&orma_linux_module, importers);
    const struct module_field *info =
        MSG(SUB(ORMA_PB_SYSTEM_INFO_UTSNAME, STR(ORMA_PB_UTSNAME_SYSNAME, "Linux"),
                STR(ORMA_PB_UTSNAME_RELEASE, "6.1.0-x"), STR(ORMA_PB_UTSNAME_MACHINE, "x86_64")),
            STR(ORMA_PB_SYSTEM_INFO_TRACING_SERVICE_VERSION, "v1-orma-"),
            NUM(ORMA_PB_SYSTEM_INFO_PAGE_SIZE, 16384));

    module_early(r, &orma_linux_system_info_importer, ORMA_PB_TRACE_PACKET_SYSTEM_INFO, 0, info);
    cr_assert_eq(r->model.machines[0].kernel_version, 6 << 16 | 1);
    cr_assert_eq(r->model.machines[0].page_size, 16384);
    cr_assert_not_null(r->model.machines[0].syscalls);
    module_record_calls(r);
    module_early(r, &orma_linux_system_info_importer, ORMA_PB_TRACE_PACKET_SYSTEM_INFO, 0, info);
    module_expect_calls(r, "service_version v1-orma-\n");
    module_free(r);
}
