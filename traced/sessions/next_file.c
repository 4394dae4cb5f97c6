/*
 * Blocks are numbered through all files. While two are written, each batch is one block of either
 * (which may be empty), so that "as far as this block" means the same in both.
 */
#include "traced/sessions/next_file.h"

#include <errno.h>
#include <inttypes.h>

#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "traced/output/file.h"
#include "traced/sessions/clear.h"
#include "traced/sessions/route.h"
#include "traced/sessions/session.h"

#define FLUSH_TIMEOUT_MS 1000
/* ---- how far both are ---- */

void traced_next_file_note_written(struct traced_session *s)
{
    const struct traced_output_count *now = &s->output.count, *old = &s->output.next.old_count;
    bool old_is_done = !s->output.next.old || (!s->output.next.routing && old->done == old->handed);

    if (!old_is_done && now->base + now->done != old->base + old->done)
        return; /* both are, soon */
    traced_session_rescue_written(s, now->base + now->done, now->bytes,
                                  s->output.next.old ? old->bytes : 0);
}

static void on_old_written(void *ctx, uint64_t blocks, uint64_t bytes)
{
    struct traced_session *s = ctx;

    s->output.next.old_count.done = blocks;
    s->output.next.old_count.bytes = bytes;
    traced_next_file_note_written(s);
}

/* ---- the end of the old one ---- */

static void close_old(struct traced_session *s, int error)
{
    struct traced_next_file *next = &s->output.next;
    void (*complete)(struct traced_session *, int) = next->complete;
    char name[TRACED_FILE_NAME_MAX];

    if (error)
        orma_log(s->consumer ? ORMA_LOG_INFO : ORMA_LOG_ERROR,
                 "session %" PRIu64 ": cannot write the trace file %s: %s", s->id,
                 traced_file_name(next->old, name), traced_file_reason(error));
    next->routing = false;
    next->complete = NULL;
    traced_file_free(next->old);
    next->old = NULL;
    traced_next_file_note_written(s);
    if (complete)
        complete(s, error);
    next->ops->old_closed(s, error);
}

static void on_old_progress(void *ctx, bool done, int error)
{
    struct traced_session *s = ctx;

    if (done || error)
        close_old(s, error);
    else
        traced_turns_add(&s->registry->loop->turns, &s->output.read_work);
}

void traced_next_file_hand_over(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;

    next->old_count.handed++;
    traced_file_write(next->old, &next->block);
}

static void end_old(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;

    traced_session_put_final_stats(&next->block, s);
    next->ops->hand_over(s, &(struct orma_buf){0});
    next->routing = false;
    traced_file_finish(next->old);
}

void traced_next_file_fini(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;

    traced_file_free(next->coming);
    traced_file_free(next->old);
    next->coming = next->old = NULL;
    next->routing = false;
    orma_buf_fini(&next->block);
}

/* ---- one step after the other ---- */

static void on_flushed(struct traced_session *s, bool ok, void *ctx)
{
    struct traced_next_file *next = &s->output.next;

    (void)ctx;
    (void)ok; /* who did not answer changes over later, or is counted */
    if (s->freeing || !(next->routing || next->coming) || next->passes)
        return;
    next->passes = s->reader.in_pass ? 2 : 1; /* one that begins now reads all of it */
    next->flushed_at = s->output.bytes;
    next->ops->start_writing(s);
}

static void flush(struct traced_session *s)
{
    s->output.next.passes = 0;
    traced_flush(s, TRACED_FLUSH_ALL, s->output.next.flush_timeout_ms, TRACED_FLUSH_PERIODIC,
                 on_flushed, NULL);
}

static void change_over(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;

    next->old = s->output.file;
    next->old_count = s->output.count;
    traced_file_set_owner(next->old, on_old_progress, on_old_written, s);
    s->output.file = next->coming;
    next->coming = NULL;
    s->output.count = (struct traced_output_count){.base = s->rescue.blocks};
    next->old_before = next->before;
    next->before = traced_next_file_delivered(s);
    next->number++;
    next->routing = true;
    traced_session_reader_restart(s);
    traced_session_rescue_next_file(s);
    traced_session_clear_all(s);
    flush(s);
}

/* The session has come to its end before. */
static void give_up(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;
    void (*complete)(struct traced_session *, int) = next->complete;

    traced_file_free(next->coming);
    next->coming = NULL;
    next->complete = NULL;
    if (complete)
        complete(s, -ECANCELED);
}

bool traced_next_file_end_pass(struct traced_session *s)
{
    struct traced_next_file *next = &s->output.next;

    if (!next->routing && !next->coming)
        return false;
    if (traced_session_is_over(s)) {
        if (next->coming)
            give_up(s);
        else
            end_old(s);
        return false;
    }
    if (!next->passes)
        return false; /* producers still hold something */
    if (--next->passes)
        return true;
    if (next->coming)
        change_over(s);
    else
        end_old(s);
    return false;
}

bool traced_next_file_is_late(const struct traced_session *s)
{
    uint64_t size = 0;

    if (!s->output.next.passes)
        return false;
    for (size_t i = 0; i < s->buffers_num; i++)
        size += s->buffers[i].buf->size;
    return s->output.bytes - s->output.next.flushed_at > size;
}

int traced_next_file_begin(struct traced_session *s, int fd, uint32_t flush_timeout_ms)
{
    struct traced_next_file *next = &s->output.next;

    bool writes = s->output.file && !s->output.finished && s->state == TRACED_STARTED &&
                  traced_triggers_let_read(s);
    int r = !writes                          ? -ENOENT
            : next->old || next->coming      ? -EBUSY
            : s->config->max_file_size_bytes ? -EINVAL
                                             : 0;
    if (r < 0) {
        orma_fd_close(&fd);
        return r;
    }
    r = next->ops->new_file(s, fd, &next->coming);
    if (r < 0)
        return r;
    next->flush_timeout_ms = flush_timeout_ms ? flush_timeout_ms : FLUSH_TIMEOUT_MS;
    flush(s);
    return 0;
}
