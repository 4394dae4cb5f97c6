/* Stacks that are kept, to begin the next one of the thread from.
 *
 *   BASE  ...  f0  ...  f1  ...                          f15  ...  TOP
 *         a frame at each FRAME bytes, each with a print of its own
 */
#include <criterion/criterion.h>

#include "probes/perf/kept.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

#define BASE UINT64_C(0x7ffd00000000)
#define FRAME 512u
#define FRAMES 16u
#define BYTES (FRAME * FRAMES)
#define TOP (BASE + BYTES)

static const struct orma_perf_kept_key key = {.version = 7, .tid = 42, .age = 1};

struct fx {
    struct orma_perf_kepts kepts;
    uint8_t memory[BYTES];
    struct orma_unwind_mark marks[FRAMES];
    uint64_t frames[FRAMES];
};

static struct orma_unwind_state copy_of(const struct fx *f, uint64_t from, size_t len)
{
    return (struct orma_unwind_state){
        .stack = f->memory + (from - BASE), .stack_len = len, .stack_address = from};
}

static void init(struct fx *f)
{
    *f = (struct fx){0};
    for (size_t i = 0; i < BYTES; i++)
        f->memory[i] = (uint8_t)(i * 7 + i / 256);
    for (unsigned i = 0; i < FRAMES; i++) {
        f->marks[i] = (struct orma_unwind_mark){BASE + i * FRAME, 1000 + i};
        f->frames[i] = 100 + i;
    }
    struct orma_unwind_state all = copy_of(f, BASE, BYTES);
    orma_perf_kept_put(&f->kepts, &key, NULL, f->marks, f->frames, FRAMES, &all, TOP);
}

static void fini(struct fx *f)
{
    orma_perf_kepts_fini(&f->kepts);
    orma_assert_no_leaks();
}

static bool find(const struct fx *f, const struct orma_perf_kept_key *k, uint64_t from, size_t len,
                 struct orma_unwind_past *ret)
{
    struct orma_unwind_state now = copy_of(f, from, len);

    return orma_perf_kept_find(&f->kepts, k, &now, ret);
}

Test(kept, what_is_above_a_change_is_known)
{
    struct orma_unwind_past past;
    struct fx f;

    init(&f);
    cr_assert(find(&f, &key, BASE, BYTES, &past));
    cr_expect_eq(past.from, BASE);
    f.memory[5 * FRAME + 8] ^= 1;
    cr_assert(find(&f, &key, BASE, BYTES, &past));
    cr_expect_eq(past.from, BASE + 5 * FRAME + 16, "behind the word that differs");
    cr_expect_eq(past.num, FRAMES);
    cr_expect_not(past.unseen);
    f.memory[BYTES - 1] ^= 1;
    cr_expect_not(find(&f, &key, BASE, BYTES, &past), "nothing is the same from there to the end");
    fini(&f);
}

Test(kept, others_know_nothing_of_it)
{
    const struct orma_perf_kept_key others[] = {{8, 42, 1}, {7, 43, 1}, {7, 42, 2}};
    struct orma_unwind_past past;
    struct fx f;

    init(&f);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++)
        cr_expect_not(find(&f, &others[i], BASE, BYTES, &past), "%zu", i);
    for (struct orma_perf_kept_key k = key; k.tid < 42 + 4 * ORMA_PERF_KEPT_SLOTS; k.tid++) {
        struct orma_unwind_state all = copy_of(&f, BASE, BYTES);

        orma_perf_kept_put(&f.kepts, &k, NULL, f.marks, f.frames, FRAMES, &all, TOP);
        cr_assert(find(&f, &k, BASE, BYTES, &past), "%u", k.tid);
    }
    cr_expect_not(find(&f, &key, BASE, BYTES, &past), "pushed out");
    fini(&f);
}

Test(kept, a_copy_that_ends_early_is_believed_only_with_evidence)
{
    struct orma_unwind_past past;
    struct fx f;

    init(&f);
    cr_assert(find(&f, &key, BASE, 8 * FRAME, &past));
    cr_expect(past.unseen);
    cr_expect_eq(past.from, BASE);
    cr_expect_eq(past.until, BASE + 4 * FRAME, "the frame that has four before the end");
    f.memory[5 * FRAME] ^= 1;
    cr_expect_not(find(&f, &key, BASE, 8 * FRAME, &past), "only two frames are the same");
    f.memory[5 * FRAME] ^= 1;
    cr_expect_not(find(&f, &key, BASE, 512, &past), "too little");
    cr_expect_not(find(&f, &key, TOP, 0, &past), "nothing");
    fini(&f);
}

Test(kept, a_stack_is_put_together_of_new_frames_and_old_ones)
{
    const struct orma_unwind_mark leaf[] = {{BASE, 1}, {BASE + 64, 2}};
    uint64_t frames[FRAMES + 2] = {1, 2};
    struct orma_unwind_past past;
    struct fx f;

    init(&f);
    memset(f.memory, 0, 4 * FRAME);
    struct orma_unwind_state now = copy_of(&f, BASE, BYTES);
    cr_assert(orma_perf_kept_find(&f.kepts, &key, &now, &past));
    past.joined = 4; /* as the unwinder says */
    cr_assert_eq(orma_perf_kept_rest(&f.kepts, &past, &key, frames, 2, FRAMES + 2), 14);
    cr_expect_eq(frames[2], 104);
    cr_expect_eq(frames[13], 115);
    cr_expect_eq(orma_perf_kept_rest(&f.kepts, &past, &key, frames, 2, 6), 6, "as many as fit");
    orma_perf_kept_put(&f.kepts, &key, &past, leaf, frames, 2, &now, 0);
    cr_assert(orma_perf_kept_find(&f.kepts, &key, &now, &past));
    cr_expect_eq(past.from, BASE, "all of the memory is kept");
    cr_expect_eq(past.num, 14);
    cr_expect_eq(past.marks[1].print, 2);
    cr_expect_eq(past.marks[2].print, 1004);
    cr_expect_not(past.unseen);
    fini(&f);
}
