/*
 * The state that a service reports: producers, data sources, sessions.
 */
#ifndef ORMA_TOOLS_SERVICE_STATE_H
#define ORMA_TOOLS_SERVICE_STATE_H
#include <stdbool.h>
#include <stdio.h>

#include "sdk/base/buf.h"

struct orma_consumer;

/* Appends the encoded TracingServiceState. -ENOSYS, -EREMOTEIO, -ETIMEDOUT and others. */
int orma_service_state_query(struct orma_consumer *consumer, struct orma_buf *ret);

/* Has any producer registered a data source of this name? */
bool orma_service_state_has_source(struct orma_str state, const char *name);

#define ORMA_SERVICE_NAME_MAX 128
/* Names of all data sources that are offered now, repeated ones included; returns how many. */
size_t orma_service_state_sources(struct orma_str state, char (*ret)[ORMA_SERVICE_NAME_MAX],
                                  size_t max);

/* Calls `fn` with name and description ("" if it has none) of each category of track events that
 * programs have now; a category as often as it is offered. */
void orma_service_state_categories(struct orma_str state,
                                   void (*fn)(void *ctx, const char *name, const char *text),
                                   void *ctx);

/*
 * Tables for people. The bytes come from the service: text in them is shown without control
 * characters, what is malformed is left out. `details`: also the descriptors of data sources.
 */
void orma_service_state_print(struct orma_str state, bool details, FILE *out);
#endif
