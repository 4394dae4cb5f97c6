/*
 * Installed packages, and the interventions for games among them.
 *
 * Lists of packages come again in a trace; a package keeps the row of its first appearance. The
 * table of games has the same columns for each mode, side by side: the column of a value is that of
 * the first mode plus the mode's place times the number of its columns.
 */
#include "processor/import/android/android.h"

#include "protos/fields/trace.h"

static uint32_t boolean(const struct orma_pb_field *f)
{
    return orma_pb_bool(f);
}

/* ---- packages ---- */

enum { PACKAGES = 1, PACKAGES_PARSE_ERROR, PACKAGES_READ_ERROR };
enum { PACKAGE_NAME = 1, PACKAGE_UID, PACKAGE_DEBUGGABLE, PACKAGE_PROFILEABLE, PACKAGE_VERSION };

bool orma_android_add_package(struct orma_import_ctx *imp, uint32_t name, int64_t uid)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PACKAGE_LIST);

    if (!st || orma_map_get(&st->packages, name) != ORMA_MAP_NONE)
        return false;
    if (orma_map_put(&st->packages, name, 1))
        imp->model->storage->failed = true;
    if (orma_map_get(&st->by_uid, (uint64_t)uid) == ORMA_MAP_NONE &&
        orma_map_put(&st->by_uid, (uint64_t)uid, name))
        imp->model->storage->failed = true;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_PACKAGE_LIST_PACKAGE_NAME, row, name);
    orma_table_set(t, ORMA_PACKAGE_LIST_UID, row, uid);
    return row != ORMA_ROW_NONE;
}

/* Lists come again; a package is shown as it was seen first. */
static void package(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PACKAGE_LIST);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    int64_t v[PACKAGE_VERSION + 1] = {0};
    struct orma_pb_field f;
    struct orma_str name = {"", 0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == PACKAGE_NAME)
            name = orma_pb_str(&f);
        else if (f.id == PACKAGE_DEBUGGABLE || f.id == PACKAGE_PROFILEABLE)
            v[f.id] = boolean(&f);
        else if (f.id <= PACKAGE_VERSION)
            v[f.id] = orma_pb_i64(&f);
    }
    if (!orma_android_add_package(imp, orma_model_str(imp->model, name), v[PACKAGE_UID]))
        return;
    uint32_t row = t->rows - 1;
    orma_table_set(t, ORMA_PACKAGE_LIST_DEBUGGABLE, row, v[PACKAGE_DEBUGGABLE]);
    orma_table_set(t, ORMA_PACKAGE_LIST_PROFILEABLE_FROM_SHELL, row, v[PACKAGE_PROFILEABLE]);
    orma_table_set(t, ORMA_PACKAGE_LIST_VERSION_CODE, row, v[PACKAGE_VERSION]);
}

uint32_t orma_android_package(struct orma_import_ctx *imp, uint32_t uid)
{
    const struct orma_android_state *st = orma_android_state(imp);
    uint64_t name = st ? orma_map_get(&st->by_uid, uid) : ORMA_MAP_NONE;

    return name == ORMA_MAP_NONE ? 0 : (uint32_t)name;
}

static void packages(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_stats *stats = orma_model_stats(imp->model, ctx->machine);
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    bool parse_error = false, read_error = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == PACKAGES)
            package(imp, orma_pb_str(&f));
        else if (f.id == PACKAGES_PARSE_ERROR)
            parse_error = orma_pb_bool(&f);
        else if (f.id == PACKAGES_READ_ERROR)
            read_error = orma_pb_bool(&f);
    }
    orma_stats_set(stats, ORMA_STAT_PACKAGES_LIST_HAS_PARSE_ERRORS, parse_error);
    orma_stats_set(stats, ORMA_STAT_PACKAGES_LIST_HAS_READ_ERRORS, read_error);
}

/* ---- games ---- */

enum { GAMES = 1, GAMES_PARSE_ERROR, GAMES_READ_ERROR };
enum { GAME_NAME = 1, GAME_UID, GAME_MODE, GAME_MODES };
enum { MODE_MODE = 1, MODE_ANGLE, MODE_DOWNSCALE, MODE_FPS };
#define MODES_NUM 3

/* The columns of each mode lie side by side, in this order of modes. */
enum { STANDARD = 1, PERFORMANCE = 2, BATTERY = 3 };

static void game_mode(struct orma_import_ctx *imp, uint32_t row, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_GAME_INTERVENTION_LIST);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t mode = 0;
    bool angle = false;
    float downscale = 0, fps = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == MODE_MODE)
            mode = orma_pb_u32(&f);
        else if (f.id == MODE_ANGLE)
            angle = orma_pb_bool(&f);
        else if (f.id == MODE_DOWNSCALE)
            downscale = orma_pb_float(&f);
        else if (f.id == MODE_FPS)
            fps = orma_pb_float(&f);
    }
    if (mode < STANDARD || mode > BATTERY)
        return;
    unsigned first =
        ORMA_ANDROID_GAME_INTERVENTION_LIST_STANDARD_MODE_SUPPORTED + 4 * (mode - STANDARD);
    orma_table_set(t, first, row, 1);
    orma_table_set_double(t, first + 1, row, (double)downscale);
    orma_table_set(t, first + 2, row, angle);
    orma_table_set_double(t, first + 3, row, (double)fps);
}

static void game(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_GAME_INTERVENTION_LIST);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_ANDROID_GAME_INTERVENTION_LIST_PACKAGE_NAME, row, ORMA_STR_EMPTY);
    while (orma_pb_next(&r, &f)) {
        if (f.id == GAME_NAME)
            orma_table_set(t, ORMA_ANDROID_GAME_INTERVENTION_LIST_PACKAGE_NAME, row,
                           orma_model_str(imp->model, orma_pb_str(&f)));
        else if (f.id == GAME_UID)
            orma_table_set(t, ORMA_ANDROID_GAME_INTERVENTION_LIST_UID, row, orma_pb_i64(&f));
        else if (f.id == GAME_MODE)
            orma_table_set(t, ORMA_ANDROID_GAME_INTERVENTION_LIST_CURRENT_MODE, row,
                           orma_pb_i32(&f));
        else if (f.id == GAME_MODES)
            game_mode(imp, row, orma_pb_str(&f));
    }
}

static void games(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    bool parse_error = false, read_error = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == GAMES)
            game(imp, orma_pb_str(&f));
        else if (f.id == GAMES_PARSE_ERROR)
            parse_error = orma_pb_bool(&f);
        else if (f.id == GAMES_READ_ERROR)
            read_error = orma_pb_bool(&f);
    }
    orma_stats_set(stats, ORMA_STAT_GAME_INTERVENTION_HAS_PARSE_ERRORS, parse_error);
    orma_stats_set(stats, ORMA_STAT_GAME_INTERVENTION_HAS_READ_ERRORS, read_error);
}

/* Lists of packages are often written last, and name what came before: they count at once. */
static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    if (ctx->p->field != ORMA_PB_TRACE_PACKET_PACKAGES_LIST)
        return false;
    packages(imp, ctx);
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_PACKAGES_LIST,
                                  ORMA_PB_TRACE_PACKET_ANDROID_GAME_INTERVENTION_LIST, 0};
const struct orma_importer orma_android_packages_importer = {
    .name = "packages", .fields = fields, .tokenize = tokenize, .parse = games};
