#include "tools/fleet/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/fd.h"
#include "tools/base/cli.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"

#define READ_SIZE ((size_t)1 << 20)
#define DAYS_MAX 49710 /* what every version's Date can hold: 2106 */

int orma_fleet_trace_hash(const char *path, uint8_t ret[ORMA_FLEET_HASH_BYTES])
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ORMA_AUTO(orma_buf_fini) struct orma_buf block = {0};
    struct orma_fleet_hash state;
    ssize_t n = 0;

    if (fd < 0)
        return -errno;
    uint8_t *to = orma_buf_extend(&block, READ_SIZE);
    if (!to)
        return -ENOMEM;
    orma_fleet_hash_init(&state);
    while ((n = read(fd, to, READ_SIZE)) > 0 || (n < 0 && errno == EINTR))
        orma_fleet_hash_put(&state, to, n > 0 ? (size_t)n : 0);
    orma_fleet_hash_end(&state, ret);
    return n < 0 ? -errno : 0;
}

void orma_fleet_hash_text(const uint8_t hash[ORMA_FLEET_HASH_BYTES], char ret[ORMA_FLEET_HASH_TEXT])
{
    for (size_t i = 0; i < ORMA_FLEET_HASH_BYTES; i++)
        snprintf(ret + 2 * i, 3, "%02x", hash[i]);
}

bool orma_fleet_hash_parse(const char *text, uint8_t ret[ORMA_FLEET_HASH_BYTES])
{
    for (size_t i = 0; i < ORMA_FLEET_HASH_BYTES; i++) {
        unsigned byte;

        if (sscanf(text + 2 * i, "%2x", &byte) != 1) /* it stops at the end */
            return false;
        ret[i] = (uint8_t)byte;
    }
    return true;
}

bool orma_fleet_parse_day(const char *text, uint32_t *ret)
{
    struct tm tm = {0};
    const char *end = strptime(text, strchr(text, '-') ? "%Y-%m-%d" : "%Y%m%d", &tm);
    const time_t t = end && !*end ? timegm(&tm) : -1;

    if (t < 0 || t / 86400 > DAYS_MAX)
        return false;
    *ret = (uint32_t)(t / 86400);
    return true;
}

void orma_fleet_day_text(uint32_t day, char ret[16])
{
    const time_t t = (time_t)day * 86400;
    struct tm tm;

    if (!gmtime_r(&t, &tm) || !strftime(ret, 16, "%Y-%m-%d", &tm))
        *ret = '\0';
}

/* One row; `kinds`: i for int64_t, t for a text. */
static int insert(struct orma_processor *tp, const char *sql, const char *kinds, ...)
{
    struct orma_query *q;
    va_list args;
    int r = orma_query_prepare(tp, sql, ORMA_WHOLE, &q, NULL);

    va_start(args, kinds);
    for (unsigned i = 0; !r && kinds[i]; i++) {
        if (kinds[i] == 'i')
            r = orma_query_bind_int64(q, i + 1, va_arg(args, int64_t));
        else
            r = orma_query_bind_text(q, i + 1, va_arg(args, const char *), ORMA_WHOLE);
    }
    va_end(args);
    if (!r)
        r = orma_query_step(q);
    orma_query_free(q);
    return r < 0 ? r : 0;
}

static int prepare(struct orma_processor *tp)
{
    struct orma_script_run *script;
    struct orma_query *q;
    int r = orma_script_open(tp, orma_fleet_prepare, ORMA_WHOLE, NULL, &script);

    if (r)
        return r;
    while ((r = orma_script_step(script, &q)) == 1) {
        r = orma_query_step(q);
        orma_query_free(q);
        if (r < 0)
            break;
    }
    orma_script_close(script);
    return r;
}

/* Labels out of the metadata, in front of the others, which win. */
static int read_metadata(struct orma_processor *tp, const struct orma_fleet_labels *labels,
                         struct orma_buf *to)
{
    struct orma_query *q;
    int r =
        orma_query_prepare(tp, "SELECT coalesce(str_value, int_value) FROM metadata WHERE name = ?",
                           ORMA_WHOLE, &q, NULL);

    if (r)
        return r;
    for (size_t i = 0; r >= 0 && i < labels->metadata_num; i++) {
        const char *pair = labels->metadata[i], *key = strchr(pair, '=') + 1;

        r = orma_query_reset(q);
        if (!r)
            r = orma_query_bind_text(q, 1, key, ORMA_WHOLE);
        if (!r && (r = orma_query_step(q)) == 1) {
            const char *value = orma_query_text(q, 0);

            orma_buf_put(to, pair, (size_t)(key - 1 - pair));
            orma_buf_put_byte(to, 0);
            orma_buf_put(to, value, strlen(value) + 1);
        }
    }
    orma_query_free(q);
    return r < 0 ? r : 0;
}

static int put_labels(struct orma_processor *tp, const struct orma_buf *labels)
{
    const char *name = NULL, *value;
    int r = 0;

    while (!r && orma_fleet_next_label(labels, &name, &value)) {
        if (orma_fleet_label(labels, name) == value)
            r = insert(tp, "INSERT INTO _fleet_label VALUES (?, ?)", "tt", name, value);
    }
    return r;
}

/* Both come from the trace. */
static int64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX ? INT64_MAX
                                                                         : (int64_t)product;
}

