#include "traced/producers/producer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/pbc.h"
#include "protos/perfetto/common.pb-c.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/config/wanted.h"
#include "traced/internal.h"
#include "traced/producers/commit.h"
#include "traced/sessions/session.h"

/* What one producer may make us hold. */
#define DATA_SOURCES_MAX 4096
#define DESCRIPTOR_BYTES_MAX ((size_t)8 << 20)
#define WRITERS_MAX ORMA_SHM_WRITER_ID_MAX
#define PRODUCERS_MAX 65535
/* Of a producer's name and of its version: they are copied into each trigger and each trace. */
#define NAME_MAX_BYTES 4096
/* Room for the envelope around a command. */
#define COMMAND_MAX (ORMA_IPC_FRAME_MAX - 64)

static const struct orma_str no_bytes = {"", 0};

bool traced_producer_is_local(const struct traced_producer *self)
{
    return self->conn->machine_id == 0;
}

/* ---- shared memory ---- */

static bool map_shm(struct traced_producer *self, int fd, size_t size, uint32_t page_size)
{
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (base == MAP_FAILED)
        return false;
    if (orma_shm_init(&self->shm, base, size, page_size) < 0) {
        (void)munmap(base, size); /* just mapped */
        return false;
    }
    self->page_size = page_size;
    return true;
}

/* The producer's own memory: only if it can't shrink under us, and with valid sizes. */
static bool adopt_shm(struct traced_producer *self, int fd)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int has = fcntl(fd, F_GET_SEALS);
    struct stat st;

    if (has < 0 || (has & seals) != seals || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        st.st_size <= 0)
        return false;
    if (!orma_shm_sizes_valid(self->page_hint, (uint64_t)st.st_size))
        return false;
    self->shm_is_theirs = map_shm(self, fd, (size_t)st.st_size, self->page_hint);
    return self->shm_is_theirs;
}

static void choose_sizes(const struct traced_producer *self, uint32_t *size, uint32_t *page)
{
    if (!*page)
        *page = self->page_hint ? self->page_hint : ORMA_SHM_PAGE_DEFAULT;
    if (!*size)
        *size = self->size_hint ? self->size_hint : ORMA_SHM_SIZE_DEFAULT;
    *page = ORMA_MIN(*page, ORMA_SHM_PAGE_MAX);
    *size = ORMA_MIN(*size, ORMA_SHM_SIZE_MAX);
    if (!orma_shm_sizes_valid(*page, *size)) {
        *page = ORMA_SHM_PAGE_DEFAULT;
        *size = ORMA_SHM_SIZE_DEFAULT;
    }
}

static void announce_shm(struct traced_producer *self)
{
    struct orma_buf body = {0}, cmd = {0};

    if (!self->shm_ready || self->shm_announced || !self->has_stream)
        return;
    if (!self->shm_is_theirs)
        orma_pb_put_u64(&body,
                        ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING_SHARED_BUFFER_PAGE_SIZE_KB,
                        self->page_size / 1024);
    orma_pb_put_bytes(&cmd, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_SETUP_TRACING, body.data, body.len);
    self->shm_announced = true;
    (void)traced_producer_command(self, &cmd, self->shm_fd); /* 20 bytes: never too large */
    orma_fd_close(&self->shm_fd);
    orma_buf_fini(&body);
    orma_buf_fini(&cmd);
}

void traced_producer_setup_shm(struct traced_producer *self, uint32_t size_bytes,
                               uint32_t page_bytes)
{
    if (!self->shm_ready && !self->shm.base) {
        choose_sizes(self, &size_bytes, &page_bytes);
        self->page_size = page_bytes;
        if (!self->emulated) {
            int fd = orma_fd_shared_memory("perfetto_shmem", size_bytes);

            if (fd < 0 || !map_shm(self, fd, size_bytes, page_bytes)) {
                if (traced_may_log(self->service))
                    orma_log_error("no shared memory of %u bytes for the producer with pid %d: %s",
                                   size_bytes, self->pid, strerror(fd < 0 ? -fd : ENOMEM));
                orma_fd_close(&fd);
                traced_conn_close(self->conn);
                return;
            }
            self->shm_fd = fd;
        }
    }
    self->shm_ready = true;
    announce_shm(self);
}

