/*
 * A setting that was changed and put back leaves no trace in its file, but the kernel's inotify
 * tells of every write. Only files that no session of ours writes while another records are asked
 * that; current_tracer is not one of them.
 *
 * All enabled events stand in one file (set_event). A tree of ordinary files does
 * not keep it; there the events are not watched.
 *
 * To read that file, or to open one of an event, the kernel takes a lock that who
 * switches events on or off holds for seconds on a busy machine. So they, and the
 * lists of pids, are read only where inotify tells of a write, or cannot tell.
 */
#include "probes/ftrace/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "protos/incident.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define VALUE_MAX 40   /* bytes of a setting that are shown */
#define NAMES_SHOWN 3u /* events */
#define HELD_MAX 128   /* folders of events: a descriptor each */

static const char *const files[ORMA_FTRACE_WATCH_FILES] = {
    "tracing_on",      "current_tracer", "trace_clock",           "buffer_size_kb",
    "tracing_cpumask", "set_event_pid",  "set_event_notrace_pid", "buffer_subbuf_size_kb"};

/* Of trace_clock the choice, of others the first line. */
static bool read_setting(const struct orma_tracefs *fs, const char *file, struct orma_buf *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};

    if (!orma_tracefs_line(fs, file, &line))
        return false;
    orma_buf_clear(ret);
    if (!strcmp(file, "trace_clock"))
        orma_tracefs_choice(orma_buf_str(&line), ret);
    else
        orma_buf_put(ret, line.data, line.len);
    return !ret->failed;
}

/* "group:event" a line: is it there? */
static bool has_line(struct orma_str text, const char *group, const char *name)
{
    size_t group_len = strlen(group), name_len = strlen(name);
    struct orma_str line;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (line.len == group_len + 1 + name_len && !memcmp(line.data, group, group_len) &&
            line.data[group_len] == ':' && !memcmp(line.data + group_len + 1, name, name_len))
            return true;
    }
    return false;
}

/* Would each write to the files of this event be told of? */
static bool is_told(const struct orma_ftrace_watch *self, size_t idx)
{
    return self->event_writes && !self->inotify_error && self->event_writes[idx].folder_fd >= 0;
}

static bool is_written(const struct orma_ftrace_watch *self, size_t idx)
{
    return self->event_writes[idx].written || self->event_writes[idx].filter_written;
}

static bool is_enabled_here(const struct orma_ftrace_event *ev)
{
    return ev->plan && !ev->decode_only;
}

/* How many of them are not on, those that were told before left out. Fills the names. */
static unsigned find_off(struct orma_ftrace_watch *self, const struct orma_ftrace_events *events,
                         struct orma_str on, struct orma_buf *names)
{
    unsigned num = 0;

    for (size_t i = 0; i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];

        if (!is_enabled_here(ev) || self->event_told[i] || has_line(on, ev->group, ev->name))
            continue;
        self->event_told[i] = true;
        if (num++ < NAMES_SHOWN)
            orma_buf_printf(names, "%s%s/%s", num > 1 ? ", " : "", ev->group, ev->name);
    }
    if (num > NAMES_SHOWN)
        orma_buf_printf(names, " and %u more", num - NAMES_SHOWN);
    return num;
}

/* A file that is not there needs no watching. */
static int watch_file(struct orma_ftrace_watch *self, struct orma_buf *path)
{
    if (self->inotify_fd < 0 || path->failed)
        return -1;
    int wd = inotify_add_watch(self->inotify_fd, orma_buf_cstr(path), IN_MODIFY);
    if (wd < 0 && errno != ENOENT && !self->inotify_error)
        self->inotify_error = errno;
    return wd;
}

static int watch_path(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                      const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

    orma_buf_printf(&path, "%s/%s", fs->path, name);
    return watch_file(self, &path);
}

