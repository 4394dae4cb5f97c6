#include "traced/sessions/machine.h"

#include <stdlib.h>
#include <string.h>

static void machine_free(struct traced_machine *m)
{
    orma_list_remove(&m->link);
    orma_buf_fini(&m->info);
    free(m);
}

/* True: one is gone, so that there is room. Relays choose their ids, and may choose another one
 * each time that they come. */
static bool make_room(struct orma_list *machines, bool (*is_here)(const void *ctx, uint32_t id),
                      const void *ctx)
{
    ORMA_LIST_EACH (struct traced_machine, m, machines, link) {
        if (is_here(ctx, m->id))
            continue;
        machine_free(m);
        return true;
    }
    return false;
}

struct traced_machine *traced_machine_get(struct orma_list *machines, uint32_t id,
                                          bool (*is_here)(const void *ctx, uint32_t id),
                                          const void *ctx)
{
    size_t num = 0;

    if (!id)
        return NULL; /* it has not said who it is */
    ORMA_LIST_EACH (struct traced_machine, m, machines, link) {
        if (m->id == id)
            return m;
        num++;
    }
    if (num >= TRACED_MACHINES_MAX && !make_room(machines, is_here, ctx))
        return NULL;
    struct traced_machine *m = calloc(1, sizeof(*m));
    if (!m)
        return NULL;
    m->id = id;
    orma_list_insert(machines, &m->link);
    return m;
}

void traced_machine_add_exchange(struct traced_machine *self, const struct traced_exchange *now)
{
    if (self->exchanges_num == TRACED_EXCHANGES_MAX)
        memmove(&self->exchanges[0], &self->exchanges[1],
                sizeof(self->exchanges[0]) * --self->exchanges_num);
    self->exchanges[self->exchanges_num++] = *now;
}

void traced_machines_free(struct orma_list *machines)
{
    ORMA_LIST_EACH (struct traced_machine, m, machines, link)
        machine_free(m);
}
