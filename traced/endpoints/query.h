/*
 * QueryServiceState: who is connected, what they offer, what is recorded.
 *
 * What producers describe may be hundreds of megabytes. So an answer is sent as
 * the consumer reads it, a few replies in each turn of the loop; data sources that
 * come or go meanwhile may be in it or not.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_QUERY_H
#define ORMA_TRACED_ENDPOINTS_QUERY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct traced_conn;

#define TRACED_QUERIES_MAX 16

/* Requests of one consumer, in order; the first is being answered. */
struct traced_queries {
    struct {
        uint64_t request_id;
        bool sessions_only;
    } items[TRACED_QUERIES_MAX];
    size_t num;
    bool begun;
    uint64_t last_serial; /* of the data source that was sent last */
};

/* -EBUSY: so many wait already. */
int traced_queries_add(struct traced_queries *self, uint64_t request_id, bool sessions_only);

/* Answers some. True: more can be sent at once, at another turn. */
bool traced_queries_pump(struct traced_conn *conn, struct traced_queries *self);
#endif
