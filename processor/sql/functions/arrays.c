/* Bytes that rows name by number: arrays of heap dumps (heap_graph_object_data), frames of videos.
 */
#include <math.h>

#include "processor/sql/functions/functions.h"

/* Types of elements: those of the format, see import/formats/hprof.h. */
enum { T_BOOLEAN = 4, T_CHAR, T_FLOAT, T_DOUBLE, T_BYTE, T_SHORT, T_INT, T_LONG };

static bool find_array(sqlite3_context *ctx, const char *name, sqlite3_value *val,
                       struct orma_str *ret, uint8_t *ret_type)
{
    if (orma_value_is_null(val))
        return false;
    if (sqlite3_value_type(val) != SQLITE_INTEGER) {
        orma_result_error(ctx, "%s: the argument must be an array_data_id, an integer", name);
        return false;
    }
    *ret = orma_blobs_get(&orma_sql_of(ctx)->storage->arrays, sqlite3_value_int64(val), ret_type);
    return ret->data;
}

static void array(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str bytes;
    uint8_t type;

    (void)argc;
    if (find_array(ctx, "__intrinsic_heap_graph_array", argv[0], &bytes, &type))
        sqlite3_result_blob64(ctx, bytes.data, bytes.len, SQLITE_TRANSIENT);
}

static unsigned size_of(uint8_t type)
{
    static const uint8_t sizes[] = {[T_BOOLEAN] = 1, [T_CHAR] = 2,  [T_FLOAT] = 4, [T_DOUBLE] = 8,
                                    [T_BYTE] = 1,    [T_SHORT] = 2, [T_INT] = 4,   [T_LONG] = 8};

    return type < ORMA_ARRAY_LEN(sizes) ? sizes[type] : 0;
}

static void put_real(struct orma_buf *out, double val, int digits)
{
    if (isfinite(val))
        orma_buf_printf(out, "%.*g", digits, val);
    else
        orma_buf_put_str(out, "null");
}

/* One element; `bits` is its value without sign. */
static void put_element(struct orma_buf *out, uint8_t type, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    switch (type) {
    case T_BOOLEAN:
        orma_buf_put_str(out, bits ? "true" : "false");
        break;
    case T_FLOAT:
        memcpy(&f, &low, sizeof(f));
        put_real(out, (double)f, 9);
        break;
    case T_DOUBLE:
        memcpy(&d, &bits, sizeof(d));
        put_real(out, d, 17);
        break;
    case T_CHAR:
        orma_buf_printf(out, "%u", (unsigned)bits);
        break;
    case T_BYTE:
        orma_buf_printf(out, "%d", (int8_t)bits);
        break;
    case T_SHORT:
        orma_buf_printf(out, "%d", (int16_t)bits);
        break;
    case T_INT:
        orma_buf_printf(out, "%d", (int32_t)bits);
        break;
    default:
        orma_buf_printf(out, "%lld", (long long)bits);
    }
}

static void array_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_str bytes;
    uint8_t type;

    (void)argc;
    if (!find_array(ctx, "__intrinsic_heap_graph_array_json", argv[0], &bytes, &type))
        return;
    unsigned size = size_of(type);
    orma_buf_put_byte(&out, '[');
    for (size_t at = 0; size && at + size <= bytes.len && !out.failed; at += size) {
        uint64_t bits = 0;

        for (unsigned i = 0; i < size; i++)
            bits = bits << 8 | (uint8_t)bytes.data[at + i];
        if (at)
            orma_buf_put_byte(&out, ',');
        put_element(&out, type, bits);
        if (at / size % 4096 == 4095 && orma_sql_is_interrupted(orma_sql_of(ctx))) {
            orma_buf_fini(&out);
            sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
            return;
        }
    }
    orma_buf_put_byte(&out, ']');
    orma_result_buf(ctx, &out, false);
}

static void frame_data(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str bytes;
    uint8_t tag;

    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
        return;
    bytes = orma_blobs_get(&orma_sql_of(ctx)->storage->video, sqlite3_value_int64(argv[0]), &tag);
    if (bytes.data)
        sqlite3_result_blob64(ctx, bytes.data, bytes.len, SQLITE_TRANSIENT);
}

const struct orma_sql_func orma_functions_arrays[] = {
    {.name = "__intrinsic_heap_graph_array",
     .args = 1,
     .scalar = array,
     .usage = "(array_data_id) -> BYTES",
     .doc = "The elements of an array in a heap dump, in the dump's big-endian bytes; NULL if "
            "there is none. The id comes from heap_graph_object_data."},
    {.name = "__intrinsic_heap_graph_array_json",
     .args = 1,
     .scalar = array_json,
     .usage = "(array_data_id) -> STRING",
     .doc = "The same as a JSON list; characters are numbers, not-a-number is null."},
    {.name = "__intrinsic_video_frame_au_data",
     .args = 1,
     .scalar = frame_data,
     .usage = "(id) -> BYTES",
     .doc = "The encoded bytes of a row of video_frames; NULL if there is no such row."},
    {0},
};
