#include "processor/symbols/symbolizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/symbols/debuginfod.h"
#include "processor/symbols/worker.h"
#include "sdk/base/map.h"

/* After so many workers no more are sent: whoever broke these breaks the next ones. */
#define LOST_MAX 32

struct orma_symbolizer {
    struct orma_lookup *lookup; /* of the worker; here it only knows the paths, and never changes */
    bool lookup_shared;         /* it is another one's */
    struct orma_worker worker;
    struct orma_map broken; /* names of modules that ended two workers, by key */
    struct orma_buf answer;
    unsigned lost;
};

int orma_symbolizer_new(const char *paths, enum orma_symbolizer_mode mode,
                        struct orma_symbolizer **ret)
{
    if (!orma_binary_supported())
        return -ENOTSUP;
    struct orma_symbolizer *self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->worker.fd = -1;
    self->lookup = orma_lookup_new();
    if (!self->lookup || orma_lookup_add(self->lookup, paths, mode) < 0) {
        orma_symbolizer_free(self);
        return -ENOMEM;
    }
    *ret = self;
    return 0;
}

int orma_symbolizer_add(struct orma_symbolizer *self, const char *paths,
                        enum orma_symbolizer_mode mode)
{
    return orma_lookup_add(self->lookup, paths, mode);
}

int orma_symbolizer_set_servers(struct orma_symbolizer *self, const char *urls)
{
    return orma_debuginfod_supported() ? orma_lookup_set_servers(self->lookup, urls) : -ENOTSUP;
}

void orma_symbolizer_start(struct orma_symbolizer *self)
{
    if (!self->worker.pid)
        (void)orma_worker_start(&self->worker, self->lookup); /* or else with the first question */
}

int orma_symbolizer_share(const struct orma_symbolizer *self, struct orma_symbolizer **ret)
{
    struct orma_symbolizer *other = calloc(1, sizeof(*other));

    if (!other)
        return -ENOMEM;
    *other = (struct orma_symbolizer){
        .lookup = self->lookup, .lookup_shared = true, .worker = {.fd = -1}};
    *ret = other;
    return 0;
}

void orma_symbolizer_free(struct orma_symbolizer *self)
{
    if (!self)
        return;
    orma_worker_stop(&self->worker);
    if (!self->lookup_shared)
        orma_lookup_free(self->lookup);
    ORMA_MAP_EACH (slot, &self->broken) {
        orma_lookup_module_name_fini((struct orma_lookup_module_name *)(uintptr_t)slot->val);
        free((void *)(uintptr_t)slot->val);
    }
    orma_map_fini(&self->broken);
    orma_buf_fini(&self->answer);
    free(self);
}

bool orma_symbolizer_mode_of(const char *name, enum orma_symbolizer_mode *ret)
{
    if (name && !strcmp(name, "index"))
        *ret = ORMA_SYMBOLIZER_INDEX;
    else if (!name || !*name || !strcmp(name, "find"))
        *ret = ORMA_SYMBOLIZER_FIND;
    else
        return false;
    return true;
}

/* Whether it ended two workers; else *ret_key is where that would be noted. */
static bool is_broken(const struct orma_symbolizer *self,
                      const struct orma_symbolizer_module *module, uint64_t *ret_key)
{
    const struct orma_lookup_module_name *name;

    for (*ret_key = orma_lookup_module_key(module);
         (name = orma_map_get_ptr(&self->broken, *ret_key)); ++*ret_key)
        if (orma_lookup_module_is(name, module))
            return true;
    return false;
}

/* When memory is out it is asked again. */
static void note_broken(struct orma_symbolizer *self, const struct orma_symbolizer_module *module,
                        uint64_t key)
{
    struct orma_lookup_module_name *name = calloc(1, sizeof(*name));

    if (name && orma_lookup_module_name_init(name, module) &&
        orma_map_put_ptr(&self->broken, key, name) == 0)
        return;
    if (name)
        orma_lookup_module_name_fini(name);
    free(name);
}

/* How many entries the answer has. A worker that ends is asked once more, as a new one. */
static uint32_t ask(struct orma_symbolizer *self, enum orma_worker_question what,
                    const struct orma_symbolizer_module *module, uint64_t pc)
{
    uint64_t key;
    uint32_t num = 0;

    if (is_broken(self, module, &key))
        return 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!self->worker.pid &&
            (self->lost >= LOST_MAX || orma_worker_start(&self->worker, self->lookup) < 0))
            return 0;
        if (orma_worker_ask(&self->worker, what, module, pc, &self->answer, &num) == 0)
            return num;
        orma_worker_stop(&self->worker);
        self->lost++;
    }
    note_broken(self, module, key);
    return 0;
}

bool orma_symbolizer_may_find(const struct orma_symbolizer *self,
                              const struct orma_symbolizer_module *module)
{
    return orma_lookup_may_find(self->lookup, module);
}

size_t orma_symbolizer_frames(struct orma_symbolizer *self,
                              const struct orma_symbolizer_module *module, uint64_t pc,
                              struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX])
{
    uint32_t num = ask(self, ORMA_WORKER_FRAMES, module, pc);
    const char *at = (const char *)self->answer.data;

    for (uint32_t i = 0; i < num; i++) { /* its form has been checked */
        memcpy(&ret[i].line, at, sizeof(ret[i].line));
        ret[i].function = at + sizeof(ret[i].line);
        ret[i].file = ret[i].function + strlen(ret[i].function) + 1;
        at = ret[i].file + strlen(ret[i].file) + 1;
    }
    return num;
}

const char *orma_symbolizer_file(struct orma_symbolizer *self,
                                 const struct orma_symbolizer_module *module)
{
    return ask(self, ORMA_WORKER_FILE, module, 0) ? (const char *)self->answer.data : NULL;
}

unsigned orma_symbolizer_broken(const struct orma_symbolizer *self)
{
    return (unsigned)self->broken.len;
}

pid_t orma_symbolizer_worker(const struct orma_symbolizer *self)
{
    return self->worker.pid;
}
