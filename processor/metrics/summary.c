/*
 * A metric is computed in these steps: its query becomes SQL (structured.c), the statement's
 * columns are matched with the dimensions and the value, and each row is put as a
 * TraceMetricV2Bundle row. Metrics of one bundle share their query: it runs once, and the row
 * has a value for each of them. Rows whose dimensions must be unique are remembered in a set
 * of hashes with the bytes beside.
 */
#include "processor/metrics/summary_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"
#include "protos/reflect/text.h"
#include "sdk/base/map.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define DIMENSIONS_MAX 64
#define BUNDLE(x) ORMA_PB_TRACE_METRIC_V2_BUNDLE_##x
#define DIMENSION(x) ORMA_PB_TRACE_METRIC_V2_BUNDLE_ROW_DIMENSION_##x

int orma_summary_new(struct orma_sql *sql, struct orma_summary **ret)
{
    struct orma_summary *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->structured.sql = sql;
    *ret = self;
    return 0;
}

void orma_summary_free(struct orma_summary *self)
{
    if (!self)
        return;
    orma_structured_drop(&self->structured);
    for (size_t i = 0; i < self->metrics_num; i++)
        orma_buf_fini(&self->metrics[i].spec);
    for (size_t i = 0; i < self->specs_num; i++) {
        orma_buf_fini(self->specs[i]);
        free(self->specs[i]);
    }
    free(self->metrics);
    free(self->specs);
    free(self->structured.queries);
    orma_buf_fini(&self->structured.error);
    free(self);
}

const char *orma_summary_error(struct orma_summary *self)
{
    return orma_buf_cstr(&self->structured.error);
}

static struct orma_buf *new_spec(struct orma_summary *self)
{
    struct orma_buf **grown =
        realloc(self->specs, (self->specs_num + 1) * sizeof(struct orma_buf *));
    struct orma_buf *spec = calloc(1, sizeof(*spec));

    if (grown)
        self->specs = grown;
    if (!grown || !spec) {
        free(spec);
        return NULL;
    }
    self->read = false;
    return self->specs[self->specs_num++] = spec;
}

int orma_summary_add_spec(struct orma_summary *self, const void *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_buf *spec = new_spec(self);
    struct orma_pb_field f;

    orma_buf_clear(&self->structured.error);
    if (!spec)
        return -ENOMEM;
    while (orma_pb_next(&r, &f))
        ;
    if (r.failed)
        return orma_summary_fail(self, "the specification is malformed");
    orma_buf_put(spec, data, len);
    return spec->failed ? -ENOMEM : 0;
}

int orma_summary_add_text(struct orma_summary *self, const char *name, struct orma_str text)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf *spec = new_spec(self);
    struct orma_text_parse opts = {.file = name, .error = &self->structured.error};

    orma_buf_clear(&self->structured.error);
    if (!spec)
        return -ENOMEM;
    int r = orma_text_parse(
        schema, orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceSummarySpec")), text,
        &opts, spec);
    return r == -EBADMSG ? -EINVAL : r;
}

/* ---- rows ---- */

/* A column that becomes a dimension. */
struct dimension {
    struct orma_str name;
    int64_t type; /* 0: as the value is */
    int column;   /* of the query */
};

struct rows {
    struct orma_summary *summary;
    sqlite3_stmt *stmt;
    struct dimension dims[DIMENSIONS_MAX];
    size_t dims_num;
    struct orma_summary_metric **metrics; /* of the bundle */
    int *columns;                         /* of their values */
    size_t metrics_num;
    struct orma_map keys; /* tuples of dimensions seen: hash of the bytes -> offset + 1 */
    struct orma_buf tuples;
};

static int find_column(sqlite3_stmt *stmt, struct orma_str name)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        if (orma_word_eq(name, orma_str_from(sqlite3_column_name(stmt, i))))
            return i;
    }
    return -1;
}

