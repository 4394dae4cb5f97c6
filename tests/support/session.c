#include "tests/support/session.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define TIMEOUT_MS 30000

struct orma_test_session {
    struct orma_consumer *consumer;
};

/* ---- the daemon ---- */

void orma_test_daemon_start(struct orma_test_daemon *self, const char *program)
{
    char path[96], byte;
    int ready[2];

    snprintf(self->dir, sizeof(self->dir), "/tmp/orma-test-XXXXXX");
    assert(mkdtemp(self->dir));
    snprintf(path, sizeof(path), "%s/p", self->dir);
    setenv(ORMA_SOCK_PRODUCER_ENV, path, 1);
    snprintf(path, sizeof(path), "%s/c", self->dir);
    setenv(ORMA_SOCK_CONSUMER_ENV, path, 1);
    assert(pipe(ready) == 0);
    self->pid = fork();
    assert(self->pid >= 0);
    if (self->pid == 0) {
        char fd[16];

        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it must not outlive a test that fails */
        snprintf(fd, sizeof(fd), "%d", ready[1]);
        setenv("TRACED_NOTIFY_FD", fd, 1);
        close(ready[0]);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    assert(read(ready[0], &byte, 1) == 1); /* it listens */
    close(ready[0]);
}

int orma_test_daemon_stop(struct orma_test_daemon *self)
{
    char path[96];
    int status;

    kill(self->pid, SIGTERM);
    assert(waitpid(self->pid, &status, 0) == self->pid);
    for (const char *name = "pc"; *name; name++) {
        snprintf(path, sizeof(path), "%s/%c", self->dir, *name);
        (void)unlink(path);
    }
    (void)rmdir(self->dir);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- sessions ---- */

static void put_source(struct orma_buf *b, const struct orma_test_config *c, const char *name)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_CONFIG_DATA_SOURCES);
    size_t ds = orma_pb_begin(b, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG);

    orma_pb_put_cstr(b, ORMA_PB_DATA_SOURCE_CONFIG_NAME, name);
    orma_pb_put_str(b, ORMA_PB_DATA_SOURCE_CONFIG_TRACK_EVENT_CONFIG, c->track_event);
    if (c->exhausted_policy)
        orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_POLICY, c->exhausted_policy);
    orma_pb_end(b, ds);
    orma_pb_end(b, at);
}

static void put_config(struct orma_buf *b, const struct orma_test_config *c)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(b, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB,
                    c->buffer_kb ? c->buffer_kb : 32 << 10);
    if (c->fill_policy)
        orma_pb_put_u64(b, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY, c->fill_policy);
    orma_pb_end(b, at);
    put_source(b, c, c->data_source ? c->data_source : "track_event");
    if (c->second_source)
        put_source(b, c, c->second_source);
    if (c->producer_name) {
        at = orma_pb_begin(b, ORMA_PB_TRACE_CONFIG_PRODUCERS);
        orma_pb_put_cstr(b, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_PRODUCER_NAME, c->producer_name);
        if (c->shm_kb)
            orma_pb_put_u64(b, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_SHM_SIZE_KB, c->shm_kb);
        if (c->page_kb)
            orma_pb_put_u64(b, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_PAGE_SIZE_KB, c->page_kb);
        orma_pb_end(b, at);
    }
    if (c->clear_period_ms) {
        at = orma_pb_begin(b, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG);
        orma_pb_put_u64(b, 1, c->clear_period_ms);
        orma_pb_end(b, at);
    }
}

static void on_started(void *ctx, struct orma_str events)
{
    struct orma_pb_reader r = orma_pb_reader(events.data, events.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 2) /* all_data_sources_started */
            *(bool *)ctx = true;
    }
}

struct orma_test_session *orma_test_session_start(const struct orma_test_config *config)
{
    struct orma_test_session *self = calloc(1, sizeof(*self));
    struct orma_buf b = {0};
    bool started = false;

    put_config(&b, config);
    int r = orma_consumer_new(NULL, TIMEOUT_MS, &self->consumer);
    assert(r == 0);
    r = orma_consumer_enable(self->consumer, orma_buf_str(&b), -1);
    assert(r == 0);
    r = orma_consumer_observe(self->consumer, 1 << 1, on_started, &started);
    assert(r == 0);
    while (!started) {
        const char *error = "";

        r = orma_consumer_wait(self->consumer, TIMEOUT_MS);
        if (r < 0 || orma_consumer_ended(self->consumer, &error)) {
            fprintf(stderr, "the session does not start: %d %s\n", r, error);
            abort();
        }
    }
    orma_buf_fini(&b);
    return self;
}

void orma_test_session_flush(struct orma_test_session *self)
{
    struct orma_consumer_flush flush;
    int r =
        orma_consumer_flush_begin(self->consumer, TIMEOUT_MS, ORMA_FLUSH_FLAGS_EXPLICIT, &flush);

    while (r == 0 && !flush.done)
        r = orma_consumer_wait(self->consumer, 2 * TIMEOUT_MS);
    assert(r == 0 && flush.complete);
}

