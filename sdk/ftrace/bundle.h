/*
 * Bundle: builds one TracePacket with an FtraceEventBundle: the events of one
 * cpu for one session, read in one go.
 *
 *   open -> [events, compact sched, errors]* -> close
 *
 * Events are written by translate.c at `pos`, after orma_ftrace_bundle_room(). Compact
 * sched events are collected column by column and appended at the end. Nothing
 * is copied twice but those columns: the packet's header is put in front of
 * the content when its size is known.
 *
 * One builder serves all sessions, one bundle at a time. Threads: none.
 */
#ifndef ORMA_SDK_FTRACE_BUNDLE_H
#define ORMA_SDK_FTRACE_BUNDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/assert.h"
#include "sdk/base/str.h"
#include "sdk/ftrace/plan.h"
#include "sdk/ftrace/varint.h"
#include "sdk/wire/sink.h"

#define ORMA_FTRACE_BUNDLE_COMPACT_MAX 4096 /* events of both kinds together */
#define ORMA_FTRACE_BUNDLE_COMMS_MAX 64
#define ORMA_FTRACE_BUNDLE_SIZE_SOFT_MAX (256 * 1024) /* a new packet is begun above that */
#define ORMA_FTRACE_COMM_LEN 16

enum orma_ftrace_compact_column {
    ORMA_FTRACE_COLUMN_SWITCH_TIME,
    ORMA_FTRACE_COLUMN_SWITCH_PREV_STATE,
    ORMA_FTRACE_COLUMN_SWITCH_NEXT_PID,
    ORMA_FTRACE_COLUMN_SWITCH_NEXT_PRIO,
    ORMA_FTRACE_COLUMN_SWITCH_NEXT_COMM,
    ORMA_FTRACE_COLUMN_WAKING_TIME,
    ORMA_FTRACE_COLUMN_WAKING_PID,
    ORMA_FTRACE_COLUMN_WAKING_CPU,
    ORMA_FTRACE_COLUMN_WAKING_PRIO,
    ORMA_FTRACE_COLUMN_WAKING_COMM,
    ORMA_FTRACE_COLUMN_WAKING_FLAGS,
    ORMA_FTRACE_COLUMNS_NUM,
};

struct orma_ftrace_comm_slot {
    uint64_t name[2]; /* the 16 bytes as the kernel gives them */
    uint32_t serial;  /* of the bundle that this is valid for */
    uint32_t index;
};

/* A task as the compact columns encode it, encoded when it first occurs in this bundle. */
struct orma_ftrace_task_slot {
    uint64_t name[2];
    uint32_t pid;
    uint32_t serial;    /* of the bundle; 0: free */
    uint32_t pid_bytes; /* varint, at most four bytes: others are not kept here */
    uint8_t pid_len;
    uint8_t comm; /* index, below 128: one byte */
};
#define ORMA_FTRACE_TASK_SLOTS 512

struct orma_ftrace_bundle {
    uint8_t *data;
    uint8_t *pos; /* where the next event goes */
    size_t cap;
    uint8_t
        *limit;  /* up to here there is room for a simple event, and it is not too large for one */
    bool failed; /* out of memory: this bundle is lost */

    uint64_t serial; /* counts bundles from 1 */
    uint8_t *columns[ORMA_FTRACE_COLUMNS_NUM];
    uint8_t *column_pos[ORMA_FTRACE_COLUMNS_NUM];
    unsigned switches, wakings;
    uint64_t switch_time, waking_time; /* of the last element */
    struct orma_ftrace_time_cache time;

    unsigned comms_num;
    uint64_t comms[ORMA_FTRACE_BUNDLE_COMMS_MAX][2];
    struct orma_ftrace_comm_slot slots[256];
    struct orma_ftrace_task_slot tasks[ORMA_FTRACE_TASK_SLOTS]; /* by pid */
};

/* What a reader of the bundle needs besides the events. */
struct orma_ftrace_bundle_head {
    uint32_t cpu;
    bool lost;
    uint64_t previous_end_ts;
    uint32_t clock; /* enum FtraceClock; 0: boot clock, nothing is written */
    int64_t ftrace_ts, boot_ts;
};

/* -ENOMEM. Zero-initialised is not usable. */
int orma_ftrace_bundle_init(struct orma_ftrace_bundle *self);
void orma_ftrace_bundle_fini(struct orma_ftrace_bundle *self);

void orma_ftrace_bundle_open(struct orma_ftrace_bundle *self,
                             const struct orma_ftrace_bundle_head *head);
void orma_ftrace_bundle_error(struct orma_ftrace_bundle *self, uint64_t page_ts, int status);
/* Further fields of FtraceEventBundle, encoded. */
void orma_ftrace_bundle_raw(struct orma_ftrace_bundle *self, const void *data, size_t len);

/*
 * Ends the bundle and puts the packet, with `extra` (further fields of
 * TracePacket, encoded) behind it. 0, or negative: lost.
 */
int orma_ftrace_bundle_close(struct orma_ftrace_bundle *self, struct orma_str extra,
                             struct orma_source_sink *sink);

