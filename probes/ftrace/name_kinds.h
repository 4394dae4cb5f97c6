/*
 * Kinds of names in a FtraceConfig, for those who report names that the kernel
 * does not have. Apart from names.h, which needs the decoded config.
 */
#ifndef ORMA_PROBES_FTRACE_NAME_KINDS_H
#define ORMA_PROBES_FTRACE_NAME_KINDS_H

enum orma_ftrace_name {
    ORMA_FTRACE_NAME_EVENT,    /* ftrace_events: "group/name", "group/" and a star, "name" */
    ORMA_FTRACE_NAME_SYSCALL,  /* syscall_events */
    ORMA_FTRACE_NAME_CATEGORY, /* atrace_categories */
    ORMA_FTRACE_NAME_FUNCTION, /* of the kernel: to be graphed or probed; may be a pattern */
    ORMA_FTRACE_NAME_PROBE,    /* a probe that cannot be set: "SPEC: why not" */
    ORMA_FTRACE_NAME_FEATURE,  /* of the kernel: what is wanted and the option that makes it */
};
typedef void orma_ftrace_name_fn(void *ctx, enum orma_ftrace_name kind, const char *name);
/* Why there are no events of the kernel, and what helps. */
#define ORMA_PROBES_NO_TRACEFS                                                                     \
    "tracefs is not mounted; as root: mount -t tracefs nodev /sys/kernel/tracing; for a "          \
    "container: start it with -v /sys/kernel/tracing:/sys/kernel/tracing"
#endif
