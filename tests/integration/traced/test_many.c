/*
 * Many at once: sessions of several users, hundreds of producers, and the
 * limits. What needs other users runs as root only.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/ipc/sock.h"
#include "tests/integration/traced/fixture.h"
#include "traced/internal.h"

#define USERS 3
#define SESSIONS_PER_USER 5
#define PRODUCERS 500

static const char *error_of(const struct rig_reply *reply, struct orma_buf *text)
{
    struct orma_pb_reader r = orma_pb_reader(reply->payload.data, reply->payload.len);
    struct orma_pb_field f;

    orma_buf_clear(text);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_ENABLE_TRACING_RESPONSE_ERROR)
            orma_buf_printf(text, "%.*s", ORMA_STR_ARG(orma_pb_str(&f)));
    return orma_buf_cstr(text);
}

/*
 * A connection that the service sees as another user's: SO_PEERCRED tells who
 * connected, so a child connects as that user and hands the socket over.
 */
static int connect_as_user(const char *addr, uid_t uid)
{
    int pair[2], fd = -1;
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    pid_t pid = fork();
    if (pid == 0) {
        memset(control, 0, sizeof(control));
        int sock = setuid(uid) == 0 ? orma_sock_connect(addr) : -1;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &sock, sizeof(sock));
        _exit(sock >= 0 && sendmsg(pair[1], &msg, 0) == 1 ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    cr_assert_eq(recvmsg(pair[0], &msg, MSG_CMSG_CLOEXEC), 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
    close(pair[0]);
    close(pair[1]);
    return fd;
}

static struct orma_ipc_client *consumer_of_user(const struct rig *rig, uid_t uid)
{
    struct orma_ipc_client *client;

    if (uid == 0)
        return rig_connect(rig->consumer_addr, "ConsumerPort");
    cr_assert_eq(orma_ipc_client_new_from_fd(connect_as_user(rig->consumer_addr, uid),
                                             "ConsumerPort", &client),
                 0);
    cr_assert_eq(orma_ipc_client_wait_bound(client, RIG_TIMEOUT_MS), 0);
    return client;
}

struct user_session {
    struct orma_ipc_client *consumer;
    struct rig_reply enabled;
};

/* The data source s0 or s1, and one that all share, into buffers of different policies. */
static void enable_one(struct user_session *us, unsigned i)
{
    struct orma_buf config = {0};

    rig_config_buffer(&config, 4096 + 16 * i, 1 + i % 2);
    rig_config_buffer(&config, 64, 1);
    rig_config_source(&config, i % 2 ? "s1" : "s0", 0);
    rig_config_source(&config, "shared", 1);
    rig_enable(us->consumer, &config, -1, &us->enabled);
    orma_buf_fini(&config);
}

static void expect_refusal(const struct rig *rig, uid_t uid, const char *why)
{
    struct user_session us = {.consumer = consumer_of_user(rig, uid)};
    struct orma_buf text = {0};

    enable_one(&us, 0);
    rig_wait(us.consumer, &us.enabled);
    cr_assert(strstr(error_of(&us.enabled, &text), why), "%s", orma_buf_cstr(&text));
    orma_buf_fini(&text);
    rig_reply_fini(&us.enabled);
    orma_ipc_client_free(us.consumer);
}

static void raise_fd_limit(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

Test(traced_many, fifteen_sessions_of_three_users_and_five_hundred_producers)
{
    static struct rig_producer producers[PRODUCERS];
    static struct user_session sessions[USERS * SESSIONS_PER_USER];
    static const uid_t users[USERS] = {0, 12345, 12346};
    struct rig rig;
    struct orma_buf trace = {0}, text = {0};

    if (geteuid() != 0)
        cr_skip_test("needs root: sessions of several users");
    raise_fd_limit();
    rig_init(&rig);
    for (unsigned i = 0; i < PRODUCERS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "producer.%u", i);
        rig_producer_init(&producers[i], &rig, name, false);
        rig_producer_register(&producers[i], i % 2 ? "s1" : "s0", NULL);
        if (i < 10)
            rig_producer_register(&producers[i], "shared", NULL);
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(sessions); i++) {
        sessions[i].consumer = consumer_of_user(&rig, users[i / SESSIONS_PER_USER]);
        enable_one(&sessions[i], i);
        if (i + 1 == SESSIONS_PER_USER)
            expect_refusal(&rig, users[0],
                           "Too many concurrent tracing sesions (5) for uid 0 limit is 5");
    }
    expect_refusal(&rig, 12347, "Too many concurrent tracing sesions (15)");

    /* Each producer writes for the session that set it up last: all of them do. */
    for (unsigned i = 0; i < PRODUCERS; i++) {
        rig_producer_wait(&producers[i], &producers[i].starts, i % 2 ? 7 : 8);
        struct orma_shm_chunk chunk = rig_producer_write(&producers[i], 0, 1, 0, 0, TEXTS("x"));
        rig_producer_commit(&producers[i], &chunk, producers[i].target_buffer);
    }
    for (unsigned i = 0; i < PRODUCERS; i++)
        rig_producer_sync(&producers[i]);
    unsigned packets = 0;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(sessions); i++) {
        cr_assert_not(sessions[i].enabled.done, "session %u: %s", i,
                      error_of(&sessions[i].enabled, &text));
        cr_assert(rig_ok(sessions[i].consumer, "DisableTracing", NULL));
        rig_wait(sessions[i].consumer, &sessions[i].enabled);
        orma_buf_clear(&trace);
        rig_read(sessions[i].consumer, &trace);
        packets += rig_count(&trace, RIG_TEXT);
    }
    cr_assert_eq(packets, PRODUCERS, "each packet is in one trace");
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(sessions); i++) {
        orma_ipc_client_free(sessions[i].consumer);
        rig_reply_fini(&sessions[i].enabled);
    }
    for (unsigned i = 0; i < PRODUCERS; i++)
        rig_producer_fini(&producers[i]);
    orma_buf_fini(&trace);
    orma_buf_fini(&text);
    rig_fini(&rig);
}

