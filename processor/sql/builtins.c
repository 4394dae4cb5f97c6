/* The tables of all native functions, aggregates, table functions and operators. */
#include "processor/sql/engine.h"

#include "processor/sql/base/tvf.h"
#include "processor/sql/base/values.h"
#include "processor/sql/builtins.h"
#include "processor/sql/columnar/columnar.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/tables/derived.h"

/* One line each: people add to these at the same time. */
// clang-format off
const struct orma_sql_func *const orma_native_funcs[] = {
    orma_sql_funcs_agg,
    orma_sql_funcs_args,
    orma_sql_funcs_arrays,
    orma_sql_funcs_columnar,
    orma_sql_funcs_compress,
    orma_sql_funcs_counters,
    orma_sql_funcs_critical_path,
    orma_sql_funcs_derived,
    orma_sql_funcs_dominator,
    orma_sql_funcs_files,
    orma_sql_funcs_flamegraph,
    orma_sql_funcs_frames,
    orma_sql_funcs_ftrace,
    orma_sql_funcs_graph,
    orma_sql_funcs_intervals,
    orma_sql_funcs_math,
    orma_sql_funcs_meta,
    orma_sql_funcs_modern,
    orma_sql_funcs_ordered,
    orma_sql_funcs_regexp,
    orma_sql_funcs_register,
    orma_sql_funcs_scan,
    orma_sql_funcs_span_join,
    orma_sql_funcs_stacks,
    orma_sql_funcs_string,
    orma_sql_funcs_symbolize,
    orma_sql_funcs_time,
    orma_sql_funcs_tree,
    orma_sql_funcs_tree_summary,
    NULL,
};

const struct orma_tvf *const orma_tvfs[] = {
    &orma_tvf_ancestor_callsite,
    &orma_tvf_ancestor_slice,
    &orma_tvf_annotated_callstack,
    &orma_tvf_critical_path_walk,
    &orma_tvf_descendant_slice,
    &orma_tvf_dfs_weight_bounded,
    &orma_tvf_directly_connected_flow,
    &orma_tvf_dominator_tree,
    &orma_tvf_flamegraph_find,
    &orma_tvf_flat_slice,
    &orma_tvf_following_flow,
    &orma_tvf_plan_decoder,
    &orma_tvf_preceding_flow,
    &orma_tvf_profile_tree,
    &orma_tvf_slice_layout,
    &orma_tvf_sqlstats,
    &orma_tvf_stdlib_objects,
    &orma_tvf_table_info,
    &orma_tvf_tables,
    &orma_tvf_tree_partition,
    NULL,
};

const struct orma_sql_module *const orma_native_modules[] = {
    orma_sql_modules_columnar,
    orma_sql_modules_flamegraph,
    orma_sql_modules_frames,
    orma_sql_modules_mipmap,
    orma_sql_modules_ordered,
    orma_sql_modules_span_join,
    NULL,
};
// clang-format on

int orma_natives_register_as(struct orma_sql *self, const char *name, const struct orma_sql_func *f)
{
    int flags = f->flags | SQLITE_UTF8;

    orma_columnar_note_function(self, name);
    if (f->value)
        return sqlite3_create_window_function(self->db, name, f->args, flags, self, f->step,
                                              f->final, f->value, f->inverse, NULL);
    return sqlite3_create_function_v2(self->db, name, f->args, flags, self, f->scalar, f->step,
                                      f->final, NULL);
}

int orma_natives_register(struct orma_sql *self)
{
    int r = SQLITE_OK;

    for (unsigned i = 0; orma_native_funcs[i]; i++)
        for (const struct orma_sql_func *f = orma_native_funcs[i]; f->name && !r; f++)
            r = orma_natives_register_as(self, f->name, f);
    if (!r)
        r = orma_sums_register(self->db);
    for (unsigned i = 0; orma_tvfs[i] && !r; i++)
        r = orma_tvf_register(self, orma_tvfs[i]);
    for (unsigned i = 0; orma_native_modules[i]; i++)
        for (const struct orma_sql_module *m = orma_native_modules[i]; m->name && !r; m++)
            r = sqlite3_create_module_v2(self->db, m->name, m->module, self, NULL);
    return r;
}

const struct orma_sql_func *orma_natives_find(struct orma_str name, int args)
{
    for (unsigned i = 0; orma_native_funcs[i]; i++) {
        for (const struct orma_sql_func *f = orma_native_funcs[i]; f->name; f++) {
            if ((args == -2 || f->args == args) && orma_word_eq(name, orma_str_from(f->name)))
                return f;
        }
    }
    return NULL;
}

bool orma_natives_has_module(struct orma_str name)
{
    for (unsigned i = 0; orma_tvfs[i]; i++) {
        if (orma_word_eq(name, orma_str_from(orma_tvfs[i]->name)))
            return true;
    }
    for (unsigned i = 0; orma_native_modules[i]; i++) {
        for (const struct orma_sql_module *m = orma_native_modules[i]; m->name; m++) {
            if (orma_word_eq(name, orma_str_from(m->name)))
                return true;
        }
    }
    return false;
}
