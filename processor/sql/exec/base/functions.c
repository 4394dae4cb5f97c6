/* Looking things up in the table of functions and operators. */
#include "processor/sql/exec/base/functions.h"

#include <string.h>

#include "sdk/base/defs.h"

static bool is_named(const struct orma_exec_function *f, struct orma_str name)
{
    return strlen(f->name) == name.len && !sqlite3_strnicmp(f->name, name.data, (int)name.len);
}

const struct orma_exec_function *orma_exec_function_find(const struct orma_exec_catalog *catalog,
                                                         struct orma_str name, unsigned args,
                                                         bool over)
{
    for (size_t i = 0; i < catalog->functions_num; i++) {
        const struct orma_exec_function *f = &catalog->functions[i];
        const bool kind = over ? f->kinds & EXEC_WINDOW : f->kinds & (EXEC_SCALAR | EXEC_AGGREGATE);

        if (kind && args >= (unsigned)f->args_min &&
            (f->args_max < 0 || args <= (unsigned)f->args_max) && is_named(f, name))
            return f;
    }
    return NULL;
}

bool orma_exec_function_is_known(const struct orma_exec_catalog *catalog, struct orma_str name)
{
    for (size_t i = 0; i < catalog->functions_num; i++) {
        if (is_named(&catalog->functions[i], name))
            return true;
    }
    return false;
}

bool orma_exec_function_of_engine(const struct orma_exec_catalog *catalog, struct orma_sql *sql,
                                  struct orma_str name, unsigned args,
                                  struct orma_exec_function *ret)
{
    const bool made = sql->is_steady(sql, name, (int)args);
    const struct orma_sql_func *f = NULL;

    if (orma_exec_function_is_known(catalog, name))
        return false;
    if (!made && sql->is_steady(sql, name, -1)) { /* scripts made none of that name */
        f = orma_builtins_find(sql, name, (int)args);
        if (!f)
            f = orma_builtins_find(sql, name, -1);
    }
    if (!made && !(f && f->scalar && f->flags & SQLITE_DETERMINISTIC))
        return false;
    *ret = (struct orma_exec_function){.args_min = (int8_t)args,
                                       .args_max = (int8_t)args,
                                       .kinds = EXEC_SCALAR,
                                       .types = EXEC_ANY,
                                       .is_pure = !made,
                                       .may_fail = true};
    return true;
}

static bool is_written(const char *text, struct orma_str as)
{
    return text && orma_str_eq_c(as, text);
}

bool orma_exec_operator_find(const struct orma_exec_catalog *catalog, struct orma_str text,
                             enum orma_exec_op *ret)
{
    for (size_t i = 0; i < catalog->operators_num; i++) {
        if (catalog->operators[i].level && (is_written(catalog->operators[i].text, text) ||
                                            is_written(catalog->operators[i].other, text))) {
            *ret = (enum orma_exec_op)i;
            return true;
        }
    }
    return false;
}
