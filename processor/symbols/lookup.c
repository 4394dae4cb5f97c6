/*
 * A module is looked for once, with each finder in turn, and its path is kept. Binaries are
 * opened when first asked for; OPEN_MAX of them stay open, and the one that was not used for
 * longest makes place for the next. Answers point into the binary's own texts and hold until
 * the next question.
 */
#include "processor/symbols/lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/symbols/debuginfod.h"
#include "processor/symbols/finder.h"
#include "processor/symbols/kernel.h"
#include "sdk/base/hash.h"

#define OPEN_MAX 4
#define FINDERS_MAX 4

/* A module of the trace, and what was found for it. */
struct module {
    struct orma_lookup_module_name name;
    char *path;     /* NULL: nothing */
    uint64_t shift; /* what to add to addresses of the trace */
    struct orma_binary *binary;
    struct orma_lookup_kernel *kernel; /* instead of a binary; stays open */
    uint64_t used;                     /* when; 0: never */
};

struct orma_lookup {
    struct orma_finder finders[FINDERS_MAX]; /* asked in turn */
    size_t finders_num;
    char *servers;           /* URLs; NULL: none are asked */
    struct orma_map modules; /* hash, or the next free number → struct module */
    struct module *open[OPEN_MAX];
    uint64_t turn;
};

/* ---- what tells modules apart ---- */

uint64_t orma_lookup_module_key(const struct orma_symbolizer_module *module)
{
    uint64_t key = ORMA_FNV1A_BASIS;

    key = orma_fnv1a(key, &module->path.len, sizeof(module->path.len));
    key = orma_fnv1a(key, module->path.data, module->path.len);
    key = orma_fnv1a(key, module->build_id.data, module->build_id.len);
    return key ^ module->load_bias;
}

bool orma_lookup_module_is(const struct orma_lookup_module_name *self,
                           const struct orma_symbolizer_module *module)
{
    return self->load_bias == module->load_bias && orma_str_eq(module->path, self->path) &&
           orma_str_eq(module->build_id, self->build_id);
}

bool orma_lookup_module_name_init(struct orma_lookup_module_name *self,
                                  const struct orma_symbolizer_module *module)
{
    *self = (struct orma_lookup_module_name){module->path, module->build_id, module->load_bias};
    self->path.data = orma_str_dup(module->path);
    self->build_id.data = orma_str_dup(module->build_id);
    if (self->path.data && self->build_id.data)
        return true;
    orma_lookup_module_name_fini(self);
    return false;
}

void orma_lookup_module_name_fini(struct orma_lookup_module_name *self)
{
    free((char *)(uintptr_t)self->path.data);
    free((char *)(uintptr_t)self->build_id.data);
    *self = (struct orma_lookup_module_name){0};
}

/* ---- questions ---- */

struct orma_lookup *orma_lookup_new(void)
{
    return calloc(1, sizeof(struct orma_lookup));
}

int orma_lookup_add(struct orma_lookup *self, const char *paths, enum orma_symbolizer_mode mode)
{
    if (self->finders_num == FINDERS_MAX)
        return -ENOSPC;
    int r = orma_finder_init(&self->finders[self->finders_num], paths, mode);
    self->finders_num += r == 0;
    return r;
}

int orma_lookup_set_servers(struct orma_lookup *self, const char *urls)
{
    free(self->servers);
    self->servers = strdup(urls);
    return self->servers ? 0 : -ENOMEM;
}

void orma_lookup_free(struct orma_lookup *self)
{
    if (!self)
        return;
    ORMA_MAP_EACH (slot, &self->modules) {
        struct module *m = (struct module *)(uintptr_t)slot->val;

        orma_binary_free(m->binary);
        orma_lookup_kernel_free(m->kernel);
        orma_lookup_module_name_fini(&m->name);
        free(m->path);
        free(m);
    }
    orma_map_fini(&self->modules);
    for (size_t i = 0; i < self->finders_num; i++)
        orma_finder_fini(&self->finders[i]);
    free(self->servers);
    free(self);
}

