/* Pieces of a job: all are made once, and taken in their order, however many threads there are. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "processor/threads/crew.h"
#include "tests/support/leaks.h"

#define PIECES_MAX 2000
#define NONE ((size_t)-1)

struct work {
    struct orma_crew *crew;
    _Atomic unsigned made[PIECES_MAX];
    _Atomic bool busy[ORMA_CREW_THREADS_MAX];
    _Atomic size_t taken;
    size_t ahead, fail_at, refuse_at;
    bool bad; /* what a criterion assertion in another thread could not tell */
    bool nested;
};

static bool make(void *data, size_t piece, unsigned thread)
{
    struct work *w = data;
    volatile unsigned sum = 0;

    if (thread >= orma_crew_threads(w->crew) || atomic_exchange(&w->busy[thread], true))
        w->bad = true;
    if (w->ahead && piece >= atomic_load(&w->taken) + w->ahead)
        w->bad = true;
    for (unsigned i = 0; i < piece * 2654435761u % 5000; i++)
        sum += i;
    atomic_fetch_add(&w->made[piece], 1);
    atomic_store(&w->busy[thread], false);
    return piece != w->fail_at;
}

static bool make_with_another(void *data, size_t piece, unsigned thread)
{
    struct work *inner = calloc(1, sizeof(*inner));

    inner->fail_at = inner->refuse_at = NONE;
    const struct orma_crew_job job = {.work = make, .data = inner, .pieces = 5};
    bool ok = orma_crew_run(((struct work *)data)->crew, &job);

    for (int i = 0; i < 5; i++)
        ok &= inner->made[i] == 1;
    ok &= !inner->bad;
    free(inner);
    return make(data, piece, thread) && ok;
}

static bool take(void *data, size_t piece)
{
    struct work *w = data;

    if (w->taken != piece || w->made[piece] != 1)
        w->bad = true;
    if (piece == w->refuse_at)
        return false;
    w->taken++;
    return true;
}

/* Runs it, and looks that pieces before a bad one were made, and taken. */
static void check(unsigned threads, size_t pieces, size_t ahead, size_t fail_at, size_t refuse_at,
                  bool nested)
{
    struct work *w = calloc(1, sizeof(*w));

    w->crew = orma_crew_new(threads);
    w->ahead = ahead;
    w->fail_at = fail_at;
    w->refuse_at = refuse_at;
    const struct orma_crew_job job = {.work = nested ? make_with_another : make,
                                      .take = take,
                                      .data = w,
                                      .pieces = pieces,
                                      .ahead = ahead};
    const size_t end = fail_at < refuse_at ? fail_at : refuse_at;

    for (int round = 0; round < 3; round++) {
        memset(w->made, 0, sizeof(w->made));
        w->taken = 0;
        cr_assert_eq(orma_crew_run(w->crew, &job), end == NONE, "%u threads, %zu pieces", threads,
                     pieces);
        cr_assert(!w->bad, "%u threads, %zu pieces, %zu ahead", threads, pieces, ahead);
        cr_assert_eq(w->taken, end == NONE ? pieces : end);
        for (size_t i = 0; i < pieces && (i <= end || end == NONE); i++)
            cr_assert_eq(w->made[i], 1);
    }
    orma_crew_free(w->crew);
    free(w);
}

Test(processor_crew, pieces_are_made_once_and_taken_in_order)
{
    static const unsigned threads[] = {1, 2, 3, 8};
    static const size_t pieces[] = {0, 1, 2, 3, 100, PIECES_MAX};
    static const size_t ahead[] = {0, 1, 2, 7};

    for (int t = 0; t < 4; t++)
        for (int p = 0; p < 6; p++)
            for (int a = 0; a < 4; a++)
                check(threads[t], pieces[p], ahead[a], NONE, NONE, false);
    orma_assert_no_leaks();
}

Test(processor_crew, a_piece_that_fails_is_the_last)
{
    for (unsigned threads = 1; threads <= 8; threads++) {
        check(threads, 100, 0, 50, NONE, false);
        check(threads, 100, 4, 0, NONE, false);
        check(threads, 100, 0, NONE, 50, false);
        check(threads, 100, 4, NONE, 99, false);
        check(threads, 100, 4, 60, 20, false);
    }
    orma_assert_no_leaks();
}

Test(processor_crew, a_job_may_begin_inside_of_another)
{
    check(1, 20, 0, NONE, NONE, true);
    check(3, 200, 0, NONE, NONE, true);
    orma_assert_no_leaks();
}

