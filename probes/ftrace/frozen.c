/*
 * linux.frozen_ftrace: what the kernel recorded before the last boot, from a
 * ring that survives one (an instance made with trace_instance= and reserved
 * memory).
 *
 * Read once, at the start, cpu by cpu, in slices. Nothing of the instance is
 * changed; its pages are consumed. Events are told by the running kernel's
 * formats: after a change of kernel they may not fit, and are then skipped.
 */
#include "probes/ftrace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/ftrace/events.h"
#include "probes/ftrace/instance.h"
#include "probes/kernel/tracefs.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ftrace/symbols.h"

#define BATCH_SIZE (128 * 1024)
#define SUBBUF_MAX_KB 1024

struct frozen {
    struct orma_source source;
    char *instance;
    struct orma_tracefs fs;
    struct orma_ftrace_events events;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_translate_cpu state;
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_symbols symbols;
    struct orma_ftrace_generic_ids *generic_ids;
    uint32_t cpus[ORMA_TRACEFS_CPUS_MAX];
    unsigned cpus_num, cpu_idx;
    int fd; /* of cpus[cpu_idx]; -1: not open */
    uint8_t *batch;
    size_t subbuf_size;
    struct event *slice;
};

static struct frozen *frozen_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct frozen, source);
}

static int open_cpu(struct frozen *self)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw",
                   self->cpus[self->cpu_idx]); /* fits */
    self->state = (struct orma_ftrace_translate_cpu){0};
    self->fd = openat(self->fs.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return self->fd;
}

/* One batch. False: this cpu has nothing left. */
static bool read_batch(struct frozen *self)
{
    size_t len = 0;
    bool more = true;

    while (more && len + self->subbuf_size <= ORMA_MAX((size_t)BATCH_SIZE, self->subbuf_size)) {
        ssize_t n = read(self->fd, self->batch + len, self->subbuf_size);

        more = n == (ssize_t)self->subbuf_size;
        len += more ? self->subbuf_size : 0;
    }
    if (!len)
        return false;
    orma_ftrace_translate_begin(&self->translate, self->cpus[self->cpu_idx], &self->state);
    for (size_t at = 0; at < len; at += self->subbuf_size)
        orma_ftrace_translate_page(&self->translate, self->batch + at, self->subbuf_size);
    orma_ftrace_translate_end(&self->translate);
    return more;
}

/* True: there is more. */
static bool run(struct frozen *self, uint64_t limit_ns)
{
    uint64_t begun = orma_clock_monotonic();

    while (self->cpu_idx < self->cpus_num) {
        if ((self->fd >= 0 || open_cpu(self) >= 0) && read_batch(self)) {
            if (orma_clock_monotonic() - begun > limit_ns)
                return true;
            continue;
        }
        orma_fd_close(&self->fd);
        self->cpu_idx++;
    }
    return false;
}

static void on_slice(evutil_socket_t fd, short what, void *arg)
{
    const struct timeval soon = {.tv_usec = 500};
    struct frozen *self = arg;

    (void)fd;
    (void)what;
    if (run(self, ORMA_SOURCE_SLICE_NS))
        (void)evtimer_add(self->slice, &soon); /* fails for bad arguments only */
}

/* Every event of the kernel: who knows what was recorded. */
static int compile_everything(struct frozen *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_str rest, line, group;
    int r = orma_tracefs_read_top(&self->fs, "available_events", &text);

    rest = orma_buf_str(&text);
    while (!r && rest.len && orma_str_cut(&rest, '\n', &line)) {
        char names[2][256];

        if (!line.len || !orma_str_cut(&line, ':', &group) || !line.len)
            continue;
        (void)snprintf(names[0], sizeof(names[0]), "%.*s", ORMA_STR_ARG(group)); /* cut: */
        (void)snprintf(names[1], sizeof(names[1]), "%.*s", ORMA_STR_ARG(line));  /* unknown */
        r = orma_ftrace_events_add(&self->events, names[0], names[1], NULL);
    }
    if (!r)
        r = orma_ftrace_events_add(&self->events, "ftrace", "print", NULL);
    return r ? r
             : orma_ftrace_events_compile(&self->events, &self->fs, &config,
                                          self->translate.page_layout.commit_size,
                                          self->generic_ids, &self->translate);
}

/*
 * Those that count nanoseconds of the boot that was: nothing relates them to this boot, so their
 * times are written as they are. The ring's is "local" unless trace_clock= says otherwise.
 */
