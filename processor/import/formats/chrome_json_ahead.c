/*
 * Events looked at ahead, by several threads: where their args end, and whether they can be left
 * (chrome_json_places.c), which is most of the work where events have long args. And what is looked
 * at is in memory.
 *
 *   bytes   [ piece 0 | piece 1 | piece 2 ...       a thread each, from what looks like an event
 *   read     ────────► ───────► ...                 the importing thread, in order, with the hints
 *
 * A hint says of the bytes from a place on what anybody would find who begins there. So it does not
 * matter if a piece begins within a text, and takes for events what is none: nobody asks for those.
 */
#include <stdlib.h>

#include "processor/import/formats/chrome_json.h"
#include "processor/threads/crew.h"
#include "protos/reflect/json_inline.h"
#include "sdk/base/vec.h"

#define PIECE ((size_t)128 << 10)
/* Fewer bytes are read sooner than threads are told of them. */
#define PIECES_MIN 4
/* Events go on behind the end of a piece, at most so far. */
#define BEHIND ((size_t)64 << 10)
/* So many places in a piece may look like an event and be none: they are walked over in vain. */
#define FAILURES_MAX 8
/* Shorter args are skipped sooner than they are looked up. */
#define ARGS_MIN 48
/* Where hints are for less than an eighth of the bytes, events are read alone sooner. */
#define HINTED_RATIO 8
#define HINTED_FROM 8 /* pieces */
/* Pieces of a thread that wait for the importing one. */
#define AHEAD 2

struct piece {
    ORMA_VEC(struct orma_json_hint) hints;
    size_t hinted; /* bytes that they are of */
};

struct ahead {
    const char *begin, *end;
    struct orma_json_event *events; /* by thread */
    struct piece *pieces;           /* by number modulo `room` */
    size_t room;
    /* Of who reads them. */
    const char *(*read)(void *data, const char *pos, const char *to);
    void *data;
    struct orma_json_event *event;
    const char *pos;
    size_t hinted;
};

static const char *skip_between(const char *pos, const char *end)
{
    while ((pos = orma_json_skip_blanks(pos, end)) < end && *pos == ',')
        pos++;
    return pos;
}

/* The next brace behind a brace and a comma: NULL: there is none. */
static const char *likely_event(const char *begin, const char *pos, const char *end)
{
    while ((pos = memchr(pos, '{', (size_t)(end - pos)))) {
        const char *before = pos;
        bool comma = false;

        while (before > begin && (orma_json_is_blank(before[-1]) || before[-1] == ','))
            comma |= *--before == ',';
        if (before > begin && before[-1] == '}' && comma)
            return pos;
        pos++;
    }
    return NULL;
}

static bool note(struct piece *piece, const struct orma_json_value *args)
{
    const char *end = args->raw.data + args->raw.len;

    if (args->type != ORMA_JSON_OBJECT || args->raw.len < ARGS_MIN)
        return true;
    piece->hinted += args->raw.len;
    return !ORMA_VEC_PUSH(
        &piece->hints, (struct orma_json_hint){
                           args->raw.data, end,
                           args->boolean || orma_json_event_args_are_sound(args->raw.data, end)});
}

/* Without memory there are fewer hints. */
static bool look_at_piece(void *data, size_t number, unsigned thread)
{
    struct ahead *self = data;
    struct piece *piece = &self->pieces[number % self->room];
    struct orma_json_event *event = &self->events[thread];
    const char *pos = self->begin + number * PIECE;
    const char *to = (size_t)(self->end - pos) > PIECE ? pos + PIECE : self->end;
    const char *end = (size_t)(self->end - to) > BEHIND ? to + BEHIND : self->end;
    unsigned failures = 0;

    piece->hints.len = 0;
    piece->hinted = 0;
    if (number)
        pos = likely_event(pos, pos, to);
    while (pos && pos < to && failures < FAILURES_MAX) {
        const char *behind = orma_json_event_take(pos, end, event);

        if (behind && !note(piece, &event->args))
            break;
        failures += !behind;
        pos = behind ? skip_between(behind, to) : pos + 1;
        if (pos < to && (!behind || *pos != '{'))
            pos = likely_event(pos, pos, to);
    }
    return true;
}

static bool read_piece(void *data, size_t number)
{
    struct ahead *self = data;
    struct piece *piece = &self->pieces[number % self->room];
    const char *from = self->begin + number * PIECE;
    const char *to = (size_t)(self->end - from) > PIECE ? from + PIECE : self->end;

    self->hinted += piece->hinted;
    if (self->pos >= to) /* one event was longer than all of it */
        return true;
    self->event->hints = piece->hints.data;
    self->event->hints_end = piece->hints.data + piece->hints.len;
    self->pos = self->read(self->data, self->pos, to);
    self->event->hints = self->event->hints_end = NULL;
    if (number + 1 >= HINTED_FROM && self->hinted < (number + 1) * PIECE / HINTED_RATIO) {
        self->event->no_hints = true;
        return false;
    }
    return self->pos >= to; /* else it stays there, or there is nothing behind */
}

static void fini(struct ahead *self)
{
    for (size_t i = 0; self->pieces && i < self->room; i++)
        ORMA_VEC_FINI(&self->pieces[i].hints);
    free(self->pieces);
    free(self->events);
}

const char *orma_json_event_read_ahead(
    struct orma_crew *crew, struct orma_json_event *event, const char *pos, const char *end,
    const char *(*read)(void *data, const char *pos, const char *to), void *data)
{
    const size_t pieces = ((size_t)(end - pos) + PIECE - 1) / PIECE;
    const unsigned threads = orma_crew_threads(crew);
    struct ahead self = {.begin = pos,
                         .end = end,
                         .room = ORMA_MIN((size_t)threads * AHEAD, pieces),
                         .read = read,
                         .data = data,
                         .event = event,
                         .pos = pos};
    const struct orma_crew_job job = {.work = look_at_piece,
                                      .take = read_piece,
                                      .data = &self,
                                      .pieces = pieces,
                                      .ahead = self.room};

    if (threads < 2 || pieces < PIECES_MIN || event->no_hints)
        return pos;
    self.pieces = calloc(self.room, sizeof(*self.pieces));
    self.events = calloc(threads, sizeof(*self.events));
    if (self.pieces && self.events)
        (void)orma_crew_run(crew, &job); /* it ends early where the reader does */
    fini(&self);
    return self.pos;
}
