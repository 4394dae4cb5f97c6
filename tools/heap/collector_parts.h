/*
 * The parts of collector.h: collector.c has the memory that is shared and the thread, ring.h
 * takes records out of it, records.c turns what programs report into sums, packets.c writes.
 */
#ifndef ORMA_TOOLS_HEAP_COLLECTOR_PARTS_H
#define ORMA_TOOLS_HEAP_COLLECTOR_PARTS_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "probes/perf/encode.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"
#include "sdk/heap/shared.h"
#include "tools/heap/collector.h"
#include "tools/heap/pids.h"
#include "tools/heap/ring.h"

#define ORMA_HEAP_PROCESSES_MAX (1u << 18)

enum orma_heap_of { ORMA_HEAP_OF_MALLOC, ORMA_HEAP_OF_MMAP };

struct orma_heap_site {
    uint32_t pid;
    uint32_t heap;
    uint64_t stack; /* of the encoder */
    uint64_t allocated, freed, allocs, frees;
    uint32_t next; /* of the same process, + 1; 0: it is the last */
};

struct orma_heap_live {
    uint64_t bytes, count, time;
    uint32_t site, program; /* number of the program that allocated it: others have run since */
};

/* A mapping, or what is left of it. Those of a process are in order. */
struct orma_heap_mapping {
    uint64_t start, end, bytes, count, time;
    uint32_t site;
};

struct orma_heap_process {
    uint32_t program, first_site, lives;
    uint64_t start;
    bool attached;
    struct orma_buf maps; /* struct orma_heap_mapping */
};

struct orma_heap_collector {
    int fd, out_fd;
    int reader_fd;     /* our pages of the memory; -1: they are in `fd` */
    bool seals_reader; /* they shall not be */
    char path[64];
    struct orma_heap_shared *shared;
    struct orma_heap_ring ring;
    struct orma_perf_plan plan;
    struct orma_perf_processes processes;
    struct orma_perf_encoder encoder;
    struct orma_source_sink sink;
    struct orma_map site_of; /* hash of pid and stack → number */
    struct orma_buf sites;   /* struct orma_heap_site */
    struct orma_map live;    /* hash of program and address → struct orma_heap_live * */
    uint64_t stale;          /* of them: of programs that are gone */
    uint32_t last_program;
    struct orma_map process_of; /* pid → struct orma_heap_process * */
    struct orma_buf framed, packet;
    uint64_t index, started_ns;
    uint64_t ahead_ns; /* BOOTTIME is before MONOTONIC */
    struct orma_heap_collector_stats stats;
    struct orma_heap_pids pids;
    _Atomic int err;
    /* Of the thread */
    pthread_t thread;
    pthread_mutex_t lock;
    bool started, given_up;
    _Atomic bool ending, ended;
    _Atomic uint64_t done;
    /* Our death is in the header: by the kernel, from a list that it knows of. */
    struct robust_list_head robust;
    struct robust_list owner;
};

/* Others may look at what is here. */
void orma_heap_collector_leave(struct orma_heap_collector *self);

void orma_heap_collector_come_back(struct orma_heap_collector *self);

int orma_heap_collector_put_encoded(struct orma_source_sink *sink, const void *packet, size_t len);

/* A packet of ours, on the sequence of the encoder. */
int orma_heap_collector_put_own(struct orma_heap_collector *self, struct orma_buf *packet);

/* The sums of all processes. */
int orma_heap_collector_put_dump(struct orma_heap_collector *self);

struct orma_heap_site *orma_heap_collector_sites_of(const struct orma_heap_collector *self);

/* What is in the ring now. */
void orma_heap_collector_turn(struct orma_heap_collector *self, uint64_t now_ns);

#endif
