#include "sdk/tracing/life.h"

#include <pthread.h>

#include "sdk/base/mem.h"

static uint32_t generation;

/* The only thread of the child. */
static void forget_all(void)
{
    generation++;
    orma_mem_after_fork();
    bool wake = orma_tracing_after_fork();
    orma_te_after_fork(wake);
    orma_ds_after_fork(wake);
    orma_ds_source_after_fork();
    orma_recording_after_fork();
    orma_startup_after_fork();
    orma_tsc_after_fork();
}

static void watch(void)
{
    /* Without memory: children are not looked after. */
    (void)pthread_atfork(orma_te_before_fork, orma_te_after_fork_in_parent, forget_all);
}

void orma_life_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch);
}

uint32_t orma_life_generation(void)
{
    return generation;
}
