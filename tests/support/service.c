#include "tests/support/service.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define SERVICE_ID 1

/* A copied chunk; `len` payload bytes follow in the buffer. */
struct held {
    uint32_t chunk_id;
    uint16_t packets;
    uint32_t len;
};

struct orma_test_service *orma_test_service_new(void)
{
    static _Atomic unsigned serial;
    struct orma_test_service *self = calloc(1, sizeof(*self));

    assert(self);
    self->sock = self->shm_fd = -1;
    snprintf(self->addr, sizeof(self->addr), "@orma-test-%d-%u", (int)getpid(),
             atomic_fetch_add(&serial, 1));
    self->listener = orma_sock_listen(self->addr);
    assert(self->listener >= 0);
    orma_ipc_stream_init(&self->in);
    return self;
}

static void unmap(struct orma_test_service *self)
{
    if (self->shm.base)
        munmap(self->shm.base, self->shm.size);
    self->shm = (struct orma_shm){0};
    orma_fd_close(&self->shm_fd);
}

void orma_test_service_hang_up(struct orma_test_service *self)
{
    orma_fd_close(&self->sock);
    orma_ipc_stream_fini(&self->in);
    orma_ipc_stream_init(&self->in);
    self->command_request = 0;
}

void orma_test_service_free(struct orma_test_service *self)
{
    orma_test_service_hang_up(self);
    unmap(self);
    orma_fd_close(&self->listener);
    orma_buf_fini(&self->kept);
    orma_buf_fini(&self->descriptors);
    for (unsigned i = 0; i < self->writers_num; i++) {
        orma_buf_fini(&self->writers[i]->bytes);
        orma_buf_fini(&self->writers[i]->ends);
        orma_buf_fini(&self->writers[i]->part);
        orma_buf_fini(&self->writers[i]->held);
        free(self->writers[i]);
    }
    free(self);
}

/* ---- sequences ---- */

struct orma_test_writer *orma_test_service_writer(struct orma_test_service *self, uint16_t id)
{
    for (unsigned i = 0; i < self->writers_num; i++) {
        if (self->writers[i]->id == id)
            return self->writers[i];
    }
    return NULL;
}

static struct orma_test_writer *need_writer(struct orma_test_service *self, uint16_t id)
{
    struct orma_test_writer *w = orma_test_service_writer(self, id);

    if (w)
        return w;
    assert(self->writers_num < ORMA_ARRAY_LEN(self->writers));
    w = self->writers[self->writers_num++] = calloc(1, sizeof(*w));
    assert(w);
    w->id = id;
    return w;
}

size_t orma_test_writer_num(const struct orma_test_writer *self)
{
    return self->ends.len / sizeof(size_t);
}

struct orma_str orma_test_writer_packet(const struct orma_test_writer *self, size_t idx)
{
    const size_t *ends = (const size_t *)self->ends.data;
    size_t begin = idx ? ends[idx - 1] : 0;

    assert(idx < orma_test_writer_num(self));
    return (struct orma_str){(const char *)self->bytes.data + begin, ends[idx] - begin};
}

static void end_packet(struct orma_test_writer *w, const void *data, size_t len)
{
    orma_buf_put(&w->bytes, data, len);
    orma_buf_put(&w->ends, &w->bytes.len, sizeof(w->bytes.len));
}

static void lose_part(struct orma_test_writer *w, bool counted_by_writer)
{
    w->missing += w->in_part && !counted_by_writer;
    w->in_part = false;
    orma_buf_clear(&w->part);
}

