/*
 * From what was measured, a second, to sizes and periods: what `orma doctor` advises and what
 * `orma record --auto-size` chooses are the results of these functions.
 *
 * Rates are averages over what was measured; twice the average has a place, and a second in which
 * nobody reads (a busy service, a disk that rests).
 */
#ifndef ORMA_TOOLS_DOCTOR_SIZES_H
#define ORMA_TOOLS_DOCTOR_SIZES_H
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"

struct orma_processor;
struct orma_doctor;

#define ORMA_DOCTOR_RATES_MAX 128 /* buffers of a config */

/* Where a config says nothing. */
#define ORMA_DOCTOR_WRITE_PERIOD_MS 5000
#define ORMA_DOCTOR_DRAIN_PERIOD_MS 100
#define ORMA_DOCTOR_KERNEL_KB 8192

struct orma_doctor_rates {
    uint64_t span_ns;
    uint64_t buffers[ORMA_DOCTOR_RATES_MAX]; /* bytes a second into each */
    uint32_t buffers_num;
    uint64_t bytes;         /* a second into all of them */
    uint64_t kernel_events; /* a second on the busiest cpu, lost ones with them */
};

void orma_doctor_measure(struct orma_processor *tp, uint64_t span_ns,
                         struct orma_doctor_rates *ret);

/* A ring that is written into a file each `period_ms`: what comes between two writes. */
uint64_t orma_doctor_stream_kb(uint64_t bytes_per_s, uint64_t period_ms);
/* A ring that holds so much time. */
uint64_t orma_doctor_ring_kb(uint64_t bytes_per_s, uint64_t hold_ms);
/* The kernel's buffer of a cpu. */
uint64_t orma_doctor_kernel_kb(uint64_t events_per_s, uint64_t drain_ms);
/* How often a buffer has to be written so that it never is half full between two writes. */
uint32_t orma_doctor_write_period_ms(uint64_t bytes_per_s, uint64_t size_kb);

/*
 * All of it, in self->config: `hold_ms` is what a ring should hold, `memory` what all buffers may
 * take. A ring may become smaller than it was; all of it is told as a finding with changes.
 */
void orma_doctor_choose(struct orma_doctor *self, const struct orma_doctor_rates *rates,
                        uint64_t hold_ms, uint64_t memory);
#endif
