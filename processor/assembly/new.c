/* What a processor is made of: the modules below do not know each other, here they meet. */
#include "processor/api/processor_impl.h"
#include "processor/assembly/importers.h"
#include "processor/export/export.h"
#include "processor/processor.h"
#include "processor/read/detect.h"

int orma_processor_new(const struct orma_processor_config *config, struct orma_processor **ret)
{
    static const struct orma_processor_parts parts = {.importers = &orma_importers,
                                                      .export_json = orma_export_json_file};

    return orma_processor_new_of(config, &parts, ret);
}

const char *orma_processor_format(unsigned n)
{
    for (unsigned i = 0; i < ORMA_FORMATS_NUM; i++) {
        if ((i == ORMA_FORMAT_PROTO || orma_detect_is_packed(i) || orma_importers.formats[i]) &&
            orma_detect_format_names[i] && n-- == 0)
            return orma_detect_format_names[i];
    }
    return NULL;
}
