#include "tools/heap/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"
#include "sdk/heap/shared.h"

#define MAPS_MAX (32u << 20)
#define ERRNO_MAX 4095
#define DATA_MAX (1u << 20)
#define ANSWER_MS 2000 /* memory that takes longer is no memory */

/*
 * Reads, or writes, in a process of its own: a page of a file system that the watched process
 * serves itself comes when it likes, and not even SIGKILL ends such a wait. What does not answer is
 * left alone. The child raises no signal, shares what is copied, and calls the kernel only.
 */
static int exchange(pid_t pid, bool write, uint64_t address, void *data, size_t len)
{
    void *shared = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct iovec here = {shared, len}, there = {(void *)(uintptr_t)address, len};
    int status = 0;

    if (shared == MAP_FAILED)
        return -errno;
    memcpy(shared, data, len);
    pid_t child = (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L);
    if (child == 0) {
        ssize_t n = syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, pid, &here, 1L,
                            &there, 1L, 0L);

        syscall(SYS_exit_group, n < 0 ? errno : (size_t)n == len ? 0 : EFAULT);
    }
    int r = child < 0 ? -errno : 0;
    ORMA_AUTO(orma_fd_close) int ended = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    struct pollfd p = {.fd = ended, .events = POLLIN};
    if (r == 0 && ended >= 0 && poll(&p, 1, ANSWER_MS) == 0) {
        (void)kill(child, SIGKILL);
        r = -ETIMEDOUT;
    } else if (r == 0) {
        r = waitpid(child, &status, __WALL) < 0 ? -errno
            : WIFEXITED(status)                 ? -WEXITSTATUS(status)
                                                : -EIO; /* somebody killed it */
        memcpy(data, shared, len);
    }
    munmap(shared, len);
    return r;
}

static int copy_from(pid_t pid, uint64_t address, void *to, size_t len)
{
    return exchange(pid, false, address, to, len);
}

/* What it holds is where it is only by chance otherwise. */
static int search(struct orma_heap_target *self, uint64_t from, uint64_t to)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf data = {0};
    const uint64_t magic[2] = {ORMA_HEAP_ATTACH_MAGIC, ~ORMA_HEAP_ATTACH_MAGIC};
    uint8_t *bytes = to - from <= DATA_MAX ? orma_buf_extend(&data, to - from) : NULL;
    int r = bytes ? copy_from(self->pid, from, bytes, to - from) : -ENOENT;

    if (r < 0)
        return r;
    for (size_t at = 0; at + sizeof(struct orma_heap_attach) <= data.len; at += 8) {
        if (memcmp(bytes + at, magic, sizeof(magic)) != 0)
            continue;
        self->address = from + at;
        return 0;
    }
    return -ENOENT;
}

static int search_line(struct orma_heap_target *self, struct orma_str line)
{
    char text[512], access[8] = "";
    unsigned long long from, to;

    snprintf(text, sizeof(text), "%.*s", ORMA_STR_ARG(line));
    if (sscanf(text, "%llx-%llx %7s", &from, &to, access) != 3 || access[1] != 'w' || from >= to)
        return -ENOENT;
    return search(self, from, to);
}

int orma_heap_attach_find(struct orma_heap_target *self, pid_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line;
    uint32_t active = 0;
    char path[40];
    int r;

    *self = (struct orma_heap_target){.pid = pid};
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    r = orma_fd_read_file(AT_FDCWD, path, MAPS_MAX, &text);
    if (r < 0)
        return r == -ENOENT ? -ESRCH : r;
    rest = orma_buf_str(&text);
    r = -ENOENT;
    while (r == -ENOENT && rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (orma_str_find(line, ORMA_STR("/liborma_heap.so")))
            r = search_line(self, line);
    }
    if (r == 0)
        r = copy_from(pid, self->address + offsetof(struct orma_heap_attach, active), &active,
                      sizeof(active));
    return r == 0 && active ? -EBUSY : r;
}

int orma_heap_attach_ask(const struct orma_heap_target *self, uint64_t interval)
{
    int32_t none = 0;
    /* What it said to somebody before us. */
    int r = interval
                ? exchange(self->pid, true, self->address + offsetof(struct orma_heap_attach, fd),
                           &none, sizeof(none))
                : 0;

    return r < 0 ? r
                 : exchange(self->pid, true,
                            self->address + offsetof(struct orma_heap_attach, wanted), &interval,
                            sizeof(interval));
}

bool orma_heap_attach_refused(const struct orma_heap_target *self, int *ret)
{
    *ret = self->refused;
    return self->refused != 0;
}

int orma_heap_attach_take(struct orma_heap_target *self)
{
    char path[64];
    struct stat st;
    int32_t number = 0;

    self->refused = 0;
    int r = copy_from(self->pid, self->address + offsetof(struct orma_heap_attach, fd), &number,
                      sizeof(number));

    if (r == 0 && number < 0 && number >= -ERRNO_MAX) {
        self->refused = -number;
        r = number;
    }
    if (r < 0 || number <= 0)
        return r < 0 ? r : number ? -EBADMSG : -EAGAIN;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)self->pid, number - 1);
    /* The program says the number: opening a device could do something already. */
    ORMA_AUTO(orma_fd_close) int at = open(path, O_PATH | O_CLOEXEC);
    if (at < 0 || fstat(at, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EBADMSG;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? -errno : fd;
}
