/*
 * A clone under way belongs to nobody but its two flushes: it lives until the
 * last of them has ended, and then reports to its client, if that is still there.
 *
 *   flush of TRANSFER ends ──► take_group(): those buffers are taken, new ones take their place
 *   flush of STAY ends ──────► take_group(): those buffers are copied
 *   both have ended ─────────► finish(): a session is made of them
 */
#include "traced/sessions/clone.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"
#include "traced/sessions/session_make.h"

#define FOR_BUGREPORT (1u << 8)

/* One flush, and the buffers that are taken when it ends. */
struct clone_group {
    struct traced_clone *clone;
    bool transfer;
};

struct traced_clone {
    const struct traced_clone_client *client; /* NULL: gone */
    void *ctx;
    int32_t uid;
    int fd; /* for the source's file; owned, -1: none */
    uint64_t started_ts;
    struct traced_clone_trigger trigger; /* taken over by the clone */
    struct clone_group groups[2];
    unsigned pending;               /* groups */
    const char *error;              /* NULL: fine so far */
    struct traced_buffer **buffers; /* one for each of the source; owned */
    uint64_t *taken_ts;
    size_t buffers_num;
};

/* ---- life ---- */

static void clone_free(struct traced_clone *self)
{
    for (size_t i = 0; i < self->buffers_num; i++)
        traced_buffer_free(self->buffers[i]);
    free(self->buffers);
    free(self->taken_ts);
    free(self->trigger.name);
    free(self->trigger.producer_name);
    orma_fd_close(&self->fd);
    free(self);
}

void traced_clone_forget(struct traced_clone *self)
{
    if (self)
        self->client = NULL;
}

/* ---- taking the buffers ---- */

static bool is_transferred(const struct traced_session *s, size_t idx)
{
    return s->config->buffers[idx]->transfer_on_clone;
}

/* The sequences of the new buffer get the identities that they have in the session. */
static void name_again(struct traced_session *s, struct traced_buffer *buf)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &buf->seqs, link) {
        struct traced_producer *p =
            orma_map_get_ptr(&s->registry->producers->by_id, seq->producer_id);

        if (p)
            traced_target_name_seq(&s->targets, p, seq);
        else
            traced_seq_settle(seq);
    }
}

static int take_buffer(struct traced_session *s, size_t idx, struct traced_buffer **ret)
{
    struct traced_target *target = &s->buffers[idx];
    struct traced_buffer *next;

    if (!is_transferred(s, idx))
        return traced_buffer_clone(target->buf, ret);
    int r = traced_buffer_succeed(target->buf, &next);
    if (r < 0)
        return r;
    ORMA_LIST_EACH (struct traced_producer, p, &s->registry->producers->list, link)
        traced_producer_forget_seqs(p);
    traced_session_rescue_forget_marks(s);
    *ret = target->buf;
    target->buf = next;
    next->owner = target;
    name_again(s, next);
    return 0;
}

static void take_group(struct traced_clone *self, struct traced_session *source, bool transfer)
{
    for (size_t i = 0; i < self->buffers_num && !self->error; i++) {
        if (is_transferred(source, i) != transfer)
            continue;
        if (take_buffer(source, i, &self->buffers[i]) < 0)
            self->error = "Not enough memory for a copy of the buffers";
        self->taken_ts[i] = orma_clock_boottime();
    }
}

/* ---- the clone itself ---- */

static void note_clone_events(struct traced_session *clone, const struct traced_clone *self)
{
    struct traced_snapshots *sn = &clone->snapshots;

    traced_snapshots_add_event_at(sn, self->started_ts, ORMA_PB_TRACING_SERVICE_EVENT_CLONE_STARTED,
                                  1, NULL);
    for (size_t i = 0; i < clone->buffers_num; i++)
        traced_snapshots_add_event_at(sn, self->taken_ts[i],
                                      ORMA_PB_TRACING_SERVICE_EVENT_BUFFER_CLONED, i, NULL);
    traced_snapshots_add_event(sn, ORMA_PB_TRACING_SERVICE_EVENT_TRACING_DISABLED, 1, NULL);
    traced_snapshots_add_clocks(&clone->snapshots);
}

/* The session, of what was taken. NULL: `error` has the reason. */
static struct traced_session *make(struct traced_clone *self, struct traced_session *source)
{
    struct traced_session *clone;