/* A value as a message Dimension (without its tag). */
static int put_dimension(struct orma_summary *self, sqlite3_value *val, struct orma_str name,
                         int64_t type, struct orma_buf *out)
{
    static const char *const wanted[] = {"", "a text", "an integer", "a real number", "0 or 1"};
    int have = sqlite3_value_type(val);
    bool ok = true;

    if (have == SQLITE_NULL) {
        orma_pb_put_bytes(out, DIMENSION(NULL_VALUE), "", 0);
        return 0;
    }
    if (have == SQLITE_BLOB)
        return orma_summary_fail(self, "dimension '%.*s' is a blob", ORMA_STR_ARG(name));
    switch (type) {
    case SPEC(STRING):
        ok = have == SQLITE_TEXT;
        break;
    case SPEC(INT64):
        ok = have == SQLITE_INTEGER;
        break;
    case SPEC(DOUBLE):
        ok = have == SQLITE_FLOAT;
        break;
    case SPEC(BOOLEAN):
        ok = have == SQLITE_INTEGER && (uint64_t)sqlite3_value_int64(val) <= 1;
        break;
    }
    if (!ok)
        return orma_summary_fail(self, "dimension '%.*s' must be %s", ORMA_STR_ARG(name),
                                 wanted[type]);
    if (type == SPEC(BOOLEAN))
        orma_pb_put_u64(out, DIMENSION(BOOL_VALUE), (uint64_t)sqlite3_value_int64(val));
    else if (have == SQLITE_INTEGER)
        orma_pb_put_i64(out, DIMENSION(INT64_VALUE), sqlite3_value_int64(val));
    else if (have == SQLITE_FLOAT)
        orma_pb_put_double(out, DIMENSION(DOUBLE_VALUE), sqlite3_value_double(val));
    else
        orma_pb_put_bytes(out, DIMENSION(STRING_VALUE), sqlite3_value_text(val),
                          (size_t)sqlite3_value_bytes(val));
    return 0;
}

