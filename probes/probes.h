/*
 * The system producer as a library: data of the kernel and of /proc,
 * as data sources of one producer connection.
 *
 *   new -> run (blocks, on the thread that calls it) -> free
 *
 * Connects to the service, and again whenever the connection ends, with growing
 * pauses. Settings of the kernel that a session changed are put back when it
 * ends; those that a killed process left are put back by run().
 *
 * Threads: run() and all sources are on one thread, with an event loop of
 * their own. orma_probes_stop() may be called from any thread, and from signal
 * handlers. Several objects may live in one process.
 */
#ifndef ORMA_PROBES_PROBES_H
#define ORMA_PROBES_PROBES_H
#include <stdbool.h>
#include <stddef.h>

#include "probes/ftrace/name_kinds.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"

struct orma_probes;

/* Zero-initialised: the machine as it is. Strings are copied. */
struct orma_probes_config {
    const char *producer_addr; /* NULL: orma_sock_producer_addr() */
    const char *producer_name; /* NULL: "perfetto.traced_probes" */
    const char *tracefs_root;  /* NULL: the usual places */
    const char *proc_root;     /* NULL: "/proc" */
    const char *sys_root;      /* NULL: "/sys" */
    const char *dev_root;      /* NULL: "/dev" */
    const char *state_dir;     /* NULL: /run/orma, or the user's run-time directory */
};

/* `config` may be NULL. -ENOMEM, -errno of the event loop. */
int orma_probes_new(const struct orma_probes_config *config, struct orma_probes **ret);

/* Serves until orma_probes_stop(). 0, or -errno if the loop failed. All sessions are ended then. */
int orma_probes_run(struct orma_probes *self);

void orma_probes_stop(struct orma_probes *self);

/* How many sources of sessions could not be made so far; the log has said why. From any thread. */
unsigned orma_probes_refused(struct orma_probes *self);

/* NULL is fine. Not while run() is under way. */
void orma_probes_free(struct orma_probes *self);
ORMA_DEFINE_AUTO(struct orma_probes *, orma_probes_free)

/*
 * Could this data source ("linux.ftrace") work now, with the rights of this
 * process? If not, `why` says what is missing and the one command that would
 * grant it. `config` may be NULL. Does not change anything.
 */
bool orma_probes_source_usable(const struct orma_probes_config *config, const char *source,
                               char *why, size_t why_size);

/* Names of all data sources, ended by NULL. */
const char *const *orma_probes_sources(void);

/* Puts back what killed processes left, as run() does at its start. Returns how many folders of the
 * kernel's. */
unsigned orma_probes_repair(const struct orma_probes_config *config);

/*
 * Reports each name in an encoded FtraceConfig that this kernel does not have.
 * 0, or -errno: nothing can be known, with these rights (-EACCES), or without
 * tracefs. `config` may be NULL. Does not change anything.
 */
int orma_probes_unknown_names(const struct orma_probes_config *config,
                              struct orma_str ftrace_config, orma_ftrace_name_fn *fn, void *ctx);

/* Appends the kernel's events, "group/name" a line. -errno as above. */
int orma_probes_kernel_events(const struct orma_probes_config *config, struct orma_buf *ret);

/* Stops and clears the kernel's tracer, even if another program uses it, and restores what killed
 * processes left changed.
 * -errno. */
int orma_probes_reset_ftrace(const struct orma_probes_config *config);
#endif
