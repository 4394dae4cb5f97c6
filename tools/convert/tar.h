/*
 * Writes a tar: the archive that several traces, or a trace and what belongs to it, make one file
 * of.
 *
 * It is there when it is whole (tools/output/output.h). What goes wrong is said on stderr, once;
 * after that nothing more is written, and closing fails.
 */
#ifndef ORMA_TOOLS_CONVERT_TAR_H
#define ORMA_TOOLS_CONVERT_TAR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/output/output.h"

struct orma_convert_tar {
    const char *program; /* for messages */
    const char *path;
    struct orma_output out;
    uint8_t *block; /* to copy by */
    bool failed;
};

/* Whatever it returns, orma_convert_tar_close() must follow. All return 0 or a negative number. */
int orma_convert_tar_open(struct orma_convert_tar *self, const struct orma_output_want *want);
int orma_convert_tar_add_file(struct orma_convert_tar *self, const char *path, const char *name);
int orma_convert_tar_add_bytes(struct orma_convert_tar *self, const char *name, const void *data,
                               size_t len);
/* `what` is in it, for the line on stderr. */
int orma_convert_tar_close(struct orma_convert_tar *self, const char *what);
#endif
