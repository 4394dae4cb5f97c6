/* Compact sched must say the same as the events one by one, whatever their values need. */
#include <criterion/criterion.h>

#include "tests/support/ftrace_decode.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/sched_pages.h"

#define EVENTS 20000
#define PAGES 200

/* What is compared of an event. */
struct seen {
    uint64_t ts, nums[4];
    char comm[17];
    bool is_switch, is_compact;
};

struct list {
    struct orma_source_sink sink;
    struct seen events[EVENTS];
    size_t num, compact, switches;
};

static uint64_t num_of(const struct ft_event *ev, const char *name)
{
    const struct ft_field *f = ft_find(ev, name);

    return f ? f->num : UINT64_MAX;
}

static void on_event(void *ctx, const struct ft_event *ev)
{
    struct seen s = {
        .ts = ev->ts, .is_switch = !strcmp(ev->name, "sched_switch"), .is_compact = ev->is_compact};
    const struct ft_field *comm = ft_find(ev, s.is_switch ? "next_comm" : "comm");
    struct list *list = ctx;

    s.nums[0] = num_of(ev, s.is_switch ? "next_pid" : "pid");
    s.nums[1] = num_of(ev, s.is_switch ? "next_prio" : "prio");
    s.nums[2] = num_of(ev, s.is_switch ? "prev_state" : "target_cpu");
    if (!ev->is_compact)
        s.nums[3] = s.is_switch ? num_of(ev, "prev_pid") : ev->pid;
    if (comm)
        snprintf(s.comm, sizeof(s.comm), "%.*s", ORMA_STR_ARG(comm->text));
    list->compact += s.is_compact;
    list->switches += s.is_switch;
    if (list->num < EVENTS)
        list->events[list->num++] = s;
}

static int by_time(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* In order, and what compact events leave out as readers take it: from the switch before. */
static void complete(struct list *list)
{
    uint64_t running = UINT64_MAX;

    qsort(list->events, list->num, sizeof(list->events[0]), by_time);
    for (size_t i = 0; i < list->num; i++) {
        struct seen *s = &list->events[i];

        if (s->is_compact)
            s->nums[3] = running;
        s->is_compact = false;
        if (s->is_switch)
            running = s->nums[0];
    }
}

static int list_put(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct list *list = ORMA_CONTAINER_OF(sink, struct list, sink);

    cr_assert_not(ft_decode(packet, len, NULL, on_event, list).malformed);
    return 0;
}

static void list_flush(struct orma_source_sink *sink)
{
    (void)sink;
}

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u;

    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* Values of one, two and more bytes; more tasks than a bundle has names for; switches that are
 * missing: then the next events are of a task that no switch has named. */
static void add_event(struct page_builder *b)
{
    static uint32_t running = 1;
    static const uint64_t states[] = {0, 1, 2, 64, 127, 128, 256, 1024, 0x4000};
    static const uint32_t pids[] = {0, 1, 100, 127, 128, 16383, 16384, 70000, 4194303};
    uint32_t pid = pids[random_number() % 9] ^ (random_number() % 8 ? 0 : random_number() % 128);
    uint32_t prio = random_number() % 140, cpu = random_number() % 300;
    uint64_t state = states[random_number() % 9];
    uint8_t ev[64] = {0};
    char name[16];

    snprintf(name, sizeof(name), "t%u-%u", pid % 1000,
             random_number() % 50 ? 0 : random_number() % 90);
    if (random_number() % 16 == 0)
        running = pids[random_number() % 9];
    memcpy(ev + 4, &running, 4);
    if (random_number() % 2) {
        ev[0] = 10;
        memcpy(ev + 24, &running, 4);
        running = pid;
        memcpy(ev + 32, &state, 8);
        memcpy(ev + 40, name, 16);
        memcpy(ev + 56, &pid, 4);
        memcpy(ev + 60, &prio, 4);
        page_data(b, 1 + random_number() % (random_number() % 16 ? 5000 : 1u << 26), ev, 64);
    } else {
        ev[0] = 11;
        ev[2] = (uint8_t)random_number();
        memcpy(ev + 8, name, 16);
        memcpy(ev + 24, &pid, 4);
        memcpy(ev + 28, &prio, 4);
        memcpy(ev + 32, &cpu, 4);
        page_data(b, 1 + random_number() % 5000, ev, 36);
    }
}

Test(compact, says_the_same_as_single_events)
{
    uint8_t(*pages)[PAGE_BUILDER_SIZE] = malloc((size_t)PAGES * PAGE_BUILDER_SIZE);
    struct list *compact = calloc(1, sizeof(*compact)), *plain = calloc(1, sizeof(*plain));
    uint64_t ts = 5000000000;

    cr_assert(pages && compact && plain);
    for (unsigned i = 0; i < PAGES; i++) {
        struct page_builder b = page_begin(ts);

        while (b.len + 72 < sizeof(b.page))
            add_event(&b);
        page_end(&b);
        memcpy(pages[i], b.page, sizeof(b.page));
        ts += 20000000000;
    }
    compact->sink = plain->sink = (struct orma_source_sink){list_put, list_flush};
    sched_translate(pages, PAGES, 0, true, &compact->sink);
    sched_translate(pages, PAGES, 0, false, &plain->sink);
    cr_assert_gt(plain->switches, 4000);
    cr_assert_eq(plain->compact, 0);
    cr_assert_gt(compact->compact, plain->num * 8 / 10);
    cr_assert_lt(compact->compact, plain->num, "some are written in full");
    complete(compact);
    complete(plain);
    cr_assert_eq(compact->num, plain->num);
    for (size_t i = 0; i < plain->num; i++)
        cr_assert_eq(memcmp(&compact->events[i], &plain->events[i], sizeof(struct seen)), 0,
                     "event %zu", i);
    free(pages);
    free(compact);
    free(plain);
    orma_assert_no_leaks();
}
