/*
 * A part of a file that a dead service has left, in memory. The file says how much there is, and
 * may say too much; what it only claims, as holes, takes no memory here.
 */
#ifndef ORMA_TRACED_RECOVER_PART_H
#define ORMA_TRACED_RECOVER_PART_H
#include <stddef.h>
#include <stdint.h>

/* `size` bytes at an offset; fewer if the file is shorter. NULL: no memory, or none. To be freed by
 * traced_recovery_part_free(). */
uint8_t *traced_recovery_part_read(int fd, uint64_t at, size_t *size);

/* NULL is fine. */
void traced_recovery_part_free(uint8_t *part);
#endif
