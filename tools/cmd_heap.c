/*
 * orma heap: which functions allocate memory, and which do not give it back.
 *
 *   the command, with our library preloaded ─► collector (heap/collector.h) ─► DIR/raw-trace ─►
 * answers
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processor/flame/flame.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/heap/shared.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/convert/profile_folder.h"
#include "tools/heap/attach.h"
#include "tools/heap/collector.h"
#include "tools/heap/front.h"
#include "tools/heap/pids.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/profile/text.h"
#include "tools/record/child.h"
#include "tools/record/recorder.h"

#define PROGRAM "orma heap"
#define TWO_SIDED_95 1.96 /* standard deviations */
#define LIBRARY "liborma_heap.so"
#define TURN_MS 2
#define PATIENCE_NS UINT64_C(10000000000) /* for files that do not answer, */
#define IMPATIENT_NS UINT64_C(1000000000) /* and after a signal */
#define INTERVAL_MIN 1u

enum { OPT_PID = 1, OPT_TIME, OPT_INTERVAL, OPT_DUMP, OPT_OUT };

static const struct orma_option options[] = {
    {OPT_PID, 'p', "pid", "PID",
     "A running program, if it was started with our library loaded (which costs next to nothing "
     "while idle): LD_PRELOAD=.../" LIBRARY " PROGRAM."},
    {OPT_TIME, 't', "time", "TIME",
     "With -p: how long (default: until Ctrl-C, or until it exits)."},
    {OPT_INTERVAL, 'i', "interval", "BYTES",
     "Average number of bytes between two samples: 64k, 1m (default: 512k). A smaller interval is "
     "more exact, and slower."},
    {OPT_DUMP, 'd', "dump", "TIME", "Also record the sums so far at this interval: 500ms, 10s."},
    {OPT_OUT, 'o', "output", "DIR",
     "A folder for the results: an empty one, or a new one. Default: a new one in the temporary "
     "folder."},
    {0},
};

struct heap {
    struct orma_cli cli;
    char *const *command;
    const char *dir;
    uint64_t interval, dump_ms, time_ms;
    uint64_t pid; /* 0: a command is run */
    struct orma_heap_target target;
    int pid_fd;
    struct orma_convert_profile_folder folder;
    int trace_fd;
    struct orma_record_child child;
    struct orma_heap_collector *collector;
    struct orma_heap_front *front;
    unsigned signals;
    uid_t user; /* that the command became; ours: none */
    bool given_up;
    bool incomplete; /* frees may be missing */
    int code;
};

static int parse_option(struct heap *self, int id)
{
    switch (id) {
    case OPT_PID:
        if (!orma_str_to_u64(orma_str_from(self->cli.value), &self->pid) || !self->pid ||
            self->pid > INT32_MAX)
            return orma_cli_usage_error(&self->cli, "bad process '%s': expected a process id",
                                        self->cli.value);
        break;
    case OPT_TIME:
        if (!orma_units_parse_time_ms(self->cli.value, &self->time_ms) || !self->time_ms)
            return orma_cli_usage_error(&self->cli, "bad time '%s': expected a time such as 500ms",
                                        self->cli.value);
        break;
    case OPT_INTERVAL:
        if (!orma_units_parse_size_bytes(self->cli.value, &self->interval) ||
            self->interval < INTERVAL_MIN || self->interval > UINT32_MAX)
            return orma_cli_usage_error(
                &self->cli, "bad interval '%s': expected a size such as 64k", self->cli.value);
        break;
    case OPT_DUMP:
        if (!orma_units_parse_time_ms(self->cli.value, &self->dump_ms) || !self->dump_ms)
            return orma_cli_usage_error(&self->cli, "bad time '%s': expected a time such as 500ms",
                                        self->cli.value);
        break;
    case OPT_OUT:
        self->dir = self->cli.value;
        break;
    case ORMA_CLI_REST:
        self->command = self->cli.argv + self->cli.rest_idx;
        break;
    case ORMA_CLI_POSITIONAL:
        return orma_cli_usage_error(&self->cli, "unexpected argument '%s': a command follows '--'",
                                    self->cli.value);
    }
    return ORMA_EXIT_OK;
}

