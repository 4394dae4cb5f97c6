/*
 * The timelines of frames: when SurfaceFlinger and each app expected to have a frame ready, and
 * when they had it.
 *
 * A frame is a slice from a start to an end that has the same cookie; slices of a process lie on
 * lanes, since frames overlap. Surfaces that went into a display frame point to it by flows.
 */
#include "processor/import/android/android.h"

#include <stdio.h>
#include <stdlib.h>

#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

/* FrameTimelineEvent */
enum { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY, EXPECTED_SURFACE, ACTUAL_SURFACE, FRAME_END };

/* The fields of all start messages, and their numbers in each of the two forms. TRIED: by the rules
 * that are tried out. */
enum {
    COOKIE = 1,
    TOKEN,
    DISPLAY_TOKEN,
    PID,
    LAYER,
    PRESENT_TYPE,
    ON_TIME,
    GPU_COMPOSITION,
    JANK_TYPE,
    PREDICTION,
    IS_BUFFER,
    JANK_SEVERITY,
    PRESENT_DELAY,
    RESYNC_JITTER,
    JANK_SCORE,
    JANK_TYPE_TRIED,
    PRESENT_TYPE_TRIED,
    JANK_METADATA,
    START_FIELDS,
};
static const uint8_t surface_fields[START_FIELDS] = {
    0,
    COOKIE,
    TOKEN,
    DISPLAY_TOKEN,
    PID,
    LAYER,
    PRESENT_TYPE,
    ON_TIME,
    GPU_COMPOSITION,
    JANK_TYPE,
    PREDICTION,
    IS_BUFFER,
    JANK_SEVERITY,
    PRESENT_DELAY,
    RESYNC_JITTER,
    JANK_SCORE,
    JANK_TYPE_TRIED,
    PRESENT_TYPE_TRIED,
    JANK_METADATA,
};
static const uint8_t display_fields[START_FIELDS] = {
    0,
    COOKIE,
    TOKEN,
    PID,
    PRESENT_TYPE,
    ON_TIME,
    GPU_COMPOSITION,
    JANK_TYPE,
    PREDICTION,
    JANK_SEVERITY,
    PRESENT_DELAY,
    JANK_SCORE,
    JANK_TYPE_TRIED,
    PRESENT_TYPE_TRIED,
    JANK_METADATA,
};

enum present { PRESENT_DROPPED = 4 };

/* Bits of jank_type. */
enum {
    JANK_NONE = 1,
    JANK_SF_SCHEDULING = 2,
    JANK_PREDICTION_ERROR = 4,
    JANK_DISPLAY_HAL = 8,
    JANK_SF_CPU_DEADLINE = 16,
    JANK_SF_GPU_DEADLINE = 32,
    JANK_APP_DEADLINE = 64,
    JANK_BUFFER_STUFFING = 128,
    JANK_UNKNOWN = 256,
    JANK_SF_STUFFING = 512,
    JANK_DROPPED = 1024,
    JANK_NON_ANIMATING = 2048,
    JANK_APP_RESYNCED_JITTER = 4096,

    JANKS_OF_DISPLAY = JANK_SF_SCHEDULING | JANK_PREDICTION_ERROR | JANK_DISPLAY_HAL |
                       JANK_SF_CPU_DEADLINE | JANK_SF_GPU_DEADLINE,
    JANKS_OF_APP = JANK_APP_DEADLINE | JANK_UNKNOWN | JANK_APP_RESYNCED_JITTER,
};

static const char *const jank_names[] = {
    "SurfaceFlinger Scheduling",
    "Prediction Error",
    "Display HAL",
    "SurfaceFlinger CPU Deadline Missed",
    "SurfaceFlinger GPU Deadline Missed",
    "App Deadline Missed",
    "Buffer Stuffing",
    "Unknown Jank",
    "SurfaceFlinger Stuffing",
    "Dropped Frame",
    "Non Animating",
    "App Resynced Jitter",
    "Display not ON",
    "ModeChangeInProgress",
    "PowerModeChangeInProgress",
};

struct start {
    struct orma_pb_field fields[START_FIELDS]; /* id 0: absent */
    uint32_t upid;
};

/* A surface that waits for the display frame it went into. */
struct wait {
    uint32_t slice;
    uint32_t next; /* index + 1 of the one before it, 0: none */
};

#define REPEATED (ORMA_MAP_NONE - 1)

struct orma_android_frames {
    struct orma_map open;     /* cookie → process << 1 | actual, or REPEATED */
    struct orma_map expected; /* hash of process and token of a surface: seen */
    struct orma_map surfaces; /* token of a display frame → index + 1 in `waits` */
    struct wait *waits;
    uint32_t waits_num, waits_cap;
};

