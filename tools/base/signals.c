#include "tools/base/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

bool orma_signals_hangup_ignored(void)
{
    struct sigaction now;

    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int orma_signals_open(const char *program, const int *signals)
{
    sigset_t set, old;

    sigemptyset(&set);
    for (; *signals; signals++) {
        if (*signals != SIGHUP || !orma_signals_hangup_ignored())
            sigaddset(&set, *signals); /* blocked, it would come although nohup wants none */
    }
    int fd = sigprocmask(SIG_BLOCK, &set, &old) < 0
                 ? -1
                 : signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd >= 0)
        return fd;
    int err = errno;
    (void)sigprocmask(SIG_SETMASK, &old, NULL); /* as it was: that worked before */
    fprintf(stderr, "%s: cannot watch for signals: %s\n", program, strerror(err));
    return -err;
}