Test(traced_many, a_session_is_cloned_by_its_owner_and_by_root_only)
{
    struct rig rig;
    static const struct {
        uid_t uid;
        bool allowed;
    } cases[] = {{0, true}, {12345, true}, {12346, false}};
    struct user_session owner = {0};
    struct orma_buf config = {0};

    if (geteuid() != 0)
        cr_skip_test("needs root: sessions of several users");
    rig_init(&rig);
    owner.consumer = consumer_of_user(&rig, 12345);
    rig_config_buffer(&config, 64, 1);
    rig_enable(owner.consumer, &config, -1, &owner.enabled);
    cr_assert(rig_ok(owner.consumer, "GetTraceStats", NULL));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_ipc_client *consumer = consumer_of_user(&rig, cases[i].uid);
        struct orma_buf args = {0};
        struct rig_reply reply;
        struct orma_pb_field f;
        bool success = false;

        orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, 1);
        rig_call(consumer, "CloneSession", &args, &reply);
        struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
        while (orma_pb_next(&r, &f))
            if (f.id == ORMA_PB_CLONE_SESSION_RESPONSE_SUCCESS)
                success = orma_pb_bool(&f);
        cr_assert_eq(success, cases[i].allowed, "uid %u", cases[i].uid);
        rig_reply_fini(&reply);
        orma_buf_fini(&args);
        orma_ipc_client_free(consumer);
    }
    orma_ipc_client_free(owner.consumer);
    rig_reply_fini(&owner.enabled);
    orma_buf_fini(&config);
    rig_fini(&rig);
}

