/*
 * Graphics buffers on their way from programs to displays.
 *
 * Each event is an instant on the track of its buffer. Between events a frame is with the program
 * (APP), with the graphics card (GPU), with the compositor (SF), and at last on the display: each
 * of these phases has tracks of its own, with slices named by the frame's number.
 */
#include "processor/import/android/android.h"

#include "protos/fields/trace.h"
#include "sdk/base/hash.h"

/* GraphicsFrameEvent */
enum { BUFFER_EVENT = 1 };
/* GraphicsFrameEvent.BufferEvent */
enum { FRAME_NUMBER = 1, TYPE, LAYER_NAME, DURATION_NS, BUFFER_ID };
enum {
    DEQUEUE = 1,
    QUEUE,
    ACQUIRE_FENCE = 4,
    LATCH,
    PRESENT_FENCE = 8,
};

static const char *const type_names[] = {
    "unspecified_event",
    "Dequeue",
    "Queue",
    "Post",
    "AcquireFenceSignaled",
    "Latch",
    "HWCCompositionQueued",
    "FallbackComposition",
    "PresentFenceSignaled",
    "ReleaseFenceSignaled",
    "Modify",
    "Detach",
    "Attach",
    "Cancel",
};

struct buffer_event {
    uint32_t frame, type, buffer;
    uint64_t duration;
    struct orma_str layer;
    uint64_t key; /* hash of machine, buffer and layer: layers share buffers */
    uint64_t layer_key;
};

/* All by key of a buffer, but `shown`: by that of a layer. */
struct orma_android_graphics {
    struct orma_map with_app, with_gpu, with_sf, shown; /* → track of the open slice */
    struct orma_map acquired;                           /* → frame */
    struct orma_map queue_ts, acquire_ts, latch_ts;
};

static struct orma_android_graphics *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->graphics,
                           sizeof(struct orma_android_graphics));
}

static void put(struct orma_import_ctx *imp, struct orma_map *map, uint64_t key, uint64_t val)
{
    if (orma_map_put(map, key, val))
        imp->model->storage->failed = true;
}

static bool read_event(const struct orma_item *item, struct orma_str bytes,
                       struct buffer_event *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool has_buffer = false;

    *ret = (struct buffer_event){.layer = ORMA_STR("no_layer_name")};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case FRAME_NUMBER:
            ret->frame = orma_pb_u32(&f);
            break;
        case TYPE:
            ret->type = orma_pb_u32(&f);
            break;
        case LAYER_NAME:
            ret->layer = orma_pb_str(&f);
            break;
        case DURATION_NS:
            ret->duration = orma_pb_u64(&f);
            break;
        case BUFFER_ID:
            ret->buffer = orma_pb_u32(&f);
            has_buffer = true;
            break;
        }
    }
    ret->layer_key = orma_mix64(orma_hash_bytes(ret->layer.data, ret->layer.len) ^ item->machine);
    ret->key = orma_mix64(ret->layer_key ^ ret->buffer);
    return has_buffer;
}

static uint32_t track(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t name)
{
    const struct orma_track_dim dim = orma_dim_str(orma_model_lit(imp->model, "name"), name);

    return orma_model_slice_track(imp->model, item->machine, "graphics_frame_event", name, 1, &dim);
}

static uint32_t number_text(struct orma_import_ctx *imp, uint32_t num)
{
    return orma_strpool_addf(&imp->model->storage->pool, "%u", num);
}

static void put_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct buffer_event *b)
{
    orma_args_put_int(args, orma_model_lit(imp->model, "frame_number"), b->frame);
    orma_args_put_str(args, orma_model_lit(imp->model, "layer_name"),
                      orma_model_str(imp->model, b->layer));
}

/* ---- instants ---- */

static int64_t between(const struct orma_map *from, uint64_t key, int64_t to)
{
    uint64_t ts = orma_map_get(from, key);

    return ts == ORMA_MAP_NONE ? 0 : ORMA_MAX(to - (int64_t)ts, 0);
}

/* The time that the presented frame took from step to step. */
static void put_times(struct orma_import_ctx *imp, struct orma_args_list *args,
                      const struct orma_item *item, const struct orma_android_graphics *st,
                      const struct buffer_event *b)
{
    uint64_t acquire = orma_map_get(&st->acquire_ts, b->key);
    uint64_t latch = orma_map_get(&st->latch_ts, b->key);

    orma_args_put_int(args, orma_model_lit(imp->model, "queue_to_acquire_time"),
                      acquire == ORMA_MAP_NONE ? 0
                                               : between(&st->queue_ts, b->key, (int64_t)acquire));
    orma_args_put_int(args, orma_model_lit(imp->model, "acquire_to_latch_time"),
                      latch == ORMA_MAP_NONE ? 0
                                             : between(&st->acquire_ts, b->key, (int64_t)latch));
    orma_args_put_int(args, orma_model_lit(imp->model, "latch_to_present_time"),
                      between(&st->latch_ts, b->key, item->ts));
}

