/* Binaries where the build has no libdw: nothing can be read. */
#include <errno.h>

#include "processor/symbols/binary.h"

bool orma_binary_supported(void)
{
    return false;
}

int orma_binary_peek(const char *path, struct orma_binary_info *ret)
{
    (void)path;
    (void)ret;
    return -ENOTSUP;
}

int orma_binary_open(const char *path, struct orma_binary **ret)
{
    (void)path;
    (void)ret;
    return -ENOTSUP;
}

void orma_binary_free(struct orma_binary *self)
{
    (void)self;
}

size_t orma_binary_frames(struct orma_binary *self, uint64_t pc,
                          struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX])
{
    (void)self;
    (void)pc;
    (void)ret;
    return 0;
}