static struct orma_android_frames *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->frames,
                           sizeof(struct orma_android_frames));
}

static void bad(struct orma_import_ctx *imp, const struct orma_item *item)
{
    orma_stats_inc(orma_model_stats(imp->model, item->machine),
                   ORMA_STAT_FRAME_TIMELINE_EVENT_PARSER_ERRORS);
}

static int64_t num(const struct start *s, unsigned field)
{
    return s->fields[field].id ? orma_pb_i64(&s->fields[field]) : 0;
}

static double real(const struct start *s, unsigned field)
{
    const struct orma_pb_field *f = &s->fields[field];

    if (!f->id)
        return 0;
    return f->wire == ORMA_PB_I32 ? (double)orma_pb_float(f) : orma_pb_double(f);
}

/* False: it lacks what every start must have. */
static bool read_start(struct orma_import_ctx *imp, const struct orma_item *item,
                       struct orma_str bytes, bool surface, struct start *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const uint8_t *names = surface ? surface_fields : display_fields;
    struct orma_pb_field f;

    *ret = (struct start){0};
    while (orma_pb_next(&r, &f))
        if (f.id < START_FIELDS && names[f.id])
            ret->fields[names[f.id]] = f;
    if (r.failed || !ret->fields[COOKIE].id || !ret->fields[PID].id ||
        (surface && !ret->fields[DISPLAY_TOKEN].id))
        return false;
    ret->upid = orma_processes_process(orma_model_processes(imp->model, item->machine),
                                       orma_pb_u32(&ret->fields[PID]));
    return true;
}

static void spec_of(struct orma_import_ctx *imp, uint16_t machine, bool actual, uint32_t upid,
                    struct orma_track_spec *ret)
{
    *ret = (struct orma_track_spec){
        .type = actual ? "android_actual_frame_timeline" : "android_expected_frame_timeline",
        .event = ORMA_TRACK_SLICES,
        .machine = machine,
        .dims_num = 1,
        .dims = {orma_dim(imp->model->known.upid, upid)},
        .name = actual ? orma_model_lit(imp->model, "Actual Timeline")
                       : orma_model_lit(imp->model, "Expected Timeline"),
        .parent = ORMA_TRACK_NONE,
    };
}

/* A slice with these args; its end finds it by the cookie. */
static uint32_t begin(struct orma_import_ctx *imp, struct orma_args_list *args,
                      const struct orma_item *item, const struct start *s, bool actual)
{
    struct orma_android_frames *st = state_of(imp);
    uint64_t cookie = (uint64_t)num(s, COOKIE);
    struct orma_track_spec spec;

    if (!st || orma_map_put(&st->open, cookie, (uint64_t)s->upid << 1 | actual)) {
        imp->model->storage->failed = true;
        return ORMA_SLICE_NONE;
    }
    spec_of(imp, item->machine, actual, s->upid, &spec);
    return orma_slices_begin(
        &imp->model->slices, item->ts, orma_async_begin(imp->model, &spec, cookie, item->ts, false),
        0, orma_strpool_addf(&imp->model->storage->pool, "%lld", (long long)num(s, TOKEN)), args);
}

/* ---- args ---- */

static void put_int(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                    int64_t val)
{
    orma_args_put_int(args, orma_model_lit(imp->model, key), val);
}

static void put_text(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                     const char *text)
{
    orma_args_put_str(args, orma_model_lit(imp->model, key), orma_model_lit(imp->model, text));
}

static void put_real(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                     double val)
{
    orma_args_put_real(args, orma_model_lit(imp->model, key), val);
}

/* A display frame has one token; a surface's frame has its own, and that of the display frame. */
static void put_tokens(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct start *s, bool surface)
{
    put_int(imp, args, "Display frame token", num(s, surface ? DISPLAY_TOKEN : TOKEN));
    if (!surface)
        return;
    put_int(imp, args, "Surface frame token", num(s, TOKEN));
    uint32_t layer =
        s->fields[LAYER].id ? orma_model_str(imp->model, orma_pb_str(&s->fields[LAYER])) : 0;
    orma_args_put(args,
                  (struct orma_args_item){.flat_key = orma_model_lit(imp->model, "Layer name"),
                                          .key = orma_model_lit(imp->model, "Layer name"),
                                          .type = ORMA_ARG_STRING,
                                          .str = layer});
}

/* The text of an enum; its first when the number has none, which counts as an error. */
static bool put_enum(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct orma_item *item, const char *key, const struct orma_pb_field *f,
                     const char *const *names, unsigned names_num)
{
    uint64_t val = f->id ? orma_pb_u64(f) : 0;

    if (val >= names_num)
        bad(imp, item);
    put_text(imp, args, key, names[val < names_num ? val : 0]);
    return f->id && val < names_num;
}

