/* Trace configs: refused with a text, or a session that can be started, read, cloned and freed. */
#include <string.h>
#include <unistd.h>

#include "sdk/ipc/methods.h"
#include "tests/fuzz/service.h"

static const uint8_t init[] = {0x1a, 1, 'p'};
static const uint8_t source[] = {0x0a, 3, 0x0a, 1, 'a'};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && memchr(data, '/', size))
        return 0;

    struct traced_service *svc = fuzz_service_new();
    int producer = fuzz_connect(svc, &traced_producer_relay_endpoint);
    struct traced_consumer consumer = {0};
    struct traced_session *session = NULL;
    struct orma_buf error = {0};

    fuzz_bind(producer, "ProducerPort");
    fuzz_call(producer, ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION, 2, init, sizeof(init), false);
    fuzz_call(producer, ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND, 3, NULL, 0, false);
    fuzz_call(producer, ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE, 4, source, sizeof(source), false);
    fuzz_turn(svc, producer);
    int r = traced_session_new(&svc->sessions, (struct orma_str){(const char *)data, size}, 0, -1,
                               &session, &error);
    if (r == 0) {
        consumer.session = session;
        traced_session_begin(session, &consumer);
        traced_session_start(session);
        fuzz_turn(svc, producer);
        (void)traced_session_change_config(session, (struct orma_str){(const char *)data, size});
        fuzz_turn(svc, producer);
        fuzz_read_all(session);
        traced_session_disable(session);
        fuzz_turn(svc, producer);
        traced_session_free(session);
    }
    orma_buf_fini(&error);
    close(producer);
    fuzz_turn(svc, -1);
    fuzz_service_free(svc);
    return 0;
}
