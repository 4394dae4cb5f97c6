/*
 * The log of this machine: a line written to /dev/kmsg, and one sent to a
 * journal daemon of our own, in a private mount namespace. Each must come out
 * as one packet. Skips (77) what the machine does not have.
 */
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/journal/source.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/probes_fixture.h"

#define DAEMON "/lib/systemd/systemd-journald"
#define NAMESPACE "orma"
#define SOCKET "/run/systemd/journal." NAMESPACE "/socket"
#define SKIP 77
#define WAIT_MS 60000

static struct pf pf;
static char marker[64]; /* in the messages */
static unsigned kernel_lines, journal_lines;

static int skip(const char *why)
{
    printf("skipped: %s\n", why);
    return SKIP;
}

static bool private_mounts(void)
{
    static const char *const dirs[] = {"/run", "/var/log"};

    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return false;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(dirs); i++) {
        if (mount("none", dirs[i], "tmpfs", 0, "mode=755") < 0)
            return false;
    }
    return mkdir("/run/systemd", 0755) == 0 && mkdir("/run/systemd/journal." NAMESPACE, 0755) == 0;
}

static pid_t start_daemon(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execl(DAEMON, DAEMON, NAMESPACE, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static bool send_line(const char *text)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    ORMA_AUTO(orma_fd_close) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return fd >= 0 && sendto(fd, text, strlen(text), 0, (struct sockaddr *)&to, sizeof(to)) > 0;
}

/* Where the daemon keeps its files. */
static bool find_journal(char *ret, size_t size)
{
    static const char *const patterns[] = {"/run/log/journal/*", "/var/log/journal/*"};
    bool found = false;

    for (size_t i = 0; !found && i < ORMA_ARRAY_LEN(patterns); i++) {
        glob_t found_paths = {0};
        char path[512];

        if (glob(patterns[i], 0, NULL, &found_paths) == 0) {
            snprintf(ret, size, "%s", found_paths.gl_pathv[0]);
            snprintf(path, sizeof(path), "%s/system.journal", ret);
            found = access(path, R_OK) == 0;
        }
        globfree(&found_paths);
    }
    return found;
}

/* Also asks for it: the daemon makes its file with the first line. */
static bool wait_for_journal(char *ret, size_t size)
{
    for (int i = 0; i < WAIT_MS / 20; i++) {
        (void)send_line("MESSAGE=begin\n"); /* until its socket is there */
        if (find_journal(ret, size))
            return true;
        usleep(20000);
    }
    return false;
}

static void count_line(struct orma_pb_reader *event)
{
    bool is_ours = false, is_kernel = false, is_whole = false;
    struct orma_pb_field f;

    while (orma_pb_next(event, &f)) {
        struct orma_str text = {(const char *)f.data, f.len};

        if (f.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE)
            is_ours = orma_str_eq_c(text, marker);
        if (f.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_TRANSPORT)
            is_kernel = orma_str_eq_c(text, "kernel");
        if (f.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_PID)
            is_whole = f.num == (uint64_t)getpid();
    }
    kernel_lines += is_ours && is_kernel;
    journal_lines += is_ours && !is_kernel && is_whole;
}

static bool has_both(struct pf *self)
{
    kernel_lines = journal_lines = 0;
    for (size_t i = 0; i < self->packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(self->packets[i].data, self->packets[i].len);
        struct orma_pb_field f;

        while (orma_pb_next(&r, &f)) {
            struct orma_pb_reader sub = orma_pb_sub(&f);

            if (f.id == ORMA_PB_TRACE_PACKET_JOURNALD_EVENT)
                count_line(&sub);
        }
    }
    return kernel_lines && (journal_lines || !pf.env.journal_dir);
}

static bool write_kmsg(void)
{
    ORMA_AUTO(orma_fd_close) int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
    char line[128];
    int len = snprintf(line, sizeof(line), "<12>orma_test: %s\n", marker);

    return fd >= 0 && write(fd, line, (size_t)len) == len;
}

static int check(const char *journal)
{
    const char *dev = pf.env.dev_root;
    struct orma_source *s;
    char text[128];
    int ret = 0;

    pf.env.dev_root = "/dev";
    pf.env.journal_dir = journal;
    s = pf_source(&pf, &orma_journal_source, NULL);
    s->type->start(s);
    snprintf(text, sizeof(text), "PRIORITY=4\nSYSLOG_IDENTIFIER=orma_test\nMESSAGE=%s\n", marker);
    if (!write_kmsg() || (journal && !send_line(text)))
        ret = 1;
    if (!ret && !pf_run(&pf, has_both, WAIT_MS))
        ret = 1;
    s->type->stop(s);
    (void)has_both(&pf);
    printf("lines of the kernel %u, of the journal %u (each 1 at most)\n", kernel_lines,
           journal_lines);
    pf_free_source(&pf, s);
    pf.env.dev_root = dev;
    return ret || kernel_lines > 1 || journal_lines > 1;
}

int main(void)
{
    char journal[256];
    pid_t daemon = -1;
    bool has_journal;
    int ret;

    orma_log_init("journal", ORMA_LOG_WARN);
    if (geteuid() != 0 || access("/dev/kmsg", R_OK | W_OK) < 0)
        return skip("no right to write /dev/kmsg");
    snprintf(marker, sizeof(marker), "orma test %d %ld", (int)getpid(), (long)time(NULL));
    pf_init(&pf);
    has_journal = access(DAEMON, X_OK) == 0 && private_mounts();
    if (has_journal) {
        daemon = start_daemon();
        has_journal = wait_for_journal(journal, sizeof(journal));
    }
    ret = check(has_journal ? journal : NULL);
    if (daemon > 0) {
        (void)kill(daemon, SIGKILL); /* of a namespace that ends with us */
        (void)waitpid(daemon, NULL, 0);
    }
    pf_fini(&pf);
    return ret;
}
