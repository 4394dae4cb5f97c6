/*
 * History of the battery in reports of Android: lines that `dumpsys batterystats -c` prints.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_BATTERY_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_BATTERY_H
#include "processor/import/core/file.h"
#include "sdk/base/map.h"

/* Zeroed at first. */
struct orma_formats_battery {
    struct orma_map texts; /* number in the list of texts → pool id of USER:"TEXT" */
    int64_t now_ms;        /* of the line before, since 1970 */
    bool has_time;         /* a line has told it */
    bool screen, doze;
    int shown; /* of the screen's states, the last */
};

/* A line of the section, without its end. False: it is of the history, but can't be read. What
 * happened becomes events of the file. */
bool orma_formats_battery_read(struct orma_file *file, struct orma_formats_battery *self,
                               struct orma_str line);

/* One of these events in its place in time. */
void orma_formats_battery_parse(struct orma_file *file, struct orma_formats_battery *self,
                                const struct orma_item *item);
void orma_formats_battery_fini(struct orma_formats_battery *self);
#endif
