#include "processor/sql/script/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/script/exec.h"
#include "processor/sql/script/hint.h"
#include "sdk/base/fd.h"

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define FOLDERS_MAX 32

enum module_state { MODULE_NEW, MODULE_RUNNING, MODULE_DONE, MODULE_FAILED };

struct module {
    char *key;
    struct orma_str text; /* ours if `owned` */
    bool owned;
    enum module_state state;
};

struct package {
    char *name;
    struct module *modules; /* by key */
    size_t len, cap;
};

struct orma_sql_packages {
    struct package *packages;
    size_t len, cap;
    bool overridden; /* the embedded library is not used */
};

/* ---- the registry ---- */

static void package_fini(struct package *self)
{
    for (size_t i = 0; i < self->len; i++) {
        free(self->modules[i].key);
        if (self->modules[i].owned)
            free((void *)(uintptr_t)self->modules[i].text.data);
    }
    free(self->modules);
    free(self->name);
    *self = (struct package){0};
}

static bool grow(void **array, size_t *cap, size_t len, size_t size)
{
    if (len < *cap)
        return true;
    size_t more = *cap ? 2 * *cap : 16;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *cap = more;
    return true;
}

static struct package *find_package(struct orma_sql_packages *p, struct orma_str name)
{
    for (size_t i = 0; i < p->len; i++) {
        if (orma_str_eq_c(name, p->packages[i].name))
            return &p->packages[i];
    }
    return NULL;
}

/* The package whose name is the longest beginning of the key. */
static struct package *package_of_key(struct orma_sql_packages *p, struct orma_str key)
{
    struct package *found = NULL;

    for (size_t i = 0; i < p->len; i++) {
        struct orma_str name = orma_str_from(p->packages[i].name);

        if (orma_str_starts(key, name) && key.len > name.len && key.data[name.len] == '.' &&
            (!found || name.len > strlen(found->name)))
            found = &p->packages[i];
    }
    return found;
}

static struct package *new_package(struct orma_sql_packages *p, struct orma_str name)
{
    struct package *package;

    if (!grow((void **)&p->packages, &p->cap, p->len, sizeof(*p->packages)))
        return NULL;
    package = &p->packages[p->len];
    *package = (struct package){.name = orma_str_dup(name)};
    if (!package->name)
        return NULL;
    p->len++;
    return package;
}

static bool add_module(struct package *package, const char *key, struct orma_str text, bool owned)
{
    char *copy = strdup(key);

    if (!copy ||
        !grow((void **)&package->modules, &package->cap, package->len, sizeof(*package->modules))) {
        free(copy);
        return false;
    }
    package->modules[package->len++] = (struct module){.key = copy, .text = text, .owned = owned};
    return true;
}

int orma_sql_packages_init(struct orma_sql *sql)
{
    struct orma_sql_packages *p = calloc(1, sizeof(*p));

    if (!p)
        return -ENOMEM;
    sql->packages = p;
    for (const struct orma_sql_embedded *e = orma_sql_stdlib; e->key; e++) {
        struct orma_str name = {e->key, strcspn(e->key, ".")};
        struct package *package = find_package(p, name);

        if (!package)
            package = new_package(p, name);
        if (!package || !add_module(package, e->key, orma_str_from(e->text), false))
            return -ENOMEM;
    }
    return 0;
}

static void drop_all(struct orma_sql_packages *p)
{
    for (size_t i = 0; i < p->len; i++)
        package_fini(&p->packages[i]);
    p->len = 0;
}

void orma_sql_packages_fini(struct orma_sql *sql)
{
    if (!sql->packages)
        return;
    drop_all(sql->packages);
    free(sql->packages->packages);
    free(sql->packages);
    sql->packages = NULL;
}

void orma_sql_packages_forget(struct orma_sql *sql)
{
    struct orma_sql_packages *p = sql->packages;

    for (size_t i = 0; i < p->len; i++)
        for (size_t k = 0; k < p->packages[i].len; k++)
            p->packages[i].modules[k].state = MODULE_NEW;
}

bool orma_sql_stdlib_overridden(const struct orma_sql *sql)
{
    return sql->packages->overridden;
}

int orma_sql_each_module(struct orma_sql *sql,
                         int (*fn)(void *data, const char *package, const char *key,
                                   struct orma_str text),
                         void *data)
{
    const struct orma_sql_packages *p = sql->packages;
    int r = 0;

    for (size_t i = 0; i < p->len && !r; i++)
        for (size_t k = 0; k < p->packages[i].len && !r; k++)
            r = fn(data, p->packages[i].name, p->packages[i].modules[k].key,
                   p->packages[i].modules[k].text);
    return r;
}

/* ---- INCLUDE ---- */

