/*
 * Leftovers: folders with sockets, /tmp/orma-XXXXXX, that a killed recording
 * has left behind.
 *
 * A folder holds a file `lock`, locked as long as its owner lives. What is not
 * locked, belongs to us, and holds nothing but that file and sockets goes. One
 * without that file goes if nobody listens on its sockets, after a minute.
 */
#ifndef ORMA_TOOLS_SERVICE_LEFTOVERS_H
#define ORMA_TOOLS_SERVICE_LEFTOVERS_H

#define ORMA_SERVICE_LEFTOVERS_PATTERN "orma-XXXXXX" /* for mkdtemp() */

/* Marks a folder as in use until the descriptor is closed, or the process ends. -errno. */
int orma_service_leftovers_mark(const char *dir);

/* Removes the mark; before the descriptor is closed. */
void orma_service_leftovers_unmark(const char *dir);

/* Looks in /tmp and in the user's run-time directory; returns how many were removed. */
unsigned orma_service_leftovers_remove(void);
#endif