void traced_producer_forget_seqs(struct traced_producer *self)
{
    orma_map_clear(&self->known_seqs);
}

/* ---- commands ---- */

int traced_producer_command(struct traced_producer *self, const struct orma_buf *command, int fd)
{
    if (command->failed || command->len > COMMAND_MAX)
        return -EMSGSIZE;
    if (self->has_stream)
        traced_conn_reply(self->conn, self->stream_request_id, true, true, orma_buf_str(command),
                          fd);
    return 0;
}

int traced_producer_command_field(struct traced_producer *self, uint32_t cmd,
                                  const struct orma_buf *body)
{
    struct orma_buf out = {0};

    orma_pb_put_bytes(&out, cmd, body->data, body->len);
    int r = body->failed ? -ENOMEM : traced_producer_command(self, &out, -1);
    orma_buf_fini(&out);
    return r;
}

/* ---- life ---- */

static void data_source_free(struct traced_data_source *ds)
{
    ds->producer->data_sources_num--;
    ds->producer->descriptor_bytes -= ds->descriptor.len;
    ds->producer->service->data_sources_num--;
    ORMA_LIST_EACH (struct traced_session, s, &ds->producer->service->sessions, link)
        traced_session_source_gone(s, ds);
    orma_list_remove(&ds->link);
    orma_list_remove(&ds->service_link);
    orma_buf_fini(&ds->descriptor);
    free(ds->name);
    free(ds);
}

#define ID_WORDS ((UINT16_MAX + 1) / 64)

static void mark_used(uint64_t *used, const struct orma_map *ids)
{
    ORMA_MAP_EACH (slot, ids)
        used[slot->key / 64] |= UINT64_C(1) << slot->key % 64;
}

/* Once the ids come round: the next that nobody has, nor a buffer that outlived its producer. */
static uint16_t reused_producer_id(const struct traced_service *svc, uint16_t after)
{
    uint64_t used[ID_WORDS] = {1}; /* 0 is none */

    mark_used(used, &svc->producers_by_id);
    ORMA_LIST_EACH (struct traced_session, s, &svc->sessions, link)
        for (size_t i = 0; i < s->buffers_num; i++)
            mark_used(used, &s->buffers[i].buf->producers);
    for (uint32_t i = 1; i <= UINT16_MAX; i++) {
        uint16_t id = (uint16_t)(after + i);

        if (!(used[id / 64] & UINT64_C(1) << id % 64))
            return id;
    }
    return 0;
}

static uint16_t new_producer_id(struct traced_service *svc)
{
    if (svc->producers_seen < PRODUCERS_MAX)
        svc->last_producer_id++;
    else
        svc->last_producer_id = reused_producer_id(svc, svc->last_producer_id);
    return svc->last_producer_id;
}

static void producer_free(struct traced_producer *self)
{
    while (!orma_list_empty(&self->instances))
        traced_instance_free(
            ORMA_CONTAINER_OF(self->instances.next, struct traced_instance, producer_link));
    ORMA_LIST_EACH (struct traced_data_source, ds, &self->data_sources, link)
        data_source_free(ds);
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, producer_link) {
        struct traced_session_buffer *sb = seq->buf->owner;

        orma_map_take(&sb->session->sequence_ids, (uint64_t)self->id << 16 | seq->writer_id);
        orma_list_remove(&seq->producer_link);
        traced_seq_settle(seq);
    }
    ORMA_LIST_EACH (struct traced_session, s, &self->service->sessions, link)
        if (s->wanted)
            traced_wanted_forget(s->wanted, self);
    orma_list_remove(&self->link);
    if (self->shm.base)
        (void)munmap(self->shm.base, self->shm.size); /* our own mapping */
    orma_fd_close(&self->shm_fd);
    orma_map_fini(&self->writers);
    orma_map_fini(&self->targets);
    orma_map_fini(&self->known_seqs);
    orma_map_fini(&self->scraped);
    free(self->name);
    free(self->sdk_version);
    free(self);
}

