/*
 * Memory for arrays with an item for each row. Small ones are malloc's. What is freed of large
 * ones is kept for the next: to get pages from the kernel, cleared, costs as much as many a query
 * does with them, and more in a virtual machine that hands its free memory back. Kept memory is the
 * kernel's whenever it needs some (MADV_FREE), and with what is in use hardly more than was in use
 * at once before. Huge pages are not asked for: a machine that hands free memory back has none at
 * hand, and queries walk through their arrays.
 *
 * What was allocated here is freed here; orma_large_free() and orma_large_resize() take what is
 * malloc's, too. Threads: any.
 */
#ifndef ORMA_PROCESSOR_STORE_LARGE_H
#define ORMA_PROCESSOR_STORE_LARGE_H
#include <stdbool.h>
#include <stddef.h>

/* As malloc(), calloc(), realloc() and free() do. */
void *orma_large_alloc(size_t bytes);
void *orma_large_zeroed(size_t num, size_t size);
void *orma_large_resize(void *mem, size_t bytes);
void orma_large_free(void *mem);

/* Bytes that are kept, and may still be in memory. */
size_t orma_large_kept(void);

/* Gives them back; not while another thread is at it, which a child after fork() has not. */
void orma_large_drop(void);
#endif
