/*
 * Look: where a thread waits, as /proc shows it to the user who owns it: stack pointer and pc at
 * its system call, the memory above, the function of the kernel that it sleeps in. What the other
 * registers hold nobody tells. The thread may run on meanwhile: the caller has to find out.
 *
 * Threads: none.
 */
#ifndef ORMA_PROBES_PERF_LOOK_H
#define ORMA_PROBES_PERF_LOOK_H
#include <stddef.h>
#include <stdint.h>

#define ORMA_PERF_LOOK_STACK 16384u
#define ORMA_PERF_LOOKS_MAX 16u

struct orma_perf_look {
    uint64_t sp, pc;
    size_t stack_len;
    char wait_channel[40];
    _Alignas(8) uint8_t stack[ORMA_PERF_LOOK_STACK];
};

/* 0; -EBUSY: it runs; -EACCES, -EPERM: its memory is closed to us; -ESRCH. */
int orma_perf_look(int proc_fd, uint32_t pid, uint32_t tid, struct orma_perf_look *ret);
#endif
