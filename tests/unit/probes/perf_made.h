/*
 * Records as the kernel writes them into a ring of samples, made for tests; and plans to read them.
 */
#ifndef ORMA_TESTS_UNIT_PROBES_PERF_MADE_H
#define ORMA_TESTS_UNIT_PROBES_PERF_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/core/source.h"
#include "probes/perf/encode.h"
#include "probes/perf/source.h"

typedef Perfetto__Protos__PerfEventConfig perf_config_t;

typedef Perfetto__Protos__PerfEvents__Timebase perf_timebase_t;

#define CONFIG_INIT PERFETTO__PROTOS__PERF_EVENT_CONFIG__INIT
#define TIMEBASE_INIT PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INIT
#define STACKS_INIT PERFETTO__PROTOS__PERF_EVENT_CONFIG__CALLSTACK_SAMPLING__INIT
/* The last two: a thread of the kernel, which has no registers and no stack; or none are sampled.
 */
#define PERF_USER_WORDS (ORMA_PERF_REGS_MASK ? 2 : 0)

enum { PERF_WORDS = 11 + PERF_USER_WORDS };

/* A record of another kind: header, words, and the trailer that says who, when, where. */
struct perf_made {
    uint64_t words[64];
    size_t len; /* words */
};

int perf_make(struct orma_perf_plan *plan, const perf_config_t *config, char why[256]);

size_t perf_sample_record(uint64_t words[PERF_WORDS]);

void perf_stacks_plan(struct orma_perf_plan *plan);

void perf_begin(struct perf_made *m, uint32_t type, uint16_t misc);

void perf_add(struct perf_made *m, uint64_t word);

void perf_add_pair(struct perf_made *m, uint32_t a, uint32_t b);

void perf_add_text(struct perf_made *m, const char *text);

struct orma_perf_record perf_finish(struct perf_made *m, const struct orma_perf_plan *plan,
                                    uint64_t time);

struct orma_perf_record perf_comm(struct perf_made *m, const struct orma_perf_plan *plan,
                                  uint32_t pid, const char *name, bool exec);

struct orma_perf_record perf_fork_of(struct perf_made *m, const struct orma_perf_plan *plan,
                                     uint32_t parent, uint32_t child);

struct orma_perf_record perf_used(struct perf_made *m, const struct orma_perf_plan *plan,
                                  uint32_t tid, uint64_t ns);

struct orma_perf_record perf_mapped(struct perf_made *m, const struct orma_perf_plan *plan,
                                    uint32_t pid, uint64_t start, uint64_t len, const char *path);

#endif
