#include <criterion/criterion.h>
#include <stdio.h>

#include "probes/ftrace/events.h"
#include "protos/fields/ftrace.h"
#include "sdk/ftrace/symbols.h"
#include "sdk/ftrace/translate.h"
#include "tests/support/ftrace_decode.h"
#include "tests/support/leaks.h"
#include "tests/support/page_builder.h"
#include "tests/support/probes_fixture.h"

#define COMMON                                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] = "name: sched_switch\nID: 10\nformat:\n" COMMON
                                    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                                    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
static const char waking_format[] = "name: sched_waking\nID: 11\nformat:\n" COMMON
                                    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";
static const char print_format[] = "name: print\nID: 5\nformat:\n" COMMON
                                   "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                                   "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n";
/* Of no message: one field of each kind. */
static const char odd_format[] =
    "name: odd\nID: 12\nformat:\n" COMMON "\tfield:s8 tiny;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield:u16 port;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n"
    "\tfield:u64 big;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc char[] rel;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:u8 mac[4];\toffset:32;\tsize:4;\tsigned:0;\n"
    "\tfield:u16 ports[2];\toffset:36;\tsize:4;\tsigned:0;\n"
    "\tfield:void * func;\toffset:40;\tsize:8;\tsigned:0;\n"
    "\tfield:dev_t dev;\toffset:48;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc u32[] list;\toffset:52;\tsize:4;\tsigned:0;\n";

struct fx {
    struct pf pf;
    struct orma_tracefs fs;
    struct orma_ftrace_events events;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_symbols symbols;
    struct orma_ftrace_generic_ids *ids;
    struct orma_ftrace_translate_cpu cpu;
    Perfetto__Protos__FtraceConfig config;
    Perfetto__Protos__FtraceConfig__CompactSchedConfig compact;
    struct ft_event events_seen[8]; /* the first ones */
    unsigned events_num;
    struct ft_bundle last;
};