static void watch_writes(struct orma_ftrace_watch *self, const struct orma_tracefs *fs)
{
    self->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (self->inotify_fd < 0)
        self->inotify_error = errno;
    for (size_t i = 0; i < ORMA_FTRACE_WATCH_FILES; i++) {
        bool is_ours = !strcmp(files[i], "current_tracer"); /* function graphs write it */

        self->wds[i] = is_ours ? -1 : watch_path(self, fs, files[i]);
    }
    self->options_wd = watch_path(self, fs, "options");
    self->trace_options_wd = watch_path(self, fs, "trace_options");
}

static int watch_folder(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                        const char *group, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

    orma_buf_printf(&path, "%s/events%s%s%s%s", fs->path, group ? "/" : "", group ? group : "",
                    name ? "/" : "", name ? name : "");
    return watch_file(self, &path);
}

/* Filters of system calls are set by all sessions of ours together. */
static bool is_filtered_by_us(const struct orma_ftrace_event *ev)
{
    return !strcmp(ev->group, "raw_syscalls");
}

/* The kernel makes the folders of events anew after it was short of memory, and what was watched
 * is another then; not while somebody has them open. */
static int hold_folder(const struct orma_tracefs *fs, const struct orma_ftrace_event *ev)
{
    char path[512];

    (void)snprintf(path, sizeof(path), "events/%s/%s", ev->group, ev->name); /* fits */
    return openat(fs->dir_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void watch_event_writes(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                               const struct orma_ftrace_events *events)
{
    if (self->inotify_fd < 0)
        return;
    self->event_writes = calloc(events->num + 1, sizeof(*self->event_writes));
    if (!self->event_writes)
        return;
    self->event_writes_num = events->num;
    self->set_event_wd = watch_path(self, fs, "set_event");
    self->events_wd = watch_folder(self, fs, NULL, NULL);
    for (size_t i = 0; i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];
        struct orma_ftrace_watch_event *w = &self->event_writes[i];
        bool on = is_enabled_here(ev);

        w->wd = on ? watch_folder(self, fs, ev->group, ev->name) : -1;
        w->group_wd = on ? watch_folder(self, fs, ev->group, NULL) : -1;
        w->folder_fd = w->wd >= 0 && i < HELD_MAX ? hold_folder(fs, ev) : -1;
    }
}

/* `enable`, `filter` and `trigger`, which switches events and the whole tracer, in the folder of an
 * event, of a group or of all; and set_event. */
static void note_event_writes(struct orma_ftrace_watch *self,
                              const struct orma_ftrace_events *events,
                              const struct inotify_event *ev)
{
    bool all = ev->mask & IN_Q_OVERFLOW || (ev->wd == self->set_event_wd && !ev->len);

    if (!all && (!ev->len || (strcmp(ev->name, "enable") && strcmp(ev->name, "filter") &&
                              strcmp(ev->name, "trigger"))))
        return;
    bool is_filter = ev->len && !strcmp(ev->name, "filter");
    all |= ev->wd == self->events_wd;
    for (size_t i = 0; i < events->num; i++) {
        struct orma_ftrace_watch_event *w = &self->event_writes[i];

        bool hit = w->group_wd >= 0 && (all || ev->wd == w->wd || ev->wd == w->group_wd);
        *(hit && is_filter && is_filtered_by_us(&events->list[i]) ? &w->filter_written
                                                                  : &w->written) |= hit;
    }
}

/* More writes than inotify keeps: of any file. */
static void note_writes(struct orma_ftrace_watch *self, const struct inotify_event *ev)
{
    for (size_t i = 0; i < ORMA_FTRACE_WATCH_FILES; i++) {
        if (self->wds[i] >= 0 && (ev->mask & IN_Q_OVERFLOW || ev->wd == self->wds[i]))
            self->written[i] = true;
    }
}

/* Only one of the options stops recording: while somebody reads the file `trace`. */
static void note_option_writes(struct orma_ftrace_watch *self, const struct inotify_event *ev)
{
    if (ev->mask & IN_Q_OVERFLOW)
        self->options_written = self->options_wd >= 0 || self->trace_options_wd >= 0;
    else if (ev->wd == self->options_wd)
        self->options_written |= ev->len && !strcmp(ev->name, "pause-on-trace");
    else
        self->options_written |= ev->wd == self->trace_options_wd;
}

static void read_writes(struct orma_ftrace_watch *self, const struct orma_ftrace_events *events)
{
    _Alignas(struct inotify_event) char bytes[4096];
    ssize_t n;

    while (self->inotify_fd >= 0 && (n = read(self->inotify_fd, bytes, sizeof(bytes))) > 0) {
        for (size_t at = 0; at + sizeof(struct inotify_event) <= (size_t)n;) {
            const struct inotify_event *ev = (const void *)(bytes + at);

            note_writes(self, ev);
            note_option_writes(self, ev);
            if (self->event_writes)
                note_event_writes(self, events, ev);
            at += sizeof(*ev) + ev->len;
        }
    }
}

static const char *inotify_limit(int error)
{
    return error == EMFILE   ? " (fs.inotify.max_user_instances)"
           : error == ENOSPC ? " (fs.inotify.max_user_watches)"
                             : "";
}

/* Once. */
static void note_unwatched(struct orma_ftrace_watch *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf what = {0};

    if (!self->inotify_error)
        return;
    orma_buf_printf(&what, "inotify: %s%s", strerror(self->inotify_error),
                    inotify_limit(self->inotify_error));
    const struct orma_incident incident = {.kind = ORMA_PB_ORMA_INCIDENT_UNWATCHED,
                                           .source = ORMA_STR("linux.ftrace"),
                                           .what = orma_buf_str(&what)};
    orma_incident_put(&self->incidents, ORMA_PB_FTRACE_STATS_ORMA_FTRACE_INCIDENTS, &incident);
}

void orma_ftrace_watch_start(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events, uint32_t own_filters)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf on = {0}, names = {0};

    self->ok_ns = self->events_ok_ns = orma_clock_boottime();
    self->own_filters = own_filters;
    watch_writes(self, fs); /* first: what is written from here on is told */
    watch_event_writes(self, fs, events);
    note_unwatched(self);
    for (size_t i = 0; i < ORMA_FTRACE_WATCH_FILES; i++)
        self->told[i] = !read_setting(fs, files[i], &self->was[i]);
    self->event_told = calloc(events->num + 1, sizeof(*self->event_told));
    if (!self->event_told)
        return;
    if (orma_tracefs_read(fs, "set_event", &on) < 0 ||
        find_off(self, events, orma_buf_str(&on), &names)) {
        free(self->event_told);
        self->event_told = NULL;
    }
}