static uint64_t hash_of(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

/* 1: the bytes are new to the set; 0: not; -ENOMEM. */
static int set_add(struct orma_map *set, struct orma_buf *store, const struct orma_buf *bytes)
{
    uint64_t key = hash_of(bytes->data, bytes->len);

    for (;; key = key * 31 + 7) {
        uint64_t at = orma_map_get(set, key);
        uint64_t len;

        if (at == ORMA_MAP_NONE)
            break;
        memcpy(&len, store->data + at, sizeof(len));
        if (len == bytes->len &&
            (!len || !memcmp(store->data + at + sizeof(len), bytes->data, bytes->len)))
            return 0;
    }
    uint64_t len = bytes->len;
    if (orma_map_put(set, key, store->len) < 0)
        return -ENOMEM;
    orma_buf_put(store, &len, sizeof(len));
    orma_buf_put(store, bytes->data, bytes->len);
    return store->failed ? -ENOMEM : 1;
}

/* Values of a row: 1 if one of them is not NULL. */
static int put_values(struct rows *rows, struct orma_buf *out)
{
    int any = 0;

    for (size_t i = 0; i < rows->metrics_num; i++) {
        int type = sqlite3_column_type(rows->stmt, rows->columns[i]);
        size_t at = orma_pb_begin(out, BUNDLE(ROW_VALUES));

        if (type == SQLITE_TEXT || type == SQLITE_BLOB)
            return orma_summary_fail(rows->summary, "metric '%.*s': the value is not a number",
                                     ORMA_STR_ARG(rows->metrics[i]->id));
        if (type == SQLITE_NULL)
            orma_pb_put_bytes(out, BUNDLE(ROW_VALUE_NULL_VALUE), "", 0);
        else
            orma_pb_put_double(out, BUNDLE(ROW_VALUE_DOUBLE_VALUE),
                               sqlite3_column_double(rows->stmt, rows->columns[i]));
        any |= type != SQLITE_NULL;
        orma_pb_end(out, at);
    }
    return any;
}

static int put_dimensions(struct rows *rows, struct orma_buf *out)
{
    int r = 0;

    for (size_t i = 0; i < rows->dims_num && r == 0; i++) {
        size_t at = orma_pb_begin(out, BUNDLE(ROW_DIMENSION));

        r = put_dimension(rows->summary, sqlite3_column_value(rows->stmt, rows->dims[i].column),
                          rows->dims[i].name, rows->dims[i].type, out);
        orma_pb_end(out, at);
    }
    return r;
}

static int put_row(struct rows *rows, bool unique, struct orma_buf *out)
{
    struct orma_buf values = {0}, dims = {0};
    int r = put_values(rows, &values), new;

    if (r > 0) {
        r = put_dimensions(rows, &dims);
        new = r < 0 ? 1 : set_add(&rows->keys, &rows->tuples, &dims);
        if (r == 0 && new < 0)
            r = new;
        if (r == 0 && !new &&unique)
            r = orma_summary_fail(rows->summary, "metric '%.*s': two rows have the same dimensions",
                                  ORMA_STR_ARG(rows->metrics[0]->id));
        size_t at = orma_pb_begin(out, BUNDLE(ROW));
        orma_buf_put(out, values.data, values.len);
        orma_buf_put(out, dims.data, dims.len);
        orma_pb_end(out, at);
    }
    out->failed |= values.failed || dims.failed;
    orma_buf_fini(&values);
    orma_buf_fini(&dims);
    return r;
}

static int add_dimension(struct rows *rows, struct orma_str name, int64_t type)
{
    if (rows->dims_num == DIMENSIONS_MAX)
        return orma_summary_fail(rows->summary, "more than %d dimensions", DIMENSIONS_MAX);
    rows->dims[rows->dims_num] = (struct dimension){name, type, find_column(rows->stmt, name)};
    if (rows->dims[rows->dims_num++].column < 0)
        return orma_summary_fail(rows->summary, "metric '%.*s': the query has no column '%.*s'",
                                 ORMA_STR_ARG(rows->metrics[0]->id), ORMA_STR_ARG(name));
    return 0;
}

static int read_dimensions(struct rows *rows)
{
    struct orma_str spec = orma_buf_str(&rows->metrics[0]->spec);
    struct orma_pb_reader r = orma_pb_reader(spec.data, spec.len);
    struct orma_pb_field f;
    int res = 0;

    while (res == 0 && orma_pb_next(&r, &f)) {
        struct orma_str part = {f.len ? (const char *)f.data : "", f.len}, name;
        int64_t type;

        if (f.wire == ORMA_PB_LEN && f.id == SPEC(DIMENSIONS)) {
            res = add_dimension(rows, part, 0);
        } else if (f.wire == ORMA_PB_LEN && f.id == SPEC(DIMENSIONS_SPECS)) {
            (void)orma_msg_str(part, SPEC(DIMENSION_SPEC_NAME), &name);
            (void)orma_msg_int(part, SPEC(DIMENSION_SPEC_TYPE), &type);
            if (type < SPEC(STRING) || type > SPEC(BOOLEAN))
                res = orma_summary_fail(rows->summary, "dimension '%.*s' has no type",
                                        ORMA_STR_ARG(name));
            else
                res = add_dimension(rows, name, type);
        }
    }
    for (size_t i = 0; i < rows->metrics_num && res == 0; i++) {
        struct orma_str value;

        (void)orma_msg_str(orma_buf_str(&rows->metrics[i]->spec), SPEC(VALUE), &value);
        rows->columns[i] = find_column(rows->stmt, value);
        if (rows->columns[i] < 0)
            res = orma_summary_fail(rows->summary,
                                    "metric '%.*s': the query has no value column '%.*s'",
                                    ORMA_STR_ARG(rows->metrics[i]->id), ORMA_STR_ARG(value));
    }
    return res;
}

/* Prepares the query `msg`; the statement belongs to *ret. */
static int open_query(struct orma_summary *self, struct orma_str msg, struct orma_sql_stmt **ret)
{
    struct orma_sql *sql = self->structured.sql;
    struct orma_runner *runner = NULL;
    struct orma_buf text = {0};
    int r = orma_structured_sql(&self->structured, msg, &text);

    if (r == 0)
        r = orma_runner_new(sql, "Trace summary", orma_buf_str(&text), &runner);
    if (r == 0)
        r = orma_runner_next(runner, ret);
    if (r < 0)
        (void)orma_summary_fail(self, "%s", orma_sql_error_text(sql));
    orma_runner_free(runner);
    orma_buf_fini(&text);
    return r < 0 ? r : r == 0 ? orma_summary_fail(self, "the query is empty") : 0;
}

/* ---- interned dimensions ---- */

static bool key_is_used(const struct rows *rows, size_t dim, const struct orma_buf *key)
{
    const uint8_t *at = rows->tuples.data, *end = at ? at + rows->tuples.len : NULL;
    uint64_t len;

    for (; at && at < end; at += sizeof(len) + len) {
        memcpy(&len, at, sizeof(len));
        struct orma_pb_reader r = orma_pb_reader(at + sizeof(len), len);
        struct orma_pb_field f;

        for (size_t i = 0; orma_pb_next(&r, &f); i++) {
            if (i == dim && f.len == key->len && (!f.len || !memcmp(f.data, key->data, f.len)))
                return true;
        }
    }
    return false;
}

struct interned {
    struct dimension key, data[DIMENSIONS_MAX];
    size_t data_num;
    size_t dim; /* of the metric */
};

static int read_column_spec(struct orma_summary *self, struct orma_str spec, sqlite3_stmt *stmt,
                            struct dimension *ret)
{
    (void)orma_msg_str(spec, SPEC(INTERNED_DIMENSION_SPEC_COLUMN_SPEC_NAME), &ret->name);
    (void)orma_msg_int(spec, SPEC(INTERNED_DIMENSION_SPEC_COLUMN_SPEC_TYPE), &ret->type);
    ret->column = find_column(stmt, ret->name);
    if (ret->type < 0 || ret->type > SPEC(BOOLEAN))
        ret->type = 0;
    return ret->column < 0
               ? orma_summary_fail(self, "interned dimension: the query has no column '%.*s'",
                                   ORMA_STR_ARG(ret->name))
               : 0;
}

static int read_interned(struct rows *rows, struct orma_str spec, sqlite3_stmt *stmt,
                         struct interned *ret)
{
    struct orma_pb_reader r = orma_pb_reader(spec.data, spec.len);
    struct orma_pb_field f;
    struct orma_str key;
    int res;

    ret->data_num = 0;
    if (!orma_msg_str(spec, SPEC(INTERNED_DIMENSION_SPEC_KEY_COLUMN_SPEC), &key))
        return orma_summary_fail(rows->summary, "an interned dimension without key column");
    res = read_column_spec(rows->summary, key, stmt, &ret->key);
    for (ret->dim = 0; res == 0 && ret->dim < rows->dims_num; ret->dim++) {
        if (orma_str_eq(rows->dims[ret->dim].name, ret->key.name))
            break;
    }
    if (res == 0 && ret->dim == rows->dims_num)
        return orma_summary_fail(rows->summary,
                                 "interned dimension '%.*s' is not a dimension of the metric",
                                 ORMA_STR_ARG(ret->key.name));
    while (res == 0 && orma_pb_next(&r, &f)) {
        if (f.id != SPEC(INTERNED_DIMENSION_SPEC_DATA_COLUMN_SPECS) || f.wire != ORMA_PB_LEN)
            continue;
        if (ret->data_num == DIMENSIONS_MAX)
            return orma_summary_fail(rows->summary, "more than %d columns", DIMENSIONS_MAX);
        struct dimension *d = &ret->data[ret->data_num];
        res = read_column_spec(
            rows->summary, (struct orma_str){f.len ? (const char *)f.data : "", f.len}, stmt, d);
        for (size_t i = 0; res == 0 && i <= ret->data_num; i++) {
            if (orma_str_eq(i < ret->data_num ? ret->data[i].name : ret->key.name, d->name))
                res = orma_summary_fail(rows->summary,
                                        "interned dimension: the column '%.*s' is listed twice",
                                        ORMA_STR_ARG(d->name));
        }
        ret->data_num++;
    }
    return res;
}

static int put_interned_row(struct rows *rows, const struct interned *in, sqlite3_stmt *stmt,
                            struct orma_map *seen, struct orma_buf *store, struct orma_buf *out)
{
    struct orma_buf key = {0};
    int r = put_dimension(rows->summary, sqlite3_column_value(stmt, in->key.column), in->key.name,
                          in->key.type ? in->key.type : rows->dims[in->dim].type, &key);

    if (r == 0 && key_is_used(rows, in->dim, &key)) {
        int new = set_add(seen, store, &key);

        if (new <= 0)
            r = new < 0 ? new
                        : orma_summary_fail(rows->summary,
                                            "interned dimension '%.*s': a key has two rows",
                                            ORMA_STR_ARG(in->key.name));
        size_t at = orma_pb_begin(out, BUNDLE(INTERNED_DIMENSION_BUNDLE_INTERNED_DIMENSION_ROWS));
        orma_pb_put_bytes(
            out, BUNDLE(INTERNED_DIMENSION_BUNDLE_INTERNED_DIMENSION_ROW_KEY_DIMENSION_VALUE),
            key.data, key.len);
        for (size_t i = 0; i < in->data_num && r == 0; i++) {
            size_t value = orma_pb_begin(
                out,
                BUNDLE(INTERNED_DIMENSION_BUNDLE_INTERNED_DIMENSION_ROW_INTERNED_DIMENSION_VALUES));

            r = put_dimension(rows->summary, sqlite3_column_value(stmt, in->data[i].column),
                              in->data[i].name, in->data[i].type, out);
            orma_pb_end(out, value);
        }
        orma_pb_end(out, at);
    }
    orma_buf_fini(&key);
    return r;
}

static int put_interned(struct rows *rows, struct orma_str spec, struct orma_buf *out)
{
    struct interned *in = calloc(1, sizeof(*in));
    struct orma_map seen = {0};
    struct orma_buf store = {0};
    struct orma_sql_stmt *stmt = NULL;
    struct orma_str query;
    int r = in ? 0 : -ENOMEM;

    if (r == 0 && !orma_msg_str(spec, SPEC(INTERNED_DIMENSION_SPEC_QUERY), &query))
        r = orma_summary_fail(rows->summary, "an interned dimension without query");
    if (r == 0)
        r = open_query(rows->summary, query, &stmt);
    if (r == 0)
        r = read_interned(rows, spec, stmt->stmt, in);
    size_t at = orma_pb_begin(out, BUNDLE(INTERNED_DIMENSION_BUNDLES));
    while (r == 0 && (r = orma_sql_stmt_step(stmt)) > 0)
        r = put_interned_row(rows, in, stmt->stmt, &seen, &store, out);
    orma_pb_end(out, at);
    if (r < 0)
        (void)orma_summary_fail(rows->summary, "%s",
                                orma_sql_error_text(rows->summary->structured.sql));
    orma_sql_stmt_free(stmt);
    orma_map_fini(&seen);
    orma_buf_fini(&store);
    free(in);
    return r;
}

/* ---- bundles ---- */

/* What metrics of a bundle share: bytes of these fields. */
static void shared_part(const struct orma_summary_metric *m, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(m->spec.data, m->spec.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == SPEC(QUERY) || f.id == SPEC(DIMENSIONS) || f.id == SPEC(DIMENSIONS_SPECS))
            orma_pb_put_bytes(out, f.id, f.len ? (const void *)f.data : "", f.len);
        else if (f.id == SPEC(DIMENSION_UNIQUENESS))
            orma_pb_put_u64(out, f.id, orma_pb_u64(&f));
    }
}