/* ---- reading ---- */

static struct orma_test_seq *seq_of(struct orma_test_trace *t, uint32_t id)
{
    for (size_t i = 0; i < t->num; i++) {
        if (t->seqs[i].id == id)
            return &t->seqs[i];
    }
    t->seqs = realloc(t->seqs, (t->num + 1) * sizeof(*t->seqs));
    assert(t->seqs);
    memset(&t->seqs[t->num], 0, sizeof(*t->seqs));
    t->seqs[t->num].id = id;
    return &t->seqs[t->num++];
}

static void read_counts(struct orma_test_trace *t, const struct orma_pb_field *stats)
{
    struct orma_pb_reader r = orma_pb_reader(stats->data, stats->len), s;
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        uint64_t v[16] = {0};
        bool has_emitted = false;

        if (f.id != 90001)
            continue;
        s = orma_pb_reader(f.data, f.len);
        while (orma_pb_next(&s, &g)) {
            if (g.id < 16)
                v[g.id] = g.num;
            has_emitted |= g.id == 5;
        }
        struct orma_test_seq *seq = seq_of(t, (uint32_t)v[1]);
        seq->has_counts = true;
        seq->has_emitted = has_emitted;
        seq->emitted = v[5];
        seq->delivered = v[6];
        seq->dropped = v[7];
        seq->lost = v[8] + v[9] + v[10] + v[11] + v[12];
    }
}

static int on_packet(void *ctx, const uint8_t *packet, size_t len)
{
    struct orma_test_trace *t = ctx;
    struct orma_pb_reader r = orma_pb_reader(packet, len);
    struct orma_pb_field f, stats = {0};
    uint32_t id = 0;
    int32_t pid = 0;

    orma_pb_put_bytes(&t->bytes, 1, packet, len);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID)
            id = (uint32_t)f.num;
        else if (f.id == ORMA_PB_TRACE_PACKET_TRUSTED_PID)
            pid = (int32_t)f.num;
        else if (f.id == ORMA_PB_TRACE_PACKET_TRACE_STATS)
            stats = f;
    }
    assert(!r.failed);
    if (stats.data)
        read_counts(t, &stats);
    if (id > 1) { /* 1 is the service itself */
        struct orma_test_seq *seq = seq_of(t, id);

        seq->pid = pid;
        seq->packets++;
        orma_te_reader_add(&seq->te, (struct orma_str){(const char *)packet, len});
    }
    return 0;
}

void orma_test_session_stop(struct orma_test_session *self, struct orma_test_trace *ret)
{
    const char *error;
    int r = orma_consumer_disable(self->consumer);

    *ret = (struct orma_test_trace){0};
    assert(r == 0);
    while (!orma_consumer_ended(self->consumer, &error)) {
        r = orma_consumer_wait(self->consumer, TIMEOUT_MS);
        assert(r == 0 || r == -EINTR);
    }
    r = orma_consumer_read_wait(self->consumer, TIMEOUT_MS, on_packet, ret);
    assert(r == 0);
    orma_consumer_free(self->consumer);
    free(self);
}

void orma_test_trace_parse(struct orma_str file, struct orma_test_trace *ret)
{
    struct orma_pb_reader r = orma_pb_reader(file.data, file.len);
    struct orma_pb_field f;

    *ret = (struct orma_test_trace){0};
    while (orma_pb_next(&r, &f)) {
        assert(f.id == ORMA_PB_TRACE_PACKET);
        on_packet(ret, f.data, f.len);
    }
    assert(!r.failed);
}

void orma_test_trace_fini(struct orma_test_trace *self)
{
    for (size_t i = 0; i < self->num; i++)
        orma_te_reader_fini(&self->seqs[i].te);
    free(self->seqs);
    orma_buf_fini(&self->bytes);
}

uint64_t orma_test_trace_count(const struct orma_test_trace *self, uint32_t type, const char *name)
{
    uint64_t num = 0;

    for (size_t i = 0; i < self->num; i++) {
        for (size_t j = 0; j < orma_te_reader_num(&self->seqs[i].te); j++) {
            const struct orma_test_event *ev = orma_te_reader_event(&self->seqs[i].te, j);

            num += (!type || ev->type == type) && (!name || !strcmp(ev->name, name));
        }
    }
    return num;
}

unsigned orma_test_trace_check(const struct orma_test_trace *self)
{
    unsigned errors = 0;

    for (size_t i = 0; i < self->num; i++) {
        const struct orma_test_seq *s = &self->seqs[i];

        errors += s->te.errors;
        if (!s->has_counts || s->delivered != s->packets ||
            s->emitted != s->delivered + s->dropped + s->lost) {
            errors++;
            fprintf(stderr,
                    "sequence %" PRIu32 " (pid %" PRId32 "): %" PRIu64
                    " packets; ledger: emitted %" PRIu64 " delivered %" PRIu64 " dropped %" PRIu64
                    " lost %" PRIu64 "\n",
                    s->id, s->pid, s->packets, s->emitted, s->delivered, s->dropped, s->lost);
        }
    }
    return errors;
}
