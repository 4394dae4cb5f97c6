/*
 * OpenTelemetry's process context (proposal 4719): what a process says of itself, in its memory.
 *
 *   mapping "OTEL_CTX" ─► [signature][version 2][size][published at][address] ─► ProcessContext
 *
 * The process may change it while we read: it changes the time first, so what was read between two
 * equal times is whole. All of it is hostile: sizes are bounded, and what makes no sense is left
 * out. Threads: none.
 */
#ifndef ORMA_PROBES_OTEL_PROCESS_H
#define ORMA_PROBES_OTEL_PROCESS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_OTEL_PAYLOAD_MAX (16u << 10)
#define ORMA_OTEL_ATTRIBUTES_MAX 64u

/* Memory of another process: all of `len` bytes, or false. */
struct orma_otel_memory {
    bool (*read)(void *ctx, uint64_t address, void *to, size_t len);
    void *ctx;
};

/* Of text that is /proc/PID/maps: where a mapping of that name begins; 0: there is none. */
uint64_t orma_otel_process_find(struct orma_str maps);

/* What is published there. *ret_time: when, or false: nothing, or it was being changed. `payload`
 * is overwritten. */
bool orma_otel_process_read(const struct orma_otel_memory *memory, uint64_t mapping,
                            uint64_t *ret_time, struct orma_buf *payload);

/* Calls fn for each attribute of the resource that is a text, a number or a truth value, written as
 * text. What only tells readers how to read is left out. */
void orma_otel_process_attributes(struct orma_str payload,
                                  void (*fn)(void *ctx, struct orma_str key, struct orma_str value),
                                  void *ctx);
#endif
