/*
 * The library that `orma heap` preloads, with its wrappers under other names, and below it system
 * calls and an allocator that fail when they are told to. We are the reader, too: what the records
 * add up to must be what the program has.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdk/heap/parts.h"

#define INTERVAL (64u << 10)
#define UNIT INTERVAL /* all sizes are multiples: each allocation is reported, with its size */
#define RING_FD 4711
#define READER_FD 4712
#define LIVE_MAX 512u
#define USED_MAX (1u << 20) /* of the ring, by one test */

static _Alignas(4096) uint8_t memory[ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES];
static struct orma_heap_shared *const ring = (struct orma_heap_shared *)(void *)memory;

/* ---- what fails ---- */

static unsigned calls, fails_at; /* 0: none */
static const char *failed;

static bool fails(const char *what)
{
    if (++calls != fails_at)
        return false;
    failed = what;
    errno = ENOMEM;
    return true;
}

/* ---- the reader ---- */

struct live {
    uint64_t address, bytes, time;
};

static struct live allocated[LIVE_MAX], mapped[LIVE_MAX]; /* mapped: in units */
static unsigned allocated_num, mapped_num, starts, shown;
static uint32_t last_pid;
static uint64_t last_space;
static uint64_t stack_len;

static void add(struct live *to, unsigned *num, uint64_t address, uint64_t bytes, uint64_t time)
{
    cr_assert_lt(*num, LIVE_MAX);
    to[(*num)++] = (struct live){address, bytes, time};
}

static void drop(struct live *from, unsigned *num, uint64_t address, uint64_t len, uint64_t time)
{
    for (unsigned i = 0; i < *num; i++) {
        if (from[i].address >= address && from[i].address < address + len && from[i].time <= time)
            from[i--] = from[--*num];
    }
}

static void take(const struct orma_heap_record *r)
{
    last_pid = r->pid;
    last_space = r->pid_space;
    switch (r->kind) {
    case ORMA_HEAP_START:
        starts++;
        break;
    case ORMA_HEAP_ALLOC:
        drop(allocated, &allocated_num, r->address, 1, UINT64_MAX);
        add(allocated, &allocated_num, r->address, r->bytes, r->time);
        stack_len = r->stack_len;
        break;
    case ORMA_HEAP_FREE:
        drop(allocated, &allocated_num, r->address, 1, r->time);
        break;
    case ORMA_HEAP_MAP:
        cr_assert_eq(r->bytes, r->count);
        drop(mapped, &mapped_num, r->address, r->count, UINT64_MAX);
        for (uint64_t at = 0; at < r->count; at += UNIT)
            add(mapped, &mapped_num, r->address + at, UNIT, r->time);
        break;
    case ORMA_HEAP_UNMAP:
        drop(mapped, &mapped_num, r->address, r->bytes, r->time);
        break;
    case ORMA_HEAP_MAPPED:
        shown++;
        break;
    default:
        break;
    }
}

static void read_ring(void)
{
    for (;;) {
        uint64_t tail = ring->tail, offset = tail & (ORMA_HEAP_RING_BYTES - 1);
        struct orma_heap_record *r = (void *)(memory + ORMA_HEAP_RING_AT + offset);
        uint32_t size = r->size;

        if (!size)
            return;
        cr_assert_not(size & ORMA_HEAP_OPEN, "all that is begun is finished");
        if (r->kind != ORMA_HEAP_PAD)
            take(r);
        memset((void *)r, 0, size);
        ring->seen = ring->tail = tail + size;
    }
}

/* ---- what lies below ---- */

static bool copies = true; /* process_vm_readv() may be forbidden */
static bool confined;
static unsigned blocked, raw_calls;

void orma_hook_sys_leave_counter(void)
{
}

void orma_hook_sys_confine(void)
{
    confined = true;
}

bool orma_hook_sys_is_confined(void)
{
    return confined;
}

