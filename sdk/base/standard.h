/*
 * Standard streams. In a program that was started with one of them closed, the next descriptor gets
 * its number, and whoever prints writes into that: a socket, shared memory, a file.
 */
#ifndef ORMA_SDK_BASE_STANDARD_H
#define ORMA_SDK_BASE_STANDARD_H

/*
 * A descriptor that was just made, or -1 with errno: gives it another number if it has that of a
 * standard stream, which is closed then. The descriptor, or -errno.
 */
int orma_standard_avoid(int fd);

/*
 * At the start of one of our own programs: standard streams that are closed are taken, so that
 * nothing else gets their numbers. Reading and writing fails as before (EBADF), and they are closed
 * again in programs that this one starts.
 */
void orma_standard_take(void);
#endif
