/*
 * The command of `orma record -- COMMAND`: started with the sockets of the
 * service in its environment, and with the wish that its programs wait for that
 * service (ORMA_CONNECT_WAIT_MS, unless the user has set it). SIGCHLD reports its
 * end.
 */
#ifndef ORMA_TOOLS_RECORD_CHILD_H
#define ORMA_TOOLS_RECORD_CHILD_H
#include <stdbool.h>
#include <sys/types.h>

/* Signals are unblocked and default again in the child. Addresses may be NULL. The pid, or -errno.
 */
pid_t orma_record_child_spawn(char *const *argv, const char *producer_addr,
                              const char *consumer_addr);

/* Is there a program of this name, in PATH unless it has a slash? */
bool orma_record_child_exists(const char *name);

/* True once it has ended; *ret_code as a shell would say it (128 + signal). */
bool orma_record_child_reap(pid_t pid, int *ret_code);
#endif
