/*
 * Hostile and unlucky clients. Beside each of them an honest producer and its
 * consumer go on: in the end their data is complete, and of the others nothing
 * is left, no descriptor and no producer.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/sock.h"
#include "tests/integration/traced/fixture.h"

static uint64_t rng = 88172645463325252u;

static uint32_t rnd(uint32_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng >> 33) % below;
}

static unsigned fds_open(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned num = 0;

    cr_assert(dir);
    while (readdir(dir))
        num++;
    closedir(dir);
    return num;
}

/* An honest session with some data, and what was open then. */
struct scene {
    struct fixture s;
    unsigned fds;
};

static void scene_init(struct scene *sc)
{
    fixture_init(&sc->s, false);
    rig_config_buffer(&sc->s.config, 256, 1);
    rig_config_source(&sc->s.config, "test.source", 0);
    orma_pb_put_u64(&sc->s.config, ORMA_PB_TRACE_CONFIG_DATA_SOURCE_STOP_TIMEOUT_MS, 200);
    fixture_enable(&sc->s, -1);
    fixture_commit(&sc->s, 0, TEXTS("before"));
    sc->fds = fds_open();
}

static void expect_fds(const struct scene *sc)
{
    for (int tries = 0; fds_open() > sc->fds && tries < 2000; tries++)
        poll(NULL, 0, 10); /* the service closes its ends in its own time */
    cr_assert_eq(fds_open(), sc->fds, "descriptors are left");
}

static void scene_fini(struct scene *sc)
{
    fixture_commit(&sc->s, 1, TEXTS("behind"));
    expect_fds(sc);
    fixture_disable(&sc->s);
    cr_assert_str_eq(fixture_read(&sc->s, sc->s.consumer), "before behind");
    fixture_fini(&sc->s);
}

/* ---- the sockets ---- */

static void send_raw(const char *addr, const void *data, size_t len)
{
    int fd = orma_sock_connect(addr);

    cr_assert_geq(fd, 0);
    (void)!send(fd, data, len, MSG_NOSIGNAL); /* refused on the way is fine */
    close(fd);
}

Test(traced_hostile, random_bytes_on_both_sockets)
{
    struct scene sc;
    uint8_t bytes[600];

    scene_init(&sc);
    for (int i = 0; i < 400; i++) {
        size_t len = rnd(sizeof(bytes));
        for (size_t k = 0; k < len; k++)
            bytes[k] = (uint8_t)rnd(256);
        if (i % 2) { /* of a plausible length, so that the content is looked at */
            uint32_t head = rnd(200);
            memcpy(bytes, &head, sizeof(head));
        }
        send_raw(i % 4 < 2 ? sc.s.rig.producer_addr : sc.s.rig.consumer_addr, bytes, len);
    }
    scene_fini(&sc);
}

static void put_random_fields(struct orma_buf *out, int depth)
{
    for (uint32_t num = rnd(5); num; num--) {
        uint32_t id = 1 + rnd(10);

        if (rnd(2)) {
            orma_pb_put_u64(out, id, rnd(3) ? rnd(8) : (uint64_t)rnd(UINT32_MAX) << rnd(33));
        } else {
            size_t sub = orma_pb_begin(out, id);
            if (depth < 4)
                put_random_fields(out, depth + 1);
            orma_pb_end(out, sub);
        }
    }
}

/* Requests that are well formed, of any method and with any content. */
Test(traced_hostile, random_requests_on_both_ports)
{
    struct scene sc;

    scene_init(&sc);
    for (int i = 0; i < 200; i++) {
        bool producer = i % 2;
        int fd = orma_sock_connect(producer ? sc.s.rig.producer_addr : sc.s.rig.consumer_addr);
        struct orma_buf out = {0};

        cr_assert_geq(fd, 0);
        for (uint64_t k = 1; k < 40; k++) {
            struct orma_buf args = {0};
            struct orma_ipc_frame frame = {.kind = ORMA_IPC_INVOKE,
                                           .request_id = k,
                                           .service_id = 1 + (rnd(10) == 0),
                                           .method_id = rnd(17),
                                           .drop_reply = rnd(2)};

            /* A config that a random consumer makes must not end the honest session. */
            put_random_fields(&args, producer ? 0 : 3);
            frame.payload = orma_buf_str(&args);
            cr_assert_eq(orma_ipc_frame_encode(&out, &frame, NULL, 0), 0);
            orma_buf_fini(&args);
        }
        (void)!send(fd, out.data, out.len, MSG_NOSIGNAL);
        orma_buf_fini(&out);
        close(fd);
    }
    scene_fini(&sc);
}

