/*
 * Who is above whom: a layer stands among the children of its parent, or of the layer it is placed
 * relative to, by z. Those below zero are under the layer itself, the others over it. So a walk of
 * the tree gives the order; layers that are their own ancestors are in no tree, and have no depth.
 *
 * Who is seen: not who is hidden, or has a hidden parent, nothing to show, no color, no area, or
 * lies under an opaque layer. Each reason is kept.
 */
#include <stdlib.h>

#include "processor/import/winscope/layers.h"

enum { COLOR_A = 4 };
enum { BUFFER_WIDTH = 1, BUFFER_HEIGHT, BUFFER_STRIDE, BUFFER_FORMAT };
enum { FLAG_HIDDEN = 1 };
enum { REGION_RECT = 2 };
#define OFFSCREEN_ROOT 2147483645

/* Pairs of layers are compared only in scenes of so many at most. */
#define COMPARED_MAX 1024

static bool has_effects(const struct orma_winscope_layer *l, const struct orma_pb_field *f,
                        const struct orma_pb_field *color)
{
    bool colored = false;

    for (unsigned i = 1; i < COLOR_A; i++) /* below zero: there is none */
        colored |= color[i].id && orma_pb_float(&color[i]) >= 0;
    return (colored && l->alpha > 0) || orma_pb_float(&f[LAYER_SHADOW]) > 0 ||
           orma_pb_i32(&f[LAYER_BLUR]) > 0;
}

static bool has_buffer(struct orma_str bytes)
{
    struct orma_pb_field f[BUFFER_FORMAT + 1];

    orma_msg_read(bytes, f, BUFFER_FORMAT + 1);
    return orma_pb_u32(&f[BUFFER_WIDTH]) || orma_pb_u32(&f[BUFFER_HEIGHT]) ||
           orma_pb_u32(&f[BUFFER_STRIDE]);
}

static bool has_region(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_winscope_rect rect;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == REGION_RECT && orma_winscope_read_rect(orma_pb_str(&f), &rect))
            return true;
    return false;
}

/* What decides who sees it. */
static void read_looks(struct orma_winscope_layer *l, const struct orma_pb_field *f)
{
    struct orma_winscope_rect bounds;
    struct orma_pb_field color[COLOR_A + 1];

    orma_msg_read(orma_pb_str(&f[LAYER_COLOR]), color, COLOR_A + 1);
    l->alpha = orma_pb_float(&color[COLOR_A]);
    l->corner_radius = orma_pb_float(&f[LAYER_CORNER_RADIUS]);
    l->opaque = orma_pb_bool(&f[LAYER_IS_OPAQUE]) && l->alpha >= 1;
    l->has_buffer = has_buffer(orma_pb_str(&f[LAYER_BUFFER]));
    l->has_effects = has_effects(l, f, color);
    l->has_bounds = orma_winscope_read_float_rect(orma_pb_str(&f[LAYER_BOUNDS]), &bounds);
    l->region_told = f[LAYER_VISIBLE_REGION].id;
    l->has_region = has_region(orma_pb_str(&f[LAYER_VISIBLE_REGION]));
    (void)orma_winscope_read_float_rect(orma_pb_str(&f[LAYER_SCREEN_BOUNDS]), &l->screen);
}

void orma_winscope_scene_add(struct orma_winscope_scene *self, struct orma_str bytes)
{
    struct orma_winscope_layer *l = ORMA_VEC_ADD(&self->layers);
    struct orma_pb_field f[LAYER_FIELDS];

    if (!l) {
        self->imp->model->storage->failed = true;
        return;
    }
    memset(l, 0, sizeof(*l));
    l->bytes = bytes;
    if (!orma_msg_read(bytes, f, LAYER_FIELDS))
        orma_stats_inc(orma_model_stats(self->imp->model, self->item->machine),
                       ORMA_STAT_WINSCOPE_SF_LAYERS_PARSE_ERRORS);
    l->id = orma_pb_i32(&f[LAYER_ID]);
    l->z = orma_pb_i32(&f[LAYER_Z]);
    l->stack = orma_pb_u32(&f[LAYER_STACK]);
    l->parent = ORMA_MAX(orma_pb_i32(&f[LAYER_PARENT]), 0);
    l->relative_of = ORMA_MAX(orma_pb_i32(&f[LAYER_RELATIVE_OF]), 0);
    l->hidden = orma_pb_u32(&f[LAYER_FLAGS]) & FLAG_HIDDEN || l->id == OFFSCREEN_ROOT;
    read_looks(l, f);
    if (orma_map_put(&self->by_id, (uint32_t)l->id, self->layers.len - 1))
        self->imp->model->storage->failed = true;
}

