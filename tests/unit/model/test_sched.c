/* Switches and wakings, whole and with holes, as pictures: what is not known stays open (-1). */
#include "processor/model/sched.h"

#include "tests/unit/model/fixture.h"

/* Threads 1, 2, ... are called by their number; 0 is idle. */
static void switches(struct fixture *f, int64_t ts, uint32_t cpu, uint32_t prev, int64_t state,
                     uint32_t next)
{
    static const char *const names[] = {"swapper", "1", "2", "3"};

    orma_sched_switch(&f->model, 0, ts, cpu, prev, fixture_str(f, names[prev]), state, next,
                      fixture_str(f, names[next]), 120);
}

static void waking(struct fixture *f, int64_t ts, uint32_t tid, uint32_t waker)
{
    struct orma_processes *p = orma_model_processes(&f->model, 0);

    orma_sched_waking(&f->model, 0, ts, orma_processes_thread(p, tid),
                      orma_processes_thread(p, waker), -1);
}

static void expect_states(struct fixture *f, const char *expected)
{
    fixture_expect(f, ORMA_TABLE_THREAD_STATE, "ts dur utid.tid state ucpu", expected);
}

/*  cpu 0:  10 [ 1 ] 20 [ 2 ] 30 [ 1 ...    1 is preempted at 20, 2 sleeps from 30 on */
Test(sched, a_whole_chain)
{
    struct fixture *f = fixture_new();

    switches(f, 10, 0, 0, 0, 1);
    switches(f, 20, 0, 1, 0, 2);
    switches(f, 30, 0, 2, 1, 1);
    fixture_expect(f, ORMA_TABLE_SCHED_SLICE, "ts dur utid.tid end_state",
                   "10 10 1 R\n20 10 2 S\n30 -1 1 -\n");
    expect_states(f, "10 10 1 Running 0\n"
                     "20 10 1 R -\n"
                     "20 10 2 Running 0\n"
                     "30 -1 2 S -\n"
                     "30 -1 1 Running 0\n");
    cr_assert_eq(fixture_stat(f, MISMATCHED_SCHED_SWITCH_TIDS), 0);
    fixture_free(f);
}

/*  cpu 0:  10 [ 1 ]...?...[ 2 ] 30 [ 3      nobody saw 1 go and 2 come */
Test(sched, a_broken_chain_leaves_open_what_ended_unseen)
{
    struct fixture *f = fixture_new();

    switches(f, 10, 0, 0, 0, 1);
    switches(f, 30, 0, 2, 1, 3);
    fixture_expect(f, ORMA_TABLE_SCHED_SLICE, "ts dur utid.tid end_state",
                   "10 -1 1 -\n30 -1 3 -\n");
    expect_states(f, "10 -1 1 Running 0\n"
                     "30 -1 2 S -\n"
                     "30 -1 3 Running 0\n");
    cr_assert_eq(fixture_stat(f, MISMATCHED_SCHED_SWITCH_TIDS), 1);
    fixture_free(f);
}

/*  cpu 0:  10 [ 1 ...       cpu 1:  20 [ 2 ] 30 [ 1      1 left cpu 0 unseen */
Test(sched, a_thread_that_appears_elsewhere_has_left_where_it_was)
{
    struct fixture *f = fixture_new();

    switches(f, 10, 0, 0, 0, 1);
    switches(f, 20, 1, 0, 0, 2);
    switches(f, 30, 1, 1, 1, 3);
    cr_assert_eq(fixture_stat(f, MISMATCHED_SCHED_SWITCH_TIDS), 1);
    expect_states(f, "10 -1 1 Running 0\n"
                     "20 -1 2 Running 1\n"
                     "30 -1 1 S -\n"
                     "30 -1 3 Running 1\n");
    fixture_free(f);
}

