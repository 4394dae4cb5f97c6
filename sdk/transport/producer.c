/*
 * State of a connection:
 *
 *   bind sent -> bound: InitializeConnection, GetAsyncCommand -> initialised: RegisterDataSource
 *
 * The memory comes with the command setup_tracing; until then there is no pool
 * and writers cannot be made. Commands arrive as replies to GetAsyncCommand,
 * inside orma_producer_dispatch(). A failing send is noted in `error` and ends
 * the connection when the dispatch is over, so no callback loses its ground.
 */
#include "sdk/transport/producer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/commit.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* For what is still to be sent at the end. */
#define LAST_WORDS_MS 500
/* Without a pipe to wake it, the owner looks so often. */
#define NO_WAKEUP_MS 100
/* And so often with one: between a look at the pipe and poll() the program may have put another
 * file into its place, which wakes nobody. */
#define IDLE_MS 2000
#define SDK_VERSION "Orma 0.1.0"

/* ---- data sources ---- */

static void ignore_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    (void)ctx, (void)success, (void)has_more, (void)reply;
}

static void send_descriptor(struct orma_producer *self, size_t idx, const char *method)
{
    const struct orma_ds *ds = self->sources[idx];
    struct orma_buf b = {0};
    size_t at = orma_pb_begin(&b, ORMA_PB_REGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_DESCRIPTOR);

    orma_pb_put_cstr(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME, ds->name);
    if (ds->will_notify_on_stop)
        orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_STOP, 1);
    if (ds->will_notify_on_start)
        orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_START, 1);
    if (ds->handles_incremental_state_clear)
        orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_HANDLES_INCREMENTAL_STATE_CLEAR, 1);
    if (ds->no_flush)
        orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NO_FLUSH, 1);
    /* Not 0, so that the descriptor can be updated later. */
    orma_pb_put_u64(&b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_ID, idx + 1);
    orma_buf_put(&b, ds->descriptor.data, ds->descriptor.len);
    orma_pb_end(&b, at);
    orma_producer_invoke(self, method, &b, ignore_reply);
    orma_buf_fini(&b);
}

/* ---- connection ---- */

static void on_initialised(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_producer *self = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    (void)has_more;
    if (!success) {
        orma_producer_note_error(self, -EREMOTEIO);
        return;
    }
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USE_SHMEM_EMULATION)
            self->emulated = self->committer.inline_data = f.num != 0;
    }
    self->initialised = true;
    for (size_t i = 0; i < self->sources_num; i++)
        send_descriptor(self, i, "RegisterDataSource");
}

static void introduce(struct orma_producer *self)
{
    const struct orma_producer_config *c = &self->config;
    struct orma_buf b = {0};

    self->introduced = true;
    if (c->shm_page_hint_bytes)
        orma_pb_put_u64(&b,
                        ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_PAGE_SIZE_HINT_BYTES,
                        c->shm_page_hint_bytes);
    if (c->shm_size_hint_bytes)
        orma_pb_put_u64(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_SIZE_HINT_BYTES,
                        c->shm_size_hint_bytes);
    orma_pb_put_cstr(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, self->name);
    orma_pb_put_u64(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_MODE,
                    c->smb_scraping ? ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_ENABLED
                                    : ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_DISABLED);
    orma_pb_put_cstr(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SDK_VERSION, SDK_VERSION);
    orma_pb_put_u64(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_ORMA_TAKES_FILES, 1);
    orma_producer_invoke(self, "InitializeConnection", &b, on_initialised);
    orma_producer_invoke(self, "GetAsyncCommand", NULL, orma_producer_on_command);
    orma_buf_fini(&b);
}

static void disconnect(struct orma_producer *self)
{
    struct orma_ipc_client *ipc = self->ipc;

    if (!ipc)
        return;
    orma_ipc_client_forget(ipc, self);
    self->ipc = NULL; /* what the callbacks want to send goes nowhere */
    orma_producer_stop_all(self);
    orma_producer_forget_all(self);
    orma_producer_set_pool(self, NULL);
    self->committer.ipc = NULL;
    orma_ipc_client_free(ipc);
    self->commit_due_ns = 0;
    self->introduced = self->initialised = self->emulated = self->committer.inline_data = false;
}

