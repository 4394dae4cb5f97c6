/* What a session's config does to the kernel's files, on a tree that looks like them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "probes/ftrace/drain.h"
#include "probes/ftrace/elf.h"
#include "probes/ftrace/source.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/ftrace_fx.h"

typedef Perfetto__Protos__FtraceConfig Config;

#define ARGS(...)                                                                                  \
    (char *[])                                                                                     \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void add_syscalls(struct fx *f)
{
    tree_event(&f->pf, "tracing", "raw_syscalls", "sys_enter", 30,
               "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n");
    tree_event(&f->pf, "tracing", "raw_syscalls", "sys_exit", 31,
               "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n");
    pf_file(&f->pf, "tracing/events/raw_syscalls/sys_enter/filter", "none\n");
    pf_file(&f->pf, "tracing/events/raw_syscalls/sys_exit/filter", "none\n");
}

static struct orma_source *session(struct fx *f, const Config *config)
{
    f->ftrace = *config;
    return pf_source(&f->pf, &orma_ftrace_source, &f->config);
}

/* Appends a page of calls: number 0, 1, ... */
static void put_calls(struct fx *f, unsigned num)
{
    struct page_builder b = page_begin(5000);

    for (uint64_t i = 0; i < num; i++) {
        struct {
            uint32_t head[2];
            uint64_t id, ret;
        } ev = {{31, 42}, i, 7};

        page_data(&b, 10, &ev, sizeof(ev));
    }
    page_end(&b);
    pf_bytes(&f->pf, "tracing/per_cpu/cpu0/trace_pipe_raw", b.page, sizeof(b.page));
}

Test(ftrace_config, gives_each_session_its_system_calls)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_source *a, *b;
    struct fx f;

    fx_init(&f);
    add_syscalls(&f);
    config.syscall_events = ARGS((char[]){"sys_read"}, (char[]){"close"}, (char[]){"sys_nonsense"});
    config.n_syscall_events = 3;
    a = session(&f, &config);
    /* Numbers of x86_64 and of arm64. */
    const char *filter = pf_read(&f.pf, "tracing/events/raw_syscalls/sys_exit/filter");
    bool is_x86 = !strcmp(filter, "id == 0 || id == 3");
    cr_assert(is_x86 || !strcmp(filter, "id == 57 || id == 63"), "%s", filter);
    config.syscall_events = ARGS((char[]){"sys_write"});
    config.n_syscall_events = 1;
    b = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/raw_syscalls/sys_enter/filter"),
                     is_x86 ? "id == 0 || id == 1 || id == 3" : "id == 57 || id == 63 || id == 64");
    a->type->start(a);
    put_calls(&f, 80);
    a->type->flush(a, 1);
    cr_assert_eq(count_events(&f), 2, "although the kernel gave the calls of others, too");
    pf_free_source(&f.pf, b);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/raw_syscalls/sys_enter/filter"),
                     is_x86 ? "id == 0 || id == 3" : "id == 57 || id == 63");
    pf_free_source(&f.pf, a);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/raw_syscalls/sys_enter/filter"), "0");
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, filters_in_the_kernel_for_one_session)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_pb_field field;
    struct orma_source *a, *b;
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/events/foo/thing/filter", "val == 1\n");
    config.ftrace_events = ARGS((char[]){"foo/thing if val > 7"}, (char[]){"foo/other"});
    config.n_ftrace_events = 2;
    a = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/filter"), "val > 7");
    config.ftrace_events = ARGS((char[]){"foo/thing"}, (char[]){"foo/other"});
    b = session(&f, &config);
    b->type->start(b);
    b->type->flush(b, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS, &field),
              "it would miss events and not know it");
    pf_free_source(&f.pf, b);
    pf_free_source(&f.pf, a);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/filter"), "val == 1", "as before");
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, gives_the_instance_to_one_session_alone)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig__TracefsOption option =
        PERFETTO__PROTOS__FTRACE_CONFIG__TRACEFS_OPTION__INIT;
    Perfetto__Protos__FtraceConfig__TracefsOption *options[] = {&option};
    uint32_t tids[] = {17, 42};
    struct orma_pb_field field;
    struct orma_source *a, *b;
    struct fx f;

    fx_init(&f);
    config.tids_to_trace = tids;
    config.n_tids_to_trace = 2;
    config.tracing_cpumask = (char[]){"2"};
    option.name = (char[]){"overwrite"};
    option.state = PERFETTO__PROTOS__FTRACE_CONFIG__TRACEFS_OPTION__STATE__STATE_DISABLED;
    option.has_state = 1;
    config.tracefs_options = options;
    config.n_tracefs_options = 1;
    a = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/set_event_pid"), "17 42");
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_cpumask")[0], '2');
    cr_assert_eq(pf_read(&f.pf, "tracing/options/overwrite")[0], '0');
    b = session(&f, &(Config)PERFETTO__PROTOS__FTRACE_CONFIG__INIT);
    b->type->start(b);
    b->type->flush(b, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, &field),
              "refused, with the reason");
    pf_free_source(&f.pf, b);
    pf_free_source(&f.pf, a);
    cr_assert_str_neq(pf_read(&f.pf, "tracing/set_event_pid"), "17 42");
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_cpumask")[0], '3');
    cr_assert_eq(pf_read(&f.pf, "tracing/options/overwrite")[0], '1');

    b = session(&f, &(Config)PERFETTO__PROTOS__FTRACE_CONFIG__INIT);
    a = session(&f, &config);
    a->type->start(a);
    a->type->flush(a, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_EXCLUSIVE_FEATURE_ERROR, &field));
    pf_free_source(&f.pf, a);
    pf_free_source(&f.pf, b);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, refuses_masks_and_options_that_are_none)
{
    char *masks[] = {(char[]){"z"}, (char[]){"../../x"}};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_pb_field field;
    struct fx f;

    fx_init(&f);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(masks); i++) {
        config.tracing_cpumask = masks[i];
        struct orma_source *s = session(&f, &config);
        s->type->start(s);
        s->type->flush(s, 1);
        cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                              ORMA_PB_FTRACE_STATS_EXCLUSIVE_FEATURE_ERROR, &field));
        pf_free_source(&f.pf, s);
    }
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_cpumask")[0], '3');
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