static void fx_init(struct fx *f)
{
    memset(f, 0, sizeof(*f));
    pf_init(&f->pf);
    pf_file(&f->pf, "tracing/trace", "");
    pf_file(&f->pf, "tracing/events/sched/sched_switch/format", switch_format);
    pf_file(&f->pf, "tracing/events/sched/sched_waking/format", waking_format);
    pf_file(&f->pf, "tracing/events/ftrace/print/format", print_format);
    pf_file(&f->pf, "tracing/events/foo/odd/format", odd_format);
    perfetto__protos__ftrace_config__init(&f->config);
    perfetto__protos__ftrace_config__compact_sched_config__init(&f->compact);
    cr_assert_eq(orma_tracefs_open(&f->fs, f->pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_translate_init(&f->translate), 0);
    cr_assert_eq(orma_ftrace_bundle_init(&f->bundle), 0);
    cr_assert_eq(orma_ftrace_generic_ids_new(&f->ids), 0);
    orma_ftrace_symbols_init(&f->symbols, NULL);
    f->translate.bundle = &f->bundle;
    f->translate.sink = &f->pf.sink;
    f->translate.symbols = &f->symbols;
    f->translate.page_layout = (struct orma_tracefs_page_layout){8, 16};
}

static void fx_compile(struct fx *f, char **events, size_t num)
{
    f->config.ftrace_events = events;
    f->config.n_ftrace_events = num;
    cr_assert_eq(orma_ftrace_events_select(&f->events, &f->fs, &f->config), 0);
    cr_assert_eq(
        orma_ftrace_events_compile(&f->events, &f->fs, &f->config, 8, f->ids, &f->translate), 0);
}

static void fx_fini(struct fx *f)
{
    orma_ftrace_events_fini(&f->events);
    orma_ftrace_generic_ids_free(f->ids);
    orma_ftrace_bundle_fini(&f->bundle);
    orma_ftrace_symbols_fini(&f->symbols);
    orma_ftrace_translate_fini(&f->translate);
    orma_tracefs_close(&f->fs);
    pf_fini(&f->pf);
    orma_assert_no_leaks();
}

static void on_event(void *ctx, const struct ft_event *ev)
{
    struct fx *f = ctx;

    if (f->events_num < 8)
        f->events_seen[f->events_num] = *ev;
    f->events_num++;
}

/* Translates one page as one batch and decodes what came. */
static void fx_page(struct fx *f, const struct page_builder *b)
{
    size_t before = f->pf.packets_num;

    orma_ftrace_translate_begin(&f->translate, 3, &f->cpu);
    orma_ftrace_translate_page(&f->translate, b->page, sizeof(b->page));
    orma_ftrace_translate_end(&f->translate);
    f->events_num = 0;
    for (size_t i = before; i < f->pf.packets_num; i++) {
        f->last = ft_decode(f->pf.packets[i].data, f->pf.packets[i].len, NULL, on_event, f);
        cr_assert_not(f->last.malformed);
        cr_assert_eq(f->last.cpu, 3);
    }
}

/* As if a batch had ended with a switch to this task. */
static void fx_running(struct fx *f, uint32_t pid)
{
    f->cpu = (struct orma_ftrace_translate_cpu){.last_ts = 1, .running = pid};
}

struct sched_switch {
    uint16_t type;
    uint8_t flags, preempt;
    int32_t pid;
    char prev_comm[16];
    int32_t prev_pid, prev_prio;
    int64_t prev_state;
    char next_comm[16];
    int32_t next_pid, next_prio;
};

struct sched_waking {
    uint16_t type;
    uint8_t flags, preempt;
    int32_t pid;
    char comm[16];
    int32_t woken, prio, cpu;
};

static uint64_t num_of(const struct ft_event *ev, const char *name)
{
    const struct ft_field *field = ft_find(ev, name);

    cr_assert_not_null(field, "%s", name);
    return field->num;
}

static bool text_is(const struct ft_event *ev, const char *name, const char *want)
{
    const struct ft_field *field = ft_find(ev, name);

    return field && orma_str_eq_c(field->text, want);
}

Test(translate, writes_switches_and_wakings_as_columns)
{
    char *names[] = {(char[]){"sched/sched_switch"}, (char[]){"sched/sched_waking"}};
    struct sched_switch sw = {.type = 10,
                              .pid = 1,
                              .prev_pid = 1,
                              .prev_state = 2,
                              .next_comm = "worker",
                              .next_pid = 77,
                              .next_prio = 120};
    struct sched_waking wk = {
        .type = 11, .flags = 1, .pid = 77, .comm = "worker", .woken = 78, .prio = -1, .cpu = 2};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 2);
    fx_running(&f, 1);
    page_data(&b, 10, &sw, sizeof(sw));
    page_data(&b, 5, &wk, sizeof(wk));
    sw.prev_pid = sw.pid = 77;
    sw.next_pid = 300;
    strcpy(sw.next_comm, "0123456789abcde");
    page_data(&b, 5, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.events_num, 3);
    cr_assert_eq(f.last.compact_switches, 2);
    cr_assert_eq(f.last.compact_wakings, 1);
    cr_assert_eq(f.last.comms, 2);
    cr_assert_eq(f.last.events, 0);
    cr_assert_eq(f.events_seen[0].ts, 5000000010);
    cr_assert_eq(num_of(&f.events_seen[0], "next_pid"), 77);
    cr_assert_eq(num_of(&f.events_seen[0], "prev_state"), 2);
    cr_assert(text_is(&f.events_seen[0], "next_comm", "worker"));
    cr_assert_eq(f.events_seen[1].ts, 5000000020);
    cr_assert(text_is(&f.events_seen[1], "next_comm", "0123456789abcde"));
    cr_assert_eq(f.events_seen[2].ts, 5000000015);
    cr_assert_eq((int32_t)num_of(&f.events_seen[2], "prio"), -1);
    cr_assert_eq(num_of(&f.events_seen[2], "target_cpu"), 2);
    cr_assert_eq(num_of(&f.events_seen[2], "common_flags"), 1);
    fx_fini(&f);
}

