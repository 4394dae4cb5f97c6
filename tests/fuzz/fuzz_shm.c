/*
 * Shared memory with any content under a real central buffer: the input fills
 * the memory again and again, and says which chunks are committed, patched,
 * scraped, and when there is reading.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "tests/fuzz/service.h"
#include "traced/producers/commit.h"

static const uint8_t init[] = {0x1a, 1, 'p', 0x20, 1};
static const uint8_t source[] = {0x0a, 3, 0x0a, 1, 'a'};

struct input {
    const uint8_t *data;
    size_t size;
};

static uint32_t take(struct input *in, unsigned bytes)
{
    uint32_t val = 0;

    for (; bytes && in->size; bytes--, in->data++, in->size--)
        val = val << 8 | *in->data;
    return val;
}

/* Bytes of the input into a place of the memory. */
static void write_memory(struct traced_producer *p, struct input *in)
{
    size_t at = take(in, 2) % p->shm.size, len = take(in, 1);

    len = ORMA_MIN(len, ORMA_MIN(in->size, p->shm.size - at));
    memcpy(p->shm.base + at, in->data, len);
    in->data += len;
    in->size -= len;
}

/* A chunk such as an honest writer would leave, but for what the input puts into it. */
static void write_chunk(struct traced_producer *p, struct input *in)
{
    uint32_t page = take(in, 1) % 8, layout = 1 + take(in, 1) % 5, idx;
    struct orma_shm_chunk chunk;

    *orma_shm_page_header(&p->shm, page) = layout << 28 | 0x0fffffff;
    idx = take(in, 1) % orma_shm_chunks_num(layout << 28);
    enum orma_shm_state state;
    if (!orma_shm_peek(&p->shm, page, idx, &chunk, &state))
        return;
    chunk.header->writer_id = (uint16_t)(1 + take(in, 1) % 4);
    chunk.header->chunk_id = take(in, 1);
    chunk.header->packets = (uint16_t)take(in, 2);
    size_t len = take(in, 1);
    len = ORMA_MIN(len, ORMA_MIN(in->size, (size_t)chunk.payload_size));
    memcpy(chunk.payload, in->data, len);
    in->data += len;
    in->size -= len;
}

static void commit(struct traced_producer *p, struct input *in, uint32_t buffer_id)
{
    struct orma_buf request = {0};

    for (uint32_t num = take(in, 1) % 16; num; num--) {
        size_t move = orma_pb_begin(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
        orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, take(in, 1) % 9);
        orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK,
                        take(in, 1) % 16);
        orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        take(in, 1) % 32 ? buffer_id : 7);
        orma_pb_end(&request, move);
    }
    (void)traced_commit(p, orma_buf_str(&request));
    orma_buf_fini(&request);
}

static void patch(struct traced_producer *p, struct input *in, uint32_t buffer_id)
{
    struct orma_buf request = {0};
    size_t entry = orma_pb_begin(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_PATCH);

    orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_TARGET_BUFFER, buffer_id);
    orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_WRITER_ID,
                    take(in, 1) % 6);
    orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_CHUNK_ID, take(in, 1));
    for (uint32_t num = take(in, 1) % 4; num; num--) {
        size_t one = orma_pb_begin(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCHES);
        uint32_t word = take(in, 4);
        orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_OFFSET,
                        take(in, 2));
        orma_pb_put_bytes(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_DATA, &word,
                          4);
        orma_pb_end(&request, one);
    }
    orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_HAS_MORE_PATCHES,
                    take(in, 1) & 1);
    orma_pb_end(&request, entry);
    (void)traced_commit(p, orma_buf_str(&request));
    orma_buf_fini(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct traced_service *svc = fuzz_service_new();
    struct traced_consumer consumer = {0};
    struct traced_session *session = fuzz_session(svc, &consumer);
    int client = fuzz_connect(svc, &traced_producer_relay_endpoint);
    struct input in = {data, size};

    fuzz_bind(client, "ProducerPort");
    fuzz_call(client, ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION, 2, init, sizeof(init), false);
    fuzz_call(client, ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND, 3, NULL, 0, false);
    fuzz_call(client, ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE, 4, source, sizeof(source), false);
    fuzz_turn(svc, client);
    struct traced_producer *p =
        ORMA_CONTAINER_OF(svc->producers.list.next, struct traced_producer, link);
    if (!p->shm.base)
        abort();
    uint16_t buffer_id = session->buffers[0].id;
    for (uint32_t w = 1; w < 3; w++)
        (void)orma_map_put(&p->writers, w, buffer_id);
    while (in.size) {
        switch (take(&in, 1) % 8) {
        case 0:
            write_memory(p, &in);
            break;
        case 1:
        case 2:
            write_chunk(p, &in);
            break;
        case 3:
        case 4:
            commit(p, &in, buffer_id);
            break;
        case 5:
            patch(p, &in, buffer_id);
            break;
        case 6:
            traced_scrape(p, &session->targets);
            break;
        case 7:
            fuzz_read_all(session);
            break;
        }
    }
    close(client);
    fuzz_turn(svc, -1);
    fuzz_read_all(session);
    traced_session_free(session);
    fuzz_service_free(svc);
    return 0;
}