/* Slow path of orma_ftrace_bundle_room(). */
bool orma_ftrace_bundle_grow(struct orma_ftrace_bundle *self, size_t n);

static inline bool orma_ftrace_bundle_room(struct orma_ftrace_bundle *self, size_t n)
{
    ORMA_ASSERT_HOT(self->pos >= self->data && self->pos <= self->data + self->cap);
    if (ORMA_LIKELY(n <= self->cap - (size_t)(self->pos - self->data)))
        return true;
    return orma_ftrace_bundle_grow(self, n);
}

/* Time to end it, although the batch of pages has not ended? Before each compact event. */
static inline bool orma_ftrace_bundle_is_full(const struct orma_ftrace_bundle *self)
{
    return self->switches + self->wakings >= ORMA_FTRACE_BUNDLE_COMPACT_MAX;
}

/* The same for the others, and before a comm that may be new. */
static inline bool orma_ftrace_bundle_is_large(const struct orma_ftrace_bundle *self)
{
    return self->comms_num == ORMA_FTRACE_BUNDLE_COMMS_MAX ||
           (size_t)(self->pos - self->data) > ORMA_FTRACE_BUNDLE_SIZE_SOFT_MAX;
}

/* Index of a comm in this bundle's table. There is room: see orma_ftrace_bundle_is_large(). */
static inline uint32_t orma_ftrace_bundle_comm(struct orma_ftrace_bundle *self, const uint8_t *comm)
{
    uint64_t name[2];

    memcpy(name, comm, sizeof(name));
    uint64_t hash = (name[0] ^ (name[1] << 29 | name[1] >> 35)) * 0x9e3779b97f4a7c15u;
    for (unsigned at = (unsigned)(hash >> 56);; at = (at + 1) & 255) {
        struct orma_ftrace_comm_slot *slot = &self->slots[at];

        if (slot->serial != (uint32_t)self->serial) {
            ORMA_ASSERT_HOT(self->comms_num < ORMA_FTRACE_BUNDLE_COMMS_MAX);
            *slot = (struct orma_ftrace_comm_slot){
                {name[0], name[1]}, (uint32_t)self->serial, self->comms_num};
            memcpy(self->comms[self->comms_num], name, sizeof(name));
            return self->comms_num++;
        }
        if (slot->name[0] == name[0] && slot->name[1] == name[1])
            return slot->index;
    }
}

/* The task's slot, if it was met in this bundle under this name; else NULL. */
static inline const struct orma_ftrace_task_slot *
orma_ftrace_bundle_task(const struct orma_ftrace_bundle *self, uint32_t pid, const uint8_t *comm)
{
    const struct orma_ftrace_task_slot *slot = &self->tasks[pid % ORMA_FTRACE_TASK_SLOTS];
    uint64_t name[2];

    memcpy(name, comm, sizeof(name));
    uint64_t differs = (slot->name[0] ^ name[0]) | (slot->name[1] ^ name[1]) | (slot->pid ^ pid) |
                       (slot->serial ^ (uint32_t)self->serial);
    return ORMA_LIKELY(!differs) ? slot : NULL;
}

/* Fills the slot. There is room for a new comm. */
const struct orma_ftrace_task_slot *orma_ftrace_bundle_task_add(struct orma_ftrace_bundle *self,
                                                                uint32_t pid, const uint8_t *comm);

/* The number may belong to another task from here on. */
static inline void orma_ftrace_bundle_task_forget(struct orma_ftrace_bundle *self, uint32_t pid)
{
    self->tasks[pid % ORMA_FTRACE_TASK_SLOTS].serial = 0;
}

static inline void orma_ftrace_bundle_column_task(struct orma_ftrace_bundle *self,
                                                  enum orma_ftrace_compact_column pids,
                                                  enum orma_ftrace_compact_column comms,
                                                  unsigned idx,
                                                  const struct orma_ftrace_task_slot *task)
{
    memcpy(self->column_pos[pids], &task->pid_bytes, sizeof(task->pid_bytes));
    self->column_pos[pids] += task->pid_len;
    self->column_pos[comms][idx] = task->comm;
}

static inline void orma_ftrace_bundle_column(struct orma_ftrace_bundle *self,
                                             enum orma_ftrace_compact_column column, uint64_t val)
{
    self->column_pos[column] = orma_ftrace_put_varint(self->column_pos[column], val);
}

/*
 * For columns whose values nearly always take one byte: `column_pos` is where element 0 would have
 * to be for element `idx` to follow its predecessors, so that one byte moves nothing.
 */
static inline void orma_ftrace_bundle_column_small(struct orma_ftrace_bundle *self,
                                                   enum orma_ftrace_compact_column column,
                                                   unsigned idx, uint64_t val)
{
    uint8_t *to = self->column_pos[column] + idx;

    *to = (uint8_t)val;
    if (ORMA_UNLIKELY(val >= 0x80))
        self->column_pos[column] = orma_varint_write(to, val) - idx - 1;
}
#endif
