/*
 * Scope: which processes are wanted. Patterns: the whole first word of the
 * command line, its last path component, or what stands before the colon of a
 * title that a program gave itself ("postgres: walwriter"); '*' stands for
 * anything. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_SCOPE_H
#define ORMA_PROBES_PERF_SCOPE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"

struct orma_perf_scope {
    int32_t *pids, *not_pids;
    size_t pids_num, not_pids_num;
    char **names, **not_names;
    size_t names_num, not_names_num;
};

/* Copies what it needs. False: no memory; fini() in any case. */
bool orma_perf_scope_init(struct orma_perf_scope *self,
                          const Perfetto__Protos__PerfEventConfig *config);
void orma_perf_scope_fini(struct orma_perf_scope *self);

/* Looks at the process' command line, if names matter. */
bool orma_perf_scope_has(const struct orma_perf_scope *self, int proc_fd, uint32_t pid);

bool orma_perf_name_matches(const char *pattern, const char *name);
/* The colon of such a title; NULL: it is none. */
const char *orma_perf_name_title(const char *name);
#endif
