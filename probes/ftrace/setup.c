/*
 * The first session of a ring: refuse if another tracer uses it, stop and empty it, then set
 * clock, sizes, filters, function graph and fill level by the config. Every file is saved
 * before it is written (saved.h). A session that joins changes nothing but the functions to
 * graph, and is refused if it would need exclusive use.
 */
#include "probes/ftrace/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probes/ftrace/drain.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

#define BUFFER_SMALL_KB 2048u
#define BUFFER_LARGE_KB 8192u
#define LARGE_RAM (7ull << 30)
#define BUFFER_MAX_KB (4u << 20)

/* Large sub-buffers cost a third per event (docs/data-sources.md), as long as the ring has enough
 * of them. */
#define SUBBUF_MAX_KB 64u
#define SUBBUFS_MIN 16u

uint64_t orma_ftrace_setup_buffer_kb(const Perfetto__Protos__FtraceConfig *config,
                                     uint64_t ram_bytes, uint64_t page_size)
{
    uint64_t usual = ram_bytes >= LARGE_RAM ? BUFFER_LARGE_KB : BUFFER_SMALL_KB;
    uint64_t kb = config->has_buffer_size_kb ? config->buffer_size_kb : 0;
    uint64_t page_kb = page_size / 1024;

    if (!kb ||
        (config->has_buffer_size_lower_bound && config->buffer_size_lower_bound && kb < usual))
        kb = usual;
    kb = ORMA_MIN(kb, BUFFER_MAX_KB);
    kb -= kb % page_kb;
    return ORMA_MAX(kb, page_kb);
}

uint64_t orma_ftrace_setup_subbuf_kb(uint64_t buffer_kb, uint64_t page_size)
{
    uint64_t page_kb = page_size / 1024, kb = ORMA_MAX(page_kb, SUBBUF_MAX_KB);

    while (kb > page_kb && buffer_kb / kb < SUBBUFS_MIN)
        kb /= 2;
    return kb;
}

static uint32_t clock_number(struct orma_str name)
{
    if (orma_str_eq_c(name, "boot"))
        return 0;
    if (orma_str_eq_c(name, "global"))
        return ORMA_PB_FTRACE_CLOCK_GLOBAL;
    if (orma_str_eq_c(name, "local"))
        return ORMA_PB_FTRACE_CLOCK_LOCAL;
    if (orma_str_eq_c(name, "mono_raw"))
        return ORMA_PB_FTRACE_CLOCK_MONO_RAW;
    return ORMA_PB_FTRACE_CLOCK_UNKNOWN;
}

/* The list "[local] global boot" without the brackets. */
static bool offers_clock(struct orma_str list, const char *name)
{
    struct orma_str part;

    while (list.len && orma_str_cut(&list, ' ', &part)) {
        part = orma_str_trim(part);
        if (part.len > 2 && part.data[0] == '[')
            part = (struct orma_str){part.data + 1, part.len - 2};
        if (orma_str_eq_c(part, name))
            return true;
    }
    return false;
}

/* First of the wanted clocks that the kernel has. Not written again if it is the current one: that
 * would empty the ring. */
static void choose_clock(struct orma_ftrace_instance *self, bool mono_raw, bool keep)
{
    static const char *const order[] = {"mono_raw", "boot", "global", "local"};
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0}, current = {0};

    if (!orma_tracefs_line(&self->fs, "trace_clock", &list))
        orma_buf_clear(&list);
    orma_tracefs_choice(orma_buf_str(&list), &current);
    for (size_t i = mono_raw ? 0 : 1; !keep && i < ORMA_ARRAY_LEN(order); i++) {
        if (!offers_clock(orma_buf_str(&list), order[i]))
            continue;
        if (orma_str_eq_c(orma_buf_str(&current), order[i]))
            break;
        if (orma_ftrace_saved_write(&self->saved, &self->fs, "trace_clock", order[i]) < 0)
            continue;
        orma_buf_clear(&current);
        orma_buf_put_str(&current, order[i]);
        break;
    }
    self->clock = clock_number(orma_buf_str(&current));
}

