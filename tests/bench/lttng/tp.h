/* Trace points of LTTng-UST, of the same content as those of bench_sdk.c. Included several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER orma_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"

#if !defined(ORMA_BENCH_LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ORMA_BENCH_LTTNG_TP_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(orma_bench, slice_begin, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(orma_bench, slice_end, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(orma_bench, two,
    LTTNG_UST_TP_ARGS(uint64_t, i, uint64_t, j),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, i, i)
        lttng_ust_field_integer(uint64_t, j, j)
    )
)
/* clang-format on */
#endif

#include <lttng/tracepoint-event.h>
