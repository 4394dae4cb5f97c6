#include "tools/relay/link.h"

#include <poll.h>
#include <stdio.h>

void orma_relay_link_say(const struct orma_relay_link *self, const char *text)
{
    fprintf(stderr, "%s: machine %s: %s\n", self->program, self->spec, text);
}

bool orma_relay_link_rest(const struct orma_relay_link *self, int ms)
{
    struct pollfd fd = {.fd = self->stop_fd, .events = POLLIN};

    return poll(&fd, 1, ms) == 0;
}
