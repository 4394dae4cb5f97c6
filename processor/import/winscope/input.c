/* Events of input as the dispatcher hands them out. */
#include "processor/import/winscope/winscope.h"

enum {
    INPUT_MOTION = 1,
    INPUT_MOTION_REDACTED,
    INPUT_KEY,
    INPUT_KEY_REDACTED,
    INPUT_DISPATCH,
    INPUT_DISPATCH_REDACTED
};
enum { EVENT_ID = 1, EVENT_FIELDS = 18 };
enum { MOTION_SOURCE = 3, MOTION_ACTION, MOTION_DEVICE, MOTION_DISPLAY };
enum { KEY_SOURCE = 4, KEY_ACTION, KEY_DEVICE, KEY_DISPLAY, KEY_CODE };
enum { DISPATCH_VSYNC = 2, DISPATCH_WINDOW };

static const struct orma_msg_column motion_columns[] = {
    {EVENT_ID, ORMA_ANDROID_MOTION_EVENTS_EVENT_ID, ORMA_MSG_U32, true},
    {MOTION_SOURCE, ORMA_ANDROID_MOTION_EVENTS_SOURCE, ORMA_MSG_U32, false},
    {MOTION_ACTION, ORMA_ANDROID_MOTION_EVENTS_ACTION, ORMA_MSG_I32, false},
    {MOTION_DEVICE, ORMA_ANDROID_MOTION_EVENTS_DEVICE_ID, ORMA_MSG_I32, false},
    {MOTION_DISPLAY, ORMA_ANDROID_MOTION_EVENTS_DISPLAY_ID, ORMA_MSG_SINT, false},
};
static const struct orma_msg_column key_columns[] = {
    {EVENT_ID, ORMA_ANDROID_KEY_EVENTS_EVENT_ID, ORMA_MSG_U32, true},
    {KEY_SOURCE, ORMA_ANDROID_KEY_EVENTS_SOURCE, ORMA_MSG_U32, false},
    {KEY_ACTION, ORMA_ANDROID_KEY_EVENTS_ACTION, ORMA_MSG_I32, false},
    {KEY_DEVICE, ORMA_ANDROID_KEY_EVENTS_DEVICE_ID, ORMA_MSG_I32, false},
    {KEY_DISPLAY, ORMA_ANDROID_KEY_EVENTS_DISPLAY_ID, ORMA_MSG_SINT, false},
    {KEY_CODE, ORMA_ANDROID_KEY_EVENTS_KEY_CODE, ORMA_MSG_I32, false},
};
static const struct orma_msg_column dispatch_columns[] = {
    {EVENT_ID, ORMA_ANDROID_INPUT_EVENT_DISPATCH_EVENT_ID, ORMA_MSG_U32, true},
    {DISPATCH_VSYNC, ORMA_ANDROID_INPUT_EVENT_DISPATCH_VSYNC_ID, ORMA_MSG_INT, true},
    {DISPATCH_WINDOW, ORMA_ANDROID_INPUT_EVENT_DISPATCH_WINDOW_ID, ORMA_MSG_I32, true},
};

static const struct kind {
    struct orma_winscope_columns to;
    const char *type;
    const struct orma_msg_column *columns;
    uint8_t columns_num, ts, down_time; /* ts: column; 0: none. down_time: field */
} kinds[] = {
    {{ORMA_TABLE_ANDROID_MOTION_EVENTS, ORMA_ANDROID_MOTION_EVENTS_ARG_SET_ID,
      ORMA_ANDROID_MOTION_EVENTS_BASE64_PROTO_ID},
     "com.android.internal.AndroidMotionEvent",
     motion_columns,
     ORMA_ARRAY_LEN(motion_columns),
     ORMA_ANDROID_MOTION_EVENTS_TS,
     17},
    {{ORMA_TABLE_ANDROID_KEY_EVENTS, ORMA_ANDROID_KEY_EVENTS_ARG_SET_ID,
      ORMA_ANDROID_KEY_EVENTS_BASE64_PROTO_ID},
     "com.android.internal.AndroidKeyEvent",
     key_columns,
     ORMA_ARRAY_LEN(key_columns),
     ORMA_ANDROID_KEY_EVENTS_TS,
     3},
    {{ORMA_TABLE_ANDROID_INPUT_EVENT_DISPATCH, ORMA_ANDROID_INPUT_EVENT_DISPATCH_ARG_SET_ID,
      ORMA_ANDROID_INPUT_EVENT_DISPATCH_BASE64_PROTO_ID},
     "com.android.internal.AndroidWindowInputDispatchEvent",
     dispatch_columns,
     ORMA_ARRAY_LEN(dispatch_columns),
     0,
     0},
};
#define EVENT_TIME 2

/* Times of the event by the monotonic clock, as those of the trace. */
static void put_time(struct orma_import_ctx *imp, const struct orma_item *item,
                     struct orma_args_list *args, const char *key, const struct orma_pb_field *f)
{
    int64_t ts;

    if (imp->reader && f->id &&
        orma_reader_to_trace_time(imp->reader, item->machine, ORMA_CLOCK_MONOTONIC, orma_pb_i64(f),
                                  &ts, NULL))
        orma_args_put_int(args, orma_model_lit(imp->model, key), ts);
}

static void event(struct orma_import_ctx *imp, const struct orma_item *item, const struct kind *k,
                  struct orma_str bytes)
{
    const struct orma_winscope_msg msg = {
        .type = k->type, .bytes = bytes, .machine = item->machine};
    struct orma_table *t = orma_model_table(imp->model, k->to.table);
    struct orma_pb_field f[EVENT_FIELDS];
    uint32_t row = orma_table_add(t);

    if (!orma_msg_read(bytes, f, EVENT_FIELDS))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_ANDROID_INPUT_EVENT_PARSE_ERRORS);
    orma_msg_set_columns(imp, t, row, k->columns, k->columns_num, f);
    ORMA_MODEL_ARGS(args, imp->model);
    if (k->ts) {
        orma_table_set_time(t, k->ts, row, item->ts);
        put_time(imp, item, args, "event_time", &f[EVENT_TIME]);
        put_time(imp, item, args, "down_time", &f[k->down_time]);
    }
    orma_winscope_set_message(imp, &k->to, row, &msg, args);
}

void orma_winscope_input(struct orma_import_ctx *imp, const struct orma_item *item,
                         struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id >= INPUT_MOTION && f.id <= INPUT_DISPATCH_REDACTED)
            event(imp, item, &kinds[(f.id - INPUT_MOTION) / 2], orma_pb_str(&f));
}
