/* Snapshots of running sessions, and sessions that outlive their consumer. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"

/* A clone as a second consumer asks for it. */
struct clone {
    struct orma_ipc_client *consumer;
    struct rig_reply reply;
    bool success;
    char error[128];
    uint64_t uuid_lsb;
    bool was_file;
};

static void clone_send(struct clone *c, const struct fixture *s, uint64_t id, const char *name,
                       int fd)
{
    struct orma_buf args = {0};

    *c = (struct clone){0};
    c->consumer = rig_connect(s->rig.consumer_addr, "ConsumerPort");
    if (name)
        orma_pb_put_cstr(&args, ORMA_PB_CLONE_SESSION_REQUEST_UNIQUE_SESSION_NAME, name);
    else
        orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, id);
    orma_pb_put_cstr(&args, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_NAME, "why");
    orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_BOOT_TIME_NS, 77);
    rig_send(c->consumer, "CloneSession", &args, fd, &c->reply);
    orma_buf_fini(&args);
}

static void clone_wait(struct clone *c)
{
    struct orma_pb_field f;

    rig_wait(c->consumer, &c->reply);
    cr_assert(c->reply.success);
    struct orma_pb_reader r = orma_pb_reader(c->reply.payload.data, c->reply.payload.len);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLONE_SESSION_RESPONSE_SUCCESS)
            c->success = orma_pb_bool(&f);
        else if (f.id == ORMA_PB_CLONE_SESSION_RESPONSE_ERROR)
            snprintf(c->error, sizeof(c->error), "%.*s", ORMA_STR_ARG(orma_pb_str(&f)));
        else if (f.id == ORMA_PB_CLONE_SESSION_RESPONSE_UUID_LSB)
            c->uuid_lsb = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_CLONE_SESSION_RESPONSE_WAS_WRITE_INTO_FILE)
            c->was_file = orma_pb_bool(&f);
    }
}

static void clone_fini(struct clone *c)
{
    rig_reply_fini(&c->reply);
    orma_ipc_client_free(c->consumer);
}

/* A buffer whose clone takes it away, or is emptied before. */
static void put_buffer(struct orma_buf *config, uint32_t flag)
{
    size_t buffer = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, 64);
    orma_pb_put_u64(config, flag, 1);
    orma_pb_end(config, buffer);
}

Test(traced_clone, a_clone_by_id_has_the_data_and_the_session_goes_on)
{
    struct fixture s;
    struct clone c;
    struct orma_pb_field f;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_TRACE_UUID_LSB, 4242);
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    clone_send(&c, &s, 1, NULL, -1);
    rig_producer_wait_flush(&s.producer);
    fixture_commit(&s, 1, TEXTS("three"));
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    clone_wait(&c);
    cr_assert(c.success, "%s", c.error);
    cr_assert_eq(c.uuid_lsb, 4242);
    fixture_commit(&s, 2, TEXTS("four"));
    cr_assert_str_eq(fixture_read(&s, c.consumer), "one two three");
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER, &f));
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 1);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 0);
    cr_assert(rig_ok(c.consumer, "FreeBuffers", NULL));
    cr_assert_str_eq(fixture_read(&s, s.consumer), "one two three four");
    clone_fini(&c);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_clone, what_the_consumer_has_read_is_in_no_clone)
{
    struct fixture s;
    struct clone c;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_cstr(&s.config, ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME, "mine");
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    cr_assert_str_eq(fixture_read(&s, s.consumer), "one two");
    fixture_commit(&s, 1, TEXTS("three"));
    clone_send(&c, &s, 0, "mine", -1);
    rig_producer_wait_flush(&s.producer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    clone_wait(&c);
    cr_assert(c.success, "%s", c.error);
    cr_assert_str_eq(fixture_read(&s, c.consumer), "three");
    clone_fini(&c);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_clone, a_buffer_to_be_transferred_leaves_the_source_empty)
{
    struct fixture s;
    struct clone c;

    fixture_init(&s, false);
    put_buffer(&s.config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_TRANSFER_ON_CLONE);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    clone_send(&c, &s, 1, NULL, -1);
    rig_producer_wait_flush(&s.producer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    clone_wait(&c);
    cr_assert(c.success, "%s", c.error);
    fixture_commit(&s, 1, TEXTS("three"));
    cr_assert_str_eq(fixture_read(&s, c.consumer), "one two");
    cr_assert_str_eq(fixture_read(&s, s.consumer), "three");
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 0,
                 "nothing is missing: it is in the clone");
    clone_fini(&c);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_clone, a_buffer_can_be_emptied_before)
{
    struct fixture s;
    struct clone c;

    fixture_init(&s, false);
    put_buffer(&s.config, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_CLEAR_BEFORE_CLONE);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("old"));
    clone_send(&c, &s, 1, NULL, -1);
    rig_producer_wait_flush(&s.producer);
    fixture_commit(&s, 1, TEXTS("state"));
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    clone_wait(&c);
    cr_assert_str_eq(fixture_read(&s, c.consumer), "state");
    clone_fini(&c);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_clone, says_why_there_is_none)
{
    struct fixture s;
    struct clone c;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    clone_send(&c, &s, 99, NULL, -1);
    clone_wait(&c);
    cr_assert_not(c.success);
    cr_assert_str_eq(c.error, "Tracing session not found");
    clone_fini(&c);
    /* The source ends while producers are still asked. */
    clone_send(&c, &s, 1, NULL, -1);
    rig_producer_wait_flush(&s.producer);
    cr_assert(rig_ok(s.consumer, "FreeBuffers", NULL));
    clone_wait(&c);
    cr_assert_str_eq(c.error, "Original session ended");
    clone_fini(&c);
    fixture_fini(&s);
}

