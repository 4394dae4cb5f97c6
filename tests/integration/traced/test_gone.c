/*
 * Producers that go away while the service is busy. What they had handed over is
 * in the trace, whatever the loop looks at first: a command that can't be sent,
 * a queue that is full, the end of a session, or the end of the connection.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "protos/incident.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "tests/integration/traced/fixture.h"
#include "tests/support/leaks.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

#define COMMITS 10

static void begin(struct fixture *s, bool scraping)
{
    fixture_init(s, scraping);
    rig_config_buffer(&s->config, 256, 1);
    rig_config_source(&s->config, "test.source", 0);
    fixture_enable(s, -1);
    rig_producer_sync(&s->producer);
}

/* Ten chunks of two packets, each in a request of its own. */
static void commit_ten(struct fixture *s)
{
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct orma_shm_chunk chunk = rig_producer_write(&s->producer, i, 1, i, 0, TEXTS("a", "b"));

        rig_producer_commit(&s->producer, &chunk, s->producer.target_buffer);
    }
}

static void leave(struct fixture *s)
{
    rig_producer_fini(&s->producer);
    s->producer = (struct rig_producer){0};
}

static void expect_all(struct fixture *s)
{
    static const char all[] = "a b a b a b a b a b a b a b a b a b a b";

    fixture_read(s, s->consumer);
    cr_assert_str_eq(orma_buf_cstr(&s->text), all);
    cr_assert_eq(rig_count(&s->trace, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED), 0);
}

/* ---- a command that finds nobody ---- */

static void ask(struct fixture *s, const char *method, struct rig_reply *reply)
{
    rig_send(s->consumer, method, NULL, -1, reply);
}

static void leaves_after(const char *method, bool consumer_first)
{
    struct fixture s;
    struct rig_reply reply;

    begin(&s, false);
    rig_pause(&s.rig);
    if (consumer_first)
        ask(&s, method, &reply);
    commit_ten(&s);
    leave(&s);
    if (!consumer_first)
        ask(&s, method, &reply);
    rig_resume(&s.rig);
    rig_wait(s.consumer, &reply);
    rig_reply_fini(&reply);
    if (strcmp(method, "DisableTracing") == 0)
        rig_wait(s.consumer, &s.enabled);
    else
        fixture_disable(&s);
    expect_all(&s);
    fixture_fini(&s);
}

Test(traced_gone, before_a_flush)
{
    leaves_after("Flush", true);
    leaves_after("Flush", false);
}

Test(traced_gone, before_the_end_of_the_session)
{
    leaves_after("DisableTracing", true);
    leaves_after("DisableTracing", false);
}

/* Who asks for the data in the same breath gets all of it, and the statistics. */
Test(traced_gone, before_an_end_that_nobody_waits_for)
{
    struct fixture s;

    begin(&s, false);
    rig_pause(&s.rig);
    rig_send(s.consumer, "DisableTracing", NULL, -1, NULL);
    commit_ten(&s);
    leave(&s);
    rig_resume(&s.rig);
    expect_all(&s);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 1);
    fixture_fini(&s);
}

Test(traced_gone, before_a_clone)
{
    struct fixture s;
    struct rig_reply reply;
    struct orma_buf args = {0};

    begin(&s, false);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    rig_pause(&s.rig);
    orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, 1);
    rig_send(other, "CloneSession", &args, -1, &reply);
    commit_ten(&s);
    leave(&s);
    rig_resume(&s.rig);
    rig_wait(other, &reply);
    cr_assert(reply.success);
    fixture_read(&s, other);
    cr_assert_eq(rig_count(&s.trace, RIG_TEXT), 2 * COMMITS);
    rig_reply_fini(&reply);
    orma_buf_fini(&args);
    orma_ipc_client_free(other);
    fixture_fini(&s);
}

/* So large that not all of them are received at once. */
static void commit_ten_large(struct fixture *s)
{
    static const uint8_t padding[15 << 10];
    struct orma_buf args = {0};

    for (uint32_t i = 0; i < COMMITS; i++) {
        struct orma_shm_chunk chunk = rig_producer_write(&s->producer, i, 1, i, 0, TEXTS("a", "b"));

        orma_shm_complete(&s->producer.shm, &chunk);
        orma_buf_clear(&args);
        orma_pb_put_bytes(&args, 10000, padding, sizeof(padding));
        size_t move = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, i);
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        s->producer.target_buffer);
        orma_pb_end(&args, move);
        rig_send(s->producer.client, "CommitData", &args, -1, NULL);
    }
    orma_buf_fini(&args);
}

static struct traced_conn *conn_of_producer(const struct fixture *s)
{
    return ORMA_CONTAINER_OF(s->rig.service->producers.list.next, struct traced_producer, link)
        ->conn;
}

