/* Processes of traces, side by side: one that reads a hostile file may die, and takes nothing along. */
#ifndef ORMA_TOOLS_MANY_PROCESSES_H
#define ORMA_TOOLS_MANY_PROCESSES_H
#include <sys/types.h>

#include "sdk/base/buf.h"

/* What to say of one that ended well and left nothing. */
#define ORMA_MANY_NO_RESULT "its process left no result (out of disk space or memory?)"

/* So many at once: what was asked for, or as many as there are CPUs. */
unsigned orma_many_at_once(unsigned asked);

/* As fork(), for a child that goes when its parent does: nobody would read what it finds. */
pid_t orma_many_fork(void);

/* Waits for any child. 0 and its pid; -EINTR, or -errno for another reason. */
int orma_many_wait(pid_t *ret_pid, int *ret_status);

/* "its process was killed by signal 9", with another word for the process. False: it was not. */
bool orma_many_put_signal(struct orma_buf *why, const char *what, int status);
#endif