static void read_chunk(struct orma_test_writer *w, uint16_t packets, const uint8_t *data,
                       size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    unsigned count = packets & ORMA_SHM_PACKETS_MASK;

    if (!(packets & ORMA_SHM_CONT_PREV))
        lose_part(w, false);
    for (unsigned i = 0; i < count; i++) {
        uint64_t size = orma_pb_varint(&r);

        if (size == ORMA_SHM_DROP_MARKER) {
            w->markers++;
            lose_part(w, true);
            return;
        }
        assert(!r.failed && size <= (size_t)(r.end - r.pos));
        bool goes_on = i == count - 1 && packets & ORMA_SHM_CONT_NEXT;
        bool continues = i == 0 && packets & ORMA_SHM_CONT_PREV;

        if (continues && !w->in_part)
            w->gaps++; /* its beginning is nowhere */
        else if (goes_on || continues)
            orma_buf_put(&w->part, r.pos, size);
        if (goes_on && (!continues || w->in_part)) {
            w->in_part = true;
        } else if (continues && w->in_part) {
            end_packet(w, w->part.data, w->part.len);
            w->in_part = false;
            orma_buf_clear(&w->part);
        } else if (!continues && size) {
            end_packet(w, r.pos, size);
        }
        r.pos += size;
    }
}

/* Reads what no longer waits for patches, in order. */
static void settle(struct orma_test_writer *w)
{
    while (w->held.len) {
        struct held h;

        memcpy(&h, w->held.data, sizeof(h));
        if (h.packets & ORMA_SHM_NEEDS_PATCH)
            return;
        read_chunk(w, h.packets, w->held.data + sizeof(h), h.len);
        orma_buf_consume(&w->held, sizeof(h) + h.len);
    }
}

static void take_chunk(struct orma_test_service *self, uint32_t target_buffer, const uint8_t *bytes,
                       size_t len)
{
    struct orma_shm_chunk_header header;

    assert(len >= sizeof(header));
    memcpy(&header, bytes, sizeof(header));
    struct orma_test_writer *w = need_writer(self, header.writer_id);
    struct held h = {header.chunk_id, header.packets, (uint32_t)(len - sizeof(header))};

    if (w->chunks_num && h.chunk_id != w->next_chunk_id)
        w->gaps++;
    w->target_buffer = target_buffer;
    w->next_chunk_id = h.chunk_id + 1;
    w->chunks_num++;
    self->chunks++;
    orma_buf_put(&w->held, &h, sizeof(h));
    orma_buf_put(&w->held, bytes + sizeof(header), h.len);
    settle(w);
}

/* ---- requests ---- */

static void on_move(struct orma_test_service *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    uint32_t page = 0, idx = 0, target = 0;
    struct orma_str data = {0};
    struct orma_shm_chunk chunk;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE:
            page = (uint32_t)f.num;
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK:
            idx = (uint32_t)f.num;
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER:
            target = (uint32_t)f.num;
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA:
            data = (struct orma_str){(const char *)f.data, f.len};
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK_INCOMPLETE:
            return; /* a scraped copy: only its coming is of interest */
        }
    }
    if (data.len) {
        take_chunk(self, target, (const uint8_t *)data.data, data.len);
        return;
    }
    assert(orma_shm_take(&self->shm, page, idx, &chunk));
    take_chunk(self, target, (const uint8_t *)chunk.header,
               ORMA_SHM_CHUNK_HEADER + chunk.payload_size);
    orma_shm_release(&self->shm, &chunk);
}

static void on_patch(struct orma_test_service *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    struct orma_test_writer *w = NULL;
    uint32_t chunk_id = 0;
    bool more = false;
    struct {
        uint32_t offset;
        const uint8_t *data;
    } patches[64];
    unsigned num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_WRITER_ID) {
            w = orma_test_service_writer(self, (uint16_t)f.num);
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_CHUNK_ID) {
            chunk_id = (uint32_t)f.num;
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_HAS_MORE_PATCHES) {
            more = f.num != 0;
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCHES) {
            struct orma_pb_reader p = orma_pb_reader(f.data, f.len);
            struct orma_pb_field g;

            assert(num < ORMA_ARRAY_LEN(patches));
            while (orma_pb_next(&p, &g)) {
                if (g.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_OFFSET)
                    patches[num].offset = (uint32_t)g.num;
                else if (g.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_DATA)
                    patches[num].data = g.len == 4 ? g.data : NULL;
            }
            num++;
        }
    }
    assert(w);
    for (size_t at = 0; at < w->held.len;) {
        struct held h;

        memcpy(&h, w->held.data + at, sizeof(h));
        if (h.chunk_id == chunk_id) {
            for (unsigned i = 0; i < num; i++) {
                assert(patches[i].data && patches[i].offset + 4 <= h.len);
                memcpy(w->held.data + at + sizeof(h) + patches[i].offset, patches[i].data, 4);
            }
            if (!more)
                h.packets &= (uint16_t)~ORMA_SHM_NEEDS_PATCH;
            memcpy(w->held.data + at, &h, sizeof(h));
            settle(w);
            return;
        }
        at += sizeof(h) + h.len;
    }
    assert(!"a patch for a chunk that is not there");
}

