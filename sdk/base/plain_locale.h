/*
 * The locale "C" for one thread, whatever the program around us has set: strtod() and printf() of a
 * program with LC_NUMERIC=de_DE read 1.5 as 1 and write it as "1,5".
 *
 *     ORMA_WITH_PLAIN_LOCALE;   until the end of the block
 *
 * Threads that are ours alone call orma_plain_locale_set() when they begin. Where there is no
 * memory for it, nothing changes. Threads: any.
 */
#ifndef ORMA_SDK_BASE_PLAIN_LOCALE_H
#define ORMA_SDK_BASE_PLAIN_LOCALE_H
#include <locale.h>

#include "sdk/base/defs.h"

/* Never freed. 0: no memory. */
locale_t orma_plain_locale(void);

static inline locale_t orma_plain_locale_set(void)
{
    return uselocale(orma_plain_locale());
}

static inline void orma_plain_locale_leave(const locale_t *before)
{
    (void)uselocale(*before);
}

#define ORMA_WITH_PLAIN_LOCALE                                                                     \
    ORMA_AUTO(orma_plain_locale_leave)                                                             \
    __attribute__((unused)) const locale_t orma_locale_before_ = orma_plain_locale_set()
#endif
