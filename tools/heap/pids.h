/*
 * Pids: programs report theirs, as they see them. In another namespace of pids (a container) those
 * are the numbers of other processes here: a process is sought that is known there by that number,
 * among all that there are. One that is not found gets a number that no process has.
 */
#ifndef ORMA_TOOLS_HEAP_PIDS_H
#define ORMA_TOOLS_HEAP_PIDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/map.h"

#define ORMA_HEAP_PID_MAX (1u << 22) /* the kernel's limit; strangers have numbers above */

struct orma_heap_pids {
    uint64_t own_space;   /* ours */
    struct orma_map here; /* hash of space and pid there → pid here */
    size_t max, looks;    /* for processes, at their first report and at each START */
    uint64_t strangers;   /* that were not found */
    uint64_t begun_ns, searched_ns;
};

void orma_heap_pids_init(struct orma_heap_pids *self, size_t max);
void orma_heap_pids_fini(struct orma_heap_pids *self);

/* The pid here; 0: it is none, or there are too many. `anew`: a program begins under it. */
uint32_t orma_heap_pids_find(struct orma_heap_pids *self, uint64_t space, uint32_t pid, bool anew);
#endif
