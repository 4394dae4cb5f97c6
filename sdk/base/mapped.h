/*
 * Mapped files: the bytes of a file that others may shorten or rewrite while we read.
 *
 * A page that is no longer in its file raises SIGBUS where it is touched. Here that is not the end
 * of the process: the page and all that follow it become zeroes, and the mapping is marked. What
 * was read so far stays what it was. orma_mapped_changed() also notices a file that was rewritten
 * in place, as far as its size or its first bytes tell; a file that only grows is no change.
 * Readers must be prepared for other bytes at each look.
 *
 * The handler is installed for the process with the first mapping and gives way to the one before
 * it with the last, unless somebody has put theirs in front meanwhile. A SIGBUS at any other
 * address goes to the handler before ours, as if we were not there. A host that installs its own
 * later must call the old one in turn; a host that wants no handler at all reads files through
 * orma_processor_feed().
 *
 * Threads: any may read. A mapping is opened, asked and closed by one thread at a time, while no
 * other reads it; different mappings are independent.
 */
#ifndef ORMA_SDK_BASE_MAPPED_H
#define ORMA_SDK_BASE_MAPPED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_mapped;

/* Maps the whole of a regular file that is not empty. Keeps a duplicate of `fd`. 0 or -errno. */
int orma_mapped_open(int fd, struct orma_mapped **ret);

/*
 * Watches a mapping of the caller's, of memory that others may make smaller: what is missing
 * becomes zeroes that can be written, and the mapping is marked. orma_mapped_close() unmaps it.
 * -errno: the mapping stays as it is, the caller's.
 */
int orma_mapped_watch(void *base, size_t size, struct orma_mapped **ret);

/* Of one among many: it stays mapped, its descriptor is closed, and only torn() tells of changes.
 */
void orma_mapped_drop_fd(struct orma_mapped *self);

/* NULL is fine. */
void orma_mapped_close(struct orma_mapped *self);

const uint8_t *orma_mapped_data(const struct orma_mapped *self);
size_t orma_mapped_size(const struct orma_mapped *self);

/* Where in the mapping `at` is; -1: elsewhere, or `self` is NULL. */
int64_t orma_mapped_offset(const struct orma_mapped *self, const uint8_t *at);

/*
 * Pages of a file count as memory of the process while they are mapped, and it costs to map them
 * one by one. So who walks over the file says what it will read next, and, of what is read twice,
 * which part it has behind it. What is let go is mapped again where somebody looks at it.
 */
void orma_mapped_read_on(struct orma_mapped *self, size_t from, size_t to);
/* Bytes that may lie outside of the mapping. */
void orma_mapped_let_go(struct orma_mapped *self, const uint8_t *from, const uint8_t *to);
/* All of a file that is not small; NULL is fine. */
void orma_mapped_let_go_all(struct orma_mapped *self);

/* True once bytes were missing where a reader looked. Any thread. */
bool orma_mapped_torn(const struct orma_mapped *self);

/* True if the bytes are not those that were mapped; sticky. Costs a system call. */
bool orma_mapped_changed(struct orma_mapped *self);
#endif