Test(translate, writes_wakings_one_by_one_when_switches_are_not_wanted)
{
    char *names[] = {(char[]){"sched/sched_waking"}};
    struct sched_waking wk = {.type = 11, .pid = 77, .comm = "worker", .woken = 78};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 5, &wk, sizeof(wk));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.events, 1);
    cr_assert_eq(f.events_seen[0].pid, 77);
    cr_assert_eq(num_of(&f.events_seen[0], "pid"), 78);
    fx_fini(&f);
}

Test(translate, writes_switches_one_by_one_when_the_config_says_so)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10, .pid = 1, .prev_comm = "old", .next_pid = 77};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    f.compact.has_enabled = 1;
    f.config.compact_sched = &f.compact;
    fx_compile(&f, names, 1);
    page_data(&b, 5, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.compact_switches, 0);
    cr_assert_eq(f.last.events, 1);
    cr_assert(text_is(&f.events_seen[0], "prev_comm", "old"));
    cr_assert(text_is(&f.events_seen[0], "next_comm", ""));
    fx_fini(&f);
}

Test(translate, explains_events_that_have_no_message)
{
    char *names[] = {(char[]){"foo/odd"}};
    uint8_t ev[96] = {12};
    struct page_builder b = page_begin(5000000000);
    int32_t ret = -5;
    uint64_t big = UINT64_MAX, func = 0xffffffff81000000;
    uint32_t name = 60 | 6u << 16, rel = 34 | 4u << 16, dev = 254u << 20 | 3, list = 72 | 8u << 16;
    uint32_t values[2] = {5, 6};
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    ev[8] = 0xff;
    memcpy(ev + 12, &ret, 4);
    memcpy(ev + 16, &big, 8);
    memcpy(ev + 24, &name, 4);
    memcpy(ev + 28, &rel, 4); /* counts from 32 */
    memcpy(ev + 32, "\x00\x01\x02\x03", 4);
    memcpy(ev + 36, "\x50\x00\xff\xff", 4);
    memcpy(ev + 40, &func, 8);
    memcpy(ev + 48, &dev, 4);
    memcpy(ev + 52, &list, 4);
    memcpy(ev + 60, "hello", 6);
    memcpy(ev + 66, "rel", 4);
    memcpy(ev + 72, values, 8);
    page_data(&b, 5, ev, sizeof(ev));
    page_data(&b, 5, ev, sizeof(ev));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.events, 2);
    cr_assert_eq(f.last.descriptors, 1, "one for both events");
    const struct ft_event *got = &f.events_seen[0];
    cr_assert_str_eq(ft_find(got, "name") ? "name" : "", "name");
    cr_assert_geq(got->field_id, 65536);
    cr_assert_eq((int64_t)num_of(got, "tiny"), -1);
    cr_assert_eq((int64_t)num_of(got, "ret"), -5);
    cr_assert_eq(num_of(got, "big"), UINT64_MAX);
    cr_assert(text_is(got, "name", "hello"));
    cr_assert(text_is(got, "rel", "rel"));
    cr_assert_eq(ft_find(got, "mac")->text.len, 4);
    cr_assert_eq(num_of(got, "ports"), 0x50);
    cr_assert_eq(num_of(got, "func"), 1, "an index, never the address");
    cr_assert_eq(num_of(got, "dev"), 254 << 8 | 3);
    cr_assert_eq(num_of(got, "list"), 5);
    fx_fini(&f);
}

Test(translate, writes_names_and_values_in_the_old_generic_encoding)
{
    char *names[] = {(char[]){"foo/odd"}};
    uint8_t ev[96] = {12};
    struct page_builder b = page_begin(5000000000);
    uint32_t name = 60 | 6u << 16;
    struct fx f;

    fx_init(&f);
    f.config.has_denser_generic_event_encoding = 1;
    f.config.denser_generic_event_encoding = 0;
    fx_compile(&f, names, 1);
    memcpy(ev + 24, &name, 4);
    memcpy(ev + 60, "hello", 6);
    page_data(&b, 5, ev, sizeof(ev));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.events, 1);
    cr_assert_eq(f.last.descriptors, 0);
    cr_assert_eq(f.events_seen[0].field_id, ORMA_PB_FTRACE_EVENT_GENERIC);
    cr_assert(text_is(&f.events_seen[0], "event_name", "odd"));
    /* tiny port ret big name mac ports*2 func dev: ten fields */
    cr_assert_eq(f.events_seen[0].fields_num, 1 + 10);
    fx_fini(&f);
}

