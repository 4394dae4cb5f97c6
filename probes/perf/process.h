/*
 * Processes that were sampled: whether they are wanted, their names, what is
 * mapped into them.
 *
 *   pid ──► process ──► mapping (address range) ──► file (files.h)
 *   tid ──► thread ──► name
 *
 * What the kernel's records say, in the order of time, is believed: a process
 * that was seen to execute its program needs nothing of /proc. Of those that ran
 * before, mappings are read from there when an address is looked up, again when
 * an address lies in none, and every second of use. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_PROCESS_H
#define ORMA_PROBES_PERF_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/perf/files.h"
#include "probes/perf/jit.h"
#include "probes/perf/jit_share.h"
#include "probes/perf/record.h"
#include "probes/perf/scope.h"
#include "sdk/base/map.h"

#define ORMA_PERF_NAME_SIZE 16 /* of a thread, with its zero: TASK_COMM_LEN */

struct orma_perf_context;
struct orma_perf_python;

struct orma_perf_mapping {
    uint64_t start, end, offset;
    struct orma_perf_file *file; /* never NULL; not all are files: "[vdso]", "[anon]" */
    uint64_t iid;                /* of the encoder: its number, */
    uint32_t iid_age;            /* and of which state */
};

struct orma_perf_process {
    uint32_t pid, parent; /* parent 0: not known */
    uint64_t start;       /* as its FORK says; 0: it was there before */
    uint64_t boot_start;  /* the same in ns since boot, converted once; 0: not yet */
    bool wanted;
    bool complete;      /* all that is mapped was seen by records */
    bool gone, told;    /* told: the trace has its name */
    bool fresh_program; /* executed, and not mapped yet: what comes first is the program */
    char *program;      /* path of what it executed; NULL: not seen */
    uint64_t judged_ns; /* when `wanted` was found out: a process may execute another program */
    uint64_t read_ns;   /* when the mappings were read; BOOTTIME */
    uint64_t miss_ns;   /* and so long after it they are read again for an address in none */
    struct orma_perf_mapping *mappings;      /* executable ones, by start */
    size_t mappings_num, mappings_cap, last; /* last: the one that was found last */
    uint64_t version;                      /* of the mappings: no two of any process are the same */
    struct orma_perf_jit *jit;             /* names of generated code; NULL: none so far */
    struct orma_perf_jit *jit_dump;        /* those of a dump */
    struct orma_perf_jit_share *jit_share; /* that both count for; NULL: none was read */
    size_t jit_held;                       /* in it, by both */
    struct orma_perf_python *python;       /* of interp.h; NULL: nobody has asked */
    struct orma_perf_context *context;     /* of context.h; the same */
    struct orma_buf nameless; /* of late.h: generated code whose name did not come yet */
    bool has_nameless;        /* there was such code, now or later */
    bool late_read;           /* its names were read for the last time */
};

struct orma_perf_thread {
    uint32_t tid, pid;
    char name[ORMA_PERF_NAME_SIZE];
    bool told;
};

struct orma_perf_processes {
    int proc_fd;
    unsigned pythons_open; /* processes whose memory is open */
    bool all_wanted;       /* the kernel has chosen already */
    struct orma_perf_scope scope;
    struct orma_map by_pid;     /* struct orma_perf_process * */
    struct orma_map by_tid;     /* struct orma_perf_thread * */
    struct orma_map jit_shares; /* by uid */
    struct orma_perf_files files;
    uint32_t age; /* counts how often mappings were forgotten */
    uint64_t versions;
};

/* 0 or -errno. Copies what it needs of the config. */
int orma_perf_processes_init(struct orma_perf_processes *self, const char *proc_root,
                             const Perfetto__Protos__PerfEventConfig *config);
void orma_perf_processes_fini(struct orma_perf_processes *self);

/*
 * The names of all threads that are there now, as long as nobody can ask them any more later: of
 * these processes; num 0: of all.
 */
void orma_perf_processes_scan(struct orma_perf_processes *self, const int32_t *pids, size_t num);

/* A record that is no sample. */
void orma_perf_processes_take(struct orma_perf_processes *self,
                              const struct orma_perf_record *record);

/* NULL: no memory. Processes beyond a limit make all be forgotten. */
struct orma_perf_process *orma_perf_process_get(struct orma_perf_processes *self, uint32_t pid,
                                                uint64_t now_ns);

/* Under that pid is another program now. */
void orma_perf_process_forget(struct orma_perf_processes *self, uint32_t pid);

/* NULL: no memory. */
struct orma_perf_thread *orma_perf_thread_get(struct orma_perf_processes *self, uint32_t pid,
                                              uint32_t tid);

/* Its command line, each word ended by 0. True: nothing but the name of a thread is known. */
bool orma_perf_process_cmdline(struct orma_perf_processes *self, struct orma_perf_process *process,
                               struct orma_buf *ret);

/* Reads what is mapped now. */
void orma_perf_process_read(struct orma_perf_processes *self, struct orma_perf_process *process,
                            uint64_t now_ns);

/* The mapping of a user address; NULL: none that is known. Valid until the next call. */
struct orma_perf_mapping *orma_perf_process_find(struct orma_perf_processes *self,
                                                 struct orma_perf_process *process,
                                                 uint64_t address, uint64_t now_ns);

/* The name of generated code; empty: nobody wrote it down. */
struct orma_str orma_perf_process_jit(struct orma_perf_processes *self,
                                      struct orma_perf_process *process, uint64_t address,
                                      uint64_t now_ns);

/* The same, after all is written: names are read for the last time, whenever that was before. */
struct orma_str orma_perf_process_jit_late(struct orma_perf_processes *self,
                                           struct orma_perf_process *process, uint64_t address);
#endif
