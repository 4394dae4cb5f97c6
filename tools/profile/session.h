/*
 * A recording of `orma profile`, also under the name cpu_profile:
 *
 *   options --> config --> DIR/raw-trace --> tables --> DIR/profile.PID.pb, one per process
 *
 * cmd_profile.c has the options; config.c, session.c and answer.c are the steps that follow.
 */
#ifndef ORMA_TOOLS_PROFILE_SESSION_H
#define ORMA_TOOLS_PROFILE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sdk/base/buf.h"
#include "tools/base/cli.h"
#include "tools/convert/profile_folder.h"
#include "tools/record/child.h"
#include "tools/record/profile_config.h"
#include "tools/service/attach.h"

enum orma_profile_call_graph {
    ORMA_PROFILE_CALL_GRAPH_AUTO,
    ORMA_PROFILE_CALL_GRAPH_DWARF,
    ORMA_PROFILE_CALL_GRAPH_FP,
    ORMA_PROFILE_CALL_GRAPH_LBR
};

struct orma_profile_session {
    struct orma_cli cli;
    const char *program;
    struct orma_record_profile_request request;
    const char *names, *config_path;
    bool partial, print_config, shaped, all, user_only, per_process, ask_servers;
    enum orma_profile_call_graph call_graph;
    struct orma_record_child child;
    struct rusage before;       /* of children that were there before the command */
    uint64_t begun_ns;          /* of the recording; REALTIME */
    uint64_t cpu_ns, kernel_ns; /* that the command used, and of it in the kernel; 0: not known */
    const char *dir;            /* as given; NULL: a temporary one */
    struct orma_convert_profile_folder folder;
    char *const *command;
    struct orma_buf config; /* encoded */
    int trace_fd;
    bool cut_short; /* of a recording that failed something is there */
    struct orma_service_attached service;
};

/* Before anything is run: few machines have it, virtual ones hardly ever. */
int orma_profile_session_check_lbr(const struct orma_profile_session *self);

/* Virtual machines often have no counter of cycles. As perf does, the clock is taken there. */
void orma_profile_session_replace_cycles(struct orma_profile_session *self);

/* Into self->config; with --print-config onto standard output instead. */
int orma_profile_session_configure(struct orma_profile_session *self);

/* Prints what was found, and fills the folder. -ENODATA: no samples; it has been said why. */
int orma_profile_session_answer(struct orma_profile_session *self);

/* All of it; what to exit with. */
int orma_profile_session_run(struct orma_profile_session *self);

#endif
