/*
 * Each method parses its request, asks producers/producer.c or the sessions to do
 * it, and acknowledges. A request is refused as a whole (-EBADMSG) before any of
 * it is done, but for CommitData, which is handled in slices as it is parsed.
 */
#include "traced/endpoints/producer_port.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "protos/pbc.h"
#include "protos/perfetto/common.pb-c.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/buffers/buffer.h"
#include "traced/endpoints/relay.h"
#include "traced/network/conn.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"
#include "traced/sessions/trigger_act.h"

/* Of a producer's name and of its version: they are copied into each trigger and each trace. */
#define NAME_MAX_BYTES 4096

static const struct orma_str no_bytes = {"", 0};

struct init_args {
    uint32_t page_hint, size_hint;
    struct orma_str name, version;
    bool scraping, provides_shm, takes_files;
};

static int parse_init(struct orma_str args, struct init_args *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    *ret = (struct init_args){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_PAGE_SIZE_HINT_BYTES:
            ret->page_hint = orma_pb_u32(&f);
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_SIZE_HINT_BYTES:
            ret->size_hint = orma_pb_u32(&f);
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME:
            ret->name = orma_pb_str(&f);
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_MODE:
            ret->scraping =
                orma_pb_u32(&f) == ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SMB_SCRAPING_ENABLED;
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_PROVIDED_SHMEM:
            ret->provides_shm = orma_pb_bool(&f);
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SDK_VERSION:
            ret->version = orma_pb_str(&f);
            break;
        case ORMA_PB_INITIALIZE_CONNECTION_REQUEST_ORMA_TAKES_FILES:
            ret->takes_files = orma_pb_bool(&f);
            break;
        }
    }
    return r.failed ? -EBADMSG : 0;
}

static void reply_init(struct traced_conn *conn, const struct traced_call *call,
                       const struct traced_producer *self)
{
    struct orma_buf out = {0};

    orma_pb_put_u64(&out, ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USING_SHMEM_PROVIDED_BY_PRODUCER,
                    self->shm_is_theirs);
    orma_pb_put_u64(&out, ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_DIRECT_SMB_PATCHING_SUPPORTED, 1);
    orma_pb_put_u64(&out, ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USE_SHMEM_EMULATION,
                    self->emulated);
    if (!call->drop_reply)
        traced_conn_reply(conn, call->request_id, true, false, orma_buf_str(&out), -1);
    orma_buf_fini(&out);
}

/* `fd`: its own memory, or -1; stays the caller's. */
static int initialize(struct traced_conn *conn, const struct traced_call *call, int fd)
{
    struct init_args args;
    int r = parse_init(call->args, &args);

    if (r < 0)
        return r;
    struct traced_sessions *sessions = conn->network->context;

    if (conn->client)
        return -EEXIST;
    if (args.name.len > NAME_MAX_BYTES || args.version.len > NAME_MAX_BYTES) {
        if (traced_loop_may_log(conn->network->loop))
            orma_log_warn(
                "refused a producer (pid %d): its name or version is longer than %d bytes",
                conn->pid, NAME_MAX_BYTES);
        return -E2BIG;
    }
    if (orma_str_has_zero(args.name) || orma_str_has_zero(args.version)) {
        if (traced_loop_may_log(conn->network->loop))
            orma_log_warn("refused a producer (pid %d): its name or version contains a zero byte",
                          conn->pid);
        return -EILSEQ;
    }
    if (sessions->lockdown && (uid_t)conn->uid != sessions->uid)
        return -EPERM;
    struct traced_producer *self = traced_producer_new(conn, sessions->producers);
    if (!self)
        return -ENOSPC;
    if (!traced_producer_name(self, args.name, args.version)) {
        traced_conn_close(conn);
        return -ENOMEM;
    }
    self->page_hint = args.page_hint;
    self->size_hint = args.size_hint;
    self->scraping = args.scraping;
    /* Earlier SDKs of ours want seals, which files have not; those of others want none. */
    self->takes_files = args.takes_files || !orma_str_starts(args.version, ORMA_STR("Orma "));
    if (args.provides_shm && fd >= 0 && !self->emulated)
        (void)traced_producer_adopt_shm(self, fd); /* refused: shown in the reply */
    reply_init(conn, call, self);
    return 0;
}

static int initialize_connection(struct traced_conn *conn, const struct traced_call *call)
{
    int fd = orma_ipc_stream_take_fd(&conn->in);
    int r = initialize(conn, call, fd);

    traced_conn_discard(conn, fd); /* it was mapped, or is not wanted */
    return r;
}

/* The initialised producer of the connection, NULL before InitializeConnection. */
static struct traced_producer *producer_of(const struct traced_conn *conn)
{
    return conn->client;
}

/* The descriptor inside the request, NULL (and *ret_err) if malformed. */
static Perfetto__Protos__DataSourceDescriptor *unpack_descriptor(struct orma_str args,
                                                                 struct orma_str *ret_bytes)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;
    ProtobufCMessage *msg = NULL;

    *ret_bytes = no_bytes;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_REGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_DESCRIPTOR)
            *ret_bytes = f.len ? orma_pb_str(&f) : no_bytes;
    if (r.failed || orma_pbc_unpack(&perfetto__protos__data_source_descriptor__descriptor,
                                    *ret_bytes, &msg) < 0)
        return NULL;
    return (Perfetto__Protos__DataSourceDescriptor *)msg;
}

