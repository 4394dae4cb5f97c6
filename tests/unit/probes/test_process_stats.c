#include "probes/process/stats.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

struct fx {
    struct pf pf;
    Perfetto__Protos__DataSourceConfig config;
    Perfetto__Protos__ProcessStatsConfig ps;
};

static void fx_init(struct fx *f)
{
    memset(f, 0, sizeof(*f));
    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&f->pf);
    pf_dir(&f->pf, "proc/self");
    pf_file(&f->pf, "proc/uptime", "1 1\n");
    perfetto__protos__data_source_config__init(&f->config);
    perfetto__protos__process_stats_config__init(&f->ps);
    f->config.process_stats_config = &f->ps;
}

/* A task; a process if tid == tgid. */
static void fx_task(struct fx *f, int tid, int tgid, const char *name, const char *cmdline,
                    size_t cmdline_len)
{
    char path[128], text[512];

    snprintf(text, sizeof(text),
             "Name:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t1\nUid:\t1000\t0\t0\t0\nNSpid:\t%d\t7\n"
             "Kthread:\t0\nVmRSS:\t100 kB\n",
             name, tgid, tid, tid);
    snprintf(path, sizeof(path), "proc/%d/status", tid);
    pf_file(&f->pf, path, text);
    snprintf(path, sizeof(path), "proc/%d/task/%d", tgid, tid);
    pf_dir(&f->pf, path);
    snprintf(path, sizeof(path), "proc/%d/cmdline", tid);
    pf_bytes(&f->pf, path, cmdline, cmdline_len);
    snprintf(path, sizeof(path), "proc/%d/stat", tid);
    pf_file(&f->pf, path, "7 (x) S 1 2 3 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 300 0");
    snprintf(path, sizeof(path), "proc/%d/oom_score_adj", tid);
    pf_file(&f->pf, path, "-5\n");
}

/* What the packets say, as text: "P12 ...;" for processes, "T13/12 name;" for threads. */
static const char *told(struct fx *f)
{
    static char out[65536];
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < f->pf.packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(f->pf.packets[i].data, f->pf.packets[i].len);
        struct orma_pb_field p, e, v;

        while (orma_pb_next(&r, &p)) {
            if (p.id == ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED)
                at += (size_t)snprintf(out + at, sizeof(out) - at, "cleared;");
            if (p.id != ORMA_PB_TRACE_PACKET_PROCESS_TREE)
                continue;
            struct orma_pb_reader tree = orma_pb_sub(&p);
            while (orma_pb_next(&tree, &e)) {
                struct orma_pb_reader item = orma_pb_sub(&e);
                bool is_process = e.id == ORMA_PB_PROCESS_TREE_PROCESSES;

                if (!is_process && e.id != ORMA_PB_PROCESS_TREE_THREADS)
                    continue;
                at += (size_t)snprintf(out + at, sizeof(out) - at, is_process ? "P" : "T");
                while (orma_pb_next(&item, &v)) {
                    if (v.wire == ORMA_PB_LEN)
                        at += (size_t)snprintf(out + at, sizeof(out) - at, " %u='%.*s'", v.id,
                                               ORMA_STR_ARG(orma_pb_str(&v)));
                    else
                        at += (size_t)snprintf(out + at, sizeof(out) - at, " %u=%lld", v.id,
                                               (long long)orma_pb_i64(&v));
                }
                at += (size_t)snprintf(out + at, sizeof(out) - at, ";");
            }
        }
    }
    return out;
}

