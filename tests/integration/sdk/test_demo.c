/*
 * The demo against the real service: exact counts, an exact ledger.
 *
 *   test_integration_sdk_demo TRACED ORMA_DEMO
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/session.h"

#define THREADS 3
#define ITERATIONS 2000

static int failed;

static void expect(const char *what, uint64_t got, uint64_t want)
{
    if (got == want)
        return;
    fprintf(stderr, "%s: %" PRIu64 ", not %" PRIu64 "\n", what, got, want);
    failed = 1;
}

static void run_demo(const char *program)
{
    pid_t pid = fork();
    int status;

    assert(pid >= 0);
    if (pid == 0) {
        execl(program, program, "--threads", "3", "--iterations", "2000", "--spin", "100",
              (char *)NULL);
        _exit(127);
    }
    assert(waitpid(pid, &status, 0) == pid);
    expect("exit status of the demo", (uint64_t)status, 0);
}

static void check(const struct orma_test_trace *t)
{
    expect("slices", orma_test_trace_count(t, 1, NULL), THREADS * ITERATIONS * 4);
    expect("ends", orma_test_trace_count(t, 2, NULL), THREADS * ITERATIONS * 4);
    expect("details", orma_test_trace_count(t, 1, "detail"), THREADS * ITERATIONS * 2);
    expect("instants", orma_test_trace_count(t, 3, "tenth"), THREADS * ITERATIONS / 10);
    expect("counters", orma_test_trace_count(t, 4, NULL), ITERATIONS);
    expect("errors", orma_test_trace_check(t), 0);
}

int main(int argc, char **argv)
{
    struct orma_test_config configs[] = {
        {.producer_name = NULL},
        {.producer_name = "orma_demo", .shm_kb = 16},
        {.producer_name = "orma_demo", .shm_kb = 64, .page_kb = 32},
        {.clear_period_ms = 10},
    };
    struct orma_test_daemon daemon;

    assert(argc == 3);
    orma_test_daemon_start(&daemon, argv[1]);
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        struct orma_test_session *s = orma_test_session_start(&configs[i]);
        struct orma_test_trace t;

        run_demo(argv[2]);
        orma_test_session_stop(s, &t);
        check(&t);
        if (failed)
            fprintf(stderr, "in config %zu\n", i);
        orma_test_trace_fini(&t);
    }
    expect("exit code of the service", (uint64_t)orma_test_daemon_stop(&daemon), 0);
    return failed;
}
