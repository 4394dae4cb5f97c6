/*
 * What the names of generated code may cost, by user: each process may write down 64 MiB of them,
 * and users choose how many processes they have. So a user's names take a share of the memory and
 * of the reader's time, and who wants more harms only himself.
 *
 * Threads: none.
 */
#ifndef ORMA_PROBES_PERF_JIT_SHARE_H
#define ORMA_PROBES_PERF_JIT_SHARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/map.h"

/* Of one user, all his processes together. */
#define ORMA_PERF_JIT_SHARE_BYTES_MAX ((size_t)512 << 20)

struct orma_perf_jit_share {
    uint32_t uid;
    size_t bytes;
    uint64_t begun_ns, used_ns; /* since when he is known; how long his files were read */
    bool told;                  /* that there are too many */
};

/* Of the user whom this process belongs to. NULL: it is gone, or no memory. Valid until fini(). */
struct orma_perf_jit_share *orma_perf_jit_share_of(struct orma_map *shares, int proc_fd,
                                                   uint32_t pid);
void orma_perf_jit_shares_fini(struct orma_map *shares);

/* May his files be read now? */
bool orma_perf_jit_share_has_time(struct orma_perf_jit_share *self);

/* The time that this thread has run. What was used since goes to him. */
uint64_t orma_perf_jit_share_begin(void);
void orma_perf_jit_share_end(struct orma_perf_jit_share *self, uint64_t begun_ns);

/* One process holds so much now instead of so much before. False: he has too much. */
bool orma_perf_jit_share_hold(struct orma_perf_jit_share *self, size_t before, size_t now);
#endif
