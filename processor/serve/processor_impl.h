/*
 * What the other files of serve/ may see of a processor.
 */
#ifndef ORMA_PROCESSOR_SERVE_PROCESSOR_IMPL_H
#define ORMA_PROCESSOR_SERVE_PROCESSOR_IMPL_H
#include "processor/processor.h"
#include "processor/sql/engine.h"

struct orma_sql *orma_processor_sql(struct orma_processor *self);
#endif
