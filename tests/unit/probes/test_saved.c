#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/ftrace/saved.h"
#include "sdk/base/log.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/tracefs_tree.h"

#define FUNCTIONS 300

static char filter[3001];

/* What a user may have set, lists of many lines among it. */
static void make_tree(struct pf *pf)
{
    struct orma_buf list = {0};

    tree_make(pf, "tracing");
    pf_file(pf, "tracing/set_event", "sched:sched_switch\nirq:irq_handler_entry\n");
    pf_file(pf, "tracing/set_event_pid", "12\n34\n56\n");
    pf_file(pf, "tracing/set_graph_function", "#### all functions enabled ####\n");
    for (unsigned i = 0; i < FUNCTIONS; i++)
        orma_buf_printf(&list, "function_%u%s\n", i, i % 7 ? "" : " [module]");
    orma_buf_printf(&list, "schedule:traceoff:unlimited\n");
    pf_file(pf, "tracing/set_ftrace_filter", orma_buf_cstr(&list));
    orma_buf_fini(&list);
    memset(filter, 'x', sizeof(filter) - 1);
    memcpy(filter, "val == 1 || ", 12);
    filter[500] = '\\'; /* as the file escapes itself */
    pf_file(pf, "tracing/events/foo/thing/filter", filter);
    pf_file(pf, "tracing/events/foo/other/filter", "none\n");
    pf_file(pf, "tracing/max_graph_depth", "7\n");
    pf_file(pf, "tracing/buffer_subbuf_size_kb", "4\n");
}

static void change(struct orma_ftrace_saved *self, const struct orma_tracefs *fs, const char *file,
                   const char *text)
{
    for (unsigned i = 0; i < 2; i++) /* what it was is remembered the first time */
        if (orma_ftrace_saved_replace(self, fs, file, text) < 0)
            abort();
}

static void change_everything(struct orma_ftrace_saved *self, const struct orma_tracefs *fs)
{
    static const char *const changes[][2] = {
        {"tracing_on", "0"},
        {"trace_clock", "[boot]"},
        {"buffer_size_kb", "8192"},
        {"tracing_cpumask", "1"},
        {"options/overwrite", "0"},
        {"set_event", ""},
        {"set_event_pid", "9"},
        {"set_graph_function", "schedule"},
        {"set_ftrace_filter", "f"},
        {"events/foo/thing/filter", "val == 2"},
        {"max_graph_depth", "1"},
        {"events/foo/other/filter", "val == 3"},
        {"current_tracer", "function_graph"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(changes); i++)
        change(self, fs, changes[i][0], changes[i][1]);
    if (orma_ftrace_saved_append(self, fs, "set_ftrace_filter", "\ng") < 0)
        abort();
}

static void assert_as_before(struct pf *pf)
{
    const char *list;
    char name[64];

    cr_expect_str_eq(pf_read(pf, "tracing/tracing_on"), "1");
    cr_expect(!strncmp(pf_read(pf, "tracing/trace_clock"), "local", 5));
    cr_expect(!strncmp(pf_read(pf, "tracing/buffer_size_kb"), "1408", 4));
    cr_expect_str_eq(pf_read(pf, "tracing/tracing_cpumask"), "3");
    cr_expect_str_eq(pf_read(pf, "tracing/options/overwrite"), "1");
    cr_expect_str_eq(pf_read(pf, "tracing/options/markers"), "1");
    cr_expect_str_eq(pf_read(pf, "tracing/events/enable"), "0");
    cr_expect_str_eq(pf_read(pf, "tracing/set_event"), "sched:sched_switch\nirq:irq_handler_entry");
    cr_expect_str_eq(pf_read(pf, "tracing/set_event_pid"), "12\n34\n56");
    cr_expect_str_eq(pf_read(pf, "tracing/set_graph_function"), "");
    cr_expect_str_eq(pf_read(pf, "tracing/events/foo/thing/filter"), filter);
    cr_expect_str_eq(pf_read(pf, "tracing/events/foo/other/filter"), "0");
    cr_expect_str_eq(pf_read(pf, "tracing/max_graph_depth"), "7");
    cr_expect(!strncmp(pf_read(pf, "tracing/current_tracer"), "nop", 3));
    cr_expect_str_eq(pf_read(pf, "tracing/trace"), "");
    list = pf_read(pf, "tracing/set_ftrace_filter");
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof(name), "function_%u%s", i, i + 1 < FUNCTIONS ? "\n" : "");
        cr_assert(!strncmp(list, name, strlen(name)), "%s: %.40s", name, list);
        list += strlen(name);
    }
    cr_expect_str_eq(list, "");
}

