/* One service, one consumer, one producer "test.producer" with the source "test.source". */
#ifndef ORMA_TESTS_INTEGRATION_TRACED_FIXTURE_H
#define ORMA_TESTS_INTEGRATION_TRACED_FIXTURE_H
#include "tests/integration/traced/rig.h"

#define TEXTS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

struct fixture {
    struct rig rig;
    struct orma_ipc_client *consumer;
    struct rig_producer producer;
    struct rig_reply enabled;
    struct orma_buf config, trace, text;
};

void fixture_init(struct fixture *s, bool scraping);
void fixture_fini(struct fixture *s);
/* Enables `config`, and waits until the producer was told to start. */
void fixture_enable(struct fixture *s, int fd);
/* Disables, and waits for the end. */
void fixture_disable(struct fixture *s);
/* One chunk of writer 1; handled by the service when this returns. */
void fixture_commit(struct fixture *s, uint32_t chunk_id, const char *const *texts);
/* The texts that a consumer reads now; valid until the next call. */
const char *fixture_read(struct fixture *s, struct orma_ipc_client *consumer);
/* The error text of the EnableTracing reply; "" if there is none. Valid until the next call. */
const char *fixture_error(struct fixture *s);
#endif
