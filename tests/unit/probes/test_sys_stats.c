#include <criterion/criterion.h>
#include <unistd.h>

#include "probes/core/source.h"
#include "probes/system/sources.h"
#include "protos/fields/trace.h"
#include "protos/perfetto/sys_stats.pb-c.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

typedef Perfetto__Protos__SysStats SysStats;

static struct pf pf;
static Perfetto__Protos__DataSourceConfig config;
static Perfetto__Protos__SysStatsConfig stats_config;

static void begin(void)
{
    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&pf);
    perfetto__protos__data_source_config__init(&config);
    perfetto__protos__sys_stats_config__init(&stats_config);
    config.sys_stats_config = &stats_config;
}

/* The message of packet `idx`; NULL if it has none. Freed with perfetto__..__free_unpacked(). */
static SysStats *stats_of(size_t idx)
{
    struct orma_pb_reader r = orma_pb_reader(pf.packets[idx].data, pf.packets[idx].len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_SYS_STATS)
            return perfetto__protos__sys_stats__unpack(NULL, f.len, f.data);
    }
    return NULL;
}

static void make_proc(void)
{
    pf_file(&pf, "proc/meminfo",
            "MemTotal:       24684096 kB\nMemFree:        100 kB\nActive(anon):   7 kB\n"
            "SReclaimable:    9 kB\nNewThing: 1 kB\nBroken kB\nBuffers: x kB\n");
    pf_file(&pf, "proc/vmstat", "nr_free_pages 11\npgfault 22\nno_such 3\nallocstall_dma32 4\n");
    pf_file(&pf, "proc/stat",
            "cpu  9 9 9 9\ncpu0 100 0 50 7 1 2 3 4 0 0\ncpu3 1 2 3\ncpuX 1\n"
            "intr 310 0 7 0 2\nctxt 5\nprocesses 27758\nsoftirq 12 0 12\n");
    pf_file(&pf, "proc/buddyinfo",
            "Node 0, zone      DMA      0      1      2\nNode 1, zone   Normal  31669 13151 \nx\n");
    pf_file(&pf, "proc/diskstats",
            "   8       0 sda 1 2 33 44 5 6 77 88 9 10 11 12 13 14 15 16 17\n"
            "   8       1 sda1 1 2 3 4\n 7 1\n");
    pf_file(&pf, "proc/slabinfo",
            "slabinfo - version: 2.1\n# name <active_objs>\n"
            "bio-312 12 12 320 12 4 : tunables 0 0 0 : slabdata 1 6 0\nshort 1 2\n");
    pf_file(&pf, "proc/pressure/cpu",
            "some avg10=31.82 avg60=53.58 avg300=20.58 total=79\nfull avg10=0.00 total=5\n");
    pf_file(&pf, "proc/pressure/memory", "some avg10=0.00 total=3\n");
}

static void check_proc(const SysStats *s)
{
    cr_assert_eq(s->n_meminfo, 4);
    cr_assert_eq(s->meminfo[0]->key, PERFETTO__PROTOS__MEMINFO_COUNTERS__MEMINFO_MEM_TOTAL);
    cr_assert_eq(s->meminfo[0]->value, 24684096);
    cr_assert_eq(s->meminfo[3]->key, PERFETTO__PROTOS__MEMINFO_COUNTERS__MEMINFO_SLAB_RECLAIMABLE);
    cr_assert_eq(s->n_vmstat, 3);
    cr_assert_eq(s->vmstat[1]->key, PERFETTO__PROTOS__VMSTAT_COUNTERS__VMSTAT_PGFAULT);
    cr_assert_eq(s->vmstat[1]->value, 22);
    cr_assert_eq(s->n_cpu_stat, 2);
    cr_assert_eq(s->cpu_stat[0]->user_ns, 100 * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK)));
    cr_assert(s->cpu_stat[0]->has_steal_ns);
    cr_assert_eq(s->cpu_stat[1]->cpu_id, 3);
    cr_assert_not(s->cpu_stat[1]->has_idle_ns);
    cr_assert_eq(s->num_forks, 27758);
    cr_assert_eq(s->num_irq_total, 310);
    cr_assert_eq(s->n_num_irq, 2, "those that never came are left out");
    cr_assert_eq(s->num_irq[1]->irq, 3);
    cr_assert_eq(s->num_irq[1]->count, 2);
    cr_assert_eq(s->n_num_softirq, 1);
}

