#include "tests/integration/traced/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/fd.h"
#include "traced/internal.h"

static void *run(void *arg)
{
    struct rig *rig = arg;

    traced_service_run(rig->service);
    return NULL;
}

void rig_init(struct rig *rig)
{
    rig_init_with(rig, NULL);
}

void rig_init_with(struct rig *rig, const char *relay_addr)
{
    static int number;
    struct orma_buf error = {0};

    *rig = (struct rig){0};
    snprintf(rig->producer_addr, sizeof(rig->producer_addr), "@orma-test-%d-%d-p", getpid(),
             number);
    snprintf(rig->consumer_addr, sizeof(rig->consumer_addr), "@orma-test-%d-%d-c", getpid(),
             number++);
    char addrs[sizeof(rig->producer_addr) * 2 + 1];
    snprintf(addrs, sizeof(addrs), "%s%s%s", rig->producer_addr, relay_addr ? "," : "",
             relay_addr ? relay_addr : "");
    struct traced_config config = {.producer_addrs = addrs,
                                   .consumer_addr = rig->consumer_addr,
                                   .relay_addrs = &relay_addr,
                                   .relay_addrs_num = relay_addr ? 1 : 0};
    cr_assert_eq(traced_service_new(&config, &rig->service, &error), 0, "%s",
                 orma_buf_cstr(&error));
    cr_assert_eq(pthread_create(&rig->thread, NULL, run, rig), 0);
    orma_buf_fini(&error);
}

void rig_pause(struct rig *rig)
{
    traced_service_stop(rig->service);
    cr_assert_eq(pthread_join(rig->thread, NULL), 0);
    rig->rests = true;
}

void rig_resume(struct rig *rig)
{
    rig->rests = false;
    cr_assert_eq(pthread_create(&rig->thread, NULL, run, rig), 0);
}

void rig_turn(struct rig *rig)
{
    cr_assert(rig->rests);
    cr_assert_geq(event_base_loop(rig->service->loop.base, EVLOOP_ONCE | EVLOOP_NONBLOCK), 0);
}

void rig_fini(struct rig *rig)
{
    if (!rig->rests)
        rig_pause(rig);
    traced_service_free(rig->service);
}

/* ---- calls ---- */

void rig_reply_fini(struct rig_reply *reply)
{
    orma_buf_fini(&reply->payload);
}

static void on_reply(void *ctx, bool success, bool has_more, struct orma_str payload)
{
    struct rig_reply *reply = ctx;

    reply->success = success;
    reply->has_more = has_more;
    reply->done = !has_more;
    reply->count++;
    orma_buf_put(&reply->payload, payload.data, payload.len);
}

struct orma_ipc_client *rig_connect(const char *addr, const char *port)
{
    struct orma_ipc_client *client;

    cr_assert_eq(orma_ipc_client_new(addr, port, &client), 0);
    cr_assert_eq(orma_ipc_client_wait_bound(client, RIG_TIMEOUT_MS), 0);
    return client;
}

void rig_send(struct orma_ipc_client *client, const char *method, const struct orma_buf *args,
              int fd, struct rig_reply *reply)
{
    if (reply)
        *reply = (struct rig_reply){0};
    cr_assert_eq(orma_ipc_client_invoke(client, method, args ? args->data : NULL,
                                        args ? args->len : 0, fd, reply ? on_reply : NULL, reply),
                 0);
}

void rig_wait(struct orma_ipc_client *client, struct rig_reply *reply)
{
    while (!reply->done)
        cr_assert_eq(orma_ipc_client_wait(client, RIG_TIMEOUT_MS), 0);
}

void rig_call(struct orma_ipc_client *client, const char *method, const struct orma_buf *args,
              struct rig_reply *reply)
{
    rig_send(client, method, args, -1, reply);
    rig_wait(client, reply);
}

bool rig_ok(struct orma_ipc_client *client, const char *method, const struct orma_buf *args)
{
    struct rig_reply reply;

    rig_call(client, method, args, &reply);
    rig_reply_fini(&reply);
    return reply.success;
}

/* ---- a producer ---- */

void rig_producer_init_on(struct rig_producer *p, struct orma_ipc_client *client, const char *name,
                          bool scraping)
{
    struct orma_buf args = {0};
    struct rig_reply reply;
    struct orma_pb_field f;

    *p = (struct rig_producer){.client = client};
    orma_pb_put_cstr(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, name);
    orma_pb_put_u64(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_MODE,
                    scraping ? 1 : 2);
    rig_call(p->client, "InitializeConnection", &args, &reply);
    cr_assert(reply.success);
    struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USE_SHMEM_EMULATION)
            p->emulated = orma_pb_bool(&f);
    rig_reply_fini(&reply);
    orma_buf_fini(&args);
    rig_send(p->client, "GetAsyncCommand", NULL, -1, &p->stream);
}

