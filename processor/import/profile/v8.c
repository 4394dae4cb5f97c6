/*
 * Code that V8 made: of JavaScript, WebAssembly, regular expressions, and its own.
 *
 * A packet is a piece of code and what it belongs to, which is interned:
 *
 *   code ─► function ─► script ─► isolate ─► process
 *
 * Each becomes a row when the first packet needs it, and is found again by what it says, since the
 * numbers of interned things are those of a sequence. Code must lie where its isolate keeps code:
 * what V8 interprets lies nowhere, and has its bytes instead.
 */
#include "processor/import/core/msg.h"
#include "processor/import/core/proto_args.h"
#include "processor/import/profile/jit.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/base/utf8.h"

enum {
    ISOLATE_PID = 2,
    ISOLATE_ID,
    ISOLATE_RANGE,
    ISOLATE_BLOB,
    ISOLATE_BLOB_SIZE,
    ISOLATE_FIELDS
};
enum { RANGE_BASE = 1, RANGE_SIZE, RANGE_BLOB_COPY, RANGE_SHARED, RANGE_FIELDS };
enum { SCRIPT_ID = 2, SCRIPT_TYPE, SCRIPT_NAME, SCRIPT_SOURCE, SCRIPT_FIELDS };
enum { WASM_ID = 2, WASM_URL, WASM_BYTES, WASM_FIELDS };
enum {
    FUNCTION_NAME = 2,
    FUNCTION_SCRIPT,
    FUNCTION_TOPLEVEL,
    FUNCTION_KIND,
    FUNCTION_OFFSET,
    FUNCTION_LINE,
    FUNCTION_COLUMN,
    FUNCTION_FIELDS
};
enum { CODE_ISOLATE = 1, CODE_TID };
enum { JS_FUNCTION = 3, JS_TIER, JS_START, JS_SIZE, JS_CODE, JS_BYTECODE, JS_FIELDS };
enum { OWN_NAME = 3, OWN_TYPE, OWN_START = 6, OWN_SIZE, OWN_CODE, OWN_FIELDS };
enum {
    WCODE_SCRIPT = 3,
    WCODE_NAME,
    WCODE_TIER,
    WCODE_OFFSET,
    WCODE_START,
    WCODE_SIZE,
    WCODE_CODE,
    WCODE_FIELDS
};
enum { REGEXP_PATTERN = 3, REGEXP_START, REGEXP_SIZE, REGEXP_CODE, REGEXP_FIELDS };
enum { MOVE_FROM = 3, MOVE_TO, MOVE_SIZE, MOVE_CODE, MOVE_FIELDS };
enum { STRING_LATIN1 = 1, STRING_UTF16_LE, STRING_UTF16_BE, STRING_FIELDS };
enum { TIER_UNKNOWN, TIER_IGNITION };
#define RANGES_MAX 3

struct range {
    uint64_t start, size;
};

/* A piece of code that is read: whose it is, and where code of that isolate may lie. */
struct code {
    struct orma_import_ctx *imp;
    const struct orma_item *item;
    uint32_t upid, utid, isolate;
    struct range ranges[RANGES_MAX];
    unsigned ranges_num;
};

static void count(const struct code *c, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(c->imp->model, c->item->machine), stat);
}

/* ---- texts ---- */

static void put_utf16(struct orma_buf *out, struct orma_str bytes, unsigned high)
{
    for (size_t i = 0; i + 1 < bytes.len; i += 2) {
        uint32_t unit =
            (uint32_t)(uint8_t)bytes.data[i + high] << 8 | (uint8_t)bytes.data[i + 1 - high];

        if (unit >> 10 == 0xd800 >> 10 && i + 3 < bytes.len) {
            uint32_t low = (uint32_t)(uint8_t)bytes.data[i + 2 + high] << 8 |
                           (uint8_t)bytes.data[i + 3 - high];

            if (low >> 10 == 0xdc00 >> 10) {
                unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
                i += 2;
            }
        }
        if (!orma_utf8_put(out, unit))
            (void)orma_utf8_put(out, 0xfffd); /* half of a pair */
    }
}