/* Connects, sends a frame that announces `len` bytes, and says whether the service hung up. */
static bool is_truncated(const char *addr, uint32_t announced, size_t sent)
{
    int fd = orma_sock_connect(addr);
    uint8_t *frame = calloc(1, 4 + sent), reply[64];
    struct orma_ipc_frame bind = {
        .kind = ORMA_IPC_BIND, .request_id = 1, .service_name = ORMA_STR("ProducerPort")};
    struct orma_buf out = {0};

    cr_assert_eq(fcntl(fd, F_SETFL, 0), 0); /* may wait */
    memcpy(frame, &announced, 4);
    cr_assert_eq(orma_ipc_frame_encode(&out, &bind, NULL, 0), 0);
    for (size_t at = 0; at < 4 + sent;) {
        ssize_t n = send(fd, frame + at, 4 + sent - at, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    (void)!send(fd, out.data, out.len, MSG_NOSIGNAL); /* an honest frame behind it */
    ssize_t n = recv(fd, reply, sizeof(reply), 0);
    orma_buf_fini(&out);
    free(frame);
    close(fd);
    return n <= 0;
}

Test(traced_hostile, frames_up_to_the_limit_and_not_over_it)
{
    struct scene sc;

    scene_init(&sc);
    cr_assert_not(is_truncated(sc.s.rig.producer_addr, 131068, 131068), "exactly the limit");
    cr_assert(is_truncated(sc.s.rig.producer_addr, 131069, 131069), "one more");
    cr_assert(is_truncated(sc.s.rig.producer_addr, UINT32_MAX, 0), "far over");
    cr_assert_not(is_truncated(sc.s.rig.producer_addr, 0, 0), "an empty frame is skipped");
    scene_fini(&sc);
}

Test(traced_hostile, a_storm_of_connections)
{
    struct scene sc;

    scene_init(&sc);
    for (int round = 0; round < 5; round++) {
        int fds[150];

        for (size_t i = 0; i < ORMA_ARRAY_LEN(fds); i++)
            fds[i] = orma_sock_connect(i % 2 ? sc.s.rig.producer_addr : sc.s.rig.consumer_addr);
        rig_producer_sync(&sc.s.producer);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(fds); i++)
            if (fds[i] >= 0)
                close(fds[i]);
    }
    scene_fini(&sc);
}

/* A consumer that asks and asks and never reads is cut off, and costs no more than its queue. */
Test(traced_hostile, a_consumer_that_does_not_read)
{
    struct scene sc;
    struct orma_ipc_frame ask = {
        .kind = ORMA_IPC_INVOKE, .request_id = 2, .service_id = 1, .method_id = 13};
    struct orma_buf out = {0};

    scene_init(&sc);
    int fd = orma_sock_connect(sc.s.rig.consumer_addr);
    for (int i = 0; i < 2000; i++)
        cr_assert_eq(orma_ipc_frame_encode(&out, &ask, NULL, 0), 0);
    for (int i = 0; i < 300; i++)
        if (send(fd, out.data, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
            break; /* cut off */
    orma_buf_fini(&out);
    rig_producer_sync(&sc.s.producer);
    close(fd);
    scene_fini(&sc);
}

/* ---- descriptors ---- */

static bool adopts(const struct scene *sc, int fd, uint32_t size)
{
    struct orma_ipc_client *client = rig_connect(sc->s.rig.producer_addr, "ProducerPort");
    struct orma_buf args = {0};
    struct rig_reply reply = {0};
    struct orma_pb_field f;
    bool adopted = false;

    orma_pb_put_cstr(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, "p");
    orma_pb_put_u64(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_PAGE_SIZE_HINT_BYTES,
                    4096);
    orma_pb_put_u64(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SHARED_MEMORY_SIZE_HINT_BYTES,
                    size);
    orma_pb_put_u64(&args, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_PROVIDED_SHMEM, 1);
    rig_send(client, "InitializeConnection", &args, fd, &reply);
    rig_wait(client, &reply);
    cr_assert(reply.success);
    struct orma_pb_reader r = orma_pb_reader(reply.payload.data, reply.payload.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INITIALIZE_CONNECTION_RESPONSE_USING_SHMEM_PROVIDED_BY_PRODUCER)
            adopted = orma_pb_bool(&f);
    orma_ipc_client_free(client);
    rig_reply_fini(&reply);
    orma_buf_fini(&args);
    return adopted;
}

Test(traced_hostile, only_sealed_memory_of_a_valid_size_is_adopted)
{
    struct scene sc;
    int sealed, unsealed, odd, dir, pipes[2];

    scene_init(&sc);
    sealed = orma_fd_shared_memory("good", 65536);
    odd = orma_fd_shared_memory("odd", 65536 + 4096 / 2);
    unsealed = memfd_create("bad", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cr_assert_eq(ftruncate(unsealed, 65536), 0);
    dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
    cr_assert(adopts(&sc, sealed, 65536));
    cr_assert_not(adopts(&sc, unsealed, 65536), "it could shrink under our hands");
    cr_assert_not(adopts(&sc, odd, 67584));
    cr_assert_not(adopts(&sc, dir, 65536));
    cr_assert_not(adopts(&sc, pipes[0], 65536));
    cr_assert_not(adopts(&sc, -1, 65536));
    close(sealed), close(odd), close(unsealed), close(dir), close(pipes[0]), close(pipes[1]);
    scene_fini(&sc);
}

/* ---- shared memory ---- */

static void put_move(struct orma_buf *args, uint32_t page, uint32_t chunk, uint32_t buffer)
{
    size_t move = orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, page);
    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK, chunk);
    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER, buffer);
    orma_pb_end(args, move);
}

/* A second producer of the same source, in the same session. */
static void join(struct scene *sc, struct rig_producer *p)
{
    rig_producer_init(p, &sc->s.rig, "hostile", true);
    rig_producer_register(p, "test.source", NULL);
    rig_producer_wait(p, &p->starts, 1);
}

static void leave(struct scene *sc, struct rig_producer *p)
{
    rig_producer_fini(p);
    rig_producer_sync(&sc->s.producer);
}

Test(traced_hostile, indices_that_lead_nowhere)
{
    static const uint32_t wrong[][3] = {{64, 0, 0},  {UINT32_MAX, 0, 0}, {0, 14, 0},
                                        {0, 15, 0},  {0, UINT32_MAX, 0}, {3, 0, 0},
                                        {0, 1, 999}, {0, 0, UINT32_MAX}};
    struct scene sc;
    struct rig_producer p;
    struct orma_buf args = {0};

    scene_init(&sc);
    join(&sc, &p);
    (void)rig_producer_write(&p, 0, 1, 0, 0, TEXTS("never committed"));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(wrong); i++)
        put_move(&args, wrong[i][0], wrong[i][1], wrong[i][2] ? wrong[i][2] : p.target_buffer);
    cr_assert(rig_ok(p.client, "CommitData", &args));
    orma_buf_fini(&args);
    leave(&sc, &p);
    scene_fini(&sc);
}

