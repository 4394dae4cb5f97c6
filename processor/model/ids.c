#include "processor/model/ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void orma_ids_fini(struct orma_ids *self)
{
    for (uint32_t i = 0; i < self->pages_num; i++)
        free(self->pages[i]);
    free(self->pages);
    orma_map_fini(&self->rest);
    *self = (struct orma_ids){0};
}

/* The page, made if it is new. NULL: memory is out. */
static uint32_t *page_of(struct orma_ids *self, uint32_t page)
{
    if (page >= self->pages_num) {
        uint32_t num = ORMA_MAX(page + 1, self->pages_num * 2);
        uint32_t **pages = realloc(self->pages, num * sizeof(*pages));

        if (!pages)
            return NULL;
        memset(pages + self->pages_num, 0, (num - self->pages_num) * sizeof(*pages));
        self->pages = pages;
        self->pages_num = num;
    }
    if (!self->pages[page]) {
        uint32_t *entries = malloc(ORMA_IDS_PAGE * sizeof(*entries));

        if (entries)
            memset(entries, 0xff, ORMA_IDS_PAGE * sizeof(*entries));
        self->pages[page] = entries;
    }
    return self->pages[page];
}

int orma_ids_put(struct orma_ids *self, uint32_t id, uint32_t val)
{
    if (id >= ORMA_IDS_DIRECT)
        return orma_map_put(&self->rest, id, val);
    uint32_t *page = page_of(self, id >> ORMA_IDS_PAGE_SHIFT);
    if (!page)
        return -ENOMEM;
    page[id & (ORMA_IDS_PAGE - 1)] = val;
    return 0;
}

void orma_ids_drop(struct orma_ids *self, uint32_t id)
{
    if (id >= ORMA_IDS_DIRECT)
        (void)orma_map_take(&self->rest, id);
    else if (orma_ids_get(self, id) != ORMA_IDS_NONE)
        self->pages[id >> ORMA_IDS_PAGE_SHIFT][id & (ORMA_IDS_PAGE - 1)] = ORMA_IDS_NONE;
}
