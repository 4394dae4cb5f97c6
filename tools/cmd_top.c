/*
 * orma top: who uses the CPUs and who waits now, and which slices come how often.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "tools/base/cell.h"
#include "tools/base/signals.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/follow/snapshot.h"
#include "tools/load/load.h"
#include "tools/load/threads.h"
#include "tools/top/screen.h"
#include "tools/top/session.h"

#define EVERY_MS 2000
#define EVERY_MIN_MS 200
#define BUFFER_DEFAULT ((uint64_t)16 << 20)
#define BUFFER_MIN ((uint64_t)256 << 10)
#define BUFFER_MAX ((uint64_t)1 << 30)
#define PLAIN_ROWS 30
#define PLAIN_COLUMNS 100

enum { OPT_TIMES = 1, OPT_EVERY, OPT_WAITS, OPT_BUFFER };

static const struct orma_option options[] = {
    {OPT_TIMES, 'n', "times", "N", "Show N screens and exit; plain text, also on a terminal."},
    {OPT_EVERY, 'd', "every", "TIME", "Time between two screens, which is what each covers (2s)."},
    {OPT_WAITS, 'w', "waits", NULL, "Sort threads by how long they waited, not by CPU."},
    {OPT_BUFFER, 'b', "buffer", "SIZE",
     "Ring for the recording of its own (16mb): it has to hold what happens between two screens."},
    {0},
};

struct top {
    struct orma_cli cli;
    struct orma_follow_snapshot snapshot;
    struct orma_live_session own;
    struct orma_live_screen screen;
    uint64_t every_ms, times, buffer_bytes;
    bool live; /* a terminal: drawn in place, with keys */
    bool plain;
    int signal_fd;
    struct termios before;
    bool raw;
};

/* ---- the terminal ---- */

static void begin_terminal(struct top *t)
{
    struct termios raw;

    if (!t->live || tcgetattr(STDIN_FILENO, &t->before) < 0)
        return; /* no keys: Ctrl-C ends it */
    raw = t->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    t->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void end_terminal(struct top *t)
{
    if (t->raw)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &t->before); /* it is gone, then */
}

static void measure(struct top *t)
{
    t->screen.rows = PLAIN_ROWS;
    t->screen.columns = PLAIN_COLUMNS;
    if (t->live)
        (void)orma_cell_screen(stdout, &t->screen.rows, &t->screen.columns); /* else as in a file */
}

/* ---- screens ---- */

static int draw(struct top *t)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_processor *tp = NULL;
    int r = orma_follow_snapshot(&t->snapshot, &tp);

    if (r < 0)
        return r;
    measure(t);
    t->screen.to = t->snapshot.taken_ns;
    t->screen.from = t->screen.to - t->every_ms * 1000000;
    r = orma_live_screen_put(&t->screen, tp, &text);
    if (r < 0)
        fprintf(stderr, "orma top: %s\n",
                *orma_processor_error(tp) ? orma_processor_error(tp) : strerror(-r));
    orma_processor_free(tp);
    if (r < 0)
        return r;
    if (t->live)
        fputs("\033[H\033[J", stdout);
    fwrite(text.data, 1, text.len, stdout);
    if (t->live)
        fputs("q quits, w sorts by waits, c by CPU", stdout);
    else
        fputc('\n', stdout);
    return fflush(stdout) ? -EIO : 0;
}

enum next { AGAIN, DRAW, QUIT };

static enum next take_keys(struct top *t)
{
    enum next ret = AGAIN;
    char key;

    while (read(STDIN_FILENO, &key, 1) == 1) {
        if (key == 'q' || key == 'Q' || key == 4)
            return QUIT;
        if (key == 'w' || key == 'c') {
            t->screen.by_waits = key == 'w';
            ret = DRAW;
        }
    }
    return ret;
}

static enum next take_signals(struct top *t)
{
    struct signalfd_siginfo info;
    enum next ret = AGAIN;

    while (read(t->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGWINCH)
            return QUIT;
        ret = DRAW;
    }
    return ret;
}

/* Until the next screen is due. */
static enum next wait_for(struct top *t, uint64_t due_ns)
{
    struct orma_consumer *own = t->own.service.consumer;

    for (;;) {
        uint64_t now = orma_clock_monotonic();
        struct pollfd fds[] = {{.fd = t->signal_fd, .events = POLLIN},
                               {.fd = t->raw ? STDIN_FILENO : -1, .events = POLLIN},
                               {.fd = own ? orma_consumer_fd(own) : -1, .events = POLLIN}};

        /* Keys count, however late it is. */
        if (poll(fds, 3, now < due_ns ? (int)((due_ns - now) / 1000000) + 1 : 0) < 0 &&
            errno != EINTR)
            return QUIT;
        enum next next = fds[0].revents ? take_signals(t) : AGAIN;
        if (next == AGAIN && fds[1].revents)
            next = fds[1].revents & POLLIN ? take_keys(t) : QUIT;
        if (next != AGAIN)
            return next;
        if (fds[2].revents && orma_consumer_dispatch(own) < 0)
            return DRAW; /* which says what happened */
        if (now >= due_ns)
            return DRAW;
    }
}