static void on_kprobe(void *ctx, const struct ft_event *ev)
{
    unsigned *types = ctx;

    const struct ft_field *type = ft_find(ev, "type");

    if (type)
        types[type->num & 3]++;
}

Test(ftrace_config, sets_kprobes_and_removes_them)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig__KprobeEvent k =
        PERFETTO__PROTOS__FTRACE_CONFIG__KPROBE_EVENT__INIT;
    Perfetto__Protos__FtraceConfig__KprobeEvent bad = k;
    Perfetto__Protos__FtraceConfig__KprobeEvent *list[] = {&k, &bad};
    unsigned types[4] = {0};
    struct orma_pb_field field;
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/kprobe_events", "");
    pf_file(&f.pf, "tracing/kprobe_profile", "  vfs_read   30   2\n");
    tree_event(&f.pf, "tracing", "perfetto_kprobes", "vfs_read", 50, "");
    tree_event(&f.pf, "tracing", "perfetto_kretprobes", "vfs_read", 51, "");
    k.probe = (char[]){"vfs_read"};
    k.has_type = bad.has_type = 1;
    k.type = bad.type =
        PERFETTO__PROTOS__FTRACE_CONFIG__KPROBE_EVENT__KPROBE_TYPE__KPROBE_TYPE_BOTH;
    bad.probe = (char[]){"x; rm"};
    config.kprobe_events = list;
    config.n_kprobe_events = 2;
    struct orma_source *s = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/kprobe_events"),
                     "p:perfetto_kprobes/vfs_read vfs_read\n"
                     "r1024:perfetto_kretprobes/vfs_read vfs_read");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/perfetto_kprobes/vfs_read/enable"), "1");
    s->type->start(s);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 50, 3);
    tree_page(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw", 1000, 51, 2);
    s->type->flush(s, 1);
    for (size_t i = 0; i < f.pf.packets_num; i++)
        (void)ft_decode(f.pf.packets[i].data, f.pf.packets[i].len, NULL, on_kprobe, types);
    cr_assert_eq(types[ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_BEGIN], 3);
    cr_assert_eq(types[ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_END], 2);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS, &field));
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_END_OF_TRACE, ORMA_PB_FTRACE_STATS_KPROBE_STATS,
                          &field));
    pf_free_source(&f.pf, s);
    cr_assert_not_null(
        strstr(pf_read(&f.pf, "tracing/kprobe_events"), "-:perfetto_kprobes/vfs_read"));
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, shares_a_probe_between_sessions)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_source *a, *b;
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/uprobe_events", "p:orma_uprobes/prog_0x40_2 /other:0x1\n");
    tree_event(&f.pf, "tracing", "orma_uprobes", "prog_0x40", 60, "");
    config.ftrace_events = ARGS((char[]){"uprobe:/bin/prog:0x40"}, (char[]){"uprobe:rel:0x40"},
                                (char[]){"usdt:/nowhere:p:n"}, (char[]){"uprobe:/bin/prog"});
    config.n_ftrace_events = 4;
    a = session(&f, &config);
    b = session(&f, &config);
    cr_assert_not_null(
        strstr(pf_read(&f.pf, "tracing/uprobe_events"), "p:orma_uprobes/prog_0x40 /bin/prog:0x40"));
    pf_free_source(&f.pf, a);
    cr_assert_null(strstr(pf_read(&f.pf, "tracing/uprobe_events"), "-:orma"), "b still has it");
    pf_free_source(&f.pf, b);
    cr_assert_not_null(strstr(pf_read(&f.pf, "tracing/uprobe_events"), "-:orma_uprobes/prog_0x40"));
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, expands_categories_of_atrace)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct fx f;

    fx_init(&f);
    tree_event(&f.pf, "tracing", "sched", "sched_process_exit", 40,
               "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n");
    config.atrace_categories = ARGS((char[]){"sched"}, (char[]){"no such"});
    config.n_atrace_categories = 2;
    struct orma_source *s = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/sched/sched_process_exit/enable"), "1");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/enable"), "0");
    pf_free_source(&f.pf, s);
    config.has_atrace_userspace_only = config.atrace_userspace_only = 1;
    s = session(&f, &config);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/sched/sched_process_exit/enable"), "0");
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, needs_a_kernel_with_the_graph)
{
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_pb_field field;
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/available_tracers", "blk function nop\n");
    config.has_enable_function_graph = config.enable_function_graph = 1;
    s = session(&f, &config);
    s->type->start(s);
    s->type->flush(s, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, &field));
    pf_free_source(&f.pf, s);

    pf_file(&f.pf, "tracing/available_tracers", "function_graph nop\n");
    pf_file(&f.pf, "tracing/set_ftrace_filter", "#### all functions enabled ####\n");
    pf_file(&f.pf, "tracing/set_graph_function", "#### all functions enabled ####\n");
    pf_file(&f.pf, "tracing/max_graph_depth", "0\n");
    config.function_filters = ARGS((char[]){"vfs_read"});
    config.n_function_filters = 1;
    config.function_graph_roots = ARGS((char[]){"do_sys_open"});
    config.n_function_graph_roots = 1;
    config.has_function_graph_max_depth = 1;
    config.function_graph_max_depth = 5;
    s = session(&f, &config);
    cr_assert(!strncmp(pf_read(&f.pf, "tracing/current_tracer"), "function_graph", 14));
    cr_assert_str_eq(pf_read(&f.pf, "tracing/set_ftrace_filter"), "vfs_read");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/set_graph_function"), "do_sys_open");
    cr_assert_eq(pf_read(&f.pf, "tracing/max_graph_depth")[0], '5');
    pf_free_source(&f.pf, s);
    cr_assert(!strncmp(pf_read(&f.pf, "tracing/current_tracer"), "nop", 3));
    cr_assert_eq(pf_read(&f.pf, "tracing/max_graph_depth")[0], '0');
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, takes_the_best_clock_that_the_kernel_has)
{
    static const struct {
        const char *list, *want;
        bool mono_raw;
        uint32_t clock;
    } cases[] = {
        {"[local] global boot mono_raw", "boot", false, 0},
        {"[local] global mono", "global", false, ORMA_PB_FTRACE_CLOCK_GLOBAL},
        {"local [mono]", "local", false, ORMA_PB_FTRACE_CLOCK_LOCAL},
        {"local [boot] mono_raw", "mono_raw", true, ORMA_PB_FTRACE_CLOCK_MONO_RAW},
        {"[local] global", "global", true, ORMA_PB_FTRACE_CLOCK_GLOBAL},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
        bool told = false;
        struct fx f;

        fx_init(&f);
        pf_file(&f.pf, "tracing/trace_clock", cases[i].list);
        config.has_use_monotonic_raw_clock = 1;
        config.use_monotonic_raw_clock = cases[i].mono_raw;
        config.ftrace_events = ARGS((char[]){"foo/thing"});
        config.n_ftrace_events = 1;
        struct orma_source *s = session(&f, &config);
        cr_assert(
            !strncmp(pf_read(&f.pf, "tracing/trace_clock"), cases[i].want, strlen(cases[i].want)),
            "%s", cases[i].list);
        s->type->start(s);
        tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 20, 3);
        s->type->flush(s, 1);
        for (size_t j = 0; j < f.pf.packets_num; j++) {
            struct ft_bundle b =
                ft_decode(f.pf.packets[j].data, f.pf.packets[j].len, NULL, NULL, NULL);

            if (!b.is_bundle)
                continue;
            told = true;
            cr_assert_eq(b.clock, cases[i].clock);
            cr_assert_eq(b.ftrace_ts != 0 && b.boot_ts != 0, cases[i].clock != 0);
        }
        cr_assert(told);
        pf_free_source(&f.pf, s);
        pf_fini(&f.pf);
    }
    orma_assert_no_leaks();
}

