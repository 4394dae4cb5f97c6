/* The schema of a fleet's servers: making and widening it, what is there, and removing what is old.
 * All give the exit code, with messages printed. */
#ifndef ORMA_TOOLS_FLEET_ADMIN_H
#define ORMA_TOOLS_FLEET_ADMIN_H
#include "tools/fleet/server.h"

/* Prints the statements. */
int orma_fleet_print_schema(const char *database, const char *cluster);
/* Makes what is missing, on every host. */
int orma_fleet_init(const struct orma_fleet_address *to, const char *cluster);
int orma_fleet_status(const struct orma_fleet_address *to);
/* Drops the days before `day`, if `has_day`, and the rows of loads that never became whole. */
int orma_fleet_expire(const struct orma_fleet_address *to, bool has_day, const char *day);
#endif