static void on_counts(struct orma_test_service *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    uint64_t v[6] = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(v))
            v[f.id] = f.num;
    }
    struct orma_test_writer *w = need_writer(self, (uint16_t)v[1]);
    assert(v[3] >= w->emitted); /* totals only grow */
    w->emitted = v[3];
    w->dropped_no_chunk = v[4];
    w->dropped_too_large = v[5];
}

static void on_commit(struct orma_test_service *self, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    self->commits++;
    while (orma_pb_next(&r, &f)) {
        struct orma_str msg = {(const char *)f.data, f.len};

        switch (f.id) {
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE:
            on_move(self, msg);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_PATCH:
            on_patch(self, msg);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID:
            assert(f.num > self->flush_acked);
            self->flush_acked = f.num;
            break;
        case 90001:
            on_counts(self, msg);
            break;
        }
    }
    assert(!r.failed);
}

static void send_frame(struct orma_test_service *self, const struct orma_ipc_frame *frame, int fd)
{
    static const char *const methods[] = ORMA_PRODUCER_PORT_METHODS;
    struct orma_buf b = {0};

    if (self->sock < 0)
        return;
    int r = orma_ipc_frame_encode(&b, frame, methods, ORMA_PRODUCER_PORT_METHODS_END);
    assert(r >= 0);
    (void)orma_sock_send(self->sock, b.data, b.len, fd, 1000); /* it may be gone */
    orma_buf_fini(&b);
}

static void copy_name(char *to, size_t size, const struct orma_pb_field *f)
{
    snprintf(to, size, "%.*s", (int)f->len, (const char *)f->data);
}

static void on_init(struct orma_test_service *self, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME)
            copy_name(self->producer_name, sizeof(self->producer_name), &f);
        else if (f.id == ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_MODE)
            self->scraping = f.num == ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_ENABLED;
    }
}

static void on_register(struct orma_test_service *self, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f, g;

    orma_buf_put(&self->descriptors, args.data, args.len);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader d = orma_pb_reader(f.data, f.len);

        while (orma_pb_next(&d, &g)) {
            if (g.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME)
                copy_name(self->registered[self->registered_num % 16], 64, &g);
        }
    }
    self->registered_num++;
}

static uint64_t first_field(struct orma_str args, struct orma_pb_field *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);

    return orma_pb_next(&r, ret) ? ret->num : 0;
}

