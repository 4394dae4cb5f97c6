/*
 * A trace of a fleet: its content's hash, what it is called, and its rows by table.
 *
 *     orma_fleet_trace_hash(path, hash);
 *     orma_fleet_trace_load(&trace, tp, labels, path);
 *     orma_fleet_trace_rows(tp, &orma_fleet_tables[i], "", 0, &columns);
 */
#ifndef ORMA_TOOLS_FLEET_TRACE_H
#define ORMA_TOOLS_FLEET_TRACE_H
#include "processor/columns/columns.h"
#include "tools/fleet/hash.h"
#include "tools/fleet/labels.h"
#include "tools/fleet/tables.h"

#define ORMA_FLEET_HASH_TEXT (2 * ORMA_FLEET_HASH_BYTES + 1)

struct orma_fleet_trace {
    uint8_t hash[ORMA_FLEET_HASH_BYTES]; /* set before it is loaded */
    uint32_t day;                        /* since 1970, UTC */
    struct orma_buf build, machine;      /* texts */
    struct orma_buf labels;              /* see labels.h */
};

/* 0 or -errno. */
int orma_fleet_trace_hash(const char *path, uint8_t ret[ORMA_FLEET_HASH_BYTES]);
void orma_fleet_hash_text(const uint8_t hash[ORMA_FLEET_HASH_BYTES],
                          char ret[ORMA_FLEET_HASH_TEXT]);
/* The other way; more may follow. */
bool orma_fleet_hash_parse(const char *text, uint8_t ret[ORMA_FLEET_HASH_BYTES]);

/* 0 or -errno; the reason is the processor's error, or stands in `why`. */
int orma_fleet_trace_load(struct orma_fleet_trace *self, struct orma_processor *tp,
                          const struct orma_fleet_labels *labels, const char *path,
                          struct orma_buf *why);
void orma_fleet_trace_fini(struct orma_fleet_trace *self);

/* `with`: these columns in front, as SQL with a ',' behind each. `rows` of a batch; 0: as usual. */
int orma_fleet_trace_rows(struct orma_processor *tp, const struct orma_fleet_table *table,
                          const char *with, uint64_t rows, struct orma_columns **ret);

/* "2026-11-27" or "20261127"; false: no such day. */
bool orma_fleet_parse_day(const char *text, uint32_t *ret);
void orma_fleet_day_text(uint32_t day, char ret[16]);
#endif
