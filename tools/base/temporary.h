/*
 * Files without a name in $TMPDIR, or /tmp: tmpfile() knows no TMPDIR.
 */
#ifndef ORMA_TOOLS_BASE_TEMPORARY_H
#define ORMA_TOOLS_BASE_TEMPORARY_H
#include <stdio.h>

/* For reading and writing; gone when it is closed. NULL and errno. */
FILE *orma_temporary_open(void);
#endif
