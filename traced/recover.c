/*
 * The read path is that of the living service: a session in a state in which it is only read, with
 * buffers whose index was made anew (buffers/buffer_recover.c), and producers that consist of their
 * shared memory, which is scraped as at the end of a session.
 */
#include "traced/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/orma_ext.h"
#include "protos/incident.h"
#include "sdk/base/fd.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"
#include "traced/producers/commit.h"
#include "traced/producers/producer.h"
#include "traced/recover_file.h"
#include "traced/recover_folder.h"
#include "traced/recover_part.h"
#include "traced/rescue/folder.h"
#include "traced/rescue/layout.h"
#include "traced/service.h"
#include "traced/sessions/session.h"
#include "traced/sessions/session_make.h"

#define BATCH ((size_t)1 << 20)
#define PIECE ((size_t)256 << 10)
#define PACKET_MAX ((size_t)ORMA_PB_LEN_MAX + 16)

struct traced_recovery {
    int lock_fd;
    char path[PATH_MAX];
    int32_t pid;
    struct traced_recovery_folder in;
};

static const struct traced_rescue_place *place_of(const struct traced_rescue_state *state)
{
    return &state->places[state->place != 0];
}

static const struct traced_rescue_file *file_of(const struct traced_rescue_state *state)
{
    return &state->files[place_of(state)->file != 0];
}

/* ---- files ---- */

static void say_why(struct orma_buf *error, const char *path, int r)
{
    const char *text = r == -EBUSY     ? "its service is running, or somebody else is recovering it"
                       : r == -EPERM   ? "it is not a folder that belongs to you alone; root may "
                                         "recover those of others"
                       : r == -EBADMSG ? "it is not a rescue folder of a service"
                       : r == -EPROTO ? "another version of Orma wrote it; recover it with that one"
                                      : strerror(-r);

    orma_buf_printf(error, "%s: %s", path, text);
}

int traced_recovery_open(const char *path, struct traced_recovery **ret, struct orma_buf *error)
{
    ORMA_AUTO(traced_recovery_free_p) struct traced_recovery *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->in.fd = self->lock_fd = -1;
    if (strlen(path) >= sizeof(self->path)) {
        orma_buf_printf(error, "%s: %s", path, strerror(ENAMETOOLONG));
        return -ENAMETOOLONG;
    }
    memcpy(self->path, path, strlen(path) + 1);
    int r = traced_rescue_claim(path, &self->in.fd, &self->lock_fd, &self->pid);
    if (r == 0)
        r = traced_recovery_folder_scan(&self->in);
    if (r < 0) {
        say_why(error, path, r);
        return r;
    }
    *ret = ORMA_STEAL(self);
    return 0;
}

void traced_recovery_free(struct traced_recovery *self)
{
    if (!self)
        return;
    traced_recovery_folder_fini(&self->in);
    orma_fd_close(&self->lock_fd);
    free(self);
}

int32_t traced_recovery_pid(const struct traced_recovery *self)
{
    return self->pid;
}

size_t traced_recovery_sessions_num(const struct traced_recovery *self)
{
    return self->in.sessions.len;
}

void traced_recovery_session(const struct traced_recovery *self, size_t idx,
                             struct traced_recovery_session *ret)
{
    const struct traced_rescue_state *s = &self->in.sessions.data[idx];

    *ret = (struct traced_recovery_session){.id = s->session_id,
                                            .uid = s->uid,
                                            .file = file_of(s)->path,
                                            .is_complete = s->is_complete != 0};
}

uint32_t traced_recovery_strays(const struct traced_recovery *self)
{
    return traced_recovery_folder_strays(&self->in);
}

int traced_recovery_remove(struct traced_recovery *self)
{
    return traced_rescue_discard(self->in.fd, self->path);
}

/* ---- a service that only reads ---- */

struct reader {
    struct traced_loop loop;
    struct traced_sessions sessions;
    struct traced_producers producers;
    ORMA_VEC(struct traced_conn *) conns;
    struct traced_session *session;
};

static void no_session(struct traced_session *session)
{
    (void)session;
}

static void no_end(struct traced_session *session, const char *error)
{
    (void)session;
    (void)error;
}

static void no_instance(const struct traced_instance *instance)
{
    (void)instance;
}

