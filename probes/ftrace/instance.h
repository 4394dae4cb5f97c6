/*
 * Instance: one ring of the kernel's tracer, shared by all sessions that use
 * it. Sets it up for the first, adds the events of each, drains all cpus for
 * everybody, and puts everything back after the last.
 *
 *   get -> [attach -> activate -> deactivate -> detach]* -> (last detach) gone
 *
 * Draining: whole sub-buffers are read into one fixed buffer, in batches, cpu
 * by cpu in turn, so that a flooded cpu does not starve another. A cpu is
 * caught up at the first half-empty sub-buffer: reading on would chase the
 * writer. No file is written on the way.
 * Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_INSTANCE_H
#define ORMA_PROBES_FTRACE_INSTANCE_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "probes/core/source.h"
#include "probes/ftrace/events.h"
#include "probes/ftrace/saved.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/list.h"
#include "sdk/ftrace/bundle.h"
#include "sdk/ftrace/translate.h"

#define ORMA_FTRACE_DRAIN_BATCH_SIZE (128 * 1024)
#define ORMA_FTRACE_DRAIN_TICK_MAX (1024 * 1024) /* bytes per cpu */

struct orma_ftrace_instance;

/* A session's side of the drain. */
struct orma_ftrace_drain {
    struct orma_list link; /* instance->drains */
    struct orma_ftrace_translate *translate;
    struct orma_ftrace_translate_cpu *cpus;         /* as many as the instance has */
    const struct orma_ftrace_syscall_set *syscalls; /* NULL: wants none */
    uint32_t period_ms;
    bool active;
    /* After each tick, and after each flush. */
    void (*ticked)(struct orma_ftrace_drain *self);
};

struct orma_ftrace_instance_cpu {
    uint32_t id;
    int fd;             /* trace_pipe_raw, -1: could not be opened */
    bool caught_up;     /* in this tick */
    bool is_first;      /* nothing was read in this tick */
    uint64_t read;      /* bytes, in this tick */
    uint64_t max;       /* bytes, in this tick */
    uint64_t until_ts;  /* flush: what came after is left for the next tick; 0: no limit */
    struct event *poll; /* NULL: by timer only */
};

/* The daemon's kernel tracing. */
struct orma_ftrace {
    struct orma_source_env *env;
    char *root;
    struct orma_list instances; /* instance.link */
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_generic_ids *generic_ids;
    struct orma_list dynamic;       /* probes that were set for a session, see dynamic.h */
    struct orma_kallsyms *kallsyms; /* NULL: not wanted so far, or hidden */
    bool kallsyms_tried;
    uint8_t *batch;
    size_t batch_size;
};

struct orma_ftrace_instance {
    struct orma_ftrace *ftrace;
    struct orma_list link;
    char *name;
    struct orma_tracefs fs;
    struct orma_ftrace_saved saved;
    struct orma_list drains;
    unsigned sessions;
    struct orma_ftrace_instance_cpu *cpus;
    unsigned cpus_num;
    size_t subbuf_size;
    uint64_t buffer_size; /* bytes per cpu, as the kernel made it */
    struct orma_tracefs_page_layout page_layout;
    uint32_t clock; /* enum FtraceClock, 0: boot */
    bool preserved;
    bool is_own;             /* made by us: the top level was taken; removed at the end */
    bool exclusive;          /* its one session uses what others must not see */
    bool is_watched;         /* buffer_percent is set: the kernel signals when to read */
    bool graph;              /* current_tracer is ours */
    struct orma_map enabled; /* event id -> number of sessions; ORMA_FTRACE_ENABLED_FILTERED */
    struct event *timer;
    uint32_t syscall_filters; /* how often we have set those of raw_syscalls */
    uint32_t ticks;
    uint32_t read_errors;
};

/* In `enabled`: the kernel filters this event for its one session. */
#define ORMA_FTRACE_ENABLED_FILTERED (UINT64_C(1) << 32)

/* May we use tracefs? If not, `why` names the command that would grant it. */
bool orma_ftrace_usable(const struct orma_source_env *env, char *why, size_t why_size);

/* Made with the first session. -ENOENT, -EACCES: no tracefs for us. -ENOMEM. */
int orma_ftrace_get(struct orma_source_env *env, struct orma_ftrace **ret);
void orma_ftrace_free(struct orma_ftrace *self);

/*
 * The instance that a session's config selects, set up by that config if the session is the
 * first one. Counts as a user until put. On failure `why` is a message for the user.
 * Where no instance is named and the top level is taken by another tracer, or
 * another process of ours, it is one that we make, instances/orma-PID.
 * -EBUSY: the named one is taken, or none could be made.
 */
int orma_ftrace_instance_get(struct orma_ftrace *ftrace,
                             const Perfetto__Protos__FtraceConfig *config,
                             struct orma_ftrace_instance **ret, char *why, size_t why_size);
/* The last one leaves everything as it was. */
void orma_ftrace_instance_put(struct orma_ftrace_instance *self);

/* The kernel's symbols, read when first asked for; NULL: they are hidden from us. */
struct orma_kallsyms *orma_ftrace_kallsyms(struct orma_ftrace *self);

/* Enables what nobody has enabled so far; notes failures in `events`. */
void orma_ftrace_instance_enable(struct orma_ftrace_instance *self,
                                 struct orma_ftrace_events *events);
void orma_ftrace_instance_disable(struct orma_ftrace_instance *self,
                                  const struct orma_ftrace_events *events);

/* From here on the kernel also records the system calls that this drain selects. */
void orma_ftrace_instance_attach(struct orma_ftrace_instance *self,
                                 struct orma_ftrace_drain *drain);
void orma_ftrace_instance_detach(struct orma_ftrace_instance *self,
                                 struct orma_ftrace_drain *drain);
/* Recording is on while any drain is active. */
void orma_ftrace_instance_activate(struct orma_ftrace_instance *self,
                                   struct orma_ftrace_drain *drain, bool active);
#endif
