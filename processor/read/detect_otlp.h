/* Spans and profiles of OpenTelemetry, and spans of those who write the same: told by their
 * content. */
#ifndef ORMA_PROCESSOR_READ_DETECT_OTLP_H
#define ORMA_PROCESSOR_READ_DETECT_OTLP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool orma_detect_otlp(const uint8_t *data, size_t len);

/* A message of profiles, with or without its dictionary. */
bool orma_detect_otlp_profiles(const uint8_t *data, size_t len);
#endif
