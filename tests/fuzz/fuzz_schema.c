/*
 * The schema loader over any bytes, onto nothing and onto the default schema: a
 * set is refused whole or taken, and what is taken is consistent and can be used.
 */
#include <stdlib.h>

#include "tests/fuzz/reflect.h"

#define USED_MAX 4 /* messages that are printed with, of each schema */

static void check_msg(const struct orma_schema *s, uint32_t msg)
{
    uint32_t n;
    const struct orma_field *fields = orma_schema_fields(s, msg, &n);

    for (uint32_t i = 0; i < n; i++) {
        const struct orma_field *f = &fields[i];
        struct orma_str name = orma_str_from(orma_field_name(s, f));
        const struct orma_field *named = orma_schema_field_named(s, msg, name);

        if (orma_schema_field(s, msg, f->number) != f || (i && f->number <= f[-1].number))
            abort();
        if (!named || !orma_str_eq_c(name, orma_field_name(s, named)))
            abort();
        if (f->type == ORMA_TYPE_MESSAGE && f->type_idx >= orma_schema_msg_count(s))
            abort();
        if (f->type == ORMA_TYPE_ENUM && f->type_idx >= orma_schema_enum_count(s))
            abort();
        if (f->oneof > orma_schema_oneof_count(s, msg))
            abort();
        (void)orma_field_default(s, f);
        (void)orma_field_options(s, f);
    }
}

static void check_schema(const struct orma_schema *s)
{
    for (uint32_t m = 0; m < orma_schema_msg_count(s); m++)
        check_msg(s, m);
    for (uint32_t e = 0; e < orma_schema_enum_count(s); e++) {
        uint32_t n;
        const struct orma_enum_value *v = orma_schema_values(s, e, &n);

        for (uint32_t i = 0; i < n; i++)
            if (!orma_schema_value_name(s, e, v[i].number) || (i && v[i].number < v[i - 1].number))
                abort();
    }
}

static void add_to(const struct orma_schema *base, const uint8_t *data, size_t size)
{
    struct orma_schema *s = NULL;
    struct orma_buf notes = {0};

    if (orma_schema_new(base, &s) < 0)
        abort();
    uint32_t before = orma_schema_msg_count(s);
    int r = orma_schema_add(s, data, size, &notes);
    if (r < 0 && (orma_schema_msg_count(s) != before || !notes.len))
        abort();
    if (r >= 0)
        check_schema(s);
    for (uint32_t m = before; m < orma_schema_msg_count(s) && m < before + USED_MAX; m++) {
        struct orma_buf out = {0};

        (void)orma_text_print(s, m, data, size, NULL, &out);
        orma_buf_fini(&out);
    }
    /* The same again adds nothing. */
    uint32_t after = orma_schema_msg_count(s);
    if (r >= 0 && (orma_schema_add(s, data, size, NULL) < 0 || orma_schema_msg_count(s) != after))
        abort();
    orma_schema_free(s);
    orma_buf_fini(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    add_to(NULL, data, size);
    add_to(orma_schema_default(), data, size);
    return 0;
}
