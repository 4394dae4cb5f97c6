/*
 * Protobuf sources (.proto) as a descriptor set: for extensions of metrics,
 * which users write as text.
 *
 * Understood: proto2 and proto3 files with messages, enums, extensions, oneofs,
 * defaults aside. Options, reserved names, ranges and services are skipped;
 * groups and maps are refused. Imports are not read: types are looked for in the
 * files given together and in the schema.
 */
#ifndef ORMA_PROCESSOR_METRICS_PROTO_SOURCE_H
#define ORMA_PROCESSOR_METRICS_PROTO_SOURCE_H
#include "protos/reflect/schema.h"

struct orma_proto_source {
    const char *name; /* for messages, and of the file in the set */
    struct orma_str text;
};

/*
 * Appends a FileDescriptorSet. 0; -EBADMSG: "name:line: what" in `error`, `out` is as it was;
 * -ENOMEM.
 */
int orma_proto_sources_parse(const struct orma_schema *schema,
                             const struct orma_proto_source *files, size_t num,
                             struct orma_buf *out, struct orma_buf *error);
#endif