/* Once: a producer must not fill the log, and its names are not to be trusted. */
static void warn_refused(struct traced_producer *self)
{
    if (!self->warned && traced_loop_may_log(self->registry->loop))
        orma_log_warn("refused a data source of producer %u (pid %d): it has no name, its id is in "
                      "use, or there are too many",
                      self->id, self->pid);
    self->warned = true;
}

static int register_data_source(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct orma_str bytes;
    Perfetto__Protos__DataSourceDescriptor *desc = unpack_descriptor(call->args, &bytes);
    struct traced_data_source *ds = NULL;

    if (!desc)
        return -EBADMSG;
    if (self)
        ds = traced_producer_add_source(self, desc, bytes);
    if (self && !ds)
        warn_refused(self);
    protobuf_c_message_free_unpacked(&desc->base, NULL);
    if (!self)
        return -EPERM;
    traced_conn_ack(conn, call, true); /* also when refused: that is what clients expect */
    if (ds)
        traced_instances_match_new(conn->network->context, ds);
    return 0;
}

static int update_data_source(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct orma_str bytes;
    Perfetto__Protos__DataSourceDescriptor *desc = unpack_descriptor(call->args, &bytes);
    struct traced_data_source *ds = NULL;

    if (!desc)
        return -EBADMSG;
    if (self && desc->name && desc->id)
        ds = traced_producer_find_source(self, orma_str_from(desc->name), desc->id);
    if (ds)
        traced_producer_update_source(ds, desc, bytes);
    protobuf_c_message_free_unpacked(&desc->base, NULL);
    if (!self)
        return -EPERM;
    traced_conn_ack(conn, call, true);
    return 0;
}

/* The last value of one field of a flat request. */
static int parse_field(struct orma_str args, uint32_t id, struct orma_pb_field *ret)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    *ret = (struct orma_pb_field){0};
    while (orma_pb_next(&r, &f))
        if (f.id == id)
            *ret = f;
    return r.failed ? -EBADMSG : 0;
}

static int unregister_data_source(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct orma_pb_field name;
    int r = parse_field(call->args, ORMA_PB_UNREGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_NAME, &name);

    if (r < 0)
        return r;
    if (!self)
        return -EPERM;
    struct traced_data_source *ds =
        name.len ? traced_producer_find_source(self, orma_pb_str(&name), 0) : NULL;
    if (ds) {
        ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, producer_link)
            if (!strcmp(inst->name, ds->name))
                traced_instance_free(inst);
        traced_producer_remove_source(ds);
    }
    traced_conn_ack(conn, call, true);
    return 0;
}

static int commit_some(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct traced_budget budget = traced_budget();
    int r = traced_commit_some(self, &self->commit, &budget);

    if (r != 0)
        return r;
    if (!self->shm_ready)
        return -EPERM; /* there is nothing that it could hand over yet */
    traced_conn_ack(conn, call, true);
    return 0;
}

static int commit_data(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);

    if (!self)
        return -EPERM;
    traced_commit_begin(&self->commit, call->args);
    return commit_some(conn, call);
}

static int get_async_command(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);

    if (!self)
        return -EPERM;
    if (self->has_stream) /* the new one replaces it */
        traced_conn_reply(conn, self->stream_request_id, false, false, (struct orma_str){0}, -1);
    self->has_stream = !call->drop_reply;
    self->stream_request_id = call->request_id;
    traced_producer_announce_shm(self);
    return 0;
}

static int parse_writer(struct orma_str args, uint32_t *ret_writer, uint32_t *ret_buffer)
{
    struct orma_pb_field f;
    int r = parse_field(args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, &f);

    *ret_writer = orma_pb_u32(&f);
    if (r == 0)
        r = parse_field(args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER, &f);
    *ret_buffer = orma_pb_u32(&f);
    return r;
}

static int register_trace_writer(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    uint32_t writer, buffer;
    int r = parse_writer(call->args, &writer, &buffer);

    if (r < 0)
        return r;
    if (!self)
        return -EPERM;
    traced_producer_forget_seqs(self);
    if (writer && writer <= ORMA_SHM_WRITER_ID_MAX)
        r = orma_map_put(&self->writers, writer, buffer);
    if (r == 0)
        traced_producer_note_writer(self, writer, buffer);
    if (r < 0)
        return r;
    traced_conn_ack(conn, call, true);
    return 0;
}

/* What the SDK's writers report comes before their end, in order. */
static void end_writer(struct traced_producer *self, uint32_t writer)
{
    uint64_t buffer_id = orma_map_take(&self->writers, writer);

    traced_producer_note_writer(self, writer, ORMA_MAP_NONE);
    struct traced_target *target =
        buffer_id != ORMA_MAP_NONE ? orma_map_get_ptr(&self->registry->targets, buffer_id) : NULL;
    struct traced_seq *seq = target && writer <= UINT16_MAX
                                 ? traced_buffer_find(target->buf, self->id, (uint16_t)writer)
                                 : NULL;

    if (seq)
        traced_seq_reported(seq);
}

