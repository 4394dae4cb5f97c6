/*
 * The data source "track_event" of the service: each of its instances is a
 * session of track events.
 */
#include <errno.h>
#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "sdk/events/te.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

static struct {
    struct orma_producer *producer;
    struct orma_ds ds;
    enum orma_policy policy;
    orma_te_begin_fn begin;
    struct orma_buf descriptor; /* what ds.descriptor points to */
    _Atomic bool dirty;         /* categories came or went */
    struct orma_list sessions;  /* source_session.link; loop thread */
} g;

struct source_session {
    struct orma_list link;
    struct orma_te_session *session; /* NULL: there was no slot for it */
};

/* ---- the descriptor ---- */

static void put_category(void *ctx, const struct orma_category *category)
{
    struct orma_buf *b = ctx;
    struct orma_str rest = orma_str_from(category->tags), tag;

    /* A group is no category of its own, nor is that of events which bring theirs. */
    if (!category->name[0] || strchr(category->name, ','))
        return;
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_EVENT_DESCRIPTOR_AVAILABLE_CATEGORIES);
    orma_pb_put_cstr(b, ORMA_PB_TRACK_EVENT_CATEGORY_NAME, category->name);
    if (category->description)
        orma_pb_put_cstr(b, ORMA_PB_TRACK_EVENT_CATEGORY_DESCRIPTION, category->description);
    while (orma_str_cut(&rest, ',', &tag))
        orma_pb_put_str(b, ORMA_PB_TRACK_EVENT_CATEGORY_TAGS, orma_str_trim(tag));
    orma_pb_end(b, at);
}

static void build_descriptor(void)
{
    g.descriptor.own_mem = true; /* it is written with the lock of track events, see guard.h */
    orma_buf_clear(&g.descriptor);
    size_t at = orma_pb_begin(&g.descriptor, ORMA_PB_DATA_SOURCE_DESCRIPTOR_TRACK_EVENT_DESCRIPTOR);
    orma_te_each_category(put_category, &g.descriptor);
    orma_pb_end(&g.descriptor, at);
    g.ds.descriptor = g.descriptor.failed ? (struct orma_str){0} : orma_buf_str(&g.descriptor);
}

/* With the lock of track events. */
static void on_categories_changed(void)
{
    /* Relaxed: the wake-up orders it. */
    if (!atomic_exchange_explicit(&g.dirty, true, memory_order_relaxed))
        orma_producer_wakeup(g.producer);
}

void orma_te_source_turn(struct orma_producer *producer)
{
    if (!atomic_exchange_explicit(&g.dirty, false, memory_order_relaxed))
        return;
    build_descriptor();
    orma_producer_update(producer, &g.ds);
}

/* ---- sessions ---- */

static enum orma_policy policy_of(struct orma_str config, struct orma_str *ret_te)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    enum orma_policy policy = orma_policy_of_config(0, g.policy);
    struct orma_pb_field f;

    *ret_te = (struct orma_str){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_TRACK_EVENT_CONFIG)
            *ret_te = (struct orma_str){(const char *)f.data, f.len};
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_POLICY)
            policy = orma_policy_of_config(f.num, g.policy);
    }
    return policy;
}

static void start(void *ctx, struct orma_ds_instance *inst)
{
    struct source_session *s = calloc(1, sizeof(*s));
    struct orma_pool *pool = orma_producer_ref_pool(g.producer);
    struct orma_str te;

    (void)ctx;
    enum orma_policy policy = policy_of(inst->config, &te);
    orma_tsc_check(!orma_te.no_tsc);
    if (s && pool) {
        orma_list_insert(&g.sessions, &s->link);
        /* No slot is free: the session gets no events of ours, the others go on. */
        if (g.begin(te, pool, inst->target_buffer, policy, &s->session) < 0)
            s->session = NULL;
        inst->user = s;
    } else {
        free(s);
    }
    orma_pool_unref(pool);
    orma_producer_started(g.producer, inst->id);
}

static void stop(void *ctx, struct orma_ds_instance *inst)
{
    struct source_session *s = inst->user;

    (void)ctx;
    if (s) {
        if (s->session)
            (void)orma_te_session_free(s->session); /* if it cannot, nobody waits for it */
        orma_list_remove(&s->link);
        free(s);
        inst->user = NULL;
    }
    orma_producer_stopped(g.producer, inst->id);
}

static void flush(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id)
{
    struct source_session *s = inst->user;

    (void)ctx;
    if (s && s->session)
        orma_te_session_flush(s->session);
    orma_producer_flushed(g.producer, inst->id, flush_id);
}

static void clear(void *ctx, struct orma_ds_instance *inst)
{
    struct source_session *s = inst->user;

    (void)ctx;
    if (s && s->session)
        orma_te_session_clear(s->session);
}

static const struct orma_ds_ops ops = {
    .start = start, .stop = stop, .flush = flush, .clear = clear};

static int begin_new(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                     enum orma_policy policy, struct orma_te_session **ret)
{
    return orma_te_session_new(config, pool, target_buffer, policy, 0, ret);
}

int orma_te_source_add(struct orma_producer *producer, enum orma_policy policy,
                       orma_te_begin_fn begin)
{
    g.producer = producer;
    g.policy = policy;
    g.begin = begin ? begin : begin_new;
    orma_list_init(&g.sessions);
    g.ds = (struct orma_ds){
        .name = "track_event",
        .ops = &ops,
        .will_notify_on_start = true,
        .will_notify_on_stop = true,
        .handles_incremental_state_clear = true,
    };
    build_descriptor();
    orma_te_set_listener(on_categories_changed);
    return orma_producer_add(producer, &g.ds);
}

void orma_te_source_remove(void)
{
    orma_te_set_listener(NULL);
    orma_buf_fini(&g.descriptor);
    g.producer = NULL;
}

void orma_te_source_flush(void)
{
    ORMA_LIST_EACH (struct source_session, s, &g.sessions, link) {
        if (s->session)
            orma_te_session_flush(s->session);
    }
}
