/*
 * Stacks as values, and profiles of them in the format of pprof.
 *
 * A stack is a message Stack: entries from the innermost frame outwards, each a
 * name, a frame, or a call site with everything above it. EXPERIMENTAL_PROFILE()
 * looks frames up, writes each location and function once, and adds up the values
 * of equal stacks.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/profiles/annotate.h"
#include "processor/sql/profiles/profiles.h"
#include "processor/sql/tables/index.h"
#include "protos/fields/pprof.h"
#include "protos/fields/trace_processor.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define TYPES_MAX 16
#define DEPTH_MAX 4096
/* Of locations that are a name; those of frames have their annotation there. */
#define NAME_KEY (UINT64_C(64) << 32)
#define NONE UINT32_MAX

/* ---- making stacks ---- */

static void put_entry(struct orma_buf *out, uint32_t field, uint64_t val)
{
    size_t at = orma_pb_begin(out, ORMA_PB_STACK_ENTRIES);

    orma_pb_put_u64(out, field, val);
    orma_pb_end(out, at);
}

/* An id of a row of that table. False: NULL (no result), or an error was set. */
static bool take_id(sqlite3_context *ctx, sqlite3_value *val, unsigned table, const char *what,
                    uint32_t *ret)
{
    const struct orma_table *t = &orma_sql_of(ctx)->storage->tables[table];

    if (orma_value_is_null(val))
        return false;
    if (orma_value_id(val, ret) && *ret < t->rows)
        return true;
    orma_result_error(ctx, "%s: no such row", what);
    return false;
}

static void stack_of_callsite(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    bool annotate = argc > 1 && sqlite3_value_int64(argv[1]);
    struct orma_buf out = {0};
    uint32_t id;

    if (!take_id(ctx, argv[0], ORMA_TABLE_STACK_PROFILE_CALLSITE,
                 "STACK_FROM_STACK_PROFILE_CALLSITE", &id))
        return;
    put_entry(
        &out,
        annotate ? ORMA_PB_STACK_ENTRY_ANNOTATED_CALLSITE_ID : ORMA_PB_STACK_ENTRY_CALLSITE_ID, id);
    orma_result_buf(ctx, &out, true);
}

static void stack_of_frame(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    uint32_t id;

    (void)argc;
    if (!take_id(ctx, argv[0], ORMA_TABLE_STACK_PROFILE_FRAME, "STACK_FROM_STACK_PROFILE_FRAME",
                 &id))
        return;
    put_entry(&out, ORMA_PB_STACK_ENTRY_FRAME_ID, id);
    orma_result_buf(ctx, &out, true);
}

/* Arguments go from the root to the leaf, entries the other way. */
static void cat_stacks(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};

    for (int i = argc; i-- > 0;) {
        switch (sqlite3_value_type(argv[i])) { /* asked for first: reading may change it */
        case SQLITE_BLOB:
            orma_buf_put(&out, sqlite3_value_blob(argv[i]), (size_t)sqlite3_value_bytes(argv[i]));
            break;
        case SQLITE_TEXT: {
            struct orma_str text = orma_value_str(argv[i]);
            size_t at = orma_pb_begin(&out, ORMA_PB_STACK_ENTRIES);

            orma_pb_put_str(&out, ORMA_PB_STACK_ENTRY_NAME, text);
            orma_pb_end(&out, at);
            break;
        }
        case SQLITE_NULL:
            break;
        default:
            orma_buf_fini(&out);
            orma_result_error(ctx, "CAT_STACKS: argument %d must be a stack, a string or NULL",
                              i + 1);
            return;
        }
    }
    if (out.len || out.failed)
        orma_result_buf(ctx, &out, true);
}

/* ---- counters of samples ---- */

