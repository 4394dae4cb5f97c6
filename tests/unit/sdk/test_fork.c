#include "sdk/base/fork.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/guard.h"
#include "tests/support/leaks.h"

static char trail[64];
static bool guarded;

static void note(char c)
{
    size_t len = strlen(trail);

    trail[len] = c;
    trail[len + 1] = '\0';
}

static void before(void)
{
    guarded = orma_guard_is_up();
    note('b');
}

static void in_parent(void)
{
    note('p');
}

static void in_child(void)
{
    note('c');
}

static void in_child_second(void)
{
    note('2');
}

static void revive(void)
{
    note('r');
}

/* The child's exit code. */
static int run(bool (*fn)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(fn() ? 0 : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool child_is_told(void)
{
    return !strcmp(trail, "bc2") && orma_fork_generation() == 1 && !orma_guard_is_up();
}

static bool grandchild_counts_on(void)
{
    return orma_fork_generation() == 1 && run(child_is_told) == 1 && orma_fork_generation() == 1;
}

Test(fork, parts_run_around_a_fork_in_the_order_they_came)
{
    orma_fork_watch(before, in_parent, in_child);
    orma_fork_watch(NULL, NULL, in_child_second);
    orma_fork_watch(before, in_parent, in_child); /* once is enough */
    cr_assert_eq(run(child_is_told), 0);
    cr_assert_str_eq(trail, "bp");
    cr_assert(guarded);
    cr_assert_not(orma_guard_is_up());
    cr_assert_eq(orma_fork_generation(), 0);
    cr_assert_eq(run(grandchild_counts_on), 0);
    orma_assert_no_leaks();
}

static void event_of_another_handler(void)
{
    note(orma_fork_check() ? '!' : '-');
}

static bool child_waits_for_ours(void)
{
    return !strcmp(trail, "b-c") && orma_fork_generation() == 1 && !orma_guard_is_up();
}

/* What is registered first runs first in a child: its events are lost, until ours has run. */
Test(fork, a_handler_that_comes_first_finds_nothing)
{
    cr_assert_eq(pthread_atfork(NULL, NULL, event_of_another_handler), 0);
    orma_fork_watch(before, in_parent, in_child);
    cr_assert_eq(run(child_waits_for_ours), 0);
    cr_assert_str_eq(trail, "bp");
    orma_assert_no_leaks();
}

static bool child_of_clone_is_told(void)
{
    return orma_fork_check() && !orma_fork_check() && !strcmp(trail, "c");
}

Test(fork, children_of_clone_find_out)
{
    int status = -1;

    orma_fork_watch(before, in_parent, in_child);
    cr_assert_not(orma_fork_check());
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(child_of_clone_is_told() ? 0 : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    orma_assert_no_leaks();
}

Test(fork, revives_by_whoever_knows_how)
{
    orma_fork_revive(); /* nobody does */
    cr_assert_str_eq(trail, "");
    orma_fork_set_revival(revive);
    orma_fork_revive();
    cr_assert_str_eq(trail, "r");
    orma_assert_no_leaks();
}

static void *watch_both(void *arg)
{
    orma_fork_watch(NULL, NULL, arg ? in_child : in_child_second);
    orma_fork_watch(NULL, NULL, arg ? in_child_second : in_child);
    return NULL;
}

static bool each_was_called_once(void)
{
    return !strcmp(trail, "c2") || !strcmp(trail, "2c");
}

Test(fork, threads_may_register_at_once)
{
    pthread_t threads[8];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(threads); i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, watch_both, i % 2 ? threads : NULL), 0);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(threads); i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    cr_assert_eq(run(each_was_called_once), 0);
    orma_assert_no_leaks();
}
