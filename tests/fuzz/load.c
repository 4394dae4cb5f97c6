#include "tests/fuzz/load.h"

#include <stdlib.h>

#include "processor/processor.h"
#include "sdk/base/defs.h"

/* Columns that are made when they are asked for, and what refers to rows of other tables. */
static const char *const queries[] = {
    "SELECT count(*), sum(length(key)), sum(int_value) FROM args",
    "SELECT sum(s.dur), count(t.name), max(s.depth) FROM slice s JOIN track t ON s.track_id = t.id",
    "SELECT count(f.name), max(c.depth) FROM stack_profile_callsite c "
    "LEFT JOIN stack_profile_frame f ON c.frame_id = f.id",
    "SELECT count(*), min(ts), sum(extract_arg(arg_set_id, 'prev_pid')) FROM ftrace_event",
    "SELECT count(*), sum(value) FROM counter JOIN counter_track t ON track_id = t.id",
    "SELECT count(*), sum(value) FROM stats",
};

static void ask(struct orma_processor *tp)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        struct orma_query *q;

        if (orma_query_prepare(tp, queries[i], SIZE_MAX, &q, NULL) != 0)
            abort(); /* they are right whatever the trace is */
        while (orma_query_step(q) == 1)
            ;
        orma_query_free(q);
    }
}

int fuzz_load(const uint8_t *data, size_t size, size_t step)
{
    struct orma_processor *tp;
    int r = 0;

    if (orma_processor_new(NULL, &tp) < 0)
        return -1;
    for (size_t pos = 0, n; pos < size && !r; pos += n) {
        n = step ? ORMA_MIN(step, size - pos) : size;
        r = orma_processor_feed(tp, data + pos, n);
    }
    if (!r)
        r = orma_processor_finish(tp);
    if (!r)
        ask(tp);
    else if (!orma_processor_error(tp)[0])
        abort(); /* a failure without a word */
    orma_processor_free(tp);
    return r;
}
