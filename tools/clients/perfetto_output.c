/*
 * The output file, and the signals that must not leave an empty one behind:
 *
 *   check (the config fits the options) -> open -> [truncate, at the first byte] -> drop if empty
 *
 * The first SIGINT or SIGTERM makes signal_fd readable, for an orderly end; the
 * second one removes an empty output and ends the program at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/config.h"
#include "sdk/base/fd.h"
#include "sdk/base/replace.h"
#include "tools/base/inputs.h"
#include "tools/clients/perfetto_impl.h"
#include "tools/service/background.h"

/* Of the one client that handles signals in this process. */
static volatile sig_atomic_t signals_seen;
static int signal_pipe_w = -1;
/* The output, which must not stay behind empty. */
static int signal_out_fd = -1;
static const char *signal_out_path;

void orma_perfetto_say(const struct orma_perfetto *self, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", self->hooks->program, text);
}

void orma_perfetto_report_status(struct orma_perfetto *self, char status)
{
    orma_service_background_report(&self->notify_fd, status);
    orma_service_background_report(&self->parent_fd, status);
}

/* What nobody can read shall not look like a trace. Also for signal handlers. */
static void remove_if_empty(int fd, const char *path)
{
    struct stat st;

    if (fd >= 0 && strcmp(path, "-") && strncmp(path, "/dev/", 5) && fstat(fd, &st) == 0 &&
        S_ISREG(st.st_mode) && !st.st_size)
        (void)unlink(path); /* somebody else may have been faster */
}

/* The first signal asks for an orderly end; the next one has its default effect. */
static void on_signal(int number)
{
    int saved = errno;

    if (signals_seen++) {
        remove_if_empty(signal_out_fd, signal_out_path);
        signal(number, SIG_DFL);
        raise(number);
    }
    if (write(signal_pipe_w, "", 1) < 0)
        signals_seen = 1; /* full: it is readable anyway */
    errno = saved;
}

int orma_perfetto_catch_signals(struct orma_perfetto *self)
{
    struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: poll() shall return */
    int fds[2];

    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    self->signal_fd = fds[0];
    signal_pipe_w = fds[1];
    signals_seen = 0;
    signal_out_fd = self->out_fd;
    signal_out_path = self->args.out_path;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    if (sigaction(SIGINT, &action, NULL) < 0 || sigaction(SIGTERM, &action, NULL) < 0)
        return -errno;
    return 0;
}

void orma_perfetto_release_signals(void)
{
    orma_fd_close(&signal_pipe_w);
}

/* ---- output ---- */

int orma_perfetto_open(const struct orma_perfetto *self, const char *path)
{
    int exist = self->args.no_clobber ? O_EXCL : 0;
    int fd, own = orma_replace_descriptor(path);
    const char *hit = own < 0 && strcmp(path, "-") ? orma_inputs_hit(path) : NULL;

    if (hit) {
        orma_perfetto_say(self, "%s is also an input (%s): it would be overwritten", path, hit);
        return -EINVAL;
    }

    if (!strcmp(path, "-")) {
        if (isatty(STDOUT_FILENO)) {
            orma_perfetto_say(
                self,
                "refusing to write a trace to a terminal: redirect the output or name a file");
            return -EINVAL;
        }
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    } else if (own >= 0) {
        fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
    } else {
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | exist, 0600);
        if (fd < 0 && errno == ENXIO)
            fd = open(path, O_WRONLY | O_CLOEXEC); /* a special file that takes writers only */
    }
    if (fd >= 0)
        return fd;
    int err = errno;
    orma_perfetto_say(self, "%s: %s%s", path, strerror(err),
                      err == EEXIST ? "; omit --no-clobber to overwrite it" : "");
    return -err;
}

int orma_perfetto_truncate_output(struct orma_perfetto *self)
{
    if (self->out_fd < 0 || self->truncated || !strcmp(self->args.out_path, "-"))
        return 0;
    self->truncated = true;
    if (orma_replace_descriptor(self->args.out_path) >= 0)
        return 0;
    int r = orma_replace_begin(&self->out_fd, self->args.out_path);
    signal_out_fd = self->out_fd;
    if (r < 0)
        orma_perfetto_say(self, "%s: %s", self->args.out_path, strerror(-r));
    return r;
}

/* What the config says about the output, and what the options say: must they not fit, say so. */
int orma_perfetto_check_output(const struct orma_perfetto *self)
{
    const struct orma_service_trace_config *config_info = &self->config_info;
    const struct orma_perfetto_args *args = &self->args;
    bool clones = config_info->trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT;

    if (config_info->triggers_num)
        return 0; /* nothing is recorded */
    if (config_info->has_output_path && args->out_path) {
        orma_perfetto_say(self, "the config has an output_path: -o cannot be used");
        return -EINVAL;
    }
    if (!args->out_path && !(config_info->write_into_file && config_info->has_output_path)) {
        orma_perfetto_say(self, "no output file: add -o FILE");
        return -EINVAL;
    }
    if (args->detach && !config_info->write_into_file) {
        orma_perfetto_say(self, "'--detach' needs a config with write_into_file: true, because no "
                                "client stays to read the trace");
        return -EINVAL;
    }
    if (clones && !strcmp(args->out_path, "-")) {
        orma_perfetto_say(self,
                          "each trigger of mode CLONE_SNAPSHOT writes a file: name it with -o");
        return -EINVAL;
    }
    return 0;
}

int orma_perfetto_open_output(struct orma_perfetto *self)
{
    if (!self->args.out_path || self->config_info.triggers_num)
        return 0;
    self->out_fd = orma_perfetto_open(self, self->args.out_path);
    return self->out_fd < 0 ? self->out_fd : 0;
}

void orma_perfetto_drop_empty_output(const struct orma_perfetto *self)
{
    remove_if_empty(self->out_fd, self->args.out_path);
}
