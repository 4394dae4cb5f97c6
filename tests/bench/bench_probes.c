/*
 * The kernel's pages to packets, on pages made here: half of the events
 * sched_switch, half sched_waking, as a pipe between a few processes makes
 * them; and a mix of other events. Beside it the walk over the headers alone.
 *
 * Instructions are the processor's own count, where it may be read.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/ftrace/events.h"
#include "sdk/ftrace/format.h"
#include "sdk/ftrace/translate.h"
#include "tests/bench/bench.h"
#include "tests/support/page_builder.h"

#define PAGES 512
#define PAGES_PER_BATCH 32
#define ROUNDS 8
#define COMMON                                                                                     \
    "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const texts[] = {
    "name: sched_switch\nID: 10\n" COMMON
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n",
    "name: sched_waking\nID: 11\n" COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n",
    "name: irq_handler_entry\nID: 12\n" COMMON "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n",
    "name: kmalloc\nID: 13\n" COMMON
    "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:unsigned long gfp_flags;\toffset:40;\tsize:8;\tsigned:0;\n"
    "\tfield:int node;\toffset:48;\tsize:4;\tsigned:1;\n",
};
static const char *const groups[] = {"sched", "sched", "irq", "kmem"};

static struct {
    uint8_t (*sched)[PAGE_BUILDER_SIZE], (*mixed)[PAGE_BUILDER_SIZE];
    uint64_t sched_events, mixed_events, bytes;
    struct orma_arena arena;
    struct orma_ftrace_plan plans_of[4];
    struct orma_ftrace_plan *plans[16];
    struct orma_ftrace_translate translate;
    struct orma_ftrace_bundle bundle;
    struct orma_source_sink sink;
} t;

static int sink_put(struct orma_source_sink *self, const void *packet, size_t len)
{
    (void)self;
    (void)packet;
    t.bytes += len;
    return 0;
}

static void sink_flush(struct orma_source_sink *self)
{
    (void)self;
}

static uint32_t random_number(void)
{
    static uint32_t state = 12345; /* the same pages each time */

    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static void put_name(uint8_t *to, uint32_t pid)
{
    snprintf((char *)to, 16, "worker-%u", pid % 16);
}

/* Who runs, as the kernel tells it: each event is of the task that the last switch named. */
static uint32_t running = 2000;

static void add_sched(struct page_builder *b, unsigned id)
{
    uint32_t pid = 2000 + random_number() % 16;
    uint8_t ev[64] = {0};
    int32_t prio = 120, cpu = 1;
    uint64_t state = 1;

    ev[0] = (uint8_t)id;
    memcpy(ev + 4, &running, 4);
    if (id == 10) {
        memcpy(ev + 24, &running, 4);
        running = pid;
        memcpy(ev + 32, &state, 8);
        put_name(ev + 40, pid);
        memcpy(ev + 56, &pid, 4);
        memcpy(ev + 60, &prio, 4);
        page_data(b, 200 + random_number() % 3000, ev, 64);
    } else {
        put_name(ev + 8, pid);
        memcpy(ev + 24, &pid, 4);
        memcpy(ev + 28, &prio, 4);
        memcpy(ev + 32, &cpu, 4);
        page_data(b, 200 + random_number() % 3000, ev, 36);
    }
}

static void add_other(struct page_builder *b, unsigned id)
{
    uint8_t ev[56] = {0};

    ev[0] = (uint8_t)id;
    memcpy(ev + 4, &running, 4);
    if (id == 12) {
        memcpy(ev + 8, &(uint32_t){42}, 4);
        memcpy(ev + 12, &(uint32_t){16 | 8 << 16}, 4);
        memcpy(ev + 16, "virtio1", 8);
        page_data(b, 500, ev, 24);
        return;
    }
    for (unsigned at = 8; at < 48; at += 8)
        memcpy(ev + at, &(uint64_t){0xffffffff81000000u + (uint64_t)random_number()}, 8);
    page_data(b, 500, ev, 52);
}

static uint64_t make_pages(uint8_t (*pages)[PAGE_BUILDER_SIZE], bool mixed)
{
    uint64_t events = 0, ts = 1000000000000u;

    for (unsigned i = 0; i < PAGES; i++) {
        struct page_builder b = page_begin(ts);

        for (; b.len + 72 < sizeof(b.page); events++) {
            if (mixed && events % 2)
                add_other(&b, 12 + (unsigned)(events / 2 % 2));
            else
                add_sched(&b, 10 + (unsigned)(events / (mixed ? 2 : 1) % 2));
        }
        page_end(&b);
        memcpy(pages[i], b.page, sizeof(b.page));
        ts += 200000;
    }
    return events;
}

