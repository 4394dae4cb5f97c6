/* Turns of the loop without anybody to serve: order of the two queues, and lines of the log. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/leaks.h"
#include "traced/loop/loop.h"

/* Work that writes its letter as often as it has slices. */
struct job {
    struct traced_work work;
    char letter;
    int slices;
};

static char done[64];

static bool slice(struct traced_work *work)
{
    struct job *job = ORMA_CONTAINER_OF(work, struct job, work);

    done[strlen(done)] = job->letter;
    return --job->slices > 0;
}

static struct job job(char letter, int slices, bool urgent)
{
    return (struct job){
        .work = {.slice = slice, .urgent = urgent}, .letter = letter, .slices = slices};
}

static void turn_until_idle(struct traced_loop *loop)
{
    while (!orma_list_empty(&loop->turns.urgent) || !orma_list_empty(&loop->turns.other))
        cr_assert_geq(event_base_loop(loop->base, EVLOOP_ONCE), 0);
}

Test(traced_loop, takes_slices_of_both_queues_in_turn)
{
    struct traced_loop loop;
    struct job a = job('a', 3, false), b = job('b', 1, false);
    struct job x = job('X', 2, true), y = job('Y', 1, true);

    cr_assert_eq(traced_loop_init(&loop), 0);
    memset(done, 0, sizeof(done));
    traced_turns_add(&loop.turns, &a.work);
    traced_turns_add(&loop.turns, &b.work);
    traced_turns_add(&loop.turns, &x.work);
    traced_turns_add(&loop.turns, &y.work);
    traced_turns_add(&loop.turns, &a.work); /* waits already */
    turn_until_idle(&loop);
    cr_assert_str_eq(done, "XaYbXaa");
    traced_loop_fini(&loop);
    orma_assert_no_leaks();
}

Test(traced_loop, does_work_at_once_only_if_nobody_waits)
{
    struct traced_loop loop;
    struct job a = job('a', 1, false), b = job('b', 1, false), c = job('c', 1, false);

    cr_assert_eq(traced_loop_init(&loop), 0);
    memset(done, 0, sizeof(done));
    traced_turns_do(&loop.turns, &a.work);
    cr_assert_str_eq(done, "a");
    traced_turns_add(&loop.turns, &b.work);
    traced_turns_do(&loop.turns, &c.work);
    cr_assert_str_eq(done, "a", "one waits: this one has to wait, too");
    traced_work_cancel(&b.work);
    turn_until_idle(&loop);
    cr_assert_str_eq(done, "ac");
    traced_loop_fini(&loop);
    orma_assert_no_leaks();
}

Test(traced_loop, limits_lines_about_clients)
{
    struct traced_loop loop;
    unsigned lines = 0;

    cr_assert_eq(traced_loop_init(&loop), 0);
    for (int i = 0; i < 1000; i++)
        lines += traced_loop_may_log(&loop);
    cr_assert_eq(lines, 50);
    traced_loop_fini(&loop);
    orma_assert_no_leaks();
}

static bool is_mapped(uint8_t *at, size_t len)
{
    return msync(at, len, MS_ASYNC) == 0 || errno != ENOMEM;
}

Test(traced_loop, unmaps_all_of_a_size_that_is_no_whole_number_of_pages)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = ((size_t)40 << 20) + 1024;
    struct traced_loop loop;

    cr_assert_eq(traced_loop_init(&loop), 0);
    uint8_t *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(base, MAP_FAILED);
    cr_assert(is_mapped(base + size / page * page, 1));
    traced_reap(&loop.reaper, &loop.turns, base, size);
    turn_until_idle(&loop);
    for (size_t at = 0; at < size; at += (size_t)1 << 20)
        cr_assert_not(is_mapped(base + at, page), "at %zu", at);
    traced_loop_fini(&loop);
    orma_assert_no_leaks();
}
