/*
 * Messages as args: a walk by the schema, one arg per leaf, named by its path.
 * Also values of JSON text, which some messages carry.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_PROTO_ARGS_H
#define ORMA_PROCESSOR_IMPORT_CORE_PROTO_ARGS_H
#include "processor/import/core/arrays.h"
#include "protos/reflect/schema.h"

/* What the walk tells its caller about, and what it leaves out. May be empty. */
struct orma_proto_args {
    struct orma_import_ctx *imp;
    const struct orma_seq_gen *gen; /* for interned references; may be NULL */
    struct orma_args_list *ret;
    /* Fields of the outermost message that are wanted, besides extensions; NULL: all. */
    bool (*wanted)(uint32_t number);
    /* Takes a message before its name is added to the key, or a number after that; false: it is
       nothing special. May be NULL. */
    bool (*take_msg)(struct orma_proto_args *self, uint32_t msg, struct orma_str bytes,
                     struct orma_arg_key *key);
    bool (*take_num)(struct orma_proto_args *self, uint64_t num, struct orma_arg_key *key);
    struct orma_map *unknown; /* counts fields of the outermost message that the schema has not:
                                 file << 32 | number → how often; NULL: nobody asks */
    bool show_unknown;        /* fields that the schema has not are args by their numbers */
};

/* The schema of this import: the built-in one with what the trace describes itself. */
const struct orma_schema *orma_import_schema(const struct orma_import_ctx *imp);

/* False: there is no such message. */
bool orma_import_proto_args_put(struct orma_proto_args *self, uint32_t msg, struct orma_str bytes,
                                struct orma_arg_key *key);

/* A JSON value of any kind. False: the text is no JSON, or a number that may go on: nothing was
 * put. */
bool orma_import_json_args_put(struct orma_import_ctx *imp, struct orma_str text,
                               struct orma_arg_key *key, struct orma_import_arrays *arrays,
                               struct orma_args_list *ret);
#endif
