/*
 * Ids are given in turn; after 65,535 producers one is used again if no connection
 * and no data in any buffer has it. Shared memory is made when the first data
 * source is set up, or is the producer's own; the command that passes it on waits
 * until the producer listens for commands.
 */
#include "traced/producers/producer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/ipc.h"
#include "protos/perfetto/common.pb-c.h"
#include "sdk/base/assert.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/mapped.h"
#include "sdk/ipc/frame.h"
#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "traced/buffers/buffer.h"
#include "traced/loop/loop.h"
#include "traced/rescue/layout.h"

/* What one producer may make us hold. */
#define DATA_SOURCES_MAX 4096
#define DESCRIPTOR_BYTES_MAX ((size_t)8 << 20)
#define PRODUCERS_MAX 65535
/* Of more producers than this at once, memory is not in the rescue folder: it takes two mappings
 * more, and a process may have some 65,000. */
#define IN_FOLDER_MAX 4096
/* Space for the envelope around a command. */
#define COMMAND_MAX (ORMA_IPC_FRAME_MAX - 64)

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
bool traced_producer_adopt_shm(struct traced_producer *self, int fd)
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

void traced_producer_announce_shm(struct traced_producer *self)
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

/* ---- shared memory that outlasts the service ---- */

static void file_names(const struct traced_producer *self, char shm[TRACED_RESCUE_NAME_MAX],
                       char who[TRACED_RESCUE_NAME_MAX])
{
    (void)snprintf(shm, TRACED_RESCUE_NAME_MAX, "p%u.shm", self->id);
    (void)snprintf(who, TRACED_RESCUE_NAME_MAX, "p%u.who", self->id);
}

static void write_who(struct traced_producer *self, uint32_t size)
{
    struct traced_rescue_producer *head = (struct traced_rescue_producer *)self->who.head;

    head->id = self->id;
    head->uid = self->uid;
    head->pid = self->pid;
    head->machine_id = self->conn->machine_id;
    head->page_size = self->page_size;
    head->shm_size = size;
    memcpy(head->name, self->name ? self->name : "",
           self->name ? strnlen(self->name, sizeof(head->name) - 1) : 0);
    head->head = (struct traced_rescue_head){.version = TRACED_RESCUE_VERSION,
                                             .head_bytes = (uint32_t)traced_rescue_page(),
                                             .item_bytes = sizeof(uint32_t)};
    traced_rescue_barrier();
    head->head.kind = TRACED_RESCUE_PRODUCER;
    ORMA_MAP_EACH (slot, &self->writers)
        traced_producer_note_writer(self, (uint32_t)slot->key, slot->val);
}

/*
 * In a file that root or the producer's own user owns: our SDK accepts no other, for who owns it
 * may make it smaller. The producer may do that as well, and is watched. The descriptor, or -errno.
 */
static int shm_in_folder(struct traced_producer *self, uint32_t size)
{
    struct traced_rescue_folder *folder = self->registry->rescue;
    char shm[TRACED_RESCUE_NAME_MAX], who[TRACED_RESCUE_NAME_MAX];

    if (!folder || !self->takes_files || self->registry->num > IN_FOLDER_MAX ||
        (geteuid() != 0 && geteuid() != (uid_t)self->uid))
        return -ENOTSUP;
    file_names(self, shm, who);
    int fd = traced_rescue_shared_memory(folder, shm, size);
    if (fd < 0)
        return fd;
    int r = traced_rescue_map(folder, who, TRACED_RESCUE_WRITERS * sizeof(uint32_t), &self->who);
    if (r == 0 && !map_shm(self, fd, size, self->page_size))
        r = -ENOMEM;
    if (r == 0)
        r = orma_mapped_watch(self->shm.base, size, &self->guard);
    if (r == 0) {
        write_who(self, size);
        return fd;
    }
    if (self->shm.base)
        (void)munmap(self->shm.base, size); /* just mapped */
    self->shm = (struct orma_shm){0};
    traced_rescue_unmap(&self->who);
    traced_rescue_remove(folder, shm);
    orma_fd_close(&fd);
    return r;
}

static void drop_shm(struct traced_producer *self)
{
    char shm[TRACED_RESCUE_NAME_MAX], who[TRACED_RESCUE_NAME_MAX];

    if (self->guard)
        orma_mapped_close(self->guard);
    else if (self->shm.base)
        (void)munmap(self->shm.base, self->shm.size); /* our own mapping */
    if (self->who.folder) {
        file_names(self, shm, who);
        traced_rescue_remove(self->who.folder, shm);
        traced_rescue_unmap(&self->who);
    }
}

