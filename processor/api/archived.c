/*
 * The label of an archive says by which version it was made, and of what form its tables were:
 * programs and libraries of one version have different builds, so those say nothing, but versions
 * under development may differ in their tables.
 */
#include "processor/api/archived.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "processor/store/args.h"
#include "processor/store/blobs.h"
#include "processor/store/image.h"
#include "processor/store/stats.h"
#include "sdk/base/hash.h"

#define KIND "orma archive"

/* The key of its label: all of it, for other versions to read, at the same place for ever. */
struct key {
    char kind[16];
    char version[32];
    uint64_t form;
};
_Static_assert(sizeof(struct key) <= ORMA_IMAGE_KEY_BYTES, "the key fits into the label");

/* What the label notes beside it. */
enum { PLACES, BYTES, FIRST, TRUNCATED, SIZE, OPTIONS };

void orma_archived_fini(struct orma_archived *self)
{
    orma_buf_fini(&self->bytes);
}

/* ---- which version ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return orma_fnv1a(hash, text, strlen(text) + 1);
}

/* A hash of what tables, statistics and args are: by number, and so in the file. */
static uint64_t form(void)
{
    const uint64_t sizes[] = {ORMA_TABLES_NUM,
                              ORMA_STATS_NUM,
                              ORMA_ARG_TYPES_NUM,
                              ORMA_BLOCK_ROWS,
                              sizeof(struct orma_blob_entry),
                              orma_hash_bytes(KIND, sizeof(KIND))};
    uint64_t ret = orma_fnv1a(ORMA_FNV1A_BASIS, sizes, sizeof(sizes));

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        const struct orma_table_def *def = &orma_table_defs[i];

        ret = hash_text(ret, def->name);
        for (unsigned c = 0; c < def->columns_num; c++) {
            const struct orma_column_def *col = &def->columns[c];

            ret = hash_text(ret, col->name);
            ret = orma_fnv1a(ret, (uint8_t[]){col->kind, col->flags}, 2);
        }
    }
    for (unsigned i = 0; i < ORMA_STATS_NUM; i++)
        ret = hash_text(ret, orma_stat_defs[i].name);
    for (unsigned i = 0; i < ORMA_ARG_TYPES_NUM; i++)
        ret = hash_text(ret, orma_arg_type_names[i]);
    return ret;
}

static struct key our_key(void)
{
    struct key key;

    memset(&key, 0, sizeof(key)); /* all of it is compared */
    memcpy(key.kind, KIND, sizeof(KIND));
    memcpy(key.version, ORMA_VERSION, ORMA_MIN(sizeof(ORMA_VERSION), sizeof(key.version) - 1));
    key.form = form();
    return key;
}

/* Its name is bytes of somebody. */
static void put_version(struct orma_buf *ret, const struct key *key)
{
    for (size_t i = 0; i < sizeof(key->version) && isprint((unsigned char)key->version[i]); i++)
        orma_buf_put_byte(ret, (uint8_t)key->version[i]);
}

static int refuse_other(const struct key *found, const struct key *ours, struct orma_buf *why)
{
    const char *now = ", and only the same version can load it: export it again with this version, "
                      "or open the trace itself";

    if (memcmp(found->kind, ours->kind, sizeof(ours->kind)) != 0) {
        orma_buf_put_str(why, "this is a file of the cache, not a trace: open the trace itself");
    } else if (memcmp(found->version, ours->version, sizeof(ours->version)) != 0) {
        orma_buf_put_str(why, "the archive was exported by version ");
        put_version(why, found);
        orma_buf_printf(why, " of Orma (this is " ORMA_VERSION ")%s", now);
    } else {
        orma_buf_printf(why,
                        "the archive was exported by another build of Orma " ORMA_VERSION
                        ", with other tables%s",
                        now);
    }
    return -ENOTSUP;
}

static int refuse_damaged(struct orma_buf *why)
{
    orma_buf_put_str(
        why, "the archive is damaged or truncated: export it again, or open the trace itself");
    return -EBADMSG;
}

