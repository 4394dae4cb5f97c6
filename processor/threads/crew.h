/*
 * The threads of a processor. They make the pieces of a job, in any order; its caller takes what
 * they made in the order of the pieces, so that the result is the same however many threads there
 * are:
 *
 *   caller   work(0)  work(3)  take(0) take(1)  work(5) ...
 *   thread 1 work(1)  work(2)           work(4) ...
 *
 * Pieces begin in their order. What a piece may write is its own, or its thread's; what all read
 * must not change meanwhile. Whoever looks at something that is computed when it is first asked for
 * has it computed before the job.
 *
 * Threads: a crew belongs to one thread, which runs its jobs, one at a time. A job that begins
 * inside of another is done by the thread that began it. In a child of fork() there are no threads:
 * the caller does the work.
 */
#ifndef ORMA_PROCESSOR_THREADS_CREW_H
#define ORMA_PROCESSOR_THREADS_CREW_H
#include <stdbool.h>
#include <stddef.h>

#define ORMA_CREW_THREADS_MAX 256u
#define ORMA_CREW_WAIT_MS 10

struct orma_crew;

struct orma_crew_job {
    /* In any thread. `thread` is below orma_crew_threads(), and no two pieces are worked on at a
     * time with the same one: it numbers scratch memory. False: it failed, no other piece is begun.
     */
    bool (*work)(void *data, size_t piece, unsigned thread);
    /* In the caller's thread: piece after piece, those before a failed one included. NULL: nothing
     * is done. False: it failed. */
    bool (*take)(void *data, size_t piece);
    /* In the caller's thread, every ORMA_CREW_WAIT_MS while it can only wait for others: looks at
     * what may end the job, which nobody else does. NULL: nothing does. */
    void (*wait)(void *data);
    void *data;
    size_t pieces;
    size_t ahead; /* so many pieces at most have begun and are not taken; 0: any number */
};

/* So many threads, the caller's included. They start with the first job of more than a piece, and
 * sleep between jobs. NULL: out of memory. */
struct orma_crew *orma_crew_new(unsigned threads);

/* NULL is fine. */
void orma_crew_free(struct orma_crew *self);

/* How many threads work on a job at most; NULL: 1. */
unsigned orma_crew_threads(const struct orma_crew *self);

/* True: all pieces were made, and taken. Nobody works on the job when this returns. NULL is a crew
 * of one. */
bool orma_crew_run(struct orma_crew *self, const struct orma_crew_job *job);

/* ---- how many threads there should be ---- */

/*
 * For how many CPUs a process gets time, rounded up, by the limits of the groups it is in and all
 * around them, in either version of cgroups. `groups` is the file that names them,
 * /proc/self/cgroup, and `mount` where they are, /sys/fs/cgroup. UINT_MAX: there is no limit.
 */
unsigned orma_crew_cpus_of_groups(const char *groups, const char *mount);

/* CPUs that this process may use, by that and by its affinity; at least 1, at most
 * ORMA_CREW_THREADS_MAX. */
unsigned orma_crew_cpus(void);

/* The number in a text, from 1 to ORMA_CREW_THREADS_MAX. False: there is none. */
bool orma_crew_parse(const char *text, unsigned *ret);

#define ORMA_CREW_VARIABLE "ORMA_THREADS"
/* What that says in the environment; 0: nothing, or no such number. */
unsigned orma_crew_from_environment(void);
#endif
