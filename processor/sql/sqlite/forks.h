/*
 * SQLite has locks of its own that all connections share. A child of fork() would have those that
 * other threads held at that moment, for ever: so the thread that forks takes all of them first.
 */
#ifndef ORMA_PROCESSOR_SQL_SQLITE_FORKS_H
#define ORMA_PROCESSOR_SQL_SQLITE_FORKS_H

/* Before the first connection. From any thread, any number of times. */
void orma_sqlite_watch_forks(void);
#endif
