/*
 * Sources of messages and specifications of summaries, which users give: the
 * first byte says which. What is accepted is used: messages are merged into a
 * schema, summaries are computed over empty tables.
 */
#include <stdlib.h>

#include "processor/metrics/proto_source.h"
#include "processor/metrics/summary.h"

static void read_proto(struct orma_str text)
{
    struct orma_proto_source file = {"f.proto", text};
    struct orma_buf set = {0}, error = {0};
    struct orma_schema *schema;

    if (orma_schema_new(NULL, &schema) < 0)
        abort();
    int r = orma_proto_sources_parse(schema, &file, 1, &set, &error);
    if ((r < 0) != (error.len > 0) || (r < 0 && set.len))
        abort();
    if (r == 0)
        (void)orma_schema_add(schema, set.data, set.len, NULL); /* may be contradictory */
    orma_schema_free(schema);
    orma_buf_fini(&set);
    orma_buf_fini(&error);
}

static void summarize(struct orma_str text, bool is_text)
{
    struct orma_storage storage = {0};
    struct orma_summary *s;
    struct orma_sql *sql;
    struct orma_buf out = {0}, printed = {0};

    if (orma_storage_init(&storage) < 0 || orma_sql_open(&storage, &sql) < 0 ||
        orma_sql_data_ready(sql) < 0 || orma_summary_new(sql, &s) < 0)
        abort();
    int r = is_text ? orma_summary_add_text(s, "f", text)
                    : orma_summary_add_spec(s, text.data, text.len);
    if (r == 0)
        r = orma_summary_compute(s, NULL, 0, "about", &out);
    if (r < 0 && !orma_summary_error(s)[0])
        abort();
    if (r == 0 && orma_summary_print(out.data, out.len, &printed) < 0)
        abort();
    orma_summary_free(s);
    orma_sql_close(sql);
    orma_storage_fini(&storage);
    orma_buf_fini(&out);
    orma_buf_fini(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct orma_str rest = {(const char *)data + 1, size - 1};
    switch (data[0]) {
    case 'p':
        read_proto(rest);
        break;
    case 't':
        summarize(rest, true);
        break;
    case 'b':
        summarize(rest, false);
        break;
    }
    return 0;
}