static void buffer_instant(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_android_graphics *st, const struct buffer_event *b)
{
    ORMA_MODEL_ARGS(args, imp->model);
    uint32_t on = track(imp, item,
                        orma_strpool_addf(&imp->model->storage->pool, "Buffer: %u %.*s", b->buffer,
                                          ORMA_STR_ARG(b->layer)));

    put_args(imp, args, b);
    if (b->type == QUEUE)
        put(imp, &st->queue_ts, b->key, (uint64_t)item->ts);
    else if (b->type == ACQUIRE_FENCE)
        put(imp, &st->acquire_ts, b->key, (uint64_t)item->ts);
    else if (b->type == LATCH)
        put(imp, &st->latch_ts, b->key, (uint64_t)item->ts);
    else if (b->type == PRESENT_FENCE)
        put_times(imp, args, item, st, b);
    orma_slices_complete(
        &imp->model->slices, item->ts, (int64_t)ORMA_MIN(b->duration, INT64_MAX), on, 0,
        b->type < ORMA_ARRAY_LEN(type_names) ? orma_model_lit(imp->model, type_names[b->type])
                                             : orma_model_lit(imp->model, "unknown_event"),
        args);
}

/* ---- phases ---- */

static void begin_phase(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_map *open, uint64_t key, const struct buffer_event *b,
                        uint32_t track_name)
{
    ORMA_MODEL_ARGS(args, imp->model);
    uint32_t on = track(imp, item, track_name);

    put_args(imp, args, b);
    orma_slices_begin(&imp->model->slices, item->ts, on, 0, number_text(imp, b->frame), args);
    put(imp, open, key, on);
}

static uint32_t phase_name(struct orma_import_ctx *imp, const char *phase,
                           const struct buffer_event *b)
{
    return orma_strpool_addf(&imp->model->storage->pool, "%s_%u %.*s", phase, b->buffer,
                             ORMA_STR_ARG(b->layer));
}

static uint32_t end_phase(struct orma_import_ctx *imp, struct orma_args_list *args,
                          const struct orma_item *item, struct orma_map *open, uint64_t key)
{
    uint64_t on = orma_map_take(open, key);

    return on == ORMA_MAP_NONE
               ? ORMA_SLICE_NONE
               : orma_slices_end(&imp->model->slices, item->ts, (uint32_t)on, 0, 0, args);
}

/* The program had the buffer longer than this shows: the event that gave it back is missing. */
static void end_app_late(struct orma_import_ctx *imp, const struct orma_item *item,
                         struct orma_android_graphics *st, const struct buffer_event *b)
{
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "frame_number"), 0);
    uint32_t row = end_phase(imp, args, item, &st->with_app, b->key);
    if (row != ORMA_SLICE_NONE)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_SLICE), ORMA_SLICE_NAME, row,
                       orma_model_lit(imp->model,
                                      "Missing queue event. The slice is now a bit extended "
                                      "than it might actually have been"));
}

/* Only now it is known which frame the program worked on. */
static void end_app(struct orma_import_ctx *imp, const struct orma_item *item,
                    struct orma_android_graphics *st, const struct buffer_event *b)
{
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "frame_number"), b->frame);
    uint32_t row = end_phase(imp, args, item, &st->with_app, b->key);
    if (row != ORMA_SLICE_NONE)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_SLICE), ORMA_SLICE_NAME, row,
                       number_text(imp, b->frame));
}

static void phase(struct orma_import_ctx *imp, const struct orma_item *item,
                  struct orma_android_graphics *st, const struct buffer_event *b)
{
    ORMA_MODEL_ARGS(args, imp->model);
    switch (b->type) {
    case DEQUEUE:
        end_app_late(imp, item, st, b);
        begin_phase(imp, item, &st->with_app, b->key, b, phase_name(imp, "APP", b));
        break;
    case QUEUE:
        end_app(imp, item, st, b);
        if (orma_map_get(&st->acquired, b->key) != b->frame)
            begin_phase(imp, item, &st->with_gpu, b->key, b, phase_name(imp, "GPU", b));
        break;
    case ACQUIRE_FENCE:
        end_phase(imp, args, item, &st->with_gpu, b->key);
        put(imp, &st->acquired, b->key, b->frame);
        break;
    case LATCH:
        end_app_late(imp, item, st, b);
        begin_phase(imp, item, &st->with_sf, b->key, b, phase_name(imp, "SF", b));
        break;
    case PRESENT_FENCE:
        end_phase(imp, args, item, &st->with_sf, b->key);
        end_phase(imp, args, item, &st->shown, b->layer_key);
        begin_phase(
            imp, item, &st->shown, b->layer_key, b,
            orma_strpool_addf(&imp->model->storage->pool, "Display_%.*s", ORMA_STR_ARG(b->layer)));
        break;
    }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_android_graphics *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct buffer_event b;

    while (st && orma_pb_next(&r, &f)) {
        if (f.id != BUFFER_EVENT)
            continue;
        if (!read_event(item, orma_pb_str(&f), &b)) {
            orma_stats_inc(orma_model_stats(imp->model, item->machine),
                           ORMA_STAT_GRAPHICS_FRAME_EVENT_PARSER_ERRORS);
            continue;
        }
        buffer_instant(imp, item, st, &b);
        phase(imp, item, st, &b);
    }
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_graphics *st = orma_android(imp)->graphics;

    if (!st)
        return;
    orma_map_fini(&st->with_app);
    orma_map_fini(&st->with_gpu);
    orma_map_fini(&st->with_sf);
    orma_map_fini(&st->shown);
    orma_map_fini(&st->acquired);
    orma_map_fini(&st->queue_ts);
    orma_map_fini(&st->acquire_ts);
    orma_map_fini(&st->latch_ts);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_GRAPHICS_FRAME_EVENT, 0};
const struct orma_importer orma_android_graphics_importer = {
    .name = "graphics", .fields = fields, .parse = parse, .fini = fini};
