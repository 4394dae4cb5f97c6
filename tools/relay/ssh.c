/*
 * A relay by ssh: it is started there, connects to a socket that ssh makes there for its user
 * alone, and ssh carries each connection to our service. It ends with its input, which is ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "tools/relay/link.h"

#define SSH_ENV "ORMA_SSH"
#define REMOTE_ENV "ORMA_REMOTE"
#define NOT_FOUND 127 /* what shells say */
#define END_MS 3000
#define TERM_MS 1000
#define LOOK_MS 50

struct run {
    pid_t pid;
    int in, out; /* its standard input, and what the relay says */
};

/* What follows "ssh:": HOST, USER@HOST, or //HOST:PORT, which ssh wants as ssh://HOST:PORT. */
static const char *destination(const char *spec)
{
    return !strncmp(spec, "ssh://", 6) ? spec : spec + 4;
}

const char *orma_relay_ssh_check(const char *spec)
{
    const char *host = destination(spec);

    if (!*host || !strcmp(host, "ssh://"))
        return "it names no host";
    return *host == '-' ? "a host does not begin with '-'" : NULL;
}

static void put_random(char *ret, size_t digits)
{
    unsigned char byte;

    for (size_t i = 0; i < digits; i += 2) {
        if (getrandom(&byte, 1, 0) != 1)
            byte = (unsigned char)getpid(); /* cannot fail; then ssh refuses a name that is taken */
        sprintf(ret + i, "%02x", byte);
    }
}

/* In the child: nothing but calls that are safe there. Ctrl-C is for us; it ends with its input. */
static _Noreturn void become(char *const *argv, int in, int out)
{
    sigset_t none;

    sigemptyset(&none);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execvp(argv[0], argv);
    _exit(errno == ENOENT ? NOT_FOUND : 126);
}

static int spawn(struct run *self, char *const *argv)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, r = 0;

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC | O_NONBLOCK) < 0)
        r = -errno;
    if (r == 0 && (self->pid = fork()) < 0)
        r = -errno;
    if (r == 0 && self->pid == 0)
        become(argv, in[0], out[1]);
    orma_fd_close(&in[0]);
    orma_fd_close(&out[1]);
    self->in = in[1];
    self->out = out[0];
    return r;
}

static int start(struct run *self, const struct orma_relay_link *link)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf forward = {0}, command = {0};
    const char *ssh = getenv(SSH_ENV), *remote = getenv(REMOTE_ENV);
    char id[33];

    put_random(id, sizeof(id) - 1);
    orma_buf_printf(&forward, "/tmp/orma-relay-%s.sock:%s", id, link->service);
    orma_buf_printf(&command,
                    "sh -c '%s relay --until-eof --probes --to /tmp/orma-relay-%s.sock; r=$?; "
                    "rm -f /tmp/orma-relay-%s.sock; exit $r'",
                    remote && *remote ? remote : "orma", id, id);
    const char *const argv[] = {ssh && *ssh ? ssh : "ssh",
                                "-T",
                                "-oExitOnForwardFailure=yes",
                                "-oStreamLocalBindUnlink=yes",
                                "-oServerAliveInterval=5",
                                "-oServerAliveCountMax=4",
                                "-R",
                                orma_buf_cstr(&forward),
                                destination(link->spec),
                                orma_buf_cstr(&command),
                                NULL};

    return forward.failed || command.failed ? -ENOMEM : spawn(self, (char *const *)argv);
}

/* How it has ended, or -1: not yet. */
static int poll_end(struct run *self)
{
    int status;
    pid_t pid = self->pid > 0 ? waitpid(self->pid, &status, WNOHANG) : -1;

    if (pid == 0)
        return -1;
    self->pid = 0;
    return pid < 0 ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void wait_for_end(struct run *self, int most_ms)
{
    for (int ms = 0; self->pid > 0 && ms < most_ms; ms += LOOK_MS) {
        if (poll_end(self) < 0)
            (void)poll(NULL, 0, LOOK_MS);
    }
}

/* Closes its input, which ends the relay, and so ssh. One that is stopped, as by the terminal that
 * it wants a password from, or that takes no signals, is not waited for. */
static void end(struct run *self)
{
    orma_fd_close(&self->in);
    wait_for_end(self, END_MS);
    if (self->pid > 0) {
        kill(self->pid, SIGTERM);
        wait_for_end(self, TERM_MS);
    }
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        (void)waitpid(self->pid, NULL, 0);
        self->pid = 0;
    }
    orma_fd_close(&self->out);
}

static void say_end(struct orma_relay_link *link, int code)
{
    char text[160];

    if (code == NOT_FOUND) {
        snprintf(text, sizeof(text),
                 "there is no ssh here, or no 'orma' there: " REMOTE_ENV " names its path");
        link->hopeless = true;
    } else {
        snprintf(text, sizeof(text), "ssh has ended (%d)", code);
        link->hopeless = !link->was_up;
    }
    orma_relay_link_say(link, text);
}

void orma_relay_ssh_run(struct orma_relay_link *link)
{
    struct run run = {.in = -1, .out = -1};
    int code = -1, r = start(&run, link);

    if (r < 0) {
        orma_relay_link_say(link, strerror(-r));
        link->hopeless = true;
        end(&run);
        return;
    }
    while (orma_relay_link_rest(link, LOOK_MS)) {
        char ready[64];

        /* The relay says a line when the service knows its clocks. */
        if (!link->up && read(run.out, ready, sizeof(ready)) > 0)
            link->up = link->was_up = true;
        code = poll_end(&run);
        if (code >= 0)
            break;
    }
    end(&run);
    if (code >= 0)
        say_end(link, code);
}
