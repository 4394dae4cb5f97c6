#include "traced/usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/path.h"
#include "traced/buffers/buffer.h"
#include "traced/rescue/layout.h"

#define BUFFERS_MAX 128

/* False: another file, of another version, or not complete yet. */
static bool read_head(int dir_fd, const char *name, enum traced_rescue_kind kind, size_t item_bytes,
                      void *to, size_t size)
{
    const struct traced_rescue_head *head = to;
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(dir_fd, name, O_NOFOLLOW);

    return fd >= 0 && orma_fd_read_at(fd, to, size, 0) == 0 && head->kind == (uint32_t)kind &&
           head->version == TRACED_RESCUE_VERSION && head->item_bytes == item_bytes;
}

static void add_sequence(struct traced_usage *usage, const struct traced_seq *seq)
{
    const struct traced_ledger *l = &seq->ledger;
    uint64_t lost = l->dropped + l->discarded + l->invalid + l->unpatched;
    uint64_t known = l->delivered + l->overwritten + lost;

    usage->delivered += l->delivered;
    usage->overwritten += l->overwritten + ORMA_MIN(seq->overwritten_at_most,
                                                    l->emitted > known ? l->emitted - known : 0);
    usage->lost += lost;
}

/* Of the sequences that the head tells of, those that may be there: a hole holds none, and a user's
 * file may be nothing else. */
static uint64_t count_sequences(int fd, const struct traced_rescue_buffer *head, size_t each)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return 0;
    return ORMA_MIN(head->seqs_num, (uint64_t)st.st_blocks * 512 / each + 1);
}

static void add_sequences(int dir_fd, const char *name, const struct traced_rescue_buffer *head,
                          struct traced_usage *usage)
{
    const size_t each = orma_align_up(sizeof(struct traced_seq), 64);
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(dir_fd, name, O_NOFOLLOW);
    uint64_t num = count_sequences(fd, head, each);
    struct traced_seq seq;

    for (uint64_t i = 0; i < num; i++) {
        if (orma_fd_read_at(fd, &seq, sizeof(seq), head->head.head_bytes + i * each) < 0)
            return;
        add_sequence(usage, &seq);
    }
}

/* `path` is what a user's file says. */
static void put_name(struct traced_usage *usage, char path[TRACED_RESCUE_PATH_MAX])
{
    path[TRACED_RESCUE_PATH_MAX - 1] = '\0';
    (void)snprintf(usage->file_name, sizeof(usage->file_name), "%s", orma_path_base(path)); /* cut */
    for (char *c = usage->file_name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static bool read_session(int dir_fd, const char *state_name, uint64_t id,
                         struct traced_usage *usage)
{
    char name[TRACED_RESCUE_NAME_MAX];
    struct traced_rescue_state state;

    if (!read_head(dir_fd, state_name, TRACED_RESCUE_STATE, sizeof(state), &state, sizeof(state)) ||
        state.session_id != id)
        return false;
    *usage = (struct traced_usage){.session_id = id};
    const struct traced_rescue_place *place = &state.places[state.place != 0];
    if (*state.files[place->file != 0].path)
        usage->file_bytes = place->bytes;
    usage->files = place->number;
    if (usage->files)
        put_name(usage, state.files[place->file != 0].path);
    for (uint32_t i = 0; i < state.buffers_num && i < BUFFERS_MAX; i++) {
        struct traced_rescue_buffer head;

        (void)snprintf(name, sizeof(name), "s%" PRIu64 ".b%" PRIu32, id, i);
        if (!read_head(dir_fd, name, TRACED_RESCUE_BUFFER, sizeof(struct traced_seq), &head,
                       sizeof(head)))
            continue;
        usage->size += head.size;
        usage->held += head.used;
        (void)snprintf(name, sizeof(name), "s%" PRIu64 ".q%" PRIu32, id, i);
        add_sequences(dir_fd, name, &head, usage);
    }
    return true;
}

int traced_usage_each(const char *path, void (*fn)(void *ctx, const struct traced_usage *usage),
                      void *ctx)
{
    DIR *dir = opendir(path);
    struct traced_usage usage;
    struct dirent *entry;
    uint64_t id;
    int num = 0;

    if (!dir)
        return -errno;
    while ((entry = readdir(dir))) {
        int end = 0;

        if (sscanf(entry->d_name, "s%" SCNu64 ".state%n", &id, &end) != 1 || !end ||
            entry->d_name[end] || !read_session(dirfd(dir), entry->d_name, id, &usage))
            continue;
        num++;
        fn(ctx, &usage);
    }
    (void)closedir(dir); /* read only */
    return num;
}
