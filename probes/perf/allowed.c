#include "probes/perf/allowed.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *orma_perf_filter_reason(void)
{
    /* The kernel looks at the flags before it looks at rights: it says EINVAL to everybody. */
    (void)syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul);
    return errno == EPERM || errno == EACCES
               ? "a filter of system calls (seccomp) forbids perf_event_open, as in containers: "
                 "start this one with --security-opt seccomp=unconfined --cap-add PERFMON, or use "
                 "'orma profile -p PID' outside of it"
               : NULL;
}

/* As root or by kernel.perf_event_paranoid: all processes, or our own. */
static bool may_open(int pid, bool without_kernel)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .exclude_kernel = without_kernel,
                                   .disabled = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, pid, pid ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

bool orma_perf_allowed(char *why, size_t why_size)
{
    /* Our own processes are enough: a config may ask for them. */
    if (may_open(-1, false) || may_open(0, true))
        return true;
    const int err = errno;
    const char *filter = orma_perf_filter_reason();

    if (filter)
        snprintf(why, why_size, "%s", filter);
    else if (err == EACCES || err == EPERM)
        snprintf(why, why_size,
                 "needs root, CAP_PERFMON, or: sudo sysctl kernel.perf_event_paranoid=-1 (2 for "
                 "your own programs)");
    else
        snprintf(why, why_size, "this kernel has no perf events: %s", strerror(err));
    return false;
}
