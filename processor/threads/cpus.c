/*
 * How many CPUs a process may use: those that it may run on, and no more than the groups that it is
 * in get time for. In a container that may use two of 64 CPUs, 64 threads would mostly wait for
 * their turn.
 */
#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "processor/threads/crew.h"
#include "processor/threads/groups.h"
#include "sdk/base/defs.h"

/* What a group gets in microseconds of each period, in whole CPUs. */
static uint64_t cpus_of_group(const char *folder)
{
    long long quota[2], period[2];

    if (orma_crew_groups_numbers(folder, "cpu.max", quota) !=
        2) { /* of the first version: -1 is no limit */
        if (orma_crew_groups_numbers(folder, "cpu.cfs_quota_us", quota) < 1 || quota[0] <= 0 ||
            orma_crew_groups_numbers(folder, "cpu.cfs_period_us", period) < 1)
            return UINT64_MAX;
        quota[1] = period[0];
    }
    if (quota[0] <= 0 || quota[1] <= 0 || quota[0] / quota[1] >= (long long)UINT_MAX)
        return UINT64_MAX;
    return (uint64_t)(quota[0] / quota[1] + (quota[0] % quota[1] > 0));
}

unsigned orma_crew_cpus_of_groups(const char *groups, const char *mount)
{
    uint64_t least = orma_crew_groups_least(groups, mount, "cpu", cpus_of_group);

    return (unsigned)ORMA_MIN(least, UINT_MAX);
}

unsigned orma_crew_cpus(void)
{
    cpu_set_t set;
    const long there =
        sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    const unsigned given = orma_crew_cpus_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");

    return ORMA_MAX(1u, ORMA_MIN(given, (unsigned)ORMA_MIN(there, (long)ORMA_CREW_THREADS_MAX)));
}
