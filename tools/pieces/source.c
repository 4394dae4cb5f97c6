/*
 * A window over the file moves on by whole packets; where one is larger than the window, the window
 * grows. Packets that were unpacked are a window of their own that needs nothing more.
 *
 *   read_record()  one field of the file: a packet, another field, or damage
 *   walk()         window after window; compressed packets come back here, one level deeper
 */
#include "tools/pieces/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/read/damage.h"
#include "processor/read/detect.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tools/base/temporary.h"
#include "tools/load/load.h"

#define WINDOW ((size_t)4 << 20)
#define PACKET_TAG 0x0a
#define PACKET_MAX ((uint64_t)512 << 20)
/* Compressed packets inside compressed packets; more come from bombs. */
#define DEPTH_MAX 2
/* Of one compressed packet; recorders put at most some MiB into one. */
#define UNPACKED_MAX ((uint64_t)512 << 20)

#define CUT_SHORT "the file ends in the middle of a packet"
#define NO_FIELD "bytes that are no packet"
#define MALFORMED "a packet is malformed"
#define NOT_UNPACKED "compressed packets that cannot be unpacked"

static int complain(const struct orma_pieces_source *self, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", self->program, self->path, what);
    return -EBADMSG;
}

void orma_pieces_damaged(struct orma_pieces_source *self, uint64_t offset, uint64_t bytes,
                         const char *why)
{
    if (!self->damage.places++) {
        self->damage.first = (int64_t)offset;
        self->damage.why = why;
    }
    self->damage.bytes += bytes;
}

void orma_pieces_tell_damage(const struct orma_pieces_source *self)
{
    const struct orma_pieces_damage *d = &self->damage;

    if (self->unpacked_why)
        fprintf(stderr, "%s: %s: warning: %s; what came out before is used\n", self->program,
                self->path, self->unpacked_why);
    if (d->places)
        fprintf(stderr,
                "%s: %s: warning: damaged in %llu place%s, %llu byte%s left out; the first, at "
                "byte %lld%s: %s\n",
                self->program, self->path, (unsigned long long)d->places, d->places == 1 ? "" : "s",
                (unsigned long long)d->bytes, d->bytes == 1 ? "" : "s", (long long)d->first,
                self->unpacked ? " of the unpacked data" : "", d->why);
}

/* ---- windows ---- */

struct window {
    const uint8_t *pos, *end;
    bool at_end;     /* nothing follows `end` */
    uint64_t offset; /* of `end` in the file; of unpacked bytes: of their packet */
    bool unpacked;
};

struct walk {
    struct orma_pieces_source *self;
    orma_pieces_packet_fn *packet;
    orma_pieces_field_fn *field;
    void *ctx;
    struct orma_pieces_packet at;
    struct orma_unpacked unpacked;
    uint64_t bytes_left_out;
    unsigned depth;
};

static uint64_t offset_of(const struct window *w, const uint8_t *at)
{
    return w->unpacked ? w->offset : w->offset - (uint64_t)(w->end - at);
}

static uint64_t left_in_file(const struct walk *walk, const struct window *w)
{
    return w->unpacked || w->offset >= walk->self->size ? 0 : walk->self->size - w->offset;
}

/* More bytes behind those that are there, which move to the front. 0 or -errno after a message. */
static int refill(struct walk *walk, struct window *w)
{
    struct orma_pieces_source *self = walk->self;
    const size_t have = (size_t)(w->end - w->pos);

    if (have > self->cap / 2) {
        const size_t cap = self->cap * 2;
        uint8_t *room = malloc(cap);

        if (!room)
            return -ENOMEM;
        memcpy(room, w->pos, have);
        free(self->room);
        self->room = room;
        self->cap = cap;
    } else {
        memmove(self->room, w->pos, have);
    }
    w->pos = self->room;
    w->end = self->room + have;
    while ((size_t)(w->end - w->pos) < self->cap) {
        const size_t want = ORMA_MIN(self->cap - (size_t)(w->end - w->pos), left_in_file(walk, w));
        ssize_t n = want ? pread(self->fd, self->room + (w->end - w->pos), want, (off_t)w->offset)
                         : 0;

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            const int err = errno;

            (void)complain(self, strerror(err));
            return -err;
        }
        if (!n) {
            self->size = w->offset; /* it may have become shorter */
            w->at_end = true;
            break;
        }
        w->end += n;
        w->offset += (uint64_t)n;
    }
    w->at_end |= w->offset >= self->size;
    return 0;
}

/* ---- records ---- */

