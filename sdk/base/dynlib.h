/*
 * Functions of a shared library that is loaded when it is first used: one that most runs have no
 * use for costs each start 0.1 to 0.5 ms, with the libraries that it needs.
 *
 *   #define FUNCTIONS(X) X(sd_journal_open) X(sd_journal_close)
 *   static struct { FUNCTIONS(ORMA_DYNLIB_POINTER) } lib;
 *   static const char *const names[] = {FUNCTIONS(ORMA_DYNLIB_NAME)};
 *   ...
 *   if (orma_dynlib_load("libsystemd.so.0", names, ORMA_ARRAY_LEN(names), &lib))
 *       lib.sd_journal_open(...);
 */
#ifndef ORMA_SDK_BASE_DYNLIB_H
#define ORMA_SDK_BASE_DYNLIB_H
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ORMA_DYNLIB_POINTER(name) __typeof__(&name) name;
#define ORMA_DYNLIB_NAME(name) #name,

/*
 * Sets the pointers in `functions`, one for each name. false: there is no such library, or a
 * function is missing in it. It is never unloaded, so callers may load it again.
 */
static inline bool orma_dynlib_load(const char *file, const char *const *names, size_t num,
                                    void *functions)
{
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; lib && i < num; i++) {
        void *found = dlsym(lib, names[i]);

        if (!found)
            return false;
        memcpy((char *)functions + i * sizeof(found), &found, sizeof(found));
    }
    return lib;
}
#endif
