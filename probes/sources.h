/*
 * The table of data sources. It stands above all of them: a new source is a
 * file in the folder it belongs to, and a row here. No source includes this table.
 */
#ifndef ORMA_PROBES_SOURCES_H
#define ORMA_PROBES_SOURCES_H
#include "probes/core/source.h"

/* All data sources, ended by NULL. */
extern const struct orma_source_type *const orma_probes_source_types[];

/* NULL: no source has this name. */
const struct orma_source_type *orma_probes_source_type_find(const char *name);
#endif