/* What the kernel made of our wishes. */
static void read_sizes(struct orma_ftrace_instance *self)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), kb;

    self->subbuf_size = page;
    if (orma_tracefs_number(&self->fs, "buffer_subbuf_size_kb", &kb) && kb && kb <= 16384)
        self->subbuf_size = kb * 1024;
    self->buffer_size = self->subbuf_size;
    if (orma_tracefs_number(&self->fs, "buffer_size_kb", &kb) && kb && kb <= BUFFER_MAX_KB)
        self->buffer_size = kb * 1024;
}

static void set_sizes(struct orma_ftrace_instance *self,
                      const Perfetto__Protos__FtraceConfig *config)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
    uint64_t kb = orma_ftrace_setup_buffer_kb(config, ram, page);
    uint64_t subbuf = orma_ftrace_setup_subbuf_kb(kb, page);
    int r;

    /* Large pieces may not be had on a fragmented machine: then smaller ones. */
    for (; subbuf * 1024 >= page; subbuf /= 2) {
        r = orma_ftrace_saved_write_number(&self->saved, &self->fs, "buffer_subbuf_size_kb",
                                           subbuf);
        if (r != -ENOMEM)
            break;
    }
    r = orma_ftrace_saved_write_number(&self->saved, &self->fs, "buffer_size_kb", kb);
    if (r < 0)
        orma_log_warn("%s: cannot set the ring buffer to %llu KiB per CPU: %s", self->fs.path,
                      (unsigned long long)kb, strerror(-r));
}

/* Something is in the list: not a comment, not "no pid". */
static bool has_entries(const struct orma_tracefs *fs, const char *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    struct orma_str text;

    if (!orma_tracefs_line(fs, file, &line))
        return false;
    text = orma_buf_str(&line);
    return text.len && text.data[0] != '#' && !orma_str_eq_c(text, "no pid");
}

/*
 * Who records in it would be stopped by us, and whose filters are set would have us record a part.
 * An instance that the config names may have been set up for just that.
 */
static int check_others(struct orma_ftrace_instance *self, char *why, size_t why_size)
{
    static const struct {
        const char *file, *what;
    } lists[] = {{"set_event", "events are enabled in it"},
                 {"set_event_pid", "it is limited to some threads (set_event_pid)"},
                 {"set_event_notrace_pid", "it excludes some threads (set_event_notrace_pid)"}};
    ORMA_AUTO(orma_buf_fini) struct orma_buf tracer = {0};

    if (orma_tracefs_line(&self->fs, "current_tracer", &tracer) &&
        !orma_str_eq_c(orma_buf_str(&tracer), "nop")) {
        (void)snprintf(why, why_size,
                       "%s is used by another tracer (current_tracer is '%s'); stop it, or "
                       "run traced_probes --reset-ftrace",
                       self->fs.path, orma_buf_cstr(&tracer)); /* cut: fine */
        return -EBUSY;
    }
    for (size_t i = 0; self->fs.is_top && i < ORMA_ARRAY_LEN(lists); i++) {
        if (!has_entries(&self->fs, lists[i].file))
            continue;
        (void)snprintf(why, why_size,
                       "%s is used by another tracer: %s; stop it, or run traced_probes "
                       "--reset-ftrace",
                       self->fs.path, lists[i].what); /* cut: fine */
        return -EBUSY;
    }
    return 0;
}

bool orma_ftrace_setup_is_exclusive(const Perfetto__Protos__FtraceConfig *config)
{
    return config->n_tids_to_trace || config->n_tracefs_options ||
           (config->tracing_cpumask && config->tracing_cpumask[0]);
}

static int set_tids(struct orma_ftrace_instance *self, const Perfetto__Protos__FtraceConfig *config)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (!config->n_tids_to_trace)
        return 0;
    for (size_t i = 0; i < config->n_tids_to_trace; i++)
        orma_buf_printf(&text, "%s%u", i ? " " : "", config->tids_to_trace[i]);
    return text.failed ? -ENOMEM
                       : orma_ftrace_saved_replace(&self->saved, &self->fs, "set_event_pid",
                                                   orma_buf_cstr(&text));
}