void rig_producer_init(struct rig_producer *p, const struct rig *rig, const char *name,
                       bool scraping)
{
    rig_producer_init_on(p, rig_connect(rig->producer_addr, "ProducerPort"), name, scraping);
}

void rig_producer_fini(struct rig_producer *p)
{
    orma_ipc_client_free(p->client);
    if (p->shm.base)
        munmap(p->shm.base, p->shm.size);
    rig_reply_fini(&p->stream);
}

void rig_producer_register(struct rig_producer *p, const char *source, const uint32_t *flags)
{
    struct orma_buf args = {0};
    size_t desc = orma_pb_begin(&args, ORMA_PB_REGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_DESCRIPTOR);

    orma_pb_put_cstr(&args, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME, source);
    for (; flags && *flags; flags += 2)
        orma_pb_put_u64(&args, flags[0], flags[1]);
    orma_pb_end(&args, desc);
    cr_assert(rig_ok(p->client, "RegisterDataSource", &args));
    orma_buf_fini(&args);
}

static void take_memory(struct rig_producer *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    struct stat st;
    uint32_t page = 0;
    ORMA_AUTO(orma_fd_close) int fd = orma_ipc_client_take_fd(p->client);

    while (orma_pb_next(&r, &f))
        page = orma_pb_u32(&f) * 1024;
    p->page_size = page;
    if (p->emulated) {
        cr_assert_lt(fd, 0);
        return;
    }
    cr_assert(fd >= 0 && fstat(fd, &st) == 0);
    void *base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(base, MAP_FAILED);
    cr_assert_eq(orma_shm_init(&p->shm, base, (size_t)st.st_size, page), 0);
}

static void take_setup(struct rig_producer *p, struct orma_pb_reader r)
{
    struct orma_pb_field f, sub;

    p->setups++;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_NEW_INSTANCE_ID)
            p->instance_id = orma_pb_u64(&f);
        if (f.id != ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE_CONFIG)
            continue;
        struct orma_pb_reader config = orma_pb_sub(&f);
        while (orma_pb_next(&config, &sub))
            if (sub.id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER)
                p->target_buffer = orma_pb_u32(&sub);
    }
}

static void take_command(struct rig_producer *p, const struct orma_pb_field *cmd)
{
    struct orma_pb_reader r = orma_pb_sub(cmd);
    struct orma_pb_field f;

    switch (cmd->id) {
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING:
        take_memory(p, r);
        break;
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE:
        take_setup(p, r);
        break;
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE:
        p->starts++;
        break;
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE:
        p->stops++;
        break;
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE:
        p->clears++;
        break;
    case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH:
        while (orma_pb_next(&r, &f))
            if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_REQUEST_ID)
                p->flush_id = orma_pb_u64(&f);
        break;
    }
}

static void take_commands(struct rig_producer *p)
{
    size_t more = p->stream.payload.len - p->seen;
    struct orma_pb_reader r = orma_pb_reader(more ? p->stream.payload.data + p->seen : NULL, more);
    struct orma_pb_field cmd;

    while (orma_pb_next(&r, &cmd))
        take_command(p, &cmd);
    p->seen = p->stream.payload.len;
}

void rig_producer_wait(struct rig_producer *p, const unsigned *what, unsigned count)
{
    take_commands(p);
    while (*what < count) {
        cr_assert_eq(orma_ipc_client_wait(p->client, RIG_TIMEOUT_MS), 0);
        take_commands(p);
    }
}

void rig_producer_wait_flush(struct rig_producer *p)
{
    take_commands(p);
    while (!p->flush_id) {
        cr_assert_eq(orma_ipc_client_wait(p->client, RIG_TIMEOUT_MS), 0);
        take_commands(p);
    }
}

void rig_producer_sync(struct rig_producer *p)
{
    cr_assert(rig_ok(p->client, "Sync", NULL));
    take_commands(p);
}

