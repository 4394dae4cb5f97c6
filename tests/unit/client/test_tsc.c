/*
 * The clock of events against the kernel's. Each reading is taken between two of
 * CLOCK_BOOTTIME, so a test that is interrupted proves less, but never fails.
 * ORMA_TEST_TSC_SECONDS in the environment makes it last minutes.
 */
#include "sdk/events/tsc.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "tests/support/leaks.h"

#define ERROR_NS 1000u
#define SECONDS_DEFAULT 2
#define TURN_NS 20000000u

static bool skip_untrusted(void)
{
    orma_tsc_check(true);
    return !orma_tsc_is_trusted();
}

static uint64_t end_of_test(void)
{
    const char *text = getenv("ORMA_TEST_TSC_SECONDS");

    return orma_clock_boottime() + (uint64_t)(text ? atoi(text) : SECONDS_DEFAULT) * 1000000000u;
}

struct bounds {
    uint64_t last, readings, worst_ns; /* worst_ns: distance outside of the bracket */
};

static void read_between(struct orma_tsc_anchor *anchor, struct bounds *b)
{
    uint64_t before = orma_clock_boottime();
    uint64_t now = orma_tsc_now(anchor);
    uint64_t after = orma_clock_boottime();

    cr_assert_geq(now, b->last);
    b->last = now;
    b->readings++;
    if (now < before)
        b->worst_ns = ORMA_MAX(b->worst_ns, before - now);
    if (now > after)
        b->worst_ns = ORMA_MAX(b->worst_ns, now - after);
}

/* One thread wanders over all CPUs with one anchor. */
Test(tsc, follows_boottime_across_cpus)
{
    struct orma_tsc_anchor anchor = {0};
    struct bounds b = {0};
    cpu_set_t allowed;
    int cpu = -1;

    if (skip_untrusted())
        cr_skip_test("the kernel does not trust the time stamp counter of this machine");
    cr_assert_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    for (uint64_t end = end_of_test(); orma_clock_boottime() < end;) {
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, &allowed));
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
        for (uint64_t turn = orma_clock_boottime() + TURN_NS; orma_clock_boottime() < turn;)
            read_between(&anchor, &b);
        usleep(1000); /* idle, too */
    }
    fprintf(stderr, "%llu readings, at most %llu ns outside\n", (unsigned long long)b.readings,
            (unsigned long long)b.worst_ns);
    cr_assert_gt(b.readings, 1000);
    cr_assert_leq(b.worst_ns, ERROR_NS);
    orma_assert_no_leaks();
}

static void *read_all_the_time(void *arg)
{
    struct orma_tsc_anchor anchor = {0};
    struct bounds *b = arg;

    for (uint64_t end = end_of_test(); orma_clock_boottime() < end;)
        read_between(&anchor, b);
    return NULL;
}

/* They share the rate, and measure it for each other. */
Test(tsc, threads_agree)
{
    pthread_t threads[3];
    struct bounds b[3] = {{0}};

    if (skip_untrusted())
        cr_skip_test("the kernel does not trust the time stamp counter of this machine");
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, read_all_the_time, &b[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_gt(b[i].readings, 100);
        cr_assert_leq(b[i].worst_ns, ERROR_NS);
    }
    orma_assert_no_leaks();
}

static const char *file_with(const char *text)
{
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/orma-tsc-%d", (int)getpid());
    FILE *f = fopen(path, "w");

    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

Test(tsc, is_refused_where_the_kernel_distrusts_it)
{
    static const char *const others[] = {"hpet\n",      "acpi_pm", "",
                                         "tsc-early\n", "tscx\n",  "kvm-clock\n"};
    struct orma_tsc_anchor anchor = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        const char *path = file_with(others[i]);

        orma_tsc_set_source(path);
        orma_tsc_check(true);
        cr_assert_not(orma_tsc_is_trusted(), "%s", others[i]);
        uint64_t before = orma_clock_boottime(), now = orma_tsc_now(&anchor);
        cr_assert_geq(now, before);
        cr_assert_eq(anchor.limit, 0);
        unlink(path);
    }
    orma_tsc_set_source("/nowhere/at/all");
    orma_tsc_check(true);
    cr_assert_not(orma_tsc_is_trusted());
    orma_tsc_set_source(NULL);
    orma_tsc_check(false);
    cr_assert_not(orma_tsc_is_trusted());
    orma_assert_no_leaks();
}

/* Trusted at first; then the kernel changes its mind, and nobody starts a session. */
Test(tsc, is_given_up_when_the_kernel_does)
{
    struct orma_tsc_anchor anchor = {0};
    uint64_t last = 0;

    if (skip_untrusted())
        cr_skip_test("the kernel does not trust the time stamp counter of this machine");
    const char *path = file_with("tsc\n");
    orma_tsc_set_source(path);
    orma_tsc_check(true);
    cr_assert(orma_tsc_is_trusted());
    while (!anchor.limit) /* until the rate is known */
        last = orma_tsc_now(&anchor);
    (void)file_with("hpet\n");
    for (uint64_t end = orma_clock_boottime() + 60000000000u;
         orma_tsc_is_trusted() && orma_clock_boottime() < end;) {
        uint64_t now = orma_tsc_now(&anchor);

        cr_assert_geq(now, last);
        last = now;
        usleep(100);
    }
    cr_assert_not(orma_tsc_is_trusted());
    orma_tsc_set_source(NULL);
    unlink(path);
    orma_assert_no_leaks();
}
