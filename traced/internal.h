/*
 * The state of the service: that of each room, and the events that wake the loop.
 */
#ifndef ORMA_TRACED_INTERNAL_H
#define ORMA_TRACED_INTERNAL_H
#include <event2/event.h>

#include "traced/loop/loop.h"
#include "traced/network/network.h"
#include "traced/producers/registry.h"
#include "traced/service.h"
#include "traced/sessions/registry.h"

struct traced_service {
    struct traced_loop loop;
    struct traced_network network;
    struct traced_producers producers;
    struct traced_sessions sessions;
    struct traced_rescue_folder *rescue; /* NULL: none */
    int stop_fd;                         /* eventfd */
    struct event *stop_event;
    struct event *touch_event; /* touching buffer pages ahead, when nothing else is to do */
};
#endif
