/* The protobuf reader over any bytes: it must end, stay inside, and keep its promises. */
#include <stdlib.h>

#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define DEPTH_MAX 8

/* Every field, and into every field of bytes as if it were a message and as if it were packed
 * numbers. */
static size_t walk(struct orma_pb_reader r, int depth)
{
    const uint8_t *begin = r.pos, *end = r.end;
    struct orma_pb_field f;
    size_t fields = 0;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed;
        uint64_t num;

        fields++;
        if (f.id == 0 || f.id > ORMA_PB_ID_MAX)
            abort();
        if (f.wire == ORMA_PB_LEN && f.len && (f.data < begin || f.len > (size_t)(end - f.data)))
            abort();
        (void)orma_pb_sint(&f);
        (void)orma_pb_double(&f);
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &num);)
            fields++;
        if (f.wire == ORMA_PB_LEN && depth < DEPTH_MAX)
            fields += walk(orma_pb_sub(&f), depth + 1);
    }
    if (r.pos != r.end)
        abort(); /* at the end, or failed: nothing is left either way */
    return fields;
}

/* What is written from the fields that were read reads back the same. */
static void rewrite(struct orma_pb_reader r)
{
    struct orma_buf out = {0};
    struct orma_pb_field f, g;
    struct orma_pb_reader again = r;

    while (orma_pb_next(&r, &f)) {
        if (f.wire == ORMA_PB_LEN)
            orma_pb_put_bytes(&out, f.id, f.data, f.len);
        else if (f.wire == ORMA_PB_VARINT)
            orma_pb_put_u64(&out, f.id, f.num);
        else if (f.wire == ORMA_PB_I64)
            orma_pb_put_fixed64(&out, f.id, f.num);
        else
            orma_pb_put_fixed32(&out, f.id, (uint32_t)f.num);
    }
    struct orma_pb_reader copy = orma_pb_reader(out.data, out.len);
    while (orma_pb_next(&copy, &g)) {
        if (!orma_pb_next(&again, &f) || f.id != g.id || f.num != g.num || f.len != g.len)
            abort();
    }
    if (copy.failed)
        abort();
    orma_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk(orma_pb_reader(data, size), 0);
    rewrite(orma_pb_reader(data, size));
    return 0;
}
