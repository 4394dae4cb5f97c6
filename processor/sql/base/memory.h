/*
 * No query may take the machine's memory away: one that gathers endless rows (sorts them, stores
 * them in a table, pairs all intervals with all) ends with an error before the kernel ends the
 * process.
 *
 * Loops look at orma_sql_is_interrupted() anyway; now and then that has a look at the memory of the
 * process, too. What was there before the query counts, but is not held against it alone: it must
 * have added something itself.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_MEMORY_H
#define ORMA_PROCESSOR_SQL_BASE_MEMORY_H
#include <stdbool.h>
#include <stdint.h>

struct orma_sql_memory {
    uint64_t limit_bytes;  /* of the process; 0: not asked yet */
    uint64_t before_bytes; /* what it had when the query was first looked at; 0: not yet */
    uint64_t looked_ns;    /* CLOCK_MONOTONIC_COARSE */
    uint32_t looks;
    bool out; /* the query was stopped */
};

/*
 * The least that the groups of a process may have: the one it is in and all around it, in either
 * version of cgroups. `groups` is the file that names them, /proc/self/cgroup, and `mount` where
 * they are, /sys/fs/cgroup. UINT64_MAX: there is no limit.
 */
uint64_t orma_sql_memory_of_groups(const char *groups, const char *mount);

/* Seven eighths of what the machine, or the container, has. */
uint64_t orma_sql_memory_there(void);

/* How often a look at the memory is worth it, in looks at the interrupt. */
#define ORMA_SQL_MEMORY_LOOKS 64

/* How many bytes more the process may have. */
uint64_t orma_sql_memory_room(struct orma_sql_memory *self);

/* Whether so many rows fit; few are not worth the question. SQLite has files for what does not. */
static inline bool orma_sql_memory_holds(struct orma_sql_memory *self, double rows, unsigned bytes)
{
    return rows < (1 << 16) || rows * bytes < (double)orma_sql_memory_room(self);
}

/* Sets `out` if the query must end. */
bool orma_sql_memory_is_out(struct orma_sql_memory *self);
#endif
