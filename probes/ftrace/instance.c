/*
 * get:       find the ring by its name, or take it (lock, check for other tracers, save
 *            its settings, open its cpus, set it up); if the top level is taken, make
 *            instances/orma-PID
 * enable:    event ids are counted; the first user switches the event on
 * activate:  the first active drain starts recording and the timer, the last one stops
 *            both and drains what is left
 * put:       the last user restores every saved setting
 */
#include "probes/ftrace/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/ftrace/drain.h"
#include "probes/ftrace/dynamic.h"
#include "probes/ftrace/select.h"
#include "probes/ftrace/setup.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/assert.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ftrace/kallsyms.h"

#define OWN_TRIES 8
#define KPTR_RESTRICT "sys/kernel/kptr_restrict"

int orma_ftrace_get(struct orma_source_env *env, struct orma_ftrace **ret)
{
    struct orma_ftrace *self = env->ftrace;
    int r;

    if (self) {
        *ret = self;
        return 0;
    }
    self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->env = env;
    orma_list_init(&self->instances);
    orma_list_init(&self->dynamic);
    self->batch_size = ORMA_FTRACE_DRAIN_BATCH_SIZE;
    self->batch = malloc(self->batch_size);
    r = self->batch ? orma_ftrace_bundle_init(&self->bundle) : -ENOMEM;
    if (!r)
        r = orma_ftrace_generic_ids_new(&self->generic_ids);
    if (!r)
        r = orma_tracefs_find(env->tracefs_root, &self->root);
    if (r < 0) {
        orma_ftrace_free(self);
        return r;
    }
    env->ftrace = *ret = self;
    return 0;
}

void orma_ftrace_free(struct orma_ftrace *self)
{
    if (!self)
        return;
    if (self->env->ftrace == self)
        self->env->ftrace = NULL;
    orma_ftrace_bundle_fini(&self->bundle);
    orma_ftrace_generic_ids_free(self->generic_ids);
    orma_ftrace_dynamic_free_all(&self->dynamic);
    orma_kallsyms_free(self->kallsyms);
    free(self->batch);
    free(self->root);
    free(self);
}

/*
 * Addresses are shown as 0 unless kptr_restrict is low; as root it is lowered for a moment, and put
 * back by the next start if we are killed in it.
 */
