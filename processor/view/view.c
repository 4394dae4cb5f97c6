/*
 * Packs a trace for the timeline: bounds, rows, items, blocks, then what the page must know at
 * once.
 */
#include "processor/view/view.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "processor/view/view_impl.h"

static void free_items(struct orma_view *self)
{
    ORMA_VIEW_ITEMS_FINI(&self->slices);
    for (unsigned i = 0; i < ORMA_VIEW_LEVELS; i++)
        ORMA_VIEW_ITEMS_FINI(&self->level.slices[i]);
    ORMA_VIEW_ITEMS_FINI(&self->states);
    ORMA_VIEW_ITEMS_FINI(&self->sched);
    ORMA_VIEW_ITEMS_FINI(&self->values);
    ORMA_VIEW_ITEMS_FINI(&self->logs);
    ORMA_VIEW_ITEMS_FINI(&self->samples);
    ORMA_VIEW_ITEMS_FINI(&self->flows);
    ORMA_VIEW_ITEMS_FINI(&self->gaps);
    ORMA_VEC_FINI(&self->arg_sets);
    orma_map_fini(&self->arg_ids);
    orma_map_fini(&self->row_of.machines);
    orma_map_fini(&self->row_of.processes);
    orma_map_fini(&self->row_of.threads);
    orma_map_fini(&self->row_of.cpus);
    orma_map_fini(&self->row_of.tracks);
    orma_map_fini(&self->row_of.children);
    for (unsigned kind = 0; kind < ORMA_ARRAY_LEN(self->reading.lasted); kind++) {
        orma_map_fini(&self->reading.lasted[kind]);
        orma_map_fini(&self->reading.torn[kind]);
    }
    for (unsigned kind = 0; kind < ORMA_ARRAY_LEN(self->reading.places); kind++) {
        free(self->reading.places[kind].begin);
        free(self->reading.places[kind].next);
        self->reading.places[kind] = (struct orma_view_places){0};
    }
    free(self->reading.lanes);
    self->reading.lanes = NULL;
    ORMA_VEC_FINI(&self->texts);
}

void orma_view_free(struct orma_view *self)
{
    if (!self)
        return;
    free_items(self);
    for (uint32_t i = 0; i < self->blocks.len; i++)
        orma_buf_fini(&self->blocks.data[i].packed);
    ORMA_VEC_FINI(&self->blocks);
    ORMA_VEC_FINI(&self->chunks);
    ORMA_VEC_FINI(&self->rows);
    orma_view_strings_fini(&self->strings);
    orma_buf_fini(&self->info);
    if (self->kept >= 0)
        (void)close(self->kept); /* only read */
    free(self);
}

static void find_bounds(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, "SELECT start_ts, end_ts FROM trace_bounds");

    while (orma_view_next(&q)) {
        self->from = orma_view_time(&q, 0);
        self->to = orma_view_time(&q, 1);
    }
    if (self->config.from_ns || self->config.to_ns) {
        self->from = orma_view_near(self->config.from_ns);
        self->to = orma_view_near(self->config.to_ns);
    }
    if (self->to < self->from)
        orma_view_fail(self, -EINVAL);
}

int orma_view_new(struct orma_processor *tp, const struct orma_view_config *config,
                  struct orma_view **ret)
{
    struct orma_view *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->tp = tp;
    self->config = *config;
    self->kept = -1;
    if (orma_view_open_kept(self)) {
        *ret = self;
        return 0;
    }
    orma_view_strings_init(&self->strings);
    find_bounds(self);
    if (!self->err) {
        orma_view_load_rows(self);
        orma_view_load_items(self, orma_view_show);
        orma_view_rank_rows(self);
        orma_view_pack(self);
        self->totals.rows = self->rows.len;
        self->partial = (struct orma_view_partial){0};
        orma_view_make_info(self);
    }
    free_items(self);
    int err = self->err;
    if (err) {
        orma_view_free(self);
        return err;
    }
    *ret = self;
    return 0;
}

struct orma_view_totals orma_view_totals(const struct orma_view *self)
{
    return self->totals;
}

struct orma_str orma_view_info(const struct orma_view *self)
{
    return orma_buf_str(&self->info);
}

size_t orma_view_blocks(const struct orma_view *self)
{
    return self->blocks.len;
}

struct orma_str orma_view_block(const struct orma_view *self, size_t n)
{
    struct orma_view_block *block = n && n <= self->blocks.len ? &self->blocks.data[n - 1] : NULL;

    return block && orma_view_read_block(self, block) ? orma_buf_str(&block->packed)
                                                      : (struct orma_str){0};
}
