/*
 * What a thread writes with each event lies on cache lines (and pairs of them, which
 * CPUs fetch together) of its own: two threads that share one pay 2-3 times the event.
 * The benchmark shows the price; this shows the places.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/events/te.h"
#include "tests/support/leaks.h"

#define THREADS 4
#define PAIR (2 * ORMA_CACHE_LINE)

ORMA_CATEGORY_DEFINE(sharing, "sharing", NULL, NULL);

static pthread_barrier_t barrier;

/* First and last byte of what it writes. */
struct places {
    uintptr_t begin[3], end[3];
};

static void note(struct places *p, int i, const void *at, size_t size)
{
    p->begin[i] = (uintptr_t)at;
    p->end[i] = (uintptr_t)at + size - 1;
}

static void *emit(void *arg)
{
    for (int i = 0; i < 100; i++)
        ORMA_INSTANT(sharing, "event", ORMA_ARG_INT("i", i));
    struct orma_te_thread *self = orma_te_self;
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++) {
        struct orma_te_seq *seq = atomic_load(&self->seqs[slot]);

        if (!seq)
            continue;
        note(arg, 0, self, sizeof(*self));
        note(arg, 1, seq, sizeof(*seq));
        note(arg, 2, seq->writer, sizeof(*seq->writer));
    }
    pthread_barrier_wait(&barrier); /* all at once: none inherits another's */
    return NULL;
}

static bool meet(uintptr_t a_begin, uintptr_t a_end, uintptr_t b_begin, uintptr_t b_end)
{
    return a_begin / PAIR <= b_end / PAIR && b_begin / PAIR <= a_end / PAIR;
}

Test(sharing, threads_write_to_lines_of_their_own)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;
    struct places places[THREADS] = {0};
    pthread_t threads[THREADS];

    FILE *file = tmpfile();
    cr_assert_not_null(file);
    args.fd = fileno(file);
    cr_assert_eq(orma_recording_start(&args, &recording), 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, emit, &places[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * 3; i++) {
        const struct places *a = &places[i / 3];

        cr_assert_neq(a->begin[i % 3], 0);
        for (int j = 0; j < i; j++) {
            const struct places *b = &places[j / 3];

            if (a != b)
                cr_assert_not(meet(a->begin[i % 3], a->end[i % 3], b->begin[j % 3], b->end[j % 3]));
        }
    }
    cr_assert_eq(orma_recording_stop(recording, NULL), 0);
    pthread_barrier_destroy(&barrier);
    fclose(file);
    orma_assert_no_leaks();
}