static int check_bundle(const struct rows *rows)
{
    struct orma_buf first = {0}, other = {0};
    int r = 0;

    shared_part(rows->metrics[0], &first);
    for (size_t i = 1; i < rows->metrics_num && r == 0; i++) {
        orma_buf_clear(&other);
        shared_part(rows->metrics[i], &other);
        if (first.len != other.len || (first.len && memcmp(first.data, other.data, first.len)))
            r = orma_summary_fail(rows->summary,
                                  "the metrics '%.*s' and '%.*s' share a bundle, but differ in "
                                  "query, dimensions or uniqueness",
                                  ORMA_STR_ARG(rows->metrics[0]->id),
                                  ORMA_STR_ARG(rows->metrics[i]->id));
    }
    orma_buf_fini(&first);
    orma_buf_fini(&other);
    return r;
}

static int put_rows(struct rows *rows, struct orma_buf *out)
{
    struct orma_str spec = orma_buf_str(&rows->metrics[0]->spec), query, part;
    struct orma_pb_reader fields = orma_pb_reader(spec.data, spec.len);
    struct orma_sql_stmt *stmt = NULL;
    struct orma_pb_field f;
    int64_t unique;
    int r;

    (void)orma_msg_int(spec, SPEC(DIMENSION_UNIQUENESS), &unique);
    if (!orma_msg_str(spec, SPEC(QUERY), &query))
        return orma_summary_fail(rows->summary, "metric '%.*s' has no query",
                                 ORMA_STR_ARG(rows->metrics[0]->id));
    r = open_query(rows->summary, query, &stmt);
    if (r == 0) {
        rows->stmt = stmt->stmt;
        r = read_dimensions(rows);
    }
    while (r == 0 && (r = orma_sql_stmt_step(stmt)) > 0)
        r = put_row(rows, unique == SPEC(UNIQUE), out);
    if (r < 0)
        (void)orma_summary_fail(rows->summary, "%s",
                                orma_sql_error_text(rows->summary->structured.sql));
    orma_sql_stmt_free(stmt);
    while (r == 0 && orma_pb_next(&fields, &f)) {
        if (f.id != SPEC(INTERNED_DIMENSION_SPECS) || f.wire != ORMA_PB_LEN)
            continue;
        part = (struct orma_str){f.len ? (const char *)f.data : "", f.len};
        r = put_interned(rows, part, out);
    }
    return r;
}

