/*
 * "Did you mean": the known name that is most like one that is not known.
 *
 *     struct orma_nearest n = {.wanted = orma_str_from("shced")};
 *
 *     for (...)
 *         orma_nearest_consider(&n, names[i]);
 *     if (orma_nearest_get(&n))
 *         printf("; did you mean '%s'?", orma_nearest_get(&n));
 *
 * Near is what few slips of the fingers make the other (a letter more, less, changed, or two
 * swapped; one slip for every three letters), and a longer name that begins with the wanted one.
 * Letter case is free. Only the first bytes of names are looked at: a name costs the same however
 * long it is.
 */
#ifndef ORMA_SDK_BASE_NEAREST_H
#define ORMA_SDK_BASE_NEAREST_H
#include "sdk/base/str.h"

#define ORMA_NEAREST_COMPARED_MAX 64 /* bytes of a name */

struct orma_nearest {
    struct orma_str wanted;
    const char *best; /* borrowed from who named it; near or not */
    unsigned distance;
};

/* True if `name` is nearer than all before, and is `best` now. */
bool orma_nearest_consider(struct orma_nearest *self, const char *name);

/* `best`, if it is near; else NULL. */
const char *orma_nearest_get(const struct orma_nearest *self);
#endif
