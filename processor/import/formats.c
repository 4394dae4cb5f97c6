/* All formats other than packets. A new one is a row here and a file with its functions. */
#include "processor/import/file.h"

extern const struct orma_format_ops orma_format_json, orma_format_gzip, orma_format_systrace;

const struct orma_format_ops *const orma_format_ops[ORMA_FORMATS_NUM] = {
    [ORMA_FORMAT_JSON] = &orma_format_json,
    [ORMA_FORMAT_SYSTRACE] = &orma_format_systrace,
    [ORMA_FORMAT_GZIP] = &orma_format_gzip,
};
