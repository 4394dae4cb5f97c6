#include "processor/api/cached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define LIMIT_BYTES (UINT64_C(4) << 30)
/* In auto, loads that are faster leave nothing. */
#define SLOW_MS 200
/* About what it takes to decode a byte of args. */
#define PLACES_BYTE_NS 6

/* What the label of an image notes beside its key. */
enum { PLACES, BYTES, FIRST, TRUNCATED };

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Folders are not made in those of others: root keeps nothing for the user whose HOME it has. */
static bool is_mine(const char *path)
{
    struct stat st;

    return *path == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* The user's folder. False: there is none. */
static bool put_default(struct orma_buf *ret)
{
    const char *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME");

    if (xdg && *xdg == '/')
        orma_buf_printf(ret, "%s/orma", xdg);
    else if (home && is_mine(home))
        orma_buf_printf(ret, "%s/.cache/orma", home);
    return ret->len && !ret->failed;
}

int orma_cached_choose(struct orma_cached *self, const char *setting, bool wait,
                       struct orma_buf *why)
{
    const char *value = setting ? setting : variable("ORMA_CACHE"),
               *limit = variable("ORMA_CACHE_LIMIT");
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};
    const bool automatic = !value || !strcmp(value, "auto");

    free(self->folder);
    self->folder = NULL;
    self->limit_bytes = LIMIT_BYTES;
    self->wait = wait;
    self->slow_ms = automatic ? SLOW_MS : 0;
    if (automatic ? !put_default(&folder) : !strcmp(value, "off"))
        return 0;
    if (!automatic && !strchr(value, '/') && access(value, F_OK)) {
        orma_buf_printf(why, "cache=%s: expected auto, off, or a folder ('./%s')", value, value);
        return -EINVAL;
    }
    if (limit && !orma_str_parse_size(limit, &self->limit_bytes)) {
        orma_buf_printf(why, "ORMA_CACHE_LIMIT=%s: expected a size such as 500mb or 4gb", limit);
        return -EINVAL;
    }
    self->folder = strdup(automatic ? orma_buf_cstr(&folder) : value);
    return self->folder ? 0 : -ENOMEM;
}

void orma_cached_fini(struct orma_cached *self)
{
    orma_mapped_close(self->mapped);
    orma_buf_fini(&self->note);
    free(self->folder);
    *self = (struct orma_cached){0};
}

static struct orma_cache_place place_of(const struct orma_cached *self)
{
    return (struct orma_cache_place){self->folder, self->limit_bytes, self->wait};
}

bool orma_cached_open(struct orma_cached *self, int fd, uint32_t options,
                      struct orma_storage *storage)
{
    const struct orma_cache_place place = place_of(self);

    orma_buf_clear(&self->note);
    if (!self->folder || orma_cache_identify(fd, options, &self->key))
        return false;
    int r = orma_cache_open(&place, &self->key, storage, &self->mapped, &self->note);
    self->wanted = r != 0;
    if (!r)
        orma_buf_printf(&self->note, "%s/%s: taken instead of an import", self->folder,
                        self->key.name);
    return !r;
}

struct orma_processor_damage orma_cached_damage(const struct orma_cached *self)
{
    const int64_t *notes = self->key.label.notes;

    return (struct orma_processor_damage){
        .places = (uint64_t)notes[PLACES],
        .bytes = (uint64_t)notes[BYTES],
        .first_offset = notes[FIRST],
        .truncated_bytes = (uint64_t)notes[TRUNCATED],
    };
}

void orma_cached_write(struct orma_cached *self, struct orma_storage *storage,
                       const struct orma_processor_damage *damage, int64_t took_ns)
{
    const struct orma_cache_place place = place_of(self);
    int64_t *notes = self->key.label.notes;

    /* Args that were left are decoded anew for each opening that asks for them, unless they are
     * kept. */
    const uint64_t later_ns = storage->args.log.places_bytes * PLACES_BYTE_NS;
    if (!self->wanted || ((uint64_t)took_ns + later_ns) / 1000000 < self->slow_ms)
        return;
    notes[PLACES] = (int64_t)damage->places;
    notes[BYTES] = (int64_t)damage->bytes;
    notes[FIRST] = damage->first_offset;
    notes[TRUNCATED] = (int64_t)damage->truncated_bytes;
    int r = (self->wait ? orma_cache_write : orma_cache_write_aside)(&place, &self->key, storage);
    if (r)
        orma_buf_printf(&self->note, "%s%s: not written: %s", self->note.len ? "; " : "",
                        self->folder, strerror(-r));
}

int orma_cached_open_part(struct orma_cached *self, const char *name)
{
    const struct orma_cache_place place = place_of(self);

    if (!self->folder || !*self->key.name)
        return -ENOENT;
    const struct orma_cache_key part = orma_cache_part(&self->key, name);
    return orma_cache_open_part(&place, &part, &self->note);
}

void orma_cached_drop_part(struct orma_cached *self, const char *name)
{
    const struct orma_cache_place place = place_of(self);
    const struct orma_cache_key part = orma_cache_part(&self->key, name);

    orma_cache_drop_part(&place, &part, &self->note);
}

struct part {
    const struct orma_cache_key *key;
    const struct orma_cache_writer *inner;
};

static int write_part(void *ctx, int fd)
{
    const struct part *part = ctx;
    int r = orma_fd_write_all(fd, part->key->label.key, sizeof(part->key->label.key));

    return r < 0 ? r : part->inner->write(part->inner->ctx, fd);
}

int orma_cached_keep_part(struct orma_cached *self, const char *name, int64_t took_ns,
                          const struct orma_cache_writer *writer)
{
    const struct orma_cache_place place = place_of(self);

    if (!self->folder || !*self->key.name || (uint64_t)took_ns / 1000000 < self->slow_ms)
        return 0;
    const struct orma_cache_key key = orma_cache_part(&self->key, name);
    struct part part = {&key, writer};
    return orma_cache_write_part_aside(
        &place, &key, &(struct orma_cache_writer){write_part, &part, writer->bytes});
}