static void note(struct orma_ftrace_watch *self, struct orma_str what, uint64_t from, uint64_t now)
{
    const struct orma_incident incident = {.kind = ORMA_PB_ORMA_INCIDENT_CHANGED,
                                           .source = ORMA_STR("linux.ftrace"),
                                           .what = what,
                                           .from_ns = from,
                                           .until_ns = now};

    orma_incident_put(&self->incidents, ORMA_PB_FTRACE_STATS_ORMA_FTRACE_INCIDENTS, &incident);
}

static void put_value(struct orma_buf *out, struct orma_str value)
{
    if (!value.len)
        orma_buf_put_str(out, "empty");
    orma_buf_put(out, value.data, ORMA_MIN(value.len, VALUE_MAX));
}

/* "tracing_on: 1 -> 0". The same: it may have been another in between. */
static void note_change(struct orma_ftrace_watch *self, const char *file, struct orma_str was,
                        struct orma_str is, uint64_t from, uint64_t now)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf what = {0};

    orma_buf_printf(&what, "%s: ", file);
    put_value(&what, was);
    if (orma_str_eq(was, is)) {
        orma_buf_put_str(&what, " as before, but written to");
    } else {
        orma_buf_put_str(&what, " -> ");
        put_value(&what, is);
    }
    note(self, orma_buf_str(&what), from, now);
}

