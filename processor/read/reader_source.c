/* The mapped file: where bytes are in it, and whether they are those that were read. */
#include "processor/read/reader.h"
#include "sdk/base/mapped.h"

/* To ask the kernel costs about as much as to decode an event. */
#define LOOKS_UNCHECKED 1024

int64_t orma_reader_offset(const struct orma_reader *self, const uint8_t *at)
{
    return orma_mapped_offset(self->source.mapped, at);
}

bool orma_reader_still_there(struct orma_reader *self)
{
    if (!self->source.mapped || self->source.gone)
        return !self->source.gone;
    if (self->source.unchecked++ % LOOKS_UNCHECKED && !orma_mapped_torn(self->source.mapped))
        return true;
    self->source.gone = orma_mapped_changed(self->source.mapped);
    return !self->source.gone;
}
