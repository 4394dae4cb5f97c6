/*
 * Metrics are computed: each one's file is run, and its output becomes a field of one message.
 */
#include "processor/metrics/metrics_impl.h"

#include <errno.h>
#include <string.h>

#include "processor/metrics/builder.h"
#include "processor/metrics/embedded.h"
#include "processor/metrics/metrics.h"
#include "processor/sql/script/runner.h"
#include "protos/fields/orma_ext.h"
#include "protos/reflect/json.h"
#include "protos/reflect/text.h"
#include "sdk/base/nearest.h"
#include "sdk/wire/pb_writer.h"

static int sql_failed(struct orma_metrics *self, const char *name, int r)
{
    orma_buf_clear(&self->error);
    orma_buf_printf(&self->error, "metric %s: %s", name, orma_sql_error_text(self->sql));
    return r;
}

static const char *type_of(const struct orma_metrics *self, const struct orma_field *f)
{
    return orma_schema_msg_name(self->schema, f->type_idx);
}

static int take_output(struct orma_metrics *self, const char *name, const struct orma_field *f,
                       sqlite3_stmt *stmt, struct orma_buf *out)
{
    struct orma_str bytes = {"", 0};

    if (sqlite3_column_count(stmt) != 1)
        return orma_metrics_fail(self, "Output table %s_output should have exactly one column",
                                 name);
    int r = sqlite3_step(stmt);
    if (r == SQLITE_ROW) {
        if (sqlite3_column_type(stmt, 0) != SQLITE_BLOB)
            return orma_metrics_fail(self, "Output table %s_output column has invalid type", name);
        int e = orma_builder_unwrap(sqlite3_column_value(stmt, 0), type_of(self, f), &bytes);
        if (e < 0)
            return orma_metrics_fail(
                self, "Output table %s_output: the value is not a message of type %s", name,
                type_of(self, f));
        orma_pb_put_bytes(out, f->number, bytes.data ? bytes.data : "", bytes.len);
        r = sqlite3_step(stmt);
        if (r == SQLITE_ROW)
            return orma_metrics_fail(self, "Output table %s_output should have at most one row",
                                     name);
    } else if (r == SQLITE_DONE) {
        orma_pb_put_bytes(out, f->number, "", 0);
    }
    if (r != SQLITE_DONE)
        return orma_metrics_fail(self, "metric %s: %s", name, sqlite3_errmsg(self->sql->db));
    return 0;
}

static bool is_absent(const char *name)
{
    for (const char *const *known = orma_metrics_absent; *known; known++)
        if (!strcmp(name, *known))
            return true;
    return false;
}

/* With the names that have the wanted one in them ("cpu"), or else the nearest. */
static int fail_unknown(struct orma_metrics *self, const char *name)
{
    struct orma_nearest near = {.wanted = orma_str_from(name)};
    struct orma_buf text = {0};

    for (const struct orma_metrics_metric *m = self->metrics; m; m = m->next) {
        if (!m->field)
            continue;
        (void)orma_nearest_consider(&near, m->field);
        if (*name && strstr(m->field, name))
            orma_buf_printf(&text, "%s'%s'", text.len ? ", " : "", m->field);
    }
    for (const char *const *known = orma_metrics_absent; *known; known++)
        (void)orma_nearest_consider(&near, *known); /* it is told that this one is not here */
    if (!text.len && orma_nearest_get(&near))
        orma_buf_printf(&text, "'%s'", orma_nearest_get(&near));
    int r = text.len && !text.failed
                ? orma_metrics_fail(self, "Unknown metric %s; did you mean %s?", name,
                                    orma_buf_cstr(&text))
                : orma_metrics_fail(self, "Unknown metric %s; the table trace_metrics lists those "
                                          "that are here",
                                    name);
    orma_buf_fini(&text);
    return r;
}

static int compute_one(struct orma_metrics *self, const char *name, struct orma_buf *out)
{
    const struct orma_field *f = orma_metrics_root_field(self, orma_str_from(name));
    struct orma_metrics_metric *m = self->metrics;
    struct orma_buf text = {0};
    sqlite3_stmt *stmt = NULL;

    while (m && !(m->field && !strcmp(m->field, name)))
        m = m->next;
    if ((!m || !f) && is_absent(name)) {
        orma_pb_put_cstr(out, ORMA_PB_TRACE_METRICS_ORMA_ABSENT, name);
        return 0;
    }
    if (!m || !f)
        return fail_unknown(self, name);
    orma_buf_printf(&text, "Metric \"%s\"", m->path);
    int r = orma_sql_run_script(self->sql, orma_buf_cstr(&text), orma_buf_str(&m->sql));
    orma_buf_clear(&text);
    if (r < 0) {
        orma_buf_fini(&text);
        return sql_failed(self, name, r);
    }
    orma_buf_printf(&text, "SELECT * FROM \"%s_output\"", name);
    if (sqlite3_prepare_v2(self->sql->db, orma_buf_cstr(&text), -1, &stmt, NULL))
        r = orma_metrics_fail(self, "metric %s: %s", name, sqlite3_errmsg(self->sql->db));
    else
        r = take_output(self, name, f, stmt, out);
    sqlite3_finalize(stmt);
    orma_buf_fini(&text);
    return r;
}

static int print(struct orma_metrics *self, const struct orma_buf *bytes,
                 enum orma_metrics_format format, struct orma_buf *out)
{
    struct orma_json_print json = {.flags = ORMA_JSON_PRETTY | ORMA_JSON_INT64_NUMBERS};

    switch (format) {
    case ORMA_METRICS_BINARY:
        orma_buf_put(out, bytes->data, bytes->len);
        return out->failed ? -ENOMEM : 0;
    case ORMA_METRICS_TEXT:
        return orma_text_print(self->schema, orma_metrics_root(self), bytes->data, bytes->len, NULL,
                               out);
    case ORMA_METRICS_JSON:
        return orma_json_print(self->schema, orma_metrics_root(self), bytes->data, bytes->len,
                               &json, out);
    }
    return -EINVAL;
}

int orma_metrics_compute(struct orma_metrics *self, const char *const *names, size_t num,
                         enum orma_metrics_format format, struct orma_buf *out)
{
    struct orma_buf bytes = {0};

    orma_buf_clear(&self->error);
    int r = orma_metrics_load(self);
    orma_sql_enter(self->sql);
    for (size_t i = 0; i < num && r == 0; i++)
        r = compute_one(self, names[i], &bytes);
    orma_sql_leave(self->sql);
    if (r == 0)
        r = bytes.failed ? -ENOMEM : print(self, &bytes, format, out);
    orma_buf_fini(&bytes);
    return r;
}
