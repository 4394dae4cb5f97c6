/*
 * The connections of a relay that is called: whoever records connects to it, always to a few more
 * than are in use, and the relay takes one for each program. Each begins with a line that says of
 * which recording it is; there is one recording at a time, and others are told so.
 * Threads: any.
 */
#ifndef ORMA_TOOLS_RELAY_CALLED_H
#define ORMA_TOOLS_RELAY_CALLED_H
#include <stdbool.h>

#include "sdk/base/defs.h"

/* "orma-relay 1 ID\n": what a caller sends first. ID: 32 hexadecimal digits of its own. */
#define ORMA_RELAY_HELLO "orma-relay 1 "
#define ORMA_RELAY_ID_LEN 32
#define ORMA_RELAY_HELLO_LEN (sizeof(ORMA_RELAY_HELLO) - 1 + ORMA_RELAY_ID_LEN + 1)
/* What is answered instead of anything else. */
#define ORMA_RELAY_BUSY "busy\n"
/* So many connections of a caller wait. */
#define ORMA_RELAY_SPARE 4

struct orma_relay_called;

/* Takes the listening socket. -errno. */
int orma_relay_called_new(int listen_fd, struct orma_relay_called **ret);
/*
 * A connection of the recording that is on; with `leads`, that of the next one. Waits up to a
 * second: -EAGAIN, nobody has called.
 */
int orma_relay_called_take(struct orma_relay_called *self, bool leads);
void orma_relay_called_free(struct orma_relay_called *self);
ORMA_DEFINE_AUTO(struct orma_relay_called *, orma_relay_called_free)
#endif
