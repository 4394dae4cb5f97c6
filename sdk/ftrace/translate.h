/*
 * Translation of raw pages into bundles, for one session.
 *
 * Owns nothing but its sets; plans, names of strings and symbols, filter and
 * bundle builder belong to the session. For each batch of pages of one cpu:
 *
 *   orma_ftrace_translate_begin -> orma_ftrace_translate_page* -> orma_ftrace_translate_end
 *
 * Events without a plan are another session's, and skipped. What is malformed
 * is counted, reported in the bundle, and costs no more than its page.
 *
 * Compact sched names neither the task that a switch takes off the cpu nor the
 * one that wakes another: a reader takes the last switch's next task for both.
 * Kernels leave switches out (task contexts without tracepoints, filters of
 * events and pids, overruns), and then that is wrong for this event and for the
 * times of two threads. Such an event is written in full. So is the first
 * switch of a cpu, and each waking before it.
 * Threads: none.
 */
#ifndef ORMA_SDK_FTRACE_TRANSLATE_H
#define ORMA_SDK_FTRACE_TRANSLATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/idset.h"
#include "sdk/base/map.h"
#include "sdk/ftrace/bundle.h"
#include "sdk/ftrace/page.h"
#include "sdk/ftrace/plan.h"
#include "sdk/wire/sink.h"

#define ORMA_FTRACE_PARSE_STATUS_NUM 32 /* above the values of enum FtraceParseStatus */

struct orma_ftrace_symbols;

#define ORMA_FTRACE_SYSCALLS_MAX 1024

/* System calls by number. */
struct orma_ftrace_syscall_set {
    bool is_limited; /* false: all of them */
    uint64_t bits[ORMA_FTRACE_SYSCALLS_MAX / 64];
};

static inline void orma_ftrace_syscall_set_add(struct orma_ftrace_syscall_set *self, unsigned num)
{
    self->is_limited = true;
    self->bits[num >> 6] |= UINT64_C(1) << (num & 63);
}

static inline bool orma_ftrace_syscall_set_has(const struct orma_ftrace_syscall_set *self,
                                               uint64_t num)
{
    return !self->is_limited ||
           (num < ORMA_FTRACE_SYSCALLS_MAX && self->bits[num >> 6] >> (num & 63) & 1);
}

#define ORMA_FTRACE_NO_EVENT 0x10000u /* ids have 16 bits */
#define ORMA_FTRACE_NO_PID UINT32_MAX

/* Where the fields of the two compact events are. */
struct orma_ftrace_compact_layout {
    uint16_t prev_pid, prev_state, next_pid, next_prio, next_comm, prev_state_size;
    uint16_t waking_pid, waking_prio, waking_comm, waking_cpu, waking_flags, waking_common_pid;
};

struct orma_ftrace_translate_counts {
    uint64_t events;    /* written */
    uint64_t foreign;   /* of events that this session did not select */
    uint64_t filtered;  /* prints and system calls that this session filters out */
    uint64_t unchained; /* of `events`: switches whose predecessor on the cpu is missing */
    uint64_t backwards; /* events that are older than the one before, within one page */
    uint64_t errors[ORMA_FTRACE_PARSE_STATUS_NUM]; /* by status */
    uint64_t lost_bundles;                         /* could not be built or put */
};

/* One per cpu and session, kept between batches. */
struct orma_ftrace_translate_cpu {
    uint64_t last_ts; /* end of the last bundle */
    uint64_t walked;  /* events of the ring, wanted or not */
    uint64_t
        running; /* pid + 1 of the last switch's next task, as readers know it; 0: they do not */
    bool lost;   /* a bundle was lost on our side: the next one is marked */
    bool broken; /* `walked` misses some: a page was not understood, or not read */
};

/* The number of a task that was noted as seen, encoded with its tag. */
struct orma_ftrace_pid_slot {
    uint64_t bytes; /* six at most */
    uint32_t pid;
    uint32_t len; /* 0: free */
};
#define ORMA_FTRACE_PID_SLOTS 64

struct orma_ftrace_translate {
    /* Given by the session, not owned. */
    struct orma_ftrace_plan **plans; /* by event id; NULL: not wanted */
    unsigned plans_num;
    struct orma_tracefs_page_layout page_layout;
    struct orma_ftrace_compact_layout compact;
    struct {
        uint32_t switch_id, waking_id; /* ORMA_FTRACE_NO_EVENT: not compact */
        uint32_t switch_size, waking_size;
    } compact_ids;
    struct orma_ftrace_bundle *bundle;
    struct orma_source_sink *sink;
    const struct orma_map *printk;       /* address -> const char *; may be NULL */
    struct orma_ftrace_symbols *symbols; /* may be NULL: then addresses are written as 0 */
    /* Which texts of trace_marker the session wants; NULL: all. */
    bool (*print_allows)(const void *filter, struct orma_str text);
    const void *print_filter;                       /* for it */
    const struct orma_ftrace_syscall_set *syscalls; /* may be NULL: all */
    bool keep_broken_pages;                         /* debug_ftrace_abi */
    uint32_t clock;                                 /* enum FtraceClock, 0: boot */
    int64_t clock_ftrace_ts, clock_boot_ts;         /* one pair of readings, if clock != 0 */

    /* What was seen on the way, for the other sources of the session. */
    struct orma_source_idset pids;
    struct orma_source_idset renamed;           /* to be forgotten before `pids` are looked at */
    struct orma_map *inodes;                    /* may be NULL. inode -> device, 0 if unknown */
    struct orma_map *fd_pairs;                  /* may be NULL. pid << 32 | fd -> 1 */
    struct orma_ftrace_syscall_set fd_syscalls; /* those that return descriptors; limited */

    struct orma_ftrace_translate_counts counts;

    /* The batch. */
    uint32_t cpu;
    struct orma_ftrace_translate_cpu *state; /* of the cpu; owned by the session */
    uint64_t bundle_last_ts;
    uint64_t bundle_first_event; /* counts.events when it was opened */
    bool bundle_open;
    bool bundle_reported; /* it reports more than events: a loss, an error */
    bool can_deposit;     /* the processor, see varint.h */
    uint8_t
        simple_kinds; /* enum orma_ftrace_plan_simple: those that this session takes as they are */
    struct orma_ftrace_pid_slot pid_slots[ORMA_FTRACE_PID_SLOTS]; /* by pid */
};

/* -ENOMEM. The rest of the struct is the caller's to fill before and after. */
int orma_ftrace_translate_init(struct orma_ftrace_translate *self);
void orma_ftrace_translate_fini(struct orma_ftrace_translate *self);

/* To be called with each compiled plan that is of a compact kind. */
void orma_ftrace_translate_set_compact(struct orma_ftrace_translate *self,
                                       const struct orma_ftrace_format *format,
                                       const struct orma_ftrace_plan *plan);

void orma_ftrace_translate_begin(struct orma_ftrace_translate *self, uint32_t cpu,
                                 struct orma_ftrace_translate_cpu *state);
void orma_ftrace_translate_page(struct orma_ftrace_translate *self, const uint8_t *page,
                                size_t size);
/* Reports a failed read in the bundle. */
void orma_ftrace_translate_error(struct orma_ftrace_translate *self, uint64_t ts, int status);
void orma_ftrace_translate_end(struct orma_ftrace_translate *self);
#endif
