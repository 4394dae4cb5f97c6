/* The way to one other machine; its kinds are call.c and ssh.c. Threads: its own. */
#ifndef ORMA_TOOLS_RELAY_LINK_H
#define ORMA_TOOLS_RELAY_LINK_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "sdk/ipc/sock.h"

#define ORMA_RELAY_ADDRESS_MAX 256

struct orma_relay_link {
    const char *program, *spec, *service;
    int stop_fd;
    pthread_t thread;
    unsigned busy;        /* so often in a row another recording was on */
    atomic_bool up;       /* its relay has been heard of */
    bool was_up, told;    /* once; why it cannot be reached, since it was up */
    atomic_bool hopeless; /* another try would end in the same way; it has been said why */
};

void orma_relay_link_say(const struct orma_relay_link *self, const char *text);
/* False: the recording is over. */
bool orma_relay_link_rest(const struct orma_relay_link *self, int ms);

/* Each returns when the link is broken, or the recording over. */
void orma_relay_ssh_run(struct orma_relay_link *self);
void orma_relay_call_run(struct orma_relay_link *self);
/* NULL, or what is wrong with it. */
const char *orma_relay_ssh_check(const char *spec);
#endif