static int put_bundle(struct orma_summary *self, size_t first, struct orma_buf *out)
{
    struct rows *rows = calloc(1, sizeof(*rows));
    struct orma_str bundle = self->metrics[first].bundle;
    int r = 0;

    if (rows) {
        rows->summary = self;
        rows->metrics = calloc(self->metrics_num, sizeof(struct orma_summary_metric *));
        rows->columns = calloc(self->metrics_num, sizeof(*rows->columns));
    }
    if (!rows || !rows->metrics || !rows->columns)
        r = -ENOMEM;
    for (size_t i = first; i < self->metrics_num && r == 0; i++) {
        struct orma_summary_metric *m = &self->metrics[i];

        if (m->selected && !m->done && orma_str_eq(m->bundle, bundle)) {
            rows->metrics[rows->metrics_num++] = m;
            m->done = true;
        }
    }
    if (r == 0)
        r = check_bundle(rows);
    if (r == 0) {
        size_t at = orma_pb_begin(out, ORMA_PB_TRACE_SUMMARY_METRIC_BUNDLES);

        orma_pb_put_str(out, BUNDLE(BUNDLE_ID), bundle);
        for (size_t i = 0; i < rows->metrics_num; i++)
            orma_pb_put_bytes(out, BUNDLE(SPECS), rows->metrics[i]->spec.data,
                              rows->metrics[i]->spec.len);
        r = put_rows(rows, out);
        orma_pb_end(out, at);
    }
    if (rows) {
        free(rows->metrics);
        free(rows->columns);
        orma_map_fini(&rows->keys);
        orma_buf_fini(&rows->tuples);
    }
    free(rows);
    return r;
}

