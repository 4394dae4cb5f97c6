/*
 * Files: the programs and libraries that samples lie in, each known once, by
 * path and by what distinguishes it (build id, else device and inode).
 *
 * A file is opened when it is first mapped, as that process sees it, since the
 * process may be gone when its samples are read; it is read when a sample first
 * needs it. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_FILES_H
#define ORMA_PROBES_PERF_FILES_H
#include <stdbool.h>

#include "probes/perf/record.h"
#include "probes/perf/symtab.h"
#include "sdk/base/map.h"

struct orma_unwind_file;
struct orma_perf_interpreter;

struct orma_perf_file {
    uint64_t number; /* no two files have the same, whatever was forgotten */
    char *path;      /* as in /proc/PID/maps, may be "[vdso]" */
    uint64_t inode;
    uint8_t build_id[ORMA_PERF_BUILD_ID_MAX]; /* as the kernel, or else the file, says */
    size_t build_id_len;
    uint32_t seen_by; /* the process at whose path it is: at ours lies another; 0: the same */
    int fd;           /* -1: not open, or read already */
    bool loaded;      /* what follows is there, as far as it will be */
    struct orma_perf_symtab elf;
    struct orma_unwind_file *unwind; /* NULL: it has no rules */
    bool interpreter_sought;
    struct orma_perf_interpreter *interpreter; /* of interpreter.h; NULL: it has none */
};

struct orma_perf_files {
    int proc_fd;            /* the owner's */
    struct orma_map by_key; /* struct orma_perf_file * */
    size_t open_num;
    uint64_t numbers; /* of files, so far */
};

void orma_perf_files_fini(struct orma_perf_files *self);

/*
 * The file behind a mapping of `pid`. `map` tells path and identity; NULL: no
 * memory. Belongs to the table.
 */
struct orma_perf_file *orma_perf_files_get(struct orma_perf_files *self, uint32_t pid,
                                           const struct orma_perf_map_event *map,
                                           struct orma_str path);

/* Reads symbols and rules, at the first call. `pid` has it mapped. */
void orma_perf_files_load(struct orma_perf_files *self, struct orma_perf_file *file, uint32_t pid);
#endif
