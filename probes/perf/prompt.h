/*
 * Prompt reading: what the memory of a thread says of it (which functions of an interpreter it is
 * in, which request it works on), read as soon as the kernel has put its sample into a ring. The
 * worker comes to the sample a tenth of a second later.
 *
 *   kernel ── sample ──► ring ── wakes ──► looker: read(pid, tid) ──► kept by tid and time ──►
 * worker
 *
 * A looker is a thread that runs on the cpu of its ring, before all others there, if we may have
 * such. So the interrupt that takes a sample returns to the looker, and the program goes on when it
 * has been read. Where we may not, it runs as soon as the kernel lets it.
 *
 * Lookers look into the ring, but take nothing. The wanted processes are few: others cost a look at
 * a record. What is kept is bounded; of what did not fit, the worker finds nothing.
 *
 * Threads: new, free, lock, unlock and take belong to the worker. With the lock held, no looker
 * reads.
 */
#ifndef ORMA_PROBES_PERF_PROMPT_H
#define ORMA_PROBES_PERF_PROMPT_H
#include "probes/perf/ring.h"
#include "sdk/base/buf.h"

struct orma_perf_prompt;

/* Called by a looker, with the lock held. `ret` is empty. False: there is nothing to keep. */
typedef bool orma_perf_prompt_read(void *ctx, uint32_t pid, uint32_t tid, struct orma_buf *ret);

/* 0 or -errno. The rings must stay open until free(). */
int orma_perf_prompt_new(struct orma_perf_rings *rings, orma_perf_prompt_read *read, void *ctx,
                         struct orma_perf_prompt **ret);
/* NULL is fine, here and below. */
void orma_perf_prompt_free(struct orma_perf_prompt *self);

void orma_perf_prompt_lock(struct orma_perf_prompt *self);
void orma_perf_prompt_unlock(struct orma_perf_prompt *self);

/* What was read for the sample of that time, the caller's from now on; false: nothing. */
bool orma_perf_prompt_take(struct orma_perf_prompt *self, uint32_t tid, uint64_t time,
                           struct orma_buf *ret);
#endif
