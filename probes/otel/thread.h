/*
 * OpenTelemetry's thread context (proposal 4947): which request a thread works on.
 *
 *   file ── symbol otel_thread_ctx_v1 ─► place ── thread pointer ─► variable ─► record
 *
 * Where the variable of a thread is depends on how it came into the program: at a fixed distance
 * from the thread pointer (a program's own), or as the dynamic linker has written it into a word of
 * the library. The thread pointer is found by the list of robust locks that every thread announces
 * to the kernel, and that lies in the same block. x86-64 only: elsewhere nothing is found.
 *
 * All of it is hostile. Threads: none.
 */
#ifndef ORMA_PROBES_OTEL_THREAD_H
#define ORMA_PROBES_OTEL_THREAD_H
#include "probes/otel/process.h"

#define ORMA_OTEL_TRACE_ID_LEN 16
#define ORMA_OTEL_SPAN_ID_LEN 8

enum orma_otel_kind {
    ORMA_OTEL_FIXED,      /* `value` is the distance */
    ORMA_OTEL_DISTANCE,   /* the distance is in the word at `value` */
    ORMA_OTEL_DESCRIPTOR, /* a descriptor of TLS is there */
    ORMA_OTEL_MODULE,     /* the number of the module is there; `offset` within its block */
};

/* In a file; `value` of all but FIXED is an address as the file counts them. */
struct orma_otel_place {
    enum orma_otel_kind kind;
    uint64_t value, offset;
};

struct orma_otel_ids {
    uint8_t trace_id[ORMA_OTEL_TRACE_ID_LEN], span_id[ORMA_OTEL_SPAN_ID_LEN];
};

/* False: the file has no such variable. */
bool orma_otel_thread_place(const uint8_t *file, size_t len, struct orma_otel_place *ret);

/* What the dynamic linker has written already need not be read again: becomes FIXED where it can.
 * `bias`: from addresses of the file to those of the process. */
void orma_otel_thread_settle(const struct orma_otel_memory *memory, uint64_t bias,
                             struct orma_otel_place *place);

/* The thread pointer, from the address of the list of robust locks; 0: not found. */
uint64_t orma_otel_thread_pointer(const struct orma_otel_memory *memory, uint64_t robust_list);

/* False: the thread works on nothing, or it was changing what it works on. */
bool orma_otel_thread_read(const struct orma_otel_memory *memory,
                           const struct orma_otel_place *place, uint64_t bias, uint64_t pointer,
                           struct orma_otel_ids *ret);
#endif
