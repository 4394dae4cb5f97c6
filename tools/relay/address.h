/* Addresses of other machines, as people write them. Threads: none. */
#ifndef ORMA_TOOLS_RELAY_ADDRESS_H
#define ORMA_TOOLS_RELAY_ADDRESS_H
#include <stdbool.h>
#include <stddef.h>

/* Where a relay that is called listens, unless somebody says otherwise; of TCP and of vsock. */
#define ORMA_RELAY_PORT "8039"

/*
 * "tcp:HOST[:PORT]", "vsock:CID[:PORT]" or what sdk/ipc/sock.h takes, in the words of the latter.
 * False: it is too long.
 */
bool orma_relay_address(const char *text, char *ret, size_t size);
#endif
