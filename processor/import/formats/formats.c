/* The room. Its formats are listed in processor/assembly/importers.c. */
#include "processor/import/formats/formats.h"

const struct orma_import_room orma_formats_room = {.name = "formats"};
