/*
 * What is handed over is a letter, and cells: a byte of type, and what it holds; texts and blobs
 * with their length in front.
 */
#include "tools/many/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/vec.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/sql_error.h"
#include "tools/load/threads.h"
#include "tools/many/many.h"

static void put_bytes(FILE *out, enum orma_value_type type, const void *data, size_t len)
{
    uint32_t n = (uint32_t)ORMA_MIN(len, ORMA_MANY_CELL_MAX);

    fputc((int)type, out);
    fwrite(&n, sizeof(n), 1, out);
    if (n)
        fwrite(data, 1, n, out);
}

static void put_text(FILE *out, const char *text)
{
    put_bytes(out, ORMA_VALUE_TEXT, text, strlen(text));
}

static void put_cell(FILE *out, const struct orma_query *q, unsigned col)
{
    const enum orma_value_type type = orma_query_type(q, col);
    int64_t whole;
    double real;

    switch (type) {
    case ORMA_VALUE_NULL:
        fputc((int)type, out);
        break;
    case ORMA_VALUE_INT64:
        whole = orma_query_int64(q, col);
        fputc((int)type, out);
        fwrite(&whole, sizeof(whole), 1, out);
        break;
    case ORMA_VALUE_DOUBLE:
        real = orma_query_double(q, col);
        fputc((int)type, out);
        fwrite(&real, sizeof(real), 1, out);
        break;
    case ORMA_VALUE_TEXT:
    case ORMA_VALUE_BLOB:
        put_bytes(out, type,
                  type == ORMA_VALUE_TEXT ? orma_query_text(q, col) : orma_query_blob(q, col),
                  orma_query_bytes(q, col));
    }
}

/* Names of metadata one by one; false at the end. */
static bool next_key(const char **keys, char *name, size_t size)
{
    if (!*keys || !**keys)
        return false;
    size_t len = strcspn(*keys, ",");
    snprintf(name, size, "%.*s", (int)len, *keys);
    *keys += len + ((*keys)[len] == ',');
    return true;
}

/* The values of metadata, which stand in every row. */
static int read_metadata(struct orma_processor *tp, const char *keys, FILE *out)
{
    struct orma_query *q;
    char key[128];
    int r =
        orma_query_prepare(tp, "SELECT coalesce(str_value, int_value) FROM metadata WHERE name = ?",
                           ORMA_WHOLE, &q, NULL);

    if (r)
        return r;
    while (r >= 0 && next_key(&keys, key, sizeof(key))) {
        r = orma_query_reset(q);
        if (!r)
            r = orma_query_bind_text(q, 1, key, ORMA_WHOLE);
        if (!r)
            r = orma_query_step(q);
        if (r == 1)
            put_cell(out, q, 0);
        else
            fputc(ORMA_VALUE_NULL, out);
    }
    orma_query_free(q);
    return r < 0 ? r : 0;
}

static int put_head(const struct orma_query *q, const char *keys, FILE *out)
{
    char key[128];
    uint32_t num = orma_query_columns(q);

    for (const char *k = keys; next_key(&k, key, sizeof(key));)
        num++;
    fputc('H', out);
    fwrite(&num, sizeof(num), 1, out);
    while (next_key(&keys, key, sizeof(key)))
        put_text(out, key);
    for (unsigned i = 0; i < orma_query_columns(q); i++)
        put_text(out, orma_query_column_name(q, i));
    return 0;
}

static int put_rows(struct orma_query *q, const char *keys, const struct orma_buf *metadata,
                    FILE *out)
{
    int r = put_head(q, keys, out);

    while (!r && (r = orma_query_step(q)) == 1) {
        fputc('R', out);
        if (metadata->len)
            fwrite(metadata->data, 1, metadata->len, out);
        for (unsigned i = 0; i < orma_query_columns(q); i++)
            put_cell(out, q, i);
        r = ferror(out) ? -EIO : 0;
    }
    return r;
}

/* All statements; the rows are those of the last one. *ret_any: it has some. */
static int ask(const struct orma_many *args, struct orma_processor *tp,
               const struct orma_buf *metadata, FILE *out, bool *ret_any)
{
    struct orma_script_run *script;
    struct orma_query *q;
    int r = orma_script_open(tp, args->sql, ORMA_WHOLE, NULL, &script);

    if (r)
        return r;
    while ((r = orma_script_step(script, &q)) == 1) {
        *ret_any = orma_script_at_end(script) && orma_query_has_columns(q);
        if (*ret_any)
            r = put_rows(q, args->metadata, metadata, out);
        while (!*ret_any && (r = orma_query_step(q)) == 1)
            ;
        orma_query_free(q);
        if (r < 0)
            break;
    }
    orma_script_close(script);
    return r;
}

static int load_and_ask(const struct orma_many *args, struct orma_processor *tp, const char *path,
                        FILE *out, bool *ret_any)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf metadata = {0};
    char *text = NULL;
    size_t len = 0;
    int r = orma_load_cache_use(tp, args->program);

    if (!r)
        r = orma_processor_load_file(tp, path, NULL, NULL);
    if (!r && !orma_processor_size(tp))
        return -ENODATA;
    if (!r && args->metadata) {
        FILE *memory = open_memstream(&text, &len);

        r = memory ? read_metadata(tp, args->metadata, memory) : -ENOMEM;
        if (memory && fclose(memory))
            r = -ENOMEM;
        orma_buf_put(&metadata, text, len);
        free(text);
    }
    return r ? r : ask(args, tp, &metadata, out, ret_any);
}

_Noreturn void orma_many_ask(const struct orma_many *args, const char *path, FILE *out)
{
    struct orma_processor_config config = {.size = sizeof(config),
                                           .full_sort = args->full_sort,
                                           .query_timeout_ms = args->query_timeout_ms,
                                           .threads = orma_load_threads()};
    struct orma_processor *tp;
    bool any = false;

    if (orma_processor_new(&config, &tp))
        _exit(1);
    int r = load_and_ask(args, tp, path, out, &any);
    if (r == 0 && any) {
        fputc('D', out);
        for (unsigned i = 0; i < orma_processor_unread_num(tp); i++)
            put_text(out, orma_processor_unread(tp, i));
    } else {
        const char *text = orma_processor_error(tp);

        rewind(out); /* the error is all that is read: it stands in front */
        fputc('E', out);
        struct orma_buf plain = {0};
        orma_load_put_sql_error(r == 0          ? "the last statement returns no rows"
                                : r == -ENODATA ? ORMA_LOAD_EMPTY
                                : *text         ? text
                                                : strerror(-r),
                                &plain);
        put_text(out, orma_buf_cstr(&plain));
    }
    _exit(fflush(out) ? 1 : 0);
}
