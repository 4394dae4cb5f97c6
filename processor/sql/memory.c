#include "processor/sql/memory.h"

#include <stdio.h>
#include <unistd.h>

#include "sdk/base/defs.h"

/* The first number of a file; UINT64_MAX if there is none ("max"), or no file. */
static uint64_t number_in(const char *path)
{
    unsigned long long val;
    FILE *f = fopen(path, "re");
    int found = f ? fscanf(f, "%llu", &val) : 0;

    if (f)
        (void)fclose(f); /* only read from */
    return found == 1 ? val : UINT64_MAX;
}

/* Seven eighths of what the machine, or the container, has. */
static uint64_t memory_there(void)
{
    uint64_t there = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    there = ORMA_MIN(there, number_in("/sys/fs/cgroup/memory.max"));
    there = ORMA_MIN(there, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    return there / 8 * 7;
}

/* What the process has in memory, without pages of files. 0: unknown. */
static uint64_t memory_used(void)
{
    unsigned long long resident, shared;
    FILE *f = fopen("/proc/self/statm", "re");
    int found = f ? fscanf(f, "%*u %llu %llu", &resident, &shared) : 0;

    if (f)
        (void)fclose(f); /* only read from */
    return found == 2 && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE)
                                           : 0;
}

bool orma_sql_memory_is_out(struct orma_sql_memory *self)
{
    uint64_t used = memory_used();

    if (!self->limit_bytes)
        self->limit_bytes = memory_there();
    if (!self->before_bytes)
        self->before_bytes = used;
    self->out = used > self->limit_bytes &&
                used - ORMA_MIN(used, self->before_bytes) > self->limit_bytes / 64;
    return self->out;
}