Test(saved, puts_back_what_it_found)
{
    struct orma_tracefs fs;
    struct orma_ftrace_saved saved;
    struct pf pf;

    pf_init(&pf);
    make_tree(&pf);
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&saved, pf.env.state_dir, fs.path, NULL), 0);
    change_everything(&saved, &fs);
    orma_ftrace_saved_restore(&saved, &fs);
    assert_as_before(&pf);
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, leaves_alone_what_it_did_not_change)
{
    struct orma_tracefs fs;
    struct orma_ftrace_saved saved;
    struct pf pf;

    pf_init(&pf);
    make_tree(&pf);
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&saved, pf.env.state_dir, fs.path, NULL), 0);
    change(&saved, &fs, "options/overwrite", "0");
    pf_file(&pf, "tracing/set_ftrace_filter", "another_users\nchoice\n");
    pf_file(&pf, "tracing/buffer_size_kb", "77\n");
    orma_ftrace_saved_restore(&saved, &fs);
    cr_expect_str_eq(pf_read(&pf, "tracing/options/overwrite"), "1");
    cr_expect_str_eq(pf_read(&pf, "tracing/set_ftrace_filter"), "another_users\nchoice");
    cr_expect_str_eq(pf_read(&pf, "tracing/buffer_size_kb"), "77");
    cr_expect_str_eq(pf_read(&pf, "tracing/trace"), "old content", "nothing was recorded");
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, puts_back_rings_of_different_sizes)
{
    struct orma_tracefs fs;
    struct orma_ftrace_saved saved;
    struct pf pf;

    pf_init(&pf);
    make_tree(&pf);
    pf_file(&pf, "tracing/buffer_size_kb", "X\n");
    pf_file(&pf, "tracing/per_cpu/cpu0/buffer_size_kb", "100\n");
    pf_file(&pf, "tracing/per_cpu/cpu1/buffer_size_kb", "7 (expanded: 1408)\n");
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&saved, pf.env.state_dir, fs.path, NULL), 0);
    change(&saved, &fs, "buffer_size_kb", "8192");
    pf_file(&pf, "tracing/per_cpu/cpu0/buffer_size_kb", "    ");
    pf_file(&pf, "tracing/per_cpu/cpu1/buffer_size_kb", "    ");
    orma_ftrace_saved_restore(&saved, &fs);
    cr_expect_str_eq(pf_read(&pf, "tracing/per_cpu/cpu0/buffer_size_kb"), "100");
    cr_expect_str_eq(pf_read(&pf, "tracing/per_cpu/cpu1/buffer_size_kb"), "1408");
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, forgets_what_the_kernel_refuses)
{
    struct orma_tracefs fs;
    struct orma_ftrace_saved saved;
    struct pf pf;

    pf_init(&pf);
    make_tree(&pf);
    pf_link(&pf, "tracing/options/fixed", "/proc/version"); /* can be read, and not written */
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&saved, pf.env.state_dir, fs.path, NULL), 0);
    cr_assert_lt(orma_ftrace_saved_write(&saved, &fs, "options/fixed", "1"), 0);
    cr_assert_null(strstr(orma_buf_cstr(&saved.text), "fixed"));
    cr_assert_eq(orma_ftrace_saved_write(&saved, &fs, "options/markers", "0"), 0);
    cr_assert_not_null(strstr(orma_buf_cstr(&saved.text), "file options/markers 1\n"));
    orma_ftrace_saved_restore(&saved, &fs);
    cr_expect_str_eq(pf_read(&pf, "tracing/options/markers"), "1");
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(saved, lets_only_one_process_have_an_instance)
{
    struct orma_ftrace_saved first, second;
    struct orma_tracefs fs;
    pid_t owner = 0;
    struct pf pf;

    pf_init(&pf);
    tree_make(&pf, "tracing");
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&first, pf.env.state_dir, fs.path, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&second, pf.env.state_dir, fs.path, &owner), -EBUSY);
    cr_assert_eq(owner, getpid());
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 0, "its owner lives");
    orma_ftrace_saved_restore(&first, &fs);
    cr_assert_eq(orma_ftrace_saved_take(&second, pf.env.state_dir, fs.path, NULL), 0);
    orma_ftrace_saved_restore(&second, &fs);
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

/* Runs in a child, which is killed. */
static void kill_after(struct pf *pf, void (*fn)(struct orma_ftrace_saved *self, struct pf *pf))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct orma_ftrace_saved saved;

        fn(&saved, pf);
        kill(getpid(), SIGKILL);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
}

static void take_and_change(struct orma_ftrace_saved *self, struct pf *pf)
{
    struct orma_tracefs fs;

    if (orma_tracefs_open(&fs, pf->env.tracefs_root, NULL) ||
        orma_ftrace_saved_take(self, pf->env.state_dir, fs.path, NULL))
        _exit(1);
    change_everything(self, &fs);
}

Test(saved, puts_back_what_a_killed_process_left)
{
    struct pf pf;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    make_tree(&pf);
    kill_after(&pf, take_and_change);
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 1);
    assert_as_before(&pf);
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 0);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

