#include "tools/relay/address.h"

#include <stdio.h>
#include <string.h>

static bool ends_with_port(const char *host)
{
    const char *bracket = strrchr(host, ']'), *colon = strrchr(host, ':');

    return colon && colon > bracket;
}

bool orma_relay_address(const char *text, char *ret, size_t size)
{
    const char *scheme = "", *port = "";

    if (!strncmp(text, "tcp:", 4) || !strncmp(text, "vsock:", 6)) {
        scheme = *text == 'v' ? "vsock://" : "";
        text = strchr(text, ':') + 1;
        text += !strncmp(text, "//", 2) ? 2 : 0;
        port = ends_with_port(text) ? "" : ":" ORMA_RELAY_PORT;
    }
    int n = snprintf(ret, size, "%s%s%s", scheme, text, port);
    return n >= 0 && (size_t)n < size;
}