Test(traced_many, lockdown_keeps_other_users_out)
{
    struct fixture s;
    struct orma_ipc_client *client;
    struct orma_buf args = {0};

    if (geteuid() != 0)
        cr_skip_test("needs root: producers of several users");
    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_LOCKDOWN_MODE,
                    ORMA_PB_TRACE_CONFIG_LOCKDOWN_SET);
    fixture_enable(&s, -1); /* a producer of our own user goes on */
    cr_assert_eq(orma_ipc_client_new_from_fd(connect_as_user(s.rig.producer_addr, 12345),
                                             "ProducerPort", &client),
                 0);
    cr_assert_eq(orma_ipc_client_wait_bound(client, RIG_TIMEOUT_MS), 0);
    orma_pb_put_cstr(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, "other");
    cr_assert_not(rig_ok(client, "InitializeConnection", &args));
    orma_ipc_client_free(client);
    orma_buf_fini(&args);
    fixture_disable(&s);
    fixture_fini(&s);
}

/* ---- one session knows of another ---- */

Test(traced_many, a_session_may_ask_to_be_told_of_others)
{
    struct fixture s;
    struct orma_buf other_config = {0};
    struct rig_reply other_end = {0};

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    orma_buf_put(&other_config, s.config.data, s.config.len);
    size_t builtin = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCES);
    orma_pb_put_u64(&s.config,
                    ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCE_ENABLE_CONCURRENT_SESSION_EVENTS, 1);
    orma_pb_end(&s.config, builtin);
    rig_config_source(&s.config, "test.source", 0);
    fixture_enable(&s, -1);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    rig_enable(other, &other_config, -1, &other_end);
    cr_assert(rig_ok(other, "DisableTracing", NULL));
    rig_wait(other, &other_end);
    fixture_read(&s, s.consumer);
    /* configured, started, stopping, disabled */
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_CONCURRENT_SESSION_EVENT), 4);
    rig_reply_fini(&other_end);
    orma_buf_fini(&other_config);
    orma_ipc_client_free(other);
    fixture_disable(&s);
    fixture_fini(&s);
}

/* ---- durations ---- */

Test(traced_many, a_duration_may_count_the_time_asleep)
{
    struct fixture s;

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_DURATION_MS, 150);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_PREFER_SUSPEND_CLOCK_FOR_DURATION, 1);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_wait(s.consumer, &s.enabled);
    cr_assert(s.enabled.success);
    fixture_fini(&s);
}

Test(traced_many, incremental_state_is_cleared_periodically_where_it_is_handled)
{
    struct fixture s;
    struct rig_producer other;
    static const uint32_t handles[] = {
        ORMA_PB_DATA_SOURCE_DESCRIPTOR_HANDLES_INCREMENTAL_STATE_CLEAR, 1, 0};

    fixture_init(&s, false);
    rig_producer_init(&other, &s.rig, "other", false);
    rig_producer_register(&other, "test.source", handles);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    size_t clear = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG_CLEAR_PERIOD_MS, 50);
    orma_pb_end(&s.config, clear);
    fixture_enable(&s, -1);
    rig_producer_wait(&other, &other.clears, 2);
    rig_producer_sync(&s.producer);
    cr_assert_eq(s.producer.clears, 0);
    rig_producer_fini(&other);
    fixture_disable(&s);
    fixture_fini(&s);
}

/* A priority that nobody may have is refused, and the session with it. */
Test(traced_many, an_impossible_priority_is_refused)
{
    struct fixture s;
    struct orma_buf text = {0};

    fixture_init(&s, false);
    rig_config_buffer(&s.config, 64, 1);
    size_t boost = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_PRIORITY_BOOST);
    orma_pb_put_u64(&s.config, ORMA_PB_PRIORITY_BOOST_CONFIG_POLICY,
                    ORMA_PB_PRIORITY_BOOST_CONFIG_POLICY_SCHED_FIFO);
    orma_pb_put_u64(&s.config, ORMA_PB_PRIORITY_BOOST_CONFIG_PRIORITY, 500);
    orma_pb_end(&s.config, boost);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_wait(s.consumer, &s.enabled);
    cr_assert(strstr(error_of(&s.enabled, &text), "priority boost"));
    orma_buf_fini(&text);
    fixture_fini(&s);
}

