/*
 * Memory for events. Not from malloc(), which a signal handler may have
 * interrupted: small pieces are cut from blocks of our own, by powers of two, and
 * kept for reuse; large ones are the kernel's pages.
 *
 * Sizes are the caller's to remember. Pieces are aligned to their power of two, up
 * to a page.
 *
 * Threads: any, and signal handlers while the guard is down (guard.h). The lock is
 * the innermost of all.
 */
#ifndef ORMA_SDK_BASE_MEM_H
#define ORMA_SDK_BASE_MEM_H
#include <stdbool.h>
#include <stddef.h>

/* Zero-filled; NULL when there is none. size > 0. */
void *orma_mem_new(size_t size);

/* At most 16 KiB, never freed, and all zero in a child, whichever way that was made (where the
 * kernel can: Linux 4.14). */
void *orma_mem_new_wiped(size_t size);

/* NULL is fine. `size` is that of orma_mem_new(), or of the last orma_mem_resize(). */
void orma_mem_free(void *p, size_t size);

/* As realloc(); what is added is not cleared. NULL: no memory, and `p` is as it was. */
void *orma_mem_resize(void *p, size_t old_size, size_t size);

/* In a child process: what the parent's threads may have been changing is left as it is. */
void orma_mem_after_fork(void);

/* For tests: asked before each new piece; true refuses it. NULL: nothing is refused. */
void orma_mem_set_refusal(bool (*refuse)(void));
#endif