Test(translate, leaves_out_generic_events_that_are_not_wanted)
{
    char *names[] = {(char[]){"foo/odd"}, (char[]){"foo/missing"}, (char[]){"nothing"},
                     (char[]){"bar/*"}, (char[]){"../x"}};
    struct fx f;

    fx_init(&f);
    f.config.has_disable_generic_events = 1;
    f.config.disable_generic_events = 1;
    fx_compile(&f, names, 5);
    cr_assert_eq(f.events.failed.num, 1);
    cr_assert_str_eq(f.events.failed.names[0], "foo/odd");
    cr_assert_eq(f.events.unknown.num, 4);
    fx_fini(&f);
}

Test(translate, skips_events_of_other_sessions)
{
    char *names[] = {(char[]){"ftrace/print"}};
    struct sched_switch sw = {.type = 10, .pid = 1, .next_pid = 77};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 5, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.pf.packets_num, 0, "nothing to tell, no packet");
    cr_assert_eq(f.translate.counts.foreign, 1);
    fx_fini(&f);
}

Test(translate, remembers_where_the_last_bundle_of_a_cpu_ended)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 10, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.previous_end_ts, 0);
    fx_page(&f, &b);
    cr_assert_eq(f.last.previous_end_ts, 5000000010);
    fx_fini(&f);
}

Test(translate, begins_a_bundle_at_a_loss_and_says_so_even_without_events)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10};
    struct page_builder b = page_begin(5000000000), lost;
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 10, &sw, sizeof(sw));
    page_end(&b);
    lost = b;
    page_end_claiming(&lost, (uint32_t)(lost.len - 16), 1u << 31);
    orma_ftrace_translate_begin(&f.translate, 3, &f.cpu);
    orma_ftrace_translate_page(&f.translate, b.page, sizeof(b.page));
    orma_ftrace_translate_page(&f.translate, lost.page, sizeof(lost.page));
    orma_ftrace_translate_end(&f.translate);
    cr_assert_eq(f.pf.packets_num, 2);
    cr_assert_not(ft_decode(f.pf.packets[0].data, f.pf.packets[0].len, NULL, NULL, NULL).lost);
    cr_assert(ft_decode(f.pf.packets[1].data, f.pf.packets[1].len, NULL, NULL, NULL).lost);
    sw.type = 999; /* nobody's */
    lost = page_begin(6000000000);
    page_data(&lost, 1, &sw, sizeof(sw));
    page_end_claiming(&lost, (uint32_t)(lost.len - 16), 1u << 31);
    fx_page(&f, &lost);
    cr_assert_eq(f.pf.packets_num, 3);
    cr_assert(f.last.lost);
    fx_fini(&f);
}

Test(translate, reports_a_broken_page_and_keeps_what_was_good)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 10, &sw, sizeof(sw));
    page_u32(&b, ORMA_TRACEFS_PAGE_PADDING);
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.events_num, 1);
    cr_assert_eq(f.last.errors_num, 1);
    cr_assert_eq(f.last.last_error, ORMA_PB_FTRACE_STATUS_ABI_NULL_PADDING);
    cr_assert_eq(f.translate.counts.errors[ORMA_PB_FTRACE_STATUS_ABI_NULL_PADDING], 1);
    fx_fini(&f);
}

Test(translate, skips_short_events_and_reads_the_rest_of_the_page)
{
    char *names[] = {(char[]){"sched/sched_switch"}, (char[]){"foo/odd"}};
    struct sched_switch sw = {.type = 10};
    uint8_t odd[20] = {12};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 2);
    page_data(&b, 1, &sw, 20);
    page_data(&b, 1, odd, sizeof(odd));
    page_data(&b, 1, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.events_num, 1);
    cr_assert_eq(f.last.errors_num, 1, "told once for a page");
    cr_assert_eq(f.translate.counts.errors[ORMA_PB_FTRACE_STATUS_SHORT_COMPACT_EVENT], 1);
    cr_assert_eq(f.translate.counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT], 1);
    fx_fini(&f);
}