enum record { RECORD_PACKET, RECORD_MALFORMED, RECORD_FIELD, RECORD_NONE, RECORD_MORE };

/* One field of the file at w->pos; *ret_end behind it. */
static enum record read_record(const struct walk *walk, const struct window *w,
                               struct orma_read_packet *ret, const uint8_t **ret_end)
{
    const uint8_t *at = w->pos;
    uint64_t tag, len = 0;

    if (!orma_pb_varint_at(&at, w->end, &tag))
        return w->end - w->pos >= 10 || w->at_end ? RECORD_NONE : RECORD_MORE;
    if (tag < 8)
        return RECORD_NONE;
    switch (tag & 7) {
    case ORMA_PB_VARINT:
        if (!orma_pb_varint_at(&at, w->end, &len))
            return w->end - at >= 10 || w->at_end ? RECORD_NONE : RECORD_MORE;
        len = 0;
        break;
    case ORMA_PB_I64:
    case ORMA_PB_I32:
        len = (tag & 7) == ORMA_PB_I64 ? 8 : 4;
        break;
    case ORMA_PB_LEN:
        if (!orma_pb_varint_at(&at, w->end, &len))
            return w->end - at >= 10 || w->at_end ? RECORD_NONE : RECORD_MORE;
        break;
    default:
        return RECORD_NONE;
    }
    if (len > PACKET_MAX || len > (uint64_t)(w->end - at) + left_in_file(walk, w))
        return RECORD_NONE;
    if (len > (uint64_t)(w->end - at))
        return RECORD_MORE;
    *ret_end = at + len;
    if (tag != PACKET_TAG)
        return RECORD_FIELD;
    return orma_packet_read(ret, at, (size_t)len) ? RECORD_PACKET : RECORD_MALFORMED;
}

/* From damage to the next packet. 0 or -errno. */
static int search(struct walk *walk, struct window *w)
{
    const uint64_t offset = offset_of(w, w->pos);
    const char *why = NO_FIELD;
    uint64_t bytes = 1;
    int r = 0, found = -EAGAIN;

    w->pos++;
    while (r == 0 && found == -EAGAIN) {
        const uint8_t *at = orma_damage_find(w->pos, w->end, w->at_end, &found);

        bytes += (uint64_t)(at - w->pos);
        w->pos = at;
        if (found == 0 && !w->at_end)
            found = -EAGAIN;
        if (found == -EAGAIN)
            r = refill(walk, w);
    }
    if (r == 0 && !found && !w->unpacked)
        why = CUT_SHORT;
    orma_pieces_damaged(walk->self, offset, bytes, why);
    walk->bytes_left_out += bytes;
    return r;
}

static int walk_window(struct walk *walk, struct window *w);

static int unpack(struct walk *walk, const struct window *outer)
{
    struct orma_pieces_source *self = walk->self;
    const struct orma_str bytes = walk->at.p.payload;
    const bool deflate = walk->at.p.field == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS;
    const uint64_t offset = offset_of(outer, (const uint8_t *)walk->at.p.bytes.data);
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    const uint64_t left = orma_unpacked_left(&walk->unpacked);

    self->has_deflate |= deflate;
    self->has_zstd |= !deflate;
    if (walk->depth == DEPTH_MAX)
        return complain(self, "compressed packets inside compressed packets");
    int r = orma_inflate(deflate ? ORMA_INFLATE_ZLIB : ORMA_INFLATE_ZSTD, bytes,
                         left < UNPACKED_MAX ? left : UNPACKED_MAX, &out);
    if (r == -ENOMEM)
        return r;
    if (r == -ENOTSUP)
        return complain(self, "compressed packets of a kind that was not built in");
    if (r == -EFBIG || !orma_unpacked_add(&walk->unpacked, out.len))
        return complain(self, "the content of compressed packets " ORMA_UNPACKED_BOMB);
    if (r < 0)
        orma_pieces_damaged(self, offset, bytes.len, NOT_UNPACKED);
    struct window inner = {.pos = out.data,
                           .end = out.data + out.len,
                           .at_end = true,
                           .offset = offset,
                           .unpacked = true};

    walk->depth++;
    r = out.len ? walk_window(walk, &inner) : 0;
    walk->depth--;
    return r;
}

static int take_packet(struct walk *walk, const struct window *w)
{
    const struct orma_read_packet *p = &walk->at.p;

    if (p->field == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ||
        p->field == ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS)
        return unpack(walk, w);
    walk->at.offset = offset_of(w, (const uint8_t *)p->bytes.data);
    walk->at.number++;
    return walk->packet(walk->ctx, &walk->at);
}

