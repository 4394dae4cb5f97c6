/*
 * Threads of ours inside other people's programs: signals are the program's business, on its own
 * threads. Only those that a thread raises by what it does itself (SIGBUS of a mapped file that
 * shrank, ...) stay its own.
 */
#ifndef ORMA_SDK_BASE_THREAD_H
#define ORMA_SDK_BASE_THREAD_H
#include <pthread.h>
#include <signal.h>

/* As pthread_create(), but 0 or -errno. `attr` may be NULL. */
static inline int orma_thread_start(pthread_t *ret, const pthread_attr_t *attr,
                                    void *(*run)(void *ctx), void *ctx)
{
    sigset_t blocked, before;

    sigfillset(&blocked);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGFPE);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* fails for a bad `how` only */
    int r = pthread_create(ret, attr, run, ctx);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -r;
}

/* One that nobody waits for. */
static inline int orma_thread_start_detached(void *(*run)(void *ctx), void *ctx)
{
    pthread_t thread;
    int r = orma_thread_start(&thread, NULL, run, ctx);

    if (r == 0)
        (void)pthread_detach(thread); /* fails for no thread only */
    return r;
}
#endif
