/*
 * What the service asks for: instances of data sources, flushes. Everything
 * runs inside orma_producer_dispatch(), but the answers of data sources, which
 * come when they like (still on the loop thread).
 */
#include "sdk/transport/producer.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/fd.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* A service that runs wild shall not fill our memory. */
#define INSTANCES_MAX 1024u
#define FLUSHES_MAX 1024u

struct orma_producer_instance {
    struct orma_list link; /* producer.instances */
    struct orma_ds_instance pub;
    const struct orma_ds *ds;
    struct orma_buf config;
    bool started; /* a second start of the same instance means nothing */
    bool stopping;
};

/* A flush that waits for an instance. */
struct flush_wait {
    uint64_t flush_id;
    uint64_t instance_id;
};

static void invoke_id(struct orma_producer *self, const char *method, uint32_t field, uint64_t id)
{
    struct orma_buf b = {0};

    orma_pb_put_u64(&b, field, id);
    orma_producer_invoke(self, method, &b, NULL);
    orma_buf_fini(&b);
}

/* ---- instances ---- */

static struct orma_producer_instance *find_instance(struct orma_producer *self, uint64_t id)
{
    ORMA_LIST_EACH (struct orma_producer_instance, inst, &self->instances, link) {
        if (inst->pub.id == id)
            return inst;
    }
    return NULL;
}

static const struct orma_ds *find_source(const struct orma_producer *self, struct orma_str name)
{
    for (size_t i = 0; i < self->sources_num; i++) {
        if (orma_str_eq_c(name, self->sources[i]->name))
            return self->sources[i];
    }
    return NULL;
}

static void free_instance(struct orma_producer *self, struct orma_producer_instance *inst)
{
    orma_list_remove(&inst->link);
    self->instances_num--;
    orma_buf_fini(&inst->config);
    free(inst);
}

/* The fields of the config that everybody needs. False: no such data source here. */
static bool read_config(struct orma_producer *self, struct orma_producer_instance *inst)
{
    struct orma_pb_reader r = orma_pb_reader(inst->config.data, inst->config.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME)
            inst->ds = find_source(self, (struct orma_str){(const char *)f.data, f.len});
        else if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER)
            inst->pub.target_buffer = (uint32_t)f.num & 0xffff;
    }
    inst->pub.config = orma_buf_str(&inst->config);
    return !r.failed && inst->ds;
}

static struct orma_producer_instance *setup_instance(struct orma_producer *self, uint64_t id,
                                                     struct orma_str config)
{
    struct orma_producer_instance *inst = find_instance(self, id);

    if (inst || self->instances_num == INSTANCES_MAX || !(inst = calloc(1, sizeof(*inst))))
        return inst;
    inst->pub.id = id;
    orma_buf_put(&inst->config, config.data, config.len);
    orma_list_insert(&self->instances, &inst->link);
    self->instances_num++;
    if (inst->config.failed || !read_config(self, inst)) {
        free_instance(self, inst);
        return NULL;
    }
    if (inst->ds->ops->setup)
        inst->ds->ops->setup(inst->ds->ctx, &inst->pub);
    return inst;
}

static void start_instance(struct orma_producer *self, uint64_t id, struct orma_str config)
{
    struct orma_producer_instance *inst = setup_instance(self, id, config);

    if (!inst || inst->started || inst->stopping)
        return;
    inst->started = true;
    if (inst->ds->ops->start)
        inst->ds->ops->start(inst->ds->ctx, &inst->pub);
    else if (inst->ds->will_notify_on_start)
        orma_producer_started(self, id);
}

static void forget_flushes_of(struct orma_producer *self, uint64_t instance_id);

static void end_instance(struct orma_producer *self, struct orma_producer_instance *inst)
{
    uint64_t id = inst->pub.id;

    free_instance(self, inst);
    forget_flushes_of(self, id);
}

static void stop_instance(struct orma_producer *self, uint64_t id)
{
    struct orma_producer_instance *inst = find_instance(self, id);

    if (!inst || inst->stopping)
        return;
    inst->stopping = true;
    bool notify = inst->ds->will_notify_on_stop, has_stop = inst->ds->ops->stop != NULL;
    if (has_stop)
        inst->ds->ops->stop(inst->ds->ctx, &inst->pub);
    if (notify && !has_stop)
        orma_producer_stopped(self, id);
    if (notify)
        return; /* may be freed by now */
    orma_producer_commit(self);
    end_instance(self, inst);
}

void orma_producer_stop_all(struct orma_producer *self)
{
    ORMA_LIST_EACH (struct orma_producer_instance, inst, &self->instances, link) {
        if (inst->stopping)
            continue;
        inst->stopping = true;
        if (inst->ds->ops->stop)
            inst->ds->ops->stop(inst->ds->ctx, &inst->pub);
    }
}

void orma_producer_forget_all(struct orma_producer *self)
{
    while (!orma_list_empty(&self->instances))
        free_instance(self,
                      ORMA_CONTAINER_OF(self->instances.next, struct orma_producer_instance, link));
    orma_buf_clear(&self->waits);
    self->flush_last = self->flush_acked = 0;
}

/* ---- flush ---- */

static struct flush_wait *waits(struct orma_producer *self, size_t *ret_num)
{
    *ret_num = self->waits.len / sizeof(struct flush_wait);
    return (struct flush_wait *)self->waits.data;
}

/* One answer covers all flushes before it: so it is for the last that has no unfinished one before.
 */