/* A field that is no packet: one that newer writers may add if others follow, else damage. */
static int take_field(struct walk *walk, const struct window *w, const uint8_t *end)
{
    if (walk->field)
        return walk->field(walk->ctx,
                           (struct orma_str){(const char *)w->pos, (size_t)(end - w->pos)});
    return 0;
}

/* Whether the record at w->pos may be believed, by what follows: 1, 0; -EAGAIN: more is needed. */
static int is_framed(const struct window *w, enum record kind, const uint8_t *end)
{
    if (kind == RECORD_MALFORMED)
        return orma_damage_packets_at(end, w->end, w->at_end);
    if (end == w->end)
        return w->at_end ? 1 : -EAGAIN;
    return *end == PACKET_TAG || *end == *w->pos;
}

static int walk_window(struct walk *walk, struct window *w)
{
    int r = 0;

    while (r == 0 && (w->pos != w->end || !w->at_end)) {
        const uint8_t *end = w->pos;
        enum record kind = w->pos == w->end ? RECORD_MORE : read_record(walk, w, &walk->at.p, &end);
        int framed = 1;

        if (kind == RECORD_MALFORMED || kind == RECORD_FIELD)
            framed = is_framed(w, kind, end);
        if (kind == RECORD_MORE || framed == -EAGAIN) {
            r = refill(walk, w);
            continue;
        }
        if (kind == RECORD_NONE || !framed) {
            r = search(walk, w);
            continue;
        }
        if (kind == RECORD_PACKET)
            r = take_packet(walk, w);
        else if (kind == RECORD_FIELD)
            r = take_field(walk, w, end);
        else {
            orma_pieces_damaged(walk->self, offset_of(w, w->pos), (uint64_t)(end - w->pos),
                                MALFORMED);
            walk->bytes_left_out += (uint64_t)(end - w->pos);
        }
        w->pos = end;
    }
    return r;
}

int orma_pieces_source_walk(struct orma_pieces_source *self, orma_pieces_packet_fn *packet,
                            orma_pieces_field_fn *field, void *ctx)
{
    struct walk walk = {.self = self, .packet = packet, .field = field, .ctx = ctx};

    self->damage = (struct orma_pieces_damage){0};
    if (!self->room) {
        self->cap = WINDOW;
        self->room = malloc(self->cap);
        if (!self->room)
            return -ENOMEM;
    }
    walk.unpacked.in = self->size;
    struct window w = {.pos = self->room, .end = self->room};
    int r = walk_window(&walk, &w);

    if (r == 0 && self->packets &&
        (self->packets != walk.at.number || self->bytes_left_out != walk.bytes_left_out))
        return complain(self, "the file changed while it was read: try again with a copy of it");
    if (r == 0) {
        self->packets = walk.at.number;
        self->bytes_left_out = walk.bytes_left_out;
    }
    if (r == 0 && !walk.at.number)
        return complain(self, self->unpacked_why ? self->unpacked_why
                              : self->damage.why ? self->damage.why
                                                 : "no packets");
    return r;
}

/* ---- opening ---- */

struct spool {
    FILE *to;
    bool failed;
};

static void put_spooled(void *data, const uint8_t *bytes, size_t len)
{
    struct spool *s = data;

    s->failed |= fwrite(bytes, 1, len, s->to) != len;
}

/* Everything from `fd` on, unpacked if `form` is not NULL, into a file without a name. */
static int spool(struct orma_pieces_source *self, const enum orma_inflate_form *form)
{
    struct spool s = {.to = orma_temporary_open()};
    struct orma_inflater *in = form ? orma_inflater_new(*form) : NULL;
    uint8_t *block = malloc(WINDOW);
    struct orma_unpacked bound = {.in = self->size};
    ssize_t n = 1;
    int r = !s.to ? -errno : !block || (form && !in) ? -ENOMEM : 0;

    if (r == 0 && in && self->size)
        orma_inflater_bound(in, orma_unpacked_left(&bound));
    while (r == 0 && n > 0) {
        n = read(self->fd, block, WINDOW);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n < 0)
            r = -errno;
        else if (n && in)
            r = orma_inflater_feed(in, (struct orma_str){(const char *)block, (size_t)n},
                                   put_spooled, &s);
        else if (n)
            put_spooled(&s, block, (size_t)n);
        if (s.failed)
            r = -errno;
        if (r == -EBADMSG) { /* what came out whole is read */
            self->unpacked_why = "its compressed data is damaged";
            n = r = 0;
        }
    }
    if (r == 0 && in && !orma_inflater_done(in) && !self->unpacked_why)
        self->unpacked_why = "its compressed data ends too early";
    if (r == 0 && fflush(s.to) != 0)
        r = -errno;
    orma_inflater_free(in);
    free(block);
    if (r < 0) {
        if (s.to)
            (void)fclose(s.to); /* it has no name */
        if (r != -ENOMEM)
            (void)complain(self, r == -EFBIG   ? "its content " ORMA_UNPACKED_BOMB
                                 : r == -E2BIG ? "it " ORMA_UNPACKED_MEMORY
                                               : strerror(-r));
        return r;
    }
    orma_fd_close(&self->fd);
    if (self->spooled)
        (void)fclose(self->spooled); /* it has no name, and was only read */
    self->spooled = s.to;
    self->fd = fcntl(fileno(s.to), F_DUPFD_CLOEXEC, 3);
    return self->fd < 0 ? -errno : 0;
}

