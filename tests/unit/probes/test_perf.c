#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/core/source.h"
#include "probes/perf/cpus.h"
#include "probes/perf/source.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"
#include "tests/unit/probes/perf_made.h"

Test(perf_plan, samples_the_cpu_clock_unless_told_otherwise)
{
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_plan plan;
    char why[256];

    cr_assert_eq(perf_make(&plan, &config, why), 0);
    cr_assert_eq(plan.events_num, 1);
    cr_assert_eq(plan.events[0].attr.type, PERF_TYPE_SOFTWARE);
    cr_assert_eq(plan.events[0].attr.config, PERF_COUNT_SW_CPU_CLOCK);
    cr_assert_eq(plan.events[0].attr.sample_freq, ORMA_PERF_DEFAULT_HZ);
    cr_assert_not(plan.stacks);
    cr_assert_eq(plan.ring_pages, ORMA_PERF_RING_PAGES);
    orma_perf_plan_fini(&plan);
    orma_assert_no_leaks();
}

Test(perf_plan, followers_are_read_with_the_timebase)
{
    Perfetto__Protos__FollowerEvent follower = PERFETTO__PROTOS__FOLLOWER_EVENT__INIT;
    Perfetto__Protos__FollowerEvent *followers[] = {&follower};
    perf_timebase_t tb = TIMEBASE_INIT;
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_plan plan;
    char why[256];

    follower.event_case = PERFETTO__PROTOS__FOLLOWER_EVENT__EVENT_COUNTER;
    follower.counter = PERFETTO__PROTOS__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS;
    tb.interval_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_PERIOD;
    tb.period = 1000000;
    config.timebase = &tb;
    config.followers = followers;
    config.n_followers = 1;
    cr_assert_eq(perf_make(&plan, &config, why), 0);
    cr_assert_eq(plan.events_num, 2);
    cr_assert_not(plan.events[0].attr.freq);
    cr_assert_eq(plan.events[0].attr.sample_period, 1000000);
    cr_assert_eq(plan.events[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
    orma_perf_plan_fini(&plan);
    orma_assert_no_leaks();
}

Test(perf_plan, says_what_is_wrong)
{
    Perfetto__Protos__PerfEvents__Tracepoint tracepoint =
        PERFETTO__PROTOS__PERF_EVENTS__TRACEPOINT__INIT;
    perf_timebase_t tb = TIMEBASE_INIT;
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_plan plan;
    char why[256];

    config.timebase = &tb;
    tb.interval_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
    tb.frequency = 0;
    cr_assert_eq(perf_make(&plan, &config, why), -EINVAL);
    cr_assert_neq(strstr(why, "frequency"), NULL);
    tb.frequency = 99;
    tb.event_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__EVENT_COUNTER;
    tb.counter = 4711;
    cr_assert_eq(perf_make(&plan, &config, why), -EINVAL);
    cr_assert_neq(strstr(why, "counter 4711"), NULL);
    tb.event_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__EVENT_TRACEPOINT;
    tb.tracepoint = &tracepoint;
    tracepoint.name = (char *)"../../etc/passwd";
    cr_assert_eq(perf_make(&plan, &config, why), -EINVAL);
    config.timebase = NULL;
    config.ring_buffer_pages = 100;
    cr_assert_eq(perf_make(&plan, &config, why), -EINVAL);
    cr_assert_neq(strstr(why, "power of two"), NULL);
    orma_assert_no_leaks();
}

/* ---- processes ---- */

/* What the kernel's records say is believed, in their order. */
Test(perf_processes, follow_the_records)
{
    perf_config_t config = CONFIG_INIT;
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    struct orma_perf_processes all;
    struct orma_perf_plan plan;
    struct orma_perf_record r;
    struct perf_made m;
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "proc/none", "");
    perf_stacks_plan(&plan);
    cr_assert_eq(orma_perf_processes_init(&all, pf_path(&pf, "proc"), &config), 0);
    r = perf_comm(&m, &plan, 70, "first", true);
    orma_perf_processes_take(&all, &r);
    r = perf_mapped(&m, &plan, 70, 0x10000, 0x4000, "/bin/first");
    orma_perf_processes_take(&all, &r);
    r = perf_mapped(&m, &plan, 70, 0x11000, 0x1000, "/lib/inside.so");
    orma_perf_processes_take(&all, &r);
    struct orma_perf_process *p = orma_perf_process_get(&all, 70, 1);
    cr_expect_eq(p->mappings_num, 3, "the new one parts the old");
    cr_expect_str_eq(orma_perf_process_find(&all, p, 0x10fff, 1)->file->path, "/bin/first");
    cr_expect_str_eq(orma_perf_process_find(&all, p, 0x11fff, 1)->file->path, "/lib/inside.so");
    struct orma_perf_mapping *rest = orma_perf_process_find(&all, p, 0x12000, 1);
    cr_expect_str_eq(rest->file->path, "/bin/first");
    cr_expect_eq(rest->offset, 0x1000 + 0x2000);
    cr_expect_null(orma_perf_process_find(&all, p, 0x14000, 1));

    r = perf_fork_of(&m, &plan, 70, 71);
    orma_perf_processes_take(&all, &r);
    p = orma_perf_process_get(&all, 71, 1);
    cr_expect_eq(p->mappings_num, 3);
    cr_expect_eq(p->start, 200);
    cr_expect_eq(p->parent, 70);
    cr_expect_str_eq(orma_perf_thread_get(&all, 71, 71)->name, "first");
    cr_expect_not(orma_perf_process_cmdline(&all, p, &name));
    cr_expect_str_eq(orma_buf_cstr(&name), "/bin/first");

    r = perf_comm(&m, &plan, 71, "second", true);
    orma_perf_processes_take(&all, &r);
    p = orma_perf_process_get(&all, 71, 1);
    cr_expect_eq(p->mappings_num, 0);
    orma_buf_clear(&name);
    cr_expect(orma_perf_process_cmdline(&all, p, &name), "nothing but the name of a thread");
    cr_expect_str_eq(orma_buf_cstr(&name), "second");
    orma_perf_processes_fini(&all);
    orma_perf_plan_fini(&plan);
    pf_fini(&pf);
}

Test(perf_jit, names_of_generated_code)
{
    struct orma_perf_jit jit = {0};

    orma_perf_jit_parse(&jit, ORMA_STR("1000 10 first name\nnonsense\n0x2000 20 second\n"
                                       "1000 8 later\n3000 0 empty\nffffffffffffffffff 1 long\n"));
    cr_expect(orma_str_eq_c(orma_perf_jit_find(&jit, 0x1004), "later"));
    cr_expect(orma_str_eq_c(orma_perf_jit_find(&jit, 0x201f), "second"));
    cr_expect_eq(orma_perf_jit_find(&jit, 0x2020).len, 0);
    cr_expect_eq(orma_perf_jit_find(&jit, 0xfff).len, 0);
    orma_perf_jit_fini(&jit);
    orma_assert_no_leaks();
}

static void put_words(int fd, const uint64_t *words, size_t num, const char *name, size_t code)
{
    const char zeros[64] = {0};

    cr_assert_eq(write(fd, words, num * 8), (ssize_t)(num * 8));
    if (name)
        cr_assert_eq(write(fd, name, strlen(name) + 1), (ssize_t)strlen(name) + 1);
    cr_assert_eq(write(fd, zeros, code), (ssize_t)code);
}

static uint64_t two(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

Test(perf_jit, a_dump_is_read_as_it_grows)
{
    struct orma_perf_jit jit = {0};
    int fd = memfd_create("jit-1.dump", MFD_CLOEXEC);
    const uint64_t head[] = {two(0x4a695444, 1), two(40, 62), two(0, 1), 0, 0},
                   load[] = {two(0, 16 + 40 + 6 + 16), 1, two(1, 1), 0x1000, 0x1000, 16, 7},
                   debug[] = {two(2, 16 + 8), 1, 0},
                   move[] = {two(1, 16 + 48), 2, two(1, 1), 0, 0x1000, 0x5000, 16, 7},
                   bad[] = {two(0, 8), 3};

    put_words(fd, head, ORMA_ARRAY_LEN(head), NULL, 0);
    orma_perf_jit_read_dump(&jit, fd);
    cr_expect_eq(orma_perf_jit_find(&jit, 0x1000).len, 0);
    put_words(fd, load, ORMA_ARRAY_LEN(load), "first", 8); /* its code is not all there yet */
    orma_perf_jit_read_dump(&jit, fd);
    cr_expect_eq(orma_perf_jit_find(&jit, 0x1000).len, 0);
    put_words(fd, NULL, 0, NULL, 8);
    put_words(fd, debug, ORMA_ARRAY_LEN(debug), NULL, 0);
    orma_perf_jit_read_dump(&jit, fd);
    cr_expect(orma_str_eq_c(orma_perf_jit_find(&jit, 0x100f), "first"));
    cr_expect_eq(orma_perf_jit_find(&jit, 0x1010).len, 0);
    put_words(fd, move, ORMA_ARRAY_LEN(move), NULL, 0);
    put_words(fd, bad, ORMA_ARRAY_LEN(bad), NULL, 0);
    for (unsigned i = 0; i < 2; i++)
        orma_perf_jit_read_dump(&jit, fd);
    cr_expect(orma_str_eq_c(orma_perf_jit_find(&jit, 0x5000), "first"));
    cr_expect(orma_perf_jit_is_dump("/tmp/jit-12.dump"));
    cr_expect_not(orma_perf_jit_is_dump("/tmp/jit-12.dumps"));
    close(fd);
    orma_perf_jit_fini(&jit);
    orma_assert_no_leaks();
}

/* Holes take no disk: a file of 64 GiB is easily made. */
Test(perf_jit, long_files_are_not_read_at_once)
{
    const uint64_t head[] = {two(0x4a695444, 1), two(40, 62), two(0, 1), 0, 0},
                   debug[] = {two(2, 16), 1};
    struct orma_buf text = {0}, records = {0};
    int dump = memfd_create("jit-1.dump", MFD_CLOEXEC);
    struct orma_perf_jit jit = {0};
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "proc/70/root/tmp/perf-70.map", "1000 10 name\n");
    int proc = open(pf_path(&pf, "proc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect_eq(orma_perf_jit_read(proc, 70, &text), 0);
    cr_expect_eq(text.len, 13);
    cr_assert_eq(truncate(pf_path(&pf, "proc/70/root/tmp/perf-70.map"), INT64_C(64) << 30), 0);
    cr_expect_eq(orma_perf_jit_read(proc, 70, &text), -EFBIG);
    cr_expect_eq(text.len, 13, "nothing of it is read");
    close(proc);
    pf_fini(&pf);

    for (unsigned i = 0; i < ORMA_PERF_JIT_RECORDS_MAX + 9; i++)
        orma_buf_put(&records, debug, sizeof(debug));
    put_words(dump, head, ORMA_ARRAY_LEN(head), NULL, 0);
    cr_assert_eq(write(dump, records.data, records.len), (ssize_t)records.len);
    orma_perf_jit_read_dump(&jit, dump);
    cr_expect_eq(jit.at, 40 + 16 * ORMA_PERF_JIT_RECORDS_MAX);
    orma_perf_jit_read_dump(&jit, dump);
    cr_expect_eq(jit.at, 40 + 16 * (ORMA_PERF_JIT_RECORDS_MAX + 9));
    close(dump);
    orma_perf_jit_fini(&jit);
    orma_buf_fini(&records);
    orma_buf_fini(&text);
    orma_assert_no_leaks();
}

/* Each process may write down 64 MiB: a user with many of them takes memory and time of his own
 * share, which is all that he loses. */
Test(perf_jit, all_processes_of_a_user_have_one_share)
{
    enum { PROCESSES = 60, LINES = 500000 };
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    struct orma_buf text = {0};
    uint64_t begun = orma_clock_boottime();
    unsigned named = 0;
    struct pf pf;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    for (unsigned i = 0; i < LINES; i++)
        orma_buf_printf(&text, "%x 1 %0100u\n", 0x10000000 + i, i);
    pf_file(&pf, "proc/1/root/tmp/perf-1.map", orma_buf_cstr(&text));
    orma_buf_fini(&text);
    cr_assert_eq(orma_perf_processes_init(&processes, pf_path(&pf, "proc"), &config), 0);
    processes.all_wanted = true;
    for (unsigned pid = 1; pid <= PROCESSES; pid++) {
        char from[PATH_MAX], path[64];

        snprintf(path, sizeof(path), "proc/%u/root/tmp/perf-%u.map", pid, pid);
        if (pid > 1) {
            snprintf(from, sizeof(from), "%s", pf_path(&pf, "proc/1/root/tmp/perf-1.map"));
            pf_file(&pf, path, "");
            cr_assert_eq(unlink(pf_path(&pf, path)), 0);
            cr_assert_eq(link(from, pf_path(&pf, path)), 0);
        }
        struct orma_perf_process *p = orma_perf_process_get(&processes, pid, pid);
        cr_assert_not_null(p);
        named += orma_perf_process_jit(&processes, p, 0x10000007, orma_clock_boottime()).len == 100;
        (void)orma_perf_process_jit_late(&processes, p, 0x10000007); /* and once more */
    }
    struct orma_perf_jit_share *share =
        orma_perf_jit_share_of(&processes.jit_shares, processes.proc_fd, 1);
    cr_assert_not_null(share);
    cr_expect_gt(named, 0);
    cr_expect_lt(named, PROCESSES);
    cr_expect_leq(share->bytes, ORMA_PERF_JIT_SHARE_BYTES_MAX);
    cr_expect_lt(share->used_ns, UINT64_C(6000000000) + (orma_clock_boottime() - begun) / 4);
    orma_perf_processes_fini(&processes);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(perf_record, calls_that_the_processor_has_recorded)
{
    struct orma_perf_plan plan = {.lbr = true};
    struct orma_perf_record rec;
    struct perf_made m;
    bool skip;

    plan.events[0].attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
    perf_begin(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    perf_add_pair(&m, 77, 78);
    perf_add(&m, 123);
    perf_add_pair(&m, 3, 0);
    perf_add(&m, 2);
    for (unsigned i = 0; i < 6; i++)
        perf_add(&m, 0x1000 + i);
    cr_assert(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
    cr_expect_eq(rec.calls_num, 2);
    cr_expect_eq(rec.calls[ORMA_PERF_CALL_WORDS], 0x1003, "where the caller's caller calls");
    for (size_t cut = 1; cut < m.len; cut++)
        cr_expect_not(orma_perf_record_decode(&plan, m.words, cut * 8, &rec, &skip));
    m.words[4] = UINT64_MAX / 3;
    cr_expect_not(orma_perf_record_decode(&plan, m.words, m.len * 8, &rec, &skip));
}

static struct orma_perf_record at(uint32_t tid, uint64_t time)
{
    static const uint64_t stack[2] = {1, 2};

    return (struct orma_perf_record){.pid = 70,
                                     .tid = tid,
                                     .time = time,
                                     .stack = (const uint8_t *)stack,
                                     .stack_len = sizeof(stack)};
}

Test(perf_waits, last_from_one_switch_to_the_next_whatever_is_lost)
{
    struct orma_perf_waits waits = {0};
    struct orma_perf_record r = at(71, 100), waker = at(72, 150);
    struct orma_perf_wait *w;

    orma_perf_waits_keep(&waits, &r); /* with its stack, then as a switch */
    r.time = 101;
    r.preempted = true;
    orma_perf_waits_out(&waits, &r);
    waker.woken = 71;
    orma_perf_waits_woken(&waits, &waker);
    waker.time = 160;
    orma_perf_waits_woken(&waits, &waker); /* it is awake already */
    w = orma_perf_waits_take(&waits, 71);
    cr_assert_not_null(w);
    cr_expect(w->has_stack && w->preempted);
    cr_expect_eq(w->record.time, 100);
    cr_expect_eq(((const uint64_t *)(const void *)w->record.stack)[1], 2);
    cr_expect_eq(w->waker->record.time, 150);
    orma_perf_wait_free(w);
    cr_expect_null(orma_perf_waits_take(&waits, 71));

    r.stack_len = 0; /* the sample was lost, the switch was not */
    orma_perf_waits_out(&waits, &r);
    w = orma_perf_waits_take(&waits, 71);
    cr_expect(w && !w->has_stack);
    orma_perf_wait_free(w);

    orma_perf_waits_out(&waits, &r);
    orma_perf_waits_clear(&waits); /* switches were lost: nobody knows whether it came back */
    cr_expect_null(orma_perf_waits_take(&waits, 71));

    orma_perf_waits_end(&waits, 71);
    orma_perf_waits_out(&waits, &r);
    cr_expect_null(orma_perf_waits_take(&waits, 71), "the last switch of a thread is no wait");
    orma_perf_waits_begin(&waits, 71); /* another of that number */
    orma_perf_waits_out(&waits, &r);
    orma_perf_wait_free(orma_perf_waits_take_any(&waits));
    cr_expect_null(orma_perf_waits_take_any(&waits));
    orma_perf_waits_fini(&waits);
    orma_assert_no_leaks();
}

static uint64_t fixed_time(const void *ctx)
{
    return *(const uint64_t *)ctx;
}

Test(perf_waits, are_looked_at_from_outside)
{
    struct orma_perf_waits waits = {0};
    struct orma_perf_record r = at((uint32_t)getpid(), 100), gone = at(999999999, 100);
    const uint64_t now = 500;
    int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pid_t child = fork();

    if (child == 0) {
        for (;;)
            pause();
    }
    r.pid = r.tid = (uint32_t)child;
    gone.pid = gone.tid;
    orma_perf_waits_out(&waits, &r);
    orma_perf_waits_out(&waits, &gone);
    for (unsigned i = 0; i < 2000; i++) { /* until it sleeps */
        struct orma_perf_wait *w = orma_map_get_ptr(&waits.by_tid, (uint32_t)child);

        if (w->has_stack)
            break;
        w->looked = false;
        orma_perf_waits_look(&waits, proc_fd, 100, 4, fixed_time, &now);
        cr_assert_not(w->looked, "it left at that time, not before");
        orma_perf_waits_look(&waits, proc_fd, 101, 4, fixed_time, &now);
        usleep(1000);
    }
    struct orma_perf_wait *w = orma_perf_waits_take(&waits, (uint32_t)child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (!w->has_stack && waits.refused)
        cr_skip_test("processes may not be looked at here");
    cr_assert(w->has_stack, "it sleeps in pause()");
    cr_expect_eq(w->look_end, 500);
    cr_expect(w->record.regs_partial);
    cr_expect_gt(w->record.stack_len, 64);
    cr_expect_neq(w->record.regs[ORMA_PERF_REGS_PC], 0);
    orma_perf_wait_free(w);
    w = orma_perf_waits_take(&waits, 999999999);
    cr_expect(w && w->looked && !w->has_stack);
    orma_perf_wait_free(w);
    orma_perf_waits_fini(&waits);
    close(proc_fd);
    orma_assert_no_leaks();
}

Test(perf_scope, patterns)
{
    static const struct {
        const char *pattern, *name;
        bool match;
    } cases[] = {{"tool", "tool", true},
                 {"tool", "tools", false},
                 {"t*l", "tool", true},
                 {"*", "", true},
                 {"", "", true},
                 {"", "x", false},
                 {"*/bin/*", "/usr/bin/x", true},
                 {"a*b*c", "a-b-b", false},
                 {"a**", "a", true},
                 {"x", "/usr/bin/x", true},
                 {"x", "/usr/x/bin", false},
                 {"postgres", "postgres: walwriter", true},
                 {"post*", "postgres: walwriter ", true},
                 {"nginx", "nginx: worker process", true},
                 {"nginx", "my nginx: worker", false},
                 {"postgres", "postgres:walwriter", false}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_expect_eq(orma_perf_name_matches(cases[i].pattern, cases[i].name), cases[i].match, "%s",
                     cases[i].pattern);
}

Test(perf_scope, names_and_pids)
{
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    Perfetto__Protos__PerfEventConfig__Scope scope =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__SCOPE__INIT;
    char *names[] = {(char *)"tool"}, *not_names[] = {(char *)"/opt/*"};
    int32_t pids[] = {9};
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    struct pf pf;

    pf_init(&pf);
    pf_bytes(&pf, "proc/7/cmdline", "/usr/bin/tool\0--fast", 20);
    pf_bytes(&pf, "proc/8/cmdline", "/opt/bin/tool\0", 14);
    pf_file(&pf, "proc/9/comm", "kworker\n");
    pf_file(&pf, "proc/10/comm", "other\n");
    config.callstack_sampling = &cs;
    cs.scope = &scope;
    scope.target_cmdline = names;
    scope.exclude_cmdline = not_names;
    scope.target_pid = pids;
    scope.n_target_cmdline = scope.n_exclude_cmdline = scope.n_target_pid = 1;
    cr_assert_eq(orma_perf_processes_init(&processes, pf_path(&pf, "proc"), &config), 0);
    cr_expect(orma_perf_process_get(&processes, 7, 1)->wanted);
    cr_expect_not(orma_perf_process_get(&processes, 8, 1)->wanted);
    cr_expect(orma_perf_process_get(&processes, 9, 1)->wanted);
    cr_expect_not(orma_perf_process_get(&processes, 10, 1)->wanted);
    cr_expect_not(orma_perf_process_get(&processes, 4242, 1)->wanted, "gone");
    orma_perf_processes_fini(&processes);
    pf_fini(&pf);
}

Test(perf_scope, a_process_may_become_wanted)
{
    char *names[] = {(char *)"tool"};
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "proc/7/comm", "sh\n");
    config.target_cmdline = names; /* the form of old configs */
    config.n_target_cmdline = 1;
    cr_assert_eq(orma_perf_processes_init(&processes, pf_path(&pf, "proc"), &config), 0);
    cr_assert_not(orma_perf_process_get(&processes, 7, 1)->wanted);
    pf_bytes(&pf, "proc/7/cmdline", "tool\0", 5);
    cr_assert(orma_perf_process_get(&processes, 7, UINT64_C(1000000000))->wanted);
    orma_perf_processes_fini(&processes);
    pf_fini(&pf);
}

Test(perf_mappings, nonsense_lines_are_skipped)
{
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "proc/7/maps",
            "nonsense\n-\n1000-\n1000-0 r-xp 0 0:0 0\n"
            "00002000-00003000 r--p 00000000 00:00 0 \n"
            "00003000-00004000 r-xp 00000000 00:00 0 [vdso]\n"
            "00005000-00006000 r-xp 00001000 08:01 99 /nowhere/lib.so (deleted)\n"
            "fffffffffffffffff-1 r-xp 0 0:0 0\n");
    cr_assert_eq(orma_perf_processes_init(&processes, pf_path(&pf, "proc"), &config), 0);
    struct orma_perf_process *p = orma_perf_process_get(&processes, 7, 1);
    struct orma_perf_mapping *m = orma_perf_process_find(&processes, p, 0x3fff, 1);
    cr_assert_not_null(m);
    cr_assert_str_eq(m->file->path, "[vdso]");
    m = orma_perf_process_find(&processes, p, 0x5000, 1);
    cr_assert_str_eq(m->file->path, "/nowhere/lib.so (deleted)");
    orma_perf_files_load(&processes.files, m->file, 7);
    cr_assert_eq(m->file->elf.symbols_num, 0, "it is not there");
    cr_assert_eq(p->mappings_num, 2);
    cr_assert_null(orma_perf_process_find(&processes, p, 0x2000, 1), "data");
    orma_perf_processes_fini(&processes);
    pf_fini(&pf);
}

Test(perf_mappings, own_functions_are_found)
{
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    uint64_t pc = (uint64_t)(uintptr_t)&orma_perf_name_matches;

    cr_assert_eq(orma_perf_processes_init(&processes, "/proc", &config), 0);
    struct orma_perf_process *p = orma_perf_process_get(&processes, (uint32_t)getpid(), 1);
    struct orma_perf_mapping *m = orma_perf_process_find(&processes, p, pc, 1);
    cr_assert_not_null(m);
    orma_perf_files_load(&processes.files, m->file, (uint32_t)getpid());
    uint32_t at =
        orma_perf_symtab_find(&m->file->elf, pc - m->start + m->offset + m->file->elf.load_bias);
    cr_assert(at);
    struct orma_str name = orma_perf_symtab_name(&m->file->elf, at);
    cr_assert(orma_str_eq_c(name, "orma_perf_name_matches"), "%.*s", ORMA_STR_ARG(name));
    orma_perf_processes_fini(&processes);
}

/* Where generated code was, a library may lie by now: the kernel's names for code without a file
 * begin with two slashes. */
Test(perf_mappings, generated_code_has_no_file)
{
    static const char *const names[] = {"//anon", "/dev/zero", "/nowhere"};
    perf_config_t config = CONFIG_INIT;
    struct orma_perf_processes processes;
    uint64_t pc = (uint64_t)(uintptr_t)&orma_perf_name_matches;

    cr_assert_eq(orma_perf_processes_init(&processes, "/proc", &config), 0);
    struct orma_perf_process *p = orma_perf_process_get(&processes, (uint32_t)getpid(), 1);
    struct orma_perf_mapping *m = orma_perf_process_find(&processes, p, pc, 1);
    cr_assert_not_null(m);
    const struct orma_perf_map_event event = {
        .start = m->start, .len = m->end - m->start, .offset = m->offset};
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        struct orma_perf_file *file = orma_perf_files_get(&processes.files, (uint32_t)getpid(),
                                                          &event, orma_str_from(names[i]));

        cr_assert_lt(file->fd, 0, "%s", names[i]);
        orma_perf_files_load(&processes.files, file, (uint32_t)getpid());
        cr_expect_eq(file->elf.symbols_num, 0, "%s", names[i]);
    }
    orma_perf_processes_fini(&processes);
}

/* ---- live ---- */

struct found {
    unsigned samples, stacks;
    bool function;
};

static void look_into(struct orma_str packet, struct found *found)
{
    struct orma_pb_reader r = orma_pb_reader(packet.data, packet.len);
    struct orma_pb_field f, g, h;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader in = orma_pb_sub(&f);

        while (f.id == ORMA_PB_TRACE_PACKET_PERF_SAMPLE && orma_pb_next(&in, &g)) {
            found->samples += g.id == ORMA_PB_PERF_SAMPLE_PID && g.num == (uint64_t)getpid();
            found->stacks += g.id == ORMA_PB_PERF_SAMPLE_CALLSTACK_IID;
        }
        while (f.id == ORMA_PB_TRACE_PACKET_INTERNED_DATA && orma_pb_next(&in, &g)) {
            struct orma_pb_reader str = orma_pb_sub(&g);

            while (g.id == ORMA_PB_INTERNED_DATA_FUNCTION_NAMES && orma_pb_next(&str, &h))
                found->function |= h.id == ORMA_PB_INTERNED_STRING_STR &&
                                   orma_str_eq_c(orma_pb_str(&h), "orma_fnv1a_for_ever");
        }
    }
}

static volatile uint64_t sink;

__attribute__((noinline)) void orma_fnv1a_for_ever(uint64_t until_ns);
void orma_fnv1a_for_ever(uint64_t until_ns)
{
    while (orma_clock_monotonic() < until_ns) {
        for (unsigned i = 0; i < 100000; i++)
            sink = sink * 31 + i;
    }
}

static bool was_flushed(struct pf *pf)
{
    return pf->flushed_id == 42;
}

Test(perf_live, samples_this_process_by_name_of_function)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    Perfetto__Protos__PerfEventConfig__Scope scope =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__SCOPE__INIT;
    int32_t pids[] = {getpid()};
    perf_timebase_t tb = TIMEBASE_INIT;
    perf_config_t perf = CONFIG_INIT;
    struct found found = {0};
    struct pf pf;
    char why[256];

    pf_init(&pf);
    free((char *)pf.env.proc_root);
    pf.env.proc_root = strdup("/proc"); /* the real one */
    if (!orma_perf_source.usable(&pf.env, why, sizeof(why))) {
        pf_fini(&pf);
        cr_skip_test("%s", why);
    }
    tb.interval_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
    tb.frequency = 1000;
    scope.target_pid = pids;
    scope.n_target_pid = 1;
    cs.scope = &scope;
    perf.timebase = &tb;
    perf.callstack_sampling = &cs;
    config.perf_event_config = &perf;
    struct orma_source *source = pf_source(&pf, &orma_perf_source, &config);
    cr_assert_not_null(source);
    source->type->start(source);
    orma_fnv1a_for_ever(orma_clock_monotonic() + 300000000u);
    source->type->flush(source, 42);
    cr_assert(pf_run(&pf, was_flushed, 30000));
    for (size_t i = 0; i < pf.packets_num; i++)
        look_into(pf.packets[i], &found);
    cr_assert_gt(found.samples, 3);
    cr_assert_eq(found.samples, found.stacks, "each has a stack");
    cr_assert(found.function, "the function that burnt the time has a name");
    source->type->stop(source);
    pf_free_source(&pf, source);
    pf_fini(&pf);
}

Test(perf_cpus, are_read_as_the_kernel_writes_them)
{
    struct orma_perf_cpus cpus;

    cr_assert_eq(orma_perf_cpus_parse(&cpus, orma_str_from("0,2-3,64\n")), 0);
    cr_assert(orma_perf_cpus_has(&cpus, 0) && orma_perf_cpus_has(&cpus, 2));
    cr_assert(orma_perf_cpus_has(&cpus, 3) && orma_perf_cpus_has(&cpus, 64));
    cr_assert_not(orma_perf_cpus_has(&cpus, 1) || orma_perf_cpus_has(&cpus, 4));
    cr_assert_not(orma_perf_cpus_has(&cpus, UINT32_MAX));
    static const char *const wrong[] = {"", "x", "1,", "3-2", "0-", "0-8192", "1 2", "-1"};
    for (size_t i = 0; i < ORMA_ARRAY_LEN(wrong); i++)
        cr_assert_eq(orma_perf_cpus_parse(&cpus, orma_str_from(wrong[i])), -EBADMSG, "%s",
                     wrong[i]);
}

static void write_online(const char *sys_root, const char *text)
{
    char path[400];

    snprintf(path, sizeof(path), "mkdir -p %s/devices/system/cpu", sys_root);
    cr_assert_eq(system(path), 0);
    snprintf(path, sizeof(path), "%s/devices/system/cpu/online", sys_root);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static bool wakes_up_never(struct pf *pf)
{
    (void)pf;
    return false;
}

static size_t events_open(void)
{
    size_t num = 0;
    char path[64], to[64];

    for (int fd = 0; fd < 512; fd++) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, to, sizeof(to) - 1);
        to[n > 0 ? n : 0] = 0;
        num += strstr(to, "perf_event") != NULL;
    }
    return num;
}

/* The kernel ends what watches a cpu that goes offline: it needs a new event when it is back. */
Test(perf_source, watches_cpus_that_come_back)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    perf_timebase_t tb = TIMEBASE_INIT;
    perf_config_t perf = CONFIG_INIT;
    struct pf pf;
    char why[256];

    pf_init(&pf);
    free((char *)pf.env.proc_root);
    pf.env.proc_root = strdup("/proc"); /* the real one */
    if (!orma_perf_source.usable(&pf.env, why, sizeof(why)) || geteuid() != 0) {
        pf_fini(&pf);
        cr_skip_test("watching all cpus needs root");
    }
    tb.interval_case = PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
    tb.frequency = 100;
    perf.timebase = &tb;
    config.perf_event_config = &perf;
    write_online(pf.env.sys_root, "0-8\n");
    struct orma_source *source = pf_source(&pf, &orma_perf_source, &config);
    cr_assert_not_null(source);
    source->type->start(source);
    size_t before = events_open();
    write_online(pf.env.sys_root, "1-8\n");
    (void)pf_run(&pf, wakes_up_never, 400);
    cr_assert_eq(events_open(), before, "a cpu that went needs nothing");
    write_online(pf.env.sys_root, "0-8\n");
    (void)pf_run(&pf, wakes_up_never, 400);
    cr_assert_eq(events_open(), before + 1, "cpu 0 is back");
    source->type->stop(source);
    pf_free_source(&pf, source);
    pf_fini(&pf);
}
