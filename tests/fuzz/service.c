#include "tests/fuzz/service.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/ipc/frame.h"
#include "sdk/wire/pb_writer.h"
#include "traced/buffers/buffer_internal.h"
#include "traced/sessions/read.h"

struct traced_service *fuzz_service_new(void)
{
    static unsigned number;
    struct traced_service *svc;
    char p[64], c[64];

    snprintf(p, sizeof(p), "@orma-fuzz-%d-%u-p", getpid(), number);
    snprintf(c, sizeof(c), "@orma-fuzz-%d-%u-c", getpid(), number++);
    struct traced_config config = {.producer_addrs = p, .consumer_addr = c};
    if (traced_service_new(&config, &svc, NULL) < 0)
        abort();
    return svc;
}

void fuzz_service_free(struct traced_service *svc)
{
    if (svc->network.conns_num || svc->producers.num || svc->producers.data_sources_num ||
        svc->sessions.num)
        abort();
    traced_service_free(svc);
}

int fuzz_connect(struct traced_service *svc, const struct traced_endpoint *endpoint)
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0 ||
        traced_conn_new(&svc->network, fds[0], endpoint) < 0)
        abort();
    return fds[1];
}

void fuzz_turn(struct traced_service *svc, int client)
{
    char drain[65536];

    for (int i = 0; i < 4; i++) {
        event_base_loop(svc->loop.base, EVLOOP_NONBLOCK);
        while (client >= 0 && recv(client, drain, sizeof(drain), MSG_DONTWAIT) > 0)
            continue;
    }
}

void fuzz_send(int client, const void *data, size_t len)
{
    (void)!send(client, data, len, MSG_NOSIGNAL | MSG_DONTWAIT); /* the service may have closed */
}

void fuzz_call(int client, uint32_t method, uint64_t request, const void *args, size_t len,
               bool drop_reply)
{
    struct orma_ipc_frame frame = {
        .kind = ORMA_IPC_INVOKE,
        .request_id = request,
        .service_id = 1,
        .method_id = method,
        .drop_reply = drop_reply,
        .payload = {args, len},
    };
    struct orma_buf out = {0};

    if (orma_ipc_frame_encode(&out, &frame, NULL, 0) == 0)
        fuzz_send(client, out.data, out.len);
    orma_buf_fini(&out);
}

void fuzz_bind(int client, const char *port)
{
    struct orma_ipc_frame frame = {
        .kind = ORMA_IPC_BIND, .request_id = 1, .service_name = orma_str_from(port)};
    struct orma_buf out = {0};

    if (orma_ipc_frame_encode(&out, &frame, NULL, 0) < 0)
        abort();
    fuzz_send(client, out.data, out.len);
    orma_buf_fini(&out);
}

struct traced_session *fuzz_session(struct traced_service *svc, struct traced_consumer *consumer)
{
    struct orma_buf config = {0}, error = {0};
    struct traced_session *session;

    size_t buffer = orma_pb_begin(&config, ORMA_PB_TRACE_CONFIG_BUFFERS);
    orma_pb_put_u64(&config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, 64);
    orma_pb_end(&config, buffer);
    size_t entry = orma_pb_begin(&config, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
    size_t ds = orma_pb_begin(&config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);
    orma_pb_put_cstr(&config, ORMA_PB_DATA_SOURCE_CONFIG_NAME, "a");
    orma_pb_end(&config, ds);
    orma_pb_end(&config, entry);
    if (traced_session_new(&svc->sessions, orma_buf_str(&config), consumer->uid, -1, &session,
                           &error) < 0)
        abort();
    consumer->session = session;
    traced_session_begin(session, consumer);
    orma_buf_fini(&config);
    orma_buf_fini(&error);
    return session;
}

void fuzz_requests(struct traced_service *svc, int client, const uint8_t *data, size_t size)
{
    uint64_t request = 100;

    while (size >= 4) {
        uint8_t method = data[0] % 20, flags = data[1];
        size_t len = ORMA_MIN((size_t)(data[2] | data[3] << 8), size - 4);

        data += 4;
        size -= 4;
        if (flags & 4)
            fuzz_send(client, data, len);
        else
            fuzz_call(client, method, request++, data, len, flags & 1);
        if (flags & 2)
            fuzz_turn(svc, client);
        data += len;
        size -= len;
    }
    fuzz_turn(svc, client);
}

static void check_buffer(const struct traced_buffer *b)
{
    size_t refs = 0, records = 0;

    for (size_t at = 0; at < b->used;) {
        const struct traced_record *rec = traced_record_at(b, at);

        if (!rec->size || rec->check != traced_record_check(rec))
            abort();
        if (!(rec->flags & TRACED_REC_PADDING)) {
            struct traced_seq *seq = traced_buffer_find(b, rec->producer_id, rec->writer_id);

            if (!seq || traced_seq_find_ref(seq, rec->chunk_id) < 0)
                abort();
            records++;
        }
        at += rec->size;
        if (at > b->used)
            abort();
    }
    ORMA_LIST_EACH (struct traced_seq, seq, &b->seqs, link)
        refs += seq->len;
    if (refs != records)
        abort();
}

void fuzz_read_all(struct traced_session *session)
{
    struct orma_buf out = {0};
    struct orma_pb_field f;
    int r;

    for (size_t i = 0; i < session->buffers_num; i++)
        check_buffer(session->buffers[i].buf);
    do {
        orma_buf_clear(&out);
        r = traced_session_read(session, &out, 32768, UINT64_MAX);
        struct orma_pb_reader reader = orma_pb_reader(out.data, out.len);
        while (orma_pb_next(&reader, &f))
            if (f.id != 1)
                abort();
        if (reader.failed)
            abort();
    } while (r == 1);
    for (size_t i = 0; i < session->buffers_num; i++)
        check_buffer(session->buffers[i].buf);
    orma_buf_fini(&out);
}
