/*
 * What a reader leaves of a trace for the senders: a file without a name.
 *
 *   head, then blocks of rows (block.h), each a frame and its bytes; then the texts of build and
 * machine
 */
#ifndef ORMA_TOOLS_FLEET_PACKED_H
#define ORMA_TOOLS_FLEET_PACKED_H
#include <stdio.h>

#include "sdk/base/replace.h"
#include "tools/fleet/server.h"
#include "tools/fleet/trace.h"

struct orma_fleet_packed {
    uint8_t hash[ORMA_FLEET_HASH_BYTES];
    uint32_t day, tables; /* a bit for each table that has rows */
    uint64_t rows, bytes; /* bytes: up to the end of the blocks */
    uint32_t build, machine;
};

struct orma_fleet_frame {
    uint32_t table, rows;
    uint64_t len;
};

/* Loads the trace, and has each table's rows taken. */
struct orma_fleet_pack {
    struct orma_fleet_trace trace;
    struct orma_processor *tp;
    struct orma_buf *why; /* what went wrong */
    int (*take)(struct orma_fleet_pack *self, unsigned table, struct orma_columns *columns);
    FILE *out;
    struct orma_fleet_packed head;
    /* Of files: columns in front of all, as SQL; and the files, which get their names at the end.
     */
    const char *(*with)(struct orma_fleet_pack *self);
    const char *folder;
    struct orma_buf columns;
    struct orma_whole files[ORMA_FLEET_TABLES];
    unsigned files_num;
};

int orma_fleet_pack_run(struct orma_fleet_pack *self, const char *path, const uint8_t *hash,
                        const struct orma_fleet_labels *labels);
/* Sets the reason, unless there is one: the text, or that of the error, which it returns. */
int orma_fleet_pack_fail(struct orma_fleet_pack *self, const char *text, int error);
void orma_fleet_pack_fini(struct orma_fleet_pack *self);

/* Reads the trace into the file. -errno, with the reason in `why`. */
int orma_fleet_pack(const char *path, const uint8_t *hash, const struct orma_fleet_labels *labels,
                    FILE *out, struct orma_buf *why);

/* The same as files below a folder: TABLE/date=DAY/build=BUILD/HASH.parquet, `trace` last. */
int orma_fleet_write_files(const char *path, const uint8_t *hash,
                           const struct orma_fleet_labels *labels, const char *folder,
                           struct orma_buf *why);

/* ---- sending ---- */

/* Bits of a load below its time, which is in microseconds since 1970. */
#define ORMA_FLEET_LOAD_BITS 12 /* of chance: the times fit until 2112 */
#define ORMA_FLEET_BATCH_MAX 128

/* What became of a batch; in memory that both sides see. */
struct orma_fleet_sent {
    bool done[ORMA_FLEET_BATCH_MAX];
    char why[ORMA_FLEET_BATCH_MAX][256]; /* "": not tried */
    char broken[512];                    /* no server takes anything more; "": they do */
};

struct orma_fleet_batch {
    const struct orma_fleet_address *to;
    size_t host;
    unsigned retry_s;
    size_t num;
    FILE *files[ORMA_FLEET_BATCH_MAX];
};

void orma_fleet_send(struct orma_fleet_batch *batch, struct orma_fleet_sent *ret);
#endif