/* Known without reading it: only files that take the lock and that nothing but a write changes. */
static bool is_as_before(const struct orma_ftrace_watch *self, size_t file)
{
    return self->wds[file] >= 0 && !self->inotify_error && !self->written[file] &&
           (!strcmp(files[file], "set_event_pid") || !strcmp(files[file], "set_event_notrace_pid"));
}

static void check_files(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                        uint64_t last_event_ns, uint64_t now)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf is = {0};

    for (size_t i = 0; i < ORMA_FTRACE_WATCH_FILES; i++) {
        struct orma_str was = orma_buf_str(&self->was[i]);

        if (self->told[i] || is_as_before(self, i) || !read_setting(fs, files[i], &is))
            continue;
        bool same = orma_str_eq(was, orma_buf_str(&is));
        if (same && !self->written[i])
            continue;
        self->told[i] = true;
        /* It was still recording when the newest event came. */
        uint64_t from = i == 0 && !same ? ORMA_MAX(self->ok_ns, last_event_ns) : self->ok_ns;
        note_change(self, files[i], was, orma_buf_str(&is), ORMA_MIN(from, now), now);
    }
}

/* Are the events to be compared? Where inotify may miss some, at the end only. */
static bool are_in_doubt(const struct orma_ftrace_watch *self,
                         const struct orma_ftrace_events *events, bool at_end)
{
    if (!self->event_writes || self->inotify_error)
        return true;
    for (size_t i = 0; i < events->num; i++) {
        if (is_enabled_here(&events->list[i]) &&
            (is_written(self, i) || (at_end && !is_told(self, i))))
            return true;
    }
    return false;
}

static void check_events(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                         const struct orma_ftrace_events *events, bool at_end, uint64_t now)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf on = {0}, names = {0}, what = {0};
    bool all_told = true;

    for (size_t i = 0; i < events->num; i++)
        all_told = all_told && (!is_enabled_here(&events->list[i]) || is_told(self, i));
    if (!self->event_told)
        return;
    if (are_in_doubt(self, events, at_end)) {
        if (orma_tracefs_read(fs, "set_event", &on) < 0)
            return;
        if (find_off(self, events, orma_buf_str(&on), &names)) {
            orma_buf_printf(&what, "switched off: %s", orma_buf_cstr(&names));
            note(self, orma_buf_str(&what), self->events_ok_ns, now);
        }
    } else if (!all_told) {
        return;
    }
    self->events_ok_ns = now;
}

/* True: told. */
static bool check_filter(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                         const struct orma_ftrace_event *ev, uint64_t now)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf is = {0};
    struct orma_str was = orma_str_from(ev->filter ? ev->filter : "none");
    char path[512];

    (void)snprintf(path, sizeof(path), "events/%s/%s/filter", ev->group, ev->name); /* fits */
    if (!orma_tracefs_line(fs, path, &is) || !is.len || orma_str_eq(was, orma_buf_str(&is)))
        return false;
    note_change(self, path, was, orma_buf_str(&is), self->ok_ns, now);
    return true;
}

static void check_filters(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                          const struct orma_ftrace_events *events, bool own_syscalls, uint64_t now)
{
    for (size_t i = 0; self->event_told && i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];

        if (!is_enabled_here(ev) || self->event_told[i] || (own_syscalls && is_filtered_by_us(ev)))
            continue;
        if (is_told(self, i) && !is_filtered_by_us(ev) && !is_written(self, i))
            continue;
        self->event_told[i] = check_filter(self, fs, ev, now);
    }
}

/* What is as it was, but was written to: it may have been off or filtered in between. by_us:
 * filters of raw_syscalls were written by sessions of ours. */
