/*
 * Names of code that a program generates while it runs, as it writes them down in
 * /tmp/perf-PID.map: a line per function, "START SIZE NAME", numbers in hex. Of
 * functions at the same place the last one counts. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_JIT_H
#define ORMA_PROBES_PERF_JIT_H
#include <stdint.h>

#include "sdk/base/buf.h"

struct orma_perf_jit {
    struct orma_buf functions; /* struct orma_perf_jit_function, by start */
    struct orma_buf names;     /* each ended by 0 */
    uint64_t read_ns;
};

struct orma_perf_jit_function {
    uint64_t start, size;
    uint32_t name, order;
};

/* What it held before is forgotten. Lines that make no sense are skipped. */
void orma_perf_jit_parse(struct orma_perf_jit *self, struct orma_str text);
void orma_perf_jit_fini(struct orma_perf_jit *self);

/* Empty: there is none. */
struct orma_str orma_perf_jit_find(const struct orma_perf_jit *self, uint64_t address);

/* The text of the map of a process, by its own view of the file system. 0 or -errno. */
int orma_perf_jit_read(int proc_fd, uint32_t pid, struct orma_buf *ret);
#endif
