/* Columns of a query in batches, by the C data interface of Arrow: the sum of each numeric column.
 */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include <orma/arrow.h>
#include <orma/processor.h>

namespace
{
struct Free {
    void operator()(orma_processor *tp) const
    {
        orma_processor_free(tp);
    }
};

int sum(ArrowArrayStream &stream)
{
    ArrowSchema schema;
    ArrowArray batch;
    int r = stream.get_schema(&stream, &schema);

    if (r)
        return r;
    double sums[64] = {};
    long long rows = 0;
    while (!(r = stream.get_next(&stream, &batch)) && batch.release) {
        rows += batch.length;
        for (int64_t c = 0; c < batch.n_children && c < 64; c++) {
            const ArrowArray &col = *batch.children[c];
            const char *format = schema.children[c]->format;

            for (int64_t i = col.offset; i < col.offset + col.length; i++) {
                if (!strcmp(format, "l"))
                    sums[c] += static_cast<double>(static_cast<const int64_t *>(col.buffers[1])[i]);
                else if (!strcmp(format, "g"))
                    sums[c] += static_cast<const double *>(col.buffers[1])[i];
            }
        }
        batch.release(&batch);
    }
    printf("%lld rows\n", rows);
    for (int64_t c = 0; c < schema.n_children && c < 64; c++)
        printf("%s (%s): %.0f\n", schema.children[c]->name, schema.children[c]->format, sums[c]);
    schema.release(&schema);
    return r;
}
} // namespace

int main(int argc, char **argv)
{
    orma_processor *made;
    orma_query *q;
    ArrowArrayStream stream;

    if (argc < 3 || orma_processor_new(nullptr, &made) < 0)
        return 2;
    std::unique_ptr<orma_processor, Free> tp(made);
    int r = orma_processor_load_file(tp.get(), argv[1], nullptr, nullptr);
    if (!r)
        r = orma_query_prepare(tp.get(), argv[2], ORMA_WHOLE, &q, nullptr);
    if (!r) {
        r = orma_query_arrow(q, 0, 0, &stream);
        if (r)
            orma_query_free(q);
    }
    if (!r) {
        r = sum(stream);
        if (r) {
            const char *error = stream.get_last_error(&stream);
            fprintf(stderr, "%s\n", error ? error : strerror(r));
        }
        stream.release(&stream);
    } else {
        fprintf(stderr, "%s\n", orma_processor_error(tp.get()));
    }
    return r != 0;
}