static void no_clone(const struct traced_session *session, const struct traced_trigger *trigger)
{
    (void)session;
    (void)trigger;
}

static void no_commit(struct traced_producer *producer, uint64_t flush_id)
{
    (void)producer;
    (void)flush_id;
}

static void no_producer(struct traced_producer *producer)
{
    (void)producer;
}

static void no_source(const struct traced_data_source *ds)
{
    (void)ds;
}

static void no_ids(const struct traced_producers *producers,
                   uint64_t used[TRACED_PRODUCER_ID_WORDS])
{
    (void)producers;
    (void)used;
}

static const struct traced_session_events session_events = {
    .started = no_session,
    .instance_changed = no_instance,
    .ended = no_end,
    .readable = no_session,
    .read_later = no_session,
    .clone_due = no_clone,
    .clone_written = no_session,
    .released = no_session,
};
static const struct traced_producer_events producer_events = {
    .committed = no_commit,
    .gone = no_producer,
    .data_source_gone = no_source,
    .mark_ids = no_ids,
};

static int reader_init(struct reader *self)
{
    int r = traced_loop_init(&self->loop);

    self->sessions = (struct traced_sessions){
        .loop = &self->loop,
        .producers = &self->producers,
        .events = &session_events,
        .version = traced_version(),
        .uid = geteuid(),
    };
    traced_sessions_init(&self->sessions);
    traced_producers_init(&self->producers, &self->loop, &producer_events, &self->sessions);
    return r;
}

static void reader_fini(struct reader *self)
{
    ORMA_LIST_EACH (struct traced_producer, p, &self->producers.list, link)
        traced_producer_free(p);
    for (uint32_t i = 0; i < self->conns.len; i++)
        free(self->conns.data[i]);
    ORMA_VEC_FINI(&self->conns);
    traced_session_free(self->session);
    traced_sessions_fini(&self->sessions);
    traced_producers_fini(&self->producers);
    traced_loop_fini(&self->loop);
}

/* ---- central buffers ---- */

/* Space for all chunks that may still be in shared memory, as records. */
static size_t shm_space(const struct traced_recovery *self)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < self->in.producers.len; i++)
        sum += self->in.producers.data[i].shm_size;
    return sum + sum / 4 + BATCH;
}

/* As structs, which are further apart in the file than in an array of them. */
static struct traced_seq *read_seqs(int fd, uint64_t at, uint64_t num, size_t *ret_num)
{
    const size_t each = orma_align_up(sizeof(struct traced_seq), 64);
    size_t size = (size_t)ORMA_MIN(num, (uint64_t)1 << 24) * each;
    off_t hole = fd < 0 ? -1 : lseek(fd, (off_t)at, SEEK_HOLE);

    if (hole >= 0) /* what it has never written is none */
        size = (size_t)ORMA_MIN(size, (uint64_t)hole > at ? (uint64_t)hole - at : 0);
    uint8_t *raw = traced_recovery_part_read(fd, at, &size);
    struct traced_seq *seqs = aligned_alloc(64, orma_align_up(size + sizeof(*seqs), 64));

    *ret_num = raw && seqs ? size / each : 0;
    for (size_t i = 0; i < *ret_num; i++)
        memcpy(&seqs[i], raw + i * each, sizeof(*seqs));
    traced_recovery_part_free(raw);
    return seqs;
}

/*
 * There was no space for it in the folder, or it was being replaced: what it held is lost. The rest
 * of its session is not.
 */
static int make_empty(const struct traced_recovery *self, struct traced_recovery_result *result,
                      struct traced_buffer **ret, uint32_t *ret_target)
{
    int r = traced_buffer_new(orma_align_up(shm_space(self), 1024), TRACED_RING, ret);

    *ret_target = 0;
    result->missing_buffers += r == 0;
    return r;
}

static int load_buffer(const struct traced_recovery *self, const struct traced_rescue_state *state,
                       uint32_t idx, struct traced_recovery_result *result,
                       struct traced_buffer **ret, uint32_t *ret_target)
{
    char name[TRACED_RESCUE_NAME_MAX];
    struct traced_rescue_buffer head;

