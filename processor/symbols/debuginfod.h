/* Debug information from servers that have it by build id: elfutils' client, where it is installed.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_DEBUGINFOD_H
#define ORMA_PROCESSOR_SYMBOLS_DEBUGINFOD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* Is the client's library there? */
bool orma_debuginfod_supported(void);

/*
 * Asks the servers `urls` (with blanks between them), which may take as long as the network does;
 * what was fetched once is taken from the user's cache, where the client keeps it. True: *ret is
 * the path of a file, which nobody has looked into yet. Sets variables of the environment, so it is
 * for a process that does nothing else (worker.h).
 */
bool orma_debuginfod_find(const char *urls, const uint8_t *build_id, size_t len,
                          struct orma_buf *ret);
#endif