/* A text in one of three forms, whose fields have the numbers `at` and up; 0: none. */
static uint32_t text_of(struct orma_import_ctx *imp, struct orma_str bytes, unsigned at)
{
    struct orma_pb_field f[STRING_FIELDS + 1];
    struct orma_buf text = {0};

    orma_msg_read(bytes, f, STRING_FIELDS + 1);
    struct orma_str latin1 = orma_pb_str(&f[at]);
    for (size_t i = 0; i < latin1.len; i++)
        (void)orma_utf8_put(&text, (uint8_t)latin1.data[i]);
    put_utf16(&text, orma_pb_str(&f[at + 1]), 1);
    put_utf16(&text, orma_pb_str(&f[at + 2]), 0);
    imp->model->storage->failed |= text.failed;
    uint32_t ret = orma_model_str(imp->model, orma_buf_str(&text));
    orma_buf_fini(&text);
    return ret;
}

/* The name of a value, without what all names of the enum begin with. */
static uint32_t word(struct orma_import_ctx *imp, const char *type, const char *prefix,
                     const struct orma_pb_field *f)
{
    const struct orma_schema *schema = orma_schema_default();
    const char *name = orma_schema_value_name(
        schema, orma_schema_find_enum(schema, orma_str_from(type)), orma_pb_i32(f));

    if (!name)
        return orma_model_lit(imp->model, "UNKNOWN");
    return orma_model_cstr(imp->model,
                           name + (strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix)));
}

/* ---- what code belongs to ---- */

static struct orma_interned *interned(const struct code *c, uint32_t kind,
                                      const struct orma_pb_field *iid)
{
    struct orma_interned *e =
        c->item->gen ? orma_seq_gen_find(c->item->gen, kind, orma_pb_u64(iid)) : NULL;

    if (!e)
        count(c, ORMA_STAT_V8_INTERN_ERRORS);
    return e;
}

static struct orma_str bytes_of(const struct orma_interned *e)
{
    return (struct orma_str){(const char *)e->data, e->len};
}

/* The row that says the same, or a new one (true). */
static bool found_or_added(const struct code *c, enum orma_table_id table, const uint64_t *parts,
                           unsigned parts_num, uint32_t *ret)
{
    struct orma_map *map = &orma_profile(c->imp)->v8_rows;
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, &table, sizeof(table));

    key = orma_fnv1a(key, parts, parts_num * sizeof(*parts));
    uint64_t have = orma_map_get(map, key);
    if (have != ORMA_MAP_NONE) {
        *ret = (uint32_t)have;
        return false;
    }
    *ret = orma_table_add(orma_model_table(c->imp->model, table));
    if (orma_map_put(map, key, *ret))
        c->imp->model->storage->failed = true;
    return true;
}

static void add_isolate_row(const struct code *c, const struct orma_pb_field *f,
                            const struct orma_pb_field *range)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_ISOLATE);
    static const struct orma_msg_column of_range[] = {
        {RANGE_BASE, ORMA_V8_ISOLATE_CODE_RANGE_BASE_ADDRESS, ORMA_MSG_INT, true},
        {RANGE_SIZE, ORMA_V8_ISOLATE_CODE_RANGE_SIZE, ORMA_MSG_INT, true},
        {RANGE_SHARED, ORMA_V8_ISOLATE_SHARED_CODE_RANGE, ORMA_MSG_U32, true},
        {RANGE_BLOB_COPY, ORMA_V8_ISOLATE_EMBEDDED_BLOB_CODE_COPY_START_ADDRESS, ORMA_MSG_INT,
         false},
    };
    static const struct orma_msg_column own[] = {
        {ISOLATE_ID, ORMA_V8_ISOLATE_INTERNAL_ISOLATE_ID, ORMA_MSG_I32, true},
        {ISOLATE_BLOB, ORMA_V8_ISOLATE_EMBEDDED_BLOB_CODE_START_ADDRESS, ORMA_MSG_INT, true},
        {ISOLATE_BLOB_SIZE, ORMA_V8_ISOLATE_EMBEDDED_BLOB_CODE_SIZE, ORMA_MSG_INT, true},
    };

    orma_table_set(t, ORMA_V8_ISOLATE_UPID, c->isolate, c->upid);
    orma_msg_set_columns(c->imp, t, c->isolate, own, ORMA_ARRAY_LEN(own), f);
    orma_msg_set_columns(c->imp, t, c->isolate, of_range, ORMA_ARRAY_LEN(of_range), range);
}

static void add_range(struct code *c, const struct orma_pb_field *start,
                      const struct orma_pb_field *size)
{
    if (start->id && orma_pb_u64(size))
        c->ranges[c->ranges_num++] = (struct range){orma_pb_u64(start), orma_pb_u64(size)};
}

