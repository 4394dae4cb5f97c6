/* Producers and their chunks without any session: targets, commits, and what is reported. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "traced/buffers/buffer.h"
#include "traced/producers/producer.h"

struct bed {
    struct traced_loop loop;
    struct traced_network network;
    struct traced_producers producers;
    struct traced_producer *producer;
    struct traced_target_group group;
    struct traced_target target;
    int client;
    uint64_t flush_id;
    unsigned commits, gone, sources_gone;
};

static void on_committed(struct traced_producer *producer, uint64_t flush_id)
{
    struct bed *b = producer->registry->context;

    b->commits++;
    b->flush_id = flush_id;
}

static void on_gone(struct traced_producer *producer)
{
    ((struct bed *)producer->registry->context)->gone++;
}

static void on_source_gone(const struct traced_data_source *ds)
{
    ((struct bed *)ds->producer->registry->context)->sources_gone++;
}

/* Ids 1 to 3 still have data somewhere. */
static void mark_ids(const struct traced_producers *producers, uint64_t *used)
{
    (void)producers;
    used[0] |= 0xe;
}

static const struct traced_producer_events events = {
    .committed = on_committed,
    .gone = on_gone,
    .data_source_gone = on_source_gone,
    .mark_ids = mark_ids,
};

static void gone(struct traced_conn *conn)
{
    traced_producer_free(conn->client);
}

static const struct traced_port *const no_ports[] = {NULL};
static const struct traced_endpoint endpoint = {
    .client_name = "producer", .ports = no_ports, .cutoff_ms = 10, .queue_max = 1024, .gone = gone};

static void bed_init(struct bed *b)
{
    int fds[2];

    *b = (struct bed){.group.last_sequence_id = 1};
    cr_assert_eq(traced_loop_init(&b->loop), 0);
    cr_assert_eq(traced_network_init(&b->network, &b->loop, NULL), 0);
    traced_producers_init(&b->producers, &b->loop, &events, b);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    cr_assert_eq(traced_conn_new(&b->network, fds[0], &endpoint), 0);
    b->client = fds[1];
    b->producer = traced_producer_new(
        ORMA_CONTAINER_OF(b->network.conns.next, struct traced_conn, link), &b->producers);
    b->producer->name = strdup("p");
    b->producer->shm_ready = b->producer->emulated = true;
    b->target.group = &b->group;
    cr_assert_eq(traced_buffer_new(4096, TRACED_RING, &b->target.buf), 0);
    b->target.buf->owner = &b->target;
    cr_assert_eq(traced_target_add(&b->producers, &b->target), 0);
    cr_assert_eq(orma_map_put(&b->producer->targets, b->target.id, 1), 0);
}

static void bed_fini(struct bed *b)
{
    traced_network_fini(&b->network);
    traced_targets_remove(&b->producers, &b->target, 1);
    traced_buffer_free(b->target.buf);
    orma_map_fini(&b->group.sequence_ids);
    traced_producers_fini(&b->producers);
    traced_loop_fini(&b->loop);
    close(b->client);
    orma_assert_no_leaks();
}

