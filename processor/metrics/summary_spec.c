/* Specifications of trace summaries: metrics, templates made into metrics, shared queries. */
#include <errno.h>
#include <stdlib.h>

#include "processor/metrics/summary_impl.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define METRICS_MAX 10000
#define TEMPLATE(x) ORMA_PB_TRACE_METRIC_V2_TEMPLATE_SPEC_##x
#define VALUE_COLUMN(x) ORMA_PB_TRACE_METRIC_V2_TEMPLATE_SPEC_VALUE_COLUMN_SPEC_##x

static int add_metric(struct orma_summary *self, struct orma_buf *spec)
{
    struct orma_summary_metric *grown =
                                   realloc(self->metrics, (self->metrics_num + 1) * sizeof(*grown)),
                               *m;
    struct orma_str dims;

    if (!grown || spec->failed || self->metrics_num == METRICS_MAX) {
        self->metrics = grown ? grown : self->metrics;
        orma_buf_fini(spec);
        return !grown || spec->failed
                   ? -ENOMEM
                   : orma_summary_fail(self, "more than %d metrics", METRICS_MAX);
    }
    self->metrics = grown;
    m = &grown[self->metrics_num++];
    *m = (struct orma_summary_metric){.spec = *spec};
    struct orma_str bytes = orma_buf_str(&m->spec);
    (void)orma_msg_str(bytes, SPEC(ID), &m->id);
    if (!orma_msg_str(bytes, SPEC(BUNDLE_ID), &m->bundle) || !m->bundle.len)
        m->bundle = m->id;
    if (!m->id.len)
        return orma_summary_fail(self, "a metric without id");
    if (orma_str_eq_c(m->id, "all"))
        return orma_summary_fail(self, "the id 'all' is reserved");
    if (orma_msg_str(bytes, SPEC(DIMENSIONS), &dims) &&
        orma_msg_str(bytes, SPEC(DIMENSIONS_SPECS), &dims))
        return orma_summary_fail(self, "metric '%.*s' has both dimensions and dimensions_specs",
                                 ORMA_STR_ARG(m->id));
    for (size_t i = 0; i + 1 < self->metrics_num; i++) {
        if (orma_str_eq(self->metrics[i].id, m->id))
            return orma_summary_fail(self, "the metric '%.*s' is defined twice",
                                     ORMA_STR_ARG(m->id));
    }
    return 0;
}

/* Fields of a template that the metrics made of it have, too, under other numbers. */
static uint32_t from_template(uint32_t id)
{
    switch (id) {
    case TEMPLATE(DIMENSIONS):
        return SPEC(DIMENSIONS);
    case TEMPLATE(DIMENSIONS_SPECS):
        return SPEC(DIMENSIONS_SPECS);
    case TEMPLATE(INTERNED_DIMENSION_SPECS):
        return SPEC(INTERNED_DIMENSION_SPECS);
    case TEMPLATE(QUERY):
        return SPEC(QUERY);
    }
    return 0;
}

static uint32_t from_value_column(uint32_t id)
{
    switch (id) {
    case VALUE_COLUMN(UNIT):
        return SPEC(UNIT);
    case VALUE_COLUMN(CUSTOM_UNIT):
        return SPEC(CUSTOM_UNIT);
    case VALUE_COLUMN(POLARITY):
        return SPEC(POLARITY);
    }
    return 0;
}

static void copy_fields(struct orma_str from, uint32_t (*number)(uint32_t id), struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(from.data, from.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        uint32_t id = number(f.id);

        if (id && f.wire == ORMA_PB_LEN)
            orma_pb_put_bytes(out, id, f.len ? (const void *)f.data : "", f.len);
        else if (id && f.wire == ORMA_PB_VARINT)
            orma_pb_put_u64(out, id, orma_pb_u64(&f));
    }
}

/* The metric of one value column; `column` is the ValueColumnSpec, or only the name. */
static int expand_column(struct orma_summary *self, struct orma_str template, struct orma_str name,
                         struct orma_str column)
{
    struct orma_buf spec = {0}, id = {0};
    struct orma_str prefix;
    int64_t apart, unique;

    (void)orma_msg_str(template, TEMPLATE(ID_PREFIX), &prefix);
    (void)orma_msg_int(template, TEMPLATE(DISABLE_AUTO_BUNDLING), &apart);
    if (!name.len)
        return orma_summary_fail(self, "template '%.*s': a value column without name",
                                 ORMA_STR_ARG(prefix));
    orma_buf_printf(&id, "%.*s_%.*s", ORMA_STR_ARG(prefix), ORMA_STR_ARG(name));
    orma_pb_put_str(&spec, SPEC(ID), orma_buf_str(&id));
    orma_pb_put_str(&spec, SPEC(VALUE), name);
    copy_fields(template, from_template, &spec);
    if (orma_msg_int(template, TEMPLATE(DIMENSION_UNIQUENESS), &unique))
        orma_pb_put_i64(&spec, SPEC(DIMENSION_UNIQUENESS), unique);
    if (!apart)
        orma_pb_put_str(&spec, SPEC(BUNDLE_ID), prefix);
    copy_fields(column, from_value_column, &spec);
    orma_buf_fini(&id);
    return add_metric(self, &spec);
}