static int set_option(struct orma_ftrace_instance *self, const char *name, bool on)
{
    char path[128];

    if (!name || !name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
        return -EINVAL;
    if ((size_t)snprintf(path, sizeof(path), "options/%s", name) >= sizeof(path))
        return -EINVAL;
    return orma_ftrace_saved_write(&self->saved, &self->fs, path, on ? "1" : "0");
}

static int set_mask(struct orma_ftrace_instance *self, const char *mask)
{
    if (!mask || !mask[0])
        return 0;
    if (strspn(mask, "0123456789abcdefABCDEF,") != strlen(mask))
        return -EINVAL;
    return orma_ftrace_saved_write(&self->saved, &self->fs, "tracing_cpumask", mask);
}

/* What changes the recording for everybody; see orma_ftrace_setup_is_exclusive(). */
static int set_exclusive(struct orma_ftrace_instance *self,
                         const Perfetto__Protos__FtraceConfig *config, char *why, size_t why_size)
{
    int r;

    if (!orma_ftrace_setup_is_exclusive(config))
        return 0;
    self->exclusive = true;
    r = set_tids(self, config);
    if (r < 0) {
        (void)snprintf(why, why_size, "tids_to_trace: %s", strerror(-r)); /* cut: fine */
        return r;
    }
    for (size_t i = 0; i < config->n_tracefs_options; i++) {
        const Perfetto__Protos__FtraceConfig__TracefsOption *o = config->tracefs_options[i];
        bool on = o->state == PERFETTO__PROTOS__FTRACE_CONFIG__TRACEFS_OPTION__STATE__STATE_ENABLED;

        r = set_option(self, o->name, on);
        if (r < 0) {
            (void)snprintf(why, why_size, "tracefs option '%s': %s", o->name ? o->name : "",
                           strerror(-r)); /* cut: fine */
            return r;
        }
    }
    r = set_mask(self, config->tracing_cpumask);
    if (r < 0)
        (void)snprintf(why, why_size, "tracing_cpumask '%s': %s", config->tracing_cpumask,
                       strerror(-r)); /* cut: fine */
    return r;
}

/* Each in the list that has to be written one by one, the first one replacing what was there. */
static int set_functions(struct orma_ftrace_instance *self, const char *file, char **names,
                         size_t num, char *why, size_t why_size)
{
    int r = 0;

    for (size_t i = 0; !r && i < num; i++) {
        r = i ? orma_ftrace_saved_append(&self->saved, &self->fs, file, names[i])
              : orma_ftrace_saved_replace(&self->saved, &self->fs, file, names[i]);
        if (r == -EINVAL)
            (void)snprintf(why, why_size, "%s: the kernel has no function '%s' that it can trace",
                           file, names[i]); /* cut: fine */
    }
    return r;
}

/* Before 6.12 only the top level has it, and that may be in use. */
static void say_no_graph(const struct orma_ftrace_instance *self, char *why, size_t why_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf tracers = {0};

    if (!self->fs.is_top && orma_tracefs_read_top(&self->fs, "available_tracers", &tracers) == 0 &&
        orma_str_find(orma_buf_str(&tracers), ORMA_STR("function_graph")))
        (void)snprintf(why, why_size,
                       "enable_function_graph: this kernel has it at the top level only, and %s is "
                       "an instance; name none, and stop what uses the top level",
                       self->fs.path); /* cut: fine */
    else
        (void)snprintf(why, why_size,
                       "enable_function_graph: this kernel has no such tracer "
                       "(CONFIG_FUNCTION_GRAPH_TRACER)"); /* fits */
}

/*
 * The kernel changes no tracer while a trace_pipe_raw is open (-EBUSY), and empties the ring with the
 * change: sessions that are recording get what is in it before.
 */
static int switch_tracer(struct orma_ftrace_instance *self)
{
    int r;

    if (self->sessions)
        orma_ftrace_drain_flush(self);
    for (unsigned i = 0; i < self->cpus_num; i++)
        orma_fd_close(&self->cpus[i].fd);
    r = orma_ftrace_saved_write(&self->saved, &self->fs, "current_tracer", "function_graph");
    for (unsigned i = 0; i < self->cpus_num; i++)
        orma_ftrace_drain_open_cpu(self, &self->cpus[i]);
    return r;
}

static int set_graph(struct orma_ftrace_instance *self,
                     const Perfetto__Protos__FtraceConfig *config, char *why, size_t why_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf tracers = {0};
    int r;

    if (!config->has_enable_function_graph || !config->enable_function_graph || self->graph)
        return 0;
    if (orma_tracefs_read(&self->fs, "available_tracers", &tracers) < 0 ||
        !orma_str_find(orma_buf_str(&tracers), ORMA_STR("function_graph"))) {
        say_no_graph(self, why, why_size);
        return -EOPNOTSUPP;
    }
    why[0] = '\0';
    r = set_functions(self, "set_ftrace_filter", config->function_filters,
                      config->n_function_filters, why, why_size);
    if (!r)
        r = set_functions(self, "set_graph_function", config->function_graph_roots,
                          config->n_function_graph_roots, why, why_size);
    if (!r && config->has_function_graph_max_depth)
        r = orma_ftrace_saved_write_number(&self->saved, &self->fs, "max_graph_depth",
                                           config->function_graph_max_depth);
    if (!r)
        r = switch_tracer(self);
    if (r < 0 && !why[0])
        (void)snprintf(why, why_size, "enable_function_graph: %s", strerror(-r)); /* cut: fine */
    self->graph = !r;
    return r;
}

/* Before 6.9 a reader that waits for a fill level may sleep for ever. */
static bool kernel_has_watermark(void)
{
    struct utsname uts;
    unsigned major, minor;

    return uname(&uts) == 0 && sscanf(uts.release, "%u.%u", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 9));
}

