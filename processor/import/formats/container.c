/*
 * Files with several files in them: tar and zip. Members are detected by their first bytes
 * and imported by kind: packets first, then containers, then the rest, symbols last; within a kind
 * by name. Hidden members (a part of the path begins with a dot) are left out.
 *
 * Reading has three steps: the list of members is collected, then each member's first bytes are
 * unpacked to detect its kind, then the sorted members are imported one by one. A zip archive is
 * read from its list at the end; one whose end is missing, by the headers of its members.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/container.h"
#include "processor/import/formats/formats.h"
#include "processor/read/inflate_whole.h"
#include "processor/threads/crew.h"
#include "sdk/base/vec.h"

/* What one member may give while others are still read. */
#define AHEAD_BYTES_MAX ((uint64_t)64 << 20)

/* ---- members ---- */

struct head {
    uint8_t data[ORMA_FORMAT_HEAD];
    size_t len;
};

static void head_sink(void *data, const uint8_t *bytes, size_t len)
{
    struct head *h = data;
    size_t n = ORMA_MIN(len, ORMA_FORMAT_HEAD - h->len);

    memcpy(h->data + h->len, bytes, n);
    h->len += n;
}

/* The first bytes of a member, unpacked as far as need be. */
static void read_head(const struct orma_format_member *m, struct head *ret)
{
    ret->len = 0;
    if (!m->packed) {
        head_sink(ret, m->data, m->len);
        return;
    }
    struct orma_inflater *z = orma_inflater_new(ORMA_INFLATE_RAW);
    for (size_t pos = 0; z && pos < m->len && ret->len < ORMA_FORMAT_HEAD;
         pos += ORMA_FORMAT_HEAD) {
        const struct orma_str piece = {(const char *)m->data + pos,
                                       ORMA_MIN(ORMA_FORMAT_HEAD, m->len - pos)};

        if (orma_inflater_feed(z, piece, head_sink, ret) < 0)
            break; /* reported when all of it is read */
    }
    orma_inflater_free(z);
}

static unsigned kind_of(enum orma_format format)
{
    switch (format) {
    case ORMA_FORMAT_MANIFEST:
        return 0;
    case ORMA_FORMAT_PROTO:
        return 1;
    case ORMA_FORMAT_GZIP:
    case ORMA_FORMAT_ZSTD:
    case ORMA_FORMAT_XZ:
    case ORMA_FORMAT_BZIP2:
    case ORMA_FORMAT_ZIP:
    case ORMA_FORMAT_TAR:
    case ORMA_FORMAT_CTRACE:
        return 2;
    case ORMA_FORMAT_SYMBOLS:
        return 4;
    default:
        return 3;
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct orma_format_member *x = a, *y = b;
    size_t len = ORMA_MIN(x->name.len, y->name.len);
    int r = memcmp(x->name.data, y->name.data, len);

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (!r && x->name.len != y->name.len)
        r = x->name.len < y->name.len ? -1 : 1;
    if (!r)
        r = x->idx < y->idx ? -1 : x->idx > y->idx;
    return r;
}

static void look_into(struct orma_format_member *m)
{
    struct head h;

    read_head(m, &h);
    enum orma_format format = orma_detect_format(h.data, h.len, true);
    m->kind = kind_of(format);
    m->leads = format == ORMA_FORMAT_UFTRACE || format == ORMA_FORMAT_CTF;
    m->is_ctf = format == ORMA_FORMAT_CTF;
    m->is_trace = format != ORMA_FORMAT_UNKNOWN && format != ORMA_FORMAT_MANIFEST &&
                  format != ORMA_FORMAT_SYMBOLS;
}

static int by_bytes(const void *a, const void *b)
{
    const struct orma_format_member *x = a, *y = b;

    if (x->is_trace != y->is_trace)
        return x->is_trace ? -1 : 1;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->data, y->data, x->len);
}

/* Of equals, the first to be read comes first. */
static int by_bytes_then_place(const void *a, const void *b)
{
    int r = by_bytes(a, b);

    return r ? r : by_kind(a, b);
}

/* The same trace under two names has all its rows more than once: nobody wants that without a word.
 */
