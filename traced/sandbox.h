/*
 * The rights that the program `traced` keeps once it listens: the system calls of
 * a service that already has its sockets; no child can gain more. For the program only; a process
 * that hosts the service as a library has rights of its own.
 */
#ifndef ORMA_TRACED_SANDBOX_H
#define ORMA_TRACED_SANDBOX_H

/*
 * Irrevocable, for this thread and those it starts. A call outside the list
 * fails with EPERM. 0; -ENOSYS: built without libseccomp or with a sanitizer,
 * only no_new_privs is set; -errno.
 */
int traced_sandbox_enter(void);
#endif
