#include <criterion/criterion.h>

#include "probes/core/proc_parse.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

Test(proc, reads_a_status_file)
{
    static const char text[] = "Name:\tkworker/0:1\nUmask:\t0000\nTgid:\t12\nPid:\t13\nPPid:\t2\n"
                               "Uid:\t1000\t0\t0\t0\nNSpid:\t13\t5\t1\nKthread:\t1\n"
                               "VmSize:\t    3840 kB\nVmRSS:\t 2112 kB\nVmSwap:\t0 kB\nJunk\n:\n";
    struct orma_proc_status s;

    cr_assert(orma_proc_parse_status(orma_str_from(text), &s));
    cr_assert(orma_str_eq_c(s.name, "kworker/0:1"));
    cr_assert_eq(s.tgid, 12);
    cr_assert_eq(s.pid, 13);
    cr_assert_eq(s.ppid, 2);
    cr_assert_eq(s.uid, 1000);
    cr_assert_eq(s.nspid_num, 3);
    cr_assert_eq(s.nspid[2], 1);
    cr_assert(s.has_kthread && s.is_kthread);
    cr_assert_eq(s.mem[ORMA_PROC_VM_SIZE], 3840);
    cr_assert_eq(s.mem_present,
                 1u << ORMA_PROC_VM_SIZE | 1u << ORMA_PROC_VM_RSS | 1u << ORMA_PROC_VM_SWAP);
    orma_assert_no_leaks();
}

Test(proc, refuses_a_status_without_numbers)
{
    static const char *const cases[] = {"", "Name:\tx\n", "Pid:\t-1\nTgid:\t1\n",
                                        "Pid:\t99999999999\nTgid:\t1\n", "Pid:\nTgid:\n"};
    struct orma_proc_status s;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_expect_not(orma_proc_parse_status(orma_str_from(cases[i]), &s), "%zu", i);
    orma_assert_no_leaks();
}

Test(proc, keeps_no_more_namespaces_than_the_limit)
{
    struct orma_buf text = {0};
    struct orma_proc_status s;

    orma_buf_put_str(&text, "Tgid:\t1\nPid:\t1\nNSpid:");
    for (int i = 0; i < 1000; i++)
        orma_buf_printf(&text, "\t%d", i + 1);
    cr_assert(orma_proc_parse_status(orma_buf_str(&text), &s));
    cr_assert_eq(s.nspid_num, ORMA_PROC_NS_MAX);
    orma_buf_fini(&text);
    orma_assert_no_leaks();
}

Test(proc, reads_times_behind_a_name_with_brackets)
{
    static const char text[] =
        "77 (a) b (c)) S 1 77 77 0 -1 4194560 100 0 0 0 250 31 0 0 20 0 1 0 987654 0 0";
    struct orma_proc_stat s;

    cr_assert(orma_proc_parse_stat(orma_str_from(text), &s));
    cr_assert_eq(s.utime, 250);
    cr_assert_eq(s.stime, 31);
    cr_assert_eq(s.start_time, 987654);
    cr_assert_not(orma_proc_parse_stat(ORMA_STR("77 (cut) S 1 2"), &s));
    cr_assert_not(orma_proc_parse_stat(ORMA_STR("no bracket"), &s));
    cr_assert_not(orma_proc_parse_stat(ORMA_STR(""), &s));
    orma_assert_no_leaks();
}

Test(proc, reads_a_smaps_rollup)
{
    static const char text[] =
        "55d0-7fff ---p 00000000 00:00 0  [rollup]\nRss:  812 kB\nPss:  120 kB\n"
        "Pss_Anon: 84 kB\nPss_File: 36 kB\nPss_Shmem: 0 kB\nSwapPss: 7 kB\nShared_Clean: 1 kB\n";
    struct orma_proc_smaps s;

    cr_assert(orma_proc_parse_smaps(orma_str_from(text), &s));
    cr_assert_eq(s.rss, 812);
    cr_assert_eq(s.pss, 120);
    cr_assert_eq(s.pss_anon, 84);
    cr_assert_eq(s.pss_file, 36);
    cr_assert_eq(s.swap_pss, 7);
    cr_assert_not(orma_proc_parse_smaps(ORMA_STR("nothing\n"), &s));
    orma_assert_no_leaks();
}

Test(proc, takes_the_control_group_that_says_most)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"0::/system.slice/docker-12ab.scope\n", "/system.slice/docker-12ab.scope"},
        {"9:name=systemd:/user.slice\n8:pids:/other\n0::/v2\n", "/v2"},
        {"9:pids:/p\n8:name=systemd:/user.slice\n0::/\n", "/user.slice"},
        {"9:pids:/p\n", "/p"},
        {"0::/\n", ""},
        {"garbage\n:\n::\n0:\n", ""},
        {"", ""},
        {"0::/with:colon", "/with:colon"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_expect(
            orma_str_eq_c(orma_proc_parse_cgroup(orma_str_from(cases[i].text)), cases[i].want),
            "%s", cases[i].text);
    orma_assert_no_leaks();
}
