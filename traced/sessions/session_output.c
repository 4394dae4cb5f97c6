/*
 * From time to time, when a buffer fills up, and at the end, what can be read goes
 * into the file: a batch in each slice of the loop's turns, as long as the file accepts more
 * (traced_file_is_full()); on_file_progress() goes on when it does again.
 * A consumer reads batch by batch. With compression one batch is always at the
 * thread, and the consumer gets it when it is back.
 */
#include "traced/sessions/session_output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "traced/output/file.h"
#include "traced/sessions/session.h"

/* What one turn of the loop reads for a file. */
#define FILE_BATCH ((size_t)1 << 20)
/* It is written before its time when this share of a buffer has come since the last reading, or so
 * much that the rest would drive it out of the cache: read later, it costs twice as much. */
#define FILL_SHARE 4
#define FILL_MAX ((size_t)1 << 20)
#define QUEUE_MAX ((size_t)64 << 20)
/* What waits for the disk is in the buffer as well, if that outlasts the service: then this much is
 * enough for the thread to have something to do, until so much or half of a buffer is left. */
#define QUEUE_KEPT ((size_t)2 << 20)
#define LEFT_MAX ((size_t)8 << 20)
#define WRITE_PERIOD_MS 5000
#define WRITE_PERIOD_MIN_MS 100
#define FLUSH_PERIOD_MS 5000
/* What is compressed as one stream for a consumer. */
#define SQUEEZE_BATCH ((size_t)128 << 10)

uint32_t traced_session_output_write_period_ms(const struct traced_session *self)
{
    uint32_t ms = self->config->file_write_period_ms;

    return ms ? ORMA_MAX(ms, WRITE_PERIOD_MIN_MS) : WRITE_PERIOD_MS;
}

bool traced_session_output_flushes_before_write(const struct traced_session *self)
{
    int mode = (int)self->config->write_flush_mode;

    if (mode == PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_ENABLED)
        return true;
    return mode != PERFETTO__PROTOS__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED &&
           traced_session_output_write_period_ms(self) > FLUSH_PERIOD_MS;
}

static void close_file(struct traced_session *self, int error)
{
    if (self->output.next.old && !error) { /* both are the trace */
        self->output.closing = true;
        return;
    }
    char name[TRACED_FILE_NAME_MAX];

    event_del(self->output.write_timer);
    if (error && error != -EFBIG && !self->output.error) {
        self->output.error = error;
        /* A consumer gets the error, and decides whether that is worth a message. */
        orma_log(self->consumer ? ORMA_LOG_INFO : ORMA_LOG_ERROR,
                 "session %" PRIu64 ": cannot write the trace file %s: %s", self->id,
                 traced_file_name(self->output.file, name), traced_file_reason(error));
    }
    traced_session_rescue_complete(self, !error);
    traced_file_free(self->output.file);
    self->output.file = NULL;
    self->output.done(self);
}

static void on_old_closed(struct traced_session *self, int error)
{
    if (error && !self->output.error)
        self->output.error = error;
    if (error && self->state == TRACED_STARTED)
        self->output.done(self); /* the rest goes into the new file, if that is possible */
    if (self->output.closing) {
        self->output.closing = false;
        close_file(self, 0);
    } else {
        traced_turns_add(&self->registry->loop->turns, &self->output.read_work);
    }
}

static void on_file_progress(void *ctx, bool done, int error)
{
    struct traced_session *self = ctx;

    if (done || error)
        close_file(self, error);
    else
        traced_turns_add(&self->registry->loop->turns, &self->output.read_work);
}

static void on_written(void *ctx, uint64_t blocks, uint64_t bytes)
{
    struct traced_session *self = ctx;

    self->output.count.done = blocks;
    self->output.count.bytes = bytes;
    traced_next_file_note_written(self);
}

void traced_session_output_report_end(struct traced_session *self)
{
    struct orma_buf text = {0};

    if (self->output.error)
        orma_buf_printf(&text, "Failed to write into the trace file: %s",
                        traced_file_reason(self->output.error));
    self->registry->events->ended(self, self->output.error ? orma_buf_cstr(&text) : NULL);
    orma_buf_fini(&text);
}

/* How many bytes may still go into the file. */
static uint64_t file_space(const struct traced_session *self)
{
    uint64_t max = traced_compression_of(self->config).kind ? 0 : self->config->max_file_size_bytes;

    return max ? max - ORMA_MIN(max, self->output.bytes) : UINT64_MAX;
}

static void finish_file(struct traced_session *self)
{
    self->output.finished = true;
    traced_file_finish(self->output.file);
}

static void hand_over(struct traced_session *self, struct orma_buf *block)
{
    if (!block->len && !self->output.next.block.len)
        return;
    self->output.bytes += block->len + self->output.next.block.len;
    traced_session_rescue_block(self);
    self->output.count.handed++;
    traced_file_write(self->output.file, block);
    if (self->output.next.routing)
        traced_next_file_hand_over(self);
}