/* ---- writing ---- */

int orma_archived_write(struct orma_storage *storage, const struct orma_archived_facts *facts,
                        int fd)
{
    const struct key key = our_key();
    struct orma_image_label label = {.notes = {
                                         [PLACES] = (int64_t)facts->damage.places,
                                         [BYTES] = (int64_t)facts->damage.bytes,
                                         [FIRST] = facts->damage.first_offset,
                                         [TRUNCATED] = (int64_t)facts->damage.truncated_bytes,
                                         [SIZE] = (int64_t)facts->size,
                                         [OPTIONS] = facts->options,
                                     }};

    memcpy(label.key, &key, sizeof(key));
    return orma_image_write(storage, &label, fd);
}

/* ---- reading ---- */

bool orma_archived_is(int fd)
{
    char begin[sizeof(ORMA_IMAGE_MAGIC) - 1];

    return pread(fd, begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
           !memcmp(begin, ORMA_IMAGE_MAGIC, sizeof(begin));
}

enum orma_archived_state orma_archived_feed(struct orma_archived *self, const void *data,
                                            size_t len)
{
    static const char magic[] = ORMA_IMAGE_MAGIC;
    const size_t enough = sizeof(magic) - 1;
    const size_t had = self->bytes.len, more = ORMA_MIN(len, had < enough ? enough - had : 0);

    if (self->state == ORMA_ARCHIVED_UNDECIDED && more) {
        if (memcmp(data, magic + had, more) != 0)
            self->state = ORMA_ARCHIVED_NONE;
        else if (had + more == enough)
            self->state = ORMA_ARCHIVED_TAKEN;
    }
    if (self->state != ORMA_ARCHIVED_NONE)
        orma_buf_put(&self->bytes, data, len);
    return self->state;
}

/* What queries find depends on them. That all is sorted changes nothing in the end, and who wants
 * no rows in ftrace_event may have them. */
static bool is_without(uint32_t options, struct orma_buf *why)
{
    const char *name = options & ORMA_OPTION_CROP_TRACK_EVENTS ? "--crop-track-events"
                       : options & ORMA_OPTION_ANALYZE_CONTENT ? "--analyze-trace-proto-content"
                                                               : NULL;

    if (name)
        orma_buf_printf(why,
                        "the archive was exported without %s, which takes effect during import: "
                        "export it again with that option, or open the trace itself",
                        name);
    return name;
}

int orma_archived_read(struct orma_storage *storage, const uint8_t *data, size_t size,
                       uint32_t options, struct orma_archived_facts *facts, struct orma_buf *why)
{
    const struct key ours = our_key();
    struct orma_image_label label;
    struct key found;

    if (orma_image_label(data, size, &label) < 0)
        return refuse_damaged(why);
    memcpy(&found, label.key, sizeof(found));
    if (memcmp(&found, &ours, sizeof(ours)) != 0)
        return refuse_other(&found, &ours, why);
    if (is_without(options & ~(uint32_t)label.notes[OPTIONS], why))
        return -ENOTSUP;
    int r =
        orma_image_is_whole(data, size) ? orma_image_read(storage, &label, data, size) : -EBADMSG;
    if (r == -ENOENT) { /* other texts that all know */
        found.form++;
        return refuse_other(&found, &ours, why);
    }
    if (r == -EBADMSG)
        return refuse_damaged(why);
    if (r) {
        orma_buf_put_str(why, strerror(-r));
        return r;
    }
    *facts = (struct orma_archived_facts){
        .size = (uint64_t)label.notes[SIZE],
        .options = (uint32_t)label.notes[OPTIONS],
        .damage = {.places = (uint64_t)label.notes[PLACES],
                   .bytes = (uint64_t)label.notes[BYTES],
                   .first_offset = label.notes[FIRST],
                   .truncated_bytes = (uint64_t)label.notes[TRUNCATED]},
    };
    return 0;
}
