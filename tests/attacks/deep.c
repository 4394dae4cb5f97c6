/*
 * attack_deep KIB WHAT...: loads files and runs statements in threads with a small stack, and says
 * what came of each. WHAT is the name of a trace, or of a file of statements, if it ends in ".sql"
 * (each is one, and runs on an empty trace).
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orma/processor.h"

static const char *const questions[] = {
    "SELECT COUNT(*), MAX(depth) FROM slice",
    "SELECT COUNT(*), MAX(depth) FROM stack_profile_callsite",
    "SELECT COUNT(EXTRACT_ARG(arg_set_id, 'debug.a')) FROM slice",
    "SELECT COUNT(*) FROM args",
    "SELECT COUNT(*) FROM track t JOIN track p ON p.id = t.parent_id",
    "SELECT name FROM slice WHERE depth > 3 ORDER BY dur LIMIT 5",
};

/* Rows of all statements; -1 for an error. */
static long ask(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q = NULL;
    long rows = 0;
    int r;

    while ((r = orma_query_prepare(tp, sql, ORMA_WHOLE, &q, &sql)) == 0) {
        while ((r = orma_query_step(q)) > 0)
            rows++;
        orma_query_free(q);
        if (r < 0)
            break;
    }
    return r < 0 ? -1 : rows;
}

static void *load(void *name)
{
    struct orma_processor *tp;

    assert(orma_processor_new(NULL, &tp) == 0);
    int r = orma_processor_load_file(tp, name, NULL, NULL);
    printf("%s: %s\n", (const char *)name, r ? orma_processor_error(tp) : "loaded");
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        (void)ask(tp, questions[i]);
    orma_processor_free(tp);
    return NULL;
}

static void *run(void *sql)
{
    struct orma_processor *tp;

    assert(orma_processor_new(NULL, &tp) == 0 && orma_processor_finish(tp) == 0);
    printf("%.40s: ", (const char *)sql);
    printf("%ld\n", ask(tp, sql));
    orma_processor_free(tp);
    return NULL;
}

static void in_thread(size_t kib, void *(*what)(void *), char *arg)
{
    pthread_attr_t attr;
    pthread_t thread;

    assert(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, kib << 10) == 0);
    assert(pthread_create(&thread, &attr, what, arg) == 0 && pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attr);
    fflush(stdout);
}

static void run_all(size_t kib, const char *name)
{
    FILE *f = fopen(name, "r");
    static char text[16 << 20];

    assert(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    in_thread(kib, run, text);
}

int main(int argc, char **argv)
{
    assert(argc > 2);
    for (int i = 2; i < argc; i++) {
        const char *dot = strrchr(argv[i], '.');

        if (dot && !strcmp(dot, ".sql"))
            run_all((size_t)atoi(argv[1]), argv[i]);
        else
            in_thread((size_t)atoi(argv[1]), load, argv[i]);
    }
    return 0;
}
