/*
 * Memory in files, for blocks of columns and arrays of queries that the memory of the process has
 * no room for: files without a name in $TMPDIR, or /var/tmp or /tmp, mapped, whose pages the kernel
 * writes out when somebody needs memory. Their space on the disk is reserved before they are used.
 *
 *   half of the limit ── what is new and large lies in files from here on
 *
 * Small pieces lie side by side in files of 64 MB, which go when the last piece of them does. After
 * fork() both sides see the same bytes: they write to no piece that the other one knows.
 *
 * Threads: any.
 */
#ifndef ORMA_PROCESSOR_STORE_SPILL_H
#define ORMA_PROCESSOR_STORE_SPILL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit in the environment, as "2g". */
#define ORMA_SPILL_VARIABLE "ORMA_MEMORY_LIMIT"

/* Who knows how many bytes the process may have, pages of files aside; asked when it first counts.
 * The first one stays. */
void orma_spill_ask(uint64_t (*limit)(void));
/* No more than so many: the least that was ever said counts. */
void orma_spill_limit(uint64_t bytes);

/* Whether `more` bytes would be too many; what was found holds for some of them. */
bool orma_spill_is_needed(size_t more);
/* What the process has in memory, without pages of files. 0: unknown. */
uint64_t orma_spill_memory_used(void);

/* Whether the disk has room for so many now. */
bool orma_spill_has_room(uint64_t bytes);
/* Locks are taken before a fork(), and those of who calls this before ours: registered once. */
void orma_spill_watch_forks(void);

/* Zeros in a file of their own; NULL: no file could be made. */
void *orma_spill_map(size_t bytes);
void orma_spill_unmap(void *at, size_t bytes);

/* Bytes among others, at least 8 of which may be read behind them; NULL: no file could be made. */
void *orma_spill_take(size_t bytes);
void orma_spill_give(void *at);
/* Whether nobody else sees what is written to such pieces. */
bool orma_spill_is_ours(void);
#endif
