/*
 * Start by a service manager: taking over sockets that it opened, and reporting
 * readiness. The protocols of sd_listen_fds(3) and
 * sd_notify(3), without its library.
 */
#ifndef ORMA_TRACED_ACTIVATION_H
#define ORMA_TRACED_ACTIVATION_H
#include <stddef.h>

#define TRACED_ACTIVATION_MAX 16

struct traced_activation {
    int producer_fds[TRACED_ACTIVATION_MAX];
    size_t producer_fds_num;
    int consumer_fd; /* -1: none */
};

/*
 * The sockets in LISTEN_FDS, if they are for this process: by their names in
 * LISTEN_FDNAMES ("producer", "consumer", or ending so), else the first is the
 * producers', the second the consumers'. Takes the variables out of the
 * environment. 1: there are some; 0: none; -EINVAL: not one of each, or no
 * listening socket (closed).
 */
int traced_activation_take(struct traced_activation *ret);

/* READY=1 to NOTIFY_SOCKET, if there is one. */
void traced_activation_ready(void);
#endif
