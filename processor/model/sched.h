/*
 * Scheduling: what ran on each cpu (rows of sched_slice) and in which state each thread was (rows
 * of thread_state).
 *
 * An importer reports switches and wakings in the order of time; sched.c says what is believed
 * where some are missing. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_SCHED_H
#define ORMA_PROCESSOR_MODEL_SCHED_H
#include <stdbool.h>
#include <stdint.h>

#define ORMA_CPUS_MAX 1024

struct orma_model;

/* What is running on a cpu. */
struct orma_sched_cpu_state {
    bool known;     /* a switch was seen */
    int64_t ts;     /* when */
    uint32_t trace; /* by which file */
    uint32_t pid;
    uint32_t utid;
    int32_t prio;
    uint32_t comm;      /* pool id, of the last switch in compact form */
    uint32_t sched_row; /* the open row of the sched table, or ORMA_ROW_NONE */
    /* The last switch in compact form; bundle + 1, 0: there was none, or another one came since. */
    uint32_t bundle, index;
};

/* The switch to this thread is that of the last one, which another file of the machine has, too:
 * both recorded it. Counted; it changes nothing. */
bool orma_sched_is_repeated(struct orma_model *model, uint16_t machine,
                            const struct orma_sched_cpu_state *c, int64_t ts, uint32_t next_pid);

void orma_sched_fini(struct orma_model *model);

/* NULL: no such cpu, or out of memory. */
struct orma_sched_cpu_state *orma_sched_cpu(struct orma_model *model, uint16_t machine,
                                            uint32_t cpu);

/* The live thread with this tid, named by what the kernel calls it. */
uint32_t orma_sched_named_thread(struct orma_model *model, uint16_t machine, uint32_t tid,
                                 uint32_t comm);

void orma_sched_switch(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_pid, uint32_t prev_comm, int64_t prev_state, uint32_t next_pid,
                       uint32_t next_comm, int32_t next_prio);
/* flags < 0: not told. */
void orma_sched_waking(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                       uint32_t waker_utid, int64_t common_flags);
void orma_sched_new_task(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                         uint32_t waker_utid);
/* io_wait < 0 and function 0: not told. */
void orma_sched_blocked(struct orma_model *model, uint32_t utid, int io_wait, uint32_t function);
/* A switch seen from the thread states only. */
void orma_sched_states(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_utid, uint32_t prev_state, uint32_t next_utid);
/* The state of a thread ends; another begins. cpu ORMA_ID_NONE: it does not run. */
void orma_sched_close_state(struct orma_model *model, int64_t ts, uint32_t utid);
void orma_sched_open_state(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                           uint32_t state, uint32_t cpu);
/* The text of a numeric prev_state, as pool id. */
uint32_t orma_sched_state_text(struct orma_model *model, uint16_t machine, int64_t prev_state);
uint32_t orma_sched_start_slice(struct orma_model *model, uint16_t machine, int64_t ts,
                                uint32_t cpu, uint32_t utid, int32_t prio);
void orma_sched_end_slice(struct orma_model *model, uint32_t row, int64_t ts, uint32_t state);
#endif
