/* The table of all importers and formats. */
#ifndef ORMA_PROCESSOR_ASSEMBLY_IMPORTERS_H
#define ORMA_PROCESSOR_ASSEMBLY_IMPORTERS_H
#include "processor/import/core/importer.h"

extern const struct orma_importers orma_importers;
#endif
