/*
 * What a trace is known by. Times of files move in steps of some milliseconds, of two seconds on
 * old file systems: a trace that was changed a moment ago may be changed again without a trace of
 * it, and is not settled. Where the file system keeps no time of writes through a mapping, all
 * bytes of the trace are looked at.
 */
#include "processor/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/hash.h"

#define END_BYTES ((size_t)64 << 10)
#define LANES 4u
#define SAMPLES 64u
#define SAMPLE_BYTES ((size_t)4 << 10)
/* Up to this size all bytes are hashed. */
#define WHOLE_MAX ((off_t)1 << 20)
#define STEP_NS INT64_C(100000000)
#define COARSE_STEP_NS INT64_C(2500000000)
#define BUILD_BYTES 32

struct key {
    uint64_t size, inode, content;
    int64_t modified_ns, changed_ns;
    uint32_t options, build_bytes;
    uint8_t build[BUILD_BYTES];
};
_Static_assert(sizeof(struct key) < ORMA_IMAGE_KEY_BYTES,
               "the key fits into the label, and names of parts behind it");

/* ---- the build ---- */

/* The id that the linker gave to the program or library that this code is in. */
struct build {
    uintptr_t here;
    struct key *key;
};

static void find_in_notes(const uint8_t *at, size_t len, struct key *key)
{
    while (len >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;

        memcpy(&note, at, sizeof(note));
        size_t name = (note.n_namesz + (size_t)3) & ~(size_t)3;
        size_t desc = (note.n_descsz + (size_t)3) & ~(size_t)3;
        if (name + desc > len - sizeof(note))
            return;
        const uint8_t *text = at + sizeof(note);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(text, "GNU", 4) &&
            note.n_descsz <= BUILD_BYTES) {
            key->build_bytes = note.n_descsz;
            memcpy(key->build, text + name, note.n_descsz);
        }
        at = text + name + desc;
        len -= sizeof(note) + name + desc;
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct build *b = data;
    bool ours = false;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        ours |=
            info->dlpi_phdr[i].p_type == PT_LOAD &&
            b->here - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz;
    for (unsigned i = 0; ours && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            find_in_notes((const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                          info->dlpi_phdr[i].p_memsz, b->key);
    return ours;
}

/* ---- the trace ---- */

/* Each mix of a hash waits for the one before it: of four lanes, the processor mixes four at once.
 */
static uint64_t hash_lanes(uint64_t seed, const uint8_t *bytes, size_t len)
{
    uint64_t lanes[LANES] = {0}, word;
    size_t at = 0;

    for (; len - at >= sizeof(lanes); at += sizeof(lanes)) {
        for (unsigned i = 0; i < LANES; i++) {
            memcpy(&word, bytes + at + i * sizeof(word), sizeof(word));
            lanes[i] = orma_mix64(lanes[i] ^ word);
        }
    }
    seed = orma_hash_bytes_from(seed, lanes, sizeof(lanes));
    return orma_hash_bytes_from(seed, bytes + at, len - at);
}

static int hash_at(int fd, off_t at, size_t len, uint64_t *hash)
{
    uint8_t bytes[END_BYTES];
    ssize_t n = pread(fd, bytes, len, at);

    if (n < 0)
        return -errno;
    *hash = hash_lanes(*hash, bytes, (size_t)n);
    return 0;
}

/* File systems in memory never write pages back, so a write through a mapping leaves the times as
 * they are. */
static bool times_tell(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && (uint32_t)fs.f_type != TMPFS_MAGIC &&
           (uint32_t)fs.f_type != RAMFS_MAGIC && (uint32_t)fs.f_type != HUGETLBFS_MAGIC;
}

static int hash_content(int fd, off_t size, uint64_t *ret)
{
    int r = 0;

    if (size <= WHOLE_MAX || !times_tell(fd)) {
        for (off_t at = 0; !r && at < size; at += (off_t)END_BYTES)
            r = hash_at(fd, at, END_BYTES, ret);
        return r;
    }
    r = hash_at(fd, 0, END_BYTES, ret);
    for (unsigned i = 1; !r && i < SAMPLES; i++)
        r = hash_at(fd, size / SAMPLES * i, SAMPLE_BYTES, ret);
    return r ? r : hash_at(fd, size - (off_t)END_BYTES, END_BYTES, ret);
}

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_settled(const struct key *key)
{
    int64_t last = ORMA_MAX(key->modified_ns, key->changed_ns);
    bool coarse = key->modified_ns % 1000000000 == 0 && key->changed_ns % 1000000000 == 0;

    return (int64_t)orma_clock_now(ORMA_CLOCK_REALTIME) - last >
           (coarse ? COARSE_STEP_NS : STEP_NS);
}

static void name_after_key(struct orma_cache_key *key)
{
    snprintf(key->name, sizeof(key->name), "%016llx.orma",
             (unsigned long long)orma_hash_bytes(key->label.key, sizeof(key->label.key)));
}

struct orma_cache_key orma_cache_part(const struct orma_cache_key *trace, const char *name)
{
    struct orma_cache_key ret = *trace;

    memcpy(ret.label.key + sizeof(struct key), name,
           strnlen(name, sizeof(ret.label.key) - sizeof(struct key)));
    name_after_key(&ret);
    return ret;
}

int orma_cache_identify(int fd, uint32_t options, struct orma_cache_key *ret)
{
    struct key key;
    struct stat st;

    memset(&key, 0, sizeof(key));
    (void)dl_iterate_phdr(look_at, &(struct build){(uintptr_t)&orma_cache_identify, &key});
    if (!key.build_bytes)
        return -ENOTSUP;
    /*
     * Of writes through a mapping only the first one to a page since its last writeback changes the
     * times, and the kernel writes back after half a minute. Writeback that begins here makes the
     * next write count. Where it cannot begin, the times are all there is.
     */
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (fstat(fd, &st) < 0)
        return -errno;
    key.size = (uint64_t)st.st_size;
    key.inode = st.st_ino;
    key.modified_ns = ns_of(st.st_mtim);
    key.changed_ns = ns_of(st.st_ctim);
    key.options = options;
    int r = hash_content(fd, st.st_size, &key.content);
    if (r)
        return r;
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->label.key, &key, sizeof(key));
    ret->settled = is_settled(&key);
    name_after_key(ret);
    return 0;
}
