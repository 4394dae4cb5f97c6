/*
 * A processor, to those who run its queries (query.c) and all else (processor.c).
 */
#ifndef ORMA_PROCESSOR_API_STATE_H
#define ORMA_PROCESSOR_API_STATE_H

#include <stdbool.h>

#include "processor/api/archived.h"
#include "processor/api/cached.h"
#include "processor/api/symbolize.h"
#include "processor/import/core/import.h"
#include "processor/metrics/metrics.h"
#include "processor/processor.h"
#include "processor/sql/engine.h"
#include <stdint.h>

struct orma_processor {
    struct orma_storage storage;
    struct orma_import import;
    struct orma_crew *crew;
    struct orma_sql *sql;
    struct orma_metrics *metrics;
    uint32_t queries; /* that are open */
    char error[1200];
    struct orma_buf sql_error; /* when the last failure was one of SQL: of any length */
    int error_offset;
    _Atomic bool interrupted;
    bool finished;
    bool limited;               /* a load may take so much memory, and no more */
    uint64_t look_at_size;      /* of the input: when the memory is looked at next */
    struct orma_file *file;     /* what is loaded; it belongs to the import */
    struct orma_mapped *mapped; /* the file; NULL: it was fed */
    uint64_t size;
    int64_t begun_ns;                   /* when the first bytes came */
    struct orma_symbolizer *symbolizer; /* for the end of the load; NULL: none */
    struct orma_processor_names names;  /* who hears of what it finds */
    uint64_t unchanged_since_ns;        /* files without a build id; see orma_processor_symbols */
    char *proguard_maps;
    uint32_t options;              /* of the import: part of the key of the cache */
    struct orma_cached cached;     /* what the storage is mapped from, and where to */
    struct orma_archived archived; /* what it was exported to before */
};

#endif