/* False: nobody knows it, or it has no place for code. */
static bool find_isolate(struct code *c, const struct orma_pb_field *iid, uint32_t tid)
{
    struct orma_processes *p = orma_model_processes(c->imp->model, c->item->machine);
    const struct orma_interned *e = interned(c, ORMA_PB_INTERNED_DATA_V8_ISOLATE, iid);
    struct orma_pb_field f[ISOLATE_FIELDS], range[RANGE_FIELDS];

    if (!e)
        return false;
    orma_msg_read(bytes_of(e), f, ISOLATE_FIELDS);
    orma_msg_read(orma_pb_str(&f[ISOLATE_RANGE]), range, RANGE_FIELDS);
    if (!f[ISOLATE_RANGE].id) {
        count(c, ORMA_STAT_V8_ISOLATE_HAS_NO_CODE_RANGE);
        return false;
    }
    c->upid = orma_processes_process(p, orma_pb_u32(&f[ISOLATE_PID]));
    c->utid = orma_processes_thread_of(p, tid, orma_pb_u32(&f[ISOLATE_PID]));
    const uint64_t parts[] = {c->upid, orma_pb_u32(&f[ISOLATE_ID])};
    if (found_or_added(c, ORMA_TABLE_V8_ISOLATE, parts, 2, &c->isolate))
        add_isolate_row(c, f, range);
    add_range(c, &range[RANGE_BASE], &range[RANGE_SIZE]);
    add_range(c, &f[ISOLATE_BLOB], &f[ISOLATE_BLOB_SIZE]);
    add_range(c, &range[RANGE_BLOB_COPY], &f[ISOLATE_BLOB_SIZE]);
    return true;
}

/* ORMA_ROW_NONE: nobody knows it. */
static uint32_t js_script(const struct code *c, const struct orma_pb_field *iid)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_JS_SCRIPT);
    const struct orma_interned *e = interned(c, ORMA_PB_INTERNED_DATA_V8_JS_SCRIPT, iid);
    struct orma_pb_field f[SCRIPT_FIELDS];
    uint32_t row;

    if (!e)
        return ORMA_ROW_NONE;
    orma_msg_read(bytes_of(e), f, SCRIPT_FIELDS);
    const uint64_t parts[] = {c->isolate, orma_pb_u32(&f[SCRIPT_ID])};
    if (!found_or_added(c, ORMA_TABLE_V8_JS_SCRIPT, parts, 2, &row))
        return row;
    orma_table_set(t, ORMA_V8_JS_SCRIPT_V8_ISOLATE_ID, row, c->isolate);
    orma_table_set(t, ORMA_V8_JS_SCRIPT_INTERNAL_SCRIPT_ID, row, orma_pb_i32(&f[SCRIPT_ID]));
    orma_table_set(
        t, ORMA_V8_JS_SCRIPT_SCRIPT_TYPE, row,
        word(c->imp, "perfetto.protos.InternedV8JsScript.Type", "TYPE_", &f[SCRIPT_TYPE]));
    orma_table_set(t, ORMA_V8_JS_SCRIPT_NAME, row,
                   text_of(c->imp, orma_pb_str(&f[SCRIPT_NAME]), STRING_LATIN1));
    if (f[SCRIPT_SOURCE].id)
        orma_table_set(t, ORMA_V8_JS_SCRIPT_SOURCE, row,
                       text_of(c->imp, orma_pb_str(&f[SCRIPT_SOURCE]), STRING_LATIN1));
    return row;
}

static uint32_t wasm_script(const struct code *c, const struct orma_pb_field *iid)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_WASM_SCRIPT);
    const struct orma_interned *e = interned(c, ORMA_PB_INTERNED_DATA_V8_WASM_SCRIPT, iid);
    struct orma_pb_field f[WASM_FIELDS];
    uint32_t row;

    if (!e)
        return ORMA_ROW_NONE;
    orma_msg_read(bytes_of(e), f, WASM_FIELDS);
    const uint64_t parts[] = {c->isolate, orma_pb_u32(&f[WASM_ID])};
    if (!found_or_added(c, ORMA_TABLE_V8_WASM_SCRIPT, parts, 2, &row))
        return row;
    orma_table_set(t, ORMA_V8_WASM_SCRIPT_V8_ISOLATE_ID, row, c->isolate);
    orma_table_set(t, ORMA_V8_WASM_SCRIPT_INTERNAL_SCRIPT_ID, row, orma_pb_i32(&f[WASM_ID]));
    orma_table_set(t, ORMA_V8_WASM_SCRIPT_URL, row, orma_msg_text(c->imp, &f[WASM_URL]));
    if (f[WASM_BYTES].id)
        orma_table_set(t, ORMA_V8_WASM_SCRIPT_WIRE_BYTES_BASE64, row,
                       orma_profile_jit_base64(c->imp, orma_pb_str(&f[WASM_BYTES])));
    return row;
}

