#include "processor/sql/sqlite/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR_BYTES 4096

struct output_file {
    sqlite3_file base;
    int fd;
};

static _Thread_local int output_fd = -1;
static _Thread_local int output_error;

void orma_sqlite_output_begin(int fd)
{
    output_fd = fd;
    output_error = 0;
}

int orma_sqlite_output_end(void)
{
    output_fd = -1;
    return output_error;
}

bool orma_sqlite_output_is(const char *name, bool *ret_main)
{
    const size_t len = strlen(ORMA_SQLITE_OUTPUT);

    if (output_fd < 0 || strncmp(name, ORMA_SQLITE_OUTPUT, len) != 0)
        return false;
    *ret_main = !name[len];
    return true;
}

static int fd_of(sqlite3_file *file)
{
    return ((struct output_file *)file)->fd;
}

static int output_close(sqlite3_file *file)
{
    (void)file; /* the descriptor is somebody else's */
    return SQLITE_OK;
}

static int output_read(sqlite3_file *file, void *buf, int len, sqlite3_int64 at)
{
    size_t done = 0, wanted = (size_t)len;

    while (done < wanted) {
        ssize_t n = pread(fd_of(file), (char *)buf + done, wanted - done, at + (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return SQLITE_IOERR_READ;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    memset((char *)buf + done, 0, wanted - done);
    return done < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int output_write(sqlite3_file *file, const void *buf, int len, sqlite3_int64 at)
{
    size_t done = 0, wanted = (size_t)len;

    while (done < wanted) {
        ssize_t n = pwrite(fd_of(file), (const char *)buf + done, wanted - done, at + (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            output_error = output_error ? output_error : n < 0 ? errno : ENOSPC;
            return SQLITE_FULL;
        }
        done += (size_t)n;
    }
    return SQLITE_OK;
}

static int output_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return ftruncate(fd_of(file), size) < 0 ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int output_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags; /* its owner does so where it matters */
    return SQLITE_OK;
}

static int output_size(sqlite3_file *file, sqlite3_int64 *ret)
{
    struct stat st;

    if (fstat(fd_of(file), &st) < 0)
        return SQLITE_IOERR_FSTAT;
    *ret = st.st_size;
    return SQLITE_OK;
}

/* Nobody else writes to the file. */
static int output_lock(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int output_reserved(sqlite3_file *file, int *ret)
{
    (void)file;
    *ret = 0;
    return SQLITE_OK;
}

static int output_control(sqlite3_file *file, int op, void *arg)
{
    (void)file;
    (void)op;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int output_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR_BYTES;
}

static int output_features(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = output_close,
    .xRead = output_read,
    .xWrite = output_write,
    .xTruncate = output_truncate,
    .xSync = output_sync,
    .xFileSize = output_size,
    .xLock = output_lock,
    .xUnlock = output_lock,
    .xCheckReservedLock = output_reserved,
    .xFileControl = output_control,
    .xSectorSize = output_sector,
    .xDeviceCharacteristics = output_features,
};

void orma_sqlite_output_open(sqlite3_file *file)
{
    *(struct output_file *)file = (struct output_file){.base.pMethods = &methods, .fd = output_fd};
}

int orma_sqlite_output_size(void)
{
    return (int)sizeof(struct output_file);
}
