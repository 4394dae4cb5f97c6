/*
 * Packages are few and are searched one by one; a module of a package, too, since INCLUDE is
 * rare. The package of a key is the one with the longest name that the key begins with, so
 * that packages may have names with dots.
 */
#include "processor/sql/script/packages.h"
#include "sdk/base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void orma_package_fini(struct orma_package *self)
{
    for (size_t i = 0; i < self->len; i++) {
        free(self->modules[i].key);
        free(self->modules[i].failure);
        if (self->modules[i].owned)
            free((void *)(uintptr_t)self->modules[i].text.data);
    }
    free(self->modules);
    free(self->name);
    *self = (struct orma_package){0};
}

struct orma_package *orma_packages_find(struct orma_packages *p, struct orma_str name)
{
    for (size_t i = 0; i < p->len; i++) {
        if (orma_str_eq_c(name, p->packages[i].name))
            return &p->packages[i];
    }
    return NULL;
}

/* The package whose name is the longest beginning of the key. */
struct orma_package *orma_packages_find_by_key(struct orma_packages *p, struct orma_str key)
{
    struct orma_package *found = NULL;

    for (size_t i = 0; i < p->len; i++) {
        struct orma_str name = orma_str_from(p->packages[i].name);

        if (orma_str_starts(key, name) && key.len > name.len && key.data[name.len] == '.' &&
            (!found || name.len > strlen(found->name)))
            found = &p->packages[i];
    }
    return found;
}

struct orma_package *orma_packages_add(struct orma_packages *p, struct orma_str name)
{
    struct orma_package *package;

    if (ORMA_GROW(&p->packages, &p->cap, p->len + 1))
        return NULL;
    package = &p->packages[p->len];
    *package = (struct orma_package){.name = orma_str_dup(name)};
    if (!package->name)
        return NULL;
    p->len++;
    return package;
}

bool orma_package_add(struct orma_package *package, const char *key, struct orma_str text,
                      bool owned)
{
    char *copy = strdup(key);

    if (!copy || ORMA_GROW(&package->modules, &package->cap, package->len + 1)) {
        free(copy);
        return false;
    }
    package->modules[package->len++] =
        (struct orma_package_module){.key = copy, .text = text, .owned = owned};
    return true;
}

int orma_packages_unpack(struct orma_sql *sql)
{
    struct orma_packages *p = sql->packages;

    if (p->library)
        return 0;
    int r = orma_embedded_unpack(&orma_sql_stdlib, &p->library);
    for (size_t i = 0; i < p->len && r == 0; i++) {
        for (size_t k = 0; k < p->packages[i].len; k++) {
            struct orma_package_module *m = &p->packages[i].modules[k];

            if (m->packed)
                m->text.data = p->library + m->at;
            m->packed = false;
        }
    }
    return r;
}

static bool add_embedded(struct orma_package *package, const struct orma_embedded_file *e)
{
    if (!orma_package_add(package, e->key, (struct orma_str){e->text, e->len}, false))
        return false;
    package->modules[package->len - 1].packed = !e->text;
    package->modules[package->len - 1].at = e->at;
    return true;
}

int orma_packages_init(struct orma_sql *sql)
{
    struct orma_packages *p = calloc(1, sizeof(*p));

    if (!p)
        return -ENOMEM;
    sql->packages = p;
    for (const struct orma_embedded_file *e = orma_sql_stdlib.files; e->key; e++) {
        struct orma_str name = {e->key, strcspn(e->key, ".")};
        struct orma_package *package = orma_packages_find(p, name);

        if (!package)
            package = orma_packages_add(p, name);
        if (!package || !add_embedded(package, e))
            return -ENOMEM;
    }
    return 0;
}

void orma_packages_drop_all(struct orma_packages *p)
{
    for (size_t i = 0; i < p->len; i++)
        orma_package_fini(&p->packages[i]);
    p->len = 0;
}

void orma_packages_fini(struct orma_sql *sql)
{
    if (!sql->packages)
        return;
    orma_packages_drop_all(sql->packages);
    free(sql->packages->packages);
    free(sql->packages->library);
    free(sql->packages);
    sql->packages = NULL;
}

void orma_packages_forget(struct orma_sql *sql)
{
    struct orma_packages *p = sql->packages;

    for (size_t i = 0; i < p->len; i++) {
        for (size_t k = 0; k < p->packages[i].len; k++) {
            struct orma_package_module *m = &p->packages[i].modules[k];

            m->state = ORMA_MODULE_NEW;
            free(m->failure);
            m->failure = NULL;
        }
    }
}

bool orma_packages_overridden(const struct orma_sql *sql)
{
    return sql->packages->overridden;
}

int orma_packages_each(struct orma_sql *sql,
                       int (*fn)(void *data, const char *package, const char *key,
                                 struct orma_str text),
                       void *data)
{
    const struct orma_packages *p = sql->packages;
    int r = orma_packages_unpack(sql);

    for (size_t i = 0; i < p->len && !r; i++)
        for (size_t k = 0; k < p->packages[i].len && !r; k++)
            r = fn(data, p->packages[i].name, p->packages[i].modules[k].key,
                   p->packages[i].modules[k].text);
    return r;
}

struct orma_package_module *orma_package_find(struct orma_package *package, struct orma_str key)
{
    for (size_t i = 0; i < package->len; i++) {
        if (orma_str_eq_c(key, package->modules[i].key))
            return &package->modules[i];
    }
    return NULL;
}

bool orma_packages_can_include(struct orma_sql *sql, struct orma_str key)
{
    struct orma_package *package = orma_packages_find_by_key(sql->packages, key);
    const struct orma_package_module *m = package ? orma_package_find(package, key) : NULL;

    return m && m->state == ORMA_MODULE_NEW;
}