/* The value of one row of a counter set, if its track has that name. */
static bool counter_value(const struct orma_storage *st, uint32_t row, uint32_t name, double *ret)
{
    const struct orma_table *sets = &st->tables[ORMA_TABLE_PROFILER_COUNTER_SET];
    const struct orma_table *counters = &st->tables[ORMA_TABLE_COUNTER];
    const struct orma_table *tracks = &st->tables[ORMA_TABLE_TRACK];
    int64_t counter = orma_table_int(sets, ORMA_PROFILER_COUNTER_SET_COUNTER_ID, row), track;

    if (counter < 0 || counter >= counters->rows)
        return false;
    track = orma_table_int(counters, ORMA_COUNTER_TRACK_ID, (uint32_t)counter);
    if (track < 0 || track >= tracks->rows ||
        orma_table_int(tracks, ORMA_TRACK_NAME, (uint32_t)track) != name)
        return false;
    *ret = orma_column_double(&counters->columns[ORMA_COUNTER_VALUE], (uint32_t)counter);
    return true;
}

static void counter_for_sample(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    const struct orma_storage *st = sql->storage;
    const struct orma_table *samples = &st->tables[ORMA_TABLE_PROFILER_SAMPLE];
    const struct orma_table *sets = &st->tables[ORMA_TABLE_PROFILER_COUNTER_SET];
    uint32_t sample, name, num = 0;
    const uint32_t *rows = NULL;
    double val;

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (!orma_value_id(argv[0], &sample) || sample >= samples->rows) {
        orma_result_error(ctx, "PERF_COUNTER_FOR_SAMPLE: no sample has this id");
        return;
    }
    if (!sets->rows || orma_table_is_null(samples, ORMA_PROFILER_SAMPLE_COUNTER_SET_ID, sample))
        return;
    name = orma_strpool_find(&st->pool, orma_value_str(argv[1]));
    int64_t set = orma_table_int(samples, ORMA_PROFILER_SAMPLE_COUNTER_SET_ID, sample);
    orma_index_expect(sql, sets, ORMA_PROFILER_COUNTER_SET_COUNTER_SET_ID);
    bool found = name && orma_index_find(sql, sets, ORMA_PROFILER_COUNTER_SET_COUNTER_SET_ID, set,
                                         &rows, &num);
    if (name && !found)
        num = sets->rows; /* a short table: all of it */
    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = found ? rows[i] : i;

        if (orma_table_int(sets, ORMA_PROFILER_COUNTER_SET_COUNTER_SET_ID, row) == set &&
            counter_value(st, row, name, &val)) {
            sqlite3_result_double(ctx, val);
            return;
        }
    }
}

/* ---- annotations ---- */

static void add_annotated(struct orma_dataframe *out, const struct orma_table *t, uint32_t row,
                          const char *annotation)
{
    const uint32_t to = orma_dataframe_add(out);

    orma_dataframe_put_int(out, 0, to, row);
    orma_dataframe_put_int(out, 1, to, orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_DEPTH, row));
    if (!orma_table_is_null(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row))
        orma_dataframe_put_int(out, 2, to,
                               orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row));
    orma_dataframe_put_int(out, 3, to,
                           orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, row));
    if (annotation)
        orma_dataframe_put_text(out, 4, to, orma_str_from(annotation));
}

static int run_annotated(struct orma_tvf_call *call)
{
    const struct orma_storage *st = call->sql->storage;
    const struct orma_table *t = &st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    struct orma_ints rows = {0}, annotations = {0};
    uint32_t row;

    if (orma_value_is_null(call->argv[0]))
        return 0;
    if (!orma_value_id(call->argv[0], &row) || row >= t->rows)
        return orma_tvf_fail(call, "experimental_annotated_callstack: no such call site");
    orma_profiles_chain(st, row, t->rows, &rows);
    orma_profiles_annotate(st, &rows, &annotations);
    const bool failed = rows.failed || annotations.failed;
    for (size_t i = 0; i < rows.len && !failed; i++)
        add_annotated(
            call->frame, t, (uint32_t)rows.data[i],
            orma_profiles_annotation_name((enum orma_profiles_annotation)annotations.data[i]));
    orma_ints_fini(&rows);
    orma_ints_fini(&annotations);
    return failed ? -ENOMEM : 0;
}

