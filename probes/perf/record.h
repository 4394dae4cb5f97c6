/*
 * What the kernel writes into a ring, decoded: samples, and what became of
 * processes meanwhile.
 *
 * Format: perf_event_open(2), "MMAP layout", PERF_RECORD_*. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_RECORD_H
#define ORMA_PROBES_PERF_RECORD_H
#include "probes/perf/plan.h"

#define ORMA_PERF_FRAMES_MAX 512
#define ORMA_PERF_CALL_WORDS 3
#define ORMA_PERF_BUILD_ID_BYTES 20

enum orma_perf_record_kind {
    ORMA_PERF_SAMPLE,
    ORMA_PERF_LOST,
    ORMA_PERF_COMM, /* a thread got a name; `exec`: with a program */
    ORMA_PERF_FORK,
    ORMA_PERF_EXIT,
    ORMA_PERF_MAP,      /* executable memory was mapped */
    ORMA_PERF_SWITCH,   /* a thread left its cpu (`out`), or is back */
    ORMA_PERF_CPU_TIME, /* a thread has ended: counts[0] is what it used on one of the cpus */
    ORMA_PERF_LOOK,     /* it is time to look at those that wait; of our own */
    ORMA_PERF_END, /* of the recording; of our own. counts[0]: the CPU time of all, if it is known
                    */
};

struct orma_perf_map_event {
    uint64_t start, len, offset;
    uint64_t device, inode; /* 0, where the build id came instead */
    uint8_t build_id[ORMA_PERF_BUILD_ID_BYTES];
    uint8_t build_id_len;
};

/* Points into the bytes that it was decoded from. */
struct orma_perf_record {
    enum orma_perf_record_kind kind;
    uint64_t time;
    uint32_t cpu, pid, tid;
    uint16_t misc;                   /* PERF_RECORD_MISC_*: the mode of the cpu */
    bool exec, out, preempted;       /* out of LOST: of switches */
    bool assumed;                    /* SWITCH: nobody saw it, the thread waited already */
    uint32_t parent_pid, parent_tid; /* FORK */
    uint64_t lost;                   /* LOST: records that did not fit */
    struct orma_str text;            /* COMM: the name; MAP: the path */
    struct orma_perf_map_event map;

    unsigned counts_num;
    uint64_t counts[ORMA_PERF_EVENTS_MAX]; /* since the start, timebase first */
    const uint64_t *chain;                 /* leaf first, with PERF_CONTEXT_* markers */
    size_t chain_num;
    const uint64_t *calls; /* of LBR, the last first: from, to, flags */
    size_t calls_num;

    uint64_t abi; /* PERF_SAMPLE_REGS_ABI_*; NONE: a thread of the kernel */
    uint64_t regs[ORMA_PERF_REGS_NUM];
    const uint8_t *stack; /* from the stack pointer upwards */
    size_t stack_len;
    bool stack_skipped; /* it was there, but nobody had time for it */
    bool regs_partial;  /* of the registers, only where it is and its stack are known */
    uint32_t woken;     /* the thread that this one wakes up; 0: it is about something else */
    bool interrupt;     /* not the thread wakes it up, but what has interrupted it */
};

/*
 * Decodes one record: a perf_event_header and what follows, `len` bytes, 8-byte aligned. False: it
 * is malformed, or of a kind that nobody asked for (*ret_skip tells which).
 */
bool orma_perf_record_decode(const struct orma_perf_plan *plan, const uint64_t *record, size_t len,
                             struct orma_perf_record *ret, bool *ret_skip);

/* {u64 num, u64 values[num]}, as read() gives them. False: cut short. */
bool orma_perf_record_counts(const uint64_t *words, size_t num, struct orma_perf_record *ret);
#endif
