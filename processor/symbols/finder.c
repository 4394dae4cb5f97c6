/*
 * Folders that the user gave are indexed once, by the build ids of their files; of several
 * files with one id the best is taken: debug information counts most. Folders of this machine
 * are looked into by name: below .build-id, then the path of the mapping and its base name.
 * Debug information that lies elsewhere is found by the build id or by the debug link, whose
 * checksum must be right when there is no id to compare.
 */
#include "processor/symbols/finder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/hex.h"
#include "sdk/base/path.h"

#define DEBUG_ROOT "/usr/lib/debug"
/* "/" for the binaries themselves. */
#define OWN_PATHS "/:" DEBUG_ROOT
#define INDEXED_MAX (4u << 20)
#define DEPTH_MAX 128
#define CRC_BYTES_MAX (UINT64_C(8) << 30) /* of debug files, for their sums */
#define APK_PREFIX "base.apk!"
#define GUID_LEN 16

/* A file of the index; those with the same hash of their build id in a chain. */
struct indexed {
    struct indexed *next;
    const char *path;
    uint64_t load_bias;
    size_t id_len;
    bool has_dwarf, has_code;
    uint8_t id[ORMA_BUILD_ID_MAX];
};

/* A build id as bytes. */
struct build_id {
    uint8_t bytes[ORMA_BUILD_ID_MAX];
    size_t len;
};

int orma_finder_init(struct orma_finder *self, const char *paths, enum orma_symbolizer_mode mode)
{
    *self = (struct orma_finder){.mode = paths ? mode : ORMA_SYMBOLIZER_FIND};
    self->paths = strdup(paths ? paths : OWN_PATHS);
    return self->paths ? 0 : -ENOMEM;
}

void orma_finder_fini(struct orma_finder *self)
{
    free(self->paths);
    orma_arena_fini(&self->arena);
    orma_map_fini(&self->by_id);
}

/* Module ids of Breakpad, in hexadecimal. */
#define BREAKPAD_LEN 33

