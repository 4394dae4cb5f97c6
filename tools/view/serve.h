/*
 * The page over HTTP, for browsers of this machine: on the loopback only, and only for who knows
 * the token in the printed link. `/` is the page, `/view/info` and `/view/block/N` the packed
 * trace,
 * `/view/sql` takes a query and answers in JSON.
 */
#ifndef ORMA_TOOLS_VIEW_SERVE_H
#define ORMA_TOOLS_VIEW_SERVE_H
#include "processor/processor.h"
#include "processor/view/view.h"

struct orma_view_serve {
    struct orma_processor *tp;
    const struct orma_view *view;
    uint16_t port;        /* 0: any that is free */
    bool open;            /* start a browser, if there is a desktop */
    const char *fragment; /* of a shared link, without '#'; NULL: none */
};

/* Until SIGINT or SIGTERM. 0, or -errno with a line on stderr. */
int orma_view_serve(const struct orma_view_serve *self);
#endif
