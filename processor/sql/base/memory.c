#include "processor/sql/base/memory.h"

#include <unistd.h>

#include "processor/store/large.h"
#include "processor/store/spill.h"
#include "processor/threads/groups.h"
#include "sdk/base/defs.h"

/* Of the second version, or the first. */
static uint64_t bytes_of_group(const char *folder)
{
    long long limit[2];

    if (!orma_crew_groups_numbers(folder, "memory.max", limit) &&
        !orma_crew_groups_numbers(folder, "memory.limit_in_bytes", limit))
        return UINT64_MAX;
    return limit[0] < 0 ? UINT64_MAX : (uint64_t)limit[0];
}

uint64_t orma_sql_memory_of_groups(const char *groups, const char *mount)
{
    return orma_crew_groups_least(groups, mount, "memory", bytes_of_group);
}

uint64_t orma_sql_memory_there(void)
{
    uint64_t there = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    there = ORMA_MIN(there, orma_sql_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
    return there / 8 * 7;
}

uint64_t orma_sql_memory_room(struct orma_sql_memory *self)
{
    if (!self->limit_bytes)
        self->limit_bytes = orma_sql_memory_there();
    uint64_t used = orma_spill_memory_used(), kept = orma_large_kept(); /* which is used first */
    used -= ORMA_MIN(kept, used);
    return self->limit_bytes - ORMA_MIN(used, self->limit_bytes);
}

bool orma_sql_memory_is_out(struct orma_sql_memory *self)
{
    uint64_t used = orma_spill_memory_used();

    if (!self->limit_bytes)
        self->limit_bytes = orma_sql_memory_there();
    if (!self->before_bytes)
        self->before_bytes = used;
    if (used > self->limit_bytes && orma_large_kept()) {
        orma_large_drop();
        used = orma_spill_memory_used();
    }
    self->out = used > self->limit_bytes &&
                used - ORMA_MIN(used, self->before_bytes) > self->limit_bytes / 64;
    return self->out;
}
