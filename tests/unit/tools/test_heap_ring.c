/* The reader's side of the memory that programs with our library write to: we are the programs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/heap/ring.h"

#define SIZE ((uint32_t)sizeof(struct orma_heap_record))
#define LATER UINT64_C(1000000000) /* far beyond what a writer takes */

/* Below `n`; xorshift64. */
static uint64_t below(uint64_t *seed, uint64_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (*seed >> 11) % n;
}

static struct orma_heap_shared shared;
static _Alignas(8) uint8_t bytes[ORMA_HEAP_RING_BYTES];
static uint32_t gone; /* a pid that ended */

static bool is_alive(void *ctx, uint64_t space, uint32_t pid)
{
    (void)ctx;
    return space != 7 || pid != gone;
}

static struct orma_heap_ring ring;

static void begin(uint64_t at)
{
    memset(bytes, 0, sizeof(bytes));
    memset(&shared, 0, sizeof(shared));
    shared.head = shared.tail = shared.seen = at;
    ring = (struct orma_heap_ring){
        .shared = &shared, .bytes = bytes, .tail = at, .read = at, .is_alive = is_alive};
    gone = 0;
}

static struct orma_heap_record *at(uint64_t position)
{
    return (void *)(bytes + (position & (ORMA_HEAP_RING_BYTES - 1)));
}

/* As the library does, up to some step. */
enum step { RESERVED, SIZED, NAMED, FINISHED };

static void write_to(uint64_t position, uint32_t size, uint32_t pid, uint64_t address,
                     enum step step)
{
    struct orma_heap_record *r = at(position);

    if (step >= SIZED)
        r->size = size | ORMA_HEAP_OPEN;
    if (step >= NAMED) {
        r->pid_space = 7;
        r->pid = pid;
        r->kind = ORMA_HEAP_ALLOC;
    }
    if (step >= FINISHED) {
        r->address = address;
        r->size = size;
    }
}

static uint64_t reserve(uint32_t size)
{
    uint64_t position = shared.head,
             rest = ORMA_HEAP_RING_BYTES - (position & (ORMA_HEAP_RING_BYTES - 1));

    if (rest < size) {
        at(position)->kind = ORMA_HEAP_PAD;
        at(position)->size = (uint32_t)rest;
        position += rest;
    }
    shared.head = position + size;
    return position;
}

static uint64_t put(uint32_t pid, uint64_t address, enum step step)
{
    uint64_t position = reserve(SIZE);

    write_to(position, SIZE, pid, address, step);
    return position;
}

/* The address of the next record; 0: there is none. */
static uint64_t next(uint64_t now_ns)
{
    static _Alignas(8) uint8_t copy[ORMA_HEAP_RECORD_MAX];
    struct orma_heap_record *r = (void *)copy;

    while (orma_heap_ring_take(&ring, now_ns, r)) {
        if (r->kind != ORMA_HEAP_PAD)
            return r->address;
    }
    return 0;
}

Test(heap_ring, records_come_in_order_over_its_end)
{
    begin(ORMA_HEAP_RING_BYTES - 3 * SIZE - 8);
    for (uint64_t i = 1; i <= 6; i++)
        (void)put(1, i, FINISHED);
    for (uint64_t i = 1; i <= 6; i++)
        cr_assert_eq(next(1), i);
    cr_assert_eq(next(1), 0);
    cr_assert_eq(shared.tail, shared.head);
    cr_assert_eq(shared.seen, shared.head);
    for (size_t i = 0; i < sizeof(bytes); i++)
        cr_assert_eq(bytes[i], 0);
}

Test(heap_ring, a_record_is_given_back_when_all_is_done_with_it)
{
    begin(0);
    (void)put(1, 1, FINISHED);
    cr_assert_eq(next(1), 1);
    cr_assert_eq(shared.seen, 0);
    cr_assert_eq(next(1), 0);
    cr_assert_eq(shared.seen, SIZE);
}

/* At each step, one is passed over after a while, and taken when it is finished after all. */
Test(heap_ring, one_writer_that_stands_still_does_not_stop_the_others)
{
    for (enum step step = RESERVED; step < FINISHED; step++) {
        begin(64);
        uint64_t position = put(1, 1, step);

        (void)put(2, 2, FINISHED);
        cr_assert_eq(next(1), 0, "it may take a moment");
        cr_assert_eq(next(LATER), 2);
        cr_assert_eq(next(LATER), 0);
        cr_assert_eq(shared.tail, 64, "its place is not given to others");
        cr_assert_eq(orma_heap_ring_unread(&ring), 1);
        (void)put(2, 3, FINISHED);
        cr_assert_eq(next(LATER + 1), 3);
        write_to(position, SIZE, 1, 1, FINISHED);
        cr_assert_eq(next(LATER + 2), 1);
        cr_assert_eq(next(LATER + 2), 0);
        cr_assert_eq(shared.tail, shared.head);
        cr_assert_eq(orma_heap_ring_unread(&ring), 0);
        cr_assert_not(ring.corrupted);
    }
}

