#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/perf/peek.h"

#define PAGE ORMA_PERF_PEEK_PAGE

static uint8_t *pages;

static struct orma_perf_peek_of self_of(uint64_t key)
{
    struct orma_perf_peek_of of = {key, open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};

    cr_assert_geq(of.fd, 0);
    return of;
}

static void setup(void)
{
    pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    for (unsigned i = 0; i < 4; i++)
        memset(pages + i * PAGE, 'a' + (int)i, PAGE);
    cr_assert_eq(munmap(pages + PAGE, PAGE), 0);
}

static int read_three(struct orma_perf_peek *peek, struct orma_perf_peek_of of)
{
    const uint64_t at = (uintptr_t)pages;
    const uint64_t bases[] = {at + 2 * PAGE, at + PAGE, at};
    const uint8_t *got;
    uint32_t there;
    int r = orma_perf_peek_read(peek, of, bases, 3, &got, &there);

    if (r < 0)
        return r;
    cr_expect_eq(there, 5, "the page in the middle is not there: %x", there);
    cr_expect_eq(got[0], 'c');
    cr_expect_eq(got[PAGE - 1], 'c');
    cr_expect_eq(got[2 * PAGE], 'a');
    return 0;
}

/* The processes of that name among our children; they are sent `sig`. */
static unsigned children(int sig)
{
    char path[64], word[64];
    unsigned num = 0;
    DIR *dir = opendir("/proc");

    for (struct dirent *e; (e = readdir(dir));) {
        int parent = 0, pid = atoi(e->d_name);

        snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        FILE *f = pid ? fopen(path, "re") : NULL;
        if (f && fscanf(f, "%*d (%63[^)]) %*c %d", word, &parent) == 2 && parent == getpid() &&
            !strcmp(word, "orma-peek")) {
            num++;
            if (sig)
                cr_expect_eq(kill(pid, sig), 0);
        }
        if (f)
            (void)fclose(f);
    }
    (void)closedir(dir);
    return num;
}

TestSuite(peek, .init = setup);

Test(peek, pages)
{
    struct orma_perf_peek *peek = orma_perf_peek_new(10000);
    struct orma_perf_peek_of of = self_of(1);

    cr_expect_eq(read_three(peek, of), 0);
    cr_expect_eq(read_three(peek, of), 0, "again, of what is open");
    cr_expect_eq(children(0), 1);
    (void)close(of.fd);
    cr_expect_eq(read_three(peek, of), 0, "the child has it open still");
    for (uint64_t key = 2; key < 100; key++) {
        of = self_of(key);
        cr_expect_eq(read_three(peek, of), 0, "%u", (unsigned)key);
        (void)close(of.fd);
    }
    orma_perf_peek_free(peek);
}

Test(peek, no_memory_at_all)
{
    struct orma_perf_peek *peek = orma_perf_peek_new(10000);
    const struct orma_perf_peek_of of = {1, open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const uint64_t bases[] = {0, UINT64_MAX - PAGE + 1, (uintptr_t)pages};
    const uint8_t *got;
    uint32_t there;

    cr_expect_eq(orma_perf_peek_read(peek, of, bases, 3, &got, &there), 0);
    cr_expect_eq(there, 0);
    orma_perf_peek_free(peek);
    orma_perf_peek_free(NULL);
}

/* One that is stopped is as good as one that waits for what never comes. */
Test(peek, no_answer)
{
    struct orma_perf_peek *peek = orma_perf_peek_new(100);
    struct orma_perf_peek_of of = self_of(1);

    cr_assert_eq(read_three(peek, of), 0);
    cr_expect_eq(children(SIGSTOP), 1);
    cr_expect_eq(read_three(peek, of), -ETIMEDOUT);
    cr_expect_eq(read_three(peek, of), 0, "by another");
    orma_perf_peek_free(peek);
}

Test(peek, killed)
{
    struct orma_perf_peek *peek = orma_perf_peek_new(10000);
    struct orma_perf_peek_of of = self_of(1);

    for (unsigned i = 0; i < 20; i++) {
        cr_assert_eq(read_three(peek, of), 0);
        children(SIGKILL);
        cr_expect_eq(read_three(peek, of), -EPIPE);
    }
    cr_expect_eq(read_three(peek, of), 0);
    orma_perf_peek_free(peek);
}

/* Who waits for the end of a pipe of ours does not wait for the child. */
Test(peek, keeps_nothing_open)
{
    struct orma_perf_peek *peek = orma_perf_peek_new(10000);
    struct orma_perf_peek_of of = self_of(1);
    int ends[2];
    char byte;

    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(read_three(peek, of), 0);
    (void)close(ends[1]);
    cr_expect_eq(read(ends[0], &byte, 1), 0);
    orma_perf_peek_free(peek);
}
