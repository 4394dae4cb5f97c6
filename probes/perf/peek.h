/*
 * Reads the memory of other processes in a process of its own.
 *
 * Who owns the memory may let a read wait for ever: a page of a file system that he serves himself
 * (FUSE) comes when he likes, and not even SIGKILL ends such a wait. So it is a child that waits.
 * One that does not answer in time is left alone, and its owner is not asked again.
 *
 * The child has nothing of ours, gets what it reads from as a descriptor (who may look into a
 * process is asked where it is opened), ends with us, and is begun with the first read. Threads:
 * one at a time; each reader has its own.
 */
#ifndef ORMA_PROBES_PERF_PEEK_H
#define ORMA_PROBES_PERF_PEEK_H
#include <stddef.h>
#include <stdint.h>

#define ORMA_PERF_PEEK_PAGE 4096u
#define ORMA_PERF_PEEK_MAX 32u /* pages at once */

struct orma_perf_peek;

/* What is read: /proc/PID/mem, open. `key`: each that was opened has another; not 0. */
struct orma_perf_peek_of {
    uint64_t key;
    int fd;
};

/* `timeout_ms`: how long an answer may take. NULL: no memory. */
struct orma_perf_peek *orma_perf_peek_new(int timeout_ms);

/* A child that hangs stays behind, with the memory that it reads to. NULL is fine. */
void orma_perf_peek_free(struct orma_perf_peek *self);

/*
 * The pages at `bases`, `num` of them, one after the other: *ret, until the next call. Bit i of
 * *ret_there: page i could be read. -ETIMEDOUT: nothing comes, and nobody should ask again for this
 * memory. -EAGAIN: too many hang already. Other errors: there is no child.
 */
int orma_perf_peek_read(struct orma_perf_peek *self, struct orma_perf_peek_of of,
                        const uint64_t *bases, size_t num, const uint8_t **ret,
                        uint32_t *ret_there);
#endif