struct orma_shm_chunk rig_producer_write(struct rig_producer *p, uint32_t page, uint16_t writer,
                                         uint32_t chunk_id, uint16_t flags,
                                         const char *const *packets)
{
    struct orma_shm_chunk chunk;
    struct orma_buf payload = {0};
    uint16_t count = 0;

    cr_assert(orma_shm_acquire(&p->shm, page, ORMA_SHM_LAYOUT_1, writer, chunk_id, 0, &chunk));
    for (; packets[count]; count++) {
        struct orma_buf packet = {0};

        orma_pb_put_cstr(&packet, RIG_TEXT, packets[count]);
        orma_pb_put_raw_varint(&payload, packet.len);
        orma_buf_put(&payload, packet.data, packet.len);
        orma_buf_fini(&packet);
    }
    cr_assert_leq(payload.len, chunk.payload_size);
    if (payload.len)
        memcpy(chunk.payload, payload.data, payload.len);
    orma_buf_fini(&payload);
    atomic_store(&chunk.header->packets, (uint16_t)(count | flags));
    return chunk;
}

void rig_producer_commit(struct rig_producer *p, const struct orma_shm_chunk *chunk,
                         uint32_t buffer)
{
    struct orma_buf args = {0};

    orma_shm_complete(&p->shm, chunk);
    size_t move = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, chunk->page);
    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK, chunk->idx);
    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER, buffer);
    orma_pb_end(&args, move);
    rig_send(p->client, "CommitData", &args, -1, NULL);
    orma_buf_fini(&args);
}

void rig_producer_ack_flush(struct rig_producer *p, uint64_t id)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID, id);
    rig_send(p->client, "CommitData", &args, -1, NULL);
    orma_buf_fini(&args);
}

/* ---- a consumer ---- */

void rig_config_buffer(struct orma_buf *config, uint32_t size_kb, unsigned fill_policy)
{
    size_t buffer = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, size_kb);
    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY, fill_policy);
    orma_pb_end(config, buffer);
}

void rig_config_source(struct orma_buf *config, const char *name, uint32_t target_buffer)
{
    size_t entry = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
    size_t ds = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);

    orma_pb_put_cstr(config, ORMA_PB_DATA_SOURCE_CONFIG_NAME, name);
    orma_pb_put_u64(config, ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER, target_buffer);
    orma_pb_end(config, ds);
    orma_pb_end(config, entry);
}

void rig_enable(struct orma_ipc_client *client, const struct orma_buf *config, int fd,
                struct rig_reply *reply)
{
    struct orma_buf args = {0};

    orma_pb_put_bytes(&args, ORMA_PB_ENABLE_TRACING_REQUEST_TRACE_CONFIG, config->data,
                      config->len);
    rig_send(client, "EnableTracing", &args, fd, reply);
    orma_buf_fini(&args);
}

void rig_read(struct orma_ipc_client *client, struct orma_buf *trace)
{
    struct rig_reply reply;
    struct orma_buf packet = {0};
    struct orma_pb_field slice, f;

    rig_call(client, "ReadBuffers", NULL, &reply);
    cr_assert(reply.success);
    struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
    while (orma_pb_next(&r, &slice)) {
        struct orma_pb_reader s = orma_pb_sub(&slice);
        bool last = false;

        cr_assert_eq(slice.id, ORMA_PB_READ_BUFFERS_RESPONSE_SLICES);
        while (orma_pb_next(&s, &f)) {
            if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_DATA)
                orma_buf_put(&packet, f.data, f.len);
            else if (f.id == ORMA_PB_READ_BUFFERS_RESPONSE_SLICE_LAST_SLICE_FOR_PACKET)
                last = orma_pb_bool(&f);
        }
        if (last) {
            orma_pb_put_bytes(trace, 1, packet.data, packet.len);
            orma_buf_clear(&packet);
        }
    }
    cr_assert_not(r.failed);
    cr_assert_eq(packet.len, 0, "the last packet is whole");
    orma_buf_fini(&packet);
    rig_reply_fini(&reply);
}

/* ---- a trace ---- */

unsigned rig_count(const struct orma_buf *trace, uint32_t field)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet, f;
    unsigned num = 0;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);
        bool has = false;

        while (orma_pb_next(&p, &f))
            has |= f.id == field;
        num += has;
    }
    cr_assert_not(r.failed);
    return num;
}

bool rig_find(const struct orma_buf *trace, uint32_t field, struct orma_pb_field *ret)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        while (orma_pb_next(&p, ret))
            if (ret->id == field)
                return true;
    }
    return false;
}

const char *rig_texts(const struct orma_buf *trace, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet, f;

    orma_buf_clear(out);
    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        while (orma_pb_next(&p, &f))
            if (f.id == RIG_TEXT)
                orma_buf_printf(out, "%s%.*s", out->len ? " " : "", ORMA_STR_ARG(orma_pb_str(&f)));
    }
    return orma_buf_cstr(out);
}
