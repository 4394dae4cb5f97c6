/*
 * Temporary files of SQLite, in memory while they are small.
 *
 * SQLite can keep what it sorts in memory by itself (PRAGMA temp_store=2), but then it sorts all
 * rows in one step that nobody can interrupt, a list with a cache miss per row. With temporary
 * files it sorts runs of 2 MB and merges them row by row: faster, and each step is short. So
 * connections use files that are none: a VFS that serves files without a name from blocks of
 * memory, and hands all others to the default VFS. Of a large file, what lies between 4 MB and
 * 4 GB goes to one of the file system that has no name either, in $TMPDIR, or /var/tmp or /tmp;
 * where none can be made, it stays in memory, as does the rest.
 *
 * Threads: registration happens once; a file belongs to its connection.
 */
#ifndef ORMA_PROCESSOR_SQL_SQLITE_TEMP_FILES_H
#define ORMA_PROCESSOR_SQL_SQLITE_TEMP_FILES_H

/* The name of the VFS for sqlite3_open_v2(); NULL, the default one, if it could not be made. */
const char *orma_sqlite_temp_vfs(void);
#endif
