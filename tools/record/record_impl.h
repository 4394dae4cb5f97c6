/*
 * What the parts of `orma record` share. Private to tools/cmd_record.c (the
 * order of things) and tools/record/record_args.c (options and what goes together).
 */
#ifndef ORMA_TOOLS_RECORD_IMPL_H
#define ORMA_TOOLS_RECORD_IMPL_H
#include <stdbool.h>

#include "sdk/base/arena.h"
#include "sdk/base/buf.h"
#include "tools/base/cli.h"
#include "tools/record/record_config.h"
#include "tools/record/rotation.h"
#include "tools/relay/machines.h"
#include "tools/service/attach.h"
#include "tools/service/config_file.h"

struct orma_flight;
struct orma_flight_plan;

#define ORMA_RECORD_WHEN_MAX 16
#define ORMA_RECORD_BEFORE_MS 10000
#define ORMA_RECORD_AFTER_MS 2000
#define ORMA_RECORD_PAUSE_MS 10000

struct orma_record {
    struct orma_cli cli;
    struct orma_record_request request;
    const char *out_path; /* as given, or made up */
    char path_buf[64];
    bool to_stdout, force, private_service, quiet, explain, background;
    bool mode_given, named; /* --ring or --stream; a preset, an event or -a */
    bool allow_unknown;
    bool auto_size, sized; /* --auto-size; -b */
    const char *clone;       /* session to make a snapshot of; NULL: record */
    int parent_fd;           /* the process that waits for our start; -1: none */
    const char *config_path; /* NULL: made from the request */
    enum orma_service_config_form config_form;
    bool shaped;       /* an option was given that makes no sense beside a config */
    bool has_triggers; /* the config */
    bool snapshots;    /* each of its triggers writes a file of its own, PATH.N */
    unsigned snapshots_num, snapshots_failed, snapshots_max;
    /* Conditions of --when, as they were written, and what belongs to them. */
    const char *when[ORMA_RECORD_WHEN_MAX];
    unsigned when_num;
    uint64_t before_ms, after_ms, pause_ms;
    bool has_span; /* one of these was given */
    const char *then;
    const char *machines[ORMA_RELAY_MACHINES_MAX]; /* others, as they were written */
    unsigned machines_num;
    struct orma_relay_machines *others;
    struct orma_flight_plan *plan; /* of cmd_record.c */
    struct orma_flight *flight;
    struct orma_buf config;
    struct orma_arena names; /* of events that were given without their group */
    char *const *command;
    struct orma_record_rotation rotation;
    struct orma_record_handover handover; /* of its files; with --when */
    int out_fd;
    bool out_created;
    int signal_fd;
    struct orma_record_trace_watch *watch; /* of an output that cannot be read again; or NULL */
    struct orma_service_attached service;
    char session_name[32]; /* made up, for `orma status` */
};

extern const struct orma_option orma_record_options[];

struct orma_record_trace_watch;

struct orma_recorder;
struct orma_service_trace_config;

/*
 * After the end: the last line, and why nothing or less than asked for was
 * recorded. `failed`: the recorder has printed the reason. An exit code.
 */
int orma_record_outcome(struct orma_record *rec, const struct orma_recorder *run,
                        const struct orma_service_trace_config *config_info, bool failed);

/* Fills `rec` from rec->cli. ORMA_EXIT_OK and *ret_go_on, or what to exit with. */
int orma_record_parse(struct orma_record *rec, bool *ret_go_on);
#endif
