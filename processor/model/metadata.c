/* Metadata: facts about the trace as (name, value) rows. */
#include "processor/model/model.h"
#include "sdk/base/hash.h"

static uint64_t key_of(const struct orma_model *self, uint32_t name, enum orma_metadata_scope scope,
                       uint16_t machine)
{
    uint64_t where = scope & ORMA_METADATA_TRACE ? (uint64_t)self->trace_row + 1 : 0;

    if (scope & ORMA_METADATA_MACHINE)
        where |= (uint64_t)(machine + 1) << 40;
    return orma_mix64(orma_mix64(name) ^ where);
}

static uint32_t find(const struct orma_model *self, uint32_t name, enum orma_metadata_scope scope,
                     uint16_t machine)
{
    uint64_t row = orma_map_get(&self->metadata, key_of(self, name, scope, machine));

    return row == ORMA_MAP_NONE ? ORMA_ROW_NONE : (uint32_t)row;
}

uint32_t orma_metadata_find(struct orma_model *self, const char *name,
                            enum orma_metadata_scope scope, uint16_t machine)
{
    return find(self, orma_model_cstr(self, name), scope, machine);
}

static void note(struct orma_model *self, uint32_t name, enum orma_metadata_scope scope,
                 uint16_t machine, uint32_t row)
{
    if (orma_map_put(&self->metadata, key_of(self, name, scope, machine), row))
        self->storage->failed = true;
}

/* The row of a single-valued key in its scope, or a new one. */
static uint32_t get_row(struct orma_model *self, uint32_t name, bool multi,
                        enum orma_metadata_scope scope, uint16_t machine)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_METADATA);
    uint32_t row = multi ? ORMA_ROW_NONE : find(self, name, scope, machine);

    if (row != ORMA_ROW_NONE)
        return row;
    row = orma_table_add(t);
    orma_table_set(t, ORMA_METADATA_NAME, row, name);
    orma_table_set(t, ORMA_METADATA_KEY_TYPE, row, multi ? self->known.multi : self->known.single);
    if (scope & ORMA_METADATA_MACHINE)
        orma_table_set(t, ORMA_METADATA_MACHINE_ID, row, machine);
    if (scope & ORMA_METADATA_TRACE)
        orma_table_set(t, ORMA_METADATA_TRACE_ID, row, self->trace_row);
    if (!multi)
        note(self, name, scope, machine, row);
    return row;
}

/* A later value takes the place of an earlier one, also of the other type. */
static void set(struct orma_model *self, unsigned column, unsigned other, uint32_t row, int64_t val)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_METADATA);

    if (!orma_table_is_null(t, other, row))
        orma_table_set_null(t, other, row);
    orma_table_set(t, column, row, val);
}

void orma_metadata_int(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, int64_t val)
{
    uint32_t row = get_row(self, orma_model_cstr(self, name), multi, scope, machine);

    set(self, ORMA_METADATA_INT_VALUE, ORMA_METADATA_STR_VALUE, row, val);
}

void orma_metadata_str(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, uint32_t str)
{
    uint32_t row = get_row(self, orma_model_cstr(self, name), multi, scope, machine);

    set(self, ORMA_METADATA_STR_VALUE, ORMA_METADATA_INT_VALUE, row, str);
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
    uint32_t name = orma_model_cstr(self, "trace_uuid");
    uint32_t made = find(self, name, ORMA_METADATA_GLOBAL, 0);

    /* The one that was made up is that of this file, if it has none yet. */
    if (made != ORMA_ROW_NONE && orma_table_is_null(t, ORMA_METADATA_TRACE_ID, made) &&
        find(self, name, ORMA_METADATA_TRACE, 0) == ORMA_ROW_NONE) {
        orma_table_set(t, ORMA_METADATA_TRACE_ID, made, self->trace_row);
        note(self, name, ORMA_METADATA_TRACE, 0, made);
    }
    orma_metadata_str(self, "trace_uuid", false, ORMA_METADATA_TRACE, 0, uuid_text(self, msb, lsb));
}

void orma_metadata_make_uuid(struct orma_model *self, uint64_t lsb)
{
    orma_metadata_str(self, "trace_uuid", false, ORMA_METADATA_GLOBAL, 0, uuid_text(self, 0, lsb));
}
