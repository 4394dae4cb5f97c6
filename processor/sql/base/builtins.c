#include "processor/sql/base/builtins.h"

#include "processor/sql/dialect/token.h"

int orma_builtins_register_as(struct orma_sql *self, const char *name,
                              const struct orma_sql_func *f)
{
    int flags = f->flags | SQLITE_UTF8;

    if (f->value)
        return sqlite3_create_window_function(self->db, name, f->args, flags, self, f->step,
                                              f->final, f->value, f->inverse, NULL);
    return sqlite3_create_function_v2(self->db, name, f->args, flags, self, f->scalar, f->step,
                                      f->final, NULL);
}

int orma_builtins_register(struct orma_sql *self)
{
    const struct orma_sql_builtins *b = self->builtins;
    int r = SQLITE_OK;

    for (unsigned i = 0; b->funcs[i]; i++)
        for (const struct orma_sql_func *f = b->funcs[i]; f->name && !r; f++)
            r = orma_builtins_register_as(self, f->name, f);
    for (unsigned i = 0; b->tvfs[i] && !r; i++)
        r = orma_tvf_register(self, b->tvfs[i]);
    for (unsigned i = 0; b->modules[i]; i++)
        for (const struct orma_sql_module *m = b->modules[i]; m->name && !r; m++)
            r = sqlite3_create_module_v2(self->db, m->name, m->module, self, NULL);
    return r;
}

const struct orma_sql_func *orma_builtins_find(const struct orma_sql *self, struct orma_str name,
                                               int args)
{
    const struct orma_sql_builtins *b = self->builtins;

    for (unsigned i = 0; b->funcs[i]; i++) {
        for (const struct orma_sql_func *f = b->funcs[i]; f->name; f++) {
            if ((args == -2 || f->args == args) && orma_word_eq(name, orma_str_from(f->name)))
                return f;
        }
    }
    return NULL;
}

bool orma_builtins_has_module(const struct orma_sql *self, struct orma_str name)
{
    const struct orma_sql_builtins *b = self->builtins;

    for (unsigned i = 0; b->tvfs[i]; i++) {
        if (orma_word_eq(name, orma_str_from(b->tvfs[i]->name)))
            return true;
    }
    for (unsigned i = 0; b->modules[i]; i++) {
        for (const struct orma_sql_module *m = b->modules[i]; m->name; m++) {
            if (orma_word_eq(name, orma_str_from(m->name)))
                return true;
        }
    }
    return false;
}
