/* Why a file can't be read: the first reason counts. */
#include <stdarg.h>
#include <stdio.h>

#include "processor/import/core/file.h"

void orma_file_error(struct orma_file *self, int error, const char *fmt, ...)
{
    struct orma_import *import = self->import;
    va_list args;

    if (import->reader.error)
        return;
    va_start(args, fmt);
    (void)vsnprintf(import->error_text, sizeof(import->error_text), fmt, args);
    va_end(args);
    import->error_code = error;
    import->reader.error = import->error_text;
}