struct orma_hook_signals orma_hook_sys_block_signals(void)
{
    return (struct orma_hook_signals){.old = ++blocked, .blocked = true};
}

void orma_hook_sys_unblock_signals(const struct orma_hook_signals *self)
{
    cr_assert_eq(self->old, blocked, "in the order in which they were blocked");
    blocked--;
}

#ifdef ORMA_HEAP_RAW_CALLS
long orma_hook_sys_raw(long number, const long args[6])
{
    raw_calls++;
    return number == 1 ? args[5] : -EINVAL;
}
#endif

static unsigned reader_mapped;

void *orma_hook_sys_mmap(void *at, size_t len, int prot, int flags, int fd, int64_t offset)
{
    if (fails("mmap"))
        return MAP_FAILED;
    if (fd == READER_FD) {
        cr_assert(at == memory && len == ORMA_HEAP_READER_BYTES && flags & MAP_FIXED);
        cr_assert_eq(prot, PROT_READ, "they are not ours to write");
        reader_mapped++;
        return at;
    }
    return fd == RING_FD ? memory : mmap(at, len, prot, flags, fd, offset);
}

int orma_hook_sys_munmap(void *at, size_t len)
{
    if (fails("munmap"))
        return -1;
    return at == memory ? 0 : munmap(at, len);
}

void *orma_hook_sys_mremap(void *old, size_t old_len, size_t len, int flags, void *to)
{
    return fails("mremap") ? MAP_FAILED : mremap(old, old_len, len, flags, to);
}

static const void *file; /* where one is mapped */

bool orma_hook_sys_is_file(const void *at)
{
    return at == file;
}

static int opened_to; /* the last one */

int orma_hook_sys_open(const char *path, int flags)
{
    if (fails("open"))
        return -1;
    opened_to = flags;
    return !strcmp(path, "ring") ? RING_FD : !strcmp(path, "reader") ? READER_FD : -1;
}

static bool keeps_size = true;

bool orma_hook_sys_keeps_size(int fd)
{
    return (fd == RING_FD || fd == READER_FD) && keeps_size;
}

int orma_hook_sys_close(int fd)
{
    (void)fd;
    return fails("close") ? -1 : 0;
}

int orma_hook_sys_fstat(int fd, struct stat *ret)
{
    *ret = (struct stat){.st_ino = (ino_t)fd,
                         .st_size = fd == READER_FD ? ORMA_HEAP_READER_BYTES : sizeof(memory)};
    return fails("fstat") ? -1 : 0;
}

/* Its size, header and seals are the reader's to make: see orma_hook_sys_nap(). */
int orma_hook_sys_memory(const char *name)
{
    (void)name;
    if (fails("memfd"))
        return -1;
    keeps_size = false;
    return RING_FD;
}

static struct orma_hook_self own_page; /* in each child, it is zero */
static uint32_t pid = 1234;
static uint64_t pid_space = 77;

void *orma_hook_sys_own_page(void)
{
    return &own_page;
}

uint32_t orma_hook_sys_getpid(void)
{
    return pid;
}

uint64_t orma_hook_sys_pid_space(void)
{
    return pid_space;
}

