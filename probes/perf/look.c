#include "probes/perf/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"

#define LINE_MAX_LEN 400u

static int read_line(int proc_fd, uint32_t pid, uint32_t tid, const char *name,
                     char ret[LINE_MAX_LEN])
{
    char path[64];

    snprintf(path, sizeof(path), "%u/task/%u/%s", pid, tid, name);
    ORMA_AUTO(orma_fd_close) int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, ret, LINE_MAX_LEN - 1);
    if (len < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    ret[len] = '\0';
    return 0;
}

/* "0 0x3 0x7f... (arguments) 0x7ffc... 0x7f...": the last two are sp and pc. "running": neither. */
static int parse_syscall(const char *line, struct orma_perf_look *ret)
{
    const char *pc = strrchr(line, ' '), *sp = pc;
    unsigned long long at_sp, at_pc;

    while (sp && sp > line && sp[-1] != ' ')
        sp--;
    if (!sp || sp == line || sscanf(sp, "0x%llx 0x%llx", &at_sp, &at_pc) != 2)
        return -EBUSY;
    ret->sp = at_sp;
    ret->pc = at_pc;
    return 0;
}

/* Up to the end of what is mapped: a stack may be shorter than we would like. */
static int read_stack(int proc_fd, uint32_t pid, struct orma_perf_look *ret)
{
    char path[32];

    snprintf(path, sizeof(path), "%u/mem", pid);
    ORMA_AUTO(orma_fd_close) int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    ssize_t len = pread(fd, ret->stack, sizeof(ret->stack), (off_t)ret->sp);
    if (len < 0)
        return -errno;
    ret->stack_len = (size_t)len & ~(size_t)7;
    return 0;
}

int orma_perf_look(int proc_fd, uint32_t pid, uint32_t tid, struct orma_perf_look *ret)
{
    char line[LINE_MAX_LEN];
    int r = read_line(proc_fd, pid, tid, "syscall", line);

    if (r == 0)
        r = parse_syscall(line, ret);
    if (r == 0)
        r = read_stack(proc_fd, pid, ret);
    if (r < 0)
        return r;
    *ret->wait_channel = '\0';
    if (read_line(proc_fd, pid, tid, "wchan", line) == 0 && strcmp(line, "0") != 0)
        snprintf(ret->wait_channel, sizeof(ret->wait_channel), "%.39s", line);
    return 0;
}
