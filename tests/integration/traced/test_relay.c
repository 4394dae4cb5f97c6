/* Producers of other machines: over TCP, without shared memory, behind a relay. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/sock.h"
#include "tests/integration/traced/fixture.h"

static const char hint[] = "boot-id-of-a-guest";

/* A port that nobody has: found by letting the kernel choose, then given back. */
static void tcp_addr(char *ret, size_t size)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    cr_assert_geq(fd, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
    close(fd);
    snprintf(ret, size, "127.0.0.1:%u", ntohs(addr.sin_port));
}

/* A connection over TCP that first says whom it speaks for; name NULL: it does not. */
static struct orma_ipc_client *connect_as(const char *addr, const char *port, const char *name)
{
    struct orma_ipc_frame who = {.kind = ORMA_IPC_PEER_IDENTITY,
                                 .peer_pid = 4321,
                                 .peer_uid = 1234,
                                 .machine_id_hint = ORMA_STR(hint)};
    struct orma_ipc_client *client;
    struct orma_buf bytes = {0};
    int fd = orma_sock_connect(addr);

    cr_assert_geq(fd, 0);
    if (name) {
        who.machine_name = orma_str_from(name);
        cr_assert_eq(orma_ipc_frame_encode(&bytes, &who, NULL, 0), 0);
        cr_assert_eq(orma_fd_write_all(fd, bytes.data, bytes.len), 0);
    }
    orma_buf_fini(&bytes);
    cr_assert_eq(orma_ipc_client_new_from_fd(fd, port, &client), 0);
    cr_assert_eq(orma_ipc_client_wait_bound(client, RIG_TIMEOUT_MS), 0);
    return client;
}

static void fixture_init_tcp(struct fixture *s, char *addr, size_t size)
{
    *s = (struct fixture){0};
    tcp_addr(addr, size);
    rig_init_with(&s->rig, addr);
    s->consumer = rig_connect(s->rig.consumer_addr, "ConsumerPort");
}

static void commit_inline(struct rig_producer *p, uint16_t writer, uint32_t chunk_id,
                          const char *text, bool incomplete)
{
    struct orma_buf packet = {0}, chunk = {0}, args = {0};
    uint16_t head[4] = {(uint16_t)chunk_id, 0, writer, incomplete ? 2 : 1};

    orma_pb_put_cstr(&packet, RIG_TEXT, text);
    orma_buf_put(&chunk, head, sizeof(head));
    orma_pb_put_raw_varint(&chunk, packet.len);
    orma_buf_put(&chunk, packet.data, packet.len);
    size_t move = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
    orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                    p->target_buffer);
    orma_pb_put_bytes(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA, chunk.data,
                      chunk.len);
    if (incomplete)
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK_INCOMPLETE, 1);
    orma_pb_end(&args, move);
    cr_assert(rig_ok(p->client, "CommitData", &args));
    orma_buf_fini(&packet);
    orma_buf_fini(&chunk);
    orma_buf_fini(&args);
}

Test(traced_relay, a_producer_over_tcp_sends_its_chunks_in_the_commits)
{
    struct fixture s;
    char addr[64];
    struct orma_pb_field f;

    fixture_init_tcp(&s, addr, sizeof(addr));
    rig_producer_init_on(&s.producer, connect_as(addr, "ProducerPort", NULL), "remote", false);
    cr_assert(s.producer.emulated, "there is no shared memory over TCP");
    rig_producer_register(&s.producer, "test.source", NULL);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    cr_assert_null(s.producer.shm.base);
    cr_assert_eq(s.producer.page_size, 4096);
    commit_inline(&s.producer, 1, 0, "one", false);
    commit_inline(&s.producer, 1, 1, "two", false);
    fixture_disable(&s);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "one two");
    cr_assert_not(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_MACHINE_ID, &f),
                  "without a relay it is taken for a local one");
    fixture_fini(&s);
}

