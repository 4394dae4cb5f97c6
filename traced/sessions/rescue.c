/*
 * Notes are small and seldom written: as whole files, of which there are two, so that one is always
 * valid. Marks come with each block and are stores into mapped memory.
 */
#include "traced/sessions/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "traced/output/file.h"
#include "traced/rescue/layout.h"
#include "traced/sessions/session.h"

_Static_assert(sizeof(struct traced_rescue_state) <= 4096, "it is one page");

static struct traced_rescue_state *state_of(const struct traced_session *s)
{
    return (struct traced_rescue_state *)s->rescue.state.head;
}

static void make_name(const struct traced_session *s, const char *suffix,
                      char name[TRACED_RESCUE_NAME_MAX])
{
    (void)snprintf(name, TRACED_RESCUE_NAME_MAX, "s%" PRIu64 ".%s", s->id, suffix);
}

/* A whole small file. False: no space for it. */
static bool write_file(const struct traced_session *s, const char *suffix, const void *data,
                       size_t len)
{
    const struct traced_rescue_folder *folder = s->registry->rescue;
    char name[TRACED_RESCUE_NAME_MAX];

    make_name(s, suffix, name);
    traced_rescue_remove(folder, name);
    ORMA_AUTO(orma_fd_close) int fd = traced_rescue_create(folder, name);
    return fd >= 0 && orma_fd_write_all(fd, data, len) == 0;
}

static void note_file(const struct traced_session *s, struct traced_rescue_file *to)
{
    struct traced_file_place place;

    *to = (struct traced_rescue_file){0};
    if (!s->output.file || !traced_file_find_place(s->output.file, &place) ||
        strlen(place.path) >= sizeof(to->path))
        return;
    to->dev = place.dev;
    to->ino = place.ino;
    to->start = place.start;
    memcpy(to->path, place.path, strlen(place.path) + 1);
}

void traced_session_rescue_begin(struct traced_session *s)
{
    char name[TRACED_RESCUE_NAME_MAX];

    if (!s->registry->rescue)
        return;
    make_name(s, "state", name);
    if (traced_rescue_map(s->registry->rescue, name, traced_rescue_page(), &s->rescue.state) < 0)
        return;
    struct traced_rescue_state *state = state_of(s);

    state->session_id = s->id;
    state->uuid_msb = s->uuid_msb;
    state->uuid_lsb = s->uuid_lsb;
    state->uid = s->uid;
    state->pid = (int32_t)getpid();
    state->buffers_num = (uint32_t)s->buffers_num;
    state->start_boot_ns = orma_clock_boottime();
    atomic_store_explicit(&state->note, 2, memory_order_relaxed);
    note_file(s, &state->files[0]);
    if (!write_file(s, "config", s->config_bytes.data, s->config_bytes.len)) {
        traced_session_rescue_end(s);
        return;
    }
    for (size_t i = 0; i < s->buffers_num && s->output.file; i++)
        traced_buffer_keep_read(s->buffers[i].buf);
    s->rescue.start = state->files[0].start;
    state->head = (struct traced_rescue_head){.version = TRACED_RESCUE_VERSION,
                                              .head_bytes = (uint32_t)traced_rescue_page(),
                                              .item_bytes = sizeof(*state)};
    traced_rescue_barrier();
    state->head.kind = TRACED_RESCUE_STATE;
}

void traced_session_rescue_end(struct traced_session *s)
{
    static const char *const suffixes[] = {"config", "note0", "note1"};
    const struct traced_rescue_folder *folder = s->rescue.state.folder;
    char name[TRACED_RESCUE_NAME_MAX];

    ORMA_VEC_FINI(&s->rescue.marks);
    if (!folder)
        return;
    traced_rescue_unmap(&s->rescue.state); /* first: without it the rest means nothing */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(suffixes); i++) {
        make_name(s, suffixes[i], name);
        traced_rescue_remove(folder, name);
    }
}