static int read_kallsyms(const struct orma_source_env *env, struct orma_kallsyms **ret)
{
    ORMA_AUTO(orma_fd_close) int fd = open(env->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct orma_tracefs proc = {.path = (char *)env->proc_root, .dir_fd = fd, .top_fd = fd};
    struct orma_ftrace_saved saved;
    int r = orma_kallsyms_open(fd, env->state_dir, ret);

    if (r != -ENOENT || !orma_tracefs_has(&proc, KPTR_RESTRICT) ||
        orma_ftrace_saved_take(&saved, env->state_dir, env->proc_root, NULL) < 0)
        return r;
    if (orma_ftrace_saved_write(&saved, &proc, KPTR_RESTRICT, "0") == 0)
        r = orma_kallsyms_open(fd, env->state_dir, ret);
    orma_ftrace_saved_restore(&saved, &proc);
    return r;
}

struct orma_kallsyms *orma_ftrace_kallsyms(struct orma_ftrace *self)
{
    int r;

    if (self->kallsyms_tried)
        return self->kallsyms;
    self->kallsyms_tried = true;
    r = read_kallsyms(self->env, &self->kallsyms);
    if (r < 0)
        orma_log_warn(
            "linux.ftrace: no kernel symbols: %s (run as root, or: sysctl kernel.kptr_restrict=0)",
            r == -ENOENT ? "they are hidden" : strerror(-r));
    return self->kallsyms;
}

static void instance_free(struct orma_ftrace_instance *self)
{
    orma_ftrace_drain_stop_timer(self);
    for (unsigned i = 0; i < self->cpus_num; i++)
        orma_fd_close(&self->cpus[i].fd);
    free(self->cpus);
    orma_map_fini(&self->enabled);
    orma_list_remove(&self->link);
    orma_ftrace_saved_restore(&self->saved, &self->fs);
    orma_tracefs_close(&self->fs);
    free(self->name);
    free(self);
}

static int open_cpus(struct orma_ftrace_instance *self)
{
    uint32_t *ids = malloc(ORMA_TRACEFS_CPUS_MAX * sizeof(*ids));
    unsigned num = ids ? orma_tracefs_cpus(&self->fs, ids, ORMA_TRACEFS_CPUS_MAX) : 0;

    self->cpus = calloc(num + 1, sizeof(*self->cpus));
    for (unsigned i = 0; self->cpus && i < num; i++) {
        self->cpus[i] = (struct orma_ftrace_instance_cpu){.id = ids[i]};
        orma_ftrace_drain_open_cpu(self, &self->cpus[i]);
        self->cpus_num++;
    }
    free(ids);
    return self->cpus ? 0 : -ENOMEM;
}

/* At least one cpu must be readable, or there is nothing to trace. */
static int check_cpus(const struct orma_ftrace_instance *self)
{
    for (unsigned i = 0; i < self->cpus_num; i++) {
        if (self->cpus[i].fd >= 0)
            return 0;
    }
    return -EACCES;
}

static void free_text(char **text)
{
    free(*text);
}

static int path_of(const struct orma_ftrace *ftrace, const char *name, char **ret)
{
    int r = name[0] ? asprintf(ret, "%s/instances/%s", ftrace->root, name)
                    : asprintf(ret, "%s", ftrace->root);

    return r < 0 ? -ENOMEM : 0;
}

/* Nobody else of our kind has it from here on, and whoever finds our remains puts it back. */
static int take(struct orma_ftrace_instance *self, const char *path, char *why, size_t why_size)
{
    pid_t owner = 0;
    int r = orma_ftrace_saved_take(&self->saved, self->ftrace->env->state_dir, path, &owner);

    if (r == -EBUSY && owner)
        (void)snprintf(why, why_size, "%s is in use by another recording (process %d)", path,
                       (int)owner); /* cut: fine */
    else if (r == -EBUSY)
        (void)snprintf(why, why_size, "%s is in use by another recording", path); /* the same */
    return r;
}

static int open_taken(struct orma_ftrace_instance *self, const char *path)
{
    int r = self->is_own ? orma_ftrace_saved_made(&self->saved) : 0;

    if (!r && self->is_own && mkdir(path, 0750) < 0 && errno != EEXIST)
        r = -errno;
    if (!r)
        r = orma_tracefs_open(&self->fs, self->ftrace->root, self->name);
    if (!r)
        r = open_cpus(self);
    return r ? r : check_cpus(self);
}

/* `own`: the folder is made, and removed at the end. */
static int instance_new(struct orma_ftrace *ftrace, const char *name, bool own,
                        struct orma_ftrace_instance **ret, char *why, size_t why_size)
{
    ORMA_AUTO(free_text) char *path = NULL;
    struct orma_ftrace_instance *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->ftrace = ftrace;
    self->is_own = own;
    self->fs.dir_fd = self->fs.top_fd = -1;
    self->saved.lock_fd = -1;
    orma_list_init(&self->drains);
    why[0] = '\0';
    self->name = strdup(name);
    r = self->name ? path_of(ftrace, name, &path) : -ENOMEM;
    if (!r)
        r = take(self, path, why, why_size);
    if (!r)
        r = open_taken(self, path);
    if (r < 0) {
        if (!why[0])
            (void)snprintf(why, why_size, "%s: %s", path ? path : name, strerror(-r)); /* cut */
        instance_free(self);
        return r;
    }
    *ret = self;
    return 0;
}

/* Room for one sub-buffer, however large this kernel's are. */
static int fit_batch(struct orma_ftrace *self, size_t subbuf_size)
{
    uint8_t *batch;

    if (subbuf_size <= self->batch_size)
        return 0;
    batch = realloc(self->batch, subbuf_size);
    if (!batch)
        return -ENOMEM;
    self->batch = batch;
    self->batch_size = subbuf_size;
    return 0;
}

/* What serves sessions that name no instance may be the top level, or stand for it. */
static struct orma_ftrace_instance *instance_find(struct orma_ftrace *ftrace, const char *name)
{
    ORMA_LIST_EACH (struct orma_ftrace_instance, i, &ftrace->instances, link) {
        if (!strcmp(i->name, name) || (i->is_own && !name[0]))
            return i;
    }
    return NULL;
}

static int make_instance(struct orma_ftrace *ftrace, const Perfetto__Protos__FtraceConfig *config,
                         const char *name, bool own, struct orma_ftrace_instance **ret, char *why,
                         size_t why_size)
{
    struct orma_ftrace_instance *self;
    int r = instance_new(ftrace, name, own, &self, why, why_size);

    if (r < 0)
        return r;
    r = orma_ftrace_setup_first(self, config, why, why_size);
    if (!r)
        r = fit_batch(ftrace, self->subbuf_size);
    if (r < 0) {
        instance_free(self);
        return r;
    }
    orma_list_insert(&ftrace->instances, &self->link);
    *ret = self;
    return 0;
}

/* The top level is taken: a ring of our own. What it can't give is said. */
static int make_own(struct orma_ftrace *ftrace, const Perfetto__Protos__FtraceConfig *config,
                    struct orma_ftrace_instance **ret, char *why)
{
    char name[64], why_not[256];
    int r = -EBUSY;

    for (unsigned i = 1; i <= OWN_TRIES && r == -EBUSY; i++) {
        (void)snprintf(name, sizeof(name), i > 1 ? "orma-%d-%u" : "orma-%d", (int)getpid(),
                       i); /* fits */
        r = make_instance(ftrace, config, name, true, ret, why_not, sizeof(why_not));
    }
    if (r < 0) {
        orma_log_warn("linux.ftrace: cannot create a separate instance: %s", why_not);
        return r;
    }
    orma_log_warn("linux.ftrace: %s; recording in a separate instance (%s), which does not get "
                  "what programs write to trace_marker (ftrace/print, atrace)",
                  why, name);
    why[0] = '\0';
    return 0;
}

static int make_any(struct orma_ftrace *ftrace, const Perfetto__Protos__FtraceConfig *config,
                    const char *name, struct orma_ftrace_instance **ret, char *why, size_t why_size)
{
    /* One that was killed since we started may have left what looks like another tracer. */
    (void)orma_ftrace_saved_recover(ftrace->env->state_dir);
    int r = make_instance(ftrace, config, name, false, ret, why, why_size);
    bool keep = config->has_preserve_ftrace_buffer && config->preserve_ftrace_buffer;

    if (r != -EBUSY || name[0] || keep)
        return r;
    return make_own(ftrace, config, ret, why) < 0 ? r : 0;
}

int orma_ftrace_instance_get(struct orma_ftrace *ftrace,
                             const Perfetto__Protos__FtraceConfig *config,
                             struct orma_ftrace_instance **ret, char *why, size_t why_size)
{
    const char *name = config->instance_name ? config->instance_name : "";
    struct orma_ftrace_instance *self = instance_find(ftrace, name);
    int r = 0;

    if (!self)
        r = make_any(ftrace, config, name, &self, why, why_size);
    else
        r = orma_ftrace_setup_joining(self, config, why, why_size);
    if (r < 0)
        return r;
    self->sessions++;
    *ret = self;
    return 0;
}

void orma_ftrace_instance_put(struct orma_ftrace_instance *self)
{
    ORMA_ASSERT(self->sessions > 0);
    if (--self->sessions == 0) {
        ORMA_ASSERT(orma_list_empty(&self->drains));
        instance_free(self);
    }
}

static int switch_event(struct orma_ftrace_instance *self, const struct orma_ftrace_event *ev,
                        bool on)
{
    char path[512];
    int r;

    (void)snprintf(path, sizeof(path), "events/%s/%s/enable", ev->group, ev->name); /* fits */
    r = orma_tracefs_write(&self->fs, path, on ? "1" : "0");
    if (r < 0) {
        (void)snprintf(path, sizeof(path), "%s%s:%s", on ? "" : "!", ev->group, ev->name);
        if (orma_tracefs_append(&self->fs, "set_event", path) == 0)
            r = 0;
    }
    return r;
}

/* An event that the kernel filters has one session only: the others would miss some. */
static bool may_join(const struct orma_ftrace_event *ev, uint64_t users)
{
    return users == ORMA_MAP_NONE || (!(users & ORMA_FTRACE_ENABLED_FILTERED) && !ev->filter);
}

static int set_filter(struct orma_ftrace_instance *self, const char *group, const char *name,
                      const char *filter)
{
    char path[512];

    (void)snprintf(path, sizeof(path), "events/%s/%s/filter", group, name); /* fits */
    return orma_ftrace_saved_replace(&self->saved, &self->fs, path, filter);
}

static int enable_first(struct orma_ftrace_instance *self, const struct orma_ftrace_event *ev)
{
    int r = ev->filter ? set_filter(self, ev->group, ev->name, ev->filter) : 0;

    if (r < 0)
        orma_log_warn("linux.ftrace: %s/%s: the kernel rejected the filter '%s': %s", ev->group,
                      ev->name, ev->filter, strerror(-r));
    return r ? r : switch_event(self, ev, true);
}

void orma_ftrace_instance_enable(struct orma_ftrace_instance *self,
                                 struct orma_ftrace_events *events)
{
    for (size_t i = 0; i < events->num; i++) {
        struct orma_ftrace_event *ev = &events->list[i];
        uint64_t users;
        int r;

        if (!ev->plan || ev->decode_only)
            continue;
        users = orma_map_get(&self->enabled, ev->plan->id);
        r = may_join(ev, users) ? 0 : -EBUSY;
        if (!r && users == ORMA_MAP_NONE) {
            users = ev->filter ? ORMA_FTRACE_ENABLED_FILTERED : 0;
            r = enable_first(self, ev);
        }
        if (!r)
            r = orma_map_put(&self->enabled, ev->plan->id, users + 1);
        if (r < 0) {
            (void)orma_ftrace_events_note(events, &events->failed, ev->group,
                                          ev->name); /* no memory */
            events->plans[ev->plan->id] = NULL;
            ev->plan = NULL;
        }
    }
}

void orma_ftrace_instance_disable(struct orma_ftrace_instance *self,
                                  const struct orma_ftrace_events *events)
{
    for (size_t i = 0; i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];
        uint64_t users;

        if (!ev->plan || ev->decode_only)
            continue;
        users = orma_map_take(&self->enabled, ev->plan->id);
        if (users == ORMA_MAP_NONE)
            continue;
        if ((uint32_t)users > 1) {
            (void)orma_map_put(&self->enabled, ev->plan->id, users - 1); /* its slot is free */
            continue;
        }
        (void)switch_event(self, ev, false); /* everything is switched off at the end anyway */
        if (users & ORMA_FTRACE_ENABLED_FILTERED)
            (void)set_filter(self, ev->group, ev->name, "0"); /* the same */
    }
}

