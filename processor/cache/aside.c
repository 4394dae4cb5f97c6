/*
 * A copy of this process writes the file, while this one answers. It is the child of a child that
 * ends at once, so nobody gets a signal or has to collect it; it is in a session of its own, so
 * Ctrl-C is not for it, and has none of our pipes and sockets, so nobody waits for a pipe to end.
 */
#include "processor/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* A disk that takes longer is not worth it. */
#define SECONDS_MAX 120
#define PRIORITY 10

/* Files may stay: who decodes args asks the one of the trace whether it has changed. */
static void close_all(void)
{
    long max = sysconf(_SC_OPEN_MAX);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct stat st;

    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        (void)dup2(null, fd);
    for (int fd = 3; fd < (max > 0 && max < 65536 ? max : 65536); fd++)
        if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
            (void)close(fd);
}

/* Handlers of the program are not for us; the one for mapped files is, for the trace. */
static void own_signals(void)
{
    static const int ours[] = {SIGALRM, SIGTERM, SIGHUP,  SIGINT, SIGQUIT,
                               SIGUSR1, SIGUSR2, SIGPROF, SIGXFSZ};
    sigset_t none;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(ours); i++)
        (void)signal(ours[i], ours[i] == SIGXFSZ ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)alarm(SECONDS_MAX);
}

/* Where memory is short, it is this process that has to go, and not the one that answers. */
static void offer_to_die(void)
{
    (void)orma_fd_write_file(AT_FDCWD, "/proc/self/oom_score_adj", "1000");
}

ORMA_COLD static void write_as_child(const struct orma_cache_place *place,
                                     const struct orma_cache_key *key,
                                     const struct orma_cache_writer *writer)
{
    (void)setsid();
    if (fork() == 0) {
        own_signals();
        close_all();
        offer_to_die();
        if (nice(PRIORITY) < 0)
            errno = 0;                            /* then at ours */
        (void)orma_cache_put(place, key, writer); /* there is nobody to tell */
    }
    _exit(0); /* what the program does at its end is not ours to do */
}

int orma_cache_write_part_aside(const struct orma_cache_place *place,
                                const struct orma_cache_key *key,
                                const struct orma_cache_writer *writer)
{
    if (!key->settled)
        return -EAGAIN;
    pid_t pid = fork();

    if (pid < 0)
        return -errno;
    if (pid == 0)
        write_as_child(place, key, writer);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return 0;
}
