#include "traced/loop/reap.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/vec.h"

/* Of a slice: about a millisecond. */
#define STEP ((size_t)16 << 20)

/* From the end of the last one. */
static bool slice(struct traced_work *work)
{
    struct traced_reaper *self = ORMA_CONTAINER_OF(work, struct traced_reaper, work);

    if (!self->num)
        return false;
    struct traced_mapping *m = &self->mappings[self->num - 1];
    size_t step = ORMA_MIN(m->size, STEP);
    m->size -= step;
    (void)munmap((char *)m->base + m->size, step); /* our own mapping */
    if (!m->size)
        self->num--;
    return self->num > 0;
}

void traced_reaper_init(struct traced_reaper *self)
{
    *self = (struct traced_reaper){.work.slice = slice};
}

void traced_reaper_fini(struct traced_reaper *self)
{
    traced_work_cancel(&self->work);
    for (size_t i = 0; i < self->num; i++)
        (void)munmap(self->mappings[i].base, self->mappings[i].size); /* our own mappings */
    free(self->mappings);
    self->mappings = NULL;
    self->num = self->cap = 0;
}

void traced_reap(struct traced_reaper *self, struct traced_turns *turns, void *base, size_t size)
{
    if (!base)
        return;
    size = orma_align_up(size, (size_t)sysconf(_SC_PAGESIZE)); /* slices begin at whole pages */
    if (size <= STEP || ORMA_GROW(&self->mappings, &self->cap, self->num + 1)) {
        (void)munmap(base, size); /* our own mapping */
        return;
    }
    self->mappings[self->num++] = (struct traced_mapping){base, size};
    traced_turns_add(turns, &self->work);
}