    (void)snprintf(name, sizeof(name), "s%" PRIu64 ".b%" PRIu32, state->session_id, idx);
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(&self->in, name);
    (void)snprintf(name, sizeof(name), "s%" PRIu64 ".q%" PRIu32, state->session_id, idx);
    ORMA_AUTO(orma_fd_close) int seqs_fd = traced_recovery_folder_open(&self->in, name);
    if (!traced_recovery_head_read(fd, TRACED_RESCUE_BUFFER, sizeof(struct traced_seq), &head,
                                   sizeof(head)))
        return make_empty(self, result, ret, ret_target);
    size_t size = (size_t)ORMA_MIN(ORMA_MIN(head.used, head.limit), (uint64_t)4 << 30), seqs_num;
    uint8_t *data = traced_recovery_part_read(fd, head.head.head_bytes, &size);
    struct traced_seq *seqs = read_seqs(seqs_fd, head.head.head_bytes, head.seqs_num, &seqs_num);
    struct traced_remains remains = {
        .head = &head,
        .data = data,
        .seqs = seqs,
        .seqs_num = seqs_num,
        .has_file = *file_of(state)->path,
        .blocks = place_of(state)->blocks,
        .spare = shm_space(self),
    };
    head.limit = ORMA_MIN(head.limit, size); /* the file may be shorter than it says */
    int r = data && seqs ? traced_buffer_recover(&remains, ret) : -ENOMEM;
    traced_recovery_part_free(data);
    free(seqs);
    result->damaged_bytes += remains.damaged_bytes;
    *ret_target = head.target;
    return r;
}

/* ---- shared memory ---- */

/* Packets of a chunk that is in the trace already are not taken once more. */
static bool is_known(const struct traced_seq *seq, uint32_t chunk_id)
{
    return (seq->has_mark && (int32_t)(chunk_id - seq->mark_id) < 0) ||
           (seq->has_gone && (int32_t)(chunk_id - seq->gone_id) <= 0);
}

static const struct traced_seq *find_seq(const struct reader *rd, const struct traced_producer *p,
                                         uint32_t writer)
{
    uint64_t id = orma_map_get(&p->writers, writer);
    const struct traced_target *target =
        id == ORMA_MAP_NONE ? NULL : orma_map_get_ptr(&rd->producers.targets, id);

    return target ? traced_buffer_find(target->buf, p->id, (uint16_t)writer) : NULL;
}

/* The buffer of writers that the service had not heard of: that of its other ones, or the only one
 * of all sessions. */
static uint64_t usual_target(const struct traced_recovery *self, const struct reader *rd,
                             const struct traced_producer *p)
{
    uint64_t usual = ORMA_MAP_NONE;

    ORMA_MAP_EACH (slot, &p->writers) {
        if (usual != ORMA_MAP_NONE && slot->val != usual)
            return ORMA_MAP_NONE;
        usual = slot->val;
    }
    if (usual == ORMA_MAP_NONE && rd->session->buffers_num == 1 && self->in.sessions.len == 1)
        usual = rd->session->buffers[0].id;
    return usual;
}

/* Before scraping: who wrote, and what was copied before. */
static void prepare_chunk(struct reader *rd, struct traced_producer *p,
                          const struct orma_shm_chunk *chunk, enum orma_shm_state state,
                          uint64_t usual)
{
    uint32_t writer = atomic_load_explicit(&chunk->header->writer_id, memory_order_relaxed);
    uint32_t id = atomic_load_explicit(&chunk->header->chunk_id, memory_order_relaxed);

    if (!writer || writer > ORMA_SHM_WRITER_ID_MAX)
        return;
    if (orma_map_get(&p->writers, writer) == ORMA_MAP_NONE && usual != ORMA_MAP_NONE)
        (void)orma_map_put(&p->writers, writer, usual);
    const struct traced_seq *seq = find_seq(rd, p, writer);
    if (seq && is_known(seq, id))
        (void)orma_map_put(&p->scraped, (uint64_t)chunk->page << 4 | chunk->idx,
                           (uint64_t)id << 16 | writer);
    (void)state;
}

static void prepare_scraping(const struct traced_recovery *self, struct reader *rd,
                             struct traced_producer *p)
{
    uint64_t usual = usual_target(self, rd, p);
    struct orma_shm_chunk chunk;
    enum orma_shm_state state;