static int unregister_trace_writer(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    uint32_t writer, buffer;
    int r = parse_writer(call->args, &writer, &buffer);

    if (r < 0)
        return r;
    if (!self)
        return -EPERM;
    traced_producer_forget_seqs(self);
    end_writer(self, writer); /* unknown: nothing to forget */
    traced_conn_ack(conn, call, true);
    return 0;
}

static struct traced_instance *find_instance(struct traced_producer *self, uint64_t id)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, producer_link)
        if (inst->id == id)
            return inst;
    return NULL;
}

static int notify(struct traced_conn *conn, const struct traced_call *call,
                  void (*fn)(struct traced_instance *))
{
    struct traced_producer *self = producer_of(conn);
    struct orma_pb_field id;
    int r = parse_field(call->args, ORMA_PB_NOTIFY_DATA_SOURCE_STARTED_REQUEST_DATA_SOURCE_ID, &id);

    if (r < 0)
        return r;
    if (!self)
        return -EPERM;
    struct traced_instance *inst = find_instance(self, orma_pb_u64(&id));
    traced_conn_ack(conn, call, true);
    if (inst)
        fn(inst);
    return 0;
}

static int notify_started(struct traced_conn *conn, const struct traced_call *call)
{
    return notify(conn, call, traced_instance_started);
}

static int notify_stopped(struct traced_conn *conn, const struct traced_call *call)
{
    return notify(conn, call, traced_instance_stopped);
}

static int activate_triggers(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct orma_pb_reader r = orma_pb_reader(call->args.data, call->args.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        continue;
    if (r.failed)
        return -EBADMSG;
    if (!self)
        return -EPERM;
    traced_conn_ack(conn, call, true);
    r = orma_pb_reader(call->args.data, call->args.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_ACTIVATE_TRIGGERS_REQUEST_TRIGGER_NAMES && f.data)
            traced_trigger_activate(conn->network->context, self, orma_pb_str(&f));
    return 0;
}

static int sync_up(struct traced_conn *conn, const struct traced_call *call)
{
    if (!producer_of(conn))
        return -EPERM;
    traced_conn_ack(conn, call, true);
    return 0;
}

static const char *const method_names[] = ORMA_PRODUCER_PORT_METHODS;
static const traced_method_fn methods[] = {
    [ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION] = initialize_connection,
    [ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE] = register_data_source,
    [ORMA_PRODUCER_PORT_UNREGISTER_DATA_SOURCE] = unregister_data_source,
    [ORMA_PRODUCER_PORT_COMMIT_DATA] = commit_data,
    [ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND] = get_async_command,
    [ORMA_PRODUCER_PORT_REGISTER_TRACE_WRITER] = register_trace_writer,
    [ORMA_PRODUCER_PORT_UNREGISTER_TRACE_WRITER] = unregister_trace_writer,
    [ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STARTED] = notify_started,
    [ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STOPPED] = notify_stopped,
    [ORMA_PRODUCER_PORT_ACTIVATE_TRIGGERS] = activate_triggers,
    [ORMA_PRODUCER_PORT_SYNC] = sync_up,
    [ORMA_PRODUCER_PORT_UPDATE_DATA_SOURCE] = update_data_source,
};

static const struct traced_port port = {
    .name = ORMA_PRODUCER_PORT_NAME,
    .method_names = method_names,
    .methods = methods,
    .methods_end = ORMA_PRODUCER_PORT_METHODS_END,
    .self_checked = ORMA_PRODUCER_PORT_COMMIT_DATA, /* walked once only */
    .go_on = commit_some,
};

/* ---- the endpoint ---- */

/* Its memory is read before its end: what it has handed over belongs to sessions, not to it. */
static bool wind_up(struct traced_conn *conn)
{
    struct traced_producer *self = producer_of(conn);
    struct traced_budget budget = traced_budget();

    return self->scraping && traced_scrape_some(self, NULL, &self->gone_page, &budget);
}

/* By and large: what each thing costs with the lists and maps that it is in. */
static size_t held(const struct traced_conn *conn)
{
    return traced_producer_held(conn->client);
}

static void gone(struct traced_conn *conn)
{
    traced_producer_free(producer_of(conn));
}

static const struct traced_port *const ports[] = {&port, NULL};
static const struct traced_port *const ports_with_relay[] = {&port, &traced_relay_port, NULL};

#define ENDPOINT(ports_, relays_)                                                                  \
    {                                                                                              \
        .client_name = "producer", .ports = (ports_), .relays = (relays_), .cutoff_ms = 10,        \
        .bind_ms = 30000, .queue_max = (size_t)4 << 20, .wind_up = wind_up, .held = held,          \
        .gone = gone,                                                                              \
    }

const struct traced_endpoint traced_producer_endpoint = ENDPOINT(ports, false);
const struct traced_endpoint traced_producer_relay_endpoint = ENDPOINT(ports_with_relay, true);