/* Recorder B looks for remains, A is killed, B takes. */
Test(saved, puts_back_what_was_left_since_the_last_look)
{
    struct orma_ftrace_saved saved;
    struct orma_tracefs fs;
    struct pf pf;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    make_tree(&pf);
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 0);
    kill_after(&pf, take_and_change);
    cr_assert_eq(orma_tracefs_open(&fs, pf.env.tracefs_root, NULL), 0);
    cr_assert_eq(orma_ftrace_saved_take(&saved, pf.env.state_dir, fs.path, NULL), 0);
    assert_as_before(&pf);
    orma_ftrace_saved_restore(&saved, &fs);
    assert_as_before(&pf);
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 0);
    orma_tracefs_close(&fs);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

static void take_and_make(struct orma_ftrace_saved *self, struct pf *pf)
{
    const char *path = pf_path(pf, "tracing/instances/orma-1");

    if (orma_ftrace_saved_take(self, pf->env.state_dir, path, NULL) ||
        orma_ftrace_saved_made(self) || mkdir(path, 0700))
        _exit(1);
}

Test(saved, removes_the_instances_it_made)
{
    struct orma_ftrace_saved saved;
    struct pf pf;

    pf_init(&pf);
    orma_log_init("test", ORMA_LOG_ERROR);
    make_tree(&pf);
    pf_dir(&pf, "tracing/instances");
    take_and_make(&saved, &pf);
    orma_ftrace_saved_restore(&saved, NULL);
    cr_assert_lt(access(pf_path(&pf, "tracing/instances/orma-1"), F_OK), 0);
    kill_after(&pf, take_and_make);
    cr_assert_eq(access(pf_path(&pf, "tracing/instances/orma-1"), F_OK), 0);
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 1);
    cr_assert_lt(access(pf_path(&pf, "tracing/instances/orma-1"), F_OK), 0);
    cr_expect_str_eq(pf_read(&pf, "tracing/tracing_on"), "1", "the top level was not ours");
    pf_fini(&pf);
    orma_assert_no_leaks();
}

static void default_dir_is(const char *want)
{
    char *dir = orma_ftrace_saved_default_dir();

    cr_assert_str_eq(dir, want);
    free(dir);
}

Test(saved, has_a_place_for_every_user)
{
    bool is_root = geteuid() == 0;

    if (is_root) {
        default_dir_is("/run/orma");
        cr_assert_eq(seteuid(54321), 0); /* criterion runs this in a child */
    }
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    default_dir_is("/run/user/1/orma");
    unsetenv("XDG_RUNTIME_DIR");
    char want[64];
    (void)snprintf(want, sizeof(want), "/tmp/orma-%u", (unsigned)geteuid());
    default_dir_is(want);
    cr_assert_eq(is_root ? seteuid(0) : 0, 0); /* the leak checker needs it */
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
    cr_assert_eq(orma_ftrace_saved_recover(pf.env.state_dir), 0);
    cr_assert_str_eq(pf_read(&pf, "state/other"), "path /etc");
    cr_assert_eq(orma_ftrace_saved_recover("/nonexistent/dir"), 0);
    cr_assert_eq(orma_ftrace_saved_recover(NULL), 0);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

struct racer {
    char dir[900];
    _Atomic bool quit;
};

/* Replaces, cuts and removes the file while others read it. */
static void *race(void *data)
{
    static const char line[] = "file buffer_size_kb 1408\nfile tracing_on 1\nfile buffer_size_kb 9";
    struct racer *self = data;
    char path[1000], other[1000];

    (void)snprintf(path, sizeof(path), "%s/ftrace-2.state", self->dir);
    (void)snprintf(other, sizeof(other), "%s/other", self->dir);
    for (unsigned i = 0; !self->quit; i++) {
        int fd = open(i % 3 ? path : other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        if (fd >= 0) {
            (void)!dprintf(fd, "path %s/../tracing\n%s", self->dir, line);
            (void)!ftruncate(fd, i % 200);
            close(fd);
        }
        if (i % 3 == 0)
            (void)rename(other, path);
        if (i % 7 == 0)
            (void)unlink(path);
    }
    return NULL;
}

Test(saved, survives_files_that_change_while_they_are_read, .timeout = 60)
{
    struct racer racer = {0};
    pthread_t thread;
    struct pf pf;

    pf_init(&pf);
    make_tree(&pf);
    cr_assert_eq(mkdir(pf.env.state_dir, 0700), 0);
    (void)snprintf(racer.dir, sizeof(racer.dir), "%s", pf.env.state_dir);
    char fifo[1000];
    (void)snprintf(fifo, sizeof(fifo), "%s/ftrace-1.state", racer.dir);
    cr_assert_eq(mkfifo(fifo, 0600), 0, "from which nothing comes");
    cr_assert_eq(pthread_create(&thread, NULL, race, &racer), 0);
    for (unsigned i = 0; i < 300; i++)
        (void)orma_ftrace_saved_recover(pf.env.state_dir); /* how many is not known */
    racer.quit = true;
    pthread_join(thread, NULL);
    cr_expect_neq(pf_read(&pf, "tracing/buffer_size_kb")[0], '9', "of a line that was cut");
    pf_fini(&pf);
    orma_assert_no_leaks();
}
