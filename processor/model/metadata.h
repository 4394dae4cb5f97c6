/* Metadata: facts about the trace and its machines, as (name, value) rows. */
#ifndef ORMA_PROCESSOR_MODEL_METADATA_H
#define ORMA_PROCESSOR_MODEL_METADATA_H
#include <stdbool.h>
#include <stdint.h>

struct orma_model;

enum orma_metadata_scope {
    ORMA_METADATA_GLOBAL,
    ORMA_METADATA_MACHINE = 1,
    ORMA_METADATA_TRACE = 2,
    ORMA_METADATA_MACHINE_AND_TRACE = 3,
};

/* Sets (replacing) or, for `multi`, adds. */
void orma_metadata_int(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, int64_t val);
void orma_metadata_str(struct orma_model *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, uint32_t str);

/* The uuid that the file at hand brings, in its usual form: it takes the place of one that was
 * made.
 */
void orma_metadata_uuid(struct orma_model *self, uint64_t msb, uint64_t lsb);

/* One that was made from the bytes of the whole, before any file said one: it is of no file. */
void orma_metadata_make_uuid(struct orma_model *self, uint64_t lsb);

/* The row of a single-valued key in that scope; ORMA_ROW_NONE: there is none. */
uint32_t orma_metadata_find(struct orma_model *self, const char *name,
                            enum orma_metadata_scope scope, uint16_t machine);

#endif
