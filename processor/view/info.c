/*
 * Block 0: what a page must know at once, in JSON.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/view/view_impl.h"
#include "protos/loss.h"
#include "protos/reflect/json.h"

#define EXACT_DIGITS 15 /* of numbers, that a browser keeps */

/* JSON may stand inside an element <script>: "<", in texts only, is written as an escape. */
static void put_escaped(struct orma_view *self, uint8_t byte)
{
    if (byte == '<')
        orma_buf_put_str(&self->info, "\\u003c");
    else
        orma_buf_put_byte(&self->info, byte);
}

static void put_text(struct orma_view *self, struct orma_str text)
{
    (void)orma_json_quote_in_page(&self->info, text); /* bad UTF-8 is shown as such */
}

/* Rows of a query as arrays; texts and whole numbers only. */
static void put_rows(struct orma_view *self, bool first, const char *sql)
{
    struct orma_view_query q = orma_view_query(self, sql);

    for (; orma_view_next(&q); first = false) {
        orma_buf_put_str(&self->info, first ? "[" : ",[");
        for (unsigned col = 0; col < orma_query_columns(q.query); col++) {
            if (col)
                orma_buf_put_byte(&self->info, ',');
            if (orma_query_type(q.query, col) == ORMA_VALUE_INT64)
                orma_buf_printf(&self->info, "%" PRId64, orma_view_int(&q, col));
            else
                put_text(self, orma_view_bytes(&q, col));
        }
        orma_buf_put_byte(&self->info, ']');
    }
}

static void put_table(struct orma_view *self, const char *name, const char *sql)
{
    orma_buf_printf(&self->info, ",\"%s\":[", name);
    put_rows(self, true, sql);
    orma_buf_put_byte(&self->info, ']');
}

#define INCIDENTS                                                                                  \
    "SELECT text, '', 'data_loss', 1 FROM loss WHERE text IS NOT NULL ORDER BY id LIMIT 100"
#define UNREAD                                                                                     \
    "SELECT message, '', CASE reason WHEN 'error' THEN 'error' ELSE 'data_loss' END, count FROM "  \
    "import_account WHERE message IS NOT NULL ORDER BY id LIMIT 100"
/* A file of perf that is alone has nothing that its clock could be related to: no problem, but a
 * fact. */
#define UNRELATED "name = 'clock_sync_unrelatable_clock_domains'"
#define ALONE                                                                                      \
    "(SELECT group_concat(trace_type) FROM __intrinsic_trace_file WHERE NOT is_container) = "      \
    "'perf'"
/* What the sentences of the account do not say. */
#define PROBLEMS                                                                                   \
    "SELECT name, idx, severity, value FROM stats WHERE value > 0 AND severity IN ('data_loss', "  \
    "'error') AND name NOT IN ('damaged_places', 'damaged_bytes') AND name NOT IN (SELECT kind "   \
    "FROM import_account WHERE unit = 'statistic') AND NOT (" UNRELATED " AND " ALONE              \
    ") ORDER BY severity, value DESC LIMIT 100"
/* What a sample stands for, where all of them count time. */
#define PERIOD                                                                                     \
    "SELECT period_ns FROM _orma_sample_period WHERE NOT EXISTS (SELECT 1 FROM "                   \
    "__intrinsic_profiler_session WHERE timebase_unit != 'ns')"
static void put_period(struct orma_view *self)
{
    if (!self->samples.len)
        return;
    orma_view_include(self, "orma.frames");
    struct orma_view_query q = orma_view_query(self, PERIOD);

    while (orma_view_next(&q))
        orma_buf_printf(&self->info, ",\"samplePeriod\":%" PRId64, orma_view_int(&q, 0));
}

/* The statistics as sentences, as everywhere. */
static void put_problems(struct orma_view *self)
{
    orma_buf_put_str(&self->info, ",\"problems\":[");
    size_t begin = self->info.len;
    put_rows(self, true, INCIDENTS);
    put_rows(self, self->info.len == begin, UNREAD);
    struct orma_view_query q = orma_view_query(self, PROBLEMS);
    while (orma_view_next(&q)) {
        struct orma_buf text = {0};
        int64_t idx = orma_view_int(&q, 1);
        bool indexed = orma_query_type(q.query, 1) == ORMA_VALUE_INT64;

        if (orma_loss_is_harmless(orma_query_text(q.query, 0), idx))
            continue;
        orma_loss_put_stat(&text, orma_query_text(q.query, 0), indexed ? &idx : NULL,
                           orma_view_int(&q, 3));
        orma_buf_put_str(&self->info, self->info.len > begin ? ",[" : "[");
        put_text(self, orma_buf_str(&text));
        orma_buf_put_str(&self->info, ",\"\",");
        put_text(self, orma_view_bytes(&q, 2));
        orma_buf_printf(&self->info, ",%" PRId64 "]", orma_view_int(&q, 3));
        orma_buf_fini(&text);
    }
    orma_buf_put_byte(&self->info, ']');
}