Test(translate, omits_text_that_lies_outside_its_event)
{
    char *names[] = {(char[]){"foo/odd"}};
    uint8_t ev[64] = {12};
    struct page_builder b = page_begin(5000000000);
    uint32_t name = 60 | 600u << 16;
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    memcpy(ev + 24, &name, 4);
    page_data(&b, 5, ev, sizeof(ev));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.events_num, 1);
    cr_assert_null(ft_find(&f.events_seen[0], "name"));
    cr_assert_eq(f.translate.counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT], 1);
    fx_fini(&f);
}

Test(translate, counts_time_that_goes_backwards_and_goes_on)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 10, &sw, sizeof(sw));
    page_u32(&b, ORMA_TRACEFS_PAGE_TIME_ABSOLUTE | 100 << 5);
    page_u32(&b, 0);
    page_data(&b, 0, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.events_num, 2);
    cr_assert_eq(f.events_seen[1].ts, 100);
    cr_assert_eq(f.translate.counts.backwards, 1);
    fx_fini(&f);
}

/* Lengths of 127, 128 and more: one and two bytes. */
Test(translate, moves_events_whose_length_needs_two_bytes)
{
    char *names[] = {(char[]){"ftrace/print"}};
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    for (unsigned len = 80; len < 1000; len += len < 160 ? 1 : 97) {
        struct page_builder b = page_begin(5000000000);
        uint8_t ev[1200] = {5};

        memset(ev + 16, 'x', len);
        page_data(&b, 1, ev, 16 + len + 1);
        page_end(&b);
        fx_page(&f, &b);
        cr_assert_eq(f.events_num, 1);
        cr_assert_eq(ft_find(&f.events_seen[0], "buf")->text.len, len);
    }
    fx_fini(&f);
}

static void put_switch(struct page_builder *b, int32_t from, int32_t to)
{
    struct sched_switch sw = {.type = 10, .pid = from, .prev_pid = from, .next_pid = to};

    page_data(b, 10, &sw, sizeof(sw));
}

static void put_waking(struct page_builder *b, int32_t by, int32_t woken)
{
    struct sched_waking wk = {.type = 11, .pid = by, .woken = woken};

    page_data(b, 10, &wk, sizeof(wk));
}

/*  5>7  7 wakes 9  7>8  (8>6 missing)  6 wakes 9  6>5  5>0 */
Test(translate, writes_in_full_what_compact_columns_would_tell_wrong)
{
    char *names[] = {(char[]){"sched/sched_switch"}, (char[]){"sched/sched_waking"}};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 2);
    put_waking(&b, 5, 9); /* who runs is not known yet */
    put_switch(&b, 5, 7);
    put_waking(&b, 7, 9);
    put_switch(&b, 7, 8);
    put_waking(&b, 6, 9);
    put_switch(&b, 6, 5);
    put_switch(&b, 5, 0);
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.last.events, 4);
    cr_assert_eq(f.last.compact_switches, 2);
    cr_assert_eq(f.last.compact_wakings, 1);
    cr_assert_eq(f.events_seen[0].pid, 5);
    cr_assert_eq(num_of(&f.events_seen[1], "prev_pid"), 5);
    cr_assert_eq(f.events_seen[2].pid, 6);
    cr_assert_eq(num_of(&f.events_seen[3], "prev_pid"), 6);
    cr_assert_eq(f.translate.counts.unchained, 2);

    fx_page(&f, &b); /* the last switch was to 0: the chain breaks at the first waking */
    cr_assert_eq(f.last.events, 4);
    fx_running(&f, 5);
    fx_page(&f, &b);
    cr_assert_eq(f.last.events, 2, "known from the batch before");
    fx_fini(&f);
}

