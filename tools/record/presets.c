#include "tools/record/presets.h"

#include <stddef.h>
#include <string.h>

#define EVENTS(...)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

const struct orma_record_preset orma_record_presets[] = {
    {
        .name = "sched",
        .help = "which thread ran where, wakeups, starts and ends",
        .by_default = true,
        .events = EVENTS("sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup_new",
                         "sched/sched_process_fork", "sched/sched_process_exec",
                         "sched/sched_process_exit", "sched/sched_process_free",
                         "sched/sched_blocked_reason", "task/task_newtask", "task/task_rename",
                         "ftrace/print"),
    },
    {
        .name = "apps",
        .help = "track events of instrumented programs, all categories",
        .by_default = true,
        .apps = true,
    },
    {
        .name = "irq",
        .help = "interrupts, softirqs, inter-processor interrupts",
        .events = EVENTS("irq/*", "ipi/*"),
    },
    {
        .name = "syscalls",
        .help = "entry and exit of every system call",
        .events = EVENTS("raw_syscalls/sys_enter", "raw_syscalls/sys_exit"),
    },
    {
        .name = "disk",
        .help = "block requests, bytes per disk",
        .polls = ORMA_RECORD_POLL_DISK,
        .events =
            EVENTS("block/block_rq_insert", "block/block_rq_issue", "block/block_rq_complete"),
    },
    {
        .name = "mem",
        .help = "memory of processes and of the machine, reclaim, out-of-memory kills",
        .polls = ORMA_RECORD_POLL_MEMINFO | ORMA_RECORD_POLL_VMSTAT | ORMA_RECORD_POLL_PROCESSES,
        .events =
            EVENTS("kmem/rss_stat", "oom/oom_score_adj_update", "oom/mark_victim",
                   "vmscan/mm_vmscan_direct_reclaim_begin", "vmscan/mm_vmscan_direct_reclaim_end",
                   "vmscan/mm_vmscan_kswapd_wake", "vmscan/mm_vmscan_kswapd_sleep"),
    },
    {
        .name = "power",
        .help = "CPU frequency and idle states, suspend, temperatures",
        .polls = ORMA_RECORD_POLL_CPUFREQ | ORMA_RECORD_POLL_CPUIDLE | ORMA_RECORD_POLL_THERMAL,
        .events = EVENTS("power/cpu_frequency", "power/cpu_frequency_limits", "power/cpu_idle",
                         "power/suspend_resume", "power/clock_set_rate", "power/clock_enable",
                         "power/clock_disable"),
    },
    {
        .name = "cpu",
        .help = "CPU times, interrupts, forks and pressure as counters",
        .polls = ORMA_RECORD_POLL_CPU_TIMES | ORMA_RECORD_POLL_PSI,
    },
    {
        .name = "net",
        .help = "packets in and out, retransmissions, states of sockets",
        .events = EVENTS("net/net_dev_xmit", "net/netif_receive_skb", "skb/kfree_skb",
                         "tcp/tcp_retransmit_skb", "sock/inet_sock_set_state"),
    },
    {
        .name = "timer",
        .help = "timers firing",
        .ksyms = true,
        .events = EVENTS("timer/hrtimer_expire_entry", "timer/hrtimer_expire_exit",
                         "timer/timer_expire_entry", "timer/timer_expire_exit",
                         "irq_vectors/local_timer_entry", "irq_vectors/local_timer_exit"),
    },
    {
        .name = "faults",
        .help = "page faults",
        .events = EVENTS("exceptions/page_fault_user", "exceptions/page_fault_kernel"),
    },
    {
        .name = "workqueue",
        .help = "kernel work items",
        .ksyms = true,
        .events = EVENTS("workqueue/*"),
    },
    {
        .name = "signal",
        .help = "signals sent and delivered",
        .events = EVENTS("signal/*"),
    },
    {
        .name = "log",
        .help = "the journal and the kernel's log",
        .polls = ORMA_RECORD_POLL_JOURNAL,
    },
    {0},
};

const struct orma_record_preset *orma_record_preset_find(const char *name)
{
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++) {
        if (!strcmp(p->name, name))
            return p;
    }
    return NULL;
}
