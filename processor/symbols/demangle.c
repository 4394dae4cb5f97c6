#include "processor/symbols/demangle.h"

#include <stddef.h>
#include <string.h>

#include "processor/symbols/rust_demangle.h"

/* A longer name takes too long, and more stack than there may be. */
#define NAME_BYTES_MAX 4096u

#ifdef ORMA_HAVE_DEMANGLE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Of the text, by the rule of would_explode(): eight MB at most, half a second. */
#define EXPANDED_MAX ((uint64_t)1 << 29)
#define PARTS_MAX 256

/* A part of the name that is named again: S_, S0_, T_. */
struct part {
    uint64_t key; /* its number and kind */
    unsigned times;
};

/* The number behind S or T, up to its underscore; false: that is none. */
static bool read_number(const char *at, uint64_t *ret)
{
    uint64_t number = 1;

    for (; (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z'); at++) {
        if (number > UINT64_MAX / 512)
            return false;
        number = number * 64 + (uint64_t)(*at - '0') + 1;
    }
    *ret = number;
    return *at == '_';
}

/*
 * A name may name parts of itself again, and these others: with some ten letters for each time the
 * text doubles. It has at most as many times its length as there are ways to be named: the product
 * of how often each part is, and once more for each part. What only looks like a part (in words of
 * the program) makes that larger.
 */
static bool would_explode(const char *name)
{
    struct part parts[PARTS_MAX];
    uint64_t bound, key;
    size_t num = 0;

    for (const char *at = name; *at; at++) {
        if ((*at != 'S' && *at != 'T') || !read_number(at + 1, &key))
            continue;
        key = key << 1 | (*at == 'T');
        size_t i = 0;
        while (i < num && parts[i].key != key)
            i++;
        if (i == PARTS_MAX)
            return true;
        if (i == num)
            parts[num++] = (struct part){.key = key};
        parts[i].times++;
    }
    bound = strlen(name) * (num + 1);
    for (size_t i = 0; i < num && bound <= EXPANDED_MAX; i++)
        bound *= parts[i].times;
    return bound > EXPANDED_MAX;
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

static bool is_short(const char *name)
{
    return name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX;
}

static char *demangle(const char *name, bool careful)
{
    if (!is_short(name))
        return NULL;
    char *text = orma_rust_demangle(name);
    if (text)
        return text;
    /* Without the prefix the library takes names for types: "i" would become "int". */
    if ((strncmp(name, "_Z", 2) && strncmp(name, "__Z", 3)) || !orma_demangle_available() ||
        (careful && would_explode(name)))
        return NULL;
    name += name[1] == '_';
    text = demangle_cxx(name);
    return text ? text : demangle_without_suffix(name);
}

char *orma_demangle(const char *name)
{
    return demangle(name, false);
}

char *orma_demangle_careful(const char *name)
{
    return demangle(name, true);
}
#else
bool orma_demangle_available(void)
{
    return false;
}

char *orma_demangle(const char *name)
{
    return name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX ? orma_rust_demangle(name) : NULL;
}

char *orma_demangle_careful(const char *name)
{
    return orma_demangle(name);
}
#endif
