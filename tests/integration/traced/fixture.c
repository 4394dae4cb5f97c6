#include "tests/integration/traced/fixture.h"

#include <criterion/criterion.h>

#include "protos/fields/ipc.h"
#include "tests/support/leaks.h"

void fixture_init(struct fixture *s, bool scraping)
{
    *s = (struct fixture){0};
    rig_init(&s->rig);
    s->consumer = rig_connect(s->rig.consumer_addr, "ConsumerPort");
    rig_producer_init(&s->producer, &s->rig, "test.producer", scraping);
    rig_producer_register(&s->producer, "test.source", NULL);
}

void fixture_fini(struct fixture *s)
{
    if (s->producer.client)
        rig_producer_fini(&s->producer);
    orma_ipc_client_free(s->consumer);
    rig_reply_fini(&s->enabled);
    orma_buf_fini(&s->config);
    orma_buf_fini(&s->trace);
    orma_buf_fini(&s->text);
    rig_fini(&s->rig);
    orma_assert_no_leaks();
}

void fixture_enable(struct fixture *s, int fd)
{
    rig_enable(s->consumer, &s->config, fd, &s->enabled);
    rig_producer_wait(&s->producer, &s->producer.starts, 1);
}

void fixture_disable(struct fixture *s)
{
    cr_assert(rig_ok(s->consumer, "DisableTracing", NULL));
    rig_wait(s->consumer, &s->enabled);
}

void fixture_commit(struct fixture *s, uint32_t chunk_id, const char *const *texts)
{
    struct orma_shm_chunk chunk = rig_producer_write(&s->producer, 0, 1, chunk_id, 0, texts);

    rig_producer_commit(&s->producer, &chunk, s->producer.target_buffer);
    rig_producer_sync(&s->producer);
}

const char *fixture_read(struct fixture *s, struct orma_ipc_client *consumer)
{
    orma_buf_clear(&s->trace);
    rig_read(consumer, &s->trace);
    orma_buf_clear(&s->text);
    return rig_texts(&s->trace, &s->text);
}

const char *fixture_error(struct fixture *s)
{
    struct orma_pb_reader r = orma_pb_reader(s->enabled.payload.data, s->enabled.payload.len);
    struct orma_pb_field f;

    orma_buf_clear(&s->text);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_ENABLE_TRACING_RESPONSE_ERROR)
            orma_buf_printf(&s->text, "%.*s", ORMA_STR_ARG(orma_pb_str(&f)));
    return orma_buf_cstr(&s->text);
}
