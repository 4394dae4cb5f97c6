#include "processor/symbols/demangle.h"

#include <stddef.h>

#include "processor/symbols/rust_demangle.h"

#ifdef ORMA_HAVE_DEMANGLE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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

static char *demangle_cxx(const char *name)
{
    int status = -1;
    char *text = cxa_demangle(name, NULL, NULL, &status);

    if (status == 0)
        return text;
    free(text);
    return NULL;
}

/* What compilers put behind a name is not always known to the library: it is shown as it is. */
static char *demangle_without_suffix(const char *name)
{
    const char *suffix = strchr(name, '.');
    char *base = suffix ? strndup(name, (size_t)(suffix - name)) : NULL;
    char *text = base ? demangle_cxx(base) : NULL, *ret = NULL;

    if (text && asprintf(&ret, "%s (%s)", text, suffix) < 0)
        ret = NULL;
    free(base);
    free(text);
    return ret;
}

char *orma_demangle(const char *name)
{
    char *text = orma_rust_demangle(name);

    if (text)
        return text;
    /* Without the prefix the library takes names for types: "i" would become "int". */
    if (!name || (strncmp(name, "_Z", 2) && strncmp(name, "__Z", 3)) || !orma_demangle_available())
        return NULL;
    name += name[1] == '_';
    text = demangle_cxx(name);
    return text ? text : demangle_without_suffix(name);
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