static bool is_full(struct traced_session *self)
{
    return traced_file_is_full(self->output.file) ||
           (self->output.next.routing && traced_file_is_full(self->output.next.old));
}

/* The next batch. 1: there is more; 0: that was all for now. */
static int read_batch(struct traced_session *self, struct orma_buf *block)
{
    int r = traced_session_read(self, block, FILE_BATCH, file_space(self));

    hand_over(self, block);
    orma_buf_fini(block);
    bool ends = r == 0 || (r == 1 && traced_next_file_is_late(self));
    return ends && traced_next_file_end_pass(self) ? 1 : r;
}

/* While the disk is slow as much may wait for it as the buffers hold, within reason. */
static size_t queue_max(const struct traced_session *self)
{
    size_t kb = 0;

    for (size_t i = 0; i < self->config->n_buffers; i++)
        kb += self->config->buffers[i]->size_kb;
    return ORMA_MIN(kb << 10, QUEUE_MAX);
}

/* Does one of the buffers hold so much that was not read that it has little space left? */
static bool is_pressed(const struct traced_session *self)
{
    for (size_t i = 0; i < self->buffers_num; i++) {
        const struct traced_buffer *buf = self->buffers[i].buf;
        uint64_t gone = buf->stats.bytes_read + buf->stats.bytes_overwritten;

        if (gone + buf->size - ORMA_MIN(buf->size / 2, LEFT_MAX) < buf->stats.bytes_written)
            return true;
    }
    return false;
}

/* Buffers that keep what was read hold it until it is in the file: it should not be in memory
 * twice, unless something would be lost. */
static void bound_queue(struct traced_session *self)
{
    if (self->rescue.state.folder)
        traced_file_set_queue_max(self->output.file,
                                  is_pressed(self) ? queue_max(self) : QUEUE_KEPT);
}

/* One batch into the file. True: there is more. */
static bool write_some(struct traced_work *work)
{
    struct traced_session *self = ORMA_CONTAINER_OF(work, struct traced_session, output.read_work);

    if (!self->output.file || self->output.finished)
        return false;
    bound_queue(self);
    if (is_full(self))
        return false; /* on_file_progress() comes when it accepts more */
    struct orma_buf block = traced_file_spare(self->output.file);
    int r = read_batch(self, &block);
    if (r == 1)
        return true;
    if (traced_session_is_over(self) || r == -EFBIG)
        finish_file(self);
    self->output.reading = false;
    return false;
}

void traced_session_output_start_writing(struct traced_session *self)
{
    if (!self->output.file || self->output.reading || self->output.finished)
        return;
    self->output.reading = true;
    traced_turns_add(&self->registry->loop->turns, &self->output.read_work);
}

static bool syncs(const struct traced_session *self)
{
    return self->config->fflush_post_write ==
           PERFETTO__PROTOS__TRACE_CONFIG__FFLUSH_MODE__FFLUSH_ENABLED;
}

void traced_session_output_note_data(struct traced_session *self)
{
    if (!self->output.file || self->output.finished || !traced_triggers_let_read(self))
        return;
    if (self->output.reading) {
        if (self->rescue.state.folder && is_pressed(self)) /* the file accepts more now */
            traced_turns_add(&self->registry->loop->turns, &self->output.read_work);
        return;
    }
    for (size_t i = 0; i < self->buffers_num; i++) {
        const struct traced_buffer *buf = self->buffers[i].buf;
        size_t fill = buf->size / FILL_SHARE;

        if (!syncs(self)) /* each time would wait for the disk */
            fill = ORMA_MIN(fill, FILL_MAX);
        if (buf->stats.bytes_written - buf->read_at >= fill) {
            traced_session_output_start_writing(self);
            return;
        }
    }
}

static void on_flushed_for_write(struct traced_session *self, bool ok, void *ctx)
{
    (void)ok;
    (void)ctx;
    traced_session_output_start_writing(self);
}

static void on_write_timer(evutil_socket_t fd, short what, void *arg)
{
    struct traced_session *self = arg;

    (void)fd;
    (void)what;
    traced_loop_arm_periodic(self->output.write_timer, traced_session_output_write_period_ms(self));
    if (traced_session_output_flushes_before_write(self))
        traced_flush(self, TRACED_FLUSH_ALL, 0, TRACED_FLUSH_PERIODIC, on_flushed_for_write, NULL);
    else
        traced_session_output_start_writing(self);
}

/* ---- compressed batches for a consumer ---- */

static void on_squeezed(void *ctx, bool done, int error)
{
    struct traced_session *self = ctx;

    (void)done;
    (void)error; /* without a file there is none */
    self->registry->events->readable(self);
}

