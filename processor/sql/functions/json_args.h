/*
 * Flat argument keys ("a.b[2].c") as nested JSON objects and arrays. Collects
 * the arguments of one event, then prints them; reused from event to event.
 */
#ifndef ORMA_PROCESSOR_SQL_JSON_ARGS_H
#define ORMA_PROCESSOR_SQL_JSON_ARGS_H
#include <stdbool.h>

#include "sdk/base/arena.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"

struct orma_json_node;

struct orma_json_args {
    struct orma_arena arena;     /* nodes and texts of this event */
    struct orma_map index;       /* hash of parent and name -> node, in chains */
    struct orma_json_node *root; /* NULL: no argument yet */
    bool failed;                 /* out of memory: some are missing */
};

/* `json` is the value as JSON text; both texts are copied. A value given twice: the last counts. */
void orma_json_args_add(struct orma_json_args *self, struct orma_str key, struct orma_str json);

/* Appends "{...}"; "{}" without arguments. */
void orma_json_args_print(const struct orma_json_args *self, struct orma_buf *out);

/* For the next event. */
void orma_json_args_clear(struct orma_json_args *self);
void orma_json_args_fini(struct orma_json_args *self);
#endif