static void check_lists(const SysStats *s)
{
    cr_assert_eq(s->n_buddy_info, 2);
    cr_assert_str_eq(s->buddy_info[0]->node, "0");
    cr_assert_str_eq(s->buddy_info[1]->zone, "Normal");
    cr_assert_eq(s->buddy_info[1]->order_pages[0], 31669);
    cr_assert_eq(s->n_disk_stat, 2);
    cr_assert_str_eq(s->disk_stat[0]->device_name, "sda");
    cr_assert_eq(s->disk_stat[0]->read_sectors, 33);
    cr_assert_eq(s->disk_stat[0]->write_time_ms, 88);
    cr_assert_eq(s->disk_stat[0]->discard_sectors, 14);
    cr_assert_eq(s->disk_stat[0]->flush_time_ms, 17);
    cr_assert_not(s->disk_stat[1]->has_write_sectors);
    cr_assert_eq(s->n_slab_info, 1);
    cr_assert_eq(s->slab_info[0]->pages_per_slab, 4);
    cr_assert_eq(s->slab_info[0]->num_slabs, 6);
    cr_assert_eq(s->n_psi, 3);
    cr_assert_eq(s->psi[0]->total_ns, 79000);
    cr_assert_eq(s->psi[2]->resource,
                 PERFETTO__PROTOS__SYS_STATS__PSI_SAMPLE__PSI_RESOURCE__PSI_RESOURCE_MEMORY_SOME);
}

