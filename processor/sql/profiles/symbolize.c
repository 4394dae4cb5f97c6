/*
 * Names for addresses, on demand:
 *
 *   rows (file, address in it, ...) ─► __intrinsic_symbolize_agg ─► list
 *   list ─► __intrinsic_symbolize ─► table: a row for each function at each address
 *
 * It opens files that SQL names, so the program must allow that: file access of SQL, or folders
 * with binaries (orma_sql.given.binary_paths), which then are the only ones looked into.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/profiles/profiles.h"
#include "processor/symbols/kernel.h"
#include "processor/symbols/symbolizer.h"

#define LIST_POINTER "orma_symbolize_list"

/* A place that somebody asks for. */
struct place {
    uint32_t file; /* pool id; 0: NULL */
    bool has_mapping, has_address;
    int64_t rel_pc, mapping, address;
    size_t order;      /* of arrival */
    size_t first, num; /* of the answers */
};

struct answer {
    uint32_t function, file, line; /* file 0, line 0: unknown */
};

struct list {
    struct orma_buf places;
};

static void list_free(void *data)
{
    struct list *list = data;

    orma_buf_fini(&list->places);
    free(list);
}

/* ---- the list ---- */

static bool take_int(sqlite3_value *val, int64_t *ret)
{
    *ret = sqlite3_value_int64(val);
    return sqlite3_value_type(val) == SQLITE_INTEGER;
}

static void agg_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct list *s = ORMA_AGG_STATE(ctx, struct list);
    struct place p = {0};

    (void)argc;
    if (!s)
        return;
    if (orma_value_is_null(argv[0]) || orma_value_is_null(argv[1]))
        return; /* nobody knows where that is */
    struct orma_str file = orma_value_str(argv[0]);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT || !take_int(argv[1], &p.rel_pc)) {
        orma_result_error(ctx, "__intrinsic_symbolize_agg: expected a file name and an address");
        return;
    }
    p.file = orma_strpool_add(&orma_sql_of(ctx)->storage->pool, file);
    p.has_mapping = take_int(argv[2], &p.mapping);
    p.has_address = take_int(argv[3], &p.address);
    p.order = s->places.len / sizeof(p);
    orma_buf_put(&s->places, &p, sizeof(p));
}

static void agg_final(sqlite3_context *ctx)
{
    struct list *s = sqlite3_aggregate_context(ctx, 0);
    struct list *list = s && !s->places.failed ? malloc(sizeof(*list)) : NULL;

    if (s && list) {
        *list = *s; /* it owns the memory now */
        sqlite3_result_pointer(ctx, list, LIST_POINTER, list_free);
    } else if (s) {
        orma_buf_fini(&s->places);
        sqlite3_result_error_nomem(ctx);
    }
}

/* ---- the symbolizer ---- */

/* The one of the engine; NULL with an error set. */
static struct orma_symbolizer *symbolizer(sqlite3_context *ctx)
{
    static const char what[] = "__intrinsic_symbolize";
    struct orma_sql *sql = orma_sql_of(ctx);
    enum orma_symbolizer_mode mode = ORMA_SYMBOLIZER_FIND;

    if (!sql->given.file_access && !sql->given.binary_paths) {
        orma_result_error(ctx,
                          "%s: File I/O is disabled; use --allow-sql-file-access or set "
                          "PERFETTO_BINARY_PATH to read binaries",
                          what);
        return NULL;
    }
    (void)orma_symbolizer_mode_of(sql->given.binary_mode, &mode); /* the owner has checked it */
    int r =
        sql->symbolizer ? 0 : orma_symbolizer_new(sql->given.binary_paths, mode, &sql->symbolizer);
    if (r == -ENOTSUP)
        orma_result_error(ctx, "%s: this build cannot read binaries: it was built without libdw",
                          what);
    else if (r < 0)
        sqlite3_result_error_nomem(ctx);
    return r < 0 ? NULL : sql->symbolizer;
}

/* What the trace knows about the mapping, if the file is that of the mapping. */
static struct orma_symbolizer_module module_of(const struct orma_storage *st, const struct place *p)
{
    const struct orma_table *t = &st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];
    struct orma_symbolizer_module m = {.path = orma_strpool_get(&st->pool, p->file),
                                       .load_bias = UINT64_MAX};

    if (!p->has_mapping || p->mapping < 0 || p->mapping >= t->rows)
        return m;
    uint32_t row = (uint32_t)p->mapping;
    if (orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_NAME, row) != p->file)
        return m;
    m.build_id = orma_strpool_get(
        &st->pool, (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, row));
    m.load_bias = (uint64_t)orma_table_int(t,
                                           orma_lookup_kernel_is(m.path)
                                               ? ORMA_STACK_PROFILE_MAPPING_EXACT_OFFSET
                                               : ORMA_STACK_PROFILE_MAPPING_LOAD_BIAS,
                                           row);
    return m;
}

