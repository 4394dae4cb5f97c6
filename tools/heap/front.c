#include "tools/heap/front.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "tools/base/cli.h"
#include "tools/base/signals.h"

#define LOOK_MS 20
#define IMPATIENT_NS UINT64_C(10000000000)

void orma_heap_front_note(struct orma_heap_front *self, uint64_t now_ns)
{
    if (++self->signals <= ORMA_HEAP_SIGNALS_TO_END)
        self->asked_ns = now_ns;
}

bool orma_heap_front_is_impatient(const struct orma_heap_front *self, uint64_t now_ns)
{
    return self->signals > ORMA_HEAP_SIGNALS_TO_END && now_ns - self->asked_ns > IMPATIENT_NS;
}

static void count_signals(struct orma_heap_front *self, int signal_fd)
{
    struct signalfd_siginfo info;

    while (read(signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD)
            orma_heap_front_note(self, orma_clock_boottime());
    }
}

/* True: it has ended, or is left behind. */
static bool has_ended(const char *program, struct orma_heap_front *self, pid_t child, int *ret_code)
{
    int status = 0;

    if (self->left) {
        *ret_code = self->code;
        return true;
    }
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == 0)
        return false;
    if (ended < 0) { /* nobody knows how */
        *ret_code = ORMA_EXIT_FAILURE;
        return true;
    }
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: what reads the reports was ended: %s\n", program,
                strsignal(WTERMSIG(status)));
    return true;
}

static int wait_for(const char *program, struct orma_heap_front *self, pid_t child)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0};
    ORMA_AUTO(orma_fd_close) int signal_fd = orma_signals_open(program, signals);
    struct pollfd p = {.fd = signal_fd, .events = POLLIN};
    int code = 128 + SIGINT;

    while (!has_ended(program, self, child, &code)) {
        (void)poll(&p, 1, LOOK_MS);
        if (signal_fd >= 0)
            count_signals(self, signal_fd);
        if (orma_heap_front_is_impatient(self, orma_clock_boottime()))
            break; /* it ends with us */
    }
    return code;
}

bool orma_heap_front_begin(const char *program, struct orma_heap_front **ret, int *ret_code)
{
    const pid_t front = getpid();
    struct orma_heap_front *self =
        mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = self == MAP_FAILED ? -1 : fork();

    if (child > 0) {
        *ret_code = wait_for(program, self, child);
        return true;
    }
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != front)
            _exit(1);
    }
    *ret = child == 0 ? self : NULL;
    return false;
}

void orma_heap_front_leave(struct orma_heap_front *self, int code)
{
    if (!self)
        return;
    (void)fflush(NULL);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        (void)close(fd); /* who reads what we say waits for its end */
    self->code = code;
    self->left = true;
    for (;;)
        (void)pause(); /* until the front has left, and we with it */
}
