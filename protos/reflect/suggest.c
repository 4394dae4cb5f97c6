/*
 * "Did you mean": the name most like the one that is not known, if one is near; else
 * the first few of what there is.
 */
#include "protos/reflect/tables.h"
#include "sdk/base/nearest.h"

#define LISTED_MAX 8

static void list_name(struct orma_buf *out, const char *name, uint32_t i, uint32_t n)
{
    if (i < LISTED_MAX)
        orma_buf_printf(out, "%s%s", i ? ", " : "; it has ", name);
    else if (i == LISTED_MAX)
        orma_buf_printf(out, " and %u more", n - LISTED_MAX);
}

void orma_schema_suggest_field(const struct orma_schema *self, uint32_t msg, struct orma_str name,
                               struct orma_buf *out)
{
    struct orma_nearest near = {.wanted = name};
    uint32_t n;
    const struct orma_field *fields = orma_schema_fields(self, msg, &n);

    for (uint32_t i = 0; i < n; i++)
        orma_nearest_consider(&near, orma_field_name(self, &fields[i]));
    if (orma_nearest_get(&near)) {
        orma_buf_printf(out, "; did you mean \"%s\"?", near.best);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        list_name(out, orma_field_name(self, &fields[i]), i, n);
    if (!n)
        orma_buf_put_str(out, "; it has no fields");
}

void orma_schema_suggest_value(const struct orma_schema *self, uint32_t enum_idx,
                               struct orma_str name, struct orma_buf *out)
{
    struct orma_nearest near = {.wanted = name};
    uint32_t n;
    const struct orma_enum_value *values = orma_schema_values(self, enum_idx, &n);

    for (uint32_t i = 0; i < n; i++)
        orma_nearest_consider(&near, orma_schema_string(self, values[i].name));
    if (orma_nearest_get(&near)) {
        orma_buf_printf(out, "; did you mean \"%s\"?", near.best);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        list_name(out, orma_schema_string(self, values[i].name), i, n);
}
