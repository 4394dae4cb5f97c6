/* Compact sched must say the same as the events one by one, whatever their values need. */
#include <criterion/criterion.h>

#include "probes/ftrace/symbols.h"
#include "probes/ftrace/translate.h"
#include "tests/support/ftrace_decode.h"
#include "tests/support/leaks.h"
#include "tests/support/page_builder.h"
#include "tests/unit/probes/tracefs_tree.h"

#define EVENTS 6000
#define PAGES 200

static const char switch_text[] = "name: sched_switch\nID: 10\nformat:\n" TREE_COMMON
                                  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                                  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                                  "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
                                  "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
static const char waking_text[] = "name: sched_waking\nID: 11\nformat:\n" TREE_COMMON
                                  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                  "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                  "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                  "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";

/* What is compared of an event. */
struct seen {
    uint64_t ts, nums[4];
    char comm[17];
};

struct list {
    struct orma_sink sink;
    struct seen switches[EVENTS], wakings[EVENTS];
    size_t switches_num, wakings_num;
};

static uint64_t num_of(const struct ft_event *ev, const char *name)
{
    const struct ft_field *f = ft_find(ev, name);

    return f ? f->num : UINT64_MAX;
}

static void on_event(void *ctx, const struct ft_event *ev)
{
    bool is_switch = !strcmp(ev->name, "sched_switch");
    struct list *list = ctx;
    struct seen s = {.ts = ev->ts};
    const struct ft_field *comm = ft_find(ev, is_switch ? "next_comm" : "comm");

    s.nums[0] = num_of(ev, is_switch ? "next_pid" : "pid");
    s.nums[1] = num_of(ev, is_switch ? "next_prio" : "prio");
    s.nums[2] = num_of(ev, is_switch ? "prev_state" : "target_cpu");
    if (comm)
        snprintf(s.comm, sizeof(s.comm), "%.*s", ORMA_STR_ARG(comm->text));
    if (is_switch && list->switches_num < EVENTS)
        list->switches[list->switches_num++] = s;
    if (!is_switch && list->wakings_num < EVENTS)
        list->wakings[list->wakings_num++] = s;
}

static int list_put(struct orma_sink *sink, const void *packet, size_t len)
{
    struct list *list = ORMA_CONTAINER_OF(sink, struct list, sink);

    cr_assert_not(ft_decode(packet, len, NULL, on_event, list).malformed);
    return 0;
}

static void list_flush(struct orma_sink *sink)
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

/* Values of one, two and more bytes; more tasks than a bundle has names for. */
static void add_event(struct page_builder *b)
{
    static const uint64_t states[] = {0, 1, 2, 64, 127, 128, 256, 1024, 0x4000};
    static const uint32_t pids[] = {0, 1, 100, 127, 128, 16383, 16384, 70000, 4194303};
    uint32_t pid = pids[random_number() % 9] ^ (random_number() % 8 ? 0 : random_number() % 128);
    uint32_t prio = random_number() % 140, cpu = random_number() % 300;
    uint64_t state = states[random_number() % 9];
    uint8_t ev[64] = {0};
    char name[16];

    snprintf(name, sizeof(name), "t%u-%u", pid % 1000,
             random_number() % 50 ? 0 : random_number() % 90);
    if (random_number() % 2) {
        ev[0] = 10;
        memcpy(ev + 32, &state, 8);
        memcpy(ev + 40, name, 16);
        memcpy(ev + 56, &pid, 4);
        memcpy(ev + 60, &prio, 4);
        page_data(b, random_number() % (random_number() % 16 ? 5000 : 1u << 26), ev, 64);
    } else {
        ev[0] = 11;
        ev[2] = (uint8_t)random_number();
        memcpy(ev + 8, name, 16);
        memcpy(ev + 24, &pid, 4);
        memcpy(ev + 28, &prio, 4);
        memcpy(ev + 32, &cpu, 4);
        page_data(b, random_number() % 5000, ev, 36);
    }
}

static void translate(uint8_t (*pages)[PAGE_BUILDER_SIZE], bool compact, struct list *list)
{
    const char *const texts[] = {switch_text, waking_text};
    struct orma_plan_options options = {.word_size = 8, .compact_sched = compact};
    struct orma_plan plans_of[2], *plans[16] = {0};
    struct orma_translate_cpu cpu = {0};
    struct orma_translate t;
    struct orma_arena arena = {0};
    struct orma_bundle bundle;
    struct orma_format format;

    list->sink = (struct orma_sink){list_put, list_flush};
    cr_assert_eq(orma_translate_init(&t), 0);
    cr_assert_eq(orma_bundle_init(&bundle), 0);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(orma_format_parse(&arena, orma_str_from(texts[i]), 8, &format), 0);
        const struct orma_ftrace_tracepoint *tp = orma_ftrace_tracepoint_find("sched", format.name);
        cr_assert_eq(orma_plan_compile(&arena, "sched", &format,
                                       &orma_ftrace_messages[tp->message_idx], &options,
                                       &plans_of[i]),
                     0);
        orma_translate_set_compact(&t, &format, &plans_of[i]);
        plans[format.id] = &plans_of[i];
    }
    t.plans = plans;
    t.plans_num = 16;
    t.page_layout = (struct orma_page_layout){8, 16};
    t.bundle = &bundle;
    t.sink = &list->sink;
    for (unsigned i = 0; i < PAGES; i++) {
        if (i % 32 == 0)
            orma_translate_begin(&t, 0, &cpu);
        orma_translate_page(&t, pages[i], PAGE_BUILDER_SIZE);
        if (i % 32 == 31 || i == PAGES - 1)
            orma_translate_end(&t);
    }
    orma_translate_fini(&t);
    orma_bundle_fini(&bundle);
    orma_arena_fini(&arena);
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
    translate(pages, true, compact);
    translate(pages, false, plain);
    cr_assert_gt(plain->switches_num, 4000);
    cr_assert_eq(compact->switches_num, plain->switches_num);
    cr_assert_eq(compact->wakings_num, plain->wakings_num);
    cr_assert_eq(memcmp(compact->switches, plain->switches, sizeof(plain->switches)), 0);
    cr_assert_eq(memcmp(compact->wakings, plain->wakings, sizeof(plain->wakings)), 0);
    free(pages);
    free(compact);
    free(plain);
    orma_assert_no_leaks();
}
