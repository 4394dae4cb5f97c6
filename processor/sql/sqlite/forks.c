#include "processor/sql/sqlite/forks.h"

#include <pthread.h>
#include <sqlite3.h>

#include "sdk/base/defs.h"

/* In the order in which SQLite takes them inside each other: shared caches, what is global, those
 * of its VFS, the caches of pages, random numbers, and memory, which all others need. */
static const int ids[] = {
    SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_MASTER, SQLITE_MUTEX_STATIC_VFS1,
    SQLITE_MUTEX_STATIC_VFS2, SQLITE_MUTEX_STATIC_VFS3,   SQLITE_MUTEX_STATIC_LRU,
    SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_PRNG,   SQLITE_MUTEX_STATIC_MEM,
};
/* NULL, which is fine: an SQLite without threads. */
static sqlite3_mutex *mutexes[ORMA_ARRAY_LEN(ids)];

/* Held while SQLite starts: it has locks then that are not in the list yet. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* A child of a fork amid watch() watches anew, and may have the handlers twice. */
static _Thread_local unsigned depth;

static void before(void)
{
    if (depth++)
        return;
    (void)pthread_mutex_lock(&starting);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(ids); i++)
        sqlite3_mutex_enter(mutexes[i]);
}

static void after(void)
{
    if (--depth)
        return;
    for (size_t i = ORMA_ARRAY_LEN(ids); i-- > 0;)
        sqlite3_mutex_leave(mutexes[i]);
    (void)pthread_mutex_unlock(&starting);
}

static void watch(void)
{
    uint8_t seed;

    (void)pthread_atfork(before, after, after); /* first: a fork waits until SQLite has started */
    (void)pthread_mutex_lock(&starting);
    if (!sqlite3_initialize()) {      /* else whoever opens a connection is told */
        sqlite3_randomness(1, &seed); /* the first call takes MASTER inside PRNG: not after this */
        for (size_t i = 0; i < ORMA_ARRAY_LEN(ids); i++)
            mutexes[i] = sqlite3_mutex_alloc(ids[i]); /* static: nothing is made */
    }
    (void)pthread_mutex_unlock(&starting);
}

void orma_sqlite_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch);
}