Test(traced_clone, a_consumer_that_goes_away_leaves_nothing)
{
    struct fixture s;
    struct clone c;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    clone_send(&c, &s, 1, NULL, -1);
    rig_producer_wait_flush(&s.producer);
    clone_fini(&c);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_producer_sync(&s.producer);
    fixture_commit(&s, 0, TEXTS("goes", "on"));
    cr_assert_str_eq(fixture_read(&s, s.consumer), "goes on");
    fixture_disable(&s);
    fixture_fini(&s);
}

/* Leaves the offset alone: it is the one at which the service writes. */
static void read_file(int fd, struct orma_buf *ret)
{
    uint8_t piece[4096];
    ssize_t n;

    orma_buf_clear(ret);
    while ((n = pread(fd, piece, sizeof(piece), (off_t)ret->len)) > 0)
        orma_buf_put(ret, piece, (size_t)n);
    cr_assert_eq(n, 0);
}

Test(traced_clone, of_a_session_with_a_file_has_the_file_so_far_and_the_rest)
{
    struct fixture s;
    struct clone c;
    int file = memfd_create("source", MFD_CLOEXEC), copy = memfd_create("clone", MFD_CLOEXEC);

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, file);
    fixture_commit(&s, 0, TEXTS("one", "two"));
    while (!strstr(rig_texts(&s.trace, &s.text), "two")) /* written by the period */
        read_file(file, &s.trace);
    fixture_commit(&s, 1, TEXTS("three"));
    clone_send(&c, &s, 1, NULL, copy);
    rig_producer_wait_flush(&s.producer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    clone_wait(&c);
    cr_assert(c.success, "%s", c.error);
    cr_assert(c.was_file);
    read_file(copy, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "one two three");
    cr_assert_geq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 2);
    clone_fini(&c);
    clone_send(&c, &s, 1, NULL, -1);
    clone_wait(&c);
    cr_assert_not(c.success, "a file is needed");
    clone_fini(&c);
    fixture_disable(&s);
    close(file);
    close(copy);
    fixture_fini(&s);
}

static bool key_call(struct orma_ipc_client *consumer, const char *method, const char *key)
{
    struct orma_buf args = {0};

    orma_pb_put_cstr(&args, ORMA_PB_DETACH_REQUEST_KEY, key);
    bool ok = rig_ok(consumer, method, &args);
    orma_buf_fini(&args);
    return ok;
}

Test(traced_clone, a_detached_session_waits_for_its_key)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    cr_assert(key_call(s.consumer, "Detach", "key"));
    cr_assert_not(key_call(s.consumer, "Detach", "key"), "there is no session any more");
    orma_ipc_client_free(s.consumer);
    fixture_commit(&s, 0, TEXTS("meanwhile"));
    s.consumer = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    cr_assert_not(key_call(s.consumer, "Attach", "another"));
    cr_assert(key_call(s.consumer, "Attach", "key"));
    cr_assert_not(key_call(s.consumer, "Attach", "key"));
    cr_assert_str_eq(fixture_read(&s, s.consumer), "meanwhile");
    fixture_fini(&s);
}

Test(traced_clone, a_detached_session_that_expires_is_freed)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_DURATION_MS, 300);
    fixture_enable(&s, -1);
    cr_assert(key_call(s.consumer, "Detach", "key"));
    rig_producer_wait_flush(&s.producer);
    rig_producer_ack_flush(&s.producer, s.producer.flush_id);
    rig_producer_wait(&s.producer, &s.producer.stops, 1);
    rig_producer_sync(&s.producer);
    cr_assert_not(key_call(s.consumer, "Attach", "key"));
    fixture_fini(&s);
}

Test(traced_clone, a_producer_filter_can_be_widened)
{
    struct fixture s;
    struct rig_producer other;
    struct orma_buf args = {0};

    fixture_init(&s, false);
    rig_producer_init(&other, &s.rig, "other", false);
    rig_producer_register(&other, "test.source", NULL);
    rig_config_buffer(&s.config, 64, 1);
    for (int i = 0; i < 2; i++) {
        struct orma_buf *to = i ? &args : &s.config;
        size_t config = i ? orma_pb_begin(to, ORMA_PB_CHANGE_TRACE_CONFIG_REQUEST_TRACE_CONFIG) : 0;
        size_t ds = orma_pb_begin(to, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
        size_t inner = orma_pb_begin(to, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);

        orma_pb_put_cstr(to, ORMA_PB_DATA_SOURCE_CONFIG_NAME, "test.source");
        orma_pb_end(to, inner);
        orma_pb_put_cstr(to, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_PRODUCER_NAME_FILTER,
                         i ? "other" : "test.producer");
        orma_pb_end(to, ds);
        if (i)
            orma_pb_end(to, config);
    }
    fixture_enable(&s, -1);
    rig_producer_sync(&other);
    cr_assert_eq(other.setups, 0);
    cr_assert(rig_ok(s.consumer, "ChangeTraceConfig", &args));
    rig_producer_wait(&other, &other.starts, 1);
    rig_producer_sync(&s.producer);
    cr_assert_eq(s.producer.setups, 1, "it has taken the entry already");
    orma_buf_fini(&args);
    rig_producer_fini(&other);
    fixture_disable(&s);
    fixture_fini(&s);
}