/* Where a function begins: a line and a column, or only how far into the text. */
static void set_place(struct orma_table *t, uint32_t row, const struct orma_pb_field *f)
{
    bool told = f[FUNCTION_LINE].id && f[FUNCTION_COLUMN].id;

    if (!told && f[FUNCTION_OFFSET].id) {
        orma_table_set(t, ORMA_V8_JS_FUNCTION_LINE, row, 1);
        orma_table_set(t, ORMA_V8_JS_FUNCTION_COL, row, orma_pb_u32(&f[FUNCTION_OFFSET]));
        return;
    }
    if (f[FUNCTION_LINE].id)
        orma_table_set(t, ORMA_V8_JS_FUNCTION_LINE, row, orma_pb_u32(&f[FUNCTION_LINE]));
    if (f[FUNCTION_COLUMN].id)
        orma_table_set(t, ORMA_V8_JS_FUNCTION_COL, row, orma_pb_u32(&f[FUNCTION_COLUMN]));
}

static uint32_t js_function(const struct code *c, const struct orma_pb_field *iid)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_JS_FUNCTION);
    const struct orma_interned *e = interned(c, ORMA_PB_INTERNED_DATA_V8_JS_FUNCTION, iid), *name;
    struct orma_pb_field f[FUNCTION_FIELDS];
    uint32_t row, script;

    if (!e)
        return ORMA_ROW_NONE;
    orma_msg_read(bytes_of(e), f, FUNCTION_FIELDS);
    name = interned(c, ORMA_PB_INTERNED_DATA_V8_JS_FUNCTION_NAME, &f[FUNCTION_NAME]);
    script = name ? js_script(c, &f[FUNCTION_SCRIPT]) : ORMA_ROW_NONE;
    if (script == ORMA_ROW_NONE)
        return ORMA_ROW_NONE;
    uint32_t text = text_of(c->imp, bytes_of(name), STRING_LATIN1 + 1);
    uint64_t parts[FUNCTION_FIELDS * 2] = {text, script};
    for (unsigned i = FUNCTION_TOPLEVEL; i < FUNCTION_FIELDS; i++) {
        parts[2 * i - 2] = f[i].id;
        parts[2 * i - 1] = orma_pb_u64(&f[i]);
    }
    if (!found_or_added(c, ORMA_TABLE_V8_JS_FUNCTION, parts, ORMA_ARRAY_LEN(parts), &row))
        return row;
    orma_table_set(t, ORMA_V8_JS_FUNCTION_NAME, row, text);
    orma_table_set(t, ORMA_V8_JS_FUNCTION_V8_JS_SCRIPT_ID, row, script);
    orma_table_set(t, ORMA_V8_JS_FUNCTION_IS_TOPLEVEL, row, orma_pb_bool(&f[FUNCTION_TOPLEVEL]));
    orma_table_set(
        t, ORMA_V8_JS_FUNCTION_KIND, row,
        word(c->imp, "perfetto.protos.InternedV8JsFunction.Kind", "KIND_", &f[FUNCTION_KIND]));
    set_place(t, row, f);
    return row;
}

/* ---- code ---- */

/* True: code of the isolate may lie there, with all it has. */
static bool is_inside(const struct code *c, const struct orma_pb_field *start,
                      const struct orma_pb_field *size)
{
    uint64_t from = orma_pb_u64(start), len = orma_pb_u64(size);

    for (unsigned i = 0; start->id && size->id && i < c->ranges_num; i++) {
        const struct range *r = &c->ranges[i];

        if (from >= r->start && from - r->start < r->size && len <= r->size - (from - r->start))
            return true;
    }
    return false;
}

