/*
 * The text of the system's counters, as fields of a SysStats message. What a
 * line does not say is left out; nothing in it is trusted.
 */
#ifndef ORMA_PROBES_SYS_STATS_PARSE_H
#define ORMA_PROBES_SYS_STATS_PARSE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Which counters are wanted, by their enum value. All if none was named. */
struct orma_system_wanted {
    bool all;
    uint64_t bits[4];
};

static inline bool orma_system_is_wanted(const struct orma_system_wanted *self, int key)
{
    return self->all || (key >= 0 && key < 256 && self->bits[key >> 6] >> (key & 63) & 1);
}

/* Each takes the whole text of one file. */
typedef void (*orma_system_put_fn)(struct orma_buf *out, struct orma_str text,
                                   const struct orma_system_wanted *wanted);

void orma_system_put_meminfo(struct orma_buf *out, struct orma_str text,
                             const struct orma_system_wanted *wanted);
void orma_system_put_vmstat(struct orma_buf *out, struct orma_str text,
                            const struct orma_system_wanted *wanted);
/* Keys are those of SysStatsConfig.StatCounters. */
void orma_system_put_stat(struct orma_buf *out, struct orma_str text,
                          const struct orma_system_wanted *wanted);
void orma_system_put_buddyinfo(struct orma_buf *out, struct orma_str text,
                               const struct orma_system_wanted *wanted);
void orma_system_put_diskstats(struct orma_buf *out, struct orma_str text,
                               const struct orma_system_wanted *wanted);
void orma_system_put_slabinfo(struct orma_buf *out, struct orma_str text,
                              const struct orma_system_wanted *wanted);

/* /proc/pressure/FILE; the resources are those of its lines "some" and "full". */
void orma_system_put_pressure(struct orma_buf *out, struct orma_str text, uint32_t some,
                              uint32_t full);
#endif