const struct orma_tvf orma_profiles_tvf_annotated_callstack = {
    .name = "experimental_annotated_callstack",
    .columns = {"id", "depth", "parent_id", "frame_id", "annotation"},
    .types = "IIIIT",
    .args = {"start_id"},
    .run = run_annotated,
    .usage = "(callsite_id JOINID(stack_profile_callsite.id))",
    .doc = "The call site and its callers up to the root; annotation says how the code of a frame "
           "was made (aot, interp, jit); NULL for ordinary libraries.",
};

/* ---- profiles ---- */

struct sample {
    size_t at, len; /* of its locations in `stacks` */
    uint32_t next;  /* of the same hash */
    int64_t values[TYPES_MAX];
};

struct profile {
    struct orma_storage *st;
    int types_num;
    struct orma_buf types, strings, functions, locations, mappings;
    struct orma_map string_ids, function_ids, location_ids, mapping_ids;
    uint64_t strings_num, functions_num, locations_num;
    struct orma_ints stacks; /* location ids of all samples */
    struct sample *samples;
    uint32_t samples_num, samples_cap;
    struct orma_map by_hash;
    bool failed; /* memory is out, or the error was reported */
};

static void profile_free(struct profile *p)
{
    if (!p)
        return;
    orma_buf_fini(&p->types);
    orma_buf_fini(&p->strings);
    orma_buf_fini(&p->functions);
    orma_buf_fini(&p->locations);
    orma_buf_fini(&p->mappings);
    orma_map_fini(&p->string_ids);
    orma_map_fini(&p->function_ids);
    orma_map_fini(&p->location_ids);
    orma_map_fini(&p->mapping_ids);
    orma_map_fini(&p->by_hash);
    orma_ints_fini(&p->stacks);
    free(p->samples);
    free(p);
}

/* The number under `key`, or a new one: *num counts them. */
static uint64_t number(struct profile *p, struct orma_map *ids, uint64_t key, uint64_t *num,
                       bool *ret_new)
{
    uint64_t id = orma_map_get(ids, key);

    *ret_new = id == ORMA_MAP_NONE;
    if (!*ret_new)
        return id;
    p->failed |= orma_map_put(ids, key, *num) < 0;
    return (*num)++;
}

static uint64_t string_id(struct profile *p, uint32_t pool_id)
{
    bool fresh;
    uint64_t id;

    if (!pool_id)
        return 0;
    id = number(p, &p->string_ids, pool_id, &p->strings_num, &fresh);
    if (fresh)
        orma_pb_put_str(&p->strings, ORMA_PB_PPROF_PROFILE_STRING_TABLE,
                        orma_strpool_get(&p->st->pool, pool_id));
    return id;
}

static uint64_t function_id(struct profile *p, uint32_t name, uint32_t file)
{
    bool fresh;
    uint64_t id =
        number(p, &p->function_ids, (uint64_t)file << 32 | name, &p->functions_num, &fresh);

    if (fresh) {
        uint64_t name_id = string_id(p, name), file_id = string_id(p, file);
        size_t at = orma_pb_begin(&p->functions, ORMA_PB_PPROF_PROFILE_FUNCTION);

        orma_pb_put_u64(&p->functions, ORMA_PB_PPROF_FUNCTION_ID, id);
        orma_pb_put_u64(&p->functions, ORMA_PB_PPROF_FUNCTION_NAME, name_id);
        orma_pb_put_u64(&p->functions, ORMA_PB_PPROF_FUNCTION_SYSTEM_NAME, name_id);
        if (file_id)
            orma_pb_put_u64(&p->functions, ORMA_PB_PPROF_FUNCTION_FILENAME, file_id);
        orma_pb_end(&p->functions, at);
    }
    return id;
}