static void on_invoke(struct orma_test_service *self, const struct orma_ipc_frame *f)
{
    struct orma_ipc_frame reply = {
        .kind = ORMA_IPC_INVOKE_REPLY, .request_id = f->request_id, .success = true};
    struct orma_buf b = {0};
    struct orma_pb_field field = {0};
    uint32_t len = (uint32_t)f->payload.len;

    switch ((enum orma_producer_port_method)f->method_id) {
    case ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION:
        on_init(self, f->payload);
        orma_pb_put_u64(&b, ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USE_SHMEM_EMULATION,
                        self->emulate);
        break;
    case ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND:
        self->command_request = f->request_id;
        return; /* answered by commands */
    case ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE:
    case ORMA_PRODUCER_PORT_UPDATE_DATA_SOURCE:
        on_register(self, f->payload);
        break;
    case ORMA_PRODUCER_PORT_COMMIT_DATA:
        if (self->stalled) {
            orma_buf_put(&self->kept, &len, sizeof(len));
            orma_buf_put(&self->kept, f->payload.data, len);
        } else {
            on_commit(self, f->payload);
        }
        break;
    case ORMA_PRODUCER_PORT_REGISTER_TRACE_WRITER:
        need_writer(self, (uint16_t)first_field(f->payload, &field))->registered = true;
        break;
    case ORMA_PRODUCER_PORT_UNREGISTER_TRACE_WRITER:
        need_writer(self, (uint16_t)first_field(f->payload, &field))->unregistered = true;
        break;
    case ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STARTED:
        self->started_id = first_field(f->payload, &field);
        break;
    case ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STOPPED:
        self->stopped_id = first_field(f->payload, &field);
        break;
    case ORMA_PRODUCER_PORT_ACTIVATE_TRIGGERS:
        first_field(f->payload, &field);
        copy_name(self->trigger, sizeof(self->trigger), &field);
        break;
    case ORMA_PRODUCER_PORT_SYNC:
        self->syncs++;
        break;
    case ORMA_PRODUCER_PORT_UNREGISTER_DATA_SOURCE:
    case ORMA_PRODUCER_PORT_METHODS_END:
        break;
    }
    reply.payload = orma_buf_str(&b);
    if (!f->drop_reply)
        send_frame(self, &reply, -1);
    orma_buf_fini(&b);
}

static void on_frame(struct orma_test_service *self, const uint8_t *data, size_t len)
{
    struct orma_ipc_frame f;

    assert(orma_ipc_frame_decode(data, len, &f) == 0);
    if (f.kind == ORMA_IPC_BIND)
        send_frame(self,
                   &(struct orma_ipc_frame){.kind = ORMA_IPC_BIND_REPLY,
                                            .request_id = f.request_id,
                                            .success = true,
                                            .service_id = SERVICE_ID},
                   -1);
    else if (f.kind == ORMA_IPC_INVOKE)
        on_invoke(self, &f);
}

bool orma_test_service_step(struct orma_test_service *self)
{
    if (self->sock < 0) {
        self->sock = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (self->sock < 0)
            return true;
        self->connections++;
        unmap(self);
    }
    for (;;) {
        int got = orma_ipc_stream_recv(&self->in, self->sock);
        const uint8_t *data;
        size_t len;

        if (got == -EAGAIN)
            return true;
        if (got <= 0 && got != -ENOBUFS) {
            orma_test_service_hang_up(self);
            return false;
        }
        while (self->sock >= 0 && orma_ipc_stream_next(&self->in, &data, &len) > 0)
            on_frame(self, data, len);
    }
}

bool orma_test_service_wait(struct orma_test_service *self, int timeout_ms)
{
    struct pollfd pfd = {.fd = self->sock >= 0 ? self->sock : self->listener, .events = POLLIN};

    (void)poll(&pfd, 1, timeout_ms); /* nothing came: the step finds nothing */
    return orma_test_service_step(self);
}

void *orma_test_service_run(void *arg)
{
    struct orma_test_service *self = arg;

    while (!atomic_load(&self->quit))
        orma_test_service_wait(self, 10);
    return NULL;
}

/* ---- commands ---- */

static void command(struct orma_test_service *self, struct orma_buf *b, int fd)
{
    assert(self->command_request);
    send_frame(self,
               &(struct orma_ipc_frame){.kind = ORMA_IPC_INVOKE_REPLY,
                                        .request_id = self->command_request,
                                        .success = true,
                                        .has_more = true,
                                        .payload = orma_buf_str(b)},
               fd);
    orma_buf_fini(b);
}