/* The file that a mapping is of. False: of none with a name. */
static bool file_of_mapping(const void *base, char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long begin;
    bool found = false;

    cr_assert(maps);
    while (!found && fgets(line, sizeof(line), maps))
        found = sscanf(line, "%lx-%*x %*s %*s %*s %*s %[^\n]", &begin, path) == 2 &&
                begin == (unsigned long)(uintptr_t)base;
    fclose(maps);
    return found && strstr(path, ".shm") && !strstr(path, "(deleted)");
}

/* Shared memory in the rescue folder has no seals: its pages are gone, and the service lives. */
Test(traced_hostile, memory_that_its_producer_makes_smaller)
{
    struct scene sc;
    struct rig_producer p;
    struct orma_buf args = {0};
    char path[PATH_MAX];

    scene_init(&sc);
    join(&sc, &p);
    if (file_of_mapping(p.shm.base, path)) {
        cr_assert_eq(truncate(path, (off_t)(p.shm.size - p.shm.page_size)), 0);
        put_move(&args, p.shm.pages_num - 1, 0, p.target_buffer);
        (void)rig_ok(p.client, "CommitData", &args);       /* finds zeroes */
        rig_send(p.client, "CommitData", &args, -1, NULL); /* and is disconnected */
        orma_buf_fini(&args);
    } else {
        cr_log_warn("no rescue folder here");
    }
    leave(&sc, &p);
    scene_fini(&sc);
}

