/*
 * A piece of a trace as it is written: packets as they were, and in front of them what a reader
 * must know by then and was not told, because the packets that said it are not in the piece.
 *
 * Per sequence of the trace a piece knows what it has said of it so far. Before a packet goes in,
 * the difference to what the whole trace has said by then is written as a packet of its own:
 *
 *   interned data, defaults     of the generation; a new one begins with a clear
 *   incremental clocks          the time that packets which are not there took
 *   lost state                  if packets were lost since
 *
 * and what a track event tells as a difference (counters, older times) is told as the difference to
 * the last event of the piece.
 */
#ifndef ORMA_TOOLS_PIECES_PIECE_H
#define ORMA_TOOLS_PIECES_PIECE_H
#include "tools/output/output.h"
#include "tools/pieces/event.h"

enum orma_pieces_packing {
    ORMA_PIECES_AS_IS, /* as the trace: what had compressed packets has them again */
    ORMA_PIECES_PLAIN,
    ORMA_PIECES_DEFLATE,
    ORMA_PIECES_ZSTD,
};

/* False, and said: not in this build. */
bool orma_pieces_can_pack(const char *program, enum orma_pieces_packing packing);

/* What AS_IS means for this trace, once it was walked. */
enum orma_pieces_packing orma_pieces_choose(const struct orma_pieces_source *source,
                                            enum orma_pieces_packing packing);

struct orma_pieces_out_seq;

struct orma_pieces_piece {
    struct orma_output out;
    enum orma_pieces_packing packing;
    struct orma_buf waiting, packed, scratch;
    size_t batch;                     /* so much is written at a time */
    struct orma_pieces_out_seq *seqs; /* by orma_pieces_seq.index */
    uint32_t seqs_num;
    struct orma_pieces_sum *sums; /* by slot of the counters */
    uint32_t sums_num;
    uint64_t bytes;   /* written */
    uint64_t packets; /* of the trace; without those that were added */
    uint64_t events;
    int error;
};

/* 0, or -errno after a message. `want` as for orma_output_open(). */
int orma_pieces_piece_open(struct orma_pieces_piece *self, const struct orma_output_want *want,
                           enum orma_pieces_packing packing);

/* It is one of so many that are open at a time, which share the memory for what waits. */
void orma_pieces_piece_share(struct orma_pieces_piece *self, uint32_t num);

/* Writes what waits. 0 or -errno, as in `error`: closing tells. */
int orma_pieces_piece_flush(struct orma_pieces_piece *self);

/* `r` < 0: it came to nothing, and a reason that is the piece's own is said. 0 or -errno. */
int orma_pieces_piece_close(struct orma_pieces_piece *self, int r, const char *what);

/* A packet of the sequence that is at hand. `payload` NULL: as it is; else instead of that of the
 * packet. */
void orma_pieces_piece_put(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                           const struct orma_read_packet *p, const struct orma_str *payload);

/* The same for a track event, whose differences are made to fit. */
void orma_pieces_piece_put_event(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                                 const struct orma_read_packet *p,
                                 const struct orma_pieces_event *event,
                                 const struct orma_pieces_counters *counters,
                                 const struct orma_pieces_values *values);

/* The same for a packet of stacks whose times are differences. */
void orma_pieces_piece_put_stacks(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                                  const struct orma_read_packet *p);

/* Statistics of the recording count packets, which are fewer here: `p` is one of those. */
void orma_pieces_piece_put_stats(struct orma_pieces_piece *self,
                                 const struct orma_pieces_known *known,
                                 const struct orma_pieces_seq *seq,
                                 const struct orma_read_packet *p);

/* A packet of the sequence that is not for this piece, and told of losses. */
void orma_pieces_piece_lost(struct orma_pieces_piece *self, const struct orma_pieces_seq *seq,
                            uint32_t reasons);

/* A packet, whatever is known of its sequence. */
void orma_pieces_piece_put_packet(struct orma_pieces_piece *self, struct orma_str bytes);

/* Bytes of the file as they are: fields that are no packets. */
void orma_pieces_piece_put_raw(struct orma_pieces_piece *self, struct orma_str bytes);

/* The packet of `p` with another payload, or (NULL) without any. */
void orma_pieces_write_packet(struct orma_buf *out, const struct orma_read_packet *p,
                              const struct orma_str *payload);
#endif
