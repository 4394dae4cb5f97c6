/*
 * Huge pages for memory that is about to be filled from one end to the other. Touching small pages
 * one by one takes longer than many a way to fill them, most of all in a virtual machine.
 *
 * Not for memory of which only parts are used: all of a huge page counts. Where the kernel has none
 * at hand, or gives none, the pages are small ones.
 */
#ifndef ORMA_SDK_BASE_HUGE_H
#define ORMA_SDK_BASE_HUGE_H
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define ORMA_HUGE_PAGE ((size_t)2 << 20)

/* Only whole huge pages between the two ends become such. */
static inline void orma_huge_ask(void *mem, size_t bytes)
{
    const uintptr_t mask = ORMA_HUGE_PAGE - 1, begin = ((uintptr_t)mem + mask) & ~mask,
                    end = ((uintptr_t)mem + bytes) & ~mask;

#ifdef MADV_HUGEPAGE
    if (begin < end)
        (void)madvise((char *)mem + (begin - (uintptr_t)mem), end - begin, MADV_HUGEPAGE);
#else
    (void)begin, (void)end;
#endif
}
#endif