static int parse(struct heap *self, bool *ret_go_on)
{
    int id;

    *ret_go_on = false;
    while ((id = orma_cli_next(&self->cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        int r = parse_option(self, id);
        if (r != ORMA_EXIT_OK)
            return r;
    }
    if (self->command && self->pid)
        return orma_cli_usage_error(&self->cli, "-p excludes a command");
    if (!self->pid && (!self->command || !self->command[0]))
        return orma_cli_usage_error(&self->cli, "a command must follow '--', or -p PID");
    if (self->time_ms && !self->pid)
        return orma_cli_usage_error(&self->cli, "-t needs -p");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

/* ---- the library ---- */

/* Beside this program where it was built, or where it was installed. */
static bool find_library(char ret[PATH_MAX])
{
    static const char *const places[] = {"%s/../sdk/heap/" LIBRARY,
                                         "%s/../" ORMA_LIBDIR "/" LIBRARY};
    const char *given = getenv("ORMA_HEAP_LIBRARY");
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (given)
        return realpath(given, ret) != NULL;
    if (len <= 0)
        return false;
    self[len] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < ORMA_ARRAY_LEN(places); i++) {
        snprintf(path, sizeof(path), places[i], self);
        if (realpath(path, ret))
            return true;
    }
    return false;
}

/* Only what the dynamic loader starts gets a library. True: it is static. */
static bool is_static(const char *program)
{
    int fd = open(program, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool interp = false, dynamic_elf = false;
    Elf64_Ehdr elf;
    Elf64_Phdr head;

    if (fd >= 0 && pread(fd, &elf, sizeof(elf), 0) == (ssize_t)sizeof(elf) &&
        !memcmp(elf.e_ident, ELFMAG, SELFMAG) && elf.e_ident[EI_CLASS] == ELFCLASS64) {
        dynamic_elf = true;
        for (unsigned i = 0; i < elf.e_phnum && !interp; i++) {
            off_t at = (off_t)(elf.e_phoff + (uint64_t)i * sizeof(head));

            interp = pread(fd, &head, sizeof(head), at) == (ssize_t)sizeof(head) &&
                     head.p_type == PT_INTERP;
        }
    }
    orma_fd_close(&fd);
    return dynamic_elf && !interp;
}

/* 0, or what to exit with after saying why. */
static int check_command(const struct heap *self)
{
    const char *name = self->command[0];
    char path[PATH_MAX];

    if (!orma_record_child_find(name, path)) {
        fprintf(stderr, PROGRAM ": %s: not found\n", name);
        return 127;
    }
    if (is_static(path)) {
        fprintf(stderr, PROGRAM ": '%s' is statically linked: its allocations cannot be watched\n",
                name);
        return ORMA_EXIT_FAILURE;
    }
    if (orma_record_child_changes_rights(name)) {
        fprintf(stderr, PROGRAM ": '%s' is setuid or setgid: it does not load our library\n", name);
        return ORMA_EXIT_FAILURE;
    }
    return 0;
}

/* Starts its process, which waits; our own environment stays as it was. */
static int prepare(struct heap *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf preload = {0};
    const char *before = getenv("LD_PRELOAD");
    char library[PATH_MAX];

    if (!find_library(library)) {
        fprintf(stderr, PROGRAM ": " LIBRARY " is not installed beside this program\n");
        return -ENOENT;
    }
    orma_buf_printf(&preload, "%s%s%s", library, before ? ":" : "", before ? before : "");
    ORMA_AUTO(orma_buf_fini) struct orma_buf saved = {0};
    orma_buf_put_str(&saved, before ? before : "");
    if (setenv("LD_PRELOAD", orma_buf_cstr(&preload), 1) < 0 ||
        setenv(ORMA_HEAP_ENV, orma_heap_collector_path(self->collector), 1) < 0)
        return -errno;
    int r = orma_record_child_prepare(&self->child, self->command);
    (void)unsetenv(ORMA_HEAP_ENV);
    if (before)
        (void)setenv("LD_PRELOAD", orma_buf_cstr(&saved), 1);
    else
        (void)unsetenv("LD_PRELOAD");
    return r;
}

/* ---- recording ---- */

static unsigned signals_of(const struct heap *self)
{
    return self->front ? ORMA_MAX(self->signals, self->front->signals) : self->signals;
}

static bool has_ended(struct heap *self, int signal_fd)
{
    struct signalfd_siginfo info;
    bool ended = false;

    while (read(signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGCHLD)
            ended |= orma_record_child_reap(self->child.pid, &self->code);
        else
            self->signals++; /* the command has got it, too */
    }
    return ended;
}

/* Its programs cannot open what belongs to root, if it is root no more. */
static void note_user(struct heap *self)
{
    char path[40];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%d", (int)self->child.pid);
    if (self->child.pid > 0 && geteuid() == 0 && stat(path, &st) == 0 && st.st_uid)
        self->user = st.st_uid;
}

/* One turn's time; true: it is over. */
static bool wait_a_turn(struct heap *self, int signal_fd, uint64_t end_ns)
{
    struct pollfd pfds[2] = {{.fd = signal_fd, .events = POLLIN},
                             {.fd = self->pid_fd, .events = POLLIN}};

    note_user(self);
    if (poll(pfds, 2, TURN_MS) > 0 && pfds[0].revents && has_ended(self, signal_fd))
        return true;
    return pfds[1].revents || signals_of(self) > (self->pid ? 0 : 1) ||
           orma_clock_boottime() >= end_ns;
}

static uint64_t end_of(const struct heap *self)
{
    return self->time_ms ? orma_clock_boottime() + self->time_ms * 1000000u : UINT64_MAX;
}

static int tell_write_error(const struct heap *self, int r)
{
    if (r < 0)
        fprintf(stderr, PROGRAM ": %s/" ORMA_LOAD_FOLDER_TRACE ": %s\n", self->folder.path,
                strerror(-r));
    return r;
}

/* What was reported until now is read, unless a file that it leads to does not answer. */
static void finish(struct heap *self, int signal_fd)
{
    uint64_t done = orma_heap_collector_progress(self->collector);
    uint64_t since_ns = orma_clock_boottime();

    while (!orma_heap_collector_end(self->collector)) {
        struct pollfd p = {.fd = signal_fd, .events = POLLIN};
        uint64_t now_ns, progress = orma_heap_collector_progress(self->collector);

        if (poll(&p, 1, TURN_MS) > 0)
            (void)has_ended(self, signal_fd);
        (void)orma_heap_collector_beat(self->collector); /* its error comes again */
        now_ns = orma_clock_boottime();
        if (progress != done)
            since_ns = now_ns;
        done = progress;
        if (now_ns - since_ns > (signals_of(self) ? IMPATIENT_NS : PATIENCE_NS)) {
            orma_heap_collector_give_up(self->collector);
            self->given_up = true;
            return;
        }
    }
}

static int collect(struct heap *self, int signal_fd, uint64_t end_ns)
{
    uint64_t next_ns = orma_clock_boottime() + self->dump_ms * 1000000u;
    int r = orma_heap_collector_start(self->collector);

    if (r < 0) {
        fprintf(stderr, PROGRAM ": cannot start a thread: %s\n", strerror(-r));
        return r;
    }

    /* A command that we started goes on when we cannot write: its exit code is asked for. */
    for (bool ended = false; !ended && (r == 0 || !self->pid);) {
        ended = wait_a_turn(self, signal_fd, end_ns);
        int beat = orma_heap_collector_beat(self->collector);
        if (r == 0)
            r = tell_write_error(self, beat);
        if (r == 0 && self->dump_ms && orma_clock_boottime() >= next_ns) {
            r = tell_write_error(self, orma_heap_collector_dump(self->collector));
            next_ns += self->dump_ms * 1000000u;
        }
    }
    finish(self, signal_fd);
    if (r == 0)
        r = tell_write_error(self, orma_heap_collector_dump(self->collector));
    return r;
}

static int run_command(struct heap *self, int signal_fd)
{
    int r = orma_record_child_release(&self->child, NULL, NULL);

    if (r == 0)
        return collect(self, signal_fd, UINT64_MAX);
    fprintf(stderr, PROGRAM ": %s: %s\n", self->command[0], strerror(-r));
    self->code = r == -ENOENT ? 127 : 126;
    return r;
}

/* ---- a program that runs ---- */

static void tell_refusal(const struct heap *self, int r)
{
    char library[PATH_MAX], program[PATH_MAX], path[40];
    int pid = (int)self->pid;

    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    ssize_t len = readlink(path, program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    if (r == -ESRCH)
        fprintf(stderr, PROGRAM ": process %d does not exist\n", pid);
    else if (r == -ENOENT && len > 0 && is_static(program))
        fprintf(stderr, PROGRAM ": '%s' is statically linked: its allocations cannot be watched\n",
                program);
    else if (r == -ENOENT)
        fprintf(stderr,
                PROGRAM ": process %d has not loaded our library; restart it with LD_PRELOAD=%s "
                        "%s, or as: orma heap -- %s\n",
                pid, find_library(library) ? library : LIBRARY, len > 0 ? program : "PROGRAM",
                len > 0 ? program : "PROGRAM");
    else if (r == -EBUSY)
        fprintf(stderr, PROGRAM ": process %d is already being watched\n", pid);
    else if ((r == -EPERM || r == -EACCES) && geteuid())
        fprintf(stderr,
                PROGRAM ": no permission to watch process %d: sudo orma heap -p %d (it belongs to "
                        "another user, or kernel.yama.ptrace_scope is above 0)\n",
                pid, pid);
    else if (r == -ETIMEDOUT)
        fprintf(stderr, PROGRAM ": process %d: reading its memory does not finish\n", pid);
    else
        fprintf(stderr, PROGRAM ": process %d: %s\n", pid, strerror(-r));
}

/* Its library looks for us once it has allocated some. */
static int wait_for_memory(struct heap *self, int signal_fd, uint64_t end_ns, int *ret_fd)
{
    for (;;) {
        int fd = orma_heap_attach_take(&self->target);

        if (fd >= 0) {
            *ret_fd = fd;
            return 0;
        }
        if (fd == -ETIMEDOUT && orma_heap_attach_ask(&self->target, self->interval) == 0)
            fd = -EAGAIN; /* it waited for us, and we were late */
        if (fd != -EAGAIN)
            return fd;
        if (wait_a_turn(self, signal_fd, end_ns))
            return -ENODATA;
    }
}

/* Nothing came: what is known of why. */
static void tell_silence(const struct heap *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct pollfd p = {.fd = self->pid_fd, .events = POLLIN};
    int pid = (int)self->pid;
    char path[40];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    const char *state = orma_fd_read_file(AT_FDCWD, path, 4096, &text) == 0
                            ? strrchr(orma_buf_cstr(&text), ')')
                            : NULL;
    if (poll(&p, 1, 0) > 0)
        fprintf(stderr, PROGRAM ": process %d ended before its library answered\n", pid);
    else if (state && (!strncmp(state, ") T", 3) || !strncmp(state, ") t", 3)))
        fprintf(stderr, PROGRAM ": process %d is stopped: its library did not answer\n", pid);
    else
        fprintf(stderr,
                PROGRAM ": the library in process %d did not answer: it looks for us when a thread "
                        "has allocated 64 KiB; whether one did is not known\n",
                pid);
}

static int attach(struct heap *self, int signal_fd)
{
    uint64_t end_ns = end_of(self);
    int refused, fd = -1, r = orma_heap_attach_ask(&self->target, self->interval);

    if (r == 0) {
        fprintf(stderr, PROGRAM ": watching process %d; Ctrl-C stops it\n", (int)self->pid);
        r = wait_for_memory(self, signal_fd, end_ns, &fd);
    }
    if (r == 0)
        r = orma_heap_collector_new(self->interval, fd, self->trace_fd, &self->collector);
    orma_fd_close(&fd);
    if (r == 0)
        return collect(self, signal_fd, end_ns);
    (void)orma_heap_attach_ask(&self->target, 0); /* it has ended, or waits no more */
    if (r == -ENODATA)
        tell_silence(self);
    else if (orma_heap_attach_refused(&self->target, &refused))
        fprintf(stderr, PROGRAM ": the library in process %d cannot share memory with us: %s\n",
                (int)self->pid, strerror(refused));
    else
        tell_refusal(self, r);
    return r;
}

/* ---- answers ---- */

static const char *name_of(const struct heap *self)
{
    static char process[32];

    snprintf(process, sizeof(process), "process %d", (int)self->pid);
    return self->pid ? process : self->command[0];
}

static int put_kind(struct heap *self, struct orma_processor *tp,
                    const struct orma_heap_collector_stats *stats, enum orma_stacks_kind kind,
                    bool picture)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf title = {0};
    const struct orma_stacks_choice choice = {.kind = kind};
    struct orma_profile_report_style style = orma_profile_report_style(stdout);
    char each[ORMA_UNITS_TEXT_MAX], error[ORMA_UNITS_TEXT_MAX];
    struct orma_stacks stacks;
    int r = orma_stacks_load(&stacks, tp, &choice);

    if (r == -ENODATA && kind == ORMA_STACKS_HEAP)
        printf("%s was freed\n\n",
               stats->left_out ? "all memory in the sums" : "all sampled memory");
    if (r < 0 && r != -ENODATA)
        fprintf(stderr, PROGRAM ": %s\n", orma_stacks_error(&stacks, tp));
    if (r < 0)
        return r;
    orma_profile_report_head(&style, &stacks, 0, NULL);
    if (kind == ORMA_STACKS_HEAP && self->incomplete)
        printf("some of it may have been freed: reports are missing\n");
    printf("one sample per %s: an estimate, off by at most %s in 19 of 20 runs\n\n",
           orma_units_format_size(self->interval, each),
           orma_units_format_size(
               (uint64_t)(TWO_SIDED_95 * sqrt((double)stacks.weight * (double)self->interval)),
               error));
    orma_profile_report_top(&style, &stacks);
    fputc('\n', stdout);
    orma_buf_printf(&title, "%s: memory that was %s", name_of(self),
                    kind == ORMA_STACKS_HEAP ? "not freed" : "allocated");
    r = picture ? orma_convert_profile_folder_flame(&self->folder, &stacks, orma_buf_cstr(&title))
                : 0;
    orma_stacks_fini(&stacks);
    return r;
}

static void tell_losses(const struct heap *self, const struct orma_heap_collector_stats *stats)
{
    char bytes[ORMA_UNITS_TEXT_MAX];

    if (!stats->programs)
        fprintf(stderr,
                PROGRAM ": '%s' did not load our library: does it have its own C library?\n",
                name_of(self));
    else if (!stats->samples && self->user)
        fprintf(stderr,
                PROGRAM
                ": no allocation was sampled: it became user %u, and what it starts as such "
                "cannot open our memory (run orma heap as that user), or allocates little "
                "(try -i 4k)\n",
                (unsigned)self->user);
    else if (!stats->samples)
        fprintf(stderr,
                PROGRAM ": no allocation was sampled: it may allocate little (try -i 4k), have its "
                        "own malloc, or have another /proc than we (a container)\n");
    else if (self->user)
        fprintf(stderr,
                PROGRAM
                ": it became user %u: programs that it executes as such are not watched, for they "
                "cannot open our memory (run orma heap as that user)\n",
                (unsigned)self->user);
    if (stats->running && !self->pid)
        fprintf(stderr,
                PROGRAM ": at least %llu of its processes outlived it: what they do from here on is "
                        "not recorded\n",
                (unsigned long long)stats->running);
    if (stats->lost)
        fprintf(stderr,
                PROGRAM
                ": %llu reports are missing because their buffer was full: try a larger -i\n",
                (unsigned long long)stats->lost);
    if (stats->dead)
        fprintf(stderr,
                PROGRAM ": %llu reports are missing because their process ended before it had "
                        "finished them\n",
                (unsigned long long)stats->dead);
    if (stats->stopped && !stats->corrupted)
        fprintf(stderr,
                PROGRAM ": at least %llu reports are missing because their process was stopped, or "
                        "ended, before it had finished them\n",
                (unsigned long long)stats->stopped);
    if (stats->confined)
        fprintf(stderr,
                PROGRAM ": %llu reports are missing because their process is a child of one that "
                        "limited its system calls (seccomp)\n",
                (unsigned long long)stats->confined);
    if (stats->given_up)
        fprintf(stderr,
                PROGRAM ": a file of a watched program does not answer: the %llu reports from "
                        "there on are missing\n",
                (unsigned long long)stats->unread);
    if (stats->left_out)
        fprintf(stderr,
                PROGRAM ": %llu allocations, %s, are in no sum: more than can be followed (try a "
                        "larger -i)\n",
                (unsigned long long)stats->left_out,
                orma_units_format_size(stats->left_out_bytes, bytes));
    if (stats->strangers)
        fprintf(stderr,
                PROGRAM
                ": %llu programs are in another PID namespace, or in one that is not known: "
                "they have numbers above %u, and functions without names\n",
                (unsigned long long)stats->strangers, ORMA_HEAP_PID_MAX);
    if (stats->own_new)
        fprintf(stderr, PROGRAM ": the allocator has its own operator new: allocations of C++ code "
                                "through it are missing, unless it calls malloc\n");
    if (stats->cut)
        fprintf(stderr,
                PROGRAM ": %llu of %llu stacks are truncated ([truncated]), %llu of them because "
                        "only %u KiB are copied\n",
                (unsigned long long)stats->cut, (unsigned long long)stats->samples,
                (unsigned long long)stats->too_deep, ORMA_HEAP_STACK_MAX >> 10);
    if (stats->contradicted)
        fprintf(stderr,
                PROGRAM ": a watched program wrote into what it shares with us: reports of all may "
                        "be missing or wrong\n");
    if (stats->corrupted)
        fprintf(stderr, PROGRAM ": the program overwrote the shared memory: the end is missing\n");
}

static int answer(struct heap *self)
{
    struct orma_heap_collector_stats stats = orma_heap_collector_stats(self->collector);
    struct orma_profile_export ex = {.kind = ORMA_PROFILE_ALLOC};
    struct orma_load_names names = {0};
    struct orma_processor *tp = NULL;
    char path[4200];
    int r = 0;

    tell_losses(self, &stats);
    self->incomplete = stats.lost || stats.given_up || stats.corrupted || stats.stopped ||
                       stats.confined || stats.contradicted || self->user;
    if (!stats.samples)
        return 0;
    snprintf(path, sizeof(path), "%s/" ORMA_LOAD_FOLDER_TRACE, self->folder.path);
    r = orma_processor_new(orma_load_config(), &tp);
    if (r == 0)
        r = stats.given_up ? 0 : orma_load_symbols_from_here(tp, PROGRAM, &names);
    if (r == 0)
        r = orma_load_trace(tp, PROGRAM, path, ORMA_LOAD_PROGRESS, NULL);
    orma_load_names_found(&names);
    bool live = false;
    if (r == 0) {
        r = put_kind(self, tp, &stats, ORMA_STACKS_HEAP, true);
        live = r == 0;
        if (live || r == -ENODATA)
            r = put_kind(self, tp, &stats, ORMA_STACKS_ALLOCATED, !live);
    }
    ex.tp = tp;
    if (r == 0)
        r = orma_convert_profile_folder_fill(&self->folder, &ex);
    if (r == 0)
        printf("%s: " ORMA_CONVERT_PROFILE_FLAME ", " ORMA_LOAD_FOLDER_TRACE
               " (orma profile report --heap %s %s)\n",
               self->folder.path, live ? "live" : "allocated", self->folder.path);
    orma_processor_free(tp);
    if (r == 0)
        (void)orma_load_names_append(&names, PROGRAM, path); /* the answer has been given */
    orma_load_names_fini(&names);
    return r;
}

static int check(struct heap *self)
{
    if (!self->pid)
        return check_command(self);
    int r = orma_heap_attach_find(&self->target, (pid_t)self->pid);
    if (r == 0) {
        self->pid_fd = (int)syscall(SYS_pidfd_open, (pid_t)self->pid, 0);
        r = self->pid_fd < 0 ? -errno : 0;
    }
    if (r == 0)
        return 0;
    tell_refusal(self, r);
    return ORMA_EXIT_FAILURE;
}

static int open_folder(struct heap *self)
{
    int r = orma_convert_profile_folder_open(&self->folder, PROGRAM, self->dir, true);

    return r < 0 ? r : orma_convert_profile_folder_trace(&self->folder, &self->trace_fd);
}

static int watch(struct heap *self)
{
    int signal_fd = orma_recorder_signals("orma heap");
    int r = signal_fd < 0 ? signal_fd : 0;

    if (r == 0)
        r = self->pid ? attach(self, signal_fd) : run_command(self, signal_fd);
    if (r == 0)
        r = answer(self);
    orma_fd_close(&signal_fd);
    return r;
}

static int heap(struct heap *self)
{
    int code = check(self);

    if (code)
        return code;
    int r = open_folder(self);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    if (!self->pid) {
        r = orma_heap_collector_new(self->interval, -1, self->trace_fd, &self->collector);
        if (r == 0)
            r = prepare(self);
        if (r < 0)
            fprintf(stderr, PROGRAM ": cannot start: %s\n", strerror(-r));
    }
    if (r == 0)
        r = watch(self);
    int settled = orma_fd_settle(self->trace_fd);
    if (settled < 0) {
        fprintf(stderr, PROGRAM ": cannot write the trace: %s\n", strerror(-settled));
        r = r < 0 ? r : settled;
    }
    struct stat st;
    if (r < 0 && fstat(self->trace_fd, &st) == 0 && !st.st_size)
        orma_convert_profile_folder_drop(&self->folder);
    return r < 0 && self->code <= 0 ? ORMA_EXIT_FAILURE : ORMA_MAX(self->code, 0);
}

static int run(const struct orma_command *command, int argc, char **argv)
{
    struct heap self = {.trace_fd = -1,
                        .interval = ORMA_HEAP_INTERVAL,
                        .code = -1,
                        .pid_fd = -1,
                        .child = {.go_fd = -1, .error_fd = -1}};
    bool go_on;

    orma_cli_init(&self.cli, command, PROGRAM, argc, argv);
    int code = parse(&self, &go_on);
    if (go_on && orma_heap_front_begin(PROGRAM, &self.front, &code))
        return code;
    if (go_on)
        code = heap(&self);
    orma_record_child_drop(&self.child);
    orma_heap_collector_free(self.collector);
    orma_fd_close(&self.trace_fd);
    orma_fd_close(&self.pid_fd);
    orma_convert_profile_folder_close(&self.folder);
    if (self.given_up)
        orma_heap_front_leave(self.front, code);
    return code;
}

const struct orma_command orma_cmd_heap = {
    .name = "heap",
    .summary = "Show which functions allocate memory, and what is not freed.",
    .synopsis = "[OPTIONS] -- COMMAND [ARG]... | -p PID",
    .details =
        "Runs COMMAND with a library that intercepts malloc and its relatives and samples "
        "allocations with their call stacks: on average one per 512 KiB. Sums are unbiased "
        "estimates; an allocation as large as the interval, or larger, counts exactly. Processes "
        "that COMMAND starts are watched as well. Anonymous memory from mmap() is a separate heap "
        "('mmap'), sampled in the same way; reserved addresses (PROT_NONE) do not count.\n"
        "\n"
        "-p watches a running program, if it was started with our library in LD_PRELOAD; it is "
        "neither stopped nor changed. Earlier allocations are not seen.\n"
        "\n"
        "Statically linked programs, setuid and setgid programs, and those with their own malloc "
        "cannot be "
        "watched. A loop of nothing but malloc gets slower by up to a half; a program that spends "
        "a tenth of its time in malloc, by a few percent.",
    .examples = "  orma heap -- ./server\n"
                "  orma heap -i 64k -d 1s -o results -- python3 script.py\n"
                "  orma heap -p 4711 -t 10s\n",
    .options = options,
    .run = run,
};
