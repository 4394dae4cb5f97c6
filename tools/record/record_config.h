/*
 * From what a person asked for to a TraceConfig message.
 */
#ifndef ORMA_TOOLS_RECORD_CONFIG_H
#define ORMA_TOOLS_RECORD_CONFIG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

enum orma_record_mode {
    ORMA_RECORD_STREAM, /* the service writes into the file while it records */
    ORMA_RECORD_RING,   /* the newest data stay in a ring, read at the end */
};

#define ORMA_RECORD_EVENTS_MAX 256
#define ORMA_RECORD_WORDS_MAX 64
#define ORMA_RECORD_ROOTS_MAX 32

struct orma_record_request {
    enum orma_record_mode mode;
    uint64_t duration_ms;    /* 0: until stopped */
    bool live;               /* of a stream: for who reads the file meanwhile */
    const char *trigger;     /* ends the recording when it fires; NULL: none */
    uint64_t buffer_bytes;   /* central buffer */
    uint64_t max_file_bytes; /* 0: no limit; stream only */
    /* Sources that this machine and these rights allow. */
    bool ftrace, process_stats, system_info, sys_stats, journald;
    /* Sums of the chosen presets and of single events. */
    bool apps, ksyms;
    unsigned polls; /* enum orma_record_preset_poll */
    size_t events_num;
    const char *events[ORMA_RECORD_EVENTS_MAX];
    bool event_named[ORMA_RECORD_EVENTS_MAX]; /* by itself, not as a part of a preset */
    /* Functions of the kernel whose calls are recorded with all they call; patterns. */
    size_t roots_num;
    const char *roots[ORMA_RECORD_ROOTS_MAX];
    unsigned max_depth; /* of them; 0: all */
    size_t words_num;
    const char *words[ORMA_RECORD_WORDS_MAX]; /* presets and events as they were named */
};

/* Adds a preset, or an event as "group/name". False: no such preset, or too many events. */
bool orma_record_request_add(struct orma_record_request *self, const char *what);

/*
 * Adds a probe as ftrace_events has it ("kprobe:...", see probes/ftrace/dynamic.h), or functions to
 * graph, both as they were named. False: too many.
 */
bool orma_record_request_add_probe(struct orma_record_request *self, const char *spec);
bool orma_record_request_add_root(struct orma_record_request *self, const char *pattern);

/* Anything of linux.ftrace? */
bool orma_record_request_has_kernel(const struct orma_record_request *self);

/* Takes an event out again that only presets wanted. False: it was named, or is not there. */
bool orma_record_request_drop(struct orma_record_request *self, const char *event);

/* Does this preset or event need data of linux.ftrace? */
bool orma_record_word_is_kernel(const char *word);

/* Adds the presets that are recorded when nothing is named. */
void orma_record_request_add_defaults(struct orma_record_request *self);

/* Adds all presets. */
void orma_record_request_add_all(struct orma_record_request *self);

/* Appends the events only, as fields of a FtraceConfig. */
void orma_record_events_put(struct orma_buf *out, const struct orma_record_request *request);

/* Appends the encoded TraceConfig. */
void orma_record_config_put(struct orma_buf *out, const struct orma_record_request *request);
#endif
