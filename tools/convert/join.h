/*
 * The files of one recording (`orma record --rotate`), one after the other: the whole, as if it had
 * been written into one file.
 */
#ifndef ORMA_TOOLS_CONVERT_JOIN_H
#define ORMA_TOOLS_CONVERT_JOIN_H
#include <stdbool.h>
#include <stddef.h>

#include "tools/output/output.h"

/* Do all of them begin as a file of the same recording? Then they are in the order of their time
 * afterwards. */
bool orma_convert_join_fits(const char **traces, size_t num);

/* Writes them behind each other. 0 or -errno with a line on stderr. */
int orma_convert_join_write(const struct orma_output_want *want, const char *const *traces,
                            size_t num);
#endif
