/*
 * Whole trace files loaded three times: without a cache, with an empty one, and from what that
 * left; and from the archives that the first and the third export. Every table, view and table
 * function that takes no arguments must have the same rows.
 *
 *     storm_cache [--runs N] [--seed S] FILES OR FOLDERS...
 *
 * Times that loading took are left out. Then N times somebody else writes other bytes into the
 * image or the archive, with sums that are right, and statements that nobody should write are asked
 * of what came of it: build it with sanitizers.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/store/image_format.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "tests/support/hostile_sql.h"
#include "tests/support/image.h"

#define QUERY_MS 20000
#define HOSTILE_QUERY_MS 500
#define STATEMENTS 40
#define ROWS_MAX 2000

static unsigned loaded, refused, different, hostile;
static unsigned runs;
static uint64_t seed = 1;

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

static struct orma_processor *open_trace(const char *path, const char *folder, uint64_t timeout_ms)
{
    const struct orma_processor_config config = {.size = sizeof(config),
                                                 .query_timeout_ms = timeout_ms};
    struct orma_processor *tp = NULL;

    if (orma_processor_new(&config, &tp) || (folder && orma_processor_use_cache(tp, folder)) ||
        orma_processor_load_file(tp, path, NULL, NULL)) {
        orma_processor_free(tp);
        return NULL;
    }
    return tp;
}

static bool is_hit(struct orma_processor *tp)
{
    return strstr(orma_processor_cache_note(tp), "taken") != NULL;
}

static struct orma_processor *load(const char *path, const char *folder, bool want_hit)
{
    struct orma_processor *tp = open_trace(path, folder, QUERY_MS);

    if (tp && folder && want_hit != is_hit(tp)) {
        printf("%s: %s the cache: %s\n", path, want_hit ? "not from" : "from",
               orma_processor_cache_note(tp));
        different++;
    }
    return tp;
}

static void compare(const char *path, const char *from, struct orma_processor *a,
                    struct orma_processor *b)
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
            printf("%s: %s: %s; from the %s: %s\n", path, name, orma_buf_cstr(&x), from,
                   orma_buf_cstr(&y));
            different++;
        }
    }
    hostile_sql_fini(&names);
    orma_buf_fini(&x);
    orma_buf_fini(&y);
    orma_buf_fini(&sql);
}

/* ---- archives ---- */

static void write_archive(const char *path, struct orma_processor *tp, const char *to)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    ORMA_AUTO(orma_fd_close) int fd = open(to, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0 || orma_processor_write_archive(tp, fd, &error)) {
        printf("%s: not exported: %s\n", path, orma_buf_cstr(&error));
        different++;
    }
}

/* In pieces, the first of which are too short to tell what it is. */
static struct orma_processor *feed(const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf all = {0};
    const struct orma_processor_config config = {.size = sizeof(config),
                                                 .query_timeout_ms = QUERY_MS};
    struct orma_processor *tp = NULL;

    if (orma_fd_read_file(AT_FDCWD, path, (size_t)1 << 30, &all) ||
        orma_processor_new(&config, &tp))
        abort();
    for (size_t at = 0, n; at < all.len; at += n) {
        n = ORMA_MIN(all.len - at, at < 16 ? 3 : 5000);
        (void)orma_processor_feed(tp, all.data + at, n); /* finish() tells */
    }
    if (orma_processor_finish(tp)) {
        orma_processor_free(tp);
        return NULL;
    }
    return tp;
}

static void compare_archive(const char *path, struct orma_processor *a, const char *archive,
                            bool fed)
{
    struct orma_processor *b = fed ? feed(archive) : open_trace(archive, NULL, QUERY_MS);

    if (b) {
        const struct orma_processor_damage x = orma_processor_damage(a),
                                           y = orma_processor_damage(b);

        compare(path, "archive", a, b);
        if (orma_processor_size(a) != orma_processor_size(b) || memcmp(&x, &y, sizeof(x)) != 0)
            printf("%s: another size, or other damage from the archive\n", path), different++;
    } else {
        printf("%s: its archive cannot be loaded\n", path), different++;
    }
    orma_processor_free(b);
}

/* ---- somebody else's images ---- */