    for (uint32_t page = 0; page < p->shm.pages_num; page++)
        for (uint32_t idx = 0; idx < ORMA_SHM_CHUNKS_MAX; idx++) {
            if (!orma_shm_peek(&p->shm, page, idx, &chunk, &state))
                break;
            /* Being read: the service died between the copy and giving it back. */
            if (state == ORMA_SHM_READING)
                atomic_fetch_or_explicit(orma_shm_page_header(&p->shm, page),
                                         (uint32_t)ORMA_SHM_COMPLETE << (2 * idx),
                                         memory_order_relaxed);
            prepare_chunk(rd, p, &chunk, state, usual);
        }
}

static void read_writers(int fd, uint64_t at, struct traced_producer *p)
{
    size_t size = TRACED_RESCUE_WRITERS * sizeof(uint32_t);
    uint8_t *data = traced_recovery_part_read(fd, at, &size);
    uint32_t target;

    for (size_t i = 1; data && (i + 1) * sizeof(target) <= size; i++) {
        memcpy(&target, data + i * sizeof(target), sizeof(target));
        if (target)
            (void)orma_map_put(&p->writers, i, target - 1);
    }
    traced_recovery_part_free(data);
}

static struct traced_producer *make_producer(struct reader *rd,
                                             const struct traced_rescue_producer *who)
{
    struct traced_conn *conn = calloc(1, sizeof(*conn));
    struct traced_producer *p;

    if (!conn || ORMA_VEC_PUSH(&rd->conns, conn)) {
        free(conn);
        return NULL;
    }
    *conn = (struct traced_conn){
        .is_unix = true, .fd = -1, .uid = who->uid, .pid = who->pid, .machine_id = who->machine_id};
    rd->producers.last_id = (uint16_t)(who->id - 1); /* the next one gets this id */
    p = traced_producer_new(conn, &rd->producers);
    if (p &&
        (p->id != who->id || !traced_producer_name(p, orma_str_from(who->name), ORMA_STR("")))) {
        traced_producer_free(p);
        p = NULL;
    }
    return p;
}

static int scrape_producer(const struct traced_recovery *self, struct reader *rd,
                           const struct traced_rescue_producer *who)
{
    char name[TRACED_RESCUE_NAME_MAX];
    struct traced_producer *p = make_producer(rd, who);

    if (!p)
        return -ENOMEM;
    (void)snprintf(name, sizeof(name), "p%u.who", who->id);
    ORMA_AUTO(orma_fd_close) int who_fd = traced_recovery_folder_open(&self->in, name);
    (void)snprintf(name, sizeof(name), "p%u.shm", who->id);
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(&self->in, name);
    if (fd < 0)
        return 0;
    /* A copy: its program may still be writing. */
    void *copy =
        mmap(NULL, who->shm_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return -ENOMEM;
    if (orma_fd_read_at(fd, copy, who->shm_size, 0) < 0 ||
        orma_shm_init(&p->shm, copy, who->shm_size, who->page_size) < 0) {
        (void)munmap(copy, who->shm_size); /* just mapped */
        return 0;
    }
    read_writers(who_fd, who->head.head_bytes, p);
    for (size_t i = 0; i < rd->session->buffers_num; i++)
        (void)orma_map_put(&p->targets, rd->session->buffers[i].id, 1);
    prepare_scraping(self, rd, p);
    traced_scrape(p, &rd->session->targets);
    return 0;
}

/* ---- the session ---- */

static int add_target(struct reader *rd, size_t idx, uint32_t id)
{
    rd->producers.last_target_id = (uint16_t)(id - 1); /* the next one gets this id */
    int r = traced_target_add(&rd->producers, &rd->session->buffers[idx]);
    return r < 0 ? r : rd->session->buffers[idx].id == id ? 0 : -EBADMSG;
}

/* The head of the trace and the incidents, as the last note has them. */
static void read_note(const struct traced_recovery *self, const struct traced_rescue_state *state,
                      struct orma_buf *ret_note, struct orma_str *ret_head,
                      struct orma_str *ret_incidents)
{
    char name[TRACED_RESCUE_NAME_MAX];
    uint32_t len = 0;

    *ret_head = *ret_incidents = (struct orma_str){0};
    (void)snprintf(name, sizeof(name), "s%" PRIu64 ".note%d", state->session_id, state->note == 1);
    if (state->note > 1 || traced_recovery_folder_read(&self->in, name, ret_note) < 0 ||
        ret_note->len < sizeof(len))
        return;
    memcpy(&len, ret_note->data, sizeof(len));
    if (len > ret_note->len - sizeof(len))
        return;
    const char *data = (const char *)ret_note->data + sizeof(len);
    *ret_head = (struct orma_str){data, len};
    *ret_incidents = (struct orma_str){data + len, ret_note->len - sizeof(len) - len};
}

static int make_session(const struct traced_recovery *self, const struct traced_rescue_state *state,
                        struct reader *rd, struct orma_str incidents,
                        struct traced_recovery_result *result)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf config = {0};
    struct traced_buffer *buffers[TRACED_RECOVERY_BUFFERS_MAX];
    uint32_t targets[TRACED_RECOVERY_BUFFERS_MAX], num = 0;
    char name[TRACED_RESCUE_NAME_MAX];

    (void)snprintf(name, sizeof(name), "s%" PRIu64 ".config", state->session_id);
    int r = traced_recovery_folder_read(&self->in, name, &config);
    while (r == 0 && num < state->buffers_num) {
        r = load_buffer(self, state, num, result, &buffers[num], &targets[num]);
        num += r == 0;
    }
    if (r < 0) {
        while (num--)
            traced_buffer_free(buffers[num]);
        return r;
    }
    r = traced_session_recover(&rd->sessions, orma_buf_str(&config), state->uid, buffers, num,
                               incidents, &rd->session);
    for (uint32_t i = 0; i < num && r == 0; i++)
        r = targets[i] ? add_target(rd, i, targets[i]) : 0;
    for (uint32_t i = 0; i < num && r == 0; i++) /* last: others may not have their numbers */
        r = targets[i] ? 0 : traced_target_add(&rd->producers, &rd->session->buffers[i]);
    return r;
}