static void find_repeated(struct orma_format_archive *a)
{
    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_bytes_then_place);
    for (unsigned i = 1; i < a->num && a->list[i].is_trace; i++)
        a->list[i].repeats = !a->list[i].leads && !by_bytes(&a->list[i - 1], &a->list[i]);
}

struct unpacking {
    struct orma_file *inside;
    uint32_t crc;
};

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    struct unpacking *self = data;

    (void)orma_inflate_sum(&self->crc, bytes, len);
    orma_file_feed(self->inside, bytes, len);
}

static void check_sum(struct orma_format_archive *a, const struct orma_format_member *m,
                      uint32_t crc)
{
    if (m->sum && orma_format_le(m->sum, 4) != crc && !orma_file_failed(a->file))
        orma_file_damage(a->file, m->sum, 4, "the checksum of a member is wrong");
}

static int by_idx(const void *a, const void *b)
{
    const struct orma_format_member *x = a, *y = b;

    return x->idx < y->idx ? -1 : x->idx > y->idx;
}

/* All members are known before the first is read, in the order of the archive. */
static void list_members(struct orma_format_archive *a)
{
    struct orma_model *model = a->file->imp->model;

    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_idx);
    for (unsigned i = 0; i < a->num && !orma_file_failed(a->file); i++)
        if (!a->list[i].follows)
            a->list[i].row =
                orma_file_list(a->file, orma_model_str(model, a->list[i].name), a->list[i].len);
}

/* True: it is sound, and appended to `ret`. Any thread. */
static bool unpack_whole(const struct orma_format_member *m, uint64_t max, struct orma_buf *ret)
{
    const struct orma_str bytes = {(const char *)m->data, m->len};
    uint32_t crc = 0;

    if (!m->sum || !orma_inflate_whole(ORMA_INFLATE_RAW, bytes, m->size, max, ret))
        return false;
    (void)orma_inflate_sum(&crc, ret->data, ret->len); /* who unpacks can do sums */
    if (orma_format_le(m->sum, 4) == crc)
        return true;
    ret->len = 0;
    return false;
}

/* ---- folders that are one trace ---- */

/* Archives have few: each is looked for among all members. */
#define FOLDERS_MAX 256

/* "ut.data/" of "ut.data/info" */
static struct orma_str folder_of(struct orma_str name)
{
    const char *slash = name.len ? memrchr(name.data, '/', name.len) : NULL;

    return (struct orma_str){name.data, slash ? (size_t)(slash + 1 - name.data) : 0};
}

/* What uftrace writes beside its file `info`. Other files of the folder are none of its parts. */
static bool is_part(struct orma_str name)
{
    static const char *const names[] = {"task.txt", "events.txt", "default.opts", "kallsyms",
                                        "kernel_header"};
    static const char *const ends[] = {".dat", ".map", ".sym", ".dbg"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(name, names[i]))
            return true;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(ends); i++)
        if (name.len > 4 && !memcmp(name.data + name.len - 4, ends[i], 4))
            return true;
    return false;
}

/* Beside the file `metadata` of CTF all files are streams; those of `index/` repeat what these say.
 */
static bool belongs_to_ctf(struct orma_str name, struct orma_str folder)
{
    const struct orma_str of = folder_of(name);

    return orma_str_eq(of, folder) ||
           (orma_str_starts(of, folder) &&
            orma_str_eq_c((struct orma_str){of.data + folder.len, of.len - folder.len}, "index/"));
}

static bool belongs(const struct orma_format_member *m, const struct orma_format_member *lead)
{
    const struct orma_str folder = folder_of(lead->name);
    const struct orma_str base = {m->name.data + folder.len, m->name.len - folder.len};

    if (lead->is_ctf)
        return !m->leads && belongs_to_ctf(m->name, folder);
    return orma_str_eq(folder_of(m->name), folder) && is_part(base);
}

static void find_folders(struct orma_format_archive *a)
{
    unsigned num = 0;

    for (unsigned i = 0; i < a->num; i++) {
        if (!a->list[i].leads)
            continue;
        if (num == FOLDERS_MAX) {
            a->list[i].leads = false; /* it is refused as a file without its folder */
            continue;
        }
        num++;
        a->has_folders = true;
        for (unsigned j = 0; j < a->num; j++)
            if (j != i && belongs(&a->list[j], &a->list[i])) {
                a->list[j].follows = true;
                a->list[j].leads = a->list[j].is_trace = false;
            }
    }
}

