/* Folders and memory that outlast a process, and buffers whose writer was killed at any moment. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/mapped.h"
#include "sdk/shm/layout.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "traced/buffers/buffer_internal.h"
#include "traced/rescue/folder.h"
#include "traced/rescue/memory.h"

#define KIB(n) ((size_t)(n) << 10)
#define KILLS 12
#define NUMBER 900 /* field of a packet */

static void make_base(char base[64])
{
    bool memory = access("/dev/shm", W_OK) == 0;

    snprintf(base, 64, "%s/orma-unit-XXXXXX", memory ? "/dev/shm" : "/tmp");
    cr_assert(mkdtemp(base));
}

static void remove_base(const char *base)
{
    char root[128];

    snprintf(root, sizeof(root), "%s/orma-rescue-%u", base, (unsigned)geteuid());
    (void)rmdir(root);
    cr_assert_eq(rmdir(base), 0, "something was left in %s", base);
}

static struct traced_rescue_folder *make_folder(const char *base)
{
    struct traced_rescue_folder *folder;
    struct orma_buf why = {0};

    cr_assert_eq(traced_rescue_folder_new(base, &folder, &why), 0, "%s", orma_buf_cstr(&why));
    orma_buf_fini(&why);
    return folder;
}

/* ---- folders ---- */

