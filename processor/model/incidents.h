/* Incidents: what made a recording incomplete beside lost packets, as rows with their sentence. */
#ifndef ORMA_PROCESSOR_MODEL_INCIDENTS_H
#define ORMA_PROCESSOR_MODEL_INCIDENTS_H
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_model;

/* One OrmaIncident of the file at hand. What is there already makes no second row: statistics
 * repeat them. */
void orma_model_add_incident(struct orma_model *self, uint16_t machine, struct orma_str message);
#endif
