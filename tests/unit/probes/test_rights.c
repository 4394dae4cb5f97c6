/* With how few rights the sources work. Each test changes itself: criterion runs it in a child. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/ftrace/source.h"
#include "probes/privileges.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/ftrace_fx.h"

#define GROUP 54321
#define USER 54321

/* All of the tree: the group's, and only the group's. */
static void give_to_group(struct fx *f, const char *what, const char *mode)
{
    char command[600];

    snprintf(command, sizeof(command), "chmod a+x %s; chgrp -R %u %s && chmod -R %s %s", f->pf.dir,
             GROUP, what, mode, what);
    cr_assert_eq(system(command), 0);
}

static bool become(bool in_group)
{
    gid_t group = GROUP;

    return setgroups(in_group ? 1 : 0, &group) == 0 && setgid(USER + 1) == 0 && setuid(USER) == 0;
}

Test(rights, the_group_of_tracefs_is_enough)
{
    char *events[] = {(char[]){"foo/thing"}};
    char why[400] = "", tracing[300];
    struct fx f;

    if (geteuid() != 0)
        cr_skip_test("not root");
    fx_init(&f);
    snprintf(tracing, sizeof(tracing), "%s", pf_path(&f.pf, "tracing"));
    give_to_group(&f, tracing, "u=rwX,g=rwX,o=");
    pid_t pid = fork();
    if (pid == 0) {
        struct orma_source *s;

        if (!become(true) || !orma_ftrace_source.usable(&f.pf.env, why, sizeof(why)))
            _exit(1);
        f.pf.env.state_dir = NULL; /* it has none */
        s = fx_session(&f, events, 1);
        s->type->start(s);
        s->type->flush(s, 1);
        bool ok = pf_read(&f.pf, "tracing/events/foo/thing/enable")[0] == '1';
        pf_free_source(&f.pf, s);
        _exit(ok ? 0 : 2);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(rights, without_it_the_command_is_named)
{
    char why[400] = "", tracing[300];
    struct fx f;

    if (geteuid() != 0)
        cr_skip_test("not root");
    fx_init(&f);
    snprintf(tracing, sizeof(tracing), "%s", pf_path(&f.pf, "tracing"));
    give_to_group(&f, tracing, "u=rwX,g=rwX,o=");
    pid_t pid = fork();
    if (pid == 0) {
        if (!become(false) || orma_ftrace_source.usable(&f.pf.env, why, sizeof(why)))
            _exit(1);
        _exit(strstr(why, "sudo ") ? 0 : 2);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(rights, roots_power_is_given_up)
{
    if (geteuid() != 0)
        cr_skip_test("not root");
    int before = open("/proc/1/smaps_rollup", O_RDONLY);
    pid_t pid = fork();
    if (pid == 0) {
        if (orma_probes_drop_privileges() != 1)
            _exit(1);
        if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0 || setuid(USER) == 0 ||
            chown("/tmp", USER, USER) == 0)
            _exit(2);
        if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
            _exit(3);
        /* What the sources need is still there. */
        int fd = open("/proc/1/smaps_rollup", O_RDONLY);
        if (before >= 0 && fd < 0)
            _exit(4);
        fd = open("/sys/kernel/tracing/tracing_on", O_WRONLY);
        _exit(fd < 0 && errno != ENOENT ? 5 : 0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}