bool traced_producer_wind_up(struct traced_conn *conn)
{
    struct traced_producer *self = conn->producer;
    struct traced_budget budget = traced_budget();

    return self->scraping && traced_scrape_some(self, NULL, &self->gone_page, &budget);
}

void traced_producer_gone(struct traced_conn *conn)
{
    struct traced_producer *self = conn->producer;

    conn->producer = NULL;
    self->has_stream = false;
    orma_map_take(&self->service->producers_by_id, self->id);
    self->service->producers_num--;
    traced_flush_producer_gone(self);
    producer_free(self);
}

static struct traced_producer *producer_new(struct traced_conn *conn)
{
    struct traced_service *svc = conn->service;
    struct traced_producer *self = calloc(1, sizeof(*self));
    uint16_t id = new_producer_id(svc);

    if (!self || !id || orma_map_put_ptr(&svc->producers_by_id, id, self) < 0) {
        free(self);
        return NULL;
    }
    *self = (struct traced_producer){
        .service = svc,
        .conn = conn,
        .id = id,
        .uid = conn->uid,
        .pid = conn->pid,
        .emulated = !conn->is_unix,
        .shm_fd = -1,
    };
    orma_list_init(&self->data_sources);
    orma_list_init(&self->instances);
    orma_list_init(&self->seqs);
    orma_list_insert(&svc->producers, &self->link);
    svc->producers_num++;
    svc->producers_seen++;
    conn->producer = self;
    return self;
}

/* ---- methods ---- */

struct init_args {
    uint32_t page_hint, size_hint;
    struct orma_str name, version;
    bool scraping, provides_shm;
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

static int initialize_connection(struct traced_conn *conn, const struct traced_call *call)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_ipc_stream_take_fd(&conn->in);
    struct init_args args;
    int r = parse_init(call->args, &args);

    if (r < 0)
        return r;
    if (conn->producer)
        return -EEXIST;
    if (args.name.len > NAME_MAX_BYTES || args.version.len > NAME_MAX_BYTES) {
        if (traced_may_log(conn->service))
            orma_log_warn(
                "refused a producer (pid %d): its name or version is longer than %d bytes",
                conn->pid, NAME_MAX_BYTES);
        return -E2BIG;
    }
    if (conn->service->lockdown && (uid_t)conn->uid != conn->service->uid)
        return -EPERM;
    struct traced_producer *self = producer_new(conn);
    if (!self)
        return -ENOSPC;
    self->name = orma_str_dup(args.name);
    self->sdk_version = orma_str_dup(args.version);
    if (!self->name || !self->sdk_version) {
        traced_conn_close(conn);
        return -ENOMEM;
    }
    self->page_hint = args.page_hint;
    self->size_hint = args.size_hint;
    self->scraping = args.scraping;
    if (args.provides_shm && fd >= 0 && !self->emulated)
        (void)adopt_shm(self, fd); /* refused: the reply says so */
    reply_init(conn, call, self);
    return 0;
}

/* The initialised producer of the connection, NULL before InitializeConnection. */
static struct traced_producer *producer_of(const struct traced_conn *conn)
{
    return conn->producer;
}

static struct traced_data_source *find_data_source(struct traced_producer *self,
                                                   struct orma_str name, uint64_t id)
{
    ORMA_LIST_EACH (struct traced_data_source, ds, &self->data_sources, link)
        if ((!name.data || orma_str_eq_c(name, ds->name)) && (!id || ds->id == id))
            return ds;
    return NULL;
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

static void set_flags(struct traced_data_source *ds,
                      const Perfetto__Protos__DataSourceDescriptor *desc)
{
    ds->will_notify_on_start = desc->will_notify_on_start;
    ds->will_notify_on_stop = desc->will_notify_on_stop;
    ds->handles_incremental_state_clear = desc->handles_incremental_state_clear;
    ds->no_flush = desc->no_flush;
}

static bool may_register(const struct traced_producer *self,
                         const Perfetto__Protos__DataSourceDescriptor *desc, size_t len)
{
    return desc->name && *desc->name && self->data_sources_num < DATA_SOURCES_MAX &&
           self->descriptor_bytes + len <= DESCRIPTOR_BYTES_MAX;
}

static struct traced_data_source *
data_source_new(struct traced_producer *self, const Perfetto__Protos__DataSourceDescriptor *desc,
                struct orma_str bytes)
{
    struct traced_data_source *ds = calloc(1, sizeof(*ds));

