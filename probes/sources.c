#include "probes/sources.h"

#include <string.h>

#include "probes/ftrace/source.h"
#include "probes/inodes/file_map.h"
#include "probes/journal/source.h"
#include "probes/perf/source.h"
#include "probes/process/stats.h"
#include "probes/system/sources.h"

const struct orma_source_type *const orma_probes_source_types[] = {
    &orma_ftrace_source,         &orma_ftrace_frozen_source,
    &orma_inode_file_map_source, &orma_journal_source,
    &orma_perf_source,           &orma_process_stats_source,
    &orma_system_stats_source,   &orma_system_power_source,
    &orma_system_info_source,    NULL,
};

const struct orma_source_type *orma_probes_source_type_find(const char *name)
{
    for (size_t i = 0; orma_probes_source_types[i]; i++) {
        if (!strcmp(orma_probes_source_types[i]->name, name))
            return orma_probes_source_types[i];
    }
    return NULL;
}
