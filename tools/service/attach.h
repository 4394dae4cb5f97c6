/*
 * The service that a command works with: the one that runs on this machine, or
 * one of our own inside this process.
 */
#ifndef ORMA_TOOLS_SERVICE_ATTACH_H
#define ORMA_TOOLS_SERVICE_ATTACH_H
#include <stdbool.h>

#include "sdk/transport/consumer.h"
#include "tools/service/host.h"

struct orma_service_attached {
    struct orma_consumer *consumer;
    struct orma_service_host *host; /* NULL: the service of this machine */
};

enum orma_service_attach_how {
    ORMA_SERVICE_ATTACH_ANY,     /* ours where none runs */
    ORMA_SERVICE_ATTACH_RUNNING, /* never ours: -ENOENT or -ECONNREFUSED, without a message */
    ORMA_SERVICE_ATTACH_OWN,     /* always ours */
};

/*
 * 0 with everything connected, our own probes included; negative errno with a
 * message on stderr behind "program: ". orma_service_attached_fini() in any case.
 */
int orma_service_attach(struct orma_service_attached *ret, const char *program,
                        enum orma_service_attach_how how);
/* Why a service that runs cannot be used by this user. */
void orma_service_say_no_permission(const char *program);
void orma_service_attached_fini(struct orma_service_attached *self);
#endif
