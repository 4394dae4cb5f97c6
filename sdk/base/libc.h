/* What only some C libraries have, for all of them. Threads: any. */
#ifndef ORMA_SDK_BASE_LIBC_H
#define ORMA_SDK_BASE_LIBC_H
#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>

/* As scandir(), of a path below a folder. */
static inline int orma_libc_scandir(int dir_fd, const char *path, struct dirent ***ret,
                                    int (*filter)(const struct dirent *),
                                    int (*order)(const struct dirent **, const struct dirent **))
{
    char whole[PATH_MAX];
    int len = snprintf(whole, sizeof(whole), "/proc/self/fd/%d/%s", dir_fd, path);

    return len < 0 || (size_t)len >= sizeof(whole) ? -1 : scandir(whole, ret, filter, order);
}

/* Gives memory that is not used back to the kernel, where it would stay with us. */
static inline void orma_libc_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); /* only smaller */
#endif
}
#endif