static int run_statements(struct orma_sql *sql, struct orma_sql_exec *exec)
{
    struct orma_sql_stmt *stmt;
    int r;

    while ((r = orma_sql_exec_next(exec, &stmt)) > 0) {
        bool output = orma_sql_stmt_has_output(stmt);

        while ((r = orma_sql_stmt_step(stmt)) > 0)
            ;
        orma_sql_stmt_free(stmt);
        if (r < 0 && exec->lenient)
            r = orma_sql_stand_in(sql, NULL, r);
        if (r < 0)
            return r;
        if (output)
            return orma_sql_error_set(&sql->error, NULL, 0,
                                      "INCLUDE: Included module returning values.");
    }
    return r;
}

static int run_module(struct orma_sql *sql, struct module *m)
{
    struct orma_sql_exec *exec;
    struct orma_buf frame = {0};
    int r;

    if (m->state == MODULE_DONE)
        return 0;
    if (m->state == MODULE_RUNNING)
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "INCLUDE: cycle: module '%s' includes itself", m->key);
    if (m->state == MODULE_FAILED)
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "INCLUDE: module '%s' is poisoned: it failed before", m->key);
    m->state = MODULE_RUNNING;
    orma_buf_printf(&frame, "Module include \"%s\"", m->key);
    r = orma_sql_exec_new(sql, orma_buf_cstr(&frame), m->text, &exec);
    orma_buf_fini(&frame);
    if (r == 0) {
        exec->lenient = sql->packages->overridden &&
                        orma_str_starts(orma_str_from(m->key), ORMA_STR("prelude."));
        r = run_statements(sql, exec);
        orma_sql_exec_free(exec);
    }
    m->state = r < 0 ? MODULE_FAILED : MODULE_DONE;
    return r;
}

/* Modules may add packages no more, but arrays stay put: none grows while modules run. */
static int run_matching(struct orma_sql *sql, struct package *package, struct orma_str prefix)
{
    int r = 0;

    for (size_t i = 0; i < package->len && r == 0; i++) {
        if (orma_str_starts(orma_str_from(package->modules[i].key), prefix))
            r = run_module(sql, &package->modules[i]);
    }
    return r;
}

static struct module *find_module(struct package *package, struct orma_str key)
{
    for (size_t i = 0; i < package->len; i++) {
        if (orma_str_eq_c(key, package->modules[i].key))
            return &package->modules[i];
    }
    return NULL;
}

static int run_all(struct orma_sql *sql)
{
    int r = 0;

    for (size_t i = 0; i < sql->packages->len && r == 0; i++)
        r = run_matching(sql, &sql->packages->packages[i], ORMA_STR(""));
    return r;
}

static int unknown_package(struct orma_sql *sql, struct orma_str key)
{
    struct orma_str name = key;

    (void)orma_str_cut(&key, '.', &name);
    if (orma_str_eq_c(name, "common"))
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "INCLUDE: the package 'common' has been removed; its functions "
                                  "are in the packages 'slices', 'time', 'counters' and others");
    orma_sql_error_set(&sql->error, NULL, 0, "INCLUDE: Package '%.*s' not found",
                       ORMA_STR_ARG(name));
    orma_sql_hint(sql, key);
    return -EBADMSG;
}

static int unknown_module(struct orma_sql *sql, struct orma_str key)
{
    orma_sql_error_set(&sql->error, NULL, 0, "INCLUDE: unknown module '%.*s'", ORMA_STR_ARG(key));
    orma_sql_hint(sql, key);
    return -EBADMSG;
}

bool orma_sql_can_include(struct orma_sql *sql, struct orma_str key)
{
    struct package *package = package_of_key(sql->packages, key);
    const struct module *m = package ? find_module(package, key) : NULL;

    return m && m->state == MODULE_NEW;
}

static int include(struct orma_sql *sql, struct orma_str key)
{
    struct package *package = package_of_key(sql->packages, key);
    struct module *m;

    if (orma_str_eq_c(key, "*"))
        return run_all(sql);
    if (!package) /* perhaps a package by its bare name */
        package = find_package(sql->packages, key);
    if (!package)
        return unknown_package(sql, key);
    if (key.data[key.len - 1] == '*')
        return run_matching(sql, package, (struct orma_str){key.data, key.len - 1});
    m = find_module(package, key);
    return m ? run_module(sql, m) : unknown_module(sql, key);
}

int orma_sql_include_key(struct orma_sql *sql, struct orma_str key,
                         const struct orma_sql_text *text, uint32_t at)
{
    int r;

    orma_sql_enter(sql);
    r = include(sql, key);
    if (r < 0)
        orma_sql_error_wrap(&sql->error, text, at);
    orma_sql_leave(sql);
    return r == -EBADMSG ? -EINVAL : r;
}

int orma_sql_include(struct orma_sql *sql, const struct orma_statement *s)
{
    return orma_sql_include_key(sql, s->name, s->text, 0);
}

int orma_sql_run_modules(struct orma_sql *sql, const char *prefix)
{
    struct orma_str name = {prefix, strcspn(prefix, ".")};
    struct package *package = find_package(sql->packages, name);
    int r = 0;

    orma_sql_enter(sql);
    if (package)
        r = run_matching(sql, package, orma_str_from(prefix));
    orma_sql_leave(sql);
    return r;
}

/* ---- folders ---- */