int64_t orma_hook_sys_copy(void *to, const void *from, size_t len)
{
    if (!copies || fails("copy"))
        return -1;
    const struct iovec here = {to, len}, there = {(void *)(uintptr_t)from, len};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

static struct {
    uint32_t size, pid;
    unsigned blocked;
} while_writing;

/* In the middle of a record: the first that was not read. */
uint32_t orma_hook_sys_gettid(void)
{
    const struct orma_heap_record *r =
        (const void *)(memory + ORMA_HEAP_RING_AT + (ring->tail & (ORMA_HEAP_RING_BYTES - 1)));

    while_writing.size = r->size;
    while_writing.pid = r->pid;
    while_writing.blocked = blocked;
    return 7;
}

static enum { READS, BEATS, IS_STOPPED } reader;
static uint64_t interval_wanted, clock_ns = 1;
static unsigned naps;

/* Others have a turn: we read. */
void orma_hook_sys_nap(void)
{
    naps++;
    clock_ns += 200000;
    if (atomic_load(&orma_hook_attach.fd) == RING_FD + 1 && reader == READS && !keeps_size) {
        *ring = (struct orma_heap_shared){
            .magic = ORMA_HEAP_MAGIC, .interval = interval_wanted, .on = 1};
        keeps_size = true;
    }
    if (reader != IS_STOPPED)
        ring->beat++;
    if (reader == READS)
        read_ring();
}

uint64_t orma_hook_sys_now(void)
{
    return clock_ns++;
}

static void *next_malloc(size_t n)
{
    return fails("malloc") ? NULL : malloc(n);
}

static void *next_calloc(size_t num, size_t n)
{
    return fails("calloc") ? NULL : calloc(num, n);
}

static void *next_realloc(void *p, size_t n)
{
    return fails("realloc") ? NULL : realloc(p, n);
}

static void *next_memalign(size_t align, size_t n)
{
    return fails("memalign") ? NULL : aligned_alloc(align, n);
}

/* ---- helpers ---- */

/* As after a start, with nobody there. */
static void reset(void)
{
    memset(memory, 0, USED_MAX);
    orma_hook_next.malloc = next_malloc;
    orma_hook_next.calloc = next_calloc;
    orma_hook_next.realloc = next_realloc;
    orma_hook_next.memalign = next_memalign;
    orma_hook_next.free = free;
    orma_hook_next.start = orma_hook_next.end = 0;
    atomic_store(&orma_hook_state.shared, NULL);
    atomic_store(&orma_hook_state.large, ORMA_HEAP_NO_SIZE);
    atomic_store(&orma_hook_attach.active, 0);
    atomic_store(&orma_hook_attach.wanted, 0);
    orma_hook_own.left = 0;
    orma_hook_own.inside = false;
    orma_hook_forget_all();
    allocated_num = mapped_num = starts = shown = calls = fails_at = naps = 0;
    failed = NULL;
    reader = READS;
    keeps_size = true;
    atomic_store(&orma_hook_attach.fd, 0);
}

/* A reader comes, and is found by the next allocation. */
static void listen_for(uint64_t interval)
{
    atomic_store(&orma_hook_attach.wanted, interval);
    interval_wanted = interval;
    orma_hook_own.left = 0;
    orma_hook_free(orma_hook_malloc(1));
}

static uint64_t sum(const struct live *of, unsigned num)
{
    uint64_t ret = 0;

    for (unsigned i = 0; i < num; i++)
        ret += of[i].bytes;
    return ret;
}

static void expect(const char *after, uint64_t heap, uint64_t maps)
{
    if (!orma_hook_listener()) {
        cr_assert_eq(starts, 0, "%s: it began, but %s failed", after, failed);
        heap = maps = 0;
    }
    read_ring();
    cr_assert_eq(sum(allocated, allocated_num), heap, "%s, %s failed: %lu, not %lu", after,
                 failed ? failed : "nothing", (unsigned long)sum(allocated, allocated_num),
                 (unsigned long)heap);
    cr_assert_eq(sum(mapped, mapped_num), maps, "%s, %s failed: %lu mapped, not %lu", after,
                 failed ? failed : "nothing", (unsigned long)sum(mapped, mapped_num),
                 (unsigned long)maps);
}

#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW (PROT_READ | PROT_WRITE)

static uint64_t of(const void *p, uint64_t bytes)
{
    return p ? bytes : 0;
}

/* ---- each call fails in turn ---- */

static void use_heap(void)
{
    void *p = orma_hook_malloc(2 * UNIT), *q = orma_hook_calloc(3, UNIT), *r = NULL;
    uint64_t p_has = of(p, 2 * UNIT), q_has = of(q, 3 * UNIT), r_has = 0;

    expect("malloc, calloc", p_has + q_has, 0);
    void *moved = orma_hook_realloc(p, 5 * UNIT);
    if (moved) {
        p = moved;
        p_has = 5 * UNIT;
    }
    expect("realloc", p_has + q_has, 0);
    moved = orma_hook_reallocarray(q, 2, UNIT);
    if (moved) {
        q = moved;
        q_has = 2 * UNIT;
    }
    expect("reallocarray", p_has + q_has, 0);
    if (orma_hook_posix_memalign(&r, 4096, UNIT) == 0)
        r_has = UNIT;
    expect("posix_memalign", p_has + q_has + r_has, 0);
    orma_hook_free(r);
    r = orma_hook_aligned_alloc(64, UNIT);
    r_has = of(r, UNIT);
    expect("aligned_alloc", p_has + q_has + r_has, 0);
    orma_hook_free(p);
    orma_hook_free(q);
    orma_hook_free(r);
    expect("free", 0, 0);
}

static void use_maps(void)
{
    char *p = orma_hook_mmap(NULL, 8 * UNIT, RW, ANON, -1, 0);
    if (p == MAP_FAILED)
        return;
    expect("mmap", 0, 8 * UNIT);
    bool cut = orma_hook_munmap(p + 2 * UNIT, UNIT) == 0;
    uint64_t has = (cut ? 7 : 8) * UNIT;
    expect("munmap", 0, has);
    if (orma_hook_mmap64(p + 2 * UNIT, UNIT, RW, ANON | MAP_FIXED, -1, 0) != MAP_FAILED)
        has = 8 * UNIT;
    expect("MAP_FIXED", 0, has);
    if (orma_hook_mmap(p, UNIT, PROT_NONE, ANON | MAP_FIXED, -1, 0) != MAP_FAILED)
        has -= UNIT;
    expect("room over it", 0, has);
    char *to = orma_hook_mremap(p + 4 * UNIT, 4 * UNIT, 6 * UNIT, MREMAP_MAYMOVE);
    if (to != MAP_FAILED)
        has += 2 * UNIT;
    expect("mremap", 0, has);
    char *view = mmap(NULL, 2 * UNIT, RW, ANON, -1, 0);
    file = view;
    (void)orma_hook_mremap(view, 2 * UNIT, UNIT, 0);
    file = NULL;
    expect("mremap of a file", 0, has);
    (void)munmap(view, 2 * UNIT);
    if (to != MAP_FAILED)
        (void)munmap(to, 6 * UNIT);
    (void)munmap(p, 8 * UNIT);
}

static void each_fails(void (*use)(void))
{
    for (unsigned at = 0;; at++) {
        reset();
        fails_at = at;
        listen_for(INTERVAL);
        use();
        cr_assert(orma_hook_listener() || failed, "nobody listens, and nothing failed");
        if (at && !failed)
            break;
    }
}

Test(heap_library, a_call_of_malloc_that_fails_changes_nothing)
{
    each_fails(use_heap);
}

Test(heap_library, a_mapping_that_fails_changes_nothing)
{
    each_fails(use_maps);
}

Test(heap_library, a_command_is_found_by_its_path_or_not_at_all)
{
    for (unsigned at = 0;; at++) {
        reset();
        *ring = (struct orma_heap_shared){.magic = ORMA_HEAP_MAGIC, .interval = INTERVAL, .on = 1};
        fails_at = at;
        orma_hook_start_by_path("ring");
        cr_assert_eq(orma_hook_listener() != NULL, starts == 1, "%s failed", failed);
        cr_assert(at == 0 ? starts == 1 : true);
        if (at && !failed)
            break;
    }
    reset();
    orma_hook_start_by_path("elsewhere");
    cr_assert_null(orma_hook_listener());
    *ring = (struct orma_heap_shared){.magic = ORMA_HEAP_MAGIC, .interval = INTERVAL, .on = 1};
    keeps_size = false; /* who gave it could cut it, and so kill us */
    orma_hook_start_by_path("ring");
    cr_assert_null(orma_hook_listener());
    keeps_size = true;
}

Test(heap_library, the_readers_pages_are_its_own_or_there_is_no_reader)
{
    static const char *const bad[] = {
        "ring:elsewhere",
        "ring:",
        ":reader",
        "reader:ring",
        "ring:reader:more",
        "0123456789012345678901234567890123456789012345678901234567890123456789:reader"};

    for (unsigned at = 0;; at++) {
        reset();
        reader_mapped = 0;
        *ring = (struct orma_heap_shared){.magic = ORMA_HEAP_MAGIC, .interval = INTERVAL, .on = 1};
        fails_at = at;
        orma_hook_start_by_path("ring:reader");
        cr_assert_eq(orma_hook_listener() != NULL, starts == 1, "%s failed", failed);
        cr_assert(!starts || (reader_mapped == 1 && opened_to == O_RDONLY), "%s failed", failed);
        cr_assert(at == 0 ? starts == 1 : true);
        if (at && !failed)
            break;
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        reset();
        orma_hook_start_by_path(bad[i]);
        cr_assert_null(orma_hook_listener(), "%s", bad[i]);
    }
}

/* ---- readers that come ---- */

Test(heap_library, what_was_counted_before_a_reader_came_is_not_counted)
{
    reset();
    listen_for(INTERVAL);
    read_ring();
    for (int i = 0; i < 10; i++) {
        void *p = orma_hook_malloc(100 * UNIT);
        orma_hook_own.epoch--; /* it had taken the size off, and had not seen the reader yet */
        orma_hook_own.left = -100 * (int64_t)UNIT;
        cr_assert_eq(orma_hook_hits(100 * UNIT), 1);
        cr_assert_gt(orma_hook_own.left, 0);
        orma_hook_own.epoch--;
        orma_hook_own.left = -100 * (int64_t)UNIT;
        cr_assert_leq(orma_hook_hits(16), 1, "not as often as fits into what was before");
        orma_hook_free(p);
    }
}

Test(heap_library, a_reader_knows_of_the_program_before_it_hears_of_allocations)
{
    reset();
    orma_hook_own.left = 0;
    atomic_store(&orma_hook_attach.wanted, (uint64_t)INTERVAL);
    interval_wanted = INTERVAL;
    void *p = orma_hook_malloc(UNIT);
    cr_assert_eq(starts, 1, "seen, and only then");
    expect("malloc", UNIT, 0);
    orma_hook_free(p);
    expect("free", 0, 0);
}

Test(heap_library, a_reader_that_went_is_noticed)
{
    reset();
    listen_for(INTERVAL);
    ring->on = 0;
    orma_hook_own.left = 0;
    orma_hook_free(orma_hook_malloc(1));
    cr_assert_null(orma_hook_listener());
    cr_assert_eq(orma_hook_attach.active, 0);
}

/* ---- what counts ---- */

Test(heap_library, what_an_allocator_maps_counts_when_it_gives_it_out)
{
    reset();
    listen_for(INTERVAL);
    orma_hook_next.end = UINTPTR_MAX; /* we are in it */
    char *p = orma_hook_mmap(NULL, 8 * UNIT, RW, ANON, -1, 0);
    expect("mmap", 0, 0);
    orma_hook_next.end = 0;
    (void)munmap(p, 8 * UNIT);
}

Test(heap_library, memory_that_somebody_else_got_meanwhile_stays)
{
    reset();
    listen_for(INTERVAL);
    void *p = orma_hook_malloc(UNIT);
    read_ring();
    uint64_t before = orma_hook_sys_now();
    cr_assert(orma_hook_forget(p));
    cr_assert_eq(orma_hook_sample(p, 3 * UNIT, 1, NULL), p);
    orma_hook_report_free(p, before);
    expect("a free that comes late", 3 * UNIT, 0);
    orma_hook_free(p);
    expect("free", 0, 0);
}

static __attribute__((noinline)) void *deep(size_t bytes)
{
    volatile char room[8192];
    void *p;

    memset((void *)(uintptr_t)room, 1, sizeof(room));
    p = bytes > sizeof(room) ? deep(bytes - sizeof(room)) : orma_hook_malloc(UNIT);
    return room[17] ? p : NULL;
}

/* The test's stack is the first thread's, or may not be known: then it is copied otherwise. */
Test(heap_library, deep_stacks_are_copied_up_to_the_limit)
{
    uintptr_t end = orma_hook_next.stack_end;

    for (int i = 0; i < 3; i++) {
        reset();
        orma_hook_next.stack_end = i ? 0 : end;
        copies = i < 2;
        listen_for(INTERVAL);
        void *p = deep(40 << 10);
        read_ring();
        if (i < 2)
            cr_assert_gt(stack_len, 40u << 10);
        else
            cr_assert_leq(stack_len, 4096, "no more than is surely there");
        cr_assert_leq(stack_len, ORMA_HEAP_STACK_MAX);
        orma_hook_free(p);
    }
    orma_hook_next.stack_end = end;
    copies = true;
}

Test(heap_library, a_full_ring_loses_records_and_counts_them)
{
    reset();
    listen_for(INTERVAL);
    ring->head = ring->tail + ORMA_HEAP_RING_BYTES; /* whatever is read, there is no room */
    void *p = orma_hook_malloc(UNIT);
    cr_assert_not_null(p);
    cr_assert_gt(ring->lost, 0);
    orma_hook_free(p);
}

/* ---- readers that do not read ---- */

Test(heap_library, a_reader_that_died_is_not_waited_for)
{
    reset();
    listen_for(INTERVAL);
    ring->head = ring->tail + ORMA_HEAP_RING_BYTES;
    ring->owner = 4321 | FUTEX_OWNER_DIED;
    naps = 0;
    orma_hook_free(orma_hook_malloc(UNIT));
    cr_assert_eq(naps, 0);
    cr_assert_null(orma_hook_listener());
    cr_assert_eq(orma_hook_attach.active, 0);
}

Test(heap_library, a_reader_that_stands_still_costs_one_wait_in_all)
{
    for (reader = BEATS; reader <= IS_STOPPED; reader++) {
        const int how = reader;

        reset();
        listen_for(INTERVAL);
        reader = how;
        naps = 0;
        for (int i = 0; i < 50; i++) {
            own_page.pid = 0; /* a child: its first record would be waited for */
            orma_hook_free(orma_hook_malloc(UNIT));
            if (i == 0)
                cr_assert_gt(naps, 0);
        }
        cr_assert_lt(naps, how == BEATS ? 1100 : 120, "%u naps", naps);
        unsigned before = naps;
        for (int i = 0; i < 50; i++) {
            ring->head = ring->tail + ORMA_HEAP_RING_BYTES; /* full */
            orma_hook_free(orma_hook_malloc(UNIT));
        }
        cr_assert_eq(naps, before, "not when its ring is full, either");
        ring->tail += 8; /* it goes on */
        own_page.pid = 0;
        ring->head = ring->tail;
        orma_hook_free(orma_hook_malloc(UNIT));
        cr_assert_gt(naps, before, "and is waited for again");
    }
}

Test(heap_library, nobody_gives_memory_to_a_reader_that_went_meanwhile)
{
    reset();
    reader = IS_STOPPED;
    listen_for(INTERVAL);
    cr_assert_null(orma_hook_listener());
    cr_assert_eq(orma_hook_attach.fd, -ETIMEDOUT, "and it can read why");
    cr_assert_lt(naps, 5100);
    unsigned before = naps;
    orma_hook_own.left = 0;
    orma_hook_free(orma_hook_malloc(1));
    cr_assert_eq(naps, before, "once");
    reset();
    fails_at = 1;
    listen_for(INTERVAL);
    cr_assert_str_eq(failed, "memfd");
    cr_assert_eq(orma_hook_attach.fd, -ENOMEM);
}

/* ---- copies ---- */

Test(heap_library, a_child_begins_with_its_first_record_however_it_was_forked)
{
    reset();
    listen_for(INTERVAL);
    void *p = orma_hook_malloc(UNIT);
    read_ring();
    cr_assert_eq(last_pid, 1234);
    cr_assert_eq(last_space, 77);
    own_page = (struct orma_hook_self){0}; /* as the kernel does */
    pid = 5678;
    pid_space = 0; /* it is not in sight any more: where its parent was */
    cr_assert_eq(starts, 1, "nothing yet");
    orma_hook_free(p);
    read_ring();
    cr_assert_eq(starts, 2);
    cr_assert_eq(last_pid, 5678, "what it frees is its own");
    cr_assert_eq(last_space, 77);
    own_page = (struct orma_hook_self){0};
    pid = 1; /* the first one of another namespace */
    orma_hook_free(orma_hook_malloc(UNIT));
    read_ring();
    cr_assert_eq(starts, 3);
    cr_assert_eq(last_space, 0, "not known");
    pid = 1234;
    pid_space = 77;
}

/* ---- writers that do not go on ---- */

/* Whoever is killed while it writes has said how much the reader passes over, and who it was. */
Test(heap_library, a_record_says_first_how_long_it_is)
{
    reset();
    listen_for(INTERVAL);
    read_ring();
    orma_hook_own.tid = 0;
    void *p = orma_hook_malloc(UNIT);
    cr_assert_eq(while_writing.size & ORMA_HEAP_OPEN, ORMA_HEAP_OPEN);
    cr_assert_eq(while_writing.pid, 1234);
    cr_assert_eq(while_writing.blocked, 1, "no handler jumps out of it");
    read_ring();
    cr_assert_eq(allocated_num, 1);
    orma_hook_free(p);
    cr_assert_eq(blocked, 0);
    cr_assert_not(orma_hook_own.inside);
}

/* ---- sandboxes ---- */

#ifdef ORMA_HEAP_RAW_CALLS
Test(heap_library, calls_of_the_program_are_made_as_they_are)
{
    reset();
    cr_assert_eq(orma_hook_syscall(1L, 0L, 0L, 0L, 0L, 0L, 42L), 42);
    errno = 0;
    cr_assert_eq(orma_hook_prctl(PR_SET_NAME, "name"), -1);
    cr_assert_eq(errno, EINVAL);
    cr_assert_not(confined);
    (void)orma_hook_syscall(SYS_seccomp, 2L, 0L, 0L); /* only asks */
    cr_assert_not(confined);
    (void)orma_hook_syscall(SYS_seccomp, 1L, 0L, 0L);
    cr_assert(confined);
    confined = false;
    (void)orma_hook_prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    cr_assert(confined);
    confined = false;
}

Test(heap_library, a_sandboxed_program_is_not_killed_for_ours)
{
    reset();
    listen_for(INTERVAL);
    void *p = orma_hook_malloc(UNIT);
    confined = true;
    naps = 0;
    orma_hook_free(p);
    orma_hook_free(orma_hook_malloc(UNIT));
    read_ring();
    cr_assert_eq(allocated_num, 0, "it goes on");
    ring->head = ring->tail + ORMA_HEAP_RING_BYTES;
    orma_hook_free(orma_hook_malloc(UNIT));
    cr_assert_eq(naps, 0);
    own_page = (struct orma_hook_self){0};
    orma_hook_free(orma_hook_malloc(UNIT));
    cr_assert_gt(ring->confined, 0, "a child does not ask who it is, but is counted");
    confined = false;
    own_page = (struct orma_hook_self){.pid = 1234, .pid_space = 77};
}
#endif
