/*
 * Attaching to a program that runs with our library in it, idle: its memory is asked for the
 * library, told that we are there, and gives us the memory to share (sdk/heap/shared.h).
 *
 * Nothing is stopped, no code is put into it: whoever may trace a process may do that.
 */
#ifndef ORMA_TOOLS_HEAP_ATTACH_H
#define ORMA_TOOLS_HEAP_ATTACH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct orma_heap_target {
    pid_t pid;
    uint64_t address; /* of its struct orma_heap_attach */
    int refused;      /* error number; 0: it did not say */
};

/*
 * 0; -ESRCH: no such process, -ENOENT: it has no library of ours, -EBUSY: somebody watches it
 * already, -EPERM, -EACCES: it is not ours to watch.
 */
int orma_heap_attach_find(struct orma_heap_target *self, pid_t pid);

/* Says that we want samples, or that we do not any more (interval 0). 0 or -errno. */
int orma_heap_attach_ask(const struct orma_heap_target *self, uint64_t interval);

/* The memory; -EAGAIN: it has not allocated enough yet to look. */
int orma_heap_attach_take(struct orma_heap_target *self);

/* Did the library say why there is no memory? That, as an error number. */
bool orma_heap_attach_refused(const struct orma_heap_target *self, int *ret);
#endif