/* It lives, but takes nothing: commands are queued for it, and then its time is over. */
Test(traced_gone, truncated_because_it_does_not_listen)
{
    struct fixture s;

    begin(&s, false);
    rig_pause(&s.rig);
    for (int i = 0; i < 900 && !conn_of_producer(&s)->out_bytes; i++) {
        rig_send(s.consumer, "Flush", NULL, -1, NULL);
        rig_turn(&s.rig);
        rig_turn(&s.rig);
    }
    cr_assert_gt(conn_of_producer(&s)->out_bytes, 0, "the socket takes all");
    commit_ten_large(&s);
    usleep(20000); /* more than the 10 ms that it has */
    rig_resume(&s.rig);
    fixture_disable(&s);
    expect_all(&s);
    rig_pause(&s.rig);
    cr_assert(orma_list_empty(&s.rig.service->producers.list), "it was not cut off");
    leave(&s);
    fixture_fini(&s);
}

/* ---- what lies in its memory ---- */

Test(traced_gone, with_chunks_that_no_commit_names)
{
    struct fixture s;
    struct rig_reply reply;
    struct orma_buf args = {0};

    begin(&s, true);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 1);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                    s.producer.target_buffer);
    cr_assert(rig_ok(s.producer.client, "RegisterTraceWriter", &args));
    rig_pause(&s.rig);
    ask(&s, "Flush", &reply);
    commit_ten(&s);
    struct orma_shm_chunk whole =
        rig_producer_write(&s.producer, COMMITS, 1, COMMITS, 0, TEXTS("complete"));
    orma_shm_complete(&s.producer.shm, &whole);
    (void)rig_producer_write(&s.producer, COMMITS + 1, 1, COMMITS + 1, 0,
                             TEXTS("written", "half-written"));
    leave(&s);
    rig_resume(&s.rig);
    rig_wait(s.consumer, &reply);
    rig_reply_fini(&reply);
    fixture_disable(&s);
    fixture_read(&s, s.consumer);
    cr_assert(strstr(orma_buf_cstr(&s.text), "a b a b complete written"), "%s",
              orma_buf_cstr(&s.text));
    cr_assert_eq(rig_count(&s.trace, RIG_TEXT), 2 * COMMITS + 2);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

static unsigned killed_in(const struct fixture *s)
{
    struct orma_pb_reader trace = orma_pb_reader(s->trace.data, s->trace.len);
    struct orma_pb_field packet, f, part;
    unsigned num = 0;

    while (orma_pb_next(&trace, &packet)) {
        struct orma_pb_reader fields = orma_pb_sub(&packet);

        while (orma_pb_next(&fields, &f)) {
            struct orma_pb_reader stats = orma_pb_sub(&f);

            while (f.id == ORMA_PB_TRACE_PACKET_TRACE_STATS && orma_pb_next(&stats, &part)) {
                struct orma_incident incident = {0};

                if (part.id == ORMA_PB_TRACE_STATS_ORMA_INCIDENTS)
                    orma_incident_read(orma_pb_sub(&part), &incident);
                num += incident.kind == ORMA_PB_ORMA_INCIDENT_KILLED;
            }
        }
    }
    return num;
}

/* Its first chunk is there before the service is told whose it is. */
static void leaves_with_a_writer(bool tells, unsigned killed)
{
    struct fixture s;
    struct orma_buf args = {0};

    begin(&s, true);
    struct orma_shm_chunk chunk = rig_producer_write(&s.producer, 0, 1, 0, 0, TEXTS("a", "b"));
    orma_shm_complete(&s.producer.shm, &chunk);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 50);
    (void)rig_ok(s.consumer, "Flush", &args); /* nobody answers; its memory is looked at */
    orma_buf_clear(&args);
    if (tells) {
        orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 1);
        orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                        s.producer.target_buffer);
        cr_assert(rig_ok(s.producer.client, "RegisterTraceWriter", &args));
    }
    leave(&s);
    cr_assert(rig_ok(s.consumer, "QueryCapabilities", NULL));
    fixture_disable(&s);
    fixture_read(&s, s.consumer);
    cr_assert_eq(killed_in(&s), killed);
    orma_buf_fini(&args);
    fixture_fini(&s);
}

Test(traced_gone, before_its_writer_was_known)
{
    leaves_with_a_writer(false, 1);
}

Test(traced_gone, whose_writer_was_known_in_time)
{
    leaves_with_a_writer(true, 0);
}

/* ---- sessions that end otherwise ---- */

Test(traced_gone, with_the_session)
{
    struct fixture s;

    begin(&s, true);
    rig_pause(&s.rig);
    ask(&s, "Flush", NULL);
    ask(&s, "FreeBuffers", NULL);
    commit_ten(&s);
    leave(&s);
    rig_resume(&s.rig);
    cr_assert(rig_ok(s.consumer, "QueryCapabilities", NULL));
    fixture_fini(&s);
}