Test(process_stats, scans_all_processes_and_threads_at_the_start)
{
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    fx_task(&f, 10, 10, "main", "/bin/main\0-v\0", 13);
    fx_task(&f, 11, 10, "helper", "", 0);
    f.ps.has_scan_all_processes_on_start = f.ps.scan_all_processes_on_start = 1;
    f.ps.has_record_thread_names = f.ps.record_thread_names = 1;
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    s->type->start(s);
    s->type->flush(s, 3);
    cr_assert_eq(f.pf.flushed_id, 3);
    cr_assert(strstr(told(&f), "T 1=10 3=10 2='main' 4=7;P 1=10 2=1 5=1000 6=7 3='/bin/main' "
                               "3='-v';"));
    cr_assert(strstr(told(&f), "T 1=11 3=10 2='helper' 4=7;"));
    cr_assert(!strncmp(told(&f), "cleared;", 8));
    cr_assert_eq(strlen(told(&f)), 8 + 25 + 43 + 27, "nothing twice: %s", told(&f));
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

static void see(struct orma_source *s, uint32_t *renamed, uint32_t renamed_num, uint32_t *pids,
                uint32_t pids_num)
{
    const struct orma_source_idset r = {.fresh = renamed, .fresh_num = renamed_num};
    const struct orma_source_idset p = {.fresh = pids, .fresh_num = pids_num};

    s->type->processes->seen(s, &r, &p);
    s->type->processes->finish(s);
}

Test(process_stats, looks_up_what_ftrace_has_seen_once_until_it_is_renamed)
{
    uint32_t pids[] = {0, 11, 12345};
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    fx_task(&f, 10, 10, "main", "", 0);
    fx_task(&f, 11, 10, "helper", "", 0);
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    s->type->start(s);
    see(s, NULL, 0, pids, 3);
    cr_assert_str_eq(told(&f),
                     "cleared;T 1=11 3=10 4=7;T 1=10 3=10 4=7;"
                     "P 1=10 2=1 5=1000 6=7 3='main' 9=1;",
                     "%s", told(&f));
    pf_forget_packets(&f.pf);
    see(s, NULL, 0, pids, 3);
    cr_assert_str_eq(told(&f), "");
    see(s, &pids[1], 1, pids, 3);
    cr_assert_str_eq(told(&f), "T 1=11 3=10 4=7;");
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(process_stats, looks_up_nothing_when_the_quirk_forbids_it)
{
    Perfetto__Protos__ProcessStatsConfig__Quirks quirk =
        PERFETTO__PROTOS__PROCESS_STATS_CONFIG__QUIRKS__DISABLE_ON_DEMAND;
    uint32_t pids[] = {10};
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    fx_task(&f, 10, 10, "main", "", 0);
    f.ps.n_quirks = 1;
    f.ps.quirks = &quirk;
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    see(s, NULL, 0, pids, 1);
    cr_assert_eq(f.pf.packets_num, 0);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(process_stats, survives_strange_files)
{
    uint32_t pids[] = {20, 21, 22, 23};
    struct orma_source *s;
    struct orma_buf huge = {0};
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "proc/20/status", "");
    pf_file(&f.pf, "proc/21/status", "Name:\tx\nPid:\t99\nTgid:\t99\n"); /* of another one */
    pf_dir(&f.pf, "proc/22/status");
    fx_task(&f, 23, 23, "\xff\xfe non-utf8", "", 0);
    for (int i = 0; i < 100000; i++)
        orma_buf_put_str(&huge, "argument");
    pf_bytes(&f.pf, "proc/23/cmdline", huge.data, huge.len);
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    see(s, NULL, 0, pids, 4);
    cr_assert_eq(f.pf.packets_num, 1);
    cr_assert_lt(f.pf.packets[0].len, 70000, "cut");
    orma_buf_fini(&huge);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

/* Counters of all packets as "pid:field=value;". */
static const char *counters(struct fx *f)
{
    static char out[8192];
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < f->pf.packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(f->pf.packets[i].data, f->pf.packets[i].len);
        struct orma_pb_field p, e, v;

        while (orma_pb_next(&r, &p)) {
            if (p.id != ORMA_PB_TRACE_PACKET_PROCESS_STATS)
                continue;
            struct orma_pb_reader stats = orma_pb_sub(&p);
            while (orma_pb_next(&stats, &e)) {
                struct orma_pb_reader item = orma_pb_sub(&e);

                while (e.id == ORMA_PB_PROCESS_STATS_PROCESSES && orma_pb_next(&item, &v)) {
                    if (v.wire != ORMA_PB_LEN)
                        at += (size_t)snprintf(out + at, sizeof(out) - at, "%u=%lld;", v.id,
                                               (long long)orma_pb_i64(&v));
                }
            }
        }
    }
    return out;
}

static bool has_packet(struct pf *pf)
{
    return pf->packets_num > 0;
}

Test(process_stats, writes_counters_when_they_change)
{
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    fx_task(&f, 10, 10, "main", "", 0);
    f.ps.has_proc_stats_poll_ms = 1;
    f.ps.proc_stats_poll_ms = 1; /* becomes 100 */
    f.ps.has_record_process_runtime = f.ps.record_process_runtime = 1;
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    s->type->start(s);
    cr_assert(pf_run(&f.pf, has_packet, 5000));
    cr_assert_str_eq(counters(&f), "1=10;3=100;10=-5;21=50000000;22=60000000;");
    pf_forget_packets(&f.pf);
    fx_task(&f, 10, 10, "main", "", 0);
    pf_file(&f.pf, "proc/10/oom_score_adj", "3\n");
    cr_assert(pf_run(&f.pf, has_packet, 5000));
    cr_assert_str_eq(counters(&f), "1=10;10=3;", "only what changed");
    pf_forget_packets(&f.pf);
    s->type->clear(s);
    cr_assert(pf_run(&f.pf, has_packet, 5000));
    cr_assert_str_eq(counters(&f), "1=10;3=100;10=3;21=50000000;22=60000000;");
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(process_stats, says_which_container_a_process_is_in)
{
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    fx_task(&f, 10, 10, "main", "/bin/main", 9);
    fx_task(&f, 12, 12, "free", "/bin/free", 9);
    pf_file(&f.pf, "proc/10/cgroup", "0::/system.slice/docker-12ab.scope\n");
    pf_file(&f.pf, "proc/12/cgroup", "0::/\n");
    f.ps.has_scan_all_processes_on_start = f.ps.scan_all_processes_on_start = 1;
    s = pf_source(&f.pf, &orma_process_stats_source, &f.config);
    s->type->start(s);
    s->type->flush(s, 3);
    cr_assert_not_null(strstr(told(&f), "3='/bin/main' 90001='/system.slice/docker-12ab.scope';"));
    cr_assert_not_null(strstr(told(&f), "3='/bin/free';"), "the root is no container");
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}
