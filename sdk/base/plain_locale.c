#include "sdk/base/plain_locale.h"

locale_t orma_plain_locale(void)
{
    static locale_t made; /* in glibc that of "C" needs no memory, so two threads make the same */
    locale_t locale = __atomic_load_n(&made, __ATOMIC_ACQUIRE);

    if (!locale) {
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        __atomic_store_n(&made, locale, __ATOMIC_RELEASE);
    }
    return locale;
}
