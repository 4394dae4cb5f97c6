#include "tools/follow/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "tools/base/cli.h"
#include "tools/base/units.h"
#include "tools/follow/snapshot.h"
#include "tools/follow/tail.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"

/* How often the file is looked at. */
#define LOOK_MS 50
/* After the word that it has ended, a file still gets its last statistics. */
#define END_QUIET_MS 500
#define STAND_MS 3600000 /* until a signal comes */
#define SESSION_GONE 125 /* exit code of a copy: there is nothing more to be had */

struct follower {
    const struct orma_follow *how;
    struct orma_processor_config config;
    uint64_t every_ms;
    struct orma_follow_state state;
    struct orma_follow_tail tail;
    struct orma_processor *tp; /* the import that never ends; NULL: of a session */
    sigset_t ends, before;
    bool signalled;      /* one of `ends` came */
    pid_t standing;      /* a copy that stays; 0: none */
    uint64_t changed_ns; /* MONOTONIC, when the file last grew */
};

static void say(const struct follower *f, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", f->how->program, f->how->name, what);
}

int orma_follow_take_every(const struct orma_cli *cli, uint64_t *ret_ms)
{
    if (orma_units_parse_duration_ms(cli->value, ret_ms) && *ret_ms >= ORMA_FOLLOW_EVERY_MIN_MS)
        return ORMA_EXIT_OK;
    return orma_cli_usage_error(cli, "bad time '%s': expected 50ms or more, such as 1s",
                                cli->value);
}

/* ---- the copy ---- */

static int load_snapshot(struct follower *f, struct orma_processor **ret)
{
    struct orma_follow_snapshot snapshot = {.program = f->how->program,
                                            .session = f->how->name,
                                            .config = f->config,
                                            .quiet = f->state.answer > 1};
    int r = orma_follow_snapshot(&snapshot, ret);

    f->state.watermark = snapshot.taken_ns;
    f->state.bytes = snapshot.bytes;
    return r;
}

static int answer(struct follower *f)
{
    int code = ORMA_EXIT_FAILURE;
    int r = f->state.session ? load_snapshot(f, &f->tp) : orma_processor_finish(f->tp);

    if (r < 0 && !f->tp)
        return f->state.answer > 1 ? SESSION_GONE : ORMA_EXIT_FAILURE; /* has said why */
    if (r < 0)
        say(f, orma_processor_error(f->tp));
    else
        code = f->how->answer(f->how->ctx, f->tp, &f->state);
    if (fflush(stdout) || ferror(stdout))
        code = orma_cli_output_failed(f->how->program, errno);
    return code;
}

/* What it exited with; killed by a signal that ends us as well: as if it had been ended. */
static int wait_for(struct follower *f, pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return ORMA_EXIT_FAILURE;
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGTERM)
        fprintf(stderr, "%s: the answer was ended by signal %d\n", f->how->program,
                WTERMSIG(status));
    return WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ? SESSION_GONE
                                                                     : ORMA_EXIT_FAILURE;
}

/* In the copy it does not return. */
static bool copy(struct follower *f, const int *pipe_fds, pid_t *ret)
{
    pid_t parent = getpid();

    (void)fflush(stdout); /* what waits there would come twice */
    *ret = fork();
    if (*ret < 0)
        say(f, strerror(errno));
    if (*ret)
        return *ret > 0;
    if (pipe_fds) {
        (void)close(pipe_fds[0]);
        f->state.ready_fd = pipe_fds[1];
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
            _exit(ORMA_EXIT_FAILURE); /* nobody would end it */
    }
    sigprocmask(SIG_SETMASK, &f->before, NULL);
    _exit(answer(f));
}

static void end_standing(struct follower *f)
{
    if (!f->standing)
        return;
    (void)kill(f->standing, SIGTERM); /* it may have ended by itself */
    (void)wait_for(f, f->standing);
    f->standing = 0;
}

static int ask_to_stay(struct follower *f)
{
    int fds[2];
    pid_t pid;
    char byte;

    if (pipe2(fds, O_CLOEXEC) < 0) {
        say(f, strerror(errno));
        return ORMA_EXIT_FAILURE;
    }
    if (!copy(f, fds, &pid)) {
        (void)close(fds[0]);
        (void)close(fds[1]);
        return ORMA_EXIT_FAILURE;
    }
    (void)close(fds[1]);
    ssize_t n = read(fds[0], &byte, 1);
    (void)close(fds[0]);
    if (n != 1)
        return wait_for(f, pid); /* it has ended, and said why */
    end_standing(f);
    f->standing = pid;
    return ORMA_EXIT_OK;
}

static int ask(struct follower *f)
{
    pid_t pid;

    f->state.answer++;
    f->state.asked_ns = orma_clock_monotonic();
    f->state.bytes = f->tail.whole;
    f->state.watermark = f->tail.watermark;
    if (f->how->stays)
        return ask_to_stay(f);
    return copy(f, NULL, &pid) ? wait_for(f, pid) : ORMA_EXIT_FAILURE;
}

/* ---- the original ---- */

/* True: a signal asks for the end. */
static bool pause_ms(struct follower *f, uint64_t ms)
{
    const struct timespec wait = {.tv_sec = (time_t)(ms / 1000),
                                  .tv_nsec = (long)(ms % 1000) * 1000000};

    f->signalled |= sigtimedwait(&f->ends, NULL, &wait) > 0;
    return f->signalled;
}

