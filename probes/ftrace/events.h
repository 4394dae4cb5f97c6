/*
 * The events of one session: which tracepoints its config selects, and the
 * compiled plans for them.
 *
 * Selection looks at names, compiling at the kernel's formats. What is not
 * there, or cannot be used, is listed for the session's statistics.
 * Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_EVENTS_H
#define ORMA_PROBES_FTRACE_EVENTS_H
#include <stdbool.h>
#include <stdint.h>

#include "probes/kernel/tracefs.h"
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/arena.h"
#include "sdk/base/map.h"
#include "sdk/ftrace/plan.h"
#include "sdk/ftrace/translate.h"

#define ORMA_FTRACE_EVENTS_MAX 20000

/* Numbers of generic messages, by group/name; one for the whole daemon. */
struct orma_ftrace_generic_ids;
struct orma_ftrace_dynamic;

int orma_ftrace_generic_ids_new(struct orma_ftrace_generic_ids **ret);
void orma_ftrace_generic_ids_free(struct orma_ftrace_generic_ids *self);
/* >= 65536, the same for the same name; 0: too many, or no memory. */
uint32_t orma_ftrace_generic_ids_get(struct orma_ftrace_generic_ids *self, const char *group,
                                     const char *name);

struct orma_ftrace_event {
    const char *group, *name;
    bool decode_only;    /* there is nothing to enable (group ftrace) */
    uint8_t kprobe_type; /* KprobeEvent.KprobeType; 0: a tracepoint */
    const char *kprobe_name;
    struct orma_ftrace_dynamic *dynamic; /* NULL: an event of the kernel's own */
    const char *filter;                  /* of the kernel's own language; NULL: none */
    struct orma_ftrace_plan *plan;       /* NULL: could not be compiled */
};

struct orma_ftrace_name_list {
    const char **names; /* "group/name", in the arena */
    size_t num, cap;
};

struct orma_ftrace_events {
    struct orma_arena arena;
    struct orma_ftrace_event *list;
    size_t num, cap;
    struct orma_ftrace_plan **plans; /* by id */
    unsigned plans_num;
    struct orma_ftrace_name_list unknown, failed;
    struct orma_ftrace_syscall_set syscalls; /* of raw_syscalls */
    unsigned odd_formats;                    /* files with lines that made no sense */
};

void orma_ftrace_events_fini(struct orma_ftrace_events *self);

/*
 * Is this entry of ftrace_events not an event of the kernel but a probe to be
 * set ("kprobe:", "uprobe:", "usdt:" and the like, see dynamic.h)?
 */
bool orma_ftrace_events_is_probe(const char *text);

/*
 * Appends what the config's ftrace_events name, but for probes; twice the same is once. Each is
 * "group/name", "group/" and a star, or "name"; "group/name if FILTER" lets the
 * kernel drop events that do not match the filter. -ENOMEM.
 */
int orma_ftrace_events_select(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                              const Perfetto__Protos__FtraceConfig *config);
/* One more. The strings are copied. */
int orma_ftrace_events_add(struct orma_ftrace_events *self, const char *group, const char *name,
                           struct orma_ftrace_event **ret);

/*
 * Reads the formats and fills `plans`, and what of `translate` depends on them.
 * -ENOMEM.
 */
int orma_ftrace_events_compile(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                               const Perfetto__Protos__FtraceConfig *config, unsigned word_size,
                               struct orma_ftrace_generic_ids *ids,
                               struct orma_ftrace_translate *translate);

int orma_ftrace_events_note(struct orma_ftrace_events *self, struct orma_ftrace_name_list *list,
                            const char *group, const char *name);
#endif
