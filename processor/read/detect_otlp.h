/* Do these bytes begin spans of OpenTelemetry, in any of their forms? */
#ifndef ORMA_PROCESSOR_READ_DETECT_OTLP_H
#define ORMA_PROCESSOR_READ_DETECT_OTLP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool orma_detect_otlp(const uint8_t *data, size_t len);
#endif
