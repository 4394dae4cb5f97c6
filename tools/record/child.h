/*
 * The command of `orma record -- COMMAND`: started with the sockets of the
 * service in its environment, and with the wish that its programs wait for that
 * service (ORMA_CONNECT_WAIT_MS, unless the user has set it). SIGCHLD reports its
 * end.
 *
 * A command that is prepared has its process already, which does nothing until
 * it is released: what watches processes can be set up for it before.
 */
#ifndef ORMA_TOOLS_RECORD_CHILD_H
#define ORMA_TOOLS_RECORD_CHILD_H
#include <stdbool.h>
#include <sys/types.h>

struct orma_record_child {
    pid_t pid; /* 0: none */
    int go_fd, error_fd;
};

/* Signals are unblocked and default again in the child. Addresses may be NULL. The pid, or -errno.
 */
pid_t orma_record_child_spawn(char *const *argv, const char *producer_addr,
                              const char *consumer_addr);

/* Before threads are started. 0 or -errno. */
int orma_record_child_prepare(struct orma_record_child *self, char *const *argv);

/* Runs its program. 0, or -errno of what the kernel says to it; then it has ended. */
int orma_record_child_release(struct orma_record_child *self, const char *producer_addr,
                              const char *consumer_addr);

/* One that was not released ends, and is waited for. */
void orma_record_child_drop(struct orma_record_child *self);

/* Is there a program of this name, in PATH unless it has a slash? */
bool orma_record_child_exists(const char *name);

/* Where it is; `path` has room for PATH_MAX bytes. False: nowhere. */
bool orma_record_child_find(const char *name, char *path);

/* Would running it change our rights (setuid, setgid)? Then nobody but root may watch it. */
bool orma_record_child_changes_rights(const char *name);

/* True once it has ended; *ret_code as a shell would say it (128 + signal). */
bool orma_record_child_reap(pid_t pid, int *ret_code);
#endif
