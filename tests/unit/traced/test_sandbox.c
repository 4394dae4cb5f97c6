#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traced/sandbox.h"

/* What the child found; its exit code, since it cannot be undone in this process. */
enum { FINE = 0, NO_FILTER = 1, ALLOWED_TOO_MUCH = 2, ALLOWED_TOO_LITTLE = 3, FAILED = 4 };

static void *thread_main(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

static bool forbidden(int result)
{
    return result < 0 && errno == EPERM;
}

static int in_the_box(void)
{
    int pair[2], ran = 0;
    char byte = 'x';
    pthread_t thread;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return FAILED;
    int r = traced_sandbox_enter();
    if (r == -ENOSYS)
        return NO_FILTER;
    if (r < 0)
        return FAILED;
    if (!forbidden(socket(AF_UNIX, SOCK_STREAM, 0)) || !forbidden(fork()) ||
        !forbidden(execl("/bin/true", "true", (char *)NULL)) || !forbidden(chroot("/")))
        return ALLOWED_TOO_MUCH;
    int mem = memfd_create("box", MFD_CLOEXEC);
    if (mem < 0 || ftruncate(mem, 4096) < 0 || write(pair[0], &byte, 1) != 1 ||
        read(pair[1], &byte, 1) != 1 || pthread_create(&thread, NULL, thread_main, &ran) ||
        pthread_join(thread, NULL) || !ran)
        return ALLOWED_TOO_LITTLE;
    return FINE;
}

Test(sandbox, leaves_what_a_service_needs)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(in_the_box());
    cr_assert_gt(pid, 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FILTER)
        cr_skip_test("built without libseccomp, or with a sanitizer");
    cr_assert_eq(WEXITSTATUS(status), FINE);
}
