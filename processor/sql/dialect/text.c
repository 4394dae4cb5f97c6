/*
 * A text is its bytes and a list of pieces, sorted by where they begin; a piece says which
 * bytes of which source, and by which macro call, it came from. Appending to a text what
 * follows the piece before in the same source makes no new piece. The origin of a byte is
 * found by bisection and then by walking up the calls; sources are shared by reference count.
 */
#include "processor/sql/dialect/text.h"
#include "sdk/base/search.h"

#include <stdlib.h>

#define CONTEXT_MAX 128 /* characters shown on either side of the caret */

struct orma_sql_source *orma_sql_source_new(const char *name, struct orma_str text)
{
    struct orma_sql_source *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->refs = 1;
    self->len = text.len;
    self->name = strdup(name);
    self->text = orma_str_dup(text);
    if (!self->name || !self->text) {
        orma_sql_source_unref(self);
        return NULL;
    }
    return self;
}

struct orma_sql_source *orma_sql_source_ref(struct orma_sql_source *self)
{
    self->refs++;
    return self;
}

void orma_sql_source_unref(struct orma_sql_source *self)
{
    if (!self || --self->refs)
        return;
    free(self->name);
    free(self->text);
    free(self);
}

static void drop_sources(struct orma_sql_text *self)
{
    struct orma_sql_source **sources = (struct orma_sql_source **)(void *)self->sources.data;

    for (size_t i = 0; i < self->sources.len / sizeof(*sources); i++)
        orma_sql_source_unref(sources[i]);
    orma_buf_clear(&self->sources);
}

void orma_sql_text_clear(struct orma_sql_text *self)
{
    drop_sources(self);
    orma_buf_clear(&self->buf);
    orma_buf_clear(&self->pieces);
    orma_buf_clear(&self->calls);
    self->failed = false;
}

void orma_sql_text_fini(struct orma_sql_text *self)
{
    drop_sources(self);
    orma_buf_fini(&self->buf);
    orma_buf_fini(&self->pieces);
    orma_buf_fini(&self->calls);
    orma_buf_fini(&self->sources);
    *self = (struct orma_sql_text){0};
}

void orma_sql_text_hold(struct orma_sql_text *self, struct orma_sql_source *source)
{
    struct orma_sql_source **held = (struct orma_sql_source **)(void *)self->sources.data;
    size_t num = self->sources.len / sizeof(*held);

    for (size_t i = num; i-- > 0;) {
        if (held[i] == source)
            return;
    }
    orma_buf_put(&self->sources, &source, sizeof(source));
    if (self->sources.failed)
        self->failed = true;
    else
        orma_sql_source_ref(source);
}

static struct orma_sql_piece *pieces_of(const struct orma_sql_text *self, size_t *ret_num)
{
    *ret_num = self->pieces.len / sizeof(struct orma_sql_piece);
    return (struct orma_sql_piece *)(void *)self->pieces.data;
}

uint32_t orma_sql_text_add_call(struct orma_sql_text *self, struct orma_sql_origin where)
{
    size_t idx = self->calls.len / sizeof(where);

    orma_buf_put(&self->calls, &where, sizeof(where));
    if (!self->calls.failed && idx < ORMA_SQL_NO_CALL)
        return (uint32_t)idx;
    self->failed = true;
    return ORMA_SQL_NO_CALL;
}

/* A new piece begins here, unless what follows goes on where the last piece is. */
static void begin_piece(struct orma_sql_text *self, struct orma_sql_origin origin, bool fixed)
{
    size_t num;
    const struct orma_sql_piece *pieces = pieces_of(self, &num);
    const struct orma_sql_piece *last = num ? &pieces[num - 1] : NULL;
    struct orma_sql_piece piece = {(uint32_t)self->buf.len, fixed, origin};

    if (last && !last->fixed && !fixed && last->origin.source == origin.source &&
        last->origin.call == origin.call && last->origin.at + (piece.at - last->at) == origin.at)
        return;
    orma_buf_put(&self->pieces, &piece, sizeof(piece));
    orma_sql_text_hold(self, origin.source);
    if (self->pieces.failed)
        self->failed = true;
}

static void append(struct orma_sql_text *self, const char *data, size_t len)
{
    if (len > ORMA_SQL_EXPANDED_MAX - ORMA_MIN(self->buf.len, ORMA_SQL_EXPANDED_MAX)) {
        self->failed = true;
        return;
    }
    orma_buf_put(&self->buf, data, len);
    if (self->buf.failed)
        self->failed = true;
}

void orma_sql_text_put(struct orma_sql_text *self, struct orma_sql_origin origin, uint32_t len)
{
    if (!len || self->failed)
        return;
    begin_piece(self, origin, false);
    append(self, origin.source->text + origin.at, len);
}

