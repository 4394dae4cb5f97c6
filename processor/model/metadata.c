/* Metadata: facts about the trace as (name, value) rows. */
#include "processor/model/model.h"

/* The row of a single-valued key in its scope, or a new one. */
static uint32_t find_row(struct orma_model *self, uint32_t name, bool multi,
                         enum orma_metadata_scope scope, uint16_t machine)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_METADATA);

    for (uint32_t row = 0; !multi && row < t->rows; row++) {
        if (orma_table_int(t, ORMA_METADATA_NAME, row) == name &&
            (!(scope & ORMA_METADATA_MACHINE) ||
             orma_table_int(t, ORMA_METADATA_MACHINE_ID, row) == machine) &&
            (!(scope & ORMA_METADATA_TRACE) ||
             orma_table_int(t, ORMA_METADATA_TRACE_ID, row) == self->trace_row))
            return row;
    }
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_METADATA_NAME, row, name);
    orma_table_set(t, ORMA_METADATA_KEY_TYPE, row, multi ? self->known.multi : self->known.single);
    if (scope & ORMA_METADATA_MACHINE)
        orma_table_set(t, ORMA_METADATA_MACHINE_ID, row, machine);
    if (scope & ORMA_METADATA_TRACE)
        orma_table_set(t, ORMA_METADATA_TRACE_ID, row, self->trace_row);
    return row;
}

void orma_metadata_int(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, int64_t val)
{
    uint32_t row = find_row(self, orma_model_cstr(self, name), multi, scope, machine);

    orma_table_set(orma_model_table(self, ORMA_TABLE_METADATA), ORMA_METADATA_INT_VALUE, row, val);
}

void orma_metadata_str(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, uint32_t str)
{
    uint32_t row = find_row(self, orma_model_cstr(self, name), multi, scope, machine);

    orma_table_set(orma_model_table(self, ORMA_TABLE_METADATA), ORMA_METADATA_STR_VALUE, row, str);
}

/* The row of the trace's uuid that is of no file yet, or of this one; ORMA_ROW_NONE: none. */
static uint32_t find_uuid_row(struct orma_model *self, uint32_t name)
{
    const struct orma_table *t = orma_model_table(self, ORMA_TABLE_METADATA);

    for (uint32_t row = 0; row < t->rows; row++)
        if (orma_table_int(t, ORMA_METADATA_NAME, row) == name &&
            (orma_table_is_null(t, ORMA_METADATA_TRACE_ID, row) ||
             orma_table_int(t, ORMA_METADATA_TRACE_ID, row) == self->trace_row))
            return row;
    return ORMA_ROW_NONE;
}

static uint32_t uuid_text(struct orma_model *self, uint64_t msb, uint64_t lsb)
{
    return orma_strpool_addf(&self->storage->pool, "%08x-%04x-%04x-%04x-%04x%08x",
                             (unsigned)(msb >> 32), (unsigned)(msb >> 16 & 0xffff),
                             (unsigned)(msb & 0xffff), (unsigned)(lsb >> 48),
                             (unsigned)(lsb >> 32 & 0xffff), (unsigned)lsb);
}

void orma_metadata_uuid(struct orma_model *self, uint64_t msb, uint64_t lsb)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_METADATA);
    uint32_t text = uuid_text(self, msb, lsb);
    uint32_t made = find_uuid_row(self, orma_model_cstr(self, "trace_uuid"));

    if (made != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_METADATA_TRACE_ID, made, self->trace_row);
    orma_metadata_str(self, "trace_uuid", false, ORMA_METADATA_TRACE, 0, text);
}

void orma_metadata_make_uuid(struct orma_model *self, uint64_t lsb)
{
    orma_metadata_str(self, "trace_uuid", false, ORMA_METADATA_GLOBAL, 0, uuid_text(self, 0, lsb));
}