/* 0: the frame has none. */
static uint64_t mapping_id(struct profile *p, int64_t row)
{
    const struct orma_table *t = &p->st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];
    uint64_t name, build;
    size_t at;

    if (row < 0 || row >= t->rows)
        return 0;
    if (orma_map_get(&p->mapping_ids, (uint64_t)row) != ORMA_MAP_NONE)
        return (uint64_t)row + 1;
    p->failed |= orma_map_put(&p->mapping_ids, (uint64_t)row, 1) < 0;
    name =
        string_id(p, (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_NAME, (uint32_t)row));
    build = string_id(
        p, (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, (uint32_t)row));
    at = orma_pb_begin(&p->mappings, ORMA_PB_PPROF_PROFILE_MAPPING);
    orma_pb_put_u64(&p->mappings, ORMA_PB_PPROF_MAPPING_ID, (uint64_t)row + 1);
    orma_pb_put_i64(&p->mappings, ORMA_PB_PPROF_MAPPING_MEMORY_START,
                    orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_START, (uint32_t)row));
    orma_pb_put_i64(&p->mappings, ORMA_PB_PPROF_MAPPING_MEMORY_LIMIT,
                    orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_END, (uint32_t)row));
    orma_pb_put_i64(&p->mappings, ORMA_PB_PPROF_MAPPING_FILE_OFFSET,
                    orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_EXACT_OFFSET, (uint32_t)row));
    orma_pb_put_u64(&p->mappings, ORMA_PB_PPROF_MAPPING_FILENAME, name);
    orma_pb_put_u64(&p->mappings, ORMA_PB_PPROF_MAPPING_BUILD_ID, build);
    orma_pb_end(&p->mappings, at);
    return (uint64_t)row + 1;
}

static void put_line(struct orma_buf *out, uint64_t function, int64_t line)
{
    size_t at = orma_pb_begin(out, ORMA_PB_PPROF_LOCATION_LINE);

    orma_pb_put_u64(out, ORMA_PB_PPROF_LINE_FUNCTION_ID, function);
    if (line)
        orma_pb_put_i64(out, ORMA_PB_PPROF_LINE_LINE, line);
    orma_pb_end(out, at);
}

/* The name that is shown: with what the frame is, if that is given. */
static uint32_t shown_name(struct profile *p, uint32_t name, const char *annotation)
{
    return annotation ? orma_strpool_addf(&p->st->pool, "%s [%s]",
                                          orma_strpool_cstr(&p->st->pool, name), annotation)
                      : name;
}

static uint32_t frame_name(const struct profile *p, uint32_t frame)
{
    const struct orma_table *t = &p->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    uint32_t name = (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_FRAME_DEOBFUSCATED_NAME, frame);

    return name ? name : (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_FRAME_NAME, frame);
}

/* Symbols of a frame stand together, the innermost first. Lines go to `lines`. */
static void put_lines(struct profile *p, uint32_t frame, const char *annotation,
                      struct orma_buf *lines)
{
    const struct orma_table *f = &p->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *s = &p->st->tables[ORMA_TABLE_STACK_PROFILE_SYMBOL];
    int64_t set = orma_table_int(f, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame);
    bool any = false;

    if (!orma_table_is_null(f, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame) && set >= 0) {
        for (uint32_t row = (uint32_t)ORMA_MIN(set, (int64_t)s->rows);
             row < s->rows &&
             orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row) == set;
             row++) {
            const uint32_t name = (uint32_t)orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_NAME, row);
            const uint32_t file =
                (uint32_t)orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row);

            put_line(lines, function_id(p, shown_name(p, name, annotation), file),
                     orma_table_int(s, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row));
            any = true;
        }
    }
    if (!any)
        put_line(lines, function_id(p, shown_name(p, frame_name(p, frame), annotation), 0), 0);
}

static uint64_t frame_location(struct profile *p, uint32_t frame,
                               enum orma_profiles_annotation annotation)
{
    const struct orma_table *t = &p->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    struct orma_buf lines = {0};
    bool fresh;
    uint64_t id = number(p, &p->location_ids, (uint64_t)(annotation + 1) << 32 | frame,
                         &p->locations_num, &fresh);

