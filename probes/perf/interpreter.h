/*
 * Files that contain an interpreter of Python: the program, or libpython. Where in them is what a
 * reader of its memory needs. Bytes are hostile. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_INTERPRETER_H
#define ORMA_PROBES_PERF_INTERPRETER_H
#include "probes/perf/files.h"

/* Addresses as the file counts them. */
struct orma_perf_interpreter {
    uint64_t runtime, version, code_type;         /* version 0: it is older than 3.11 */
    uint64_t eval, eval_end, eval_cold, cold_end; /* its loop; what runs rarely lies apart */
};

/* NULL: it is no such file. Belongs to the file, which `pid` has mapped. */
struct orma_perf_interpreter *orma_perf_interpreter_of(struct orma_perf_files *files,
                                                       struct orma_perf_file *file, uint32_t pid);
#endif
