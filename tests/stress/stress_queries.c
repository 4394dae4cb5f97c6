/*
 * Queries of several threads, which are disturbed: at each test point a thread may yield or sleep,
 * by a seed (ORMA_TEST_SEED=n for another one). Each statement has the rows of one thread, whatever
 * the number of threads, and the size of the pieces that they take; one that is interrupted in the
 * middle ends, and the next one has its rows.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "processor/api/processor_impl.h"
#include "processor/threads/crew.h"
#include "sdk/base/hash.h"

#define ROUNDS 6
#define INTERRUPTS 40

static _Atomic uint64_t state = 1;

#ifdef ORMA_TESTPOINTS
/* Not by thread: what happens depends on who comes first, which is what is wanted. */
void orma_testpoint(const char *what)
{
    const uint64_t dice = orma_mix64(atomic_fetch_add_explicit(&state, 1, memory_order_relaxed));
    const struct timespec nap = {0, (long)(dice >> 32) % 50000};

    (void)what;
    if (dice % 8 == 0)
        sched_yield();
    else if (dice % 32 == 1)
        nanosleep(&nap, NULL);
}
#endif

static const char tables[] =
    "CREATE PERFETTO TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
    "WHERE i < "
    "19999) SELECT i AS id, i / 3 * 7 AS ts, i * 7919 % 10007 AS dur, i % 13 AS track, "
    "printf('name %d', i * 31 % 97) AS name, iif(i % 5, i / 2, NULL) AS parent, i * 0.37 AS d FROM "
    "n;"
    "CREATE PERFETTO TABLE few AS SELECT id, name || '!' AS title FROM many WHERE id < 13;"
    "SELECT 1";

static const char *const queries[] = {
    "SELECT name, count(*), sum(dur), min(ts), max(d), avg(dur) FROM many GROUP BY name",
    "SELECT track, name, count(parent), max(name) FROM many WHERE dur % 10 < 7 GROUP BY 1, 2",
    "SELECT count(*), sum(dur) FROM many WHERE name LIKE '%7%' OR upper(name) GLOB '*3'",
    "SELECT sum(d), total(d) FROM many WHERE d > 10.5",
    "SELECT f.title, count(*), sum(m.dur) FROM many m JOIN few f ON f.id = m.track GROUP BY 1",
    "SELECT count(*), sum(a.dur) FROM many a JOIN many b ON a.parent = b.id WHERE b.dur > 200",
    "SELECT count(*), sum(b.dur) FROM many a LEFT JOIN many b ON a.parent = b.id AND b.track = 3",
    "SELECT id, dur FROM many WHERE dur > 9000 AND track IN (1, 5, 7)",
    "SELECT id FROM many ORDER BY dur DESC, id LIMIT 5000 OFFSET 1000",
    "SELECT id, name FROM many ORDER BY name, d DESC LIMIT 3000",
    "SELECT id, track FROM many ORDER BY track, ts DESC",
    "SELECT count(*), sum(n - ts) FROM (SELECT ts, lead(ts) OVER (PARTITION BY track ORDER BY ts) "
    "AS n "
    "FROM many)",
    "SELECT id, row_number() OVER (PARTITION BY name ORDER BY dur), lag(dur, 2, -1) OVER "
    "(PARTITION BY "
    "name ORDER BY dur) FROM many",
    "SELECT sum(r) FROM (SELECT sum(dur) OVER (PARTITION BY track ORDER BY ts) AS r FROM many)",
    "SELECT DISTINCT track, dur % 4 FROM many",
    "SELECT track, sum(dur) FROM (SELECT * FROM many WHERE dur > 5 UNION ALL SELECT * FROM many "
    "WHERE "
    "dur < 9000) GROUP BY track",
    "SELECT count(*) FROM many a WHERE EXISTS (SELECT 1 FROM many b WHERE b.parent = a.id)",
    "SELECT sum(CASE WHEN track = 1 THEN dur ELSE -ts END), count(*) FROM many",
};
#define QUERIES (sizeof(queries) / sizeof(queries[0]))

static void fail(struct orma_processor *tp, const char *query, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", query, what, orma_processor_error(tp));
    exit(1);
}

/* A hash of all cells; 0: it was interrupted. */
static uint64_t ask(struct orma_processor *tp, const char *query)
{
    struct orma_query *q;
    uint64_t hash = 1;
    const char *rest = query;
    int r = 0;

    while (r >= 0 && *rest && orma_query_prepare(tp, rest, ORMA_WHOLE, &q, &rest) == 0) {
        while ((r = orma_query_step(q)) == 1) {
            for (unsigned i = 0; i < orma_query_columns(q); i++) {
                const char *text = orma_query_text(q, i);

                hash = orma_mix64(hash ^ orma_query_type(q, i));
                for (; text && *text; text++)
                    hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
            }
        }
        orma_query_free(q);
    }
    if (r < 0 && r != -ECANCELED)
        fail(tp, query, "failed");
    return r < 0 ? 0 : hash;
}

static _Atomic bool done;

static void *interrupt(void *data)
{
    while (!atomic_load(&done)) {
        const uint64_t dice = orma_mix64(atomic_fetch_add(&state, 1));
        const struct timespec nap = {0, (long)(dice >> 32) % 3000000};

        nanosleep(&nap, NULL);
        orma_processor_interrupt(data);
    }
    return NULL;
}

static void interrupt_all(struct orma_processor *tp)
{
    pthread_t thread;
    unsigned ended = 0;

    if (pthread_create(&thread, NULL, interrupt, tp))
        exit(77);
    for (unsigned i = 0; i < INTERRUPTS; i++)
        ended += !ask(tp, queries[i % QUERIES]);
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    if (!ended)
        fprintf(stderr, "no statement was interrupted\n");
}

int main(void)
{
    static const unsigned threads[] = {2, 3, 8};
    const char *seed = getenv("ORMA_TEST_SEED");
    uint64_t want[QUERIES];
    struct orma_processor *tp;

    atomic_store(&state, seed ? strtoull(seed, NULL, 10) * 1000003 : 1);
    setenv("ORMA_EXEC", "on", 1);
    if (orma_processor_new(NULL, &tp) || orma_processor_finish(tp))
        exit(77);
    (void)ask(tp, tables);
    struct orma_sql *sql = orma_processor_sql(tp);
    struct orma_crew *given = sql->crew;
    for (size_t i = 0; i < QUERIES; i++)
        want[i] = ask(tp, queries[i]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct orma_crew *crew = orma_crew_new(threads[round % 3]);

        sql->crew = crew;
        sql->planner.shared_rows_min = 2;
        sql->planner.piece_rows = 1 + (uint32_t)(orma_mix64(atomic_load(&state)) % 3000);
        for (size_t i = 0; i < QUERIES; i++)
            if (ask(tp, queries[i]) != want[i])
                fail(tp, queries[i], "other rows than with one thread");
        if (round == ROUNDS - 1)
            interrupt_all(tp);
        sql->crew = given;
        orma_crew_free(crew);
    }
    if (sql->planner.shared < ROUNDS * QUERIES)
        fail(tp, "all", "several threads did less than they should");
    fprintf(stderr, "%" PRIu64 " jobs of several threads\n", sql->planner.shared);
    orma_processor_free(tp);
    return 0;
}