    if (!fresh)
        return id;
    put_lines(p, frame, orma_profiles_annotation_name(annotation), &lines);
    uint64_t mapping =
        orma_table_is_null(t, ORMA_STACK_PROFILE_FRAME_MAPPING, frame)
            ? 0
            : mapping_id(p, orma_table_int(t, ORMA_STACK_PROFILE_FRAME_MAPPING, frame));
    size_t at = orma_pb_begin(&p->locations, ORMA_PB_PPROF_PROFILE_LOCATION);
    orma_pb_put_u64(&p->locations, ORMA_PB_PPROF_LOCATION_ID, id);
    if (mapping)
        orma_pb_put_u64(&p->locations, ORMA_PB_PPROF_LOCATION_MAPPING_ID, mapping);
    orma_pb_put_i64(&p->locations, ORMA_PB_PPROF_LOCATION_ADDRESS,
                    orma_table_int(t, ORMA_STACK_PROFILE_FRAME_REL_PC, frame));
    orma_buf_put(&p->locations, lines.data, lines.len);
    orma_pb_end(&p->locations, at);
    p->failed |= lines.failed;
    orma_buf_fini(&lines);
    return id;
}

static uint64_t name_location(struct profile *p, struct orma_str name)
{
    uint32_t pool_id = orma_strpool_add(&p->st->pool, name);
    bool fresh;
    uint64_t id = number(p, &p->location_ids, NAME_KEY | pool_id, &p->locations_num, &fresh);

    if (fresh) {
        uint64_t function = function_id(p, pool_id, 0);
        size_t at = orma_pb_begin(&p->locations, ORMA_PB_PPROF_PROFILE_LOCATION);

        orma_pb_put_u64(&p->locations, ORMA_PB_PPROF_LOCATION_ID, id);
        put_line(&p->locations, function, 0);
        orma_pb_end(&p->locations, at);
    }
    return id;
}

static void add_callsite(struct profile *p, uint64_t id, bool annotate)
{
    const struct orma_table *t = &p->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    const struct orma_table *f = &p->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    struct orma_ints rows = {0}, annotations = {0};

    if (id < t->rows)
        orma_profiles_chain(p->st, (uint32_t)id, annotate ? t->rows : DEPTH_MAX, &rows);
    if (annotate) /* by callers, from the root on */
        orma_profiles_annotate(p->st, &rows, &annotations);
    p->failed |= rows.failed || annotations.failed;
    for (size_t i = 0; i < ORMA_MIN(rows.len, (size_t)DEPTH_MAX) && !p->failed; i++) {
        const int64_t frame =
            orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, (uint32_t)rows.data[i]);
        const enum orma_profiles_annotation annotation =
            annotate ? (enum orma_profiles_annotation)annotations.data[i] : ORMA_PROFILES_NATIVE;

        if (frame >= 0 && frame < f->rows)
            orma_ints_add(&p->stacks, (int64_t)frame_location(p, (uint32_t)frame, annotation));
    }
    orma_ints_fini(&rows);
    orma_ints_fini(&annotations);
}

static void add_entry(struct profile *p, const struct orma_pb_field *entry)
{
    struct orma_str data = orma_pb_str(entry);
    struct orma_pb_reader r = orma_pb_reader(data.data, data.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_STACK_ENTRY_NAME:
            orma_ints_add(&p->stacks, (int64_t)name_location(p, orma_pb_str(&f)));
            break;
        case ORMA_PB_STACK_ENTRY_CALLSITE_ID:
            add_callsite(p, orma_pb_u64(&f), false);
            break;
        case ORMA_PB_STACK_ENTRY_ANNOTATED_CALLSITE_ID:
            add_callsite(p, orma_pb_u64(&f), true);
            break;
        case ORMA_PB_STACK_ENTRY_FRAME_ID:
            if (orma_pb_u64(&f) < p->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME].rows)
                orma_ints_add(&p->stacks, (int64_t)frame_location(p, (uint32_t)orma_pb_u64(&f),
                                                                  ORMA_PROFILES_NATIVE));
            break;
        }
    }
}

