#include "traced/sandbox.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(HAVE_SECCOMP) && !defined(SANITIZED)
#include <sched.h>
#include <seccomp.h>

#include "sdk/base/defs.h"

/* By what they are for. Names that this machine's kernel does not have are left out. */
static const char *const allowed[] = {
    /* clients: connections that exist, and those that come */
    "accept", "accept4", "recvmsg", "recvfrom", "sendmsg", "sendto", "shutdown", "getsockopt",
    "setsockopt", "getsockname", "getpeername", "close",
    /* the loop */
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll",
    "select", "pselect6", "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    "pipe2",
    /* clocks */
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
    /* memory: buffers, shared memory of producers */
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "memfd_create", "ftruncate",
    "fallocate", "mlock", "munlock", "msync", "mincore",
    /* files: traces that are written, /proc of clients, socket files at the end */
    "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev",
    "pwritev2", "open", "openat", "lseek", "stat", "fstat", "lstat", "newfstatat", "statx",
    "statfs", "fstatfs", "access", "faccessat", "faccessat2", "fcntl", "dup", "dup2", "dup3",
    "fsync", "fdatasync", "sync_file_range", "unlink", "unlinkat", "readlink", "readlinkat",
    "getcwd", "getdents64", "sendfile", "splice", "copy_file_range", "flock", "ioctl",
    /* threads */
    "futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "sched_yield",
    "sched_getaffinity", "sched_setscheduler", "sched_getscheduler", "sched_getparam",
    "sched_setparam", "sched_get_priority_max", "sched_get_priority_min", "gettid",
    "set_tid_address", "prctl", "membarrier", "getpriority", "setpriority",
    /* signals and the end */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sigaltstack",
    "restart_syscall", "tgkill", "exit", "exit_group", "abort",
    /* who and where we are */
    "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getrandom",
    "uname", "sysinfo", "getrlimit", "prlimit64", "getrusage", "times", "umask",
    /* 32-bit kernels */
    "clock_gettime64", "clock_nanosleep_time64", "futex_time64", "mmap2", "fcntl64", "fstat64",
    "ftruncate64", "_llseek", "recvmmsg", "sendmmsg", "socketcall", "ugetrlimit", "stat64",
    "lstat64", "fstatat64", "ppoll_time64", "pselect6_time64", "timerfd_settime64",
    "timerfd_gettime64"};

/* Threads yes, processes no. clone3 hides its flags: told that it is missing, the C library uses
 * clone. */
static int allow_threads(scmp_filter_ctx ctx)
{
    int r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

    if (r < 0)
        return r;
    return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
}

int traced_sandbox_enter(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int r = ctx ? 0 : -ENOMEM;

    for (size_t i = 0; r == 0 && i < ORMA_ARRAY_LEN(allowed); i++) {
        int nr = seccomp_syscall_resolve_name(allowed[i]);

        if (nr != __NR_SCMP_ERROR && nr >= 0)
            r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, nr, 0);
    }
    if (r == 0)
        r = allow_threads(ctx);
    if (r == 0)
        r = seccomp_load(ctx); /* sets no_new_privs, too */
    if (ctx)
        seccomp_release(ctx);
    return r;
}
#else
int traced_sandbox_enter(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : -ENOSYS;
}
#endif