/* Nothing more comes from anybody. */
static void settle(struct reader *rd)
{
    for (size_t i = 0; i < rd->session->buffers_num; i++) {
        struct traced_buffer *buf = rd->session->buffers[i].buf;

        ORMA_LIST_EACH (struct traced_seq, seq, &buf->seqs, link)
            traced_seq_lose_report(seq);
        traced_buffer_settle(buf);
    }
}

static void note_recovered(const struct traced_rescue_state *state, struct reader *rd,
                           const struct traced_recovery_result *result)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf what = {0};

    if (result->file_missing)
        orma_buf_printf(&what, "without what it had written into %s", file_of(state)->path);
    if (result->damaged_bytes)
        orma_buf_printf(&what, "%s%" PRIu64 " bytes were damaged", what.len ? ", " : "",
                        result->damaged_bytes);
    if (result->missing_buffers)
        orma_buf_printf(&what, "%s%" PRIu32 " of its buffers were not there", what.len ? ", " : "",
                        result->missing_buffers);
    const struct orma_incident incident = {
        .kind = ORMA_PB_ORMA_INCIDENT_RECOVERED, .pid = state->pid, .what = orma_buf_str(&what)};

    orma_incident_put(&rd->session->incidents.list, ORMA_PB_TRACE_STATS_ORMA_INCIDENTS, &incident);
    rd->session->incidents.num++;
}

/* ---- the trace ---- */

static int write_out(int fd, const void *data, size_t len, struct traced_recovery_result *result)
{
    int r = len ? orma_fd_write_all(fd, data, len) : 0;

    result->bytes += r == 0 ? len : 0;
    return r;
}

/* Bytes of whole packets at the begin. */
static size_t whole_packets(const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    size_t whole = 0;

    while (orma_pb_next(&r, &f))
        whole = (size_t)(r.pos - data);
    return whole;
}

/* What the service had written, up to `end`. Normally that ends with a packet; a file that was cut
 * may not. */
static int copy_part(const struct traced_recovery *self, const struct traced_rescue_state *state,
                     const struct traced_rescue_file *file, uint64_t end, int out_fd,
                     struct traced_recovery_result *result)
{
    ORMA_AUTO(orma_fd_close) int fd = -1;
    ORMA_AUTO(orma_buf_fini) struct orma_buf piece = {0};
    uint64_t at = file->start;
    int r = 0;

