/*
 * The socket of the page's server, and a limit on connections to it: nobody makes more than some at
 * once but other users of the machine, who may not lock out whose trace it is.
 *
 * The server (evhttp of libevent 2.1) neither counts its connections nor tells of them; they are
 * found among the descriptors of the process. When one comes that is too many, the one from which
 * nothing was heard for longest ends. When descriptors run out all the same, accepting rests.
 * Threads: that of the event base. There is one in a process.
 */
#ifndef ORMA_TOOLS_VIEW_CROWD_H
#define ORMA_TOOLS_VIEW_CROWD_H
#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

/* Browsers open six for a page. */
#define ORMA_VIEW_CONNS_MAX 64

/* Listens on 127.0.0.1 for `http`; *port 0: a free one, which is told. -errno. */
int orma_crowd_listen(struct event_base *base, struct evhttp *http, uint16_t *port);
/* The same on a socket that others listen on, too. */
int orma_crowd_join(struct event_base *base, struct evhttp *http, int listen_fd, uint16_t port);
/* Accepts nobody any more. */
void orma_crowd_leave(void);
/* When `http` was freed. */
void orma_crowd_fini(void);
#endif