Test(traced_relay, a_producer_behind_a_relay_has_its_machine_in_each_packet)
{
    struct fixture s;
    char addr[64];
    struct orma_pb_field f;
    uint32_t id = (uint32_t)orma_fnv1a(ORMA_FNV1A_BASIS, hint, strlen(hint));

    fixture_init_tcp(&s, addr, sizeof(addr));
    rig_producer_init_on(&s.producer, connect_as(addr, "ProducerPort", "guest"), "remote", false);
    rig_producer_register(&s.producer, "test.source", NULL);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_producer_sync(&s.producer);
    cr_assert_eq(s.producer.setups, 0, "other machines must be asked for");
    cr_assert(rig_ok(s.consumer, "FreeBuffers", NULL));
    orma_ipc_client_forget(s.consumer, &s.enabled);

    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_TRACE_ALL_MACHINES, 1);
    fixture_enable(&s, -1);
    commit_inline(&s.producer, 1, 0, "one", false);
    fixture_disable(&s);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "one");
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_MACHINE_ID, &f));
    cr_assert_eq(orma_pb_u64(&f), id);
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_TRUSTED_PID, &f));
    cr_assert_eq(orma_pb_u64(&f), 4321);
    fixture_fini(&s);
}

Test(traced_relay, machine_filters_choose_by_name)
{
    struct fixture s;
    char addr[64];

    fixture_init_tcp(&s, addr, sizeof(addr));
    rig_producer_init_on(&s.producer, connect_as(addr, "ProducerPort", "guest"), "remote", false);
    rig_producer_register(&s.producer, "test.source", NULL);
    rig_config_buffer(&s.config, 64, 1);
    size_t entry = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
    size_t ds = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);
    orma_pb_put_cstr(&s.config, ORMA_PB_DATA_SOURCE_CONFIG_NAME, "test.source");
    orma_pb_end(&s.config, ds);
    orma_pb_put_cstr(&s.config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_MACHINE_NAME_FILTER, "guest");
    orma_pb_end(&s.config, entry);
    fixture_enable(&s, -1);
    fixture_disable(&s);
    fixture_fini(&s);
}

/* An unfinished chunk comes before the acknowledgement, as a copy of what is there. */
Test(traced_relay, a_relayed_producer_scrapes_itself_when_flushed)
{
    struct fixture s;
    char addr[64];
    static const uint32_t no_flush[] = {ORMA_PB_DATA_SOURCE_DESCRIPTOR_NO_FLUSH, 1, 0};

    fixture_init_tcp(&s, addr, sizeof(addr));
    rig_producer_init_on(&s.producer, connect_as(addr, "ProducerPort", "guest"), "remote", true);
    rig_producer_register(&s.producer, "test.source", no_flush);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_TRACE_ALL_MACHINES, 1);
    fixture_enable(&s, -1);
    struct rig_reply flushed = {0};
    rig_send(s.consumer, "Flush", NULL, -1, &flushed);
    rig_producer_wait_flush(&s.producer);
    commit_inline(&s.producer, 1, 0, "begun", true);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_wait(s.consumer, &flushed);
    cr_assert(flushed.success);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "begun");
    commit_inline(&s.producer, 1, 0, "begun", false); /* the whole chunk, later */
    fixture_disable(&s);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "");
    rig_reply_fini(&flushed);
    fixture_fini(&s);
}

static void sync_clocks(struct orma_ipc_client *relay, uint32_t phase, uint64_t ts)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_SYNC_CLOCK_REQUEST_PHASE, phase);
    size_t clock = orma_pb_begin(&args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCKS);
    orma_pb_put_u64(&args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_CLOCK_ID, 6);
    orma_pb_put_u64(&args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_TIMESTAMP, ts);
    orma_pb_end(&args, clock);
    cr_assert(rig_ok(relay, "SyncClock", &args));
    orma_buf_fini(&args);
}