void traced_producer_note_writer(struct traced_producer *self, uint32_t writer, uint64_t buffer_id)
{
    size_t end = ((size_t)writer + 1) * sizeof(uint32_t);

    if (!self->who.folder || writer >= TRACED_RESCUE_WRITERS)
        return;
    traced_rescue_back(&self->who, end);
    ((uint32_t *)self->who.data)[writer] =
        buffer_id == ORMA_MAP_NONE ? 0 : (uint32_t)ORMA_MIN(buffer_id, UINT32_MAX - 1) + 1;
}

bool traced_producer_is_torn(const struct traced_producer *self)
{
    return self->guard && orma_mapped_torn(self->guard);
}

void traced_producer_setup_shm(struct traced_producer *self, uint32_t size_bytes,
                               uint32_t page_bytes)
{
    if (!self->shm_ready && !self->shm.base) {
        choose_sizes(self, &size_bytes, &page_bytes);
        self->page_size = page_bytes;
        if (!self->emulated) {
            int fd = shm_in_folder(self, size_bytes);

            if (fd < 0)
                fd = orma_fd_shared_memory("perfetto_shmem", size_bytes);
            if (fd == -EFBIG && size_bytes > ORMA_SHM_SIZE_DEFAULT &&
                orma_shm_sizes_valid(page_bytes, ORMA_SHM_SIZE_DEFAULT)) {
                if (traced_loop_may_log(self->registry->loop))
                    orma_log_warn("the limit of file sizes (ulimit -f) leaves no room for %u bytes "
                                  "of shared memory: the producer with pid %d gets %u",
                                  size_bytes, self->pid, ORMA_SHM_SIZE_DEFAULT);
                size_bytes = ORMA_SHM_SIZE_DEFAULT;
                fd = orma_fd_shared_memory("perfetto_shmem", size_bytes);
            }
            if (fd < 0 || (!self->shm.base && !map_shm(self, fd, size_bytes, page_bytes))) {
                if (traced_loop_may_log(self->registry->loop))
                    orma_log_error(
                        "cannot create %u bytes of shared memory for the producer with pid %d: %s",
                        size_bytes, self->pid, strerror(fd < 0 ? -fd : ENOMEM));
                orma_fd_close(&fd);
                traced_conn_close(self->conn);
                return;
            }
            self->shm_fd = fd;
        }
    }
    self->shm_ready = true;
    traced_producer_announce_shm(self);
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

/* ---- data sources ---- */

void traced_producer_remove_source(struct traced_data_source *ds)
{
    struct traced_producers *registry = ds->producer->registry;

    ds->producer->data_sources_num--;
    ds->producer->descriptor_bytes -= ds->descriptor.len;
    ds->producer->names_bytes -= ds->name ? strlen(ds->name) + 1 : 0;
    registry->data_sources_num--;
    registry->events->data_source_gone(ds);
    orma_list_remove(&ds->link);
    orma_list_remove(&ds->registry_link);
    orma_buf_fini(&ds->descriptor);
    free(ds->name);
    free(ds);
}

struct traced_data_source *traced_producer_find_source(struct traced_producer *self,
                                                       struct orma_str name, uint64_t id)
{
    ORMA_LIST_EACH (struct traced_data_source, ds, &self->data_sources, link)
        if ((!name.data || orma_str_eq_c(name, ds->name)) && (!id || ds->id == id))
            return ds;
    return NULL;
}

static void set_flags(struct traced_data_source *ds,
                      const Perfetto__Protos__DataSourceDescriptor *desc)
{
    ds->will_notify_on_start = desc->will_notify_on_start;
    ds->will_notify_on_stop = desc->will_notify_on_stop;
    ds->handles_incremental_state_clear = desc->handles_incremental_state_clear;
    ds->no_flush = desc->no_flush;
}

bool traced_producer_name(struct traced_producer *self, struct orma_str name,
                          struct orma_str version)
{
    self->name = orma_str_dup(name);
    self->sdk_version = orma_str_dup(version);
    self->names_bytes += name.len + version.len + 2;
    return self->name && self->sdk_version;
}

size_t traced_producer_held(const struct traced_producer *self)
{
    return self->descriptor_bytes + self->names_bytes + self->data_sources_num * 512 +
           (self->writers.len + self->known_seqs.len + self->scraped.len) * 64;
}

static bool may_add(struct traced_producer *self,
                    const Perfetto__Protos__DataSourceDescriptor *desc, size_t len)
{
    return desc->name && *desc->name && self->data_sources_num < DATA_SOURCES_MAX &&
           self->descriptor_bytes + len <= DESCRIPTOR_BYTES_MAX &&
           !(desc->id && traced_producer_find_source(self, (struct orma_str){0}, desc->id));
}

struct traced_data_source *
traced_producer_add_source(struct traced_producer *self,
                           const Perfetto__Protos__DataSourceDescriptor *desc,
                           struct orma_str bytes)
{
    struct traced_producers *registry = self->registry;
    struct traced_data_source *ds = may_add(self, desc, bytes.len) ? calloc(1, sizeof(*ds)) : NULL;

    if (!ds)
        return NULL;
    ds->producer = self;
    ds->name = strdup(desc->name);
    ds->id = desc->id;
    set_flags(ds, desc);
    orma_buf_put(&ds->descriptor, bytes.data, bytes.len);
    ds->serial = ++registry->last_serial;
    orma_list_insert(&self->data_sources, &ds->link);
    orma_list_insert(&registry->data_sources, &ds->registry_link);
    self->data_sources_num++;
    self->descriptor_bytes += ds->descriptor.len;
    self->names_bytes += ds->name ? strlen(ds->name) + 1 : 0;
    registry->data_sources_num++;
    if (!ds->name || ds->descriptor.failed) {
        traced_producer_remove_source(ds);
        return NULL;
    }
    return ds;
}

void traced_producer_update_source(struct traced_data_source *ds,
                                   const Perfetto__Protos__DataSourceDescriptor *desc,
                                   struct orma_str bytes)
{
    struct traced_producer *self = ds->producer;
    struct orma_buf copy = {0};

    if (self->descriptor_bytes - ds->descriptor.len + bytes.len > DESCRIPTOR_BYTES_MAX)
        return;
    orma_buf_put(&copy, bytes.data, bytes.len);
    if (copy.failed)
        return;
    self->descriptor_bytes += copy.len - ds->descriptor.len;
    orma_buf_fini(&ds->descriptor);
    ds->descriptor = copy;
    set_flags(ds, desc);
}

/* ---- life ---- */

static void mark_used(uint64_t *used, const struct orma_map *ids)
{
    ORMA_MAP_EACH (slot, ids)
        used[slot->key / 64] |= UINT64_C(1) << slot->key % 64;
}

/* Once the ids come round: the next that nobody has, nor a buffer that outlived its producer. */
static uint16_t reused_id(const struct traced_producers *registry, uint16_t after)
{
    uint64_t used[TRACED_PRODUCER_ID_WORDS] = {1}; /* 0 is none */

    mark_used(used, &registry->by_id);
    registry->events->mark_ids(registry, used);
    for (uint32_t i = 1; i <= UINT16_MAX; i++) {
        uint16_t id = (uint16_t)(after + i);

        if (!(used[id / 64] & UINT64_C(1) << id % 64))
            return id;
    }
    return 0;
}

static uint16_t new_id(struct traced_producers *registry)
{
    if (registry->seen < PRODUCERS_MAX)
        registry->last_id++;
    else
        registry->last_id = reused_id(registry, registry->last_id);
    return registry->last_id;
}

/* Its sequences stay in their buffers, until they are read. */
static void let_go_seqs(struct traced_producer *self)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, producer_link) {
        struct traced_target *target = seq->buf->owner;

        orma_map_take(&target->group->sequence_ids, (uint64_t)self->id << 16 | seq->writer_id);
        orma_list_remove(&seq->producer_link);
        traced_seq_settle(seq);
    }
}

