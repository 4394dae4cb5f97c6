#include "processor/export/export.h"

#include <errno.h>

#include "processor/export/export_impl.h"

#define BLOCK ((size_t)256 << 10)

void orma_export_flush(struct orma_export_writer *self, bool all)
{
    if (!self->err && self->out.failed)
        self->err = -ENOMEM;
    if (self->err || (!all && self->out.len < BLOCK))
        return;
    self->err = self->self->sink.write(self->self->sink.ctx, self->out.data, self->out.len);
    orma_buf_clear(&self->out);
}

int orma_export_fini(struct orma_export_writer *self)
{
    orma_buf_fini(&self->out);
    return self->err;
}

struct orma_export_rows orma_export_rows(struct orma_export_writer *self, const char *sql)
{
    struct orma_export_rows rows = {.w = self};

    if (!self->err)
        self->err = orma_query_prepare(self->self->tp, sql, SIZE_MAX, &rows.query, NULL);
    return rows;
}

bool orma_export_next(struct orma_export_rows *rows)
{
    int n = rows->query && !rows->w->err ? orma_query_step(rows->query) : 0;

    if (n == 1)
        return true;
    if (n < 0)
        rows->w->err = n;
    orma_query_free(rows->query);
    rows->query = NULL;
    return false;
}

bool orma_export_is_null(const struct orma_export_rows *rows, unsigned col)
{
    return orma_query_type(rows->query, col) == ORMA_VALUE_NULL;
}

int64_t orma_export_int(const struct orma_export_rows *rows, unsigned col)
{
    return orma_query_int64(rows->query, col);
}

struct orma_str orma_export_text(const struct orma_export_rows *rows, unsigned col)
{
    const char *data = orma_export_is_null(rows, col) ? NULL : orma_query_text(rows->query, col);

    return (struct orma_str){data ? data : "", data ? orma_query_bytes(rows->query, col) : 0};
}