static uint32_t jank_text(struct orma_import_ctx *imp, int64_t bits)
{
    char text[512];
    size_t len = 0;

    if (!bits)
        return orma_model_lit(imp->model, "Unspecified");
    if (bits == JANK_NONE)
        return orma_model_lit(imp->model, "None");
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(jank_names); i++)
        if (bits >> (i + 1) & 1)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : "",
                                    jank_names[i]);
    return orma_model_str(imp->model, (struct orma_str){text, len});
}

/* Whose fault it was. */
static const char *display_tag(int64_t jank)
{
    if (jank != JANK_NONE && jank & JANKS_OF_DISPLAY)
        return "Self Jank";
    if (jank == JANK_SF_STUFFING)
        return "SurfaceFlinger Stuffing";
    return jank == JANK_DROPPED ? "Dropped Frame" : "No Jank";
}

static const char *surface_tag(int64_t jank, bool dropped)
{
    if (jank != JANK_NONE && jank & JANKS_OF_APP)
        return "Self Jank";
    if (jank != JANK_NONE && jank & JANKS_OF_DISPLAY)
        return "Other Jank";
    if (jank == JANK_BUFFER_STUFFING)
        return "Buffer Stuffing";
    return dropped ? "Dropped Frame" : "No Jank";
}

static void put_severity(struct orma_import_ctx *imp, struct orma_args_list *args,
                         const struct start *s)
{
    static const char *const names[] = {"Unknown", "None", "Partial", "Full"};
    uint64_t val = (uint64_t)num(s, JANK_SEVERITY);

    /* Older recorders have no severity, but do mark frames without jank. */
    if (!s->fields[JANK_SEVERITY].id)
        val = num(s, JANK_TYPE) == JANK_NONE;
    put_text(imp, args, "Jank severity type", names[val < ORMA_ARRAY_LEN(names) ? val : 0]);
}

static const char *is_buffer_text(const struct start *s)
{
    if (!s->fields[IS_BUFFER].id)
        return "Unspecified";
    return num(s, IS_BUFFER) ? "Yes" : "No";
}

static void put_actual(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, const struct start *s, bool surface)
{
    static const char *const presents[] = {"Unspecified Present", "On-time Present",
                                           "Late Present",        "Early Present",
                                           "Dropped Frame",       "Unknown Present"};
    static const char *const predictions[] = {"Unspecified Prediction", "Valid Prediction",
                                              "Expired Prediction", "Unknown Prediction"};
    int64_t jank = num(s, JANK_TYPE), jank_tried = num(s, JANK_TYPE_TRIED);

    put_tokens(imp, args, s, surface);
    put_real(imp, args, "Present Delay (ms)", real(s, PRESENT_DELAY));
    bool known = put_enum(imp, args, item, "Present type", &s->fields[PRESENT_TYPE], presents,
                          ORMA_ARRAY_LEN(presents));
    bool dropped = known && num(s, PRESENT_TYPE) == PRESENT_DROPPED;
    bool tried = put_enum(imp, args, item, "Present type (experimental)",
                          &s->fields[PRESENT_TYPE_TRIED], presents, ORMA_ARRAY_LEN(presents));
    put_int(imp, args, "On time finish", num(s, ON_TIME) != 0);
    put_int(imp, args, "GPU composition", num(s, GPU_COMPOSITION) != 0);
    orma_args_put_str(args, orma_model_lit(imp->model, "Jank type"), jank_text(imp, jank));
    orma_args_put_str(args, orma_model_lit(imp->model, "Jank type (experimental)"),
                      jank_text(imp, jank_tried));
    put_severity(imp, args, s);
    put_real(imp, args, "Jank Severity Score", real(s, JANK_SCORE));
    if (surface)
        put_real(imp, args, "Vsync Resynced Jitter (ms)", real(s, RESYNC_JITTER));
    put_enum(imp, args, item, "Prediction type", &s->fields[PREDICTION], predictions,
             ORMA_ARRAY_LEN(predictions));
    if (surface)
        put_text(imp, args, "Is Buffer?", is_buffer_text(s));
    put_text(imp, args, "Jank tag", surface ? surface_tag(jank, dropped) : display_tag(jank));
    tried = tried && num(s, PRESENT_TYPE_TRIED) == PRESENT_DROPPED;
    put_text(imp, args, "Jank tag (experimental)",
             !jank_tried ? "Unspecified"
             : surface   ? surface_tag(jank_tried, tried)
                         : display_tag(jank_tried));
    put_real(imp, args, "Jank Metadata (debugging only)", real(s, JANK_METADATA));
}