/* The kernel is to record what any session wants of these two events. */
static void refilter_syscalls(struct orma_ftrace_instance *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf filter = {0};
    struct orma_ftrace_syscall_set all = {.is_limited = true};
    bool any = false;

    ORMA_LIST_EACH (struct orma_ftrace_drain, d, &self->drains, link) {
        if (!d->syscalls)
            continue;
        any = true;
        all.is_limited = all.is_limited && d->syscalls->is_limited;
        for (size_t i = 0; i < ORMA_ARRAY_LEN(all.bits); i++)
            all.bits[i] |= d->syscalls->bits[i];
    }
    if (!any)
        return;
    self->syscall_filters++;
    orma_ftrace_select_syscall_filter(&all, &filter);
    if (filter.failed ||
        set_filter(self, "raw_syscalls", "sys_enter", orma_buf_cstr(&filter)) < 0 ||
        set_filter(self, "raw_syscalls", "sys_exit", orma_buf_cstr(&filter)) < 0)
        orma_log_debug(
            "linux.ftrace: the kernel cannot filter system calls; filtering after reading");
}

void orma_ftrace_instance_attach(struct orma_ftrace_instance *self, struct orma_ftrace_drain *drain)
{
    ORMA_ASSERT(!drain->link.next && drain->cpus && drain->translate && drain->ticked);
    orma_list_insert(&self->drains, &drain->link);
    if (drain->syscalls)
        refilter_syscalls(self);
}

