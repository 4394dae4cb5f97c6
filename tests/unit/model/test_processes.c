/* Which row a tid or a pid means, while kernels use them again. utid and upid 0 are the idle ones.
 */
#include "tests/unit/model/fixture.h"

static struct orma_processes *procs(struct fixture *f)
{
    return orma_model_processes(&f->model, 0);
}

Test(processes, a_process_has_its_main_thread_at_once)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(orma_processes_find_process(procs(f), 7), ORMA_ID_NONE);
    cr_assert_eq(orma_processes_process(procs(f), 7), 1);
    cr_assert_eq(orma_processes_find_process(procs(f), 7), 1);
    cr_assert_eq(orma_processes_thread(procs(f), 7), 1);
    cr_assert_eq(orma_processes_bare_process(procs(f), 8), 2);
    cr_assert_eq(orma_processes_find_thread(procs(f), 8), ORMA_ID_NONE);
    fixture_expect(f, ORMA_TABLE_THREAD, "tid upid is_main_thread is_idle", "0 0 1 1\n7 1 1 0\n");
    fixture_free(f);
}

/*  tid 7:  [== first ==] 50   [== second == ...   the first's rows stay */
Test(processes, a_pid_that_is_used_again_is_another_process)
{
    struct fixture *f = fixture_new();
    uint32_t first = orma_processes_start(procs(f), 10, ORMA_ID_NONE, 7, fixture_str(f, "a"),
                                          ORMA_THREAD_NAME_FTRACE);

    orma_processes_end_thread(procs(f), 50, 7);
    cr_assert_eq(orma_processes_find_process(procs(f), 7), ORMA_ID_NONE);
    orma_processes_end_thread(procs(f), 51, 7); /* nobody is there any more */
    uint32_t second = orma_processes_start(procs(f), 60, ORMA_ID_NONE, 7, fixture_str(f, "b"),
                                           ORMA_THREAD_NAME_FTRACE);
    cr_assert_neq(first, second);
    cr_assert_eq(orma_processes_process(procs(f), 7), second);
    fixture_expect(f, ORMA_TABLE_PROCESS, "pid name start_ts end_ts",
                   "0 - - -\n7 a 10 50\n7 b 60 -\n");
    fixture_expect(f, ORMA_TABLE_THREAD, "tid name start_ts end_ts upid",
                   "0 swapper - - 0\n7 a 10 50 1\n7 b 60 - 2\n");
    fixture_free(f);
}

Test(processes, a_start_replaces_even_a_process_that_never_ended)
{
    struct fixture *f = fixture_new();
    uint32_t utid = orma_processes_thread_of(procs(f), 9, 7);

    uint32_t again = orma_processes_start(procs(f), 60, ORMA_ID_NONE, 7, 0, ORMA_THREAD_NAME_OTHER);
    cr_assert_eq(orma_processes_process(procs(f), 7), again);
    /* The thread stays with the process that is gone; a thread 9 of pid 7 is another one now. */
    cr_assert_neq(orma_processes_upid(procs(f), utid), again);
    cr_assert_neq(orma_processes_thread_of(procs(f), 9, 7), utid);
    fixture_free(f);
}

/*  thread 20 (of whom?) ── same process as ── thread 21 ── of process 5: known at last */
Test(processes, links_wait_until_the_process_of_a_thread_is_known)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_processes_thread(procs(f), 20), b = orma_processes_thread(procs(f), 21),
             c = orma_processes_thread(procs(f), 22);

    orma_processes_link(procs(f), a, b);
    orma_processes_link(procs(f), b, c);
    uint32_t child = orma_processes_start(procs(f), 10, 22, 30, 0, ORMA_THREAD_NAME_OTHER);
    cr_assert_eq(orma_processes_upid(procs(f), c), ORMA_ID_NONE);
    (void)orma_processes_thread_of(procs(f), 20, 5);
    uint32_t upid = orma_processes_find_process(procs(f), 5);
    cr_assert_eq(orma_processes_upid(procs(f), a), upid);
    cr_assert_eq(orma_processes_upid(procs(f), b), upid);
    cr_assert_eq(orma_processes_upid(procs(f), c), upid);
    cr_assert_eq(orma_table_int(orma_model_table(&f->model, ORMA_TABLE_PROCESS),
                                ORMA_PROCESS_PARENT_UPID, child),
                 upid);
    fixture_free(f);
}

/* Each was made by the one before, and of none the process is known. */
Test(processes, links_may_be_as_many_as_a_trace_likes)
{
    const uint32_t num = 200000;
    struct fixture *f = fixture_new();
    uint32_t first = orma_processes_thread(procs(f), 1000), last = first;

    orma_processes_link(procs(f), first, first);
    for (uint32_t i = 1; i < num; i++) {
        uint32_t next = orma_processes_thread(procs(f), 1000 + i);

        orma_processes_link(procs(f), last, next);
        last = next;
    }
    (void)orma_processes_thread_of(procs(f), 1000 + num / 2, 5);
    cr_assert_neq(orma_processes_upid(procs(f), first), ORMA_ID_NONE);
    cr_assert_eq(orma_processes_upid(procs(f), first), orma_processes_upid(procs(f), last));
    fixture_free(f);
}