/* A chunk of writer 1 with one packet, inside the request. */
static void put_chunk(struct orma_buf *request, uint16_t chunk_id, uint32_t buffer)
{
    const uint8_t chunk[] = {(uint8_t)chunk_id, 0, 0, 0, 1, 0, 1, 0, 3, 0x6a, 1, 'x'};
    size_t move = orma_pb_begin(request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

    orma_pb_put_u64(request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER, buffer);
    orma_pb_put_bytes(request, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA, chunk,
                      sizeof(chunk));
    orma_pb_end(request, move);
}

static void commit(struct bed *b, struct orma_buf *request)
{
    cr_assert_eq(traced_commit(b->producer, orma_buf_str(request)), 0);
    orma_buf_fini(request);
}

static unsigned packets_of(struct bed *b)
{
    struct traced_packet packet;
    unsigned num = 0;

    traced_buffer_read_begin(b->target.buf);
    while (traced_buffer_read(b->target.buf, &packet))
        num++;
    return num;
}

Test(traced_producers, write_into_their_targets_only)
{
    struct orma_buf request = {0};
    struct bed b;

    bed_init(&b);
    put_chunk(&request, 0, b.target.id);
    put_chunk(&request, 1, b.target.id + 1u);
    put_chunk(&request, 1, b.target.id);
    orma_pb_put_u64(&request, ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID, 7);
    commit(&b, &request);
    cr_assert_eq(b.commits, 1);
    cr_assert_eq(b.flush_id, 7);
    cr_assert_eq(b.producers.chunks_discarded, 1);
    cr_assert_eq(packets_of(&b), 2);
    traced_targets_remove(&b.producers, &b.target, 1);
    put_chunk(&request, 2, b.target.id);
    commit(&b, &request);
    cr_assert_eq(b.producers.chunks_discarded, 2, "it is no target any more");
    bed_fini(&b);
}

/* All texts that it sends are its user's memory. */
Test(traced_producers, are_charged_for_names)
{
    Perfetto__Protos__DataSourceDescriptor desc = PERFETTO__PROTOS__DATA_SOURCE_DESCRIPTOR__INIT;
    char name[5001];
    struct bed b;

    bed_init(&b);
    const size_t before = traced_producer_held(b.producer);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    desc.name = name;
    struct traced_data_source *ds =
        traced_producer_add_source(b.producer, &desc, orma_str_from("some bytes"));
    cr_assert_not_null(ds);
    cr_expect_geq(traced_producer_held(b.producer), before + sizeof(name) + 10);
    traced_producer_remove_source(ds);
    cr_expect_eq(traced_producer_held(b.producer), before);
    free(b.producer->name); /* it has none so far */
    cr_assert(traced_producer_name(b.producer, ORMA_STR("me"), orma_str_from(name)));
    cr_expect_eq(traced_producer_held(b.producer), before + sizeof("me") + sizeof(name));
    bed_fini(&b);
}

Test(traced_producers, give_sequences_ids_and_report_their_counts)
{
    struct orma_buf request = {0};
    struct bed b;

    bed_init(&b);
    put_chunk(&request, 0, b.target.id);
    size_t counts = orma_pb_begin(&request, ORMA_PB_COMMIT_DATA_REQUEST_ORMA_WRITER_COUNTS);
    orma_pb_put_u64(&request, ORMA_PB_ORMA_WRITER_COUNTS_WRITER_ID, 1);
    orma_pb_put_u64(&request, ORMA_PB_ORMA_WRITER_COUNTS_TARGET_BUFFER, b.target.id);
    orma_pb_put_u64(&request, ORMA_PB_ORMA_WRITER_COUNTS_EMITTED, 5);
    orma_pb_put_u64(&request, ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_NO_CHUNK, 1);
    orma_pb_put_u64(&request, ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_TOO_LARGE, 2);
    orma_pb_end(&request, counts);
    commit(&b, &request);
    struct traced_seq *seq = traced_buffer_find(b.target.buf, b.producer->id, 1);
    cr_assert_eq(seq->sequence_id, 2, "1 is the service's own");
    cr_assert_gt(seq->trailer_len, 0);
    cr_assert_eq(traced_seq_ledger(seq).emitted, 5);
    cr_assert_eq(traced_seq_ledger(seq).dropped, 3);
    bed_fini(&b);
}

Test(traced_producers, report_their_end_and_leave_their_packets)
{
    Perfetto__Protos__DataSourceDescriptor desc = PERFETTO__PROTOS__DATA_SOURCE_DESCRIPTOR__INIT;
    struct orma_buf request = {0};
    struct bed b;

    bed_init(&b);
    desc.name = (char *)(uintptr_t) "source";
    desc.id = 4;
    cr_assert_not_null(traced_producer_add_source(b.producer, &desc, ORMA_STR("xyz")));
    cr_assert_null(traced_producer_add_source(b.producer, &desc, ORMA_STR("xyz")), "id in use");
    put_chunk(&request, 0, b.target.id);
    commit(&b, &request);
    traced_conn_free(b.producer->conn);
    cr_assert_eq(b.gone, 1);
    cr_assert_eq(b.sources_gone, 1);
    cr_assert_eq(b.producers.num, 0);
    cr_assert_eq(packets_of(&b), 1);
    bed_fini(&b);
}

Test(traced_producers, take_ids_again_that_nobody_has)
{
    struct bed b;
    int fds[2];

    bed_init(&b);
    b.producers.seen = 100000;
    b.producers.last_id = UINT16_MAX;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    cr_assert_eq(traced_conn_new(&b.network, fds[0], &endpoint), 0);
    struct traced_producer *p = traced_producer_new(
        ORMA_CONTAINER_OF(b.network.conns.prev, struct traced_conn, link), &b.producers);
    cr_assert_eq(p->id, 4, "0 is none, 1 is the other one's, 1 to 3 have data");
    close(fds[1]);
    bed_fini(&b);
}
