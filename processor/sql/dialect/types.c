#include "processor/sql/dialect/types.h"

#include "processor/sql/dialect/token.h"
#include "sdk/base/defs.h"

static const struct {
    const char *name;
    enum orma_sql_class class;
} types[] = {
    {"bool", ORMA_CLASS_INTEGER},      {"long", ORMA_CLASS_INTEGER},
    {"int", ORMA_CLASS_INTEGER},       {"uint", ORMA_CLASS_INTEGER},
    {"timestamp", ORMA_CLASS_INTEGER}, {"duration", ORMA_CLASS_INTEGER},
    {"id", ORMA_CLASS_INTEGER},        {"joinid", ORMA_CLASS_INTEGER},
    {"argsetid", ORMA_CLASS_INTEGER},  {"double", ORMA_CLASS_REAL},
    {"float", ORMA_CLASS_REAL},        {"string", ORMA_CLASS_TEXT},
    {"bytes", ORMA_CLASS_BLOB},        {"proto", ORMA_CLASS_BLOB},
    {"any", ORMA_CLASS_ANY},
};

static const char *const macro_types[] = {
    "ColumnNameList", "_ProjectionFragment", "_TableNameList",  "ColumnName",
    "Expr",           "TableOrSubquery",     "UnparenExprList", "ExprList",
};

/* Names that older libraries use for some of these. */
static const char *const older_macro_types[] = {
    "StringList", "_ArgumentList", "_ColumnNameList", "_Macro", "_SqlFragment",
};

enum orma_sql_class orma_sql_type_class(struct orma_str name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(types); i++) {
        if (orma_word_eq(name, orma_str_from(types[i].name)))
            return types[i].class;
    }
    return ORMA_CLASS_NONE;
}

const char *orma_sql_class_name(enum orma_sql_class class)
{
    switch (class) {
    case ORMA_CLASS_INTEGER:
        return "LONG";
    case ORMA_CLASS_REAL:
        return "DOUBLE";
    case ORMA_CLASS_TEXT:
        return "STRING";
    case ORMA_CLASS_BLOB:
        return "BYTES";
    case ORMA_CLASS_ANY:
        return "ANY";
    case ORMA_CLASS_NONE:
        break;
    }
    return "NULL";
}

const char *orma_sql_class_declared(enum orma_sql_class class)
{
    switch (class) {
    case ORMA_CLASS_INTEGER:
        return "INTEGER";
    case ORMA_CLASS_REAL:
        return "DOUBLE";
    case ORMA_CLASS_TEXT:
        return "TEXT";
    case ORMA_CLASS_BLOB:
        return "BLOB";
    case ORMA_CLASS_ANY:
    case ORMA_CLASS_NONE:
        break;
    }
    return "";
}

static bool is_one_of(struct orma_str name, const char *const *names, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (orma_word_eq(name, orma_str_from(names[i])))
            return true;
    }
    return false;
}

bool orma_sql_is_macro_type(struct orma_str name)
{
    return is_one_of(name, macro_types, ORMA_ARRAY_LEN(macro_types)) ||
           is_one_of(name, older_macro_types, ORMA_ARRAY_LEN(older_macro_types));
}

void orma_sql_put_macro_types(struct orma_buf *out)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(macro_types); i++)
        orma_buf_printf(out, "%s%s", i ? ", " : "", macro_types[i]);
}
