/*
 * Processes that were sampled: whether they are wanted, what is mapped into
 * them, and the files behind that.
 *
 *   pid ──► process ──► mapping (address range) ──► file (by device and inode) ──► orma_perf_symtab
 *
 * Mappings are read again when an address lies in none, and every second of
 * use, since programs load libraries and execute others. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_PROCESS_H
#define ORMA_PROBES_PERF_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/perf/symtab.h"
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/map.h"

struct orma_perf_file {
    struct orma_perf_symtab elf;
    uint64_t id; /* never 0 */
};

struct orma_perf_mapping {
    uint64_t start, end, offset;
    struct orma_perf_file *file; /* NULL: not a file, or one that could not be read */
    char *path;                  /* as in /proc/PID/maps, may be "[vdso]"; never NULL */
};

struct orma_perf_process {
    uint32_t pid;
    bool wanted;
    uint64_t judged_ns; /* when `wanted` was found out: a process may execute another program */
    uint64_t read_ns;   /* when the mappings were read; BOOTTIME */
    struct orma_perf_mapping *mappings; /* executable ones, by start */
    size_t mappings_num;
};

/* Which processes are wanted. Patterns: the whole first word of the command line, or its last path
 * component; '*' stands for anything. */
struct orma_perf_scope {
    int32_t *pids, *not_pids;
    size_t pids_num, not_pids_num;
    char **names, **not_names;
    size_t names_num, not_names_num;
};

struct orma_perf_processes {
    int proc_fd;
    struct orma_perf_scope scope;
    struct orma_map by_pid;  /* struct orma_perf_process * */
    struct orma_map by_file; /* device and inode → struct orma_perf_file * */
    uint64_t next_file;
};

/* 0 or -errno. Copies what it needs of the config. */
int orma_perf_processes_init(struct orma_perf_processes *self, const char *proc_root,
                             const Perfetto__Protos__PerfEventConfig *config);
void orma_perf_processes_fini(struct orma_perf_processes *self);

/* NULL: no memory. Processes beyond a limit make all be forgotten. */
struct orma_perf_process *orma_perf_process_get(struct orma_perf_processes *self, uint32_t pid,
                                                uint64_t now_ns);

/* The mapping of a user address; NULL: none that is known. Valid until the next call. */
const struct orma_perf_mapping *orma_perf_process_find(struct orma_perf_processes *self,
                                                       struct orma_perf_process *process,
                                                       uint64_t address, uint64_t now_ns);

/* '*' any run of bytes. */
bool orma_perf_name_matches(const char *pattern, const char *name);
#endif
