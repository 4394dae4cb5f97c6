/*
 * What relays of other machines may call: the methods of RelayPort. What they
 * report is kept in sessions/machine.h.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_RELAY_H
#define ORMA_TRACED_ENDPOINTS_RELAY_H
#include "traced/network/conn.h"

/* The context of its network is a struct traced_sessions. */
extern const struct traced_port traced_relay_port;
#endif
