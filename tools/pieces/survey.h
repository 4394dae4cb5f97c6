/*
 * The first look at a trace: when it begins and ends, and which slices cross the edges of its
 * pieces.
 *
 * A slice is two packets, its begin and its end, which may lie in different pieces, in sequences of
 * different threads, and in any order of the file. So their pairs are found before anything is
 * copied, and what must not go by its own time is noted by its number:
 *
 *   one range    all slices that overlap with it are in the piece whole, with their true times
 *   many ranges  a slice is in the piece in which it begins, and its end with it
 */
#ifndef ORMA_TOOLS_PIECES_SURVEY_H
#define ORMA_TOOLS_PIECES_SURVEY_H
#include "tools/pieces/event.h"
#include "tools/pieces/trees.h"

/* Where the trace is cut: piece i is from edges[i] up to, and without, edges[i + 1]. */
struct orma_pieces_edges {
    int64_t *times;
    uint32_t num; /* pieces + 1 */
    bool overlap; /* one range */
};

#define ORMA_PIECES_NONE (-1)

/* The piece of a time; ORMA_PIECES_NONE: none. */
int32_t orma_pieces_of(const struct orma_pieces_edges *edges, int64_t ts);

/* How many bytes are of which time: steps of `width` from `from` on. */
#define ORMA_PIECES_STEPS 65536
struct orma_pieces_sizes {
    int64_t from, width;
    uint64_t steps[ORMA_PIECES_STEPS];
    uint64_t always; /* of what is in each piece */
    bool begun;
};

struct orma_pieces_survey {
    struct orma_pieces_known known;       /* at the end of the trace */
    struct orma_pieces_counters counters; /* which tracks are such */
    int64_t first, last;                  /* of all events */
    bool any;
    struct orma_map switches; /* machine << 32 | cpu → time of the last switch before one range */
    struct orma_map moved;    /* number of a packet → piece + 1; 0: none */
    struct orma_map tracks;   /* key → sequence + 1 that all slices on it are of, in the order of
                               * their times; 0: of several, or in another order */
    struct orma_pieces_trees trees; /* of one range */
    bool begun, failed;
};

/* Where that is of one range. */
enum orma_pieces_side orma_pieces_side_of(const struct orma_pieces_edges *edges, int64_t ts);

/* Only the times, and if wanted the sizes. 0, or -errno after a message. */
int orma_pieces_survey_times(struct orma_pieces_survey *self, struct orma_pieces_source *source,
                             struct orma_pieces_sizes *sizes);

/* The same, and the slices that cross these edges. After the one above. */
int orma_pieces_survey_slices(struct orma_pieces_survey *self, struct orma_pieces_source *source,
                              const struct orma_pieces_edges *edges);

/* Where to look for that switch. */
static inline uint64_t orma_pieces_cpu_key(const struct orma_pieces_seq *seq, uint32_t cpu)
{
    return (uint64_t)seq->seq->machine << 32 | cpu;
}

void orma_pieces_survey_fini(struct orma_pieces_survey *self);

/* Packets that belong to no time: descriptions, configurations, clocks. */
bool orma_pieces_is_timeless(uint32_t field);
#endif