static int measure(struct orma_pieces_source *self)
{
    struct stat st;

    if (fstat(self->fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    self->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    return S_ISREG(st.st_mode);
}

static int refuse(const struct orma_pieces_source *self, enum orma_format format,
                  const uint8_t *head, size_t len)
{
    const char *foreign = orma_detect_foreign(head, len);

    if (format == ORMA_FORMAT_UNKNOWN || format == ORMA_FORMAT_MORE)
        fprintf(stderr, "%s: %s: not a trace of packets%s%s\n", self->program, self->path,
                foreign ? ": " : "", foreign ? foreign : "");
    else
        fprintf(stderr,
                "%s: %s: a trace of the kind '%s': only traces of packets (.pftrace) can be taken "
                "apart\n",
                self->program, self->path, orma_detect_format_names[format]);
    return -ENOTSUP;
}

/* What the file is, by its first bytes. */
static enum orma_format sniff(const struct orma_pieces_source *self, uint8_t *head, size_t *len)
{
    const size_t max = *len;
    ssize_t n;

    *len = 0;
    while (*len < max && (n = pread(self->fd, head + *len, max - *len, (off_t)*len)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        *len += n > 0 ? (size_t)n : 0;
    }
    return orma_detect_format(head, *len, *len < max);
}

static int unwrap(struct orma_pieces_source *self)
{
    const size_t max = ORMA_DETECT_MAX;
    uint8_t *head = malloc(max);
    int r = head ? 1 : -ENOMEM;

    while (r == 1) {
        size_t len = max;
        enum orma_format format = sniff(self, head, &len);
        const enum orma_inflate_form form = orma_inflate_form_of(format);

        if (format == ORMA_FORMAT_PROTO || format == ORMA_FORMAT_SYMBOLS) {
            r = 0;
        } else if (!len) {
            r = complain(self, ORMA_LOAD_EMPTY);
        } else if (orma_detect_is_packed(format) && !self->unpacked) {
            self->unpacked = true;
            r = lseek(self->fd, 0, SEEK_SET) < 0 ? -errno : spool(self, &form);
            r = r < 0 ? r : measure(self);
        } else {
            r = refuse(self, format, head, len);
        }
    }
    free(head);
    return r;
}

int orma_pieces_source_open(struct orma_pieces_source *self, const char *program, const char *path)
{
    char room[4096];

    *self = (struct orma_pieces_source){.program = program, .path = path};
    if (!strcmp(path, "-")) {
        self->path = "standard input";
        self->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    } else {
        self->fd = open(orma_load_in_folder(path, room, sizeof(room)), O_RDONLY | O_CLOEXEC);
    }
    int r = self->fd < 0 ? -errno : measure(self);
    if (r < 0 && r != -ENOMEM)
        (void)complain(self, strerror(-r));
    if (r == 0)
        r = spool(self, NULL);
    if (r == 0)
        r = measure(self);
    if (r > 0)
        r = unwrap(self);
    if (r < 0)
        orma_pieces_source_close(self);
    return r < 0 ? r : 0;
}

int orma_pieces_tell_memory(const char *program, const char *path, int r)
{
    if (r == -ENOMEM)
        fprintf(stderr, "%s: %s: %s\n", program, path, strerror(ENOMEM));
    return r;
}

void orma_pieces_source_close(struct orma_pieces_source *self)
{
    orma_fd_close(&self->fd);
    if (self->spooled)
        (void)fclose(self->spooled); /* it has no name */
    free(self->room);
    self->spooled = NULL;
    self->room = NULL;
}
