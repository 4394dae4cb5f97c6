/* A session that goes on in another file: which packet is in which, with a producer made by hand.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"

#define METHOD "OrmaNextFile"
enum { CLEARED = 1, NEEDS = 2 };

struct next {
    struct fixture s;
    struct rig_reply reply;
    int fds[2];
    uint32_t chunk[4]; /* by writer */
};

static int new_fd(void)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);

    cr_assert_geq(fd, 0);
    return fd;
}

static void begin(struct next *n, uint64_t max_bytes, bool into_file)
{
    static const uint32_t flags[] = {ORMA_PB_DATA_SOURCE_DESCRIPTOR_HANDLES_INCREMENTAL_STATE_CLEAR,
                                     1, 0};

    *n = (struct next){.fds = {new_fd(), new_fd()}};
    fixture_init(&n->s, false);
    rig_producer_register(&n->s.producer, "test.clears", flags);
    rig_config_buffer(&n->s.config, 256, 1);
    rig_config_source(&n->s.config, "test.clears", 0);
    if (into_file)
        orma_pb_put_u64(&n->s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    if (max_bytes)
        orma_pb_put_u64(&n->s.config, ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, max_bytes);
    fixture_enable(&n->s, into_file ? n->fds[0] : -1);
}

static void end(struct next *n)
{
    rig_reply_fini(&n->reply);
    close(n->fds[0]);
    close(n->fds[1]);
    fixture_fini(&n->s);
}

/* One packet, in a chunk of its own. */
static void emit(struct next *n, uint16_t writer, unsigned flags, const char *text)
{
    struct rig_producer *p = &n->s.producer;
    struct orma_buf packet = {0}, payload = {0};
    struct orma_shm_chunk chunk;

    cr_assert(orma_shm_acquire(&p->shm, writer, ORMA_SHM_LAYOUT_1, writer, n->chunk[writer]++, 0,
                               &chunk));
    orma_pb_put_cstr(&packet, RIG_TEXT, text);
    if (flags)
        orma_pb_put_u64(&packet, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    orma_pb_put_raw_varint(&payload, packet.len);
    orma_buf_put(&payload, packet.data, packet.len);
    memcpy(chunk.payload, payload.data, payload.len);
    orma_buf_fini(&packet);
    orma_buf_fini(&payload);
    atomic_store(&chunk.header->packets, 1);
    rig_producer_commit(p, &chunk, p->target_buffer);
    rig_producer_sync(p);
}

static void ack(struct next *n)
{
    rig_producer_wait_flush(&n->s.producer);
    uint64_t id = n->s.producer.flush_id;
    n->s.producer.flush_id = 0;
    rig_producer_ack_flush(&n->s.producer, id);
}

static const char *texts(struct next *n, int fd)
{
    struct stat st;

    orma_buf_clear(&n->s.trace);
    orma_buf_clear(&n->s.text);
    cr_assert_eq(fstat(fd, &st), 0);
    cr_assert(orma_buf_reserve(&n->s.trace, (size_t)st.st_size + 1));
    /* Its place belongs to the service. */
    cr_assert_eq(orma_fd_read_at(fd, n->s.trace.data, (size_t)st.st_size, 0), 0);
    n->s.trace.len = (size_t)st.st_size;
    return rig_texts(&n->s.trace, &n->s.text);
}

static uint64_t behind(const struct rig_reply *reply)
{
    struct orma_pb_reader r = orma_pb_reader(reply->payload.data, reply->payload.len);
    struct orma_pb_field f;
    uint64_t num = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_ORMA_NEXT_FILE_RESPONSE_PACKETS_BEHIND)
            num = orma_pb_u64(&f);
    return num;
}

Test(traced_next_file, a_sequence_changes_over_when_its_state_was_cleared)
{
    struct next n;

    begin(&n, 0, true);
    emit(&n, 1, CLEARED, "a1");
    emit(&n, 3, CLEARED, "c1");
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &n.reply);
    ack(&n);
    rig_producer_wait(&n.s.producer, &n.s.producer.clears, 1);
    emit(&n, 1, NEEDS, "a2");
    emit(&n, 1, CLEARED, "a3");
    emit(&n, 1, NEEDS, "a4");
    emit(&n, 2, 0, "b1");
    emit(&n, 3, NEEDS, "c2");
    ack(&n);
    rig_wait(n.s.consumer, &n.reply);
    cr_assert(n.reply.success);
    cr_assert_eq(behind(&n.reply), 0);
    cr_assert_str_eq(texts(&n, n.fds[0]), "a1 c1 a2 b1 c2", "the old file is complete");
    cr_assert(rig_count(&n.s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS) > 0);
    emit(&n, 2, 0, "b2");
    emit(&n, 3, NEEDS, "c3");
    fixture_disable(&n.s);
    cr_assert_str_eq(texts(&n, n.fds[1]), "a3 a4 b2 c3");
    cr_assert_eq(rig_count(&n.s.trace, ORMA_PB_TRACE_PACKET_TRACE_CONFIG), 1);
    cr_assert_eq(rig_count(&n.s.trace, ORMA_PB_TRACE_PACKET_TRACE_UUID), 1);
    cr_assert(rig_count(&n.s.trace, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT) > 0);
    end(&n);
}

