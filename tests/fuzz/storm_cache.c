/*
 * Whole trace files loaded three times: without a cache, with an empty one, and from what that
 * left. Every table, view and table function that takes no arguments must have the same rows.
 *
 *     storm_cache FILES OR FOLDERS...
 *
 * Times that loading took are left out.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"
#include "tests/support/hostile_sql.h"

#define QUERY_MS 20000

static unsigned loaded, refused, different;

static uint64_t hash_cell(const struct orma_query *q, unsigned col)
{
    enum orma_value_type type = orma_query_type(q, col);
    bool bytes = type == ORMA_VALUE_BLOB;
    const void *data = bytes ? orma_query_blob(q, col) : orma_query_text(q, col);

    return orma_hash_bytes_from(type, data, orma_query_bytes(q, col));
}

/* Rows and a hash of them, or the error. */
static void read_rows(struct orma_processor *tp, const char *sql, struct orma_buf *ret)
{
    struct orma_query *q = NULL;
    uint64_t hash = 0, rows = 0;
    int r = orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL);

    orma_buf_clear(ret);
    while (!r && (r = orma_query_step(q)) == 1) {
        for (unsigned i = 0; i < orma_query_columns(q); i++)
            hash = orma_mix64(hash ^ hash_cell(q, i));
        rows++;
        r = 0;
    }
    orma_buf_printf(ret, "%llu rows, %016llx, %s", (unsigned long long)rows,
                    (unsigned long long)hash, r < 0 ? orma_processor_error(tp) : "complete");
    orma_query_free(q);
}

static struct orma_processor *load(const char *path, const char *folder, bool want_hit)
{
    const struct orma_processor_config config = {.size = sizeof(config),
                                                 .query_timeout_ms = QUERY_MS};
    const struct orma_processor_cache cache = {.folder = folder, .wait = true};
    struct orma_processor *tp = NULL;

    if (orma_processor_new(&config, &tp) || orma_processor_set_cache(tp, &cache) ||
        orma_processor_load_file(tp, path, NULL, NULL)) {
        orma_processor_free(tp);
        return NULL;
    }
    if (folder && want_hit != (strstr(orma_processor_cache_note(tp), "taken") != NULL)) {
        printf("%s: %s the cache: %s\n", path, want_hit ? "not from" : "from",
               orma_processor_cache_note(tp));
        different++;
    }
    return tp;
}

static void compare(const char *path, struct orma_processor *a, struct orma_processor *b)
{
    struct hostile_sql names;
    struct orma_buf x = {0}, y = {0}, sql = {0};

    if (hostile_sql_init(&names, orma_processor_sql(a), 1))
        abort();
    for (size_t i = 0; i < hostile_sql_tables(&names); i++) {
        const char *name = ((struct hostile_name *)(void *)names.tables.data)[i].name;

        if (!strncmp(name, "sqlstats", 8)) /* of the queries themselves */
            continue;
        orma_buf_clear(&sql);
        orma_buf_printf(&sql, "SELECT * FROM \"%s\"%s", name,
                        strstr(name, "stats") ? " WHERE name NOT GLOB '*_duration_ns'" : "");
        read_rows(a, orma_buf_cstr(&sql), &x);
        read_rows(b, orma_buf_cstr(&sql), &y);
        if (strcmp(orma_buf_cstr(&x), orma_buf_cstr(&y)) != 0) {
            printf("%s: %s: %s; from the cache: %s\n", path, name, orma_buf_cstr(&x),
                   orma_buf_cstr(&y));
            different++;
        }
    }
    hostile_sql_fini(&names);
    orma_buf_fini(&x);
    orma_buf_fini(&y);
    orma_buf_fini(&sql);
}

static void empty(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[4096];

    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        (void)unlink(path); /* not the folders themselves */
    }
    if (dir)
        (void)closedir(dir);
}

static void take_file(const char *path, const char *folder)
{
    struct orma_processor *a = load(path, NULL, false), *b;

    if (!a) {
        refused++;
        return;
    }
    orma_processor_free(load(path, folder, false));
    b = load(path, folder, true);
    if (b)
        compare(path, a, b);
    else
        printf("%s: cannot be loaded a third time\n", path), different++;
    loaded++;
    orma_processor_free(a);
    orma_processor_free(b);
    empty(folder);
}

static void take(const char *path, const char *folder)
{
    DIR *dir = opendir(path);
    char inside[4096];

    if (!dir) {
        struct stat st;

        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size)
            take_file(path, folder);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        snprintf(inside, sizeof(inside), "%s/%s", path, e->d_name);
        take(inside, folder);
    }
    (void)closedir(dir);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/storm-cache-XXXXXX";

    if (argc < 2 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: storm_cache FILES OR FOLDERS...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        take(argv[i], folder);
    (void)rmdir(folder);
    printf("%u traces loaded, %u refused, %u differences\n", loaded, refused, different);
    return different || !loaded;
}