Test(processes, a_name_gives_way_to_one_of_equal_or_higher_rank)
{
    static const struct {
        const char *name;
        enum orma_thread_name_rank rank;
        const char *then;
    } steps[] = {
        {"ftrace", ORMA_THREAD_NAME_FTRACE, "ftrace"},
        {"other", ORMA_THREAD_NAME_OTHER, "ftrace"},
        {"again", ORMA_THREAD_NAME_FTRACE, "again"},
        {"descr", ORMA_THREAD_NAME_DESCRIPTOR, "descr"},
        {"tree", ORMA_THREAD_NAME_TREE, "descr"},
        {NULL, ORMA_THREAD_NAME_CONSTANT, "descr"},
    };
    struct fixture *f = fixture_new();
    uint32_t utid = orma_processes_thread(procs(f), 9);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(steps); i++) {
        orma_processes_name_thread(
            procs(f), utid, steps[i].name ? fixture_str(f, steps[i].name) : 0, steps[i].rank);
        cr_assert_eq(
            orma_table_int(orma_model_table(&f->model, ORMA_TABLE_THREAD), ORMA_THREAD_NAME, utid),
            fixture_str(f, steps[i].then), "step %u", i);
    }
    fixture_free(f);
}

/*  outside: process 100, thread 101     inside two namespaces: 1 and 2 */
Test(processes, ids_inside_a_namespace_are_found_outside)
{
    struct fixture *f = fixture_new();
    const uint32_t of_process[] = {10, 1}, of_thread[] = {11, 2};

    cr_assert(!orma_processes_note_inner(procs(f), 100, 101, of_thread, 2)); /* too early */
    orma_processes_expect_inner(procs(f), 100, 100, of_process, 2);
    orma_processes_expect_inner(procs(f), 100, 101, of_thread, 2);
    cr_assert_eq(orma_processes_outer(procs(f), 100, 2), 101);
    cr_assert(!orma_processes_note_inner(procs(f), 100, 101, of_thread, 2)); /* not told so far */
    cr_assert(orma_processes_note_inner(procs(f), 100, 100, of_process, 2));
    cr_assert(orma_processes_note_inner(procs(f), 100, 101, of_thread, 2));
    cr_assert(orma_processes_note_inner(procs(f), 100, 102, of_thread, 0));
    cr_assert_eq(orma_processes_outer(procs(f), 100, 1), 100);
    cr_assert_eq(orma_processes_outer(procs(f), 100, 2), 101);
    cr_assert_eq(orma_processes_outer(procs(f), 100, 10), ORMA_ID_NONE);
    cr_assert_eq(orma_processes_outer(procs(f), 99, 1), ORMA_ID_NONE);
    fixture_free(f);
}

Test(processes, machines_have_ids_of_their_own)
{
    struct fixture *f = fixture_new();

    orma_model_add_machine(&f->model, 1, 0xabc);
    uint32_t here = orma_processes_process(procs(f), 7);
    uint32_t there = orma_processes_process(orma_model_processes(&f->model, 1), 7);
    cr_assert_neq(here, there);
    fixture_expect(f, ORMA_TABLE_PROCESS, "pid machine_id", "0 0\n0 1\n7 0\n7 1\n");
    cr_assert_eq(orma_model_ucpu(&f->model, 1, 2), ORMA_UCPUS_PER_MACHINE + 2);
    cr_assert_eq(orma_model_ucpu(&f->model, 0, UINT32_MAX), ORMA_UCPUS_PER_MACHINE - 1);
    fixture_free(f);
}

/* Numbers that stand for tids of 64 bits; the least and the greatest that need one. */
Test(processes, tids_of_64_bits_have_numbers_and_are_shown_whole)
{
    struct fixture *f = fixture_new();
    uint32_t wide = orma_processes_tid(procs(f), INT64_C(1) << 40), minus;

    cr_assert_eq(orma_processes_tid(procs(f), 7), 7);
    cr_assert_eq(orma_processes_tid(procs(f), ORMA_PROCESSES_WIDE - 1), ORMA_PROCESSES_WIDE - 1);
    cr_assert_eq(wide, ORMA_PROCESSES_WIDE);
    minus = orma_processes_tid(procs(f), INT64_MIN);
    cr_assert_eq(orma_processes_tid(procs(f), ORMA_PROCESSES_WIDE), ORMA_PROCESSES_WIDE + 2);
    cr_assert_eq(orma_processes_tid(procs(f), INT64_C(1) << 40), wide);
    cr_assert_eq(orma_processes_thread_of(procs(f), wide, 7), orma_processes_thread(procs(f), wide));
    orma_processes_thread(procs(f), minus);
    fixture_expect(f, ORMA_TABLE_THREAD, "tid upid is_main_thread",
                   "0 0 1\n7 1 1\n1099511627776 1 0\n-9223372036854775808 - -\n");
    fixture_free(f);
}
