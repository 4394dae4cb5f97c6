/*
 * What producers may call: the methods of ProducerPort, and who serves the
 * socket that they come in by. One producer (producers/producer.h) for each
 * connection, made by InitializeConnection.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_PRODUCER_PORT_H
#define ORMA_TRACED_ENDPOINTS_PRODUCER_PORT_H
#include "traced/network/conn.h"

/* The context of their network is a struct traced_sessions. */
extern const struct traced_endpoint traced_producer_endpoint;
/* The same where relays may connect, too. */
extern const struct traced_endpoint traced_producer_relay_endpoint;
#endif
