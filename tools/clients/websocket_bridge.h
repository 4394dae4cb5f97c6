/*
 * A bridge for browsers that record: a WebSocket on a local port whose bytes go
 * to the service's consumer socket and back. `tracebox websocket_bridge`.
 */
#ifndef ORMA_TOOLS_WEBSOCKET_BRIDGE_H
#define ORMA_TOOLS_WEBSOCKET_BRIDGE_H
#include "tools/base/cli.h"

extern const struct orma_command orma_cmd_websocket_bridge;

int orma_websocket_bridge_main(int argc, char **argv);
#endif