Test(sys_stats, reads_every_kind_of_file)
{
    begin();
    make_proc();
    stats_config.meminfo_period_ms = stats_config.vmstat_period_ms = stats_config.stat_period_ms =
        1000;
    stats_config.buddyinfo_period_ms = stats_config.diskstat_period_ms =
        stats_config.psi_period_ms = stats_config.slab_period_ms = 1000;
    struct orma_source *s = pf_source(&pf, &orma_system_stats_source, &config);
    s->type->start(s);
    cr_assert_eq(pf.packets_num, 1, "equal periods share a packet");
    SysStats *got = stats_of(0);
    cr_assert_not_null(got);
    cr_assert(got->has_collection_end_timestamp);
    check_proc(got);
    check_lists(got);
    perfetto__protos__sys_stats__free_unpacked(got, NULL);
    s->type->stop(s);
    cr_assert(pf.stopped);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(sys_stats, reads_trees_of_other_machines)
{
    begin();
    pf_file(&pf, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1804800\n");
    pf_dir(&pf, "sys/devices/system/cpu/cpu1");
    pf_file(&pf, "sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "300000\n");
    pf_file(&pf, "sys/devices/system/cpu/cpu0/cpuidle/state0/name", "WFI\n");
    pf_file(&pf, "sys/devices/system/cpu/cpu0/cpuidle/state0/time", "12345\n");
    pf_file(&pf, "sys/devices/system/cpu/cpu0/cpuidle/state1/name", "rail-pc\n");
    pf_file(&pf, "sys/devices/system/cpu/cpu0/cpuidle/state1/time", "junk\n");
    pf_file(&pf, "sys/class/thermal/thermal_zone0/temp", "42900\n");
    pf_file(&pf, "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    pf_file(&pf, "sys/class/thermal/thermal_zone10/temp", "no\n");
    pf_file(&pf, "sys/class/thermal/cooling_device0/type", "Processor\n");
    pf_file(&pf, "sys/class/devfreq/soc:bus/cur_freq", "547000000\n");
    pf_file(&pf, "sys/class/drm/card0/device/pp_dpm_sclk", "0: 500Mhz\n1: 1200Mhz *\n");
    stats_config.cpufreq_period_ms = stats_config.cpuidle_period_ms =
        stats_config.thermal_period_ms = 500;
    stats_config.devfreq_period_ms = stats_config.gpufreq_period_ms = 500;
    struct orma_source *s = pf_source(&pf, &orma_system_stats_source, &config);
    s->type->start(s);
    SysStats *got = stats_of(0);
    cr_assert_not_null(got);
    cr_assert_eq(got->n_cpufreq_khz, 3);
    cr_assert_eq(got->cpufreq_khz[1], 0, "no driver there");
    cr_assert_eq(got->cpufreq_khz[2], 300000);
    cr_assert_eq(got->n_cpuidle_state, 1);
    cr_assert_eq(got->cpuidle_state[0]->n_cpuidle_state_entry, 1);
    cr_assert_eq(got->cpuidle_state[0]->cpuidle_state_entry[0]->duration_us, 12345);
    cr_assert_eq(got->n_thermal_zone, 1);
    cr_assert_eq(got->thermal_zone[0]->temp, 42);
    cr_assert_str_eq(got->thermal_zone[0]->type, "x86_pkg_temp");
    cr_assert_eq(got->n_devfreq, 1);
    cr_assert_str_eq(got->devfreq[0]->key, "soc:bus");
    cr_assert_eq(got->n_gpufreq_mhz, 1);
    cr_assert_eq(got->gpufreq_mhz[0], 1200);
    perfetto__protos__sys_stats__free_unpacked(got, NULL);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(sys_stats, gives_only_the_counters_that_were_named)
{
    int32_t mem[] = {PERFETTO__PROTOS__MEMINFO_COUNTERS__MEMINFO_MEM_FREE};
    Perfetto__Protos__SysStatsConfig__StatCounters stat[] = {
        PERFETTO__PROTOS__SYS_STATS_CONFIG__STAT_COUNTERS__STAT_FORK_COUNT};

    begin();
    make_proc();
    stats_config.meminfo_period_ms = stats_config.stat_period_ms = 1000;
    stats_config.meminfo_counters = mem;
    stats_config.n_meminfo_counters = 1;
    stats_config.stat_counters = stat;
    stats_config.n_stat_counters = 1;
    struct orma_source *s = pf_source(&pf, &orma_system_stats_source, &config);
    s->type->start(s);
    SysStats *got = stats_of(0);
    cr_assert_eq(got->n_meminfo, 1);
    cr_assert_eq(got->meminfo[0]->value, 100);
    cr_assert_eq(got->n_cpu_stat, 0);
    cr_assert_not(got->has_num_irq_total);
    cr_assert_eq(got->num_forks, 27758);
    perfetto__protos__sys_stats__free_unpacked(got, NULL);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

static bool has_ten(struct pf *self)
{
    return self->packets_num >= 10;
}

Test(sys_stats, keeps_each_period)
{
    unsigned mem = 0, vm = 0;

    begin();
    make_proc();
    stats_config.meminfo_period_ms = 10;
    stats_config.vmstat_period_ms = 3600 * 1000;
    stats_config.thermal_period_ms = 10; /* not there */
    struct orma_source *s = pf_source(&pf, &orma_system_stats_source, &config);
    s->type->start(s);
    cr_assert(pf_run(&pf, has_ten, 60000));
    for (size_t i = 0; i < pf.packets_num; i++) {
        SysStats *got = stats_of(i);

        mem += got->n_meminfo > 0;
        vm += got->n_vmstat > 0;
        perfetto__protos__sys_stats__free_unpacked(got, NULL);
    }
    cr_assert_geq(mem, 10);
    cr_assert_leq(vm, 2, "at the start, and if an hour began meanwhile");
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(sys_stats, reads_this_machine)
{
    begin();
    const char *proc = pf.env.proc_root, *sys = pf.env.sys_root;
    pf.env.proc_root = "/proc";
    pf.env.sys_root = "/sys";
    stats_config.meminfo_period_ms = stats_config.vmstat_period_ms = stats_config.stat_period_ms =
        1000;
    struct orma_source *s = pf_source(&pf, &orma_system_stats_source, &config);
    s->type->start(s);
    SysStats *got = stats_of(0);
    cr_assert_not_null(got);
    cr_assert_gt(got->n_meminfo, 20);
    cr_assert_gt(got->meminfo[0]->value, 0);
    cr_assert_gt(got->n_vmstat, 20);
    cr_assert_geq(got->n_cpu_stat, 1);
    perfetto__protos__sys_stats__free_unpacked(got, NULL);
    pf_free_source(&pf, s);
    pf.env.proc_root = proc; /* the fixture's own */
    pf.env.sys_root = sys;
    pf_fini(&pf);
    orma_assert_no_leaks();
}
