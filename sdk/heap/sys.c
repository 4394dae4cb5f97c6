/* By number: the functions of the C library may be ours, or act on a cancellation. */
#include <errno.h>
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

/* One line of /proc/PID/maps, as far as it was read: "START-END MODE OFFSET DEVICE INODE PATH". */
struct line {
    uint64_t number, start, end;
    unsigned field, same; /* same: characters of the path that are those of NO_FILE */
    bool has_inode;
};

/* What the kernel calls memory that is shared with children. */
#define NO_FILE "/dev/zero (deleted)"

static void take(struct line *line, char c)
{
    if (line->field == 0 && c == '-') {
        line->start = line->number;
        line->number = 0;
    } else if (line->field < 5 && c == ' ') {
        line->end = line->field ? line->end : line->number;
        line->field++;
    } else if (line->field == 0) {
        line->number = line->number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    } else if (line->field == 4) {
        line->has_inode |= c != '0';
    } else if (line->field == 5 && (line->same || c != ' ')) {
        line->same = line->same < sizeof(NO_FILE) && c == NO_FILE[line->same] ? line->same + 1
                                                                              : sizeof(NO_FILE);
    }
}

bool orma_hook_sys_is_file(const void *at)
{
    const int saved = errno,
              fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    struct line line = {0};
    char block[512];
    bool found = false;
    long n;

    while (fd >= 0 && !found && (n = syscall(SYS_read, fd, block, sizeof(block))) > 0) {
        for (long i = 0; i < n && !found; i++) {
            if (block[i] != '\n') {
                take(&line, block[i]);
                continue;
            }
            found = (uintptr_t)at - line.start < line.end - line.start;
            if (!found)
                line = (struct line){0};
        }
    }
    if (fd >= 0)
        (void)orma_hook_sys_close(fd);
    errno = saved;
    return found && line.has_inode && line.same != sizeof(NO_FILE) - 1;
}

/* Not the number of a standard stream that is closed: whoever prints would write into it. */
static int off_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    const int other = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3), saved = errno;

    (void)syscall(SYS_close, fd);
    errno = saved;
    return other;
}

int orma_hook_sys_open(const char *path)
{
    return off_standard((int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
}

int orma_hook_sys_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

int orma_hook_sys_fstat(int fd, struct stat *ret)
{
    return (int)syscall(SYS_fstat, fd, ret);
}

bool orma_hook_sys_keeps_size(int fd)
{
    const int seals = (int)syscall(SYS_fcntl, fd, F_GET_SEALS);

    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

    return seals >= 0 && (seals & all) == all;
}

int orma_hook_sys_memory(const char *name)
{
    return off_standard((int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
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

uint32_t orma_hook_sys_getpid(void)
{
    return (uint32_t)syscall(SYS_getpid);
}

uint64_t orma_hook_sys_pid_space(void)
{
    const int saved = errno;
    struct stat st;
    uint64_t ret =
        syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0) == 0 ? st.st_ino : 0;

    errno = saved;
    return ret;
}

void *orma_hook_sys_own_page(void)
{
    const int saved = errno;
    void *page =
        orma_hook_sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page != MAP_FAILED && syscall(SYS_madvise, page, 4096, MADV_WIPEONFORK) < 0) {
        (void)orma_hook_sys_munmap(page, 4096);
        page = MAP_FAILED;
    }
    errno = saved;
    return page == MAP_FAILED ? NULL : page;
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
