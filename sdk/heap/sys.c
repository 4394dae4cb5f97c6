/* By number: the functions of the C library may be ours, or act on a cancellation. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "sdk/heap/parts.h"

void *orma_hook_sys_mmap(void *at, size_t len, int prot, int flags, int fd, int64_t offset)
{
    return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

int orma_hook_sys_munmap(void *at, size_t len)
{
    return (int)syscall(SYS_munmap, at, len);
}

void *orma_hook_sys_mremap(void *old, size_t old_len, size_t len, int flags, void *to)
{
    return (void *)syscall(SYS_mremap, old, old_len, len, flags, to);
}

int orma_hook_sys_open(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
}

int orma_hook_sys_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

int orma_hook_sys_fstat(int fd, struct stat *ret)
{
    return (int)syscall(SYS_fstat, fd, ret);
}

int orma_hook_sys_memory(const char *name, size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    if (syscall(SYS_ftruncate, fd, size) == 0 &&
        syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    (void)orma_hook_sys_close(fd);
    return -1;
}

int64_t orma_hook_sys_copy(void *to, const void *from, size_t len)
{
    const struct iovec here = {to, len}, there = {(void *)(uintptr_t)from, len};

    return syscall(SYS_process_vm_readv, syscall(SYS_getpid), &here, 1, &there, 1, 0);
}

uint32_t orma_hook_sys_gettid(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

void orma_hook_sys_nap(void)
{
    const struct timespec t = {0, 200000};

    (void)syscall(SYS_nanosleep, &t, NULL);
}

uint64_t orma_hook_sys_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_BOOTTIME, &t); /* the vdso's */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