static int put_metadata(struct orma_summary *self, const char *id, struct orma_buf *out)
{
    struct orma_sql *sql = self->structured.sql;
    struct orma_runner *runner = NULL;
    struct orma_sql_stmt *stmt = NULL;
    struct orma_buf text = {0};
    int r = orma_structured_sql_of(&self->structured, orma_str_from(id), &text);

    if (r == 0)
        r = orma_runner_new(sql, "Trace summary", orma_buf_str(&text), &runner);
    if (r == 0 && (r = orma_runner_next(runner, &stmt)) > 0) {
        int key = find_column(stmt->stmt, ORMA_STR("key"));
        int value = find_column(stmt->stmt, ORMA_STR("value"));

        r = 0;
        if (key < 0 || value < 0 || sqlite3_column_count(stmt->stmt) != 2)
            r = orma_summary_fail(self,
                                  "the query for metadata must have the columns key and value");
        while (r == 0 && (r = orma_sql_stmt_step(stmt)) > 0) {
            int type = sqlite3_column_type(stmt->stmt, value);

            r = 0;
            if (sqlite3_column_type(stmt->stmt, key) != SQLITE_TEXT ||
                (type != SQLITE_TEXT && type != SQLITE_NULL)) {
                r = orma_summary_fail(self, "metadata: key and value must be strings");
            } else if (type == SQLITE_TEXT) {
                size_t at = orma_pb_begin(out, ORMA_PB_TRACE_SUMMARY_METADATA);

                orma_pb_put_cstr(out, ORMA_PB_TRACE_SUMMARY_METADATA_KEY,
                                 (const char *)sqlite3_column_text(stmt->stmt, key));
                orma_pb_put_cstr(out, ORMA_PB_TRACE_SUMMARY_METADATA_VALUE,
                                 (const char *)sqlite3_column_text(stmt->stmt, value));
                orma_pb_end(out, at);
            }
        }
    }
    if (r < 0)
        (void)orma_summary_fail(self, "%s", orma_sql_error_text(sql));
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    orma_buf_fini(&text);
    return r;
}

