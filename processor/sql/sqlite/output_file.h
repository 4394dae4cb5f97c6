/*
 * A database that SQLite writes into a file which is open already, and may have no name.
 *
 *     orma_sqlite_output_begin(fd);
 *     ATTACH DATABASE 'ORMA_SQLITE_OUTPUT' AS out; ... DETACH DATABASE out;
 *     int err = orma_sqlite_output_end();
 *
 * The descriptor stays its owner's, is of a regular file, and can be read and written. Of one
 * thread, between begin and end; for anybody else the name means nothing. What SQLite would put
 * beside the file (a journal) stays in memory.
 */
#ifndef ORMA_PROCESSOR_SQL_SQLITE_OUTPUT_FILE_H
#define ORMA_PROCESSOR_SQL_SQLITE_OUTPUT_FILE_H
#include <sqlite3.h>
#include <stdbool.h>

#define ORMA_SQLITE_OUTPUT "/orma-output"

void orma_sqlite_output_begin(int fd);

/* The error number of the first write that failed; 0: none did. */
int orma_sqlite_output_end(void);

/* Is this a file beside the output of this thread, or (`ret_main`) the output itself? */
bool orma_sqlite_output_is(const char *name, bool *ret_main);

/* For the VFS: opens the output. `file` has the size of orma_sqlite_output_size(). */
void orma_sqlite_output_open(sqlite3_file *file);
int orma_sqlite_output_size(void);
#endif