/* `f`: where it begins, its size, its bytes. ORMA_ROW_NONE, and counted: not in its place. */
static uint32_t load(const struct code *c, const struct orma_pb_field *f, uint32_t name)
{
    const struct orma_profile_jit_code code = {
        .ts = c->item->ts,
        .upid = c->upid,
        .utid = c->utid,
        .start = orma_pb_u64(&f[0]),
        .size = orma_pb_u64(&f[1]),
        .name = name,
        .bytes = orma_pb_str(&f[2]),
    };

    if (is_inside(c, &f[0], &f[1]))
        return orma_profile_jit_load(c->imp, &code);
    count(c, ORMA_STAT_V8_NO_CODE_RANGE);
    return ORMA_ROW_NONE;
}

static void js_code(const struct code *c)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_JS_CODE);
    struct orma_pb_field f[JS_FIELDS];
    uint32_t jit = ORMA_ROW_NONE;

    orma_msg_read(orma_msg_item(c->item), f, JS_FIELDS);
    uint32_t function = js_function(c, &f[JS_FUNCTION]);
    uint64_t tier = orma_pb_u64(&f[JS_TIER]);
    if (function == ORMA_ROW_NONE)
        return;
    if (tier == TIER_UNKNOWN) {
        count(c, ORMA_STAT_V8_UNKNOWN_CODE_TYPE);
        return;
    }
    bool bytecode = tier == TIER_IGNITION && !is_inside(c, &f[JS_START], &f[JS_SIZE]);
    uint32_t name =
        (uint32_t)orma_table_int(orma_model_table(c->imp->model, ORMA_TABLE_V8_JS_FUNCTION),
                                 ORMA_V8_JS_FUNCTION_NAME, function);
    if (!bytecode && (jit = load(c, &f[JS_START], name)) == ORMA_ROW_NONE)
        return;
    uint32_t row = orma_table_add(t);
    if (!bytecode)
        orma_table_set(t, ORMA_V8_JS_CODE_JIT_CODE_ID, row, jit);
    else if (f[JS_BYTECODE].id)
        orma_table_set(t, ORMA_V8_JS_CODE_BYTECODE_BASE64, row,
                       orma_profile_jit_base64(c->imp, orma_pb_str(&f[JS_BYTECODE])));
    orma_table_set(t, ORMA_V8_JS_CODE_V8_JS_FUNCTION_ID, row, function);
    orma_table_set(t, ORMA_V8_JS_CODE_TIER, row,
                   word(c->imp, "perfetto.protos.V8JsCode.Tier", "TIER_", &f[JS_TIER]));
}

static void own_code(const struct code *c)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_INTERNAL_CODE);
    struct orma_pb_field f[OWN_FIELDS];

    orma_msg_read(orma_msg_item(c->item), f, OWN_FIELDS);
    uint32_t name = orma_msg_text(c->imp, &f[OWN_NAME]), jit = load(c, &f[OWN_START], name);
    if (jit == ORMA_ROW_NONE)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_V8_INTERNAL_CODE_JIT_CODE_ID, row, jit);
    orma_table_set(t, ORMA_V8_INTERNAL_CODE_V8_ISOLATE_ID, row, c->isolate);
    orma_table_set(t, ORMA_V8_INTERNAL_CODE_FUNCTION_NAME, row, name);
    orma_table_set(t, ORMA_V8_INTERNAL_CODE_CODE_TYPE, row,
                   word(c->imp, "perfetto.protos.V8InternalCode.Type", "TYPE_", &f[OWN_TYPE]));
}

static void wasm_code(const struct code *c)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_WASM_CODE);
    struct orma_pb_field f[WCODE_FIELDS];

    orma_msg_read(orma_msg_item(c->item), f, WCODE_FIELDS);
    uint32_t script = wasm_script(c, &f[WCODE_SCRIPT]);
    uint32_t name = orma_msg_text(c->imp, &f[WCODE_NAME]), jit;
    if (script == ORMA_ROW_NONE || (jit = load(c, &f[WCODE_START], name)) == ORMA_ROW_NONE)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_V8_WASM_CODE_JIT_CODE_ID, row, jit);
    orma_table_set(t, ORMA_V8_WASM_CODE_V8_ISOLATE_ID, row, c->isolate);
    orma_table_set(t, ORMA_V8_WASM_CODE_V8_WASM_SCRIPT_ID, row, script);
    orma_table_set(t, ORMA_V8_WASM_CODE_FUNCTION_NAME, row, name);
    orma_table_set(t, ORMA_V8_WASM_CODE_TIER, row,
                   word(c->imp, "perfetto.protos.V8WasmCode.Tier", "TIER_", &f[WCODE_TIER]));
    orma_table_set(t, ORMA_V8_WASM_CODE_CODE_OFFSET_IN_MODULE, row, orma_pb_i32(&f[WCODE_OFFSET]));
}