void traced_session_rescue_note(struct traced_session *s)
{
    static const char *const suffixes[] = {"note0", "note1"};
    struct orma_buf out = {0};
    uint32_t len = 0;

    s->rescue.due = false;
    if (!s->rescue.state.folder || s->freeing)
        return;
    orma_buf_put(&out, &len, sizeof(len));
    traced_session_put_pending(&out, s);
    if (!out.failed) {
        len = (uint32_t)(out.len - sizeof(len));
        memcpy(out.data, &len, sizeof(len));
        orma_buf_put(&out, s->incidents.list.data, s->incidents.list.len);
    }
    unsigned next = (s->rescue.notes + 1) % 2;
    if (!out.failed && write_file(s, suffixes[next], out.data, out.len)) {
        s->rescue.notes++;
        traced_rescue_barrier();
        atomic_store_explicit(&state_of(s)->note, next, memory_order_relaxed);
        s->rescue.stale = false;
        s->rescue.noted_block = 0;
    }
    orma_buf_fini(&out);
}

static int push_mark(void *ctx, struct traced_seq *seq, const struct traced_mark *mark)
{
    struct traced_session *s = ctx;

    return ORMA_VEC_PUSH(&s->rescue.marks, ((struct traced_rescue_pending){seq, *mark}));
}

void traced_session_rescue_block(struct traced_session *s)
{
    s->rescue.blocks++;
    if (s->rescue.stale && !s->rescue.noted_block && s->rescue.state.folder) {
        s->rescue.noted_block = s->rescue.blocks;
        atomic_store_explicit(&state_of(s)->noted, s->rescue.blocks * 2 + s->rescue.notes % 2,
                              memory_order_relaxed);
    }
    for (size_t i = 0; i < s->buffers_num && s->rescue.state.folder; i++)
        traced_buffer_take_marks(s->buffers[i].buf, s->rescue.blocks, push_mark, s);
}

/*
 * Of several marks of a sequence only the newest is set, and under the number of the last block: so
 * the one that held before is there until `place` says that this one does.
 */
static void set_marks(struct traced_session *s, uint64_t blocks)
{
    struct traced_rescue_pending *all = s->rescue.marks.data;
    uint32_t num = 0;

    while (num < s->rescue.marks.len && all[num].mark.block <= blocks)
        num++;
    for (uint32_t i = num; i-- > 0;) {
        all[i].mark.block = blocks;
        traced_seq_set_mark(all[i].seq, &all[i].mark); /* an older one of the same is refused */
    }
    s->rescue.marks.len -= num;
    if (s->rescue.marks.len)
        memmove(all, all + num, s->rescue.marks.len * sizeof(*all));
}

static void set_place(struct traced_session *s, const struct traced_rescue_place *to)
{
    struct traced_rescue_state *state = state_of(s);
    uint32_t place = atomic_load_explicit(&state->place, memory_order_relaxed);

    state->places[!place] = *to;
    traced_rescue_barrier();
    atomic_store_explicit(&state->place, !place, memory_order_relaxed);
}

static struct traced_rescue_place current_place(const struct traced_session *s)
{
    const struct traced_rescue_state *state = state_of(s);

    return state->places[atomic_load_explicit(&state->place, memory_order_relaxed)];
}

void traced_session_rescue_written(struct traced_session *s, uint64_t blocks, uint64_t bytes,
                                   uint64_t old_bytes)
{
    if (!s->rescue.state.folder)
        return;
    struct traced_rescue_place place = current_place(s);
    if (blocks < place.blocks || (blocks == place.blocks && !place.old_bytes == !old_bytes))
        return;
    set_marks(s, blocks);
    place.blocks = blocks;
    place.bytes = s->rescue.start + bytes;
    place.old_bytes = old_bytes ? s->rescue.old_start + old_bytes : 0;
    set_place(s, &place);
    if (s->rescue.stale && blocks >= s->rescue.noted_block)
        traced_session_rescue_note(s);
}

void traced_session_rescue_next_file(struct traced_session *s)
{
    if (!s->rescue.state.folder)
        return;
    struct traced_rescue_place place = current_place(s);
    struct traced_rescue_file *to = &state_of(s)->files[!place.file];

    note_file(s, to);
    traced_rescue_barrier();
    s->rescue.old_start = s->rescue.start;
    s->rescue.start = to->start;
    place.file = !place.file;
    place.number++;
    place.old_bytes = place.bytes;
    place.bytes = to->start;
    set_place(s, &place);
}

void traced_session_rescue_complete(struct traced_session *s, bool whole)
{
    if (s->rescue.state.folder && whole)
        atomic_store_explicit(&state_of(s)->is_complete, 1, memory_order_relaxed);
}

void traced_session_rescue_forget_marks(struct traced_session *s)
{
    s->rescue.marks.len = 0;
}