/* ---- answers ---- */

static int by_file(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->mapping != y->mapping)
        return x->mapping < y->mapping ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->order < y->order ? -1 : x->order > y->order;
}

static uint32_t intern(struct orma_storage *st, const char *text)
{
    return *text ? orma_strpool_add(&st->pool, orma_str_from(text)) : 0;
}

/* File after file, so that each is opened once; then in the order in which they came. */
static int ask(struct orma_sql *sql, struct orma_symbolizer *z, struct orma_buf *places,
               struct orma_buf *answers)
{
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];
    struct place *list = (struct place *)(void *)places->data;
    size_t num = places->len / sizeof(*list);

    if (num)
        qsort(list, num, sizeof(*list), by_file);
    for (size_t i = 0; i < num; i++) {
        struct orma_symbolizer_module m = module_of(sql->storage, &list[i]);

        if (orma_sql_is_interrupted(sql))
            return -ECANCELED;
        list[i].first = answers->len / sizeof(struct answer);
        list[i].num = orma_symbolizer_frames(z, &m, (uint64_t)list[i].rel_pc, frames);
        for (size_t k = 0; k < list[i].num; k++) {
            const struct answer a = {intern(sql->storage, frames[k].function),
                                     intern(sql->storage, frames[k].file), frames[k].line};

            orma_buf_put(answers, &a, sizeof(a));
        }
    }
    if (num)
        qsort(list, num, sizeof(*list), by_order);
    return answers->failed ? -ENOMEM : 0;
}

static struct orma_dataframe *make_frame(struct orma_sql *sql, const struct orma_buf *places,
                                         const struct orma_buf *answers)
{
    static const char *const names[] = {"function_name", "file_name", "line_number", "mapping_id",
                                        "address"};
    struct orma_dataframe *f =
        orma_dataframe_new(sql->storage, names, ORMA_ARRAY_LEN(names), false);
    const struct place *list = (const struct place *)(void *)places->data;
    const struct answer *all = (const struct answer *)(void *)answers->data;

    for (size_t i = 0; f && i < places->len / sizeof(*list); i++) {
        for (size_t k = list[i].first; k < list[i].first + list[i].num; k++) {
            uint32_t row = orma_dataframe_add(f);

            if (all[k].function)
                orma_dataframe_put_str(f, 0, row, all[k].function);
            if (all[k].file)
                orma_dataframe_put_str(f, 1, row, all[k].file);
            if (all[k].line)
                orma_dataframe_put_int(f, 2, row, all[k].line);
            if (list[i].has_mapping)
                orma_dataframe_put_int(f, 3, row, list[i].mapping);
            if (list[i].has_address)
                orma_dataframe_put_int(f, 4, row, list[i].address);
        }
    }
    return f;
}

static void symbolize(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct list *list = sqlite3_value_pointer(argv[0], LIST_POINTER);
    struct orma_symbolizer *z = NULL;
    struct orma_buf answers = {0}, none = {0};
    int r = 0;

    (void)argc;
    if (!list && sqlite3_value_type(argv[0]) != SQLITE_NULL) {
        orma_result_error(
            ctx, "__intrinsic_symbolize: expected the result of __intrinsic_symbolize_agg");
        return;
    }
    if (list) { /* without a row there is no list */
        z = symbolizer(ctx);
        if (!z)
            return;
        r = ask(orma_sql_of(ctx), z, &list->places, &answers);
    }
    struct orma_dataframe *f =
        r == 0 ? make_frame(orma_sql_of(ctx), list ? &list->places : &none, &answers) : NULL;
    if (f)
        orma_dataframe_result_finished(ctx, f);
    else
        orma_result_errno(ctx, r ? r : -ENOMEM);
    orma_buf_fini(&answers);
}

const struct orma_sql_func orma_profiles_symbolize[] = {
    {.name = "__intrinsic_symbolize_agg",
     .args = 4,
     .step = agg_step,
     .final = agg_final,
     .usage = "(file_name, rel_pc, mapping_id, address) -> pointer",
     .doc = "Aggregate: addresses of binaries, for __intrinsic_symbolize. If the trace maps that "
            "file, the build id must be that of the file."},
    {.name = "__intrinsic_symbolize",
     .args = 1,
     .scalar = symbolize,
     .usage = "(pointer) -> pointer",
     .doc = "The symbols at these addresses: function_name, file_name, line_number, mapping_id, "
            "address; a row for each function, the innermost first, and none for unknown "
            "addresses. It reads binaries, so SQL must be allowed to read files, or "
            "PERFETTO_BINARY_PATH must be set."},
    {0},
};
