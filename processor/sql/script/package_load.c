/*
 * Packages from folders and from texts in memory.
 *
 * A folder is walked first and put into a new package at the end of the registry;
 * only when all of it was read does it replace the old package of its name. So a
 * failure leaves the registry as it was.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/script/packages.h"
#include "processor/sql/script/runner.h"
#include "sdk/base/fd.h"
#include "sdk/base/path.h"

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define FOLDERS_MAX 32

struct loader {
    struct orma_sql *sql;
    struct orma_package *package;
    unsigned skipped;
    int depth;
};

static int fail(struct orma_sql *sql, int error, const char *path)
{
    orma_sql_error_set(&sql->error, NULL, 0, "%s: %s", path, strerror(-error));
    return error;
}

static int load_file(struct loader *l, int dir, const char *file, const char *key)
{
    struct orma_buf text = {0};
    int r = orma_fd_read_file(dir, file, FILE_BYTES_MAX, &text);
    char *copy;

    if (r < 0) {
        orma_buf_fini(&text);
        return fail(l->sql, r, file);
    }
    copy = orma_str_dup(orma_buf_str(&text));
    if (!copy || !orma_package_add(l->package, key, (struct orma_str){copy, text.len}, true)) {
        free(copy);
        r = orma_sql_error_oom(&l->sql->error);
    }
    orma_buf_fini(&text);
    return r < 0 ? r : 0;
}

static int load_dir(struct loader *l, int dir, const char *prefix);

static int load_entry(struct loader *l, int dir, const char *prefix, const char *name)
{
    struct orma_str text = orma_str_from(name);
    struct orma_buf key = {0};
    struct stat st;
    bool sql = text.len > 4 && !strcmp(name + text.len - 4, ".sql");
    bool dotted = memchr(name, '.', sql ? text.len - 4 : text.len);
    int r = 0;

    if (name[0] == '.' || fstatat(dir, name, &st, 0) < 0)
        return 0;
    if (!S_ISDIR(st.st_mode) && !sql)
        return 0;
    if (dotted) {
        l->skipped++;
        return 0;
    }
    orma_buf_printf(&key, "%s.%.*s", prefix, (int)(sql ? text.len - 4 : text.len), name);
    if (!S_ISDIR(st.st_mode)) {
        r = load_file(l, dir, name, orma_buf_cstr(&key));
    } else if (l->depth < FOLDERS_MAX) {
        int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        l->depth++;
        r = sub < 0 ? fail(l->sql, -errno, name) : load_dir(l, sub, orma_buf_cstr(&key));
        l->depth--;
    }
    orma_buf_fini(&key);
    return r;
}

/* Closes `dir`. */
static int load_dir(struct loader *l, int dir, const char *prefix)
{
    DIR *d = fdopendir(dir);
    int r = 0;

    if (!d) {
        r = fail(l->sql, -errno, prefix);
        (void)close(dir); /* only read from */
        return r;
    }
    for (struct dirent *e = readdir(d); e && r == 0; e = readdir(d))
        r = load_entry(l, dirfd(d), prefix, e->d_name);
    (void)closedir(d); /* only read from */
    return r;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct orma_package_module *)a)->key,
                  ((const struct orma_package_module *)b)->key);
}

