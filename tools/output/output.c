#include "tools/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tools/base/cli.h"
#include "tools/base/inputs.h"
#include "tools/base/units.h"

#define MODE 0666 /* less the umask */

/* Removes what has a name, then ends the process as the signal would have. */
static void on_signal(int number)
{
    orma_whole_abandon();
    (void)signal(number, SIG_DFL); /* as it was before catch_signals() */
    (void)raise(number);
}

/* Only signals that would end the process: commands that handle one themselves close outputs. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    struct sigaction before, action = {.sa_handler = on_signal};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(numbers); i++) {
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &action, NULL); /* the number is a signal's */
    }
}

static void put_program(const struct orma_output_want *want)
{
    if (want->program)
        fprintf(stderr, "%s: ", want->program);
}

static int say(const struct orma_output_want *want, int r)
{
    const char *path = strcmp(want->path, "-") ? want->path : "standard output";

    put_program(want);
    fprintf(stderr, "%s: %s%s\n", path, strerror(-r),
            r == -EEXIST && !want->no_force ? "; --force overwrites it" : "");
    return r;
}

static int refuse_input(const struct orma_output_want *want, const char *hit)
{
    struct stat st;
    bool folder = stat(hit, &st) == 0 && S_ISDIR(st.st_mode);

    put_program(want);
    if (folder)
        fprintf(stderr, "%s is inside the input %s: choose another place\n", want->path, hit);
    else
        fprintf(stderr, "%s is also an input (%s): it would be overwritten; name another file\n",
                strcmp(want->path, "-") ? want->path : "standard output", hit);
    return -EINVAL;
}

static int check_descriptor(const struct orma_output_want *want, int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    /* What is appended overwrites nothing: `orma convert symbolize t >> t`. */
    const char *hit = flags >= 0 && flags & O_APPEND ? NULL : orma_inputs_hit_fd(fd, want->path);

    if (hit)
        return refuse_input(want, hit);
    if (!want->binary || !isatty(fd))
        return 0;
    put_program(want);
    fprintf(stderr, "refusing to write binary data to a terminal: name an output file\n");
    return -EINVAL;
}

int orma_output_check(const struct orma_output_want *want)
{
    struct stat st;

    if (!strcmp(want->path, "-"))
        return check_descriptor(want, STDOUT_FILENO);
    if (orma_replace_descriptor(want->path) >= 0)
        return check_descriptor(want, orma_replace_descriptor(want->path));
    const char *hit = orma_inputs_hit(want->path);
    if (hit)
        return refuse_input(want, hit);
    if (stat(want->path, &st) < 0)
        return 0; /* opening tells */
    if (S_ISDIR(st.st_mode))
        return say(want, -EISDIR);
    return S_ISREG(st.st_mode) && !want->force ? say(want, -EEXIST) : 0;
}

/* A signal that the command has blocked, to take it later. */
static bool is_told_to_end(void)
{
    sigset_t set;

    return sigpending(&set) == 0 &&
           (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 ||
            sigismember(&set, SIGHUP) == 1);
}

/*
 * To open a FIFO waits for its reader, and no blocked signal ends that: so it is waited for here
 * until one can open it without waiting. The descriptor holds the reader; -1: nothing to hold.
 */
static int wait_for_reader(const struct orma_output_want *want, int *ret_fd)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct stat st;

    *ret_fd = -1;
    if (stat(want->path, &st) < 0 || !S_ISFIFO(st.st_mode))
        return 0;
    for (bool told = want->quiet;; told = true) {
        *ret_fd = open(want->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (*ret_fd >= 0 || errno != ENXIO)
            return 0; /* an error is told by who opens it next */
        if (is_told_to_end()) {
            put_program(want);
            fprintf(stderr, "%s: ended while nobody read this pipe\n", want->path);
            return -ECANCELED;
        }
        if (!told) {
            put_program(want);
            fprintf(stderr, "%s: waiting for a reader of this pipe\n", want->path);
        }
        (void)nanosleep(&pause, NULL); /* shorter does not matter */
    }
}