/*
 * The last page has one chunk, and the request names a second one, 52 kB behind the end of the
 * memory: |  page 62  |  page 63: [ 0: complete, empty ]  |   . . .   13?
 */
Test(traced_hostile, a_chunk_beyond_the_layout_of_its_page)
{
    struct scene sc;
    struct rig_producer p;
    struct orma_buf args = {0};

    scene_init(&sc);
    join(&sc, &p);
    uint32_t last = p.shm.pages_num - 1;
    struct orma_shm_chunk chunk =
        rig_producer_write(&p, last, 1, 0, 0, (const char *const[]){NULL});

    orma_shm_complete(&p.shm, &chunk);
    put_move(&args, last, 0, p.target_buffer);
    put_move(&args, last, 13, p.target_buffer);
    cr_assert(rig_ok(p.client, "CommitData", &args));
    orma_buf_fini(&args);
    leave(&sc, &p);
    scene_fini(&sc);
}

/* A thread that never stops to rewrite headers while the service takes the chunks. */
struct flipper {
    struct rig_producer *p;
    _Atomic bool stop;
};

static void *flip(void *arg)
{
    struct flipper *f = arg;
    uint64_t state = 1;

    while (!atomic_load(&f->stop))
        for (uint32_t page = 0; page < 8; page++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint32_t word = (uint32_t)(state >> 32);
            atomic_store(orma_shm_page_header(&f->p->shm, page), word & 3 ? word | 0x10000003 : 0);
            uint8_t *chunk = f->p->shm.base + (size_t)page * 4096 + 8;
            chunk[word % 64] = (uint8_t)(word >> 8);
        }
    return NULL;
}

Test(traced_hostile, headers_that_change_while_they_are_read)
{
    struct scene sc;
    struct rig_producer p;
    struct flipper f = {.p = &p};
    pthread_t thread;

    scene_init(&sc);
    join(&sc, &p);
    cr_assert_eq(pthread_create(&thread, NULL, flip, &f), 0);
    for (int i = 0; i < 300; i++) {
        struct orma_buf args = {0};

        for (uint32_t k = 0; k < 30; k++)
            put_move(&args, rnd(8), rnd(14), p.target_buffer);
        cr_assert(rig_ok(p.client, "CommitData", &args));
        orma_buf_fini(&args);
    }
    atomic_store(&f.stop, true);
    pthread_join(thread, NULL);
    leave(&sc, &p);
    fixture_commit(&sc.s, 1, TEXTS("behind"));
    expect_fds(&sc);
    fixture_disable(&sc.s);
    cr_assert(fixture_read(&sc.s, sc.s.consumer)); /* the ring may have wrapped over ours */
    fixture_fini(&sc.s);
}

/* Packets with fields that only the service may write. */
Test(traced_hostile, forged_identities_are_dropped_and_counted)
{
    static const uint32_t reserved[] = {3, 10, 33, 35, 36, 50, 69, 79, 98, 124, 125, 133};
    struct scene sc;
    struct rig_producer p;

    scene_init(&sc);
    join(&sc, &p);
    for (uint32_t i = 0; i < ORMA_ARRAY_LEN(reserved); i++) {
        struct orma_shm_chunk chunk = rig_producer_write(&p, 0, 5, i, 0, TEXTS("x"));
        struct orma_buf packet = {0};

        orma_pb_put_u64(&packet, reserved[i], 1);
        chunk.payload[0] = (uint8_t)packet.len;
        memcpy(chunk.payload + 1, packet.data, packet.len);
        orma_buf_fini(&packet);
        rig_producer_commit(&p, &chunk, p.target_buffer);
        rig_producer_sync(&p);
    }
    leave(&sc, &p);
    scene_fini(&sc);
}

