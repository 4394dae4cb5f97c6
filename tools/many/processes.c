#include "tools/many/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned orma_many_at_once(unsigned asked)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return asked ? asked : cpus > 0 ? (unsigned)cpus : 1;
}

pid_t orma_many_fork(void)
{
    const pid_t parent = getpid();

    fflush(NULL); /* or both would write it */
    const pid_t pid = fork();
    if (pid)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it fails for bad arguments only */
    if (getppid() != parent)
        _exit(1);
    return 0;
}

int orma_many_wait(pid_t *ret_pid, int *ret_status)
{
    const pid_t pid = waitpid(-1, ret_status, 0);

    if (pid < 0)
        return -errno;
    *ret_pid = pid;
    return 0;
}

bool orma_many_put_signal(struct orma_buf *why, const char *what, int status)
{
    if (!WIFSIGNALED(status))
        return false;
    orma_buf_printf(why, "%s was killed by signal %d", what, WTERMSIG(status));
    return true;
}