/* ---- what a client may make the service do again and again ---- */

static uint64_t now_ms(void)
{
    return orma_clock_monotonic() / 1000000;
}

/* Periods of a millisecond would keep the service and all producers busy for nothing. */
Test(traced_many, short_periods_are_made_longer)
{
    enum { PERIOD_MIN_MS = 50 };
    struct fixture s;
    struct rig_producer other;
    static const uint32_t handles[] = {
        ORMA_PB_DATA_SOURCE_DESCRIPTOR_HANDLES_INCREMENTAL_STATE_CLEAR, 1, 0};

    fixture_init(&s, false);
    rig_producer_init(&other, &s.rig, "other", false);
    rig_producer_register(&other, "test.source", handles);
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS, 1);
    size_t clear = orma_pb_begin(&s.config, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG_CLEAR_PERIOD_MS, 1);
    orma_pb_end(&s.config, clear);
    uint64_t begun = now_ms();
    fixture_enable(&s, -1);
    rig_producer_wait(&other, &other.clears, 4);
    rig_pause(&s.rig);
    uint64_t most = (now_ms() - begun) / PERIOD_MIN_MS + 2;
    cr_assert_leq(other.clears, most);
    cr_assert_leq(s.rig.service->sessions.last_flush_id, most);
    cr_assert_geq(s.rig.service->sessions.last_flush_id, 2);
    rig_resume(&s.rig);
    rig_producer_fini(&other);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_many, clients_can_not_fill_the_log)
{
    struct rig rig;
    unsigned lines = 0;

    rig_init(&rig);
    rig_pause(&rig);
    for (int i = 0; i < 10000; i++)
        lines += traced_loop_may_log(&rig.service->loop);
    cr_assert_eq(lines, 50);
    rig_fini(&rig);
}

Test(traced_many, names_of_producers_have_a_limit)
{
    for (size_t len = 4096; len <= 4097; len++) {
        struct rig rig;
        struct orma_buf args = {0};

        rig_init(&rig);
        struct orma_ipc_client *client = rig_connect(rig.producer_addr, "ProducerPort");
        size_t name = orma_pb_begin(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME);
        memset(orma_buf_extend(&args, len), 'n', len);
        orma_pb_end(&args, name);
        cr_assert_eq(rig_ok(client, "InitializeConnection", &args), len == 4096);
        orma_ipc_client_free(client);
        orma_buf_fini(&args);
        rig_fini(&rig);
    }
}

/* When ids come round, those are skipped that a producer has, or data of one that is gone. */
Test(traced_many, producer_ids_are_not_used_twice)
{
    struct fixture s;
    struct rig_producer gone, next;

    fixture_init(&s, false); /* its producer has id 1 */
    rig_config_buffer(&s.config, 64, 1);
    rig_config_source(&s.config, "test.source", 0);
    rig_producer_init(&gone, &s.rig, "gone", false);
    rig_producer_register(&gone, "test.source", NULL);
    fixture_enable(&s, -1);
    rig_producer_wait(&gone, &gone.starts, 1);
    struct orma_shm_chunk chunk = rig_producer_write(&gone, 0, 1, 0, 0, TEXTS("left"));
    rig_producer_commit(&gone, &chunk, gone.target_buffer);
    rig_producer_sync(&gone);
    rig_producer_fini(&gone);
    rig_pause(&s.rig);
    s.rig.service->producers.seen = 100000;
    s.rig.service->producers.last_id = 65534;
    rig_resume(&s.rig);
    static const uint16_t expected[] = {65535, 3}; /* not 0, 1, 2 */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(expected); i++) {
        rig_producer_init(&next, &s.rig, "next", false);
        cr_assert_eq(s.rig.service->producers.last_id, expected[i]);
        rig_producer_fini(&next);
    }
    fixture_disable(&s);
    fixture_fini(&s);
}