void traced_producer_free(struct traced_producer *self)
{
    self->conn->client = NULL;
    self->has_stream = false;
    orma_map_take(&self->registry->by_id, self->id);
    self->registry->num--;
    self->registry->events->gone(self);
    ORMA_ASSERT(orma_list_empty(&self->instances)); /* those above have forgotten it */
    ORMA_LIST_EACH (struct traced_data_source, ds, &self->data_sources, link)
        traced_producer_remove_source(ds);
    let_go_seqs(self);
    orma_list_remove(&self->link);
    drop_shm(self);
    orma_fd_close(&self->shm_fd);
    orma_map_fini(&self->writers);
    orma_map_fini(&self->targets);
    orma_map_fini(&self->known_seqs);
    orma_map_fini(&self->scraped);
    free(self->name);
    free(self->sdk_version);
    free(self);
}

struct traced_producer *traced_producer_new(struct traced_conn *conn,
                                            struct traced_producers *registry)
{
    struct traced_producer *self = calloc(1, sizeof(*self));
    uint16_t id = new_id(registry);

    if (!self || !id || orma_map_put_ptr(&registry->by_id, id, self) < 0) {
        free(self);
        return NULL;
    }
    *self = (struct traced_producer){
        .registry = registry,
        .conn = conn,
        .id = id,
        .uid = conn->uid,
        .pid = conn->pid,
        .emulated = !conn->is_unix || conn->machine_id,
        .shm_fd = -1,
    };
    orma_list_init(&self->data_sources);
    orma_list_init(&self->instances);
    orma_list_init(&self->seqs);
    orma_list_insert(&registry->list, &self->link);
    registry->num++;
    registry->seen++;
    conn->client = self;
    conn->identity_fixed = true;
    return self;
}