Test(heap_ring, the_place_of_a_process_that_ended_is_given_back)
{
    begin(64);
    (void)put(5, 1, NAMED);
    (void)put(2, 2, FINISHED);
    cr_assert_eq(next(1), 0);
    cr_assert_eq(next(LATER), 2);
    gone = 5;
    cr_assert_eq(next(2 * LATER), 0);
    cr_assert_eq(next(2 * LATER), 0);
    cr_assert_eq(ring.dead, 1);
    cr_assert_eq(shared.tail, shared.head);
    cr_assert_eq(at(64)->size, 0);
    cr_assert_eq(at(64)->pid, 0);
}

/* Memory without access behind the ring: nothing is read there. */
Test(heap_ring, eight_bytes_at_the_end_have_no_pid)
{
    const size_t page = 4096;
    uint8_t *memory = mmap(NULL, sizeof(bytes) + page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert_neq(memory, MAP_FAILED);
    cr_assert_eq(mprotect(memory + sizeof(bytes), page, PROT_NONE), 0);
    begin(ORMA_HEAP_RING_BYTES - 8);
    ring.bytes = memory;
    ((struct orma_heap_record *)(void *)(memory + ORMA_HEAP_RING_BYTES - 8))->size =
        8 | ORMA_HEAP_OPEN;
    shared.head = ORMA_HEAP_RING_BYTES;
    for (uint64_t turn = 1; turn < 5; turn++)
        cr_assert_eq(next(turn * LATER), 0);
    cr_assert_eq(orma_heap_ring_unread(&ring), 1);
    cr_assert_not(ring.corrupted);
}

/* Of two that had written nothing, the second goes on. */
Test(heap_ring, holes_are_told_apart_when_something_is_written)
{
    begin(0);
    uint64_t first = put(1, 1, RESERVED), second = put(2, 2, RESERVED);

    (void)put(3, 3, FINISHED);
    cr_assert_eq(next(1), 0);
    cr_assert_eq(next(LATER), 3);
    write_to(second, SIZE, 2, 2, FINISHED);
    cr_assert_eq(next(2 * LATER), 2);
    write_to(first, SIZE, 1, 1, FINISHED);
    cr_assert_eq(next(3 * LATER), 1);
    cr_assert_eq(next(3 * LATER), 0);
    cr_assert_eq(shared.tail, shared.head);
}

Test(heap_ring, at_the_end_nobody_is_waited_for)
{
    begin(0);
    (void)put(1, 1, SIZED);
    (void)put(2, 2, FINISHED);
    (void)put(3, 3, RESERVED);
    (void)put(4, 4, FINISHED);
    (void)put(5, 5, RESERVED);
    cr_assert_eq(next(ORMA_HEAP_RING_NOW), 2);
    cr_assert_eq(next(ORMA_HEAP_RING_NOW), 4);
    cr_assert_eq(next(ORMA_HEAP_RING_NOW), 0);
    cr_assert_eq(orma_heap_ring_unread(&ring), 3);
}

/* Many writers, which stop at any step and go on, or are killed: each finished record comes once.
 */
Test(heap_ring, random_schedules)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct {
            uint64_t position, address;
            uint32_t size;
            enum step step;
        } writers[12] = {{0}};
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t now = 1, last = 0, taken = 0, finished = 0, killed = 0, sum = 0, expected = 0;

        begin(8 + below(&random, 1000) * 8);
        gone = 9;
        for (int turn = 0; turn < 3000; turn++) {
            unsigned nr = (unsigned)below(&random, 12);
            uint64_t what = below(&random, 10);

            now += below(&random, 3) * 30000000;
            if (what < 3) {
                for (uint64_t a; (a = next(now));) {
                    taken++;
                    sum += a;
                }
            } else if (!writers[nr].position) {
                if (shared.head - shared.tail > ORMA_HEAP_RING_BYTES - 70000)
                    continue;
                writers[nr].size = SIZE + (uint32_t)below(&random, 8000) * 8;
                writers[nr].position = reserve(writers[nr].size);
                writers[nr].step = RESERVED;
                writers[nr].address = ++last;
            } else if (what == 9 && writers[nr].step == NAMED) {
                at(writers[nr].position)->pid = gone;
                writers[nr].position = 0;
                killed++;
            } else {
                writers[nr].step++;
                write_to(writers[nr].position, writers[nr].size, nr + 20, writers[nr].address,
                         writers[nr].step);
                if (writers[nr].step == FINISHED) {
                    finished++;
                    expected += writers[nr].address;
                    writers[nr].position = 0;
                }
            }
        }
        for (unsigned nr = 0; nr < 12; nr++) {
            if (writers[nr].position) {
                write_to(writers[nr].position, writers[nr].size, nr, writers[nr].address, FINISHED);
                finished++;
                expected += writers[nr].address;
            }
        }
        for (int turn = 0; turn < 40; turn++) {
            now += LATER;
            for (uint64_t a; (a = next(now));) {
                taken++;
                sum += a;
            }
        }
        cr_assert_not(ring.corrupted, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(taken, finished, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(sum, expected);
        cr_assert_eq(ring.dead, killed);
        cr_assert_eq(shared.tail, shared.head, "seed %llu", (unsigned long long)seed);
    }
}

Test(heap_ring, nonsense_ends_the_reading_and_nothing_else)
{
    static const uint32_t sizes[] = {4,
                                     7,
                                     9,
                                     SIZE - 8,
                                     ORMA_HEAP_RING_BYTES,
                                     0x7ffffff8u,
                                     ORMA_HEAP_OPEN,
                                     ORMA_HEAP_OPEN | 4,
                                     UINT32_MAX};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        begin(0);
        (void)put(1, 1, FINISHED);
        at(shared.head)->size = sizes[i];
        at(shared.head)->kind = ORMA_HEAP_ALLOC;
        shared.head += SIZE;
        cr_assert_eq(next(1), 1);
        cr_assert_eq(next(LATER), 0);
        cr_assert_eq(next(3 * LATER), 0);
        cr_assert(ring.corrupted, "%x", sizes[i]);
    }
    for (int late = 0; late < 2; late++) { /* a kind without a size, at once or in a hole */
        begin(0);
        (void)put(1, 1, RESERVED);
        (void)put(2, 2, FINISHED);
        cr_assert_eq(next(1), 0);
        if (late)
            cr_assert_eq(next(LATER), 2);
        at(0)->kind = ORMA_HEAP_ALLOC;
        for (uint64_t turn = 2; turn < 6; turn++)
            (void)next(turn * LATER);
        cr_assert(ring.corrupted);
    }
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t num = 0;

        begin(0);
        for (size_t i = below(&random, 2) * 4; i < 4096; i += 4 + below(&random, 30) * 4) {
            uint32_t word = (uint32_t)(below(&random, 3) ? 0 : below(&random, 40) * 8);
            memcpy(bytes + i, &word, 4);
        }
        shared.head = seed % 2 ? below(&random, 6000) : below(&random, UINT64_MAX);
        for (int turn = 1; turn < 100 && num < 10000; turn++)
            num += next((uint64_t)turn * LATER) != 0;
    }
}