static uint64_t random_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* The only image in the folder. */
static bool find_image(const char *folder, char *path, size_t size)
{
    DIR *dir = opendir(folder);
    bool found = false;

    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        if (*e->d_name != '.')
            found = snprintf(path, size, "%s/%s", folder, e->d_name) > 0;
    if (dir)
        (void)closedir(dir);
    return found;
}

static void mutate(uint8_t *image, size_t size)
{
    struct orma_image_head head;

    memcpy(&head, image, sizeof(head));
    for (uint64_t i = 0, num = 1 + random_u64() % 12; i < num; i++) {
        bool index = random_u64() % 32 == 0;
        size_t from = ORMA_IMAGE_BULK + (index ? (size_t)head.bulk_bytes : 0);
        size_t len = (size_t)(index ? head.index_bytes : head.bulk_bytes);
        size_t at = from + random_u64() % len;

        image[at] = random_u64() % 2 ? (uint8_t)random_u64() : 0xff;
    }
    test_image_sum(image, size);
}

static void ask_anything(struct orma_processor *tp, struct hostile_sql *h)
{
    struct orma_sql *sql = orma_processor_sql(tp);

    (void)hostile_sql_prepare(sql); /* it may take too long */
    for (size_t i = 0; i < hostile_sql_tables(h); i++)
        (void)hostile_sql_run(sql, hostile_sql_read(h, i), ROWS_MAX);
    for (unsigned i = 0; i < STATEMENTS; i++)
        (void)hostile_sql_run(sql, hostile_sql_any(h), ROWS_MAX);
}

/* `folder`: the image is that of the cache there; NULL: it is the archive. */
static void take_hostile(const char *path, const char *folder, const char *image,
                         struct hostile_sql *h)
{
    struct orma_buf good = {0};

    if (orma_fd_read_file(AT_FDCWD, image, (size_t)64 << 20, &good))
        return;
    for (unsigned i = 0; i < runs; i++) {
        uint8_t *copy = malloc(good.len);
        uint64_t state = seed;
        int fd;

        memcpy(copy, good.data, good.len);
        mutate(copy, good.len);
        (void)unlink(image);
        fd = open(image, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0 || orma_fd_write_all(fd, copy, good.len))
            abort();
        (void)close(fd);
        free(copy);
        printf("%s --seed %llu\n", path, (unsigned long long)state);
        (void)fflush(stdout);
        struct orma_processor *tp = open_trace(folder ? path : image, folder, HOSTILE_QUERY_MS);
        if (tp && (!folder || is_hit(tp))) {
            ask_anything(tp, h);
            hostile++;
        }
        orma_processor_free(tp);
    }
    orma_buf_fini(&good);
}

/* ---- all files ---- */

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
    char image[4096], archive[4096];

    if (!a) {
        refused++;
        return;
    }
    snprintf(archive, sizeof(archive), "%s/.archive", folder);
    write_archive(path, a, archive); /* before anybody asked anything */
    compare_archive(path, a, archive, false);
    orma_processor_free(load(path, folder, false));
    b = load(path, folder, true);
    if (b) {
        write_archive(path, b, archive);
        compare(path, "cache", a, b);
        compare_archive(path, a, archive, true);
    } else {
        printf("%s: cannot be loaded a third time\n", path), different++;
    }
    loaded++;
    orma_processor_free(b);
    struct hostile_sql names;
    if (runs && hostile_sql_init(&names, orma_processor_sql(a), seed) == 0) {
        if (find_image(folder, image, sizeof(image)))
            take_hostile(path, folder, image, &names);
        take_hostile(path, NULL, archive, &names);
        hostile_sql_fini(&names);
    }
    orma_processor_free(a);
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
    int at = 1;

    for (; argc - at >= 2 && !strncmp(argv[at], "--", 2); at += 2) {
        if (!strcmp(argv[at], "--runs"))
            runs = (unsigned)strtoul(argv[at + 1], NULL, 10);
        else
            seed = strtoull(argv[at + 1], NULL, 10) | 1;
    }
    if (at >= argc || !mkdtemp(folder)) {
        fprintf(stderr, "usage: storm_cache [--runs N] [--seed S] FILES OR FOLDERS...\n");
        return 2;
    }
    for (; at < argc; at++)
        take(argv[at], folder);
    (void)rmdir(folder);
    printf("%u traces loaded, %u refused, %u differences, %u hostile images\n", loaded, refused,
           different, hostile);
    return different || !loaded;
}
