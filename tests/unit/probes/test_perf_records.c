/* What a record of perf says, and what is kept of it. */
#include "tests/unit/probes/perf_made.h"

#include <criterion/criterion.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"

Test(perf_record, is_decoded)
{
    struct orma_perf_plan plan;
    struct orma_perf_record rec;
    uint64_t words[PERF_WORDS];
    size_t len = perf_sample_record(words);
    bool skip;

    perf_stacks_plan(&plan);
    cr_assert(orma_perf_record_decode(&plan, words, len, &rec, &skip));
    cr_assert_not(skip);
    cr_assert_eq(rec.pid, 77);
    cr_assert_eq(rec.tid, 78);
    cr_assert_eq(rec.time, 123456789);
    cr_assert_eq(rec.cpu, 3);
    cr_assert_eq(rec.counts_num, 1);
    cr_assert_eq(rec.counts[0], 4242);
    cr_assert_eq(rec.chain_num, 4);
    cr_assert_eq(rec.chain[3], 0x3000);
    orma_perf_plan_fini(&plan);
}

Test(perf_record, lies_about_lengths_are_refused)
{
    struct orma_perf_plan plan;
    struct orma_perf_record rec;
    uint64_t words[PERF_WORDS];
    size_t len = perf_sample_record(words);
    bool skip;

    perf_stacks_plan(&plan);
    for (size_t cut = 0; cut < len; cut += 8) /* the chain needs all of it */
        cr_assert_not(orma_perf_record_decode(&plan, words, cut, &rec, &skip));
    for (unsigned at = 4; at <= 6; at += 2) { /* number of counters, of addresses */
        uint64_t good = words[at];

        words[at] = UINT64_MAX / 4;
        cr_assert_not(orma_perf_record_decode(&plan, words, len, &rec, &skip));
        words[at] = good;
    }
    orma_perf_plan_fini(&plan);
}