static int load_package(struct orma_sql *sql, int parent, const char *dir, const char *name,
                        unsigned *ret_skipped)
{
    struct loader l = {.sql = sql};
    int fd = openat(parent, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

    if (fd < 0)
        return fail(sql, -errno, dir);
    l.package = orma_packages_add(sql->packages, orma_str_from(name));
    if (!l.package) {
        (void)close(fd); /* only read from */
        return orma_sql_error_oom(&sql->error);
    }
    r = load_dir(&l, fd, name);
    if (r < 0) {
        orma_package_fini(l.package);
        sql->packages->len--;
        return r;
    }
    qsort(l.package->modules, l.package->len, sizeof(*l.package->modules), by_key);
    if (ret_skipped)
        *ret_skipped += l.skipped;
    return 0;
}

static void remove_package(struct orma_packages *p, struct orma_package *package)
{
    size_t at = (size_t)(package - p->packages);

    orma_package_fini(package);
    memmove(package, package + 1, (p->len - at - 1) * sizeof(*package));
    p->len--;
}

/* A new package in place of the old one of that name, if there is one. */
static int replace_package(struct orma_sql *sql, int parent, const char *dir, const char *name,
                           unsigned *ret_skipped)
{
    int r = load_package(sql, parent, dir, name, ret_skipped);
    struct orma_package *old = orma_packages_find(sql->packages, orma_str_from(name));

    if (r == 0 && old != &sql->packages->packages[sql->packages->len - 1])
        remove_package(sql->packages, old);
    return r;
}

int orma_packages_add_folder(struct orma_sql *sql, const char *dir, const char *name, bool replace,
                             unsigned *ret_skipped)
{
    char *given = orma_str_dup(name ? orma_str_from(name)
                                    : orma_path_base_of(orma_path_trim(orma_str_from(dir))));
    struct orma_package *old;
    int r;

    orma_sql_enter(sql);
    if (ret_skipped)
        *ret_skipped = 0;
    if (!given) {
        r = orma_sql_error_oom(&sql->error);
    } else if (sql->run.depth > 1) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "packages can't be added by a query");
    } else if ((old = orma_packages_find(sql->packages, orma_str_from(given))) && !replace) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "the package '%s' already exists", given);
    } else {
        r = replace_package(sql, AT_FDCWD, dir, given, ret_skipped);
    }
    orma_sql_leave(sql);
    free(given);
    return r;
}

static int put_modules(struct orma_sql *sql, const char *name,
                       const struct orma_sql_embedded *modules, size_t num)
{
    struct orma_package *package = orma_packages_add(sql->packages, orma_str_from(name));
    size_t prefix = strlen(name);

    if (!package)
        return orma_sql_error_oom(&sql->error);
    for (size_t i = 0; i < num; i++) {
        char *text = strdup(modules[i].text);
        bool fits = !strncmp(modules[i].key, name, prefix) && modules[i].key[prefix] == '.';

        if (fits && text && orma_package_add(package, modules[i].key, orma_str_from(text), true))
            continue;
        free(text);
        orma_package_fini(package);
        sql->packages->len--;
        return fits ? orma_sql_error_oom(&sql->error)
                    : orma_sql_error_set(&sql->error, NULL, 0,
                                         "the module '%s' does not begin with its package '%s.'",
                                         modules[i].key, name);
    }
    qsort(package->modules, package->len, sizeof(*package->modules), by_key);
    return 0;
}

int orma_packages_add_texts(struct orma_sql *sql, const char *name,
                            const struct orma_sql_embedded *modules, size_t num, bool replace)
{
    struct orma_package *old;
    int r;

    orma_sql_enter(sql);
    old = orma_packages_find(sql->packages, orma_str_from(name));
    if (sql->run.depth > 1) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "packages can't be added by a query");
    } else if (old && !replace) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "the package '%s' already exists", name);
    } else {
        r = put_modules(sql, name, modules, num);
        old = orma_packages_find(sql->packages, orma_str_from(name));
        if (r == 0 && old != &sql->packages->packages[sql->packages->len - 1])
            remove_package(sql->packages, old);
    }
    orma_sql_leave(sql);
    return r;
}

static int load_stdlib(struct orma_sql *sql, const char *dir)
{
    DIR *d = opendir(dir);
    int r = 0;

    if (!d && errno == ENOENT)
        return orma_sql_error_set(&sql->error, NULL, 0, "Directory '%s' does not exist.", dir);
    if (!d)
        return fail(sql, -errno, dir);
    for (struct dirent *e = readdir(d); e && r == 0; e = readdir(d)) {
        struct stat st;

        if (strchr(e->d_name, '.') || fstatat(dirfd(d), e->d_name, &st, 0) < 0 ||
            !S_ISDIR(st.st_mode))
            continue;
        r = replace_package(sql, dirfd(d), e->d_name, e->d_name, NULL);
        sql->packages->overridden |= r == 0 && !strcmp(e->d_name, "prelude");
    }
    (void)closedir(d); /* only read from */
    return r;
}

int orma_packages_override(struct orma_sql *sql, const char *dir)
{
    int r;

    orma_sql_enter(sql);
    r = load_stdlib(sql, dir);
    orma_sql_leave(sql);
    return r;
}