void orma_sql_text_put_made(struct orma_sql_text *self, struct orma_sql_origin where,
                            struct orma_str words)
{
    if (!words.len || self->failed)
        return;
    begin_piece(self, where, true);
    append(self, words.data, words.len);
}

/* Index of the piece that holds the byte at `at`: the last one that begins at or before it. */
static size_t find_piece(const struct orma_sql_text *self, uint32_t at)
{
    size_t num;
    const struct orma_sql_piece *pieces = pieces_of(self, &num);
    size_t after = ORMA_UPPER_BOUND(pieces, num, .at, at);

    return after ? after - 1 : 0;
}

void orma_sql_text_put_text(struct orma_sql_text *self, const struct orma_sql_text *from,
                            uint32_t at, uint32_t len)
{
    size_t num;
    const struct orma_sql_piece *pieces = pieces_of(from, &num);

    if (!num || at >= from->buf.len)
        return;
    uint32_t end = len < from->buf.len - at ? at + len : (uint32_t)from->buf.len;
    for (size_t i = find_piece(from, at); i < num && at < end && !self->failed; i++) {
        uint32_t stop = i + 1 < num ? ORMA_MIN(pieces[i + 1].at, end) : end;
        struct orma_sql_origin origin = pieces[i].origin;

        if (!pieces[i].fixed)
            origin.at += at - pieces[i].at;
        begin_piece(self, origin, pieces[i].fixed);
        append(self, (const char *)from->buf.data + at, stop - at);
        at = stop;
    }
}

void orma_sql_text_inherit(struct orma_sql_text *self, const struct orma_sql_text *from)
{
    struct orma_sql_source *const *sources =
        (struct orma_sql_source *const *)(void *)from->sources.data;

    for (size_t i = 0; i < from->sources.len / sizeof(*sources); i++)
        orma_sql_text_hold(self, sources[i]);
    orma_buf_put(&self->calls, from->calls.data, from->calls.len);
    if (self->calls.failed || from->failed)
        self->failed = true;
}

struct orma_sql_origin orma_sql_text_origin(const struct orma_sql_text *self, uint32_t at)
{
    size_t num;
    const struct orma_sql_piece *pieces = pieces_of(self, &num);

    if (!num)
        return (struct orma_sql_origin){NULL, 0, ORMA_SQL_NO_CALL};
    const struct orma_sql_piece *piece = &pieces[find_piece(self, at)];
    struct orma_sql_origin origin = piece->origin;
    if (!piece->fixed)
        origin.at = (uint32_t)ORMA_MIN(origin.at + (at - piece->at), origin.source->len);
    return origin;
}

void orma_sql_text_put_caret(struct orma_str text, uint32_t at, unsigned indent,
                             struct orma_buf *out)
{
    uint32_t begin = (uint32_t)ORMA_MIN(at, text.len), end = begin;

    at = begin;
    while (begin > 0 && at - begin < CONTEXT_MAX && text.data[begin - 1] != '\n')
        begin--;
    while (end < text.len && end - at < CONTEXT_MAX && text.data[end] != '\n')
        end++;
    orma_buf_printf(out, "%*s", (int)indent, "");
    orma_buf_put(out, text.data + begin, end - begin);
    orma_buf_printf(out, "\n%*s", (int)indent, "");
    for (uint32_t i = begin; i < at; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c == '\t')
            orma_buf_put_byte(out, '\t');
        else if ((c & 0xc0) != 0x80) /* the first byte of a character */
            orma_buf_put_byte(out, ' ');
    }
    orma_buf_put_str(out, "^\n");
}

static void put_frame(const struct orma_sql_source *source, uint32_t at, struct orma_buf *out)
{
    unsigned line = 1, col = 1;

    for (uint32_t i = 0; i < at && i < source->len; i++) {
        col = source->text[i] == '\n' ? 1 : col + 1;
        line += source->text[i] == '\n';
    }
    orma_buf_printf(out, "  %s line %u col %u\n", source->name, line, col);
    orma_sql_text_put_caret(orma_sql_source_str(source), at, 4, out);
}

/* Calls have lower numbers than what they made, so this ends. */
static void put_frames_of(const struct orma_sql_text *self, struct orma_sql_origin origin,
                          struct orma_buf *out, int depth)
{
    const struct orma_sql_origin *calls = (const struct orma_sql_origin *)(void *)self->calls.data;

    if (origin.call != ORMA_SQL_NO_CALL && depth > 0)
        put_frames_of(self, calls[origin.call], out, depth - 1);
    put_frame(origin.source, origin.at, out);
}

void orma_sql_text_put_frames(const struct orma_sql_text *self, uint32_t at, struct orma_buf *out)
{
    struct orma_sql_origin origin = orma_sql_text_origin(self, at);

    if (origin.source)
        put_frames_of(self, origin, out, 100);
}