Test(ftrace_config, opens_cpus_that_come_online)
{
    char *events[] = {(char[]){"foo/thing"}};
    char away[256];
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    snprintf(away, sizeof(away), "%s", pf_path(&f.pf, "tracing/per_cpu/cpu1/away"));
    cr_assert_eq(rename(pf_path(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw"), away), 0);
    s = fx_session(&f, events, 1);
    s->type->start(s);
    cr_assert_eq(rename(away, pf_path(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw")), 0);
    tree_page(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw", 1000, 20, 9);
    for (int i = 0; i < 3000 && !count_events(&f); i++)
        pf_run(&f.pf, NULL, 20);
    cr_assert_eq(count_events(&f), 9);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_config, reads_all_cpus_in_turn_and_each_to_its_limit)
{
    enum { PER_PAGE = 200, PAGES = 2 * ORMA_FTRACE_DRAIN_TICK_MAX / 4096 };
    char *events[] = {(char[]){"foo/thing"}};
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    f.ftrace.drain_period_ms = 60000; /* not by itself */
    for (unsigned i = 0; i < PAGES; i++)
        tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000 + 10000 * i, 20, PER_PAGE);
    tree_page(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw", 1000, 20, 7);
    s = fx_session(&f, events, 1);
    s->type->start(s);
    struct orma_ftrace_instance *instance =
        ORMA_CONTAINER_OF(f.pf.env.ftrace->instances.next, struct orma_ftrace_instance, link);
    cr_assert(orma_ftrace_drain_tick(instance), "there is more");
    cr_assert_eq(count_events(&f), PAGES / 2 * PER_PAGE + 7);
    /* The flooded one had one batch before the other had its turn. */
    size_t first_other = 0;
    while (
        first_other < f.pf.packets_num &&
        ft_decode(f.pf.packets[first_other].data, f.pf.packets[first_other].len, NULL, NULL, NULL)
                .cpu != 1)
        first_other++;
    cr_assert_lt(first_other, 4, "%zu", first_other);
    (void)orma_ftrace_drain_tick(instance);
    cr_assert_eq(count_events(&f), PAGES * PER_PAGE + 7);
    cr_assert_not(orma_ftrace_drain_tick(instance));
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(elf, says_arguments_of_probes_as_the_kernel_wants_them)
{
    static const struct {
        const char *machine, *args, *want;
        unsigned left_out;
    } cases[] = {
        {"x86_64", "-4@%edi 8@%rsi", " arg1=%di:s32 arg2=%si:u64", 0},
        {"x86_64", "-4@$5 4@-20(%rbp) 8@(%r12)",
         " arg1=\\5:s32 arg2=-20(%bp):u32 arg3=+0(%r12):u64", 0},
        {"x86_64", "1@%r8b 2@%r10w 8f@%xmm0 8@8(%rax,%rbx,8)", " arg1=%r8:u8 arg2=%r10:u16", 2},
        {"x86_64", "4@ @%eax 16@%rax 4@%ah 4@%r99 4@x(%rip) 4@%", "", 7},
        {"aarch64", "-4@w3 8@[sp, 12] 4@[x29, -4] 8@7 8@d0",
         " arg1=%x3:s32 arg2=+12(%sp):u64 arg3=-4(%x29):u32 arg4=\\7:u64", 1},
        {"riscv64", "8@a0", "", 0},
        {"x86_64", "", "", 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf out = {0};

        cr_expect_eq(
            orma_ftrace_usdt_put_args(&out, orma_str_from(cases[i].args), cases[i].machine),
            cases[i].left_out, "%s", cases[i].args);
        cr_expect(orma_str_eq_c(orma_buf_str(&out), cases[i].want), "%.*s",
                  ORMA_STR_ARG(orma_buf_str(&out)));
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}

int elf_find_me(int a);

/* Something to find. */
__attribute__((noinline)) int elf_find_me(int a)
{
    return a * 31 + 7;
}

Test(elf, finds_functions_where_their_bytes_are)
{
    ORMA_AUTO(orma_ftrace_elf_free_p) struct orma_ftrace_elf *elf = NULL;
    struct orma_ftrace_usdt_site site;
    uint8_t found[16];
    uint64_t offset;

    cr_assert_eq(orma_ftrace_elf_open("/proc/self/exe", &elf), 0);
    cr_assert_eq(orma_ftrace_elf_find_function(elf, "elf_find_me", &offset), 0);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert_eq(pread(fd, found, sizeof(found), (off_t)offset), sizeof(found));
    close(fd);
    cr_expect_eq(memcmp(found, (const void *)(uintptr_t)elf_find_me, sizeof(found)), 0);
    cr_expect_eq(orma_ftrace_elf_find_function(elf, "elf_find_m", &offset), -ENOENT);
    cr_expect_eq(orma_ftrace_elf_find_function(elf, "elf_find_me_", &offset), -ENOENT);
    cr_expect_eq(orma_ftrace_elf_find_usdt(elf, "none", "such", &site, 1), 0);
}

Test(elf, refuses_what_is_none)
{
    struct orma_ftrace_elf *elf = NULL;
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "short", "\177ELF");
    pf_bytes(&pf, "zeroes", (char[200]){"\177ELF\2\1\1"}, 200);
    cr_expect_eq(orma_ftrace_elf_open(pf_path(&pf, "short"), &elf), -ENOEXEC);
    cr_expect_eq(orma_ftrace_elf_open(pf_path(&pf, "zeroes"), &elf), -ENOEXEC);
    cr_expect_eq(orma_ftrace_elf_open(pf_path(&pf, "nowhere"), &elf), -ENOENT);
    cr_expect_eq(orma_ftrace_elf_open("/", &elf), -ENOEXEC);
    pf_fini(&pf);
    orma_assert_no_leaks();
}
