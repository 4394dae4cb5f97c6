#include "tools/record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orma/tracing.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"
#include "sdk/ipc/sock.h"
#include "tools/base/signals.h"

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
    if (orma_signals_hangup_ignored())
        sigdelset(&all, SIGHUP);
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

/* ---- prepared ---- */

#define ADDRESS_MAX 256u

/* What the child is told when it is released. */
struct release {
    char producer[ADDRESS_MAX], consumer[ADDRESS_MAX];
};

static void set_environment(const struct release *r)
{
    if (*r->producer)
        (void)setenv(ORMA_SOCK_PRODUCER_ENV, r->producer, 1);
    if (*r->consumer)
        (void)setenv(ORMA_SOCK_CONSUMER_ENV, r->consumer, 1);
    (void)setenv(ORMA_CONNECT_WAIT_ENV, CONNECT_WAIT_MS, 0); /* no memory: programs do not wait */
}

static void default_signals(void)
{
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++) {
        if (sig != SIGHUP || !orma_signals_hangup_ignored())
            (void)signal(sig, SIG_DFL); /* two of them refuse */
    }
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* fails for bad arguments only */
}

/* In the child. When the parent is gone, so is the pipe's other end. */
__attribute__((noreturn)) static void wait_and_run(char *const *argv, int go_fd, int error_fd)
{
    struct release r;
    int err;

    if (read(go_fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
        _exit(0);
    set_environment(&r);
    default_signals();
    (void)execvp(argv[0], argv);
    err = errno;
    (void)!write(error_fd, &err, sizeof(err)); /* nobody reads: nothing is left to do */
    _exit(127);
}

int orma_record_child_prepare(struct orma_record_child *self, char *const *argv)
{
    int go[2], error[2], err;

    *self = (struct orma_record_child){.go_fd = -1, .error_fd = -1};
    if (pipe2(go, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(error, O_CLOEXEC) < 0) {
        err = errno;
        (void)close(go[0]);
        (void)close(go[1]);
        return -err;
    }
    self->pid = fork();
    err = errno;
    if (self->pid == 0) {
        (void)close(go[1]); /* else it would wait for itself */
        wait_and_run(argv, go[0], error[1]);
    }
    (void)close(go[0]);
    (void)close(error[1]);
    self->go_fd = go[1];
    self->error_fd = error[0];
    if (self->pid > 0)
        return 0;
    self->pid = 0;
    orma_record_child_drop(self);
    return -err;
}

int orma_record_child_release(struct orma_record_child *self, const char *producer_addr,
                              const char *consumer_addr)
{
    struct release r = {0};
    int err = 0;

    if ((size_t)snprintf(r.producer, sizeof(r.producer), "%s",
                         producer_addr ? producer_addr : "") >= sizeof(r.producer) ||
        (size_t)snprintf(r.consumer, sizeof(r.consumer), "%s",
                         consumer_addr ? consumer_addr : "") >= sizeof(r.consumer))
        return -ENAMETOOLONG;
    if (orma_fd_write_all(self->go_fd, &r, sizeof(r)) < 0)
        return -ECHILD;
    orma_fd_close(&self->go_fd);
    /* Closed by the exec, or the reason why there was none. */
    while (read(self->error_fd, &err, sizeof(err)) < 0 && errno == EINTR)
        ;
    orma_fd_close(&self->error_fd);
    return -err;
}

void orma_record_child_drop(struct orma_record_child *self)
{
    bool waits = self->pid > 0 && self->go_fd >= 0;

    orma_fd_close(&self->go_fd);
    orma_fd_close(&self->error_fd);
    if (waits)
        (void)waitpid(self->pid, NULL, 0); /* it ends at once */
    *self = (struct orma_record_child){.go_fd = -1, .error_fd = -1};
}

/* The first that is there. */
bool orma_record_child_find(const char *name, char *ret)
{
    const char *path = getenv("PATH");
    struct orma_str rest = orma_str_from(path ? path : _PATH_DEFPATH), dir;

    if (strchr(name, '/')) {
        snprintf(ret, PATH_MAX, "%s", name);
        return access(ret, F_OK) == 0;
    }
    while (rest.len && orma_str_cut(&rest, ':', &dir)) {
        snprintf(ret, PATH_MAX, "%.*s%s%s", ORMA_STR_ARG(dir), dir.len ? "/" : "", name);
        if (access(ret, F_OK) == 0)
            return true;
    }
    return false;
}

bool orma_record_child_exists(const char *name)
{
    char path[PATH_MAX];

    return orma_record_child_find(name, path);
}

bool orma_record_child_changes_rights(const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    return geteuid() != 0 && orma_record_child_find(name, path) && stat(path, &st) == 0 &&
           ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
            (st.st_mode & S_ISGID && st.st_gid != getegid()));
}

bool orma_record_child_reap(pid_t pid, int *ret_code)
{
    int status;

    if (waitpid(pid, &status, WNOHANG) != pid)
        return false;
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}