/* Of two pieces each thread has one; the other thread's ends when the caller was asked to wait. */
struct waiting {
    _Atomic unsigned waits;
    _Atomic bool begun;
    bool bad;
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static bool make_or_wait(void *data, size_t piece, unsigned thread)
{
    struct waiting *w = data;

    (void)piece;
    if (thread)
        atomic_store(&w->begun, true);
    for (int i = 0; thread && w->waits < 3 && i < 30000; i++)
        sleep_ms(1);
    for (int i = 0; !thread && !w->begun && i < 30000; i++)
        sleep_ms(1);
    return true;
}

static void note_wait(void *data)
{
    struct waiting *w = data;

    w->bad |= !w->begun;
    atomic_fetch_add(&w->waits, 1);
}

Test(processor_crew, a_caller_that_waits_is_told_so)
{
    struct waiting w = {.waits = 0};
    const struct orma_crew_job job = {
        .work = make_or_wait, .wait = note_wait, .data = &w, .pieces = 2};
    struct orma_crew *crew = orma_crew_new(2);

    cr_assert(orma_crew_run(crew, &job));
    cr_assert(w.waits >= 3 && !w.bad, "%u", w.waits);
    orma_crew_free(crew);
    orma_assert_no_leaks();
}

Test(processor_crew, a_forked_child_does_the_work_alone)
{
    struct work *w = calloc(1, sizeof(*w));
    const struct orma_crew_job job = {.work = make, .take = take, .data = w, .pieces = 50};
    int status = 0;

    w->crew = orma_crew_new(4);
    w->fail_at = w->refuse_at = NONE;
    cr_assert(orma_crew_run(w->crew, &job));
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid) {
        memset(w->made, 0, sizeof(w->made));
        w->taken = 0;
        const bool ok = orma_crew_run(w->crew, &job) && w->taken == 50 && !w->bad;
        orma_crew_free(w->crew);
        _exit(!ok);
    }
    cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
    cr_assert(WIFEXITED(status) && !WEXITSTATUS(status));
    orma_crew_free(w->crew);
    free(w);
    orma_assert_no_leaks();
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f, "%s", path);
    fputs(text, f);
    fclose(f);
}

Test(processor_crew, groups_limit_the_cpus)
{
    static const struct {
        const char *groups, *outer, *inner, *quota, *period;
        unsigned cpus;
    } cases[] = {
        {"0::/a/b\n", "max 100000", "max 100000", NULL, NULL, UINT_MAX},
        {"0::/a/b\n", "max 100000", "150000 100000", NULL, NULL, 2},
        {"0::/a/b\n", "300000 100000", "800000 100000", NULL, NULL, 3},
        {"0::/a\n", "400000 100000", "100000 100000", NULL, NULL, 4},
        {"0::/a/b\n", "10000 100000", "max", NULL, NULL, 1},
        {"4:cpu,cpuacct:/c\n0::/\n", "max", "max", "250000", "100000", 3},
        {"4:cpuset:/c\n", "max", "max", "250000", "100000", UINT_MAX},
        {"4:cpu:/c\n", "max", "max", "-1", "100000", UINT_MAX},
        {"nonsense\n", "max", "0 0", "x", "y", UINT_MAX},
    };
    char folder[] = "/tmp/orma-cpus-XXXXXX", path[512], groups[512];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(groups, sizeof(groups), "%s/groups", folder);
    for (const char *const *at = (const char *const[]){"a", "a/b", "cpu", "cpu/c", NULL}; *at;
         at++) {
        snprintf(path, sizeof(path), "%s/%s", folder, *at);
        cr_assert_eq(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put(folder, "groups", cases[i].groups);
        put(folder, "a/cpu.max", cases[i].outer);
        put(folder, "a/b/cpu.max", cases[i].inner);
        put(folder, "cpu/c/cpu.cfs_quota_us", cases[i].quota ? cases[i].quota : "-1");
        put(folder, "cpu/c/cpu.cfs_period_us", cases[i].period ? cases[i].period : "100000");
        cr_expect_eq(orma_crew_cpus_of_groups(groups, folder), cases[i].cpus, "%s: %u",
                     cases[i].groups, orma_crew_cpus_of_groups(groups, folder));
    }
    cr_expect_eq(orma_crew_cpus_of_groups("/nowhere", "/nowhere"), UINT_MAX);
    snprintf(path, sizeof(path), "rm -r '%s'", folder);
    cr_assert_eq(system(path), 0);
}

Test(processor_crew, numbers_of_threads_are_strict)
{
    static const struct {
        const char *text;
        unsigned num; /* 0: none */
    } cases[] = {{"1", 1},  {"8", 8}, {"256", 256}, {"257", 0}, {"0", 0},
                 {"-1", 0}, {"", 0},  {"2 ", 0},    {"two", 0}, {"99999999999999999999", 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned num = 0;

        cr_assert_eq(orma_crew_parse(cases[i].text, &num), cases[i].num != 0, "%s", cases[i].text);
        cr_assert_eq(num, cases[i].num);
        setenv(ORMA_CREW_VARIABLE, cases[i].text, 1);
        cr_assert_eq(orma_crew_from_environment(), cases[i].num);
    }
    unsetenv(ORMA_CREW_VARIABLE);
    cr_assert_eq(orma_crew_from_environment(), 0);
    cr_assert(orma_crew_cpus() >= 1);
    cr_assert_eq(orma_crew_threads(NULL), 1);
}