static int put_functions(struct orma_processor *tp, struct orma_buf *why)
{
    struct orma_stacks stacks = {0};
    const struct orma_stacks_choice all = {.kind = ORMA_STACKS_SAMPLES};
    int r = orma_stacks_load(&stacks, tp, &all);

    if (r == -ENODATA)
        return 0; /* it is no profile */
    if (r < 0)
        orma_buf_put_str(why, orma_stacks_error(&stacks, tp));
    for (size_t i = 0; !r && i < orma_stacks_functions_num(&stacks); i++) {
        const struct orma_stacks_function *f = &orma_stacks_functions(&stacks)[i];

        if (f->total)
            r = insert(tp, "INSERT INTO _fleet_function VALUES (?, ?, ?, ?, ?, ?, ?)", "ttiiiii",
                       orma_stacks_text(&stacks, f->name), orma_stacks_text(&stacks, f->module),
                       (int64_t)f->inlined, (int64_t)f->self, (int64_t)f->total,
                       times(f->self, stacks.period_ns), times(f->total, stacks.period_ns));
    }
    orma_stacks_fini(&stacks);
    return r;
}

static int put_trace(const struct orma_fleet_trace *self, struct orma_processor *tp,
                     const char *path, int64_t bytes, int64_t started)
{
    char hash[ORMA_FLEET_HASH_TEXT], losses[ORMA_LEDGER_TEXT_MAX];
    struct orma_ledger ledger;

    orma_load_loss(tp, &ledger);
    orma_ledger_format(&ledger, losses, sizeof(losses));
    orma_fleet_hash_text(self->hash, hash);
    return insert(tp, "INSERT INTO _fleet_trace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  "ttiiiiiiiitt", hash, path, bytes,
                  orma_load_number(tp, "SELECT start_ts FROM trace_bounds"),
                  orma_load_number(tp, "SELECT end_ts FROM trace_bounds"), started,
                  (int64_t)orma_ledger_total(&ledger), (int64_t)!ledger.unknown,
                  (int64_t)ledger.kernel_overrun, (int64_t)orma_processor_damage(tp).bytes, losses,
                  ORMA_VERSION_TEXT);
}

static void set_text(struct orma_buf *to, const struct orma_buf *labels, const char *name)
{
    const char *value = orma_fleet_label(labels, name);

    orma_buf_put_str(to, value ? value : "");
}

/* By its label, else its own clock, else its file. */
static int set_day(struct orma_fleet_trace *self, int64_t started, time_t changed,
                   struct orma_buf *why)
{
    const char *label = orma_fleet_label(&self->labels, "date");
    int64_t day = started > 0 ? started / 1000000000 / 86400 : changed / 86400;

    if (label && !orma_fleet_parse_day(label, &self->day)) {
        orma_buf_printf(why, "its date '%.40s' is not a date such as 2026-11-27", label);
        return -EINVAL;
    }
    if (!label)
        self->day = (uint32_t)(day < 0 || day > DAYS_MAX ? 0 : day);
    return 0;
}

int orma_fleet_trace_load(struct orma_fleet_trace *self, struct orma_processor *tp,
                          const struct orma_fleet_labels *labels, const char *path,
                          struct orma_buf *why)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf named = {0};
    struct stat st = {0};
    int r = orma_fleet_labels_of(labels, path, &named);

    if (r == -ENOENT) {
        orma_buf_put_str(why, "its path does not match the pattern of --path-labels");
        return r;
    }
    if (!r)
        r = orma_load_cache_use(tp, "orma fleet");
    if (!r)
        r = orma_processor_load_file(tp, path, NULL, NULL);
    if (!r && !orma_processor_size(tp)) {
        orma_buf_put_str(why, ORMA_LOAD_EMPTY);
        return -ENODATA;
    }
    for (unsigned i = 0; !r && i < orma_processor_unread_num(tp); i++)
        fprintf(stderr, "orma fleet: %s: %s\n", path, orma_processor_unread(tp, i));
    if (!r)
        r = stat(path, &st) ? -errno : prepare(tp);
    if (!r)
        r = read_metadata(tp, labels, &self->labels);
    if (r)
        return r;
    orma_buf_put(&self->labels, named.data, named.len);
    set_text(&self->build, &self->labels, "build");
    set_text(&self->machine, &self->labels, "machine");
    const int64_t started = orma_load_number(tp, "SELECT to_realtime(trace_start())");
    r = self->labels.failed ? -ENOMEM : set_day(self, started, st.st_mtime, why);
    if (!r)
        r = put_labels(tp, &self->labels);
    if (!r)
        r = put_functions(tp, why);
    return r ? r : put_trace(self, tp, path, st.st_size, started);
}

void orma_fleet_trace_fini(struct orma_fleet_trace *self)
{
    orma_buf_fini(&self->build);
    orma_buf_fini(&self->machine);
    orma_buf_fini(&self->labels);
}

int orma_fleet_trace_rows(struct orma_processor *tp, const struct orma_fleet_table *table,
                          const char *with, uint64_t rows, struct orma_columns **ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const char *list = table->columns, *comma = "";
    struct orma_fleet_column c;
    struct orma_query *q;

    orma_buf_put_str(&sql, "WITH q(");
    for (; orma_fleet_next_column(&list, &c); comma = ",")
        orma_buf_printf(&sql, "%s%s", comma, c.name);
    orma_buf_printf(&sql, ") AS (%s) SELECT %s* FROM q", table->sql, with);
    int r = sql.failed ? -ENOMEM
                       : orma_query_prepare(tp, *with ? orma_buf_cstr(&sql) : table->sql,
                                            ORMA_WHOLE, &q, NULL);
    if (r)
        return r;
    r = orma_columns_new(q, rows, false, ret);
    if (r)
        orma_query_free(q);
    return r;
}