/* ---- the header ---- */

static void on_off(void)
{
    shared.on = 0;
}
static void owner_dies(void)
{
    shared.owner = 1 << 30;
}
static void tail_moves(void)
{
    shared.tail += 4096;
}
static void tail_falls(void)
{
    shared.tail = 0;
}
static void seen_moves(void)
{
    shared.seen = UINT64_MAX;
}
static void magic_goes(void)
{
    shared.magic = 0;
}
static void interval_changes(void)
{
    shared.interval = 1;
}
static void lost_falls(void)
{
    shared.lost = 3;
}
static void confined_falls(void)
{
    shared.confined = 0;
}
static void head_falls(void)
{
    shared.head -= SIZE;
}
static void head_flies(void)
{
    shared.head += ORMA_HEAP_RING_BYTES + 8;
}
static void head_is_odd(void)
{
    shared.head += 4;
}

static void begin_checked(void)
{
    begin(10 * SIZE);
    ring.interval = shared.interval = 512;
    shared.owner = 77;
    ring.owner = 77;
    ring.seen = shared.seen;
    shared.magic = ORMA_HEAP_MAGIC;
    shared.on = 1;
    shared.lost = 4;
    shared.confined = 2;
    orma_heap_ring_check(&ring);
    cr_assert_eq(ring.contradicted, 0);
}

Test(heap_ring, what_programs_wrote_into_the_header_is_noticed_and_put_right)
{
    static void (*const writes[])(void) = {
        on_off,           owner_dies, tail_moves,     tail_falls, seen_moves, magic_goes,
        interval_changes, lost_falls, confined_falls, head_falls, head_flies, head_is_odd};

    for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++) {
        begin_checked();
        (void)put(1, 5, FINISHED);
        orma_heap_ring_check(&ring);
        cr_assert_eq(ring.contradicted, 0, "%zu", i);
        writes[i]();
        orma_heap_ring_check(&ring);
        cr_assert_eq(ring.contradicted, 1, "%zu", i);
        cr_assert_eq(ring.corrupted, i >= 9, "%zu", i);
        cr_assert(shared.on == 1 && shared.owner == 77 && shared.tail == ring.tail &&
                  shared.seen == ring.seen && shared.magic == ORMA_HEAP_MAGIC &&
                  shared.interval == 512);
        if (ring.corrupted)
            continue;
        cr_assert_eq(next(1), 5, "%zu", i);
        cr_assert_eq(next(1), 0, "%zu", i);
        orma_heap_ring_check(&ring);
        cr_assert_eq(ring.contradicted, 1, "%zu", i);
    }
}