static void regexp_code(const struct code *c)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_V8_REGEXP_CODE);
    struct orma_pb_field f[REGEXP_FIELDS];

    orma_msg_read(orma_msg_item(c->item), f, REGEXP_FIELDS);
    uint32_t pattern = text_of(c->imp, orma_pb_str(&f[REGEXP_PATTERN]), STRING_LATIN1);
    uint32_t jit = load(c, &f[REGEXP_START], pattern);
    if (jit == ORMA_ROW_NONE)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_V8_REGEXP_CODE_JIT_CODE_ID, row, jit);
    orma_table_set(t, ORMA_V8_REGEXP_CODE_V8_ISOLATE_ID, row, c->isolate);
    orma_table_set(t, ORMA_V8_REGEXP_CODE_PATTERN, row, pattern);
}

static void move(const struct code *c)
{
    struct orma_pb_field f[MOVE_FIELDS];
    struct orma_profile_jit_code to = {.ts = c->item->ts, .upid = c->upid, .utid = c->utid};

    orma_msg_read(orma_msg_item(c->item), f, MOVE_FIELDS);
    to.start = orma_pb_u64(&f[MOVE_TO]);
    to.bytes = orma_pb_str(&f[MOVE_CODE]);
    if (!f[MOVE_TO].id)
        return; /* bytes that are interpreted */
    if (!is_inside(c, &f[MOVE_TO], &f[MOVE_SIZE]))
        count(c, ORMA_STAT_V8_NO_CODE_RANGE);
    else if (orma_profile_jit_move(c->imp, &to, orma_pb_u64(&f[MOVE_FROM])) == ORMA_ROW_NONE)
        count(c, ORMA_STAT_V8_CODE_LOAD_MISSING_CODE_RANGE);
}

/* ---- packets ---- */

/* The thread that the sequence names; false: it names none. */
static bool default_tid(const struct orma_item *item, uint32_t *ret)
{
    struct orma_pb_field f[ORMA_PB_TRACE_PACKET_DEFAULTS_V8_CODE_DEFAULTS + 1], tid[2];

    if (!item->gen)
        return false;
    orma_msg_read(item->gen->defaults, f, ORMA_ARRAY_LEN(f));
    orma_msg_read(orma_pb_str(&f[ORMA_PB_TRACE_PACKET_DEFAULTS_V8_CODE_DEFAULTS]), tid, 2);
    *ret = orma_pb_u32(&tid[1]);
    return tid[1].id;
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct code c = {.imp = imp, .item = item};
    struct orma_pb_field f[CODE_TID + 1];
    uint32_t tid;

    orma_msg_read(orma_msg_item(item), f, CODE_TID + 1);
    tid = orma_pb_u32(&f[CODE_TID]);
    if (!f[CODE_TID].id && !default_tid(item, &tid)) {
        count(&c, ORMA_STAT_V8_NO_DEFAULTS);
        return;
    }
    if (!find_isolate(&c, &f[CODE_ISOLATE], tid))
        return;
    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_V8_JS_CODE:
        js_code(&c);
        break;
    case ORMA_PB_TRACE_PACKET_V8_INTERNAL_CODE:
        own_code(&c);
        break;
    case ORMA_PB_TRACE_PACKET_V8_WASM_CODE:
        wasm_code(&c);
        break;
    case ORMA_PB_TRACE_PACKET_V8_REG_EXP_CODE:
        regexp_code(&c);
        break;
    default:
        move(&c);
    }
}

static void fini(struct orma_import_ctx *imp)
{
    orma_map_fini(&orma_profile(imp)->v8_rows);
    orma_profile_jit_fini(imp);
}

static const uint16_t fields[] = {
    ORMA_PB_TRACE_PACKET_V8_JS_CODE,   ORMA_PB_TRACE_PACKET_V8_INTERNAL_CODE,
    ORMA_PB_TRACE_PACKET_V8_WASM_CODE, ORMA_PB_TRACE_PACKET_V8_REG_EXP_CODE,
    ORMA_PB_TRACE_PACKET_V8_CODE_MOVE, 0};
const struct orma_importer orma_profile_v8_importer = {
    .name = "v8", .fields = fields, .parse = parse, .fini = fini};
