/* The layers of one snapshot of SurfaceFlinger: who is above whom, and who is seen. */
#ifndef ORMA_PROCESSOR_IMPORT_WINSCOPE_LAYERS_H
#define ORMA_PROCESSOR_IMPORT_WINSCOPE_LAYERS_H
#include "processor/import/winscope/winscope.h"

/* Fields of LayerProto that matter. */
enum {
    LAYER_ID = 1,
    LAYER_NAME = 2,
    LAYER_TYPE = 5,
    LAYER_VISIBLE_REGION = 7,
    LAYER_STACK = 9,
    LAYER_Z = 10,
    LAYER_POSITION = 11,
    LAYER_IS_OPAQUE = 16,
    LAYER_COLOR = 20,
    LAYER_FLAGS = 22,
    LAYER_TRANSFORM = 23,
    LAYER_PARENT = 25,
    LAYER_RELATIVE_OF = 26,
    LAYER_BUFFER = 27,
    LAYER_HWC_TYPE = 35,
    LAYER_CORNER_RADIUS = 41,
    LAYER_BOUNDS = 45,
    LAYER_SCREEN_BOUNDS = 46,
    LAYER_INPUT = 47,
    LAYER_SHADOW = 49,
    LAYER_BLUR = 52,
    LAYER_CORNER_RADII = 61,
    LAYER_BORDER = 66,
    LAYER_EFFECTIVE_RADII = 67,
    LAYER_FIELDS
};

#define ORMA_WINSCOPE_REASONS_MAX 12

ORMA_VEC_STRUCT(orma_winscope_ids, uint32_t);

/* What matters of a layer; its other fields are read again when it becomes a row. */
struct orma_winscope_layer {
    struct orma_str bytes;
    int32_t id, z, parent, relative_of; /* the latter two: 0: none */
    uint32_t stack;
    float alpha, corner_radius;
    struct orma_winscope_rect screen; /* no area: it is on no screen */
    bool opaque, has_buffer, has_effects, has_bounds, has_region, region_told;
    uint32_t up;    /* index + 1 of what it is placed above or below; 0: nothing */
    uint32_t next;  /* index + 1 of the next one placed by the same */
    uint32_t first; /* index + 1 of those placed by this one, the lowest first */
    uint32_t depth; /* 1: the lowest; 0: in no tree */
    bool hidden, lost, visible;
    uint32_t reasons[ORMA_WINSCOPE_REASONS_MAX], reasons_num; /* pool ids: why it is not seen */
    struct orma_winscope_ids occluded, partly, covered;       /* ids of layers above it */
};

struct orma_winscope_scene {
    struct orma_import_ctx *imp;
    const struct orma_item *item;
    bool partial; /* what the compositor found is not told */
    ORMA_VEC(struct orma_winscope_layer) layers;
    struct orma_map by_id; /* → index; the last one of an id */
};

void orma_winscope_scene_add(struct orma_winscope_scene *self, struct orma_str bytes);

/* All layers are there: depths, and who is seen. */
void orma_winscope_scene_settle(struct orma_winscope_scene *self);
void orma_winscope_scene_fini(struct orma_winscope_scene *self);
#endif
