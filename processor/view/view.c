/*
 * Packs a trace for the timeline, and writes pages of HTML around it: bounds, rows, items, blocks,
 * then what the page must know at once.
 */
#include "processor/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "processor/view/view_impl.h"
#include "protos/reflect/json.h"
#include "sdk/base/base64.h"

#define EXACT_DIGITS 15 /* of numbers, that a browser keeps */

static void free_items(struct orma_view *self)
{
    ORMA_VEC_FINI(&self->slices);
    for (unsigned i = 0; i < ORMA_VIEW_LEVELS; i++)
        ORMA_VEC_FINI(&self->levels[i]);
    ORMA_VEC_FINI(&self->states);
    ORMA_VEC_FINI(&self->sched);
    ORMA_VEC_FINI(&self->values);
    ORMA_VEC_FINI(&self->logs);
    ORMA_VEC_FINI(&self->samples);
    ORMA_VEC_FINI(&self->flows);
    ORMA_VEC_FINI(&self->gaps);
    ORMA_VEC_FINI(&self->arg_sets);
    orma_map_fini(&self->arg_ids);
    orma_map_fini(&self->machines);
    orma_map_fini(&self->processes);
    orma_map_fini(&self->threads);
    orma_map_fini(&self->cpus);
    orma_map_fini(&self->tracks);
    orma_map_fini(&self->children);
}

void orma_view_free(struct orma_view *self)
{
    if (!self)
        return;
    free_items(self);
    for (uint32_t i = 0; i < self->blocks.len; i++)
        orma_buf_fini(&self->blocks.data[i].packed);
    ORMA_VEC_FINI(&self->blocks);
    ORMA_VEC_FINI(&self->chunks);
    ORMA_VEC_FINI(&self->rows);
    orma_view_strings_fini(&self->strings);
    orma_buf_fini(&self->info);
    if (self->kept >= 0)
        (void)close(self->kept); /* only read */
    free(self);
}

static void find_bounds(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, "SELECT start_ts, end_ts FROM trace_bounds");

    while (orma_view_next(&q)) {
        self->from = orma_view_time(&q, 0);
        self->to = orma_view_time(&q, 1);
    }
    if (self->config.from_ns || self->config.to_ns) {
        self->from = orma_view_near(self->config.from_ns);
        self->to = orma_view_near(self->config.to_ns);
    }
    if (self->to < self->from)
        orma_view_fail(self, -EINVAL);
}

/* ---- block 0 ---- */

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
    struct orma_buf quoted = {0};

    orma_json_quote(&quoted, text);
    for (size_t i = 0; i < quoted.len; i++)
        put_escaped(self, quoted.data[i]);
    if (quoted.failed)
        orma_view_fail(self, -ENOMEM);
    orma_buf_fini(&quoted);
}

/* Rows of a query as an array of arrays; texts and whole numbers only. */
static void put_table(struct orma_view *self, const char *name, const char *sql)
{
    struct orma_view_query q = orma_view_query(self, sql);
    bool first = true;

    orma_buf_printf(&self->info, ",\"%s\":[", name);
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
    orma_buf_put_byte(&self->info, ']');
}

#define LOST                                                                                       \
    "SELECT reason, sum(packets), count(DISTINCT sequence_id) FROM loss "                          \
    "WHERE reason NOT IN ('emitted', 'delivered') AND packets > 0 GROUP BY 1 ORDER BY 2 DESC"
#define PROBLEMS                                                                                   \
    "SELECT name, idx, severity, value FROM stats WHERE value > 0 AND severity IN ('data_loss', "  \
    "'error') ORDER BY severity, value DESC LIMIT 100"
#define FACTS                                                                                      \
    "SELECT name, coalesce(str_value, CAST(int_value AS TEXT)) FROM metadata WHERE "               \
    "coalesce(str_value, int_value) IS NOT NULL AND length(coalesce(str_value, '')) < 200 LIMIT "  \
    "100"

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
    for (unsigned i = 0; i < self->num_levels; i++)
        orma_buf_printf(out, "%s%" PRId64, i ? "," : "", self->level_ns[i]);
    orma_buf_put_str(out, "],\"chunks\":[");
    for (uint32_t i = 0; i < self->chunks.len; i++) {
        const struct orma_view_chunk *c = &self->chunks.data[i];

        orma_buf_printf(out, "%s%u,%u,%u,%u,%u,%" PRId64 ",%" PRId64, i ? "," : "", c->row,
                        c->block, c->at, c->kind, c->items, c->from - self->from,
                        c->to - self->from);
    }
    orma_buf_put_byte(out, ']');
}

static void make_info(struct orma_view *self)
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
    put_table(self, "lost", LOST);
    put_table(self, "problems", PROBLEMS);
    put_table(self, "facts", FACTS);
    put_report(self);
    put_blocks(self);
    orma_buf_put_byte(&self->info, '}');
    if (self->info.failed)
        orma_view_fail(self, -ENOMEM);
}

int orma_view_new(struct orma_processor *tp, const struct orma_view_config *config,
                  struct orma_view **ret)
{
    struct orma_view *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->tp = tp;
    self->config = *config;
    self->kept = -1;
    if (orma_view_open_kept(self)) {
        *ret = self;
        return 0;
    }
    orma_view_strings_init(&self->strings);
    find_bounds(self);
    if (!self->err) {
        orma_view_load_rows(self);
        orma_view_load_items(self);
        orma_view_rank_rows(self);
        orma_view_pack(self);
        self->totals.rows = self->rows.len;
        make_info(self);
    }
    free_items(self);
    int err = self->err;
    if (err) {
        orma_view_free(self);
        return err;
    }
    *ret = self;
    return 0;
}

struct orma_view_totals orma_view_totals(const struct orma_view *self)
{
    return self->totals;
}

struct orma_str orma_view_info(const struct orma_view *self)
{
    return orma_buf_str(&self->info);
}

size_t orma_view_blocks(const struct orma_view *self)
{
    return self->blocks.len;
}

struct orma_str orma_view_block(const struct orma_view *self, size_t n)
{
    struct orma_view_block *block = n && n <= self->blocks.len ? &self->blocks.data[n - 1] : NULL;

    return block && orma_view_read_block(self, block) ? orma_buf_str(&block->packed)
                                                      : (struct orma_str){0};
}
