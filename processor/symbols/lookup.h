/*
 * Answers the questions of symbolizer.h in this process; the worker's part of it. What files may do
 * to libdw happens here.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_LOOKUP_H
#define ORMA_PROCESSOR_SYMBOLS_LOOKUP_H
#include "processor/symbols/symbolizer.h"

struct orma_lookup;

struct orma_lookup *orma_lookup_new(void);
int orma_lookup_add(struct orma_lookup *self, const char *paths, enum orma_symbolizer_mode mode);
/* Servers, for binaries without debug information here (debuginfod.h). -ENOMEM. */
int orma_lookup_set_servers(struct orma_lookup *self, const char *urls);
/* NULL is fine. */
void orma_lookup_free(struct orma_lookup *self);

/* False: nothing is known of it. No file is read for that but the notes of this kernel. */
bool orma_lookup_may_find(const struct orma_lookup *self,
                          const struct orma_symbolizer_module *module);

size_t orma_lookup_frames(struct orma_lookup *self, const struct orma_symbolizer_module *module,
                          uint64_t pc, struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX]);
const char *orma_lookup_file(struct orma_lookup *self, const struct orma_symbolizer_module *module);

/* All that tells a module from others, and a hash of it. */
struct orma_lookup_module_name {
    struct orma_str path, build_id; /* copies */
    uint64_t load_bias;
};
uint64_t orma_lookup_module_key(const struct orma_symbolizer_module *module);
bool orma_lookup_module_is(const struct orma_lookup_module_name *self,
                           const struct orma_symbolizer_module *module);
/* False: out of memory. */
bool orma_lookup_module_name_init(struct orma_lookup_module_name *self,
                                  const struct orma_symbolizer_module *module);
void orma_lookup_module_name_fini(struct orma_lookup_module_name *self);
#endif
