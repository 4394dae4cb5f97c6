/* The table of data sources: a new one is a file of its own and a row here. */
#include <string.h>

#include "probes/core/source.h"

/* clang-format off: a row each */
const struct orma_source_type *const orma_probes_source_types[] = {
    &orma_ftrace_source,         &orma_ftrace_frozen_source,
    &orma_inode_file_map_source, &orma_journal_source,
    &orma_perf_source,           &orma_process_stats_source,
    &orma_system_stats_source,   &orma_system_power_source,
    &orma_system_info_source,    NULL,
};
/* clang-format on */

const struct orma_source_type *orma_probes_source_type_find(const char *name)
{
    for (size_t i = 0; orma_probes_source_types[i]; i++) {
        if (!strcmp(orma_probes_source_types[i]->name, name))
            return orma_probes_source_types[i];
    }
    return NULL;
}

struct orma_source *orma_source_sibling(const struct orma_source_env *env, uint64_t session_id,
                                        const struct orma_source_type *type)
{
    ORMA_LIST_EACH (struct orma_source, s, (struct orma_list *)&env->sources, link) {
        if (s->session_id == session_id && s->type == type)
            return s;
    }
    return NULL;
}

void orma_source_flushed(struct orma_source *self, uint64_t flush_id)
{
    self->sink->flush(self->sink);
    if (self->env->flushed)
        self->env->flushed(self, flush_id);
}

void orma_source_stopped(struct orma_source *self)
{
    self->sink->flush(self->sink);
    if (self->env->stopped)
        self->env->stopped(self);
}
