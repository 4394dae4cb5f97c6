#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/ftrace/saved.h"
#include "sdk/base/log.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/tracefs_tree.h"

static void change_everything(struct pf *pf)
{
    pf_file(pf, "tracing/tracing_on", "1");
    pf_file(pf, "tracing/trace_clock", "boot");
    pf_file(pf, "tracing/buffer_size_kb", "8192");
    pf_file(pf, "tracing/tracing_cpumask", "1");
    pf_file(pf, "tracing/options/overwrite", "0");
    pf_file(pf, "tracing/events/enable", "1");
    pf_file(pf, "tracing/set_event", "");
}

static void assert_as_before(struct pf *pf)
{
    cr_expect_str_eq(pf_read(pf, "tracing/tracing_on"), "1");
    cr_expect(!strncmp(pf_read(pf, "tracing/trace_clock"), "local", 5));
    cr_expect_str_eq(pf_read(pf, "tracing/buffer_size_kb"), "1408");
    cr_expect_str_eq(pf_read(pf, "tracing/tracing_cpumask"), "3");
    cr_expect_str_eq(pf_read(pf, "tracing/options/overwrite"), "1");
    cr_expect_str_eq(pf_read(pf, "tracing/options/markers"), "1");
    cr_expect_str_eq(pf_read(pf, "tracing/events/enable"), "0");
    cr_expect_str_eq(pf_read(pf, "tracing/set_event"), "sched:sched_switch");
    cr_expect_str_eq(pf_read(pf, "tracing/trace"), "");
}

Test(saved, puts_back_what_it_found)
{
    struct orma_tracefs fs;
    struct orma_saved saved;
    struct pf pf;

    pf_init(&pf);
    tree_make(&pf, "tracing");
    pf_file(&pf, "tracing/set_event", "sched:sched_switch\n");
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_saved_take(&saved, pf.env.state_dir, &fs), 0);
    change_everything(&pf);
    orma_saved_restore(&saved, &fs);
    assert_as_before(&pf);
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, lets_only_one_process_have_an_instance)
{
    struct orma_saved first, second;
    struct orma_tracefs fs;
    struct pf pf;

    pf_init(&pf);
    tree_make(&pf, "tracing");
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_saved_take(&first, pf.env.state_dir, &fs), 0);
    cr_assert_eq(orma_saved_take(&second, pf.env.state_dir, &fs), -EBUSY);
    cr_assert_eq(orma_saved_recover(pf.env.state_dir), 0, "its owner lives");
    orma_saved_restore(&first, &fs);
    cr_assert_eq(orma_saved_take(&second, pf.env.state_dir, &fs), 0);
    orma_saved_restore(&second, &fs);
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, puts_back_what_a_killed_process_left)
{
    struct pf pf;
    int status;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    tree_make(&pf, "tracing");
    pf_file(&pf, "tracing/set_event", "sched:sched_switch\n");
    pid_t pid = fork();
    if (pid == 0) {
        struct orma_saved saved;
        struct orma_tracefs fs;

        if (orma_tracefs_open(&fs, pf.env.tracefs_root, NULL) ||
            orma_saved_take(&saved, pf.env.state_dir, &fs))
            _exit(1);
        change_everything(&pf);
        kill(getpid(), SIGKILL);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
    cr_assert_eq(orma_saved_recover(pf.env.state_dir), 1);
    assert_as_before(&pf);
    cr_assert_eq(orma_saved_recover(pf.env.state_dir), 0);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, survives_files_that_are_not_its_own)
{
    struct pf pf;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    tree_make(&pf, "tracing");
    pf_file(&pf, "state/ftrace-0000000000000000.state", "garbage\n\xff path\npath /nonexistent\n");
    pf_file(&pf, "state/ftrace-1111111111111111.state", "");
    pf_file(&pf, "state/other", "path /etc\n");
    cr_assert_eq(orma_saved_recover(pf.env.state_dir), 0);
    cr_assert_str_eq(pf_read(&pf, "state/other"), "path /etc");
    cr_assert_eq(orma_saved_recover("/nonexistent/dir"), 0);
    cr_assert_eq(orma_saved_recover(NULL), 0);
    pf_fini(&pf);
    orma_assert_no_leaks();
}