Test(rescue, a_folder_is_private_locked_and_goes_with_all_that_is_in_it)
{
    char base[64];
    struct stat st;

    make_base(base);
    struct traced_rescue_folder *folder = make_folder(base);
    cr_assert_eq(stat(folder->path, &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0700);
    int fd = traced_rescue_create(folder, "x");
    cr_assert_geq(fd, 0);
    orma_fd_close(&fd);
    int dir, lock;
    int32_t pid;
    cr_assert_eq(traced_rescue_claim(folder->path, &dir, &lock, &pid), -EBUSY);
    traced_rescue_folder_free(folder);
    remove_base(base);
    orma_assert_no_leaks();
}

Test(rescue, what_others_may_use_is_refused)
{
    char base[64], root[128];
    struct traced_rescue_folder *folder = NULL;
    struct orma_buf why = {0};

    make_base(base);
    snprintf(root, sizeof(root), "%s/orma-rescue-%u", base, (unsigned)geteuid());
    cr_assert_eq(mkdir(root, 0700), 0);
    cr_assert_eq(chmod(root, 0770), 0);
    cr_assert_eq(traced_rescue_folder_new(base, &folder, &why), -EPERM);
    cr_assert(strstr(orma_buf_cstr(&why), "others"));
    orma_buf_fini(&why);
    cr_assert_eq(rmdir(root), 0);
    cr_assert_eq(symlink("/", root), 0);
    cr_assert_neq(traced_rescue_folder_new(base, &folder, &why), 0);
    orma_buf_fini(&why);
    cr_assert_eq(unlink(root), 0);
    cr_assert_eq(traced_rescue_folder_new("none", &folder, &why), -ENOENT);
    remove_base(base);
    orma_assert_no_leaks();
}

/* As if its service had died: the lock is free, the rest is there. */
static void abandon(struct traced_rescue_folder *folder)
{
    orma_fd_close(&folder->dir_fd);
    orma_fd_close(&folder->root_fd);
    orma_fd_close(&folder->lock_fd);
    free(folder);
}

static void discard(void *ctx, const struct traced_rescue_found *found)
{
    int dir, lock;
    int32_t pid;

    (void)ctx;
    cr_assert_not(found->alive);
    cr_assert_eq(found->pid, getpid());
    cr_assert_eq(traced_rescue_claim(found->path, &dir, &lock, &pid), 0);
    cr_assert_eq(traced_rescue_discard(dir, found->path), 0);
    orma_fd_close(&dir);
    orma_fd_close(&lock);
}

Test(rescue, folders_of_the_last_dead_services_stay)
{
    char base[64];

    make_base(base);
    for (unsigned i = 0; i < TRACED_RESCUE_DEAD_MAX + 3; i++) {
        struct traced_rescue_folder *folder = make_folder(base);

        cr_assert_eq(folder->dead_num, i < TRACED_RESCUE_DEAD_MAX ? i : TRACED_RESCUE_DEAD_MAX);
        abandon(folder);
    }
    cr_assert_eq(traced_rescue_each(base, discard, NULL), TRACED_RESCUE_DEAD_MAX + 1);
    remove_base(base);
    orma_assert_no_leaks();
}

/* ---- memory ---- */

Test(rescue, where_the_file_system_is_full_memory_goes_on_without_it)
{
    char base[64];
    struct traced_rescue_memory m;

    make_base(base);
    struct traced_rescue_folder *folder = make_folder(base);
    cr_assert_eq(traced_rescue_map(folder, "m", KIB(1024), &m), 0);
    traced_rescue_back(&m, KIB(64));
    cr_assert_geq(m.backed, KIB(64));
    m.data[KIB(64) - 1] = 7;
    /* The file has no more than this: populating the rest fails, as on a full tmpfs. */
    int fd = openat(folder->dir_fd, "m", O_RDWR | O_CLOEXEC);
    cr_assert_eq(ftruncate(fd, (off_t)(traced_rescue_page() + m.backed)), 0);
    orma_fd_close(&fd);
    traced_rescue_back(&m, KIB(512));
    cr_assert_lt(m.limit, KIB(1024));
    cr_assert_eq(m.backed, KIB(1024));
    memset(m.data + m.limit, 1, KIB(1024) - m.limit);
    cr_assert_eq(m.data[KIB(64) - 1], 7);
    traced_rescue_unmap(&m);
    traced_rescue_folder_free(folder);
    remove_base(base);
    orma_assert_no_leaks();
}

Test(rescue, a_mapping_that_others_make_smaller_becomes_zeroes)
{
    int fd = memfd_create("m", MFD_CLOEXEC);
    struct orma_mapped *watched;

    cr_assert_eq(ftruncate(fd, (off_t)KIB(64)), 0);
    uint8_t *at = mmap(NULL, KIB(64), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(at, MAP_FAILED);
    cr_assert_eq(orma_mapped_watch(at, KIB(64), &watched), 0);
    memset(at, 3, KIB(64));
    cr_assert_not(orma_mapped_torn(watched));
    cr_assert_eq(ftruncate(fd, (off_t)KIB(16)), 0);
    cr_assert_eq(at[KIB(8)], 3);
    cr_assert_eq(at[KIB(32)], 0);
    at[KIB(63)] = 1;
    cr_assert_eq(at[KIB(63)], 1);
    cr_assert(orma_mapped_torn(watched));
    orma_mapped_close(watched);
    orma_fd_close(&fd);
    orma_assert_no_leaks();
}

/* ---- a buffer ---- */

/* Packets with consecutive numbers, as many as fit, the last one cut in two by the end. */
struct numbers {
    uint64_t next;
    uint8_t rest[64]; /* of the packet that goes on in the next chunk */
    size_t rest_len;
};

static size_t make_packet(uint8_t *to, uint64_t number)
{
    uint8_t *end = orma_varint_write(to, NUMBER << 3 | ORMA_PB_I64);

    memcpy(end, &number, sizeof(number));
    return (size_t)(end - to) + sizeof(number);
}

static uint16_t fill_chunk(struct numbers *n, uint8_t *payload, size_t size)
{
    uint16_t count = 0, flags = 0;
    uint8_t packet[32];
    size_t pos = 0;

    if (n->rest_len) {
        payload[pos++] = (uint8_t)n->rest_len;
        memcpy(payload + pos, n->rest, n->rest_len);
        pos += n->rest_len;
        n->rest_len = 0;
        flags |= ORMA_SHM_CONT_PREV;
        count++;
    }
    for (;;) {
        size_t len = make_packet(packet, n->next), room = size - pos;

        if (room < 4)
            break;
        n->next++;
        count++;
        if (room >= len + 1) {
            payload[pos++] = (uint8_t)len;
            memcpy(payload + pos, packet, len);
            pos += len;
            continue;
        }
        size_t part = room - 1;
        payload[pos++] = (uint8_t)part;
        memcpy(payload + pos, packet, part);
        n->rest_len = len - part;
        memcpy(n->rest, packet + part, n->rest_len);
        flags |= ORMA_SHM_CONT_NEXT;
        pos = size;
        break;
    }
    memset(payload + pos, 0, size - pos);
    return count | flags;
}

/* Writes until it is killed. `done`: packets that are whole in the buffer, by writer. */
static void write_for_ever(struct traced_rescue_folder *folder, size_t size, _Atomic uint64_t *done,
                           unsigned seed, bool read)
{
    struct numbers numbers[3] = {0};
    uint32_t ids[3] = {0};
    struct traced_buffer *buf;
    struct traced_packet packet;
    uint8_t payload[700];

    cr_assert_eq(traced_buffer_new_in(size, TRACED_RING, folder, "b", "q", &buf), 0);
    for (;;) {
        unsigned w = seed % 3;
        struct traced_seq *seq = traced_buffer_seq(buf, 7, (uint16_t)(w + 1));
        size_t len = 100 + seed % 600;

        seed = seed * 1103515245 + 12345;
        struct traced_chunk chunk = {.chunk_id = ids[w]++,
                                     .complete = true,
                                     .payload = payload,
                                     .payload_size = (uint32_t)len};
        chunk.packets = fill_chunk(&numbers[w], payload, len);
        traced_buffer_write(buf, seq, &chunk);
        atomic_store(&done[w], numbers[w].next - (numbers[w].rest_len ? 1 : 0));
        if (read && seed % 64 == 0) {
            traced_buffer_read_begin(buf);
            while (traced_buffer_read(buf, &packet))
                continue;
            traced_buffer_rewind(buf);
        }
    }
}

static uint8_t *load(const struct traced_rescue_folder *folder, const char *name, size_t *ret_len)
{
    struct orma_buf all = {0};

    cr_assert_eq(orma_fd_read_file(folder->dir_fd, name, SIZE_MAX / 2, &all), 0);
    uint8_t *copy = aligned_alloc(64, (all.len + 63) & ~(size_t)63);
    memcpy(copy, all.data, all.len);
    *ret_len = all.len;
    orma_buf_fini(&all);
    return copy;
}

static struct traced_buffer *recover(const struct traced_rescue_folder *folder)
{
    size_t len, seqs_len, page = traced_rescue_page();
    uint8_t *file = load(folder, "b", &len), *seqs_file = load(folder, "q", &seqs_len);
    const struct traced_rescue_buffer *head = (const struct traced_rescue_buffer *)file;
    struct traced_buffer *buf = NULL;
    size_t each = (sizeof(struct traced_seq) + 63) & ~(size_t)63;
    struct traced_seq seqs[8];

    cr_assert_eq(head->head.kind, TRACED_RESCUE_BUFFER);
    size_t num = (size_t)head->seqs_num;
    cr_assert_leq(num, 3);
    for (size_t i = 0; i < num; i++)
        memcpy(&seqs[i], seqs_file + page + i * each, sizeof(seqs[i]));
    struct traced_remains remains = {
        .head = head, .data = file + page, .seqs = seqs, .seqs_num = num};
    cr_assert_eq(traced_buffer_recover(&remains, &buf), 0);
    cr_assert_eq(remains.damaged_bytes, 0);
    free(file);
    free(seqs_file);
    return buf;
}

/* Every sequence: numbers without a gap, up to the last that was whole. */
static void expect_numbers(struct traced_buffer *buf, const _Atomic uint64_t *done)
{
    uint64_t next[3] = {0};
    bool seen[3] = {false};
    struct traced_packet p;

    traced_buffer_settle(buf);
    while (traced_buffer_read(buf, &p)) {
        uint8_t bytes[64];
        size_t len = 0;
        unsigned w = p.seq->writer_id - 1u;

        for (size_t i = 0; i < p.slices_num; i++) {
            memcpy(bytes + len, p.slices[i].data, p.slices[i].len);
            len += p.slices[i].len;
        }
        struct orma_pb_reader r = orma_pb_reader(bytes, len);
        struct orma_pb_field f;
        cr_assert(orma_pb_next(&r, &f) && f.id == NUMBER);
        if (seen[w])
            cr_assert_eq(f.num, next[w], "writer %u: %lu behind %lu", w, (unsigned long)f.num,
                         (unsigned long)next[w]);
        seen[w] = true;
        next[w] = f.num + 1;
    }
    for (unsigned w = 0; w < 3; w++)
        if (done[w])
            cr_assert_geq(next[w], done[w], "writer %u: up to %lu of %lu", w,
                          (unsigned long)next[w], (unsigned long)done[w]);
}

static void kill_at_random(size_t size, bool read)
{
    char base[64];
    _Atomic uint64_t *done =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    make_base(base);
    srand(1);
    for (unsigned i = 0; i < KILLS; i++) {
        struct traced_rescue_folder *folder = make_folder(base);
        memset((void *)done, 0, 64);
        pid_t child = fork();

        if (child == 0)
            write_for_ever(folder, size, done, i, read);
        while (!done[0] || !done[1] || !done[2])
            usleep(100);
        usleep((unsigned)rand() % 3000);
        kill(child, SIGKILL);
        cr_assert_eq(waitpid(child, NULL, 0), child);
        struct traced_buffer *buf = recover(folder);
        expect_numbers(buf, done);
        traced_buffer_free(buf);
        traced_rescue_folder_free(folder);
    }
    remove_base(base);
    (void)munmap((void *)done, 4096);
    orma_assert_no_leaks();
}

Test(rescue, a_ring_has_all_whole_packets_whenever_its_service_is_killed)
{
    kill_at_random(KIB(64), false);
}

Test(rescue, so_has_one_that_is_read_meanwhile)
{
    kill_at_random(KIB(8192), true);
}

Test(rescue, damaged_files_are_read_without_harm)
{
    struct traced_rescue_buffer head = {.size = KIB(64)};
    static uint8_t data[KIB(64)];
    static struct traced_seq seqs[64];

    srand(2);
    for (unsigned i = 0; i < 500; i++) {
        struct traced_buffer *buf = NULL;
        struct traced_packet p;

        for (size_t k = 0; k < sizeof(data); k += 4)
            *(uint32_t *)(void *)(data + k) = rand() % 3 ? 0 : (uint32_t)rand();
        for (size_t k = 0; k < sizeof(seqs); k++)
            ((uint8_t *)seqs)[k] = (uint8_t)(rand() % 4 ? rand() % 3 : rand());
        head.used = (uint64_t)rand() % (KIB(64) / 16 + 1) * 16;
        head.wptr = (uint64_t)rand() % (KIB(64) / 16 + 1) * 16;
        head.busy = rand() % 2 ? (uint64_t)rand() % (KIB(64) / 16 + 1) * 16 : 0;
        head.limit = rand() % 2 ? KIB(64) : (uint64_t)rand() % KIB(64);
        struct traced_remains remains = {.head = &head,
                                         .data = data,
                                         .seqs = seqs,
                                         .seqs_num = ORMA_ARRAY_LEN(seqs),
                                         .has_file = rand() % 2,
                                         .blocks = (uint64_t)rand()};
        int r = traced_buffer_recover(&remains, &buf);
        if (r < 0)
            continue;
        traced_buffer_settle(buf);
        while (traced_buffer_read(buf, &p))
            continue;
        traced_buffer_free(buf);
    }
    orma_assert_no_leaks();
}

/* A record that passes for one, whatever it says. */
static size_t put_lie(uint8_t *at, size_t room)
{
    size_t size = (size_t)(rand() % 20 + 1) * TRACED_RECORD_HEADER;
    struct traced_record rec = {
        .chunk_id = (uint32_t)(rand() % 8),
        .producer_id = 1,
        .writer_id = (uint16_t)(rand() % 2 + 1),
        .count = (uint16_t)(rand() % (rand() % 8 ? 4 : 1024)),
        .size = (uint16_t)(size < room || rand() % 8 == 0 ? size : room),
        .flags = (uint8_t)(rand() % 16),
        .slack = (uint8_t)(size > TRACED_RECORD_HEADER ? rand() % 16 : 0),
    };

    rec.check = traced_record_check(&rec);
    memcpy(at, &rec, sizeof(rec));
    return size < room ? size : room;
}

/* Numbers near those of the records: they lead everywhere. */
static void put_lies_of_seqs(struct traced_seq seqs[2])
{
    for (size_t k = 0; k < 2 * sizeof(*seqs); k++)
        ((uint8_t *)seqs)[k] = (uint8_t)(rand() % 2 ? 0 : rand() % 9);
    for (unsigned i = 0; i < 2; i++) {
        struct traced_seq *seq = &seqs[i];

        seq->producer_id = 1;
        seq->writer_id = (uint16_t)(i + 1);
        seq->trailer_len = 0;
        seq->next_id = (uint32_t)(rand() % 9);
        seq->gone_id = (uint32_t)(rand() % 9);
        for (unsigned m = 0; m < ORMA_ARRAY_LEN(seq->marks); m++) {
            seq->marks[m].block = (uint64_t)(rand() % 3);
            seq->marks[m].chunk_id = (uint32_t)(rand() % 9);
            seq->marks[m].read = (uint16_t)(rand() % 6);
        }
    }
}

static void read_lies(struct traced_rescue_buffer *head, const uint8_t *data)
{
    struct traced_seq seqs[2];
    struct traced_buffer *buf = NULL;
    struct traced_packet p;
    struct traced_remains remains = {.head = head,
                                     .data = data,
                                     .seqs = seqs,
                                     .seqs_num = 2,
                                     .has_file = rand() % 2,
                                     .blocks = (uint64_t)(rand() % 3)};

    put_lies_of_seqs(seqs);
    if (traced_buffer_recover(&remains, &buf) < 0)
        return;
    traced_buffer_settle(buf);
    while (traced_buffer_read(buf, &p))
        continue;
    traced_buffer_free(buf);
}

Test(rescue, records_that_lie_are_read_without_harm)
{
    enum { SIZE = KIB(2) };
    uint8_t *data = calloc(1, SIZE);

    srand(3);
    for (unsigned i = 0; i < 20000; i++) {
        struct traced_rescue_buffer head = {.size = SIZE, .used = SIZE, .limit = SIZE};
        size_t from = rand() % 2 ? (size_t)(rand() % 64) : 0; /* not where records may be */

        for (size_t k = 0; k < SIZE; k++)
            data[k] = (uint8_t)(rand() % 4 ? rand() % 12 : rand());
        for (size_t at = from; at + TRACED_RECORD_HEADER <= SIZE;)
            at += put_lie(data + at, SIZE - at);
        head.busy = rand() % 2 ? from : 0;
        head.wptr = (uint64_t)(rand() % 8) * TRACED_RECORD_HEADER;
        if (rand() % 4 == 0)
            head.limit = (uint64_t)rand() % SIZE;
        read_lies(&head, data);
    }
    free(data);
    orma_assert_no_leaks();
}

/* ---- reading beside the disk ---- */

static void write_chunks(struct traced_buffer *buf, uint16_t writer, uint32_t chunks)
{
    struct traced_seq *seq = traced_buffer_seq(buf, 7, writer);
    struct numbers n = {0};
    uint8_t payload[700];

    for (uint32_t i = 0; i < chunks; i++) {
        struct traced_chunk chunk = {
            .chunk_id = i, .complete = true, .payload = payload, .payload_size = sizeof(payload)};

        chunk.packets = fill_chunk(&n, payload, sizeof(payload));
        traced_buffer_write(buf, seq, &chunk);
    }
}

Test(rescue, one_sequence_does_not_keep_others_from_being_read)
{
    char base[64];
    struct traced_buffer *buf;
    struct traced_packet p;
    unsigned before = 0, all = 0;

    make_base(base);
    struct traced_rescue_folder *folder = make_folder(base);
    cr_assert_eq(traced_buffer_new_in(KIB(1024), TRACED_RING, folder, "b", "q", &buf), 0);
    traced_buffer_keep_read(buf);
    write_chunks(buf, 1, 1000);
    write_chunks(buf, 2, 1);
    traced_buffer_read_begin(buf);
    for (bool seen = false; traced_buffer_read(buf, &p); all++) {
        seen |= p.seq->writer_id == 2;
        before += !seen;
    }
    cr_assert_gt(all, 50000u);
    cr_assert_lt(before, 2000u);
    traced_buffer_free(buf);
    traced_rescue_folder_free(folder);
    remove_base(base);
    orma_assert_no_leaks();
}