/* Texts in a file. */
static unsigned texts_in(int fd)
{
    struct orma_buf file = {0};
    unsigned num;

    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 1 << 20, &file), 0);
    num = rig_count(&file, RIG_TEXT);
    orma_buf_fini(&file);
    return num;
}

static int begin_file(struct fixture *s)
{
    char path[] = "/tmp/orma-test-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    unlink(path);
    fixture_init(s, false);
    rig_config_buffer(&s->config, 256, 1);
    rig_config_source(&s->config, "test.source", 0);
    orma_pb_put_u64(&s->config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    fixture_enable(s, fd);
    rig_producer_sync(&s->producer);
    return fd;
}

/* Both go; the file is still written to its end. */
Test(traced_gone, together_with_the_consumer_of_a_file)
{
    struct fixture s;
    int fd = begin_file(&s);

    rig_pause(&s.rig);
    orma_ipc_client_free(s.consumer);
    commit_ten(&s);
    leave(&s);
    rig_resume(&s.rig);
    s.consumer = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    while (texts_in(fd) < 2 * COMMITS)
        cr_assert(rig_ok(s.consumer, "QueryCapabilities", NULL)); /* the test has a time limit */
    close(fd);
    fixture_fini(&s);
}

Test(traced_gone, when_the_service_ends)
{
    struct fixture s;
    int fd = begin_file(&s);

    rig_pause(&s.rig);
    commit_ten(&s);
    leave(&s);
    fixture_fini(&s);
    cr_assert_eq(texts_in(fd), 2 * COMMITS);
    close(fd);
}

static void put_large(struct fixture *s, uint32_t id, const char *text)
{
    struct orma_shm_chunk chunk = rig_producer_write(&s->producer, 0, 2, id, 0, TEXTS(text));

    rig_producer_commit(&s->producer, &chunk, s->producer.target_buffer);
    while (atomic_load(orma_shm_page_header(&s->producer.shm, 0)))
        rig_turn(&s->rig);
    cr_assert_eq(orma_ipc_client_dispatch(s->producer.client), 0);
}

/* False: no pass over the second buffer was under way between two turns, for two periods. */
static bool turns_until_second_buffer(struct fixture *s, const struct traced_session *session)
{
    uint64_t end = orma_clock_monotonic() + 2000000000;

    while (orma_clock_monotonic() < end) {
        if (session->reader.in_pass && session->reader.buffer == 1)
            return true;
        rig_turn(&s->rig);
    }
    return false;
}

/*
 * The session ends while a batch of its second buffer is on the way into the
 * file; what came into the first one meanwhile goes there, too.
 */
Test(traced_gone, while_the_file_is_written)
{
    enum { LARGE = 1500 };
    static char large[4000];
    struct fixture s;
    char path[] = "/tmp/orma-test-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    unlink(path);
    fixture_init(&s, false);
    rig_config_buffer(&s.config, 256, 1);
    /* A quarter is more than is put, and what waits for the disk looks at that: read by time only.
     */
    rig_config_buffer(&s.config, 65536, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FFLUSH_POST_WRITE,
                    ORMA_PB_TRACE_CONFIG_FFLUSH_ENABLED);
    rig_config_source(&s.config, "test.source", 0);
    rig_config_source(&s.config, "test.source", 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 1000);
    rig_enable(s.consumer, &s.config, fd, &s.enabled);
    rig_producer_wait(&s.producer, &s.producer.starts, 2);
    memset(large, 'x', sizeof(large) - 1);
    rig_pause(&s.rig);
    struct traced_session *session =
        ORMA_CONTAINER_OF(s.rig.service->sessions.list.next, struct traced_session, link);
    uint32_t written = 0;
    do { /* until a pass is seen between two turns: on a slow machine it may have little to do */
        cr_assert_lt(written, 20 * LARGE);
        for (uint32_t end = written + LARGE; written < end; written++)
            put_large(&s, written, large);
    } while (!turns_until_second_buffer(&s, session));
    rig_send(s.consumer, "DisableTracing", NULL, -1, NULL);
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct orma_shm_chunk chunk = rig_producer_write(&s.producer, i, 1, i, 0, TEXTS("a", "b"));

        rig_producer_commit(&s.producer, &chunk, session->buffers[0].id);
    }
    leave(&s);
    rig_resume(&s.rig);
    rig_wait(s.consumer, &s.enabled);
    struct orma_buf file = {0};
    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 64 << 20, &file), 0);
    cr_assert_eq(rig_count(&file, RIG_TEXT), written + 2 * COMMITS);
    orma_buf_fini(&file);
    close(fd);
    fixture_fini(&s);
}

/* ---- what it has said about its packets ---- */

