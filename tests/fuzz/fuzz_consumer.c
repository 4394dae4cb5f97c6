/* A consumer that sends anything, while there is a producer with the data source "a". */
#include <string.h>
#include <unistd.h>

#include "sdk/ipc/methods.h"
#include "tests/fuzz/service.h"

static const uint8_t init[] = {0x1a, 1, 'p', 0x20, 1};
static const uint8_t source[] = {0x0a, 3, 0x0a, 1, 'a'};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && memchr(data, '/', size))
        return 0; /* a path: the service would make that file */

    struct traced_service *svc = fuzz_service_new();
    int producer = fuzz_connect(svc, &traced_producer_relay_endpoint);
    int client = fuzz_connect(svc, &traced_consumer_endpoint);

    fuzz_bind(producer, "ProducerPort");
    fuzz_call(producer, ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION, 2, init, sizeof(init), false);
    fuzz_call(producer, ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND, 3, NULL, 0, false);
    fuzz_call(producer, ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE, 4, source, sizeof(source), false);
    fuzz_turn(svc, producer);
    fuzz_bind(client, "ConsumerPort");
    fuzz_requests(svc, client, data, size);
    fuzz_turn(svc, producer);
    close(client);
    fuzz_turn(svc, producer);
    close(producer);
    fuzz_turn(svc, -1);
    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions.list, link)
        traced_session_free(s); /* detached ones, and files that are not complete */
    fuzz_service_free(svc);
    return 0;
}
