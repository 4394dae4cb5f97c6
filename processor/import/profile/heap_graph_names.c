/*
 * Deobfuscated names of classes and fields in heap graphs.
 *
 * Mappings are collected as a flat list of (package, short name, long name, is a field). At the end
 * of the import the list becomes a map by (package, short name), and every class and every field of
 * a reference is looked up in it once. The package of a class is taken from the path of its
 * location; names of fields contain their class, so they need no package.
 */
#include "processor/import/profile/heap_names.h"

#include "protos/fields/profiling.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"

#define ROWS_PER_LOOK 4096

enum { N_PACKAGE, N_SHORT, N_LONG, N_IS_FIELD, N_NUM };

static void add(struct orma_import_ctx *imp, struct orma_heap_names *names, uint32_t package,
                struct orma_str from, struct orma_str to, bool field)
{
    orma_heap_graph_put(imp->model, &names->list, package);
    orma_heap_graph_put(imp->model, &names->list, orma_model_str(imp->model, from));
    orma_heap_graph_put(imp->model, &names->list, orma_model_str(imp->model, to));
    orma_heap_graph_put(imp->model, &names->list, field);
}

static void add_member(struct orma_import_ctx *imp, struct orma_heap_names *names, uint32_t package,
                       struct orma_str short_class, struct orma_str long_class,
                       struct orma_pb_reader r)
{
    struct orma_pb_field f;
    struct orma_str from = {"", 0}, to = {"", 0};
    struct orma_buf short_name = {0}, long_name = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_NAME)
            from = orma_pb_str(&f);
        else if (f.id == ORMA_PB_OBFUSCATED_MEMBER_DEOBFUSCATED_NAME)
            to = orma_pb_str(&f);
    }
    orma_buf_printf(&short_name, "%.*s.%.*s", ORMA_STR_ARG(short_class), ORMA_STR_ARG(from));
    if (!to.len || !memchr(to.data, '.', to.len))
        orma_buf_printf(&long_name, "%.*s.", ORMA_STR_ARG(long_class));
    orma_buf_put(&long_name, to.data, to.len);
    imp->model->storage->failed |= short_name.failed || long_name.failed;
    if (!short_name.failed && !long_name.failed)
        add(imp, names, package, orma_buf_str(&short_name), orma_buf_str(&long_name), true);
    orma_buf_fini(&short_name);
    orma_buf_fini(&long_name);
}

static void add_class(struct orma_import_ctx *imp, struct orma_heap_names *names, uint32_t package,
                      struct orma_pb_reader r)
{
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    struct orma_str from = {"", 0}, to = {"", 0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_NAME)
            from = orma_pb_str(&f);
        else if (f.id == ORMA_PB_OBFUSCATED_CLASS_DEOBFUSCATED_NAME)
            to = orma_pb_str(&f);
    }
    add(imp, names, package, from, to, false);
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_MEMBERS)
            add_member(imp, names, package, from, to, orma_pb_sub(&f));
}

void orma_profile_heap_names_add(struct orma_import_ctx *imp, struct orma_heap_names *names,
                                 struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t package = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_DEOBFUSCATION_MAPPING_PACKAGE_NAME && f.len)
            package = orma_model_str(imp->model, orma_pb_str(&f));
    r = orma_pb_reader(bytes.data, bytes.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_DEOBFUSCATION_MAPPING_OBFUSCATED_CLASSES)
            add_class(imp, names, package, orma_pb_sub(&f));
}

/* ---- putting them to rows ---- */

static uint64_t key_of(uint64_t package, uint64_t name, bool field)
{
    const uint64_t parts[] = {package, name, field};

    return orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));
}

/* "/data/app/[~~abc==/]com.foo-xyz==/base.apk" belongs to com.foo. 0: no package. One that no
 * mapping names is another one than none, whoever has its name. */
static uint32_t package_of(const struct orma_import_ctx *imp, struct orma_str location)
{
    struct orma_str part, rest = location;
    const struct orma_str prefix = ORMA_STR("/data/app/");

    if (location.len < prefix.len || memcmp(location.data, prefix.data, prefix.len))
        return 0;
    rest = (struct orma_str){location.data + prefix.len, location.len - prefix.len};
    if (!orma_str_cut(&rest, '/', &part))
        return 0;
    if (part.len >= 2 && !memcmp(part.data, "~~", 2) && !orma_str_cut(&rest, '/', &part))
        return 0;
    rest = part;
    return orma_str_cut(&rest, '-', &part) ? orma_model_str(imp->model, part) : 0;
}

