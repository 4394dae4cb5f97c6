/*
 * What the bytes of packets are for: a tree of all paths of fields that occur, with the bytes of
 * each, and one more for the events of each category and name. Costs time and is off unless it is
 * asked for.
 */
#ifndef ORMA_PROCESSOR_IMPORT_TRACE_PROTO_CONTENT_H
#define ORMA_PROCESSOR_IMPORT_TRACE_PROTO_CONTENT_H
#include "processor/import/trace/trace.h"

/* From now on every packet is looked at; -ENOMEM. Rows of experimental_proto_path and
 * experimental_proto_content come at the end of the import. `imp`: of the module trace. */
int orma_trace_content_start(struct orma_import_ctx *imp);

/* A track event is imported, under its category and name (pool ids, 0: none). */
void orma_trace_content_event(struct orma_import_ctx *imp, const struct orma_item *item,
                              uint32_t category, uint32_t name);
#endif