int orma_producer_connect(struct orma_producer *self)
{
    if (self->ipc)
        return 0;
    int r = orma_ipc_client_new(self->addr ? self->addr : orma_sock_producer_addr(),
                                ORMA_PRODUCER_PORT_NAME, &self->ipc);
    self->committer.ipc = self->ipc;
    self->error = 0;
    if (r == 0 && self->config.queues)
        orma_ipc_client_set_queues(self->ipc);
    return r;
}

bool orma_producer_wants_write(const struct orma_producer *self)
{
    return self->ipc && orma_ipc_client_has_queued(self->ipc);
}

bool orma_producer_is_connected(const struct orma_producer *self)
{
    return self->ipc != NULL;
}

int orma_producer_fd(const struct orma_producer *self)
{
    return self->ipc ? orma_ipc_client_fd(self->ipc) : -1;
}

int orma_producer_wakeup_fd(const struct orma_producer *self)
{
    return self->wakeup_fd;
}

static void commit_if_due(struct orma_producer *self)
{
    /* While the service takes nothing, chunks wait in its memory, and counts grow there. */
    if (!self->pool || orma_producer_wants_write(self))
        return;
    enum orma_pool_need need = orma_pool_need(self->pool);
    uint64_t delay_ns = self->config.commit_delay_ms * UINT64_C(1000000);

    if (need == ORMA_POOL_IDLE)
        return;
    if (need == ORMA_POOL_LISTED && delay_ns && !self->commit_due_ns)
        self->commit_due_ns = orma_clock_monotonic() + delay_ns;
    if (need == ORMA_POOL_LISTED && delay_ns && orma_clock_monotonic() < self->commit_due_ns)
        return;
    orma_producer_commit(self);
}

int orma_producer_dispatch(struct orma_producer *self)
{
    orma_producer_drain_wakeup(self);
    (void)orma_producer_renew_wakeup(self); /* without one the owner looks now and then */
    if (!self->ipc)
        return 0;
    if (self->pool)
        orma_pool_set_drainer(self->pool); /* the owner may have changed its thread */
    int r = orma_ipc_client_dispatch(self->ipc);
    /* Looked at, but not read for once more: an answer that came in between would be one after which
     * nothing more comes, and nobody would be introduced. */
    if (r == 0 && !self->introduced) {
        if (orma_ipc_client_is_bound(self->ipc))
            introduce(self);
        else if (orma_ipc_client_is_refused(self->ipc))
            r = -ENOPROTOOPT;
    }
    if (r == 0 && !self->error)
        commit_if_due(self);
    if (r == 0)
        r = self->error;
    if (r < 0)
        disconnect(self);
    return r;
}

int orma_producer_timeout_ms(const struct orma_producer *self)
{
    if (!self->commit_due_ns)
        return self->wakeup_fd < 0 ? NO_WAKEUP_MS : IDLE_MS;
    uint64_t now = orma_clock_monotonic();
    return now >= self->commit_due_ns ? 0 : (int)((self->commit_due_ns - now) / 1000000 + 1);
}

static void on_synced(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    int *state = ctx;

    (void)has_more, (void)reply;
    *state = success ? 1 : -EREMOTEIO;
}

/* One turn of the loop, at most until end_ns. */
static int turn(struct orma_producer *self, uint64_t end_ns)
{
    uint64_t now = orma_clock_monotonic();

    if (now >= end_ns)
        return -ETIMEDOUT;
    int r = orma_ipc_client_wait(self->ipc, (int)((end_ns - now) / 1000000 + 1));
    if (r < 0 && r != -ETIMEDOUT && r != -EINTR) {
        orma_producer_note_error(self, r);
        return r;
    }
    r = orma_producer_dispatch(self);
    return r < 0 ? r : self->ipc ? 0 : -ENOTCONN;
}

