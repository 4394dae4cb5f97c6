#include "processor/symbols/demangle.h"

#include "processor/symbols/rust_demangle.h"

#include <stddef.h>

#ifdef ORMA_HAVE_DEMANGLE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"

static char *(*cxa_demangle)(const char *name, char *out, size_t *len, int *status);

static void find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(libraries) && !cxa_demangle; i++) {
        void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL); /* stays for ever */
        void *found = lib ? dlsym(lib, "__cxa_demangle") : NULL;

        memcpy(&cxa_demangle, &found, sizeof(found));
    }
}

bool orma_demangle_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, find_demangler); /* fails for bad arguments only */
    return cxa_demangle;
}

char *orma_demangle(const char *name)
{
    int status = -1;
    char *text = orma_rust_demangle(name);

    if (text)
        return text;
    /* Without the prefix the library takes names for types: "i" would become "int". */
    if (!name || (strncmp(name, "_Z", 2) && strncmp(name, "__Z", 3)) || !orma_demangle_available())
        return NULL;
    text = cxa_demangle(name + (name[1] == '_'), NULL, NULL, &status);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}
#else
bool orma_demangle_available(void)
{
    return false;
}

char *orma_demangle(const char *name)
{
    return orma_rust_demangle(name);
}
#endif
