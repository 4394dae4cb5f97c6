/* Names that builds have made short: of classes and fields in heap graphs. */
#ifndef ORMA_PROCESSOR_IMPORT_PROFILE_HEAP_NAMES_H
#define ORMA_PROCESSOR_IMPORT_PROFILE_HEAP_NAMES_H
#include "processor/import/core/importer.h"
#include "processor/model/heap_graph.h"

/* Names that a build made short: a DeobfuscationMapping message, kept until the end. */
void orma_profile_heap_deobfuscate(struct orma_import_ctx *imp, struct orma_str bytes);

/* Puts long names to classes and fields. heap_graph_names.c */
struct orma_heap_names {
    struct orma_heap_graph_list list; /* (package, short name, long name, is a field), pool ids */
    uint32_t classes, references;     /* rows that have theirs */
};
void orma_profile_heap_names_add(struct orma_import_ctx *imp, struct orma_heap_names *names,
                                 struct orma_str bytes);
/* False: stopped, to go on there. */
bool orma_profile_heap_names_apply(struct orma_import_ctx *imp, struct orma_heap_names *names);
#endif
