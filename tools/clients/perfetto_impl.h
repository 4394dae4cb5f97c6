/*
 * What the parts of the `perfetto` client share. Private to tools/clients/perfetto*.c.
 *
 *   perfetto_args.c     options and what goes together
 *   perfetto_config.c   the TraceConfig: from a file, or from the options of the light form
 *   perfetto_session.c  the conversation with the service
 *   perfetto_output.c   output file, signals, messages
 *   perfetto.c          the order of things, background
 */
#ifndef ORMA_TOOLS_PERFETTO_IMPL_H
#define ORMA_TOOLS_PERFETTO_IMPL_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "tools/clients/perfetto.h"
#include "tools/service/trace_config.h"

#define PERFETTO_EXIT_NOT_DETACHED 2
#define PERFETTO_LIST_MAX 1024

enum perfetto_action {
    PERFETTO_NOTHING,
    PERFETTO_RECORD, /* a config, or the light form */
    PERFETTO_QUERY,
    PERFETTO_CLONE,
    PERFETTO_ATTACH,
    PERFETTO_IS_DETACHED,
};

/* Words that may be given several times. */
struct perfetto_list {
    const char *items[PERFETTO_LIST_MAX];
    size_t num;
};

struct perfetto_args {
    enum perfetto_action action;
    const char *out_path; /* "-": standard output; NULL: none */
    bool no_clobber;
    /* The config, or the light form. */
    const char *config_path;
    bool text, lossy, light;
    uint64_t light_duration_ms, light_buffer_bytes, light_file_bytes;
    struct perfetto_list light_apps, light_events, attributes;
    /* Background. */
    bool background, background_wait;
    int notify_fd; /* -1: none */
    /* Query. */
    bool query_raw, query_long;
    /* Clone. */
    uint64_t clone_id;
    const char *clone_name; /* NULL: by id */
    bool clone_for_bugreport;
    /* Detached sessions: `key` is that of detach, attach or is_detached. */
    bool detach, stop;
    const char *key;
};

struct perfetto {
    const struct orma_perfetto_hooks *hooks;
    struct perfetto_args args;
    struct orma_buf config;
    struct orma_trace_config facts;
    int out_fd; /* -1: none */
    uint64_t bytes;
    bool truncated; /* the output file is ours now: its old content is gone */
    /* Receive a ORMA_BACKGROUND_* byte when all data sources have started: of --notify-fd, and of
     * the process that waits for us. -1: none. */
    int notify_fd, parent_fd;
    int signal_fd; /* readable once SIGINT or SIGTERM came */
    unsigned snapshots;
};

/* Fills self->args. 0 and *ret_go_on, or what to exit with. */
int perfetto_parse_args(struct perfetto *self, int argc, char **argv, bool *ret_go_on);

/* self->config and self->facts from a file or from the light form's options. Negative: has said
 * why. */
int perfetto_load_config(struct perfetto *self);
/* Appends what a client adds to a config before it sends it. */
int perfetto_complete_config(struct perfetto *self);

/* The light form's config alone. */
void perfetto_put_light_config(struct orma_buf *out, const struct perfetto_args *args);

/* The action; the exit code. The service is connected to in here. */
int perfetto_run_session(struct perfetto *self);

/* What the config says about the output fits the options. Negative: has said why. */
int perfetto_check_output(const struct perfetto *self);
int perfetto_open_output(struct perfetto *self);
/* An output that stayed empty is removed: what nobody can read shall not look like a trace. */
void perfetto_drop_empty_output(const struct perfetto *self);

/* SIGINT and SIGTERM make signal_fd readable. 0 or -errno. */
int perfetto_catch_signals(struct perfetto *self);
void perfetto_release_signals(void);

/* Empties the output file before the first byte comes into it. */
int perfetto_truncate_output(struct perfetto *self);
/* The status byte, once; later calls do nothing. */
void perfetto_tell_status(struct perfetto *self, char status);

/* "perfetto: text" on stderr. */
void perfetto_say(const struct perfetto *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* Opens PATH (or "-") for a trace. The descriptor, or negative: has said why. */
int perfetto_open(const struct perfetto *self, const char *path);
#endif
