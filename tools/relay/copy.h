/*
 * Bytes between two connected sockets, both ways, until both have ended. What one end does not
 * take is kept, up to 128 KiB, and the other is not read meanwhile: its writer waits, and nothing
 * is lost. Descriptors that come along are closed. Threads: one for each pair.
 */
#ifndef ORMA_TOOLS_RELAY_COPY_H
#define ORMA_TOOLS_RELAY_COPY_H

/* Neither is closed. Ends at once when `stop_fd` can be read. */
void orma_relay_copy(int a, int b, int stop_fd);
#endif