/* The sample of the stack that was just added at the end of `stacks`. */
static struct sample *find_sample(struct profile *p, size_t at)
{
    size_t len = p->stacks.len - at;
    const void *stack = len ? (const void *)(p->stacks.data + at) : "";
    uint64_t hash = orma_fnv1a(ORMA_FNV1A_BASIS, stack, len * sizeof(int64_t)) >> 1;
    uint64_t first = orma_map_get(&p->by_hash, hash);

    for (uint32_t i = first == ORMA_MAP_NONE ? NONE : (uint32_t)first; i != NONE;
         i = p->samples[i].next) {
        if (p->samples[i].len == len &&
            (!len || !memcmp(p->stacks.data + p->samples[i].at, stack, len * sizeof(int64_t)))) {
            p->stacks.len = at; /* known */
            return &p->samples[i];
        }
    }
    if (ORMA_GROW(&p->samples, &p->samples_cap, p->samples_num + (size_t)1))
        return NULL;
    if (orma_map_put(&p->by_hash, hash, p->samples_num) < 0)
        return NULL;
    p->samples[p->samples_num] = (struct sample){
        .at = at, .len = len, .next = first == ORMA_MAP_NONE ? NONE : (uint32_t)first};
    return &p->samples[p->samples_num++];
}

static uint64_t text_id(struct profile *p, struct orma_str text)
{
    return string_id(p, orma_strpool_add(&p->st->pool, text));
}

static void put_type(struct profile *p, struct orma_str type, struct orma_str unit)
{
    uint64_t type_id = text_id(p, type), unit_id = text_id(p, unit);
    size_t at = orma_pb_begin(&p->types, ORMA_PB_PPROF_PROFILE_SAMPLE_TYPE);

    orma_pb_put_u64(&p->types, ORMA_PB_PPROF_VALUE_TYPE_TYPE, type_id);
    orma_pb_put_u64(&p->types, ORMA_PB_PPROF_VALUE_TYPE_UNIT, unit_id);
    orma_pb_end(&p->types, at);
}

/* Types of values come with each row; those of the first one count. */
static struct profile *profile_new(struct orma_storage *st, int argc, sqlite3_value **argv)
{
    struct profile *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    *p = (struct profile){.st = st, .strings_num = 1, .functions_num = 1, .locations_num = 1};
    orma_pb_put_cstr(&p->strings, ORMA_PB_PPROF_PROFILE_STRING_TABLE, ""); /* number 0 */
    p->types_num = argc > 1 ? (argc - 1) / 3 : 1;
    for (int i = 1; i + 2 < argc; i += 3)
        put_type(p, orma_value_str(argv[i]), orma_value_str(argv[i + 1]));
    if (argc == 1)
        put_type(p, orma_str_from("samples"), orma_str_from("count"));
    return p;
}

static const char *wrong_arguments(int argc, sqlite3_value **argv)
{
    if (argc < 1 || (argc - 1) % 3 || argc > 1 + 3 * TYPES_MAX)
        return "expected a stack, and then type, unit and value for each value";
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB && !orma_value_is_null(argv[0]))
        return "the stack must come from CAT_STACKS() or a similar function";
    for (int i = 1; i < argc; i += 3) {
        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT ||
            sqlite3_value_type(argv[i + 1]) != SQLITE_TEXT ||
            sqlite3_value_type(argv[i + 2]) != SQLITE_INTEGER)
            return "types and units must be strings, values integers";
    }
    return NULL;
}

