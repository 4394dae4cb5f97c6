/*
 * What is sampled: options become the text of a trace config, and that its bytes.
 */
#include "tools/profile/session.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/fd.h"
#include "tools/record/frame_pointers.h"
#include "tools/record/profile_config.h"
#include "tools/service/config_file.h"

#define FREQUENCY_DEFAULT 100
#define FREQUENCY_ONE 999 /* of one command: threads that live shorter than a period go unseen */
#define FREQUENCY_ALL 99

/* Others than root may watch their own processes only, one by one. */
static bool by_pid(const struct orma_profile_session *self)
{
    return self->request.native && geteuid() != 0;
}

/* Of the whole machine nothing is known before. */
static bool keeps_frame_pointers(const struct orma_profile_session *self)
{
    const struct orma_buf *pids = &self->request.pids;

    if (self->command && self->request.on_exec)
        return orma_record_frame_pointers_of_command(self->command[0]);
    return pids->len &&
           orma_record_frame_pointers_of_processes(
               "/proc", (const int32_t *)(const void *)pids->data, pids->len / sizeof(int32_t));
}

/* 0: there is such a counter, or of rights, the source tells; -errno. */
static int try_cycles(uint64_t sample_type)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .sample_period = 1000000,
                                   .sample_type = sample_type,
                                   .exclude_kernel = 1,
                                   .disabled = 1};

    if (sample_type)
        attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int r = fd >= 0 || errno == EACCES || errno == EPERM ? 0 : -errno;
    orma_fd_close(&fd);
    return r;
}

int orma_profile_session_check_lbr(const struct orma_profile_session *self)
{
    if (try_cycles(PERF_SAMPLE_BRANCH_STACK) == 0)
        return 0;
    fprintf(stderr,
            "%s: this machine has no last branch record (LBR); use --call-graph=dwarf instead\n",
            self->program);
    return -ENOTSUP;
}

void orma_profile_session_replace_cycles(struct orma_profile_session *self)
{
    static const char cycles[] = "HW_CPU_CYCLES";
    struct orma_record_perf_events *events = &self->request.events;
    bool replaced = false;

    for (size_t i = 0; i < events->num; i++) {
        struct orma_buf *text = &events->list[i].base, with = {0};
        const char *found = strstr(orma_buf_cstr(text), cycles);

        if (!found || try_cycles(0) == 0)
            continue;
        orma_buf_put(&with, text->data, (size_t)(found - (const char *)text->data));
        orma_buf_printf(&with, "SW_CPU_CLOCK%s", found + strlen(cycles));
        orma_buf_fini(text);
        *text = with;
        replaced = true;
    }
    if (replaced)
        fprintf(stderr, "%s: this machine does not count cycles: using cpu-clock instead\n",
                self->program);
}

/* What the request leaves open. */
static void complete_request(struct orma_profile_session *self)
{
    struct orma_record_profile_request *rq = &self->request;
    bool one = rq->pids.len || self->names || (self->command && !self->all);
    int32_t pid = self->child.pid;

    if (!rq->frequency_hz)
        rq->frequency_hz = !rq->native ? FREQUENCY_DEFAULT : one ? FREQUENCY_ONE : FREQUENCY_ALL;
    if (!rq->native)
        return;
    rq->kernel_frames = !self->user_only;
    if (self->command && !self->all && !rq->pids.len && !self->names) {
        orma_buf_put(&rq->pids, &pid, sizeof(pid));
        rq->on_exec = true;
    }
    rq->lbr = self->call_graph == ORMA_PROFILE_CALL_GRAPH_LBR;
    rq->frame_pointers =
        self->call_graph == ORMA_PROFILE_CALL_GRAPH_FP || rq->lbr ||
        (self->call_graph == ORMA_PROFILE_CALL_GRAPH_AUTO && keeps_frame_pointers(self));
}

static int find_processes(struct orma_profile_session *self)
{
    struct orma_str rest = orma_str_from(self->names), name;
    int found = 0;

    while (rest.len && orma_str_cut(&rest, ',', &name)) {
        name = orma_str_trim(name);
        int n =
            !name.len ? 0
            : by_pid(self)
                ? orma_record_profile_add_pids(&self->request, "/proc", name, self->partial)
                : orma_record_profile_add_processes(&self->request, "/proc", name, self->partial);
        if (n < 0)
            return n;
        found += n;
    }
    if (!found) {
        fprintf(stderr, "%s: no running process is named '%s'%s\n", self->program, self->names,
                self->partial          ? ""
                : self->request.native ? "; --partial-matching also matches parts of names"
                                       : "; -p matches parts of names");
        return -ESRCH;
    }
    return 0;
}

static void tell_processes(const struct orma_profile_session *self)
{
    const struct orma_buf *names = &self->request.names;

    if (names->len)
        fprintf(stderr, "%s: profiling these processes:\n", self->program);
    for (size_t at = 0; at < names->len; at += strlen((const char *)names->data + at) + 1)
        fprintf(stderr, "  %s\n", (const char *)names->data + at);
}

int orma_profile_session_configure(struct orma_profile_session *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    const struct orma_schema *schema = orma_schema_default();
    struct orma_text_parse opts = {.file = "config", .error = &error};
    int r;

    if (self->config_path) {
        r = orma_service_config_load(self->config_path, ORMA_SERVICE_CONFIG_AUTO, &self->config,
                                     &error);
        if (r < 0)
            fprintf(stderr, "%s: %s\n", self->program, orma_buf_cstr(&error));
        return r;
    }
    r = self->names ? find_processes(self) : 0;
    if (r < 0)
        return r;
    complete_request(self);
    orma_record_profile_config_text(&text, &self->request);
    if (self->print_config) {
        fputs(orma_buf_cstr(&text), stdout);
        return 0;
    }
    tell_processes(self);
    r = orma_text_parse(schema,
                        orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig")),
                        orma_buf_str(&text), &opts, &self->config);
    if (r < 0)
        fprintf(stderr, "%s: %s\n", self->program, orma_buf_cstr(&error));
    return r;
}
