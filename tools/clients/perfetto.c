#include <stdlib.h>
#include <string.h>

#include "protos/fields/config.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "tools/clients/perfetto_impl.h"
#include "tools/service/background.h"

/* So long a parent waits for the data sources of its child in the background. */
#define BACKGROUND_WAIT_MS 30000

/* 0 in the process that goes on; 1 in the one that is done, with *ret_code. */
static int background(struct orma_perfetto *self, int *ret_code)
{
    struct orma_service_background bg;
    int r = orma_service_background_fork(&bg);

    if (r < 0)
        return r;
    if (!bg.pid) {
        self->parent_fd = bg.fd;
        if (!self->args.background_wait)
            orma_fd_close(&self->parent_fd);
        return 0;
    }
    printf("%d\n", (int)bg.pid);
    fflush(stdout);
    *ret_code = ORMA_EXIT_OK;
    if (self->args.background_wait)
        *ret_code = orma_service_background_wait(&bg, BACKGROUND_WAIT_MS);
    else
        orma_fd_close(&bg.fd);
    return 1;
}

/* ---- the order of things ---- */

static int record_or_control(struct orma_perfetto *self)
{
    int r = self->hooks->prepare ? self->hooks->prepare(self->hooks->ctx) : 0;
    int code = r < 0 ? ORMA_EXIT_FAILURE : orma_perfetto_run_session(self);

    if (code ||
        self->config_info.trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT)
        orma_perfetto_drop_empty_output(self);
    /* Last of all: whoever is told finds everything done. */
    orma_perfetto_report_status(self, code ? ORMA_BACKGROUND_ERROR : ORMA_BACKGROUND_OK);
    return code;
}

static int run(struct orma_perfetto *self)
{
    int code = ORMA_EXIT_FAILURE;

    if (self->args.action == ORMA_PERFETTO_RECORD &&
        (orma_perfetto_load_config(self) < 0 || orma_perfetto_check_output(self) < 0))
        return ORMA_EXIT_FAILURE;
    if (orma_perfetto_open_output(self) < 0)
        return ORMA_EXIT_FAILURE;
    self->notify_fd = self->args.notify_fd;
    if (self->args.background) {
        int r = background(self, &code);

        if (r < 0)
            orma_perfetto_say(self, "cannot start in the background: %s", strerror(-r));
        if (r)
            return code;
    }
    int r = orma_perfetto_catch_signals(self);
    if (r < 0) {
        orma_perfetto_say(self, "cannot watch for signals: %s", strerror(-r));
        return ORMA_EXIT_FAILURE;
    }
    return record_or_control(self);
}

int orma_perfetto_run(const struct orma_perfetto_hooks *hooks, int argc, char **argv)
{
    struct orma_perfetto *self = calloc(1, sizeof(*self));
    bool go_on;

    if (!self)
        return ORMA_EXIT_FAILURE;
    *self = (struct orma_perfetto){
        .hooks = hooks, .out_fd = -1, .notify_fd = -1, .parent_fd = -1, .signal_fd = -1};
    orma_log_init(hooks->program, ORMA_LOG_WARN);
    int code = orma_perfetto_parse_args(self, argc, argv, &go_on);
    if (go_on)
        code = run(self);
    orma_buf_fini(&self->config);
    orma_fd_close(&self->out_fd);
    orma_fd_close(&self->notify_fd);
    orma_fd_close(&self->parent_fd);
    orma_fd_close(&self->signal_fd);
    orma_perfetto_release_signals();
    free(self);
    return code;
}

int orma_perfetto_main(int argc, char **argv)
{
    static const struct orma_perfetto_hooks hooks = {.program = "perfetto"};

    return orma_perfetto_run(&hooks, argc, argv);
}
