/* Profiles of callgrind, and of what else writes for its viewers, by the lines of their header. */
#ifndef ORMA_PROCESSOR_READ_DETECT_CALLGRIND_H
#define ORMA_PROCESSOR_READ_DETECT_CALLGRIND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool orma_detect_callgrind(const uint8_t *data, size_t len);
#endif