int orma_output_open(struct orma_output *self, const struct orma_output_want *want)
{
    int r = orma_output_check(want), held;

    *self = (struct orma_output){.want = *want, .fd = -1, .whole = {.fd = -1}};
    if (r < 0)
        return r;
    if (!strcmp(want->path, "-")) {
        self->is_stdout = true;
        (void)fflush(stdout); /* what is written below stdio comes after it */
        self->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return self->fd < 0 ? say(want, -errno) : 0;
    }
    r = wait_for_reader(want, &held);
    if (r < 0)
        return r;
    r = orma_whole_open(&self->whole, want->path, !want->force, MODE);
    orma_fd_close(&held);
    if (r < 0)
        return say(want, r);
    if (self->whole.kind == ORMA_WHOLE_NAMED)
        catch_signals();
    self->fd = self->whole.fd;
    return 0;
}

FILE *orma_output_stream(struct orma_output *self)
{
    if (self->file)
        return self->file;
    int fd = fcntl(self->fd, F_DUPFD_CLOEXEC, 3);
    self->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!self->file) {
        (void)say(&self->want, -errno);
        orma_fd_close(&fd);
    }
    return self->file;
}

int orma_output_failed(const struct orma_output *self, int err)
{
    if (err == EPIPE)
        return -err;
    put_program(&self->want);
    fprintf(stderr, "%s: cannot write: %s\n", self->is_stdout ? "standard output" : self->want.path,
            strerror(err));
    return -err;
}

void orma_output_say(const char *path, int64_t bytes, const char *what)
{
    char size[ORMA_UNITS_TEXT_MAX];

    if (bytes < 0)
        fprintf(stderr, "%s: %s\n", path, what);
    else
        fprintf(stderr, "%s: %s, %s\n", path, orma_units_format_size((uint64_t)bytes, size), what);
}

/* Bytes that stdio still holds. */
static int close_stream(struct orma_output *self)
{
    if (!self->file)
        return 0;
    bool bad = ferror(self->file) != 0;
    int r = fclose(self->file) || bad ? -(errno ? errno : EIO) : 0;
    self->file = NULL;
    return r;
}

int orma_output_close(struct orma_output *self, int r, const char *what)
{
    struct stat st;
    int streamed = close_stream(self);

    if (r >= 0 && streamed < 0)
        r = orma_output_failed(self, -streamed);
    if (self->is_stdout) {
        orma_fd_close(&self->fd);
        return r;
    }
    if (self->fd < 0)
        return r;
    /* What the command read meanwhile counts as well: archives, patterns, traces of a folder. */
    const char *hit =
        r < 0 || self->whole.kind == ORMA_WHOLE_DIRECT ? NULL : orma_inputs_hit(self->want.path);
    if (hit)
        r = refuse_input(&self->want, hit);
    bool sized = fstat(self->fd, &st) == 0 && S_ISREG(st.st_mode);
    int end = orma_whole_close(&self->whole, r >= 0);
    self->fd = -1;
    if (r >= 0 && end < 0)
        return say(&self->want, end);
    if (r >= 0 && what && !self->want.quiet)
        orma_output_say(self->want.path, sized ? (int64_t)st.st_size : -1, what);
    return r;
}

int orma_output_begin(const struct orma_output_want *want, mode_t mode, int *ret_fd,
                      bool *ret_created)
{
    const int exist = want->force ? 0 : O_EXCL;
    struct stat st;
    int r = orma_output_check(want), held;

    if (r >= 0)
        r = wait_for_reader(want, &held);
    if (r < 0)
        return r;
    bool special = stat(want->path, &st) == 0 && !S_ISREG(st.st_mode);
    int own = orma_replace_descriptor(want->path);
    int fd = own >= 0  ? fcntl(own, F_DUPFD_CLOEXEC, 3)
             : special ? open(want->path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
                       : open(want->path, O_CREAT | O_RDWR | O_CLOEXEC | exist, mode);
    r = fd < 0 ? say(want, -errno) : 0;
    orma_fd_close(&held);
    if (r < 0)
        return r;
    r = own >= 0 ? 0 : orma_replace_begin(&fd, want->path);
    if (r < 0) {
        (void)close(fd); /* nothing was written */
        return say(want, r);
    }
    *ret_created = own < 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    *ret_fd = fd;
    return 0;
}

int orma_output_exit(int r)
{
    return r >= 0 ? ORMA_EXIT_OK : r == -EPIPE ? ORMA_EXIT_PIPE : ORMA_EXIT_FAILURE;
}
