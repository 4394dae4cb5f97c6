#include <criterion/criterion.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/leaks.h"
#include "tools/record/watched.h"

static int32_t begin(void)
{
    pid_t pid = fork();

    if (!pid) {
        for (;;)
            pause();
    }
    return pid;
}

static void end(int32_t pid)
{
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static unsigned open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned num = 0;

    while (readdir(dir))
        num++;
    closedir(dir);
    return num;
}

Test(watched, closes_what_it_has_opened)
{
    const int32_t pids[] = {begin(), begin()};
    const unsigned before = open_files();
    struct orma_record_watched w;

    orma_record_watched_open(&w, pids, 2);
    if (w.fd < 0)
        cr_skip_test("this kernel has no descriptors of processes");
    cr_assert_not(orma_record_watched_ended(&w));
    end(pids[0]);
    cr_assert_eq(poll(&(struct pollfd){.fd = w.fd, .events = POLLIN}, 1, -1), 1);
    cr_assert_not(orma_record_watched_ended(&w));
    orma_record_watched_close(&w); /* the other one still runs */
    cr_assert_eq(open_files(), before);
    orma_record_watched_close(&w);
    end(pids[1]);
}

Test(watched, has_ended_where_all_had_ended_before)
{
    const int32_t pids[] = {begin(), begin()};
    struct orma_record_watched w;

    end(pids[0]);
    orma_record_watched_open(&w, pids, 2);
    if (w.fd < 0)
        cr_skip_test("this kernel has no descriptors of processes");
    cr_assert_not(orma_record_watched_ended(&w));
    orma_record_watched_close(&w);
    end(pids[1]);
    orma_record_watched_open(&w, pids, 2);
    cr_assert_geq(w.fd, 0, "none of them needs to be waited for, which is known");
    cr_assert(orma_record_watched_ended(&w));
    orma_record_watched_close(&w);
    orma_record_watched_open(&w, pids, 0);
    cr_assert_eq(w.fd, -1);
}