/* All its bytes, which stay; data NULL: it cannot be unpacked, which is told. */
static struct orma_str bytes_of(struct orma_format_archive *a, struct orma_format_member *m)
{
    const uint64_t left = orma_unpacked_left(&a->file->imp->reader->unpacked);

    if (!m->packed)
        return (struct orma_str){(const char *)m->data, m->len};
    if (!m->unpacked.len && !unpack_whole(m, left, &m->unpacked)) {
        orma_file_damage(a->file, m->data, m->len, "a member that cannot be unpacked");
        return (struct orma_str){NULL, 0};
    }
    if (orma_file_is_bomb(a->file, m->unpacked.len))
        return (struct orma_str){NULL, 0};
    return orma_buf_str(&m->unpacked);
}

static void give_parts(struct orma_format_archive *a, const struct orma_format_member *lead,
                       struct orma_file *inside)
{
    const struct orma_str folder = folder_of(lead->name);
    uint32_t num = 1; /* itself */

    for (unsigned i = 0; i < a->num; i++)
        num += a->list[i].follows && belongs(&a->list[i], lead);
    struct orma_file_part *parts = orma_arena_alloc(&a->names, num * sizeof(*parts));
    num = 0;
    if (!parts) {
        a->file->imp->model->storage->failed = true;
        return;
    }
    for (unsigned i = 0; i < a->num && !orma_file_failed(a->file); i++) {
        struct orma_format_member *m = &a->list[i];

        if (m != lead && (!m->follows || !belongs(m, lead)))
            continue;
        const struct orma_str bytes = bytes_of(a, m);
        if (bytes.data)
            parts[num++] = (struct orma_file_part){
                {m->name.data + folder.len, m->name.len - folder.len}, bytes};
    }
    inside->parts = parts;
    inside->parts_num = num;
}

/* True: it is sound, and was unpacked at once. Otherwise nothing came of it. */
static bool took_whole(struct orma_format_member *m, struct orma_file *inside)
{
    const uint64_t left = orma_unpacked_left(&inside->imp->reader->unpacked);

    if (m->unpacked.len > left)
        orma_buf_clear(&m->unpacked);
    if (!m->unpacked.len && !unpack_whole(m, left, &m->unpacked))
        return false;
    orma_file_take(inside, &m->unpacked);
    return true;
}

static void import_member(struct orma_format_archive *a, struct orma_format_member *m)
{
    struct orma_import_ctx *imp = a->file->imp;

    orma_file_unit(a->file, m->data);
    (void)orma_file_took(a->file); /* it has an account of its own, or that of its folder */
    if (m->follows)
        return;
    struct orma_file *inside = orma_file_new(a->file->import, a->file, m->row);
    if (!inside || orma_file_failed(a->file))
        return;
    if (m->leads)
        give_parts(a, m, inside);
    if (!m->packed) {
        if (!orma_file_is_bomb(inside, m->len)) {
            uint32_t crc = 0;

            if (m->sum && orma_inflate_sum(&crc, m->data, m->len))
                check_sum(a, m, crc);
            orma_file_map_all(inside, m->data, m->len);
        }
    } else if (!took_whole(m, inside)) {
        struct orma_inflater *z = orma_inflater_new(ORMA_INFLATE_RAW);
        struct orma_str bytes = {(const char *)m->data, m->len};
        struct unpacking unpacking = {.inside = inside};

        if (z)
            orma_inflater_bound(z, orma_unpacked_left(&imp->reader->unpacked));
        int r = z ? orma_inflater_feed(z, bytes, sink, &unpacking) : -ENOMEM;

        if (orma_formats_unpacked(inside, z, r, bytes, true) && orma_inflater_done(z))
            check_sum(a, m, unpacking.crc);
        orma_inflater_free(z);
    }
    if (m->repeats)
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base), ORMA_STAT_MEMBERS_REPEATED);
    orma_file_finish(inside);
}

