/*
 * Limits of the control groups that a process is in, of both versions. Threads: any.
 */
#ifndef ORMA_PROCESSOR_THREADS_GROUPS_H
#define ORMA_PROCESSOR_THREADS_GROUPS_H
#include <stdint.h>

/* The limit of the group whose folder this is. UINT64_MAX: none. */
typedef uint64_t orma_crew_groups_limit_fn(const char *folder);

/*
 * The least limit of the groups of a controller ("cpu"), and of all groups around them. `groups` is
 * /proc/PID/cgroup, `mount` where groups are mounted. UINT64_MAX: there is none, or nothing to
 * read.
 */
uint64_t orma_crew_groups_least(const char *groups, const char *mount, const char *controller,
                                orma_crew_groups_limit_fn *limit);

/* The numbers at the begin of a file of a group, at most two: how many. 0: "max", or no file. */
int orma_crew_groups_numbers(const char *folder, const char *file, long long ret[2]);
#endif