static void ack_flushes(struct orma_producer *self)
{
    uint64_t done = self->flush_last;
    size_t num;
    struct flush_wait *w = waits(self, &num);

    for (size_t i = 0; i < num; i++) {
        if (w[i].flush_id <= done)
            done = w[i].flush_id - 1;
    }
    if (done <= self->flush_acked || !self->ipc || !self->pool || self->error)
        return;
    orma_producer_commit(self);
    if (self->emulated && self->config.smb_scraping && !self->error)
        orma_producer_note_error(self, orma_commit_scrape(&self->committer));
    if (!self->error)
        orma_producer_note_error(self, orma_commit_flush_ack(&self->committer, done));
    self->flush_acked = done;
}

static void forget_waits(struct orma_producer *self, uint64_t flush_id, uint64_t instance_id)
{
    size_t num, kept = 0;
    struct flush_wait *w = waits(self, &num);

    for (size_t i = 0; i < num; i++) {
        if (w[i].instance_id != instance_id || (flush_id && w[i].flush_id != flush_id))
            w[kept++] = w[i];
    }
    self->waits.len = kept * sizeof(*w);
    ack_flushes(self);
}

static void forget_flushes_of(struct orma_producer *self, uint64_t instance_id)
{
    forget_waits(self, 0, instance_id);
}

static void on_flush(struct orma_producer *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    uint64_t flush_id = 0, ids[FLUSHES_MAX];
    size_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_REQUEST_ID)
            flush_id = f.num;
        else if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH_DATA_SOURCE_IDS &&
                 f.wire == ORMA_PB_VARINT && num < FLUSHES_MAX)
            ids[num++] = f.num;
    }
    if (flush_id <= self->flush_last)
        return;
    self->flush_last = flush_id;
    /* All are noted before the first is asked, so that none is answered too early. */
    for (size_t i = 0; i < num; i++) {
        struct orma_producer_instance *inst = find_instance(self, ids[i]);

        if (!inst || !inst->ds->ops->flush)
            ids[i] = 0;
        else
            orma_buf_put(&self->waits, &(struct flush_wait){flush_id, ids[i]},
                         sizeof(struct flush_wait));
    }
    for (size_t i = 0; i < num; i++) {
        struct orma_producer_instance *inst = ids[i] ? find_instance(self, ids[i]) : NULL;

        if (inst)
            inst->ds->ops->flush(inst->ds->ctx, &inst->pub, flush_id);
    }
    ack_flushes(self);
}

/* ---- commands ---- */

static void on_clear(struct orma_producer *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_producer_instance *inst =
            f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE_DATA_SOURCE_IDS
                ? find_instance(self, f.num)
                : NULL;
        if (inst && inst->ds->ops->clear)
            inst->ds->ops->clear(inst->ds->ctx, &inst->pub);
    }
}

static void on_setup_tracing(struct orma_producer *self, struct orma_str msg)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_ipc_client_take_fd(self->ipc);
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    uint64_t page_kb = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING_SHARED_BUFFER_PAGE_SIZE_KB)
            page_kb = f.num;
    }
    if (self->pool)
        return; /* once per connection */
    if (self->emulated != (fd < 0) || page_kb > ORMA_SHM_PAGE_MAX / 1024)
        orma_producer_note_error(self, -EPROTO);
    else
        orma_producer_note_error(self, orma_producer_map_pool(self, fd, (uint32_t)page_kb * 1024));
}

/* setup_data_source, start_data_source: the same two fields. */
static void on_instance(struct orma_producer *self, struct orma_str msg, bool start)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    struct orma_str config = {0};
    uint64_t id = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE_NEW_INSTANCE_ID)
            id = f.num;
        else if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE_CONFIG)
            config = (struct orma_str){(const char *)f.data, f.len};
    }
    if (r.failed || !id)
        return;
    if (start)
        start_instance(self, id, config);
    else
        (void)setup_instance(self, id, config); /* one that we do not have is ignored */
}

static void on_stop(struct orma_producer *self, struct orma_str msg)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE_INSTANCE_ID)
            stop_instance(self, f.num);
    }
}

void orma_producer_on_command(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct orma_producer *self = ctx;
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;

    (void)has_more;
    if (!success || self->error)
        return;
    while (orma_pb_next(&r, &f)) {
        struct orma_str msg = {(const char *)f.data, f.len};

        switch (f.id) {
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING:
            on_setup_tracing(self, msg);
            break;
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_DATA_SOURCE:
            on_instance(self, msg, false);
            break;
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_START_DATA_SOURCE:
            on_instance(self, msg, true);
            break;
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_STOP_DATA_SOURCE:
            on_stop(self, msg);
            break;
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_FLUSH:
            on_flush(self, msg);
            break;
        case ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE:
            on_clear(self, msg);
            break;
        }
    }
}

/* ---- answers of data sources ---- */

void orma_producer_started(struct orma_producer *self, uint64_t instance_id)
{
    if (find_instance(self, instance_id))
        invoke_id(self, "NotifyDataSourceStarted",
                  ORMA_PB_NOTIFY_DATA_SOURCE_STARTED_REQUEST_DATA_SOURCE_ID, instance_id);
}

void orma_producer_stopped(struct orma_producer *self, uint64_t instance_id)
{
    struct orma_producer_instance *inst = find_instance(self, instance_id);

    if (!inst)
        return;
    orma_producer_commit(self); /* its last data first */
    invoke_id(self, "NotifyDataSourceStopped",
              ORMA_PB_NOTIFY_DATA_SOURCE_STOPPED_REQUEST_DATA_SOURCE_ID, instance_id);
    end_instance(self, inst);
}

void orma_producer_flushed(struct orma_producer *self, uint64_t instance_id, uint64_t flush_id)
{
    forget_waits(self, flush_id, instance_id);
}