static void profile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct profile **state = ORMA_AGG_STATE(ctx, struct profile *);
    const char *wrong = wrong_arguments(argc, argv);
    struct orma_str stack;
    struct orma_pb_field f;
    struct sample *s;

    if (!state || (*state && (*state)->failed))
        return;
    if (!*state)
        *state = profile_new(orma_sql_of(ctx)->storage, argc, argv);
    if (wrong && *state) {
        (*state)->failed = true;
        orma_result_error(ctx, "EXPERIMENTAL_PROFILE: %s", wrong);
        return;
    }
    if (!*state) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    struct profile *p = *state;
    size_t at = p->stacks.len;
    stack = (struct orma_str){sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0])};
    struct orma_pb_reader r = orma_pb_reader(stack.data, stack.data ? stack.len : 0);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_STACK_ENTRIES)
            add_entry(p, &f);
    }
    s = p->stacks.failed || p->failed ? NULL : find_sample(p, at);
    if (!s) {
        p->failed = true;
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (int i = 0; i < p->types_num; i++)
        s->values[i] = (int64_t)((uint64_t)s->values[i] +
                                 (argc > 1 ? (uint64_t)sqlite3_value_int64(argv[3 * i + 3]) : 1));
}

static void put_sample(const struct profile *p, const struct sample *s, struct orma_buf *out)
{
    size_t at = orma_pb_begin(out, ORMA_PB_PPROF_PROFILE_SAMPLE), list;

    list = orma_pb_begin(out, ORMA_PB_PPROF_SAMPLE_LOCATION_ID);
    for (size_t i = 0; i < s->len; i++)
        orma_pb_put_raw_varint(out, (uint64_t)p->stacks.data[s->at + i]);
    orma_pb_end(out, list);
    list = orma_pb_begin(out, ORMA_PB_PPROF_SAMPLE_VALUE);
    for (int i = 0; i < p->types_num; i++)
        orma_pb_put_raw_varint(out, (uint64_t)s->values[i]);
    orma_pb_end(out, list);
    orma_pb_end(out, at);
}

static void profile_final(sqlite3_context *ctx)
{
    struct profile **state = sqlite3_aggregate_context(ctx, 0);
    struct profile *p = state ? *state : NULL;
    struct orma_buf out = {0};

    if (!p || p->failed) {
        profile_free(p);
        return;
    }
    orma_buf_put(&out, p->types.data, p->types.len);
    for (uint32_t i = 0; i < p->samples_num; i++)
        put_sample(p, &p->samples[i], &out);
    orma_buf_put(&out, p->mappings.data, p->mappings.len);
    orma_buf_put(&out, p->locations.data, p->locations.len);
    orma_buf_put(&out, p->functions.data, p->functions.len);
    orma_buf_put(&out, p->strings.data, p->strings.len);
    out.failed |= p->types.failed || p->mappings.failed || p->locations.failed ||
                  p->functions.failed || p->strings.failed;
    profile_free(p);
    orma_result_buf(ctx, &out, true);
}

const struct orma_sql_func orma_profiles_stacks[] = {
    {.name = "__intrinsic_perf_counter_for_sample",
     .args = 2,
     .scalar = counter_for_sample,
     .usage = "(sample_id, counter_name STRING) -> DOUBLE",
     .doc = "The value of the counter with this name, as read with the sample; NULL if it was not "
            "read. An unknown sample id is an error."},
    {.name = "stack_from_stack_profile_callsite",
     .args = 1,
     .scalar = stack_of_callsite,
     .usage = "(callsite_id) -> BYTES",
     .doc = "The stack of a call site; NULL for NULL."},
    {.name = "stack_from_stack_profile_callsite",
     .args = 2,
     .scalar = stack_of_callsite,
     .usage = "(callsite_id, annotate BOOL) -> BYTES",
     .doc = "The same; names are annotated with how their code was made, if known."},
    {.name = "stack_from_stack_profile_frame",
     .args = 1,
     .scalar = stack_of_frame,
     .usage = "(frame_id) -> BYTES",
     .doc = "A stack of one frame; NULL for NULL."},
    {.name = "cat_stacks",
     .args = -1,
     .scalar = cat_stacks,
     .usage = "(root, ..., leaf) -> BYTES",
     .doc = "Joins several stacks; a string is a frame of that name, NULL is skipped."},
    {.name = "experimental_profile",
     .args = -1,
     .step = profile_step,
     .final = profile_final,
     .usage = "(stack[, type, unit, value, ...]) -> BYTES",
     .doc = "Aggregate: a profile in pprof format; without values, it counts samples."},
    {0},
};
