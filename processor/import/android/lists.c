/* Lists that a device wrote into the trace: its users, and the flags that switch features. */
#include "processor/import/android/android.h"
#include "protos/fields/trace.h"

/* ---- users ---- */

enum { USERS = 1, USERS_ERROR };
enum { USER_TYPE = 1, USER_ID };

struct orma_android_lists {
    struct orma_map users; /* id → row */
};

static struct orma_android_lists *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->lists,
                           sizeof(struct orma_android_lists));
}

/* A user has one row, with the type that was said last. */
static void user(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_USER_LIST);
    struct orma_android_lists *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t type = ORMA_STR_EMPTY;
    int32_t id = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == USER_TYPE)
            type = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == USER_ID)
            id = orma_pb_i32(&f);
    }
    uint64_t row = st ? orma_map_get(&st->users, (uint32_t)id) : ORMA_MAP_NONE;
    if (row == ORMA_MAP_NONE) {
        row = orma_table_add(t);
        if (!st || orma_map_put(&st->users, (uint32_t)id, row))
            imp->model->storage->failed = true;
        orma_table_set(t, ORMA_ANDROID_USER_LIST_ANDROID_USER_ID, (uint32_t)row, id);
    }
    orma_table_set(t, ORMA_ANDROID_USER_LIST_TYPE, (uint32_t)row, type);
}

static void users(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == USERS)
            user(imp, orma_pb_str(&f));
        else if (f.id == USERS_ERROR && orma_pb_i32(&f) < 0)
            orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_USER_LIST_ERRORS);
    }
}

/* ---- flags ---- */

enum { FLAGS = 1, FLAGS_ERROR };
enum {
    FLAG_NAMESPACE = 1,
    FLAG_NAME,
    FLAG_PACKAGE,
    FLAG_CONTAINER,
    FLAG_VALUE,
    FLAG_STAGED_VALUE,
    FLAG_PERMISSION,
    FLAG_PICKED_FROM,
    FLAG_BACKEND,
    FLAG_TYPE,
    FLAG_FIELDS
};
#define WORDS_MAX 4

static void flag(struct orma_import_ctx *imp, int64_t ts, struct orma_str bytes)
{
    static const uint8_t columns[FLAG_FIELDS] = {
        [FLAG_NAMESPACE] = ORMA_ANDROID_AFLAGS_FLAG_NAMESPACE,
        [FLAG_NAME] = ORMA_ANDROID_AFLAGS_NAME,
        [FLAG_PACKAGE] = ORMA_ANDROID_AFLAGS_PACKAGE,
        [FLAG_CONTAINER] = ORMA_ANDROID_AFLAGS_CONTAINER,
        [FLAG_VALUE] = ORMA_ANDROID_AFLAGS_VALUE,
        [FLAG_STAGED_VALUE] = ORMA_ANDROID_AFLAGS_STAGED_VALUE,
        [FLAG_PERMISSION] = ORMA_ANDROID_AFLAGS_PERMISSION,
        [FLAG_PICKED_FROM] = ORMA_ANDROID_AFLAGS_VALUE_PICKED_FROM,
        [FLAG_BACKEND] = ORMA_ANDROID_AFLAGS_STORAGE_BACKEND,
        [FLAG_TYPE] = ORMA_ANDROID_AFLAGS_TYPE,
    };
    static const char *const words[FLAG_FIELDS][WORDS_MAX] = {
        [FLAG_PERMISSION] = {"unspecified", "read-only", "read-write"},
        [FLAG_PICKED_FROM] = {"unspecified", "default", "server", "local"},
        [FLAG_BACKEND] = {"unspecified", "none", "aconfigd", "device_config"},
        [FLAG_TYPE] = {"unspecified", "boolean", "integer"},
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_AFLAGS);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_ANDROID_AFLAGS_TS, row, ts);
    for (unsigned i = 1; i < FLAG_FIELDS; i++)
        if (i != FLAG_STAGED_VALUE)
            orma_table_set(t, columns[i], row,
                           words[i][0] ? orma_model_lit(imp->model, words[i][0]) : ORMA_STR_EMPTY);
    while (orma_pb_next(&r, &f)) {
        if (!f.id || f.id >= FLAG_FIELDS)
            continue;
        if (!words[f.id][0])
            orma_table_set(t, columns[f.id], row, orma_model_str(imp->model, orma_pb_str(&f)));
        else if (orma_pb_u64(&f) < WORDS_MAX && words[f.id][orma_pb_u64(&f)])
            orma_table_set(t, columns[f.id], row,
                           orma_model_lit(imp->model, words[f.id][orma_pb_u64(&f)]));
    }
}

static void flags(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len), again = r;
    struct orma_pb_field f;
    struct orma_str error = {0};

    while (orma_pb_next(&r, &f))
        if (f.id == FLAGS_ERROR)
            error = orma_pb_str(&f);
    if (error.len) {
        ORMA_MODEL_ARGS(args, imp->model);
        orma_args_put_str(args, orma_model_lit(imp->model, "error"),
                          orma_model_str(imp->model, error));
        orma_model_log(imp->model, item->machine, ORMA_STAT_ANDROID_AFLAGS_ERRORS, item->ts, -1,
                       args);
        return;
    }
    while (orma_pb_next(&again, &f))
        if (f.id == FLAGS)
            flag(imp, item->ts, orma_pb_str(&f));
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (item->field == ORMA_PB_TRACE_PACKET_USER_LIST)
        users(imp, item);
    else
        flags(imp, item);
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_android(imp)->lists)
        orma_map_fini(&orma_android(imp)->lists->users);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_USER_LIST,
                                  ORMA_PB_TRACE_PACKET_ANDROID_AFLAGS, 0};
const struct orma_importer orma_android_lists_importer = {
    .name = "lists", .fields = fields, .parse = parse, .fini = fini};