    int r = traced_session_clone(source, self->uid, self->buffers, self->fd, &clone);
    self->fd = -1; /* taken */
    self->buffers_num = 0;
    if (r < 0) {
        self->error = "Not enough memory for the clone";
        return NULL;
    }
    clone->clone_trigger = self->trigger;
    self->trigger = (struct traced_clone_trigger){0};
    note_clone_events(clone, self);
    return clone;
}

static void finish(struct traced_clone *self, struct traced_session *source)
{
    struct traced_session *clone = NULL;

    if (self->client && !self->error)
        self->error = self->client->refusal(self->ctx);
    if (self->client && !self->error)
        clone = make(self, source);
    if (self->client)
        self->client->done(self->ctx, clone, self->error);
    clone_free(self);
}

static void on_flushed(struct traced_session *source, bool ok, void *ctx)
{
    struct clone_group *group = ctx;
    struct traced_clone *self = group->clone;

    (void)ok; /* what did not come in time is not in the snapshot */
    if (source->freeing)
        self->error = "Original session ended";
    else
        take_group(self, source, group->transfer);
    ORMA_ASSERT(self->pending > 0);
    if (--self->pending == 0)
        finish(self, source);
}

/* ---- the request ---- */

static void clear_buffers(struct traced_session *source)
{
    for (size_t i = 0; i < source->buffers_num; i++)
        if (source->config->buffers[i]->clear_before_clone)
            traced_buffer_clear(source->buffers[i].buf);
}

static bool has_group(const struct traced_session *source, bool transfer)
{
    for (size_t i = 0; i < source->buffers_num; i++)
        if (is_transferred(source, i) == transfer)
            return true;
    return !transfer; /* without buffers it is the second that asks */
}

static struct traced_clone *clone_new(const struct traced_session *source,
                                      const struct traced_clone_args *args)
{
    struct traced_clone *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->fd = -1;
    self->uid = args->uid;
    self->started_ts = orma_clock_boottime();
    self->buffers = calloc(source->buffers_num + 1, sizeof(struct traced_buffer *));
    self->taken_ts = calloc(source->buffers_num + 1, sizeof(*self->taken_ts));
    self->trigger = (struct traced_clone_trigger){
        .present = args->has_trigger,
        .ts = args->trigger_ts,
        .name = orma_str_dup(args->trigger_name),
        .producer_name = orma_str_dup(args->trigger_producer),
        .producer_uid = args->trigger_uid,
        .stop_delay_ms = args->trigger_delay_ms,
    };
    if (self->buffers && self->taken_ts && self->trigger.name && self->trigger.producer_name)
        return self;
    clone_free(self);
    return NULL;
}

void traced_clone_begin(struct traced_clone *self, struct traced_session *source,
                        bool for_bugreport)
{
    uint64_t flags = TRACED_FLUSH_CLONE | (for_bugreport ? FOR_BUGREPORT : 0);
    bool use[2] = {has_group(source, true), has_group(source, false)};

    ORMA_ASSERT(self->client && !self->pending && !self->buffers_num); /* once */
    clear_buffers(source);
    self->buffers_num = source->buffers_num;
    self->pending = (unsigned)use[0] + use[1];
    for (unsigned i = 0; i < 2; i++)
        self->groups[i] = (struct clone_group){self, i == 0};
    if (use[0] && use[1]) { /* the first may fail at once and must not end it all */
        traced_flush(source, TRACED_FLUSH_TRANSFER, 0, flags, on_flushed, &self->groups[0]);
        traced_flush(source, TRACED_FLUSH_STAY, 0, flags, on_flushed, &self->groups[1]);
        return;
    }
    traced_flush(source, TRACED_FLUSH_ALL, 0, flags, on_flushed, &self->groups[use[0] ? 0 : 1]);
}

int traced_clone_new(struct traced_session *source, const struct traced_clone_args *args,
                     const struct traced_clone_client *client, void *ctx, struct traced_clone **ret)
{
    struct traced_clone *self = clone_new(source, args);

    if (!self) {
        int fd = args->fd;

        orma_fd_close(&fd);
        return -ENOMEM;
    }
    self->fd = args->fd;
    self->client = client;
    self->ctx = ctx;
    *ret = self;
    return 0;
}
