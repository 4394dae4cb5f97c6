/*
 * Many traces into a fleet: a process reads each of them, side by side, and others bring what came
 * of them to the servers, or each writes its files.
 *
 *   files ─► readers (hash, load, rows by table, into a file without a name)
 *               ─► batches of whole traces ─► senders: one INSERT a table, the table `trace` last
 *
 * Nothing of a trace is seen before its row of `trace` is there (tables.h). When a server goes away
 * in the middle, its batch is sent again under new numbers; what came before stays unseen, and goes
 * with `expire`. A content that is there is not read again.
 */
#ifndef ORMA_TOOLS_FLEET_LOAD_H
#define ORMA_TOOLS_FLEET_LOAD_H
#include "tools/fleet/labels.h"
#include "tools/fleet/server.h"

struct orma_fleet_load {
    const struct orma_fleet_address *to; /* NULL: files below `folder` */
    const char *folder;
    const struct orma_fleet_labels *labels;
    struct orma_buf paths; /* each ended by 0; in order, each once */
    unsigned jobs;         /* of each kind; 0: as many as there are cpus */
    unsigned retry_s;      /* how long a server that is away is waited for */
    bool again;            /* contents that are there, too */
};

/* What to exit with. */
int orma_fleet_load_run(const struct orma_fleet_load *self);

/* Does every host have the schema of this program? The exit code, with a message. */
int orma_fleet_check_schema(const struct orma_fleet_address *to);

/* The first number of an answer in text; `what` failed: a message, and false. */
bool orma_fleet_ask_number(const struct orma_fleet_address *to, size_t host, const char *sql,
                           uint64_t *ret);
/* "orma fleet: HOST: text". */
void orma_fleet_complain(const struct orma_fleet_address *to, size_t host, const char *text);
#endif