/* Marks the metrics that were asked for. */
static int select_metrics(struct orma_summary *self, const char *const *ids, size_t num)
{
    for (size_t i = 0; i < self->metrics_num; i++) {
        self->metrics[i].selected = !ids;
        self->metrics[i].done = false;
    }
    for (size_t k = 0; ids && k < num; k++) {
        bool found = false;

        for (size_t i = 0; i < self->metrics_num; i++) {
            if (orma_str_eq_c(self->metrics[i].id, ids[k]))
                self->metrics[i].selected = found = true;
        }
        if (!found)
            return orma_summary_fail(self, "unknown metric '%s'", ids[k]);
    }
    return 0;
}

int orma_summary_compute(struct orma_summary *self, const char *const *ids, size_t num,
                         const char *metadata, struct orma_buf *out)
{
    int r = orma_summary_read_specs(self);

    orma_sql_enter(self->structured.sql);
    if (r == 0)
        r = select_metrics(self, ids, num);
    for (size_t i = 0; i < self->metrics_num && r == 0; i++) {
        if (self->metrics[i].selected && !self->metrics[i].done)
            r = put_bundle(self, i, out);
    }
    if (r == 0 && metadata)
        r = put_metadata(self, metadata, out);
    orma_structured_drop(&self->structured);
    orma_sql_leave(self->structured.sql);
    return r < 0 ? r : out->failed ? -ENOMEM : 0;
}

int orma_summary_query(struct orma_summary *self, const char *id, struct orma_buf *out)
{
    int r = orma_summary_read_specs(self);

    if (r == 0)
        r = orma_structured_sql_of(&self->structured, orma_str_from(id), out);
    return r < 0 ? r : out->failed ? -ENOMEM : 0;
}

int orma_summary_print(const void *data, size_t len, struct orma_buf *out)
{
    const struct orma_schema *schema = orma_schema_default();

    return orma_text_print(schema,
                           orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceSummary")),
                           data, len, NULL, out);
}
