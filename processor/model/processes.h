/*
 * Processes and threads of one machine: which row a tid or a pid means now.
 *
 * utid and upid are row numbers. The idle thread and its process come first.
 * Kernels use ids again: a start makes new rows, an end removes the mapping
 * and leaves the row. When it is not known yet to which process a thread
 * belongs, links wait until it is. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_PROCESSES_H
#define ORMA_PROCESSOR_MODEL_PROCESSES_H
#include "processor/model/ids.h"
#include "processor/model/known_strings.h"
#include "processor/store/storage.h"
#include "sdk/base/map.h"

#define ORMA_ID_NONE UINT32_MAX

/* A name replaces one of lower or equal rank. ID: it is known by that alone. */
enum orma_thread_name_rank {
    ORMA_THREAD_NAME_ID,
    ORMA_THREAD_NAME_OTHER,
    ORMA_THREAD_NAME_FTRACE,
    ORMA_THREAD_NAME_TREE,
    ORMA_THREAD_NAME_DESCRIPTOR_TYPE,
    ORMA_THREAD_NAME_DESCRIPTOR,
    ORMA_THREAD_NAME_CONSTANT,
};

enum orma_process_name_rank {
    ORMA_PROCESS_NAME_ID,
    ORMA_PROCESS_NAME_OTHER,
    ORMA_PROCESS_NAME_LABEL,
    ORMA_PROCESS_NAME_DESCRIPTOR,
    ORMA_PROCESS_NAME_RENDERER,
    ORMA_PROCESS_NAME_SYSTEM,
};

#define ORMA_PROCESSES_ANSWERS 16

struct orma_processes {
    struct orma_storage *storage;
    const struct orma_known_strings *known;
    uint32_t machine;       /* row */
    struct orma_ids by_tid; /* → utid of the newest live thread */
    uint32_t *older;        /* by utid: the live one of the same tid before it, or ORMA_ID_NONE */
    uint32_t older_cap;
    struct orma_ids by_pid; /* → upid */
    /* Of processes in pid namespaces: pid → depth of the innermost namespace and whether that was
     * told, and
     * pid << 32 | id inside → id outside. */
    struct orma_map ns_depth, ns_ids;
    struct orma_map unknown; /* upid → thread of no known tid */
    struct orma_map wide;    /* a tid of 64 bits → its place below */
    ORMA_VEC(int64_t) wide_tids;
    uint32_t idle_utid, idle_upid;
    bool idle_known; /* pid 0 is the idle process: true once a format says so */
    struct orma_process_link *links;
    uint32_t links_num, links_cap;
    uint32_t links_waiting;                /* of them: the others are resolved */
    struct orma_map first_link;            /* utid → the first of those that wait for it */
    uint8_t *thread_ranks, *process_ranks; /* of names, by row; shared growth */
    uint32_t thread_ranks_num, process_ranks_num;
    uint64_t changes; /* of what the answers below depend on; from 1 */
    struct orma_processes_answer {
        uint32_t tid, pid, utid;
        uint64_t changes;              /* it holds as long as there are no more */
    } answers[ORMA_PROCESSES_ANSWERS]; /* of orma_processes_thread_of(), by tid */
};

void orma_processes_init(struct orma_processes *self, struct orma_storage *storage,
                         const struct orma_known_strings *known, uint32_t machine);
void orma_processes_fini(struct orma_processes *self);

/* tid 0 and pid 0 now mean the idle thread. */
void orma_processes_set_idle(struct orma_processes *self);

/*
 * Other kernels have tids of 64 bits. The calls below take 32: this gives the tid if it has no more,
 * else a number that stands for it here, from ORMA_PROCESSES_WIDE on. Columns have what it stands for.
 */
#define ORMA_PROCESSES_WIDE UINT32_C(0xf0000000)
uint32_t orma_processes_tid(struct orma_processes *self, int64_t tid);

/* The newest live thread with this tid. */
uint32_t orma_processes_thread(struct orma_processes *self, uint32_t tid);

/* ORMA_ID_NONE if there is none. */
uint32_t orma_processes_find_thread(struct orma_processes *self, uint32_t tid);

/* The thread with this tid in the process with this pid; `pid` may take over a thread without one.
 */
uint32_t orma_processes_thread_of(struct orma_processes *self, uint32_t tid, uint32_t pid);

/* A thread of the process that nobody knows the tid of: it is -1, and there is one for each. */
uint32_t orma_processes_unknown_thread(struct orma_processes *self, uint32_t pid);

/* The live process; a new one gets its main thread at once. */
uint32_t orma_processes_process(struct orma_processes *self, uint32_t pid);

/* The same without a main thread: where its tid is not the pid. */
uint32_t orma_processes_bare_process(struct orma_processes *self, uint32_t pid);

/* The thread with this tid in that process, whose main thread may have another tid. */
uint32_t orma_processes_thread_of_bare(struct orma_processes *self, uint32_t tid, uint32_t pid,
                                       bool is_main);

/* Makes the thread one of the process, if it is of none yet. */
void orma_processes_attach(struct orma_processes *self, uint32_t utid, uint32_t upid, bool is_main);

/* ORMA_ID_NONE if there is none. */
uint32_t orma_processes_find_process(struct orma_processes *self, uint32_t pid);

/* A thread that begins; start may be INT64_MIN: unknown. */
uint32_t orma_processes_start_thread(struct orma_processes *self, int64_t start, uint32_t tid);

/* A process that begins, even if the pid is in use. parent_tid ORMA_ID_NONE: unknown. */
uint32_t orma_processes_start(struct orma_processes *self, int64_t start, uint32_t parent_tid,
                              uint32_t pid, uint32_t name, enum orma_thread_name_rank rank);

void orma_processes_end_thread(struct orma_processes *self, int64_t end, uint32_t tid);

/* Two threads of the same process. */
void orma_processes_link(struct orma_processes *self, uint32_t utid, uint32_t other);

/* False: it has another one, which stays. */
bool orma_processes_set_parent(struct orma_processes *self, uint32_t upid, uint32_t parent_upid);

void orma_processes_name_thread(struct orma_processes *self, uint32_t utid, uint32_t name,
                                enum orma_thread_name_rank rank);
void orma_processes_name_process(struct orma_processes *self, uint32_t upid, uint32_t name,
                                 enum orma_process_name_rank rank);

/*
 * Pid namespaces: what a process (tid == pid) or one of its threads is called inside, outermost
 * namespace first. False: of the thread's process that is not known.
 */
bool orma_processes_note_inner(struct orma_processes *self, uint32_t pid, uint32_t tid,
                               const uint32_t *inner, uint32_t num);

/* The same of what the trace says later, if nothing is known yet. */
void orma_processes_expect_inner(struct orma_processes *self, uint32_t pid, uint32_t tid,
                                 const uint32_t *inner, uint32_t num);

/* The id outside of what `pid` (outside) knows as `id`; ORMA_ID_NONE if it is in no namespace. */
uint32_t orma_processes_outer(const struct orma_processes *self, uint32_t pid, uint32_t id);

/* The process of a thread, or ORMA_ID_NONE. */
uint32_t orma_processes_upid(const struct orma_processes *self, uint32_t utid);
#endif
