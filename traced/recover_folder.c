#include "traced/recover_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/base/fd.h"
#include "sdk/shm/layout.h"
#include "traced/buffers/buffer.h"

#define SMALL_FILE_MAX ((size_t)16 << 20)

bool traced_recovery_head_read(int fd, enum traced_rescue_kind kind, size_t item_bytes, void *to,
                               size_t size)
{
    const struct traced_rescue_head *head = to;

    return fd >= 0 && orma_fd_read_at(fd, to, size, 0) == 0 && head->kind == (uint32_t)kind &&
           head->version == TRACED_RESCUE_VERSION && head->item_bytes == item_bytes &&
           head->head_bytes >= size && head->head_bytes <= (uint32_t)1 << 20;
}

int traced_recovery_folder_open(const struct traced_recovery_folder *self, const char *name)
{
    return orma_fd_open_regular(self->fd, name, O_NOFOLLOW);
}

int traced_recovery_folder_read(const struct traced_recovery_folder *self, const char *name,
                                struct orma_buf *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(self, name);

    return fd < 0 ? fd : orma_fd_read_all(fd, SMALL_FILE_MAX, ret);
}

static int compare_states(const void *a, const void *b)
{
    const struct traced_rescue_state *x = a, *y = b;

    return (x->session_id > y->session_id) - (x->session_id < y->session_id);
}

static int compare_producers(const void *a, const void *b)
{
    const struct traced_rescue_producer *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int take_state(struct traced_recovery_folder *self, const char *name, uint64_t id)
{
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(self, name);
    struct traced_rescue_state state;

    if (!traced_recovery_head_read(fd, TRACED_RESCUE_STATE, sizeof(state), &state, sizeof(state)) ||
        state.session_id != id || state.buffers_num > TRACED_RECOVERY_BUFFERS_MAX)
        return 0; /* not complete when the service died */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(state.files); i++)
        state.files[i].path[sizeof(state.files[i].path) - 1] = '\0';
    return ORMA_VEC_PUSH(&self->sessions, state);
}

static int take_buffer(struct traced_recovery_folder *self, const char *name, uint64_t id)
{
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(self, name);
    struct traced_rescue_buffer head;

    if (!traced_recovery_head_read(fd, TRACED_RESCUE_BUFFER, sizeof(struct traced_seq), &head,
                                   sizeof(head)) ||
        !head.used)
        return 0;
    return ORMA_VEC_PUSH(&self->filled, id);
}

static int take_producer(struct traced_recovery_folder *self, const char *name, uint32_t id)
{
    ORMA_AUTO(orma_fd_close) int fd = traced_recovery_folder_open(self, name);
    struct traced_rescue_producer who;

    if (!traced_recovery_head_read(fd, TRACED_RESCUE_PRODUCER, sizeof(uint32_t), &who,
                                   sizeof(who)) ||
        who.id != id || !id || id > UINT16_MAX ||
        !orma_shm_sizes_valid(who.page_size, who.shm_size))
        return 0;
    who.name[sizeof(who.name) - 1] = '\0';
    return ORMA_VEC_PUSH(&self->producers, who);
}

int traced_recovery_folder_scan(struct traced_recovery_folder *self)
{
    int copy = openat(self->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0, end;
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    uint32_t number;
    uint64_t id;

    if (!dir) {
        r = -errno;
        orma_fd_close(&copy);
        return r;
    }
    while (r == 0 && (entry = readdir(dir))) {
        const char *name = entry->d_name;

        end = 0;
        if (sscanf(name, "s%" SCNu64 ".state%n", &id, &end) == 1 && end && !name[end])
            r = take_state(self, name, id);
        else if (sscanf(name, "s%" SCNu64 ".b%" SCNu32 "%n", &id, &number, &end) == 2 && end &&
                 !name[end])
            r = take_buffer(self, name, id);
        else if (sscanf(name, "p%" SCNu64 ".who%n", &id, &end) == 1 && end && !name[end] &&
                 id <= UINT16_MAX)
            r = take_producer(self, name, (uint32_t)id);
    }
    (void)closedir(dir); /* read only */
    if (self->sessions.len)
        qsort(self->sessions.data, self->sessions.len, sizeof(self->sessions.data[0]),
              compare_states);
    if (self->producers.len)
        qsort(self->producers.data, self->producers.len, sizeof(self->producers.data[0]),
              compare_producers);
    return r;
}

void traced_recovery_folder_fini(struct traced_recovery_folder *self)
{
    ORMA_VEC_FINI(&self->sessions);
    ORMA_VEC_FINI(&self->filled);
    ORMA_VEC_FINI(&self->producers);
    orma_fd_close(&self->fd);
}

uint32_t traced_recovery_folder_strays(const struct traced_recovery_folder *self)
{
    uint32_t num = 0;

    for (uint32_t i = 0; i < self->filled.len; i++) {
        bool known = false;

        for (uint32_t j = 0; j < self->sessions.len && !known; j++)
            known = self->sessions.data[j].session_id == self->filled.data[i];
        num += !known;
    }
    return num;
}