/* The counts of writer 1 so far. */
static void report(struct fixture *s, uint64_t emitted, uint64_t dropped)
{
    struct orma_buf args = {0};
    size_t counts = orma_pb_begin(&args, 90001);

    orma_pb_put_u64(&args, 1, 1);
    orma_pb_put_u64(&args, 2, s->producer.target_buffer);
    orma_pb_put_u64(&args, 3, emitted);
    orma_pb_put_u64(&args, 4, dropped);
    orma_pb_end(&args, counts);
    rig_send(s->producer.client, "CommitData", &args, -1, NULL);
    orma_buf_fini(&args);
}

static void writer_call(struct fixture *s, const char *method)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 1);
    if (!strcmp(method, "RegisterTraceWriter"))
        orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                        s->producer.target_buffer);
    rig_send(s->producer.client, method, &args, -1, NULL);
    orma_buf_fini(&args);
}

struct row {
    uint64_t emitted, delivered, dropped;
    bool reports, unreported;
};

/* The only row of the ledger. */
static struct row read_row(struct fixture *s)
{
    struct row row = {0};
    struct orma_pb_field stats, f, sub;

    fixture_read(s, s->consumer);
    cr_assert(rig_find(&s->trace, ORMA_PB_TRACE_PACKET_TRACE_STATS, &stats));
    struct orma_pb_reader r = orma_pb_sub(&stats);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader counts = orma_pb_sub(&f);

        while (f.id == 90001 && orma_pb_next(&counts, &sub)) {
            row.reports |= sub.id == 5;
            row.emitted += sub.id == 5 ? sub.num : 0;
            row.delivered += sub.id == 6 ? sub.num : 0;
            row.dropped += sub.id == 7 ? sub.num : 0;
            row.unreported |= sub.id == 13 && sub.num;
        }
    }
    return row;
}

enum { REPORTS = 1, UNREGISTERS = 2, STAYS = 4 };

static struct row row_of(unsigned how)
{
    struct fixture s;

    begin(&s, false);
    writer_call(&s, "RegisterTraceWriter");
    commit_ten(&s);
    if (how & REPORTS)
        report(&s, 2 * COMMITS + 3, 3);
    if (how & UNREGISTERS)
        writer_call(&s, "UnregisterTraceWriter");
    if (!(how & STAYS))
        leave(&s);
    fixture_disable(&s);
    struct row row = read_row(&s);
    fixture_fini(&s);
    return row;
}

/* Killed: it may have dropped more than it had told. */
Test(traced_gone, without_its_last_report)
{
    struct row row = row_of(REPORTS);

    cr_assert(row.unreported);
    cr_assert_eq(row.emitted, 2 * COMMITS + 3);
    cr_assert_eq(row.delivered, 2 * COMMITS);
    cr_assert_eq(row.dropped, 3);
}

/* The writer's end comes behind its counts. */
Test(traced_gone, in_order)
{
    struct row row = row_of(REPORTS | UNREGISTERS);

    cr_assert(row.reports && !row.unreported);
    cr_assert_eq(row.emitted, row.delivered + row.dropped);
}

/* A producer of another make: nothing is known of what it dropped, and that is no news. */
Test(traced_gone, that_never_reports)
{
    struct row row = row_of(0);

    cr_assert(!row.reports && !row.unreported);
    cr_assert_eq(row.delivered, 2 * COMMITS);
}

Test(traced_gone, not_at_all)
{
    struct row row = row_of(REPORTS | STAYS);

    cr_assert(row.reports && !row.unreported);
}

/* It lives, but does not confirm that it has stopped: the same as if it had gone. */
Test(traced_gone, as_good_as)
{
    const uint32_t confirms[] = {ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_STOP, 1, 0};
    struct fixture s;

    fixture_init(&s, false);
    rig_producer_register(&s.producer, "test.slow", confirms);
    rig_config_buffer(&s.config, 256, 1);
    rig_config_source(&s.config, "test.slow", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_STOP_TIMEOUT_MS, 1);
    fixture_enable(&s, -1);
    rig_producer_sync(&s.producer);
    commit_ten(&s);
    report(&s, 2 * COMMITS, 0);
    fixture_disable(&s);
    cr_assert(read_row(&s).unreported);
    fixture_fini(&s);
}

/* Stopped in order before it was killed: its report had come. */
Test(traced_gone, after_it_has_stopped)
{
    struct fixture s;

    begin(&s, false);
    commit_ten(&s);
    report(&s, 2 * COMMITS, 0);
    rig_producer_sync(&s.producer);
    fixture_disable(&s);
    leave(&s);
    cr_assert(rig_ok(s.consumer, "QueryCapabilities", NULL));
    cr_assert_not(read_row(&s).unreported);
    fixture_fini(&s);
}
