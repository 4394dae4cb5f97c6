/*
 *   file ─► blocks[]: 64 KiB each, made when first written; a hole reads as zeros
 *        ─► fd: what lies from SPILL on, at the same place
 */
#include "processor/sql/sqlite/temp_files.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/sql/sqlite/output_file.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define VFS_NAME "orma-temp"
#define BLOCK ((size_t)65536)
#define SPILL ((size_t)4 << 20)
#define SPILL_END ((size_t)4 << 30)

struct temp_file {
    sqlite3_file base;
    char **blocks;
    size_t blocks_num, blocks_cap;
    sqlite3_int64 size;
    int fd;     /* -1: there is none */
    size_t end; /* what lies from there on stays in memory; 0: all */
};

static sqlite3_vfs vfs;
static int (*default_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);

static void drop_blocks(struct temp_file *self, size_t from)
{
    for (size_t i = from; i < self->blocks_num; i++)
        free(self->blocks[i]);
    self->blocks_num = ORMA_MIN(self->blocks_num, from);
}

static int temp_close(sqlite3_file *file)
{
    struct temp_file *self = (struct temp_file *)file;

    drop_blocks(self, 0);
    free(self->blocks);
    self->blocks = NULL;
    orma_fd_close(&self->fd);
    return SQLITE_OK;
}

/* Whether what is written there goes to the file system. */
static bool is_spilled(struct temp_file *self, size_t at)
{
    const char *const wanted = getenv("TMPDIR");
    const char *const folders[] = {wanted ? wanted : "/var/tmp", wanted ? wanted : "/tmp"};

    if (at < SPILL || at >= self->end)
        return false;
    for (size_t i = 0; self->fd < 0 && i < ORMA_ARRAY_LEN(folders); i++)
        self->fd = open(folders[i], O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (self->fd < 0)
        self->end = 0;
    return self->end;
}

static int temp_read(sqlite3_file *file, void *buf, int len, sqlite3_int64 at)
{
    const struct temp_file *self = (const struct temp_file *)file;
    sqlite3_int64 have = self->size - at;
    size_t left = have < 0 ? 0 : (size_t)ORMA_MIN((sqlite3_int64)len, have), pos = (size_t)at;
    char *to = buf;

    memset(to + left, 0, (size_t)len - left);
    while (left) {
        size_t in_block = pos % BLOCK, n = ORMA_MIN(left, BLOCK - in_block), i = pos / BLOCK;

        if (i < self->blocks_num && self->blocks[i])
            memcpy(to, self->blocks[i] + in_block, n);
        else
            memset(to, 0, n);
        if (pos >= SPILL && pos < self->end && self->fd >= 0 &&
            pread(self->fd, to, n, (off_t)pos) < 0)
            return SQLITE_IOERR_READ;
        to += n;
        pos += n;
        left -= n;
    }
    return have < len ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* The block number `i`, made if need be; NULL: out of memory. */
static char *block_at(struct temp_file *self, size_t i)
{
    if (i >= self->blocks_cap) {
        size_t cap = ORMA_MAX(i + 1, self->blocks_cap * 2);
        char **more = realloc(self->blocks, cap * sizeof(*more));

        if (!more)
            return NULL;
        self->blocks = more;
        self->blocks_cap = cap;
    }
    while (self->blocks_num <= i)
        self->blocks[self->blocks_num++] = NULL;
    if (!self->blocks[i])
        self->blocks[i] = calloc(1, BLOCK);
    return self->blocks[i];
}

static int temp_write(sqlite3_file *file, const void *buf, int len, sqlite3_int64 at)
{
    struct temp_file *self = (struct temp_file *)file;
    const char *from = buf;
    size_t left = (size_t)len, pos = (size_t)at;

    while (left) {
        size_t in_block = pos % BLOCK, n = ORMA_MIN(left, BLOCK - in_block);
        const bool spilled = is_spilled(self, pos);
        char *block = spilled ? NULL : block_at(self, pos / BLOCK);

        if (spilled && pwrite(self->fd, from, n, (off_t)pos) != (ssize_t)n)
            return SQLITE_FULL;
        if (!spilled && !block)
            return SQLITE_IOERR_NOMEM;
        if (block)
            memcpy(block + in_block, from, n);
        from += n;
        pos += n;
        left -= n;
    }
    self->size = ORMA_MAX(self->size, at + len);
    return SQLITE_OK;
}

static int temp_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct temp_file *self = (struct temp_file *)file;
    size_t whole = (size_t)size / BLOCK, rest = (size_t)size % BLOCK;

    if (size >= self->size)
        return SQLITE_OK;
    drop_blocks(self, whole + (rest != 0));
    if (rest && whole < self->blocks_num && self->blocks[whole])
        memset(self->blocks[whole] + rest, 0, BLOCK - rest);
    if (self->fd >= 0 && ftruncate(self->fd, size) < 0)
        return SQLITE_IOERR_TRUNCATE;
    self->size = size;
    return SQLITE_OK;
}

static int temp_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return SQLITE_OK;
}

static int temp_size(sqlite3_file *file, sqlite3_int64 *ret)
{
    *ret = ((const struct temp_file *)file)->size;
    return SQLITE_OK;
}

/* Nobody else can see the file. */
static int temp_lock(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int temp_reserved(sqlite3_file *file, int *ret)
{
    (void)file;
    *ret = 0;
    return SQLITE_OK;
}

static int temp_control(sqlite3_file *file, int op, void *arg)
{
    (void)file;
    (void)op;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int temp_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int temp_features(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL |
           SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = temp_close,
    .xRead = temp_read,
    .xWrite = temp_write,
    .xTruncate = temp_truncate,
    .xSync = temp_sync,
    .xFileSize = temp_size,
    .xLock = temp_lock,
    .xUnlock = temp_lock,
    .xCheckReservedLock = temp_reserved,
    .xFileControl = temp_control,
    .xSectorSize = temp_sector,
    .xDeviceCharacteristics = temp_features,
};

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    bool is_output = false;

    if (name && !orma_sqlite_output_is(name, &is_output))
        return default_open(self, name, file, flags, ret_flags);
    if (ret_flags)
        *ret_flags = flags;
    if (is_output) {
        orma_sqlite_output_open(file);
        return SQLITE_OK;
    }
    *(struct temp_file *)file =
        (struct temp_file){.base.pMethods = &methods, .fd = -1, .end = SPILL_END};
    return SQLITE_OK;
}

static void make_vfs(void)
{
    const sqlite3_vfs *base = sqlite3_vfs_find(NULL);

    if (!base)
        return;
    vfs = *base;
    default_open = base->xOpen;
    vfs.pNext = NULL;
    vfs.zName = VFS_NAME;
    vfs.xOpen = open_file;
    vfs.szOsFile = ORMA_MAX(vfs.szOsFile, (int)sizeof(struct temp_file));
    vfs.szOsFile = ORMA_MAX(vfs.szOsFile, orma_sqlite_output_size());
    if (sqlite3_vfs_register(&vfs, 0))
        default_open = NULL;
}

const char *orma_sqlite_temp_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, make_vfs);
    return default_open ? VFS_NAME : NULL;
}