struct loader {
    struct orma_sql *sql;
    struct package *package;
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
    if (!copy || !add_module(l->package, key, (struct orma_str){copy, text.len}, true)) {
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
    return strcmp(((const struct module *)a)->key, ((const struct module *)b)->key);
}

static int load_package(struct orma_sql *sql, int parent, const char *dir, const char *name,
                        unsigned *ret_skipped)
{
    struct loader l = {.sql = sql};
    int fd = openat(parent, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

    if (fd < 0)
        return fail(sql, -errno, dir);
    l.package = new_package(sql->packages, orma_str_from(name));
    if (!l.package) {
        (void)close(fd); /* only read from */
        return orma_sql_error_oom(&sql->error);
    }
    r = load_dir(&l, fd, name);
    if (r < 0) {
        package_fini(l.package);
        sql->packages->len--;
        return r;
    }
    qsort(l.package->modules, l.package->len, sizeof(*l.package->modules), by_key);
    if (ret_skipped)
        *ret_skipped += l.skipped;
    return 0;
}

static void remove_package(struct orma_sql_packages *p, struct package *package)
{
    size_t at = (size_t)(package - p->packages);

    package_fini(package);
    memmove(package, package + 1, (p->len - at - 1) * sizeof(*package));
    p->len--;
}

/* The last name of a path, without slashes. */
static char *base_name(const char *path)
{
    struct orma_str s = orma_str_from(path);
    size_t begin;

    while (s.len > 1 && s.data[s.len - 1] == '/')
        s.len--;
    for (begin = s.len; begin > 0 && s.data[begin - 1] != '/'; begin--)
        ;
    return orma_str_dup((struct orma_str){s.data + begin, s.len - begin});
}

int orma_sql_add_package(struct orma_sql *sql, const char *dir, const char *name, bool replace,
                         unsigned *ret_skipped)
{
    char *given = name ? strdup(name) : base_name(dir);
    struct package *old;
    int r;

    orma_sql_enter(sql);
    if (ret_skipped)
        *ret_skipped = 0;
    if (!given) {
        r = orma_sql_error_oom(&sql->error);
    } else if (sql->depth > 1) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "packages can't be added by a query");
    } else if ((old = find_package(sql->packages, orma_str_from(given))) && !replace) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "the package '%s' already exists", given);
    } else {
        r = load_package(sql, AT_FDCWD, dir, given, ret_skipped);
        old = find_package(sql->packages, orma_str_from(given));
        if (r == 0 && old != &sql->packages->packages[sql->packages->len - 1])
            remove_package(sql->packages, old);
    }
    orma_sql_leave(sql);
    free(given);
    return r;
}

static int put_modules(struct orma_sql *sql, const char *name,
                       const struct orma_sql_embedded *modules, size_t num)
{
    struct package *package = new_package(sql->packages, orma_str_from(name));
    size_t prefix = strlen(name);

    if (!package)
        return orma_sql_error_oom(&sql->error);
    for (size_t i = 0; i < num; i++) {
        char *text = strdup(modules[i].text);
        bool fits = !strncmp(modules[i].key, name, prefix) && modules[i].key[prefix] == '.';

        if (fits && text && add_module(package, modules[i].key, orma_str_from(text), true))
            continue;
        free(text);
        package_fini(package);
        sql->packages->len--;
        return fits ? orma_sql_error_oom(&sql->error)
                    : orma_sql_error_set(&sql->error, NULL, 0,
                                         "the module '%s' does not begin with its package '%s.'",
                                         modules[i].key, name);
    }
    qsort(package->modules, package->len, sizeof(*package->modules), by_key);
    return 0;
}

int orma_sql_add_modules(struct orma_sql *sql, const char *name,
                         const struct orma_sql_embedded *modules, size_t num, bool replace)
{
    struct package *old;
    int r;

    orma_sql_enter(sql);
    old = find_package(sql->packages, orma_str_from(name));
    if (sql->depth > 1) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "packages can't be added by a query");
    } else if (old && !replace) {
        r = orma_sql_error_set(&sql->error, NULL, 0, "the package '%s' already exists", name);
    } else {
        r = put_modules(sql, name, modules, num);
        old = find_package(sql->packages, orma_str_from(name));
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

    if (!d)
        return fail(sql, -errno, dir);
    drop_all(sql->packages);
    sql->packages->overridden = true;
    for (struct dirent *e = readdir(d); e && r == 0; e = readdir(d)) {
        struct stat st;

        if (strchr(e->d_name, '.') || fstatat(dirfd(d), e->d_name, &st, 0) < 0 ||
            !S_ISDIR(st.st_mode))
            continue;
        r = load_package(sql, dirfd(d), e->d_name, e->d_name, NULL);
    }
    (void)closedir(d); /* only read from */
    return r;
}

int orma_sql_override_stdlib(struct orma_sql *sql, const char *dir)
{
    int r;

    orma_sql_enter(sql);
    r = load_stdlib(sql, dir);
    orma_sql_leave(sql);
    return r < 0 ? r : orma_sql_reset(sql);
}
