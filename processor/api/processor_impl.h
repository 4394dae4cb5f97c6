/*
 * What the modules above the C API may see of a processor, and what they hand in.
 */
#ifndef ORMA_PROCESSOR_API_PROCESSOR_IMPL_H
#define ORMA_PROCESSOR_API_PROCESSOR_IMPL_H
#include "processor/import/core/importer.h"
#include "processor/processor.h"
#include "processor/sql/engine.h"

/* What a processor is made of, besides its engine. All of it must outlive the processor. */
struct orma_processor_parts {
    const struct orma_importers *importers;
    /* EXPORT_JSON of the SQL engine: writes the trace to `path`; NULL: there is none. */
    int (*export_json)(void *processor, const char *path);
};

/* orma_processor_new() with parts. */
int orma_processor_new_of(const struct orma_processor_config *config,
                          const struct orma_processor_parts *parts, struct orma_processor **ret);

/* `text` is what went wrong last. Returns `error`. */
int orma_processor_fail(struct orma_processor *self, int error, const char *text);

/* Writes what the load left behind to an empty file that can be written anywhere: the same version
 * loads it instead of the trace. -errno, with a sentence in `error`. */
int orma_processor_write_archive(struct orma_processor *self, int fd, struct orma_buf *error);

struct orma_sql *orma_processor_sql(struct orma_processor *self);
#endif
