/*
 * The video of a screen: what its encoder made, a row for each piece. The pieces themselves are
 * kept, so that the video can be played from the trace.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/store/blobs.h"
#include "protos/fields/trace.h"

enum {
    FRAME_DISPLAY = 1,
    FRAME_NUMBER,
    FRAME_CODEC,
    FRAME_CONFIG,
    FRAME_DATA,
    FRAME_IS_KEY,
    FRAME_PTS,
    FRAME_DISPLAY_NAME,
    FRAME_CODEC_NAME,
    FRAME_FIELDS
};
enum { ERROR_REASON = 2 };

/* What is kept of videos in all; frames beyond that are counted, not shown. */
#define KEPT_MAX ((size_t)1 << 30)

struct orma_android_video {
    struct orma_map names, codecs; /* machine and display → pool id: what was said last */
};

static struct orma_android_video *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->video,
                           sizeof(struct orma_android_video));
}

/* What the packet says of a display, or what was said of it before; 0: nothing. */
static uint32_t last_text(struct orma_import_ctx *imp, struct orma_map *map, uint64_t display,
                          const struct orma_pb_field *f)
{
    uint32_t text = orma_msg_text(imp, f);

    if (text && orma_map_put(map, display, text))
        imp->model->storage->failed = true;
    uint64_t have = orma_map_get(map, display);
    return have == ORMA_MAP_NONE ? 0 : (uint32_t)have;
}

static uint32_t add_row(struct orma_import_ctx *imp, const struct orma_item *item,
                        const struct orma_pb_field *f, const struct orma_pb_field *bytes)
{
    static const struct orma_msg_column columns[] = {
        {FRAME_DISPLAY, ORMA_VIDEO_FRAMES_DISPLAY_ID, ORMA_MSG_I32, true},
        {FRAME_NUMBER, ORMA_VIDEO_FRAMES_FRAME_NUMBER, ORMA_MSG_INT, true},
        {FRAME_CODEC, ORMA_VIDEO_FRAMES_CODEC, ORMA_MSG_I32, true},
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_VIDEO_FRAMES);
    uint64_t display = (uint64_t)item->machine << 32 | orma_pb_u32(&f[FRAME_DISPLAY]);
    struct orma_android_video *st = state_of(imp);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_VIDEO_FRAMES_TS, row, item->ts);
    orma_msg_set_columns(imp, t, row, columns, ORMA_ARRAY_LEN(columns), f);
    if (!st)
        return row;
    orma_table_set(t, ORMA_VIDEO_FRAMES_DISPLAY_NAME, row,
                   last_text(imp, &st->names, display, &f[FRAME_DISPLAY_NAME]));
    orma_table_set(t, ORMA_VIDEO_FRAMES_CODEC_STRING, row,
                   last_text(imp, &st->codecs, display, &f[FRAME_CODEC_NAME]));
    /* The number of the bytes is that of the row. */
    if (orma_blobs_add(&imp->model->storage->video, bytes->data, bytes->len, 0) == UINT32_MAX)
        imp->model->storage->failed = true;
    return row;
}

/* Room for the bytes of the packet: whoever records for hours does not fill the memory. */
static bool is_kept(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (imp->model->storage->video.bytes.len + item->len <= KEPT_MAX)
        return true;
    orma_stats_inc(orma_model_stats(imp->model, item->machine),
                   ORMA_STAT_ANDROID_VIDEO_PARSE_SIZE_CAP_HIT);
    return false;
}

static void frame(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_VIDEO_FRAMES);
    struct orma_pb_field f[FRAME_FIELDS];

    orma_msg_read(orma_msg_item(item), f, FRAME_FIELDS);
    if (f[FRAME_CONFIG].len)
        orma_table_set(t, ORMA_VIDEO_FRAMES_IS_CONFIG, add_row(imp, item, f, &f[FRAME_CONFIG]), 1);
    if (!f[FRAME_DATA].len)
        return;
    uint32_t row = add_row(imp, item, f, &f[FRAME_DATA]);
    orma_table_set(t, ORMA_VIDEO_FRAMES_IS_KEY_FRAME, row, orma_pb_bool(&f[FRAME_IS_KEY]));
    if (f[FRAME_PTS].id)
        orma_table_set(t, ORMA_VIDEO_FRAMES_PTS_US, row, orma_pb_i64(&f[FRAME_PTS]));
}

static void error(struct orma_import_ctx *imp, const struct orma_item *item)
{
    static const uint16_t stats[] = {
        0,
        ORMA_STAT_ANDROID_VIDEO_SIZE_CAP_HIT,
        ORMA_STAT_ANDROID_VIDEO_CODEC_ERROR,
        ORMA_STAT_ANDROID_VIDEO_DISPLAY_GONE,
        ORMA_STAT_ANDROID_VIDEO_NO_ENCODER,
        ORMA_STAT_ANDROID_VIDEO_DISPLAY_NOT_FOUND,
        ORMA_STAT_ANDROID_VIDEO_ENCODER_SETUP_FAILED,
        ORMA_STAT_ANDROID_VIDEO_VIRTUAL_DISPLAY_FAILED,
    };
    struct orma_pb_field f[ERROR_REASON + 1];

    orma_msg_read(orma_msg_item(item), f, ERROR_REASON + 1);
    uint64_t reason = orma_pb_u64(&f[ERROR_REASON]);
    if (reason && reason < ORMA_ARRAY_LEN(stats))
        orma_stats_inc(orma_model_stats(imp->model, item->machine), stats[reason]);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (item->field != ORMA_PB_TRACE_PACKET_VIDEO_FRAME)
        error(imp, item);
    else if (is_kept(imp, item))
        frame(imp, item);
}

/* A frame has the time at which it was shown, by the monotonic clock, where that can be told. */
static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_field f[FRAME_FIELDS];
    struct orma_item item = {.ts = ctx->ts,
                             .order = ctx->order,
                             .kind = ORMA_ITEM_PACKET,
                             .field = ctx->p->field,
                             .machine = ctx->machine,
                             .data = (const uint8_t *)ctx->p->payload.data,
                             .len = (uint32_t)ctx->p->payload.len,
                             .gen = ctx->seq->gen};
    int64_t ts;

    if (ctx->p->field != ORMA_PB_TRACE_PACKET_VIDEO_FRAME)
        return false;
    orma_msg_read(ctx->p->payload, f, FRAME_FIELDS);
    uint64_t us = orma_pb_u64(&f[FRAME_PTS]);
    if (!us || us > INT64_MAX / 1000 ||
        !orma_reader_to_trace_time(imp->reader, ctx->machine, ORMA_CLOCK_MONOTONIC,
                                   (int64_t)us * 1000, &ts, NULL))
        return false;
    item.ts = ts;
    if (orma_reader_sortable(imp->reader, ts))
        orma_sorter_push(&imp->reader->sorter, &item);
    return true;
}

static void fini(struct orma_import_ctx *imp)
{
    if (!orma_android(imp)->video)
        return;
    orma_map_fini(&orma_android(imp)->video->names);
    orma_map_fini(&orma_android(imp)->video->codecs);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_VIDEO_FRAME,
                                  ORMA_PB_TRACE_PACKET_VIDEO_FRAME_ERROR, 0};
const struct orma_importer orma_android_video_importer = {
    .name = "video", .fields = fields, .tokenize = tokenize, .parse = parse, .fini = fini};