Test(traced_hostile, sizes_and_counts_that_promise_too_much)
{
    struct scene sc;
    struct rig_producer p;

    scene_init(&sc);
    join(&sc, &p);
    for (uint32_t i = 0; i < 40; i++) {
        struct orma_shm_chunk chunk = rig_producer_write(&p, 0, 6, i, 0, TEXTS("text"));

        atomic_store(&chunk.header->packets, (uint16_t)(i % 3 ? 1023 : 5));
        for (uint32_t k = 0; k < 40; k++)
            chunk.payload[8 + rnd(4000)] = (uint8_t)rnd(256);
        chunk.payload[0] = 0xff; /* runs over the chunk */
        chunk.payload[1] = 0x7f;
        rig_producer_commit(&p, &chunk, p.target_buffer);
        rig_producer_sync(&p);
    }
    leave(&sc, &p);
    scene_fini(&sc);
}

static void put_patch(struct orma_buf *args, uint32_t buffer, uint32_t writer, uint32_t chunk,
                      uint32_t offset, size_t len)
{
    size_t entry = orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_PATCH);

    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_TARGET_BUFFER, buffer);
    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_WRITER_ID, writer);
    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_CHUNK_ID, chunk);
    size_t patch = orma_pb_begin(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCHES);
    orma_pb_put_u64(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_OFFSET, offset);
    orma_pb_put_bytes(args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_DATA, "abcdefgh", len);
    orma_pb_end(args, patch);
    orma_pb_end(args, entry);
}

Test(traced_hostile, patches_out_of_range_and_of_others)
{
    struct scene sc;
    struct rig_producer p;
    struct orma_buf args = {0};

    scene_init(&sc);
    join(&sc, &p);
    struct orma_shm_chunk chunk = rig_producer_write(&p, 0, 7, 0, 0, TEXTS("mine"));
    rig_producer_commit(&p, &chunk, p.target_buffer);
    put_patch(&args, p.target_buffer, 7, 0, 4080 - 3, 4);
    put_patch(&args, p.target_buffer, 7, 0, UINT32_MAX, 4);
    put_patch(&args, p.target_buffer, 7, 0, UINT32_MAX - 2, 4);
    put_patch(&args, p.target_buffer, 7, 0, 0, 3);
    put_patch(&args, p.target_buffer, 7, 9, 0, 4);
    put_patch(&args, p.target_buffer, 0, 0, 0, 4);
    put_patch(&args, p.target_buffer, 40000, 0, 0, 4);
    put_patch(&args, p.target_buffer, 1, 0, 0, 4); /* the honest producer's writer, but not ours */
    put_patch(&args, 4711, 7, 0, 0, 4);
    cr_assert(rig_ok(p.client, "CommitData", &args));
    orma_buf_fini(&args);
    leave(&sc, &p);
    fixture_commit(&sc.s, 1, TEXTS("behind"));
    fixture_disable(&sc.s);
    const char *texts = fixture_read(&sc.s, sc.s.consumer);
    cr_assert(strstr(texts, "before") && strstr(texts, "behind") && strstr(texts, "mine"), "%s",
              texts);
    fixture_fini(&sc.s);
}

/* The same writer id after the writer was taken back: a new life of the same sequence. */
Test(traced_hostile, a_writer_id_that_is_used_again)
{
    struct scene sc;
    struct rig_producer p;

    scene_init(&sc);
    join(&sc, &p);
    for (uint32_t life = 0; life < 3; life++) {
        struct orma_shm_chunk chunk = rig_producer_write(&p, 0, 9, 0, 0, TEXTS("life"));
        rig_producer_commit(&p, &chunk, p.target_buffer);
        rig_producer_sync(&p);
        rig_read(sc.s.consumer, &sc.s.trace);
    }
    cr_assert_geq(rig_count(&sc.s.trace, RIG_TEXT), 2, "at least the first of them");
    orma_buf_clear(&sc.s.trace);
    leave(&sc, &p);
    fixture_commit(&sc.s, 1, TEXTS("behind"));
    fixture_disable(&sc.s);
    cr_assert_str_eq(fixture_read(&sc.s, sc.s.consumer), "behind");
    fixture_fini(&sc.s);
}

/* ---- too much of everything ---- */

