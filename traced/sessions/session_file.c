/* The output file of a session: periodic writing, its end, its limit. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/sessions/clone.h"
#include "traced/sessions/read.h"
#include "traced/sessions/session_internal.h"

#define WRITE_PERIOD_MS 5000
#define WRITE_PERIOD_MIN_MS 100
#define FLUSH_PERIOD_MS 5000
/* What is compressed as one stream for a consumer. */
#define SQUEEZE_BATCH ((size_t)128 << 10)

uint32_t traced_session_write_period_ms(const struct traced_session *self)
{
    uint32_t ms = self->config->file_write_period_ms;

    return ms ? ORMA_MAX(ms, WRITE_PERIOD_MIN_MS) : WRITE_PERIOD_MS;
}

bool traced_session_flushes_before_write(const struct traced_session *self)
{
    int mode = (int)self->config->write_flush_mode;

    if (mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_ENABLED)
        return true;
    return mode != PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED &&
           traced_session_write_period_ms(self) > FLUSH_PERIOD_MS;
}

static void ended(struct traced_session *self, const char *error)
{
    struct traced_consumer *consumer = self->consumer;

    if (consumer)
        traced_consumer_session_ended(consumer, error);
}

static void on_file_progress(void *ctx, bool done, int error)
{
    struct traced_session *self = ctx;

    if (done || error)
        traced_session_file_done(self, error);
    else
        traced_turns_add(&self->service->turns, &self->read_work);
}

void traced_session_file_done(struct traced_session *self, int error)
{
    char name[TRACED_FILE_NAME_MAX];

    event_del(self->write_timer);
    if (error && error != -EFBIG && !self->file_error) {
        self->file_error = error;
        /* A consumer is told, and knows whether that is worth a message. */
        orma_log(self->consumer ? ORMA_LOG_INFO : ORMA_LOG_ERROR,
                 "session %" PRIu64 ": the trace file %s can't be written: %s", self->id,
                 traced_file_name(self->file, name), traced_file_reason(error));
    }
    traced_file_free(self->file);
    self->file = NULL;
    if (self->orphan)
        traced_session_free(self);
    else if (self->state == TRACED_CLONED)
        traced_clone_file_done(self);
    else if (self->state == TRACED_DISABLED)
        traced_session_tell_end(self);
    else
        traced_session_disable(self);
}

void traced_session_tell_end(struct traced_session *self)
{
    struct orma_buf text = {0};

    if (self->file_error) {
        orma_buf_printf(&text, "Failed to write into the trace file: %s",
                        traced_file_reason(self->file_error));
        ended(self, orma_buf_cstr(&text));
    } else {
        ended(self, NULL);
    }
    orma_buf_fini(&text);
}

/* How many bytes may still go into the file. */
static uint64_t file_room(const struct traced_session *self)
{
    uint64_t max = traced_compression_of(self->config).kind ? 0 : self->config->max_file_size_bytes;

    return max ? max - ORMA_MIN(max, self->file_bytes) : UINT64_MAX;
}

/* One batch into the file. True: there is more. */
static bool write_some(struct traced_work *work)
{
    struct traced_session *self = ORMA_CONTAINER_OF(work, struct traced_session, read_work);

    if (!self->file || traced_file_is_full(self->file))
        return false; /* on_file_progress() comes when there is room */
    struct orma_buf block = traced_file_spare(self->file);
    int r = traced_read(self, &block, TRACED_FILE_BATCH, file_room(self));
    self->file_bytes += block.len;
    if (block.len)
        traced_file_write(self->file, &block);
    orma_buf_fini(&block);
    if (r == 1)
        return true;
    bool last = self->state == TRACED_DISABLED || self->state == TRACED_CLONED || r == -EFBIG;
    if (last)
        traced_file_finish(self->file);
    self->reading = false;
    return false;
}

void traced_session_start_writing(struct traced_session *self)
{
    if (!self->file || self->reading)
        return;
    self->reading = true;
    traced_turns_add(&self->service->turns, &self->read_work);
}

static void on_flushed_for_write(struct traced_session *self, bool ok, void *ctx)
{
    (void)ok;
    (void)ctx;
    traced_session_start_writing(self);
}

static void on_write_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    traced_arm_periodic(self->write_timer, traced_session_write_period_ms(self));
    if (traced_session_flushes_before_write(self))
        traced_session_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_PERIODIC, on_flushed_for_write,
                             NULL);
    else
        traced_session_start_writing(self);
}

