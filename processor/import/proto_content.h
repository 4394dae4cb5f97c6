/*
 * What the bytes of packets are for: a tree of all paths of fields that occur, with the bytes of
 * each. Costs time and is off unless it is asked for.
 */
#ifndef ORMA_PROCESSOR_IMPORT_PROTO_CONTENT_H
#define ORMA_PROCESSOR_IMPORT_PROTO_CONTENT_H
#include "processor/import/import.h"

/* From now on every packet is looked at; -ENOMEM. */
int orma_proto_content_start(struct orma_import *imp);

/* Rows of experimental_proto_path and experimental_proto_content, if it was started. */
void orma_proto_content_finish(struct orma_import *imp);
void orma_proto_content_fini(struct orma_import *imp);
#endif