/* Somebody else's debug information for it; what is here stays if that is not of the same build. */
static void ask_servers(struct orma_lookup *self, struct module *m, const struct orma_found *found)
{
    struct orma_binary_info info;
    struct orma_buf path = {0};
    char *copy = NULL;

    if (orma_debuginfod_find(self->servers, found->build_id, found->build_id_len, &path) &&
        orma_binary_peek(orma_buf_cstr(&path), &info) == 0 && info.has_dwarf &&
        info.build_id_len == found->build_id_len &&
        !memcmp(info.build_id, found->build_id, info.build_id_len))
        copy = strdup(orma_buf_cstr(&path));
    if (copy) {
        free(m->path);
        m->path = copy;
    }
    orma_buf_fini(&path);
}

/* Its table is read at once: whether it is of use is seen only then. */
static void find_kernel(struct orma_lookup *self, struct module *m,
                        const struct orma_symbolizer_module *module)
{
    for (size_t i = 0; i < self->finders_num && !m->path; i++) {
        m->path = orma_lookup_kernel_find(self->finders[i].paths, module);
        if (m->path && orma_lookup_kernel_open(m->path, module, &m->kernel) < 0) {
            free(m->path);
            m->path = NULL;
        }
    }
}

bool orma_lookup_may_find(const struct orma_lookup *self,
                          const struct orma_symbolizer_module *module)
{
    const bool kernel = orma_lookup_kernel_is(module->path);
    bool found = self->servers && !kernel;

    for (size_t i = 0; i < self->finders_num && !found; i++) {
        char *table = kernel ? orma_lookup_kernel_find(self->finders[i].paths, module) : NULL;

        found = kernel ? table != NULL : orma_finder_may_find(&self->finders[i], module);
        free(table);
    }
    return found;
}

static struct module *find_module(struct orma_lookup *self,
                                  const struct orma_symbolizer_module *module)
{
    uint64_t key = orma_lookup_module_key(module);
    struct module *m;
    struct orma_found found = {0};

    for (; (m = orma_map_get_ptr(&self->modules, key)); key++)
        if (orma_lookup_module_is(&m->name, module))
            return m;
    m = calloc(1, sizeof(*m));
    if (!m || !orma_lookup_module_name_init(&m->name, module) ||
        orma_map_put_ptr(&self->modules, key, m) < 0) {
        if (m)
            orma_lookup_module_name_fini(&m->name);
        free(m);
        return NULL;
    }
    if (orma_lookup_kernel_is(module->path)) {
        find_kernel(self, m, module);
        return m;
    }
    for (size_t i = 0; i < self->finders_num && !m->path; i++) {
        if (!orma_finder_find(&self->finders[i], module, &found))
            continue;
        m->path = strdup(orma_buf_cstr(&found.path));
        /* Recorders of old took a load bias for 0; a smaller one cannot be. */
        if (found.has_bias && found.load_bias > module->load_bias)
            m->shift = found.load_bias - module->load_bias;
        orma_buf_fini(&found.path);
    }
    if (self->servers && !found.has_dwarf)
        ask_servers(self, m, &found);
    return m;
}

/* Opens it, in the place of the one that was not used for longest. */
static void open_module(struct orma_lookup *self, struct module *m)
{
    size_t oldest = 0;

    for (size_t i = 0; i < OPEN_MAX; i++) {
        if (!self->open[i] ||
            (self->open[oldest] && self->open[i]->used < self->open[oldest]->used))
            oldest = i;
    }
    if (self->open[oldest]) {
        orma_binary_free(self->open[oldest]->binary);
        self->open[oldest]->binary = NULL;
        self->open[oldest] = NULL;
    }
    if (orma_binary_open(m->path, &m->binary) < 0) {
        free(m->path); /* it was there a moment ago; not to be asked again */
        m->path = NULL;
        return;
    }
    self->open[oldest] = m;
}

size_t orma_lookup_frames(struct orma_lookup *self, const struct orma_symbolizer_module *module,
                          uint64_t pc, struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX])
{
    struct module *m = find_module(self, module);

    if (!m || !m->path)
        return 0;
    if (m->kernel) {
        const char *function = orma_lookup_kernel_function(m->kernel, pc);

        ret[0] = (struct orma_source_frame){.function = function, .file = ""};
        return function != NULL;
    }
    if (!m->binary)
        open_module(self, m);
    m->used = ++self->turn;
    return m->binary ? orma_binary_frames(m->binary, pc + m->shift, ret) : 0;
}

const char *orma_lookup_file(struct orma_lookup *self, const struct orma_symbolizer_module *module)
{
    struct module *m = find_module(self, module);

    return m ? m->path : NULL;
}
