/* The module. Its formats are listed in processor/assembly/importers.c. */
#include "processor/import/formats/formats.h"

const struct orma_import_module orma_formats_module = {.name = "formats"};
