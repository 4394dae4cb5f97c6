/*
 * What is wrong with a recording, a config or this machine, and the exact change that helps:
 * `orma doctor`.
 *
 * A finding is what was measured or can be proved, in a sentence, and the changes for it, a line
 * each. Changes of the config are made in `config` as they are told, so that what is written by
 * --fix is what was said.
 *
 *   trace.c        what a trace counts: buffers by measured rates
 *   config.c       what a config asks for, beside what there is here
 *   diagnostics.c  settings that spoil a recording: the checks of the importer, with their changes
 *   machine.c      rights and settings of this machine
 *   sizes.c        sizes and periods from measured rates, for all of these and for
 *                  `orma record --auto-size` (auto_size.c)
 *   disk.c         how fast a disk takes data
 */
#ifndef ORMA_TOOLS_DOCTOR_DOCTOR_H
#define ORMA_TOOLS_DOCTOR_DOCTOR_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

struct orma_processor;

#define ORMA_DOCTOR_FINDINGS_MAX 100
/* Buffers up to this size are advised; what needs more is better written into a file meanwhile. */
#define ORMA_DOCTOR_BUFFER_MAX_KB ((uint64_t)1 << 20)

struct orma_doctor_finding {
    const char *key;        /* for programs */
    struct orma_buf what;   /* a sentence */
    struct orma_buf change; /* what to do, a line each */
    bool by_config;         /* a change is one of the config */
};

struct orma_doctor {
    Perfetto__Protos__TraceConfig *config; /* with the changes; NULL: none is known */
    struct orma_doctor_finding findings[ORMA_DOCTOR_FINDINGS_MAX];
    unsigned num;
    unsigned more;         /* that had no place */
    struct orma_buf notes; /* what is good to know, and asks for nothing; a line each */
    struct orma_doctor_finding rest;
};

void orma_doctor_fini(struct orma_doctor *self);

/* A finding; never NULL. */
struct orma_doctor_finding *orma_doctor_find(struct orma_doctor *self, const char *key,
                                             const char *fmt, ...) ORMA_PRINTF(3, 4);
/* A change of it. */
void orma_doctor_advise(struct orma_doctor_finding *finding, const char *fmt, ...)
    ORMA_PRINTF(2, 3);
/* The same of a change that was made in the config. */
void orma_doctor_changed(struct orma_doctor_finding *finding, const char *fmt, ...)
    ORMA_PRINTF(2, 3);

void orma_doctor_note(struct orma_doctor *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* "4 KiB -> 64 KiB" of a buffer, which is made so large; nothing if it is so large already. */
void orma_doctor_grow(struct orma_doctor *self, struct orma_doctor_finding *finding,
                      uint32_t buffer, uint64_t size_kb);
/* The session goes into its file while it records, and no buffer rejects data for that. */
void orma_doctor_stream(struct orma_doctor *self, struct orma_doctor_finding *finding);

/* For each ftrace_config. */
typedef void orma_doctor_ftrace_fn(void *ctx, Perfetto__Protos__FtraceConfig *ftrace);
void orma_doctor_each_ftrace(struct orma_doctor *self, orma_doctor_ftrace_fn *fn, void *ctx);

/* The nearest event takes the place of one that does not exist, or it is left out. */
void orma_doctor_mend_event(struct orma_doctor_finding *finding,
                            Perfetto__Protos__FtraceConfig *ftrace, const char *name);

/* The nearest data source takes the place of each that nobody knows. `state`: of the service that
 * runs; empty: of none. */
void orma_doctor_mend_sources(struct orma_doctor *self, struct orma_doctor_finding *finding,
                              struct orma_str state);

/* The smallest power of two that is not less. */
uint64_t orma_doctor_round(uint64_t kb);

/* What to look at. `config`: encoded. `path`: of the trace; NULL: it is in no file. */
void orma_doctor_look_at_trace(struct orma_doctor *self, struct orma_processor *tp,
                               const char *path);
/* Of a trial: what rates of bytes and events do not show (programs, samples, set-up). */
void orma_doctor_look_at_rest(struct orma_doctor *self, struct orma_processor *tp);
/* The disk of the file `path`, on which so much comes a second (0: that is not known). `lost`: data
 * had to be dropped. Says nothing of one that is fast enough, unless nothing is known. */
void orma_doctor_look_at_disk(struct orma_doctor *self, const char *path, uint64_t bytes_per_s,
                              bool lost);
void orma_doctor_look_at_config(struct orma_doctor *self, struct orma_str config);
void orma_doctor_look_at_machine(struct orma_doctor *self);
/* `proved`: only what is certain whatever the load. */
void orma_doctor_look_at_diagnostics(struct orma_doctor *self, struct orma_processor *tp,
                                     bool proved);

void orma_doctor_print(const struct orma_doctor *self, FILE *out);
void orma_doctor_print_json(const struct orma_doctor *self, FILE *out);
#endif
