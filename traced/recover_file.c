#include "traced/recover_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"

/* In which the id of the trace is looked for. */
#define HEAD_MAX ((size_t)1 << 20)

/* By the first packets: is it the file of this session? 1, 0, or -1: they do not say. */
static int has_uuid(int fd, const struct traced_rescue_state *state, uint64_t start)
{
    uint8_t *data = malloc(HEAD_MAX);
    ssize_t size = data ? pread(fd, data, HEAD_MAX, (off_t)start) : 0;
    struct orma_pb_reader r = orma_pb_reader(data, size > 0 ? (size_t)size : 0);
    struct orma_pb_field f, in, id;
    int found = -1;

    while (found < 0 && orma_pb_next(&r, &f)) {
        struct orma_pb_reader packet = orma_pb_sub(&f);

        while (found < 0 && orma_pb_next(&packet, &in)) {
            struct orma_pb_reader uuid = orma_pb_sub(&in);
            int64_t halves[2] = {0};

            if (in.id != ORMA_PB_TRACE_PACKET_TRACE_UUID || in.wire != ORMA_PB_LEN)
                continue;
            while (orma_pb_next(&uuid, &id))
                if (id.id == ORMA_PB_TRACE_UUID_MSB || id.id == ORMA_PB_TRACE_UUID_LSB)
                    halves[id.id == ORMA_PB_TRACE_UUID_LSB] = (int64_t)id.num;
            found = halves[0] == state->uuid_msb && halves[1] == state->uuid_lsb;
        }
    }
    free(data);
    return found;
}

int traced_recovery_open_file(int folder_fd, const struct traced_rescue_state *state,
                              const struct traced_rescue_file *file)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(AT_FDCWD, file->path, 0);
    struct stat st, folder;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != file->ino ||
        fstat(folder_fd, &folder) < 0 || (folder.st_uid != geteuid() && folder.st_uid != st.st_uid))
        return -1;
    int same = has_uuid(fd, state, file->start);
    if (!same || (same < 0 && st.st_dev != file->dev))
        return -1;
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}