/*  1:  Running 10..20, S 20..25, R 25..30 (woken by 2), Running 30.. */
Test(sched, a_waking_ends_sleep_and_names_the_waker)
{
    struct fixture *f = fixture_new();

    switches(f, 10, 0, 0, 0, 1);
    switches(f, 20, 0, 1, 1, 2);
    waking(f, 25, 1, 2);
    switches(f, 30, 0, 2, 0, 1);
    fixture_expect(f, ORMA_TABLE_THREAD_STATE, "ts dur utid.tid state waker_utid waker_id",
                   "10 10 1 Running - -\n"
                   "20 5 1 S - -\n"
                   "20 10 2 Running - -\n"
                   "25 5 1 R 2 2\n"
                   "30 -1 2 R - -\n"
                   "30 -1 1 Running - -\n");
    fixture_free(f);
}

Test(sched, waking_what_runs_or_waits_is_spurious)
{
    struct fixture *f = fixture_new();

    switches(f, 10, 0, 0, 0, 1);
    waking(f, 15, 1, 0);
    switches(f, 20, 0, 1, 0, 2);
    waking(f, 25, 1, 2);
    fixture_expect(f, ORMA_TABLE_SPURIOUS_SCHED_WAKEUP, "ts thread_state_id utid.tid waker_utid",
                   "15 0 1 0\n25 1 1 2\n");
    expect_states(f, "10 10 1 Running 0\n20 -1 1 R -\n20 -1 2 Running 0\n");
    fixture_free(f);
}

Test(sched, the_reason_of_a_block_is_that_of_the_last_one)
{
    struct fixture *f = fixture_new();

    orma_sched_blocked(&f->model, 1, 1, fixture_str(f, "too early"));
    switches(f, 10, 0, 0, 0, 1);
    switches(f, 20, 0, 1, 2, 0);
    orma_sched_blocked(&f->model, 1, 1, fixture_str(f, "read"));
    fixture_expect(f, ORMA_TABLE_THREAD_STATE, "state io_wait blocked_function",
                   "Running - -\nD 1 read\n");
    fixture_free(f);
}

Test(sched, states_are_letters_by_the_version_of_the_kernel)
{
    static const struct {
        uint32_t major, minor;
        int64_t raw;
        const char *text;
    } cases[] = {
        {0, 0, 0, "R"},     {0, 0, 0x800, "R+"},   {4, 8, 0x1000, "R+"}, {4, 4, 0x402, "I"},
        {4, 4, 0x10, "X"},  {4, 14, 0x10, "X"},    {4, 13, 0x20, "Z"},   {6, 1, 0x20, "Z"},
        {6, 1, 0x80, "I"},  {6, 1, 0x100, "R+"},   {6, 1, 3, "SD"},      {6, 1, 0xe00, ""},
        {6, 1, -1, ""},     {4, 4, 0x82, "DK"},    {4, 4, 0x400, "N"},   {4, 4, 0x600, "PN"},
        {6, 1, 0x101, "S"}, {0, 0, 0x7fff, "SDT"}, {0, 0, 0x2000, "R"},  {4, 13, 0x800, "R"},
        {0, 0, 0xffff, ""}, {4, 4, -1, ""},        {4, 8, 0xffff, ""},   {4, 8, 0xfffe, "DTt"},
    };
    struct fixture *f = fixture_new();

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        f->model.machines[0].kernel_version = cases[i].major << 16 | cases[i].minor;
        cr_assert_str_eq(
            orma_strpool_cstr(&f->storage.pool, orma_sched_state_text(&f->model, 0, cases[i].raw)),
            cases[i].text, "%lld of %u.%u", (long long)cases[i].raw, cases[i].major,
            cases[i].minor);
    }
    fixture_free(f);
}

Test(sched, cpus_have_a_limit)
{
    struct fixture *f = fixture_new();

    cr_assert_not_null(orma_sched_cpu(&f->model, 0, ORMA_CPUS_MAX - 1));
    cr_assert_null(orma_sched_cpu(&f->model, 0, ORMA_CPUS_MAX));
    switches(f, 10, ORMA_CPUS_MAX, 0, 0, 1);
    fixture_expect(f, ORMA_TABLE_SCHED_SLICE, "ts", "");
    fixture_free(f);
}
