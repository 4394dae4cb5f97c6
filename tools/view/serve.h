/*
 * The page over HTTP, for browsers of this machine: on the loopback only, and only for who knows
 * the token in the printed link. `/` is the page, `/view/info` and `/view/block/N` the packed
 * trace, `/view/sql` takes a query and answers in JSON. The trace is packed while the page is
 * opened already: until it is, these answer 202 and how far it is, and `/view/picture` is what was
 * read so far.
 */
#ifndef ORMA_TOOLS_VIEW_SERVE_H
#define ORMA_TOOLS_VIEW_SERVE_H
#include "processor/processor.h"
#include "processor/view/view.h"

/* A trace that grows has servers one after the other, on the same socket and with the same token:
 * each of a process of its own, with what there was of the trace then. The page asks `/view/next`
 * which one is there, and goes on with it; blocks of one before are refused with 410. */
struct orma_view_turn {
    int listen_fd;
    char token[33];
    uint16_t port;
    unsigned generation;
    bool ended;   /* it is the last one */
    int ready_fd; /* gets a byte when it serves */
};

/* The socket and the token, and says the link. 0, or -errno with a line on stderr. */
int orma_view_serve_begin(struct orma_view_turn *ret, uint16_t port, bool open,
                          const char *fragment);

struct orma_view_serve {
    struct orma_processor *tp;         /* used by another thread until the trace is packed */
    struct orma_view_config view;      /* `progress` is set here */
    const char *trace;                 /* its name, for messages */
    uint16_t port;                     /* 0: any that is free */
    bool open;                         /* start a browser, if there is a desktop */
    const char *fragment;              /* of a shared link, without '#'; NULL: none */
    const struct orma_view_turn *turn; /* NULL: the only one */
};

/* Until SIGINT or SIGTERM. 0, or -errno with a line on stderr. */
int orma_view_serve(const struct orma_view_serve *self);
#endif
