/*
 * How the code of frames was made, as far as names of mappings and functions say: on Android
 * compiled ahead of time, interpreted, or just in time; and which frames are the runtime's own,
 * between those of a program.
 */
#ifndef ORMA_PROCESSOR_SQL_PROFILES_ANNOTATE_H
#define ORMA_PROCESSOR_SQL_PROFILES_ANNOTATE_H
#include "processor/sql/base/ints.h"
#include "processor/store/storage.h"

enum orma_profiles_annotation {
    ORMA_PROFILES_NATIVE,
    ORMA_PROFILES_AOT,
    ORMA_PROFILES_INTERP,
    ORMA_PROFILES_JIT,
    ORMA_PROFILES_COMMON,        /* the runtime's */
    ORMA_PROFILES_COMMON_INTERP, /* of it those that interpret */
};

/* "aot", "common-frame", ...; NULL: of native code. */
const char *orma_profiles_annotation_name(enum orma_profiles_annotation annotation);

/* Adds the rows of the call site and its callers, from there to the root; no more than `max`. */
void orma_profiles_chain(const struct orma_storage *st, uint32_t callsite, uint32_t max,
                         struct orma_ints *ret_rows);

/* Adds an annotation for each of these rows, which are a whole chain. */
void orma_profiles_annotate(const struct orma_storage *st, const struct orma_ints *rows,
                            struct orma_ints *ret);
#endif
