/*
 * Source: one running use of a data source by one session, as its own file
 * implements it; and what all of them share (struct orma_source_env).
 *
 *   new -> start -> [flush, clear]* -> stop -> free
 *
 * A source never blocks the loop: work that may take long is cut into slices
 * that run from timers. Flush and stop may therefore be answered later, with
 * orma_source_flushed() and orma_source_stopped(). All of it on one thread.
 */
#ifndef ORMA_PROBES_CORE_SOURCE_H
#define ORMA_PROBES_CORE_SOURCE_H
#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/idset.h"
#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "sdk/wire/sink.h"

#define ORMA_SOURCE_SLICE_NS 4000000u /* a source gives the loop back after that long */

struct orma_source;
struct orma_ftrace;

/* What all sources of a daemon share. */
struct orma_source_env {
    struct event_base *base;
    const char *tracefs_root;   /* NULL: looked for when needed */
    const char *proc_root;      /* "/proc" */
    const char *sys_root;       /* "/sys" */
    const char *dev_root;       /* "/dev" */
    const char *state_dir;      /* may be NULL */
    const char *journal_dir;    /* NULL: the machine's journal */
    struct orma_list sources;   /* source.link, all that exist */
    struct orma_ftrace *ftrace; /* the daemon's kernel tracing; made by its first session */
    void (*flushed)(struct orma_source *source, uint64_t flush_id);
    void (*stopped)(struct orma_source *source);
};

/*
 * What a source that looks at processes learns from the kernel events of its
 * session. linux.ftrace calls these after each tick; the arguments are copied.
 */
struct orma_source_process_ops {
    /* Ids to forget first, then ids that occurred in events. */
    void (*seen)(struct orma_source *self, const struct orma_source_idset *renamed,
                 const struct orma_source_idset *pids);
    /* Does it record the descriptors that system calls returned? */
    bool (*wants_fds)(const struct orma_source *self);
    void (*fds)(struct orma_source *self, const struct orma_map *pairs); /* pid << 32 | fd */
    /* Looks up everything that waits, now: for flushes. */
    void (*finish)(struct orma_source *self);
};

struct orma_source_type {
    const char *name; /* as the service knows it */
    bool handles_clear;
    /*
     * Could it work now, with the rights we have? If not, `why` says what is
     * missing and which command would grant it. NULL: always.
     */
    bool (*usable)(const struct orma_source_env *env, char *why, size_t why_size);
    /* Makes it; 0 or -errno, logged by the source. The config is valid during the call only. */
    int (*create)(struct orma_source_env *env, const Perfetto__Protos__DataSourceConfig *config,
                  struct orma_source_sink *sink, struct orma_source **ret);
    void (*start)(struct orma_source *self);
    void (*flush)(struct orma_source *self, uint64_t flush_id); /* NULL: the sink is flushed */
    void (*stop)(struct orma_source *self);                     /* NULL: nothing to do */
    void (*clear)(struct orma_source *self);
    void (*free)(struct orma_source *self);
    const struct orma_source_process_ops *processes; /* NULL: does not look at processes */
    /* Inodes that occurred in kernel events: inode -> device, copied. NULL: not interested. */
    void (*inodes_seen)(struct orma_source *self, const struct orma_map *inodes);
};

/* The beginning of each source's own struct. */
struct orma_source {
    const struct orma_source_type *type;
    struct orma_source_env *env;
    struct orma_source_sink *sink;
    struct orma_list link; /* env->sources */
    uint64_t session_id;
    void *owner; /* of who made it; not the source's business */
};

/* The first source of the session that has these callbacks, or NULL. */
struct orma_source *orma_source_of_processes(const struct orma_source_env *env,
                                             uint64_t session_id);
struct orma_source *orma_source_of_inodes(const struct orma_source_env *env, uint64_t session_id);

/* The time of a packet, by BOOTTIME. It names that clock: one that names none is of the clock that
 * the session has chosen for its trace. */
void orma_source_put_time(struct orma_buf *packet, uint64_t boottime_ns);

/* Answers, see above. */
void orma_source_flushed(struct orma_source *self, uint64_t flush_id);
void orma_source_stopped(struct orma_source *self);
#endif
