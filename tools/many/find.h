/* Files by patterns: *, ? and [...] in names, and ** for any number of folders. */
#ifndef ORMA_TOOLS_MANY_FIND_H
#define ORMA_TOOLS_MANY_FIND_H
#include "sdk/base/buf.h"

/*
 * Appends the path of each regular file that fits, with its terminator. Names that begin with a dot
 * fit only where the pattern has it. Links to folders are not followed by **. What may hold files
 * that fit, but cannot be looked into (no rights, too deep, a link that leads nowhere), is among
 * the paths, so that it fails with its reason where it is opened and nobody counts without it. 0 or
 * -ENOMEM.
 */
int orma_many_find(const char *pattern, struct orma_buf *paths);

/* The same for the lines of a file; "-" is standard input. 0 or -errno. */
int orma_many_list(const char *file, struct orma_buf *paths);

/* Puts them in order, each once: several patterns may find a file. 0 or -ENOMEM. */
int orma_many_sort(struct orma_buf *paths);
#endif