static int by_place(const void *a, const void *b)
{
    const struct orma_format_member *x = a, *y = b;

    return x->data < y->data ? -1 : x->data > y->data;
}

/* An archive that dumpstate made has its text under that name, and hundreds of files that are no
 * traces. */
static void keep_bug_report(struct orma_format_archive *a)
{
    for (unsigned i = 0; i < a->num; i++) {
        struct orma_str name = a->list[i].name;

        if (orma_str_starts(name, ORMA_STR("bugreport-")) && name.len > 4 &&
            !memcmp(name.data + name.len - 4, ".txt", 4)) {
            a->list[0] = a->list[i];
            orma_account_begin(a->file->account, a->num - 1);
            (void)orma_account_skipped(
                a->file->account, a->file->imp->model, ORMA_ACCOUNT_NOT_READ,
                orma_model_cstr(a->file->imp->model, "other files of the bug report"), a->num - 1,
                -1);
            a->num = 1;
            a->empty = 0;
            return;
        }
    }
}

/* Members that share bytes make much out of little: no archiver writes such. */
static void refuse_overlaps(struct orma_format_archive *a)
{
    qsort(a->list, a->num, sizeof(*a->list), by_place);
    for (unsigned i = 1; i < a->num; i++) {
        const struct orma_format_member *m = &a->list[i - 1];

        if ((size_t)(a->list[i].data - m->data) < m->len) {
            orma_format_archive_bad(a, "its members overlap: refused as a zip bomb");
            return;
        }
    }
}

/* Members are unpacked by all threads while this one imports those before. It unpacks what is large
 * or unsound itself, as it knows by then how much may come out of it. */
static bool unpack_ahead(void *data, size_t piece, unsigned thread)
{
    struct orma_format_archive *a = data;
    struct orma_format_member *m = &a->list[piece];

    if (thread && m->packed && !m->follows && !m->leads && m->size <= AHEAD_BYTES_MAX &&
        !unpack_whole(m, AHEAD_BYTES_MAX, &m->unpacked))
        orma_buf_fini(&m->unpacked);
    return true;
}

static bool import_next(void *data, size_t piece)
{
    struct orma_format_archive *a = data;

    if (!orma_file_failed(a->file))
        import_member(a, &a->list[piece]);
    if (!a->list[piece].follows && !a->list[piece].leads) /* those are used up to the end */
        orma_buf_fini(&a->list[piece].unpacked);
    return !orma_file_failed(a->file);
}

static size_t archive_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_format_archive *a = file->state;

    (void)at_end; /* it is read once, whole */
    a->file = file;
    file->imp->reader->full_sort = true;
    if (file->format == ORMA_FORMAT_TAR)
        orma_format_archive_read_tar(a, data, len);
    else
        orma_format_archive_read_zip(a, data, len);
    keep_bug_report(a);
    if (!a->num && a->hidden) /* else nobody misses them */
        orma_format_archive_skip(a, orma_model_cstr(file->imp->model, "hidden members"), a->hidden);
    if (a->num)
        refuse_overlaps(a);
    for (unsigned i = 0; i < a->num && !orma_file_failed(file); i++)
        look_into(&a->list[i]);
    find_folders(a);
    if (a->empty && !a->has_folders) /* which have files for what did not happen */
        orma_formats_skip_empty(file, a->empty);
    find_repeated(a);
    list_members(a);
    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_kind);
    (void)orma_crew_run(file->imp->reader->crew,
                        &(struct orma_crew_job){
                            .work = unpack_ahead,
                            .take = import_next,
                            .data = a,
                            .pieces = a->num,
                            .ahead = orma_crew_threads(file->imp->reader->crew),
                        }); /* what failed is said in the file */
    return len;
}

static void archive_fini(struct orma_file *file)
{
    struct orma_format_archive *a = file->state;

    for (unsigned i = 0; i < a->num; i++)
        orma_buf_fini(&a->list[i].unpacked);
    free(a->list);
    free(a->spans);
    orma_arena_fini(&a->names);
}

const struct orma_format_ops orma_format_archive = {
    .state_bytes = sizeof(struct orma_format_archive),
    .unit = ORMA_ACCOUNT_MEMBER,
    .whole = true,
    .read = archive_read,
    .fini = archive_fini,
};
