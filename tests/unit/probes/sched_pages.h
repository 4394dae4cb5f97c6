/*
 * For tests: pages of sched_switch (id 10) and sched_waking (id 11), and their
 * translation into packets.
 */
#ifndef ORMA_TESTS_UNIT_PROBES_SCHED_PAGES_H
#define ORMA_TESTS_UNIT_PROBES_SCHED_PAGES_H
#include <criterion/criterion.h>

#include "sdk/ftrace/translate.h"
#include "tests/support/page_builder.h"
#include "tests/unit/probes/tracefs_tree.h"

#define SCHED_PAGES_BATCH 32

static const char sched_switch_text[] =
    "name: sched_switch\nID: 10\nformat:\n" TREE_COMMON
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
static const char sched_waking_text[] = "name: sched_waking\nID: 11\nformat:\n" TREE_COMMON
                                        "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                        "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                        "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                        "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";

/* All pages of one cpu, in batches. */
static inline void sched_translate(uint8_t (*pages)[PAGE_BUILDER_SIZE], unsigned num, uint32_t cpu,
                                   bool compact, struct orma_source_sink *sink)
{
    const char *const texts[] = {sched_switch_text, sched_waking_text};
    struct orma_ftrace_plan_options options = {.word_size = 8, .compact_sched = compact};
    struct orma_ftrace_plan plans_of[2], *plans[16] = {0};
    struct orma_ftrace_translate_cpu state = {0};
    struct orma_ftrace_translate t;
    struct orma_arena arena = {0};
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_format format;

    cr_assert_eq(orma_ftrace_translate_init(&t), 0);
    cr_assert_eq(orma_ftrace_bundle_init(&bundle), 0);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(orma_ftrace_format_parse(&arena, orma_str_from(texts[i]), 8, &format), 0);
        const struct orma_ftrace_tracepoint *tp = orma_ftrace_tracepoint_find("sched", format.name);
        cr_assert_eq(orma_ftrace_plan_compile(&arena, "sched", &format,
                                              &orma_ftrace_messages[tp->message_idx], &options,
                                              &plans_of[i]),
                     0);
        orma_ftrace_translate_set_compact(&t, &format, &plans_of[i]);
        plans[format.id] = &plans_of[i];
    }
    t.plans = plans;
    t.plans_num = 16;
    t.page_layout = (struct orma_tracefs_page_layout){8, 16};
    t.bundle = &bundle;
    t.sink = sink;
    for (unsigned i = 0; i < num; i++) {
        if (i % SCHED_PAGES_BATCH == 0)
            orma_ftrace_translate_begin(&t, cpu, &state);
        orma_ftrace_translate_page(&t, pages[i], PAGE_BUILDER_SIZE);
        if (i % SCHED_PAGES_BATCH == SCHED_PAGES_BATCH - 1 || i == num - 1)
            orma_ftrace_translate_end(&t);
    }
    orma_ftrace_translate_fini(&t);
    orma_ftrace_bundle_fini(&bundle);
    orma_arena_fini(&arena);
}
#endif
