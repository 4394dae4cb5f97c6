/* What only some C libraries have, for all of them. Threads: any. */
#ifndef ORMA_SDK_BASE_LIBC_H
#define ORMA_SDK_BASE_LIBC_H
#include <malloc.h>

/* Gives memory that is not used back to the kernel, where it would stay with us. */
static inline void orma_libc_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); /* only smaller */
#endif
}
#endif
