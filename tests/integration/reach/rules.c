/*
 * The rules of orma/processor.h on threads, fork() and limits, by a program that knows nothing
 * else: processors in threads side by side, one that is interrupted from another, a child that
 * makes its own while its parent reads rows, limits of time and memory, progress that stops a load.
 *
 *     rules TRACE ROWS CACHE      TRACE has ROWS slices; images of it are in the folder CACHE
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orma/processor.h>

#define THREADS 4
#define ENDLESS                                                                                    \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

static const char *trace, *cache;
static int64_t rows;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #x);                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static struct orma_processor *load(void)
{
    struct orma_processor *tp;

    CHECK(orma_processor_new(NULL, &tp) == 0);
    CHECK(!cache || orma_processor_use_cache(tp, cache) == 0);
    CHECK(orma_processor_load_file(tp, trace, NULL, NULL) == 0);
    return tp;
}

/* What a statement of one number gives; the error of its first step if it fails. */
static int64_t number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    int64_t val;

    CHECK(orma_query_prepare(tp, sql, ORMA_WHOLE, &q, NULL) == 0);
    int r = orma_query_step(q);
    val = r == 1 ? orma_query_int64(q, 0) : r;
    orma_query_free(q);
    return val;
}

static void *run_thread(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        struct orma_processor *tp = load();

        CHECK(number(tp, "SELECT count(*) FROM slice") == rows);
        CHECK(number(tp, "SELECT max(n) FROM (SELECT count(*) AS n FROM slice GROUP BY name)") > 0);
        orma_processor_free(tp);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&all[i], NULL, run_thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(all[i], NULL) == 0);
}

static void *run_endless(void *tp)
{
    return (void *)(intptr_t)number(tp, ENDLESS);
}

static void interrupt(void)
{
    struct orma_processor *tp = load();
    pthread_t thread;
    void *result;

    CHECK(pthread_create(&thread, NULL, run_endless, tp) == 0);
    usleep(50000);
    orma_processor_interrupt(tp);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK((intptr_t)result == -ECANCELED && *orma_processor_error(tp));
    CHECK(number(tp, "SELECT count(*) FROM slice") == rows);
    orma_processor_free(tp);
}

/* The child leaves its parent's processors alone; both go on. */
static void forks(void)
{
    struct orma_processor *tp = load();
    struct orma_query *q;
    int64_t seen = 0;
    int status;

    CHECK(orma_query_prepare(tp, "SELECT ts FROM slice", ORMA_WHOLE, &q, NULL) == 0);
    CHECK(orma_query_step(q) == 1);
    pid_t pid = fork();
    if (pid == 0) {
        threads();
        _exit(0);
    }
    while (orma_query_step(q) == 1)
        seen++;
    CHECK(seen + 1 == rows);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    orma_query_free(q);
    CHECK(number(tp, "SELECT count(*) FROM slice") == rows);
    orma_processor_free(tp);
}

static void limit(void)
{
    struct orma_processor_config config = {.size = sizeof(config), .query_timeout_ms = 50};
    struct orma_processor *tp;

    CHECK(orma_processor_new(&config, &tp) == 0);
    CHECK(orma_processor_load_file(tp, trace, NULL, NULL) == 0);
    CHECK(number(tp, ENDLESS) < 0);
    CHECK(strstr(orma_processor_error(tp), "limit"));
    CHECK(number(tp, "SELECT count(*) FROM slice") == rows);
    orma_processor_free(tp);
}

static int stop(void *data, uint64_t done, uint64_t total)
{
    uint64_t *seen = data;

    CHECK(done <= total && done >= seen[0]);
    seen[0] = done;
    return ++seen[1] == 2;
}

static void progress(void)
{
    struct orma_processor *tp;
    uint64_t seen[2] = {0};

    CHECK(orma_processor_new(NULL, &tp) == 0);
    int r = orma_processor_load_file(tp, trace, stop, seen);
    CHECK(seen[1] >= 1 && r == (seen[1] == 2 ? -ECANCELED : 0));
    orma_processor_free(tp);
}

/* A struct of an older header, and one of a newer whose end this library does not know. */
static void sizes(void)
{
    struct {
        struct orma_processor_config config;
        uint64_t more;
    } newer = {.config = {.size = sizeof(newer)}};
    struct orma_processor_config older = {.size = sizeof(size_t)};
    struct orma_processor *tp;

    CHECK(orma_processor_new(&newer.config, &tp) == 0);
    orma_processor_free(tp);
    newer.more = 1;
    CHECK(orma_processor_new(&newer.config, &tp) == -EINVAL);
    CHECK(orma_processor_new(&older, &tp) == 0);
    orma_processor_free(tp);
}

/* Images are written by the thread that loads, and read by several threads and processes at once.
 */
static void images(void)
{
    struct orma_processor *tp;
    struct stat st;

    CHECK(orma_processor_new(NULL, &tp) == 0);
    CHECK(orma_processor_use_cache(tp, "no-such-word") == -EINVAL);
    CHECK(strstr(orma_processor_error(tp), "expected auto, off, or a folder"));
    orma_processor_free(tp);
    const char *given = cache;
    cache = "off";
    forks();
    CHECK(stat(given, &st) < 0 && errno == ENOENT);
    cache = given;
    threads(); /* several write the first image at once */
    forks();
    CHECK(stat(given, &st) == 0);
    CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
    interrupt();
    forks();
    cache = "/proc/none"; /* takes no files: no error */
    orma_processor_free(load());
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    trace = argv[1];
    rows = strtoll(argv[2], NULL, 10);
    threads();
    interrupt();
    forks();
    limit();
    progress();
    sizes();
    cache = argv[3];
    images();
    return 0;
}
