/*
 * The tables of a fleet: what is kept of each trace, as SQL for the trace and as a table of the
 * engine, and the schema around them.
 *
 * Every row begins with the columns of its trace: date, build, machine, load. A load is one attempt
 * to bring one trace in: its number is new each time and grows. The row of the table `trace` comes
 * last, so rows of a load without one are of a trace that is not there yet, or never came whole.
 * The views `NAME` show the rows of `NAME_rows` that belong to the newest load of each content.
 */
#ifndef ORMA_TOOLS_FLEET_TABLES_H
#define ORMA_TOOLS_FLEET_TABLES_H
#include "sdk/base/buf.h"

#define ORMA_FLEET_VERSION 1 /* of the schema; `init` widens tables of an older one */

/* Columns are "name KIND", with ',' between; the kind is the type for the engine. */
enum orma_fleet_kind {
    ORMA_FLEET_INT = 'I',  /* Int64 */
    ORMA_FLEET_REAL = 'F', /* Float64 */
    ORMA_FLEET_TEXT = 'S', /* String */
    ORMA_FLEET_NAME = 'N', /* LowCardinality(String): a dictionary */
    ORMA_FLEET_DATE = 'D', /* Date; of the columns of the trace only */
    ORMA_FLEET_LOAD = 'U', /* UInt64; the same */
};

struct orma_fleet_table {
    const char *name, *columns, *order;
    const char *sql; /* the rows of a loaded trace, in the order of `columns` */
};

/* The last one is `trace`. */
extern const struct orma_fleet_table orma_fleet_tables[];
#define ORMA_FLEET_TABLES 10
extern const char orma_fleet_head[]; /* the columns of the trace, in front of all */
/* Run before the queries of the tables. */
extern const char orma_fleet_prepare[];

struct orma_fleet_column {
    char name[32];
    enum orma_fleet_kind kind;
};

/* The next column of a list; false at its end. */
bool orma_fleet_next_column(const char **columns, struct orma_fleet_column *ret);
const char *orma_fleet_type(enum orma_fleet_kind kind);

/*
 * The statements that make the schema in `database`, each ended by 0. With a cluster also
 * `database`_all, where the same names are the tables of all its servers.
 */
void orma_fleet_schema(const char *database, const char *cluster, struct orma_buf *ret);
#endif
