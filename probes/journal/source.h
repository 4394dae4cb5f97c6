/*
 * Data source linux.systemd_journald: entries of the system's journal.
 */
#ifndef ORMA_PROBES_JOURNAL_SOURCE_H
#define ORMA_PROBES_JOURNAL_SOURCE_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_journal_source;
#endif