Test(traced_next_file, packets_that_need_an_older_file_are_counted)
{
    struct next n;

    begin(&n, 0, true);
    emit(&n, 3, CLEARED, "c1");
    for (int i = 0; i < 2; i++) {
        int fd = i ? new_fd() : n.fds[1];

        rig_send(n.s.consumer, METHOD, NULL, fd, &n.reply);
        ack(&n);
        rig_producer_wait(&n.s.producer, &n.s.producer.clears, (unsigned)i + 1);
        ack(&n);
        rig_wait(n.s.consumer, &n.reply);
        cr_assert(n.reply.success);
        cr_assert_eq(behind(&n.reply), i ? 2 : 0);
        rig_reply_fini(&n.reply);
        n.reply = (struct rig_reply){0};
        if (i)
            close(fd);
        emit(&n, 3, NEEDS, "c2");
        emit(&n, 3, NEEDS, "c3");
    }
    fixture_disable(&n.s);
    end(&n);
}

Test(traced_next_file, it_is_refused_where_there_is_none)
{
    struct next n;

    begin(&n, 0, true);
    cr_assert_not(rig_ok(n.s.consumer, METHOD, NULL), "without a descriptor");
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &n.reply);
    struct rig_reply second = {0};
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &second);
    rig_wait(n.s.consumer, &second);
    cr_assert_not(second.success, "one at a time");
    rig_reply_fini(&second);
    fixture_disable(&n.s); /* while the first flush is under way */
    rig_wait(n.s.consumer, &n.reply);
    cr_assert_not(n.reply.success, "the session has ended before");
    cr_assert_str_eq(texts(&n, n.fds[1]), "");
    cr_assert_eq(n.s.trace.len, 0, "nothing is in it");
    end(&n);

    begin(&n, 1 << 20, true);
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &n.reply);
    rig_wait(n.s.consumer, &n.reply);
    cr_assert_not(n.reply.success, "the file has a maximal size");
    end(&n);

    begin(&n, 0, false);
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &n.reply);
    rig_wait(n.s.consumer, &n.reply);
    cr_assert_not(n.reply.success, "the session has no file");
    end(&n);
}

Test(traced_next_file, a_consumer_that_leaves_meanwhile_leaves_whole_files)
{
    struct next n;

    begin(&n, 0, true);
    emit(&n, 1, CLEARED, "a1");
    rig_send(n.s.consumer, METHOD, NULL, n.fds[1], &n.reply);
    ack(&n);
    rig_producer_wait(&n.s.producer, &n.s.producer.clears, 1);
    emit(&n, 1, NEEDS, "a2");
    emit(&n, 1, CLEARED, "a3");
    orma_ipc_client_free(n.s.consumer);
    n.s.consumer = NULL;
    for (int i = 0; i < 500 && !strstr(texts(&n, n.fds[1]), "a3"); i++)
        usleep(20000);
    cr_assert_str_eq(texts(&n, n.fds[1]), "a3");
    cr_assert_str_eq(texts(&n, n.fds[0]), "a1 a2");
    end(&n);
}
