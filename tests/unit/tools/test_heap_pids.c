/* Pids of programs in other namespaces, for `orma heap`. */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/heap/pids.h"

Test(heap_pids, pids_of_our_namespace_are_what_they_are)
{
    struct orma_heap_pids pids;
    struct stat st;

    orma_heap_pids_init(&pids, 2);
    cr_assert_eq(stat("/proc/self/ns/pid", &st), 0);
    for (uint32_t pid = 1; pid < 100; pid++)
        cr_assert_eq(orma_heap_pids_find(&pids, st.st_ino, pid, true), pid);
    cr_assert_eq(orma_heap_pids_find(&pids, st.st_ino, 0, true), 0);
    cr_assert_eq(orma_heap_pids_find(&pids, st.st_ino, ORMA_HEAP_PID_MAX + 1, true), 0, "made up");
    cr_assert_eq(pids.strangers, 0);
    orma_heap_pids_fini(&pids);
}

Test(heap_pids, a_process_that_is_not_found_is_none_of_ours)
{
    struct orma_heap_pids pids;

    orma_heap_pids_init(&pids, 4);
    uint32_t first = orma_heap_pids_find(&pids, 4711, 1, true);
    uint32_t unknown = orma_heap_pids_find(&pids, 0, 1, true);
    cr_assert_gt(first, ORMA_HEAP_PID_MAX);
    cr_assert_gt(unknown, ORMA_HEAP_PID_MAX);
    cr_assert_neq(first, unknown, "they are not the same because they have the same number");
    cr_assert_eq(orma_heap_pids_find(&pids, 4711, 1, false), first);
    cr_assert_neq(orma_heap_pids_find(&pids, 4711, 1, true), first, "another program");
    cr_assert_neq(orma_heap_pids_find(&pids, 4711, 2, false), 0);
    cr_assert_eq(orma_heap_pids_find(&pids, 4711, 3, true), 0, "too many");
    cr_assert_eq(pids.strangers, 4);
    orma_heap_pids_fini(&pids);
}

Test(heap_pids, one_that_begins_for_ever_is_given_up)
{
    struct orma_heap_pids pids;

    orma_heap_pids_init(&pids, 2);
    cr_assert_neq(orma_heap_pids_find(&pids, 4711, 1, true), 0);
    cr_assert_neq(orma_heap_pids_find(&pids, 4711, 1, true), 0);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(orma_heap_pids_find(&pids, 4711, 1, true), 0);
    cr_assert_eq(orma_heap_pids_find(&pids, 4711, 1, false), 0, "nor is it who it was before");
    cr_assert_eq(pids.strangers, 2);
    orma_heap_pids_fini(&pids);
}
