/*
 * Tracks of how much memory a process has: several importers fill them, so who makes one first
 * must not decide what it is. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_MEMORY_H
#define ORMA_PROCESSOR_MODEL_MEMORY_H
#include <stdint.h>

struct orma_model;

/* The counter track of a process: "mem.<key>", in bytes. `key` is a literal. */
uint32_t orma_model_memory_track(struct orma_model *model, uint16_t machine, uint32_t upid,
                                 const char *key);

/* The same of a thread whose process is not known. */
uint32_t orma_model_thread_memory_track(struct orma_model *model, uint16_t machine, uint32_t utid,
                                        const char *key);

#endif
