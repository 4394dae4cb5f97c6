#include "probes/ftrace/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/ftrace/drain.h"
#include "probes/ftrace/setup.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

int orma_ftrace_get(struct orma_env *env, struct orma_ftrace **ret)
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
    self->batch_size = ORMA_DRAIN_BATCH_SIZE;
    self->batch = malloc(self->batch_size);
    r = self->batch ? orma_bundle_init(&self->bundle) : -ENOMEM;
    if (!r)
        r = orma_generic_ids_new(&self->generic_ids);
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
    orma_bundle_fini(&self->bundle);
    orma_generic_ids_free(self->generic_ids);
    free(self->batch);
    free(self->root);
    free(self);
}

static void instance_free(struct orma_instance *self)
{
    orma_drain_stop_timer(self);
    for (unsigned i = 0; i < self->cpus_num; i++)
        orma_fd_close(&self->cpus[i].fd);
    free(self->cpus);
    orma_map_fini(&self->enabled);
    orma_list_remove(&self->link);
    orma_saved_restore(&self->saved, &self->fs);
    orma_tracefs_close(&self->fs);
    free(self->name);
    free(self);
}

static int open_cpus(struct orma_instance *self)
{
    uint32_t *ids = malloc(ORMA_TRACEFS_CPUS_MAX * sizeof(*ids));
    unsigned num = ids ? orma_tracefs_cpus(&self->fs, ids, ORMA_TRACEFS_CPUS_MAX) : 0;

    self->cpus = calloc(num + 1, sizeof(*self->cpus));
    for (unsigned i = 0; self->cpus && i < num; i++) {
        char path[64];

        (void)snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", ids[i]); /* fits */
        self->cpus[i] = (struct orma_instance_cpu){.id = ids[i]};
        self->cpus[i].fd = openat(self->fs.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        self->cpus_num++;
    }
    free(ids);
    return self->cpus ? 0 : -ENOMEM;
}

/* At least one cpu must be readable, or there is nothing to trace. */
static int check_cpus(const struct orma_instance *self)
{
    for (unsigned i = 0; i < self->cpus_num; i++) {
        if (self->cpus[i].fd >= 0)
            return 0;
    }
    return -EACCES;
}

static int instance_new(struct orma_ftrace *ftrace, const char *name, struct orma_instance **ret)
{
    struct orma_instance *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->ftrace = ftrace;
    self->fs.dir_fd = self->fs.top_fd = -1;
    self->saved.lock_fd = -1;
    orma_list_init(&self->drains);
    self->name = strdup(name);
    r = self->name ? orma_tracefs_open(&self->fs, ftrace->root, name) : -ENOMEM;
    if (!r)
        r = open_cpus(self);
    if (!r)
        r = check_cpus(self);
    if (r < 0) {
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

static struct orma_instance *instance_find(struct orma_ftrace *ftrace, const char *name)
{
    ORMA_LIST_EACH (struct orma_instance, i, &ftrace->instances, link) {
        if (!strcmp(i->name, name))
            return i;
    }
    return NULL;
}

static int make_instance(struct orma_ftrace *ftrace, const Perfetto__Protos__FtraceConfig *config,
                         const char *name, struct orma_instance **ret, char *why, size_t why_size)
{
    struct orma_instance *self;
    int r = instance_new(ftrace, name, &self);

    if (r < 0) {
        (void)snprintf(why, why_size, "%s%s%s: %s", ftrace->root, name[0] ? "/instances/" : "",
                       name, strerror(-r)); /* cut: fine */
        return r;
    }
    r = orma_setup_first(self, config, why, why_size);
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

int orma_instance_get(struct orma_ftrace *ftrace, const Perfetto__Protos__FtraceConfig *config,
                      struct orma_instance **ret, char *why, size_t why_size)
{
    const char *name = config->instance_name ? config->instance_name : "";
    struct orma_instance *self = instance_find(ftrace, name);
    int r = 0;

    if (!self)
        r = make_instance(ftrace, config, name, &self, why, why_size);
    else
        r = orma_setup_joining(self, config, why, why_size);
    if (r < 0)
        return r;
    self->sessions++;
    *ret = self;
    return 0;
}

void orma_instance_put(struct orma_instance *self)
{
    if (--self->sessions == 0)
        instance_free(self);
}

static int switch_event(struct orma_instance *self, const struct orma_event *ev, bool on)
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

void orma_instance_enable(struct orma_instance *self, struct orma_events *events)
{
    for (size_t i = 0; i < events->num; i++) {
        struct orma_event *ev = &events->list[i];
        uint64_t users;
        int r = 0;

        if (!ev->plan || ev->decode_only)
            continue;
        users = orma_map_get(&self->enabled, ev->plan->id);
        if (users == ORMA_MAP_NONE) {
            users = 0;
            r = switch_event(self, ev, true);
        }
        if (!r)
            r = orma_map_put(&self->enabled, ev->plan->id, users + 1);
        if (r < 0) {
            (void)orma_events_note(events, &events->failed, ev->group, ev->name); /* no memory */
            events->plans[ev->plan->id] = NULL;
            ev->plan = NULL;
        }
    }
}

void orma_instance_disable(struct orma_instance *self, const struct orma_events *events)
{
    for (size_t i = 0; i < events->num; i++) {
        const struct orma_event *ev = &events->list[i];
        uint64_t users;

        if (!ev->plan || ev->decode_only)
            continue;
        users = orma_map_take(&self->enabled, ev->plan->id);
        if (users == ORMA_MAP_NONE)
            continue;
        if (users > 1)
            (void)orma_map_put(&self->enabled, ev->plan->id, users - 1); /* its slot is free */
        else
            (void)switch_event(self, ev, false); /* everything is switched off at the end anyway */
    }
}

void orma_instance_attach(struct orma_instance *self, struct orma_drain *drain)
{
    orma_list_insert(&self->drains, &drain->link);
}

void orma_instance_detach(struct orma_instance *self, struct orma_drain *drain)
{
    orma_instance_activate(self, drain, false);
    orma_list_remove(&drain->link);
}

static bool any_active(const struct orma_instance *self)
{
    ORMA_LIST_EACH (struct orma_drain, d, (struct orma_list *)&self->drains, link) {
        if (d->active)
            return true;
    }
    return false;
}

static void set_recording(struct orma_instance *self, bool on)
{
    int r = orma_tracefs_write(&self->fs, "tracing_on", on ? "1" : "0");

    if (r < 0)
        orma_log_warn("%s/tracing_on: %s", self->fs.path, strerror(-r));
}

void orma_instance_activate(struct orma_instance *self, struct orma_drain *drain, bool active)
{
    bool before = any_active(self);

    if (drain->active == active)
        return;
    if (active) {
        drain->active = true;
        if (!before)
            set_recording(self, true);
        orma_drain_start_timer(self);
        return;
    }
    drain->active = false;
    if (any_active(self)) {
        drain->active = true;
        orma_instance_flush(self);
        drain->active = false;
        return;
    }
    set_recording(self, false);
    drain->active = true; /* the last events are for it */
    orma_instance_flush(self);
    drain->active = false;
    orma_drain_stop_timer(self);
}
