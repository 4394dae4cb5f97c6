/*
 * Text of the kernel's tracer, as atrace, trace-cmd report and the trace file itself print it:
 *
 *     comm-pid  ( tgid) [cpu] flags seconds.micros: event: args
 *
 * Also inside of a HTML page, with a list of processes.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_SYSTRACE_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_SYSTRACE_H
#include "processor/import/core/file.h"
#include "processor/import/core/ports.h"

/* Notes the event of a line, which is a unit of the file then; false: it is no such line. */
bool orma_systrace_line(struct orma_file *file, struct orma_str line);

/* An event in its place in time. */
struct orma_unit_end orma_systrace_parse(struct orma_file *file, const struct orma_item *item);

enum orma_systrace_end {
    ORMA_SYSTRACE_READ,
    ORMA_SYSTRACE_BROKEN, /* something is missing, which is counted */
    ORMA_SYSTRACE_UNREAD, /* nothing reads events of that name */
};

/* An event that is described by "key=value" texts, by name. `named`: the thread that the line's
 * name is of; the event's own is that which has the tid now. */
enum orma_systrace_end orma_systrace_event(struct orma_import_ctx *imp,
                                           const struct orma_kernel_event *of, uint32_t named,
                                           struct orma_str name, struct orma_str args,
                                           struct orma_buf *scratch);

/* The value of a key. False: there is none. */
bool orma_systrace_arg(struct orma_str args, const char *key, struct orma_str *ret);
#endif
