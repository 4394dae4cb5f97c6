/* Memory in files: what is in it stays, two sides of a fork() do not write to each other, and files
 * go with their last piece. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor/store/block.h"
#include "processor/store/large.h"
#include "processor/store/spill.h"
#include "tests/support/leaks.h"

#define MB ((size_t)1 << 20)
#define BLOCKS 20000

/* Mappings of files that have no name. */
static unsigned spilled_files(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[4096];
    unsigned num = 0;

    cr_assert(f);
    while (fgets(line, sizeof(line), f))
        num += strstr(line, "rw-s") && strstr(line, "(deleted)");
    fclose(f);
    return num;
}

static void make(struct orma_block *b, int64_t first)
{
    int64_t vals[ORMA_BLOCK_ROWS];

    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        vals[i] = first + i * 70001;
    cr_assert(orma_block_make(b, vals, sizeof(*vals)));
}

static void check(const struct orma_block *b, int64_t first)
{
    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        cr_assert_eq(orma_block_get(b, i), first + i * 70001);
}

static void in_child(void (*fn)(struct orma_block *b), struct orma_block *b)
{
    int status;
    pid_t pid = fork();

    if (!pid) {
        fn(b);
        _exit(0);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
}

/* Writes to what both know, adds pieces of its own, and drops all. */
static void change_all(struct orma_block *b)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct orma_block fresh;

        if (!orma_block_set(&b[i], 3, -7) || orma_block_get(&b[i], 3) != -7)
            _exit(1);
        make(&fresh, 1000000 + i);
        check(&fresh, 1000000 + i);
        orma_block_fini(&b[i]);
    }
}

Test(spill, blocks_lie_in_files_and_belong_to_one_side)
{
    struct orma_block *b = calloc(BLOCKS, sizeof(*b));

    orma_spill_limit(1);
    for (unsigned i = 0; i < BLOCKS; i++)
        make(&b[i], i);
    cr_assert_gt(spilled_files(), 0);
    cr_assert(b[BLOCKS - 1].spilled);
    for (unsigned i = 0; i < BLOCKS; i++)
        check(&b[i], i);
    cr_assert(orma_block_set(&b[BLOCKS - 1], 5, BLOCKS + 77));
    cr_assert(b[BLOCKS - 1].spilled, "it was written where it lies");
    cr_assert_eq(orma_block_get(&b[BLOCKS - 1], 5), BLOCKS + 77);
    cr_assert(orma_block_set(&b[BLOCKS - 1], 5, BLOCKS - 1 + 5 * 70001));
    cr_assert(orma_spill_is_ours());
    in_child(change_all, b);
    cr_assert(!orma_spill_is_ours());
    for (unsigned i = 0; i < BLOCKS; i++)
        check(&b[i], i);
    cr_assert(orma_block_set(&b[BLOCKS - 1], 5, 1));
    cr_assert(!b[BLOCKS - 1].spilled, "a copy");
    for (unsigned i = 0; i < BLOCKS; i++)
        orma_block_fini(&b[i]);
    cr_assert_eq(spilled_files(), 0);
    free(b);
    orma_assert_no_leaks();
}

static void make_one(struct orma_block *b)
{
    const struct rlimit limit = {MB, MB};

    if (setrlimit(RLIMIT_FSIZE, &limit) < 0 || orma_spill_has_room(64 * MB))
        _exit(1);
    make(b, 5);
    check(b, 5);
}

/* The processor is part of other programs, which the signal of too large a file would end. */
Test(spill, files_stay_below_the_limit_of_the_process)
{
    struct orma_block b;

    orma_spill_limit(1);
    in_child(make_one, &b);
}

/* As malloc() and realloc() do, whatever is written when. */
Test(spill, arrays_lie_in_files_of_their_own)
{
    unsigned char *a[4];

    orma_spill_limit(1);
    for (unsigned i = 0; i < 4; i++) {
        a[i] = orma_large_zeroed(16 * MB, 1);
        cr_assert(a[i]);
        cr_assert_eq(a[i][16 * MB - 1], 0);
        memset(a[i], (int)i + 1, 16 * MB);
    }
    cr_assert_eq(spilled_files(), 4);
    a[1] = orma_large_resize(a[1], 40 * MB);
    cr_assert(a[1]);
    memset(a[1] + 16 * MB, 9, 24 * MB);
    a[2] = orma_large_resize(a[2], 8 * MB);
    for (size_t at = 0; at < 8 * MB; at += 1023) {
        cr_assert_eq(a[0][at], 1);
        cr_assert_eq(a[1][at], 2);
        cr_assert_eq(a[1][at + 20 * MB], 9);
        cr_assert_eq(a[2][at], 3);
    }
    for (unsigned i = 0; i < 4; i++)
        orma_large_free(a[i]);
    cr_assert_eq(spilled_files(), 0);
    cr_assert_eq(orma_large_kept(), 0);
    orma_assert_no_leaks();
}

/* Where no file can be made it is memory as before. */
Test(spill, does_without_files)
{
    struct orma_block b;

    cr_assert_eq(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    orma_spill_limit(1);
    cr_assert(!orma_spill_has_room(1 << 20));
    for (unsigned i = 0; i < 2000; i++) {
        make(&b, i);
        check(&b, i);
        cr_assert(!b.spilled);
        orma_block_fini(&b);
    }
    unsigned char *a = orma_large_zeroed(64 * MB, 1);
    cr_assert(a && !a[64 * MB - 1]);
    orma_large_free(a);
    orma_large_drop();
    orma_assert_no_leaks();
}