    if (!*file->path || end <= at)
        return 0;
    fd = traced_recovery_open_file(self->in.fd, state, file);
    if (fd < 0) {
        result->file_missing = true;
        return 0;
    }
    while (r == 0 && at < end) {
        size_t had = piece.len, want = (size_t)ORMA_MIN((uint64_t)PIECE, end - at);

        if (!orma_buf_reserve(&piece, want))
            return -ENOMEM;
        ssize_t n = pread(fd, piece.data + had, want, (off_t)at);
        if (n <= 0)
            break;
        piece.len += (size_t)n;
        at += (uint64_t)n;
        size_t whole = whole_packets(piece.data, piece.len);
        r = write_out(out_fd, piece.data, whole, result);
        memmove(piece.data, piece.data + whole, piece.len - whole);
        piece.len -= whole;
        if (piece.len > PACKET_MAX)
            break; /* no packet is that long: it goes on with something else, or with a hole */
    }
    result->file_missing |= at < end || piece.len > 0;
    return r;
}

/* While the session changes from one file to the next, what was written is in both. */
static int copy_file(const struct traced_recovery *self, const struct traced_rescue_state *state,
                     int out_fd, struct traced_recovery_result *result)
{
    const struct traced_rescue_place *place = place_of(state);
    int r =
        copy_part(self, state, &state->files[place->file == 0], place->old_bytes, out_fd, result);

    if (r == 0)
        r = copy_part(self, state, file_of(state), place->bytes, out_fd, result);
    result->file_bytes = result->bytes;
    return r;
}

/* The service died after the file had taken the packets of the note, and before the next note. */
static bool is_in_file(const struct traced_rescue_state *state,
                       const struct traced_recovery_result *result)
{
    return result->file_bytes && state->noted && (state->noted & 1) == (state->note == 1) &&
           state->noted / 2 <= place_of(state)->blocks;
}

static uint64_t delivered(const struct reader *rd)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < rd->session->buffers_num; i++)
        ORMA_LIST_EACH (struct traced_seq, seq, &rd->session->buffers[i].buf->seqs, link)
            sum += seq->ledger.delivered + seq->ledger.kept;
    return sum;
}

static int write_trace(const struct traced_recovery *self, const struct traced_rescue_state *state,
                       struct reader *rd, struct orma_str head, int fd,
                       struct traced_recovery_result *result)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    uint64_t before = delivered(rd);
    int r = copy_file(self, state, fd, result);

    if (r < 0)
        return r;
    note_recovered(state, rd, result);
    if (!is_in_file(state, result))
        r = write_out(fd, head.data, whole_packets((const uint8_t *)head.data, head.len), result);
    for (int more = 1; r == 0 && more == 1;) {
        more = traced_session_read(rd->session, &out, BATCH, UINT64_MAX);
        r = more < 0 ? more : write_out(fd, out.data, out.len, result);
        orma_buf_clear(&out);
    }
    result->packets = delivered(rd) - before;
    return r;
}

int traced_recovery_write(const struct traced_recovery *self, size_t idx, int fd,
                          struct traced_recovery_result *ret, struct orma_buf *error)
{
    const struct traced_rescue_state *state = &self->in.sessions.data[idx];
    ORMA_AUTO(orma_buf_fini) struct orma_buf note = {0};
    struct orma_str head, incidents;
    struct reader rd = {0};

    *ret = (struct traced_recovery_result){0};
    read_note(self, state, &note, &head, &incidents);
    int r = reader_init(&rd);
    if (r == 0)
        r = make_session(self, state, &rd, incidents, ret);
    for (uint32_t i = 0; i < self->in.producers.len && r == 0; i++)
        r = scrape_producer(self, &rd, &self->in.producers.data[i]);
    if (r == 0) {
        settle(&rd);
        r = write_trace(self, state, &rd, head, fd, ret);
    }
    if (r < 0)
        orma_buf_printf(error, "%s: session %" PRIu64 ": %s", self->path, state->session_id,
                        r == -EBADMSG ? "damaged: it is not what a service writes" : strerror(-r));
    reader_fini(&rd);
    return r;
}