Test(traced_hostile, a_flood_of_registrations_is_bounded)
{
    struct scene sc;
    struct rig_producer p;

    scene_init(&sc);
    rig_producer_init(&p, &sc.s.rig, "flood", false);
    for (int i = 0; i < 6000; i++) {
        char name[300];
        struct orma_buf args = {0};

        snprintf(name, sizeof(name), "%0250d", i);
        size_t desc =
            orma_pb_begin(&args, ORMA_PB_REGISTER_DATA_SOURCE_REQUEST_DATA_SOURCE_DESCRIPTOR);
        orma_pb_put_cstr(&args, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME, name);
        orma_pb_end(&args, desc);
        rig_send(p.client, "RegisterDataSource", &args, -1, NULL);
        orma_buf_fini(&args);
        if (i % 500 == 0)
            rig_producer_sync(&p);
    }
    rig_producer_sync(&p);
    for (uint32_t i = 0; i < 5000; i++) { /* writers, and triggers that nobody waits for */
        struct orma_buf args = {0};

        orma_pb_put_u64(&args, 1, i);
        orma_pb_put_u64(&args, 2, i);
        rig_send(p.client, "RegisterTraceWriter", &args, -1, NULL);
        orma_buf_clear(&args);
        orma_pb_put_cstr(&args, 1, "trigger");
        rig_send(p.client, "ActivateTriggers", &args, -1, NULL);
        orma_buf_fini(&args);
        if (i % 500 == 0)
            rig_producer_sync(&p);
    }
    rig_producer_sync(&p);
    leave(&sc, &p);
    scene_fini(&sc);
}

/* Each chunk of another writer: the service knows as many as the buffer's size allows. */
Test(traced_hostile, a_flood_of_writers_is_bounded)
{
    struct scene sc;
    struct rig_producer p;

    scene_init(&sc);
    join(&sc, &p);
    for (uint16_t writer = 1; writer < 3000; writer++) {
        struct orma_buf args = {0};
        uint16_t head[4] = {0, 0, writer, 0};

        size_t move = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        p.target_buffer);
        orma_pb_put_bytes(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA, head,
                          sizeof(head));
        orma_pb_end(&args, move);
        rig_send(p.client, "CommitData", &args, -1, NULL);
        orma_buf_fini(&args);
        if (writer % 200 == 0)
            rig_producer_sync(&p);
    }
    rig_producer_sync(&p);
    leave(&sc, &p);
    fixture_commit(&sc.s, 1, TEXTS("behind"));
    fixture_disable(&sc.s);
    cr_assert(strstr(fixture_read(&sc.s, sc.s.consumer), "before behind"));
    /* 256 KiB / 512 + 256 sequences at the most are in the statistics. */
    struct orma_pb_field stats, f;
    unsigned sequences = 0;
    cr_assert(rig_find(&sc.s.trace, ORMA_PB_TRACE_PACKET_TRACE_STATS, &stats));
    struct orma_pb_reader r = orma_pb_sub(&stats);
    while (orma_pb_next(&r, &f))
        sequences += f.id == 90001;
    cr_assert_gt(sequences, 700);
    cr_assert_leq(sequences, 768);
    fixture_fini(&sc.s);
}

Test(traced_hostile, one_that_answers_nothing_delays_nobody_for_ever)
{
    struct scene sc;
    struct rig_producer p;
    struct rig_reply flushed = {0};
    struct orma_buf args = {0};
    static const uint32_t acks[] = {ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_STOP, 1,
                                    ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_START, 1, 0};

    scene_init(&sc);
    rig_producer_init(&p, &sc.s.rig, "silent", false);
    rig_producer_register(&p, "test.source", acks);
    rig_producer_wait(&p, &p.starts, 1);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 100);
    rig_send(sc.s.consumer, "Flush", &args, -1, &flushed);
    rig_producer_wait_flush(&sc.s.producer);
    rig_producer_ack_flush(&sc.s.producer, sc.s.producer.flush_id);
    rig_wait(sc.s.consumer, &flushed);
    cr_assert_not(flushed.success, "it timed out");
    rig_reply_fini(&flushed);
    orma_buf_fini(&args);
    fixture_commit(&sc.s, 1, TEXTS("behind"));
    fixture_disable(&sc.s); /* ends, after data_source_stop_timeout_ms */
    cr_assert_str_eq(fixture_read(&sc.s, sc.s.consumer), "before behind");
    leave(&sc, &p);
    fixture_fini(&sc.s);
}

/* ---- killed in every phase ---- */

