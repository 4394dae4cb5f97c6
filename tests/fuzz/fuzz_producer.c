/*
 * A producer that sends anything, whole requests of any method or bytes. A
 * session wants its data source; what arrives is read back.
 */
#include <unistd.h>

#include "sdk/ipc/methods.h"
#include "tests/fuzz/service.h"

/* InitializeConnection{producer_name "p", scraping}, RegisterDataSource{descriptor{name "a"}} */
static const uint8_t init[] = {0x1a, 1, 'p', 0x20, 1};
static const uint8_t source[] = {0x0a, 3, 0x0a, 1, 'a'};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct traced_service *svc = fuzz_service_new();
    struct traced_consumer consumer = {0};
    struct traced_session *session = fuzz_session(svc, &consumer);
    int client = fuzz_connect(svc, &traced_producer_relay_endpoint);

    fuzz_bind(client, "ProducerPort");
    if (size && data[0] & 0x80) { /* else the input has to introduce itself */
        fuzz_call(client, ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION, 2, init, sizeof(init), false);
        fuzz_call(client, ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND, 3, NULL, 0, false);
        fuzz_call(client, ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE, 4, source, sizeof(source),
                  false);
    }
    fuzz_turn(svc, client);
    if (size)
        fuzz_requests(svc, client, data + 1, size - 1);
    fuzz_read_all(session);
    close(client);
    fuzz_turn(svc, -1);
    fuzz_read_all(session);
    traced_session_free(session);
    fuzz_service_free(svc);
    return 0;
}