void orma_test_service_setup_tracing(struct orma_test_service *self, size_t size, size_t page_size)
{
    struct orma_buf b = {0};

    if (!self->emulate) {
        self->shm_fd = self->unsealed ? memfd_create("orma_test", MFD_CLOEXEC | MFD_ALLOW_SEALING)
                                      : orma_fd_shared_memory("orma_test", size);
        assert(self->shm_fd >= 0);
        if (self->unsealed && ftruncate(self->shm_fd, (off_t)size) < 0)
            abort();
        void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->shm_fd, 0);
        assert(base != MAP_FAILED);
        int r = orma_shm_init(&self->shm, base, size, (uint32_t)page_size);
        assert(r == 0);
    }
    size_t at = orma_pb_begin(&b, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING);
    orma_pb_put_u64(&b, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING_SHARED_BUFFER_PAGE_SIZE_KB,
                    page_size / 1024);
    orma_pb_end(&b, at);
    command(self, &b, self->shm_fd);
}

void orma_test_service_start(struct orma_test_service *self, uint64_t id, const char *name,
                             uint32_t target_buffer, struct orma_str extra)
{
    static const uint32_t cmds[] = {ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE,
                                    ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cmds); i++) {
        struct orma_buf b = {0};
        size_t at = orma_pb_begin(&b, cmds[i]);

        orma_pb_put_u64(&b, 1, id);
        size_t config = orma_pb_begin(&b, 2);
        orma_pb_put_cstr(&b, ORMA_PB_DATA_SOURCE_CONFIG_NAME, name);
        orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER, target_buffer);
        orma_buf_put(&b, extra.data, extra.len);
        orma_pb_end(&b, config);
        orma_pb_end(&b, at);
        command(self, &b, -1);
    }
}

static void command_id(struct orma_test_service *self, uint32_t cmd, uint64_t id)
{
    struct orma_buf b = {0};
    size_t at = orma_pb_begin(&b, cmd);

    orma_pb_put_u64(&b, 1, id);
    orma_pb_end(&b, at);
    command(self, &b, -1);
}

void orma_test_service_stop(struct orma_test_service *self, uint64_t id)
{
    command_id(self, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE, id);
}

void orma_test_service_clear(struct orma_test_service *self, uint64_t id)
{
    command_id(self, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE, id);
}

void orma_test_service_flush(struct orma_test_service *self, uint64_t flush_id, const uint64_t *ids,
                             size_t num)
{
    struct orma_buf b = {0};
    size_t at = orma_pb_begin(&b, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH);

    for (size_t i = 0; i < num; i++)
        orma_pb_put_u64(&b, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_DATA_SOURCE_IDS, ids[i]);
    orma_pb_put_u64(&b, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_REQUEST_ID, flush_id);
    orma_pb_end(&b, at);
    command(self, &b, -1);
}

void orma_test_service_resume(struct orma_test_service *self)
{
    self->stalled = false;
    for (size_t at = 0; at < self->kept.len;) {
        uint32_t len;

        memcpy(&len, self->kept.data + at, sizeof(len));
        at += sizeof(len);
        on_commit(self, (struct orma_str){(const char *)self->kept.data + at, len});
        at += len;
    }
    orma_buf_clear(&self->kept);
}

void orma_test_service_scrape(struct orma_test_service *self)
{
    for (uint32_t page = 0; page < self->shm.pages_num; page++) {
        enum orma_shm_state state;
        struct orma_shm_chunk chunk;

        for (uint32_t idx = 0; orma_shm_peek(&self->shm, page, idx, &chunk, &state); idx++) {
            uint16_t id = atomic_load_explicit(&chunk.header->writer_id, memory_order_relaxed);
            uint16_t packets = atomic_load_explicit(&chunk.header->packets, memory_order_acquire);
            unsigned count = packets & ORMA_SHM_PACKETS_MASK;

            if (state != ORMA_SHM_WRITING || !id || count < 2)
                continue;
            /* The last record is being written; what it is cannot be known. */
            read_chunk(need_writer(self, id),
                       (uint16_t)((packets & ORMA_SHM_CONT_PREV) | (count - 1)), chunk.payload,
                       chunk.payload_size);
        }
    }
}