static void check_event_writes(struct orma_ftrace_watch *self,
                               const struct orma_ftrace_events *events, bool by_us, uint64_t now)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0}, what = {0};
    unsigned num = 0;

    for (size_t i = 0; self->event_told && self->event_writes && i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];
        struct orma_ftrace_watch_event *w = &self->event_writes[i];

        bool written = w->written || (w->filter_written && !by_us);
        w->filter_written = false;
        if (!written || w->told || self->event_told[i])
            continue;
        w->told = true;
        if (num++ < NAMES_SHOWN)
            orma_buf_printf(&names, "%s%s/%s", num > 1 ? ", " : "", ev->group, ev->name);
    }
    if (!num)
        return;
    if (num > NAMES_SHOWN)
        orma_buf_printf(&names, " and %u more", num - NAMES_SHOWN);
    orma_buf_printf(&what, "switched or filtered: %s", orma_buf_cstr(&names));
    note(self, orma_buf_str(&what), self->ok_ns, now);
}

static void check_option_writes(struct orma_ftrace_watch *self, uint64_t now)
{
    if (!self->options_written || self->options_told)
        return;
    self->options_told = true;
    note(self, ORMA_STR("trace_options: written to"), self->ok_ns, now);
}

void orma_ftrace_watch_check(struct orma_ftrace_watch *self, const struct orma_tracefs *fs,
                             const struct orma_ftrace_events *events, uint64_t last_event_ns,
                             bool filters, bool own_syscalls, uint32_t own_filters)
{
    uint64_t now = orma_clock_boottime();

    if (!self->ok_ns)
        return;
    read_writes(self, events);
    check_files(self, fs, last_event_ns, now);
    check_events(self, fs, events, filters, now);
    if (filters)
        check_filters(self, fs, events, own_syscalls, now);
    check_event_writes(self, events, own_filters != self->own_filters, now);
    check_option_writes(self, now);
    self->own_filters = own_filters;
    self->ok_ns = now;
}

/* Of one cpu. */
static void count_cpu(struct orma_ftrace_watch *self, uint64_t *base, uint64_t read,
                      struct orma_ftrace_translate_cpu *seen, uint64_t now)
{
    int64_t more = (int64_t)(read - seen->walked - *base);

    *base = read - seen->walked;
    if (!self->counts || seen->broken) {
        seen->broken = false;
        return;
    }
    if (more > 0 && !self->told_taken) {
        self->told_taken = true;
        note(self, ORMA_STR("trace_pipe: another process read events"), self->counted_ns, now);
    } else if (more < 0 && !self->told_emptied) {
        self->told_emptied = true;
        note(self, ORMA_STR("trace: the ring was emptied"), self->counted_ns, now);
    }
}

void orma_ftrace_watch_count(struct orma_ftrace_watch *self,
                             const struct orma_ftrace_snapshot *snapshot,
                             const struct orma_ftrace_instance_cpu *cpus, unsigned cpus_num,
                             struct orma_ftrace_translate_cpu *seen)
{
    uint64_t now = orma_clock_boottime();
    unsigned at = 0; /* the snapshot has them in the same order, but may lack some */

    if (!self->read_base)
        self->read_base = calloc(cpus_num + 1, sizeof(*self->read_base));
    for (unsigned i = 0; self->read_base && i < cpus_num; i++) {
        if (at < snapshot->cpus_num && snapshot->cpus[at].cpu == cpus[i].id)
            count_cpu(self, &self->read_base[i], snapshot->cpus[at++].stats.read_events, &seen[i],
                      now);
        else
            seen[i].broken = true; /* the next time is a first one */
    }
    self->counts = self->read_base;
    self->counted_ns = now;
}

void orma_ftrace_watch_fini(struct orma_ftrace_watch *self)
{
    orma_fd_close(&self->inotify_fd);
    free(self->read_base);
    for (size_t i = 0; i < ORMA_FTRACE_WATCH_FILES; i++)
        orma_buf_fini(&self->was[i]);
    free(self->event_told);
    for (size_t i = 0; i < self->event_writes_num; i++)
        orma_fd_close(&self->event_writes[i].folder_fd);
    free(self->event_writes);
    orma_buf_fini(&self->incidents);
    *self = (struct orma_ftrace_watch){.inotify_fd = -1};
}
