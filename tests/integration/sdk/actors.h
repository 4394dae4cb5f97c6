/*
 * Tests of the SDK as a whole: a child process with the SDK in it (the actor),
 * and this process, which runs the session. They take turns at checkpoints.
 */
#ifndef ORMA_TESTS_INTEGRATION_SDK_ACTORS_H
#define ORMA_TESTS_INTEGRATION_SDK_ACTORS_H
#include "tests/support/session.h"

#define WAIT_MS 20000

extern int failed;

/* Says so on stderr, and sets `failed`, if they differ. */
void expect(const char *what, uint64_t got, uint64_t want);

struct actor {
    pid_t pid;
    int to, from;
};

/* The child's ends. */
extern int stage_in, stage_out;

struct actor act(void (*play)(void));
/* Child: tells the test, and waits until it says go on. */
void checkpoint(void);
/* Test: until the child has come to its next checkpoint. */
void await(const struct actor *a);
void go_on(const struct actor *a);
/* Until it has ended, with exit code 0. */
void finish(struct actor *a);

/* Child: with the stall policy, until a session is there. */
void start_tracing(void);

struct named_test {
    const char *name;
    void (*run)(void);
};

/* Those of `names`, which ends with NULL; all if it is empty. Sets `failed` if one did. */
void run_tests(const struct named_test *tests, size_t num, char *const *names);

struct orma_test_session *begin(void);
void end(struct orma_test_session *session, struct orma_test_trace *ret);
#endif
