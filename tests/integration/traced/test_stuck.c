/* Files that take no data: they cost no work, no session for ever, and do not keep the service. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"
#include "traced/config/config.h"
#include "traced/internal.h"

#define CHUNKS 80 /* more than a pipe holds */

static void configure(struct orma_buf *config)
{
    rig_config_buffer(config, 1024, 1);
    rig_config_source(config, "test.source", 0);
    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
}

static void commit_much(struct fixture *s)
{
    char filler[2000] = {0};

    memset(filler, 'x', sizeof(filler) - 1);
    for (uint32_t i = 0; i < CHUNKS; i++)
        fixture_commit(s, i, TEXTS(filler));
}

/* The pipe holds something, so the writing thread has begun, and soon waits. */
static void wait_until_full(int read_fd)
{
    struct pollfd pfd = {.fd = read_fd, .events = POLLIN};

    cr_assert_eq(poll(&pfd, 1, RIG_TIMEOUT_MS), 1);
}

static uint64_t cpu_ms(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* A pipe of either mode, or a socket; [0] is to be read from. */
static void make_pair(unsigned kind, int fds[2])
{
    if (kind == 2)
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    else
        cr_assert_eq(pipe2(fds, O_CLOEXEC | (kind ? O_NONBLOCK : 0)), 0);
}

Test(traced_stuck, waiting_costs_no_work_and_loses_nothing)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct fixture s;
        struct orma_buf got = {0};
        int fds[2];

        make_pair(kind, fds);
        fixture_init(&s, false);
        configure(&s.config);
        fixture_enable(&s, fds[1]);
        close(fds[1]);
        commit_much(&s);
        wait_until_full(fds[0]);
        cr_assert(rig_ok(s.consumer, "DisableTracing", NULL));
        uint64_t before = cpu_ms();
        (void)poll(NULL, 0, 400); /* time in which a busy thread would be seen */
        cr_assert_lt(cpu_ms() - before, 200, "kind %u", kind);
        fcntl(fds[0], F_SETFL, 0); /* let us sleep in read() */
        cr_assert_eq(orma_fd_read_all(fds[0], 1 << 24, &got), 0);
        rig_wait(s.consumer, &s.enabled);
        cr_assert_eq(rig_count(&got, RIG_TEXT), CHUNKS);
        close(fds[0]);
        orma_buf_fini(&got);
        fixture_fini(&s);
    }
}

Test(traced_stuck, the_service_ends_and_the_other_files_are_complete)
{
    struct fixture s;
    struct orma_buf other_config = {0};
    struct rig_reply other_end = {0};
    int fds[2], fine = memfd_create("fine", MFD_CLOEXEC);

    cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
    fixture_init(&s, false);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    configure(&s.config);
    configure(&other_config);
    fixture_enable(&s, fds[1]);
    commit_much(&s);
    wait_until_full(fds[0]);
    unsigned starts = s.producer.starts;
    rig_enable(other, &other_config, fine, &other_end);
    rig_producer_wait(&s.producer, &s.producer.starts, starts + 1);
    fixture_commit(&s, CHUNKS, TEXTS("kept"));
    rig_fini(&s.rig); /* with both sessions running */
    rig_init(&s.rig);
    cr_assert_geq(lseek(fine, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fine, 1 << 24, &s.trace), 0);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "kept");
    close(fds[0]);
    close(fds[1]);
    close(fine);
    orma_ipc_client_free(other);
    rig_reply_fini(&other_end);
    orma_buf_fini(&other_config);
    fixture_fini(&s);
}

/* How many sessions there are. */
static uint64_t sessions_num(struct orma_ipc_client *client)
{
    struct rig_reply reply;
    struct orma_pb_field f, sub;
    uint64_t num = 0;

    rig_call(client, "QueryServiceState", NULL, &reply);
    struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader state = orma_pb_sub(&f);
        while (orma_pb_next(&state, &sub))
            if (sub.id == ORMA_PB_TRACING_SERVICE_STATE_NUM_SESSIONS)
                num = orma_pb_u64(&sub);
    }
    rig_reply_fini(&reply);
    return num;
}

/* As many clients as a user may have, each of which leaves a pipe that nobody reads. */
static void leave_stuck_sessions(struct fixture *s, int *readers)
{
    struct orma_buf config = {0};

    configure(&config);
    for (unsigned i = 0; i < TRACED_SESSIONS_PER_UID_MAX; i++) {
        struct orma_ipc_client *client = rig_connect(s->rig.consumer_addr, "ConsumerPort");
        struct rig_reply end = {0};
        unsigned starts = s->producer.starts;
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
        rig_enable(client, &config, fds[1], &end);
        rig_producer_wait(&s->producer, &s->producer.starts, starts + 1);
        commit_much(s);
        orma_ipc_client_free(client);
        rig_reply_fini(&end);
        close(fds[1]);
        readers[i] = fds[0];
    }
    orma_buf_fini(&config);
}

Test(traced_stuck, without_a_consumer_it_takes_no_place_and_is_given_up)
{
    struct fixture s;
    int readers[TRACED_SESSIONS_PER_UID_MAX];

    fixture_init(&s, false);
    s.rig.service->sessions.file_patience_ms = 60000;
    leave_stuck_sessions(&s, readers);
    cr_assert_eq(sessions_num(s.consumer), TRACED_SESSIONS_PER_UID_MAX);
    configure(&s.config);
    int fine = memfd_create("fine", MFD_CLOEXEC);
    fixture_enable(&s, fine); /* the user's places are free */
    fixture_disable(&s);
    cr_assert(rig_ok(s.consumer, "FreeBuffers", NULL));
    for (unsigned i = 0; i < TRACED_SESSIONS_PER_UID_MAX; i++)
        close(readers[i]);
    while (sessions_num(s.consumer))
        continue;
    s.rig.service->sessions.file_patience_ms = 20;
    leave_stuck_sessions(&s, readers);
    while (sessions_num(s.consumer)) /* although the pipes are still there */
        continue;
    for (unsigned i = 0; i < TRACED_SESSIONS_PER_UID_MAX; i++)
        close(readers[i]);
    close(fine);
    fixture_fini(&s);
}
