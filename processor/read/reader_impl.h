/*
 * Between the files of the reader, and for those who follow it packet by packet: machines and
 * times of packets, the slow path; clocks of snapshots.
 */
#ifndef ORMA_PROCESSOR_READ_READER_IMPL_H
#define ORMA_PROCESSOR_READ_READER_IMPL_H
#include "processor/read/reader.h"

/* The machine of packets that call it so; sets self->error if there must be none. */
uint16_t orma_reader_machine_of(struct orma_reader *self, uint32_t raw);

/* The time of a packet that has one, in the trace's clock. Those of incremental clocks move them.
 */
enum orma_clock_result orma_reader_packet_time(struct orma_reader *self, struct orma_seq *seq,
                                               const struct orma_read_packet *p,
                                               struct orma_packet_time *ret);

/* One clock of a snapshot; `sequence` 0: none. False: a private clock without a sequence. */
bool orma_reader_read_clock(struct orma_str bytes, uint32_t sequence, struct orma_clock_value *ret);

/* Counts and logs a time that can't be converted; `offset`: of the packet in the file, or -1. */
void orma_reader_count_clock(struct orma_reader *self, const struct orma_clock_view *view,
                             uint64_t clock, int64_t ns, enum orma_clock_result why,
                             int64_t offset);

/* Looks the clock of a packet up and keeps the conversion in the sequence. */
enum orma_clock_result orma_reader_find_clock(struct orma_reader *self, struct orma_seq *seq,
                                              uint32_t id, uint64_t timestamp);

/* Counts a packet of this time that another file, or recording, has, too. */
void orma_reader_look_for_twin(struct orma_reader *self, const struct orma_read_packet *p,
                               const struct orma_seq *seq, int64_t ts);
#endif
