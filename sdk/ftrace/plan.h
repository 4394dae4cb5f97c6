/*
 * Plan: how one kind of kernel event becomes protobuf, compiled once per
 * session from the running kernel's format and the message tables.
 *
 * A plan is a flat list of steps; each reads one field of the raw event and
 * writes one field of the message, its tag encoded beforehand. Events without
 * a message of their own get a generic one: the plan then carries a descriptor
 * that explains it.
 *
 * Plans are constant after compiling and live in the arena of their table.
 */
#ifndef ORMA_SDK_FTRACE_PLAN_H
#define ORMA_SDK_FTRACE_PLAN_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/tables/ftrace_events.h"
#include "sdk/base/arena.h"
#include "sdk/base/str.h"
#include "sdk/ftrace/format.h"

/* Numbers of one byte each with a tag of four bytes and a varint of ten: nothing is worse. */
#define ORMA_FTRACE_PLAN_COPY_MAX(event_len) (16 + 14 * (size_t)(event_len))

#define ORMA_FTRACE_PLAN_PIDS_MAX 4

enum orma_ftrace_step_op {
    ORMA_FTRACE_STEP_U8,
    ORMA_FTRACE_STEP_U16,
    ORMA_FTRACE_STEP_U32,
    ORMA_FTRACE_STEP_U64,
    ORMA_FTRACE_STEP_S8,
    ORMA_FTRACE_STEP_S16,
    ORMA_FTRACE_STEP_S32,
    ORMA_FTRACE_STEP_S64,
    ORMA_FTRACE_STEP_PID,
    ORMA_FTRACE_STEP_DEV32,
    ORMA_FTRACE_STEP_DEV64,
    ORMA_FTRACE_STEP_INODE32,
    ORMA_FTRACE_STEP_INODE64,
    ORMA_FTRACE_STEP_SYMBOL32,
    ORMA_FTRACE_STEP_SYMBOL64,
    ORMA_FTRACE_STEP_PRINTK32,
    ORMA_FTRACE_STEP_PRINTK64,
    ORMA_FTRACE_STEP_CHARS,        /* `size` bytes, cut at NUL */
    ORMA_FTRACE_STEP_COMM,         /* the same of 16 bytes, as names of threads are */
    ORMA_FTRACE_STEP_CHARS_TO_END, /* from offset to the event's end, cut at NUL */
    ORMA_FTRACE_STEP_BYTES,        /* `size` bytes */
    ORMA_FTRACE_STEP_BYTES_TO_END,
    ORMA_FTRACE_STEP_NUMBERS, /* size / elem numbers, each with the tag */
    ORMA_FTRACE_STEP_NUMBERS_TO_END,
    ORMA_FTRACE_STEP_LOC_CHARS,
    ORMA_FTRACE_STEP_LOC_BYTES,
    ORMA_FTRACE_STEP_LOC_NUMBERS,
};

struct orma_ftrace_step {
    uint32_t tag; /* varint bytes, the first one lowest */
    uint16_t offset;
    uint16_t size;
    uint8_t op; /* enum orma_ftrace_step_op */
    uint8_t tag_len;
    uint8_t elem;
    bool is_signed;
    uint16_t loc_base; /* __rel_loc: added to the offset that the event gives */
    /* Numbers that need no more than this: of the eight bytes at `offset` those that count, and
     * their highest bit if it is a sign. Both 0: another step. */
    uint64_t mask, sign;
};

/* What the hot loop does besides, or instead of, walking the steps. */
enum orma_ftrace_plan_kind {
    ORMA_FTRACE_PLAN_PLAIN,
    ORMA_FTRACE_PLAN_SCHED_SWITCH, /* compact */
    ORMA_FTRACE_PLAN_SCHED_WAKING, /* compact */
    ORMA_FTRACE_PLAN_PRINT,        /* may be filtered */
    ORMA_FTRACE_PLAN_TASK_RENAME,  /* the process is to be scanned anew */
    ORMA_FTRACE_PLAN_PROCESS_FREE, /* the number may be given to another one */
    ORMA_FTRACE_PLAN_SYS_ENTER,    /* not every call may be wanted */
    ORMA_FTRACE_PLAN_SYS_EXIT,     /* the same; may return a file descriptor */
    ORMA_FTRACE_PLAN_KPROBE,       /* name and kind, no fields of its own */
    ORMA_FTRACE_PLAN_GENERIC_OLD,  /* name and value pairs */
};