Test(perf_record, a_copied_stack_is_decoded)
{
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    struct orma_perf_plan plan;
    struct orma_perf_record rec;
    perf_config_t config = CONFIG_INIT;
    struct perf_made m;
    char why[256];
    bool skip;

    config.callstack_sampling = &cs;
    cr_assert_eq(perf_make(&plan, &config, why), 0);
    if (!plan.unwind)
        cr_skip_test("no unwinder for this cpu");
    perf_begin(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    perf_add_pair(&m, 77, 78);
    perf_add(&m, 123);
    perf_add_pair(&m, 3, 0);
    perf_add(&m, 1); /* counters */
    perf_add(&m, 4242);
    perf_add(&m, 0); /* no chain */
    perf_add(&m, PERF_SAMPLE_REGS_ABI_64);
    for (unsigned i = 0; i < ORMA_PERF_REGS_NUM; i++)
        perf_add(&m, 1000 + i);
    perf_add(&m, 16);
    perf_add(&m, 0xaaaa);
    perf_add(&m, 0xbbbb);
    size_t used = m.len;
    perf_add(&m, 8); /* so much was there */
    cr_assert(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
    cr_expect_eq(rec.regs[0], 1000);
    cr_expect_eq(rec.regs[ORMA_PERF_REGS_NUM - 1], 1000 + ORMA_PERF_REGS_NUM - 1);
    cr_expect_eq(rec.stack_len, 8);
    cr_expect_eq(*(const uint64_t *)(const void *)rec.stack, 0xaaaa);
    for (size_t cut = 1; cut < m.len; cut++)
        cr_expect_not(orma_perf_record_decode(&plan, m.words, cut * 8, &rec, &skip), "%zu", cut);
    m.words[used] = 17; /* more than there is */
    cr_expect_not(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
    orma_perf_plan_fini(&plan);
    orma_assert_no_leaks();
}

Test(perf_record, whom_a_thread_wakes_up)
{
    struct orma_perf_plan plan = {.woken_at = 24};
    struct orma_perf_record rec;
    struct perf_made m;
    bool skip;

    plan.events[0].attr.sample_type = PERF_SAMPLE_RAW;
    for (unsigned i = 0; i < 2; i++) {
        perf_begin(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
        perf_add_pair(&m, 77, 78);
        perf_add(&m, 123);
        perf_add_pair(&m, 3, 0);
        perf_add_pair(&m, 36, i ? 0x100000 : 0x040000); /* size; flags: in an interrupt, or not */
        for (unsigned word = 0; word < 4; word++)
            perf_add(&m, 0);
        memcpy((uint8_t *)&m.words[4] + 4 + 24, &(uint32_t){4711}, 4);
        cr_assert(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
        cr_expect_eq(rec.woken, 4711);
        cr_expect_eq(rec.interrupt, i == 1);
        for (size_t cut = 1; cut < m.len; cut++)
            cr_expect_not(orma_perf_record_decode(&plan, m.words, cut * 8, &rec, &skip));
    }
    perf_begin(&m, PERF_RECORD_SAMPLE,
               PERF_RECORD_MISC_KERNEL); /* of an event that is no tracepoint */
    perf_add_pair(&m, 77, 78);
    perf_add(&m, 123);
    perf_add_pair(&m, 3, 0);
    perf_add_pair(&m, 4, 0);
    cr_assert(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
    cr_expect_eq(rec.woken, 0);
}

Test(perf_plan, processes_alone_are_watched_alone)
{
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    Perfetto__Protos__PerfEventConfig__Scope scope =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__SCOPE__INIT;
    int32_t pids[] = {77};
    char *names[] = {(char *)"tool"};
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_plan plan;
    char why[256];

    config.callstack_sampling = &cs;
    cs.scope = &scope;
    scope.target_pid = pids;
    scope.n_target_pid = 1;
    cr_assert_eq(perf_make(&plan, &config, why), 0);
    cr_expect_eq(plan.pids_num, 1);
    cr_expect(plan.events[0].attr.inherit);
    cr_expect(plan.events[0].attr.inherit_thread, "what it starts is another process");
    cr_expect_not(orma_perf_plan_without_kernel(&plan), "nobody said that it may");
    orma_perf_plan_fini(&plan);
    scope.target_cmdline = names;
    scope.n_target_cmdline = 1;
    cr_assert_eq(perf_make(&plan, &config, why), 0);
    cr_expect_null(plan.pids, "the name may come up anywhere");
    orma_perf_plan_fini(&plan);
    orma_assert_no_leaks();
}

/* Of processes that are watched alone, by the cpu clock; without a name it would help nobody. */
Test(perf_plan, threads_that_end_say_what_they_used)
{
    static const struct {
        uint8_t extension[5]; /* length, then names (5) and off_cpu (6) */
        bool pids, told;
    } cases[] = {
        {{2, 0x28, 1}, true, true},
        {{4, 0x28, 1, 0x30, 1}, true, false},
        {{2, 0x28, 0}, true, false},
        {{2, 0x28, 1}, false, false},
    };
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    Perfetto__Protos__PerfEventConfig__Scope scope =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__SCOPE__INIT;
    int32_t pids[] = {7};
    struct orma_perf_plan plan;
    char why[256];

    cs.scope = &scope;
    scope.target_pid = pids;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        ProtobufCMessageUnknownField field = {90001, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
                                              cases[i].extension[0] + 1u,
                                              (uint8_t *)(uintptr_t)cases[i].extension};
        perf_config_t config = CONFIG_INIT;
        struct orma_perf_record rec;
        struct perf_made m;

        config.callstack_sampling = &cs;
        config.base.n_unknown_fields = 1;
        config.base.unknown_fields = &field;
        scope.n_target_pid = cases[i].pids;
        cr_assert_eq(perf_make(&plan, &config, why), 0);
        cr_expect_eq(plan.cpu_time, cases[i].told, "%zu", i);
        cr_expect_eq(plan.events[0].attr.inherit_stat, cases[i].told, "%zu", i);
        rec = perf_used(&m, &plan, 8, 123456);
        cr_expect_eq(rec.kind, ORMA_PERF_CPU_TIME);
        cr_expect_eq(rec.pid, 7);
        cr_expect_eq(rec.tid, 8);
        cr_expect_eq(rec.counts_num, 1);
        cr_expect_eq(rec.counts[0], 123456);
        orma_perf_plan_fini(&plan);
    }
    orma_assert_no_leaks();
}

/* However fast samples come, those up to a late look find room: stacks are shorter then. */
Test(perf_plan, rings_hold_what_comes_until_somebody_looks)
{
    static const unsigned rates[] = {1, 99, 999, 1999, 4999, 9999, 20000, 49999, 100000};
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    perf_config_t config = CONFIG_INIT;
    perf_timebase_t tb = TIMEBASE_INIT;
    struct orma_perf_plan plan;
    char why[256];

    config.callstack_sampling = &cs;
    config.timebase = &tb;
    tb.interval_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(rates); i++) {
        tb.frequency = rates[i];
        cr_assert_eq(perf_make(&plan, &config, why), 0, "%s", why);
        if (plan.unwind) {
            uint64_t ms = plan.read_period_ms + ORMA_MIN(plan.read_period_ms, 50u); /* late */
            uint64_t come = rates[i] * ms / 1000;

            cr_expect_leq(come * plan.stack_bytes, plan.ring_pages * UINT64_C(4096), "%u",
                          rates[i]);
            cr_expect_geq(plan.stack_bytes + 8, ORMA_PERF_STACK_BYTES, "%u", rates[i]);
            cr_expect(rates[i] > 5000 || plan.stack_bytes == ORMA_PERF_STACK_BYTES_MAX);
            cr_expect_eq(plan.events[0].attr.sample_stack_user, plan.stack_bytes);
        }
        orma_perf_plan_fini(&plan);
    }
    orma_assert_no_leaks();
}

Test(perf_plan, gives_up_memory_before_it_gives_up)
{
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_plan plan;
    char why[256];
    unsigned steps = 0;

    config.callstack_sampling = &cs;
    cr_assert_eq(perf_make(&plan, &config, why), 0);
    uint32_t pages = plan.ring_pages, period_ms = plan.read_period_ms;
    while (orma_perf_plan_with_less_memory(&plan)) {
        if (plan.unwind && plan.stack_bytes > 16384) /* as many stacks as before, less deep */
            cr_expect(plan.ring_pages * 2 == pages && plan.read_period_ms == period_ms);
        pages = plan.ring_pages;
        if (plan.unwind)
            cr_expect_geq(plan.ring_pages * 4096u, ORMA_PERF_RECORDS_MIN * plan.stack_bytes / 2);
        cr_assert_lt(++steps, 40);
    }
    cr_expect_gt(steps, 2);
    orma_perf_plan_fini(&plan);
    orma_assert_no_leaks();
}
