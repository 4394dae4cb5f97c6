/*
 * What services and their sessions cost and hold, for `orma status`: CPU time and memory of the
 * process, and for each session what its buffers hold, and what was lost. From the rescue folders
 * of services that this user may look into (traced/usage.h).
 */
#ifndef ORMA_TOOLS_SERVICE_COSTS_H
#define ORMA_TOOLS_SERVICE_COSTS_H
#include <stdio.h>

/* Of all services. How many there are. */
unsigned orma_service_costs_print(FILE *out);

/* The same once a second, with the share of a CPU since the last time, until SIGINT or SIGTERM. */
void orma_service_costs_watch(FILE *out);
#endif
