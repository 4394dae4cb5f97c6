/*
 * A loaded trace in the formats of other viewers.
 *
 * The formats know one machine: what of several ones they would take for the same CPU, process or
 * thread is refused.
 *
 * JSON is Chrome's trace event format. ftrace text is what the kernel's own
 * `trace` file looks like; systrace wraps it in a page of HTML, as the viewers of
 * that time expect it. firefox is what the profiler of Firefox gathers: samples with stacks, by
 * thread.
 */
#ifndef ORMA_PROCESSOR_EXPORT_EXPORT_H
#define ORMA_PROCESSOR_EXPORT_EXPORT_H
#include <stdbool.h>

#include "processor/processor.h"
#include "protos/reflect/io.h"

struct orma_export {
    struct orma_processor *tp;
    struct orma_reflect_sink sink;
    bool no_args; /* JSON: slices without their arguments */
    /* Kernel events: at most so many, the first or the last ones. 0: all. */
    uint64_t kernel_events_max;
    bool kernel_events_last;
    /* Out. */
    uint64_t flows_left_out; /* JSON has no place for flows between slices that are on no thread */
    uint64_t kernel_events;  /* how many were written */
    uint64_t samples;        /* firefox: how many were written */
    const char *refused;     /* why, in a sentence; then the result is -ENOTSUP */
    bool weighed;            /* firefox: they have different weights, which the format cannot say */
};

/*
 * 0; what the sink returned; another negative errno with the text of the
 * error in orma_processor_error().
 */
int orma_export_json(struct orma_export *self);
/* The same into a file, for the SQL function: orma_sql.given.export_json. */
int orma_export_json_file(void *processor, const char *path);
int orma_export_ftrace(struct orma_export *self);
int orma_export_systrace(struct orma_export *self);
int orma_export_firefox(struct orma_export *self);
#endif