/*
 * Plans that have nothing but numbers and texts, and take ORMA_FTRACE_PLAN_SIMPLE_MAX bytes at
 * most of events that have ORMA_FTRACE_PLAN_SHORT_MAX; by what sessions may want besides.
 */
enum orma_ftrace_plan_simple {
    ORMA_FTRACE_PLAN_SIMPLE = 1,
    ORMA_FTRACE_PLAN_SIMPLE_SYS_ENTER = 2,
    ORMA_FTRACE_PLAN_SIMPLE_SYS_EXIT = 4,
};
#define ORMA_FTRACE_PLAN_SIMPLE_MAX 1024
#define ORMA_FTRACE_PLAN_SHORT_MAX 112 /* as long as the events of a page are without a length */

struct orma_ftrace_plan {
    const char *group, *name;
    const struct orma_ftrace_step *steps;
    uint16_t steps_num;
    uint16_t id;
    uint16_t size; /* >= 4; an event shorter than that is malformed */
    uint16_t common_pid_offset;
    uint8_t kind; /* enum orma_ftrace_plan_kind */
    uint8_t tag_len;
    uint8_t kprobe_type;
    uint8_t word_size; /* SYS_ENTER, SYS_EXIT */
    bool is_generic;
    uint8_t simple;   /* enum orma_ftrace_plan_simple; 0: not a simple one */
    bool is_filtered; /* PRINT, SYS_ENTER, SYS_EXIT: may be refused event by event */
    /* The last steps, as many as are numbers of eight bytes that follow each other, with one tag of
     * one byte: arguments of system calls. Simple plans write them without looking at each step. */
    uint8_t tail_num, tail_tag;
    uint16_t tail_offset;
    uint8_t pids_num;
    uint16_t
        pids[ORMA_FTRACE_PLAN_PIDS_MAX]; /* offsets of numbers of tasks, not of the common one */
    uint32_t tag;       /* of the message in FtraceEvent: field number, length-delimited */
    uint32_t fixed_max; /* bytes written besides those that are copied from the event */
    uint16_t copies; /* steps that may write ORMA_FTRACE_PLAN_COPY_MAX(length of the event) each */
    uint16_t buf_offset;        /* PRINT: where the text begins; TASK_RENAME, PROCESS_FREE: the pid;
                                   SYS_ENTER, SYS_EXIT: the number of the call */
    uint32_t field_id;          /* in FtraceEvent */
    struct orma_str descriptor; /* generic: encoded GenericEventDescriptor */
    const char *const *field_names; /* GENERIC_OLD: by step */
    uint64_t bundle_seen;           /* serial of the last bundle that carries the descriptor */
};

struct orma_ftrace_plan_options {
    unsigned word_size; /* of the kernel: 8 or 4 */
    bool compact_sched;
    bool generic_old;       /* FtraceEvent.generic instead of descriptors */
    uint32_t generic_field; /* number of the message of this event, if it has none of its own */
};

/*
 * Compiles. `message` may be NULL: a generic event. -ENOMEM only: fields that
 * cannot be converted are left out, as the format wants it.
 */
int orma_ftrace_plan_compile(struct orma_arena *arena, const char *group,
                             const struct orma_ftrace_format *format,
                             const struct orma_ftrace_message *message,
                             const struct orma_ftrace_plan_options *options,
                             struct orma_ftrace_plan *ret);

/* For probes of the kernel that were asked for by name; `type` is a KprobeEvent.KprobeType. */
void orma_ftrace_plan_kprobe(const struct orma_ftrace_format *format, const char *group,
                             const char *name, uint8_t type, struct orma_ftrace_plan *ret);

/* print without its format file (an old kernel, or no right to read it). */
void orma_ftrace_plan_print_fallback(struct orma_ftrace_plan *ret);
#endif
