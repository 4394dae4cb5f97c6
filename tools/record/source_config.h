/*
 * One data source of a TraceConfig that is being written:
 *
 *     struct orma_record_open_source s = orma_record_source_begin(out, "linux.ftrace");
 *     ... fields of DataSourceConfig ...
 *     orma_record_source_end(out, s);
 */
#ifndef ORMA_TOOLS_SOURCE_CONFIG_H
#define ORMA_TOOLS_SOURCE_CONFIG_H
#include "protos/fields/config.h"
#include "sdk/wire/pb_writer.h"

struct orma_record_open_source {
    size_t source, config;
};

/* data_sources { config { name: ... target_buffer: ..., both messages left open. */
static inline struct orma_record_open_source
orma_record_source_begin_in(struct orma_buf *out, const char *name, uint32_t buffer)
{
    struct orma_record_open_source s = {.source =
                                            orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_DATA_SOURCES)};

    s.config = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);
    orma_pb_put_cstr(out, ORMA_PB_DATA_SOURCE_CONFIG_NAME, name);
    orma_pb_put_u64(out, ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER, buffer);
    return s;
}

static inline struct orma_record_open_source orma_record_source_begin(struct orma_buf *out,
                                                                      const char *name)
{
    return orma_record_source_begin_in(out, name, 0);
}

static inline void orma_record_source_end(struct orma_buf *out, struct orma_record_open_source s)
{
    orma_pb_end(out, s.config);
    orma_pb_end(out, s.source);
}
#endif