enum phase { BOUND, INITIALIZED, REGISTERED, STARTED, WRITING, COMMITTED, FLUSHING, PHASES };

static void be_killed(const struct scene *sc, enum phase phase)
{
    struct rig_producer p;

    if (phase == BOUND) {
        (void)rig_connect(sc->s.rig.producer_addr, "ProducerPort");
        raise(SIGKILL);
    }
    rig_producer_init(&p, &sc->s.rig, "victim", true);
    if (phase >= REGISTERED)
        rig_producer_register(&p, "test.source", NULL);
    if (phase >= STARTED)
        rig_producer_wait(&p, &p.starts, 1);
    if (phase >= WRITING) {
        struct orma_buf args = {0};
        orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, 3);
        orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                        p.target_buffer);
        rig_ok(p.client, "RegisterTraceWriter", &args);
        struct orma_shm_chunk chunk = rig_producer_write(&p, 0, 3, 0, 0, TEXTS("whole", "begun"));
        if (phase == COMMITTED)
            rig_producer_commit(&p, &chunk, p.target_buffer);
        if (phase == FLUSHING)
            rig_producer_wait_flush(&p);
        else
            rig_producer_sync(&p);
    }
    raise(SIGKILL);
}

Test(traced_hostile, producers_killed_in_every_phase)
{
    static const char *const expected[PHASES] = {
        [WRITING] = "whole", [COMMITTED] = "whole begun", [FLUSHING] = "whole"};

    for (enum phase phase = BOUND; phase < PHASES; phase++) {
        struct scene sc;
        struct rig_reply flushed = {0};
        int status;

        scene_init(&sc);
        pid_t pid = fork(); /* the child talks to the service in its parent */
        if (pid == 0) {
            be_killed(&sc, phase);
            _exit(1);
        }
        if (phase == FLUSHING) {
            poll(NULL, 0, 300);
            rig_send(sc.s.consumer, "Flush", NULL, -1, &flushed);
            rig_producer_wait_flush(&sc.s.producer);
            rig_producer_ack_flush(&sc.s.producer, sc.s.producer.flush_id);
        }
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_assert(WIFSIGNALED(status), "phase %d", phase);
        if (phase == FLUSHING) {
            rig_wait(sc.s.consumer, &flushed);
            rig_reply_fini(&flushed);
        }
        expect_fds(&sc);
        fixture_commit(&sc.s, 1, TEXTS("behind"));
        fixture_disable(&sc.s);
        const char *texts = fixture_read(&sc.s, sc.s.consumer);
        cr_assert(strstr(texts, "before") && strstr(texts, "behind"), "phase %d: %s", phase, texts);
        if (expected[phase])
            cr_assert(strstr(texts, expected[phase]), "phase %d: %s", phase, texts);
        if (phase != COMMITTED)
            cr_assert_not(strstr(texts, "begun"), "phase %d: %s", phase, texts);
        fixture_fini(&sc.s);
    }
}

/* Consumers, with a session in each state. */
Test(traced_hostile, consumers_that_go_away_take_their_sessions_along)
{
    struct scene sc;

    scene_init(&sc);
    uint32_t target = sc.s.producer.target_buffer;
    for (int phase = 0; phase < 4; phase++) {
        struct orma_ipc_client *consumer = rig_connect(sc.s.rig.consumer_addr, "ConsumerPort");
        struct rig_reply enabled = {0}, read = {0};
        struct orma_buf config = {0};

        rig_config_buffer(&config, 64, 1);
        rig_config_source(&config, "test.source", 0);
        if (phase == 0)
            orma_pb_put_u64(&config, ORMA_PB_TRACE_CONFIG_DEFERRED_START, 1);
        unsigned setups = sc.s.producer.setups;
        rig_enable(consumer, &config, -1, &enabled);
        rig_producer_wait(&sc.s.producer, &sc.s.producer.setups, setups + 1);
        if (phase >= 2)
            rig_send(consumer, "DisableTracing", NULL, -1, NULL);
        if (phase >= 3)
            rig_send(consumer, "ReadBuffers", NULL, -1, &read);
        orma_ipc_client_free(consumer);
        rig_reply_fini(&enabled);
        rig_reply_fini(&read);
        orma_buf_fini(&config);
    }
    sc.s.producer.target_buffer = target;
    scene_fini(&sc);
}