static bool has_usual_clock(const struct orma_tracefs *fs)
{
    static const char *const usual[] = {"boot", "local", "global", "perf", "mono", "mono_raw"};
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0}, current = {0};

    if (!orma_tracefs_line(fs, "trace_clock", &list))
        return true;
    orma_tracefs_choice(orma_buf_str(&list), &current);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(usual); i++) {
        if (orma_str_eq_c(orma_buf_str(&current), usual[i]))
            return true;
    }
    return false;
}

static int set_up(struct frozen *self)
{
    char *root = NULL;
    uint64_t kb;
    int r = orma_tracefs_find(self->source.env->tracefs_root, &root);

    if (!r)
        r = orma_tracefs_open(&self->fs, root, self->instance);
    free(root);
    if (r < 0)
        return r;
    if (!orma_tracefs_has(&self->fs, "last_boot_info"))
        return -EOPNOTSUPP; /* a ring like any other */
    if (!has_usual_clock(&self->fs))
        return -EPROTONOSUPPORT;
    orma_tracefs_page_layout(&self->fs, &self->translate.page_layout);
    self->subbuf_size = (size_t)sysconf(_SC_PAGESIZE);
    if (orma_tracefs_number(&self->fs, "buffer_subbuf_size_kb", &kb) && kb && kb <= SUBBUF_MAX_KB)
        self->subbuf_size = kb * 1024;
    self->cpus_num = orma_tracefs_cpus(&self->fs, self->cpus, ORMA_TRACEFS_CPUS_MAX);
    self->batch = malloc(ORMA_MAX((size_t)BATCH_SIZE, self->subbuf_size));
    self->translate.bundle = &self->bundle;
    self->translate.symbols = &self->symbols;
    self->translate.sink = self->source.sink;
    return self->batch ? compile_everything(self) : -ENOMEM;
}

static void frozen_free(struct orma_source *source)
{
    struct frozen *self = frozen_of(source);

    if (self->slice)
        event_free(self->slice);
    orma_fd_close(&self->fd);
    orma_tracefs_close(&self->fs);
    orma_ftrace_events_fini(&self->events);
    orma_ftrace_translate_fini(&self->translate);
    orma_ftrace_bundle_fini(&self->bundle);
    orma_ftrace_symbols_fini(&self->symbols);
    orma_ftrace_generic_ids_free(self->generic_ids);
    free(self->batch);
    free(self->instance);
    free(self);
}

static const char *reason(int r)
{
    switch (r) {
    case -EOPNOTSUPP:
        return "its ring buffer does not survive a reboot (to create one that does, use "
               "trace_instance= and reserve_mem= on the kernel command line)";
    case -EPROTONOSUPPORT:
        return "its trace_clock does not count nanoseconds (add trace_clock=boot to the kernel "
               "command line)";
    default:
        return strerror(-r);
    }
}

static int frozen_create(struct orma_source_env *env,
                         const Perfetto__Protos__DataSourceConfig *config,
                         struct orma_source_sink *sink, struct orma_source **ret)
{
    const char *name =
        config->frozen_ftrace_config ? config->frozen_ftrace_config->instance_name : NULL;
    struct frozen *self;
    int r;

    if (!name || !name[0]) {
        orma_log_error("linux.frozen_ftrace: frozen_ftrace_config must set instance_name");
        return -EINVAL;
    }
    self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->source =
        (struct orma_source){.type = &orma_ftrace_frozen_source, .env = env, .sink = sink};
    self->fd = self->fs.dir_fd = self->fs.top_fd = -1;
    orma_ftrace_symbols_init(&self->symbols, NULL);
    self->instance = strdup(name);
    self->slice = evtimer_new(env->base, on_slice, self);
    r = self->instance && self->slice ? orma_ftrace_translate_init(&self->translate) : -ENOMEM;
    if (!r)
        r = orma_ftrace_bundle_init(&self->bundle);
    if (!r)
        r = orma_ftrace_generic_ids_new(&self->generic_ids);
    if (!r)
        r = set_up(self);
    if (r < 0) {
        orma_log_error("linux.frozen_ftrace: instance '%s': %s", name, reason(r));
        frozen_free(&self->source);
        return r;
    }
    *ret = &self->source;
    return 0;
}

static void frozen_start(struct orma_source *source)
{
    on_slice(-1, 0, frozen_of(source));
}

static void frozen_stop(struct orma_source *source)
{
    (void)run(frozen_of(source), UINT64_MAX);
    orma_source_stopped(source);
}

const struct orma_source_type orma_ftrace_frozen_source = {
    .name = "linux.frozen_ftrace",
    .usable = orma_ftrace_usable,
    .create = frozen_create,
    .start = frozen_start,
    .stop = frozen_stop,
    .free = frozen_free,
};
