#include "tests/integration/sdk/actors.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orma/orma.h"

int failed;

void expect(const char *what, uint64_t got, uint64_t want)
{
    if (got == want)
        return;
    fprintf(stderr, "%s: %" PRIu64 ", not %" PRIu64 "\n", what, got, want);
    failed = 1;
}

int stage_in, stage_out;

struct actor act(void (*play)(void))
{
    int down[2], up[2];

    assert(pipe(down) == 0 && pipe(up) == 0);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        close(up[0]);
        stage_in = down[0];
        stage_out = up[1];
        play();
        exit(failed); /* with all exit handlers */
    }
    close(down[0]);
    close(up[1]);
    return (struct actor){pid, down[1], up[0]};
}

void checkpoint(void)
{
    char c = 'x';

    assert(write(stage_out, &c, 1) == 1 && read(stage_in, &c, 1) == 1);
}

void await(const struct actor *a)
{
    char c;

    assert(read(a->from, &c, 1) == 1);
}

void go_on(const struct actor *a)
{
    assert(write(a->to, "x", 1) == 1);
}

void finish(struct actor *a)
{
    int status;

    assert(waitpid(a->pid, &status, 0) == a->pid);
    expect("exit status", (uint64_t)status, 0);
    close(a->to);
    close(a->from);
}

void start_tracing(void)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    args.exhausted = ORMA_EXHAUSTED_STALL;
    expect("init", (uint64_t)orma_init(&args), 0);
    expect("a session", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
}

struct orma_test_session *begin(void)
{
    struct orma_test_config config = {.producer_name = NULL};

    return orma_test_session_start(&config);
}

void end(struct orma_test_session *session, struct orma_test_trace *ret)
{
    orma_test_session_stop(session, ret);
    expect("errors", orma_test_trace_check(ret), 0);
}

static bool is_wanted(const char *name, char *const *names)
{
    if (!*names)
        return true;
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

void run_tests(const struct named_test *tests, size_t num, char *const *names)
{
    for (size_t i = 0; i < num; i++) {
        int before = failed;

        if (!is_wanted(tests[i].name, names))
            continue;
        failed = 0;
        tests[i].run();
        if (failed)
            fprintf(stderr, "in %s\n", tests[i].name);
        failed |= before;
    }
}
