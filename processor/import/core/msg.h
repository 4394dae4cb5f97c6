/*
 * Small messages, whose fields are wanted by number: the last of each.
 *
 *     struct orma_pb_field f[LAST_FIELD + 1];
 *
 *     orma_msg_read(bytes, f, LAST_FIELD + 1);
 *     if (f[FIELD_SIZE].id)
 *         use(orma_pb_u64(&f[FIELD_SIZE]));
 *
 * One that is not there reads as 0, or as empty. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_MSG_H
#define ORMA_PROCESSOR_IMPORT_CORE_MSG_H
#include "processor/import/core/importer.h"

/* False: the message is malformed; what stands before that point was read. */
static inline bool orma_msg_read(struct orma_str bytes, struct orma_pb_field *ret, unsigned num)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    memset(ret, 0, num * sizeof(*ret));
    while (orma_pb_next(&r, &f))
        if (f.id < num)
            ret[f.id] = f;
    return !r.failed;
}

static inline struct orma_str orma_msg_item(const struct orma_item *item)
{
    return (struct orma_str){(const char *)item->data, item->len};
}

/* The text of a field as pool id; 0: it is not there, or empty. */
static inline uint32_t orma_msg_text(struct orma_import_ctx *imp, const struct orma_pb_field *f)
{
    return f->id ? orma_model_str(imp->model, orma_pb_str(f)) : 0;
}

/* The numbers of a repeated field, one after the other, packed or not. */
struct orma_msg_numbers {
    struct orma_pb_reader fields, list;
    struct orma_pb_field f;
    uint32_t id;
};

static inline struct orma_msg_numbers orma_msg_numbers(struct orma_str bytes, uint32_t id)
{
    return (struct orma_msg_numbers){.fields = orma_pb_reader(bytes.data, bytes.len), .id = id};
}

static inline bool orma_msg_next_field(struct orma_msg_numbers *self)
{
    while (orma_pb_next(&self->fields, &self->f))
        if (self->f.id == self->id) {
            orma_pb_numbers(&self->f, &self->list);
            return true;
        }
    return false;
}

static inline bool orma_msg_next_number(struct orma_msg_numbers *self, uint64_t *ret)
{
    while (self->f.id != self->id || !orma_pb_number(&self->f, &self->list, ret))
        if (!orma_msg_next_field(self))
            return false;
    return true;
}

/* Columns that take a field as it is. */
enum orma_msg_kind {
    ORMA_MSG_INT,   /* int32, int64, bool, uint64 */
    ORMA_MSG_U32,   /* uint32, fixed32 */
    ORMA_MSG_I32,   /* int32, as such */
    ORMA_MSG_SINT,  /* sint32, sint64 */
    ORMA_MSG_FLOAT, /* float */
    ORMA_MSG_TEXT,
};

struct orma_msg_column {
    uint8_t field, column;
    uint8_t kind; /* enum orma_msg_kind */
    bool always;  /* 0 where the field is not there; else NULL */
};

static inline void orma_msg_set(struct orma_import_ctx *imp, struct orma_table *t, uint32_t row,
                                const struct orma_msg_column *c, const struct orma_pb_field *f)
{
    switch (c->kind) {
    case ORMA_MSG_U32:
        orma_table_set(t, c->column, row, orma_pb_u32(f));
        break;
    case ORMA_MSG_I32:
        orma_table_set(t, c->column, row, orma_pb_i32(f));
        break;
    case ORMA_MSG_SINT:
        orma_table_set(t, c->column, row, orma_pb_sint(f));
        break;
    case ORMA_MSG_FLOAT:
        orma_table_set_double(t, c->column, row, (double)orma_pb_float(f));
        break;
    case ORMA_MSG_TEXT:
        orma_table_set(t, c->column, row, orma_msg_text(imp, f));
        break;
    default:
        orma_table_set(t, c->column, row, orma_pb_i64(f));
    }
}

static inline void orma_msg_set_columns(struct orma_import_ctx *imp, struct orma_table *t,
                                        uint32_t row, const struct orma_msg_column *columns,
                                        unsigned num, const struct orma_pb_field *fields)
{
    for (unsigned i = 0; i < num; i++)
        if (columns[i].always || fields[columns[i].field].id)
            orma_msg_set(imp, t, row, &columns[i], &fields[columns[i].field]);
}

#endif
