#include "tools/fleet/packed.h"

#include <errno.h>
#include <string.h>

#include "tools/fleet/block.h"
#include "tools/load/threads.h"

/* A sender joins them: few of them have few dictionaries. */
#define BLOCK_ROWS (UINT64_C(1) << 18)

int orma_fleet_pack_fail(struct orma_fleet_pack *self, const char *text, int error)
{
    if (!self->why->len)
        orma_buf_put_str(self->why, text && *text ? text : strerror(-error));
    return error;
}

static int take_table(struct orma_fleet_pack *self, unsigned table)
{
    struct orma_columns *columns = NULL;
    int r = orma_fleet_trace_rows(self->tp, &orma_fleet_tables[table],
                                  self->with ? self->with(self) : "", self->with ? 0 : BLOCK_ROWS,
                                  &columns);

    if (r)
        return orma_fleet_pack_fail(self, orma_processor_error(self->tp), r);
    r = self->take(self, table, columns);
    if (r)
        orma_fleet_pack_fail(self, orma_columns_error(columns), r);
    orma_columns_free(columns);
    return r;
}

int orma_fleet_pack_run(struct orma_fleet_pack *self, const char *path, const uint8_t *hash,
                        const struct orma_fleet_labels *labels)
{
    struct orma_processor_config config = {.size = sizeof(config), .threads = orma_load_threads()};
    int r = orma_processor_new(&config, &self->tp);

    memcpy(self->trace.hash, hash, ORMA_FLEET_HASH_BYTES);
    if (!r)
        r = orma_fleet_trace_load(&self->trace, self->tp, labels, path, self->why);
    if (r)
        orma_fleet_pack_fail(self, self->tp ? orma_processor_error(self->tp) : NULL, r);
    for (unsigned i = 0; !r && i < ORMA_FLEET_TABLES; i++)
        r = take_table(self, i);
    return r;
}

void orma_fleet_pack_fini(struct orma_fleet_pack *self)
{
    orma_fleet_trace_fini(&self->trace);
    orma_processor_free(self->tp);
}

/* ---- for the senders ---- */

static int take_blocks(struct orma_fleet_pack *self, unsigned table, struct orma_columns *columns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf body = {0};
    struct orma_columns_batch *batch;
    int r;

    while ((r = orma_columns_next(columns, &batch)) == 1) {
        orma_buf_clear(&body);
        r = orma_fleet_block_put(&body, batch, &orma_fleet_tables[table]);
        const struct orma_fleet_frame frame = {table, (uint32_t)batch->rows, body.len};

        orma_columns_batch_unref(batch);
        if (r)
            return r == -EDOM
                       ? orma_fleet_pack_fail(self, "a value does not have its column's type", r)
                       : r;
        if (fwrite(&frame, sizeof(frame), 1, self->out) != 1 ||
            fwrite(body.data, 1, body.len, self->out) != body.len)
            return orma_fleet_pack_fail(self, strerror(errno), -EIO);
        self->head.tables |= 1U << table;
        self->head.rows += frame.rows;
        self->head.bytes += sizeof(frame) + frame.len;
    }
    return r;
}

int orma_fleet_pack(const char *path, const uint8_t *hash, const struct orma_fleet_labels *labels,
                    FILE *out, struct orma_buf *why)
{
    struct orma_fleet_pack self = {.why = why, .take = take_blocks, .out = out};
    int r = fseek(out, sizeof(self.head), SEEK_SET)
                ? -errno
                : orma_fleet_pack_run(&self, path, hash, labels);

    if (!r) {
        memcpy(self.head.hash, hash, ORMA_FLEET_HASH_BYTES);
        self.head.day = self.trace.day;
        self.head.build = (uint32_t)self.trace.build.len;
        self.head.machine = (uint32_t)self.trace.machine.len;
        fputs(orma_buf_cstr(&self.trace.build), out);
        fputs(orma_buf_cstr(&self.trace.machine), out);
        if (fflush(out) || fseek(out, 0, SEEK_SET) ||
            fwrite(&self.head, sizeof(self.head), 1, out) != 1 || fflush(out))
            r = orma_fleet_pack_fail(
                &self, errno ? strerror(errno) : "its rows could not be stored", -EIO);
    }
    orma_fleet_pack_fini(&self);
    return r;
}