/* ---- events ---- */

/* Frames of one token have one expectation, however many layers they have. */
static bool is_repeated(struct orma_import_ctx *imp, const struct start *s)
{
    struct orma_android_frames *st = state_of(imp);
    uint64_t key = orma_mix64(orma_mix64((uint64_t)num(s, TOKEN)) ^ s->upid);
    bool repeated = st && orma_map_get(&st->expected, key) != ORMA_MAP_NONE;

    if (!st || (repeated ? orma_map_put(&st->open, (uint64_t)num(s, COOKIE), REPEATED)
                         : orma_map_put(&st->expected, key, 1)))
        imp->model->storage->failed = true;
    return repeated;
}

static void expected(struct orma_import_ctx *imp, const struct orma_item *item,
                     struct orma_str bytes, bool surface)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct start s;

    if (!read_start(imp, item, bytes, surface, &s)) {
        bad(imp, item);
        return;
    }
    if (surface && is_repeated(imp, &s))
        return;
    put_tokens(imp, args, &s, surface);
    begin(imp, args, item, &s, false);
}

static void wait_for_display(struct orma_import_ctx *imp, uint64_t token, uint32_t slice)
{
    struct orma_android_frames *st = state_of(imp);

    if (!st)
        return;
    if (ORMA_GROW(&st->waits, &st->waits_cap, st->waits_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    uint64_t before = orma_map_get(&st->surfaces, token);
    st->waits[st->waits_num++] =
        (struct wait){slice, before == ORMA_MAP_NONE ? 0 : (uint32_t)before};
    if (orma_map_put(&st->surfaces, token, st->waits_num))
        imp->model->storage->failed = true;
}

/* Apps work on a frame before it is displayed, so all of its surfaces are known by now. */
static void join_surfaces(struct orma_import_ctx *imp, uint64_t token, uint32_t display)
{
    struct orma_android_frames *st = state_of(imp);
    uint64_t idx = st ? orma_map_take(&st->surfaces, token) : ORMA_MAP_NONE;

    for (uint32_t i = idx == ORMA_MAP_NONE ? 0 : (uint32_t)idx; i; i = st->waits[i - 1].next) {
        ORMA_ASSERT_HOT(i <= st->waits_num && st->waits[i - 1].next < i);
        orma_flows_insert(imp->model, st->waits[i - 1].slice, display);
    }
}

static void actual(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str bytes,
                   bool surface)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct start s;

    if (!read_start(imp, item, bytes, surface, &s)) {
        bad(imp, item);
        return;
    }
    put_actual(imp, args, item, &s, surface);
    uint32_t slice = begin(imp, args, item, &s, true);
    if (slice == ORMA_SLICE_NONE)
        return;
    if (surface)
        wait_for_display(imp, (uint64_t)num(&s, DISPLAY_TOKEN), slice);
    else
        join_surfaces(imp, (uint64_t)num(&s, TOKEN), slice);
}

static void end(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str bytes)
{
    struct orma_android_frames *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_track_spec spec;
    uint64_t cookie = 0;
    bool has = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == COOKIE) {
            cookie = orma_pb_u64(&f);
            has = true;
        }
    }
    if (!has || !st) {
        bad(imp, item);
        return;
    }
    uint64_t open = orma_map_take(&st->open, cookie);
    if (open == REPEATED)
        return;
    if (open == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_FRAME_TIMELINE_UNPAIRED_END_EVENT);
        return;
    }
    spec_of(imp, item->machine, open & 1, (uint32_t)(open >> 1), &spec);
    orma_slices_end(&imp->model->slices, item->ts,
                    orma_async_end(imp->model, &spec, cookie, item->ts), 0, 0, NULL);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case EXPECTED_DISPLAY:
        case EXPECTED_SURFACE:
            expected(imp, item, orma_pb_str(&f), f.id == EXPECTED_SURFACE);
            break;
        case ACTUAL_DISPLAY:
        case ACTUAL_SURFACE:
            actual(imp, item, orma_pb_str(&f), f.id == ACTUAL_SURFACE);
            break;
        case FRAME_END:
            end(imp, item, orma_pb_str(&f));
            break;
        }
    }
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_frames *st = orma_android(imp)->frames;

    if (st) {
        orma_map_fini(&st->open);
        orma_map_fini(&st->expected);
        orma_map_fini(&st->surfaces);
        free(st->waits);
    }
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_FRAME_TIMELINE_EVENT, 0};
const struct orma_importer orma_android_frame_timeline_importer = {
    .name = "frame_timeline", .fields = fields, .parse = parse, .fini = fini};
