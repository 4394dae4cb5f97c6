/*
 * Names of code that a program generates while it runs, as it writes them down:
 *
 *   /tmp/perf-PID.map   a line per function, "START SIZE NAME", numbers in hex
 *   jit-PID.dump        records of code that was loaded or moved (perf's jitdump, version 1); the
 *                       program maps its first page as code, so that it is found
 *
 * Of functions at the same place the last one counts. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_JIT_H
#define ORMA_PROBES_PERF_JIT_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/map.h"

struct orma_perf_jit {
    struct orma_buf functions; /* struct orma_perf_jit_function, by start */
    struct orma_buf names;     /* each ended by 0 */
    uint64_t read_ns;
    uint64_t at;           /* of a dump: where to read on */
    uint64_t bytes;        /* of a map, when it was read */
    bool told;             /* that it is too long */
    struct orma_map index; /* of a dump: number of a function → its name */
};

struct orma_perf_jit_function {
    uint64_t start, size;
    uint32_t name, order;
};

/* What it held before is forgotten. Lines that make no sense are skipped. */
void orma_perf_jit_parse(struct orma_perf_jit *self, struct orma_str text);
void orma_perf_jit_fini(struct orma_perf_jit *self);

/* All names; a dump is read from where it was left. */
void orma_perf_jit_forget(struct orma_perf_jit *self);

/* A file that a process has mapped: is it a dump? */
bool orma_perf_jit_is_dump(const char *path);

/* Its dump, by its own view of the file system. A descriptor, or -errno. */
int orma_perf_jit_open_dump(int proc_fd, uint32_t pid, const char *path);

/* Adds what was written to a dump since the last time, so many records at most; the next time goes
 * on there. A record that makes no sense ends it. */
#define ORMA_PERF_JIT_RECORDS_MAX 65536u
void orma_perf_jit_read_dump(struct orma_perf_jit *self, int fd);

/* Empty: there is none. */
struct orma_str orma_perf_jit_find(const struct orma_perf_jit *self, uint64_t address);

/*
 * The text of the map of a process, by its own view of the file system. 0 or -errno; -EFBIG: it is
 * longer than ORMA_PERF_JIT_MAP_MAX, and nothing of it was read.
 */
#define ORMA_PERF_JIT_MAP_MAX (64u << 20)
int orma_perf_jit_read(int proc_fd, uint32_t pid, struct orma_buf *ret);
#endif
