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

#define ORMA_PERFETTO_EXIT_NOT_DETACHED 2
#define ORMA_PERFETTO_LIST_MAX 1024

enum orma_perfetto_action {
    ORMA_PERFETTO_NOTHING,
    ORMA_PERFETTO_RECORD, /* a config, or the light form */
    ORMA_PERFETTO_QUERY,
    ORMA_PERFETTO_CLONE,
    ORMA_PERFETTO_ATTACH,
    ORMA_PERFETTO_IS_DETACHED,
};

/* Words that may be given several times. */
struct orma_perfetto_list {
    const char *items[ORMA_PERFETTO_LIST_MAX];
    size_t num;
};

struct orma_perfetto_args {
    enum orma_perfetto_action action;
    const char *out_path; /* "-": standard output; NULL: none */
    bool no_clobber;
    /* The config, or the light form. */
    const char *config_path;
    bool text, lossy, light;
    uint64_t light_duration_ms, light_buffer_bytes, light_file_bytes;
    struct orma_perfetto_list light_apps, light_events, attributes;
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

struct orma_perfetto {
    const struct orma_perfetto_hooks *hooks;
    struct orma_perfetto_args args;
    struct orma_buf config;
    struct orma_service_trace_config config_info;
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
int orma_perfetto_parse_args(struct orma_perfetto *self, int argc, char **argv, bool *ret_go_on);

/* self->config and self->config_info from a file or from the light form's options. Negative: the
 * message is printed. */
int orma_perfetto_load_config(struct orma_perfetto *self);
/* Appends what a client adds to a config before it sends it. */
int orma_perfetto_complete_config(struct orma_perfetto *self);

/* The light form's config alone. */
void orma_perfetto_put_light_config(struct orma_buf *out, const struct orma_perfetto_args *args);

/* The action; the exit code. The service is connected to in here. */
int orma_perfetto_run_session(struct orma_perfetto *self);

/* Checks that config and options agree about the output. Negative: the message is printed. */
int orma_perfetto_check_output(const struct orma_perfetto *self);
int orma_perfetto_open_output(struct orma_perfetto *self);
/* An output that stayed empty is removed: what nobody can read shall not look like a trace. */
void orma_perfetto_drop_empty_output(const struct orma_perfetto *self);

/* SIGINT and SIGTERM make signal_fd readable. 0 or -errno. */
int orma_perfetto_catch_signals(struct orma_perfetto *self);
void orma_perfetto_release_signals(void);

/* Empties the output file before the first byte comes into it. */
int orma_perfetto_truncate_output(struct orma_perfetto *self);
/* The status byte, once; later calls do nothing. */
void orma_perfetto_report_status(struct orma_perfetto *self, char status);

/* "perfetto: text" on stderr. */
void orma_perfetto_say(const struct orma_perfetto *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* Opens PATH (or "-") for a trace. The descriptor, or negative with the message printed. */
int orma_perfetto_open(const struct orma_perfetto *self, const char *path);
#endif