static void walk_headers(void *ctx, uint64_t ops)
{
    const struct orma_tracefs_page_layout layout = {8, 16};
    uint8_t(*pages)[PAGE_BUILDER_SIZE] = ctx;
    struct orma_tracefs_page_event ev;
    struct orma_tracefs_page page;
    uint64_t sum = 0;

    (void)ops;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PAGES; i++) {
            (void)orma_tracefs_page_open(&page, &layout, pages[i], PAGE_BUILDER_SIZE);
            while (orma_tracefs_page_next(&page, &ev))
                sum += ev.id + page.ts;
        }
    }
    BENCH_USE(sum);
}

static void translate_all(void *ctx, uint64_t ops)
{
    uint8_t(*pages)[PAGE_BUILDER_SIZE] = ctx;
    struct orma_ftrace_translate_cpu cpu = {0};

    (void)ops;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PAGES; i++) {
            if (i % PAGES_PER_BATCH == 0)
                orma_ftrace_translate_begin(&t.translate, 0, &cpu);
            orma_ftrace_translate_page(&t.translate, pages[i], PAGE_BUILDER_SIZE);
            if (i % PAGES_PER_BATCH == PAGES_PER_BATCH - 1)
                orma_ftrace_translate_end(&t.translate);
        }
    }
}

/* The floor of all readers: the bytes come once through memory. */
static void copy_pages(void *ctx, uint64_t ops)
{
    static uint8_t batch[PAGES_PER_BATCH * PAGE_BUILDER_SIZE];
    uint8_t(*pages)[PAGE_BUILDER_SIZE] = ctx;

    (void)ops;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PAGES; i++)
            memcpy(batch + i % PAGES_PER_BATCH * PAGE_BUILDER_SIZE, pages[i], PAGE_BUILDER_SIZE);
        BENCH_USE(batch);
    }
}

static int set_up(void)
{
    const struct orma_ftrace_plan_options options = {.word_size = 8, .compact_sched = true};

    t.sink = (struct orma_source_sink){sink_put, sink_flush};
    if (orma_ftrace_translate_init(&t.translate) < 0 || orma_ftrace_bundle_init(&t.bundle) < 0)
        return -ENOMEM;
    t.translate.bundle = &t.bundle;
    t.translate.sink = &t.sink;
    t.translate.page_layout = (struct orma_tracefs_page_layout){8, 16};
    t.translate.plans = t.plans;
    t.translate.plans_num = 16;
    for (unsigned i = 0; i < 4; i++) {
        struct orma_ftrace_format format;
        const struct orma_ftrace_tracepoint *tp;

        if (orma_ftrace_format_parse(&t.arena, orma_str_from(texts[i]), 8, &format) < 0)
            return -EINVAL;
        tp = orma_ftrace_tracepoint_find(groups[i], format.name);
        if (!tp || orma_ftrace_plan_compile(&t.arena, groups[i], &format,
                                            &orma_ftrace_messages[tp->message_idx], &options,
                                            &t.plans_of[i]) < 0)
            return -EINVAL;
        t.plans[format.id] = &t.plans_of[i];
        orma_ftrace_translate_set_compact(&t.translate, &format, &t.plans_of[i]);
    }
    t.sched = malloc((size_t)PAGES * sizeof(*t.sched));
    t.mixed = malloc((size_t)PAGES * sizeof(*t.mixed));
    if (!t.sched || !t.mixed)
        return -ENOMEM;
    t.sched_events = make_pages(t.sched, false) * ROUNDS;
    t.mixed_events = make_pages(t.mixed, true) * ROUNDS;
    return 0;
}

/* Of one run; 0 if the processor's counter is not for us. */
static double instructions(bench_fn fn, void *ctx, uint64_t events)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .disabled = 1,
                                   .exclude_kernel = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    uint64_t num = 0;

    if (fd < 0)
        return 0;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    fn(ctx, events);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &num, sizeof(num)) != sizeof(num))
        num = 0;
    close(fd);
    return (double)num / (double)events;
}

static void measure(const char *what, void *pages, uint64_t events)
{
    struct bench_result floor = bench_run(copy_pages, pages, events);

    bench_title(what);
    bench_print("memcpy of the pages", floor, NULL, 0);
    bench_print("walk over the headers", bench_run(walk_headers, pages, events), &floor, 0);
    bench_print("pages to packets", bench_run(translate_all, pages, events), &floor, 0);
    printf("  instructions per event: walk %.1f, pages to packets %.1f; ",
           instructions(walk_headers, pages, events), instructions(translate_all, pages, events));
    t.bytes = 0;
    translate_all(pages, events);
    printf("%.2f bytes per event in the packets\n", (double)t.bytes / (double)events);
}

int main(void)
{
    if (set_up() < 0) {
        fputs("cannot set up\n", stderr);
        return 1;
    }
    measure("Kernel pages, sched_switch and sched_waking (per event)", t.sched, t.sched_events);
    measure("Kernel pages, half of them irq_handler_entry and kmalloc (per event)", t.mixed,
            t.mixed_events);
    orma_ftrace_translate_fini(&t.translate);
    orma_ftrace_bundle_fini(&t.bundle);
    orma_arena_fini(&t.arena);
    free(t.sched);
    free(t.mixed);
    return 0;
}
