/*
 * A PerfEventConfig in the kernel's terms: one group of events
 * (the timebase that samples, and followers that are read with it) on each cpu.
 *
 * Format: perf_event_open(2). Threads: none.
 */
#ifndef ORMA_PROBES_PERF_PLAN_H
#define ORMA_PROBES_PERF_PLAN_H
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

struct orma_source_env;

#define ORMA_PERF_EVENTS_MAX 8 /* timebase and followers */
#define ORMA_PERF_READ_PERIOD_MS 100
#define ORMA_PERF_RING_PAGES 128
#define ORMA_PERF_DEFAULT_HZ 10
#define ORMA_PERF_STACK_BYTES 16384u /* of users who may lock little memory: so much at least */
#define ORMA_PERF_OFF_CPU_STACK_BYTES 8192u
#define ORMA_PERF_OFF_CPU_MIN_NS 100000u
#define ORMA_PERF_LOOK_PERIOD_MS 5u
#define ORMA_PERF_SWITCH_PAGES 256u      /* 100 000 switches a second, between two rounds */
#define ORMA_PERF_STACK_BYTES_MAX 65528u /* the kernel's; a record's size is a u16 */
#define ORMA_PERF_LEAF_BYTES 256u
#define ORMA_PERF_RAW_MAX 1024u
#define ORMA_PERF_RECORDS_MIN 32u /* a ring that holds fewer loses them */

/* Registers of a sample, in the kernel's order of the mask: what unwinding starts with. */
#if defined(__x86_64__)
#define ORMA_PERF_REGS_MASK UINT64_C(0xff01ff) /* ax bx cx dx si di bp sp ip, r8 to r15 */
#define ORMA_PERF_REGS_NUM 17
#define ORMA_PERF_REGS_SP 7 /* places in the sample */
#define ORMA_PERF_REGS_PC 8
#elif defined(__aarch64__)
#define ORMA_PERF_REGS_MASK UINT64_C(0x1ffffffff) /* x0 ... x30 sp pc, as DWARF has them */
#define ORMA_PERF_REGS_NUM 33
#define ORMA_PERF_REGS_SP 31
#define ORMA_PERF_REGS_PC 32
#else
#define ORMA_PERF_REGS_MASK UINT64_C(0) /* no unwinder: frame pointers only */
#define ORMA_PERF_REGS_NUM 2
#define ORMA_PERF_REGS_SP 0
#define ORMA_PERF_REGS_PC 1
#endif

struct orma_perf_event {
    struct perf_event_attr attr;
    char *filter; /* of a tracepoint; NULL: none */
};

struct orma_perf_plan {
    struct orma_perf_event events[ORMA_PERF_EVENTS_MAX]; /* [0]: the timebase */
    unsigned events_num;
    bool stacks, kernel_frames, user_frames;
    bool
        unwind; /* the stack is copied, and unwound by us; else the kernel follows frame pointers */
    bool lbr;   /* callers as the processor has recorded them */
    bool leaf;  /* with frame pointers: the top of the stack is copied, for who called the leaf */
    uint32_t stack_bytes;
    bool stack_fixed; /* as the config says */
    int32_t *pids;    /* not NULL: these processes are watched, not the cpus */
    size_t pids_num;
    bool follow_children, on_exec, kernel_optional, names;
    bool off_cpu; /* samples are of threads that leave their cpu */
    uint64_t off_cpu_min_ns;
    bool wakers; /* and of those that wake them up: `waker`, beside the others */
    struct orma_perf_event waker;
    uint32_t woken_at; /* in its raw bytes: whom it wakes up */
    bool split;        /* switches come in a ring of their own (orma_perf_plan_switches()) */
    bool cpu_time;     /* the kernel says what each thread has used when it ends */
    bool looks;        /* threads that wait are looked at from outside: the kernel shows nothing */
    bool poll;         /* counters are read at a period, nothing is sampled */
    uint32_t ring_pages; /* power of two */
    bool ring_fixed;     /* as the config says: not to be made smaller */
    uint32_t read_period_ms;
    uint32_t clear_period_ms; /* 0: never */
    uint32_t clock_id;        /* of the timestamps, as in BuiltinClock */
    bool ignore_open_failure;
    uint32_t *cpus; /* NULL: all */
    size_t cpus_num;
    struct orma_buf defaults; /* encoded PerfSampleDefaults */
};

/*
 * 0, or -errno and what is wrong in `why`. tracefs_root: where tracepoints are
 * numbered, NULL: looked for.
 */
int orma_perf_plan_make(struct orma_perf_plan *self,
                        const Perfetto__Protos__PerfEventConfig *config, const char *tracefs_root,
                        char *why, size_t why_size);
void orma_perf_plan_fini(struct orma_perf_plan *self);

/*
 * Of a recording of waits: another plan, for switches alone, in rings where no stacks are in their
 * way. It shares all that `self` owns, and is not to be freed.
 */
void orma_perf_plan_switches(const struct orma_perf_plan *self, struct orma_perf_plan *ret);

/* Steps back from what this kernel, or our rights, refuse. False: there is nothing to give up. */
bool orma_perf_plan_without_wakers(struct orma_perf_plan *self);
bool orma_perf_plan_without_kernel(struct orma_perf_plan *self);
bool orma_perf_plan_with_less_memory(struct orma_perf_plan *self);
bool orma_perf_plan_for_older_kernel(struct orma_perf_plan *self);
#endif
