#include "processor/sql/script/stub.h"

#include <errno.h>

static const char *cast_of(enum orma_sql_class class)
{
    switch (class) {
    case ORMA_CLASS_INTEGER:
        return "CAST(NULL AS INT)";
    case ORMA_CLASS_REAL:
        return "CAST(NULL AS REAL)";
    case ORMA_CLASS_TEXT:
        return "CAST(NULL AS TEXT)";
    case ORMA_CLASS_BLOB:
    case ORMA_CLASS_ANY:
    case ORMA_CLASS_NONE:
        break;
    }
    return "NULL";
}

static int make_empty(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_buf create = {0};
    int r;

    orma_buf_printf(&create, "CREATE VIEW %.*s AS SELECT", ORMA_STR_ARG(s->name));
    for (size_t i = 0; i < s->columns.len; i++)
        orma_buf_printf(&create, "%s %s AS %.*s", i ? "," : "", cast_of(s->columns.fields[i].class),
                        ORMA_STR_ARG(s->columns.fields[i].name));
    orma_buf_put_str(&create, " WHERE 0");
    r = create.failed ? orma_sql_error_oom(&sql->error) : 0;
    if (r == 0)
        (void)orma_sql_run_plain(sql, orma_buf_cstr(&create)); /* an object may have that name */
    orma_buf_fini(&create);
    return r;
}

int orma_stub_make(struct orma_sql *sql, const struct orma_statement *s, int error)
{
    bool relation = s && (s->kind == ORMA_STMT_CREATE_VIEW || s->kind == ORMA_STMT_CREATE_TABLE);

    if (error == -ENOMEM || error == -ECANCELED)
        return error;
    if (sql->left_out++ == 0) {
        orma_buf_clear(&sql->left_out_first);
        orma_sql_error_put(&sql->error, &sql->left_out_first);
    }
    orma_sql_error_clear(&sql->error);
    return relation && s->columns.len ? make_empty(sql, s) : 0;
}