/* The layer of that id; NULL: there is none. */
static struct orma_winscope_layer *find(const struct orma_winscope_scene *self, int32_t id)
{
    uint64_t idx = orma_map_get(&self->by_id, (uint32_t)id);

    return idx == ORMA_MAP_NONE ? NULL : &self->layers.data[idx];
}

/* ---- depths ---- */

/* What it stands by; NULL: nothing. */
static struct orma_winscope_layer *above_of(struct orma_winscope_scene *self,
                                            struct orma_winscope_layer *l)
{
    struct orma_winscope_layer *relative = l->relative_of ? find(self, l->relative_of) : NULL;

    l->lost = l->relative_of && !relative;
    if (relative)
        return relative;
    return l->parent ? find(self, l->parent) : NULL;
}

static int by_height(const void *a, const void *b)
{
    const struct orma_winscope_layer *const *x = a, *const *y = b;

    if ((*x)->z != (*y)->z)
        return (*x)->z < (*y)->z ? -1 : 1;
    return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* Lists of those that stand by each layer, the lowest first. Returns the first of the roots. */
static uint32_t link_layers(struct orma_winscope_scene *self, struct orma_winscope_layer **sorted)
{
    struct orma_winscope_layer *base = self->layers.data;
    uint32_t roots = 0;

    for (uint32_t i = 0; i < self->layers.len; i++)
        sorted[i] = &base[i];
    qsort(sorted, self->layers.len, sizeof(*sorted), by_height);
    for (uint32_t i = self->layers.len; i-- > 0;) {
        struct orma_winscope_layer *l = sorted[i], *up = above_of(self, l);
        uint32_t *first = up ? &up->first : &roots;

        l->up = up ? (uint32_t)(up - base) + 1 : 0;
        l->next = *first;
        *first = (uint32_t)(l - base) + 1;
    }
    return roots;
}

/*
 * From the bottom to the top. What stands by a layer below zero comes before it: the walk goes down
 * as far as there is such a one, and comes back through `up`.
 */
static void number_layers(struct orma_winscope_scene *self, uint32_t roots)
{
    struct orma_winscope_layer *base = self->layers.data;
    uint32_t depth = 0, at = roots;

    while (at) {
        struct orma_winscope_layer *l = &base[at - 1];

        if (l->first && (base[l->first - 1].z < 0 || l->depth)) {
            at = l->first; /* taken from the list: each is visited once */
            l->first = base[at - 1].next;
            continue;
        }
        if (!l->depth) {
            l->depth = ++depth;
            continue;
        }
        at = l->up ? l->up : l->next;
    }
}

/* ---- who is seen ---- */

static void reason(struct orma_winscope_scene *self, struct orma_winscope_layer *l,
                   const char *text)
{
    if (l->reasons_num < ORMA_WINSCOPE_REASONS_MAX)
        l->reasons[l->reasons_num++] = orma_model_lit(self->imp->model, text);
}

/* The nearest layer above it by parents that is hidden; NULL: none is. Parents may form rings. */
static const struct orma_winscope_layer *hidden_parent(const struct orma_winscope_scene *self,
                                                       const struct orma_winscope_layer *l)
{
    for (unsigned i = 0; l && i < ORMA_WINSCOPE_DEPTH_MAX; i++) {
        l = l->parent ? find(self, l->parent) : NULL;
        if (l && l->hidden)
            return l;
    }
    return NULL;
}

static void see(struct orma_winscope_scene *self, struct orma_winscope_layer *l)
{
    const struct orma_winscope_layer *above = hidden_parent(self, l);

    if (l->hidden)
        reason(self, l, "flag is hidden");
    if (above)
        l->reasons[l->reasons_num++] = orma_strpool_addf(&self->imp->model->storage->pool,
                                                         "hidden by parent %d", (int)above->id);
    if (!l->has_buffer)
        reason(self, l, "buffer is empty");
    if (!(l->alpha > 0))
        reason(self, l, "alpha is 0");
    if (!l->has_bounds)
        reason(self, l, "bounds is 0x0");
    if (!l->has_buffer && !l->has_effects)
        reason(self, l, "does not have color fill, shadow or blur");
    if (l->lost)
        reason(self, l, "relative layer has been removed");
    if (!self->partial && !l->region_told)
        reason(self, l, "null visible region");
    else if (!self->partial && !l->has_region)
        reason(self, l, "visible region calculated by Composition Engine is empty");
    /* An empty buffer alone hides nothing that has a color, a shadow or a blur. */
    l->visible = !l->reasons_num || (l->reasons_num == 1 && !l->has_buffer && l->has_effects);
    if (l->visible)
        l->reasons_num = 0;
}

/* ---- who covers whom ---- */

static bool overlap(const struct orma_winscope_rect *a, const struct orma_winscope_rect *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool contains(const struct orma_winscope_rect *a, const struct orma_winscope_rect *b)
{
    return a->x <= b->x && a->y <= b->y && a->x + a->w >= b->x + b->w && a->y + a->h >= b->y + b->h;
}

static void note(struct orma_winscope_scene *self, struct orma_winscope_ids *list, int32_t id)
{
    if (ORMA_VEC_PUSH(list, (uint32_t)id))
        self->imp->model->storage->failed = true;
}

static void compare(struct orma_winscope_scene *self, struct orma_winscope_layer *l,
                    const struct orma_winscope_layer *above)
{
    const struct orma_winscope_rect *own = &l->screen, *other = &above->screen;

    if (l->stack != above->stack || !overlap(own, other))
        return;
    if (!above->opaque)
        note(self, &l->covered, above->id);
    else if (above->corner_radius <= l->corner_radius && contains(other, own))
        note(self, &l->occluded, above->id);
    else
        note(self, &l->partly, above->id);
}

static int by_depth(const void *a, const void *b)
{
    const struct orma_winscope_layer *const *x = a, *const *y = b;

    return (*x)->depth > (*y)->depth ? -1 : (*x)->depth < (*y)->depth;
}

/* From the top to the bottom: only who is seen covers others. */
static void compare_all(struct orma_winscope_scene *self, struct orma_winscope_layer **sorted)
{
    uint32_t num = self->layers.len, seen = 0;

    qsort(sorted, num, sizeof(*sorted), by_depth);
    for (uint32_t i = 0; i < num; i++) {
        struct orma_winscope_layer *l = sorted[i];

        if (!l->visible)
            continue;
        for (uint32_t k = 0; k < seen; k++)
            compare(self, l, sorted[k]);
        if (l->occluded.len) {
            l->visible = false;
            reason(self, l, "occluded");
        } else {
            sorted[seen++] = l; /* never beyond i */
        }
    }
}

void orma_winscope_scene_settle(struct orma_winscope_scene *self)
{
    struct orma_winscope_layer **sorted =
        calloc(ORMA_MAX(self->layers.len, 1u), sizeof(struct orma_winscope_layer *));

    if (!sorted) {
        self->imp->model->storage->failed = true;
        return;
    }
    number_layers(self, link_layers(self, sorted));
    for (uint32_t i = 0; i < self->layers.len; i++)
        see(self, &self->layers.data[i]);
    if (self->layers.len <= COMPARED_MAX)
        compare_all(self, sorted);
    free(sorted);
}

void orma_winscope_scene_fini(struct orma_winscope_scene *self)
{
    for (uint32_t i = 0; i < self->layers.len; i++) {
        ORMA_VEC_FINI(&self->layers.data[i].occluded);
        ORMA_VEC_FINI(&self->layers.data[i].partly);
        ORMA_VEC_FINI(&self->layers.data[i].covered);
    }
    ORMA_VEC_FINI(&self->layers);
    orma_map_fini(&self->by_id);
}
