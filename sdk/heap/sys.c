/*
 * By number: the functions of the C library may be ours, or act on a cancellation. `syscall` is one
 * of those, so the calls are made here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "sdk/heap/parts.h"

#ifdef ORMA_HEAP_RAW_CALLS
long orma_hook_sys_raw(long number, const long args[6])
{
#ifdef __x86_64__
    register long d __asm__("r10") = args[3];
    register long e __asm__("r8") = args[4];
    register long f __asm__("r9") = args[5];
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(d), "r"(e), "r"(f)
                     : "rcx", "r11", "memory");
    return ret;
#else
    register long n __asm__("x8") = number;
    register long a __asm__("x0") = args[0];
    register long b __asm__("x1") = args[1];
    register long c __asm__("x2") = args[2];
    register long d __asm__("x3") = args[3];
    register long e __asm__("x4") = args[4];
    register long f __asm__("x5") = args[5];

    __asm__ volatile("svc 0" : "+r"(a) : "r"(n), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f) : "memory");
    return a;
#endif
}

static long call_with(long number, const long args[6])
{
    long ret = orma_hook_sys_raw(number, args);

    if (ret < 0 && ret > -4096) {
        errno = (int)-ret;
        return -1;
    }
    return ret;
}

/* What is missing is 0. */
#define CALL(number, ...) call_with((number), (const long[6]){__VA_ARGS__})
#else
#define CALL(number, ...) syscall(number, __VA_ARGS__)
#endif
#ifdef SYS_newfstatat
#define STAT_AT SYS_newfstatat
#else /* of 32 bits */
#define STAT_AT SYS_fstatat64
#endif
#define AT(pointer) ((long)(uintptr_t)(pointer))

/* ---- what a sandbox forbids ---- */

static _Atomic bool confined;

void orma_hook_sys_confine(void)
{
    atomic_store_explicit(&confined, true, memory_order_relaxed);
}

bool orma_hook_sys_is_confined(void)
{
    return atomic_load_explicit(&confined, memory_order_relaxed);
}

static bool is_forbidden(void)
{
    if (!orma_hook_sys_is_confined())
        return false;
    errno = EPERM;
    return true;
}

#define KERNEL_SIGSET_BYTES 8

struct orma_hook_signals orma_hook_sys_block_signals(void)
{
    const uint64_t all = ~UINT64_C(0);
    struct orma_hook_signals ret = {0};

    if (!orma_hook_sys_is_confined())
        ret.blocked =
            CALL(SYS_rt_sigprocmask, SIG_SETMASK, AT(&all), AT(&ret.old), KERNEL_SIGSET_BYTES) == 0;
    return ret;
}

void orma_hook_sys_unblock_signals(const struct orma_hook_signals *self)
{
    if (self->blocked)
        (void)CALL(SYS_rt_sigprocmask, SIG_SETMASK, AT(&self->old), 0, KERNEL_SIGSET_BYTES);
}

/* ---- memory ---- */

void *orma_hook_sys_mmap(void *at, size_t len, int prot, int flags, int fd, int64_t offset)
{
#ifdef SYS_mmap2 /* of 32 bits: the offset in units of 4096 bytes */
    return (void *)CALL(SYS_mmap2, AT(at), (long)len, prot, flags, fd, (long)(offset / 4096));
#else
    return (void *)CALL(SYS_mmap, AT(at), (long)len, prot, flags, fd, offset);
#endif
}

int orma_hook_sys_munmap(void *at, size_t len)
{
    return (int)CALL(SYS_munmap, AT(at), (long)len);
}

void *orma_hook_sys_mremap(void *old, size_t old_len, size_t len, int flags, void *to)
{
    return (void *)CALL(SYS_mremap, AT(old), (long)old_len, (long)len, flags, AT(to));
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
    const int saved = errno, fd = is_forbidden()
                                      ? -1
                                      : (int)CALL(SYS_openat, AT_FDCWD, AT("/proc/self/maps"),
                                                  O_RDONLY | O_CLOEXEC);
    struct line line = {0};
    char block[512];
    bool found = false;
    long n;

    while (fd >= 0 && !found && (n = CALL(SYS_read, fd, AT(block), sizeof(block))) > 0) {
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
    const int other = (int)CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3), saved = errno;

    (void)CALL(SYS_close, fd);
    errno = saved;
    return other;
}

int orma_hook_sys_open(const char *path, int flags)
{
    return off_standard((int)CALL(SYS_openat, AT_FDCWD, AT(path), flags | O_CLOEXEC));
}

int orma_hook_sys_close(int fd)
{
    return (int)CALL(SYS_close, fd);
}

int orma_hook_sys_fstat(int fd, struct stat *ret)
{
    return (int)CALL(SYS_fstat, fd, AT(ret));
}

bool orma_hook_sys_keeps_size(int fd)
{
    const int seals = (int)CALL(SYS_fcntl, fd, F_GET_SEALS);

    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

    return seals >= 0 && (seals & all) == all;
}

int orma_hook_sys_memory(const char *name)
{
    return off_standard((int)CALL(SYS_memfd_create, AT(name), MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

int64_t orma_hook_sys_copy(void *to, const void *from, size_t len)
{
    const struct iovec here = {to, len}, there = {(void *)(uintptr_t)from, len};

    if (is_forbidden())
        return -1;
    return CALL(SYS_process_vm_readv, CALL(SYS_getpid, 0), AT(&here), 1, AT(&there), 1, 0);
}

uint32_t orma_hook_sys_gettid(void)
{
    return is_forbidden() ? 0 : (uint32_t)CALL(SYS_gettid, 0);
}

uint32_t orma_hook_sys_getpid(void)
{
    return (uint32_t)CALL(SYS_getpid, 0);
}

uint64_t orma_hook_sys_pid_space(void)
{
    const int saved = errno;
    struct stat st;
    uint64_t ret =
        CALL(STAT_AT, AT_FDCWD, AT("/proc/self/ns/pid"), AT(&st), 0) == 0 ? st.st_ino : 0;

    errno = saved;
    return ret;
}

void *orma_hook_sys_own_page(void)
{
    const int saved = errno;
    void *page =
        orma_hook_sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page != MAP_FAILED && CALL(SYS_madvise, AT(page), 4096, MADV_WIPEONFORK) < 0) {
        (void)orma_hook_sys_munmap(page, 4096);
        page = MAP_FAILED;
    }
    errno = saved;
    return page == MAP_FAILED ? NULL : page;
}

void orma_hook_sys_nap(void)
{
    const struct timespec t = {0, 200000};

    (void)CALL(SYS_nanosleep, AT(&t), 0);
}

/* ---- time ---- */

/* The vdso's. */
static uint64_t read_clock(clockid_t clock)
{
    struct timespec t = {0};

    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static _Atomic bool is_coarse;
static uint64_t asleep_ns; /* what the boot clock is ahead of the other */

void orma_hook_sys_leave_counter(void)
{
    if (atomic_load_explicit(&is_coarse, memory_order_relaxed))
        return;
    asleep_ns = read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC);
    atomic_store_explicit(&is_coarse, true, memory_order_release);
}

uint64_t orma_hook_sys_now(void)
{
    if (atomic_load_explicit(&is_coarse, memory_order_acquire))
        return read_clock(CLOCK_MONOTONIC_COARSE) + asleep_ns;
    return read_clock(CLOCK_BOOTTIME);
}