/* ---- compressed batches for a consumer ---- */

static void on_squeezed(void *ctx, bool done, int error)
{
    struct traced_session *self = ctx;

    (void)done;
    (void)error; /* without a file there is none */
    if (self->consumer)
        traced_consumer_pump(self->consumer);
}

int traced_session_open_squeezer(struct traced_session *self)
{
    struct traced_file_config config = {.fd = -1,
                                        .compression = traced_compression_of(self->config)};

    if (!config.compression.kind)
        return 0;
    return traced_file_new(self->service->base, &config, on_squeezed, self, &self->squeezer);
}

/* Nothing was found so far, and others want to be served. */
static enum traced_batch look_again(struct traced_session *self)
{
    if (self->consumer)
        traced_conn_call_later(self->consumer->conn);
    return TRACED_BATCH_LATER;
}

enum traced_batch traced_session_read_batch(struct traced_session *self, size_t size,
                                            struct orma_buf *ret, bool *ret_more)
{
    struct orma_buf batch = {0};

    if (!self->squeezer) {
        *ret_more = traced_read(self, ret, size, UINT64_MAX) == 1;
        return ret->len ? TRACED_BATCH_READY : *ret_more ? look_again(self) : TRACED_BATCH_NONE;
    }
    if (self->squeezing) {
        if (!traced_file_take(self->squeezer, &batch))
            return TRACED_BATCH_LATER;
        self->squeezing = false;
        orma_buf_fini(ret);
        *ret = batch;
        *ret_more = self->squeezed_more;
        return TRACED_BATCH_READY;
    }
    self->squeezed_more = traced_read(self, &batch, SQUEEZE_BATCH, UINT64_MAX) == 1;
    if (!batch.len) {
        orma_buf_fini(&batch);
        *ret_more = false;
        return self->squeezed_more ? look_again(self) : TRACED_BATCH_NONE;
    }
    self->squeezing = true;
    traced_file_write(self->squeezer, &batch);
    return TRACED_BATCH_LATER;
}

int traced_session_open_output(struct traced_session *self, int fd, struct orma_buf *error)
{
    const char *path = self->config->output_path;

    self->into_file = self->config->write_into_file;
    if (!self->into_file) {
        orma_fd_close(&fd);
        return traced_session_open_squeezer(self);
    }
    if (path && *path) {
        orma_fd_close(&fd);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0) {
            orma_buf_printf(error, "Failed to create the trace file %s", path);
            return -EINVAL;
        }
    }
    bool sync = self->config->fflush_post_write ==
                PERFETTO__PROTOS__TRACE_CONFIG__FFLUSH_MODE__FFLUSH_ENABLED;
    struct traced_file_config config = {fd, sync, traced_compression_of(self->config), 0};
    if (config.compression.kind) /* otherwise packets that would not fit are not even read */
        config.max_bytes = self->config->max_file_size_bytes;
    int r = traced_file_new(self->service->base, &config, on_file_progress, self, &self->file);
    if (r < 0)
        orma_buf_printf(error, "Failed to start writing the trace file: %s", strerror(-r));
    return r;
}

int traced_session_open_clone(struct traced_session *self, struct traced_session *source, int fd)
{
    self->into_file = true;
    struct traced_file_config config = {.fd = fd,
                                        .compression = traced_compression_of(self->config)};
    int r = traced_file_new(self->service->base, &config, on_file_progress, self, &self->file);
    if (r == 0 && source->file)
        traced_file_copy(self->file, source->file);
    return r;
}

bool traced_session_write_rest(struct traced_session *self)
{
    struct orma_buf block = {0};
    int r = 1;

    while (r == 1 && !traced_file_is_full(self->file)) {
        r = traced_read(self, &block, TRACED_FILE_BATCH, file_room(self));
        self->file_bytes += block.len;
        if (block.len)
            traced_file_write(self->file, &block);
        orma_buf_fini(&block);
    }
    if (r == 1)
        return false;
    traced_file_finish(self->file);
    return true;
}

bool traced_session_make_file_events(struct traced_session *self)
{
    self->write_timer = evtimer_new(self->service->base, on_write_timer, self);
    self->read_work.slice = write_some;
    return self->write_timer;
}
