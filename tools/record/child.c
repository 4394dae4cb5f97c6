#include "tools/record/child.h"

#include <errno.h>
#include <paths.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orma/tracing.h"
#include "sdk/base/str.h"
#include "sdk/ipc/sock.h"

/* There is a session for it, so its first events are worth the wait. */
#define CONNECT_WAIT_MS "2000"

extern char **environ;

pid_t orma_record_child_spawn(char *const *argv, const char *producer_addr,
                              const char *consumer_addr)
{
    posix_spawnattr_t attr;
    sigset_t none, all;
    pid_t pid;

    if ((producer_addr && setenv(ORMA_SOCK_PRODUCER_ENV, producer_addr, 1) < 0) ||
        (consumer_addr && setenv(ORMA_SOCK_CONSUMER_ENV, consumer_addr, 1) < 0) ||
        setenv(ORMA_CONNECT_WAIT_ENV, CONNECT_WAIT_MS, 0) < 0)
        return -errno;
    sigemptyset(&none);
    sigfillset(&all);
    int r = posix_spawnattr_init(&attr);
    if (r)
        return -r;
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    r = posix_spawnp(&pid, argv[0], NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    return r ? -r : pid;
}

bool orma_record_child_exists(const char *name)
{
    const char *path = getenv("PATH");
    struct orma_str rest = orma_str_from(path ? path : _PATH_DEFPATH), dir;
    char full[4096];

    if (strchr(name, '/'))
        return access(name, F_OK) == 0;
    while (rest.len && orma_str_cut(&rest, ':', &dir)) {
        snprintf(full, sizeof(full), "%.*s%s%s", ORMA_STR_ARG(dir), dir.len ? "/" : "", name);
        if (access(full, F_OK) == 0)
            return true;
    }
    return false;
}

bool orma_record_child_reap(pid_t pid, int *ret_code)
{
    int status;

    if (waitpid(pid, &status, WNOHANG) != pid)
        return false;
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}