int orma_producer_sync(struct orma_producer *self, int timeout_ms)
{
    uint64_t end_ns = orma_clock_monotonic() + (uint64_t)ORMA_MAX(timeout_ms, 0) * 1000000;
    int state = 0, r = 0;

    if (!self->ipc)
        return -ENOTCONN;
    while (r == 0 && !self->initialised)
        r = turn(self, end_ns);
    if (r < 0)
        return r;
    orma_producer_commit(self);
    if (!self->error)
        orma_producer_note_error(
            self, orma_ipc_client_invoke(self->ipc, "Sync", NULL, 0, -1, on_synced, &state));
    if (self->error)
        return self->error; /* the next dispatch ends the connection */
    while (r == 0 && !state)
        r = turn(self, end_ns);
    if (self->ipc)
        orma_ipc_client_forget(self->ipc, &state);
    return state == 1 ? 0 : state < 0 ? state : r;
}

/* ---- the rest ---- */

/* The program may have forked within a packet, and write on: not into its parent's memory. What it
 * finds there instead are chunks that are not its own, which it leaves alone. */
static void cover(const struct orma_pool *pool)
{
    if (pool)
        (void)mmap(pool->shm.base, pool->shm.size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void orma_producer_abandon(struct orma_producer *self)
{
    cover(self->pool);
    orma_producer_end_wakeup(self);
    if (self->ipc)
        orma_ipc_client_close(self->ipc);
}

int orma_producer_new(const struct orma_producer_config *config, struct orma_producer **ret)
{
    ORMA_AUTO(orma_producer_free_p) struct orma_producer *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->wakeup_fd = self->wakeup_in = -1;
    orma_list_init(&self->instances);
    pthread_mutex_init(&self->pool_lock, NULL);
    self->config = *config;
    self->name = orma_str_dup(orma_str_from(config->name));
    self->addr = config->addr ? orma_str_dup(orma_str_from(config->addr)) : NULL;
    if (!self->name || (config->addr && !self->addr))
        return -ENOMEM;
    int r = orma_producer_renew_wakeup(self);
    if (r < 0)
        return r;
    *ret = ORMA_STEAL(self);
    return 0;
}

void orma_producer_free(struct orma_producer *self)
{
    if (!self)
        return;
    if (self->ipc && !self->error) {
        orma_producer_stop_all(self);
        orma_producer_commit(self);
        (void)orma_ipc_client_drain(self->ipc, LAST_WORDS_MS); /* or the service reads the memory */
    }
    disconnect(self);
    orma_committer_fini(&self->committer);
    orma_buf_fini(&self->waits);
    orma_producer_end_wakeup(self);
    pthread_mutex_destroy(&self->pool_lock);
    free(self->name);
    free(self->addr);
    free(self);
}

int orma_producer_add(struct orma_producer *self, const struct orma_ds *ds)
{
    if (self->sources_num == ORMA_PRODUCER_SOURCES_MAX)
        return -ENOSPC;
    self->sources[self->sources_num++] = ds;
    if (self->initialised)
        send_descriptor(self, self->sources_num - 1, "RegisterDataSource");
    return 0;
}

void orma_producer_update(struct orma_producer *self, const struct orma_ds *ds)
{
    for (size_t i = 0; i < self->sources_num && self->initialised; i++) {
        if (self->sources[i] == ds)
            send_descriptor(self, i, "UpdateDataSource");
    }
}

int orma_producer_trigger(struct orma_producer *self, const char *const *names, size_t num)
{
    struct orma_buf b = {0};

    if (!self->initialised)
        return -EAGAIN;
    for (size_t i = 0; i < num; i++)
        orma_pb_put_cstr(&b, ORMA_PB_ACTIVATE_TRIGGERS_REQUEST_TRIGGER_NAMES, names[i]);
    orma_producer_invoke(self, "ActivateTriggers", &b, NULL);
    orma_buf_fini(&b);
    return self->error;
}