static void set_watermark(struct orma_ftrace_instance *self,
                          const Perfetto__Protos__FtraceConfig *config)
{
    uint32_t percent = config->has_drain_buffer_percent ? config->drain_buffer_percent : 0;

    if (!percent || percent > 100 || !kernel_has_watermark())
        return;
    self->is_watched =
        orma_ftrace_saved_write_number(&self->saved, &self->fs, "buffer_percent", percent) == 0;
}

/* What it was is remembered before. Refused: what others have enabled is recorded, too. */
static void stop(struct orma_ftrace_instance *self, const char *file)
{
    int r = orma_tracefs_write(&self->fs, file, "0");

    if (r < 0)
        orma_log_warn("%s/%s: cannot write '0': %s", self->fs.path, file, strerror(-r));
}

int orma_ftrace_setup_first(struct orma_ftrace_instance *self,
                            const Perfetto__Protos__FtraceConfig *config, char *why,
                            size_t why_size)
{
    bool keep = config->has_preserve_ftrace_buffer && config->preserve_ftrace_buffer;
    int r = keep ? 0 : check_others(self, why, why_size);

    if (!r)
        r = orma_ftrace_saved_remember(&self->saved, &self->fs, "set_event");
    if (!r)
        r = orma_ftrace_saved_remember(&self->saved, &self->fs, "tracing_on");
    if (r < 0)
        return r;
    self->preserved = keep;
    if (!keep) {
        stop(self, "tracing_on");
        stop(self, "events/enable");
        r = orma_tracefs_clear(&self->fs);
        if (r < 0) {
            (void)snprintf(why, why_size, "%s/trace: %s", self->fs.path, strerror(-r)); /* cut */
            return r;
        }
        set_sizes(self, config);
    }
    choose_clock(self, config->has_use_monotonic_raw_clock && config->use_monotonic_raw_clock,
                 keep);
    read_sizes(self);
    set_watermark(self, config);
    orma_tracefs_page_layout(&self->fs, &self->page_layout);
    r = set_exclusive(self, config, why, why_size);
    return r ? r : set_graph(self, config, why, why_size);
}

int orma_ftrace_setup_joining(struct orma_ftrace_instance *self,
                              const Perfetto__Protos__FtraceConfig *config, char *why,
                              size_t why_size)
{
    const char *whose = NULL;

    if (self->exclusive)
        whose = "is used exclusively by another session";
    else if (orma_ftrace_setup_is_exclusive(config))
        whose =
            "is in use: tids_to_trace, tracefs_options and tracing_cpumask require exclusive use";
    if (!whose)
        return set_graph(self, config, why, why_size);
    (void)snprintf(why, why_size, "%s %s; use another instance_name to record in a separate ring",
                   self->fs.path, whose); /* cut: fine */
    return -EBUSY;
}