static int refuse(struct orma_source_sink *sink, const void *packet, size_t len)
{
    (void)sink;
    (void)packet;
    (void)len;
    return -1;
}

Test(translate, takes_nothing_as_known_after_a_bundle_that_was_lost)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct page_builder b = page_begin(5000000000), more = page_begin(6000000000);
    struct orma_source_sink broken = {refuse, NULL}, *sink;
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    fx_running(&f, 5);
    put_switch(&b, 5, 7);
    page_end(&b);
    put_switch(&more, 7, 5);
    put_switch(&more, 5, 7);
    page_end(&more);
    sink = f.translate.sink;
    f.translate.sink = &broken;
    fx_page(&f, &b);
    cr_assert_eq(f.translate.counts.lost_bundles, 1);
    f.translate.sink = sink;
    fx_page(&f, &more);
    cr_assert(f.last.lost);
    cr_assert_eq(f.last.events, 1, "readers do not know of the switch to 7");
    cr_assert_eq(f.last.compact_switches, 1);
    fx_fini(&f);
}

Test(translate, begins_a_new_bundle_when_the_table_of_names_is_full)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    orma_ftrace_translate_begin(&f.translate, 3, &f.cpu);
    for (unsigned page = 0; page < 3; page++) {
        b = page_begin(5000000000 + page);
        for (unsigned i = 0; i < 50; i++) {
            struct sched_switch sw = {.type = 10}; /* 0 goes on as 0 */

            snprintf(sw.next_comm, sizeof(sw.next_comm), "comm-%u-%u", page, i);
            page_data(&b, 1, &sw, sizeof(sw));
        }
        page_end(&b);
        orma_ftrace_translate_page(&f.translate, b.page, sizeof(b.page));
    }
    orma_ftrace_translate_end(&f.translate);
    cr_assert_eq(f.pf.packets_num, 3);
    for (size_t i = 0; i < 3; i++) {
        struct ft_bundle bundle =
            ft_decode(f.pf.packets[i].data, f.pf.packets[i].len, NULL, on_event, &f);
        cr_assert_leq(bundle.comms, ORMA_FTRACE_BUNDLE_COMMS_MAX);
        cr_assert_not(bundle.malformed);
    }
    cr_assert_eq(f.events_num, 150);
    fx_fini(&f);
}

Test(translate, lists_processes_once_and_again_after_a_rename)
{
    char *names[] = {(char[]){"sched/sched_switch"}};
    struct sched_switch sw = {.type = 10, .pid = 77, .prev_pid = 77, .next_pid = 77};
    struct page_builder b = page_begin(5000000000);
    struct fx f;

    fx_init(&f);
    fx_compile(&f, names, 1);
    page_data(&b, 1, &sw, sizeof(sw));
    page_data(&b, 1, &sw, sizeof(sw));
    page_end(&b);
    fx_page(&f, &b);
    cr_assert_eq(f.translate.pids.fresh_num, 1);
    cr_assert_eq(f.translate.pids.fresh[0], 77);
    f.translate.pids.fresh_num = 0;
    fx_page(&f, &b);
    cr_assert_eq(f.translate.pids.fresh_num, 0);
    orma_source_idset_remove(&f.translate.pids, 77);
    fx_page(&f, &b);
    cr_assert_eq(f.translate.pids.fresh_num, 1);
    fx_fini(&f);
}

/* ---- simple events, and the slow path ---- */

static const char wakeup_format[] = "name: sched_wakeup\nID: 13\nformat:\n" COMMON
                                    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";
static const char enter_format[] =
    "name: sys_enter\nID: 14\nformat:\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";
