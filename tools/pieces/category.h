/*
 * Which track events are of a category, for orma filter. Ends of slices name none: they are of that
 * of their begin.
 */
#ifndef ORMA_TOOLS_PIECES_CATEGORY_H
#define ORMA_TOOLS_PIECES_CATEGORY_H
#include "tools/pieces/event.h"

/* Whether somebody asked for a category of this name. */
typedef bool orma_pieces_category_fn(void *ctx, struct orma_str name);

/*
 * Three looks at a trace, in each of which all packets are taken: the first one finds out to which
 * tracks several sequences write, or one in another order, whose slices are matched by their times
 * in the second one. In the third one each event can be asked for.
 */
struct orma_pieces_categories {
    orma_pieces_category_fn *wants;
    void *ctx;
    struct orma_map names;  /* sequence, iid → generation << 1 | wanted */
    struct orma_map tracks; /* key → sequence + 1; 0: several, or not in the order of times */
    struct orma_map ends;   /* of those of several: number of the packet → wanted */
    struct orma_map nests;  /* of the others: key → index */
    struct orma_pieces_nest *stacks;
    uint32_t stacks_num, stacks_cap;
    struct orma_pieces_open *shared; /* begins and ends of tracks of several sequences */
    uint32_t shared_num, shared_cap;
    bool failed; /* no memory */
};

void orma_pieces_categories_fini(struct orma_pieces_categories *self);

/* Before each look: what interned names meant is forgotten. */
void orma_pieces_categories_begin(struct orma_pieces_categories *self);

/* A packet comes. */
void orma_pieces_categories_intern(struct orma_pieces_categories *self,
                                   const struct orma_pieces_seq *seq,
                                   const struct orma_read_packet *p);

/* A track event of the first and the second look; then the end of the second one. */
void orma_pieces_categories_note(struct orma_pieces_categories *self, struct orma_pieces_seq *seq,
                                 const struct orma_pieces_event *e, int64_t ts);
void orma_pieces_categories_collect(struct orma_pieces_categories *self,
                                    const struct orma_pieces_seq *seq,
                                    const struct orma_pieces_event *e, struct orma_str payload,
                                    int64_t ts, uint64_t number);
void orma_pieces_categories_match(struct orma_pieces_categories *self);

/* A track event of the third look. */
bool orma_pieces_categories_wants(struct orma_pieces_categories *self,
                                  const struct orma_pieces_seq *seq,
                                  const struct orma_pieces_event *e, struct orma_str payload,
                                  uint64_t number);
#endif