#define FACTS                                                                                      \
    "SELECT 'clock', 'its own, not related to other clocks; times are correct among themselves' "  \
    "FROM stats WHERE value > 0 AND " UNRELATED " AND " ALONE                                      \
    " UNION ALL SELECT * FROM (SELECT name, coalesce(str_value, CAST(int_value AS TEXT)) FROM "    \
    "metadata WHERE "                                                                              \
    "coalesce(str_value, int_value) IS NOT NULL AND length(coalesce(str_value, '')) < 200 LIMIT "  \
    "100)"

/* Whole numbers that browsers would round become texts. */
static size_t put_number(struct orma_buf *out, const char *number)
{
    size_t len = strspn(number, "+-.eE0123456789");
    bool quote = len > EXACT_DIGITS && strspn(number, "-0123456789") == len;

    orma_buf_printf(out, quote ? "\"%.*s\"" : "%.*s", (int)len, number);
    return len;
}

static void put_report(struct orma_view *self)
{
    bool text = false;

    if (!self->config.report)
        return;
    orma_buf_put_str(&self->info, ",\"report\":");
    for (const char *p = self->config.report; *p;) {
        if (!text && strchr("-0123456789", *p)) {
            p += put_number(&self->info, p);
            continue;
        }
        if (text && *p == '\\' && p[1])
            put_escaped(self, (uint8_t)*p++);
        else if (*p == '"')
            text = !text;
        put_escaped(self, (uint8_t)*p++);
    }
}

static void put_blocks(struct orma_view *self)
{
    struct orma_buf *out = &self->info;

    orma_buf_put_str(out, ",\"blocks\":[");
    for (uint32_t i = 0; i < self->blocks.len; i++) {
        const struct orma_view_block *b = &self->blocks.data[i];

        orma_buf_printf(out, "%s[%u,%u,%u,%u,%u,%zu]", i ? "," : "", b->kind, b->raw, b->crc,
                        b->first, b->last, b->packed.len);
    }
    orma_buf_put_str(out, "],\"levels\":[");
    for (unsigned i = 0; i < self->level.num; i++)
        orma_buf_printf(out, "%s%" PRId64, i ? "," : "", self->level.ns[i]);
    orma_buf_put_str(out, "],\"chunks\":[");
    for (uint32_t i = 0; i < self->chunks.len; i++) {
        const struct orma_view_chunk *c = &self->chunks.data[i];

        orma_buf_printf(out, "%s%u,%u,%u,%u,%u,%" PRId64 ",%" PRId64, i ? "," : "", c->row,
                        c->block, c->at, c->kind, c->items, c->from - self->from,
                        c->to - self->from);
    }
    orma_buf_put_byte(out, ']');
}

void orma_view_make_info(struct orma_view *self)
{
    const struct orma_view_totals *t = &self->totals;

    orma_buf_put_str(&self->info, "{\"version\":1,\"title\":");
    put_text(self, orma_str_from(self->config.title ? self->config.title : "trace"));
    orma_buf_printf(&self->info,
                    ",\"from\":\"%" PRId64 "\",\"to\":\"%" PRId64
                    "\",\"counts\":{\"slices\":%" PRIu64 ",\"states\":%" PRIu64
                    ",\"values\":%" PRIu64 ",\"logs\":%" PRIu64 ",\"flows\":%" PRIu64
                    ",\"grouped\":%" PRIu64 ",\"groupNs\":%" PRId64 ",\"merged\":%" PRIu64
                    ",\"mergedNs\":%" PRId64 "}",
                    self->from, self->to, t->slices, t->states, t->values, t->logs, t->flows,
                    t->grouped, t->group_ns, t->merged, t->merged_ns);
    if (self->partial.all) {
        orma_buf_printf(&self->info,
                        ",\"partial\":{\"read\":%" PRIu64 ",\"all\":%" PRIu64 ",\"until\":%" PRId64
                        "},\"problems\":[],\"facts\":[]",
                        self->partial.read, self->partial.all, self->partial.until - self->from);
    } else {
        if (self->config.losses) {
            orma_buf_put_str(&self->info, ",\"losses\":");
            put_text(self, orma_str_from(self->config.losses));
        }
        put_problems(self);
        put_period(self);
        put_table(self, "facts", FACTS);
        put_report(self);
    }
    put_blocks(self);
    orma_buf_put_byte(&self->info, '}');
    if (self->info.failed)
        orma_view_fail(self, -ENOMEM);
}
