#include "tools/load/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/symbols/binary.h"
#include "sdk/base/defs.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *orma_load_symbols_paths(void)
{
    return variable(ORMA_LOAD_SYMBOLS_PATHS);
}

const char *orma_load_symbols_mode(void)
{
    return variable(ORMA_LOAD_SYMBOLS_MODE);
}

const char *orma_load_symbols_maps(void)
{
    return variable(ORMA_LOAD_SYMBOLS_MAPS);
}

static int set(struct orma_processor *tp, const char *program,
               const struct orma_processor_symbols *symbols)
{
    int r = orma_processor_set_symbols(tp, symbols);

    if (r == 0)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", program,
            r == -EINVAL ? ORMA_LOAD_SYMBOLS_MODE : ORMA_LOAD_SYMBOLS_PATHS,
            orma_processor_error(tp));
    return r == -ENOTSUP ? 0 : r; /* the trace can be read without names */
}

int orma_load_symbols_from_environment(struct orma_processor *tp, const char *program)
{
    const struct orma_processor_symbols symbols = {.binary_paths = orma_load_symbols_paths(),
                                                   .mode = orma_load_symbols_mode(),
                                                   .proguard_maps = orma_load_symbols_maps()};

    return symbols.binary_paths || symbols.proguard_maps ? set(tp, program, &symbols) : 0;
}

int orma_load_symbols_from_here(struct orma_processor *tp, const char *program)
{
    const struct orma_processor_symbols symbols = {.binary_paths = orma_load_symbols_paths(),
                                                   .mode = orma_load_symbols_mode(),
                                                   .this_machine = true,
                                                   .proguard_maps = orma_load_symbols_maps()};

    if (!symbols.binary_paths && !orma_binary_supported())
        return 0; /* nobody asked for it */
    return set(tp, program, &symbols);
}