static const char stat_format[] = "name: stat\nID: 15\nformat:\n" COMMON
                                  "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
                                  "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
                                  "\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n"
                                  "\tfield:s16 few[3];\toffset:24;\tsize:6;\tsigned:1;\n";

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t random_event(uint64_t *state, uint8_t ev[static 256], size_t room)
{
    static const uint32_t pids[] = {0, 1, 77, 77 + 64, 70000, 5000000, UINT32_MAX};
    static const size_t sizes[] = {36, 64, 32};
    unsigned kind = (unsigned)(next_random(state) % 3);
    size_t len = sizes[kind] + next_random(state) % 9 * 4;
    uint16_t id = (uint16_t)(13 + kind);

    if (next_random(state) % 16 == 0)
        len += 80; /* longer than a short one */
    if (len + 80 > room)
        len = room - (room > 116 ? 8 : 4); /* the last one ends with the page */
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = next_random(state) >> (next_random(state) & 63);

        memcpy(ev + i, &word, 8);
    }
    memcpy(ev, &id, 2);
    memcpy(ev + 4, &pids[next_random(state) % ORMA_ARRAY_LEN(pids)], 4);
    if (kind == 2 && next_random(state) % 4) { /* otherwise it is anywhere */
        uint32_t at = 30, n = (uint32_t)(next_random(state) % (len - 29));
        uint32_t word = at | n << 16;

        memcpy(ev + 8, &word, 4);
    }
    return len;
}

enum way { WAY_LONG, WAY_SIMPLE, WAY_DEPOSIT };

/* All packets of some pages of random events; `bits`: the tasks that were noted. */
static void translate_randomly(enum way way, uint64_t seed, struct orma_buf *ret, uint64_t *bits,
                               uint64_t *ret_errors)
{
    char *names[] = {(char[]){"sched/sched_wakeup"}, (char[]){"raw_syscalls/sys_enter"},
                     (char[]){"foo/stat"}};
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/events/sched/sched_wakeup/format", wakeup_format);
    pf_file(&f.pf, "tracing/events/raw_syscalls/sys_enter/format", enter_format);
    pf_file(&f.pf, "tracing/events/foo/stat/format", stat_format);
    fx_compile(&f, names, 3);
    f.translate.can_deposit &= way == WAY_DEPOSIT;
    for (unsigned i = 13; i <= 15; i++) {
        cr_assert_neq(f.translate.plans[i]->simple, 0);
        if (way == WAY_LONG)
            f.translate.plans[i]->simple = 0;
    }
    for (unsigned page = 0; page < 64; page++) {
        struct page_builder b = page_begin(5000000000 + page * (UINT64_C(1) << 26));
        uint8_t ev[256];

        while (sizeof(b.page) - b.len > 80) {
            size_t len = random_event(&seed, ev, sizeof(b.page) - b.len);

            page_data(&b, (uint32_t)next_random(&seed) & 0xfffff, ev, len);
        }
        page_end(&b);
        fx_page(&f, &b);
    }
    for (size_t i = 0; i < f.pf.packets_num; i++)
        orma_buf_put(ret, f.pf.packets[i].data, f.pf.packets[i].len);
    memcpy(bits, f.translate.pids.bits, ORMA_SOURCE_IDSET_MAX / 8);
    *ret_errors = f.translate.counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT];
    fx_fini(&f);
}

Test(translate, writes_simple_events_as_the_long_way_does)
{
    struct orma_buf want = {0};
    uint64_t *bits[2] = {malloc(ORMA_SOURCE_IDSET_MAX / 8), malloc(ORMA_SOURCE_IDSET_MAX / 8)};
    uint64_t errors[2];

    cr_assert(bits[0] && bits[1]);
    translate_randomly(WAY_LONG, 4711, &want, bits[0], &errors[0]);
    cr_assert_gt(want.len, 64 * 1000);
    cr_assert_gt(errors[0], 0, "texts outside of their events");
    for (enum way way = WAY_SIMPLE; way <= WAY_DEPOSIT; way++) {
        struct orma_buf got = {0};

        translate_randomly(way, 4711, &got, bits[1], &errors[1]);
        cr_assert_eq(got.len, want.len);
        cr_assert_eq(memcmp(got.data, want.data, want.len), 0);
        cr_assert_eq(memcmp(bits[0], bits[1], ORMA_SOURCE_IDSET_MAX / 8), 0);
        cr_assert_eq(errors[0], errors[1]);
        orma_buf_fini(&got);
    }
    orma_buf_fini(&want);
    free(bits[0]);
    free(bits[1]);
}
