/*
 * Directed graphs as pointer values: nodes are the ids that occur, in order;
 * whatever their size, memory follows their number.
 */
#ifndef ORMA_PROCESSOR_SQL_OP_GRAPH_H
#define ORMA_PROCESSOR_SQL_OP_GRAPH_H
#include "processor/sql/operators/operators.h"

#define ORMA_GRAPH_POINTER "orma_graph"
#define ORMA_NODE_NONE UINT32_MAX

struct orma_graph {
    struct orma_ints edges; /* source, target, ...; a target of -1: just a node */
    uint32_t *ids;          /* of the nodes, ascending */
    uint32_t num;
    uint32_t *index; /* the node of each id below index_len; NULL: the ids are too far apart */
    uint32_t index_len;
    /* Node n leads to to[starts[n]] .. to[starts[n + 1] - 1], in the order they were given. */
    uint32_t *starts, *to;
    bool failed; /* the error was reported */
};

void orma_graph_free(void *self);

/* Adds an edge; `to` -1: a node alone. */
void orma_graph_add(struct orma_graph *self, int64_t from, int64_t to);

/* No more edges. 0, -ENOMEM or -ECANCELED. */
int orma_graph_finish(struct orma_sql *sql, struct orma_graph *self);

/* The node of that id, ORMA_NODE_NONE if there is none. */
uint32_t orma_graph_find(const struct orma_graph *self, int64_t id);
#endif