/* What is around the name of a class: "java.lang.Class<name[]>". */
static struct orma_str bare_name(struct orma_str name, struct orma_str *ret_before,
                                 struct orma_str *ret_after)
{
    static const char prefix[] = "java.lang.Class<";
    struct orma_str all = name;

    if (name.len > strlen(prefix) && !memcmp(name.data, prefix, strlen(prefix)) &&
        name.data[name.len - 1] == '>') {
        name.data += strlen(prefix);
        name.len -= strlen(prefix) + 1;
    }
    while (name.len >= 2 && !memcmp(name.data + name.len - 2, "[]", 2))
        name.len -= 2;
    *ret_before = (struct orma_str){all.data, (size_t)(name.data - all.data)};
    *ret_after = (struct orma_str){name.data + name.len, all.len - ret_before->len - name.len};
    return name;
}

static void rename_class(struct orma_import_ctx *imp, const struct orma_map *by_key, uint32_t row)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_CLASS);
    struct orma_strpool *pool = &imp->model->storage->pool;
    struct orma_str before, after, location = {0};
    struct orma_str name =
        orma_strpool_get(pool, (uint32_t)orma_table_int(t, ORMA_HEAP_GRAPH_CLASS_NAME, row));

    if (!name.data)
        return;
    if (!orma_table_is_null(t, ORMA_HEAP_GRAPH_CLASS_LOCATION, row))
        location = orma_strpool_get(
            pool, (uint32_t)orma_table_int(t, ORMA_HEAP_GRAPH_CLASS_LOCATION, row));
    uint32_t bare = orma_strpool_find(pool, bare_name(name, &before, &after));
    uint32_t package = location.data ? package_of(imp, location) : 0;
    uint64_t found = bare ? orma_map_get(by_key, key_of(package, bare, false)) : ORMA_MAP_NONE;
    if (found == ORMA_MAP_NONE)
        return;
    struct orma_str to = orma_strpool_get(pool, (uint32_t)found);
    struct orma_buf full = {0};
    orma_buf_put(&full, before.data, before.len);
    orma_buf_put(&full, to.data, to.len);
    orma_buf_put(&full, after.data, after.len);
    imp->model->storage->failed |= full.failed;
    if (!full.failed)
        orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_DEOBFUSCATED_NAME, row,
                       orma_model_str(imp->model, orma_buf_str(&full)));
    orma_buf_fini(&full);
}

static bool index_names(struct orma_import_ctx *imp, const struct orma_heap_names *names,
                        struct orma_map *ret)
{
    for (size_t i = 0; i + N_NUM <= names->list.len; i += N_NUM) {
        const uint64_t *n = &names->list.data[i];
        /* Names of fields contain those of their classes: no package is needed. */
        uint64_t key = key_of(n[N_IS_FIELD] ? 0 : n[N_PACKAGE], n[N_SHORT], n[N_IS_FIELD]);

        imp->model->storage->failed |= orma_map_put(ret, key, n[N_LONG]) < 0;
    }
    return !imp->model->storage->failed;
}

static void rename_field(struct orma_import_ctx *imp, const struct orma_map *by_key, uint32_t row)
{
    struct orma_table *refs = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint64_t name = (uint64_t)orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, row);
    uint64_t found = orma_map_get(by_key, key_of(0, name, true));

    if (found != ORMA_MAP_NONE)
        orma_table_set(refs, ORMA_HEAP_GRAPH_REFERENCE_DEOBFUSCATED_FIELD_NAME, row,
                       (int64_t)found);
}

static bool rename_rows(struct orma_import_ctx *imp, const struct orma_map *by_key,
                        enum orma_table_id table, uint32_t *at,
                        void (*rename)(struct orma_import_ctx *, const struct orma_map *, uint32_t))
{
    for (; *at < orma_model_table(imp->model, table)->rows; ++*at) {
        if (*at % ROWS_PER_LOOK == ROWS_PER_LOOK - 1 &&
            orma_storage_should_stop(imp->model->storage))
            return false;
        rename(imp, by_key, *at);
    }
    return true;
}

bool orma_profile_heap_names_apply(struct orma_import_ctx *imp, struct orma_heap_names *names)
{
    struct orma_map by_key = {0};
    bool whole = true;

    if (names->list.len && index_names(imp, names, &by_key))
        whole =
            rename_rows(imp, &by_key, ORMA_TABLE_HEAP_GRAPH_CLASS, &names->classes, rename_class) &&
            rename_rows(imp, &by_key, ORMA_TABLE_HEAP_GRAPH_REFERENCE, &names->references,
                        rename_field);
    orma_map_fini(&by_key);
    return whole;
}
