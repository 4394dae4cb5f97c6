#include "sdk/base/assert.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child that runs `fn` leaves on stderr; its status in *ret_status. */
static void run(void (*fn)(void), char *ret_text, size_t size, int *ret_status)
{
    int ends[2];
    size_t len = 0;

    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        fn();
        _exit(0);
    }
    (void)close(ends[1]);
    for (ssize_t n; len < size - 1 && (n = read(ends[0], ret_text + len, size - 1 - len)) > 0;)
        len += (size_t)n;
    ret_text[len] = '\0';
    (void)close(ends[0]);
    cr_assert_eq(waitpid(child, ret_status, 0), child);
}

static void broken(void)
{
    int sheep = 3;

    ORMA_ASSERT(sheep == 3);
    ORMA_ASSERT(sheep % 2 == 0 && "counted \"twice\"");
}

static void broken_hot(void)
{
    int sheep = 3;

    ORMA_ASSERT_HOT(sheep == 4);
}

Test(assert, names_the_place_and_the_condition_and_aborts)
{
    char text[512];
    int status;

    run(broken, text, sizeof(text), &status);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    cr_assert(strstr(text, "assertion failed: "), "%s", text);
    cr_assert(strstr(text, "tests/unit/sdk/test_assert.c:"), "%s",
              text); /* the build folder is anywhere */
    cr_assert(strstr(text, ": sheep % 2 == 0 && \"counted \\\"twice\\\"\"\n"), "%s", text);
}

Test(assert, the_hot_ones_hold_where_the_build_wants_them)
{
    char text[512];
    int status;

    run(broken_hot, text, sizeof(text), &status);
#ifdef ORMA_HOT_ASSERTS
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    cr_assert(strstr(text, ": sheep == 4\n"), "%s", text);
#else
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cr_assert_str_eq(text, "");
#endif
}

static int asked;

static int ask(void)
{
    return ++asked;
}

Test(assert, a_condition_is_evaluated_once_or_not_at_all)
{
    ORMA_ASSERT(ask());
    cr_assert_eq(asked, 1);
    ORMA_ASSERT_HOT(ask());
#ifdef ORMA_HOT_ASSERTS
    cr_assert_eq(asked, 2);
#else
    cr_assert_eq(asked, 1);
#endif
}