static int take(void *ctx, const void *data, size_t len)
{
    struct follower *f = ctx;

    return orma_processor_feed(f->tp, data, len);
}

static int begin_file(struct follower *f)
{
    int r = orma_follow_tail_open(f->how->name, &f->tail);

    if (r == 0)
        r = orma_processor_new(&f->config, &f->tp);
    if (r == -ENOTSUP)
        say(f, "only files that grow and sessions can be followed");
    else if (r == -EBADMSG)
        say(f, "only traces of packets can be followed, as 'orma record' writes them");
    else if (r < 0)
        say(f, strerror(-r));
    return r;
}

static void end_file(struct follower *f)
{
    orma_follow_tail_close(&f->tail);
    orma_processor_free(f->tp);
    f->tp = NULL;
}

/* Reads on. 1: there is more to tell; 0: not; -errno: said. */
static int read_on(struct follower *f)
{
    int r = orma_follow_tail_read(&f->tail, take, f);

    if (r == ORMA_FOLLOW_ANEW) {
        say(f, "cut or replaced while it was read: reading it anew");
        end_file(f);
        r = begin_file(f);
        return r < 0 ? r : 1;
    }
    if (r < 0)
        say(f, *orma_processor_error(f->tp) ? orma_processor_error(f->tp) : strerror(-r));
    return r < 0 ? r : r == ORMA_FOLLOW_MORE;
}

static bool is_last(const struct follower *f)
{
    return f->how->times && f->state.answer >= f->how->times;
}

static int follow_file(struct follower *f)
{
    uint64_t asked_ns = 0;
    bool news = false;

    for (;;) {
        int r = read_on(f);
        uint64_t now = orma_clock_monotonic();

        if (r < 0)
            return ORMA_EXIT_FAILURE;
        if (r > 0)
            f->changed_ns = now;
        news |= r > 0;
        /* Near the end, what is still to come is waited for: the last answer is given once. */
        f->state.ended = f->tail.ended && now - f->changed_ns > END_QUIET_MS * (uint64_t)1000000;
        if (f->state.ended || (news && !f->tail.ended && now - asked_ns >= f->every_ms * 1000000)) {
            asked_ns = now;
            news = false;
            int code = f->tail.whole ? ask(f) : ORMA_EXIT_OK;
            if (code != ORMA_EXIT_OK || is_last(f) || f->state.ended)
                return code == SESSION_GONE ? ORMA_EXIT_OK : code;
        }
        if (pause_ms(f, LOOK_MS))
            return ORMA_EXIT_OK;
    }
}

static int follow_session(struct follower *f)
{
    int code = ORMA_EXIT_OK;

    for (f->state.session = true; code == ORMA_EXIT_OK && !is_last(f);) {
        uint64_t begin = orma_clock_monotonic();

        code = ask(f);
        uint64_t took_ms = (orma_clock_monotonic() - begin) / 1000000;
        if (code == ORMA_EXIT_OK && !is_last(f) &&
            pause_ms(f, took_ms < f->every_ms ? f->every_ms - took_ms : 0))
            break;
    }
    return code == SESSION_GONE ? ORMA_EXIT_OK : code;
}

int orma_follow_run(const struct orma_follow *self)
{
    struct follower f = {.how = self,
                         .config = self->config,
                         .every_ms = self->every_ms ? self->every_ms : ORMA_FOLLOW_EVERY_MS,
                         .tail = {.fd = -1},
                         .state = {.name = self->name}};
    int code = ORMA_EXIT_FAILURE;

    f.config.threads = 1; /* a copy has one thread, and what others hold is not in it */
    f.config.one_thread = true;
    sigemptyset(&f.ends);
    sigaddset(&f.ends, SIGINT);
    sigaddset(&f.ends, SIGTERM);
    sigaddset(&f.ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &f.ends, &f.before);
    if (access(self->name, F_OK) < 0)
        code = follow_session(&f);
    else if (begin_file(&f) == 0)
        code = follow_file(&f);
    while (f.standing && code == ORMA_EXIT_OK && !f.signalled)
        (void)pause_ms(&f, STAND_MS);
    end_standing(&f);
    end_file(&f);
    sigprocmask(SIG_SETMASK, &f.before, NULL);
    return code;
}

/* ---- what stands in front of an answer ---- */

void orma_follow_head(struct orma_processor *tp, const struct orma_follow_state *state,
                      const char *program)
{
    const bool screen = isatty(STDOUT_FILENO);
    int64_t begin = orma_load_number(tp, "SELECT start_ts FROM trace_bounds");
    char size[ORMA_UNITS_TEXT_MAX], text[ORMA_UNITS_TEXT_MAX];
    FILE *out = screen ? stdout : stderr;

    if (screen)
        fputs("\033[H\033[J", out);
    else
        fprintf(out, "%s: ", program);
    fprintf(out, "%s: answer %u of %" PRIu64 " bytes (%s), %s", state->name, state->answer,
            state->bytes, orma_units_format_size(state->bytes, size),
            orma_units_format_duration(orma_load_span_ns(tp), text));
    if (state->watermark && begin > 0 && state->watermark > (uint64_t)begin)
        fprintf(out, ", complete up to %s",
                orma_units_format_duration(state->watermark - (uint64_t)begin, text));
    fputs(state->ended ? "; the recording has ended\n" : "\n", out);
    if (screen)
        fputc('\n', out);
}