static int open_squeezer(struct traced_session *self)
{
    struct traced_file_config config = {.fd = -1,
                                        .compression = traced_compression_of(self->config)};

    if (!config.compression.kind)
        return 0;
    return traced_file_new(self->registry->loop->base, &config, on_squeezed, self,
                           &self->output.squeezer);
}

/* Nothing was found so far, and others want to be served. */
static enum traced_batch look_again(struct traced_session *self)
{
    self->registry->events->read_later(self);
    return TRACED_BATCH_LATER;
}

enum traced_batch traced_session_output_read_batch(struct traced_session *self, size_t size,
                                                   struct orma_buf *ret, bool *ret_more)
{
    struct orma_buf batch = {0};

    if (!self->output.squeezer) {
        *ret_more = traced_session_read(self, ret, size, UINT64_MAX) == 1;
        return ret->len ? TRACED_BATCH_READY : *ret_more ? look_again(self) : TRACED_BATCH_NONE;
    }
    if (self->output.squeezing) {
        if (!traced_file_take(self->output.squeezer, &batch))
            return TRACED_BATCH_LATER;
        self->output.squeezing = false;
        orma_buf_fini(ret);
        *ret = batch;
        *ret_more = self->output.squeezed_more;
        return TRACED_BATCH_READY;
    }
    self->output.squeezed_more = traced_session_read(self, &batch, SQUEEZE_BATCH, UINT64_MAX) == 1;
    if (!batch.len) {
        orma_buf_fini(&batch);
        *ret_more = false;
        return self->output.squeezed_more ? look_again(self) : TRACED_BATCH_NONE;
    }
    self->output.squeezing = true;
    traced_file_write(self->output.squeezer, &batch);
    return TRACED_BATCH_LATER;
}

static int new_file(struct traced_session *self, int fd, struct traced_file **ret)
{
    struct traced_file_config config = {.fd = fd,
                                        .sync = syncs(self),
                                        .compression = traced_compression_of(self->config),
                                        .queue_max = queue_max(self),
                                        .written = on_written};

    if (config.compression.kind) /* otherwise packets that would not fit are not even read */
        config.max_bytes = self->config->max_file_size_bytes;
    return traced_file_new(self->registry->loop->base, &config, on_file_progress, self, ret);
}

int traced_session_output_open(struct traced_session *self, int fd, struct orma_buf *error)
{
    const char *path = self->config->output_path;

    self->output.into_file = self->config->write_into_file;
    if (!self->output.into_file) {
        orma_fd_close(&fd);
        return open_squeezer(self);
    }
    if (path && *path) {
        orma_fd_close(&fd);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0) {
            orma_buf_printf(error, "Failed to create the trace file %s", path);
            return -EINVAL;
        }
    }
    int r = new_file(self, fd, &self->output.file);
    if (r < 0)
        orma_buf_printf(error, "Failed to start writing the trace file: %s", strerror(-r));
    return r;
}

int traced_session_output_open_clone(struct traced_session *self,
                                     const struct traced_session *source, int fd)
{
    if (fd < 0)
        return open_squeezer(self);
    self->output.into_file = true;
    struct traced_file_config config = {.fd = fd,
                                        .compression = traced_compression_of(self->config)};
    int r = traced_file_new(self->registry->loop->base, &config, on_file_progress, self,
                            &self->output.file);
    if (r == 0 && source->output.next.old)
        traced_file_copy(self->output.file, source->output.next.old);
    if (r == 0 && source->output.file)
        traced_file_copy(self->output.file, source->output.file);
    return r;
}

bool traced_session_output_write_rest(struct traced_session *self)
{
    struct orma_buf block = {0};
    int r = 1;

    if (self->output.finished)
        return true;
    while (r == 1 && !is_full(self))
        r = read_batch(self, &block);
    if (r == 1)
        return false;
    finish_file(self);
    return true;
}

/* ---- life ---- */

void traced_session_output_start_timer(struct traced_session *self)
{
    if (self->output.file)
        traced_loop_arm_periodic(self->output.write_timer,
                                 traced_session_output_write_period_ms(self));
}

int traced_session_output_init(struct traced_session *self, void (*done)(struct traced_session *))
{
    static const struct traced_next_file_ops ops = {
        .new_file = new_file,
        .hand_over = hand_over,
        .start_writing = traced_session_output_start_writing,
        .old_closed = on_old_closed,
    };

    self->output.done = done;
    self->output.next.ops = &ops;
    self->output.read_work.slice = write_some;
    self->output.write_timer = evtimer_new(self->registry->loop->base, on_write_timer, self);
    return self->output.write_timer ? 0 : -ENOMEM;
}

void traced_session_output_fini(struct traced_session *self)
{
    traced_work_cancel(&self->output.read_work);
    if (self->output.write_timer)
        event_free(self->output.write_timer);
    traced_next_file_fini(self);
    traced_file_free(self->output.file);
    traced_file_free(self->output.squeezer);
}
