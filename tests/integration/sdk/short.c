/*
 * A program that lives for a moment: 1000 slices, and the end.
 *
 *   short START END
 *
 *   START  plain: orma_init() only; before, after: startup tracing before or after it;
 *          nowait: orma_init() that waits for nobody
 *   END    return, exit, quick_exit, _exit, abort, exec
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orma/orma.h"

ORMA_CATEGORY_DEFINE(brief, "brief", NULL, NULL);

static void start(const char *how)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    if (!strcmp(how, "nowait") || !strcmp(how, "after") || !strcmp(how, "before"))
        args.connect_wait_ms = ORMA_NO_WAIT;
    if (!strcmp(how, "before"))
        assert(orma_startup_tracing(NULL) == 0);
    assert(orma_init(&args) == 0);
    if (!strcmp(how, "after"))
        assert(orma_startup_tracing(NULL) == 0);
}

/* No code of ours runs at these ends: the service must have heard of the thread before. */
static int is_abrupt(const char *how)
{
    return !strcmp(how, "_exit") || !strcmp(how, "abort") || !strcmp(how, "exec");
}

static int end(const char *how)
{
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "quick_exit"))
        quick_exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "exec"))
        execlp("true", "true", (char *)NULL);
    return 0;
}

int main(int argc, char **argv)
{
    assert(argc == 3);
    start(argv[1]);
    for (int i = 0; i < 1000; i++) {
        ORMA_SLICE(brief, "short", ORMA_ARG_INT("i", i));

        if (i == 500 && is_abrupt(argv[2]))
            assert(orma_flush(10000) == 0);
    }
    return end(argv[2]);
}
