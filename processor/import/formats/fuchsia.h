/*
 * Events of a trace of Fuchsia: fuchsia.c reads them, fuchsia_rows.c makes rows of them.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_FUCHSIA_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_FUCHSIA_H

#include <stdbool.h>
#include <stdint.h>

#include "processor/import/core/file.h"
#include "processor/import/core/importer.h"
#include "processor/model/sched.h"

/* Kinds of events. */
enum {
    ORMA_FUCHSIA_INSTANT,
    ORMA_FUCHSIA_COUNTER,
    ORMA_FUCHSIA_BEGIN,
    ORMA_FUCHSIA_END,
    ORMA_FUCHSIA_COMPLETE,
    ORMA_FUCHSIA_ASYNC_BEGIN,
    ORMA_FUCHSIA_ASYNC_INSTANT,
    ORMA_FUCHSIA_ASYNC_END,
    ORMA_FUCHSIA_FLOW_BEGIN,
    ORMA_FUCHSIA_FLOW_STEP,
    ORMA_FUCHSIA_FLOW_END,
    ORMA_FUCHSIA_EVENTS_NUM,
    /* ours */
    ORMA_FUCHSIA_SWITCH = ORMA_FUCHSIA_EVENTS_NUM,
    ORMA_FUCHSIA_WAKEUP,
};

/* The state of a file. */
struct orma_format_fuchsia {
    uint64_t ticks_per_s;
    uint32_t provider;
    struct orma_map strings;            /* provider << 16 | number → pool id */
    struct orma_map processes, threads; /* provider << 8 | number → koid */
    struct orma_map process_of;         /* koid of a thread → that of its process */
    struct orma_arena arena;
    uint32_t running[ORMA_CPUS_MAX]; /* row of sched_slice + 1 */
};

/* What waits in the sorter. */
struct orma_format_fuchsia_event {
    uint8_t kind;
    uint8_t state; /* ORMA_FUCHSIA_SWITCH: how the thread went off */
    bool from_idle, to_idle;
    uint32_t process, thread; /* koids; ORMA_FUCHSIA_SWITCH: `other` comes after `thread` */
    uint32_t other, cpu;
    int32_t weight;
    uint32_t category, name;
    uint64_t data; /* end, counter id, correlation id */
    uint32_t args_num;
    struct orma_args_item args[];
};

/* What a `struct orma_format_fuchsia_event` says; the `parse` of orma_format_fuchsia. */
struct orma_unit_end orma_format_fuchsia_parse(struct orma_file *file,
                                               const struct orma_item *item);

#endif
