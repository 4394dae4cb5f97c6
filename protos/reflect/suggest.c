/*
 * "Did you mean": the known name with the least edit distance, if it is small for
 * its length; else the first few of what there is.
 */
#include <stdlib.h>

#include "protos/reflect/tables.h"

#define COMPARED_MAX 64 /* bytes of a name that are compared */
#define LISTED_MAX 8

/* Edit distance (insert, delete, change) of the first COMPARED_MAX bytes; letter case is free. */
static unsigned distance(struct orma_str a, struct orma_str b)
{
    unsigned row[COMPARED_MAX + 1];
    size_t na = ORMA_MIN(a.len, (size_t)COMPARED_MAX), nb = ORMA_MIN(b.len, (size_t)COMPARED_MAX);

    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < na; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < nb; j++) {
            char ca = a.data[i], cb = b.data[j];
            bool same = ca == cb || ((ca ^ cb) == 0x20 && (ca | 0x20) >= 'a' && (ca | 0x20) <= 'z');
            unsigned best = diagonal + !same;

            diagonal = row[j + 1];
            best = ORMA_MIN(best, diagonal + 1);
            row[j + 1] = ORMA_MIN(best, row[j] + 1);
        }
    }
    return row[nb];
}

struct suggestion {
    struct orma_str wanted;
    const char *best;
    unsigned best_distance;
};

static void consider(struct suggestion *self, const char *name)
{
    struct orma_str known = orma_str_from(name);
    unsigned d = distance(self->wanted, known);

    /* One as a part of the other is near too: "duration" for "duration_ms". */
    if (self->wanted.len >= 3 && known.len > self->wanted.len &&
        orma_str_starts(known, self->wanted))
        d = ORMA_MIN(d, 2u);
    if (!self->best || d < self->best_distance) {
        self->best = name;
        self->best_distance = d;
    }
}

static bool is_near(const struct suggestion *self)
{
    size_t limit = ORMA_MAX(self->wanted.len / 3, (size_t)2);

    return self->best && self->best_distance <= limit && self->best_distance < self->wanted.len;
}

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
    struct suggestion s = {.wanted = name};
    uint32_t n;
    const struct orma_field *fields = orma_schema_fields(self, msg, &n);

    for (uint32_t i = 0; i < n; i++)
        consider(&s, orma_field_name(self, &fields[i]));
    if (is_near(&s)) {
        orma_buf_printf(out, "; did you mean \"%s\"?", s.best);
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
    struct suggestion s = {.wanted = name};
    uint32_t n;
    const struct orma_enum_value *values = orma_schema_values(self, enum_idx, &n);

    for (uint32_t i = 0; i < n; i++)
        consider(&s, orma_schema_string(self, values[i].name));
    if (is_near(&s)) {
        orma_buf_printf(out, "; did you mean \"%s\"?", s.best);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        list_name(out, orma_schema_string(self, values[i].name), i, n);
}