    if (!ds)
        return NULL;
    ds->producer = self;
    ds->name = strdup(desc->name);
    ds->id = desc->id;
    set_flags(ds, desc);
    orma_buf_put(&ds->descriptor, bytes.data, bytes.len);
    ds->serial = ++self->service->last_data_source_serial;
    orma_list_insert(&self->data_sources, &ds->link);
    orma_list_insert(&self->service->data_sources, &ds->service_link);
    self->data_sources_num++;
    self->descriptor_bytes += ds->descriptor.len;
    self->service->data_sources_num++;
    if (!ds->name || ds->descriptor.failed) {
        data_source_free(ds);
        return NULL;
    }
    return ds;
}

static int register_data_source(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_producer *self = producer_of(conn);
    struct orma_str bytes;
    Perfetto__Protos__DataSourceDescriptor *desc = unpack_descriptor(call->args, &bytes);
    struct traced_data_source *ds = NULL;

    if (!desc)
        return -EBADMSG;
    if (self && may_register(self, desc, bytes.len) &&
        !(desc->id && find_data_source(self, (struct orma_str){0}, desc->id)))
        ds = data_source_new(self, desc, bytes);
    else if (self && !self->warned) {
        self->warned =
            true; /* once: it must not fill the log, and its names are not to be trusted */
        if (traced_may_log(self->service))
            orma_log_warn(
                "producer %u (pid %d) may not register a data source: no name, an id that it "
                "has used, or too many",
                self->id, self->pid);
    }
    protobuf_c_message_free_unpacked(&desc->base, NULL);
    if (!self)
        return -EPERM;
    traced_conn_ack(conn, call, true); /* also when refused: that is what clients expect */
    if (ds)
        ORMA_LIST_EACH (struct traced_session, s, &self->service->sessions, link)
            if (!s->sweep_at) /* otherwise it comes by */
                traced_session_match(s, ds);
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
        ds = find_data_source(self, orma_str_from(desc->name), desc->id);
    if (ds && self->descriptor_bytes - ds->descriptor.len + bytes.len <= DESCRIPTOR_BYTES_MAX) {
        struct orma_buf copy = {0};

        orma_buf_put(&copy, bytes.data, bytes.len);
        if (!copy.failed) {
            self->descriptor_bytes += copy.len - ds->descriptor.len;
            orma_buf_fini(&ds->descriptor);
            ds->descriptor = copy;
            set_flags(ds, desc);
        }
    }
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
    struct traced_data_source *ds = name.len ? find_data_source(self, orma_pb_str(&name), 0) : NULL;
    if (ds) {
        ORMA_LIST_EACH (struct traced_instance, inst, &self->instances, producer_link)
            if (!strcmp(inst->name, ds->name))
                traced_instance_free(inst);
        data_source_free(ds);
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
    announce_shm(self);
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
    if (r < 0)
        return r;
    traced_conn_ack(conn, call, true);
    return 0;
}

/* What the SDK's writers report comes before their end, in order. */
static void end_writer(struct traced_producer *self, uint32_t writer)
{
    uint64_t buffer_id = orma_map_take(&self->writers, writer);
    struct traced_session_buffer *sb =
        buffer_id != ORMA_MAP_NONE ? orma_map_get_ptr(&self->service->buffers_by_id, buffer_id)
                                   : NULL;
    struct traced_seq *seq =
        sb && writer <= UINT16_MAX ? traced_buffer_find(sb->buf, self->id, (uint16_t)writer) : NULL;

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
    return notify(conn, call, traced_session_instance_started);
}

static int notify_stopped(struct traced_conn *conn, const struct traced_call *call)
{
    return notify(conn, call, traced_session_instance_stopped);
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
            traced_trigger_activate(self, orma_pb_str(&f));
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

const struct traced_port traced_producer_port = {
    .name = ORMA_PRODUCER_PORT_NAME,
    .method_names = method_names,
    .methods = methods,
    .methods_end = ORMA_PRODUCER_PORT_METHODS_END,
    .go_on = commit_some,
};
