/*
 * What consumers may call: the methods of ConsumerPort, who serves the socket
 * that they come in by, and what sessions report to them. One consumer
 * (consumer.h) for each connection, made by its first call.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_CONSUMER_PORT_H
#define ORMA_TRACED_ENDPOINTS_CONSUMER_PORT_H
#include "traced/network/conn.h"
#include "traced/sessions/events.h"

/* The context of their network is a struct traced_sessions. */
extern const struct traced_endpoint traced_consumer_endpoint;
/* For that struct traced_sessions. */
extern const struct traced_session_events traced_consumer_session_events;
#endif