void orma_ftrace_instance_detach(struct orma_ftrace_instance *self, struct orma_ftrace_drain *drain)
{
    orma_ftrace_instance_activate(self, drain, false);
    orma_list_remove(&drain->link);
    if (drain->syscalls)
        refilter_syscalls(self);
}

static bool any_active(const struct orma_ftrace_instance *self)
{
    ORMA_LIST_EACH (struct orma_ftrace_drain, d, (struct orma_list *)&self->drains, link) {
        if (d->active)
            return true;
    }
    return false;
}

static void set_recording(struct orma_ftrace_instance *self, bool on)
{
    int r = orma_tracefs_write(&self->fs, "tracing_on", on ? "1" : "0"); /* remembered at set-up */

    if (r < 0)
        orma_log_warn("%s/tracing_on: %s", self->fs.path, strerror(-r));
}

void orma_ftrace_instance_activate(struct orma_ftrace_instance *self,
                                   struct orma_ftrace_drain *drain, bool active)
{
    bool before = any_active(self);

    ORMA_ASSERT(drain->link.next);
    if (drain->active == active)
        return;
    if (active) {
        drain->active = true;
        if (!before)
            set_recording(self, true);
        orma_ftrace_drain_start_timer(self);
        return;
    }
    drain->active = false;
    if (any_active(self)) {
        drain->active = true;
        orma_ftrace_drain_flush(self);
        drain->active = false;
        return;
    }
    set_recording(self, false);
    drain->active = true; /* the last events are for it */
    orma_ftrace_drain_flush(self);
    drain->active = false;
    orma_ftrace_drain_stop_timer(self);
}