Test(traced_relay, a_relay_tells_of_its_machine_and_its_clocks)
{
    struct fixture s;
    char addr[64];
    struct orma_pb_field f;
    struct orma_buf args = {0};

    fixture_init_tcp(&s, addr, sizeof(addr));
    struct orma_ipc_client *relay = connect_as(addr, "RelayPort", "guest");
    size_t info = orma_pb_begin(&args, ORMA_PB_INIT_RELAY_REQUEST_SYSTEM_INFO);
    orma_pb_put_u64(&args, ORMA_PB_SYSTEM_INFO_NUM_CPUS, 77);
    orma_pb_end(&args, info);
    cr_assert(rig_ok(relay, "InitRelay", &args));
    for (uint64_t i = 0; i < 8; i++) /* no whole round */
        sync_clocks(relay, ORMA_PB_SYNC_CLOCK_REQUEST_UPDATE, 1000 + i);
    rig_config_buffer(&s.config, 64, 1);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    fixture_read(&s, s.consumer);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_SYSTEM_INFO), 2);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_MACHINE_ID), 2);
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC, &f));
    struct orma_pb_reader r = orma_pb_sub(&f);
    unsigned exchanges = 0;
    while (orma_pb_next(&r, &f))
        exchanges += f.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS;
    cr_assert_eq(exchanges, 5, "the latest ones");
    fixture_read(&s, s.consumer);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_MACHINE_ID), 0, "told once");
    orma_ipc_client_free(relay);
    orma_buf_fini(&args);
    fixture_disable(&s);
    fixture_fini(&s);
}

static uint64_t read_exchange(const struct orma_pb_field *exchange, uint32_t end)
{
    struct orma_pb_reader r = orma_pb_sub(exchange);
    struct orma_pb_field f;
    uint64_t ret = 0;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader clocks = orma_pb_sub(&f);
        struct orma_pb_field c;

        while (f.id == end && orma_pb_next(&clocks, &c)) {
            struct orma_pb_reader one = orma_pb_sub(&c);
            struct orma_pb_field v;
            uint64_t id = 0, ts = 0;

            while (orma_pb_next(&one, &v)) {
                id = v.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID ? orma_pb_u64(&v) : id;
                ts = v.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP ? orma_pb_u64(&v) : ts;
            }
            ret = id == ORMA_CLOCK_BOOTTIME ? ts : ret;
        }
    }
    return ret;
}

/* Its clock is 1000 s ahead of ours; bounds of all rounds hold, and only narrow ones are told. */
Test(traced_relay, clocks_are_related_by_bounds_that_hold)
{
    const int64_t ahead = 1000000000000;
    struct fixture s;
    char addr[64];
    struct orma_pb_field f;

    fixture_init_tcp(&s, addr, sizeof(addr));
    struct orma_ipc_client *relay = connect_as(addr, "RelayPort", "guest");
    for (int i = 0; i < 20; i++) {
        uint64_t late = i == 13 ? 0 : (uint64_t)(i % 5) * 200000; /* on its way to us */

        sync_clocks(relay, ORMA_PB_SYNC_CLOCK_REQUEST_PING, orma_clock_boottime() + ahead - late);
        sync_clocks(relay, ORMA_PB_SYNC_CLOCK_REQUEST_UPDATE, orma_clock_boottime() + ahead);
    }
    rig_config_buffer(&s.config, 64, 1);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    fixture_read(&s, s.consumer);
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC, &f));
    struct orma_pb_reader r = orma_pb_sub(&f);
    struct orma_pb_field x[3];
    cr_assert(orma_pb_next(&r, &x[0]) && orma_pb_next(&r, &x[1]) && !orma_pb_next(&r, &x[2]));
    int64_t c[2], h[2];
    for (int i = 0; i < 2; i++) {
        c[i] = (int64_t)read_exchange(&x[i], ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS);
        h[i] = (int64_t)read_exchange(&x[i], ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS);
    }
    cr_assert_leq(c[0] - h[0], ahead);
    cr_assert_leq(c[1] - h[1], ahead);
    cr_assert_geq(c[1] - h[0], ahead);
    orma_ipc_client_free(relay);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_relay, without_saying_who_it_is_a_relay_is_refused)
{
    struct fixture s;
    char addr[64];
    struct orma_ipc_client *client;

    fixture_init_tcp(&s, addr, sizeof(addr));
    struct orma_ipc_client *relay = connect_as(addr, "RelayPort", NULL);
    cr_assert_not(rig_ok(relay, "InitRelay", NULL));
    orma_ipc_client_free(relay);
    /* And where no relay is expected there is no such port. */
    cr_assert_eq(orma_ipc_client_new(s.rig.producer_addr, "RelayPort", &client), 0);
    cr_assert_eq(orma_ipc_client_wait_bound(client, RIG_TIMEOUT_MS), -ENOPROTOOPT);
    orma_ipc_client_free(client);
    fixture_fini(&s);
}