static int expand(struct orma_summary *self, struct orma_str template)
{
    struct orma_pb_reader r = orma_pb_reader(template.data, template.len);
    struct orma_pb_field f;
    struct orma_str prefix, any;
    int res = 0;

    if (!orma_msg_str(template, TEMPLATE(ID_PREFIX), &prefix) || !prefix.len)
        return orma_summary_fail(self, "a metric template without id_prefix");
    if (orma_msg_str(template, TEMPLATE(VALUE_COLUMNS), &any) &&
        orma_msg_str(template, TEMPLATE(VALUE_COLUMN_SPECS), &any))
        return orma_summary_fail(self,
                                 "template '%.*s' has both value_columns and value_column_specs",
                                 ORMA_STR_ARG(prefix));
    if (orma_msg_str(template, TEMPLATE(DIMENSIONS), &any) &&
        orma_msg_str(template, TEMPLATE(DIMENSIONS_SPECS), &any))
        return orma_summary_fail(self, "template '%.*s' has both dimensions and dimensions_specs",
                                 ORMA_STR_ARG(prefix));
    while (res == 0 && orma_pb_next(&r, &f)) {
        struct orma_str part = {f.len ? (const char *)f.data : "", f.len}, name;

        if (f.wire == ORMA_PB_LEN && f.id == TEMPLATE(VALUE_COLUMNS)) {
            res = expand_column(self, template, part, (struct orma_str){"", 0});
        } else if (f.wire == ORMA_PB_LEN && f.id == TEMPLATE(VALUE_COLUMN_SPECS)) {
            (void)orma_msg_str(part, VALUE_COLUMN(NAME), &name);
            res = expand_column(self, template, name, part);
        }
    }
    return res;
}

static int add_query(struct orma_summary *self, struct orma_str msg)
{
    struct orma_structured *s = &self->structured;
    struct orma_structured_query *grown =
        realloc(s->queries, (s->queries_num + 1) * sizeof(*grown));
    struct orma_str id;

    if (!grown)
        return -ENOMEM;
    s->queries = grown;
    (void)orma_msg_str(msg, ORMA_PB_PERFETTO_SQL_STRUCTURED_QUERY_ID, &id);
    if (!id.len)
        return orma_summary_fail(self, "a shared query without id");
    for (size_t i = 0; i < s->queries_num; i++) {
        if (orma_str_eq(grown[i].id, id))
            return orma_summary_fail(self, "the query '%.*s' is defined twice", ORMA_STR_ARG(id));
    }
    grown[s->queries_num++] = (struct orma_structured_query){.id = id, .msg = msg};
    return 0;
}

static int read_spec(struct orma_summary *self, const struct orma_buf *spec)
{
    struct orma_pb_reader r = orma_pb_reader(spec->data, spec->len);
    struct orma_pb_field f;
    int res = 0;

    while (res == 0 && orma_pb_next(&r, &f)) {
        struct orma_str part = {f.len ? (const char *)f.data : "", f.len};
        struct orma_buf copy = {0};

        if (f.wire != ORMA_PB_LEN)
            continue;
        switch (f.id) {
        case ORMA_PB_TRACE_SUMMARY_SPEC_METRIC_SPEC:
            orma_buf_put(&copy, part.data, part.len);
            res = add_metric(self, &copy);
            break;
        case ORMA_PB_TRACE_SUMMARY_SPEC_METRIC_TEMPLATE_SPEC:
            res = expand(self, part);
            break;
        case ORMA_PB_TRACE_SUMMARY_SPEC_QUERY:
            res = add_query(self, part);
            break;
        }
    }
    return res;
}

int orma_summary_read_specs(struct orma_summary *self)
{
    int r = 0;

    orma_buf_clear(&self->structured.error);
    if (self->read)
        return 0;
    orma_structured_drop(&self->structured);
    self->structured.queries_num = 0;
    for (size_t i = 0; i < self->metrics_num; i++)
        orma_buf_fini(&self->metrics[i].spec);
    self->metrics_num = 0;
    for (size_t i = 0; i < self->specs_num && r == 0; i++)
        r = read_spec(self, self->specs[i]);
    self->read = r == 0;
    return r;
}
