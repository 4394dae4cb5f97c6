/* One file, packed: gzip, zstd, xz, bzip2 and ctrace are unpacked piece by piece into the file
 * inside. */
#include "processor/import/formats/formats.h"

#include <errno.h>

#include "processor/read/inflate_whole.h"

/* Where the zlib stream of a ctrace file begins: behind a line of text. */
#define CTRACE_HEAD ORMA_STR("TRACE:\n")

struct packed {
    struct orma_inflater *inflater;
    struct orma_file *inside;
    bool broken; /* nothing that follows can be unpacked */
};

#define BROKEN_STREAM "a packed stream is corrupt"

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    orma_file_feed(data, bytes, len);
}

/* What came out stays; the place is where unpacking failed, as far as that is known. */
static void tell_broken(struct orma_file *file, const struct orma_inflater *inflater,
                        struct orma_str bytes)
{
    size_t left = ORMA_MAX(ORMA_MIN(orma_inflater_left(inflater), bytes.len), 1u);

    orma_file_damage(file, bytes.data + bytes.len - ORMA_MIN(left, bytes.len), left, BROKEN_STREAM);
}

bool orma_formats_unpacked(struct orma_file *inside, const struct orma_inflater *inflater,
                           int result, struct orma_str bytes, bool at_end)
{
    bool done = inflater && orma_inflater_done(inflater);
    struct orma_import_ctx *imp = inside->imp;
    const char *of = orma_detect_format_names[inside->parent->format];

    if (result == -ENOMEM)
        imp->model->storage->failed = true;
    else if (result == -ENOTSUP)
        orma_file_error(inside, result,
                        "this build cannot unpack %s: it was built without that library", of);
    else if (result == -EFBIG)
        orma_file_error(inside, result, "the %s stream " ORMA_UNPACKED_BOMB, of);
    else if (result == -E2BIG)
        orma_file_error(inside, result, "the %s stream " ORMA_UNPACKED_MEMORY, of);
    else if (result < 0 && inside->size)
        tell_broken(inside->parent, inflater, bytes);
    else if (result < 0)
        orma_file_error(inside, result, "the %s stream is corrupt (ERR:decomp)", of);
    else if (at_end && !done && inside->size)
        orma_file_truncated(inside, 1);
    else if (at_end && !done)
        orma_file_error(inside, -EBADMSG, "the %s stream is truncated (ERR:decomp)", of);
    return result == 0;
}

void orma_formats_skip_empty(struct orma_file *file, unsigned num)
{
    struct orma_model *model = file->imp->model;

    orma_account_begin(file->account, num);
    (void)orma_account_skipped(file->account, model, ORMA_ACCOUNT_NOT_READ,
                               orma_model_cstr(model, "empty files"), num, -1);
}

static bool set_up(struct orma_file *file, struct packed *p)
{
    if (!p->inside) {
        orma_file_unit(file, NULL);
        (void)orma_file_took(file); /* the file inside has an account of its own */
        p->inside = orma_file_new(file->import, file, orma_file_list(file, 0, 0));
    }
    if (!p->inflater)
        p->inflater = orma_inflater_new(orma_inflate_form_of(file->format));
    if (!p->inside || !p->inflater)
        file->imp->model->storage->failed = true;
    return !orma_file_failed(file);
}

/* What is unpacked at once can't be interrupted, so it is no more than takes a moment. */
#define WHOLE_MAX ((size_t)32 << 20)

/* The rest comes with the next call, from where it lies. */
static bool waits_for_rest(const struct orma_file *file, const struct packed *p,
                           struct orma_str bytes)
{
    const struct orma_reader *reader = file->imp->reader;

    return !p->inside && orma_inflate_form_of(file->format) == ORMA_INFLATE_ZLIB &&
           reader->source.mapped && orma_mapped_size(reader->source.mapped) <= WHOLE_MAX &&
           orma_reader_offset(reader, (const uint8_t *)bytes.data) >= 0;
}

/* Of nothing, a stream has some bytes, as after 'program-that-failed | gzip'. */
static void finish(struct orma_file *file, struct packed *p)
{
    if (orma_file_failed(file))
        return;
    orma_file_finish(p->inside);
    if (p->inside->size || p->inside->taken.len || orma_file_failed(file))
        return;
    if (!file->parent)
        orma_file_error(file, -ENODATA, "the %s stream has no content",
                        orma_detect_format_names[file->format]);
    else
        orma_formats_skip_empty(file, 1);
}

/* True: it was all there, and sound. Otherwise nothing came of it. */
static bool took_whole(struct orma_file *file, struct packed *p, struct orma_str bytes)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf all = {0};

    if (bytes.len > WHOLE_MAX ||
        !orma_inflate_whole(orma_inflate_form_of(file->format), bytes, 0,
                            orma_unpacked_left(&file->imp->reader->unpacked), &all))
        return false;
    orma_file_take(p->inside, &all);
    finish(file, p);
    return true;
}

static size_t packed_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct packed *p = file->state;
    struct orma_str bytes = {(const char *)data, len};

    if (file->format == ORMA_FORMAT_CTRACE && !p->inside) {
        const char *at = orma_str_find(bytes, CTRACE_HEAD);

        at = at ? at + CTRACE_HEAD.len : bytes.data;
        bytes = (struct orma_str){at, (size_t)(bytes.data + len - at)};
    }
    if (!at_end && waits_for_rest(file, p, bytes))
        return 0;
    const bool first = !p->inside;
    if (!set_up(file, p) || (first && at_end && took_whole(file, p, bytes)))
        return len;
    if (p->broken) {
        orma_file_damage(file, data, len, BROKEN_STREAM);
    } else {
        orma_inflater_bound(p->inflater, orma_unpacked_left(&file->imp->reader->unpacked));
        int r = orma_inflater_feed(p->inflater, bytes, sink, p->inside);
        p->broken = !orma_formats_unpacked(p->inside, p->inflater, r, bytes, at_end);
    }
    if (at_end)
        finish(file, p);
    return len;
}

static void packed_fini(struct orma_file *file)
{
    struct packed *p = file->state;

    orma_inflater_free(p->inflater);
}

const struct orma_format_ops orma_format_packed = {
    .state_bytes = sizeof(struct packed),
    .unit = ORMA_ACCOUNT_MEMBER,
    .read = packed_read,
    .fini = packed_fini,
};
