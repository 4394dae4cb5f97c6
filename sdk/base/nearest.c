#include "sdk/base/nearest.h"

#include "sdk/base/defs.h"

#define ROW (ORMA_NEAREST_COMPARED_MAX + 1)

static bool same(char a, char b)
{
    return a == b || ((a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* Insert, delete, change, and two neighbours swapped; of the first bytes. */
static unsigned distance(struct orma_str a, struct orma_str b)
{
    unsigned rows[3][ROW]; /* the last ones, in turn */
    size_t na = ORMA_MIN(a.len, (size_t)ORMA_NEAREST_COMPARED_MAX);
    size_t nb = ORMA_MIN(b.len, (size_t)ORMA_NEAREST_COMPARED_MAX);

    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned change = above[j - 1] + !same(a.data[i - 1], b.data[j - 1]);

            row[j] = ORMA_MIN(change, ORMA_MIN(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a.data[i - 1], b.data[j - 2]) &&
                same(a.data[i - 2], b.data[j - 1]))
                row[j] = ORMA_MIN(row[j], before[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

static unsigned limit_of(struct orma_str wanted)
{
    return (unsigned)ORMA_MAX(wanted.len / 3, (size_t)1);
}

bool orma_nearest_consider(struct orma_nearest *self, const char *name)
{
    struct orma_str known = orma_str_from(name);
    unsigned d = distance(self->wanted, known);

    /* One as a part of the other is near too: "duration" for "duration_ms". */
    if (self->wanted.len >= 3 && known.len > self->wanted.len &&
        orma_str_starts(known, self->wanted))
        d = ORMA_MIN(d, ORMA_MIN(limit_of(self->wanted), 2u));
    /* Of two such names the shorter one: "slice" before "slices" for "slic". */
    bool shorter = d && self->best && d == self->distance && known.len > self->wanted.len &&
                   orma_str_starts(known, self->wanted) &&
                   orma_str_starts(orma_str_from(self->best), known);

    if (self->best && d >= self->distance && !shorter)
        return false;
    self->best = name;
    self->distance = d;
    return true;
}

const char *orma_nearest_get(const struct orma_nearest *self)
{
    bool near =
        self->best && self->distance <= limit_of(self->wanted) && self->distance < self->wanted.len;

    return near ? self->best : NULL;
}