static bool parse_id(struct orma_str hex, struct build_id *ret)
{
    *ret = (struct build_id){0};
    if (hex.len == BREAKPAD_LEN)
        hex.len--; /* that digit counts versions */
    if (hex.len % 2 || hex.len / 2 > ORMA_BUILD_ID_MAX)
        return false;
    for (size_t i = 0; i < hex.len; i += 2) {
        int high = orma_hex_digit(hex.data[i]), low = orma_hex_digit(hex.data[i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret->bytes[ret->len++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/*
 * Chrome names modules as Breakpad does: by the first 16 bytes of the build id, read as a GUID,
 * whose first three numbers have their bytes in the other order.
 */
static bool make_guid(const uint8_t *id, size_t len, uint8_t ret[GUID_LEN])
{
    static const uint8_t order[GUID_LEN] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

    for (size_t i = 0; len >= GUID_LEN && i < GUID_LEN; i++)
        ret[i] = id[order[i]];
    return len >= GUID_LEN;
}

static bool is_id(const uint8_t *id, size_t len, const struct build_id *want)
{
    uint8_t guid[GUID_LEN];

    return (len == want->len && !memcmp(id, want->bytes, len)) ||
           (want->len == GUID_LEN && make_guid(id, len, guid) &&
            !memcmp(guid, want->bytes, GUID_LEN));
}

static bool same_id(const struct orma_binary_info *info, const struct build_id *id)
{
    return is_id(info->build_id, info->build_id_len, id);
}

/* ---- the index ---- */

static void set_id(struct orma_found *ret, const uint8_t *id, size_t len)
{
    memcpy(ret->build_id, id, len);
    ret->build_id_len = len;
}

static uint64_t id_key(const uint8_t *id, size_t len)
{
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, id, len);

    return key == ORMA_MAP_NONE ? 0 : key;
}

static void add_under(struct orma_finder *self, const struct indexed *file, uint64_t key)
{
    struct indexed *copy = orma_arena_alloc(&self->arena, sizeof(*copy));

    if (!copy)
        return; /* out of memory: it is not found */
    *copy = *file;
    copy->next = orma_map_get_ptr(&self->by_id, key);
    (void)orma_map_put_ptr(&self->by_id, key, copy);
}

static void add_to_index(struct orma_finder *self, const char *path)
{
    struct orma_binary_info info;
    uint8_t guid[GUID_LEN];

    if (orma_binary_peek(path, &info) < 0 || !info.build_id_len)
        return;
    struct indexed file = {.path = orma_arena_strdup(&self->arena, orma_str_from(path)),
                           .load_bias = info.load_bias,
                           .id_len = info.build_id_len,
                           .has_dwarf = info.has_dwarf,
                           .has_code = info.has_code};
    if (!file.path)
        return;
    memcpy(file.id, info.build_id, info.build_id_len);
    add_under(self, &file, id_key(info.build_id, info.build_id_len));
    if (make_guid(info.build_id, info.build_id_len, guid))
        add_under(self, &file, id_key(guid, GUID_LEN));
}

static void build_index(struct orma_finder *self)
{
    char *list = strdup(self->paths), *rest = list, *path;
    size_t files = 0;

    self->indexed = true;
    while (list && (path = strsep(&rest, ":"))) {
        char *const roots[] = {path, NULL};
        FTS *walk = *path ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
        FTSENT *e;

        while (walk && (e = fts_read(walk)) && files < INDEXED_MAX) {
            if (e->fts_level > DEPTH_MAX)
                (void)fts_set(walk, e, FTS_SKIP);
            else if (e->fts_info == FTS_F || e->fts_info == FTS_SL)
                files++, add_to_index(self, e->fts_accpath);
        }
        if (walk)
            (void)fts_close(walk);
    }
    free(list);
}

/* The best of the files with this build id: debug information counts most. */
static bool find_indexed(struct orma_finder *self, const struct build_id *id,
                         struct orma_found *ret)
{
    const struct indexed *best = NULL;

    if (!self->indexed)
        build_index(self);
    for (const struct indexed *f = orma_map_get_ptr(&self->by_id, id_key(id->bytes, id->len)); f;
         f = f->next) {
        if (!is_id(f->id, f->id_len, id))
            continue;
        if (!best || f->has_dwarf >= best->has_dwarf)
            best = f;
        if (f->has_code) {
            ret->load_bias = f->load_bias;
            ret->has_bias = true;
        }
    }
    if (best)
        orma_buf_put_str(&ret->path, best->path);
    ret->has_dwarf = best && best->has_dwarf;
    if (best)
        set_id(ret, best->id, best->id_len);
    return best;
}

/* ---- looking into folders ---- */

/* A search on its way: the best file so far, and the binary itself. */
struct search {
    const struct orma_symbolizer_module *module;
    struct build_id *id; /* length 0: any */
    struct orma_found *ret;
    struct orma_buf binary; /* path of the file with the code */
    struct orma_binary_info binary_info;
    bool has_dwarf, found;
    bool only_names; /* nothing is opened: is there anything? */
};

/* True if nothing better can come. */
static bool try_file(struct search *s, const char *path)
{
    struct orma_binary_info info;

    if (orma_binary_peek(path, &info) < 0 || (s->id->len && !same_id(&info, s->id)))
        return false;
    if (info.has_code && !s->ret->has_bias) {
        s->ret->has_bias = true;
        s->ret->load_bias = info.load_bias;
        s->binary_info = info;
        orma_buf_clear(&s->binary);
        orma_buf_put_str(&s->binary, path);
    }
    if (!s->found || (info.has_dwarf && !s->has_dwarf)) {
        orma_buf_clear(&s->ret->path);
        orma_buf_put_str(&s->ret->path, path);
        s->has_dwarf = info.has_dwarf;
    }
    s->found = true;
    return s->has_dwarf && s->ret->has_bias;
}

ORMA_PRINTF(2, 3) static bool try_name(struct search *s, const char *fmt, ...)
{
    struct orma_buf path = {0};
    char text[8192];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (len <= 0 || (size_t)len >= sizeof(text))
        return false;
    if (s->only_names)
        return access(text, F_OK) == 0;
    orma_buf_put_str(&path, text);
    bool done = !path.failed && try_file(s, orma_buf_cstr(&path));
    orma_buf_fini(&path);
    return done;
}

static bool try_build_id(struct search *s, const char *root)
{
    char hex[2 * ORMA_BUILD_ID_MAX + 1] = "";

    for (size_t i = 1; i < s->id->len; i++)
        snprintf(hex + 2 * (i - 1), 3, "%02x", s->id->bytes[i]);
    return s->id->len > 1 && try_name(s, "%s/.build-id/%02x/%s.debug", root, s->id->bytes[0], hex);
}

static bool look_into(struct search *s, const char *root)
{
    struct orma_str path = s->module->path, base = orma_path_base_of(path);
    struct orma_str dir = {path.data, path.len - base.len};
    struct orma_str apk = base;
    const char *sep = path.len && path.data[0] == '/' ? "" : "/";

    if (orma_str_starts(base, ORMA_STR(APK_PREFIX)))
        apk = (struct orma_str){base.data + strlen(APK_PREFIX), base.len - strlen(APK_PREFIX)};
    if (!strcmp(root, "/"))
        root = "";
    if (!*root && *sep && path.len && try_name(s, "%.*s", ORMA_STR_ARG(path)))
        return true; /* of this machine, and relative */
    if (base.len) {
        if (try_name(s, "%s%s%.*s", root, sep, ORMA_STR_ARG(path)))
            return true;
        if (apk.len != base.len &&
            try_name(s, "%s%s%.*s%.*s", root, sep, ORMA_STR_ARG(dir), ORMA_STR_ARG(apk)))
            return true;
        /* By the bare name any file would do, so the id must tell. */
        if (s->id->len && *root &&
            (try_name(s, "%s/%.*s", root, ORMA_STR_ARG(base)) ||
             (apk.len != base.len && try_name(s, "%s/%.*s", root, ORMA_STR_ARG(apk)))))
            return true;
    }
    return try_build_id(s, root);
}

/* ---- debug information that lies elsewhere ---- */

/* CRC-32 as zlib and binutils count it: of each byte, what it does to the sum. */
static void fill_crc_table(uint32_t table[256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[byte] = crc;
    }
}

/* Whoever owns a binary names its debug file, and holes of a file cost nothing: all that is summed
 * up by this process has a limit. */
static bool is_within_limit(uint64_t size)
{
    static _Atomic uint64_t summed;

    return size <= CRC_BYTES_MAX && atomic_fetch_add(&summed, size) + size <= CRC_BYTES_MAX;
}

static bool crc_is(const char *path, uint32_t want)
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint32_t crc = UINT32_MAX, table[256];
    uint8_t block[16384];
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        !is_within_limit((uint64_t)st.st_size))
        return false;
    fill_crc_table(table);
    while ((n = read(fd, block, sizeof(block))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            crc = crc >> 8 ^ table[(crc ^ block[i]) & 255];
    }
    return n == 0 && ~crc == want;
}

static void try_link(struct search *s, const char *root, const char *between)
{
    struct orma_str binary = orma_buf_str(&s->binary), base = orma_path_base_of(binary);
    struct orma_str dir = {binary.data, binary.len - base.len};
    struct orma_binary_info info;
    struct orma_buf path = {0};

    orma_buf_printf(&path, "%s%.*s%s%s", root, ORMA_STR_ARG(dir), between,
                    s->binary_info.debug_link);
    const char *file = orma_buf_cstr(&path);
    /* The build id tells whether it belongs to the binary; without one, the sum does. */
    if (!s->has_dwarf && orma_binary_peek(file, &info) == 0 && info.has_dwarf &&
        (s->binary_info.build_id_len
             ? info.build_id_len == s->binary_info.build_id_len &&
                   !memcmp(info.build_id, s->binary_info.build_id, info.build_id_len)
             : crc_is(file, s->binary_info.debug_crc))) {
        orma_buf_clear(&s->ret->path);
        orma_buf_put_str(&s->ret->path, file);
        s->has_dwarf = true;
    }
    orma_buf_fini(&path);
}

static void find_debug_file(struct search *s)
{
    if (s->binary.len && s->binary_info.debug_link[0]) {
        try_link(s, "", "");
        try_link(s, "", ".debug/");
        try_link(s, DEBUG_ROOT, "");
    }
    if (s->binary_info.build_id_len) { /* now it is known which one it is, and all of its id */
        s->id->len = s->binary_info.build_id_len;
        memcpy(s->id->bytes, s->binary_info.build_id, s->id->len);
    }
    if (!s->has_dwarf)
        (void)try_build_id(s, DEBUG_ROOT);
}

/* Into each folder, until nothing better can come. */
static bool look_into_all(struct search *s, const char *paths)
{
    char *list = strdup(paths), *rest = list, *root;
    bool done = false;

    while (list && !done && (root = strsep(&rest, ":"))) {
        if (*root)
            done = look_into(s, root);
    }
    free(list);
    return done;
}

static bool is_sound(const struct orma_symbolizer_module *module, struct build_id *ret_id)
{
    return parse_id(module->build_id, ret_id) &&
           !memchr(module->path.data ? module->path.data : "", 0, module->path.len);
}

bool orma_finder_may_find(const struct orma_finder *self,
                          const struct orma_symbolizer_module *module)
{
    struct build_id id;
    struct search s = {.module = module, .id = &id, .only_names = true};

    return is_sound(module, &id) &&
           (self->mode == ORMA_SYMBOLIZER_INDEX ? id.len > 0 : look_into_all(&s, self->paths));
}

bool orma_finder_find(struct orma_finder *self, const struct orma_symbolizer_module *module,
                      struct orma_found *ret)
{
    struct build_id id;
    struct search s = {.module = module, .id = &id, .ret = ret};

    *ret = (struct orma_found){0};
    if (!is_sound(module, &id))
        return false;
    set_id(ret, id.bytes, id.len);
    if (self->mode == ORMA_SYMBOLIZER_INDEX) {
        bool found = id.len && find_indexed(self, &id, ret);

        if (!found || ret->path.failed)
            orma_buf_fini(&ret->path);
        return found && ret->path.data;
    }
    (void)look_into_all(&s, self->paths);
    if (s.found && !s.has_dwarf)
        find_debug_file(&s);
    orma_buf_fini(&s.binary);
    ret->has_dwarf = s.has_dwarf;
    set_id(ret, id.bytes, id.len);
    if (!s.found || ret->path.failed)
        orma_buf_fini(&ret->path);
    return s.found && ret->path.data;
}
