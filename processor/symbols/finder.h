/* Finds binaries and their debug information; the rules are in symbolizer.h. */
#ifndef ORMA_PROCESSOR_SYMBOLS_FINDER_H
#define ORMA_PROCESSOR_SYMBOLS_FINDER_H
#include "processor/symbols/symbolizer.h"
#include "sdk/base/arena.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"

struct orma_finder {
    enum orma_symbolizer_mode mode;
    char *paths;
    struct orma_arena arena;
    struct orma_map by_id; /* hash of a build id → struct indexed, mode index */
    bool indexed;
};

/* What was found: `path` has the symbols, the bias is that of the binary itself. */
struct orma_found {
    struct orma_buf path;
    uint64_t load_bias;
    bool has_bias;
    bool has_dwarf; /* debug information */
    /* The whole build id: the file's, or the trace's if none was found. Length 0: unknown. */
    uint8_t build_id[ORMA_BUILD_ID_MAX];
    size_t build_id_len;
};

int orma_finder_init(struct orma_finder *self, const char *paths, enum orma_symbolizer_mode mode);
void orma_finder_fini(struct orma_finder *self);

/* False: no file is where one would be looked for. None is opened. */
bool orma_finder_may_find(const struct orma_finder *self,
                          const struct orma_symbolizer_module *module);

/* True: *ret is set, its path belongs to the caller. False: it has the build id only. */
bool orma_finder_find(struct orma_finder *self, const struct orma_symbolizer_module *module,
                      struct orma_found *ret);
#endif