static int show(struct top *t)
{
    uint64_t due = orma_clock_monotonic() + (t->own.name[0] ? t->every_ms * 1000000 : 0);
    int r = 0;

    for (uint64_t shown = 0; !t->times || shown < t->times;) {
        enum next next = wait_for(t, due);

        if (next == QUIT)
            break;
        due = orma_clock_monotonic() + t->every_ms * 1000000;
        r = draw(t);
        if (r < 0)
            break;
        shown++;
        t->snapshot.quiet = !t->own.name[0]; /* a session that has ended is no error */
    }
    if (t->live)
        fputc('\n', stdout);
    return r == -EIO                     ? orma_cli_output_failed("orma top", EPIPE)
           : r < 0 && !t->snapshot.quiet ? ORMA_EXIT_FAILURE
                                         : ORMA_EXIT_OK;
}

static int top(struct top *t, const char *session)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, 0};
    int code = ORMA_EXIT_FAILURE, r = 0;

    t->signal_fd = orma_signals_open("orma top", signals);
    if (t->signal_fd < 0)
        return ORMA_EXIT_FAILURE;
    t->snapshot.program = "orma top";
    t->snapshot.session = session;
    t->snapshot.config = *orma_load_config();
    if (!session) {
        r = orma_live_session_begin(&t->own, "orma top", t->buffer_bytes);
        t->snapshot.session = t->own.name;
        t->snapshot.addr = orma_live_session_addr(&t->own);
        t->snapshot.keep = t->own.service.consumer;
    }
    t->screen.what = session ? session : "this machine";
    t->screen.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    t->live = !t->plain && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
    t->screen.bold = t->live;
    if (r == 0) {
        begin_terminal(t);
        code = show(t);
        end_terminal(t);
    }
    if (!session)
        orma_live_session_end(&t->own);
    orma_fd_close(&t->signal_fd);
    return code;
}

static int take_option(struct top *t, int id)
{
    switch (id) {
    case OPT_TIMES:
        t->plain = true;
        if (!orma_str_to_u64(orma_str_from(t->cli.value), &t->times) || !t->times)
            return orma_cli_usage_error(&t->cli, "bad number '%s': expected 1 or more",
                                        t->cli.value);
        return ORMA_EXIT_OK;
    case OPT_EVERY:
        if (!orma_units_parse_time_ms(t->cli.value, &t->every_ms) || t->every_ms < EVERY_MIN_MS)
            return orma_cli_usage_error(
                &t->cli, "bad time '%s': expected 200ms or more, such as 2s", t->cli.value);
        return ORMA_EXIT_OK;
    case OPT_WAITS:
        t->screen.by_waits = true;
        return ORMA_EXIT_OK;
    case OPT_BUFFER:
        if (!orma_units_parse_size_bytes(t->cli.value, &t->buffer_bytes) ||
            t->buffer_bytes < BUFFER_MIN || t->buffer_bytes > BUFFER_MAX)
            return orma_cli_usage_error(&t->cli, "bad size '%s': expected 256kb to 1gb",
                                        t->cli.value);
        return ORMA_EXIT_OK;
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct top t = {.every_ms = EVERY_MS, .buffer_bytes = BUFFER_DEFAULT, .signal_fd = -1};
    const char *session = NULL;
    int id, code = ORMA_EXIT_OK;

    orma_cli_init(&t.cli, self, "orma top", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&t.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_POSITIONAL && session)
            return orma_cli_usage_error(&t.cli, "one session at a time: '%s' or '%s'", session,
                                        t.cli.value);
        if (id == ORMA_CLI_POSITIONAL)
            session = t.cli.value;
        else
            code = take_option(&t, id);
    }
    return code == ORMA_EXIT_OK ? top(&t, session) : code;
}

const struct orma_command orma_cmd_top = {
    .name = "top",
    .summary = "Show live who uses the CPUs, who waits, which slices come.",
    .synopsis = "[OPTIONS] [SESSION]",
    .details =
        "Without SESSION, it records scheduling (as root, or with access to tracefs) and the "
        "track events of instrumented programs into a ring of its own, and keeps nothing. "
        "SESSION is one of the service that records such events already, by its number or "
        "name as in 'orma status'.\n"
        "\n"
        "Each screen covers the time since the last one. 'waits' is the time in which a "
        "thread wanted a CPU and had none, 'disk' that in which it could not be interrupted, "
        "mostly for a disk; slices are those that ended. The second line says what was lost. "
        "Keys: q quits, w sorts threads by waits, c by CPU. Into a file or a pipe, screens "
        "follow each other as plain text.",
    .examples = "  orma top\n"
                "  orma top --waits --every 5s\n"
                "  orma top -n 1                # one screen, as text\n",
    .options = options,
    .threads = true,
    .run = run,
};
